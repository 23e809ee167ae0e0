//! `Quota`: how many bytes the failures of a server may add to the ledger. What is more is counted.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// How many hours' worth may be added at once after a quiet time.
const HOURS_AT_ONCE: u64 = 8;

/// One hour in nanoseconds.
const HOUR: u128 = Duration::from_secs(3_600).as_nanos();

/// A number of bytes an hour, on average.
#[derive(Debug)]
pub(crate) struct Quota {
    bytes_per_hour: u64,
    start: Instant,
    /// Until when what was added is made up for, in nanoseconds since the start.
    used_until: AtomicU64,
}

impl Quota {
    pub(crate) const fn new(bytes_per_hour: u64, start: Instant) -> Self {
        Self { bytes_per_hour, start, used_until: AtomicU64::new(0) }
    }

    /// Takes bytes. Gives whether there were so many.
    pub(crate) fn take(&self, bytes: usize, now: Instant) -> bool {
        let bytes = u128::try_from(bytes).unwrap_or(u128::MAX >> 64);
        let cost = (bytes * HOUR).checked_div(u128::from(self.bytes_per_hour));
        let cost = cost.and_then(|it| u64::try_from(it).ok()).unwrap_or(u64::MAX);
        let length = u64::try_from(HOUR).unwrap_or(u64::MAX).saturating_mul(HOURS_AT_ONCE);
        let now = u64::try_from(now.saturating_duration_since(self.start).as_nanos());
        let now = now.unwrap_or(u64::MAX / 2);
        let taken = self.used_until.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| {
            let next = it.max(now).saturating_add(cost);
            (next - now <= length).then_some(next)
        });
        taken.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Quota;

    #[test]
    fn eight_hours_worth_fit_at_once_and_then_one_an_hour() {
        let start = Instant::now();
        let quota = Quota::new(1_000_000, start);
        let taken = |now| (0..20_000).filter(|_| quota.take(1_000, now)).count();
        assert_eq!(taken(start), 8_000);
        assert_eq!(taken(start), 0);
        assert_eq!(taken(start + Duration::from_secs(3_600)), 1_000);
        assert_eq!(taken(start + Duration::from_secs(100 * 3_600)), 8_000, "no more than that");
        assert!(!Quota::new(0, start).take(1, start));
        assert!(Quota::new(u64::MAX, start).take(usize::MAX, start));
    }
}
