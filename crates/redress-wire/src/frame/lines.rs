//! `Lines`: a stream of bytes cut into lines, in bounded memory however long a line is.

use std::ops::Range;

/// The room that a read always finds.
const ROOM: usize = 64 << 10;

/// What is kept of a line that is too long: so much of its start, so much of its end.
const KEPT: usize = 4 << 10;

/// A buffer larger than this is given back once its long line is gone.
const IDLE: usize = 1 << 20;

/// Cuts what was read into lines.
#[derive(Debug)]
pub struct Lines {
    /// Every byte is initialised; those of `live` were read and not given out.
    buf: Vec<u8>,
    live: Range<usize>,
    /// No line ends before this.
    searched: usize,
    longest: usize,
    /// How much was thrown away of a line that is too long and has not ended yet.
    skipped: Option<u64>,
    /// The end of what was thrown away.
    tail: Vec<u8>,
    /// A line that does not end with what was read is thrown away, however short it is.
    is_given_up: bool,
}

/// One line, without its line break.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// The start of a line that is too long; the rest is being thrown away.
    LongHead(&'a [u8]),
    /// The end of the line that was thrown away, and how long it was.
    LongTail(&'a [u8], u64),
}

impl Lines {
    /// For lines of so many bytes at most.
    pub fn new(longest: usize) -> Self {
        let buf = vec![0; ROOM];
        let tail = Vec::new();
        Self { buf, live: 0..0, searched: 0, longest, skipped: None, tail, is_given_up: false }
    }

    /// How many bytes its buffer has.
    pub const fn buffer_bytes(&self) -> usize {
        self.buf.len()
    }

    /// Throws the line away that does not end with what was read, as if it were too long: there is no memory for it.
    pub const fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// Whether [`Self::give_up`] is still to be carried out.
    pub const fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Where to read into; never empty.
    pub fn room(&mut self) -> &mut [u8] {
        if self.live.is_empty() {
            self.live = 0..0;
            self.searched = 0;
            if self.buf.len() > IDLE {
                self.buf.truncate(ROOM);
                self.buf.shrink_to_fit();
            }
        }
        if self.buf.len() - self.live.end < ROOM / 2 {
            self.make_room();
        }
        self.buf.get_mut(self.live.end..).unwrap_or_default()
    }

    /// Notes that so many bytes were read into the room.
    pub fn filled(&mut self, bytes: usize) {
        self.live.end = (self.live.end + bytes).min(self.buf.len());
    }

    /// The next line that is complete, or known to be too long.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        let unseen = self.buf.get(self.searched..self.live.end).unwrap_or_default();
        let Some(at) = memchr::memchr(b'\n', unseen) else {
            self.searched = self.live.end;
            return self.unfinished();
        };
        let end = self.searched + at;
        let line = self.live.start..end;
        if self.skipped.is_none() && line.len() > self.longest {
            // The line break stays, so that the next call finds the end at once.
            return self.start_skipping(line);
        }
        self.live.start = end + 1;
        self.searched = end + 1;
        if self.skipped.is_some() {
            self.skip(line);
            return self.end_skipping();
        }
        self.buf.get(line).map(Line::Whole)
    }

    /// What is after the last line break, once nothing more will come.
    pub fn rest(&mut self) -> Option<Line<'_>> {
        if self.skipped.is_some() {
            return self.end_skipping();
        }
        let line = std::mem::replace(&mut self.live, 0..0);
        self.searched = 0;
        self.buf.get(line).filter(|it| !it.is_empty()).map(Line::Whole)
    }

    /// A line without an end: fine, unless it is too long already.
    fn unfinished(&mut self) -> Option<Line<'_>> {
        let line = self.live.clone();
        if self.skipped.is_some() {
            self.is_given_up = false;
            self.skip(line);
            return None;
        }
        let is_given_up = std::mem::take(&mut self.is_given_up) && !line.is_empty();
        let is_too_long = line.len() > self.longest || is_given_up;
        if is_too_long { self.start_skipping(line) } else { None }
    }

    fn start_skipping(&mut self, line: Range<usize>) -> Option<Line<'_>> {
        self.tail.clear();
        self.skipped = Some(0);
        self.skip(line.clone());
        self.buf.get(line).map(|it| Line::LongHead(it.get(..KEPT).unwrap_or(it)))
    }

    /// Throws bytes away, but for the last ones.
    fn skip(&mut self, line: Range<usize>) {
        let bytes = self.buf.get(line.clone()).unwrap_or_default();
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.skipped = self.skipped.map(|it| it.saturating_add(size));
        let last = bytes.get(bytes.len().saturating_sub(KEPT)..).unwrap_or_default();
        let over = (self.tail.len() + last.len()).saturating_sub(KEPT);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend_from_slice(last);
        self.live.start = self.live.start.max(line.end);
        self.searched = self.searched.max(line.end);
    }

    fn end_skipping(&mut self) -> Option<Line<'_>> {
        let size = self.skipped.take()?;
        Some(Line::LongTail(&self.tail, size))
    }

    fn make_room(&mut self) {
        if self.live.start > 0 {
            self.buf.copy_within(self.live.clone(), 0);
            self.searched -= self.live.start;
            self.live = 0..self.live.len();
        }
        if self.buf.len() - self.live.end < ROOM / 2 {
            let size = (self.buf.len() * 2).min(self.longest + 2 * ROOM);
            self.buf.resize(size.max(self.live.end + ROOM), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, prop_assert_eq, proptest};

    use super::{KEPT, Line, Lines, ROOM};

    /// Everything that comes out when the bytes come in pieces of that size.
    fn lines(bytes: &[u8], piece: usize, longest: usize) -> Vec<String> {
        let mut lines = Lines::new(longest);
        let mut told = Vec::new();
        let show = |line: Line<'_>| match line {
            Line::Whole(it) => String::from_utf8_lossy(it).into_owned(),
            Line::LongHead(it) => {
                assert!(it.len() > longest || it.len() == KEPT);
                "head".to_owned()
            }
            Line::LongTail(it, size) => format!("tail {} of {size}", it.len()),
        };
        for piece in bytes.chunks(piece) {
            let room = lines.room();
            room[..piece.len()].copy_from_slice(piece);
            lines.filled(piece.len());
            while let Some(line) = lines.next_line() {
                told.push(show(line));
            }
        }
        told.extend(lines.rest().map(show));
        told
    }

    #[test]
    fn lines_come_out_whole_however_they_were_cut() {
        for piece in 1..12 {
            assert_eq!(lines(b"one\n\ntwo\r\nthree", piece, 80), ["one", "", "two\r", "three"]);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_told_at_once_and_again_at_its_end() {
        let long = [vec![b'a'; 40_000], b"\nb\n".to_vec()].concat();
        let told = lines(&long, 1_000, 10_000);
        assert_eq!(told, ["head", &format!("tail {KEPT} of 40000"), "b"]);
        assert_eq!(lines(b"12345\n6\n", 100, 3), ["head", "tail 5 of 5", "6"]);
        assert_eq!(lines(b"12345", 100, 3), ["head", "tail 5 of 5"]);
    }

    #[test]
    fn a_line_that_is_given_up_is_told_like_one_that_is_too_long() {
        let mut lines = Lines::new(1 << 20);
        let put = |lines: &mut Lines, bytes: &[u8]| {
            lines.room()[..bytes.len()].copy_from_slice(bytes);
            lines.filled(bytes.len());
        };
        put(&mut lines, b"whole\nthe start");
        lines.give_up();
        assert_eq!(lines.next_line(), Some(Line::Whole(b"whole")));
        assert!(lines.is_given_up());
        assert_eq!(lines.next_line(), Some(Line::LongHead(b"the start")));
        assert!(!lines.is_given_up());
        assert_eq!(lines.next_line(), None);
        put(&mut lines, b" and the end\nnext\n");
        assert_eq!(lines.next_line(), Some(Line::LongTail(b"the start and the end", 21)));
        assert_eq!(lines.next_line(), Some(Line::Whole(b"next")));
        lines.give_up();
        assert_eq!(lines.next_line(), None, "there is nothing to give up");
        assert!(!lines.is_given_up());
    }

    #[test]
    fn memory_does_not_grow_with_a_line() {
        let mut lines = Lines::new(100_000);
        for _ in 0..10_000 {
            let room = lines.room().len();
            lines.filled(room);
            while lines.next_line().is_some() {}
        }
        assert!(lines.buf.len() <= 100_000 + 2 * ROOM, "{}", lines.buf.len());
        assert!(lines.tail.len() <= KEPT);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(parts in prop::collection::vec("[a-c]{0,9}", 0..9), piece in 1usize..9) {
            let text = parts.iter().flat_map(|it| [it, "\n"]).collect::<String>();
            prop_assert_eq!(lines(text.as_bytes(), piece, 9), parts);
        }

        #[test]
        fn any_bytes_are_cut(bytes in any::<Vec<u8>>(), piece in 1usize..9, longest in 0usize..9) {
            let told = lines(&bytes, piece, longest);
            prop_assert_eq!(told, lines(&bytes, 1, longest));
        }
    }
}
