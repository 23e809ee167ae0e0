//! Values on the lines below a name, indented, one on each: `tokens:` and below `bob: …` or `- …`.

use std::ops::Range;

use super::super::{
    floor_boundary,
    hidden::describes,
    names::Secrecy,
    value::{Link, worth_hiding},
};

/// How much is looked at below a name.
const MOST: usize = 512;

/// The values below a name that are made like credentials; `before` is what stands before it on its line.
pub(super) fn values(text: &str, name: &Range<usize>, before: &str) -> Vec<Range<usize>> {
    let rest = text.get(name.end..).unwrap_or_default();
    let Some(lines) = rest.strip_prefix(":\n").or_else(|| rest.strip_prefix(":\r\n")) else {
        return Vec::new();
    };
    let near = lines.get(..floor_boundary(lines, MOST)).unwrap_or_default();
    let mut at = text.len() - lines.len();
    let mut found = Vec::new();
    let is_child = |it: &&str| indent(it) > indent(before);
    for line in near.split_inclusive('\n').take_while(is_child) {
        found.extend(value(line).map(|it| at + it.start..at + it.end));
        at += line.len();
    }
    found
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|it| matches!(it, b' ' | b'\t')).count()
}

/// Where the value of a line stands.
fn value(line: &str) -> Option<Range<usize>> {
    let bare = line.trim_start();
    let (key, value) = match bare.strip_prefix("- ") {
        Some(value) => ("", value),
        None => bare.split_once(": ")?,
    };
    let value = value.trim_matches(|it: char| it.is_whitespace() || matches!(it, '"' | '\''));
    let start = line.rfind(value)?;
    let is_value =
        !describes(key) && is_made(value) && worth_hiding(value, Secrecy::Texts, Link::Column);
    is_value.then_some(start..start + value.len())
}

/// Whether a machine has made it: names of hosts, regions and versions have signs in them, or a number at their end only.
fn is_made(value: &str) -> bool {
    let start = value.trim_end_matches(|it: char| it.is_ascii_digit());
    value.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'='))
        && start.bytes().any(|it| it.is_ascii_digit())
}
