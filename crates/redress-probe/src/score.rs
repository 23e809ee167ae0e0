//! `Score`: how good the answers are, as a number from 0 to 100 and a letter, with the sums behind it.

use serde::{Deserialize, Serialize};

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

/// What one rule gave to a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The id of the rule.
    pub rule: String,
    /// How much it counts.
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
