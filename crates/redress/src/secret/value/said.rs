//! What is said about a value in its place: how systems and validators put a failure.

/// Starts of what is said. None has fewer than two words, so that no password is one.
#[rustfmt::skip]
const FAILURES: &[&str] = &[
    "access denied", "access is denied", "bad file descriptor", "command not found",
    "connection refused", "device or resource busy", "directory not empty", "ensure this value", "expected string",
    "field is required", "field required", "file exists", "file name too long", "file not found",
    "input should be", "input/output error", "invalid argument", "invalid input", "is a directory",
    "no such file", "not a directory", "not found", "operation not permitted", "path `",
    "permission denied", "read-only file system", "string should", "text file busy",
    "too many arguments", "value error",
];

/// How a sentence about a value starts that leaves the value out, as validators write it: `is too short`.
const REMARKS: &[&str] = &[
    "can't", "cannot", "does", "doesn't", "has", "is", "isn't", "may", "must", "needs", "should",
    "was",
];

/// Whether a word of a sentence may be the value that it is about.
fn has_value(text: &str) -> bool {
    text.split_whitespace().any(super::is_mixed)
}

/// Whether a text starts with how a failure is put.
pub(in crate::secret) fn is_failure(text: &str) -> bool {
    let near = text.get(..super::floor_boundary(text, super::LOOKED_AT)).unwrap_or(text);
    !has_value(near.lines().next().unwrap_or_default())
        && FAILURES.iter().any(|it| {
            text.split_at_checked(it.len()).is_some_and(|(start, rest)| {
                let is_word = it.ends_with(|it: char| it.is_ascii_alphabetic());
                let ends = !is_word || !rest.starts_with(|it: char| it.is_ascii_alphanumeric());
                start.eq_ignore_ascii_case(it) && ends
            })
        })
}

pub(super) fn is_remark(value: &str) -> bool {
    let first = value.split_once(' ').map(|it| it.0);
    !has_value(value)
        && first.is_some_and(|first| REMARKS.iter().any(|it| it.eq_ignore_ascii_case(first)))
}
