//! Finds credentials in texts: words that start like the tokens of known services, and values that a telling name stands before.

mod assigned;
mod beside;
mod escapes;
mod hidden;
mod login;
mod names;
mod option;
mod pem;
mod scheme;
mod starts;
mod value;

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
pub use beside::{elements, members};
pub use escapes::{Spaces, find_meant, without_escapes};
pub use hidden::Hidden;
pub use names::{Secrecy, secrecy};
pub use pem::OpenKey;
pub use value::is_wordlike;

use login::Logins;
use starts::STARTS;

/// Parts of names that can hold a secret; a hit is looked at more closely.
const HINTS: &[&str] = &[
    "pass",
    "pw",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "cookie",
    "bearer",
    "jwt",
    "otp",
    "sig",
    "_pat",
    "sessid",
    "sessionid",
];

/// What stands where a secret stood.
pub const REDACTED: &str = "[redacted]";

/// The longest secret. A longer run of characters is cut here, so that the work stays linear.
pub const MAX_SECRET: usize = 8 << 10;

/// All starts and hints in one automaton, so that a text without any costs one pass.
static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = STARTS.iter().map(|it| it.word).chain(HINTS.iter().copied());
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
    builder.kind(Some(AhoCorasickKind::DFA)).build(words).ok()
});

/// The places of a text that hold credentials, in order, none within another: as they are written, and as they are meant.
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

/// The text with a mark in the place of each credential.
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
    let Some(finder) = FINDER.as_ref().filter(|it| it.is_match(text)) else { return Vec::new() };
    let mut found: Vec<Range<usize>> = Vec::new();
    // What stands below a name is kept apart: other secrets may stand between.
    let mut below = Vec::new();
    let mut logins = Logins::default();
    // A name is judged once, however many hints are in it.
    let mut judged = 0;
    // Hits end in order, so that what lies within a secret that was found already can be passed over.
    for hit in finder.find_overlapping_iter(text) {
        if found.last().is_some_and(|it| hit.end() <= it.end) {
            continue;
        }
        match STARTS.get(hit.pattern().as_usize()) {
            Some(rule) => found.extend(starts::match_at(rule, text, hit.start(), &mut logins)),
            None if hit.end() <= judged => (),
            None => {
                let name = assigned::name_around(text, &hit.range());
                judged = name.end;
                let value = assigned::value_of(text, &name);
                if value.is_none() {
                    below.extend(assigned::values_below(text, &name));
                }
                found.extend(value);
            }
        }
    }
    found.extend(below);
    found
}

/// Whether a variable or a member of that name holds a secret: the name tells, and the value is not only the place of one, or a word for none.
pub fn holds_secret(name: &str, value: &str) -> bool {
    secrecy(name).is_some_and(|it| !value::is_harmless(value.trim(), it))
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
