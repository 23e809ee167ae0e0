//! `Retries`: calls that are made again: when and why, and the record before the repeat.

use std::{sync::Arc, time::Instant};

use redress::{
    Fault, Stated, codes,
    dialect::wire::ATTEMPTS,
    emit::{Emission, emit},
    outcome::ToolTraits,
    recover::{Ground, may_repeat},
};
use redress_ledger::{Record, Redactor};
use redress_registry::{Effect, Retry};
use redress_wire::json::{Members, RawJson};

use super::{
    Context, Session,
    admission::reach_upstream_for,
    checked_writes::is_write_with_gate,
    failure_cause::{FailureCause, RefusalCause},
    fault_details::with_detail,
    http_failure::send_again,
    interface::{Actions, FailureScope, HttpFailure},
    pipeline::fail,
    verdict::traits,
};
use crate::{
    exchange::{Exchange, Method, Request},
    fault_template::FaultTemplate,
    http_head::is_unprocessed,
    inflight::InFlightEntry,
    metrics::CountedEvent,
    moment::{Moment, millis},
    retry::is_reading,
    settings::Mode,
    upstream_id::UpstreamId,
};

/// A call that is made again after a pause.
#[derive(Debug)]
struct ScheduledRetry {
    id: UpstreamId,
    at: Instant,
    /// Nothing is repeated that is not on record.
    is_recorded: bool,
    /// What it ended with, and why it may be repeated all the same: what is known of a tool can change in the pause.
    fault: Box<Fault>,
    ground: Ground,
}

/// A repeat that is to be recorded before it is made; [`Session::repeat_recorded`] lets it go on.
#[derive(Debug)]
pub struct Repeat {
    /// Which one.
    pub id: UpstreamId,
    object: String,
}

/// Calls that are made again after a pause.
#[derive(Debug, Default)]
pub(super) struct Retries {
    waiting: Vec<ScheduledRetry>,
}

impl Retries {
    /// When the next pause is over.
    pub(super) fn next(&self) -> Option<Instant> {
        self.waiting.iter().filter(|it| it.is_recorded).map(|it| it.at).min()
    }

    /// Whether a call is in a pause.
    fn has(&self, id: UpstreamId) -> bool {
        self.waiting.iter().any(|it| it.id == id)
    }

    /// The repeat of a call is on record.
    pub(super) fn recorded(&mut self, id: UpstreamId) {
        if let Some(waiting) = self.waiting.iter_mut().find(|it| it.id == id) {
            waiting.is_recorded = true;
        }
    }

    /// A call is not made again.
    pub(super) fn remove(&mut self, id: UpstreamId) {
        self.waiting.retain(|it| it.id != id);
    }

    /// Takes out the calls whose pause is over.
    fn take_due(&mut self, now: Instant) -> Vec<ScheduledRetry> {
        self.waiting.extract_if(.., |it| it.is_recorded && it.at <= now).collect()
    }
}

impl Repeat {
    /// The record of it.
    pub fn record(&self, redactor: &Redactor) -> Record {
        Record::retry(&self.object, redactor)
    }
}

/// Makes a failed call again later, if the rule allows it and there is time; else gives it back.
pub(super) fn retry(
    session: &mut Session,
    exchange: Box<Exchange>,
    fault: &Fault,
    ground: Ground,
    actions: &mut Actions,
) -> Option<Box<Exchange>> {
    let Some((at, why)) = retry_time(session, &exchange, fault, ground, actions.now) else {
        return Some(exchange);
    };
    if !session.server.budget.spend() {
        session.server.metrics.happened(CountedEvent::RetryDenied);
        return Some(exchange);
    }
    let object =
        retry_record(session.context(), &exchange, fault, why, millis(at - actions.now.at));
    let mut exchange = exchange;
    exchange.is_in_doubt |= exchange.sent && fault.effect != Effect::None;
    exchange.sent = false;
    exchange.first.get_or_insert_with(|| ended_with(fault));
    let key = exchange.key;
    if let Some(id) = session.inflight.open(key, exchange) {
        let fault = Box::new(fault.clone());
        session.retries.waiting.push(ScheduledRetry { id, at, is_recorded: false, fault, ground });
        actions.repeats.push(Repeat { id, object });
        actions.is_sooner = true;
    }
    None
}

