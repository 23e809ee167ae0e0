//! JSON as we need it: validated in one bounded pass, read in place, every number and string in its own spelling.

mod change;
mod error;
mod raw;
mod scan;
mod steps;
mod write;

use std::{borrow::Cow, fmt};

pub use change::{changed, is_same};
pub use error::{JsonError, JsonErrorKind};
pub use raw::RawJson;
pub use scan::{Kind, Limits};
pub use write::{Members, escape_into, pointer_step, write_int, write_list, write_str};

use scan::Slot;

/// A document that was validated whole. Values are handles into it.
#[derive(Clone)]
pub struct Doc<'a> {
    text: &'a str,
    slots: Vec<Slot>,
    has_escaped_key: bool,
}

impl fmt::Debug for Doc<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Doc").field(&self.text).finish()
    }
}

/// 2 MiB of slots, as many as a few hundred KiB of dense JSON need.
const KEPT_SLOTS: usize = 1 << 17;

/// Slots to be used again by the next document, so that reading a stream does not allocate.
#[derive(Debug, Default)]
pub struct Scratch(Vec<Slot>);

impl<'a> Doc<'a> {
    /// Validates `bytes` as one document.
    pub fn parse(bytes: &'a [u8], limits: Limits) -> Result<Self, JsonError> {
        Self::parse_with(bytes, limits, Scratch::default())
    }

    /// The same with slots of an earlier document.
    pub fn parse_with(
        bytes: &'a [u8],
        limits: Limits,
        scratch: Scratch,
    ) -> Result<Self, JsonError> {
        if bytes.len() > limits.bytes {
            return Err(JsonError { offset: limits.bytes, kind: JsonErrorKind::TooLong });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|it| JsonError { offset: it.valid_up_to(), kind: JsonErrorKind::NotUtf8 })?;
        let mut slots = scratch.0;
        let has_escaped_key = scan::scan(bytes, limits, &mut slots)?;
        Ok(Self { text, slots, has_escaped_key })
    }

    /// Gives the slots back; so many as only a huge document needs are not kept for the next.
    pub fn into_scratch(self) -> Scratch {
        if self.slots.capacity() > KEPT_SLOTS { Scratch::default() } else { Scratch(self.slots) }
    }

    /// Whether a key is spelled with escapes, so that a search of the bytes for its text does not find it.
    pub const fn has_escaped_key(&self) -> bool {
        self.has_escaped_key
    }

    /// The document's value.
    pub fn root(&self) -> Value<'_> {
        Value { doc: self, at: 0 }
    }

    /// Whether the string of a slot is `text`. Escapes only make it longer.
    #[inline]
    fn spells(&self, slot: &Slot, text: &str) -> bool {
        let (start, end) = (slot.start as usize + 1, slot.end as usize - 1);
        let length = end.saturating_sub(start);
        if slot.escaped {
            let is_long_enough = length > text.len();
            return is_long_enough
                && self.text.get(start..end).is_some_and(|it| unescape(it) == text);
        }
        // By bytes: where characters begin does not matter.
        length == text.len() && self.text.as_bytes().get(start..end) == Some(text.as_bytes())
    }
}

/// A value inside a document.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    doc: &'d Doc<'d>,
    at: u32,
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}

impl<'d> Value<'d> {
    /// What it is.
    pub fn kind(self) -> Kind {
        self.slot().kind
    }

