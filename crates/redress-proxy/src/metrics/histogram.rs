//! `Histogram`: how long things took, in buckets that are counted without a lock.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

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
pub(crate) struct Snapshot {
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

    pub(crate) fn snapshot(&self) -> Snapshot {
        let ends = ENDS.iter().map(|it| seconds(*it)).chain([f64::INFINITY]);
        let counts = self.buckets.iter().map(|it| it.load(Ordering::Relaxed));
        let buckets: Vec<_> = ends.zip(counts).collect();
        // Counted from the buckets, so that the two always agree.
        let count = buckets.iter().map(|it| it.1).sum();
        Snapshot { sum: seconds(self.micros.load(Ordering::Relaxed)), count, buckets }
    }
}

fn seconds(micros: u64) -> f64 {
    Duration::from_micros(micros).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Histogram;

    #[test]
    fn a_time_falls_into_the_first_bucket_that_holds_it() {
        let histogram = Histogram::default();
        for micros in [0, 100, 101, 1_000_000, 100_000_001] {
            histogram.observe(Duration::from_micros(micros));
        }
        let seen = histogram.snapshot();
        let full: Vec<_> = seen.buckets.iter().filter(|it| it.1 > 0).collect();
        assert_eq!(full, [&(0.0001, 2), &(0.000_25, 1), &(1.0, 1), &(f64::INFINITY, 1)]);
        assert_eq!(seen.count, 5);
        assert!((seen.sum - 101.000_202).abs() < 1e-9, "{}", seen.sum);
    }
}
