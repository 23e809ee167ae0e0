//! `Progress`: how far each chain of a ledger was shipped, for retention, for the node's word about itself, and for people.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use redress_ledger::{Hold, Time};

/// What is known of one chain.
#[derive(Debug, Clone, Default)]
struct ChainProgress {
    /// The number behind the last record that the engine has.
    next: u64,
    /// Whether it is closed, and the engine has all of it.
    is_complete: bool,
}

#[derive(Debug, Default)]
struct Known {
    chains: BTreeMap<Arc<str>, ChainProgress>,
    state: State,
    records: u64,
    missing: u64,
    /// Why chains are shipped no further.
    stopped: Vec<String>,
    /// Of the newest record that was shipped: when it was recorded, and when the engine had it.
    newest: Option<(Time, Time)>,
}

/// How shipping is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    #[default]
    Starting,
    /// The engine takes records.
    Connected,
    /// It does not, and why.
    Waiting(String),
}

/// What is known at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// How shipping is.
    pub state: State,
    /// Records that this process has shipped.
    pub records: u64,
    /// Records that were gone before they could be shipped.
    pub missing: u64,
    /// Durable records of this process's chain that the engine lacks.
    pub lag_records: u64,
    /// How long the newest shipped record waited, in milliseconds.
    pub lag_ms: Option<u64>,
    /// Chains that are shipped no further.
    pub stopped: usize,
    /// Why the first of them is not.
    pub problem: Option<String>,
    /// Chains that the engine has whole.
    pub complete: usize,
    /// Chains that it has in part or not at all, as far as they were looked at.
    pub open: usize,
}

/// How far shipping is. Shared by those who ship and those who want to know.
#[derive(Debug, Default)]
pub struct Progress {
    known: Mutex<Known>,
    /// How many records of the process's own chain are durable.
    durable: AtomicU64,
    own: Mutex<Option<Arc<str>>>,
}

impl Progress {
    /// Notes how many records of the process's own chain are durable.
    pub fn note_durable(&self, next: u64) {
        self.durable.fetch_max(next, Ordering::Release);
    }

    pub(crate) fn durable(&self) -> u64 {
        self.durable.load(Ordering::Acquire)
    }

    /// Names the process's own chain.
    pub(crate) fn own(&self, chain: &Arc<str>) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(chain));
    }

    /// What retention asks: it keeps what the engine lacks, up to so many bytes.
    pub fn hold(self: &Arc<Self>, most_bytes: u64) -> Hold {
        let progress = Arc::clone(self);
        Hold { lacks: Arc::new(move |chain, next| progress.lacks(chain, next)), most_bytes }
    }

    /// Whether the engine lacks records of a chain before a number; what was not looked at yet counts as lacking.
    fn lacks(&self, chain: &str, next: u64) -> bool {
        self.lock().chains.get(chain).is_none_or(|it| it.next < next)
    }

    pub(crate) fn reached(&self, chain: &Arc<str>, next: u64) {
        let mut known = self.lock();
        let chain = known.chains.entry(Arc::clone(chain)).or_default();
        chain.next = chain.next.max(next);
    }

    pub(crate) fn shipped(&self, records: u64, recorded: Time, now: Time) {
        let mut known = self.lock();
        known.records += records;
        known.newest = Some((recorded, now));
    }

    pub(crate) fn skipped(&self, records: u64) {
        self.lock().missing += records;
    }

    pub(crate) fn stopped(&self, why: String) {
        self.lock().stopped.push(why);
    }

    pub(crate) fn completed(&self, chain: &Arc<str>) {
        self.lock().chains.entry(Arc::clone(chain)).or_default().is_complete = true;
    }

    /// Notes how shipping is. Gives whether that is news.
    pub(crate) fn set(&self, state: State) -> bool {
        let mut known = self.lock();
        let is_news = known.state != state;
        known.state = state;
        is_news
    }

    /// What is known now.
    pub fn snapshot(&self) -> Snapshot {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let known = self.lock();
        let next = own.and_then(|it| known.chains.get(&it)).map_or(0, |it| it.next);
        let complete = known.chains.values().filter(|it| it.is_complete).count();
        Snapshot {
            state: known.state.clone(),
            records: known.records,
            missing: known.missing,
            stopped: known.stopped.len(),
            problem: known.stopped.first().cloned(),
            lag_records: self.durable().saturating_sub(next),
            lag_ms: known.newest.map(|(recorded, now)| now.since(recorded)),
            complete,
            open: known.chains.len() - complete,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
