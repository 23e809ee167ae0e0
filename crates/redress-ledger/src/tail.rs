//! The newest records of ledgers, read from their ends.

use std::{cmp::Reverse, collections::BinaryHeap, io, path::Path};

use crate::{
    error::Failure,
    layout::{self, ChainDir, Piece},
    query::Query,
    reader::{ALLOWANCE_MILLIS, ChainReader, Entry, ReadError},
    time::Time,
};

/// The newest `most` records that match, of all the ledgers, oldest first. Reads no more segments than it needs. What cannot
/// be read goes to `on_error`.
pub fn tail(
    dirs: &[impl AsRef<Path>],
    most: usize,
    query: &Query,
    on_error: &mut dyn FnMut(ReadError),
) -> Vec<Entry> {
    if most == 0 {
        return Vec::new();
    }
    let mut chains = Vec::new();
    for dir in dirs.iter().map(AsRef::as_ref) {
        match layout::chains(dir) {
            Ok(found) => chains.extend(found),
            Err(error) => on_error(ReadError::Io(Failure::new("read", dir, error))),
        }
    }
    let mut newest = Newest { most, entries: BinaryHeap::new() };
    for (order, chain) in chains.iter().enumerate().rev() {
        newest.take_chain(order, chain, query, on_error);
    }
    let mut entries: Vec<_> = newest.entries.into_iter().map(|it| it.0).collect();
    entries.sort_unstable_by_key(|it| it.key);
    entries.into_iter().map(|it| it.entry).collect()
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
    /// Takes a chain from its last segment backwards, without the segments that are older than everything that is kept. Chains are taken from
    /// the newest to the oldest, so that of most segments no more is read than their last record.
    fn take_chain(
        &mut self,
        order: usize,
        chain: &ChainDir,
        query: &Query,
        on_error: &mut dyn FnMut(ReadError),
    ) {
        let pieces = match layout::pieces(&chain.path) {
            Ok(pieces) => pieces,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                return on_error(ReadError::Io(Failure::new("read", &chain.path, error)));
            }
        };
        for piece in pieces.into_iter().rev() {
            // One before it may be newer, if the clock was set back in between.
            if self.is_before_all(&piece) {
                continue;
            }
            for entry in ChainReader::of_piece(chain, piece) {
                match entry {
                    Err(error) => on_error(error),
                    Ok(entry) if query.matches(&entry) => self.push(order, entry),
                    Ok(_) => (),
                }
            }
        }
    }

    /// Whether a segment surely ends before everything that is kept, by an hour if its clock was set back.
    fn is_before_all(&self, piece: &Piece) -> bool {
        let oldest = self.entries.peek().filter(|_| self.is_full()).map(|it| it.0.key.0);
        oldest.is_some_and(|oldest| {
            let oldest = Time::from_millis(oldest.millis().saturating_sub(ALLOWANCE_MILLIS));
            layout::latest_time(piece).is_ok_and(|it| it.is_some_and(|it| it < oldest))
        })
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
