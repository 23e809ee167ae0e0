//! The queue before the one committer: all that waits shares one sync. There is no timer.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use redress::fault::Receipt;

use crate::{
    error::LedgerError,
    ledger::Clock,
    record::{Kind, Record},
    segment::Room,
    time::Time,
    writer::{CHECKPOINT_RECORDS, Writer},
};

/// Records that may wait.
const MAX_WAITING: usize = 16 << 10;

/// Bytes that may wait.
const MAX_WAITING_BYTES: usize = 32 << 20;

/// How long a full disk is left alone.
const RETRY_MILLIS: u64 = 1000;

/// What is called when the record is durable, or will never be.
pub(crate) type OnDurable = Box<dyn FnOnce(Result<Receipt, LedgerError>) + Send>;

/// Failures that could not be recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gap {
    /// How many.
    pub count: u64,
    /// When the first was.
    pub first: Time,
    /// When the last was.
    pub last: Time,
}

impl Gap {
    const fn add(&mut self, now: Time, count: u64) {
        if self.count == 0 {
            self.first = now;
        }
        self.last = now;
        self.count += count;
    }

    /// The record that tells of it.
    pub(crate) fn record(&self) -> Record {
        Record::new(Kind::Gap, |it| {
            it.int("count", self.count);
            it.str("first", &self.first.to_string()).str("last", &self.last.to_string());
        })
    }
}

/// What callers and the committer share.
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    work: Condvar,
    room: Condvar,
    clock: Clock,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<(Record, OnDurable)>,
    bytes: usize,
    state: State,
    gap: Gap,
    /// Somebody asks whether the disk has space again.
    nudged: bool,
    stopping: bool,
}

/// Whether records are taken.
#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    Open,
    /// Records are taken from what was set aside; new calls are refused.
    Low { tried: Time },
    /// The disk is full.
    Full { tried: Time },
    /// Only a new ledger helps.
    Over(LedgerError),
}

impl State {
    /// Whether it is time to look for space again.
    fn is_worth_a_try(&self, now: Time) -> bool {
        match self {
            Self::Open => true,
            Self::Low { tried } | Self::Full { tried } => {
                // A clock that went back must not delay it.
                now < *tried || now.since(*tried) >= RETRY_MILLIS
            }
            Self::Over(_) => false,
        }
    }

    /// How it is after a commit failed.
    fn after(error: LedgerError, now: Time) -> Self {
        match error {
            LedgerError::Full => Self::Full { tried: now },
            other => Self::Over(other),
        }
    }

    fn refusal(&self) -> LedgerError {
        match self {
            Self::Over(error) => error.clone(),
            _ => LedgerError::Full,
        }
    }
}

impl Queue {
    pub(crate) fn new(clock: Clock) -> Self {
        let inner = Mutex::new(Inner::default());
        Self { inner, work: Condvar::new(), room: Condvar::new(), clock }
    }

    /// Whether a new call may begin: its failure could be recorded.
    pub(crate) fn admit(&self) -> Result<(), LedgerError> {
        let now = (self.clock)();
        let mut inner = self.lock();
        if matches!(inner.state, State::Open) {
            return Ok(());
        }
        if inner.state.is_worth_a_try(now) {
            inner.nudged = true;
            self.work.notify_one();
        }
        Err(inner.state.refusal())
    }

    /// Counts what nobody will record.
    pub(crate) fn miss(&self) {
        let now = (self.clock)();
        self.lock().gap.add(now, 1);
    }

    /// Queues a record; never waits.
    pub(crate) fn push(&self, record: Record, on_durable: OnDurable) {
        let refusal = {
            let mut inner = self.lock();
            match inner.refuses(&record) {
                None => return self.enqueue(&mut inner, record, on_durable),
                Some(refusal) => {
                    inner.gap.add((self.clock)(), 1);
                    refusal
                }
            }
        };
        on_durable(Err(refusal));
    }

