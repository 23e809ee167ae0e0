//! The newest records of a ledger, read from its ends.

use std::{cmp::Reverse, collections::BinaryHeap, path::Path};

use crate::{
    error::Failure,
    layout::{self, ChainDir},
    query::Query,
    reader::{ChainReader, Entry, ReadError},
    time::Time,
};

/// The newest `most` records that match, oldest first. Reads no more segments than it needs.
pub fn tail(dir: &Path, most: usize, query: &Query) -> Result<Vec<Entry>, ReadError> {
    let failed = |error| ReadError::Io(Failure::new("read", dir, error));
    let mut newest = Newest { most, entries: BinaryHeap::new() };
    let chains = layout::chains(dir).map_err(failed)?;
    for (order, chain) in chains.iter().enumerate().rev() {
        newest.take_chain(order, chain, query)?;
    }
    let mut entries: Vec<_> = newest.entries.into_iter().map(|it| it.0).collect();
    entries.sort_unstable_by_key(|it| it.key);
    Ok(entries.into_iter().map(|it| it.entry).collect())
}

/// At most so many entries: the newest that were seen.
struct Newest {
    most: usize,
    entries: BinaryHeap<Reverse<Placed>>,
}

/// An entry by its place in the merged order.
struct Placed {
    key: (Time, usize, u64),
    entry: Entry,
}

impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl Eq for Placed {}
impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Placed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl Newest {
    /// Takes a chain from its last segment backwards, until a segment is older than everything that is kept.
    fn take_chain(
        &mut self,
        order: usize,
        chain: &ChainDir,
        query: &Query,
    ) -> Result<(), ReadError> {
        let failed = |error| ReadError::Io(Failure::new("read", &chain.path, error));
        for piece in layout::pieces(&chain.path).map_err(failed)?.into_iter().rev() {
            let mut last = Time::default();
            for entry in ChainReader::of_piece(chain, piece) {
                // A line that is no record is the business of `verify`.
                let entry = match entry {
                    Err(ReadError::Line { .. }) => continue,
                    other => other?,
                };
                last = last.max(entry.time);
                if query.matches(&entry) {
                    self.push(order, entry);
                }
            }
            if self.is_full() && self.entries.peek().is_some_and(|it| last < it.0.key.0) {
                break;
            }
        }
        Ok(())
    }

    fn push(&mut self, order: usize, entry: Entry) {
        let placed = Placed { key: (entry.time, order, entry.seq), entry };
        self.entries.push(Reverse(placed));
        if self.entries.len() > self.most {
            self.entries.pop();
        }
    }

    fn is_full(&self) -> bool {
        self.entries.len() >= self.most
    }
}
