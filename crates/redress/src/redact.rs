//! Redaction: takes secrets out of texts and documents before they are stored or sent. Three rules find them: values that are known
//! ([`Redactor`]), tokens of known services by how they start, and what a telling name is given, by a score.

mod assigned;
mod document;
mod escapes;
mod key_block;
mod known;
mod login;
mod names;
mod open_document;
mod providers;
mod redactor;
mod score;
mod value;

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

pub use crate::text::REDACTED;
pub use document::{Hidden, elements, members};
pub use escapes::without_escapes;
pub use key_block::OpenKey;
pub use names::{Strength, is_secret_name, strength};
pub use redactor::Redactor;
pub use score::{holds_secret, is_wordlike};

use escapes::{Spaces, find_meant};
use providers::{Body, STARTS};

/// Parts of names that can hold a secret; a hit is looked at more closely.
#[rustfmt::skip]
const HINTS: &[&str] = &[
    "pass", "pw", "secret", "token", "key", "auth", "cred", "cookie", "bearer", "jwt", "otp", "sig", "_pat", "sessid",
    "sessionid", "pin", "kennwort", "contrase", "senha", "wachtwoord", "lösenord", "parola", "hasł", "heslo", "парол",
    "密码", "密碼", "パスワード", "비밀번호",
];

/// The longest secret. A longer run of characters is cut here, so that the work stays linear.
pub const MAX_SECRET: usize = 8 << 10;

/// An automaton, and the rows of its starts.
type Finder = (AhoCorasick, Vec<(&'static str, Body)>);

/// All starts and hints in one automaton, so that a text without any costs one pass; and the rows of the starts.
static FINDER: LazyLock<Option<Finder>> = LazyLock::new(|| {
    let rows: Vec<_> = STARTS.iter().flat_map(|row| row.0.iter().map(|it| (*it, row.1))).collect();
    let words = rows.iter().map(|it| it.0).chain(HINTS.iter().copied());
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
    Some((builder.kind(Some(AhoCorasickKind::DFA)).build(words).ok()?, rows))
});

/// The places of a text that hold secrets, in order, none within another: as they are written, and as they are meant.
pub fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = find_written(text);
    found.extend(find_meant(text, Spaces::Kept, |meant| {
        let mut found = Vec::new();
        let mut at = 0;
        for chunk in meant.utf8_chunks() {
            let places = find_written(chunk.valid()).into_iter();
            found.extend(places.map(|it| at + it.start..at + it.end));
            at += chunk.valid().len() + chunk.invalid().len();
        }
        found
    }));
    merge(found)
}

/// The text with a mark in the place of each secret.
pub fn clean(text: &str) -> Cow<'_, str> {
    without(text.into(), find(text), REDACTED)
}

/// The text with a mark in each of these places, which are in order and may overlap.
pub fn without<'t>(
    text: Cow<'t, str>,
    places: impl IntoIterator<Item = Range<usize>>,
    mark: &str,
) -> Cow<'t, str> {
    let mut places = places.into_iter().peekable();
    if places.peek().is_none() {
        return text;
    }
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        if place.start >= at {
            clean.push_str(text.get(at..place.start).unwrap_or_default());
            clean.push_str(mark);
        }
        at = at.max(place.end);
    }
    clean.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(clean)
}

/// The same as they are written, in any order.
fn find_written(text: &str) -> Vec<Range<usize>> {
    let Some((finder, rows)) = FINDER.as_ref() else { return Vec::new() };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut logins = login::Logins::default();
    // A name is judged once, however many hints are in it; what lies within a secret that was found before is passed over.
    let (mut judged, mut hidden) = (0, 0..0);
    for hit in finder.find_overlapping_iter(text) {
        if hidden.start <= hit.start() && hit.end() <= hidden.end {
            continue;
        }
        match rows.get(hit.pattern().as_usize()) {
            Some(row) => found.extend(providers::match_at(*row, text, hit.start(), &mut logins)),
            None if hit.end() <= judged => continue,
            None => {
                let name = assigned::name_around(text, &hit.range());
                judged = name.end;
                assigned::values(text, &name, &mut found);
            }
        }
        hidden = found.last().cloned().unwrap_or(hidden);
    }
    found
}

/// Whether a text is worth a closer look. Every word of a telling name is one of the hints, or holds one.
fn hints_at(text: &str) -> bool {
    FINDER.as_ref().is_some_and(|it| it.0.is_match(text))
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

/// So much of a text from a place on.
fn near(text: &str, from: usize, most: usize) -> &str {
    text.get(from..floor_boundary(text, from.saturating_add(most))).unwrap_or_default()
}

/// So much of a text before a place.
fn behind(text: &str, at: usize, most: usize) -> &str {
    text.get(floor_boundary(text, at.saturating_sub(most))..at).unwrap_or_default()
}

/// The largest boundary of a character that is not behind `at`.
pub fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests;
