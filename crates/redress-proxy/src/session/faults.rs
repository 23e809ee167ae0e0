//! The fault of each cause for which a request fails without an answer.

use std::{
    io,
    time::{Duration, Instant},
};

use redress::outcome::Malformed;
use redress::{
    Dialect, Fault, Stated,
    codes::{self, CoreCode},
    fault::{Cause, Origin, ParamValue},
    outcome::What,
    text,
};
use redress_registry::{Class, Effect, Retry, RetryKind};
use redress_wire::json::RawJson;

use super::{
    Context, Session,
    crash_log::{add_exit, add_log},
    emission::record_fault,
    failure_cause::{FailureCause, RefusalCause},
    fault_details::{number, with_detail, with_upstream},
    http_failure::{http_fault, web_page_fault},
    interface::{Actions, Exit, UpstreamKind},
    repeated_failure::repeated_fault,
    startup_failure::{
        CHECK_START, explain_failed_start, is_page, is_unopened, opens, tells_failure,
    },
    stray_output::with_stray_output,
    verdict::{certain_fault, tool_of, traits},
};
use crate::{
    exchange::{Exchange, Method, Request},
    inflight::MOST,
    limits::LimitExceeded,
    moment::{Moment, millis},
    retry::is_reading,
};
use redress::outcome::KillReason;

/// The most of a program's name that is shown, in characters.
const PROGRAM_CHARS: usize = 80;

/// The most of a line that is kept for the operator, in bytes. The ledger takes secrets out before it shortens it further.
pub(super) const LINE_BYTES: usize = 16 << 10;

/// The fault of a request that fails without an answer.
pub(super) fn fault_of(
    cx: Context<'_>,
    exchange: &Exchange,
    cause: &FailureCause<'_>,
    now: Moment,
) -> Fault {
    let mut fault = match cause {
        FailureCause::Outcome(what) => outcome_fault(cx, exchange, what, now),
        FailureCause::Http(how) => http_fault(cx, exchange, how, now),
        FailureCause::NotAMessage { line, .. }
            if cx.upstream.kind == UpstreamKind::Http && is_page(line) =>
        {
            web_page_fault(cx, exchange, line)
        }
        FailureCause::NotAMessage { line, why, .. } => protocol_fault(cx, &why.to_string(), line),
        FailureCause::Refusal(refusal) => refusal_fault(cx, exchange, refusal, now),
    };
    let tool = tool_of(cx, &exchange.request);
    let has_ended = matches!(cause, FailureCause::Outcome(What::Exited { .. } | What::Killed(_)));
    let is_dead = has_ended && is_unopened(cx);
    let is_harmless = !exchange.sent
        || is_dead
        || is_without_effect(&exchange.request)
        || traits(cx, tool).harmless();
    if is_harmless && !exchange.is_in_doubt {
        fault.nothing_changed();
    } else if is_harmless || exchange.is_in_doubt && fault.effect == Effect::None {
        fault.may_have_changed_something();
    }
    fault
}

/// The fault that something is which the upstream did.
fn outcome_fault(cx: Context<'_>, exchange: &Exchange, outcome: &What<'_>, now: Moment) -> Fault {
    match outcome {
        What::Deadline { .. } => deadline_fault(cx, exchange, now),
        What::Exited { .. } | What::Killed(_) => exit_fault(cx, exchange, outcome, now),
        What::NotStarted(error) => not_started_fault(cx, error),
        What::NotOpened => {
            let reason = "a new process refused to open the session again";
            raise(cx, codes::UPSTREAM_UNAVAILABLE, Origin::Server, [("service", reason.into())])
        }
        What::Broken { bytes, reason } => protocol_fault(cx, reason, bytes),
        What::TooLarge { bytes } => too_large_fault(cx, *bytes),
        What::Answer(_) | What::Http(_) | What::Malformed(_) | What::Closed | What::Refused(_) => {
            certain_fault(cx, exchange, outcome.clone(), now)
        }
    }
}

