//! Repeats of a call that failed: what of a call and of its failure makes it the same, and how a repeat is answered.

use std::{sync::Arc, time::Instant};

use redress::{Fault, codes, fault::Origin};
use redress_registry::{Retry, RetryKind};
use redress_wire::json::{Doc, Members, RawJson};

use super::{
    Context, Session,
    failure_cause::{FailureCause, RefusalCause},
    fault_details::with_detail,
    faults::raise,
    interface::ClientKind,
    verdict::UpstreamAnswer,
};
use crate::{
    canonical::canonical,
    exchange::{Exchange, Method},
    fault_template::FaultTemplate,
    frame::limits,
    loop_guard::{LoopDecision, is_lasting},
    metrics::CountedEvent,
    settings::Mode,
};

/// A failure as its client got it.
pub(super) type KnownFailure = Arc<FaultTemplate>;

/// Refuses a call that failed again and again in the same way. A gate that only observes counts it.
pub(super) fn refuse_repeated(
    session: &mut Session,
    exchange: &Exchange,
    now: Instant,
) -> Result<(), RefusalCause> {
    if session.loops.is_idle() {
        return Ok(());
    }
    let Some((_, call)) = key_of(session, exchange) else { return Ok(()) };
    match session.loops.ask(call, now) {
        LoopDecision::Send => Ok(()),
        _ if session.server.settings.mode == Mode::Observe => {
            session.server.metrics.happened(CountedEvent::LoopObserved);
            Ok(())
        }
        LoopDecision::Trial => {
            session.server.metrics.happened(CountedEvent::LoopTrial);
            Ok(())
        }
        LoopDecision::Answer(failure, times) => {
            session.server.metrics.happened(CountedEvent::LoopRefused);
            Err(RefusalCause::Repeated { failure: Arc::clone(failure), times })
        }
    }
}

/// A call was answered with a failure. Two answers are the same if their codes and what the server wrote are.
pub(super) fn note_failed_answer(
    session: &mut Session,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
    template: &KnownFailure,
    now: Instant,
) {
    let payload = answer.frame.payload;
    let said = payload.map(|it| it.get("content").unwrap_or(it).raw()).unwrap_or_default();
    let is_lasting = template.handling.is_lasting;
    let failure = is_lasting.then(|| session.inflight.secret((template.fault.code(), said)));
    note(session, exchange, failure, template, now);
}

/// A call failed without an answer that could be judged.
pub(super) fn note_failed(
    session: &mut Session,
    exchange: &Exchange,
    cause: &FailureCause<'_>,
    template: &KnownFailure,
    now: Instant,
) {
    if !exchange.sent || matches!(cause, FailureCause::Refusal(_)) {
        return;
    }
    let fault = &template.fault;
    let said = (fault.code(), &fault.message, &fault.server_text);
    let failure = is_lasting(fault, false).then(|| session.inflight.secret(said));
    note(session, exchange, failure, template, now);
}

/// A call succeeded: it may have mended whatever failed before.
pub(super) fn note_succeeded(session: &mut Session, exchange: &Exchange) {
    if exchange.request.method == Method::ToolsCall {
        session.loops.forget(exchange.from.client);
    }
}

fn note(
    session: &mut Session,
    exchange: &Exchange,
    failure: Option<u64>,
    template: &KnownFailure,
    now: Instant,
) {
    if !session.loops.is_enabled() || failure.is_none() && session.loops.is_idle() {
        return;
    }
    let Some(key) = key_of(session, exchange) else { return };
    match failure {
        Some(failure) => session.loops.failed(key, failure, Arc::clone(template), now),
        None => session.loops.failed_otherwise(key.1),
    }
}

/// The client of a call, and a hash that only the same call of that client has. A request that belongs to no session has none, nor
/// has one that goes on from a state of the server, or one that is too long to be kept.
fn key_of(session: &Session, exchange: &Exchange) -> Option<(u64, u64)> {
    let request = &exchange.request;
    let is_alone = request.is_sessionless && session.tenancy.client == ClientKind::Http;
    if request.method != Method::ToolsCall
        || request.has_state
        || is_alone
        || !exchange.from.has_session()
    {
        return None;
    }
    let params = request.params()?;
    let doc = Doc::parse(params.as_bytes(), limits(params.len())).ok()?;
    let arguments = doc.root().get("arguments").map(canonical).unwrap_or_default();
    let client = exchange.from.client;
    Some((client, session.inflight.secret((client, request.tool()?, &arguments))))
}

/// The fault of a repeat that is not sent: it has the advice and the places of the failure that it repeats.
pub(super) fn repeated_fault(cx: Context<'_>, failure: &KnownFailure, times: u32) -> Fault {
    let known: &Fault = &failure.fault;
    let params = [("times", u64::from(times).into()), ("code", known.code().into())];
    let mut fault = raise(cx, codes::REPEATED_FAILURE, Origin::Gate, params);
    if known.retry.kind == RetryKind::Never {
        fault.retry = Retry::of(RetryKind::Never);
    }
    fault.hint = format!("Do not make this call again as it is. {}", known.hint);
    fault.next_actions.clone_from(&known.next_actions);
    fault.similar_refs.clone_from(&known.similar_refs);
    fault.violations.clone_from(&known.violations);
    fault.server_text.clone_from(&known.server_text);
    fault.details = with_detail(fault.details.take(), "repeats", told(known));
    fault.private.rule = Some("loop".to_owned());
    fault
}

/// What of a failure is in the details of its repeat.
fn told(known: &Fault) -> Option<RawJson> {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.str("code", known.code()).str("message", &known.message);
    members.opt_str("basis", known.basis.map(redress::fault::Basis::name));
    members.close();
    RawJson::parse(out.as_bytes()).ok()
}
