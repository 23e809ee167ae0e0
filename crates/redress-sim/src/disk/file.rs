//! `FileData`: the bytes of a file, which of them are durable, and what a power cut leaves of the others.

use crate::chance::Chance;

/// What a disk writes at once, or not at all.
const SECTOR: usize = 512;

/// A change of a file that is not durable.
#[derive(Debug, Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

/// The bytes of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct FileData {
    bytes: Vec<u8>,
    durable: Vec<u8>,
    /// What a sync makes durable.
    pending: Vec<Change>,
    /// What no sync makes durable any more, since one failed: it may be on the disk or not.
    given_up: Vec<Change>,
    reserved: u64,
}

impl Change {
    /// Whether nothing of an older change can be seen after this one.
    const fn replaces(&self, old: &Self) -> bool {
        match (self, old) {
            (_, Self::Length(_)) => true,
            (Self::Length(length), Self::Write(at, _)) => *at >= *length,
            (Self::Write(from, more), Self::Write(at, bytes)) => {
                *from < *at + bytes.len() && *at < *from + more.len()
            }
        }
    }
}

fn place(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

fn put(bytes: &mut Vec<u8>, at: usize, more: &[u8]) {
    let end = at + more.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    if let Some(there) = bytes.get_mut(at..end) {
        there.copy_from_slice(more);
    }
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write(at, more) => put(bytes, *at, more),
        Change::Length(length) => bytes.resize(*length, 0),
    }
}

impl FileData {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether some text is in what is durable, which is looked for from the end on.
    pub(super) fn has_durable(&self, text: &[u8]) -> bool {
        memchr::memmem::rfind(&self.durable, text).is_some()
    }

    /// What it takes of the disk.
    pub(super) fn taken(&self) -> u64 {
        self.reserved.max(self.bytes.len() as u64)
    }

    /// How much more it takes after a write.
    pub(super) fn growth(&self, at: u64, bytes: u64) -> u64 {
        (at + bytes).saturating_sub(self.taken())
    }

    pub(super) fn set_aside(&mut self, to: u64) {
        self.reserved = self.reserved.max(to);
    }

    pub(super) fn read_at(&self, at: u64, into: &mut [u8]) -> usize {
        let there = self.bytes.get(place(at)..).unwrap_or_default();
        into.iter_mut().zip(there).for_each(|(byte, it)| *byte = *it);
        there.len().min(into.len())
    }

    pub(super) fn write_at(&mut self, at: u64, bytes: &[u8]) {
        let change = Change::Write(place(at), bytes.to_vec());
        apply(&mut self.bytes, &change);
        self.pending.push(change);
    }

    pub(super) fn set_len(&mut self, len: u64) {
        let change = Change::Length(place(len));
        apply(&mut self.bytes, &change);
        self.reserved = len;
        self.pending.push(change);
    }

    pub(super) fn sync(&mut self) {
        let Self { durable, pending, given_up, .. } = self;
        // What is written in the place of what was given up replaces it for good.
        given_up.retain(|old| !pending.iter().any(|new| new.replaces(old)));
        pending.drain(..).for_each(|it| apply(durable, &it));
    }

    /// A sync failed: no later one makes durable what it was for.
    pub(super) fn give_up(&mut self) {
        self.given_up.append(&mut self.pending);
    }

    /// Takes the last line away, also from what is durable.
    pub(super) fn lose_last_line(&mut self) {
        let whole = self.durable.strip_suffix(b"\n").unwrap_or(&self.durable);
        let end = whole.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        self.durable.truncate(end);
        self.bytes.truncate(end);
    }

    /// What a power cut leaves: nothing of what is not durable, all of it, a part up to some byte, or some sectors.
    pub(super) fn survive(&mut self, style: u64, chance: &mut Chance) {
        let mut left = std::mem::take(&mut self.durable);
        let changes: Vec<_> = self.given_up.drain(..).chain(self.pending.drain(..)).collect();
        let last = chance.index(changes.len());
        for (number, change) in changes.iter().enumerate() {
            match (style, change) {
                (1, change) => apply(&mut left, change),
                (2, change) if number < last => apply(&mut left, change),
                (2, Change::Write(at, bytes)) if number == last => {
                    let part = bytes.get(..chance.index(bytes.len() + 1)).unwrap_or_default();
                    put(&mut left, *at, part);
                }
                (0 | 2, _) => (),
                (_, Change::Length(length)) => {
                    if chance.once_in(2) {
                        left.resize(*length, 0);
                    }
                }
                (_, Change::Write(at, bytes)) => survive_in_sectors(&mut left, *at, bytes, chance),
            }
        }
        *self = Self { bytes: left.clone(), durable: left, ..Self::default() };
    }
}

/// Some sectors of a write are there, one of them may be there in part, and the length may be there without them.
fn survive_in_sectors(left: &mut Vec<u8>, at: usize, bytes: &[u8], chance: &mut Chance) {
    if chance.once_in(3) && left.len() < at + bytes.len() {
        let length = at + chance.index(bytes.len() + 1);
        left.resize(left.len().max(length), 0);
    }
    // Of several lines at once a start is kept: see the decision record.
    if memchr::memchr_iter(b'\n', bytes).count() > 1 {
        return put(left, at, bytes.get(..chance.index(bytes.len() + 1)).unwrap_or_default());
    }
    let mut from = 0;
    while from < bytes.len() {
        let to = ((at + from) / SECTOR * SECTOR + SECTOR - at).min(bytes.len());
        let sector = bytes.get(from..to).unwrap_or_default();
        match chance.below(5) {
            0 | 1 => (),
            2 => put(left, at + from, sector.get(..chance.index(sector.len())).unwrap_or_default()),
            _ => put(left, at + from, sector),
        }
        from = to;
    }
}
