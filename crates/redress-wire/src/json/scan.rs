//! The one pass over JSON bytes: validates everything, never recurses, leaves a flat list of slots.

use std::ops::Range;

use super::{
    error::{JsonError, JsonErrorKind},
    steps::{BLOCK, plain, skip_blocks, specials},
};

/// How much JSON a reader takes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest document, in bytes.
    pub bytes: usize,
    /// How deep objects and arrays may nest.
    pub nesting: usize,
}

impl Limits {
    /// What every reader of documents takes: 8 MiB, 64 levels.
    pub const DOCUMENT: Self = Self { bytes: 8 << 20, nesting: 64 };
}

/// What a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, kept as its text.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object: key, value, key, value …
    Object,
}

/// One value or key: what it is, where it is, and which slot comes after all it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    /// Whether a string has escapes, or a number a fraction or an exponent.
    pub(super) escaped: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    /// While a container is open: the slot of the one around it.
    pub(super) next: u32,
}

/// The innermost container that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Array,
    Object,
}

/// Reads one document into `slots`, which is emptied first. Gives whether a key is spelled with escapes.
pub(super) fn scan(bytes: &[u8], limits: Limits, slots: &mut Vec<Slot>) -> Result<bool, JsonError> {
    slots.clear();
    if bytes.len() > limits.bytes || u32::try_from(bytes.len()).is_err() {
        return Err(JsonError { offset: limits.bytes, kind: JsonErrorKind::TooLong });
    }
    let (inside, nesting) = (Inside::Nothing, limits.nesting);
    let mut scan =
        Scan { bytes, slots, innermost: 0, depth: 0, inside, nesting, has_escaped_key: false };
    scan.document()?;
    Ok(scan.has_escaped_key)
}

struct Scan<'a> {
    bytes: &'a [u8],
    slots: &'a mut Vec<Slot>,
    /// The slot of the innermost container that is open, and how many are.
    innermost: u32,
    depth: usize,
    inside: Inside,
    nesting: usize,
    has_escaped_key: bool,
}

/// Where the pass goes on, or why it does not.
type At = Result<usize, JsonError>;

