//! Where a mistake is, and what escapes in names spell.

use super::Refusal;

pub(super) const MISSING: &str = "something is missing here";
pub(super) const UNEXPECTED: &str = "not expected here";

/// The refusal of what does not parse, at the place of a byte.
pub(super) fn mistake(code: &str, at: usize) -> Refusal {
    let at = (0..=at.min(code.len())).rev().find(|it| code.is_char_boundary(*it)).unwrap_or(0);
    let (before, after) = code.split_at(at);
    let (mut line, mut column) = (1, 1);
    let mut chars = before.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_line = c == '\n' || (c == '\r' && chars.peek() != Some(&'\n'));
        (line, column) = if ends_line { (line + 1, 1) } else { (line, column + 1) };
    }
    let is_end = after.trim().is_empty();
    let reason = if is_end { MISSING } else { UNEXPECTED };
    Refusal::Syntax { line, column, reason }
}

/// A name with its escapes read: `\u0065`, `\u{65}`.
pub(super) fn unescape(spelled: &str) -> String {
    let mut read = String::with_capacity(spelled.len());
    let mut rest = spelled;
    while let Some((before, after)) = rest.split_once("\\u") {
        read.push_str(before);
        let (digits, next) = match after.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some(found) => found,
            None => after.split_at_checked(4).unwrap_or((after, "")),
        };
        read.extend(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32));
        rest = next;
    }
    read.push_str(rest);
    read
}

/// The line of a byte, from 1.
pub(super) fn line(code: &str, at: usize) -> usize {
    code.bytes().take(at).filter(|it| *it == b'\n').count() + 1
}
