//! `File`: an open file of the system or of a simulated disk.

use std::{
    cell::Cell,
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::Path,
    sync::Arc,
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::{Disk, Facts, Lock, OpenMode, simulated};

/// An open file or directory.
#[derive(Debug)]
pub(crate) enum File {
    System(fs::File),
    Simulated(SimulatedFile),
}

/// An open file of a simulated disk.
#[derive(Debug)]
pub(crate) struct SimulatedFile {
    disk: Arc<dyn Disk>,
    number: u64,
    /// Where it is read and written next.
    at: Cell<u64>,
    appends: bool,
}

impl Drop for SimulatedFile {
    fn drop(&mut self) {
        self.disk.close(self.number);
    }
}

/// How a file is to be opened.
#[derive(Debug, Clone)]
pub(crate) struct OpenOptions(OpenMode);

impl OpenOptions {
    pub(crate) fn new() -> Self {
        Self(OpenMode { mode: 0o666, ..OpenMode::default() })
    }

    pub(crate) const fn read(&mut self, yes: bool) -> &mut Self {
        self.0.read = yes;
        self
    }

    pub(crate) const fn write(&mut self, yes: bool) -> &mut Self {
        self.0.write = yes;
        self
    }

    pub(crate) const fn append(&mut self, yes: bool) -> &mut Self {
        self.0.append = yes;
        self
    }

    pub(crate) const fn create(&mut self, yes: bool) -> &mut Self {
        self.0.create = yes;
        self
    }

    pub(crate) const fn create_new(&mut self, yes: bool) -> &mut Self {
        self.0.create_new = yes;
        self
    }

    pub(crate) const fn truncate(&mut self, yes: bool) -> &mut Self {
        self.0.truncate = yes;
        self
    }

    pub(crate) const fn mode(&mut self, mode: u32) -> &mut Self {
        self.0.mode = mode;
        self
    }

    pub(crate) const fn custom_flags(&mut self, flags: i32) -> &mut Self {
        self.0.flags = flags;
        self
    }

    pub(crate) fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let how = self.0;
        if let Some(disk) = simulated() {
            let number = disk.open(path.as_ref(), how)?;
            let (at, appends) = (Cell::new(0), how.append);
            return Ok(File::Simulated(SimulatedFile { disk, number, at, appends }));
        }
        let mut options = fs::OpenOptions::new();
        options.read(how.read).write(how.write).append(how.append).truncate(how.truncate);
        options.create(how.create).create_new(how.create_new);
        options.mode(how.mode).custom_flags(how.flags);
        options.open(path).map(File::System)
    }
}

impl File {
    pub(crate) fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        OpenOptions::new().read(true).open(path)
    }

    pub(crate) fn metadata(&self) -> io::Result<Facts> {
        match self {
            Self::System(file) => file.metadata().map(|it| Facts::of(&it)),
            Self::Simulated(file) => file.disk.facts_of_open(file.number),
        }
    }

    pub(crate) fn set_len(&self, len: u64) -> io::Result<()> {
        match self {
            Self::System(file) => file.set_len(len),
            Self::Simulated(file) => file.disk.set_len(file.number, len),
        }
    }

    pub(crate) fn sync_all(&self) -> io::Result<()> {
        match self {
            Self::System(file) => file.sync_all(),
            Self::Simulated(file) => file.disk.sync(file.number),
        }
    }

    pub(crate) fn sync_data(&self) -> io::Result<()> {
        match self {
            Self::System(file) => file.sync_data(),
            Self::Simulated(file) => file.disk.sync(file.number),
        }
    }

    pub(crate) fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Self::System(file) => file.read_at(into, at),
            Self::Simulated(file) => file.disk.read_at(file.number, at, into),
        }
    }

    /// Takes space behind the end of the file, whose length stays.
    #[cfg(target_os = "linux")]
    pub(crate) fn set_aside(&self, at: u64, bytes: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        match self {
            Self::System(file) => Ok(fallocate(file, FallocateFlags::KEEP_SIZE, at, bytes)?),
            Self::Simulated(file) => file.disk.set_aside(file.number, at, bytes),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn set_aside(&self, at: u64, bytes: u64) -> io::Result<()> {
        match self {
            Self::System(_) => Err(io::ErrorKind::Unsupported.into()),
            Self::Simulated(file) => file.disk.set_aside(file.number, at, bytes),
        }
    }

    /// Takes the lock of the file or gives it back, and does not wait; `false` if another one has it.
    pub(crate) fn lock(&self, how: Lock) -> io::Result<bool> {
        let file = match self {
            Self::System(file) => file,
            Self::Simulated(file) => return file.disk.lock(file.number, how),
        };
        let how = match how {
            Lock::Exclusive => FlockOperation::NonBlockingLockExclusive,
            Lock::Shared => FlockOperation::NonBlockingLockShared,
            Lock::Release => FlockOperation::Unlock,
        };
        match flock(file, how) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::System(file) => file.read(into),
            Self::Simulated(file) => {
                let read = file.disk.read_at(file.number, file.at.get(), into)?;
                file.at.set(file.at.get() + read as u64);
                Ok(read)
            }
        }
    }

    fn read_to_end(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::System(file) => file.read_to_end(into),
            Self::Simulated(file) => {
                let len = file.disk.facts_of_open(file.number)?.len;
                let left = usize::try_from(len.saturating_sub(file.at.get())).unwrap_or_default();
                let start = into.len();
                into.resize(start + left, 0);
                let read = self.read(into.get_mut(start..).unwrap_or_default())?;
                into.truncate(start + read);
                Ok(read)
            }
        }
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::System(file) => file.write(bytes),
            Self::Simulated(file) => {
                let at = (!file.appends).then(|| file.at.get());
                let written = file.disk.write_at(file.number, at, bytes)?;
                file.at.set(file.at.get() + written as u64);
                Ok(written)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::System(file) => file.seek(to),
            Self::Simulated(file) => {
                let at = match to {
                    SeekFrom::Start(at) => Some(at),
                    SeekFrom::Current(by) => file.at.get().checked_add_signed(by),
                    SeekFrom::End(by) => {
                        file.disk.facts_of_open(file.number)?.len.checked_add_signed(by)
                    }
                };
                let at = at.ok_or(io::ErrorKind::InvalidInput)?;
                file.at.set(at);
                Ok(at)
            }
        }
    }
}

#[cfg(test)]
impl File {
    /// The same open file once more, as a process has it that is being started.
    pub(crate) fn inherited(&self) -> Self {
        match self {
            Self::System(file) => Self::System(file.try_clone().unwrap()),
            Self::Simulated(_) => panic!("a simulated process inherits nothing"),
        }
    }
}
