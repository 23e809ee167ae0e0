//! `Restarts`: when an upstream that ended may start again, and when it is parked.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// An upstream that lived this long did not crash in a row.
const STABLE: Duration = Duration::from_secs(60);

/// How often it may end in a row before it is parked.
const MOST_IN_A_ROW: u32 = 5;

/// The pause after the second end in a row; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The first time in the park; it doubles with each further one.
const FIRST_PARKING: Duration = Duration::from_secs(30);
const LONGEST_PARKING: Duration = Duration::from_secs(300);

/// Whether an upstream may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StartDecision {
    /// At once.
    Start,
    /// Not before then; a request is worth keeping until then.
    StartAt(Instant),
    /// Not before then; a request is refused.
    Parked(Instant),
}

/// How an upstream ended lately.
#[derive(Debug, Default)]
pub(crate) struct Restarts {
    in_a_row: u32,
    /// It has run before.
    has_run: bool,
    not_before: Option<Instant>,
}

impl Restarts {
    /// Notes that the upstream runs; whether it did before.
    pub(crate) const fn started(&mut self) -> bool {
        std::mem::replace(&mut self.has_run, true)
    }

    /// Notes that the upstream ended after it had lived so long. `random` spreads the pauses of many gates.
    pub(crate) fn ended(&mut self, now: Instant, lived: Duration, random: u64) {
        if lived >= STABLE {
            self.in_a_row = 0;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        let pause = match self.in_a_row {
            1 => Duration::ZERO,
            crashes if crashes < MOST_IN_A_ROW => FIRST_PAUSE * (1 << (crashes - 2)),
            crashes => {
                let doubled = FIRST_PARKING * (1 << (crashes - MOST_IN_A_ROW).min(8));
                doubled.min(LONGEST_PARKING)
            }
        };
        self.not_before = Some(now + jitter(pause, random));
    }

    /// How often it ended in a row.
    pub(crate) const fn in_a_row(&self) -> u32 {
        self.in_a_row
    }

    /// Whether it may start now.
    pub(crate) fn may_start(&self, now: Instant) -> StartDecision {
        match self.not_before {
            Some(then) if then > now && self.in_a_row >= MOST_IN_A_ROW => {
                StartDecision::Parked(then)
            }
            Some(then) if then > now => StartDecision::StartAt(then),
            _ => StartDecision::Start,
        }
    }
}

/// How the processes of one server fare that end before they say anything, whichever session they belong to: many
/// sessions must not start again and again what cannot start.
#[derive(Debug, Default)]
pub(crate) struct Starts(Mutex<FailedStarts>);

#[derive(Debug, Default)]
struct FailedStarts {
    restarts: Restarts,
    last: Option<Instant>,
}

impl Starts {
    /// A process that was started then ended and had said nothing.
    pub(crate) fn failed(&self, started: Instant, now: Instant, random: u64) {
        let mut failed = self.lock();
        // What was started before the last failure is no further try.
        if failed.last.is_none_or(|it| it <= started) {
            failed.last = Some(now);
            failed.restarts.ended(now, Duration::ZERO, random);
        }
    }

    /// A process said something.
    pub(crate) fn succeeded(&self) {
        *self.lock() = FailedStarts::default();
    }

    /// How often it failed in a row.
    pub(crate) fn in_a_row(&self) -> u32 {
        self.lock().restarts.in_a_row()
    }

    /// Whether another one may start now.
    pub(crate) fn may_start(&self, now: Instant) -> StartDecision {
        self.lock().restarts.may_start(now)
    }

    fn lock(&self) -> MutexGuard<'_, FailedStarts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Three quarters to five quarters of a pause.
fn jitter(pause: Duration, random: u64) -> Duration {
    let percent = 75 + u32::try_from(random % 51).unwrap_or_default();
    pause * percent / 100
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Restarts, StartDecision, Starts};

    #[test]
    fn starts_that_fail_at_once_count_as_one() {
        let (starts, begun) = (Starts::default(), Instant::now());
        let later = |seconds| begun + Duration::from_secs(seconds);
        (0..100).for_each(|_| starts.failed(begun, later(1), 25));
        assert_eq!(starts.in_a_row(), 1);
        assert_eq!(starts.may_start(later(1)), StartDecision::Start);
        (1..5).for_each(|it| starts.failed(later(it), later(it + 1), 25));
        assert!(matches!(starts.may_start(later(6)), StartDecision::Parked(_)));
        starts.succeeded();
        assert_eq!(starts.may_start(later(6)), StartDecision::Start);
    }

    #[test]
    fn one_end_costs_nothing_many_in_a_row_park_it() {
        let mut restarts = Restarts::default();
        let mut now = Instant::now();
        let mut starts = 0;
        loop {
            match restarts.may_start(now) {
                StartDecision::Start => starts += 1,
                StartDecision::StartAt(then) => {
                    assert!(then - now < Duration::from_secs(2));
                    now = then;
                    continue;
                }
                StartDecision::Parked(then) => {
                    assert!(then - now > Duration::from_secs(20));
                    break;
                }
            }
            restarts.ended(now, Duration::from_millis(3), 25);
        }
        assert_eq!(starts, 5);
        assert_eq!(
            restarts.may_start(now + Duration::from_secs(60)),
            StartDecision::Start,
            "one more try"
        );
        restarts.ended(now, Duration::from_millis(3), 25);
        let StartDecision::Parked(then) = restarts.may_start(now) else { panic!("parked again") };
        assert_eq!(then - now, Duration::from_secs(60), "for longer");
        restarts.ended(now, Duration::from_secs(61), 25);
        assert_eq!(restarts.may_start(now), StartDecision::Start, "forgotten after a good while");
    }
}
