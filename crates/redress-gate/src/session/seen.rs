//! `Seen`: why a request failed where no answer says so, and the fault that it is.

use std::{
    io,
    time::{Duration, Instant},
};

use redress::{
    Dialect, Fault, Stated,
    codes::{self, CoreCode},
    fault::{Cause, Origin, ParamValue},
    json::RawJson,
    outcome::What,
    text,
};
use redress_registry::{Class, Effect, Retry, RetryKind};

use super::{
    Actions, Exit, HttpFailure, KillReason, Session, UpstreamKind,
    details::{number, with_detail, with_upstream},
    last_words,
    start::{CHECK_START, is_page, opens, tells_failure},
};
use crate::{
    exchange::{Exchange, Method, Request},
    frame::{Malformed, Unreadable},
    inflight::{MOST, UpstreamId},
    limits::LimitExceeded,
    moment::{Moment, millis},
    retry::is_reading,
};

/// The most of a program's name that is shown, in characters.
const PROGRAM_CHARS: usize = 80;

/// The most of a line that is kept for the operator, in bytes. The ledger takes secrets out before it shortens it further.
pub(super) const LINE_BYTES: usize = 16 << 10;

/// Why a request failed, where no answer of the upstream says so.
#[derive(Debug)]
pub(super) enum Seen<'a> {
    /// Nothing came in time.
    Deadline,
    /// The process ended.
    Exited(&'a Exit),
    /// The process could not be started.
    NotStarted(&'a io::Error),
    /// A new process refused the client's opening.
    NotGreeted,
    /// The upstream wrote something that is no message.
    NoMessage { line: &'a [u8], why: Unreadable, id: UpstreamId, is_alone: bool },
    /// The upstream wrote more than fits.
    TooLarge { bytes: Option<u64> },
    /// The upstream crashes all the time.
    Parked { until: Instant },
    /// Calls are paused, because nobody answers there.
    CircuitOpen { until: Instant },
    /// Its answer does not fit into the memory that the gate may use.
    OutOfMemory,
    /// Too much is in progress.
    Overloaded,
    /// More is asked than may be.
    LimitExceeded(LimitExceeded),
    /// Failures cannot be recorded.
    Unrecorded,
    /// The gate ends.
    Closing,
    /// The client is gone.
    ClientGone,
    /// The client's message is not a request.
    Malformed(Malformed),
    /// The upstream's answer is none.
    Broken { line: &'a [u8], reason: &'a str },
    /// The POST of the request failed.
    HttpFailed(&'a HttpFailure<'a>),
    /// The task that it names is not the client's own.
    UnknownTask,
    /// The governor let it not pass.
    Governed(Box<Fault>),
    /// It failed, and must not be made again after all.
    NotRepeated(Box<Fault>),
    /// Several clients share the upstream, and it would show them what is another one's.
    Unshared,
}

impl Seen<'_> {
    /// Whether the upstream itself was out of reach. A refusal of our own says nothing about it.
    pub(super) const fn is_out_of_reach(&self) -> bool {
        match self {
            Self::HttpFailed(HttpFailure::Status { status, .. }) => matches!(status, 502..=504),
            Self::HttpFailed(HttpFailure::OutOfMemory) => false,
            Self::Exited(_) | Self::NotStarted(_) | Self::NotGreeted | Self::HttpFailed(_) => true,
            _ => false,
        }
    }

    /// Whether the upstream was not asked.
    pub(super) const fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Parked { .. }
                | Self::CircuitOpen { .. }
                | Self::Overloaded
                | Self::LimitExceeded(_)
                | Self::Unrecorded
                | Self::Malformed(_)
                | Self::UnknownTask
                | Self::Unshared
                | Self::Governed(_)
        )
    }
}

