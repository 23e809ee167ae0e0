//! Writes that are checked: they wait for their turn before the server is asked, and their answers wait for the checks.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redress::{Fault, emit::emit};
use redress_registry::Effect;

use super::{Actions, Held, Session, seen::Seen, upstream::Answer};
use crate::{
    exchange::Exchange,
    fault_template::FaultTemplate,
    govern::{Answer as HeldBack, Job, Report, Writing},
    inflight::{InFlightEntry, UpstreamId},
    outgoing::ToUpstream,
};

/// How long a server that nobody waits for any more may still be at a write, before what it did is put back.
const LATE: Duration = Duration::from_secs(5);

/// The writes of a session.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// What the server is asked when they have their turn.
    waiting: Vec<Held>,
    /// Those that nobody waits for any more, although the server may still be at them.
    late: Vec<(UpstreamId, Instant, Box<Writing>)>,
}

impl Writes {
    /// When the next of them is given up.
    pub(super) fn next_late(&self) -> Option<Instant> {
        self.late.iter().map(|it| it.1).min()
    }

    /// Gives up those that take too long.
    pub(super) fn expire(&mut self, now: Instant) {
        self.late.retain(|it| it.1 > now);
    }
}

impl Session {
    /// Whether a request is a write that waits for its turn first.
    pub(super) fn is_write(&self, id: UpstreamId) -> bool {
        self.inflight.exchange(id).is_some_and(|it| it.write.is_some())
    }

    /// Whether a write waits for its turn or its checks, so that nothing that happens to the upstream concerns it.
    pub(super) fn is_with_us(&self, id: UpstreamId) -> bool {
        let is_checked = |it: &Exchange| it.sent && !it.is_at_upstream();
        self.writes.waiting.iter().any(|it| it.id == Some(id))
            || self.inflight.exchange(id).is_some_and(is_checked)
    }

    /// Has a write wait for its turn.
    pub(super) fn wait_for_turn(&mut self, id: UpstreamId, line: Vec<u8>, actions: &mut Actions) {
        let waiting: usize = self.writes.waiting.iter().map(|it| it.line.len()).sum();
        if waiting + line.len() > self.held_limit() {
            if let Some(exchange) = self.take_write(Some(id)) {
                self.fail(exchange, &Seen::Overloaded, actions);
            }
            return;
        }
        let Some(exchange) = self.inflight.exchange(id) else { return };
        if let Some(writing) = &exchange.write {
            writing.job.open(id, exchange.deadline);
            actions.writes.push(Arc::clone(&writing.job));
            let memory = std::mem::take(&mut actions.queued);
            self.writes.waiting.push(Held { id: Some(id), line, memory });
        }
    }

    /// Something came of a write.
    pub(crate) fn write_told(
        &mut self,
        id: Option<UpstreamId>,
        report: Report,
        actions: &mut Actions,
    ) {
        match report {
            Report::Ready => self.write_is_ready(id, actions),
            Report::Refused(fault) | Report::Broken(fault) => {
                self.writes.waiting.retain(|it| it.id != id);
                if let Some(mut exchange) = self.take_write(id) {
                    // Whatever earlier attempts did was put back as well.
                    exchange.is_in_doubt = false;
                    self.fail(exchange, &Seen::Governed(fault), actions);
                }
            }
            Report::Fine => {
                let taken = self.take_write(id).and_then(|mut it| Some((it.write.take()?, it)));
                if let Some((mut writing, mut exchange)) = taken
                    && let Some(answer) = writing.answer.take()
                {
                    // What it did stays, whatever the answer sounds like.
                    exchange.is_in_doubt |= answer.is_failure;
                    self.let_go(exchange, &answer, actions);
                }
            }
            Report::Failed(put_back, record) => {
                actions.sessions.extend(record);
                if let Some(mut exchange) = self.take_write(id)
                    && let Some(writing) = &mut exchange.write
                    && let Some(answer) = writing.answer.take()
                {
                    writing.put_back = Some(put_back);
                    self.let_go(exchange, &answer, actions);
                }
            }
            Report::Undone(record, fault) => {
                actions.sessions.push(record);
                if let Some(fault) = fault {
                    self.tell_nobody(*fault, actions);
                }
            }
        }
    }

    /// An answer that was held back goes on.
    fn let_go(&mut self, exchange: Box<Exchange>, answer: &HeldBack, actions: &mut Actions) {
        let (line, http) = (&answer.line, answer.http);
        if answer.is_failure {
            self.decide(exchange, line, http, actions);
        } else {
            self.pass_line(exchange, line, http, actions);
        }
    }

