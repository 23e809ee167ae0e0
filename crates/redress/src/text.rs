//! Texts for readers: cut on character boundaries, quoted, stripped of what could mislead.

mod stack;
pub mod tokens;

use std::{borrow::Cow, fmt::Write as _, ops::Range};

use redress_wire::{
    json::escape_into,
    unseen::{is_invisible, is_unseen},
};

/// What is where a secret stood.
pub const REDACTED: &str = "[redacted]";

pub(crate) use stack::{TRACEBACK, with_frames};
pub use stack::{has_frames, without_frames};

/// At most `most` characters; a cut text ends in `…`.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let keep = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
            let keep = mask_around(text, keep).map_or(keep, |it| it.start);
            Cow::Owned(format!("{}…", text.get(..keep).unwrap_or_default()))
        }
    }
}

/// The mask of a secret that a place is inside of: no cut goes through it.
fn mask_around(text: &str, at: usize) -> Option<Range<usize>> {
    let starts = at.saturating_sub(REDACTED.len() - 1)..at;
    let start = starts.into_iter().find(|it| {
        text.as_bytes().get(*it..).is_some_and(|it| it.starts_with(REDACTED.as_bytes()))
    })?;
    Some(start..start + REDACTED.len())
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

/// Of whose marks the last one tells: what is before it led there.
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
    let slice = |from: usize, to: usize| {
        let (from, to) = (at(from), at(to));
        let from = mask_around(text, from).map_or(from, |it| it.end);
        let to = mask_around(text, to).map_or(to, |it| it.start);
        text.get(from..to).unwrap_or_default()
    };
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
    keep = mask_around(text, keep).map_or(keep, |it| it.start);
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
pub fn strip_lines(text: &str) -> String {
    harmless(text, |clean, it| clean.push(if matches!(it, '\n' | '\t') { it } else { ' ' }))
}

/// The same of one line whose columns tell something: its tabs and spaces stay.
pub fn strip_line(line: &str) -> String {
    harmless(line, |clean, it| clean.push(if it == '\t' { it } else { ' ' }))
}

fn harmless(text: &str, space: impl Fn(&mut String, char)) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        // Most of a text is words, which are copied whole.
        let word = rest.bytes().position(|it| !it.is_ascii_graphic()).unwrap_or(rest.len());
        let (word, other) = rest.split_at_checked(word).unwrap_or((rest, ""));
        clean.push_str(word);
        rest = other;
        let Some(it) = rest.chars().next() else { break };
        let length = if it == ESC { sequence(rest.as_bytes()) } else { it.len_utf8() };
        rest = rest.get(length..).unwrap_or_default();
        match it {
            ESC => (),
            it if it.is_whitespace() => space(&mut clean, it),
            it if is_unseen(it) => (),
            it => clean.push(it),
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

const ESC: char = '\u{1b}';

/// The length of the escape sequence of terminals that bytes start with: `ESC [` … letter, `ESC ]` … bell, or `ESC` and one character.
pub(crate) fn sequence(bytes: &[u8]) -> usize {
    let rest = bytes.get(2..).unwrap_or_default();
    let length = |end: Option<usize>, last: usize| 2 + end.map_or(rest.len(), |it| it + last);
    match bytes.get(1) {
        Some(b'[') => length(rest.iter().position(|it| (b'@'..=b'~').contains(it)), 1),
        Some(b']') => {
            let end = rest.iter().position(|it| matches!(it, 0x07 | 0x1b));
            let is_bell = end.and_then(|it| rest.get(it)) == Some(&0x07);
            length(end, usize::from(is_bell))
        }
        Some(_) => 2 + rest.iter().take_while(|it| (0x80..0xc0).contains(*it)).count(),
        None => 1,
    }
}

/// One line of foreign text as a terminal may show it: control characters, and with them escape sequences, bidi and invisible
/// characters are spelled as `\u{1b}`. Tabs stay.
pub fn visible(line: &str) -> Cow<'_, str> {
    spelled(line, |out, it| {
        // Writing to a string cannot fail.
        write!(out, "\\u{{{:x}}}", u32::from(it)).unwrap_or_default();
    })
}

/// A line of JSON with the same characters as `\u` escapes: it means the same, and a terminal obeys none of it.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    spelled(json, |out, it| {
        for unit in it.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}").unwrap_or_default();
        }
    })
}

