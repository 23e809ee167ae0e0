//! `ChainCursor`: a chain read on from any of its records, line by line as it is in the files, for a copy elsewhere.

use std::{
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    disk::File,
    error::Failure,
    hash::Hash,
    layout::{self, ChainDir, Piece},
    lines::{LineEnd, Lines},
    reader::{self, ReadError},
    record::{BadLine, Head, RecordLine},
    time::Time,
};

/// A chain of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chain {
    /// Its name.
    pub name: Arc<str>,
    /// Its directory.
    pub path: PathBuf,
    /// Whether it was closed in good order, or repaired since: nothing is added to it.
    pub is_closed: bool,
    /// Whether it was put aside because it was damaged.
    pub is_aside: bool,
}

impl Chain {
    /// The chains of a ledger, oldest first.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn all(ledger: &Path) -> Result<Vec<Self>, ReadError> {
        let chains = layout::chains(ledger)
            .map_err(|error| ReadError::Io(Failure::new("read", ledger, error)))?;
        let chain = |it: ChainDir| Self {
            name: it.name.as_str().into(),
            is_closed: it.is_closed(),
            is_aside: it.corrupt,
            path: it.path,
        };
        Ok(chains.into_iter().map(chain).collect())
    }
}

/// Records of a chain that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Portion {
    /// Their lines, each with its newline.
    pub lines: Vec<u8>,
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// The hash of the last.
    pub head: Hash,
    /// When the last was recorded.
    pub time: Time,
}

/// Records that are not in the files any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skipped {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// The hash of the last, as the record behind it says.
    pub head: Hash,
}

/// What a cursor found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Records.
    Portion(Portion),
    /// The next records were removed; those behind them follow.
    Skipped(Skipped),
    /// Nothing for now.
    Nothing,
    /// The record with this number is another one than the cursor came from, or is not there any more.
    Diverged(u64),
    /// What follows is no record of the chain.
    Damaged(BadLine),
}

/// Where the next record of a chain is.
#[derive(Debug)]
pub struct ChainCursor {
    path: PathBuf,
    head: Head,
    /// The segment and the offset of the next record, once it was looked for.
    place: Option<(u32, u64)>,
    numbers: Vec<u32>,
    pieces: Vec<Piece>,
}

impl ChainCursor {
    /// A cursor before the first record.
    pub fn start(chain: &Chain) -> Self {
        Self::behind(chain, Head::START)
    }

    /// A cursor behind a record with a number and a hash.
    pub fn after(chain: &Chain, last: u64, hash: Hash) -> Self {
        Self::behind(chain, Head { next: last.saturating_add(1), hash })
    }

    fn behind(chain: &Chain, head: Head) -> Self {
        let path = chain.path.clone();
        Self { path, head, place: None, numbers: Vec::new(), pieces: Vec::new() }
    }

    /// The number of the next record.
    pub const fn next(&self) -> u64 {
        self.head.next
    }

    /// Reads on: as many records as fit into so many bytes, at least one, and none from the number `until` on. What a process still writes
    /// is durable only up to a number that it knows; of a chain that was closed all is.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(&mut self, until: u64, most_bytes: usize) -> Result<Next, ReadError> {
        let failed = |path: &Path, error| ReadError::Io(Failure::new("read", path, error));
        if self.head.next >= until && self.place.is_some() {
            return Ok(Next::Nothing);
        }
        let path = self.path.clone();
        self.list().map_err(|it| failed(&path, it))?;
        let is_located = self.place.is_some();
        if !is_located {
            match self.locate().map_err(|it| failed(&path, it))? {
                Located::At(segment) => self.place = Some((segment, 0)),
                Located::Behind(skipped) => return Ok(Next::Skipped(skipped)),
                Located::Nowhere => return Ok(Next::Nothing),
            }
        }
        let mut taking =
            Taking { head: self.head, portion: None, is_seen: is_located || self.head.next == 0 };
        while let Some((segment, offset)) = self.place {
            let Some(at) = self.pieces.iter().position(|it| it.number == segment) else {
                // It was removed meanwhile: the next look finds what follows.
                self.place = None;
                break;
            };
            let Some(piece) = self.pieces.get(at) else { break };
            let end = taking
                .take(piece, offset, until, most_bytes)
                .map_err(|it| failed(&piece.path, it))?;
            let Taken { offset, stop } = end;
            self.place = Some((segment, offset));
            match stop {
                Some(Stop::Wrong(next)) if taking.portion.is_none() => return Ok(next),
                Some(Stop::Enough | Stop::Wrong(_)) => break,
                None => match self.pieces.get(at + 1) {
                    Some(piece) => self.place = Some((piece.number, 0)),
                    None => break,
                },
            }
        }
        if !taking.is_seen {
            self.place = None;
            return Ok(Next::Diverged(self.head.next.saturating_sub(1)));
        }
        let Some(portion) = taking.portion else { return Ok(Next::Nothing) };
        self.head = taking.head;
        Ok(Next::Portion(portion))
    }

    /// Lists the segments again if there is a new one: only then can bytes of the one before be void.
    fn list(&mut self) -> io::Result<()> {
        let numbers = layout::segment_numbers(&self.path)
            .map_or_else(layout::unless_gone, |it| Ok(Some(it)))?
            .unwrap_or_default();
        if numbers != self.numbers {
            self.pieces = layout::pieces(&self.path)?;
            self.numbers = numbers;
        }
        Ok(())
    }

    /// The segment in which the next record is, or follows.
    fn locate(&mut self) -> io::Result<Located> {
        let mut found = None;
        for piece in &self.pieces {
            let Some(before) = layout::end_before(piece)? else { continue };
            if before.next <= self.head.next {
                found = Some(piece.number);
            } else if found.is_none() {
                let skipped =
                    Skipped { first: self.head.next, last: before.next - 1, head: before.hash };
                self.head = before;
                return Ok(Located::Behind(skipped));
            }
        }
        Ok(found.map_or(Located::Nowhere, Located::At))
    }
}