impl Session {
    /// The fault of a request that failed without an answer.
    pub(super) fn fault_of(&self, exchange: &Exchange, seen: &Seen<'_>, now: Moment) -> Fault {
        let mut fault = match seen {
            Seen::Deadline => self.late(exchange, now),
            Seen::Exited(exit) => self.exited(exchange, exit, now),
            Seen::NotStarted(error) => self.not_started(error),
            Seen::NotGreeted => {
                let reason = "a new process refused to open the session again";
                self.raise(
                    codes::UPSTREAM_UNAVAILABLE,
                    Origin::Server,
                    [("service", reason.into())],
                )
            }
            Seen::NoMessage { line, .. } if self.link == UpstreamKind::Http && is_page(line) => {
                self.page(exchange, line)
            }
            Seen::NoMessage { line, why, .. } => self.broken(&why.to_string(), line),
            Seen::TooLarge { bytes } => self.output_too_large(*bytes),
            Seen::OutOfMemory => self.out_of_memory(),
            Seen::Parked { until } => self.parked(*until, now),
            Seen::CircuitOpen { until } => self.paused(*until, now),
            Seen::LimitExceeded(why) => self.too_much(*why),
            Seen::Overloaded => {
                self.raise(codes::OVERLOADED, Origin::Gate, [("limit", MOST.into())])
            }
            Seen::Unrecorded => self.raise(codes::AUDIT_LOG_FAILED, Origin::Gate, []),
            Seen::Closing => self.raise(codes::SHUTTING_DOWN, Origin::Gate, []),
            Seen::ClientGone => {
                let reason = "the client is gone";
                self.raise(codes::CANCELLED, Origin::Client, [("reason", reason.into())])
            }
            Seen::Malformed(why) => self.malformed(*why),
            Seen::Broken { line, reason } => self.broken(reason, line),
            Seen::HttpFailed(how) => self.http_fault(exchange, how, now),
            Seen::UnknownTask => {
                self.raise(codes::NOT_FOUND, Origin::Gate, [("kind", "task".into())])
            }
            Seen::Governed(fault) => {
                let mut fault = Fault::clone(fault);
                fault.origin = Origin::Gate;
                fault
            }
            Seen::NotRepeated(fault) => Fault::clone(fault),
            Seen::Unshared => {
                let method = exchange.request.method_name().into();
                self.raise(codes::METHOD_NOT_FOUND, Origin::Gate, [("method", method)])
            }
        };
        let tool = self.tool_of(&exchange.request);
        let is_dead = matches!(seen, Seen::Exited(_)) && self.is_unopened();
        let is_harmless = !exchange.sent
            || is_dead
            || is_without_effect(&exchange.request)
            || self.traits(tool).harmless();
        if is_harmless && !exchange.is_in_doubt {
            fault.nothing_changed();
        } else if is_harmless || exchange.is_in_doubt && fault.effect == Effect::None {
            fault.may_have_changed_something();
        }
        fault
    }

    /// The fault of an answer that is longer than fits.
    pub(super) fn output_too_large(&self, bytes: Option<u64>) -> Fault {
        let limit = Some(("limit_bytes", self.server.settings.max_message.into()));
        let size = bytes.map(|it| ("size_bytes", it.into()));
        let params = limit.into_iter().chain(size);
        let mut fault = self.raise(codes::OUTPUT_TOO_LARGE, Origin::Gate, params);
        // What was dropped may have been a failure.
        fault.effect = Effect::Unknown;
        fault
    }

    /// The fault of an answer for which there is no memory.
    pub(super) fn out_of_memory(&self) -> Fault {
        let mut fault = self.raise(codes::OVERLOADED, Origin::Gate, []);
        "The answer was dropped: the gate holds as many bytes for its clients as it may."
            .clone_into(&mut fault.message);
        "Check what the call changed. Read the answers that wait, or ask for less, then ask again."
            .clone_into(&mut fault.hint);
        // What was dropped may have been a failure.
        fault.effect = Effect::Unknown;
        fault
    }

    /// The fault of a line of the client that is no request.
    pub(super) fn malformed(&self, why: Malformed) -> Fault {
        let (code, params) = why.told();
        self.raise(code, Origin::Gate, params)
    }

    /// The fault of bytes that do not follow the protocol.
    pub(super) fn broken(&self, reason: &str, line: &[u8]) -> Fault {
        let server = ("server", self.server.settings.server.as_str().into());
        let params = [server, ("reason", reason.into())];
        let mut fault = self.raise(codes::UPSTREAM_PROTOCOL_ERROR, Origin::Server, params);
        fault.private.upstream = Some(line.get(..LINE_BYTES).unwrap_or(line).to_vec());
        Stated::scan(line).limit(&mut fault);
        fault
    }

    /// The process ended while nobody waited.
    pub(super) fn note_exit(&mut self, exit: &Exit, actions: &mut Actions) {
        let mut fault = if let Some(why) = exit.ended_for {
            let server = ("server", self.server.settings.server.as_str().into());
            let fault = self.raise(codes::UPSTREAM_UNAVAILABLE, Origin::Server, [server]);
            ended(fault, why)
        } else {
            self.raise(codes::UPSTREAM_CRASHED, Origin::Server, exit_params(exit))
        };
        fault.nothing_changed();
        self.add_log(&mut fault, 0);
        last_words::add_exit(&mut fault, exit);
        self.tell_nobody(fault, actions);
    }

    /// A fault of a core code, in the words of the server's contract if it has that code.
    pub(super) fn raise<'p>(
        &self,
        code: CoreCode,
        origin: Origin,
        params: impl IntoIterator<Item = (&'p str, ParamValue)>,
    ) -> Fault {
        let entry = self.server.settings.contract.get(code.name()).unwrap_or_else(|| code.entry());
        let mut fault = Fault::raise(entry, params);
        fault.origin = origin;
        fault
    }

