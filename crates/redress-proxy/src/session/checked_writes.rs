//! Writes that are checked: they wait for their turn before the server is asked, and their answers wait for the checks.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redress::{Fault, emit::emit};
use redress_govern::{Job, WriteReport};
use redress_registry::Effect;

use super::{
    Context, Session,
    admission::reach_upstream_for,
    emission::record_fault,
    failure_cause::RefusalCause,
    interface::Actions,
    pipeline::{fail, pass_line},
    upstream::QueuedLine,
    verdict::{UpstreamAnswer, judge_kept},
};
use crate::{
    exchange::{Exchange, HeldAnswer, HeldWrite},
    fault_template::FaultTemplate,
    outgoing::ToUpstream,
    upstream_id::UpstreamId,
};

/// How long a server may go on with a write whose client has left, before the write is undone.
const LATE: Duration = Duration::from_secs(5);

/// The writes of a session that are checked.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// What the server gets when they have their turn.
    waiting: Vec<QueuedLine>,
    /// Those that no client waits for any more, although the server may still be at them.
    late: Vec<(UpstreamId, Instant, Box<HeldWrite>)>,
}

impl Writes {
    /// The server has answered a request that no client waits for: it is done with it.
    pub(super) fn answered(&mut self, id: Option<UpstreamId>) {
        self.late.retain(|it| Some(it.0) != id);
    }

    /// The server is gone: nothing more comes of its writes.
    pub(super) fn give_up(&mut self) {
        self.late.clear();
    }

    /// Drops what waits for the turn of a write, and gives it.
    fn take(&mut self, id: Option<UpstreamId>) -> Option<QueuedLine> {
        let at = self.waiting.iter().position(|it| it.id == id)?;
        Some(self.waiting.remove(at))
    }

    /// Whether a write waits for its turn.
    fn has(&self, id: UpstreamId) -> bool {
        self.waiting.iter().any(|it| it.id == Some(id))
    }

    /// How many bytes wait for their turn.
    fn waiting_bytes(&self) -> usize {
        self.waiting.iter().map(|it| it.line.len()).sum()
    }

    /// When the next of them is given up.
    pub(super) fn next_late(&self) -> Option<Instant> {
        self.late.iter().map(|it| it.1).min()
    }

    /// Gives up those that take too long.
    pub(super) fn expire(&mut self, now: Instant) {
        self.late.retain(|it| it.1 > now);
    }
}

/// Whether a request is a write that waits for its turn first.
pub(super) fn is_checked_write(session: &Session, id: UpstreamId) -> bool {
    session.inflight.exchange(id).is_some_and(|it| it.write.is_some())
}

/// Whether a write waits for its turn or its checks, so that nothing that happens to the upstream concerns it.
pub(super) fn is_write_with_gate(session: &Session, id: UpstreamId) -> bool {
    let is_checked = |it: &Exchange| it.sent && !it.is_at_upstream();
    session.writes.has(id) || session.inflight.exchange(id).is_some_and(is_checked)
}

/// Has a write wait for its turn.
pub(super) fn wait_for_turn(
    session: &mut Session,
    id: UpstreamId,
    line: Vec<u8>,
    actions: &mut Actions,
) {
    if session.writes.waiting_bytes() + line.len() > session.server.settings.queue_limit() {
        if let Some(exchange) = session.inflight.take_exchange(id) {
            fail(session, exchange, &RefusalCause::Overloaded.into(), actions);
        }
        return;
    }
    let Some(exchange) = session.inflight.exchange(id) else { return };
    if let Some(writing) = &exchange.write {
        writing.write.job.open(id.number(), exchange.deadline);
        actions.writes.push(Arc::clone(&writing.write.job));
        let memory = std::mem::take(&mut actions.queued);
        session.writes.waiting.push(QueuedLine { id: Some(id), line, memory });
    }
}

/// An answer that was held back goes on.
fn release_answer(
    session: &mut Session,
    exchange: Box<Exchange>,
    answer: &HeldAnswer,
    actions: &mut Actions,
) {
    let (line, http) = (&answer.line, answer.http);
    if answer.is_failure {
        judge_kept(session, exchange, line, http, actions);
    } else {
        pass_line(session, exchange, line, http, actions);
    }
}

/// A write has its turn: the server is asked, unless its client has left.
fn write_is_ready(session: &mut Session, id: Option<UpstreamId>, actions: &mut Actions) {
    let Some(QueuedLine { id: Some(id), line, memory }) = session.writes.take(id) else { return };
    actions.queued.extend(memory);
    if !reach_upstream_for(session, id, actions) {
        return;
    }
    if !session.upstream.is_up() {
        return session.upstream.enqueue(Some(id), line, actions);
    }
    let epoch = session.handshake.epoch();
    if let Some(exchange) = session.inflight.exchange_mut(id) {
        (exchange.sent, exchange.epoch) = (true, epoch);
        actions.to_upstream.add_parts(ToUpstream::Request(id, exchange.from.reply_token), &[&line]);
    }
}

/// Holds an answer back until what the write did is checked; gives the request back if there is nothing to check.
pub(super) fn unless_checked(
    session: &mut Session,
    exchange: Box<Exchange>,
    answer: &UpstreamAnswer<'_, '_>,
) -> Option<Box<Exchange>> {
    hold_back(session, exchange, answer, false, Job::answered)
}

