//! How many repeats a client may still make: a bucket of tokens, so that repeats never become a flood.

/// What a repeat costs, in the unit that budgets are kept in.
const REPEAT: u64 = 1_000;

/// Into how many parts a unit is divided: a rate is per second, time comes in milliseconds.
const PARTS: u128 = 1_000;

/// How a budget fills. All values are thousandths of a repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetRule {
    /// What it holds at most, and at the start.
    pub capacity: u64,
    /// What each call that succeeds puts in.
    pub per_success: u64,
    /// What each second puts in.
    pub per_second: u64,
}

impl Default for BudgetRule {
    /// Ten repeats, and one more for every ten calls that succeed.
    fn default() -> Self {
        Self { capacity: 10 * REPEAT, per_success: REPEAT / 10, per_second: 0 }
    }
}

/// The repeats that are left. Share one among all calls to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    rule: BudgetRule,
    saved: u64,
    /// Up to when the seconds have been counted, in milliseconds since 1970.
    counted_ms: Option<u64>,
    /// What time put in that is less than the unit.
    parts: u128,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(BudgetRule::default())
    }
}

impl Budget {
    /// A full budget.
    pub const fn new(rule: BudgetRule) -> Self {
        Self { rule, saved: rule.capacity, counted_ms: None, parts: 0 }
    }

    /// A budget that holds only so much, in thousandths of a repeat.
    pub fn holding(rule: BudgetRule, saved: u64) -> Self {
        Self { rule, saved: saved.min(rule.capacity), counted_ms: None, parts: 0 }
    }

    /// What it holds, in thousandths of a repeat.
    pub const fn saved(&self) -> u64 {
        self.saved
    }

    /// A call succeeded.
    pub fn succeeded(&mut self) {
        self.put(self.rule.per_success);
    }

    /// It is so late now. A clock that goes back puts nothing in.
    pub fn pass(&mut self, now_ms: u64) {
        let since = self.counted_ms.map_or(0, |it| now_ms.saturating_sub(it));
        let parts = self.parts + u128::from(since) * u128::from(self.rule.per_second);
        self.put(u64::try_from(parts / PARTS).unwrap_or(u64::MAX));
        self.parts = parts % PARTS;
        self.counted_ms = Some(self.counted_ms.map_or(now_ms, |it| it.max(now_ms)));
    }

    /// Whether there is one repeat left.
    pub const fn has_one(&self) -> bool {
        self.saved >= REPEAT
    }

    /// Takes one repeat, if there is one.
    pub(super) fn spend(&mut self) {
        self.saved = self.saved.saturating_sub(REPEAT);
    }

    fn put(&mut self, more: u64) {
        self.saved = self.saved.saturating_add(more).min(self.rule.capacity);
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, BudgetRule};

    #[test]
    fn a_budget_is_used_up_and_fills_with_successes() {
        let mut budget = Budget::default();
        let mut spent = 0;
        while budget.has_one() {
            budget.spend();
            spent += 1;
        }
        assert_eq!(spent, 10);
        (0..9).for_each(|_| budget.succeeded());
        assert!(!budget.has_one());
        budget.succeeded();
        assert!(budget.has_one());
        (0..10_000).for_each(|_| budget.succeeded());
        assert_eq!(budget.saved(), 10_000, "never more than it holds");
    }

    #[test]
    fn time_fills_it_and_no_part_of_a_second_is_lost() {
        let rule = BudgetRule { capacity: 5_000, per_success: 0, per_second: 300 };
        let mut budget = Budget::holding(rule, 0);
        for now in 1_000_000..1_010_001 {
            budget.pass(now);
        }
        assert_eq!(budget.saved(), 3_000);
        budget.pass(0);
        assert_eq!(budget.saved(), 3_000, "a clock that goes back");
        budget.pass(u64::MAX);
        assert_eq!(budget.saved(), 5_000);
    }
}
