//! A tolerant search of bytes for statements: linear, and indifferent to whether they are a valid document.
//!
//! Escapes are taken away first, so that a document inside a string reads like one outside of it. Then every quoted name
//! before a colon is a member.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use redress_registry::{Effect, Retry, RetryKind};

use super::Stated;

/// The most bytes of a name that says something.
const LONGEST_NAME: usize = 32;

/// The most bytes of a value that is understood.
const LONGEST: usize = 512;

/// The statements of all members in a text, by what each of them says.
pub(super) fn scan(text: &[u8], says: fn(&str, &[u8]) -> Stated) -> Stated {
    let text = without_escapes(text);
    members(&text).map(|(name, value)| says(&name, value)).fold(Stated::default(), Stated::and)
}

/// What a member says, also one that services have beside the dialects.
pub(super) fn anywhere(name: &str, value: &[u8]) -> Stated {
    match name {
        "retryafterms" => wait(value, 1.0),
        "retryafter" | "retryafterseconds" => wait(value, 1_000.0),
        "notbefore" | "retrynotbefore" => {
            let Stated { waits: not_before, refuses, .. } = wait(value, 1.0);
            Stated { not_before, refuses, ..Stated::default() }
        }
        _ => in_envelope(name, value),
    }
}

/// What a member of an envelope says, in any dialect.
pub(super) fn in_envelope(name: &str, value: &[u8]) -> Stated {
    match name {
        "retryable" | "isretryable" if is_word(value, "true") => Stated::default(),
        "retryable" | "isretryable" => Stated::no(),
        "retry" => rule(value),
        // Many things have a kind; only those of a retry rule say something here.
        "kind" => kind(value).unwrap_or_default(),
        "effect" => {
            let effect = text_of(value).and_then(|it| Effect::parse(&it));
            Stated { effect: effect.or(Some(Effect::Unknown)), ..Stated::default() }
        }
        "afterms" => wait(value, 1.0),
        _ => Stated::default(),
    }
}

/// A retry rule: an object with a `kind`, the kind alone, or yes or no. What is not understood is a no.
fn rule(value: &[u8]) -> Stated {
    if is_word(value, "true") {
        return Stated::default();
    }
    let Some(object) = object_of(value) else { return kind(value).unwrap_or_else(Stated::no) };
    let kinds = members(object).filter(|it| it.0 == "kind");
    let kinds = kinds.map(|it| kind(it.1).unwrap_or_else(Stated::no));
    let Some(stated) = kinds.reduce(Stated::and) else { return Stated::no() };
    let most = members(object).filter(|it| it.0 == "max" && !is_word(it.1, "null"));
    most.map(|it| repeats(it.1)).fold(stated, Stated::and)
}

/// How many repeats make sense. What is not understood is none.
fn repeats(value: &[u8]) -> Stated {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast stops at the bounds"
    )]
    let max = number(value).unwrap_or_default() as u32;
    Stated::of_rule(Some(Retry { max: Some(max), ..Retry::of(RetryKind::Now) }))
}

/// A time to wait in units of so many milliseconds. What is not understood is a no.
fn wait(value: &[u8], unit: f64) -> Stated {
    if is_word(value, "null") {
        return Stated::default();
    }
    let Some(ms) = number(value).map(|it| it * unit).filter(|it| it.is_finite() && *it >= 0.0)
    else {
        return Stated::no();
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast stops at the bounds"
    )]
    Stated::of_wait(Some(ms.ceil() as u64))
}

/// The kind of a retry rule in the words of any dialect.
fn kind(value: &[u8]) -> Option<Stated> {
    let kind = match text_of(value)?.as_str() {
        "retryable_after_ms" => RetryKind::AfterDelay,
        "retryable" | "retryable_immediate" => RetryKind::Now,
        // What else may help, it does not say.
        "not_retryable" => return Some(Stated::no()),
        name => RetryKind::parse(name)?,
    };
    Some(Stated::of_rule(Some(Retry::of(kind))))
}

/// Every quoted name before a colon, in small letters and without `_` and `-`, with the text after the colon.
fn members(text: &[u8]) -> impl Iterator<Item = (String, &[u8])> {
    memchr_iter(b':', text).filter_map(|colon| {
        let (before, after) = text.split_at_checked(colon)?;
        let before = before.trim_ascii_end();
        let (_, before) = before.split_last().filter(|it| is_quote(*it.0))?;
        let start = before.iter().rev().take(LONGEST_NAME).position(|it| is_quote(*it))?;
        let name = before.get(before.len() - start..)?;
        let name = name.iter().filter(|it| !matches!(it, b'_' | b'-') && !it.is_ascii_whitespace());
        let name = name.map(|it| char::from(it.to_ascii_lowercase())).collect();
        Some((name, after.get(1..)?.trim_ascii_start()))
    })
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

/// The quoted text at the start, trimmed and in small letters.
fn text_of(value: &[u8]) -> Option<String> {
    let (quote, rest) = value.split_first().filter(|it| is_quote(*it.0))?;
    let rest = rest.get(..LONGEST).unwrap_or(rest);
    let text = rest.get(..memchr(*quote, rest)?)?.trim_ascii();
    Some(String::from_utf8_lossy(text).to_ascii_lowercase())
}

/// The inside of the object at the start.
fn object_of(value: &[u8]) -> Option<&[u8]> {
    let inside = value.strip_prefix(b"{")?;
    let mut depth = 0_usize;
    for (at, byte) in inside.iter().enumerate().take(LONGEST) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return inside.get(..at),
            b'}' => depth -= 1,
            _ => (),
        }
    }
    None
}

/// The bare word or number at the start.
fn word_of(value: &[u8]) -> &[u8] {
    let is_end = |it: &u8| it.is_ascii_whitespace() || b",}])\"'".contains(it);
    let value = value.get(..LONGEST).unwrap_or(value);
    value.get(..value.iter().position(is_end).unwrap_or(value.len())).unwrap_or(value)
}

fn is_word(value: &[u8], word: &str) -> bool {
    word_of(value).eq_ignore_ascii_case(word.as_bytes())
}

/// The number at the start, quoted or not.
fn number(value: &[u8]) -> Option<f64> {
    let text = text_of(value).unwrap_or_else(|| String::from_utf8_lossy(word_of(value)).into());
    text.parse().ok()
}

/// The text without escapes of any depth: `\\\"` and `\u0022` are quotes.
fn without_escapes(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\\', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        plain.extend_from_slice(before);
        let (byte, after) = escaped(after.get(1..).unwrap_or_default());
        plain.extend(byte);
        rest = after;
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}

/// What the start of the text after a backslash represents, if not for itself, and the text behind it.
fn escaped(mut text: &[u8]) -> (Option<u8>, &[u8]) {
    loop {
        match (by_number(text), text) {
            // An escaped backslash escapes what follows it one level further in.
            (Some((b'\\', rest)), _) => text = rest,
            (Some((byte, rest)), _) => return (Some(byte), rest),
            (None, [b'n' | b'r' | b't', rest @ ..]) => return (Some(b' '), rest),
            _ => return (None, text),
        }
    }
}

/// The character that `u` and four digits stand for; one that is not ASCII is of no interest here.
fn by_number(text: &[u8]) -> Option<(u8, &[u8])> {
    let digits = text.strip_prefix(b"u")?.get(..4)?;
    let number = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    let byte = u8::try_from(number).ok().filter(u8::is_ascii).unwrap_or(b'?');
    Some((byte, text.get(5..)?))
}
