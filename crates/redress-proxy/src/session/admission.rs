//! `Admission`: whether a request may go on: the gate takes it, a limit leaves room for it, the upstream can be reached.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    Session,
    failure_cause::RefusalCause,
    interface::{Actions, Exit, UpstreamKind},
    pipeline::fail,
    repeated_failure::refuse_repeated,
    upstream::State,
};
use crate::{
    breaker::Breaker,
    exchange::{Exchange, Method},
    inflight::InFlightEntry,
    limits::ClientShares,
    restarts::StartDecision,
    settings::Mode,
    upstream_id::UpstreamId,
};
use redress::outcome::KillReason;
use redress::outcome::Malformed;

/// Whether a new request may go on: the breaker, the limits of each client, and whether the gate takes requests at all.
#[derive(Debug)]
pub(super) struct Admission {
    /// Whether the upstream is asked at all.
    breaker: Arc<Breaker>,
    /// What each client may ask.
    shares: ClientShares,
    /// Whether the gate takes requests.
    intake: Intake,
}

/// Whether the gate takes requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Intake {
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

    /// Says whether failures of new requests could be recorded. A gate that ends takes none whatever is recorded.
    pub(super) const fn set_recorded(&mut self, is_recorded: bool) {
        self.intake = match (self.intake, is_recorded) {
            (Intake::Closing, _) => Intake::Closing,
            (_, true) => Intake::Open,
            (_, false) => Intake::Unrecorded,
        };
    }

    /// Takes no request any more.
    pub(super) const fn close(&mut self) {
        self.intake = Intake::Closing;
    }

    /// Whether the gate takes requests.
    pub(super) fn is_open(&self) -> bool {
        self.intake == Intake::Open
    }

    /// Whether the gate ends.
    pub(super) fn is_closing(&self) -> bool {
        self.intake == Intake::Closing
    }

    /// Why the gate takes no request, if it takes none.
    const fn intake(&self) -> Result<(), RefusalCause> {
        match self.intake {
            Intake::Open => Ok(()),
            Intake::Unrecorded => Err(RefusalCause::Unrecorded),
            Intake::Closing => Err(RefusalCause::Closing),
        }
    }

    /// Counts a request among the calls in progress, if a limit leaves room. No limit is for a vital one.
    fn enter(&mut self, exchange: &mut Exchange, now: Instant) -> Result<(), RefusalCause> {
        let place = self.shares.place(exchange.from.caller);
        let client = exchange.from.client;
        match place.and_then(|it| self.shares.enter(client, now).map(|()| it)) {
            Ok(place) => (exchange.is_admitted, exchange.place) = (true, place),
            Err(_) if is_vital(exchange) => (),
            Err(why) => return Err(RefusalCause::LimitExceeded(why)),
        }
        Ok(())
    }

    /// A request is over: it is counted no longer.
    pub(super) fn leave(&mut self, exchange: &mut Exchange) {
        if std::mem::take(&mut exchange.is_admitted) {
            exchange.place = None;
            self.shares.leave(exchange.from.client);
        }
    }

    /// Whether the breaker lets a call pass.
    pub(super) fn ask(&self, now: Instant) -> Result<(), RefusalCause> {
        self.breaker.admit(now).map_err(|until| RefusalCause::CircuitOpen { until })
    }

    /// The upstream has answered.
    pub(super) fn answered(&self) {
        self.breaker.answered();
    }

    /// The upstream was out of reach.
    pub(super) fn unreachable(&self, now: Instant) {
        self.breaker.failed(now);
    }

    /// The upstream was silent while a client waited for so long.
    pub(super) fn silent(&self, waited: Duration, now: Instant) {
        self.breaker.failed_after(waited, now);
    }

    /// Whether the next call is a trial, after a pause.
    fn is_trial_due(&self, now: Instant) -> bool {
        self.breaker.is_due(now)
    }
}