/// The fault of a request that the gate refuses, or waits for no longer.
fn refusal_fault(cx: Context<'_>, exchange: &Exchange, why: &RefusalCause, now: Moment) -> Fault {
    match why {
        RefusalCause::OutOfMemory => out_of_memory_fault(cx),
        RefusalCause::Parked { until } => parked_fault(cx, *until, now),
        RefusalCause::CircuitOpen { until } => circuit_open_fault(cx, *until, now),
        RefusalCause::LimitExceeded(why) => limit_fault(cx, *why),
        RefusalCause::Overloaded => {
            raise(cx, codes::OVERLOADED, Origin::Gate, [("limit", MOST.into())])
        }
        RefusalCause::Unrecorded => raise(cx, codes::AUDIT_LOG_FAILED, Origin::Gate, []),
        RefusalCause::Closing => raise(cx, codes::SHUTTING_DOWN, Origin::Gate, []),
        RefusalCause::ClientGone => {
            let reason = "the client is gone";
            raise(cx, codes::CANCELLED, Origin::Client, [("reason", reason.into())])
        }
        RefusalCause::Malformed(why) => malformed_fault(cx, *why),
        RefusalCause::UnknownTask => {
            raise(cx, codes::NOT_FOUND, Origin::Gate, [("kind", "task".into())])
        }
        RefusalCause::Governed(fault) => {
            let mut fault = Fault::clone(fault);
            fault.origin = Origin::Gate;
            fault
        }
        RefusalCause::NotRepeated(fault) => Fault::clone(fault),
        RefusalCause::Repeated { failure, times } => repeated_fault(cx, failure, *times),
        RefusalCause::Unshared => {
            let method = exchange.request.method_name().into();
            raise(cx, codes::METHOD_NOT_FOUND, Origin::Gate, [("method", method)])
        }
    }
}

/// The fault of an answer that is longer than fits.
pub(super) fn too_large_fault(cx: Context<'_>, bytes: Option<u64>) -> Fault {
    let limit = Some(("limit_bytes", cx.server.settings.max_message.into()));
    let size = bytes.map(|it| ("size_bytes", it.into()));
    let params = limit.into_iter().chain(size);
    let mut fault = raise(cx, codes::OUTPUT_TOO_LARGE, Origin::Gate, params);
    // What was dropped may have been a failure.
    fault.effect = Effect::Unknown;
    fault
}

/// The fault of an answer for which there is no memory.
pub(super) fn out_of_memory_fault(cx: Context<'_>) -> Fault {
    let mut fault = raise(cx, codes::OVERLOADED, Origin::Gate, []);
    "The answer was dropped: the gate holds as many bytes for its clients as it may."
        .clone_into(&mut fault.message);
    "Check what the call changed. Read the answers that wait, or ask for less, then ask again."
        .clone_into(&mut fault.hint);
    // What was dropped may have been a failure.
    fault.effect = Effect::Unknown;
    fault
}

/// The fault of a line of the client that is no request.
pub(super) fn malformed_fault(cx: Context<'_>, why: Malformed) -> Fault {
    let (code, params) = why.told();
    raise(cx, code, Origin::Gate, params)
}

/// The fault of bytes that do not follow the protocol.
pub(super) fn protocol_fault(cx: Context<'_>, reason: &str, line: &[u8]) -> Fault {
    let server = ("server", cx.server.settings.server.as_str().into());
    let params = [server, ("reason", reason.into())];
    let mut fault = raise(cx, codes::UPSTREAM_PROTOCOL_ERROR, Origin::Server, params);
    fault.private.upstream = Some(line.get(..LINE_BYTES).unwrap_or(line).to_vec());
    Stated::scan(line).limit(&mut fault);
    fault
}

/// Records that the process ended while no request waited.
pub(super) fn note_exit(session: &mut Session, exit: &Exit, actions: &mut Actions) {
    let mut fault = if let Some(why) = exit.ended_for {
        let server = ("server", session.server.settings.server.as_str().into());
        let fault = raise(session.context(), codes::UPSTREAM_UNAVAILABLE, Origin::Server, [server]);
        ended(fault, why)
    } else {
        raise(session.context(), codes::UPSTREAM_CRASHED, Origin::Server, exit_params(exit))
    };
    fault.nothing_changed();
    add_log(session.context(), &mut fault, 0);
    add_exit(&mut fault, exit);
    record_fault(session, fault, actions);
}

