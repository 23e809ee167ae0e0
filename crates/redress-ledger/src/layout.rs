//! The names in a ledger's directory: chains, their segments, and how many bytes of each segment count.

use std::{
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use redress_wire::json::{Doc, Value};

use crate::{
    LINE_LIMITS, MAX_LINE,
    disk::{self, File},
    epochs,
    lines::{LineEnd, Lines},
    lock,
    record::{Head, Kind, RecordLine},
    time::Time,
};

const CORRUPT: &str = ".corrupt";

/// What the name of a chain begins with while it is being created.
const DRAFT: &str = ".new-";

/// The name of a chain while it is being created.
pub(crate) fn draft_name(chain: &str) -> String {
    format!("{DRAFT}{chain}")
}

/// The name that a chain will have which is being created.
pub(crate) fn name_of_draft(file_name: &str) -> Option<&str> {
    file_name.strip_prefix(DRAFT)
}

/// More than the first line of a segment ever takes.
const FIRST_LINE: u64 = 4096;

/// More than most lines take.
const GLANCE: u64 = 64 << 10;

/// A chain as its directory's name tells it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChainDir {
    pub start: Time,
    /// The name that its records carry.
    pub name: String,
    pub path: PathBuf,
    /// Whether it was put aside.
    pub corrupt: bool,
}

impl ChainDir {
    /// The chain of that directory, if its name is that of one.
    fn of(path: PathBuf) -> Option<Self> {
        let file_name = path.file_name()?.to_str()?;
        let (name, corrupt) = match file_name.split_once(CORRUPT) {
            Some((name, _)) => (name, true),
            None => (file_name, false),
        };
        let start = start_of(name)?;
        Some(Self { start, name: name.to_owned(), corrupt, path })
    }

    /// Whether it was closed in good order, or repaired since.
    pub(crate) fn is_closed(&self) -> bool {
        !lock::is_there(&self.path)
    }

