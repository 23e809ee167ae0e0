//! `Admission`: whether a request may go on: the gate takes it, a limit leaves room for it, the upstream can be reached.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    Session,
    actions::Actions,
    endpoints::{Exit, KillReason, UpstreamKind},
    failure_cause::Refusal,
    pipeline::fail,
    upstream::State,
};
use crate::{
    breaker::Breaker,
    exchange::{Exchange, Method},
    frame::Malformed,
    inflight::InFlightEntry,
    limits::ClientShares,
    restarts::May,
    settings::Mode,
    upstream_id::UpstreamId,
};

/// Whether a new request may go on: the breaker, the limits of each client, and whether the gate takes requests at all.
#[derive(Debug)]
pub(super) struct Admission {
    /// Whether the upstream is asked at all.
    pub(super) breaker: Arc<Breaker>,
    /// What each client may ask.
    pub(super) shares: ClientShares,
    /// Whether the gate takes requests.
    pub(super) intake: Intake,
}

/// Whether the gate takes requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intake {
    /// It does.
    Open,
    /// Not while their failures could not be recorded.
    Unrecorded,
    /// Never again: the gate ends.
    Closing,
}

impl Admission {
    /// A gate that takes requests.
    pub(super) const fn new(breaker: Arc<Breaker>, shares: ClientShares) -> Self {
        Self { breaker, shares, intake: Intake::Open }
    }

    /// Whether failures of new requests could be recorded. A gate that ends takes none whatever is recorded.
    pub(super) const fn set_recorded(&mut self, is_recorded: bool) {
        self.intake = match (self.intake, is_recorded) {
            (Intake::Closing, _) => Intake::Closing,
            (_, true) => Intake::Open,
            (_, false) => Intake::Unrecorded,
        };
    }
}

/// Whether a request may go on; it counts among the calls in progress then.
pub(super) fn admit(
    session: &mut Session,
    exchange: &mut Exchange,
    bytes: usize,
    actions: &mut Actions,
) -> Result<(), Refusal> {
    match session.admission.intake {
        Intake::Open => (),
        Intake::Unrecorded => return Err(Refusal::Unrecorded),
        Intake::Closing => return Err(Refusal::Closing),
    }
    if session.inflight.find(exchange.key).is_some() {
        return Err(Refusal::Malformed(Malformed::IdInUse));
    }
    let is_too_much = !session.upstream.is_up()
        && !session.upstream.has_room(bytes, session.server.settings.queue_limit());
    if is_too_much || session.inflight.is_full() {
        return Err(Refusal::Overloaded);
    }
    let place = session.admission.shares.place(exchange.from.caller);
    let client = exchange.from.client;
    match place.and_then(|it| session.admission.shares.enter(client, actions.now.at).map(|()| it)) {
        Ok(place) => (exchange.is_admitted, exchange.place) = (true, place),
        Err(_) if is_vital(exchange) => (),
        Err(why) => return Err(Refusal::LimitExceeded(why)),
    }
    session.server.budget.called();
    let reached = reach_upstream(session, actions);
    if reached.is_err() && std::mem::take(&mut exchange.is_admitted) {
        exchange.place = None;
        session.admission.shares.leave(exchange.from.client);
    }
    reached
}

/// Whether the upstream can be asked; starts it if it is down. Whoever parks it has the first say.
fn reach_upstream(session: &mut Session, actions: &mut Actions) -> Result<(), Refusal> {
    let now = actions.now.at;
    if is_upstream_hung(session, now) {
        replace_upstream(session, actions);
    }
    let may = (session.upstream.state == State::Down).then(|| {
        session.upstream.restarts.may_start(now).max(session.server.starts.may_start(now))
    });
    if let Some(May::Parked(until)) = may {
        return Err(Refusal::Parked { until });
    }
    // Who only observes does not stand in the way.
    if session.server.settings.mode != Mode::Observe {
        session.admission.breaker.admit(now).map_err(|until| Refusal::CircuitOpen { until })?;
    }
    match may {
        Some(May::Start) => {
            session.upstream.state = State::Starting;
            actions.start = true;
        }
        Some(May::StartAt(then)) => {
            session.upstream.state = State::StartAt(then);
            actions.is_sooner = true;
        }
        Some(May::Parked(_)) | None => (),
    }
    Ok(())
}

/// The same for a request that waited here. One that cannot be asked is answered; one that was withdrawn, or is too late, is over.
pub(super) fn reach_upstream_for(
    session: &mut Session,
    id: UpstreamId,
    actions: &mut Actions,
) -> bool {
    if session.inflight.exchange(id).is_none() {
        return false;
    }
    let Err(refusal) = reach_upstream(session, actions) else { return true };
    if let Some(InFlightEntry::Answer(exchange)) = session.inflight.take(id) {
        fail(session, exchange, &refusal.into(), actions);
    }
    false
}

/// Whether the upstream is a process that calls were paused for because it was silent, has said nothing since, and is to
/// be tried again now: a new one is worth more than the trial.
fn is_upstream_hung(session: &Session, now: Instant) -> bool {
    session.upstream.is_silent()
        && session.upstream.kind == UpstreamKind::Pipe
        && session.upstream.is_up()
        && session.server.settings.mode != Mode::Observe
        && session.admission.breaker.is_due(now)
}

/// Ends the upstream's process at once, so that another takes its place.
fn replace_upstream(session: &mut Session, actions: &mut Actions) {
    session.upstream.silent = None;
    actions.replace = true;
    let exit = Exit { ended_for: Some(KillReason::Silence), ..Exit::default() };
    session.upstream_gone(&exit, actions);
}

/// The upstream has said nothing while somebody waited for so long, if somebody did.
pub(super) fn note_silence(session: &mut Session, waited: Option<Duration>, now: Instant) {
    if let Some(waited) = waited {
        session.upstream.silent = Some(now);
        session.admission.breaker.failed_after(waited, now);
    }
}

/// The upstream was out of reach.
pub(super) fn note_unreachable(session: &Session, now: Instant) {
    session.admission.breaker.failed(now);
}

/// Whether a request only opens the session, or asks whether anybody is there: no limit is for that.
fn is_vital(exchange: &Exchange) -> bool {
    exchange.request.method == Method::Initialize || exchange.request.method_name() == "ping"
}
