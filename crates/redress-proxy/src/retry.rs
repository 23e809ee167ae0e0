//! Which failed calls the gate makes again by itself, when, and how many of them.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use redress_registry::Retry;

/// How failed calls are made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryRule {
    /// How often a call is made at most; one: never again.
    pub attempts: u32,
    /// The first pause; it doubles with each further one.
    pub first_pause: Duration,
    /// The longest pause. If the server asks for a longer one, the call fails instead.
    pub longest_pause: Duration,
    /// How many repeats there may be for a hundred calls.
    pub budget_percent: u32,
}

impl Default for RetryRule {
    fn default() -> Self {
        Self {
            attempts: 2,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(5),
            budget_percent: 10,
        }
    }
}

/// What the protocol itself says about the methods that are no calls of tools.
pub(crate) fn is_reading(method: &str) -> bool {
    const READING: [&str; 11] = [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "tasks/get",
        "tasks/list",
        "server/discover",
        "ping",
    ];
    READING.contains(&method)
}

impl RetryRule {
    /// When a call that was made so often is made again, if at all. `random` spreads the repeats of many.
    pub(crate) fn again_at(
        &self,
        made: u32,
        retry: Retry,
        (now, deadline): (Instant, Instant),
        random: u64,
    ) -> Option<Instant> {
        let most = retry.max.map_or(self.attempts, |it| self.attempts.min(it.saturating_add(1)));
        if made >= most {
            return None;
        }
        let doubled = self.first_pause.saturating_mul(1 << (made.saturating_sub(1)).min(16));
        let asked = Duration::from_millis(retry.after_ms.unwrap_or_default());
        let pause = longer(doubled.min(self.longest_pause), random).max(longer(asked, random));
        if asked > self.longest_pause {
            return None;
        }
        now.checked_add(pause).filter(|it| *it < deadline)
    }
}

/// A pause, or up to a quarter more.
fn longer(pause: Duration, random: u64) -> Duration {
    let percent = 100 + u32::try_from(random % 26).unwrap_or_default();
    pause.saturating_mul(percent) / 100
}

/// How many repeats a server may still get: a part of its calls, so that repeats never become a flood.
#[derive(Debug)]
pub(crate) struct Budget {
    /// In hundredths of a repeat.
    saved: AtomicU64,
    percent: u64,
}

/// What one repeat costs.
const REPEAT: u64 = 100;
/// What there is at the start, so that a server with few calls has a chance, too.
const AT_FIRST: u64 = 10 * REPEAT;
/// What can be saved.
const MOST_SAVED: u64 = 100 * REPEAT;

impl Budget {
    pub(crate) fn new(rule: &RetryRule) -> Self {
        let percent = u64::from(rule.budget_percent);
        Self { saved: AtomicU64::new(if percent == 0 { 0 } else { AT_FIRST }), percent }
    }

    /// A call came.
    pub(crate) fn called(&self) {
        if self.saved.load(Ordering::Relaxed) < MOST_SAVED {
            self.saved.fetch_add(self.percent, Ordering::Relaxed);
        }
    }

    /// Whether there is one repeat left; it is spent then.
    pub(crate) fn spend(&self) -> bool {
        let spent = |it: u64| it.checked_sub(REPEAT);
        self.saved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use redress_registry::{Retry, RetryKind};

    use super::{Budget, RetryRule, is_reading};

    #[test]
    fn only_methods_that_read_are_repeated() {
        assert!(is_reading("resources/read") && is_reading("tools/list"));
        assert!(
            !is_reading("tools/call")
                && !is_reading("logging/setLevel")
                && !is_reading("initialize")
        );
    }

    #[test]
    fn pauses_grow_and_never_pass_the_deadline() {
        let rule = RetryRule { attempts: 9, ..RetryRule::default() };
        let now = Instant::now();
        let far = now + Duration::from_secs(60);
        let retry = Retry::of(RetryKind::Now);
        let pause = |made, random| {
            rule.again_at(made, retry, (now, far), random).map(|it| (it - now).as_millis())
        };
        assert_eq!([1, 2, 3, 6, 8].map(|it| pause(it, 0)), [200, 400, 800, 5_000, 5_000].map(Some));
        assert_eq!(pause(1, 25), Some(250), "spread");
        assert_eq!(pause(9, 0), None, "often enough");
        let soon = now + Duration::from_millis(200);
        assert_eq!(rule.again_at(1, retry, (now, soon), 0), None, "too late by then");
    }

    #[test]
    fn the_wait_that_is_asked_for_is_kept_or_the_caller_is_told() {
        let rule = RetryRule::default();
        let now = Instant::now();
        let far = now + Duration::from_secs(60);
        let at = |retry| rule.again_at(1, retry, (now, far), 0).map(|it| (it - now).as_millis());
        assert_eq!(at(Retry::after(2_000)), Some(2_000));
        assert_eq!(at(Retry::after(5_001)), None);
        assert_eq!(at(Retry { max: Some(0), ..Retry::after(10) }), None, "the row says: not again");
    }

    #[test]
    fn repeats_stay_a_part_of_the_calls() {
        let budget = Budget::new(&RetryRule::default());
        let spent = |calls: u32| {
            (0..calls).for_each(|_| budget.called());
            (0..calls).filter(|_| budget.spend()).count()
        };
        assert_eq!(spent(100), 10 + 10);
        assert_eq!(spent(1_000), 100);
        assert_eq!(spent(1_000_000), 100, "what was not used is not kept for ever");
        let none = Budget::new(&RetryRule { budget_percent: 0, ..RetryRule::default() });
        assert!(!none.spend());
    }
}
