//! Verification of the newest records alone: what a start can afford, however large the ledger is.

use std::{collections::BTreeMap, io, path::Path};

use super::{Evidence, Report, examine};
use crate::{
    disk,
    layout::{self, ChainDir},
};

/// The most chains that are looked at.
const MOST_CHAINS: usize = 1_000;

/// What was not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unread {
    /// Older chains.
    pub chains: usize,
    /// Older segments of chains that were read. Their lengths were compared.
    pub segments: usize,
}

impl Unread {
    /// Whether everything was read.
    pub const fn is_nothing(self) -> bool {
        self.chains == 0 && self.segments == 0
    }
}

/// Checks the newest segments up to about so many bytes, at least one of each of the newest chains that are looked at. A chain that is gone is
/// found only among those that are newer than the oldest that was looked at.
pub fn verify_newest(
    dir: &Path,
    evidence: &Evidence,
    most_bytes: u64,
) -> io::Result<(Report, Unread)> {
    examine(dir, evidence, Some(most_bytes), &mut |_, _| ())
}

/// How far back a verification goes.
#[derive(Debug, Default)]
pub(super) struct Reach {
    pub(super) unread: Unread,
    /// The first segment that is read, of chains that are not read from their start.
    first: BTreeMap<String, u32>,
    /// The oldest chain that is read, if older ones are not.
    oldest: Option<String>,
}

impl Reach {
    /// Drops the chains that are too old.
    pub(super) fn within(most_bytes: Option<u64>, chains: &mut Vec<ChainDir>) -> Self {
        let mut reach = Self::default();
        let Some(mut left) = most_bytes else { return reach };
        let mut read = 0;
        for chain in chains.iter().rev().take(MOST_CHAINS) {
            if left == 0 {
                break;
            }
            read += 1;
            reach.take(chain, &mut left);
        }
        reach.unread.chains = chains.len() - read;
        drop(chains.drain(..reach.unread.chains));
        reach.oldest = chains.first().filter(|_| reach.unread.chains > 0).map(|it| it.name.clone());
        reach
    }

    /// Takes as many segments of a chain as fit, the newest first and in any case.
    fn take(&mut self, chain: &ChainDir, left: &mut u64) {
        // A directory that cannot be listed is reported by the walk.
        let numbers = layout::segment_numbers(&chain.path).unwrap_or_default();
        for (older, number) in numbers.iter().enumerate().rev() {
            let path = chain.path.join(layout::segment_name(*number));
            *left = left.saturating_sub(disk::metadata(path).map_or(0, |it| it.len));
            if *left == 0 && older > 0 {
                self.unread.segments += older;
                self.first.insert(chain.name.clone(), *number);
                return;
            }
        }
    }

    /// The number of the first segment of a chain that is read.
    pub(super) fn from(&self, chain: &ChainDir) -> u32 {
        self.first.get(&chain.name).copied().unwrap_or_default()
    }

    /// Whether a chain of that name would have been read.
    pub(super) fn covers(&self, chain: &str) -> bool {
        self.oldest.as_deref().is_none_or(|it| chain >= it)
    }
}