    fn take_write(&mut self, id: Option<UpstreamId>) -> Option<Box<Exchange>> {
        match self.inflight.take(id?) {
            Some(InFlightEntry::Answer(exchange)) => Some(exchange),
            _ => None,
        }
    }

    /// A write has its turn: the server is asked, unless nobody waits any more.
    fn write_is_ready(&mut self, id: Option<UpstreamId>, actions: &mut Actions) {
        let mut ready = self.writes.waiting.extract_if(.., |it| it.id == id);
        let Some(Held { id: Some(id), line, memory }) = ready.next() else { return };
        drop(ready);
        actions.queued.extend(memory);
        if !self.reach_for(id, actions) {
            return;
        }
        if !self.is_up() {
            return self.hold(Some(id), line, actions);
        }
        let epoch = self.opening.epoch;
        if let Some(exchange) = self.inflight.exchange_mut(id) {
            (exchange.sent, exchange.epoch) = (true, epoch);
            actions.to_upstream.add_parts(ToUpstream::Request(id, exchange.from.ticket), &[&line]);
        }
    }

    /// Holds an answer back until what the write did is checked; gives the request back if there is nothing to check.
    pub(super) fn unless_checked(
        &mut self,
        exchange: Box<Exchange>,
        answer: &Answer<'_, '_>,
    ) -> Option<Box<Exchange>> {
        self.hold_back(exchange, answer, false, Job::answered)
    }

    /// Holds a failure back until what became of the write is known: it is put back or, if the client would take the answer for a success, it
    /// is checked. Gives the request back if there is no write, or it is known.
    pub(super) fn unless_put_back(
        &mut self,
        exchange: Box<Exchange>,
        answer: &Answer<'_, '_>,
        is_taken_for_success: bool,
    ) -> Option<Box<Exchange>> {
        let then = if is_taken_for_success { Job::answered } else { Job::failed };
        self.hold_back(exchange, answer, true, then)
    }

    fn hold_back(
        &mut self,
        mut exchange: Box<Exchange>,
        answer: &Answer<'_, '_>,
        is_failure: bool,
        then: fn(&Job, UpstreamId),
    ) -> Option<Box<Exchange>> {
        let Some(writing) = exchange.write.as_mut().filter(|it| it.put_back.is_none()) else {
            return Some(exchange);
        };
        let (line, http) = (answer.line.to_vec(), answer.http);
        writing.answer = Some(HeldBack { line, http, is_failure });
        let job = Arc::clone(&writing.job);
        // There is room: it has just made some.
        let id = self.inflight.open(exchange.key, exchange)?;
        then(&job, id);
        None
    }

    /// A request is over for its client, but the server may be at its write.
    pub(super) fn linger(&mut self, id: UpstreamId, exchange: &mut Exchange, now: Instant) {
        self.writes.waiting.retain(|it| it.id != Some(id));
        if exchange.is_at_upstream()
            && let Some(writing) = exchange.write.take()
        {
            self.writes.late.push((id, now + LATE, writing));
        }
    }

    /// The same of all requests.
    pub(super) fn linger_all(&mut self, now: Instant) {
        for id in self.in_order() {
            if let Some(exchange) = self.inflight.exchange_mut(id)
                && exchange.is_at_upstream()
                && let Some(writing) = exchange.write.take()
            {
                self.writes.late.push((id, now + LATE, writing));
            }
        }
    }

    /// The server is gone, or is left: nothing more comes of its writes.
    pub(crate) fn give_up_writes(&mut self) {
        self.writes.late.clear();
    }

    /// The server has answered what nobody waits for any more: it is done with it.
    pub(super) fn answered_late(&mut self, id: Option<UpstreamId>) {
        self.writes.late.retain(|it| Some(it.0) != id);
    }

    /// A failure that says what became of the write, where that is known.
    pub(super) fn with_write(
        &self,
        template: Arc<FaultTemplate>,
        exchange: &Exchange,
    ) -> Arc<FaultTemplate> {
        let put_back = exchange.write.as_ref().and_then(|it| it.put_back.as_ref());
        let mut fault = Fault::clone(&template.fault);
        match put_back {
            Some(put_back) => fault = *put_back.tell(Box::new(fault)),
            None if exchange.is_in_doubt && fault.effect == Effect::None => {
                fault.effect = Effect::Unknown;
            }
            None => return template,
        }
        let fault = emit(fault, &self.server.settings.emission());
        Arc::new(FaultTemplate::new(fault, template.extras.clone()))
    }
}
