//! `Tally`: a counter for each code of a contract and of `core`, found by name and counted without a lock.

mod stats;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use indexmap::IndexMap;
use redress_registry::{Entry, Registry, shipped};
use rustc_hash::FxBuildHasher;

use crate::{Fault, codes};

pub use self::stats::{BadSample, ErrorStats, ready_line};

/// `N` counters for each code.
#[derive(Debug)]
pub struct Tally<const N: usize> {
    rows: IndexMap<Box<str>, CodeCounters<N>, FxBuildHasher>,
    /// The domains that a failure can be counted under instead of its row's.
    domains: Vec<Box<str>>,
}

#[derive(Debug)]
struct CodeCounters<const N: usize> {
    entry: Arc<Entry>,
    counters: [AtomicU64; N],
    /// How many of them another domain raised, by its place among the domains.
    elsewhere: Box<[AtomicU64]>,
}

impl<const N: usize> CodeCounters<N> {
    fn new(entry: &Arc<Entry>, domains: usize) -> Self {
        let counters = [const { AtomicU64::new(0) }; N];
        let elsewhere = (0..domains).map(|_| AtomicU64::new(0)).collect();
        Self { entry: Arc::clone(entry), counters, elsewhere }
    }
}

impl<const N: usize> Tally<N> {
    /// Nothing was counted yet. The contract says which codes there are.
    pub fn new(contract: &Registry) -> Self {
        let mut rows: IndexMap<_, _, FxBuildHasher> = IndexMap::default();
        let domains: Vec<Box<str>> = contract.domains.keys().cloned().collect();
        for entry in contract.codes.values().chain(shipped::core().codes.values()) {
            rows.entry(entry.code.clone())
                .or_insert_with(|| CodeCounters::new(entry, domains.len()));
        }
        Self { rows, domains }
    }

    /// Counts one of a code. An unregistered plugin code counts as `UNKNOWN_TOOL_FAILURE`: names come from registries alone.
    pub fn count(&self, code: &str, which: usize) {
        let row = self.rows.get(code).or_else(|| self.rows.get(codes::UNKNOWN_TOOL_FAILURE.name()));
        if let Some(counter) = row.and_then(|it| it.counters.get(which)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a failure, under the domain that raised it where the contract has that domain.
    pub fn count_fault(&self, fault: &Fault, which: usize) {
        self.count(fault.code(), which);
        let Some(row) = self.rows.get(fault.code()) else { return };
        if fault.domain == row.entry.domain {
            return;
        }
        let at = self.domains.iter().position(|it| *it == fault.domain);
        if let Some(counter) = at.and_then(|it| row.elsewhere.get(it)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many of a code each other domain raised.
    fn elsewhere(&self, code: &str) -> impl Iterator<Item = (&str, u64)> {
        let counters = self.rows.get(code).map(|it| &*it.elsewhere).unwrap_or_default();
        let counts = counters.iter().map(|it| it.load(Ordering::Relaxed));
        self.domains.iter().map(|it| &**it).zip(counts).filter(|it| it.1 > 0)
    }

    /// Whether it counts the codes of that contract, as that describes them.
    pub fn is_of(&self, contract: &Registry) -> bool {
        contract
            .codes
            .values()
            .all(|it| self.rows.get(&it.code).is_some_and(|row| row.entry == *it))
    }

    /// Goes on from what another one has counted, under another contract; codes that only the other one has stay.
    #[must_use]
    pub fn after(before: &Self, contract: &Registry) -> Self {
        let Self { mut rows, mut domains } = Self::new(contract);
        let more = before.domains.iter().filter(|it| !contract.domains.contains_key(&***it));
        domains.extend(more.cloned());
        for row in rows.values_mut() {
            *row = CodeCounters::new(&row.entry, domains.len());
        }
        for (code, row) in &before.rows {
            let absent = || CodeCounters::new(&row.entry, domains.len());
            let own = rows.entry(code.clone()).or_insert_with(absent);
            for (counter, count) in own.counters.iter().zip(&row.counters) {
                counter.store(count.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            for (domain, count) in before.elsewhere(code) {
                let at = domains.iter().position(|it| **it == *domain);
                if let Some(counter) = at.and_then(|it| own.elsewhere.get(it)) {
                    counter.store(count, Ordering::Relaxed);
                }
            }
        }
        Self { rows, domains }
    }

    /// The codes that occurred, with their counters.
    pub fn seen(&self) -> impl Iterator<Item = (&Arc<Entry>, [u64; N])> {
        let counts =
            |row: &CodeCounters<N>| row.counters.each_ref().map(|it| it.load(Ordering::Relaxed));
        let all = self.rows.values().map(move |row| (&row.entry, counts(row)));
        all.filter(|(_, counts)| counts.iter().any(|it| *it > 0))
    }
}
