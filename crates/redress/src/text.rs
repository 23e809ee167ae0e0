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

/// Below this many characters there is no room for two parts.
pub(crate) const MIN_GIST_CHARS: usize = 64;

/// How far a word may reach over an end before it is split.
pub(crate) const LONGEST_WORD: usize = 24;

/// What tells of a failure in a long text, most of all first: how compilers, test runners and exceptions mark it, then single words.
pub(crate) const MARKS: [&[&str]; 2] = [
    &["error:", "error[", "error ts", "exception:", "panicked at", "fatal:", "npm err"],
    &["failed", "expected", "assert", "cannot", "not found", "denied", "must be"],
];

/// Of whose marks the last one tells: what stands before it led there.
pub(crate) const LAST_TELLS: &str = "traceback (most recent call last)";

/// At most `most` characters of a text in one line, chosen for what they tell: its start and, after `…`, the place further on
/// that tells of a failure, else its end. Words stay whole where they are not too long.
pub fn gist(text: &str, most: usize) -> Cow<'_, str> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let count = ends.len() - 1;
    if count <= most || most < MIN_GIST_CHARS {
        return cut(text, most);
    }
    let at = |char: usize| ends.get(char).copied().unwrap_or(text.len());
    let slice = |from: usize, to: usize| text.get(at(from)..at(to)).unwrap_or_default();
    let is_space = |char: usize| slice(char, char + 1) == " ";
    let whole_words = |from: usize, to: usize| {
        let fits = to >= count || is_space(to);
        let space = (from..to).rev().take(LONGEST_WORD).find(|it| is_space(*it));
        if fits { to } else { space.unwrap_or(to) }
    };
    let room = most - 3;
    let telling = telling(text, at(most / 3)).and_then(|it| ends.binary_search(&it).ok());
    let (start, tail) = match telling {
        Some(start) => (start, (count - start).min(room * 3 / 5)),
        None => (count - room * 2 / 5, room * 2 / 5),
    };
    let head = room - tail;
    if start <= head {
        return Cow::Owned(format!("{}…", slice(0, whole_words(0, most - 1)).trim_end()));
    }
    let end = if start + tail < count { whole_words(start, start + tail - 1) } else { count };
    let first = (start..end).take(LONGEST_WORD).find(|it| is_space(*it));
    let is_inside = telling.is_none() && !is_space(start - 1);
    let start = first.filter(|_| is_inside).unwrap_or(start);
    let (head, tail) = (slice(0, whole_words(0, head)).trim_end(), slice(start, end).trim());
    Cow::Owned(format!("{head} … {tail}{}", if end < count { "…" } else { "" }))
}

/// Where the words start that tell most, from a place on.
fn telling(text: &str, from: usize) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let rest = lower.get(from..)?;
    let is_last = lower.contains(LAST_TELLS);
    let find = |mark: &&str| if is_last { rest.rfind(*mark) } else { rest.find(*mark) };
    let at = MARKS.iter().find_map(|marks| {
        let places = marks.iter().filter_map(find);
        if is_last { places.max() } else { places.min() }
    })?;
    let at = from + at;
    let before = text.get(..at)?;
    let word = before.rfind(' ').map_or(0, |it| it + 1);
    let is_short = before.get(word..)?.chars().count() <= LONGEST_WORD;
    Some(if is_short { word } else { at })
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
    harmless(text, |clean, _| {
        if !clean.is_empty() && !clean.ends_with(' ') {
            clean.push(' ');
        }
    })
}

/// The same of a text whose lines tell something: only what could mislead is gone.
pub(crate) fn strip_lines(text: &str) -> String {
    harmless(text, |clean, it| clean.push(if matches!(it, '\n' | '\t') { it } else { ' ' }))
}

/// The same of one line whose columns tell something: its tabs and spaces stay.
pub fn strip_line(line: &str) -> String {
    harmless(line, |clean, it| clean.push(if it == '\t' { it } else { ' ' }))
}

