//! What stands where a value would: a variable, a mask, a part of a format.

use super::LOOKED_AT;
use crate::secret::names::secrecy;

/// What stands between the signs of a placeholder.
#[derive(Debug, Clone, Copy)]
enum Inside {
    /// Anything.
    Any,
    /// Letters, spaces and what joins words.
    Words,
    /// One of the words that say what happened to a value.
    Mask,
    /// What names a secret, a position or a format.
    Name,
    /// The name of a variable, in capitals.
    Variable,
}

/// How placeholders start and end.
const FORMS: &[(&str, &str, Inside)] = &[
    ("${", "}", Inside::Any),
    ("$(", ")", Inside::Any),
    ("$env:", "", Inside::Any),
    ("{{", "}}", Inside::Any),
    ("{%", "%}", Inside::Any),
    ("<%", "%>", Inside::Any),
    ("%{", "}", Inside::Any),
    ("#{", "}", Inside::Any),
    ("%(", ")s", Inside::Any),
    ("<", ">", Inside::Words),
    ("[", "]", Inside::Mask),
    ("(", ")", Inside::Mask),
    ("{", "}", Inside::Name),
    ("$", "", Inside::Name),
    (":", "", Inside::Name),
    ("@", "", Inside::Name),
    ("$", "", Inside::Variable),
    ("%", "%", Inside::Variable),
];

/// The brackets that a text starts with, and those that close them.
pub(super) fn brackets(text: &str) -> Option<(&'static str, &'static str)> {
    let forms = FORMS.iter().filter(|it| it.0 != "(" && it.0 != "%" && !it.1.is_empty());
    forms.map(|it| (it.0, it.1)).find(|it| text.starts_with(it.0))
}

/// Values that are none.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "null", "none", "nil", "undefined", "true", "false", "yes", "no", "[redacted]", "?", "%s", "%d", "%v", "%q",
    "%r", "%u", "%i", "%w", "|", ">", "{", "[", "(", "$", "%", "<",
];

/// What masks say.
#[rustfmt::skip]
const MASKS: &[&str] = &[
    "redacted", "hidden", "filtered", "removed", "masked", "omitted", "protected", "private",
    "sensitive", "secret", "known", "object", "empty", "none", "null", "unset", "not", "...", "…",
];

/// Whether a text starts with a mask of several words: `(sensitive value)`.
pub(in crate::secret) fn is_masked(text: &str) -> bool {
    const LONGEST: usize = 40;
    let near = text.strip_prefix('(').and_then(|_| text.split_at_checked(LONGEST.min(text.len())));
    let end = near.and_then(|it| it.0.find(')'));
    end.and_then(|it| text.get(..=it)).is_some_and(is_placeholder)
}

/// Whether a value only stands for another, or for none, or is a sign of a language.
pub(in crate::secret) fn is_placeholder(value: &str) -> bool {
    let is_mask =
        |it: char| matches!(it, '*' | '.' | 'x' | 'X' | '-' | '_' | '•' | '●' | '…' | '#');
    let is_sign = || value.len() <= 3 && value.bytes().all(|it| it.is_ascii_punctuation());
    let is_long = value.len() > 2 || !value.contains(['x', 'X']);
    is_long && value.chars().all(is_mask)
        || is_sign()
        || EMPTY.iter().any(|it| value.eq_ignore_ascii_case(it))
        || value.len() <= LOOKED_AT && FORMS.iter().any(|it| fits(value, *it))
}

fn fits(value: &str, (open, close, inside): (&str, &str, Inside)) -> bool {
    let within = value.strip_prefix(open).and_then(|it| it.strip_suffix(close));
    let Some(within) = within else { return false };
    match inside {
        Inside::Any => !within.contains(close) || close.is_empty(),
        Inside::Words => {
            within.chars().all(|it| it.is_alphabetic() || matches!(it, ' ' | '_' | '-' | '.'))
        }
        Inside::Mask => {
            let word = within.split(' ').next().unwrap_or_default();
            within.is_empty() || MASKS.iter().any(|it| word.eq_ignore_ascii_case(it))
        }
        Inside::Name => {
            let is_position = within.len() <= 2 && within.bytes().all(|it| it.is_ascii_digit());
            let is_format = matches!(within, ":?" | ":#?" | ":s");
            let joins = |it: u8| it.is_ascii_alphabetic() || matches!(it, b'_' | b'.' | b'-');
            is_position || is_format || within.bytes().all(joins) && secrecy(within).is_some()
        }
        Inside::Variable => {
            !within.is_empty()
                && within
                    .bytes()
                    .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn only_what_stands_for_a_value_is_a_placeholder() {
        for placeholder in [
            "",
            "***",
            "xxxx",
            "...",
            "…",
            "-",
            "null",
            "None",
            "%s",
            "${VAR}",
            "${VAR:-none}",
            "$VAR",
            "$DB_PASSWORD",
            "$1",
            "$(cat key)",
            "{{ token }}",
            "{}",
            "{0}",
            "{password}",
            "{db_password}",
            "<password>",
            "<your-api-key>",
            "[redacted]",
            "[REDACTED]",
            "[hidden by policy]",
            "%PASSWORD%",
            "%(password)s",
            ":password",
            "$password",
            "[]",
            "<%= k %>",
        ] {
            assert!(is_placeholder(placeholder), "{placeholder}");
        }
        for value in [
            "$ecretZ99",
            "$2b$12$KIXQ",
            "%ecretZ99",
            "-ecretZ99",
            "{hunterZ99}",
            "[hunter]",
            "<h4x>y",
            "<h4x>",
            "${VAR}x9",
            "hunter",
            "%SECRET",
            "(hunter)",
            "@home",
            ":hunter",
            "{{x}}y{z}}a",
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