impl Scan<'_> {
    fn document(&mut self) -> Result<(), JsonError> {
        let mut at = self.space(0);
        loop {
            if self.inside == Inside::Object {
                at = self.key(at)?;
            }
            at = match self.byte(at) {
                Some(b'"') => self.string(at)?,
                Some(b'{') => {
                    at = self.begin(Inside::Object, at)?;
                    if self.byte(at) != Some(b'}') {
                        continue;
                    }
                    at
                }
                Some(b'[') => {
                    at = self.begin(Inside::Array, at)?;
                    if self.byte(at) != Some(b']') {
                        continue;
                    }
                    at
                }
                Some(b'-' | b'0'..=b'9') => self.number(at)?,
                Some(b't') => self.word(at, b"true", Kind::Bool)?,
                Some(b'f') => self.word(at, b"false", Kind::Bool)?,
                Some(b'n') => self.word(at, b"null", Kind::Null)?,
                found => return fail(at, found, JsonErrorKind::ExpectedValue),
            };
            match self.after_value(at)? {
                Some(next) => at = next,
                None => return Ok(()),
            }
        }
    }

    /// After a complete value: where the next one or its key starts; nothing at the end of the document.
    #[inline]
    fn after_value(&mut self, mut at: usize) -> Result<Option<usize>, JsonError> {
        loop {
            at = self.space(at);
            match (self.byte(at), self.inside) {
                (Some(b','), Inside::Object | Inside::Array) => {
                    return Ok(Some(self.space(at + 1)));
                }
                (Some(b'}'), Inside::Object) | (Some(b']'), Inside::Array) => at = self.close(at),
                (None, Inside::Nothing) => return Ok(None),
                (Some(_), Inside::Nothing) => {
                    return Err(JsonError { offset: at, kind: JsonErrorKind::Trailing });
                }
                (found, _) => return fail(at, found, JsonErrorKind::ExpectedComma),
            }
        }
    }

    /// Begins a container at the bracket under the cursor.
    #[inline]
    fn begin(&mut self, inside: Inside, at: usize) -> At {
        if self.depth >= self.nesting {
            return Err(JsonError { offset: at, kind: JsonErrorKind::TooDeep });
        }
        let kind = if inside == Inside::Object { Kind::Object } else { Kind::Array };
        let (start, slot) = (offset(at), offset(self.slots.len()));
        self.slots.push(Slot { kind, escaped: false, start, end: start, next: self.innermost });
        (self.innermost, self.inside) = (slot, inside);
        self.depth += 1;
        Ok(self.space(at + 1))
    }

    /// Ends the innermost container at the bracket under the cursor.
    #[inline]
    fn close(&mut self, at: usize) -> usize {
        let next = offset(self.slots.len());
        self.depth = self.depth.saturating_sub(1);
        if let Some(slot) = self.slots.get_mut(self.innermost as usize) {
            slot.end = offset(at + 1);
            self.innermost = std::mem::replace(&mut slot.next, next);
        }
        let outer = self.slots.get(self.innermost as usize).filter(|_| self.depth > 0);
        self.inside = match outer.map(|it| it.kind) {
            Some(Kind::Object) => Inside::Object,
            Some(_) => Inside::Array,
            None => Inside::Nothing,
        };
        at + 1
    }

    /// A key and its colon; goes on at the value.
    #[inline]
    fn key(&mut self, at: usize) -> At {
        let at = match self.byte(at) {
            Some(b'"') => self.string(at)?,
            found => return fail(at, found, JsonErrorKind::ExpectedKey),
        };
        self.has_escaped_key |= self.slots.last().is_some_and(|it| it.escaped);
        let at = self.space(at);
        match self.byte(at) {
            Some(b':') => Ok(self.space(at + 1)),
            found => fail(at, found, JsonErrorKind::ExpectedColon),
        }
    }

    #[inline]
    fn word(&mut self, at: usize, word: &[u8], kind: Kind) -> At {
        if !self.bytes.get(at..).is_some_and(|it| it.starts_with(word)) {
            return Err(JsonError { offset: at, kind: JsonErrorKind::ExpectedValue });
        }
        self.push(kind, false, at..at + word.len());
        Ok(at + word.len())
    }

    #[inline]
    fn number(&mut self, start: usize) -> At {
        let mut at = start + usize::from(self.byte(start) == Some(b'-'));
        at = if self.byte(at) == Some(b'0') { at + 1 } else { self.digits(at)? };
        let whole = at;
        if let Some(b'.' | b'e' | b'E' | b'+' | b'-' | b'0'..=b'9') = self.byte(at) {
            at = self.fraction(at)?;
        }
        self.push(Kind::Number, at > whole, start..at);
        Ok(at)
    }

    /// What may follow the whole part of a number.
    fn fraction(&self, mut at: usize) -> At {
        if self.byte(at) == Some(b'.') {
            at = self.digits(at + 1)?;
        }
        if let Some(b'e' | b'E') = self.byte(at) {
            at += 1;
            at = self.digits(at + usize::from(matches!(self.byte(at), Some(b'+' | b'-'))))?;
        }
        match self.byte(at) {
            Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') => {
                Err(JsonError { offset: at, kind: JsonErrorKind::Number })
            }
            _ => Ok(at),
        }
    }

    #[inline]
    fn digits(&self, start: usize) -> At {
        let mut at = start;
        while let Some(b'0'..=b'9') = self.byte(at) {
            at += 1;
        }
        if at == start {
            return Err(JsonError { offset: at, kind: JsonErrorKind::Number });
        }
        Ok(at)
    }

    /// A string, from its opening quote to behind its closing one.
    #[expect(clippy::inline_always, reason = "half of all values and every key are strings")]
    #[inline(always)]
    fn string(&mut self, start: usize) -> At {
        let (end, escaped) = match short_end(self.bytes, start + 1) {
            Some(end) => (end, false),
            None => long_end(self.bytes, start + 1)?,
        };
        self.push(Kind::String, escaped, start..end);
        Ok(end)
    }

    #[inline]
    fn push(&mut self, kind: Kind, escaped: bool, place: Range<usize>) {
        let next = offset(self.slots.len() + 1);
        let (start, end) = (offset(place.start), offset(place.end));
        self.slots.push(Slot { kind, escaped, start, end, next });
    }

    /// Where the next token starts. Most messages have no space.
    #[inline]
    fn space(&self, at: usize) -> usize {
        match self.byte(at) {
            Some(it) if it <= b' ' => behind_space(self.bytes, at),
            _ => at,
        }
    }

    #[inline]
    fn byte(&self, at: usize) -> Option<u8> {
        byte(self.bytes, at)
    }
}

