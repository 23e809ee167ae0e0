//! What a text says when its escapes are undone: those of JSON and of programs (`\/`, `\u00e4`, `\x61`), of URLs (`%2F`), of HTML (`&amp;`),
//! and what is not seen: sequences for terminals, control characters, invisible characters. Where each piece stood is kept, so that what
//! is found can be taken out of the text itself.

use std::ops::Range;

use memchr::memchr;

use redress_wire::unseen::is_unseen;

use crate::text::sequence;

/// Texts quote each other, and their escapes with them. More often than this is rare.
const MOST_LAYERS: usize = 5;

/// The longest sequence that colours something.
const LONGEST_COLOUR: usize = 24;

/// How white space is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Spaces {
    /// As it is.
    #[default]
    Kept,
    /// Any of it as one space, as a text in one line has it.
    Folded,
}

/// Has somebody look at what the text means, one layer of escapes after another, and says where in the text is what they found.
pub(super) fn find_meant(
    text: &str,
    spaces: Spaces,
    look: impl Fn(&[u8]) -> Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Some readers leave what is in a sequence, and only take its control characters out.
    if find_as(text, Reading { spaces, skips: true }, &look, &mut found) {
        find_as(text, Reading { spaces, skips: false }, &look, &mut found);
    }
    found
}

/// Looks in one way, and says whether there is a sequence for terminals, so that there is another way.
fn find_as(
    text: &str,
    reading: Reading,
    look: &impl Fn(&[u8]) -> Vec<Range<usize>>,
    found: &mut Vec<Range<usize>>,
) -> bool {
    let mut layers: Vec<Undone> = Vec::new();
    let mut has_sequence = false;
    while layers.len() < MOST_LAYERS {
        let written = layers.last().map_or(text.as_bytes(), |it| &it.text);
        has_sequence |= memchr(ESC, written).is_some();
        let Some(meant) = undo(written, reading) else { break };
        let hits = look(&meant.text);
        layers.push(meant);
        let origin = |hit| layers.iter().rev().fold(hit, |piece, layer| layer.origin(&piece));
        found.extend(hits.into_iter().map(origin));
    }
    has_sequence
}

/// The text without any escapes, if it has some.
pub fn without_escapes(text: &str) -> Option<String> {
    let reading = Reading { spaces: Spaces::Kept, skips: true };
    let mut plain = undo(text.as_bytes(), reading)?.text;
    for _ in 1..MOST_LAYERS {
        let Some(plainer) = undo(&plain, reading) else { break };
        plain = plainer.text;
    }
    String::from_utf8(plain).ok()
}

/// How a text is read.
#[derive(Debug, Clone, Copy)]
struct Reading {
    spaces: Spaces,
    /// Whether sequences for terminals are passed over whole.
    skips: bool,
}

/// Whether a text ends with what colours the text behind it.
pub(super) fn ends_with_colour(text: &[u8]) -> bool {
    let near = text.get(text.len().saturating_sub(LONGEST_COLOUR)..).unwrap_or(text);
    let start = near.iter().rposition(|it| *it == ESC);
    let sequence = start.and_then(|it| near.get(it + 1..));
    sequence.and_then(colour).is_some_and(|it| Some(it.1) == start.map(|at| near.len() - at))
}

/// A text with one layer of escapes undone.
#[derive(Debug)]
struct Undone {
    text: Vec<u8>,
    escapes: Vec<Escape>,
}

/// Where an escape stood, and where in the text what it means is.
#[derive(Debug)]
struct Escape {
    written: Range<usize>,
    meant: Range<usize>,
}

/// Undoes one layer; `None` if there is none.
fn undo(written: &[u8], reading: Reading) -> Option<Undone> {
    let (mut text, mut escapes) = (Vec::new(), Vec::new());
    let mut at = 0;
    let mut next = 0;
    while let Some(start) = start(written, next, reading) {
        next = start + 1;
        let Some((meant, length)) = written.get(start..).and_then(|it| escape(it, reading)) else {
            continue;
        };
        text.extend_from_slice(written.get(at..start)?);
        let before = text.len();
        match meant {
            Meant::Byte(byte) => text.push(byte),
            Meant::Char(char) => text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Meant::Nothing => (),
        }
        at = start + length;
        // The second of two backslashes is what the first one escapes.
        next = at;
        escapes.push(Escape { written: start..at, meant: before..text.len() });
    }
    text.extend_from_slice(written.get(at..)?);
    (!escapes.is_empty()).then_some(Undone { text, escapes })
}

impl Undone {
    /// Where a piece of the text was written.
    fn origin(&self, piece: &Range<usize>) -> Range<usize> {
        let last = piece.end.saturating_sub(1).max(piece.start);
        self.byte_origin(piece.start).start..self.byte_origin(last).end
    }