    /// The fault of a request that nothing came for in time.
    fn late(&self, exchange: &Exchange, now: Moment) -> Fault {
        let waited_ms = now.since(exchange.started);
        let mut fault = self.classified(exchange, What::Deadline { waited_ms }, now);
        let limit = exchange.deadline.map(|it| millis(it - exchange.started));
        let details = with_detail(fault.details.take(), "timeout_ms", limit.and_then(number));
        let details = with_detail(details, "waited_ms", number(waited_ms));
        fault.details = self.with_useless(details, exchange);
        if opens(exchange) {
            CHECK_START.clone_into(&mut fault.hint);
        }
        if exchange.write.is_some() && !exchange.sent {
            "Make the same call again: other writes were still being checked, so that the server was not asked."
                .clone_into(&mut fault.hint);
        }
        fault
    }

    fn exited(&self, exchange: &Exchange, exit: &Exit, now: Moment) -> Fault {
        let mut fault = match exit.ended_for {
            Some(KillReason::Silence) => return replaced(self.late(exchange, now)),
            Some(why) => ended(self.classified(exchange, What::Closed, now), why),
            None => {
                let signal = exit.signal.as_deref().map(Into::into);
                let code = exit.code.map(i64::from);
                self.classified(exchange, What::Exited { code, signal }, now)
            }
        };
        // Alone, a process that ended needs a person; behind the gate the next request starts it again.
        fault.retry = fault.entry().retry;
        // A process that never said anything explains itself from its start on.
        let is_at_work = exchange.sent && self.has_spoken;
        self.add_log(&mut fault, if is_at_work { exchange.stderr } else { 0 });
        if (opens(exchange) || self.is_unopened()) && exit.ended_for.is_none() {
            self.never_began(&mut fault, exchange, exit);
        }
        last_words::add_exit(&mut fault, exit);
        fault
    }

    fn not_started(&self, error: &io::Error) -> Fault {
        let mut fault = match error.kind() {
            // That dialect has a code of its own for a server that does not start.
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                if self.server.settings.dialect == Dialect::AtlasGate =>
            {
                self.raise(codes::BOOTSTRAP_FAILURE, Origin::Gate, [])
            }
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
                let program = self.server.settings.program.as_str().into();
                let mut fault =
                    self.raise(codes::NOT_INSTALLED, Origin::Gate, [("dependency", program)]);
                // No tool lacks something: the whole server is away.
                fault.class = Class::Unavailable;
                fault.http = fault.class.http();
                fault
            }
            io::ErrorKind::NotADirectory => {
                let place = ("place", format!("[server.{}]", self.server.settings.server).into());
                let problem = ("problem", format!("{error}.").into());
                self.raise(codes::CONFIG_INVALID, Origin::Gate, [place, problem])
            }
            _ => {
                let server = self.server.settings.server.as_str().into();
                self.raise(codes::UPSTREAM_UNAVAILABLE, Origin::Gate, [("server", server)])
            }
        };
        let program = text::quote(&self.server.settings.program, PROGRAM_CHARS);
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

    fn parked(&self, until: Instant, now: Moment) -> Fault {
        let server = ("server", self.server.settings.server.as_str().into());
        let crashes = self.restarts.in_a_row().max(self.server.starts.in_a_row());
        let crashes = ("crashes", u64::from(crashes).into());
        let mut fault = self.raise(codes::UPSTREAM_PARKED, Origin::Gate, [server, crashes]);
        if let Some(why) = self.last_exit.as_ref().and_then(|it| it.ended_for) {
            let words = Some(RawJson::string(why.words()));
            fault.details = with_upstream(fault.details.take(), "ended_for", words);
        } else if let Some(Exit { code, signal, .. }) = &self.last_exit {
            let code = code.and_then(number);
            let signal = signal.as_deref().map(RawJson::string);
            let details = with_upstream(fault.details.take(), "exit_code", code);
            fault.details = with_upstream(details, "signal", signal);
        }
        self.add_log(&mut fault, 0);
        // Whatever else it has said does not explain why it ended.
        fault.server_text = fault.server_text.take().filter(|it| tells_failure(it));
        if let Some(exit) = &self.last_exit {
            last_words::add_exit(&mut fault, exit);
        }
        after(fault, until.saturating_duration_since(now.at))
    }

    fn paused(&self, until: Instant, now: Moment) -> Fault {
        let server = ("server", self.server.settings.server.as_str().into());
        let fault = self.raise(codes::CIRCUIT_OPEN, Origin::Gate, [server]);
        after(fault, until.saturating_duration_since(now.at))
    }

    fn too_much(&self, why: LimitExceeded) -> Fault {
        match why {
            LimitExceeded::InFlight { limit } => {
                self.raise(codes::OVERLOADED, Origin::Gate, [("limit", limit.into())])
            }
            LimitExceeded::Rate { wait } => {
                let wait_ms = ("retry_after_ms", millis(wait).max(1).into());
                after(self.raise(codes::RATE_LIMITED, Origin::Gate, [wait_ms]), wait)
            }
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