#[inline(never)]
fn behind_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = byte(bytes, at) {
        at += 1;
    }
    at
}

/// How many steps of eight bytes are taken at once: most keys and names end within them.
const SHORT_STEPS: usize = 2;

/// Behind the closing quote of a string, if that is the first special byte of the next few.
#[inline]
fn short_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..SHORT_STEPS {
        let eight = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        let special = specials(eight);
        if special != 0 {
            let before = special.trailing_zeros() / 8;
            let is_quote = (eight >> (before * 8)) & 0xFF == u64::from(b'"');
            return is_quote.then_some(at + before as usize + 1);
        }
        at += 8;
    }
    None
}

/// Behind the closing quote of any string, in steps as large as it allows, and whether it has escapes.
#[inline(never)]
fn long_end(bytes: &[u8], start: usize) -> Result<(usize, bool), JsonError> {
    let mut at = start;
    let mut escaped = false;
    let mut careful_until = at + BLOCK;
    loop {
        if at >= careful_until {
            at = skip_blocks(bytes, at);
            careful_until = at + BLOCK;
        }
        at += plain(bytes.get(at..).unwrap_or_default());
        match (byte(bytes, at), byte(bytes, at + 1)) {
            (Some(b'"'), _) => return Ok((at + 1, escaped)),
            (Some(b'\\'), Some(b'n' | b'"' | b'\\' | b'/' | b'b' | b'f' | b'r' | b't')) => {
                at += 2;
            }
            (Some(b'\\'), _) => at = unicode_escape(bytes, at)?,
            (found, _) => return fail(at, found, JsonErrorKind::Control),
        }
        escaped = true;
    }
}

/// An escape by number, or none at all.
fn unicode_escape(bytes: &[u8], start: usize) -> At {
    match byte(bytes, start + 1) {
        Some(b'u') => (),
        found => return fail(start + 1, found, JsonErrorKind::Escape),
    }
    let lone = JsonError { offset: start, kind: JsonErrorKind::LoneSurrogate };
    let at = start + 6;
    match unit(bytes, start + 1)? {
        0xDC00..=0xDFFF => Err(lone),
        0xD800..=0xDBFF if byte(bytes, at) != Some(b'\\') => Err(lone),
        0xD800..=0xDBFF => match unit(bytes, at + 1) {
            Ok(0xDC00..=0xDFFF) => Ok(at + 6),
            _ => Err(lone),
        },
        _ => Ok(at),
    }
}

/// `uXXXX` under the cursor.
fn unit(bytes: &[u8], at: usize) -> Result<u32, JsonError> {
    if byte(bytes, at) != Some(b'u') {
        return Err(JsonError { offset: at, kind: JsonErrorKind::Escape });
    }
    let mut unit = 0;
    for at in at + 1..at + 5 {
        let digit = byte(bytes, at);
        match digit.and_then(|it| char::from(it).to_digit(16)) {
            Some(value) => unit = unit * 16 + value,
            None => return fail(at, digit, JsonErrorKind::Escape),
        }
    }
    Ok(unit)
}

#[inline]
fn byte(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

/// What was found is wrong, or it is the end that came too early.
fn fail<T>(offset: usize, found: Option<u8>, kind: JsonErrorKind) -> Result<T, JsonError> {
    let kind = if found.is_none() { JsonErrorKind::Unfinished } else { kind };
    Err(JsonError { offset, kind })
}

/// Documents are checked to fit into 32 bits before the pass.
#[expect(clippy::cast_possible_truncation, reason = "`scan` refuses longer documents first")]
const fn offset(at: usize) -> u32 {
    at as u32
}