/// A call that the upstream did not answer is made again, if that may be; else it is given back.
pub(super) fn retry_unless_answered(
    session: &mut Session,
    exchange: Box<Exchange>,
    fault: &Fault,
    cause: &FailureCause<'_>,
    actions: &mut Actions,
) -> Option<Box<Exchange>> {
    let ground = match cause {
        FailureCause::Http(HttpFailure::Status { status, about, .. })
            if is_unprocessed(*status)
                && *about == FailureScope::Request
                // Who states an effect has had the call, whatever the status says.
                && fault.private.least_effect <= Some(Effect::None)
                && (fault.effect == Effect::None || exchange.is_in_doubt) =>
        {
            Ground::NotSent
        }
        _ if !cause.is_out_of_reach() => return Some(exchange),
        _ if exchange.sent => Ground::Guessed,
        _ => Ground::NotSent,
    };
    retry(session, exchange, fault, ground, actions)
}

/// Makes the calls whose pause is over.
pub(super) fn send_due_retries(session: &mut Session, actions: &mut Actions) {
    let now = actions.now.at;
    for ScheduledRetry { id, fault, ground, .. } in session.retries.take_due(now) {
        if may_still_retry(session, id, &fault, ground) {
            resend(session, id, actions);
        } else if let Some(InFlightEntry::Answer(mut exchange)) = session.inflight.take(id) {
            exchange.is_in_doubt = true;
            fail(session, exchange, &RefusalCause::NotRepeated(fault).into(), actions);
        }
    }
}

/// Whether a call is in a pause, so that nothing that happens to the upstream concerns it.
pub(super) fn is_held_by_gate(session: &Session, id: UpstreamId) -> bool {
    session.retries.has(id) || is_write_with_gate(session, id)
}

/// Whether a call may be repeated by what is known of its tool by now.
fn may_still_retry(session: &Session, id: UpstreamId, fault: &Fault, ground: Ground) -> bool {
    let traits =
        session.inflight.exchange(id).and_then(|it| retry_traits(session.context(), &it.request));
    traits.is_none_or(|it| may_repeat(fault, it, ground))
}

/// Whether what a refusal states lets the same request be sent in another session.
pub(super) fn may_resend(cx: Context<'_>, request: &Request, refusal: &[u8]) -> bool {
    let mut fault = codes::UPSTREAM_UNAVAILABLE.raise([] as [(&str, &str); 0]);
    fault.nothing_changed();
    Stated::scan(refusal).limit(&mut fault);
    may_repeat(&fault, retry_traits(cx, request).unwrap_or_default(), Ground::Stated)
}

/// What may be believed of what a request does, if it is one that could be made again.
fn retry_traits(cx: Context<'_>, request: &Request) -> Option<ToolTraits> {
    match request.method {
        Method::ToolsCall => Some(traits(cx, request.tool())),
        _ if is_reading(request.method_name()) => {
            Some(ToolTraits { read_only: true, idempotent: true, trusted: true })
        }
        _ => None,
    }
}

fn resend(session: &mut Session, id: UpstreamId, actions: &mut Actions) {
    if !reach_upstream_for(session, id, actions) {
        return;
    }
    let stderr = session.upstream.stderr.position();
    if let Some(exchange) = session.inflight.exchange_mut(id) {
        exchange.stderr = stderr;
        exchange.repeats += 1;
    }
    session.server.metrics.happened(CountedEvent::Retry);
    send_again(session, id, actions);
}