    /// Moves the chain aside, so that no process writes to it.
    pub(crate) fn quarantine(&self) -> io::Result<PathBuf> {
        let parent = self.path.parent().unwrap_or(Path::new("."));
        for attempt in 0..100 {
            let more = if attempt == 0 { String::new() } else { format!("-{attempt}") };
            let aside = parent.join(format!("{}{CORRUPT}{more}", self.name));
            if !disk::exists(&aside) {
                disk::rename(&self.path, &aside)?;
                File::open(parent)?.sync_all()?;
                return Ok(aside);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// When a chain of that name began; `None` if that is no name of a chain.
pub(crate) fn start_of(name: &str) -> Option<Time> {
    Time::parse_compact(name.split('-').next()?)
}

/// The chains of a ledger, oldest first.
pub(crate) fn chains(ledger: &Path) -> io::Result<Vec<ChainDir>> {
    let mut found = Vec::new();
    for entry in disk::read_dir(ledger)? {
        found.extend(ChainDir::of(entry?.path()).filter(|it| disk::is_dir(&it.path)));
    }
    found.sort();
    Ok(found)
}

/// Whether a name is one that the chains of a ledger have.
pub fn is_chain(name: &str) -> bool {
    ChainDir::of(name.into()).is_some()
}

/// The ledgers at a place, by name: the directory itself if it holds chains, or a log that tells of some, and those directories in it that do. A chain does
/// not hide what lies beside it.
pub fn ledgers(place: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let is_ledger =
        |it: &Path| io::Result::Ok(!chains(it)?.is_empty() || !epochs::copies(it).is_empty());
    if is_ledger(place)? {
        found.push(place.to_owned());
    }
    for entry in disk::read_dir(place)? {
        let path = entry?.path();
        // One that cannot be read is there all the same; who reads it will say so.
        if disk::is_dir(&path)
            && ChainDir::of(path.clone()).is_none()
            && is_ledger(&path).unwrap_or(true)
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The name of a segment.
pub(crate) fn segment_name(number: u32) -> String {
    format!("{number:08}.jsonl")
}

/// The numbers of a chain's segments, in order.
pub(crate) fn segment_numbers(chain: &Path) -> io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in disk::read_dir(chain)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|it| it.strip_suffix(".jsonl")).map(str::parse);
        if let Some(Ok(number)) = number
            && name.to_str() == Some(&segment_name(number))
            // A pipe or a device could be read for ever.
            && disk::is_file(&entry.path())
        {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// A segment, and how much of it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub number: u32,
    pub path: PathBuf,
    /// What the next segment says about it; `None` in the last one.
    pub end: Option<After>,
    /// When its first record was written, if that can be read.
    pub first: Option<Time>,
    /// Whether it has a first line: a segment is made before anything is written to it.
    pub is_begun: bool,
}

/// What the first record of a segment says about the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct After {
    pub segment: u32,
    pub bytes: u64,
    /// Whether that segment could not be written any more, so that bytes behind those are void.
    pub failed: bool,
}

/// The segments that count, in order. One that a later segment passes over is void; one that is gone since it was listed was pruned.
pub(crate) fn pieces(chain: &Path) -> io::Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut after: Option<After> = None;
    for number in segment_numbers(chain)?.into_iter().rev() {
        if after.is_some_and(|it| number > it.segment) {
            continue;
        }
        let path = chain.join(segment_name(number));
        let Some(first) = first_line(&path, number).map_or_else(unless_gone, |it| Ok(Some(it)))?
        else {
            continue;
        };
        let end = after.filter(|it| it.segment == number);
        after = first.after;
        pieces.push(Piece { number, path, end, first: first.time, is_begun: first.is_whole });
    }
    pieces.reverse();
    Ok(pieces)
}

/// Nothing, if that is all that is wrong.
pub(crate) fn unless_gone<T>(error: io::Error) -> io::Result<Option<T>> {
    if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) }
}

/// When the first or the last record of a segment was written, whichever is later: the clock may have been set back between them. `None` if
/// its last line is no record.
pub(crate) fn latest_time(piece: &Piece) -> io::Result<Option<Time>> {
    let last = last_line(piece)?;
    let last = last.as_deref().and_then(|it| RecordLine::read(it).ok());
    Ok(last.map(|it| piece.first.map_or(it.time, |first| first.max(it.time))))
}

/// The last line of a segment; `None` if that does not end.
pub(crate) fn last_line(piece: &Piece) -> io::Result<Option<Vec<u8>>> {
    let mut file = File::open(&piece.path)?;
    let end = piece.end.map_or(u64::MAX, |it| it.bytes).min(file.metadata()?.len);
    for most in [GLANCE, MAX_LINE as u64] {
        let from = end.saturating_sub(most);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        (&mut file).take(end - from).read_to_end(&mut bytes)?;
        let Some(whole) = bytes.strip_suffix(b"\n") else { return Ok(None) };
        let before = memchr::memrchr(b'\n', whole);
        if before.is_some() || from == 0 {
            return Ok(Some(
                whole.get(before.map_or(0, |it| it + 1)..).unwrap_or_default().to_vec(),
            ));
        }
    }
    Ok(None)
}

/// What the first line of a segment says, if it is sound and its own.
struct First {
    time: Option<Time>,
    after: Option<After>,
    is_whole: bool,
}

/// The end of the chain before a segment, as the first line of that says; `None` if that is no record.
pub(crate) fn end_before(piece: &Piece) -> io::Result<Option<Head>> {
    let mut lines = Lines::new(File::open(&piece.path)?.take(FIRST_LINE));
    let Some(raw) = lines.next()? else { return Ok(None) };
    let line = RecordLine::read(raw.bytes).ok();
    Ok(line.map(|it| Head { next: it.seq, hash: it.prev }))
}

fn first_line(path: &Path, number: u32) -> io::Result<First> {
    let mut lines = Lines::new(File::open(path)?.take(FIRST_LINE));
    let Some(raw) = lines.next()? else {
        return Ok(First { time: None, after: None, is_whole: false });
    };
    let ends = raw.end == LineEnd::Newline;
    let line = RecordLine::read(raw.bytes).ok().filter(|_| ends);
    Ok(First {
        time: line.map(|it| it.time),
        after: line.and_then(|it| after(&it, number)),
        is_whole: ends || raw.bytes.len() as u64 >= FIRST_LINE,
    })
}

/// The number of the segment that a `rotate` record begins.
pub(crate) fn segment_of(line: &RecordLine<'_>) -> Option<u32> {
    let doc = Doc::parse(line.text.as_bytes(), LINE_LIMITS).ok()?;
    doc.root().path(&["rotate", "segment"])?.as_u64()?.try_into().ok()
}

/// What a `rotate` record says comes before the segment of that number.
fn after(line: &RecordLine<'_>, number: u32) -> Option<After> {
    if line.kind != Kind::Rotate {
        return None;
    }
    let doc = Doc::parse(line.text.as_bytes(), LINE_LIMITS).ok()?;
    let rotate = doc.root().get("rotate")?;
    let segment = |at: Value<'_>| at.get("segment")?.as_u64()?.try_into().ok();
    let after = rotate.get("after").filter(|_| segment(rotate) == Some(number))?;
    Some(After {
        segment: segment(after)?,
        bytes: after.get("bytes")?.as_u64()?,
        failed: after.get("failed")?.as_bool()?,
    })
}
