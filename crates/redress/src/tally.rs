//! `Tally`: a counter for each code of a contract and of `core`, found by name and counted without a lock.

mod stats;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use indexmap::IndexMap;
use redress_registry::{Entry, Registry, shipped};
use rustc_hash::FxBuildHasher;

pub use self::stats::{BadSample, ErrorStats, ready_line};

/// `N` counters for each code.
#[derive(Debug)]
pub struct Tally<const N: usize>(IndexMap<Box<str>, Row<N>, FxBuildHasher>);

#[derive(Debug)]
struct Row<const N: usize> {
    entry: Arc<Entry>,
    counters: [AtomicU64; N],
}

impl<const N: usize> Tally<N> {
    /// Nothing was counted yet. The contract says which codes there are.
    pub fn new(contract: &Registry) -> Self {
        let mut rows = IndexMap::default();
        for entry in contract.codes.values().chain(shipped::core().codes.values()) {
            let counters = [const { AtomicU64::new(0) }; N];
            rows.entry(entry.code.clone()).or_insert(Row { entry: Arc::clone(entry), counters });
        }
        Self(rows)
    }

    /// Counts one of a code, if one of the registries has it.
    pub fn count(&self, code: &str, which: usize) {
        if let Some(counter) = self.0.get(code).and_then(|it| it.counters.get(which)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether it counts the codes of that contract, as that describes them.
    pub fn is_of(&self, contract: &Registry) -> bool {
        contract.codes.values().all(|it| self.0.get(&it.code).is_some_and(|row| row.entry == *it))
    }

    /// Goes on from what another one has counted, under another contract; codes that only the other one has stay.
    #[must_use]
    pub fn after(before: &Self, contract: &Registry) -> Self {
        let Self(mut rows) = Self::new(contract);
        for (code, row) in &before.0 {
            let counters = [const { AtomicU64::new(0) }; N];
            let absent = || Row { entry: Arc::clone(&row.entry), counters };
            let own = rows.entry(code.clone()).or_insert_with(absent);
            for (counter, count) in own.counters.iter().zip(&row.counters) {
                counter.store(count.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
        Self(rows)
    }

    /// The codes that occurred, with their counters.
    pub fn seen(&self) -> impl Iterator<Item = (&Arc<Entry>, [u64; N])> {
        let counts = |row: &Row<N>| row.counters.each_ref().map(|it| it.load(Ordering::Relaxed));
        let all = self.0.values().map(move |row| (&row.entry, counts(row)));
        all.filter(|(_, counts)| counts.iter().any(|it| *it > 0))
    }
}
