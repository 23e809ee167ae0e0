//! Failures that could not be recorded: counted, reported by a record as soon as there can be one, and until then noted beside the key.

use std::path::{Path, PathBuf};

use redress_wire::json::{Doc, Members, Value};

use crate::{
    LINE_LIMITS,
    lock::{self, Held},
    notes::Notes,
    record::{Kind, Record},
    time::Time,
};

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
    pub(crate) const fn add(&mut self, now: Time, count: u64) {
        if self.count == 0 {
            self.first = now;
        }
        self.last = now;
        self.count += count;
    }

    /// The record that tells of it.
    pub(crate) fn record(&self) -> Record {
        Record::of_json(Kind::Gap, &self.object())
    }

    fn object(&self) -> String {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.int("count", self.count);
        members.str("first", &self.first.to_string()).str("last", &self.last.to_string());
        members.close();
        out
    }

    fn parse(object: &[u8]) -> Option<Self> {
        let doc = Doc::parse(object, LINE_LIMITS).ok()?;
        let time = |key| Time::parse(&doc.root().get(key)?.as_str()?);
        let count = doc.root().get("count").and_then(Value::as_u64)?;
        Some(Self { count, first: time("first")?, last: time("last")? })
    }
}

/// The gaps that the chains of a ledger could not tell of themselves, since nothing could be written to it any more.
#[derive(Debug, Clone)]
pub(crate) struct Untold {
    notes: Notes,
    ledger: PathBuf,
}

impl Untold {
    pub(crate) fn new(key: &Path, ledger: &Path) -> Self {
        Self { notes: Notes::new(key, "gaps", ledger), ledger: ledger.to_owned() }
    }

    /// Notes the gap of a chain. If that fails as well, the gap stays unknown.
    pub(crate) fn keep(&self, chain: &str, gap: &Gap) {
        drop(self.notes.keep(chain, (gap.object() + "\n").as_bytes()));
    }

    /// The gaps of chains whose processes are gone, by chain.
    pub(crate) fn left_behind(&self) -> Vec<(String, Gap)> {
        let is_live =
            |chain: &str| matches!(lock::look(&self.ledger.join(chain)), Ok(Held::ByOther));
        let chains = self.notes.chains().unwrap_or_default().into_iter();
        let chains = chains.filter(|it| !is_live(it));
        chains
            .filter_map(|it| {
                let gap = Gap::parse(&self.notes.of(&it).ok()??)?;
                Some((it, gap))
            })
            .collect()
    }

    /// Forgets a gap that a record reports.
    pub(crate) fn forget(&self, chain: &str) {
        drop(self.notes.forget(chain));
    }
}
