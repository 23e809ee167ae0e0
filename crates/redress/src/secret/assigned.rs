//! Values that a telling name is given: `name=value`, `"name": "value"`, `"name": ["value"]`, `("name", "value")`, `--name value`,
//! `<name>value</name>`, `key="name" value="value"`, `| name | value |`, and those on the lines below a name.

mod children;
mod columns;
mod element;
mod form;
mod link;

use std::ops::Range;

use super::{
    MAX_SECRET, floor_boundary,
    names::{Secrecy, is_header, secrecy},
    scheme::{self, is_without_credential},
    value::{Given, LOOKED_AT, Link, is_failure, is_mixed, start_worth_hiding, worth_hiding},
};

/// The longest name that is looked at.
const MAX_NAME: usize = 128;

/// The name that a hint is a part of: a run of letters, digits and what joins them, whole at its end.
pub(super) fn name_around(text: &str, hint: &Range<usize>) -> Range<usize> {
    let is_name = |it: &&u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    let (before, after) = text.as_bytes().split_at(hint.end.min(text.len()));
    let length = before.iter().rev().take(MAX_NAME).take_while(is_name).count();
    let rest = after.iter().take_while(is_name).count();
    let start = (hint.end - length).max((hint.end + rest).saturating_sub(MAX_NAME));
    start..hint.end + rest
}

/// The values below a telling name, one on each line.
pub(super) fn values_below(text: &str, name: &Range<usize>) -> Vec<Range<usize>> {
    let is_telling = text.get(name.clone()).is_some_and(|it| secrecy(it).is_some());
    let before = line_before(text, name.start);
    if is_telling { children::values(text, name, before) } else { Vec::new() }
}

/// The value that a name is given, if it is a telling one. What is no secret is told from its start, so that a text full of names costs
/// no more than its length: a value that goes on behind that hides all that stands in it.
pub(super) fn value_of(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let spelled = text.get(name.clone())?;
    let secrecy = secrecy_of(text, name, spelled)?;
    let found = Found::of(text, name, secrecy, LOOKED_AT)?;
    let value = text.get(found.range.clone())?;
    let link = found.link;
    let rest = text.get(found.range.start..)?;
    let given = Given {
        before: line_before(text, name.start),
        name: spelled,
        sign: text.get(name.end..found.range.start).unwrap_or_default(),
        value,
        rest,
        link,
        is_spaced: found.is_spaced,
    };
    let is_said = || {
        is_line_of_file(spelled, value)
            || is_failure(given.rest)
            || is_of_arn(text, name)
            || is_parsed(&given)
            || is_sought(&given)
            || is_setting(spelled, value)
            || found.is_whole && given.is_source()
    };
    let is_worth = if found.is_whole { worth_hiding } else { start_worth_hiding };
    (is_worth(value, secrecy, link) && !is_said()).then_some(())?;
    // The end of a list or a block may stand further on.
    if found.is_whole && link != Link::Quoted {
        return Some(found.range);
    }
    Found::of(text, name, secrecy, MAX_SECRET).map(|it| it.range)
}

/// A value, as far as it was looked for.
struct Found {
    range: Range<usize>,
    link: Link,
    /// Spaces around what joins it to its name.
    is_spaced: bool,
    /// It ends there.
    is_whole: bool,
}

impl Found {
    fn of(text: &str, name: &Range<usize>, secrecy: Secrecy, most: usize) -> Option<Self> {
        if let Some(range) = element::value(text, name).or_else(|| columns::value(text, name)) {
            let is_whole = range.len() <= most;
            return Some(Self { range, link: Link::Quoted, is_spaced: false, is_whole });
        }
        let (spelled, rest) = (text.get(name.clone())?, text.get(name.end..)?);
        let joint = link::of(rest).or_else(|| link::spaced(rest, spelled, secrecy))?;
        let at = name.end + joint.at;
        let from = text.get(at..)?;
        let near = from.get(..floor_boundary(from, most))?;
        let (range, link) = form::value(near, joint.link, is_header(spelled))?;
        let range = match near.get(range.clone()) {
            Some(line) if is_header(spelled) && is_without_credential(line) => {
                let below = scheme::below(near.get(range.end..)?)?;
                range.end + below.start..range.end + below.end
            }
            _ => range,
        };
        let is_whole = range.end < near.len() || near.len() == from.len();
        let range = at + range.start..at + range.end;
        Some(Self { range, link, is_spaced: joint.is_spaced, is_whole })
    }
}

