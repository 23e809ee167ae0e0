//! Outcome to verdict: what an upstream did, and which row of the registry that is.
//!
//! Evidence comes in tiers, strongest first, each in a module of its own: what the server states (`stated`), what the contract
//! teaches (`taught`), facts of the protocol (`protocol`), forms of programs (`formats`), words (`prose`). The first that
//! speaks wins.

mod answer;
pub mod cluster;
mod details;
mod echo;
mod evidence;
mod extract;
mod formats;
mod leaks;
mod line;
mod message;
mod normal;
mod paths;
mod phrase;
mod prose;
mod protocol;
mod raise;
mod request;
mod say;
mod stated;
mod table;
mod tables;
mod taught;
mod tier;
mod unflagged;
mod wait;
mod work;

use std::borrow::Cow;

pub use leaks::Leak;
pub use line::{LineError, line};
use redress_registry::{Registry, shipped};
pub use tier::Tier;

use crate::{
    Fault,
    outcome::{Asked, Outcome, What},
};
use redress_wire::json::{Doc, Limits, Value};

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
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Failure {
    /// The server did not flag it.
    pub silent: bool,
    /// No doubt is left that it is one: it was flagged, or its structure says so.
    pub certain: bool,
    /// The kind of evidence that named it.
    pub tier: Tier,
    /// The rule that named it; of a silent one, first the sign that found it: `sign+rule`.
    pub rule: Cow<'static, str>,
    /// A validator refused the arguments, before they had an effect.
    pub is_of_validator: bool,
    /// An SDK says that the tool failed, and hides why: the log of the server may say it.
    pub is_opaque: bool,
    /// The call may have begun its work before it failed, as the request or the answer tells.
    pub begun: bool,
    /// What its text gives away.
    pub leaks: Vec<Leak>,
    /// The failure itself.
    pub fault: Fault,
}

impl Failure {
    /// Whether a tier has named it; otherwise all that is known is that it failed.
    pub fn is_named(&self) -> bool {
        self.tier != Tier::Unknown
    }
}

/// Judges an outcome. Pure, total and deterministic: any bytes give a verdict, the same ones the same.
///
/// The first tier that speaks wins; last, `UNKNOWN_TOOL_FAILURE`.
pub fn classify(asked: &Asked<'_>, outcome: &Outcome<'_>, registry: &Registry) -> Verdict {
    answer::judge(asked, outcome, registry)
}

/// All that a message says to its reader: the text that taught rows are held against.
pub fn said(message: Value<'_>) -> Cow<'_, str> {
    let error = message.path(&["error", "message"]).and_then(Value::as_str);
    error.or_else(|| message.get("result").map(answer::texts)).unwrap_or_default()
}

/// Whether the result of a call that is not flagged needs a judgement at all under a contract. Most do not, and this costs them
/// nothing.
pub fn is_suspect(result: Value<'_>, registry: &Registry) -> bool {
    taught::has_silent(registry) || unflagged::suspect(result, None).is_some()
}

/// Whether a tool of that name gives back what others wrote, or runs or judges it, so that its answers can say anything.
pub fn gives_back(tool: &str) -> bool {
    let deeds = request::deeds(&normal::normal(tool));
    deeds.shows || deeds.runs || deeds.judges || deeds.searches
}

/// Makes ready what every judgement needs. Without it the first judgement takes some milliseconds more.
pub fn warm_up() {
    const FAILED: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"error\":\"ENOENT\"}"}],"isError":true}}"#;
    let Ok(doc) = Doc::parse(FAILED, Limits::DOCUMENT) else { return };
    is_suspect(doc.root(), shipped::core());
    classify(&Asked::default(), &Outcome::of(What::Answer(doc.root())), shipped::core());
}

#[cfg(test)]
mod tests;
