//! The queue before the one pen: its holder commits all that waits with one sync.

mod company;
mod lead;
mod refusals;

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use redress::fault::Receipt;

use self::{company::Company, refusals::Refusals};
use crate::{
    error::LedgerError,
    gap::{Gap, Untold},
    record::Record,
    time::{Clock, Time},
};

pub use self::refusals::{Recording, RefusalKind};
pub(crate) use self::{
    lead::{Scribe, run, take_turn},
    refusals::{count, may_record, tell_counts},
};

/// Hears that nothing can be recorded any more, and why; or that it can again. It should only pass that on, since others wait meanwhile.
pub type OnChange = Arc<dyn Fn(Result<(), LedgerError>) + Send + Sync>;

/// Hears, after each commit, the number of the next record of the chain: all before it are durable. It should only pass that on.
pub type OnCommit = Arc<dyn Fn(u64) + Send + Sync>;

/// How many records are not left to wait any longer.
const MANY_WAITING: usize = 256;

/// Records that may wait.
const MAX_WAITING: usize = 16 << 10;

/// Bytes that may wait.
const MAX_WAITING_BYTES: usize = 32 << 20;

/// How long a full disk is left alone.
const RETRY_MILLIS: u64 = 1000;

/// What is called when the record is durable, or will never be.
pub(crate) type OnDurable = Box<dyn FnOnce(Result<Receipt, LedgerError>, By) + Send>;

/// Where a caller hears what became of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Within [`Ledger::commit`](crate::Ledger::commit), whose caller goes on when all have heard.
    Commit,
    /// On a thread that has nothing else to do with it.
    Other,
}

/// What is to be recorded.
pub(crate) enum PendingRecord {
    Written(Record),
    /// Written by the committer: the caller does not wait for it and need not spend the time.
    Later(Box<dyn FnOnce() -> Record + Send>),
}

/// What a record that is not written yet counts for.
const LATER_BYTES: usize = 1024;

impl PendingRecord {
    /// How many bytes its line takes, about.
    fn line_bytes(&self) -> usize {
        match self {
            Self::Written(record) => record.line_bytes(),
            Self::Later(_) => LATER_BYTES,
        }
    }

    fn write(self) -> Record {
        match self {
            Self::Written(record) => record,
            Self::Later(write) => write(),
        }
    }
}

/// What callers and the committer share.
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    /// For the committer.
    work: Condvar,
    room: Condvar,
    /// For a caller that waits for others.
    company: Condvar,
    outside: Outside,
    /// Failures that are counted.
    refusals: Refusals,
}

/// What a queue needs to know of the world.
pub(crate) struct Outside {
    pub(crate) clock: Clock,
    pub(crate) on_change: Option<OnChange>,
    pub(crate) on_commit: Option<OnCommit>,
    /// Where a gap is noted that no record can report.
    pub(crate) untold: Untold,
    pub(crate) chain: String,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Inner {
    waiting: VecDeque<(PendingRecord, OnDurable)>,
    bytes: usize,
    state: State,
    gap: Gap,
    pen: Pen,
    company: Company,
    /// The committer is to take a turn: for a record that its caller does not commit, or to ask for space again.
    is_called: bool,
    /// The same, but later: no caller waits for the record.
    is_expected: bool,
    /// Counts are to be recorded in a while.
    has_counts: bool,
    /// What is over the limits is to be pruned.
    is_to_prune: bool,
    stopping: bool,
}

/// What only one can hold at a time.
enum Pen {
    Free(Box<Scribe>),
    Held,
    /// Nothing is ever written again.
    Gone,
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

    /// Whether it is another one for those who wait for it.
    const fn differs(&self, other: &Self) -> bool {
        !matches!(
            (self, other),
            (Self::Open, Self::Open)
                | (Self::Over(_), Self::Over(_))
                | (Self::Low { .. } | Self::Full { .. }, Self::Low { .. } | Self::Full { .. })
        )
    }

    fn refusal(&self) -> LedgerError {
        match self {
            Self::Over(error) => error.clone(),
            _ => LedgerError::Full,
        }
    }
}

impl Queue {
    pub(crate) fn new(outside: Outside, scribe: Scribe) -> Self {
        let inner = Mutex::new(Inner {
            waiting: VecDeque::new(),
            bytes: 0,
            state: State::default(),
            gap: Gap::default(),
            pen: Pen::Free(Box::new(scribe)),
            company: Company::default(),
            is_called: false,
            is_expected: false,
            has_counts: false,
            is_to_prune: false,
            stopping: false,
        });
        let (work, room, company) = (Condvar::new(), Condvar::new(), Condvar::new());
        let refusals = Refusals::default();
        Self { inner, work, room, company, outside, refusals }
    }

