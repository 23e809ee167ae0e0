//! Code-shaped words in texts for people and models, with what speaks for their being codes.

use redress_registry::name::is_full_code;

use crate::{
    facts::{Word, WordHint},
    scan::Scan,
    span::span,
};

/// What is said before a code, in small letters.
const CUES: [&str; 9] = [
    "error code",
    "error",
    "errors",
    "fails with",
    "fail with",
    "failed with",
    "raises",
    "throws",
    "failure",
];

/// How much before a word is looked at.
const MAX_BEFORE: usize = 40;

/// The code-shaped words of a text with at least two parts, and where they begin.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'-');
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        while at < bytes.len() {
            let length = bytes.get(at..)?.iter().take_while(|it| is_letter(**it)).count();
            let start = at;
            at += length.max(1);
            let word = text.get(start..start + length).unwrap_or_default();
            let word = word.trim_end_matches(['.', '-', '_']);
            // `CODES.*` and `CODES.length` are no codes.
            let rest = text.get(start + word.len()..).unwrap_or_default();
            let goes_on = rest.strip_prefix('.').is_some_and(|it| {
                it.starts_with(|it: char| it.is_alphanumeric() || matches!(it, '_' | '*'))
            });
            if word.contains('_') && !goes_on && is_full_code(word) {
                return Some((start, word));
            }
        }
        None
    })
}

/// Whether the words before a place say that a code follows.
pub(crate) fn is_said(before: &str) -> bool {
    let mut from = before.len().saturating_sub(MAX_BEFORE);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let near = before.get(from..).unwrap_or_default().to_lowercase();
    let near = near.trim_end_matches(|it: char| {
        matches!(it, '`' | '"' | '\'' | '*' | '(' | ':') || it.is_whitespace()
    });
    CUES.iter().any(|cue| {
        near.strip_suffix(cue)
            .is_some_and(|it| !it.ends_with(|it: char| it.is_alphanumeric() || it == '_'))
    })
}

/// Keeps the words of a tool's description; those that it lists together are of one list.
pub(crate) fn of_description(scan: &mut Scan<'_>, said: &Word) {
    let list = WordHint::Listed(said.span.start);
    let start = said.span.start as usize;
    for (at, word) in words(&said.text) {
        let before = said.text.get(..at).unwrap_or_default();
        let hint = if is_said(before) { WordHint::Said } else { list };
        keep(scan, word, start + at, hint);
    }
}

pub(crate) fn keep(scan: &mut Scan<'_>, word: &str, at: usize, hint: WordHint) {
    scan.facts.words.push(Word { text: word.into(), span: span(at..at + word.len()), hint });
}

#[cfg(test)]
mod tests {
    use super::{is_said, words};

    fn found(text: &str) -> Vec<&str> {
        words(text).map(|it| it.1).collect()
    }

    #[test]
    fn words_are_whole_and_have_parts() {
        assert_eq!(
            found("`A_B`, voice.C_D. E_F-g NOT a_B __INIT__ X_1"),
            ["A_B", "voice.C_D", "X_1"]
        );
        assert_eq!(found(""), [""; 0]);
        assert_eq!(found("äA_Bö C_D"), ["A_B", "C_D"]);
    }

    #[test]
    fn what_is_said_before_counts() {
        assert!(is_said("It fails with `") && is_said("Error code: ") && is_said("raises "));
        assert!(!is_said("set `") && !is_said("mirrors ") && !is_said(""));
    }
}
