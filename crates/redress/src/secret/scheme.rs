//! What stands behind the name of a scheme, such as `Bearer`: a credential on the line below, or the place of one.

use std::ops::Range;

use super::{
    MAX_SECRET, floor_boundary,
    value::{is_mixed, is_placeholder},
};

/// Schemes of the header `Authorization`.
const SCHEMES: &[&str] =
    &["apikey", "basic", "bearer", "digest", "jwt", "key", "negotiate", "token"];

/// Whether a line of a header has a scheme, and nothing behind it but the place of a credential.
pub(super) fn is_without_credential(line: &str) -> bool {
    let (scheme, rest) = line.split_once(' ').unwrap_or((line, ""));
    let is_scheme = SCHEMES.iter().any(|it| it.eq_ignore_ascii_case(scheme.trim_end()));
    is_scheme && is_placeholder(rest.trim())
}

/// The credential on the line below its scheme; `rest` starts behind that. It is all that stands there but for the sign of a log or a mail.
pub(super) fn below(rest: &str) -> Option<Range<usize>> {
    let lines = rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let value = lines.trim_start_matches([' ', '\t', '>', '|', '*', '<']);
    let near = value.get(..floor_boundary(value, MAX_SECRET))?;
    let line = near.lines().next()?.trim_end().trim_end_matches(['"', '\'', '`', ',']);
    let fits = |it: u8| {
        it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~')
    };
    // A name of a file has both.
    let is_file = line.contains('/') && line.contains('.');
    let start = rest.len() - value.len();
    let is_credential = is_mixed(line) && line.bytes().all(fits) && !is_file;
    is_credential.then_some(start..start + line.len())
}