    pub(crate) fn now(&self) -> Time {
        (self.outside.clock)()
    }

    /// Whether a new call may begin: its failure could be recorded.
    pub(crate) fn admit(&self) -> Result<(), LedgerError> {
        let now = self.now();
        let mut inner = self.lock();
        if matches!(inner.state, State::Open) {
            return Ok(());
        }
        if inner.state.is_worth_a_try(now) {
            self.call(&mut inner);
        }
        Err(inner.state.refusal())
    }

    /// Counts a failure that no record will hold.
    pub(crate) fn miss(&self) {
        self.miss_many(1);
    }

    /// The same of several.
    pub(crate) fn miss_many(&self, count: u64) {
        let now = self.now();
        if count > 0 {
            self.lock().gap.add(now, count);
        }
    }

    /// Why nothing will ever be recorded any more, if that is so.
    pub(crate) fn is_over(&self) -> Option<LedgerError> {
        let refusal = self.lock().refuses(0);
        refusal.filter(|it| !matches!(it, LedgerError::Busy))
    }

    /// Has the committer tell counts in a while.
    pub(crate) fn expect_counts(&self) {
        if !std::mem::replace(&mut self.lock().has_counts, true) {
            self.work.notify_one();
        }
    }

    /// Queues a record for the committer; never waits.
    pub(crate) fn push(&self, record: Record, on_durable: OnDurable) {
        if let Some(mut inner) = self.enqueue(PendingRecord::Written(record), on_durable) {
            self.call(&mut inner);
        }
    }

    /// Queues a record without a waiting caller: it is committed with others, a moment later.
    pub(crate) fn push_later(&self, write: Box<dyn FnOnce() -> Record + Send>) {
        let Some(mut inner) = self.enqueue(PendingRecord::Later(write), Box::new(|_, _| ())) else {
            return;
        };
        if inner.waiting.len() >= MANY_WAITING {
            self.call(&mut inner);
        } else if !std::mem::replace(&mut inner.is_expected, true) {
            self.work.notify_one();
        }
    }

    /// Queues a record for the next commit, on any thread; never waits.
    pub(crate) fn push_silently(&self, record: Record, on_durable: OnDurable) {
        drop(self.enqueue(PendingRecord::Written(record), on_durable));
    }

    /// Queues a record as soon as there is room for it.
    pub(crate) fn push_when_free(&self, record: Record, on_durable: OnDurable) {
        let mut inner = self.lock();
        while matches!(inner.refuses(record.line_bytes()), Some(LedgerError::Busy)) {
            inner = self.room.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        drop(inner);
        self.push(record, on_durable);
    }

    /// What could not be recorded so far.
    pub(crate) fn gap(&self) -> Option<Gap> {
        Some(self.lock().gap).filter(|it| it.count > 0)
    }

    /// Notes what could not be recorded where a later ledger finds it.
    pub(crate) fn note_gap(&self) {
        if let Some(gap) = self.gap() {
            self.outside.untold.keep(&self.outside.chain, &gap);
        }
    }

    /// Has the committer prune what is over the limits.
    pub(crate) fn expect_pruning(&self) {
        let mut inner = self.lock();
        inner.is_to_prune = true;
        self.call(&mut inner);
    }

    /// Lets the committer finish what waits and end.
    pub(crate) fn stop(&self) {
        self.lock().stopping = true;
        self.work.notify_one();
    }

    fn enqueue(
        &self,
        draft: PendingRecord,
        on_durable: OnDurable,
    ) -> Option<MutexGuard<'_, Inner>> {
        let mut inner = self.lock();
        let Some(refusal) = inner.refuses(draft.line_bytes()) else {
            inner.bytes += draft.line_bytes();
            inner.waiting.push_back((draft, on_durable));
            return Some(inner);
        };
        inner.gap.add(self.now(), 1);
        drop(inner);
        on_durable(Err(refusal), By::Other);
        None
    }

    /// Has the committer take a turn.
    fn call(&self, inner: &mut Inner) {
        if !std::mem::replace(&mut inner.is_called, true) {
            self.work.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn refuses(&self, line_bytes: usize) -> Option<LedgerError> {
        if let State::Over(error) = &self.state {
            return Some(error.clone());
        }
        if self.stopping {
            return Some(LedgerError::Closed);
        }
        if line_bytes > crate::MAX_LINE {
            return Some(LedgerError::TooLong);
        }
        self.is_full().then_some(LedgerError::Busy)
    }

    fn is_full(&self) -> bool {
        self.waiting.len() >= MAX_WAITING || self.bytes >= MAX_WAITING_BYTES
    }
}
