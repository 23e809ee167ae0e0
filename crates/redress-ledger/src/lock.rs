//! The lock of a chain: a file that its process holds as long as it lives, and removes when it closes the chain.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use rustix::{
    fs::{FlockOperation, OFlags, flock},
    io::Errno,
};

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
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

/// Whether a chain has a lock, whatever that is.
pub(crate) fn is_there(chain: &Path) -> bool {
    fs::symlink_metadata(chain.join(LOCK)).is_ok()
}

/// Takes the lock to go on with a chain.
pub(crate) fn take(chain: &Path) -> io::Result<Held> {
    hold(chain, FlockOperation::NonBlockingLockExclusive)
}

/// Looks who has the lock, and keeps nothing.
pub(crate) fn look(chain: &Path) -> io::Result<Held> {
    let held = hold(chain, FlockOperation::NonBlockingLockShared)?;
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
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self(file))),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
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
    flock(file, FlockOperation::Unlock).unwrap_or_default();
}

fn hold(chain: &Path, how: FlockOperation) -> io::Result<Held> {
    let file = match open(&chain.join(LOCK)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Removed),
        other => other?,
    };
    match flock(&file, how) {
        Ok(()) => Ok(Held::Here(file)),
        Err(Errno::WOULDBLOCK) => Ok(Held::ByOther),
        Err(error) => Err(error.into()),
    }
}

/// Opens the file, and nothing else of that name: a pipe would have us wait for ever.
fn open(path: &Path) -> io::Result<File> {
    let no_file = || io::Error::new(io::ErrorKind::InvalidData, "the lock is no file");
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(no_file());
    }
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

#[cfg(test)]
mod tests {
    use super::{Brief, File, Held, create, hold, look, take};
    use rustix::fs::FlockOperation;

    /// The file as a process has it open that is being started.
    fn inherited(file: &File) -> File {
        file.try_clone().unwrap()
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
        let shared = hold(dir.path(), FlockOperation::NonBlockingLockShared).unwrap();
        assert!(matches!(take(dir.path()).unwrap(), Held::ByOther), "{shared:?}");
    }
}
