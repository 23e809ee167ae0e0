//! Failures in groups: those that say the same, but for the values in it, and the `[[match]]` row that would name each group.
//!
//! `redress learn` and the console group with the same function.

mod draft;
mod mask;

use std::collections::BTreeMap;

use redress_registry::{Effect, taught::Taught};

pub use draft::{Draft, Dropped, Sample, draft};
pub use mask::{Mask, mask};

use crate::{classify::Tier, redact};

/// The most groups; failures that fit in none of them are counted.
const MOST: usize = 1_000;
/// The most texts of one group that are kept.
const MOST_EXAMPLES: usize = 3;
/// The most tools that a group names.
const MOST_TOOLS: usize = 50;
/// How many letters and digits of a glob with a `*` must be fixed.
const LEAST_FIXED: usize = 4;

/// One failure, as far as it decides which others are like it.
#[derive(Debug, Clone, Copy)]
pub struct Sighting<'s> {
    /// The tool that was called; empty if none was.
    pub tool: &'s str,
    /// All that the server said.
    pub text: &'s str,
    /// The number of the JSON-RPC error.
    pub rpc_code: Option<i64>,
    /// Values and names of the call's arguments, which the text may repeat.
    pub given: &'s [&'s str],
    /// The code that names it so far.
    pub code: &'s str,
    /// The evidence for that code.
    pub tier: Tier,
    /// The server did not flag it.
    pub is_silent: bool,
    /// It changed nothing, by more than words: a validator refused the call, or its tool only reads.
    pub is_harmless: bool,
    /// When it happened. Times compare as texts.
    pub time: &'s str,
}

/// Failures that say the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// What they say, with the kinds of values in angle brackets.
    pub shown: String,
    /// The same as a glob.
    pub glob: String,
    /// The number of the JSON-RPC error, where they say nothing else.
    pub rpc_code: Option<i64>,
    /// The code that names them so far.
    pub code: String,
    /// The evidence for that code.
    pub tier: Tier,
    /// The server did not flag them.
    pub is_silent: bool,
    /// None of them changed anything, by more than words.
    pub is_harmless: bool,
    /// How many there were.
    pub count: u64,
    /// When the first one happened.
    pub first: String,
    /// When the last one happened.
    pub last: String,
    /// How many there were of each tool.
    pub tools: BTreeMap<String, u64>,
    /// Some of their texts, without secrets, line breaks and characters that cannot be seen.
    pub examples: Vec<String>,
}

/// What failures are grouped by. Unflagged ones are grouped by tool, since texts of another tool say nothing about them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ClusterKey {
    silent_tool: Option<String>,
    code: String,
    glob: String,
    rpc_code: Option<i64>,
}

/// Groups failures, in bounded memory.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    found: BTreeMap<ClusterKey, Cluster>,
    left_out: u64,
}

impl Clusters {
    /// Adds a failure to its group.
    pub fn add(&mut self, sighting: &Sighting<'_>) {
        let text = redact::clean(sighting.text);
        let mut given = sighting.given.to_vec();
        given.push(sighting.tool);
        let Mask { shown, glob, .. } = mask(&text, &given);
        let rpc_code = sighting.rpc_code.filter(|_| glob.is_empty());
        let key = ClusterKey {
            silent_tool: sighting.is_silent.then(|| sighting.tool.to_owned()),
            code: sighting.code.to_owned(),
            glob,
            rpc_code,
        };
        if self.found.len() >= MOST && !self.found.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        let glob = key.glob.clone();
        let cluster = self.found.entry(key).or_insert_with(|| Cluster {
            shown,
            glob,
            rpc_code,
            code: sighting.code.to_owned(),
            tier: sighting.tier,
            is_silent: sighting.is_silent,
            is_harmless: true,
            count: 0,
            first: sighting.time.to_owned(),
            last: sighting.time.to_owned(),
            tools: BTreeMap::new(),
            examples: Vec::new(),
        });
        cluster.add(sighting, &text);
    }

    /// How many failures fit in no group, because there were too many groups.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The groups, the most frequent first.
    pub fn into_sorted(self) -> Vec<Cluster> {
        let mut all: Vec<Cluster> = self.found.into_values().collect();
        all.sort_by(|one, other| {
            other.count.cmp(&one.count).then_with(|| one.glob.cmp(&other.glob))
        });
        all
    }
}

impl Cluster {
    fn add(&mut self, sighting: &Sighting<'_>, text: &str) {
        self.count += 1;
        self.is_harmless &= sighting.is_harmless;
        if sighting.time < self.first.as_str() {
            sighting.time.clone_into(&mut self.first);
        }
        if sighting.time > self.last.as_str() {
            sighting.time.clone_into(&mut self.last);
        }
        if self.tools.contains_key(sighting.tool) || self.tools.len() < MOST_TOOLS {
            *self.tools.entry(sighting.tool.to_owned()).or_default() += 1;
        }
        if self.examples.len() < MOST_EXAMPLES {
            let example = mask::example(text, &self.glob);
            if !self.examples.contains(&example) {
                self.examples.push(example);
            }
        }
    }

    /// The one tool that failed so, if there is only one and a row can name it.
    fn only_tool(&self) -> Option<&str> {
        let mut tools = self.tools.keys();
        let tool = tools.next().filter(|_| tools.next().is_none())?;
        let is_name =
            |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/' | ':');
        (!tool.is_empty() && tool.len() <= 128 && tool.chars().all(is_name)).then_some(tool)
    }

    /// What a row with a code of this effect says of the effect: words prove no `none`, so that it is `unknown` then.
    pub fn effect(clusters: &[&Self], of_code: Effect) -> Option<Effect> {
        let is_harmless = clusters.iter().all(|it| it.is_harmless);
        (of_code == Effect::None && !is_harmless).then_some(Effect::Unknown)
    }

    /// The row that names them; none, where what they say is too little to tell them from others.
    pub fn row(&self, code: &str) -> Option<Taught> {
        self.row_with(&self.glob, code)
    }

    /// The same with a wider glob.
    fn row_with(&self, glob: &str, code: &str) -> Option<Taught> {
        let tool = self.only_tool();
        if self.is_silent && tool.is_none() {
            return None;
        }
        let fixed = glob.chars().filter(|it| it.is_alphanumeric()).count();
        let is_said = fixed >= LEAST_FIXED || fixed > 0 && !glob.contains(['*', '?']);
        if !is_said && self.rpc_code.is_none() {
            return None;
        }
        let example = self.examples.first().cloned().unwrap_or_default();
        Some(Taught {
            tool: tool.map(str::to_owned),
            text: is_said.then(|| glob.to_owned()),
            rpc_code: self.rpc_code,
            code: code.to_owned(),
            silent: self.is_silent,
            example: Some(example),
            ..Taught::default()
        })
    }
}

#[cfg(test)]
mod tests;
