//! `Record`: what is appended, and the line that it becomes.

use std::fmt;

use redress_wire::json::{Doc, Members};

use crate::{LINE_LIMITS, hash::Hash, time::Time};

/// What a record tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A chain begins.
    Genesis,
    /// A failure.
    Fault,
    /// A governed call.
    Call,
    /// A session began, changed or ended.
    Session,
    /// A call was repeated.
    Retry,
    /// Failures could not be recorded.
    Gap,
    /// Failures were counted.
    Refusals,
    /// The calls of a minute were counted.
    Tally,
    /// A person has checked what a failed call did.
    Checked,
    /// A chain was repaired or put aside.
    Recovered,
    /// A later segment begins.
    Rotate,
    /// Segments were removed.
    Prune,
    /// Everything before is signed.
    Checkpoint,
    /// The signing key was replaced. In the log of epochs, in no chain.
    Epoch,
}

impl Kind {
    /// Every kind that a chain has.
    pub const ALL: [Self; 13] = [
        Self::Genesis,
        Self::Fault,
        Self::Call,
        Self::Session,
        Self::Retry,
        Self::Gap,
        Self::Refusals,
        Self::Tally,
        Self::Checked,
        Self::Recovered,
        Self::Rotate,
        Self::Prune,
        Self::Checkpoint,
    ];

    /// The name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Genesis => "genesis",
            Self::Fault => "fault",
            Self::Call => "call",
            Self::Session => "session",
            Self::Retry => "retry",
            Self::Gap => "gap",
            Self::Refusals => "refusals",
            Self::Tally => "tally",
            Self::Checked => "checked",
            Self::Recovered => "recovered",
            Self::Rotate => "rotate",
            Self::Prune => "prune",
            Self::Checkpoint => "checkpoint",
            Self::Epoch => "epoch",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::Epoch]).find(|it| it.name() == name)
    }
}

/// Something to be recorded, with its secrets already taken out.
#[derive(Debug, Clone)]
pub struct Record {
    kind: Kind,
    /// The members after `kind`, each with its comma before it.
    members: String,
    /// Where the members begin that follow the object of the kind.
    object_end: usize,
}

impl Record {
    /// A record whose object is written by `write`.
    pub(crate) fn new(kind: Kind, write: impl FnOnce(&mut Members<'_>)) -> Self {
        let mut object = String::new();
        let mut members = Members::open(&mut object);
        write(&mut members);
        members.close();
        Self::of_json(kind, &object)
    }

    /// A record with an object that is JSON already.
    pub(crate) fn of_json(kind: Kind, object: &str) -> Self {
        debug_assert!(Doc::parse(object.as_bytes(), LINE_LIMITS).is_ok(), "not JSON: {object}");
        let members = format!(",\"{}\":{object}", kind.name());
        let object_end = members.len();
        Self { kind, members, object_end }
    }

    /// The same with another object right behind that of its kind.
    pub(crate) fn before_private(mut self, key: &str, object: &str) -> Self {
        self.members.insert_str(self.object_end, &format!(",\"{key}\":{object}"));
        self
    }

    /// The same with what only the operator sees.
    pub(crate) fn with_private(mut self, object: &str) -> Self {
        self.members.push_str(",\"private\":");
        self.members.push_str(object);
        self
    }

    /// The same of a failure that locks the session in which it happened.
    #[must_use]
    pub fn that_locks(mut self) -> Self {
        self.members.push_str(LOCKS);
        self
    }

    /// How many bytes its line takes, at most.
    pub fn line_bytes(&self) -> usize {
        self.members.len() + 512
    }
}

/// The end of a chain: the number of the next record and the hash of the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub next: u64,
    pub hash: Hash,
}

impl Head {
    /// Before the first record.
    pub(crate) const START: Self = Self { next: 0, hash: Hash::ZERO };

    /// Appends the record's line to `out` and moves on. The time is a text, since many records share one.
    pub(crate) fn write(&mut self, record: &Record, time: &str, out: &mut Vec<u8>) {
        let from = out.len();
        let seq = self.next.to_string();
        for part in ["{\"seq\":", &seq, ",\"time\":\"", time, "\",\"prev\":\""] {
            out.extend_from_slice(part.as_bytes());
        }
        self.hash.write(out);
        for part in ["\",\"kind\":\"", record.kind.name(), "\"", &record.members] {
            out.extend_from_slice(part.as_bytes());
        }
        let hash = Hash::of(out.get(from..).unwrap_or_default());
        out.extend_from_slice(b",\"hash\":\"");
        hash.write(out);
        out.extend_from_slice(b"\"}\n");
        *self = Self { next: self.next + 1, hash };
    }
}

/// A line that has the form of a record and hashes to what it says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordLine<'a> {
    pub seq: u64,
    pub time: Time,
    pub prev: Hash,
    pub kind: Kind,
    pub hash: Hash,
    pub text: &'a str,
}

/// Why a line is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadLine {
    /// It has not the form of a record.
    Form,
    /// Its hash is not the hash of its bytes.
    Hash,
    /// It is of a kind that this version does not know.
    Kind,
    /// It does not end.
    Unfinished,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "the line has not the form of a record",
            Self::Hash => "the hash is not that of the line",
            Self::Kind => "the kind is unknown to this version",
            Self::Unfinished => "the line does not end",
        })
    }
}