    fn byte_origin(&self, at: usize) -> Range<usize> {
        let after = self.escapes.partition_point(|it| it.meant.start <= at);
        let before = after.checked_sub(1).and_then(|it| self.escapes.get(it));
        let at = match before {
            Some(it) if at < it.meant.end => return it.written.clone(),
            Some(it) => it.written.end + (at - it.meant.end),
            None => at,
        };
        at..at + 1
    }
}

/// What an escape means.
enum Meant {
    /// A byte of a character, or one that is a character.
    Byte(u8),
    Char(char),
    Nothing,
}

const ESC: u8 = 0x1b;

/// Where the next escape may start.
fn start(text: &[u8], from: usize, reading: Reading) -> Option<usize> {
    // No unseen character, and no white space but these, starts with another byte.
    let is_start = |it: &u8| match it {
        b'\\' | b'%' | b'&' | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3 => true,
        b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b' ' => reading.spaces == Spaces::Folded,
        it => *it < b' ',
    };
    text.get(from..)?.iter().position(is_start).map(|it| from + it)
}

/// The escape that a text starts with: what it means, and its length.
fn escape(text: &[u8], reading: Reading) -> Option<(Meant, usize)> {
    match text {
        [b'%', rest @ ..] => Some((Meant::Byte(hex(rest, 2).and_then(byte)?), 3)),
        [b'\\', rest @ ..] => backslash(rest),
        [b'&', rest @ ..] => entity(rest),
        [ESC, ..] if reading.skips => Some((Meant::Nothing, sequence(text))),
        _ => unseen(text, reading.spaces),
    }
}

/// An unseen character, or white space that is not one space.
fn unseen(text: &[u8], spaces: Spaces) -> Option<(Meant, usize)> {
    let first = first_char(text)?;
    if is_unseen(first) {
        return Some((Meant::Nothing, first.len_utf8()));
    }
    if spaces == Spaces::Kept || !first.is_whitespace() {
        return None;
    }
    let mut length = first.len_utf8();
    while let Some(next) = text.get(length..).and_then(first_char).filter(|it| it.is_whitespace()) {
        length += next.len_utf8();
    }
    (length > 1 || first != ' ').then_some((Meant::Char(' '), length))
}

/// The character that bytes start with, if they are text.
fn first_char(bytes: &[u8]) -> Option<char> {
    const LONGEST: usize = 4;
    let near = bytes.get(..LONGEST).unwrap_or(bytes);
    near.utf8_chunks().next()?.valid().chars().next()
}

/// `ESC [ 3 2 m` and the like; `rest` starts behind the first character.
fn colour(rest: &[u8]) -> Option<(Meant, usize)> {
    let inside = rest.strip_prefix(b"[")?;
    let length = inside.iter().take(LONGEST_COLOUR).position(|it| !(0x20..0x40).contains(it))?;
    let last = *inside.get(length)?;
    (0x40..0x7f).contains(&last).then_some((Meant::Nothing, length + 3))
}

/// What is behind a backslash. What is neither a letter nor a digit means itself.
fn backslash(rest: &[u8]) -> Option<(Meant, usize)> {
    let simple = |byte| Some((Meant::Byte(byte), 2));
    match *rest.first()? {
        b'u' => unicode(rest.get(1..)?),
        b'x' => Some((Meant::Byte(hex(rest.get(1..)?, 2).and_then(byte)?), 4)),
        b'n' => simple(b'\n'),
        b'r' => simple(b'\r'),
        b't' => simple(b'\t'),
        b'b' => simple(8),
        b'f' => simple(12),
        b'e' => simple(ESC),
        b'0'..=b'3' => Some((Meant::Byte(digits(rest, 3, 8).and_then(byte)?), 4)),
        it if it == b' ' || it.is_ascii_punctuation() => simple(it),
        _ => None,
    }
}

/// `\uXXXX`, two of them for one character, or `\u{X}`; `rest` starts behind the `u`.
fn unicode(rest: &[u8]) -> Option<(Meant, usize)> {
    if let Some(inside) = rest.strip_prefix(b"{") {
        let length = inside.iter().take(7).position(|it| *it == b'}')?;
        return Some((Meant::Char(char::from_u32(hex(inside, length)?)?), length + 4));
    }
    let unit = hex(rest, 4)?;
    if let Some(char) = char::from_u32(unit) {
        return Some((Meant::Char(char), 6));
    }
    let low = hex(rest.get(4..)?.strip_prefix(b"\\u")?, 4)?;
    let units = [unit, low].map(|it| u16::try_from(it).unwrap_or_default());
    let char = char::decode_utf16(units).next()?.ok()?;
    Some((Meant::Char(char), 12))
}

