//! Medians, and a histogram that costs nothing to fill.

use std::time::Duration;

/// Buckets for each power of two: a quantile is off by at most one part in so many.
const FINE: usize = 64;
const FINE_BITS: u32 = FINE.trailing_zeros();

/// How long calls took.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; FINE * 64], total: 0 }
    }
}

impl Histogram {
    pub(crate) fn record(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        if let Some(count) = self.counts.get_mut(bucket(nanos)) {
            *count += 1;
        }
        self.total += 1;
    }

    /// The time in microseconds that this share of the calls did not exceed.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut left = self.total as f64 * share;
        for (at, count) in self.counts.iter().enumerate() {
            left -= *count as f64;
            if left <= 0.0 && *count > 0 {
                return middle(at) / 1_000.0;
            }
        }
        0.0
    }
}

/// Small numbers have a bucket each; above, `FINE` buckets share a power of two.
fn bucket(nanos: u64) -> usize {
    let power = nanos.ilog2().saturating_sub(FINE_BITS);
    let place = usize::try_from(nanos >> power).unwrap_or_default();
    power as usize * FINE + place
}

fn middle(bucket: usize) -> f64 {
    let power = (bucket / FINE).saturating_sub(1);
    let place = bucket - power * FINE;
    (place as f64 + if power > 0 { 0.5 } else { 0.0 }) * 2f64.powf(power as f64)
}

/// The middle one, or the mean of the two in the middle; nothing for no figures.
pub(crate) fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let above = *figures.get(figures.len() / 2)?;
    let below = *figures.get((figures.len() - 1) / 2)?;
    Some(f64::midpoint(above, below))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Histogram, median};

    #[test]
    fn a_quantile_is_off_by_less_than_two_percent() {
        for nanos in [40u64, 64, 65, 127, 128, 1_000, 44_000_123, 9_000_000_000] {
            let mut histogram = Histogram::default();
            histogram.record(Duration::from_nanos(nanos));
            let found = histogram.quantile(0.5) * 1_000.0;
            assert!((found / nanos as f64 - 1.0).abs() < 0.02, "{nanos}: {found}");
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
    }
}