fn harmless(text: &str, space: impl Fn(&mut String, char)) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(it) = chars.next() {
        if it == '\u{1b}' {
            skip_escape_sequence(&mut chars);
        } else if it.is_whitespace() {
            space(&mut clean, it);
        } else if !it.is_control() && !is_invisible(it) {
            clean.push(it);
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

/// Foreign text for a sentence of ours: stripped, cut and put in quotes.
pub fn quote(text: &str, most: usize) -> String {
    in_quotes(&cut(&strip(text), most))
}

/// What a foreign server said, for a sentence of ours: stripped, reduced to what it tells and put in quotes.
pub fn quote_gist(text: &str, most: usize) -> String {
    in_quotes(&gist(&strip(text), most))
}

fn in_quotes(short: &str) -> String {
    let mut quoted = String::with_capacity(short.len() + 2);
    quoted.push('"');
    escape_into(&mut quoted, short);
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
/// Whether a text has characters that hide or change what a reader sees. Line ends and tabs do not.
pub(crate) fn misleads(text: &str) -> bool {
    text.chars().any(|it| it.is_control() && !matches!(it, '\n' | '\r' | '\t') || is_invisible(it))
}

fn is_invisible(it: char) -> bool {
    matches!(it,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{206a}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::{cut, cut_bytes, gist, quote, strip};

    #[test]
    fn escape_sequences_and_invisible_characters_are_gone() {
        assert_eq!(strip("\u{1b}[31mred\u{1b}[0m  a\n\tb \u{202e}c\u{200b}d "), "red a b cd");
        assert_eq!(strip("\u{1b}]0;title\u{7}x"), "x");
        assert_eq!(quote("say \"no\"\n", 20), r#""say \"no\"""#);
    }

    #[test]
    fn the_place_that_tells_is_kept() {
        let noise = "   Compiling serde v1.0.229 Compiling tokio v1.48.0 ".repeat(9);
        let cases = [
            (
                format!("{noise} error[E0308]: mismatched types --> src/main.rs:3:5"),
                "types --> src/main.rs:3:5",
            ),
            (
                format!("running 3 tests {noise} thread 'b' panicked at src/lib.rs:5:9: left: 1"),
                "panicked at src/lib.rs:5:9: left: 1",
            ),
            (
                format!(
                    "Traceback (most recent call last): KeyError: 'a' {noise} ValueError: bad date"
                ),
                " … ValueError: bad date",
            ),
            (format!("{noise} the end of it all"), "the end of it all"),
            (
                format!("main.ts {noise} app.ts(3,1): error TS2304: Cannot find name 'x'. {noise}"),
                "error TS2304: Cannot find name 'x'.",
            ),
        ];
        for (text, kept) in cases {
            let short = gist(&text, 180);
            assert!(short.contains(kept) && short.contains(" … "), "{short}");
        }
        let values = "a, ".repeat(100);
        let short = gist("Invalid mode. Expected one of a, b, c", 500);
        assert_eq!(short, "Invalid mode. Expected one of a, b, c");
        let short = gist(&values, 100).into_owned();
        assert!(short.starts_with("a, a, ") && short.ends_with("a, a,"), "{short}");
    }

    proptest! {
        #[test]
        fn a_gist_fits_and_is_of_the_text(
            text in "([a-zé]{1,30}|error:|failed|Traceback \\(most recent call last\\)| |…|\\PC){0,120}",
            most in 0usize..260,
        ) {
            let short = gist(&text, most);
            prop_assert!(short.chars().count() <= most.max(1), "{}", short);
            if text.chars().count() <= most {
                prop_assert_eq!(&*short, &*text);
            } else if most >= super::MIN_GIST_CHARS {
                let whole = short.strip_suffix('…').unwrap_or(&short);
                // Any of these may be ours: the text can have some of its own, one right behind the other.
                let parts = whole.char_indices().any(|(at, _)| {
                    let end = whole[at..].strip_prefix(" … ");
                    text.starts_with(&whole[..at]) && end.is_some_and(|it| text.contains(it))
                });
                prop_assert!(parts || text.starts_with(whole), "{}", short);
            }
        }

        #[test]
        fn a_cut_never_splits_a_character(text in any::<String>(), most in 0usize..40) {
            prop_assert!(cut(&text, most).chars().count() <= most.max(1));
            prop_assert!(cut_bytes(&text, most).len() <= most.max(3));
            prop_assert!(!strip(&text).chars().any(char::is_control));
        }
    }
}
