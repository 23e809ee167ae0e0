//! `Finding`: what one rule has to say about one tool, or about the server, with every exchange that shows it.

use redress_registry::Level;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// What one rule found at one tool, or at the server as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The id of the rule, such as `PR101`.
    pub rule: String,
    /// How much it weighs.
    #[serde(with = "level")]
    pub level: Level,
    /// The tool; absent, it is about the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What is wrong, in a few words that are the same each time.
    pub title: String,
    /// Why that is bad, one sentence.
    pub why: String,
    /// How to get rid of it, one sentence.
    pub fix: String,
    /// How many answers the rule looked at here; as many as [`Finding::hits`] are wrong.
    pub checked: usize,
    /// Every answer that breaks the rule, the plainest first.
    pub hits: Vec<Hit>,
}

/// One answer that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The case that was run, as `--only` takes it.
    pub case: String,
    /// The exchanges that show it, as places in the list of exchanges of the run.
    pub exchanges: Vec<usize>,
    /// What is wrong with this one, one sentence.
    pub message: String,
    /// What should have been answered, one sentence.
    pub expected: String,
    /// The command that runs this case again.
    pub repeat: String,
}

impl Finding {
    /// The same in every run that finds it: what a comparison goes by.
    pub fn key(&self) -> (&str, Option<&str>) {
        (&self.rule, self.tool.as_deref())
    }
}

/// A level, by its name.
pub(crate) mod level {
    use super::{Deserialize, Deserializer, Error, Level, Serializer};

    const ALL: [Level; 3] = [Level::Violation, Level::Improvement, Level::Information];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
    pub(crate) fn serialize<S: Serializer>(level: &Level, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(level.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Level, D::Error> {
        let name = String::deserialize(from)?;
        let found = ALL.into_iter().find(|it| it.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("unknown level `{name}`")))
    }
}
