//! What is said about a value in its place: how systems and validators put a failure.

/// Starts of what is said. None has fewer than two words, so that no password is one.
#[rustfmt::skip]
const FAILURES: &[&str] = &[
    "access denied", "access is denied", "bad file descriptor", "command not found",
    "connection refused", "device or resource busy", "directory not empty", "ensure this value", "expected string",
    "field is required", "field required", "file exists", "file name too long", "file not found",
    "input should be", "input/output error", "invalid argument", "invalid input", "is a directory",
    "no such file", "not a directory", "not found", "operation not permitted", "path `",
    "password is", "password must", "password should", "permission denied", "read-only file system",
    "string should", "syntax error", "text file busy", "the password", "this field", "this password",
    "this value", "too many arguments", "value error", "your password",
];

/// How a sentence about a value starts that leaves the value out, as validators write it: `is too short`.
const REMARKS: &[&str] = &[
    "can't", "cannot", "does", "doesn't", "has", "is", "isn't", "may", "must", "needs", "should",
    "was",
];

/// Rules of validators that are written in one line: `required|string|min:8`.
#[rustfmt::skip]
const RULES: &[&str] = &[
    "alpha_num", "between", "confirmed", "different", "filled", "max", "min", "nullable", "present",
    "regex", "required", "same", "size", "sometimes", "string", "unique",
];

/// Words with a number in them that name a way to write something.
const ENCODINGS: &[&str] = &[
    "base32",
    "base58",
    "base64",
    "base64url",
    "ed25519",
    "oauth2",
    "sha256",
    "sha384",
    "sha512",
    "x86_64",
];

/// Whether a word of a sentence may be the value that it is about: it is made like one, or stands behind `value`.
pub(in crate::secret) fn has_value(text: &str) -> bool {
    const SHORTEST: usize = 6;
    let has = |it: &str, fits: fn(&u8) -> bool| it.bytes().any(|it| fits(&it));
    let is_made = |it: &str| {
        let it = bare(it);
        it.len() >= SHORTEST
            && has(it, u8::is_ascii_digit)
            && has(it, u8::is_ascii_alphabetic)
            && !ENCODINGS.iter().any(|known| known.eq_ignore_ascii_case(it))
    };
    let is_value =
        |it: &str| !super::is_prose(it) && !super::source::is_type(bare(it)) && it != "error,";
    let mut words = text.split_whitespace();
    let after = words.clone().skip(1);
    let is_told = |(word, next): (&str, &str)| word.eq_ignore_ascii_case("value") && is_value(next);
    words.clone().zip(after).any(is_told) || words.any(is_made)
}

fn bare(word: &str) -> &str {
    word.trim_matches(|it: char| it.is_ascii_punctuation())
}

/// Whether a text starts with how a failure is put.
pub(in crate::secret) fn is_failure(text: &str) -> bool {
    let starts = |it: &&str| {
        text.split_at_checked(it.len()).is_some_and(|(start, rest)| {
            let is_word = it.ends_with(|it: char| it.is_ascii_alphabetic());
            let ends = !is_word || !rest.starts_with(|it: char| it.is_ascii_alphanumeric());
            start.eq_ignore_ascii_case(it) && ends
        })
    };
    let near = text.get(..super::floor_boundary(text, super::LOOKED_AT)).unwrap_or(text);
    FAILURES.iter().any(starts) && !has_value(near.lines().next().unwrap_or_default())
}

/// Whether a text is one remark, or several in a list. What stands behind a colon or in quotes may be the value.
pub(super) fn is_remark(value: &str) -> bool {
    let is_one = |it: &str| {
        let first = it.split_once(' ').map(|it| it.0);
        first.is_some_and(|first| REMARKS.iter().any(|it| it.eq_ignore_ascii_case(first)))
    };
    let is_quoting = value.contains([':', '`']) || value.contains(" '");
    let mut all = value.split('"').filter(|it| !it.trim_matches([',', ' ']).is_empty()).peekable();
    all.peek().is_some() && !is_quoting && all.all(is_one) && !has_value(value)
}

pub(super) fn is_rules(value: &str) -> bool {
    let mut rules = value.split('|').map(|it| it.split(':').next().unwrap_or_default());
    value.contains('|') && rules.all(|it| RULES.contains(&it))
}
