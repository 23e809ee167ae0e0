//! The records that a command takes, and what stands between them that is none.

use std::{borrow::Cow, collections::BTreeSet, path::PathBuf};

use redress::json::Value;
use redress_ledger::{Entry, Query, ReadError, Reader};

use super::filter;
use crate::{Status, failure::Failure, output::Err};

/// Codes that are remembered for a did-you-mean.
const MAX_CODES: usize = 1_000;

/// The records that match, in the order of time.
pub(super) struct Records {
    reader: Reader,
    query: Query,
    pub(super) damage: Damage,
    matched: u64,
    /// The codes of all records, while the one that is asked for is in no registry and was not found.
    codes: Option<BTreeSet<String>>,
}

impl Records {
    pub(super) fn open(ledgers: &[PathBuf], query: Query) -> Self {
        let codes = query.code.as_deref().is_some_and(filter::is_strange).then(BTreeSet::new);
        let reader = Reader::open_all(ledgers);
        let reader = if let Some(from) = query.from { reader.since(from) } else { reader };
        Self { reader, query, damage: Damage::default(), matched: 0, codes }
    }

    /// Says what could not be read, and whether the question made sense.
    pub(super) fn finish(self) -> Result<Status, Failure> {
        let status = self.damage.report();
        match (&self.query.code, &self.codes) {
            (Some(code), Some(seen)) if self.matched == 0 => Err(filter::no_such_code(code, seen)),
            _ => Ok(status),
        }
    }

    fn remember(&mut self, entry: &Entry) {
        let code = |it: Value<'_>| it.get("code")?.as_str().map(Cow::into_owned);
        if let Some(codes) = self.codes.as_mut().filter(|it| it.len() < MAX_CODES) {
            codes.extend(entry.with(code).flatten());
        }
    }
}

impl Iterator for Records {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            match self.reader.next()? {
                Err(error) => self.damage.note(error),
                Ok(entry) if self.query.matches(&entry) => {
                    self.matched += 1;
                    self.codes = None;
                    return Some(entry);
                }
                Ok(entry) => self.remember(&entry),
            }
        }
    }
}

/// What could not be read as records.
#[derive(Debug, Default)]
pub(super) struct Damage {
    pub(super) count: u64,
    first: Option<ReadError>,
}

impl Damage {
    pub(super) fn note(&mut self, error: ReadError) {
        self.count += 1;
        self.first.get_or_insert(error);
    }

    /// Says so on standard error: it is a finding.
    pub(super) fn report(&self) -> Status {
        let Some(first) = &self.first else { return Status::Fine };
        let mut err = Err::new();
        let places = if self.count == 1 { "place is" } else { "places are" };
        err.line(
            "damaged: ",
            &format!("{} {places} no record and left out. The first: {first}", self.count),
        );
        err.line("Fix: ", "Run `redress ledger verify` to learn what was altered.");
        Status::Findings
    }
}
