//! `Moment`: the time of an event, from the driver. The session has no clock.

use std::time::{Duration, Instant};

use redress_ledger::Time;

/// A point in time on both clocks: the one that never jumps, and the one on the wall.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// For deadlines and durations.
    pub at: Instant,
    /// For people.
    pub wall: Time,
}

impl Moment {
    /// Whole milliseconds since `earlier`.
    pub(crate) fn since(self, earlier: Instant) -> u64 {
        millis(self.at.saturating_duration_since(earlier))
    }
}

/// Whole milliseconds.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
