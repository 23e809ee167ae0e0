//! `Rule`: what every rule says of itself, so that lists, pages and findings tell the same.

use serde_json::{Map, Value};

/// A rule of the lint or of the diff, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Permanent, as `CK101` or `DF010`.
    pub id: &'static str,
    /// Reads after "allow": `allow duplicate-number`.
    pub name: &'static str,
    /// How much it weighs.
    pub grade: Grade,
    /// What it finds, one sentence.
    pub summary: &'static str,
    /// Why that is bad, one sentence.
    pub why: &'static str,
    /// How to get rid of it, one sentence.
    pub how_to_fix: &'static str,
}

/// How much a rule weighs: a lint rule has a level, a rule of the diff an impact and a victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// Of a lint rule.
    Level(Level),
    /// Of a diff rule.
    Change {
        /// The worst that a change of this kind does; a single one can weigh less.
        impact: Impact,
        /// Who notices.
        who: Who,
        /// Whether it weighs as much for a draft; other changes of drafts are text.
        drafts_too: bool,
    },
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The contract is broken, or will break a user.
    Violation,
    /// It works and could be better.
    Improvement,
    /// Good to know.
    Information,
}

impl Level {
    /// The name in lists and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Violation => "violation",
            Self::Improvement => "improvement",
            Self::Information => "information",
        }
    }
}

/// What a change does to those who rely on the contract, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Impact {
    /// Can never be accepted: an identity is lost.
    Forbidden,
    /// Needs a major version.
    Breaking,
    /// Needs a minor version, and a look.
    Risky,
    /// Needs a minor version.
    Additive,
    /// Needs a patch version.
    Text,
}

impl Impact {
    /// The name in lists and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden",
            Self::Breaking => "breaking",
            Self::Risky => "risky",
            Self::Additive => "additive",
            Self::Text => "text",
        }
    }
}

/// Who notices a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Readers of the bytes.
    Wire,
    /// A program that acts on code, class, retry.
    Branch,
    /// Users of generated code.
    Source,
    /// A reader.
    Text,
}

impl Who {
    /// The name in lists and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wire => "WIRE",
            Self::Branch => "BRANCH",
            Self::Source => "SOURCE",
            Self::Text => "TEXT",
        }
    }
}

impl Rule {
    /// The level of a finding of this rule: what forbids or breaks is a violation.
    pub const fn level(&self) -> Level {
        match self.grade {
            Grade::Level(level) => level,
            Grade::Change { impact, .. } => match impact {
                Impact::Forbidden | Impact::Breaking => Level::Violation,
                Impact::Risky => Level::Improvement,
                Impact::Additive | Impact::Text => Level::Information,
            },
        }
    }

    /// What a change does at worst and who notices, if this is a rule of the diff.
    pub(crate) const fn impact(&self) -> (Impact, Who) {
        match self.grade {
            Grade::Change { impact, who, .. } => (impact, who),
            Grade::Level(_) => (Impact::Text, Who::Text),
        }
    }

    /// Whether a change weighs as much for a draft.
    pub(crate) const fn holds_for_drafts(&self) -> bool {
        matches!(self.grade, Grade::Change { drafts_too: true, .. })
    }

    /// The rule as listed by `registry rules`.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: &str| json.insert(key.into(), value.into());
        put("id", self.id);
        put("name", self.name);
        match self.grade {
            Grade::Level(level) => {
                put("kind", "lint");
                put("level", level.name());
            }
            Grade::Change { impact, who, .. } => {
                put("kind", "diff");
                put("severity", impact.name());
                put("who", who.name());
            }
        }
        put("summary", self.summary);
        put("why", self.why);
        put("how_to_fix", self.how_to_fix);
        Value::Object(json)
    }
}
