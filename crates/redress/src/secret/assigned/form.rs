//! The forms in which values are written: in quotes, in a list, in a call, on the lines below, or bare.

use std::ops::Range;

use super::super::{
    MAX_SECRET, floor_boundary,
    value::{Link, Quote, bare_length, is_masked, is_wordlike},
};

/// Where in a text that starts with a value this stands.
pub(super) fn value(text: &str, link: Link, is_header: bool) -> Option<(Range<usize>, Link)> {
    if link == Link::Told {
        return Some((quoted(text, 0).unwrap_or_else(|| 0..bare_length(text, false)), link));
    }
    if let Some(within) = listed(text) {
        return Some((within, Link::Quoted));
    }
    if looks_up(text) || is_masked(text) {
        return None;
    }
    if let Some(found) = wrapped(text).or_else(|| dumped(text)).or_else(|| quoted(text, 0)) {
        let is_sure = !matches!(link, Link::Pair | Link::Compared | Link::Column);
        return Some((found, if is_sure { Link::Quoted } else { link }));
    }
    if let Some(at) = tagged(text).filter(|_| link == Link::Loose) {
        let (range, link) = value(text.get(at..)?, Link::Loose, is_header)?;
        // It may as well be the start of the value.
        let start = if link == Link::Loose { 0 } else { at + range.start };
        return Some((start..at + range.end, link));
    }
    let is_joined = matches!(link, Link::Loose | Link::Tight);
    if let Some(at) = quote_below(text).filter(|_| is_joined) {
        return quoted(text, at).map(|it| (it, Link::Quoted));
    }
    let below = if is_joined { below(text, MOST_BLANK) } else { None };
    let is_bare = link != Link::Pair && !starts_structure(text);
    below.or_else(|| is_bare.then(|| (0..bare_length(text, is_header), link)))
}

/// Whether what follows is a structure, whose own names tell what is secret in it.
fn starts_structure(text: &str) -> bool {
    let within = text.strip_prefix('[').map(str::trim_start);
    let is_object =
        |it: &str| it.trim_start_matches('\\').starts_with(['"', '\'', ' ', '\n', '\r']);
    within.unwrap_or(text).strip_prefix('{').is_some_and(is_object)
}

/// The length of the tag or the anchor that stands before a value of YAML: `!!str …`, `&name …`
fn tagged(text: &str) -> Option<usize> {
    const LONGEST: usize = 40;
    text.strip_prefix(['!', '&'])?;
    let is_tag = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'!' | b'_' | b'-' | b'&');
    let length = text.bytes().take(LONGEST).take_while(is_tag).count();
    text.get(length..)?.strip_prefix(' ').filter(|it| !it.starts_with(' '))?;
    Some(length + 1)
}

/// `string(32) "…"`, as PHP shows a text
fn dumped(text: &str) -> Option<Range<usize>> {
    let bare = text.trim_start();
    let after = bare.strip_prefix("string(")?.trim_start_matches(|it: char| it.is_ascii_digit());
    quoted(text, text.len() - after.strip_prefix(") ")?.len())
}

fn quoted(text: &str, at: usize) -> Option<Range<usize>> {
    let from = text.get(at..)?;
    let triple = ["\"\"\"", "\'\'\'"].into_iter().find(|it| from.starts_with(it));
    if let Some(triple) = triple {
        let inside = from.get(triple.len()..)?;
        let near = inside.get(..floor_boundary(inside, MAX_SECRET))?;
        let length = near.find(triple).unwrap_or(near.len());
        return Some(at + triple.len()..at + triple.len() + length);
    }
    let (quote, length) = Quote::at(from)?;
    let start = at + length;
    Some(start..start + quote.length(text.get(start..)?))
}

/// The text in `Some("…")`, `SecretStr('…')` and the like.
fn wrapped(text: &str) -> Option<Range<usize>> {
    let inside = text.get(called(text)?.len() + 1..)?;
    quoted(text, text.len() - inside.trim_start().len())
}

/// Whether a value is looked up by its name, as in `os.getenv("…")`: source text, which holds none.
fn looks_up(text: &str) -> bool {
    const STARTS: [&str; 7] = ["get", "lookup", "value", "env", "fetch", "input", "prompt"];
    let name = called(text).and_then(|it| it.rsplit(['.', ':']).next());
    let starts = |name: &str, it: &str| {
        name.get(..it.len()).is_some_and(|start| start.eq_ignore_ascii_case(it))
    };
    name.is_some_and(|name| STARTS.iter().any(|it| starts(name, it)))
}

/// The name of the function that a text starts with a call of.
fn called(text: &str) -> Option<&str> {
    const LONGEST: usize = 32;
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b':' | b'.');
    let length = text.bytes().take(LONGEST).take_while(is_name).count();
    text.get(length..)?.strip_prefix('(').filter(|_| length > 0)?;
    text.get(..length)
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

/// Where a text in quotes starts on the line below its name, as some writers of JSON have it.
fn quote_below(text: &str) -> Option<usize> {
    const MOST_SPACE: usize = 64;
    let gap = text.bytes().take(MOST_SPACE).take_while(u8::is_ascii_whitespace);
    let (length, has_break) =
        gap.fold((0, false), |(length, any), it| (length + 1, any || it == b'\n'));
    let is_quote = text.get(length..)?.starts_with(['"', '\'']);
    (has_break && is_quote).then_some(length)
}

/// The most blank lines between a name and its value.
const MOST_BLANK: usize = 2;

/// The value on the lines below its name, as YAML has it: a block, or one word.
fn below(text: &str, blank: usize) -> Option<(Range<usize>, Link)> {
    // Behind the name is nothing but the sign of a block.
    const LONGEST_SIGN: usize = 4;
    text.bytes().take(LONGEST_SIGN).find(|it| *it == b'\n')?;
    let near = text.get(..floor_boundary(text, MAX_SECRET))?;
    let (first, lines) = near.split_once('\n')?;
    let is_block = matches!(first.trim_end(), "|" | "|-" | "|+" | ">" | ">-" | ">+");
    if !is_block && !first.trim_end().is_empty() {
        return None;
    }
    let start = first.len() + 1 + (lines.len() - lines.trim_start_matches([' ', '\t']).len());
    let is_indented = start > first.len() + 1;
    if !is_block && lines.get(start - first.len() - 1..)?.starts_with(['\n', '\r']) {
        let (found, link) = below(lines, blank.checked_sub(1)?)?;
        return Some((first.len() + 1 + found.start..first.len() + 1 + found.end, link));
    }
    let is_inside = |it: &&str| it.starts_with([' ', '\t']) || it.trim_end().is_empty();
    let taken = if is_block { MAX_SECRET } else { 1 };
    let inside = lines.split_inclusive('\n').take(taken);
    let length: usize = inside.take_while(|it| !is_block || is_inside(it)).map(str::len).sum();
    let value = near.get(start..first.len() + 1 + length)?.trim_end();
    let is_word = !value.contains([' ', '\t', ':']) && !is_wordlike(value);
    let range = start..start + value.len();
    (is_block && is_indented || is_word)
        .then_some((range, if is_block { Link::Quoted } else { Link::Loose }))
}