/// Whether a request may go on; it counts among the calls in progress then.
pub(super) fn admit(
    session: &mut Session,
    exchange: &mut Exchange,
    bytes: usize,
    actions: &mut Actions,
) -> Result<(), RefusalCause> {
    session.admission.intake()?;
    if session.inflight.find(exchange.key).is_some() {
        return Err(RefusalCause::Malformed(Malformed::IdInUse));
    }
    refuse_repeated(session, exchange, actions.now.at)?;
    let is_too_much = !session.upstream.is_up()
        && !session.upstream.has_room(bytes, session.server.settings.queue_limit());
    if is_too_much || session.inflight.is_full() {
        return Err(RefusalCause::Overloaded);
    }
    session.admission.enter(exchange, actions.now.at)?;
    session.server.budget.called();
    let reached = reach_upstream(session, actions);
    if reached.is_err() {
        session.admission.leave(exchange);
    }
    reached
}

/// Whether the upstream can be asked; starts it if it is down. Whoever parks it has the first say.
fn reach_upstream(session: &mut Session, actions: &mut Actions) -> Result<(), RefusalCause> {
    let now = actions.now.at;
    if is_upstream_hung(session, now) {
        replace_upstream(session, actions);
    }
    let may = (session.upstream.state == State::Down).then(|| {
        session.upstream.restarts.may_start(now).max(session.server.starts.may_start(now))
    });
    if let Some(StartDecision::Parked(until)) = may {
        return Err(RefusalCause::Parked { until });
    }
    // Who only observes does not stand in the way.
    if session.server.settings.mode != Mode::Observe {
        session.admission.ask(now)?;
    }
    match may {
        Some(StartDecision::Start) => {
            session.upstream.state = State::Starting;
            actions.start = true;
        }
        Some(StartDecision::StartAt(then)) => {
            session.upstream.state = State::StartAt(then);
            actions.is_sooner = true;
        }
        Some(StartDecision::Parked(_)) | None => (),
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
        && session.admission.is_trial_due(now)
}

/// Ends the upstream's process at once, so that another takes its place.
fn replace_upstream(session: &mut Session, actions: &mut Actions) {
    session.upstream.silent = None;
    actions.replace = true;
    let exit = Exit { ended_for: Some(KillReason::Silence), ..Exit::default() };
    session.upstream_gone(&exit, actions);
}

/// Whether a request only opens the session, or asks whether the upstream answers.
fn is_vital(exchange: &Exchange) -> bool {
    exchange.request.method == Method::Initialize || exchange.request.method_name() == "ping"
}

#[cfg(test)]
mod tests {
    use std::{
        sync::Arc,
        time::{Duration, Instant},
    };

    use super::{Admission, RefusalCause};
    use crate::{
        breaker::BreakerRule,
        server::Server,
        session::tests::settings,
        settings::{Mode, Settings},
    };

    fn admission(breaker: BreakerRule) -> Admission {
        let settings = Settings { breaker, ..settings(Mode::Enforce) };
        let server = Server::new(settings, Instant::now());
        Admission::new(server.breakers.own(), Arc::new(server).shares())
    }

    #[test]
    fn a_gate_that_ends_takes_no_request_whatever_is_recorded() {
        let mut admission = admission(BreakerRule::default());
        admission.set_recorded(false);
        assert!(matches!(admission.intake(), Err(RefusalCause::Unrecorded)));
        admission.set_recorded(true);
        assert!(admission.intake().is_ok() && admission.is_open());
        admission.close();
        admission.set_recorded(true);
        assert!(matches!(admission.intake(), Err(RefusalCause::Closing)) && admission.is_closing());
    }

    #[test]
    fn an_upstream_out_of_reach_is_asked_again_after_a_pause() {
        let rule = BreakerRule { failures: 2, ..BreakerRule::default() };
        let (admission, now) = (admission(rule), Instant::now());
        admission.unreachable(now);
        assert!(admission.ask(now).is_ok());
        admission.silent(Duration::from_secs(1), now);
        let Err(RefusalCause::CircuitOpen { until }) = admission.ask(now) else { panic!("paused") };
        assert!(!admission.is_trial_due(now) && admission.is_trial_due(until));
        admission.answered();
        assert!(admission.ask(now).is_ok());
    }
}
