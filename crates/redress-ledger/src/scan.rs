//! Scanning: the records of a ledger segment by segment, in place, for an index that is derived from them.
//!
//! A scan does not check hashes: [`read_record`] does for the record that is shown, and [`crate::verify`] for all.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use redress_wire::json::{Doc, Scratch, Value};

use crate::{
    FORMAT, LINE_LIMITS,
    disk::{self, File},
    error::Failure,
    layout::{self, ChainDir, Piece},
    lines::{LineEnd, Lines},
    reader::{self, Entry, ReadError},
    record::{BadLine, Kind, RecordLine},
    time::Time,
};

/// One file of a chain.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The directory of the ledger.
    pub ledger: PathBuf,
    /// The chain.
    pub chain: Arc<str>,
    /// The number of the file in the chain.
    pub number: u32,
    /// The file.
    pub path: PathBuf,
    /// When its first record was written, if that can be read.
    pub first: Option<Time>,
    /// Whether the chain was put aside because it was damaged.
    pub is_aside: bool,
    /// How many of its bytes count; `None` for the last of its chain.
    end: Option<u64>,
}

/// A record in place.
#[derive(Debug, Clone, Copy)]
pub struct Scanned<'d> {
    /// Where its line starts in the file.
    pub offset: u64,
    /// The length of the line without its newline.
    pub length: usize,
    /// Its number in the chain.
    pub seq: u64,
    /// When it was recorded.
    pub time: Time,
    /// What it tells.
    pub kind: Kind,
    /// The whole line.
    pub root: Value<'d>,
}

impl<'d> Scanned<'d> {
    /// The object of its kind.
    pub fn object(&self) -> Option<Value<'d>> {
        self.root.get(self.kind.name())
    }
}

/// A line: its record, or why it is not a record, and where.
pub type ScannedLine<'d> = Result<Scanned<'d>, (u64, BadLine)>;

impl Segment {
    /// How many bytes of the file count now.
    pub fn bytes(&self) -> io::Result<u64> {
        let length = disk::metadata(&self.path)?.len;
        Ok(self.end.map_or(length, |it| it.min(length)))
    }

    /// Calls `each` with every record from an offset on, and with the place of every line that is none. Gives the offset behind the last whole
    /// line, where the next scan goes on.
    ///
    /// # Errors
    /// The file cannot be read, or has a format that this version does not know.
    pub fn scan(&self, from: u64, each: &mut dyn FnMut(ScannedLine<'_>)) -> Result<u64, ReadError> {
        let failed = |error| ReadError::Io(Failure::new("read", &self.path, error));
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(from)).map_err(failed)?;
        let limit = self.end.unwrap_or(u64::MAX).saturating_sub(from);
        let mut lines = Lines::new(file.take(limit));
        let mut scratch = Scratch::default();
        let mut end = from;
        while let Some(raw) = lines.next().map_err(failed)? {
            if raw.end == LineEnd::EndOfFile && self.end.is_none() {
                break;
            }
            let offset = from + raw.offset;
            let bytes = raw.bytes;
            let (line, doc) = (
                RecordLine::unchecked(bytes),
                Doc::parse_with(bytes, LINE_LIMITS, std::mem::take(&mut scratch)),
            );
            match (line, doc) {
                (Ok(line), Ok(doc)) => {
                    if let Some(format) = reader::format(&line).filter(|it| it != FORMAT) {
                        return Err(ReadError::Format { file: self.path.clone(), format });
                    }
                    let RecordLine { seq, time, kind, .. } = line;
                    let length = bytes.len();
                    each(Ok(Scanned { offset, length, seq, time, kind, root: doc.root() }));
                    scratch = doc.into_scratch();
                }
                (Err(why), _) => each(Err((offset, why))),
                (_, Err(_not_json)) => each(Err((offset, BadLine::Form))),
            }
            end = from + lines.position();
        }
        Ok(end)
    }
}

/// Reads the record at a place and checks its hash.
///
/// # Errors
/// The file cannot be read, or no record is there.
pub fn read_record(
    path: &Path,
    chain: &Arc<str>,
    offset: u64,
    length: usize,
) -> Result<Entry, ReadError> {
    let read = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; length.min(crate::MAX_LINE)];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| ReadError::Io(Failure::new("read", path, error)))?;
    reader::entry(chain, &bytes).map_err(|it| it.at(path, 0))
}

/// Finds the segments of ledgers, and those that came or may have grown since.
#[derive(Debug, Default)]
pub struct Segments {
    /// By the directory of the chain: the numbers of its segments, and whether it was closed when they were listed.
    chains: BTreeMap<PathBuf, (Vec<u32>, bool)>,
}

impl Segments {
    /// The segments that are new since the last call, and the last one of each chain that is not closed. What cannot be read is in the errors.
    pub fn look(&mut self, dirs: &[impl AsRef<Path>]) -> (Vec<Segment>, Vec<ReadError>) {
        let (mut found, mut errors) = (Vec::new(), Vec::new());
        for dir in dirs.iter().map(AsRef::as_ref) {
            match layout::chains(dir) {
                Ok(chains) => {
                    for chain in &chains {
                        if let Err(error) = self.look_at(dir, chain, &mut found) {
                            let failure = Failure::new("read", &chain.path, error);
                            errors.push(ReadError::Io(failure));
                        }
                    }
                }
                Err(error) => errors.push(ReadError::Io(Failure::new("read", dir, error))),
            }
        }
        (found, errors)
    }

    fn look_at(
        &mut self,
        ledger: &Path,
        chain: &ChainDir,
        found: &mut Vec<Segment>,
    ) -> io::Result<()> {
        let known = self.chains.get(&chain.path);
        if known.is_some_and(|it| it.1) {
            return Ok(());
        }
        // Before the list: what is written between them is listed next time.
        let is_closed = chain.is_closed();
        let numbers = layout::segment_numbers(&chain.path)
            .map_or_else(layout::unless_gone, |it| Ok(Some(it)))?
            .unwrap_or_default();
        let before = known.map_or(&[][..], |it| &it.0);
        let last_before = before.last().copied().unwrap_or_default();
        let pieces = if numbers.last() == before.last() && !before.is_empty() {
            // Only the last one can have grown.
            let path = chain.path.join(layout::segment_name(last_before));
            vec![Piece { number: last_before, path, end: None, first: None, is_begun: true }]
        } else {
            layout::pieces(&chain.path)?
        };
        let new = pieces.into_iter().filter(|it| it.number >= last_before);
        found.extend(new.map(|it| Segment {
            ledger: ledger.to_owned(),
            chain: chain.name.as_str().into(),
            number: it.number,
            path: it.path,
            first: it.first,
            is_aside: chain.corrupt,
            end: it.end.map(|it| it.bytes),
        }));
        self.chains.insert(chain.path.clone(), (numbers, is_closed));
        Ok(())
    }
}
