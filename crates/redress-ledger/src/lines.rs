//! Reads a segment line by line in bounded memory, and knows the place of each line.

use std::io::{self, Read};

use redress_wire::json::Doc;

use crate::{LINE_LIMITS, MAX_LINE};

/// How much is read at once: little if one line of a file is wanted, much of a long file.
const CHUNKS: (usize, usize) = (4 << 10, 128 << 10);

/// A reader of lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    source: R,
    /// What was read and not given out is at `start..end`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    chunk: usize,
    offset: u64,
    number: u64,
    at_end: bool,
}

/// One line of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawLine<'a> {
    /// Its bytes without the newline; of a line that is too long only the start.
    pub bytes: &'a [u8],
    /// Where it starts in the file.
    pub offset: u64,
    /// 1 for the first line.
    pub number: u64,
    /// What ended it.
    pub end: LineEnd,
}

impl RawLine<'_> {
    /// Whether a crash can have left a line that is no record. One that still is an object with a hash was written whole, and changed since.
    pub(crate) fn is_torn(&self) -> bool {
        self.end != LineEnd::Newline || is_torn(self.bytes)
    }
}

/// Whether a crash can have left a line that ends and is no record.
pub(crate) fn is_torn(line: &[u8]) -> bool {
    let has_hash = |it: Doc<'_>| it.root().get("hash").is_some();
    !Doc::parse(line, LINE_LIMITS).is_ok_and(has_hash)
}

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Newline,
    EndOfFile,
    /// It is longer than any record; the rest was skipped.
    TooLong,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            chunk: CHUNKS.0,
            offset: 0,
            number: 0,
            at_end: false,
        }
    }

    /// Goes on behind so many bytes and lines, at the position of the source.
    pub(crate) fn resume(source: R, offset: u64, number: u64) -> Self {
        Self { offset, number, ..Self::new(source) }
    }

    /// How many lines were given out.
    pub(crate) const fn count(&self) -> u64 {
        self.number
    }

    /// How many bytes the lines took that were given out.
    pub(crate) const fn position(&self) -> u64 {
        self.offset
    }

    /// The next line; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut looked = 0;
        let (length, end) = loop {
            let pending = self.buffer.get(self.start..self.end).unwrap_or_default();
            let fresh = pending.get(looked..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', fresh) {
                break (looked + at, LineEnd::Newline);
            }
            looked = pending.len();
            if looked >= MAX_LINE {
                return self.skip_long().map(Some);
            }
            if self.at_end {
                break (looked, LineEnd::EndOfFile);
            }
            self.fill()?;
        };
        if length == 0 && end == LineEnd::EndOfFile {
            return Ok(None);
        }
        let (offset, from) = (self.offset, self.start);
        self.take(length + usize::from(end == LineEnd::Newline));
        self.number += 1;
        let bytes = self.buffer.get(from..from + length).unwrap_or_default();
        Ok(Some(RawLine { bytes, offset, number: self.number, end }))
    }

    /// Passes over the rest of a line that no writer of ours made.
    fn skip_long(&mut self) -> io::Result<RawLine<'_>> {
        let offset = self.offset;
        loop {
            let pending = self.buffer.get(self.start..self.end).unwrap_or_default();
            let (used, done) = match memchr::memchr(b'\n', pending) {
                Some(at) => (at + 1, true),
                None => (pending.len(), self.at_end),
            };
            self.take(used);
            if done {
                self.number += 1;
                return Ok(RawLine {
                    bytes: b"",
                    offset,
                    number: self.number,
                    end: LineEnd::TooLong,
                });
            }
            self.fill()?;
        }
    }

    fn take(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < self.end + self.chunk {
            self.buffer.resize(self.end + self.chunk, 0);
        }
        self.chunk = (self.chunk * 2).min(CHUNKS.1);
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = loop {
            match self.source.read(free) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                other => break other?,
            }
        };
        self.end += read;
        self.at_end = read == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{LineEnd, Lines};
    use crate::MAX_LINE;

    #[test]
    fn lines_have_places_and_an_end() {
        let mut lines = Lines::new(&b"a\n\nbc"[..]);
        let mut found = Vec::new();
        while let Some(it) = lines.next().unwrap() {
            found.push((it.bytes.to_vec(), it.offset, it.number, it.end));
        }
        let expected = [
            (b"a".to_vec(), 0, 1, LineEnd::Newline),
            (b"".to_vec(), 2, 2, LineEnd::Newline),
            (b"bc".to_vec(), 3, 3, LineEnd::EndOfFile),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_line_without_end_costs_bounded_memory() {
        let long = vec![b'x'; 5 * MAX_LINE];
        let text = [&long[..], b"\nb\n"].concat();
        let mut lines = Lines::new(&text[..]);
        assert_eq!(lines.next().unwrap().unwrap().end, LineEnd::TooLong);
        let next = lines.next().unwrap().unwrap();
        assert_eq!((next.bytes, next.number), (&b"b"[..], 2));
        assert!(lines.buffer.len() < 2 * MAX_LINE);
    }
}
