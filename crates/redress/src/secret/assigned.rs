//! Values that a telling name is given: `name=value`, `"name": "value"`, `"name": ["value"]`, `("name", "value")`, `--name value`,
//! `name: Some("value")`, `<name>value</name>`, and those on the lines below a name.

use std::ops::Range;

use super::{
    MAX_SECRET, floor_boundary,
    names::{Secrecy, is_header, secrecy},
    value::{Link, Quote, bare_length, worth_hiding},
};

/// The longest name that is looked at.
const MAX_NAME: usize = 128;

/// The most signs between a name and its value, beside spaces.
const MOST_SIGNS: usize = 16;

/// The name that a hint is a part of: a run of letters, digits and what joins them, whole at its end.
pub(super) fn name_around(text: &str, hint: &Range<usize>) -> Range<usize> {
    let is_name = |it: &&u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    let (before, after) = text.as_bytes().split_at(hint.end.min(text.len()));
    let length = before.iter().rev().take(MAX_NAME).take_while(is_name).count();
    let rest = after.iter().take_while(is_name).count();
    let start = (hint.end - length).max((hint.end + rest).saturating_sub(MAX_NAME));
    start..hint.end + rest
}

/// The value that a name is given, if it is a telling one.
pub(super) fn value_of(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let spelled = text.get(name.clone())?;
    let secrecy = secrecy_of(text, name, spelled)?;
    let rest = text.get(name.end..)?;
    let (range, link) = match element(text, name) {
        Some(range) => (range, Link::Quoted),
        None => {
            let (link, at) = link(rest).or_else(|| spaced(rest, spelled))?;
            let at = name.end + at;
            let (range, link) = value(text.get(at..)?, link, is_header(spelled))?;
            (at + range.start..at + range.end, link)
        }
    };
    let value = text.get(range.clone())?;
    (!is_line_of_file(spelled, value) && worth_hiding(value, secrecy, link)).then_some(range)
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
    if own.is_some() || !["key", "keys"].iter().any(|it| spelled.eq_ignore_ascii_case(it)) {
        return own;
    }
    let before = text.get(..name.start)?.strip_suffix(' ')?;
    let first = name_around(text, &(before.len()..before.len()));
    secrecy(text.get(first.start..name.end)?)
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

/// What joins a name and its value, and where the value starts; the quotes around the name and the bracket behind it are passed over.
fn link(rest: &str) -> Option<(Link, usize)> {
    let is_quote = |it: char| matches!(it, '"' | '\'' | '`' | '\\' | '”' | '’' | '»' | '*');
    let bare = rest.trim_start_matches(is_quote);
    let is_quoted = bare.len() < rest.len();
    if rest.len() - bare.len() > MOST_SIGNS {
        return None;
    }
    let bare = bare.strip_prefix(']').unwrap_or(bare);
    let sign = bare.trim_start_matches([' ', '\t']);
    let is_spaced = sign.len() < bare.len();
    let (link, after) = SIGNS.iter().find_map(|it| Some((it.1, sign.strip_prefix(it.0)?)))?;
    let value = match link {
        Link::Pair if !is_quoted => return None,
        // After `name=` a space ends an empty value; in `name = value` it does not.
        Link::Tight if !is_spaced => after,
        // A scheme is no name with a value.
        Link::Loose if after.starts_with("//") => return None,
        _ => after.trim_start_matches([' ', '\t', '*']),
    };
    let (link, value) = if link == Link::Pair { member(after)? } else { (link, value) };
    Some((link, rest.len() - value.len()))
}

/// The signs between names and values; of two that start alike, the longer one first.
const SIGNS: &[(&str, Link)] = &[
    ("===", Link::Compared),
    ("==", Link::Compared),
    ("!==", Link::Compared),
    ("!=", Link::Compared),
    ("=>", Link::Tight),
    ("=", Link::Tight),
    (":=", Link::Tight),
    ("?=", Link::Tight),
    (":", Link::Loose),
    ("：", Link::Loose),
    (",", Link::Pair),
];

/// The second of a pair: in quotes, or under a key such as `value`, which says that it is one.
fn member(text: &str) -> Option<(Link, &str)> {
    let text = text.trim_start();
    let (quote, length) = Quote::at(text)?;
    let keyed = || {
        let after = strip_value_key(text.get(length..)?)?.get(quote.backslashes..)?;
        let after = after.strip_prefix(quote.close)?.trim_start().strip_prefix(':')?;
        Some((Link::Tight, after.trim_start()))
    };
    Some(keyed().unwrap_or((Link::Pair, text)))
}

fn strip_value_key(text: &str) -> Option<&str> {
    super::VALUE_KEYS.iter().find_map(|it| {
        let (key, rest) = text.split_at_checked(it.len())?;
        let ends = !rest.starts_with(|it: char| it.is_ascii_alphanumeric());
        (key.eq_ignore_ascii_case(it) && ends).then_some(rest)
    })
}

/// Names that nothing but a space stands behind, also where no option is meant: `machine a login b password c` of a `.netrc`.
const SPOKEN: [&str; 3] = ["password", "passwd", "passphrase"];

/// `--name value`, `password value`
fn spaced(rest: &str, name: &str) -> Option<(Link, usize)> {
    let value = rest.trim_start_matches(' ');
    let is_spoken = || SPOKEN.iter().any(|it| it.eq_ignore_ascii_case(name));
    let link =
        if name.starts_with("--") { Link::Flag } else { is_spoken().then_some(Link::Spoken)? };
    (value.len() < rest.len()).then_some((link, rest.len() - value.len()))
}

/// Where in a text that starts with a value this stands.
fn value(text: &str, link: Link, is_header: bool) -> Option<(Range<usize>, Link)> {
    if let Some(within) = listed(text) {
        return Some((within, Link::Quoted));
    }
    if looks_up(text) {
        return None;
    }
    if let Some(found) = wrapped(text).or_else(|| quoted(text, 0)) {
        let is_sure = !matches!(link, Link::Pair | Link::Compared);
        return Some((found, if is_sure { Link::Quoted } else { link }));
    }
    let below = if link == Link::Loose { below(text) } else { None };
    // What follows may be a structure, whose own names tell what is secret in it.
    let is_bare = link != Link::Pair && !text.strip_prefix('{').is_some_and(starts_structure);
    below.or_else(|| is_bare.then(|| (0..bare_length(text, is_header), link)))
}

fn starts_structure(inside: &str) -> bool {
    inside.trim_start_matches('\\').starts_with(['"', '\'', ' ', '\n', '\r'])
}

fn quoted(text: &str, at: usize) -> Option<Range<usize>> {
    let (quote, length) = Quote::at(text.get(at..)?)?;
    let start = at + length;
    Some(start..start + quote.length(text.get(start..)?))
}

/// The text in `Some("…")`, `SecretStr('…')` and the like.
fn wrapped(text: &str) -> Option<Range<usize>> {
    quoted(text, called(text)?.len() + 1)
}

/// Whether a value is looked up by its name, as in `os.getenv("…")`: source text, which holds none.
fn looks_up(text: &str) -> bool {
    const STARTS: [&str; 5] = ["get", "lookup", "value", "env", "fetch"];
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

/// The value on the lines below its name, as YAML has it: a block, or one word.
fn below(text: &str) -> Option<(Range<usize>, Link)> {
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
    (start > first.len() + 1).then_some(())?;
    let is_inside = |it: &&str| it.starts_with([' ', '\t']) || it.trim_end().is_empty();
    let taken = if is_block { MAX_SECRET } else { 1 };
    let length: usize =
        lines.split_inclusive('\n').take(taken).take_while(is_inside).map(str::len).sum();
    let value = near.get(start..first.len() + 1 + length)?.trim_end();
    let is_word = !value.contains([' ', '\t', ':']) && !super::value::is_wordlike(value);
    let range = start..start + value.len();
    (is_block || is_word).then_some((range, if is_block { Link::Quoted } else { Link::Loose }))
}