/// What stands before a place on its line.
fn line_before(text: &str, at: usize) -> &str {
    let start = floor_boundary(text, at.saturating_sub(MAX_NAME));
    let near = text.get(start..at).unwrap_or_default();
    near.rsplit('\n').next().unwrap_or_default()
}

/// Whether a token is a piece of what a parser read: `unexpected token: "}"`. A long one may be a credential all the same.
fn is_parsed(given: &Given<'_>) -> bool {
    const WORDS: [&str; 6] =
        ["illegal", "near", "unexpected", "unknown", "unrecognised", "unrecognized"];
    const LONGEST: usize = 15;
    let word = given.before.trim_end().rsplit(' ').next().unwrap_or_default();
    given.name.eq_ignore_ascii_case("token")
        && given.sign.ends_with(['"', '\'', '`'])
        && WORDS.iter().any(|it| it.eq_ignore_ascii_case(word))
        && given.value.len() <= LONGEST
}

/// Whether a secret is one by its name, as systems keep them: `secrets "default-token-x2k9d" not found`.
fn is_sought(given: &Given<'_>) -> bool {
    const FATES: [&str; 3] = ["not found", "already exists", "is forbidden"];
    let after = given.rest.get(given.value.len()..).and_then(|it| it.strip_prefix("\" "));
    ["secret", "secrets"].contains(&given.name)
        && given.sign == " \""
        && after.is_some_and(|it| FATES.iter().any(|fate| it.starts_with(fate)))
}

/// Whether a value is one that its name has beside secrets: where a shell is, how a browser sends cookies, that a header is missing.
fn is_setting(name: &str, value: &str) -> bool {
    match name {
        "PWD" | "OLDPWD" => value.starts_with('/') && !is_mixed(value),
        "credentials" => matches!(value, "include" | "omit" | "same-origin"),
        _ => is_header(name) && value.starts_with("header "),
    }
}

/// Whether a name is a part of an identifier, as in `arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db`.
fn is_of_arn(text: &str, name: &Range<usize>) -> bool {
    let start = floor_boundary(text, name.start.saturating_sub(MAX_NAME));
    let before = text.get(start..name.start).unwrap_or_default();
    let word = before.rsplit(|it: char| !it.is_ascii_alphanumeric() && !matches!(it, ':' | '-'));
    word.into_iter().next().is_some_and(|it| it.starts_with("arn:") && it.ends_with(':'))
}

/// Whether a name is that of a file, and what stands behind it a line of it: `password.js:44:11`.
fn is_line_of_file(name: &str, value: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |it| it.1);
    let is_file =
        (1..=4).contains(&ending.len()) && ending.bytes().all(|it| it.is_ascii_alphabetic());
    is_file && value.bytes().all(|it| it.is_ascii_digit() || it == b':')
}

/// What a name hides. `API key` is a name of two words.
fn secrecy_of(text: &str, name: &Range<usize>, spelled: &str) -> Option<Secrecy> {
    let own = secrecy(spelled.trim_start_matches('-'));
    // The proof at the end of an address; elsewhere it is that of a function.
    let before = text.get(..name.start).unwrap_or_default();
    if spelled.eq_ignore_ascii_case("signature") && before.ends_with(['?', '&']) {
        return Some(Secrecy::Texts);
    }
    if own.is_some() || !["key", "keys"].iter().any(|it| spelled.eq_ignore_ascii_case(it)) {
        return own;
    }
    let before = before.strip_suffix(' ')?;
    let first = name_around(text, &(before.len()..before.len()));
    secrecy(text.get(first.start..name.end)?)
}
