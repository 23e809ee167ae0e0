//! The records that a command takes, and what is between them that is none.

use std::path::PathBuf;

use redress_ledger::{Entry, Query, ReadError, Reader};

use super::absent;
use crate::{Status, failure::Failure, output::Err};

/// The records that match, in the order of time.
pub(super) struct Records<'l> {
    ledgers: &'l [PathBuf],
    reader: Reader,
    query: &'l Query,
    pub(super) damage: Damage,
    /// All were read, and none matched.
    is_nothing: bool,
    has_matched: bool,
}

impl<'l> Records<'l> {
    pub(super) fn open(ledgers: &'l [PathBuf], query: &'l Query) -> Self {
        let reader = Reader::open_all(ledgers);
        let reader = if let Some(from) = query.from { reader.since(from) } else { reader };
        let damage = Damage::default();
        Self { ledgers, reader, query, damage, is_nothing: false, has_matched: false }
    }

    /// Says what could not be read, and whether the question made sense.
    pub(super) fn finish(self) -> Result<Status, Failure> {
        let status = self.damage.report();
        if self.is_nothing {
            absent::explain(self.ledgers, self.query)?;
        }
        Ok(status)
    }
}

impl Iterator for Records<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            match self.reader.next() {
                None => {
                    self.is_nothing = !self.has_matched;
                    return None;
                }
                Some(Err(error)) => self.damage.note(error),
                Some(Ok(entry)) if self.query.matches(&entry) => {
                    self.has_matched = true;
                    return Some(entry);
                }
                Some(Ok(_)) => (),
            }
        }
    }
}

/// What could not be read as records.
#[derive(Debug, Default)]
pub(super) struct Damage {
    pub(super) count: u64,
    first: Option<ReadError>,
    /// The first file that the system does not let be read, which is no damage.
    unreadable: Option<ReadError>,
}

impl Damage {
    pub(super) fn note(&mut self, error: ReadError) {
        if let ReadError::Io(_) = error {
            self.unreadable.get_or_insert(error);
            return;
        }
        self.count += 1;
        self.first.get_or_insert(error);
    }

    /// Says so on standard error: what is no record is a finding.
    pub(super) fn report(&self) -> Status {
        let mut err = Err::new();
        if let Some(unreadable) = &self.unreadable {
            err.line("unreadable: ", &format!("some records are left out: {unreadable}"));
            err.line("Fix: ", "Read it as the user who wrote it, or repair its disk.");
        }
        let Some(first) = &self.first else {
            let is_all = self.unreadable.is_none();
            return if is_all { Status::Fine } else { Status::Unreadable };
        };
        let places = if self.count == 1 { "place is" } else { "places are" };
        err.line(
            "damaged: ",
            &format!("{} {places} no record and left out. The first: {first}", self.count),
        );
        err.line("Fix: ", "Run `redress ledger verify` to learn what was altered.");
        Status::Findings
    }
}
