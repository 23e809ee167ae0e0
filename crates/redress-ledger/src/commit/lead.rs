//! Holding the pen: the committer's thread, or a caller that would wait anyway, commits what waits and tells everybody.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use redress::fault::Receipt;

use super::{By, Inner, OnDurable, Pen, PendingRecord, Queue, State, refusals};
use crate::{
    error::LedgerError,
    gap::Gap,
    record::Record,
    segment::Room,
    time::Time,
    writer::{CHECKPOINT_RECORDS, Writer},
};

/// When records without a waiting caller are committed.
const SOON: Duration = Duration::from_millis(25);

/// When counts are recorded if no later failure carries them.
const COUNTED: Duration = Duration::from_secs(1);

/// What is done with a writer now and then.
type Chore = Box<dyn FnMut(&mut Writer, Time) -> Result<(), LedgerError> + Send>;

/// Who writes.
pub(crate) struct Scribe {
    pub(crate) writer: Writer,
    /// What is done when a segment has ended.
    pub(crate) after_rotation: Chore,
    /// Removes what is over the limits.
    pub(crate) prune: Chore,
}

/// The committer: takes a turn at each call, until it is stopped.
pub(crate) fn run(queue: &Arc<Queue>) -> Result<(), LedgerError> {
    while let Some(task) = queue.next_task() {
        match task {
            Task::Lead(mut lead) => {
                if lead.take_turn() {
                    return lead.end();
                }
            }
            Task::TellCounts => refusals::tell_counts(queue),
        }
    }
    Err(queue.lock().last_refusal())
}

/// Does what the committer would by now, without waiting for it. Gives whether there was anything to do.
pub(crate) fn take_turn(queue: &Arc<Queue>) -> bool {
    let has_counts = std::mem::take(&mut queue.lock().has_counts);
    if has_counts {
        refusals::tell_counts(queue);
    }
    let mut inner = queue.lock();
    if !inner.is_called && !inner.is_expected {
        return has_counts;
    }
    let Some(scribe) = inner.pen.take() else { return has_counts };
    inner.is_called = false;
    inner.is_expected = false;
    drop(inner);
    Lead { queue, scribe: Some(scribe), by: By::Other }.take_turn();
    true
}

impl Queue {
    /// Commits what waits on this thread, unless another one does. Gives whether it did.
    pub(crate) fn commit(&self) -> bool {
        let Some(mut inner) = self.gathered() else { return false };
        let Some(scribe) = inner.pen.take() else { return false };
        drop(inner);
        Lead { queue: self, scribe: Some(scribe), by: By::Commit }.take_turn();
        true
    }

    /// Waits for a call and the pen, or until counts are due; `None` if the pen is gone.
    fn next_task(&self) -> Option<Task<'_>> {
        let mut inner = self.lock();
        loop {
            if matches!(inner.pen, Pen::Gone) {
                return None;
            }
            if (inner.is_called || inner.stopping)
                && let Some(scribe) = inner.pen.take()
            {
                inner.is_called = false;
                inner.is_expected = false;
                let lead = Lead { queue: self, scribe: Some(scribe), by: By::Other };
                return Some(Task::Lead(lead));
            }
            let is_quiet = !inner.is_called && !inner.stopping;
            if is_quiet && (inner.is_expected || inner.has_counts) {
                let time = if inner.is_expected { SOON } else { COUNTED };
                let waited = self.work.wait_timeout(inner, time);
                let (next, ended) = waited.unwrap_or_else(PoisonError::into_inner);
                inner = next;
                if ended.timed_out() && inner.is_expected {
                    inner.is_called = true;
                } else if ended.timed_out() && std::mem::take(&mut inner.has_counts) {
                    return Some(Task::TellCounts);
                }
                continue;
            }
            inner = self.work.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pen {
    fn take(&mut self) -> Option<Box<Scribe>> {
        match std::mem::replace(self, Self::Held) {
            Self::Free(scribe) => Some(scribe),
            other => {
                *self = other;
                None
            }
        }
    }
}

impl Inner {
    /// Why nothing is taken any more.
    fn last_refusal(&self) -> LedgerError {
        match &self.state {
            State::Over(error) => error.clone(),
            _ => LedgerError::Closed,
        }
    }
}

/// What the committer does next.
enum Task<'a> {
    /// Commits what waits.
    Lead(Lead<'a>),
    /// Queues the record of what was counted.
    TellCounts,
}

/// The pen, held. On drop, every waiting caller is released.
struct Lead<'a> {
    queue: &'a Queue,
    scribe: Option<Box<Scribe>>,
    by: By,
}

/// What is done in one turn.
struct Batch {
    records: Vec<Record>,
    waiters: Vec<OnDurable>,
    state: State,
    gap: Gap,
    stopping: bool,
    by: By,
}

impl Lead<'_> {
    /// Commits what waits. Gives whether it was the last turn.
    fn take_turn(&mut self) -> bool {
        let Some(Scribe { writer, after_rotation, prune }) = self.scribe.as_deref_mut() else {
            return true;
        };
        let begun = Instant::now();
        let turn = self.queue.next_turn(self.by);
        let now = self.queue.now();
        let (stopping, told) = (turn.stopping, turn.waiters.len());
        let segment = writer.segment_number();
        commit(self.queue, writer, turn, now);
        let is_to_prune = std::mem::take(&mut self.queue.lock().is_to_prune);
        let done = if writer.segment_number() != segment {
            after_rotation(writer, now).and_then(|()| prune(writer, now))
        } else if is_to_prune {
            prune(writer, now)
        } else {
            Ok(())
        };
        if let Err(error) = done {
            self.queue.settle(State::after(error, now), None);
        } else if let Some(hear) = &self.queue.outside.on_commit {
            hear(writer.next_seq());
        }
        if self.by == By::Commit {
            self.queue.expect_back(told, begun.elapsed());
        }
        stopping
    }

