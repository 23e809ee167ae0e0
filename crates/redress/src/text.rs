//! Texts for readers: cut on character boundaries, quoted, stripped of what could mislead.

use std::borrow::Cow;

use crate::json::escape_into;

/// At most `most` characters; a cut text ends in `…`.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let keep = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
            Cow::Owned(format!("{}…", text.get(..keep).unwrap_or_default()))
        }
    }
}

/// At most `most` bytes, cut on a character boundary; a cut text ends in `...`.
pub fn cut_bytes(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let mut keep = most.saturating_sub(3);
    while !text.is_char_boundary(keep) {
        keep -= 1;
    }
    Cow::Owned(format!("{}...", text.get(..keep).unwrap_or_default()))
}

/// At most `most` characters of a text of lines; what is over goes from the end.
pub(crate) fn cut_lines(text: String, most: usize) -> String {
    match cut(&text, most) {
        Cow::Owned(short) => short,
        Cow::Borrowed(_) => text,
    }
}

/// Foreign text made harmless: no control, bidi, invisible or escape-sequence characters, white space folded.
pub fn strip(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(it) = chars.next() {
        if it == '\u{1b}' {
            skip_escape_sequence(&mut chars);
        } else if it.is_whitespace() {
            if !clean.is_empty() && !clean.ends_with(' ') {
                clean.push(' ');
            }
        } else if !it.is_control() && !is_invisible(it) {
            clean.push(it);
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

/// Foreign text for a sentence of ours: stripped, cut and put in quotes.
pub fn quote(text: &str, most: usize) -> String {
    let clean = strip(text);
    let short = cut(&clean, most);
    let mut quoted = String::with_capacity(short.len() + 2);
    quoted.push('"');
    escape_into(&mut quoted, &short);
    quoted.push('"');
    quoted
}

/// The rest of an ANSI sequence: `[` … letter, `]` … bell, or one character.
fn skip_escape_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => {
            while chars.next_if(|it| !('@'..='~').contains(it)).is_some() {}
            chars.next();
        }
        Some(']') => {
            while chars.next_if(|it| *it != '\u{7}' && *it != '\u{1b}').is_some() {}
            chars.next_if_eq(&'\u{7}');
        }
        _ => (),
    }
}

/// Characters that change how text reads without being seen: bidi controls, zero widths, tags, variation selectors.
fn is_invisible(it: char) -> bool {
    matches!(it,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{206a}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, proptest};

    use super::{cut, cut_bytes, quote, strip};

    #[test]
    fn escape_sequences_and_invisible_characters_are_gone() {
        assert_eq!(strip("\u{1b}[31mred\u{1b}[0m  a\n\tb \u{202e}c\u{200b}d "), "red a b cd");
        assert_eq!(strip("\u{1b}]0;title\u{7}x"), "x");
        assert_eq!(quote("say \"no\"\n", 20), r#""say \"no\"""#);
    }

    proptest! {
        #[test]
        fn a_cut_never_splits_a_character(text in any::<String>(), most in 0usize..40) {
            prop_assert!(cut(&text, most).chars().count() <= most.max(1));
            prop_assert!(cut_bytes(&text, most).len() <= most.max(3));
            prop_assert!(!strip(&text).chars().any(char::is_control));
        }
    }
}
