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

use aho_corasick::{Anchored, automaton::Automaton, dfa::DFA};

pub use crate::text::REDACTED;
pub use document::{Hidden, elements, members};
pub use escapes::without_escapes;
pub use key_block::OpenKey;
pub use names::{Strength, is_secret_name, strength};
pub use redactor::Redactor;
pub use score::{holds_secret, is_wordlike};

use escapes::find_meant;
use providers::{Body, STARTS};

/// The longest secret. A longer run of characters is cut here, so that the work stays linear.
pub const MAX_SECRET: usize = 8 << 10;

/// All starts and hints in one automaton, and the rows of the starts.
struct Finder {
    automaton: DFA,
    rows: Vec<(&'static str, Body)>,
}

static FINDER: LazyLock<Option<Finder>> = LazyLock::new(|| {
    let rows: Vec<_> = STARTS.iter().flat_map(|row| row.0.iter().map(|it| (*it, row.1))).collect();
    let words = rows.iter().map(|it| it.0).chain(names::hints());
    let automaton = DFA::builder().ascii_case_insensitive(true).build(words).ok()?;
    Some(Finder { automaton, rows })
});

impl Finder {
    /// Passes on each start with its row, and each hint, in the order of their ends, as long as more are asked for.
    fn each<'f>(
        &'f self,
        text: &str,
        mut take: impl FnMut(Option<&'f (&'static str, Body)>, Range<usize>) -> bool,
    ) {
        let automaton = &self.automaton;
        let Ok(mut state) = automaton.start_state(Anchored::No) else { return };
        for (at, byte) in text.bytes().enumerate() {
            state = automaton.next_state(Anchored::No, state, byte);
            if !automaton.is_special(state) || !automaton.is_match(state) {
                continue;
            }
            for index in 0..automaton.match_len(state) {
                let (pattern, end) = (automaton.match_pattern(state, index), at + 1);
                let row = self.rows.get(pattern.as_usize());
                if !take(row, end - automaton.pattern_len(pattern)..end) {
                    return;
                }
            }
        }
    }
}

/// The places of a text that hold secrets, in order, none within another: as they are written, and as they are meant.
pub fn find(text: &str) -> Vec<Range<usize>> {
    places(text, find_written)
}

/// What is found in a text as it is written and as it is meant, in order; what overlaps is joined.
fn places(text: &str, look: impl Fn(&[u8]) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found = look(text.as_bytes());
    found.extend(find_meant(text, look));
    found.sort_unstable_by_key(|it| (it.start, it.end));
    found.dedup_by(|next, last| {
        let is_joined = next.start < last.end;
        last.end = if is_joined { last.end.max(next.end) } else { last.end };
        is_joined
    });
    found
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

/// What is found in bytes as they are written, in any order.
fn find_written(bytes: &[u8]) -> Vec<Range<usize>> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return find_in(text);
    }
    let (mut found, mut at) = (Vec::new(), 0);
    for chunk in bytes.utf8_chunks() {
        found.extend(find_in(chunk.valid()).iter().map(|it| at + it.start..at + it.end));
        at += chunk.valid().len() + chunk.invalid().len();
    }
    found
}

fn find_in(text: &str) -> Vec<Range<usize>> {
    let Some(finder) = FINDER.as_ref() else { return Vec::new() };
    let mut found: Vec<Range<usize>> = Vec::new();
    // A name is judged once, however many hints are in it; what lies within a secret that was found before is passed over.
    let (mut judged, mut hidden) = (0, 0..0);
    finder.each(text, |row, hit| {
        match row {
            _ if hidden.start <= hit.start && hit.end <= hidden.end => (),
            Some(row) => found.extend(providers::match_at(*row, text, hit)),
            None if hit.end <= judged => (),
            None => {
                let name = assigned::name_around(text, &hit);
                judged = name.end;
                assigned::values(text, &name, &mut found);
            }
        }
        hidden = found.last().cloned().unwrap_or_default();
        true
    });
    found
}

/// Whether a text is worth a closer look. Every word of a telling name is one of the hints, or holds one.
fn hints_at(text: &str) -> bool {
    let mut is_one = false;
    if let Some(finder) = FINDER.as_ref() {
        finder.each(text, |_, _| {
            is_one = true;
            false
        });
    }
    is_one
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