/// Holds a failure back until what became of the write is known: it is put back or, if the client would take the answer for a success, it
/// is checked. Gives the request back if there is no write, or it is known.
pub(super) fn unless_put_back(
    session: &mut Session,
    exchange: Box<Exchange>,
    answer: &UpstreamAnswer<'_, '_>,
    is_taken_for_success: bool,
) -> Option<Box<Exchange>> {
    let then = if is_taken_for_success { Job::answered } else { Job::failed };
    hold_back(session, exchange, answer, true, then)
}

fn hold_back(
    session: &mut Session,
    mut exchange: Box<Exchange>,
    answer: &UpstreamAnswer<'_, '_>,
    is_failure: bool,
    then: fn(&Job, u64),
) -> Option<Box<Exchange>> {
    let Some(writing) = exchange.write.as_mut().filter(|it| it.write.put_back.is_none()) else {
        return Some(exchange);
    };
    let (line, http) = (answer.line.to_vec(), answer.http);
    writing.answer = Some(HeldAnswer { line, http, is_failure });
    let job = Arc::clone(&writing.write.job);
    // There is room: it has just made some.
    let id = session.inflight.open(exchange.key, exchange)?;
    then(&job, id.number());
    None
}

/// A request is over for its client, but the server may be at its write.
pub(super) fn outlive_request(
    session: &mut Session,
    id: UpstreamId,
    exchange: &mut Exchange,
    now: Instant,
) {
    session.writes.take(Some(id));
    if exchange.is_at_upstream()
        && let Some(writing) = exchange.write.take()
    {
        session.writes.late.push((id, now + LATE, writing));
    }
}

/// The same of all requests.
pub(super) fn outlive_all(session: &mut Session, now: Instant) {
    for id in session.inflight.in_order() {
        if let Some(exchange) = session.inflight.exchange_mut(id)
            && exchange.is_at_upstream()
            && let Some(writing) = exchange.write.take()
        {
            session.writes.late.push((id, now + LATE, writing));
        }
    }
}

/// A failure that says what became of the write, where that is known.
pub(super) fn with_write(
    cx: Context<'_>,
    template: Arc<FaultTemplate>,
    exchange: &Exchange,
) -> Arc<FaultTemplate> {
    let put_back = exchange.write.as_ref().and_then(|it| it.write.put_back.as_ref());
    let mut fault = Fault::clone(&template.fault);
    match put_back {
        Some(put_back) => fault = *put_back.tell(Box::new(fault)),
        None if exchange.is_in_doubt && fault.effect == Effect::None => {
            fault.effect = Effect::Unknown;
        }
        None => return template,
    }
    let fault = emit(fault, &cx.server.settings.emission());
    Arc::new(FaultTemplate::new(fault, template.extras.clone()))
}

/// Something came of a write.
pub(super) fn write_reported(
    session: &mut Session,
    id: Option<UpstreamId>,
    report: WriteReport,
    actions: &mut Actions,
) {
    match report {
        WriteReport::Ready => write_is_ready(session, id, actions),
        WriteReport::Refused(fault) | WriteReport::Broken(fault) => {
            session.writes.take(id);
            if let Some(mut exchange) = id.and_then(|it| session.inflight.take_exchange(it)) {
                // Whatever earlier attempts did was put back as well.
                exchange.is_in_doubt = false;
                fail(session, exchange, &RefusalCause::Governed(fault).into(), actions);
            }
        }
        WriteReport::Fine => {
            let taken = id
                .and_then(|it| session.inflight.take_exchange(it))
                .and_then(|mut it| Some((it.write.take()?, it)));
            if let Some((mut writing, mut exchange)) = taken
                && let Some(answer) = writing.answer.take()
            {
                // What it did stays, whatever the answer sounds like.
                exchange.is_in_doubt |= answer.is_failure;
                release_answer(session, exchange, &answer, actions);
            }
        }
        WriteReport::Failed(put_back, record) => {
            actions.sessions.extend(record);
            if let Some(mut exchange) = id.and_then(|it| session.inflight.take_exchange(it))
                && let Some(writing) = &mut exchange.write
                && let Some(answer) = writing.answer.take()
            {
                writing.write.put_back = Some(put_back);
                release_answer(session, exchange, &answer, actions);
            }
        }
        WriteReport::Undone(record, fault) => {
            actions.sessions.push(record);
            if let Some(fault) = fault {
                record_fault(session, *fault, actions);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{QueuedLine, Writes};
    use crate::upstream_id::UpstreamId;

    #[test]
    fn a_write_waits_for_its_turn_once() {
        let (mut writes, id) = (Writes::default(), UpstreamId::new(0, 1));
        let line = b"write\n".to_vec();
        writes.waiting.push(QueuedLine { id: Some(id), line, memory: Vec::new() });
        assert!(writes.has(id) && !writes.has(UpstreamId::new(0, 2)));
        assert_eq!(writes.waiting_bytes(), 6);
        assert!(writes.take(Some(id)).is_some_and(|it| it.line == b"write\n"));
        assert!(writes.take(Some(id)).is_none());
        assert_eq!(writes.waiting_bytes(), 0);
    }
}
