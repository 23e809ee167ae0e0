//! The operator's configuration: a variable of the environment that a server misses, by the form of its name.

use redress_registry::Effect;

use super::super::{
    evidence::Evidence,
    request::is_among,
    tier::{Finding, Tier},
};
use crate::codes;

/// What is beside the name of a variable that is missing.
const WORDS: &str = "not set|is unset|must be set|environment variable|is required|missing|not defined|not configured|not provided";
/// Parts of names that hold credentials.
const CREDENTIALS: &str = " KEY TOKEN SECRET PASSWORD CREDENTIALS PAT ";
/// How far the words may be from the name.
const NEAR: usize = 60;

pub(super) fn read<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let text = &*evidence.said.text;
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let words = text.split(|it| !is_part(it)).filter(|it| is_variable(it)).take(8);
    for name in words {
        let is_given = evidence.request.arguments.iter().any(|it| it.value.contains(name));
        if !is_given && is_missing(text, name) {
            let holds_credential = name.split('_').any(|it| is_among(it, CREDENTIALS));
            let code = if holds_credential { codes::AUTH_REQUIRED } else { codes::CONFIG_INVALID };
            let rule = "environment: variable is not set";
            return Some(Finding::new(Tier::Format, rule, code.name()).effect(Effect::Unknown));
        }
    }
    None
}

/// `SEARXNG_URL`: capitals in two parts at least.
fn is_variable(word: &str) -> bool {
    word.len() >= 5
        && word.contains('_')
        && word.starts_with(|it: char| it.is_ascii_uppercase())
        && word.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
}

fn is_missing(text: &str, name: &str) -> bool {
    let Some(at) = text.find(name) else { return false };
    let before = text.get(at.saturating_sub(NEAR)..at).unwrap_or_default();
    let after = text.get(at + name.len()..).unwrap_or_default();
    let after: String = after.chars().take(NEAR).collect();
    let (before, after) = (before.to_ascii_lowercase(), after.to_ascii_lowercase());
    WORDS.split('|').any(|it| after.contains(it) || before.contains(it))
        || ["set ", "set the ", "provide "].iter().any(|it| before.ends_with(it))
}
