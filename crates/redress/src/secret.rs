//! Finds credentials in texts: words that start like the tokens of known services, and values that a telling name stands before.

mod names;
mod starts;

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
pub use names::{Secrecy, secrecy};

use starts::STARTS;

/// Parts of names that can hold a secret; a hit is looked at more closely.
const HINTS: &[&str] = &[
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "bearer", "jwt", "otp",
    "sig",
];

/// How a value starts that stands for another, or is the next flag.
const PLACEHOLDER: [char; 6] = ['$', '<', '{', '%', '[', '-'];

/// The longest name that is looked at.
const MAX_NAME: usize = 64;

/// The longest secret. A longer run of characters is cut here, so that the work stays linear.
const MAX_SECRET: usize = 8 << 10;

/// All starts and hints in one automaton, so that a text without any costs one pass.
static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = STARTS.iter().map(|it| it.word).chain(HINTS.iter().copied());
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
    builder.kind(Some(AhoCorasickKind::DFA)).build(words).ok()
});

/// The places of a text that hold credentials, in order, none within another.
pub fn find(text: &str) -> Vec<Range<usize>> {
    let Some(finder) = FINDER.as_ref().filter(|it| it.is_match(text)) else { return Vec::new() };
    let mut found: Vec<Range<usize>> = Vec::new();
    // Hits end in order, so that what lies within a secret that was found already can be passed over.
    for hit in finder.find_overlapping_iter(text) {
        if found.last().is_some_and(|it| hit.end() <= it.end) {
            continue;
        }
        found.extend(match STARTS.get(hit.pattern().as_usize()) {
            Some(rule) => starts::match_at(rule, text, hit.start()),
            None => assigned(text, hit.range()),
        });
    }
    merge(found)
}

/// Whether a text is worth a closer look. Every word of a telling name is one of the hints, or holds one.
fn hints_at(text: &str) -> bool {
    FINDER.as_ref().is_some_and(|it| it.is_match(text))
}

