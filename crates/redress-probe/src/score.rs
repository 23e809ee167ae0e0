//! `Score`: how good the answers are, as a number from 0 to 100 and a letter, with the sums behind it.

use serde::{Deserialize, Serialize};

/// How much of a server's score is its own answers, in percent; the rest is the mean of its tools.
pub const OWN_PERCENT: u64 = 30;

/// The most points that are left when an answer breaks a rule, by the id of the rule.
pub(crate) type Cap = fn(&str) -> Option<u8>;

/// How good the answers of a tool or of a server are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// 0 to 100.
    pub points: u8,
    /// What the points are called.
    pub letter: Letter,
    /// The rule that keeps the points down, whatever else is good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capped_by: Option<String>,
    /// What every rule gave, in the order of their ids.
    pub rules: Vec<Share>,
}

impl Score {
    /// The score that rules give: 100 without what each broken one costs, unless a rule keeps it down further.
    pub(crate) fn of(rules: Vec<Share>, cap: Cap) -> Option<Self> {
        if rules.is_empty() {
            return None;
        }
        let lost: u64 = rules.iter().map(Share::lost).sum();
        let points = 100_000_u64.saturating_sub(lost) / 1_000;
        Some(Self::capped(points, rules, cap))
    }

    /// The score of a server: its own answers, and the mean of its tools.
    pub(crate) fn whole(own: Option<&Self>, tools: &[Self], cap: Cap) -> Option<Self> {
        let count = u64::try_from(tools.len()).unwrap_or(u64::MAX);
        let sum: u64 = tools.iter().map(|it| u64::from(it.points)).sum();
        let mean = sum.checked_div(count);
        let points = match (own.map(|it| u64::from(it.points)), mean) {
            (Some(own), Some(mean)) => (own * OWN_PERCENT + mean * (100 - OWN_PERCENT)) / 100,
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return None,
        };
        let mut rules: Vec<Share> = Vec::new();
        for share in own.into_iter().chain(tools).flat_map(|it| &it.rules) {
            match rules.iter_mut().find(|it| it.rule == share.rule) {
                Some(it) => {
                    it.checked += share.checked;
                    it.passed += share.passed;
                }
                None => rules.push(share.clone()),
            }
        }
        rules.sort_by(|a, b| a.rule.cmp(&b.rule));
        Some(Self::capped(points, rules, cap))
    }

    fn capped(points: u64, rules: Vec<Share>, cap: Cap) -> Self {
        let points = u8::try_from(points).unwrap_or(100).min(100);
        let broken = rules.iter().filter(|it| it.passed < it.checked);
        let caps = broken.filter_map(|it| Some((cap(&it.rule)?, it.rule.clone())));
        match caps.min().filter(|it| it.0 < points) {
            Some((cap, rule)) => {
                Self { points: cap, letter: Letter::of(cap), capped_by: Some(rule), rules }
            }
            None => Self { points, letter: Letter::of(points), capped_by: None, rules },
        }
    }
}

impl Share {
    /// What it costs, in thousandths of a point: its weight, times the part of the answers that break it.
    fn lost(&self) -> u64 {
        let count = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
        let broken = count(self.checked.saturating_sub(self.passed)).saturating_mul(1_000);
        broken.checked_div(count(self.checked)).unwrap_or_default() * u64::from(self.weight)
    }
}

/// What one rule gave to a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The id of the rule.
    pub rule: String,
    /// How many points it costs if every answer breaks it.
    pub weight: u16,
    /// How many answers it looked at.
    pub checked: usize,
    /// How many of them were good.
    pub passed: usize,
}

/// What points are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Letter {
    /// From 90.
    A,
    /// From 75.
    B,
    /// From 60.
    C,
    /// From 40.
    D,
    /// Below.
    F,
}

impl Letter {
    /// The letters and the points from which each is given, the best first.
    pub const FROM: [(Self, u8); 5] =
        [(Self::A, 90), (Self::B, 75), (Self::C, 60), (Self::D, 40), (Self::F, 0)];

    /// What so many points are called.
    pub fn of(points: u8) -> Self {
        let found = Self::FROM.into_iter().find(|(_, from)| points >= *from);
        found.map_or(Self::F, |(letter, _)| letter)
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::F => "F",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Letter, Score, Share};
    use crate::grade::cap;

    fn share(rule: &str, weight: u16, passed: usize) -> Share {
        Share { rule: rule.into(), weight, checked: 4, passed }
    }

    #[test]
    fn a_broken_rule_costs_its_weight_by_the_part_of_the_answers_that_break_it() {
        let points = |rules| Score::of(rules, cap).map(|it| (it.points, it.letter));
        assert_eq!(
            points(vec![share("PR301", 30, 4), share("PR302", 20, 4)]),
            Some((100, Letter::A))
        );
        assert_eq!(
            points(vec![share("PR301", 30, 4), share("PR302", 20, 0)]),
            Some((80, Letter::B))
        );
        // Rules that are kept beside it make a broken one no cheaper.
        assert_eq!(points(vec![share("PR301", 30, 2)]), Some((85, Letter::B)));
        assert_eq!(
            points(vec![share("PR301", 30, 2), share("PR302", 50, 4)]),
            Some((85, Letter::B))
        );
        assert_eq!(
            points(vec![share("PR301", 70, 0), share("PR302", 70, 0)]),
            Some((0, Letter::F))
        );
        assert_eq!(points(Vec::new()), None);
    }

    #[test]
    fn a_server_that_dies_is_never_better_than_a_d() {
        let score = Score::of(vec![share("PR301", 30, 4), share("PR103", 1, 3)], cap).unwrap();
        assert_eq!((score.points, score.letter), (59, Letter::D));
        assert_eq!(score.capped_by.as_deref(), Some("PR103"));
    }

    #[test]
    fn a_server_is_its_own_answers_and_the_mean_of_its_tools() {
        let score = |passed| Score::of(vec![share("PR301", 30, passed)], cap).unwrap();
        let whole = Score::whole(Some(&score(4)), &[score(4), score(0)], cap).unwrap();
        // 30 % of 100, and 70 % of the mean of 100 and 70.
        assert_eq!(whole.points, 89);
        assert_eq!(
            whole.rules,
            [Share { rule: "PR301".into(), weight: 30, checked: 12, passed: 8 }]
        );
        assert_eq!(Score::whole(None, &[], cap), None);
    }
}
