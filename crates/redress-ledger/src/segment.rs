//! One file of records: created, appended to, synced, and given space ahead of need.

use std::{
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

use crate::{
    disk::{self, File, OpenOptions},
    error::{Failure, is_full},
    layout::segment_name,
};

/// A segment that is being written.
#[derive(Debug)]
pub(crate) struct Segment {
    pub number: u32,
    pub path: PathBuf,
    /// The bytes that are durable. Nothing behind them counts.
    pub len: u64,
    file: File,
    /// Up to where the file system has set blocks aside; `None` if it cannot.
    reserved: Option<u64>,
}

/// Whether there is space for what may still come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    Plenty,
    /// What was reserved before is all that is left.
    Low,
}

impl Segment {
    /// Makes the file, with its space, and syncs it and its directory.
    pub(crate) fn create(chain: &Path, number: u32, reserve: u64) -> Result<Self, Failure> {
        let path = chain.join(segment_name(number));
        let failed = |error| Failure::new("create", &path, error);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true).mode(0o600);
        let file = options.open(&path).map_err(failed)?;
        let mut segment = Self { number, len: 0, file, reserved: Some(0), path: path.clone() };
        let ready = match segment.reserve(0, reserve) {
            Room::Low => Err(io::ErrorKind::StorageFull.into()),
            Room::Plenty => segment.file.sync_all().and_then(|()| File::open(chain)?.sync_all()),
        };
        if let Err(error) = ready {
            segment.remove();
            return Err(failed(error));
        }
        Ok(segment)
    }

    /// Opens a file whose first `len` bytes count, and cuts what is behind them.
    pub(crate) fn reopen(path: &Path, number: u32, len: u64) -> Result<Self, Failure> {
        let failed = |error| Failure::new("open", path, error);
        let file = OpenOptions::new().read(true).append(true).open(path).map_err(failed)?;
        // A process that was killed may not have synced what it wrote, and a next segment may follow now. And what takes the place of what is cut
        // must not be mixed with it by a power failure.
        file.set_len(len).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(Self { number, path: path.to_owned(), len, file, reserved: None })
    }

    /// Keeps `ahead` bytes set aside behind the next `more`.
    pub(crate) fn reserve(&mut self, more: u64, ahead: u64) -> Room {
        let Some(reserved) = self.reserved else { return Room::Plenty };
        if reserved >= self.len + more + ahead {
            return Room::Plenty;
        }
        let least = self.len + more + ahead;
        // More than is needed, so that it is not asked for each time; on a disk that is nearly full, what is needed.
        for target in [least + ahead, least] {
            match self.file.set_aside(reserved, target - reserved) {
                Ok(()) => self.reserved = Some(target),
                Err(error) if is_full(&error) => continue,
                // The file system does not know the call: then a full disk shows when writing.
                Err(_) => self.reserved = None,
            }
            return Room::Plenty;
        }
        Room::Low
    }

    /// Appends and syncs. After a failure the file must not be used again: what it holds behind `len` is anybody's guess.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let failed = |doing| move |error| (doing, error);
        let all = self.file.write_all(bytes).map_err(failed("write")).and_then(|()| {
            self.check(bytes.len() as u64).map_err(failed("write"))?;
            self.file.sync_data().map_err(failed("sync"))
        });
        all.map_err(|(doing, error)| Failure::new(doing, &self.path, error))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// A write that claims more than it did leaves the file too short; one to a removed file leaves nothing.
    fn check(&self, more: u64) -> io::Result<()> {
        let file = self.file.metadata()?;
        if file.links == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the segment is gone"));
        }
        let found = file.len;
        let expected = self.len + more;
        if found == expected {
            return Ok(());
        }
        Err(io::Error::other(format!("the file has {found} bytes instead of {expected}")))
    }

    /// Gives back what was set aside, and takes away what does not count. It does no harm if this fails.
    pub(crate) fn trim(&self) {
        drop(self.file.set_len(self.len));
    }

    /// Takes the file away after it could not be used. It is void anyway, so it does no harm if this fails.
    pub(crate) fn remove(&self) {
        drop(disk::remove_file(&self.path));
    }

    /// The durable bytes from an offset on.
    pub(crate) fn read_from(&self, offset: u64) -> impl Read + use<'_> {
        Span { file: &self.file, at: offset, end: self.len }
    }
}

/// A part of a file, read without moving its position.
struct Span<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for Span<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        let part = buffer.get_mut(..most).unwrap_or_default();
        let read = self.file.read_at(part, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
