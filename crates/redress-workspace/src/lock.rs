//! Locks on directories, and which directory a handle is of.

use std::{
    os::fd::OwnedFd,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{FlockOperation, flock, fstat},
    io::Errno,
};

use crate::error::WorkspaceError;

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// Locks a directory, but does not wait for ever.
pub(crate) fn lock(dir: &OwnedFd, until: Instant) -> Result<(), WorkspaceError> {
    loop {
        match flock(dir, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) if Instant::now() < until => thread::park_timeout(PAUSE),
            Err(Errno::INTR) => (),
            Err(error) => return Err(WorkspaceError::writing(".", error)),
        }
    }
}

/// Which directory a handle is of, whatever path led there.
pub(crate) fn identity(dir: &OwnedFd) -> Result<(u64, u64), WorkspaceError> {
    let stat = fstat(dir).map_err(|it| WorkspaceError::reading(".", it))?;
    Ok((stat.st_dev, stat.st_ino))
}
