//! What joins a telling name and its value, and where the value starts.

use super::super::{
    MAX_SECRET,
    beside::VALUE_KEYS,
    floor_boundary,
    names::Secrecy,
    value::{Link, Quote, is_mixed},
};

/// The most signs between a name and its value, beside spaces.
const MOST_SIGNS: usize = 16;

/// What joins a name and its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    pub link: Link,
    /// Where the value starts, behind the name.
    pub at: usize,
    /// Spaces around it.
    pub is_spaced: bool,
}

/// What joins a name to the value behind it; the quotes around the name and the bracket behind it are passed over.
pub(super) fn of(rest: &str) -> Option<Joint> {
    let is_quote = |it: char| matches!(it, '"' | '\'' | '`' | '\\' | '”' | '’' | '»' | '*');
    let bare = rest.trim_start_matches(is_quote);
    let is_quoted = bare.len() < rest.len();
    if rest.len() - bare.len() > MOST_SIGNS {
        return None;
    }
    if let Some(value) = keyed(bare, is_quoted) {
        return Some(Joint { link: Link::Tight, at: rest.len() - value.len(), is_spaced: false });
    }
    let bare = bare.strip_prefix(']').unwrap_or(bare);
    let sign = bare.trim_start_matches([' ', '\t']);
    let is_spaced = sign.len() < bare.len();
    let (link, after) = SIGNS.iter().find_map(|it| Some((it.1, sign.strip_prefix(it.0)?)))?;
    let value = match link {
        Link::Pair if !is_quoted => return None,
        // After `name=` a space ends an empty value; in `name = value` it does not.
        Link::Tight if !is_spaced => after,
        // A scheme is no name with a value, and a path of names has none either.
        Link::Loose if after.starts_with("//") => return None,
        Link::Loose if after.strip_prefix(':').is_some_and(is_path) => return None,
        // The quote closes the text that the name is the end of: `println("token:", token)`.
        Link::Loose if !is_quoted && closes_text(after) => return None,
        Link::Column if !is_spaced || after.starts_with('|') => return None,
        _ => after.trim_start_matches([' ', '\t', '*']),
    };
    let (link, value) = if link == Link::Pair { member(after)? } else { (link, value) };
    let is_spaced = is_spaced && after.starts_with(' ') || link == Link::Loose;
    Some(Joint { link, at: rest.len() - value.len(), is_spaced })
}

/// Whether what stands behind `name::` is another name. One with digits in it may be a value, if it is the last.
fn is_path(after: &str) -> bool {
    const LONGEST: usize = 128;
    let near = after.get(..floor_boundary(after, LONGEST)).unwrap_or(after);
    let word = near.split_whitespace().next().unwrap_or_default();
    word.contains("::") || !is_mixed(word)
}

fn closes_text(after: &str) -> bool {
    after.strip_prefix(['"', '\'', '`']).is_some_and(|it| it.starts_with([',', ')']))
}

/// The value that an attribute or the line below has for the name: `name="password" value="…"`, `name: password` and below `value: …`.
fn keyed(rest: &str, is_quoted: bool) -> Option<&str> {
    let bare = rest.trim_start();
    let gap = rest.get(..rest.len() - bare.len())?;
    (!gap.is_empty() && (is_quoted || gap.contains('\n'))).then_some(())?;
    let after = strip_value_key(bare)?.trim_start_matches(['"', '\'']);
    let value = after.strip_prefix([':', '='])?;
    Some(value.trim_start_matches([' ', '\t']))
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
    ("|", Link::Column),
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
    VALUE_KEYS.iter().find_map(|it| {
        let (key, rest) = text.split_at_checked(it.len())?;
        let ends = !rest.starts_with(|it: char| it.is_ascii_alphanumeric());
        (key.eq_ignore_ascii_case(it) && ends).then_some(rest)
    })
}

/// Names that nothing but a space stands behind, also where no option is meant: `machine a login b password c` of a `.netrc`.
const SPOKEN: [&str; 3] = ["password", "passwd", "passphrase"];

/// Words between a name and its value in a sentence: `API key provided: …`
const SAID: [&str; 6] = ["provided: ", "provided ", "is: ", "is ", "was ", "set to "];

/// `--name value`, `password value`, and what is a value if it looks like one: behind a gap, in quotes, behind a variable, on the next line.
pub(super) fn spaced(rest: &str, name: &str, secrecy: Secrecy) -> Option<Joint> {
    let value = rest.trim_start_matches([' ', '\t']);
    let gap = rest.len() - value.len();
    let is_option = name.starts_with("--");
    if is_option && gap == 0 {
        return on_next_line(rest).map(|at| Joint { link: Link::Column, at, is_spaced: false });
    }
    let is_spoken = || SPOKEN.iter().any(|it| it.eq_ignore_ascii_case(name));
    let is_variable = || name.contains('_') && !name.bytes().any(|it| it.is_ascii_lowercase());
    let is_named = || secrecy == Secrecy::Texts && value.starts_with(['"', '\'', '`']);
    let said = SAID.iter().find_map(|it| value.strip_prefix(it)).filter(|_| gap == 1);
    if let Some(said) = said.filter(|it| !is_property(it)) {
        return Some(Joint { link: Link::Column, at: rest.len() - said.len(), is_spaced: false });
    }
    let link = match gap {
        0 => return None,
        _ if is_option => Link::Flag,
        _ if is_spoken() => Link::Spoken,
        1 if !is_variable() && !is_named() => Link::Told,
        _ if value.starts_with('=') => return None,
        _ => Link::Column,
    };
    Some(Joint { link, at: gap, is_spaced: false })
}

/// Whether a sentence goes on with how something is made: `HS256-signed`, `32-bytes`.
fn is_property(said: &str) -> bool {
    let word = said.split([' ', ',', '.']).next().unwrap_or_default();
    let last = word.rsplit_once('-').map_or("", |it| it.1);
    last.ends_with("ed") || matches!(last, "bit" | "byte" | "bytes")
}

/// Where the next line starts, behind its spaces, if it is one word.
fn on_next_line(rest: &str) -> Option<usize> {
    let lines = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n"))?;
    let value = lines.trim_start_matches([' ', '\t']);
    let near = value.get(..floor_boundary(value, MAX_SECRET))?;
    let line = near.lines().next()?.trim_end();
    (!line.contains([' ', '\t'])).then_some(rest.len() - value.len())
}