/// Where a record is.
enum Located {
    /// In this segment, or behind its end.
    At(u32),
    /// Before the first segment that is left.
    Behind(Skipped),
    /// No segment is left.
    Nowhere,
}

/// Why no more is taken.
enum Stop {
    Enough,
    Wrong(Next),
}

/// How far a segment was read.
struct Taken {
    offset: u64,
    stop: Option<Stop>,
}

/// A portion that is being gathered.
struct Taking {
    head: Head,
    portion: Option<Portion>,
    /// Whether the record before was seen, or one that follows it.
    is_seen: bool,
}

impl Taking {
    fn take(
        &mut self,
        piece: &Piece,
        from: u64,
        until: u64,
        most_bytes: usize,
    ) -> io::Result<Taken> {
        let mut file = File::open(&piece.path)?;
        file.seek(SeekFrom::Start(from))?;
        let end = piece.end.map_or(u64::MAX, |it| it.bytes);
        let mut lines = Lines::new(file.take(end.saturating_sub(from)));
        let mut offset = from;
        let stopped = |offset, stop| Ok(Taken { offset, stop: Some(stop) });
        while let Some(raw) = lines.next()? {
            if raw.end == LineEnd::EndOfFile && piece.end.is_none() {
                break;
            }
            let line = match RecordLine::read(raw.bytes) {
                Ok(line) => line,
                Err(why) => return stopped(offset, Stop::Wrong(Next::Damaged(why))),
            };
            if line.seq >= until {
                return stopped(offset, Stop::Enough);
            }
            if line.seq < self.head.next {
                let is_last = line.seq + 1 == self.head.next;
                if is_last && line.hash != self.head.hash {
                    return stopped(offset, Stop::Wrong(Next::Diverged(line.seq)));
                }
                self.is_seen |= is_last;
            } else if !line.follows(Some(self.head)) {
                let wrong = if line.seq == self.head.next && line.seq > 0 && self.portion.is_none()
                {
                    Next::Diverged(line.seq - 1)
                } else {
                    Next::Damaged(BadLine::Form)
                };
                return stopped(offset, Stop::Wrong(wrong));
            } else if !self.add(&line, most_bytes) {
                return stopped(offset, Stop::Enough);
            }
            offset = from + lines.position();
        }
        Ok(Taken { offset, stop: None })
    }

    /// Adds a line, unless the portion has enough.
    fn add(&mut self, line: &RecordLine<'_>, most_bytes: usize) -> bool {
        let portion = self.portion.get_or_insert_with(|| Portion {
            lines: Vec::new(),
            first: line.seq,
            last: line.seq,
            head: line.hash,
            time: line.time,
        });
        if !portion.lines.is_empty() && portion.lines.len() + line.text.len() >= most_bytes {
            return false;
        }
        portion.lines.extend_from_slice(line.text.as_bytes());
        portion.lines.push(b'\n');
        (portion.last, portion.head, portion.time) = (line.seq, line.hash, line.time);
        self.is_seen = true;
        self.head = line.head();
        true
    }
}

/// The number, the hash and the one before of a line, and the format that it names if it begins a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHead {
    /// Its number.
    pub seq: u64,
    /// The hash of the record before.
    pub prev: Hash,
    /// Its hash.
    pub hash: Hash,
    /// When it was recorded.
    pub time: Time,
    /// The number of the segment that it begins.
    pub segment: Option<u32>,
}

/// Reads what a line says about its place, and checks its hash. `at` names where it comes from.
///
/// # Errors
/// It is no record, or one of a format that this version does not know.
pub fn read_line(bytes: &[u8], at: &Path) -> Result<LineHead, ReadError> {
    let bad = |why| ReadError::Line { file: at.to_owned(), line: 0, why };
    let line = RecordLine::read(bytes).map_err(bad)?;
    let format = reader::format(&line);
    if let Some(format) = format.as_ref().filter(|it| *it != crate::FORMAT) {
        return Err(ReadError::Format { file: at.to_owned(), format: format.clone() });
    }
    let segment = format.map(|_| layout::segment_of(&line).unwrap_or(1));
    Ok(LineHead { seq: line.seq, prev: line.prev, hash: line.hash, time: line.time, segment })
}

#[cfg(test)]
mod tests;
