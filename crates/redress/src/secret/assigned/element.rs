//! What stands in the elements of XML: one of a telling name, one that an attribute names, and one behind a `<key>`.

use std::ops::Range;

use super::super::{MAX_SECRET, floor_boundary};

/// How long the attributes of an element are at most.
const LONGEST_TAG: usize = 256;

const CDATA: &str = "<![CDATA[";

/// What an element holds that the name stands for.
pub(super) fn value(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    named(text, name).or_else(|| by_attribute(text, name)).or_else(|| behind_key(text, name))
}

/// `<name>…</name>`, maybe with attributes
fn named(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..name.start)?;
    let prefix = before.strip_suffix(':').unwrap_or(before);
    let is_spaced = prefix.len() < before.len();
    let prefix = prefix.trim_end_matches(|it: char| is_spaced && it.is_ascii_alphanumeric());
    let tag = text.get(prefix.strip_suffix('<')?.len() + 1..name.end)?;
    let rest = text.get(name.end..)?;
    let near = rest.get(..floor_boundary(rest, LONGEST_TAG))?;
    let (attributes, _) = near.split_once('>')?;
    let is_tag = attributes.is_empty() || attributes.starts_with(' ') && attributes.contains('=');
    (is_tag && !attributes.contains('<')).then_some(())?;
    let (range, after) = content(text, name.end + attributes.len() + 1)?;
    after.strip_prefix(tag).map(|_| range)
}

/// `<entry key="name">…</entry>`
fn by_attribute(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(name.end..)?;
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    text.get(..name.start)?.strip_suffix(quote)?.strip_suffix('=')?;
    rest.get(1..)?.strip_prefix('>')?;
    content(text, name.end + 2).map(|it| it.0)
}

/// `<key>name</key><string>…</string>`, as property lists have it
fn behind_key(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    text.get(..name.start)?.strip_suffix("<key>")?;
    let after = text.get(name.end..)?.strip_prefix("</key>")?.trim_start();
    let inside = after.strip_prefix("<string>").or_else(|| after.strip_prefix("<data>"))?;
    content(text, text.len() - inside.len()).map(|it| it.0)
}

/// What stands from there on up to the end of an element, and what follows the sign of that.
fn content(text: &str, start: usize) -> Option<(Range<usize>, &str)> {
    let inside = text.get(start..)?;
    let near = inside.get(..floor_boundary(inside, MAX_SECRET))?;
    let (from, length, end) = match near.strip_prefix(CDATA) {
        Some(within) => (CDATA.len(), within.find("]]>")?, "]]></"),
        None => (0, near.find('<')?, "</"),
    };
    let start = start + from;
    let after = text.get(start + length..)?.strip_prefix(end)?;
    Some((start..start + length, after))
}
