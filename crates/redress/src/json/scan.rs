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
        self.at += 1;
        loop {
            self.plain();
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return self.fail(JsonErrorKind::Control),
                None => return self.fail(JsonErrorKind::Unfinished),
            }
        }
        self.at += 1;
        self.push(Kind::String, escaped, start);
        Ok(())
    }

    /// Skips what needs no look: eight bytes at a time, then one by one.
    fn plain(&mut self) {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        while let Some((eight, tail)) = rest.split_first_chunk::<8>() {
            if has_special(u64::from_le_bytes(*eight)) {
                break;
            }
            rest = tail;
        }
        while let Some((&byte, tail)) = rest.split_first() {
            if byte == b'"' || byte == b'\\' || byte < 0x20 {
                break;
            }
            rest = tail;
        }
        self.at = self.bytes.len() - rest.len();
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
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
            Some(_) => self.fail(JsonErrorKind::Escape),
            None => self.fail(JsonErrorKind::Unfinished),
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

/// Whether one of eight bytes is a quote, a backslash or a control character.
pub(super) const fn has_special(eight: u64) -> bool {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const fn zero(of: u64) -> u64 {
        of.wrapping_sub(LOW) & !of & HIGH
    }
    let control = eight.wrapping_sub(LOW * 0x20) & !eight & HIGH;
    control | zero(eight ^ (LOW * 0x22)) | zero(eight ^ (LOW * 0x5C)) != 0
}