/// Sorts, and joins what overlaps.
fn merge(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_unstable_by_key(|it| (it.start, it.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// The value that a telling name around the hit is given: `name=value`, `"name": "value"`, `"name": ["value"]`, `--name value`,
/// `<name>value</name>`.
fn assigned(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let name = name_around(text, &hit)?;
    let spelled = text.get(name.clone())?;
    let secrecy = secrecy(spelled.trim_start_matches('-'))?;
    let rest = text.get(name.end..)?;
    if let Some(range) = element(text, &name) {
        return worth_hiding(text.get(range.clone())?, secrecy, Link::Quoted).then_some(range);
    }
    let is_flag = spelled.starts_with("--");
    let (link, value) = match separator(rest) {
        Some(found) => found,
        None if is_flag => (Link::Flag, rest.len() - rest.trim_start_matches(' ').len()),
        None => return None,
    };
    if value == 0 {
        return None;
    }
    let start = name.end + value;
    let after = text.get(start..)?;
    let (link, within) = match listed(after) {
        Some(within) => (Link::Quoted, within),
        None if after.starts_with(PLACEHOLDER) => return None,
        None => {
            let to_quote = link == Link::Quoted || names::is_header(spelled);
            (link, 0..value_length(after, to_quote))
        }
    };
    let range = start + within.start..start + within.end;
    worth_hiding(text.get(range.clone())?, secrecy, link).then_some(range)
}

/// What stands in an element of that name, up to its end.
fn element(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let inside = text.get(name.end..)?.strip_prefix('>')?;
    let before = text.get(..name.start)?;
    let prefix = before.strip_suffix(':').unwrap_or(before);
    let is_named = prefix.len() < before.len();
    let prefix = prefix.trim_end_matches(|it: char| is_named && it.is_ascii_alphanumeric());
    let tag = text.get(prefix.strip_suffix('<')?.len() + 1..name.end)?;
    let near = inside.get(..floor_boundary(inside, MAX_SECRET))?;
    let length = near.find('<')?;
    inside.get(length..)?.strip_prefix("</")?.strip_prefix(tag)?;
    let start = name.end + 1;
    Some(start..start + length)
}

/// The texts of a list, from the first to the last: `["one", "two"]`.
fn listed(text: &str) -> Option<Range<usize>> {
    let is_quote = |it: char| matches!(it, '"' | '\'' | '`' | '\\');
    let is_edge = |it: char| is_quote(it) || it.is_ascii_whitespace();
    let near = text.get(..floor_boundary(text, MAX_SECRET))?;
    let inside = near.strip_prefix('[')?;
    let from_first = inside.trim_start_matches(is_edge);
    let start = inside.len() - from_first.len();
    inside.get(..start)?.contains(is_quote).then_some(())?;
    // A bracket in one of the texts does not end the list.
    let is_end = |it: &(usize, &str)| {
        inside.get(..it.0).is_some_and(|it| it.trim_ascii_end().ends_with(is_quote))
    };
    let end = inside.match_indices(']').find(is_end).map_or(inside.len(), |it| it.0);
    let length = inside.get(start..end)?.trim_end_matches(is_edge).len();
    Some(1 + start..1 + start + length)
}

/// The whole name that the hit is a part of.
fn name_around(text: &str, hit: &Range<usize>) -> Option<Range<usize>> {
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let before =
        bytes.get(..hit.start)?.iter().rev().take(MAX_NAME).take_while(|it| is_name(it)).count();
    let after = bytes.get(hit.end..)?.iter().take(MAX_NAME).take_while(|it| is_name(it)).count();
    Some(hit.start - before..hit.end + after)
}

/// What stands between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// The value stands in quotes: certainly a value.
    Quoted,
    /// `=`: certainly a value.
    Tight,
    /// `: ` and a bare word: may be prose.
    Loose,
    /// `--name `.
    Flag,
}

/// The sign after a name, and where the value starts; quotes and the backslashes of quoted JSON are passed over.
fn separator(rest: &str) -> Option<(Link, usize)> {
    let quotes = |text: &str| text.len() - text.trim_start_matches(['"', '\'', '\\', '`']).len();
    let spaces = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let mut at = quotes(rest);
    if at > 8 {
        return None;
    }
    let before = spaces(rest.get(at..)?);
    at += before;
    let (sign, length) = match rest.get(at..)? {
        it if it.starts_with("=>") => ('=', 2),
        it if it.starts_with('=') => ('=', 1),
        it if it.starts_with("%3D") || it.starts_with("%3d") => ('=', 3),
        it if it.starts_with(':') && !it.starts_with("://") => (':', 1),
        _ => return None,
    };
    at += length;
    // After `name=` a space ends an empty value; in `name = value` it does not.
    if sign == ':' || before > 0 {
        at += spaces(rest.get(at..)?);
    }
    let quoted = quotes(rest.get(at..)?);
    let link = match (quoted, sign) {
        (1.., _) => Link::Quoted,
        (0, '=') => Link::Tight,
        _ => Link::Loose,
    };
    Some((link, at + quoted))
}

/// How long a value is. One in quotes goes to the next quote, one of a header to the end of the line.
fn value_length(text: &str, to_quote: bool) -> usize {
    let ends = |it: char| match it {
        '\n' | '\r' | '"' | '\'' | '`' | '\\' => true,
        ' ' | '\t' | ',' | ';' | '&' | ')' | ']' | '}' | '<' | '>' | '|' => !to_quote,
        _ => false,
    };
    let most = floor_boundary(text, MAX_SECRET);
    text.get(..most).and_then(|it| it.find(ends)).unwrap_or(most)
}

/// Placeholders and prose stay: `token: expired` says something, and hides nothing.
fn worth_hiding(value: &str, secrecy: Secrecy, link: Link) -> bool {
    const EMPTY: &[&str] = &["null", "none", "nil", "undefined", "true", "false", "[redacted]"];
    let is_placeholder = value.is_empty()
        || EMPTY.iter().any(|it| value.eq_ignore_ascii_case(it))
        || value.bytes().all(|it| matches!(it, b'*' | b'.' | b'x' | b'X'));
    let is_wordlike = value.len() < 16 && !value.bytes().any(|it| it.is_ascii_digit());
    let is_number = value.bytes().all(|it| it.is_ascii_digit());
    !is_placeholder
        && match (secrecy, link) {
            (Secrecy::Strong, _) => true,
            (Secrecy::Texts, Link::Quoted | Link::Tight | Link::Flag) => !is_number,
            (Secrecy::Texts, Link::Loose) => !is_wordlike && !is_number,
        }
}

/// The largest boundary of a character that is not behind `at`.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests;