    /// Its bytes, as they stand in the document.
    pub fn raw(self) -> &'d str {
        let slot = self.slot();
        self.doc.text.get(slot.start as usize..slot.end as usize).unwrap_or_default()
    }

    /// The whole document that it is in.
    pub const fn source(self) -> &'d str {
        self.doc.text
    }

    /// Where it is in the document.
    pub fn offset(self) -> usize {
        self.slot().start as usize
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// A string's text.
    #[inline]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        let slot = self.slot();
        if slot.kind != Kind::String {
            return None;
        }
        let raw = self.doc.text.get(slot.start as usize + 1..slot.end as usize - 1)?;
        Some(if slot.escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) })
    }

    /// Whether it is the string `text`, without making a copy where there are no escapes.
    pub fn is_str(self, text: &str) -> bool {
        let slot = self.slot();
        slot.kind == Kind::String && self.doc.spells(slot, text)
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match (self.kind(), self.raw()) {
            (Kind::Bool, raw) => Some(raw == "true"),
            _ => None,
        }
    }

    /// Whether it is a number that is written as a whole number, however large.
    pub fn is_whole(self) -> bool {
        let slot = self.slot();
        slot.kind == Kind::Number && !slot.escaped
    }

    /// A number that is written as a whole number and fits.
    pub fn as_i64(self) -> Option<i64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// A number that is written as a whole number, is not negative, and fits.
    pub fn as_u64(self) -> Option<u64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// The value of a key; of the first if it occurs twice.
    pub fn get(self, key: &str) -> Option<Self> {
        let slot = self.slot();
        let (mut at, end) = (self.at + 1, slot.next);
        while slot.kind == Kind::Object && at < end {
            let (name, value) = (self.doc.slots.get(at as usize)?, at + 1);
            if self.doc.spells(name, key) {
                return Some(Value { doc: self.doc, at: value });
            }
            at = self.doc.slots.get(value as usize)?.next;
        }
        None
    }

    /// The value at a list of keys.
    pub fn path(self, keys: &[&str]) -> Option<Self> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// An object's keys and values, in order; nothing for anything else.
    pub fn members(self) -> impl Iterator<Item = (Self, Self)> + use<'d> {
        let Inner { doc, mut at, end } = self.inner(Kind::Object);
        std::iter::from_fn(move || {
            // A key holds nothing: its value is the next slot.
            let key = Value { doc, at: Some(at).filter(|it| *it < end)? };
            let value = Value { doc, at: at + 1 };
            at = value.slot().next;
            Some((key, value))
        })
    }

    /// An array's values, in order; nothing for anything else.
    pub fn elements(self) -> impl Iterator<Item = Self> + use<'d> {
        self.inner(Kind::Array)
    }

    /// Refuses an object with the same key twice.
    pub fn unique_keys(self) -> Result<(), JsonError> {
        if self.marks_are_unique() {
            return Ok(());
        }
        let mut seen: Vec<_> = self.members().filter_map(|(key, _)| key.as_str()).collect();
        seen.sort_unstable();
        if seen.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(JsonError { offset: self.offset(), kind: JsonErrorKind::DuplicateKey });
        }
        Ok(())
    }

    /// The same for all objects in it, at any depth.
    ///
    /// # Errors
    /// A key occurs twice in one of them.
    pub fn unique_keys_within(self) -> Result<(), JsonError> {
        let mut left = vec![self];
        while let Some(value) = left.pop() {
            if value.kind() == Kind::Object {
                value.unique_keys()?;
            }
            let inner = value.members().map(|it| it.1).chain(value.elements());
            left.extend(inner.filter(|it| matches!(it.kind(), Kind::Object | Kind::Array)));
        }
        Ok(())
    }

    /// Whether the keys differ by length and a few bytes already, as they mostly do. An escape could stand for any of them.
    fn marks_are_unique(self) -> bool {
        let mut seen = [0_u64; 16];
        self.members().all(|(key, _)| {
            let (raw, slot) = (key.raw().as_bytes(), key.slot());
            let byte = |at: usize| usize::from(raw.get(at).copied().unwrap_or_default());
            let mark = raw.len()
                + 31 * byte(1)
                + 37 * byte(raw.len() / 2)
                + 131 * byte(raw.len().saturating_sub(2));
            let (word, bit) = (mark / 64 % seen.len(), 1 << (mark % 64));
            let Some(word) = seen.get_mut(word).filter(|_| !slot.escaped) else { return false };
            let is_new = *word & bit == 0;
            *word |= bit;
            is_new
        })
    }

    fn inner(self, kind: Kind) -> Inner<'d> {
        let slot = self.slot();
        let (at, end) = if slot.kind == kind { (self.at + 1, slot.next) } else { (0, 0) };
        Inner { doc: self.doc, at, end }
    }

    #[inline]
    fn slot(self) -> &'d Slot {
        static ABSENT: Slot =
            Slot { kind: Kind::Null, escaped: false, start: 0, end: 0, next: u32::MAX };
        self.doc.slots.get(self.at as usize).unwrap_or(&ABSENT)
    }
}

/// The slots directly inside a container.
struct Inner<'d> {
    doc: &'d Doc<'d>,
    at: u32,
    end: u32,
}

impl<'d> Iterator for Inner<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.at >= self.end {
            return None;
        }
        let value = Value { doc: self.doc, at: self.at };
        self.at = value.slot().next;
        Some(value)
    }
}

/// Resolves the escapes of a validated string. Most have none, and what asks stays small.
#[cold]
fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(rest.get(..at).unwrap_or_default());
        let (plain, used) = escape_at(rest.get(at..).unwrap_or_default());
        text.push(plain);
        rest = rest.get(at + used..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// The character of the escape that `text` starts with, and its length.
fn escape_at(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        text.get(at..at + 4).and_then(|it| u32::from_str_radix(it, 16).ok()).unwrap_or_default()
    };
    match text.as_bytes().get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => match unit(2) {
            high @ 0xD800..=0xDBFF => {
                let low = unit(8);
                let code = 0x1_0000 + ((high - 0xD800) << 10) + low.saturating_sub(0xDC00);
                (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
            }
            code => (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
        },
        Some(&other) => (char::from(other), 2),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

#[cfg(test)]
mod tests;
