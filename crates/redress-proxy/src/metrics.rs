//! `Metrics`: what a server's calls come to, for Prometheus and for `sys/errorStats`. Successes are counted without a lock.
//!
//! Every label comes from a registry, from the configuration or from a closed set of our own; nothing that a client or a
//! server writes ever becomes one.

use std::{
    sync::{
        PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

pub use redress::ready_line;
use redress::{ErrorStats, Fault, Tally, fault::Origin};
use redress_registry::Registry;

/// How a request of a client ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    /// With an answer that is no failure.
    Ok,
    /// With a failure.
    Fault,
    /// With a failure before the server was asked.
    Refused,
    /// The client withdrew it.
    Cancelled,
}

impl Completion {
    pub(crate) const ALL: [Self; 4] = [Self::Ok, Self::Fault, Self::Refused, Self::Cancelled];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fault => "fault",
            Self::Refused => "refused",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Things that happen, each with a counter of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedEvent {
    /// A process was started anew.
    Restart,
    /// A call was made again.
    Retry,
    /// A call was not made again because too many were.
    RetryDenied,
    /// A call was answered without asking the server, because it had failed in the same way before.
    LoopRefused,
    /// Such a call was let through after a pause.
    LoopTrial,
    /// Such a call was only counted.
    LoopObserved,
    /// A failure that the server had not flagged.
    Silent,
    /// A line of the server that was of no use.
    Useless,
    /// A message of the server that its client has not heard.
    Unheard,
    /// A request had no token where one is needed.
    MissingToken,
    /// A request had a token that is none of ours.
    WrongToken,
    /// A failure that is counted in the ledger, and has no record of its own.
    Counted,
    /// A failure could not be recorded. The last one.
    Unrecorded,
}

impl CountedEvent {
    const COUNT: usize = Self::Unrecorded as usize + 1;
}

/// What a server's calls come to.
#[derive(Debug)]
pub struct Metrics {
    outcomes: [AtomicU64; Completion::ALL.len()],
    events: [AtomicU64; CountedEvent::COUNT],
    pub(crate) durations: Histogram,
    /// How long records took to become durable.
    pub(crate) commits: Histogram,
    /// Records that are not durable yet.
    waiting: AtomicU64,
    codes: RwLock<Codes>,
}

/// What is counted for each code.
#[derive(Debug)]
pub(crate) struct Codes {
    pub(crate) faults: Tally<{ Origin::ALL.len() }>,
    pub(crate) refused: Tally<1>,
}

impl Metrics {
    /// Nothing has happened yet. The contract says which codes there are.
    pub(crate) fn new(contract: &Registry) -> Self {
        Self {
            outcomes: Default::default(),
            events: Default::default(),
            durations: Histogram::default(),
            commits: Histogram::default(),
            waiting: AtomicU64::new(0),
            codes: RwLock::new(Codes {
                faults: Tally::new(contract),
                refused: Tally::new(contract),
            }),
        }
    }

    /// Goes on under a contract that may be another one. Sessions that are open under the one before count here, too.
    pub(crate) fn go_on(&self, contract: &Registry) {
        let mut codes = self.codes.write().unwrap_or_else(PoisonError::into_inner);
        if !codes.faults.is_of(contract) {
            *codes = Codes {
                faults: Tally::after(&codes.faults, contract),
                refused: Tally::after(&codes.refused, contract),
            };
        }
    }

    pub(crate) fn codes(&self) -> RwLockReadGuard<'_, Codes> {
        self.codes.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request of a client is over.
    pub(crate) fn ended(&self, outcome: Completion, took: Duration) {
        if let Some(counter) = self.outcomes.get(outcome as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.durations.observe(took);
    }

    /// Counts a failure.
    pub fn failed(&self, fault: &Fault) {
        let origin = Origin::ALL.iter().position(|it| *it == fault.origin).unwrap_or_default();
        self.codes().faults.count_fault(fault, origin);
    }

    /// A request was refused before the server was asked.
    pub(crate) fn refused(&self, fault: &Fault) {
        self.codes().refused.count(fault.code(), 0);
    }

    /// The same of one that was answered at once, before there was anything to keep of it.
    pub fn turned_away(&self, fault: &Fault) {
        self.refused(fault);
        self.ended(Completion::Refused, Duration::ZERO);
    }

    /// What failed, as `sys/errorStats` answers it.
    pub(crate) fn stats(&self, how: ErrorStats) -> String {
        self.codes().faults.stats(how)
    }

    /// Something happened.
    pub fn happened(&self, event: CountedEvent) {
        self.count(event, 1);
    }

    /// Messages of the server will not be heard.
    pub fn unheard(&self, messages: u64) {
        self.count(CountedEvent::Unheard, messages);
    }

    fn count(&self, event: CountedEvent, times: u64) {
        if let Some(counter) = self.events.get(event as usize) {
            counter.fetch_add(times, Ordering::Relaxed);
        }
    }

    /// A failure is counted in the ledger.
    pub fn counted(&self) {
        self.happened(CountedEvent::Counted);
    }

    /// Something could not be recorded.
    pub fn unrecorded(&self) {
        self.happened(CountedEvent::Unrecorded);
    }

    /// A record is on its way to the disk.
    pub fn recording(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// It is there after that time, or never will be.
    pub fn recorded(&self, took: Duration, is_durable: bool) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        self.commits.observe(took);
        if !is_durable {
            self.unrecorded();
        }
    }

    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }

    pub(crate) fn outcome(&self, outcome: Completion) -> u64 {
        self.outcomes.get(outcome as usize).map_or(0, |it| it.load(Ordering::Relaxed))
    }

    pub(crate) fn event(&self, event: CountedEvent) -> u64 {
        self.events.get(event as usize).map_or(0, |it| it.load(Ordering::Relaxed))
    }
}

/// The upper ends of the buckets, in microseconds: three for each power of ten from 100 µs to 100 s.
const ENDS: [u64; 19] = [
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
];

/// How long things took.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// One for each end, and one for what took longer.
    buckets: [AtomicU64; ENDS.len() + 1],
    micros: AtomicU64,
}

/// A histogram as it is now: in seconds, and each bucket alone.
#[derive(Debug, PartialEq)]
pub(crate) struct HistogramSnapshot {
    pub(crate) sum: f64,
    pub(crate) count: u64,
    pub(crate) buckets: Vec<(f64, u64)>,
}

impl Histogram {
    pub(crate) fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = ENDS.iter().position(|it| micros <= *it).unwrap_or(ENDS.len());
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(crate) fn snapshot(&self) -> HistogramSnapshot {
        let ends = ENDS.iter().map(|it| seconds(*it)).chain([f64::INFINITY]);
        let counts = self.buckets.iter().map(|it| it.load(Ordering::Relaxed));
        let buckets: Vec<_> = ends.zip(counts).collect();
        // Counted from the buckets, so that the two always agree.
        let count = buckets.iter().map(|it| it.1).sum();
        HistogramSnapshot { sum: seconds(self.micros.load(Ordering::Relaxed)), count, buckets }
    }
}

fn seconds(micros: u64) -> f64 {
    Duration::from_micros(micros).as_secs_f64()
}

#[cfg(test)]
mod tests;