    /// Closes the chain.
    fn end(mut self) -> Result<(), LedgerError> {
        let state = self.queue.lock().state.clone();
        match (state, self.scribe.take()) {
            (State::Over(error), _) => Err(error),
            (_, Some(scribe)) => {
                let gap = self.queue.gap();
                let last: Vec<Record> = gap.iter().map(Gap::record).collect();
                scribe.writer.close(self.queue.now(), &last)?;
                self.queue.told(gap);
                Ok(())
            }
            (_, None) => Err(LedgerError::Closed),
        }
    }

    /// Nothing is written any more: all who wait hear of it.
    fn say_last_words(&self) {
        let (waiting, error) = {
            let mut inner = self.queue.lock();
            let error = inner.last_refusal();
            inner.state = State::Over(error.clone());
            inner.pen = Pen::Gone;
            (std::mem::take(&mut inner.waiting), error)
        };
        self.queue.work.notify_one();
        self.queue.room.notify_all();
        for (_, waiter) in waiting {
            call(waiter, Err(error.clone()), By::Other);
        }
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let Some(scribe) = self.scribe.take().filter(|_| !thread::panicking()) else {
            return self.say_last_words();
        };
        let mut inner = self.queue.lock();
        inner.pen = Pen::Free(scribe);
        // Who commits as a caller comes back by itself.
        inner.is_called |= self.by == By::Other && !inner.waiting.is_empty();
        if inner.is_called || inner.stopping {
            self.queue.work.notify_one();
        }
    }
}

fn commit(queue: &Queue, writer: &mut Writer, mut turn: Batch, now: Time) {
    let is_due = turn.state.is_worth_a_try(now);
    match &mut turn.state {
        State::Low { tried } | State::Full { tried } if is_due => {
            *tried = now;
            if writer.look_for_room() == Room::Low && turn.records.is_empty() {
                return queue.settle(turn.state, None);
            }
        }
        State::Full { .. } | State::Over(_) => return queue.refuse(turn, now),
        State::Open | State::Low { .. } => (),
    }
    let tell_gap = turn.gap.count > 0 && writer.room == Room::Plenty;
    if tell_gap {
        turn.records.insert(0, turn.gap.record());
    }
    if turn.records.is_empty() {
        return;
    }
    match writer.commit(now, &turn.records) {
        Ok(receipts) => {
            let low = State::Low { tried: now };
            let state = if writer.room == Room::Low { low } else { State::Open };
            queue.settle(state, tell_gap.then_some(turn.gap));
            let told = receipts.into_iter().skip(usize::from(tell_gap));
            for (waiter, receipt) in turn.waiters.into_iter().zip(told) {
                call(waiter, Ok(receipt), turn.by);
            }
        }
        Err(error) => {
            turn.state = State::after(error, now);
            queue.settle(turn.state.clone(), None);
            let is_over = matches!(turn.state, State::Over(_));
            queue.refuse(turn, now);
            if is_over {
                queue.note_gap();
            }
        }
    }
}

impl Queue {
    /// What waits, but never so much that a checkpoint would come late.
    fn next_turn(&self, by: By) -> Batch {
        let mut inner = self.lock();
        if inner.is_full() {
            self.room.notify_all();
        }
        let most = inner.waiting.len().min(CHECKPOINT_RECORDS);
        let (drafts, waiters): (Vec<PendingRecord>, _) = inner.waiting.drain(..most).unzip();
        inner.bytes -= drafts.iter().map(PendingRecord::line_bytes).sum::<usize>();
        let (state, gap) = (inner.state.clone(), inner.gap);
        let stopping = inner.stopping && inner.waiting.is_empty();
        drop(inner);
        let records = drafts.into_iter().map(PendingRecord::write).collect();
        Batch { records, waiters, state, gap, stopping, by }
    }

    /// Notes how the disk is, and which part of the gap is on record now.
    fn settle(&self, state: State, told: Option<Gap>) {
        self.told(told);
        let mut inner = self.lock();
        let change = inner.state.differs(&state).then(|| match &state {
            State::Open => Ok(()),
            other => Err(other.refusal()),
        });
        inner.state = state;
        drop(inner);
        if let (Some(change), Some(hear)) = (change, &self.outside.on_change) {
            hear(change);
        }
    }

    /// Takes away the part of the gap that is on record.
    fn told(&self, gap: Option<Gap>) {
        if let Some(told) = gap {
            let mut inner = self.lock();
            inner.gap.count -= told.count;
            inner.gap.first = told.last;
        }
    }

    fn refuse(&self, turn: Batch, now: Time) {
        let count = turn.waiters.len() as u64;
        if count > 0 {
            self.lock().gap.add(now, count);
        }
        for waiter in turn.waiters {
            call(waiter, Err(turn.state.refusal()), turn.by);
        }
    }
}

/// A waiter that panics must not take the one who commits with it.
fn call(waiter: OnDurable, result: Result<Receipt, LedgerError>, by: By) {
    drop(catch_unwind(AssertUnwindSafe(|| waiter(result, by))));
}