/// What the members of a record that locks a session end with; in no text does it stand unescaped.
const LOCKS: &str = ",\"locks\":true";

/// `,"hash":"` + 64 digits + `"}`
const TAIL: usize = 75;

impl<'a> RecordLine<'a> {
    /// Reads a line without its newline.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, BadLine> {
        let text = std::str::from_utf8(bytes).map_err(|_not_utf8| BadLine::Form)?;
        let (body, hash) = split_hash(text)?;
        if Hash::of(body.as_bytes()) != hash {
            return Err(BadLine::Hash);
        }
        Self::head_of(text, hash)
    }

    /// The same without a look at its hash.
    pub(crate) fn unchecked(bytes: &'a [u8]) -> Result<Self, BadLine> {
        let text = std::str::from_utf8(bytes).map_err(|_not_utf8| BadLine::Form)?;
        Self::head_of(text, split_hash(text)?.1)
    }

    fn head_of(text: &'a str, hash: Hash) -> Result<Self, BadLine> {
        let (seq, rest) = text
            .strip_prefix("{\"seq\":")
            .and_then(|it| it.split_once(",\"time\":\""))
            .ok_or(BadLine::Form)?;
        let (time, rest) = rest.split_once("\",\"prev\":\"").ok_or(BadLine::Form)?;
        let (prev, rest) = rest.split_once("\",\"kind\":\"").ok_or(BadLine::Form)?;
        let (kind, _) = rest.split_once('"').ok_or(BadLine::Form)?;
        Ok(Self {
            seq: seq.parse().map_err(|_not_a_number| BadLine::Form)?,
            time: Time::parse(time).ok_or(BadLine::Form)?,
            prev: Hash::parse(prev).ok_or(BadLine::Form)?,
            kind: Kind::parse(kind).ok_or(BadLine::Kind)?,
            hash,
            text,
        })
    }

    /// Whether it can stand behind that end of its chain; at the start of a file, whether it begins one.
    pub(crate) fn follows(&self, head: Option<Head>) -> bool {
        match head {
            Some(head) => self.seq == head.next && self.prev == head.hash,
            None => matches!(self.kind, Kind::Genesis | Kind::Rotate),
        }
    }

    /// The end of the chain after this record.
    pub(crate) const fn head(&self) -> Head {
        Head { next: self.seq.saturating_add(1), hash: self.hash }
    }
}

/// What the hash of a line is over, and the hash that it says.
fn split_hash(text: &str) -> Result<(&str, Hash), BadLine> {
    let body = text.len().checked_sub(TAIL).ok_or(BadLine::Form)?;
    let (body, tail) = text.split_at_checked(body).ok_or(BadLine::Form)?;
    let hash = tail
        .strip_prefix(",\"hash\":\"")
        .and_then(|it| it.strip_suffix("\"}"))
        .and_then(Hash::parse)
        .ok_or(BadLine::Form)?;
    Ok((body, hash))
}

/// Whether the record of a line locks the session in which it happened.
pub(crate) fn locks(line: &str) -> bool {
    let members = line.len().checked_sub(TAIL).and_then(|end| line.get(..end));
    members.is_some_and(|it| it.ends_with(LOCKS))
}

#[cfg(test)]
mod tests {
    use super::{BadLine, Head, Kind, Record, RecordLine, locks};
    use crate::time::Time;

    fn line() -> Vec<u8> {
        let mut out = Vec::new();
        let mut head = Head::START;
        let record = Record::new(Kind::Session, |it| {
            it.str("id", "a,\"hash\":\"b");
        });
        head.write(&record, &Time::from_millis(7).to_string(), &mut out);
        out.pop();
        out
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let bytes = line();
        let read = RecordLine::read(&bytes).unwrap();
        assert_eq!((read.seq, read.kind, read.time.millis()), (0, Kind::Session, 7));
        assert_eq!(read.head().next, 1);
    }

    #[test]
    fn only_the_mark_of_a_record_itself_locks() {
        let is_locking = |record: Record| {
            let mut out = Vec::new();
            Head::START.clone().write(&record, "now", &mut out);
            locks(str::from_utf8(&out).unwrap().trim_end())
        };
        let said = |text: &str| Record::of_json(Kind::Fault, text);
        assert!(is_locking(said("{}").that_locks()));
        assert!(is_locking(said("{}").with_private("{}").that_locks()));
        assert!(!is_locking(said("{}")));
        assert!(!is_locking(said(r#"{"a":1,"locks":true}"#)));
        assert!(!is_locking(said(r#"",\"locks\":true""#)));
    }

    #[test]
    fn no_byte_of_a_line_can_change() {
        let good = line();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(RecordLine::read(&bad).is_err(), "byte {at}");
        }
        for end in 0..good.len() {
            assert!(RecordLine::read(&good[..end]).is_err(), "cut at {end}");
        }
        assert_eq!(RecordLine::read(b"").unwrap_err(), BadLine::Form);
    }
}