/// A fault of a core code, in the words of the server's contract if it has that code.
pub(super) fn raise<'p>(
    cx: Context<'_>,
    code: CoreCode,
    origin: Origin,
    params: impl IntoIterator<Item = (&'p str, ParamValue)>,
) -> Fault {
    let entry = cx.server.settings.contract.get(code.name()).unwrap_or_else(|| code.entry());
    let mut fault = Fault::raise(entry, params);
    fault.origin = origin;
    fault
}

/// The fault of a request that nothing came for in time.
fn deadline_fault(cx: Context<'_>, exchange: &Exchange, now: Moment) -> Fault {
    let waited_ms = now.since(exchange.started);
    let mut fault = certain_fault(cx, exchange, What::Deadline { waited_ms }, now);
    let limit = exchange.deadline.map(|it| millis(it - exchange.started));
    let details = with_detail(fault.details.take(), "timeout_ms", limit.and_then(number));
    let details = with_detail(details, "waited_ms", number(waited_ms));
    fault.details = with_stray_output(cx, details, exchange);
    if opens(exchange) {
        CHECK_START.clone_into(&mut fault.hint);
    }
    if exchange.write.is_some() && !exchange.sent {
        "Make the same call again: other writes were still being checked, so that the server was not asked."
            .clone_into(&mut fault.hint);
    }
    fault
}

fn exit_fault(cx: Context<'_>, exchange: &Exchange, outcome: &What<'_>, now: Moment) -> Fault {
    let mut fault = match outcome {
        What::Killed(KillReason::Silence) => return replaced(deadline_fault(cx, exchange, now)),
        What::Killed(why) => ended(certain_fault(cx, exchange, outcome.clone(), now), *why),
        _ => certain_fault(cx, exchange, outcome.clone(), now),
    };
    // Alone, a process that ended needs a person; behind the gate the next request starts it again.
    fault.retry = fault.entry().retry;
    // A process that never said anything explains itself from its start on.
    let is_at_work = exchange.sent && cx.upstream.has_spoken;
    add_log(cx, &mut fault, if is_at_work { exchange.stderr } else { 0 });
    if let Some(exit) = &cx.upstream.last_exit {
        if (opens(exchange) || is_unopened(cx)) && exit.ended_for.is_none() {
            explain_failed_start(cx, &mut fault, exchange, exit);
        }
        add_exit(&mut fault, exit);
    }
    fault
}

fn not_started_fault(cx: Context<'_>, error: &io::Error) -> Fault {
    let mut fault = match error.kind() {
        // That dialect has a code of its own for a server that does not start.
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            if cx.server.settings.dialect == Dialect::AtlasGate =>
        {
            raise(cx, codes::BOOTSTRAP_FAILURE, Origin::Gate, [])
        }
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
            let program = cx.server.settings.program.as_str().into();
            let mut fault =
                raise(cx, codes::NOT_INSTALLED, Origin::Gate, [("dependency", program)]);
            // No tool lacks something: the whole server is away.
            fault.class = Class::Unavailable;
            fault.http = fault.class.http();
            fault
        }
        io::ErrorKind::NotADirectory => {
            let place = ("place", format!("[server.{}]", cx.server.settings.server).into());
            let problem = ("problem", format!("{error}.").into());
            raise(cx, codes::CONFIG_INVALID, Origin::Gate, [place, problem])
        }
        _ => {
            let server = cx.server.settings.server.as_str().into();
            raise(cx, codes::UPSTREAM_UNAVAILABLE, Origin::Gate, [("server", server)])
        }
    };
    let program = text::quote(&cx.server.settings.program, PROGRAM_CHARS);
    let why = match error.kind() {
        io::ErrorKind::NotFound => "was not found",
        io::ErrorKind::PermissionDenied => "may not be executed",
        _ => "cannot be started",
    };
    fault.message = match error.kind() {
        io::ErrorKind::NotADirectory => format!("The program {program} {why}: {error}."),
        _ => format!("The program {program} {why}."),
    };
    let (message, name) = (error.to_string(), "io::Error".to_owned());
    let code = error.raw_os_error().and_then(number);
    fault.private.push_cause(Cause::Error { message, code, name });
    fault
}

