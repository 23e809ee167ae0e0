//! The one pass over JSON bytes: validates everything, never recurses, leaves a flat list of slots.

use super::error::{JsonError, JsonErrorKind};

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

/// One value or key: what it is, where it stands, and which slot comes after all it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    /// Whether a string has escapes.
    pub(super) escaped: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: u32,
}

/// Where the pass stands inside the innermost container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// A value, or the end of an array that has just begun.
    FirstElement,
    Element,
    /// A key, or the end of an object that has just begun.
    FirstKey,
    Key,
}

/// Reads one document into `slots`, which is emptied first.
pub(super) fn scan(bytes: &[u8], limits: Limits, slots: &mut Vec<Slot>) -> Result<(), JsonError> {
    slots.clear();
    if bytes.len() > limits.bytes || u32::try_from(bytes.len()).is_err() {
        return Err(JsonError { offset: limits.bytes, kind: JsonErrorKind::TooLong });
    }
    Scan { bytes, at: 0, slots, open: Vec::new(), nesting: limits.nesting }.document()
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    slots: &'a mut Vec<Slot>,
    /// The slots of the containers that are open.
    open: Vec<u32>,
    nesting: usize,
}

impl Scan<'_> {
    fn document(&mut self) -> Result<(), JsonError> {
        self.space();
        let mut expect = self.value()?;
        loop {
            let Some(now) = expect else {
                match self.after_value()? {
                    Some(next) => {
                        expect = Some(next);
                        continue;
                    }
                    None => break,
                }
            };
            self.space();
            expect = match now {
                Expect::FirstElement if self.peek() == Some(b']') => self.close(),
                Expect::FirstElement | Expect::Element => self.value()?,
                Expect::FirstKey if self.peek() == Some(b'}') => self.close(),
                Expect::FirstKey | Expect::Key => {
                    self.key()?;
                    self.value()?
                }
            };
        }
        self.space();
        if self.at < self.bytes.len() {
            return self.fail(JsonErrorKind::Trailing);
        }
        Ok(())
    }

    /// After a complete value: the comma and what it calls for, or the end of the container.
    fn after_value(&mut self) -> Result<Option<Expect>, JsonError> {
        loop {
            let Some(&container) = self.open.last() else { return Ok(None) };
            let is_object =
                self.slots.get(container as usize).is_some_and(|it| it.kind == Kind::Object);
            self.space();
            match (self.peek(), is_object) {
                (Some(b','), true) => {
                    self.at += 1;
                    return Ok(Some(Expect::Key));
                }
                (Some(b','), false) => {
                    self.at += 1;
                    return Ok(Some(Expect::Element));
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.close();
                }
                (None, _) => return self.fail(JsonErrorKind::Unfinished),
                _ => return self.fail(JsonErrorKind::ExpectedComma),
            }
        }
    }

    /// Ends the innermost container at the bracket under the cursor.
    fn close(&mut self) -> Option<Expect> {
        self.at += 1;
        let next = offset(self.slots.len());
        if let Some(slot) = self.open.pop().and_then(|it| self.slots.get_mut(it as usize)) {
            slot.end = offset(self.at);
            slot.next = next;
        }
        None
    }

    /// A value: `None` when it is complete, what comes next when it has only begun.
    fn value(&mut self) -> Result<Option<Expect>, JsonError> {
        match self.peek() {
            Some(b'"') => self.string().map(|()| None),
            Some(b'{') => self.begin(Kind::Object, Expect::FirstKey).map(Some),
            Some(b'[') => self.begin(Kind::Array, Expect::FirstElement).map(Some),
            Some(b't') => self.word(b"true", Kind::Bool).map(|()| None),
            Some(b'f') => self.word(b"false", Kind::Bool).map(|()| None),
            Some(b'n') => self.word(b"null", Kind::Null).map(|()| None),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| None),
            Some(_) => self.fail(JsonErrorKind::ExpectedValue),
            None => self.fail(JsonErrorKind::Unfinished),
        }
    }

    fn key(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(_) => return self.fail(JsonErrorKind::ExpectedKey),
            None => return self.fail(JsonErrorKind::Unfinished),
        }
        self.space();
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return self.fail(JsonErrorKind::ExpectedColon),
            None => return self.fail(JsonErrorKind::Unfinished),
        }
        self.space();
        Ok(())
    }

    fn begin(&mut self, kind: Kind, expect: Expect) -> Result<Expect, JsonError> {
        if self.open.len() >= self.nesting {
            return self.fail(JsonErrorKind::TooDeep);
        }
        self.open.push(offset(self.slots.len()));
        self.push(kind, false, self.at);
        self.at += 1;
        Ok(expect)
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<(), JsonError> {
        if !self.bytes.get(self.at..).is_some_and(|it| it.starts_with(word)) {
            return self.fail(JsonErrorKind::ExpectedValue);
        }
        let start = self.at;
        self.at += word.len();
        self.push(kind, false, start);
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        if let Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') = self.peek() {
            return self.fail(JsonErrorKind::Number);
        }
        self.push(Kind::Number, false, start);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { self.fail(JsonErrorKind::Number) } else { Ok(()) }
    }

    /// A string, from its opening quote to behind its closing one.
    fn string(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        let mut escaped = false;
        let mut at = start + 1;
        loop {
            at += plain(self.bytes.get(at..).unwrap_or_default());
            match (self.bytes.get(at), self.bytes.get(at + 1)) {
                (Some(b'"'), _) => break,
                (Some(b'\\'), Some(b'n' | b'"' | b'\\' | b'/' | b'b' | b'f' | b'r' | b't')) => {
                    at += 2;
                }
                (Some(b'\\'), _) => {
                    self.at = at;
                    self.unicode_escape()?;
                    at = self.at;
                }
                (found, _) => {
                    self.at = at;
                    let is_cut = found.is_none();
                    return self.fail(if is_cut {
                        JsonErrorKind::Unfinished
                    } else {
                        JsonErrorKind::Control
                    });
                }
            }
            escaped = true;
        }
        self.at = at + 1;
        self.push(Kind::String, escaped, start);
        Ok(())
    }

    /// An escape by number, or none at all.
    fn unicode_escape(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'u') => (),
            Some(_) => return self.fail(JsonErrorKind::Escape),
            None => return self.fail(JsonErrorKind::Unfinished),
        }
        let lone = JsonError { offset: start, kind: JsonErrorKind::LoneSurrogate };
        match self.unit()? {
            0xDC00..=0xDFFF => Err(lone),
            0xD800..=0xDBFF => {
                if self.peek() != Some(b'\\') {
                    return Err(lone);
                }
                self.at += 1;
                match self.unit() {
                    Ok(0xDC00..=0xDFFF) => Ok(()),
                    _ => Err(lone),
                }
            }
            _ => Ok(()),
        }
    }

    /// `uXXXX` under the cursor.
    fn unit(&mut self) -> Result<u32, JsonError> {
        if self.peek() != Some(b'u') {
            return self.fail(JsonErrorKind::Escape);
        }
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek() else { return self.fail(JsonErrorKind::Unfinished) };
            let Some(value) = char::from(digit).to_digit(16) else {
                return self.fail(JsonErrorKind::Escape);
            };
            unit = unit * 16 + value;
            self.at += 1;
        }
        Ok(unit)
    }

    fn push(&mut self, kind: Kind, escaped: bool, start: usize) {
        let next = offset(self.slots.len() + 1);
        self.slots.push(Slot { kind, escaped, start: offset(start), end: offset(self.at), next });
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, kind: JsonErrorKind) -> Result<T, JsonError> {
        Err(JsonError { offset: self.at, kind })
    }
}

