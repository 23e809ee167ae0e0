//! `Hold`: directories that no other writer of ours changes meanwhile, in this process or another.

use std::{
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::fs::{FlockOperation, flock};

use crate::{
    error::WorkspaceError,
    journal,
    lock::{identity, lock},
    path::Relative,
    root::{OpenPath, Root},
    temporary,
};

/// How long another one may hold a directory.
const PATIENCE: Duration = Duration::from_secs(10);

/// The directories of some places, held until this is dropped.
#[derive(Debug)]
pub(crate) struct Hold<'p> {
    dirs: Vec<&'p OwnedFd>,
    /// The root, which is locked for changes of several files: there is one at a time.
    root: Option<OwnedFd>,
}

impl<'p> Hold<'p> {
    /// Waits for the directories. What dead processes left there is finished or cleared away first.
    pub(crate) fn on(root: &Root, places: &'p [OpenPath]) -> Result<Self, WorkspaceError> {
        journal::finish(root)?;
        let until = Instant::now() + PATIENCE;
        let mut held = Self { dirs: Vec::new(), root: None };
        let mut own = None;
        if places.len() > 1 {
            let dir = root.directory(&Relative::root())?;
            own = Some(identity(&dir)?);
            lock(&dir, until)?;
            held.root = Some(dir);
        }
        let mut dirs = Vec::new();
        for place in places {
            dirs.push((identity(&place.dir)?, &place.dir));
        }
        // All processes take them in the same order, and each once, so that there is no deadlock.
        dirs.sort_by_key(|it| it.0);
        dirs.dedup_by_key(|it| it.0);
        for (_, dir) in dirs.iter().filter(|it| Some(it.0) != own) {
            lock(dir, until)?;
            held.dirs.push(dir);
        }
        // What an unfinished patch has staged is not ours to clear away.
        if !journal::is_there(root) {
            for (_, dir) in dirs {
                temporary::sweep(dir);
            }
        }
        Ok(held)
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        for dir in self.dirs.iter().copied().chain(&self.root) {
            flock(dir, FlockOperation::Unlock).unwrap_or_default();
        }
    }
}