/// When a call is made again, and why it may be.
fn retry_time(
    session: &mut Session,
    exchange: &Exchange,
    fault: &Fault,
    ground: Ground,
    now: Moment,
) -> Option<(Instant, &'static str)> {
    let settings = &session.server.settings;
    if settings.mode != Mode::Enforce || !session.admission.is_open() {
        return None;
    }
    let request = &exchange.request;
    let is_known = session.inflight.find(exchange.key).is_some() || session.inflight.is_full();
    if request.line().is_none() || is_known {
        return None;
    }
    let traits = retry_traits(session.context(), request)?;
    let why = match ground {
        _ if !may_repeat(fault, traits, ground) => return None,
        Ground::NotSent => "not_sent",
        _ if traits.trusted && traits.read_only => "read_only",
        _ if traits.trusted && traits.idempotent => "idempotent",
        _ => "effect_none",
    };
    let times = (now.at, exchange.deadline?);
    let random = session.inflight.random();
    let rule = session.server.settings.retry;
    let until = fault.not_before.map(|it| it.saturating_sub(now.wall.millis()));
    let retry = Retry { after_ms: fault.retry.after_ms.max(until), ..fault.retry };
    Some((rule.again_at(exchange.repeats + 1, retry, times, random)?, why))
}

/// What the ledger keeps of a repeat.
fn retry_record(
    cx: Context<'_>,
    exchange: &Exchange,
    fault: &Fault,
    why: &str,
    pause_ms: u64,
) -> String {
    let mut object = String::new();
    let mut members = Members::open(&mut object);
    members.str("server", &cx.server.settings.server);
    members.str("method", exchange.request.method_name());
    if let Some(tool) = exchange.request.tool() {
        members.str("tool", tool);
    }
    members.raw("request_id", exchange.request.id());
    members.raw("attempt", &(exchange.repeats + 2).to_string());
    members.str("code", fault.code()).str("why", why);
    members.raw("pause_ms", &pause_ms.to_string());
    members.close();
    object
}

/// A failure that says how often the call was made, if that was more than once.
pub(super) fn with_attempts(
    template: Arc<FaultTemplate>,
    exchange: &Exchange,
    how: &Emission<'_>,
) -> Arc<FaultTemplate> {
    if exchange.repeats == 0 {
        return template;
    }
    let mut fault = Fault::clone(&template.fault);
    tell_attempts(&mut fault, exchange);
    Arc::new(FaultTemplate::new(emit(fault, how), template.extras.clone()))
}

/// Says how often a call was made, and what the first time ended with, if that was something else.
pub(super) fn tell_attempts(fault: &mut Fault, exchange: &Exchange) {
    let attempts = RawJson::parse((exchange.repeats + 1).to_string().as_bytes()).ok();
    let first = exchange.first.as_deref().filter(|it| **it != *ended_with(fault));
    let first = first.and_then(|it| RawJson::parse(it.as_bytes()).ok());
    let details = with_detail(fault.details.take(), ATTEMPTS, attempts);
    fault.details = with_detail(details, "first", first);
}

/// What of a failure tells it from others: its code, and how the process or the connection ended.
fn ended_with(fault: &Fault) -> Box<str> {
    const PLACES: [&[&str]; 4] =
        [&["exit_code"], &["signal"], &["upstream", "failed_at"], &["upstream", "status"]];
    let mut object = String::new();
    let mut members = Members::open(&mut object);
    members.str("code", fault.code());
    if let Some(details) = &fault.details {
        details.with(|it| {
            for place in PLACES {
                if let (Some(key), Some(value)) = (place.last(), it.path(place)) {
                    members.raw(key, value.raw());
                }
            }
        });
    }
    members.close();
    object.into()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use redress::{codes, recover::Ground};

    use super::{Retries, ScheduledRetry};
    use crate::upstream_id::UpstreamId;

    #[test]
    fn a_repeat_waits_for_its_record_and_its_pause() {
        let (mut retries, now) = (Retries::default(), Instant::now());
        let (one, other) = (UpstreamId::new(0, 1), UpstreamId::new(0, 2));
        let at = now + Duration::from_secs(1);
        for id in [one, other] {
            let fault = Box::new(codes::TIMEOUT.raise([] as [(&str, &str); 0]));
            let ground = Ground::NotSent;
            retries.waiting.push(ScheduledRetry { id, at, is_recorded: false, fault, ground });
        }
        assert_eq!(retries.next(), None);
        retries.recorded(one);
        assert_eq!(retries.next(), Some(at));
        assert!(retries.take_due(now).is_empty());
        let due: Vec<_> = retries.take_due(at).into_iter().map(|it| it.id).collect();
        assert_eq!(due, [one]);
        retries.remove(other);
        assert!(!retries.has(one) && !retries.has(other));
    }
}