/// `&amp;` and the like, or the number of a character; `rest` starts behind the `&`.
fn entity(rest: &[u8]) -> Option<(Meant, usize)> {
    const LONGEST: usize = 10;
    let length = rest.iter().take(LONGEST).position(|it| *it == b';')?;
    let char = match rest.get(..length)? {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        [b'#', b'x' | b'X', number @ ..] => char::from_u32(hex(number, number.len())?)?,
        [b'#', number @ ..] => char::from_u32(digits(number, number.len(), 10)?)?,
        _ => return None,
    };
    Some((Meant::Char(char), length + 2))
}

fn hex(text: &[u8], count: usize) -> Option<u32> {
    digits(text, count, 16)
}

/// The number that so many digits are.
fn digits(text: &[u8], count: usize, radix: u32) -> Option<u32> {
    let text = text.get(..count).filter(|it| it.iter().all(u8::is_ascii_alphanumeric))?;
    u32::from_str_radix(std::str::from_utf8(text).ok()?, radix).ok()
}

fn byte(number: u32) -> Option<u8> {
    u8::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::{Spaces, find_meant, without_escapes as without};

    /// Where a word is found in what a text means.
    fn found(text: &str, spaces: Spaces, word: &str) -> Vec<String> {
        let places = find_meant(text, spaces, |it| {
            let at = memchr::memmem::find(it, word.as_bytes());
            at.map(|at| at..at + word.len()).into_iter().collect()
        });
        places.into_iter().map(|it| text[it].to_owned()).collect()
    }

    #[test]
    fn a_word_is_found_between_what_nobody_sees() {
        for between in [
            "\0",
            "\u{7}",
            "\u{7f}",
            "\u{ad}",
            "\u{200b}",
            "\u{2060}",
            "\u{fe0f}",
            "\u{feff}",
            "\u{e0020}",
            "\u{1b}[1m",
            "\u{1b}]0;t\u{7}",
            "\u{1b}]0;t\u{1b}\\",
            "\u{1b}c",
            "\u{1b}",
            "\\u200b",
            "%E2%80%8B",
            "&#8203;",
            "\\x00",
            "\\\\u001b[1m",
            "\u{9b}",
        ] {
            let word: Vec<String> = "word".chars().map(String::from).collect();
            let text = word.join(between);
            let places = found(&format!("({text})"), Spaces::Kept, "word");
            assert!(places.contains(&text), "{text:?}: {places:?}");
        }
    }

    #[test]
    fn every_character_that_nobody_sees_is_passed_over() {
        for it in (0..0x2_0000).chain(0xe_0000..0xe_2000).filter_map(char::from_u32) {
            let text = format!("a{it}b");
            let is_passed = !found(&text, Spaces::Kept, "ab").is_empty();
            assert_eq!(is_passed, redress_wire::unseen::is_unseen(it), "{it:?}");
            let is_space = !found(&format!("a {it}b"), Spaces::Folded, "a b").is_empty();
            assert_eq!(is_space, is_passed || it.is_whitespace(), "{it:?}");
        }
    }

    #[test]
    fn white_space_is_folded_where_that_is_asked_for() {
        for text in ["two\n words", "two\u{2028}words", "two \u{200b}words", "two\\n\\twords"] {
            let places = found(text, Spaces::Folded, "two words");
            assert!(places.iter().any(|it| it == text), "{text:?}: {places:?}");
        }
        assert!(found("two\nwords", Spaces::Kept, "two words").is_empty());
    }

    #[test]
    fn an_escape_is_what_it_means() {
        for (written, meant) in [
            (r"a\/b\\c\q", r"a/b\c\q"),
            (r#"\"p\u00e4ss\""#, "\"päss\""),
            (r"\ud83d\ude00 \u{1f600} \ud83d", "😀 😀 \\ud83d"),
            (r"\x68\x69 \150\151", "hi hi"),
            ("%68%69%2f%C3%a4 100% %zz", "hi/ä 100% %zz"),
            ("&lt;a&gt; &amp;&quot;&#39;&#x27;&apos; &nbsp; &", "<a> &\"''' &nbsp; &"),
            (r"\\u00e4 %2541 &amp;lt;", "ä A <"),
            ("a\u{1b}[1;32mb\u{1b}[0mc \\x1b[32md\\u001b[m", "abc d"),
        ] {
            assert_eq!(without(written).as_deref(), Some(meant), "{written}");
        }
        assert_eq!(without("nothing + to = undo"), None);
        assert_eq!(without("%ff"), None, "no text");
    }
}
