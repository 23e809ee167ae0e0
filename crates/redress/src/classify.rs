//! Outcome to verdict: what an upstream did, and which row of the registry that is.

mod answer;
mod checked;
mod details;
mod envelope;
mod expected;
mod extract;
mod facts;
mod judge;
mod leaks;
mod line;
mod message;
mod named;
mod normal;
mod part;
mod paths;
mod phrase;
mod query;
mod raise;
mod ran;
mod request;
mod say;
mod silent;
mod start;
mod statements;
mod status;
mod structure;
mod table;
mod unfit;
mod wait;
mod words;
mod work;
mod wrong;

use std::borrow::Cow;

pub use leaks::Leak;
pub use line::{LineError, line};
use redress_registry::{Registry, shipped};

use crate::{
    Fault,
    json::{Doc, Limits, Value},
    outcome::{Asked, Outcome, What},
};

/// What an outcome is.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Nothing failed that anybody can see.
    Success,
    /// A failure.
    Failure(Box<Failure>),
}

/// A failure that was recognised.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The server did not flag it.
    pub silent: bool,
    /// No doubt is left that it is one: it was flagged, or its structure says so.
    pub certain: bool,
    /// The row that named it; of a silent one, first the row that found it: `sign+rule`.
    pub rule: Cow<'static, str>,
    /// It tells of work that was done before it failed, or is what a program said that had run; nobody but its words named it.
    pub worked: bool,
    /// What its text gives away.
    pub leaks: Vec<Leak>,
    /// The failure itself.
    pub fault: Fault,
}

impl Failure {
    /// Whether a rule has named it; otherwise all that is known is that it failed.
    pub fn is_named(&self) -> bool {
        self.rule.rsplit('+').next() != Some(raise::Named::UNKNOWN.id)
    }
}

/// Judges an outcome. Pure, total and deterministic: any bytes give a verdict, the same ones the same.
///
/// In this order: a request that is itself malformed; a known dialect in the payload; facts of the protocol; the table
/// of rules, whose first row that fits wins; last, `UNKNOWN_TOOL_FAILURE`.
pub fn classify(asked: &Asked<'_>, outcome: &Outcome<'_>, registry: &Registry) -> Verdict {
    answer::judge(asked, outcome, registry)
}

/// Whether the result of a call that is not flagged needs a judgement at all. Most do not, and this costs them nothing.
pub fn is_suspect(result: Value<'_>) -> bool {
    silent::suspect(result, None).is_some()
}

/// Makes ready what every judgement needs. Whoever does not call it pays for it with the first one, some milliseconds.
pub fn warm_up() {
    const FAILED: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"error\":\"ENOENT\"}"}],"isError":true}}"#;
    let Ok(doc) = Doc::parse(FAILED, Limits::DOCUMENT) else { return };
    is_suspect(doc.root());
    classify(&Asked::default(), &Outcome::of(What::Answer(doc.root())), shipped::core());
}

#[cfg(test)]
mod tests;
