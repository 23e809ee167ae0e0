//! The forms in which values are written, and where each ends: in quotes, in a list, in a call, on the lines below, or bare.

use std::ops::Range;

use super::{
    MAX_SECRET, near,
    score::{is_wordlike, opening},
};

/// Quotes, and what closes each.
#[rustfmt::skip]
const QUOTES: [(&str, &str); 9] = [
    ("\"\"\"", "\"\"\""), ("'''", "'''"), ("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("„", "”"), ("‘", "’"), ("«", "»"),
];

/// What is in the quotes at a place: to their own closing quote, else to the end of the line, which only three quotes pass over. A
/// letter or two may say what kind of text it is, as in `b'…'`.
pub(super) fn quoted(text: &str, at: usize) -> Option<Range<usize>> {
    let from = near(text, at, MAX_SECRET);
    let is_kind = |it: &u8| it.is_ascii_alphabetic() || *it == b'@';
    let kind = from.bytes().take(2).take_while(is_kind).count();
    let (kind, (open, close)) = [0, kind].into_iter().find_map(|kind| {
        Some((
            kind,
            QUOTES.iter().find(|it| from.get(kind..).is_some_and(|from| from.starts_with(it.0)))?,
        ))
    })?;
    let inside = from.get(kind + open.len()..)?;
    let is_triple = close.chars().count() > 1;
    let rest = |at: usize| inside.get(at..).unwrap_or_default();
    let mut is_escaped = false;
    let end = inside.char_indices().find(|(at, it)| {
        // An apostrophe is within a word.
        let is_inside = || {
            let next = rest(at + it.len_utf8()).chars().next();
            matches!(it, '\'' | '’') && !is_triple && next.is_some_and(char::is_alphanumeric)
        };
        let is_close = close.starts_with(*it) && !is_escaped;
        let is_end = is_close && rest(*at).starts_with(close) && !is_inside();
        is_escaped = !is_escaped && *it == '\\' && !is_triple;
        is_end || !is_triple && matches!(it, '\n' | '\r')
    });
    let start = at + kind + open.len();
    Some(start..start + end.map_or(inside.len(), |it| it.0))
}

/// The texts of a list, from the first to the last: `["one", "two"]`.
pub(super) fn listed(text: &str) -> Option<Range<usize>> {
    let is_quote = |it: char| matches!(it, '"' | '\'' | '`');
    let is_edge = |it: char| is_quote(it) || it.is_ascii_whitespace();
    let inside = text.strip_prefix('[')?;
    let start = inside.len() - inside.trim_start_matches(is_edge).len();
    inside.get(..start)?.contains(is_quote).then_some(())?;
    // A bracket in one of the texts does not end the list.
    let is_end = |it: &(usize, &str)| {
        inside.get(..it.0).is_some_and(|it| it.trim_ascii_end().ends_with(is_quote))
    };
    let end = inside.match_indices(']').find(is_end).map_or(inside.len(), |it| it.0);
    let length = inside.get(start..end)?.trim_end_matches(is_edge).len();
    Some(1 + start..1 + start + length)
}

/// The text that a function is called with, and its name: `Some("…")`, `SecretStr('…')`, and `string(32) "…"` as PHP shows one.
pub(super) fn called(text: &str) -> Option<(&str, Range<usize>)> {
    const LONGEST: usize = 32;
    let bare = text.trim_start();
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || b"_:.".contains(it);
    let length = bare.bytes().take(LONGEST).take_while(is_name).count();
    let inside = bare.get(length..)?.strip_prefix('(').filter(|_| length > 0)?;
    let dumped = inside.trim_start_matches(|it: char| it.is_ascii_digit()).strip_prefix(") ");
    let inside = dumped.unwrap_or(inside).trim_start();
    let is_near = bare.len() == text.len() || dumped.is_some();
    Some((bare.get(..length)?, quoted(text, text.len() - inside.len()).filter(|_| is_near)?))
}

/// What is on the lines below a name: a block of YAML or a text in quotes, which is sure to be the value, or a word that is none of a
/// language.
pub(super) fn below(text: &str) -> Option<(Range<usize>, bool)> {
    const MOST_BLANK: usize = 3;
    const LONGEST_SIGN: usize = 40;
    let end = text.bytes().take(LONGEST_SIGN).position(|it| it == b'\n')?;
    let (first, lines) = text.split_at_checked(end + 1)?;
    let first = first.trim_end();
    let tag = first
        .trim_start_matches(|it: char| it.is_ascii_alphanumeric() || matches!(it, '!' | '_' | '-'))
        .trim_start();
    let sign = if first.starts_with('!') { tag } else { first };
    let start = text.len() - lines.len();
    if matches!(sign, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
        let is_inside = |it: &&str| it.starts_with([' ', '\t']) || it.trim_end().is_empty();
        let length: usize = lines.split_inclusive('\n').take_while(is_inside).map(str::len).sum();
        let block = lines.get(..length)?;
        let from = start + (block.len() - block.trim_start().len());
        return (!block.trim().is_empty()).then_some((from..start + block.trim_end().len(), true));
    }
    first.is_empty().then_some(())?;
    let value = lines.trim_start();
    let gap = lines.get(..lines.len() - value.len())?;
    let from = text.len() - value.len();
    if value.starts_with(['"', '\'']) {
        return Some((quoted(text, from)?, true));
    }
    let line = value.lines().next()?.trim_end();
    let is_word = !line.contains([' ', '\t', ':'])
        && !is_wordlike(line)
        && gap.matches('\n').count() < MOST_BLANK;
    is_word.then_some((from..from + line.len(), false))
}

/// How long a value without quotes is.
pub(super) fn bare(text: &str) -> usize {
    let from = opening(text).max(tag(text));
    let rest = text.get(from..).unwrap_or_default();
    for (at, it) in rest.char_indices() {
        let next = || rest.get(at + 1..).and_then(|it| it.chars().next());
        let ends = match it {
            // Something around it ends there; a quote or a backslash in the middle of a word is a part of it.
            '"' | '\'' | '`' => !next().is_some_and(char::is_alphanumeric),
            '\\' => matches!(next(), Some('n' | 'r' | 't' | 'u' | '"' | '\'' | '`' | '\\') | None),
            it => {
                it.is_whitespace()
                    || matches!(it, ',' | ';' | '&' | ')' | ']' | '}' | '<' | '>' | '|')
            }
        };
        if ends {
            return from + at;
        }
    }
    text.len()
}

/// The length of the tag or the anchor that is before a value of YAML: `!!str …`, `&name …`
fn tag(text: &str) -> usize {
    const LONGEST: usize = 40;
    let is_tag = |it: &u8| it.is_ascii_alphanumeric() || b"!_-&".contains(it);
    let length = text.bytes().take(LONGEST).take_while(is_tag).count();
    let is_one =
        text.starts_with(['!', '&']) && text.get(length..).is_some_and(|it| it.starts_with(' '));
    if is_one { length + 1 } else { 0 }
}