/// Documents are checked to fit into 32 bits before the pass.
#[expect(clippy::cast_possible_truncation, reason = "`scan` refuses longer documents first")]
const fn offset(at: usize) -> u32 {
    at as u32
}

/// How many bytes at the start need no look: no quote, no backslash, no control character. Most texts have an escape
/// now and then, so it starts with small steps; long runs are then taken in large ones.
pub(super) fn plain(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut small_steps = 0;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        let special = specials(u64::from_le_bytes(*eight));
        if special != 0 {
            return bytes.len() - rest.len() + special.trailing_zeros() as usize / 8;
        }
        rest = after;
        small_steps += 1;
        if small_steps == SMALL_STEPS {
            while let Some((large, after)) = rest.split_first_chunk::<LARGE_STEP>()
                && !has_special(large)
            {
                rest = after;
            }
        }
    }
    let tail = rest.iter().position(|it| is_special(*it)).unwrap_or(rest.len());
    bytes.len() - rest.len() + tail
}

/// After so many small steps a run counts as long.
const SMALL_STEPS: u32 = 8;

/// As many bytes as are compared at once.
const LARGE_STEP: usize = 64;

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// Written so that the compiler compares many bytes at once.
fn has_special(bytes: &[u8; LARGE_STEP]) -> bool {
    bytes.iter().fold(false, |any, it| any | is_special(*it))
}

/// A bit for each of eight bytes that is special. Only the lowest bit is exact, which is the first such byte.
const fn specials(eight: u64) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const fn zero(of: u64) -> u64 {
        of.wrapping_sub(LOW) & !of & HIGH
    }
    let control = eight.wrapping_sub(LOW * 0x20) & !eight & HIGH;
    control | zero(eight ^ (LOW * 0x22)) | zero(eight ^ (LOW * 0x5C))
}
