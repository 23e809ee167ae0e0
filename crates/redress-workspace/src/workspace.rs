//! `Workspace`: the directory that the tools work on.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use redress::Fault;
use rustix::fs::{FileType, FlockOperation, flock};

use crate::{
    journal,
    path::Relative,
    root::Root,
    temporary,
    walk::{Bounds, Then, walk},
};

/// How far the walk at the start goes, for what dead processes left.
const SWEEP_ENTRIES: usize = 200_000;
const SWEEP_TIME: Duration = Duration::from_secs(5);

/// What the tools work on.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) root: Root,
    /// Where the failures of this server are recorded, if they are.
    pub(crate) ledger: Option<PathBuf>,
}

impl Workspace {
    /// The workspace in a directory, which must be there.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: Root::open(root)?, ledger: None })
    }

    /// The directory in which its failures are recorded, for `read_ledger`.
    #[must_use]
    pub fn ledger(mut self, dir: Option<PathBuf>) -> Self {
        self.ledger = dir;
        self
    }

    /// The root, as it is without links.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Opens a file for reading, as `read_file` does.
    pub fn open_file(&self, path: &str) -> Result<File, Box<Fault>> {
        let opened = self.root.below(path).and_then(|it| self.root.file(&it));
        opened.map(|it| it.0).map_err(|it| Box::new(Fault::from(it)))
    }

    /// Finishes or clears away what processes left that were ended while they wrote.
    pub fn clear_up(&self) {
        // The next writer tries again, and gets the error.
        drop(journal::finish(&self.root));
        let mut bounds = Bounds {
            until: Instant::now() + SWEEP_TIME,
            entries: SWEEP_ENTRIES,
            respects_gitignore: false,
        };
        let Ok(dir) = self.root.own_dir() else { return };
        self.clear_directory(&Relative::root());
        walk(dir, &Relative::root(), &mut bounds, &mut |met| {
            if met.kind == FileType::Directory {
                self.clear_directory(met.path);
            }
            Then::GoOn
        });
    }

    fn clear_directory(&self, path: &Relative) {
        let Ok(dir) = self.root.directory(path) else { return };
        // A writer that holds the lock has cleared it already.
        if flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok()
            && !journal::is_there(&self.root)
        {
            temporary::sweep(&dir);
        }
    }
}
