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

use crate::layout::LOCK;

/// Who has the lock of a chain.
#[derive(Debug)]
pub(crate) enum Held {
    /// It was removed: the chain is closed.
    Removed,
    /// A process that lives.
    ByOther,
    /// Nobody else any more.
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

/// Looks who has the lock.
pub(crate) fn look(chain: &Path) -> io::Result<Held> {
    hold(chain, FlockOperation::NonBlockingLockShared)
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