    /// Queues a record as soon as there is room for it.
    pub(crate) fn push_when_free(&self, record: Record, on_durable: OnDurable) {
        let mut inner = self.lock();
        while matches!(inner.refuses(&record), Some(LedgerError::Busy)) {
            inner = self.room.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        drop(inner);
        self.push(record, on_durable);
    }

    /// What could not be recorded so far.
    pub(crate) fn gap(&self) -> Option<Gap> {
        Some(self.lock().gap).filter(|it| it.count > 0)
    }

    /// Lets the committer finish what waits and end.
    pub(crate) fn stop(&self) {
        self.lock().stopping = true;
        self.work.notify_one();
    }

    fn enqueue(&self, inner: &mut Inner, record: Record, on_durable: OnDurable) {
        inner.bytes += record.line_bytes();
        inner.waiting.push_back((record, on_durable));
        if inner.waiting.len() == 1 {
            self.work.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn refuses(&self, record: &Record) -> Option<LedgerError> {
        if let State::Over(error) = &self.state {
            return Some(error.clone());
        }
        if self.stopping {
            return Some(LedgerError::Closed);
        }
        if record.line_bytes() > crate::MAX_LINE {
            return Some(LedgerError::TooLong);
        }
        let is_full = self.waiting.len() >= MAX_WAITING || self.bytes >= MAX_WAITING_BYTES;
        is_full.then_some(LedgerError::Busy)
    }
}

/// One turn of the committer.
struct Turn {
    records: Vec<Record>,
    waiters: Vec<OnDurable>,
    state: State,
    gap: Gap,
    stopping: bool,
}

/// Commits until it is told to stop. Whatever happens, nobody is left waiting.
pub(crate) fn run(
    queue: &Queue,
    mut writer: Writer,
    mut after_rotation: impl FnMut(&mut Writer, Time) -> Result<(), LedgerError>,
) -> Result<(), LedgerError> {
    let _last_words = LastWords(queue);
    loop {
        let turn = queue.next_turn();
        let now = (queue.clock)();
        let stopping = turn.stopping;
        let segment = writer.segment_number();
        commit(queue, &mut writer, turn, now);
        if writer.segment_number() != segment
            && let Err(error) = after_rotation(&mut writer, now)
        {
            queue.settle(State::after(error, now), None);
        }
        if stopping {
            return match queue.lock().state.clone() {
                State::Over(error) => Err(error),
                _ => Ok(()),
            }
            .and_then(|()| writer.close(now, &[], "stop"));
        }
    }
}

fn commit(queue: &Queue, writer: &mut Writer, mut turn: Turn, now: Time) {
    let is_due = turn.state.is_worth_a_try(now);
    match turn.state {
        State::Low { .. } if is_due => {
            if writer.look_for_room() == Room::Low && turn.records.is_empty() {
                return queue.settle(State::Low { tried: now }, None);
            }
        }
        State::Full { .. } if !is_due => return queue.refuse(turn, now),
        State::Over(_) => return queue.refuse(turn, now),
        State::Open | State::Low { .. } | State::Full { .. } => (),
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
                call(waiter, Ok(receipt));
            }
        }
        Err(error) => {
            turn.state = State::after(error, now);
            queue.settle(turn.state.clone(), None);
            queue.refuse(turn, now);
        }
    }
}

impl Queue {
    /// What waits, but never so much that a checkpoint would come late; waits itself while there is nothing.
    fn next_turn(&self) -> Turn {
        let mut inner = self.lock();
        while inner.waiting.is_empty() && !inner.nudged && !inner.stopping {
            inner = self.work.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        inner.nudged = false;
        let most = inner.waiting.len().min(CHECKPOINT_RECORDS);
        let (records, waiters): (Vec<Record>, _) = inner.waiting.drain(..most).unzip();
        inner.bytes -= records.iter().map(Record::line_bytes).sum::<usize>();
        self.room.notify_all();
        Turn {
            records,
            waiters,
            state: inner.state.clone(),
            gap: inner.gap,
            stopping: inner.stopping && inner.waiting.is_empty(),
        }
    }

    /// Notes how the disk is, and which part of the gap is on record now.
    fn settle(&self, state: State, told: Option<Gap>) {
        let mut inner = self.lock();
        inner.state = state;
        if let Some(told) = told {
            inner.gap.count -= told.count;
            inner.gap.first = told.last;
        }
    }

    fn refuse(&self, turn: Turn, now: Time) {
        let count = turn.waiters.len() as u64;
        if count > 0 {
            self.lock().gap.add(now, count);
        }
        for waiter in turn.waiters {
            call(waiter, Err(turn.state.refusal()));
        }
    }
}

/// A waiter that panics must not take the committer with it.
fn call(waiter: OnDurable, result: Result<Receipt, LedgerError>) {
    drop(catch_unwind(AssertUnwindSafe(|| waiter(result))));
}

/// When the committer ends, for whatever reason, all who wait hear of it.
struct LastWords<'a>(&'a Queue);

impl Drop for LastWords<'_> {
    fn drop(&mut self) {
        let (waiting, error) = {
            let mut inner = self.0.lock();
            let error = match &inner.state {
                State::Over(error) => error.clone(),
                _ => LedgerError::Closed,
            };
            inner.state = State::Over(error.clone());
            (std::mem::take(&mut inner.waiting), error)
        };
        self.0.room.notify_all();
        for (_, waiter) in waiting {
            call(waiter, Err(error.clone()));
        }
    }
}
