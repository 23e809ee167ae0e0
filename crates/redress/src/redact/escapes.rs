//! What a text says when its escapes are undone: those of JSON and of programs (`\/`, `\u00e4`, `\x61`), of URLs (`%2F`), of HTML (`&amp;`),
//! and what is not seen: sequences for terminals, control characters, invisible characters.

use std::ops::Range;

use memchr::memchr;

use redress_wire::unseen::is_unseen;

use crate::text::sequence;

/// Texts quote each other, and their escapes with them. More often than this is rare.
const MOST_LAYERS: usize = 5;

/// The longest sequence that colours something.
const LONGEST_COLOUR: usize = 24;

const ESC: u8 = 0x1b;

type Number = (&'static [u8], u32, usize, Option<u8>, bool);

/// How escapes hold a number: what is before it, its base, how many digits it has (at most, if something ends it), what ends it, and
/// whether it is a byte of a character.
const NUMBERS: &[Number] = &[
    (b"%", 16, 2, None, true),
    (b"\\x", 16, 2, None, true),
    (b"\\u", 16, 4, None, false),
    (b"\\u{", 16, 6, Some(b'}'), false),
    (b"&#x", 16, 7, Some(b';'), false),
    (b"&#X", 16, 7, Some(b';'), false),
    (b"&#", 10, 8, Some(b';'), false),
    (b"\\", 8, 3, None, true),
];

/// Escapes that are words. What is behind a backslash and neither a letter nor a digit means itself.
#[rustfmt::skip]
const WORDS: &[(&[u8], u8)] = &[
    (b"\\n", b'\n'), (b"\\r", b'\r'), (b"\\t", b'\t'), (b"\\b", 8), (b"\\f", 12), (b"\\e", ESC), (b"&amp;", b'&'),
    (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\''),
];

/// A text with some layers of escapes undone.
#[derive(Debug)]
struct Layer {
    text: Vec<u8>,
    /// Where each byte was written, and at last where the text ended.
    written: Vec<usize>,
}

/// Looks at what the text means, one layer of escapes after another, and says where in the text is what was found.
pub(super) fn find_meant(
    text: &str,
    look: impl Fn(&[u8]) -> Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Some readers leave what is in a sequence, and only take its control characters out.
    for skips in [true, false] {
        let (mut layer, mut has_sequence) = (None::<Layer>, false);
        for _ in 0..MOST_LAYERS {
            let before = layer.as_ref().map_or(text.as_bytes(), |it| &it.text);
            has_sequence |= memchr(ESC, before).is_some();
            let Some(next) = undone(text, layer.as_ref(), skips) else { break };
            let written = |it: usize| next.written.get(it).copied().unwrap_or(text.len());
            found.extend(look(&next.text).into_iter().map(|it| written(it.start)..written(it.end)));
            layer = Some(next);
        }
        if !has_sequence {
            break;
        }
    }
    found
}

/// The text without any escapes, if it has some.
pub fn without_escapes(text: &str) -> Option<String> {
    let mut layer = undone(text, None, true)?;
    for _ in 1..MOST_LAYERS {
        let Some(next) = undone(text, Some(&layer), true) else { break };
        layer = next;
    }
    String::from_utf8(layer.text).ok()
}

/// Whether a text ends with what colours the text behind it.
pub(super) fn ends_with_colour(text: &[u8]) -> bool {
    let near = text.get(text.len().saturating_sub(LONGEST_COLOUR)..).unwrap_or(text);
    let colour = near.iter().rposition(|it| *it == ESC).and_then(|it| near.get(it..));
    colour.is_some_and(|it| {
        let is_whole = it.len() > 2 && it.last().is_some_and(|it| *it >= b'@');
        it.get(1) == Some(&b'[') && is_whole && sequence(it) == it.len()
    })
}

/// The text, or a layer of it, with one layer more undone; `None` if there is none. With `skips`, sequences for terminals go whole.
fn undone(text: &str, layer: Option<&Layer>, skips: bool) -> Option<Layer> {
    let text = layer.map_or(text.as_bytes(), |it| &it.text);
    let mut next = candidate(text, 0)?;
    let (mut meant, mut places) = (Vec::new(), Vec::new());
    let (mut from, mut is_escaped) = (0, false);
    let written = |at: usize| layer.map_or(at, |it| it.written.get(at).copied().unwrap_or(at));
    loop {
        meant.extend_from_slice(text.get(from..next)?);
        places.extend((from..next).map(written));
        from = next;
        let length = text.get(next..).and_then(|it| escape(it, skips, &mut meant));
        is_escaped |= length.is_some();
        // The second of two backslashes is what the first one escapes.
        from += length.unwrap_or_default();
        places.resize(meant.len(), written(next));
        let Some(at) = candidate(text, next + length.unwrap_or(1)) else { break };
        next = at;
    }
    is_escaped.then_some(())?;
    meant.extend_from_slice(text.get(from..)?);
    places.extend((from..=text.len()).map(written));
    Some(Layer { text: meant, written: places })
}

/// Where the next escape may start. Texts have few: many bytes are looked at at once.
fn candidate(text: &[u8], from: usize) -> Option<usize> {
    const AT_ONCE: usize = 64;
    let is_one = |it: &u8| matches!(*it, 0..=8 | 14..=31 | b'%' | b'&' | b'\\' | 0x7f..);
    let has_none = |it: &&[u8]| !it.iter().fold(false, |any, it| any | is_one(it));
    let rest = text.get(from..)?;
    let clean = rest.chunks(AT_ONCE).take_while(has_none).count() * AT_ONCE;
    let length = rest.get(clean..)?.iter().position(is_one)?;
    Some(from + clean + length)
}

/// Adds what the escape that a text starts with means, and returns its length.
fn escape(text: &[u8], skips: bool, out: &mut Vec<u8>) -> Option<usize> {
    match text {
        [b'\\' | b'%' | b'&', ..] => {
            number(text, out).or_else(|| pair(text, out)).or_else(|| word(text, out))
        }
        [ESC, ..] if skips => Some(sequence(text)),
        _ => unseen(text, out),
    }
}

/// An unseen character, or a space that is not that of ASCII.
fn unseen(text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let near = text.get(..4).unwrap_or(text);
    let first = near.utf8_chunks().next()?.valid().chars().next()?;
    let is_space = !first.is_ascii() && first.is_whitespace();
    out.extend(is_space.then_some(b' '));
    (is_space || is_unseen(first)).then_some(first.len_utf8())
}

/// The number of a byte or a character.
fn number(text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    NUMBERS.iter().find_map(|(start, radix, most, end, is_byte)| {
        let rest = text.strip_prefix(*start)?;
        let count =
            end.map_or(Some(*most), |end| rest.iter().take(most + 1).position(|it| *it == end))?;
        let number = digits(rest.get(..count)?, *radix)?;
        if *is_byte {
            out.push(u8::try_from(number).ok()?);
        } else {
            push(char::from_u32(number)?, out);
        }
        Some(start.len() + count + usize::from(end.is_some()))
    })
}

/// Two numbers for one character: `\ud83d\ude00`.
fn pair(text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    const LENGTH: usize = 6;
    let unit = |at: usize| {
        let number = digits(text.get(at..at + LENGTH)?.strip_prefix(b"\\u")?, 16)?;
        u16::try_from(number).ok()
    };
    push(char::decode_utf16([unit(0)?, unit(LENGTH)?]).next()?.ok()?, out);
    Some(2 * LENGTH)
}

fn word(text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let listed = WORDS.iter().find(|it| text.starts_with(it.0)).map(|it| (it.1, it.0.len()));
    let itself = || text.strip_prefix(b"\\")?.first().map(|it| (*it, 2));
    let is_itself = |it: &(u8, usize)| it.0 == b' ' || it.0.is_ascii_punctuation();
    let (meant, length) = listed.or_else(|| itself().filter(is_itself))?;
    out.push(meant);
    Some(length)
}

fn push(char: char, out: &mut Vec<u8>) {
    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

fn digits(text: &[u8], radix: u32) -> Option<u32> {
    let is_number = text.iter().all(u8::is_ascii_alphanumeric);
    u32::from_str_radix(std::str::from_utf8(text).ok().filter(|_| is_number)?, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::{find_meant, without_escapes as without};
    use crate::redact::Redactor;

    /// Where a word is found in what a text means.
    fn found(text: &str, word: &str) -> Vec<String> {
        let places = find_meant(text, |it| {
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
            let places = found(&format!("({text})"), "word");
            assert!(places.contains(&text), "{text:?}: {places:?}");
        }
    }

    #[test]
    fn every_character_that_nobody_sees_is_passed_over() {
        let redactor = Redactor::new(["xaa bbx"]);
        for it in (0..0x2_0000).chain(0xe_0000..0xe_2000).filter_map(char::from_u32) {
            let text = format!("a{it}b");
            let is_passed = !found(&text, "ab").is_empty();
            assert_eq!(is_passed, redress_wire::unseen::is_unseen(it), "{it:?}");
            let text = format!("xaa {it}bbx");
            let is_space = redactor.known(&text) != text;
            assert_eq!(
                is_space,
                is_passed || it.is_whitespace() || matches!(it, '+' | '-'),
                "{it:?}"
            );
        }
    }

    #[test]
    fn a_known_value_is_found_with_any_white_space() {
        let redactor = Redactor::new(["two words"]);
        for text in ["two\n words", "two\u{2028}words", "two \u{200b}words", "two\\n\\twords"] {
            assert_eq!(redactor.known(text), "[redacted]", "{text:?}");
        }
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
