//! Whether the upstream is asked at all: not while the gate is closed, too much is in progress, or nobody answers there.

use std::time::{Duration, Instant};

use super::{Actions, Door, Exit, KillReason, Session, State, UpstreamKind, seen::Seen};
use crate::{
    exchange::{Exchange, Method},
    frame::Malformed,
    inflight::{InFlightEntry, UpstreamId},
    metrics::Outcome,
    restarts::May,
    settings::Mode,
};

impl Session {
    /// Whether a request may go on; it counts among the calls in progress then.
    pub(super) fn admit(
        &mut self,
        exchange: &mut Exchange,
        bytes: usize,
        actions: &mut Actions,
    ) -> Result<(), Seen<'static>> {
        match self.door {
            Door::Open => (),
            Door::Unrecorded => return Err(Seen::Unrecorded),
            Door::Closing => return Err(Seen::Closing),
        }
        if self.inflight.find(exchange.key).is_some() {
            return Err(Seen::Malformed(Malformed::IdInUse));
        }
        let is_too_much = !self.is_up() && self.held_bytes + bytes > self.held_limit();
        if is_too_much || self.inflight.is_full() {
            return Err(Seen::Overloaded);
        }
        let place = self.shares.place(exchange.from.caller);
        let client = exchange.from.client;
        match place.and_then(|it| self.shares.enter(client, actions.now.at).map(|()| it)) {
            Ok(place) => (exchange.is_admitted, exchange.place) = (true, place),
            Err(_) if is_vital(exchange) => (),
            Err(why) => return Err(Seen::LimitExceeded(why)),
        }
        self.server.budget.called();
        let reached = self.reach(actions);
        if reached.is_err() && std::mem::take(&mut exchange.is_admitted) {
            exchange.place = None;
            self.shares.leave(exchange.from.client);
        }
        reached
    }

    /// Whether the upstream has a request, which waits on its way there. Gives whether its answer is still owed.
    pub(crate) fn note_sent(&mut self, id: UpstreamId, is_sent: bool) -> bool {
        if let Some(exchange) = self.inflight.exchange_mut(id) {
            exchange.sent = is_sent;
        }
        self.inflight.is_owed(id)
    }

    /// Whether the upstream owes anything.
    pub(crate) const fn awaits_upstream(&self) -> bool {
        !self.inflight.is_empty()
    }

    /// Whether the upstream of a new session is started at once. If not, the first request that may starts it.
    pub(crate) fn may_begin(&mut self, now: Instant) -> bool {
        let may = self.server.starts.may_start(now) == May::Start;
        if !may && self.upstream == State::Starting {
            self.upstream = State::Down;
        }
        may
    }

    /// Whether the upstream can be asked; starts it if it is down. Whoever parks it has the first say.
    pub(super) fn reach(&mut self, actions: &mut Actions) -> Result<(), Seen<'static>> {
        let now = actions.now.at;
        if self.is_hung(now) {
            self.replace(actions);
        }
        let may = (self.upstream == State::Down)
            .then(|| self.restarts.may_start(now).max(self.server.starts.may_start(now)));
        if let Some(May::Parked(until)) = may {
            return Err(Seen::Parked { until });
        }
        // Who only observes does not stand in the way.
        if self.server.settings.mode != Mode::Observe {
            self.breaker.admit(now).map_err(|until| Seen::CircuitOpen { until })?;
        }
        match may {
            Some(May::Start) => {
                self.upstream = State::Starting;
                actions.start = true;
            }
            Some(May::StartAt(then)) => {
                self.upstream = State::StartAt(then);
                actions.is_sooner = true;
            }
            Some(May::Parked(_)) | None => (),
        }
        Ok(())
    }

    /// The same for a request that waited here. One that cannot be asked is answered; one that was withdrawn, or is too late, is over.
    pub(super) fn reach_for(&mut self, id: UpstreamId, actions: &mut Actions) -> bool {
        if self.inflight.exchange(id).is_none() {
            return false;
        }
        let Err(refusal) = self.reach(actions) else { return true };
        if let Some(InFlightEntry::Answer(exchange)) = self.inflight.take(id) {
            self.fail(exchange, &refusal, actions);
        }
        false
    }

    /// Whether the upstream is a process that calls were paused for because it was silent, has said nothing since, and is to
    /// be tried again now: a new one is worth more than the trial.
    fn is_hung(&self, now: Instant) -> bool {
        let was_silent = self.silent.is_some_and(|it| self.heard.is_none_or(|heard| heard < it));
        was_silent
            && self.link == UpstreamKind::Pipe
            && self.is_up()
            && self.server.settings.mode != Mode::Observe
            && self.breaker.is_due(now)
    }

    /// Ends the upstream's process at once, so that another takes its place.
    fn replace(&mut self, actions: &mut Actions) {
        self.silent = None;
        actions.replace = true;
        let exit = Exit { ended_for: Some(KillReason::Silence), ..Exit::default() };
        self.upstream_gone(&exit, actions);
    }

    /// A request is over: it is counted, and its place in memory kept for the next one.
    pub(super) fn finish(&mut self, mut exchange: Box<Exchange>, outcome: Outcome, now: Instant) {
        const MOST: usize = 64;
        if exchange.is_admitted {
            self.shares.leave(exchange.from.client);
        }
        self.server.metrics.ended(outcome, now.saturating_duration_since(exchange.started));
        if self.spare.len() < MOST && exchange.request.is_small() {
            (exchange.governed, exchange.write) = (None, None);
            (exchange.memory, exchange.place) = (None, None);
            self.spare.push(exchange);
        }
    }

    /// The upstream has said nothing while somebody waited for so long, if somebody did.
    pub(super) fn was_silent(&mut self, waited: Option<Duration>, now: Instant) {
        if let Some(waited) = waited {
            self.silent = Some(now);
            self.breaker.failed_after(waited, now);
        }
    }

    /// The upstream was out of reach.
    pub(super) fn out_of_reach(&self, now: Instant) {
        self.breaker.failed(now);
    }
}

/// Whether a request only opens the session, or asks whether anybody is there: no limit is for that.
fn is_vital(exchange: &Exchange) -> bool {
    exchange.request.method == Method::Initialize || exchange.request.method_name() == "ping"
}
