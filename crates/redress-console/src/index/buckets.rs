//! `Buckets`: counts by minute and key, in one sorted list of bounded length.

use rustc_hash::FxHashMap;

/// Minutes since 1970.
pub(crate) type Minute = u32;

/// The minutes that coarser buckets last.
const COARSER: [Minute; 4] = [60, 24 * 60, 30 * 24 * 60, 3650 * 24 * 60];

/// How many new buckets are kept unsorted.
const FRESH: usize = 8_192;

/// A value that adds up.
pub(crate) trait Count: Copy + Default {
    /// The most buckets. Beyond that the older half is counted by the hour, then by the day.
    const MOST: usize;

    /// Adds another.
    fn add(&mut self, other: Self);
}

impl Count for u32 {
    const MOST: usize = if cfg!(test) { 20_000 } else { 2_000_000 };

    fn add(&mut self, other: Self) {
        *self = self.saturating_add(other);
    }
}

/// Counts by minute and key.
#[derive(Debug, Default)]
pub(crate) struct Buckets<C> {
    /// In the order of minutes and keys.
    sorted: Vec<(Minute, u32, C)>,
    fresh: FxHashMap<(Minute, u32), C>,
    /// The oldest minute that is counted by itself.
    exact_from: Minute,
}

impl<C: Count> Buckets<C> {
    /// Adds to the count of a minute and a key.
    pub(crate) fn add(&mut self, minute: Minute, key: u32, count: C) {
        self.fresh.entry((minute, key)).or_default().add(count);
        if self.fresh.len() >= FRESH {
            self.settle();
        }
    }

    /// Adds all of another, with other keys.
    pub(crate) fn absorb(&mut self, mut other: Self, key: impl Fn(u32) -> u32) {
        other.settle();
        self.settle();
        for (minute, from, count) in other.sorted {
            self.fresh.entry((minute, key(from))).or_default().add(count);
        }
        self.settle();
    }

    /// Sorts what is new, and makes old buckets coarser if there are too many.
    pub(crate) fn settle(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        let fresh = self.fresh.drain().map(|((minute, key), count)| (minute, key, count));
        self.sorted.extend(fresh);
        self.merge();
        for length in COARSER {
            if self.sorted.len() <= C::MOST {
                break;
            }
            self.coarsen(length);
        }
    }

    /// Sorts, and makes one of those with the same minute and key.
    fn merge(&mut self) {
        // A stable sort: the old part is in order already.
        self.sorted.sort_by_key(|it| (it.0, it.1));
        self.sorted.dedup_by(|next, before| {
            let is_same = (next.0, next.1) == (before.0, before.1);
            if is_same {
                before.2.add(next.2);
            }
            is_same
        });
    }

    /// Counts the older half in buckets of that many minutes.
    fn coarsen(&mut self, length: Minute) {
        let half = self.sorted.len() / 2;
        let boundary = self.sorted.get(half).map_or(0, |it| it.0) / length * length;
        for bucket in self.sorted.iter_mut().take_while(|it| it.0 < boundary) {
            bucket.0 = bucket.0 / length * length;
        }
        self.exact_from = self.exact_from.max(boundary);
        self.merge();
    }

    /// The buckets of a range of minutes, oldest first, without those that were not settled.
    pub(crate) fn range(&self, from: Minute, to: Minute) -> &[(Minute, u32, C)] {
        let start = self.sorted.partition_point(|it| it.0 < from);
        let end = self.sorted.partition_point(|it| it.0 < to);
        self.sorted.get(start..end).unwrap_or_default()
    }

    /// How many buckets there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{Buckets, Count};

    const MOST: usize = <u32 as Count>::MOST;

    #[test]
    fn counts_of_a_minute_add_up() {
        let mut buckets: Buckets<u32> = Buckets::default();
        for (minute, key) in [(5, 1), (3, 1), (5, 1), (5, 0)] {
            buckets.add(minute, key, 1);
        }
        let mut other = Buckets::default();
        other.add(5, 7, 10);
        buckets.absorb(other, |it| it - 6);
        assert_eq!(buckets.range(0, 9), [(3, 1, 1), (5, 0, 1), (5, 1, 12)]);
        assert_eq!(buckets.range(4, 5), []);
    }

    #[test]
    fn old_buckets_become_coarser_and_none_is_lost() {
        let mut buckets: Buckets<u32> = Buckets::default();
        let all = u32::try_from(MOST + 10_000).unwrap();
        for minute in 0..all {
            buckets.add(minute, 0, 1);
        }
        buckets.settle();
        assert!(buckets.len() <= MOST);
        let total: u64 = buckets.range(0, u32::MAX).iter().map(|it| u64::from(it.2)).sum();
        assert_eq!(total, u64::from(all));
        assert_eq!(buckets.range(all - 1, all).len(), 1, "new ones are exact");
    }
}
