//! The lock of a chain: a file that its process holds as long as it lives, and removes when it closes the chain.

use std::{io, path::Path};

use rustix::fs::OFlags;

use crate::disk::{self, File, Lock, OpenOptions};

/// The file that is locked while a chain is written.
pub(crate) const LOCK: &str = "lock";

/// Who has the lock of a chain.
#[derive(Debug)]
pub(crate) enum Held {
    /// It was removed: the chain is closed.
    Removed,
    /// A process that lives.
    ByOther,
    /// No other process any more.
    Here(File),
}

/// Makes the lock of a new chain and takes it.
pub(crate) fn create(chain: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(chain.join(LOCK))?;
    let is_taken = file.lock(Lock::Exclusive)?;
    if is_taken { Ok(file) } else { Err(io::ErrorKind::WouldBlock.into()) }
}

/// Whether a chain has a lock, whatever that is.
pub(crate) fn is_there(chain: &Path) -> bool {
    disk::symlink_metadata(chain.join(LOCK)).is_ok()
}

/// Takes the lock to go on with a chain.
pub(crate) fn take(chain: &Path) -> io::Result<Held> {
    hold(chain, Lock::Exclusive)
}

/// Looks who has the lock, and keeps nothing.
pub(crate) fn look(chain: &Path) -> io::Result<Held> {
    let held = hold(chain, Lock::Shared)?;
    if let Held::Here(file) = &held {
        release(file);
    }
    Ok(held)
}

/// A lock that ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Brief(File);

impl Brief {
    /// Takes the lock of a file or directory; `None` if another has it.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = File::open(path)?;
        Ok(file.lock(Lock::Exclusive)?.then_some(Self(file)))
    }
}

impl Drop for Brief {
    fn drop(&mut self) {
        release(&self.0);
    }
}

/// Gives a lock back. To close the file is not enough: a process that is being started has it open, too, until it runs its
/// program, and would keep the lock.
fn release(file: &File) {
    file.lock(Lock::Release).unwrap_or_default();
}

fn hold(chain: &Path, how: Lock) -> io::Result<Held> {
    let file = match open(&chain.join(LOCK)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Removed),
        other => other?,
    };
    Ok(if file.lock(how)? { Held::Here(file) } else { Held::ByOther })
}

/// Opens the file, and nothing else of that name: a pipe would have us wait for ever.
fn open(path: &Path) -> io::Result<File> {
    let no_file = || io::Error::new(io::ErrorKind::InvalidData, "the lock is no file");
    if !disk::symlink_metadata(path)?.is_file() {
        return Err(no_file());
    }
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

#[cfg(test)]
mod tests {
    use super::{Brief, File, Held, Lock, create, hold, look, take};

    /// The file as a process has it open that is being started.
    fn inherited(file: &File) -> File {
        file.inherited()
    }

    #[test]
    fn a_process_being_started_keeps_no_brief_lock() {
        let dir = tempfile::tempdir().unwrap();
        let lock = Brief::take(dir.path()).unwrap().unwrap();
        let _child = inherited(&lock.0);
        assert!(Brief::take(dir.path()).unwrap().is_none());
        drop(lock);
        assert!(Brief::take(dir.path()).unwrap().is_some());
    }

    #[test]
    fn a_look_at_a_lock_keeps_nothing() {
        let dir = tempfile::tempdir().unwrap();
        drop(create(dir.path()).unwrap());
        let Held::Here(file) = look(dir.path()).unwrap() else { panic!("it is free") };
        let _child = inherited(&file);
        assert!(matches!(take(dir.path()).unwrap(), Held::Here(_)));
        let shared = hold(dir.path(), Lock::Shared).unwrap();
        assert!(matches!(take(dir.path()).unwrap(), Held::ByOther), "{shared:?}");
    }
}
