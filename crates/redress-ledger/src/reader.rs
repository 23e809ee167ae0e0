//! `Reader`: the records of all chains of a ledger, merged by time, without holding up any writer.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fmt,
    io::{self, Read as _, Seek as _, SeekFrom, Take},
    path::{Path, PathBuf},
    sync::Arc,
};

use redress_wire::json::{Doc, Value};

use crate::{
    FORMAT, LINE_LIMITS,
    disk::File,
    error::Failure,
    hash::Hash,
    layout::{self, ChainDir, Piece},
    lines::{LineEnd, Lines},
    record::{self, BadLine, Kind, RecordLine},
    time::Time,
};

/// How far a clock may have been set back within a segment.
pub(crate) const ALLOWANCE_MILLIS: u64 = 3_600_000;

/// How many files are open at once. Where more chains were written at the same time, each of the others is opened anew for each line.
const MOST_OPEN: usize = 128;

/// A record as it is written in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The chain it belongs to.
    pub chain: Arc<str>,
    /// Its number in the chain.
    pub seq: u64,
    /// When it was recorded.
    pub time: Time,
    /// What it tells.
    pub kind: Kind,
    /// Its hash.
    pub hash: Hash,
    /// Its line, without the newline.
    pub text: String,
}

impl Entry {
    /// Calls `look` with the object of the record; `None` if the line is not JSON, which no writer of ours makes.
    pub fn with<T>(&self, look: impl FnOnce(Value<'_>) -> T) -> Option<T> {
        let doc = Doc::parse(self.text.as_bytes(), LINE_LIMITS).ok()?;
        doc.root().get(self.kind.name()).map(look)
    }

    /// Whether it is a failure that locks the session in which it happened.
    pub fn locks(&self) -> bool {
        record::locks(&self.text)
    }
}

/// Something that cannot be read as a record. The reader goes on behind it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// A file could not be read; the rest of its chain is left out.
    Io(Failure),
    /// A line is no record.
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        why: BadLine,
    },
    /// The chain has a format that this version does not know; it is left out.
    Format {
        /// The file.
        file: PathBuf,
        /// The format it names.
        format: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(failure) => failure.fmt(f),
            Self::Line { file, line, why } => write!(f, "{}:{line}: {why}", file.display()),
            Self::Format { file, format } => {
                write!(f, "{}: the format \"{format}\" is not known", file.display())
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a whole ledger, in the order of time.
#[derive(Debug)]
pub struct Reader {
    /// The next record of each chain. A chain is opened when its turn comes, so that few files are open at once.
    next: BinaryHeap<Reverse<QueuedEntry>>,
    /// Ledgers whose directory could not be read.
    unreadable: Vec<ReadError>,
    /// How many files are open.
    open: usize,
}

#[derive(Debug)]
struct QueuedEntry {
    time: Time,
    order: usize,
    item: Option<Result<Entry, ReadError>>,
    chain: ChainReader,
}

impl PartialEq for QueuedEntry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for QueuedEntry {}
impl PartialOrd for QueuedEntry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for QueuedEntry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl QueuedEntry {
    const fn key(&self) -> (Time, usize) {
        (self.time, self.order)
    }
}

impl Reader {
    /// Reads the ledger in a directory.
    pub fn open(dir: &Path) -> Result<Self, ReadError> {
        let mut reader = Self::open_all(&[dir]);
        match reader.unreadable.pop() {
            Some(error) => Err(error),
            None => Ok(reader),
        }
    }

    /// Reads several ledgers as if they were one. One that cannot be read gives an error and is left out.
    pub fn open_all(dirs: &[impl AsRef<Path>]) -> Self {
        let mut chains = Vec::new();
        let mut unreadable = Vec::new();
        for dir in dirs.iter().map(AsRef::as_ref) {
            match layout::chains(dir) {
                Ok(found) => chains.extend(found),
                Err(error) => unreadable.push(ReadError::Io(Failure::new("read", dir, error))),
            }
        }
        let first = |(order, chain): (usize, ChainDir)| {
            let time = chain.start;
            Reverse(QueuedEntry { time, order, item: None, chain: ChainReader::new(&chain) })
        };
        Self { next: chains.into_iter().enumerate().map(first).collect(), unreadable, open: 0 }
    }

    /// Passes over segments that end before a time, without reading them. Their first and last records decide, with an hour's
    /// allowance for clocks that were set back.
    #[must_use]
    pub fn since(self, from: Time) -> Self {
        let from = Time::from_millis(from.millis().saturating_sub(ALLOWANCE_MILLIS));
        let with = |Reverse(mut turn): Reverse<QueuedEntry>| {
            turn.chain.from = Some(from);
            Reverse(turn)
        };
        Self { next: self.next.into_iter().map(with).collect(), ..self }
    }
}

impl Iterator for Reader {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.unreadable.pop() {
            return Some(Err(error));
        }
        loop {
            let Reverse(mut turn) = self.next.pop()?;
            let item = turn.item.take();
            self.open -= usize::from(turn.chain.is_open());
            let following = turn.chain.next();
            if self.open >= MOST_OPEN {
                turn.chain.rest();
            }
            self.open += usize::from(turn.chain.is_open());
            if let Some(following) = following {
                if let Ok(entry) = &following {
                    turn.time = entry.time;
                }
                turn.item = Some(following);
                self.next.push(Reverse(turn));
            }
            if item.is_some() {
                return item;
            }
        }
    }
}

/// Reads one chain.
#[derive(Debug)]
pub(crate) struct ChainReader {
    name: Arc<str>,
    path: PathBuf,
    /// `None` before the first segment was looked for.
    pieces: Option<std::vec::IntoIter<Piece>>,
    /// Segments that end before this are passed over.
    from: Option<Time>,
    current: Option<Current>,
    resting: Option<Resting>,
}

/// A segment whose file was closed, and where to go on with it.
#[derive(Debug)]
struct Resting {
    file: PathBuf,
    /// Of the last line that was given out: its end, and its number.
    at: (u64, u64),
    end: u64,
    is_last: bool,
}

/// The segment that is being read.
#[derive(Debug)]
struct Current {
    file: PathBuf,
    lines: Lines<Take<File>>,
    end: u64,
    is_last: bool,
}

impl ChainReader {
    pub(crate) fn new(chain: &ChainDir) -> Self {
        let name = chain.name.as_str().into();
        let path = chain.path.clone();
        Self { name, path, pieces: None, from: None, current: None, resting: None }
    }

    /// Reads only this segment.
    pub(crate) fn of_piece(chain: &ChainDir, piece: Piece) -> Self {
        Self { pieces: Some(vec![piece].into_iter()), ..Self::new(chain) }
    }

    const fn is_open(&self) -> bool {
        self.current.is_some()
    }

    /// Closes the file until the next line is asked for.
    fn rest(&mut self) {
        let resting = |Current { file, lines, end, is_last }: Current| {
            let at = (lines.position(), lines.count());
            Resting { file, at, end, is_last }
        };
        self.resting = self.current.take().map(resting);
    }

    /// Opens the next segment, or the one that rests; `false` if there is none.
    fn advance(&mut self) -> Result<bool, Failure> {
        let failed = |path: &Path, error| Failure::new("read", path, error);
        if let Some(resting) = self.resting.take() {
            self.current = resume(&resting).map_err(|it| failed(&resting.file, it))?;
            return Ok(true);
        }
        if self.pieces.is_none() {
            let found =
                layout::pieces(&self.path).map_or_else(layout::unless_gone, |it| Ok(Some(it)));
            let found = found.map_err(|it| failed(&self.path, it))?;
            self.pieces = Some(found.unwrap_or_default().into_iter());
        }
        let Some(piece) = self.pieces.as_mut().and_then(Iterator::next) else { return Ok(false) };
        if let Some(from) = self.from
            && layout::latest_time(&piece).is_ok_and(|it| it.is_some_and(|it| it < from))
        {
            return Ok(true);
        }
        let end = piece.end.map_or(u64::MAX, |it| it.bytes);
        let resting = Resting { file: piece.path, at: (0, 0), end, is_last: piece.end.is_none() };
        self.current = resume(&resting).map_err(|it| failed(&resting.file, it))?;
        Ok(true)
    }

    fn give_up(&mut self, failure: Failure) -> ReadError {
        self.current = None;
        self.pieces = Some(Vec::new().into_iter());
        ReadError::Io(failure)
    }
}

impl Iterator for ChainReader {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(Current { file, lines, is_last, .. }) = &mut self.current else {
                match self.advance() {
                    Ok(true) => continue,
                    Ok(false) => return None,
                    Err(failure) => return Some(Err(self.give_up(failure))),
                }
            };
            match lines.next() {
                // The last line of a chain is being written, or is torn: no record yet, or never.
                Ok(Some(raw)) if raw.end == LineEnd::EndOfFile && *is_last => (),
                Ok(Some(raw)) => {
                    let item = entry(&self.name, raw.bytes).map_err(|why| why.at(file, raw.number));
                    if matches!(item, Err(ReadError::Format { .. })) {
                        self.current = None;
                        self.pieces = Some(Vec::new().into_iter());
                    }
                    return Some(item);
                }
                Ok(None) => self.current = None,
                Err(error) => {
                    let failure = Failure::new("read", file, error);
                    return Some(Err(self.give_up(failure)));
                }
            }
        }
    }
}