/// The text with each character that misleads as `spell` writes it.
fn spelled(text: &str, spell: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if text.bytes().all(|it| matches!(it, b'\t' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for it in text.chars() {
        if is_misleading(it) && !joins(before, it) {
            spell(&mut out, it);
        } else {
            out.push(it);
        }
        before = it;
    }
    Cow::Owned(out)
}

/// Whether a terminal may obey a character, or a reader not see it. A tab only makes room.
fn is_misleading(it: char) -> bool {
    it.is_control() && it != '\t' || matches!(it, '\u{2028}' | '\u{2029}') || is_invisible(it)
}

/// Whether a character belongs to the one before it, as in emoji and in scripts that join their letters. Words of ASCII have none.
const fn joins(before: char, it: char) -> bool {
    matches!(it, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
        && !before.is_ascii()
        && !matches!(before, '\u{200c}' | '\u{200d}')
}

/// Whether a text has characters that hide or change what a reader sees. Line ends and tabs do not.
pub(crate) fn misleads(text: &str) -> bool {
    text.chars().any(|it| it.is_control() && !matches!(it, '\n' | '\r' | '\t') || is_invisible(it))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::REDACTED;
    use super::{cut, cut_bytes, gist, quote, strip, visible, visible_json};
    use redress_wire::unseen::is_unseen;

    #[test]
    fn escape_sequences_and_invisible_characters_are_gone() {
        assert_eq!(strip("\u{1b}[31mred\u{1b}[0m  a\n\tb \u{202e}c\u{200b}d "), "red a b cd");
        assert_eq!(strip("\u{1b}]0;title\u{7}x\u{1b}]8;;a\u{1b}\\y\u{1b}ßz\u{1b}"), "xyz");
        assert_eq!(strip("a\0\u{34f}\u{3164}\u{fe0f}\u{e0fff}b\u{1b}["), "ab");
        assert_eq!(quote("say \"no\"\n", 20), r#""say \"no\"""#);
    }

    #[test]
    fn what_a_terminal_would_obey_is_spelled() {
        for (text, shown) in [
            ("\u{1b}]52;c;aGk=\u{7}", "\\u{1b}]52;c;aGk=\\u{7}"),
            ("50%\r100%\u{8}", "50%\\u{d}100%\\u{8}"),
            ("a\u{9b}2Jb\u{85}\u{7f}", "a\\u{9b}2Jb\\u{85}\\u{7f}"),
            ("\u{202e}txt.exe\u{2066}", "\\u{202e}txt.exe\\u{2066}"),
            ("\u{2028}\u{feff}\u{e0041}", "\\u{2028}\\u{feff}\\u{e0041}"),
            ("hun\u{200b}ter\u{fe0f}2\u{200d}", "hun\\u{200b}ter\\u{fe0f}2\\u{200d}"),
            ("\tat café ⚠\u{fe0f} 👩\u{200d}🚀", "\tat café ⚠\u{fe0f} 👩\u{200d}🚀"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible_json("\"\u{9b}\u{202e}\u{e0041}é\""), r#""\u009b\u202e\udb40\udc41é""#);
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

    #[test]
    fn no_cut_goes_through_a_mask() {
        let text = format!("token {REDACTED} and {REDACTED} {}", "x ".repeat(200)) + REDACTED;
        let is_whole = |it: &str| {
            let rest = it.replace(REDACTED, "");
            !rest.contains("[r") && !rest.contains("ed]") && !rest.contains("dact")
        };
        for most in 0..text.len() {
            for short in [cut(&text, most), cut_bytes(&text, most), gist(&text, most)] {
                assert!(is_whole(&short), "{most}: {short}");
            }
        }
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
            prop_assert!(!strip(&text).chars().any(|it| it.is_control() || is_unseen(it)));
        }
    }
}
