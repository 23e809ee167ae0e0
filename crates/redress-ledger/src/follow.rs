//! `Follow`: the records that come after now, through rotations and new chains. It has no clock: a caller that waits asks again.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use crate::{
    MAX_LINE,
    disk::File,
    error::Failure,
    layout::{self, ChainDir, Piece},
    lines::{LineEnd, Lines},
    reader::{self, BadEntry, Entry, ReadError},
};

/// How far every chain was read.
#[derive(Debug, Default)]
pub struct Follow {
    /// By ledger and name, since a chain that is put aside keeps its name.
    chains: BTreeMap<(PathBuf, String), ChainPosition>,
}

/// How far one chain was read.
#[derive(Debug, Clone, Copy, Default)]
struct ChainPosition {
    segment: u32,
    /// Where the last sound line ends. What follows may be a torn tail, and another record may stand there next time.
    sound: u64,
    /// Up to where lines that are no records were reported.
    told: u64,
    /// Its format is not known.
    is_foreign: bool,
}

/// A line that was read, or why it could not be.
type Found = Result<Entry, ReadError>;

impl Follow {
    /// Passes over everything that is there now.
    pub fn skip(&mut self, dirs: &[impl AsRef<Path>]) {
        for (dir, chain) in all_chains(dirs, &mut Vec::new()) {
            let place = self.chains.entry((dir, chain.name.clone())).or_default();
            let last = layout::segment_numbers(&chain.path).ok().and_then(|it| it.last().copied());
            place.segment = last.unwrap_or_default();
            let file = chain.path.join(layout::segment_name(place.segment));
            // Where it cannot be read now, it is read from its start when it can.
            place.sound = whole_lines(&file).unwrap_or_default();
        }
    }

    /// Everything that came since, in the order of time as far as that is known by now.
    pub fn poll(&mut self, dirs: &[impl AsRef<Path>]) -> Vec<Found> {
        let mut found = Vec::new();
        for (dir, chain) in all_chains(dirs, &mut found) {
            let place = self.chains.entry((dir, chain.name.clone())).or_default();
            if let Err(error) = place.read_on(&chain, &mut found) {
                // A segment that was pruned meanwhile is no loss here.
                if error.kind() != io::ErrorKind::NotFound {
                    let failure = Failure::new("read", &chain.path, error);
                    found.push(Err(ReadError::Io(failure)));
                }
            }
        }
        found.sort_by_key(|it| it.as_ref().map(|it| it.time).unwrap_or_default());
        found
    }
}

fn all_chains(dirs: &[impl AsRef<Path>], found: &mut Vec<Found>) -> Vec<(PathBuf, ChainDir)> {
    let mut chains = Vec::new();
    for dir in dirs.iter().map(AsRef::as_ref) {
        match layout::chains(dir) {
            Ok(all) => chains.extend(all.into_iter().map(|it| (dir.to_owned(), it))),
            Err(error) => found.push(Err(ReadError::Io(Failure::new("read", dir, error)))),
        }
    }
    chains
}

impl ChainPosition {
    fn read_on(&mut self, chain: &ChainDir, found: &mut Vec<Found>) -> io::Result<()> {
        if self.is_foreign {
            return Ok(());
        }
        let numbers = layout::segment_numbers(&chain.path)?;
        // Only a rotation makes it worth looking at the starts of all segments.
        if numbers.last().is_none_or(|it| *it == self.segment) {
            let path = chain.path.join(layout::segment_name(self.segment));
            let piece =
                Piece { number: self.segment, path, end: None, first: None, is_begun: true };
            return if numbers.is_empty() { Ok(()) } else { self.read(chain, &piece, found) };
        }
        for piece in layout::pieces(&chain.path)? {
            if piece.number < self.segment {
                continue;
            }
            if piece.number > self.segment {
                *self = Self { segment: piece.number, ..Self::default() };
            }
            self.read(chain, &piece, found)?;
        }
        Ok(())
    }

    fn read(&mut self, chain: &ChainDir, piece: &Piece, found: &mut Vec<Found>) -> io::Result<()> {
        let mut file = File::open(&piece.path)?;
        let end = piece.end.map_or(u64::MAX, |it| it.bytes).min(file.metadata()?.len);
        let from = self.sound.min(end);
        file.seek(SeekFrom::Start(from))?;
        let mut lines = Lines::new(file.take(end - from));
        let name = chain.name.as_str().into();
        while let Some(raw) = lines.next()? {
            if raw.end == LineEnd::EndOfFile {
                break;
            }
            let start = from + raw.offset;
            let entry = reader::entry(&name, raw.bytes);
            let end = from + lines.position();
            match entry {
                Ok(entry) => {
                    found.push(Ok(entry));
                    self.sound = end;
                }
                Err(_) if end <= self.told => (),
                Err(refusal) => {
                    self.is_foreign = matches!(refusal, BadEntry::Format(_));
                    let number = 1 + newlines(&piece.path, start)?;
                    found.push(Err(refusal.at(&piece.path, number)));
                    self.told = end;
                }
            }
        }
        Ok(())
    }
}

/// How many lines end before an offset.
fn newlines(path: &Path, before: u64) -> io::Result<u64> {
    let mut lines = Lines::new(File::open(path)?.take(before));
    let mut count = 0;
    while lines.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// The bytes of a file up to the end of its last whole line.
fn whole_lines(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len;
    let from = len.saturating_sub(MAX_LINE as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut end = Vec::new();
    file.take(MAX_LINE as u64).read_to_end(&mut end)?;
    Ok(memchr::memrchr(b'\n', &end).map_or(0, |at| from + at as u64 + 1))
}