/// Opens a segment where it is to be read on. What was pruned meanwhile is not there, and takes nothing with it.
fn resume(resting: &Resting) -> io::Result<Option<Current>> {
    let Resting { file, at: (offset, number), end, is_last } = resting;
    let opened = File::open(file).map_or_else(layout::unless_gone, |it| Ok(Some(it)))?;
    let Some(mut opened) = opened else { return Ok(None) };
    opened.seek(SeekFrom::Start(*offset))?;
    let lines = Lines::resume(opened.take(end.saturating_sub(*offset)), *offset, *number);
    Ok(Some(Current { file: file.clone(), lines, end: *end, is_last: *is_last }))
}

/// Why a line is not given out as a record.
pub(crate) enum BadEntry {
    Line(BadLine),
    Format(String),
}

impl BadEntry {
    /// The error at its place.
    pub(crate) fn at(self, file: &Path, line: u64) -> ReadError {
        let file = file.to_owned();
        match self {
            Self::Line(why) => ReadError::Line { file, line, why },
            Self::Format(format) => ReadError::Format { file, format },
        }
    }
}

/// A line as a record.
pub(crate) fn entry(chain: &Arc<str>, bytes: &[u8]) -> Result<Entry, BadEntry> {
    let line = RecordLine::read(bytes).map_err(BadEntry::Line)?;
    if let Some(format) = format(&line).filter(|it| it != FORMAT) {
        return Err(BadEntry::Format(format));
    }
    Ok(Entry {
        chain: Arc::clone(chain),
        seq: line.seq,
        time: line.time,
        kind: line.kind,
        hash: line.hash,
        text: line.text.to_owned(),
    })
}

/// The format that the first record of a segment names.
pub(crate) fn format(line: &RecordLine<'_>) -> Option<String> {
    if !matches!(line.kind, Kind::Genesis | Kind::Rotate) {
        return None;
    }
    let doc = Doc::parse(line.text.as_bytes(), LINE_LIMITS).ok()?;
    let format = doc.root().path(&[line.kind.name(), "format"]).and_then(Value::as_str);
    Some(format.unwrap_or_default().into_owned())
}