fn parked_fault(cx: Context<'_>, until: Instant, now: Moment) -> Fault {
    let server = ("server", cx.server.settings.server.as_str().into());
    let crashes = cx.upstream.restarts.in_a_row().max(cx.server.starts.in_a_row());
    let crashes = ("crashes", u64::from(crashes).into());
    let mut fault = raise(cx, codes::UPSTREAM_PARKED, Origin::Gate, [server, crashes]);
    if let Some(why) = cx.upstream.last_exit.as_ref().and_then(|it| it.ended_for) {
        let words = Some(RawJson::string(why.words()));
        fault.details = with_upstream(fault.details.take(), "ended_for", words);
    } else if let Some(Exit { code, signal, .. }) = &cx.upstream.last_exit {
        let code = code.and_then(number);
        let signal = signal.as_deref().map(RawJson::string);
        let details = with_upstream(fault.details.take(), "exit_code", code);
        fault.details = with_upstream(details, "signal", signal);
    }
    add_log(cx, &mut fault, 0);
    // Whatever else it has said does not explain why it ended.
    fault.server_text = fault.server_text.take().filter(|it| tells_failure(it));
    if let Some(exit) = &cx.upstream.last_exit {
        add_exit(&mut fault, exit);
    }
    after(fault, until.saturating_duration_since(now.at))
}

fn circuit_open_fault(cx: Context<'_>, until: Instant, now: Moment) -> Fault {
    let server = ("server", cx.server.settings.server.as_str().into());
    let fault = raise(cx, codes::CIRCUIT_OPEN, Origin::Gate, [server]);
    after(fault, until.saturating_duration_since(now.at))
}

fn limit_fault(cx: Context<'_>, why: LimitExceeded) -> Fault {
    match why {
        LimitExceeded::InFlight { limit } => {
            raise(cx, codes::OVERLOADED, Origin::Gate, [("limit", limit.into())])
        }
        LimitExceeded::Rate { wait } => {
            let wait_ms = ("retry_after_ms", millis(wait).max(1).into());
            after(raise(cx, codes::RATE_LIMITED, Origin::Gate, [wait_ms]), wait)
        }
    }
}

/// Whether a request changes nothing that anybody could look for.
fn is_without_effect(request: &Request) -> bool {
    request.method == Method::Initialize || is_reading(request.method_name())
}

/// The fault of a call that may be made again after a while.
fn after(mut fault: Fault, wait: Duration) -> Fault {
    let after_ms = Some(millis(wait).max(1));
    fault.retry = Retry { kind: RetryKind::AfterDelay, after_ms, ..fault.retry };
    fault
}

/// A fault of a process that the gate has ended.
fn ended(mut fault: Fault, why: KillReason) -> Fault {
    let words = why.words();
    fault.message = format!("The server {words}, so the gate ended its process.");
    let told = Some(RawJson::string(words));
    fault.details = with_upstream(fault.details.take(), "ended_for", told);
    if why == KillReason::Silence { replaced(fault) } else { fault }
}

/// A fault of a process that was ended because it said nothing any more.
fn replaced(mut fault: Fault) -> Fault {
    let yes = RawJson::parse(b"true").ok();
    fault.details = with_upstream(fault.details.take(), "replaced", yes);
    fault
}

fn exit_params(exit: &Exit) -> impl Iterator<Item = (&'static str, ParamValue)> {
    let code = exit.code.map(|it| ("exit_code", i64::from(it).into()));
    let signal = exit.signal.as_deref().map(|it| ("signal", it.into()));
    code.into_iter().chain(signal)
}
