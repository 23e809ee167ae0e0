//! `Watch`: notices that the files of a configuration changed, and reads them when they are whole and at rest.
//!
//! Files are looked at, not followed by events: that works on every file system, and for editors that write in place as for those that
//! rename a new file into its place. They are read when two looks some time apart found the same bytes and no process has one of them
//! open for writing.

mod writer;

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use sha2::{Digest as _, Sha256};

use self::writer::writer_of;
use super::Config;
use crate::files;

/// How often files are looked at.
pub(crate) const EACH: Duration = Duration::from_secs(1);

/// How long files must rest that have changed.
pub(crate) const REST: Duration = Duration::from_millis(100);

/// A file that was changed so many seconds before the start is at rest.
const AT_REST_SECONDS: i64 = 2;

/// A file that was last changed so many seconds before the start is whole: no process that writes it is looked for.
const WHOLE_SECONDS: i64 = 60;

/// The files of a configuration, as they were when it was read.
#[derive(Debug)]
pub struct Watch<L> {
    file: PathBuf,
    /// What it refers to: contracts, tokens.
    others: Vec<PathBuf>,
    read: Vec<Option<Content>>,
    /// As they were at the last look, if they had changed, and since when they are.
    moving: Option<(Instant, Vec<Option<Content>>)>,
    /// They are to be read whether they have changed or not.
    is_asked: bool,
    /// That a process has one of them open was reported.
    is_told: bool,
    /// The time of the start in seconds, until they were read once.
    start: Option<i64>,
    rest: Duration,
    load: L,
}

/// What a look at the files found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look<T> {
    /// They are as they were read.
    Same,
    /// They have changed, and may still be changing.
    Moving,
    /// The same: that process has a file open for writing. Reported once.
    Written(PathBuf, u32),
    /// They changed, are whole, and say this.
    Read(T),
}

/// A file at one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Content {
    stamp: Stamp,
    sha256: [u8; 32],
}

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl<E, L: FnMut() -> Result<Config, E>> Watch<L> {
    /// Watches the file of a configuration, which is read at the first look at which it is at rest; `load` reads it. `now` is the time
    /// in seconds: what has not changed for a while need not be waited for.
    pub fn new(file: &Path, now: i64, load: L) -> Self {
        Self {
            file: file.to_owned(),
            others: Vec::new(),
            read: Vec::new(),
            moving: None,
            is_asked: true,
            is_told: false,
            start: Some(now),
            rest: REST,
            load,
        }
    }

    /// Has them read at rest, whether they have changed or not.
    pub fn ask(&mut self) {
        self.is_asked = true;
    }

    /// Whether another look should follow soon. A process that writes may take long.
    pub fn is_moving(&self) -> bool {
        (self.is_asked || self.moving.is_some()) && !self.is_told
    }

    /// The hash of the configuration file itself, as it was read.
    pub fn sha256(&self) -> Option<[u8; 32]> {
        self.read.first()?.map(|it| it.sha256)
    }

    /// Looks once. Reads the files if they have changed, or that was asked for, and they are whole and at rest.
    pub fn look(&mut self) -> Look<Result<Config, E>> {
        if !self.is_asked && self.has_stamps_as_read() {
            (self.moving, self.is_told) = (None, false);
            return Look::Same;
        }
        let now = self.contents();
        if !self.is_at_rest(&now) {
            return Look::Moving;
        }
        if !self.is_old(&now, WHOLE_SECONDS)
            && let Some((file, process)) = self.writer()
        {
            let is_told = std::mem::replace(&mut self.is_told, true);
            return if is_told { Look::Moving } else { Look::Written(file, process) };
        }
        let loaded = (self.load)();
        if let Ok(config) = &loaded
            && config.files != self.others
        {
            // What it refers to must be at rest, too.
            self.others.clone_from(&config.files);
            let now = self.contents();
            if !self.is_at_rest(&now) {
                return Look::Moving;
            }
            return self.look();
        }
        if self.contents() != now {
            self.moving = None;
            return Look::Moving;
        }
        self.read = now;
        (self.moving, self.start) = (None, None);
        (self.is_asked, self.is_told) = (false, false);
        Look::Read(loaded)
    }

    /// Whether the files are as they were some time ago. If not, that time begins now.
    fn is_at_rest(&mut self, now: &[Option<Content>]) -> bool {
        if self.is_old(now, AT_REST_SECONDS) {
            return true;
        }
        match &self.moving {
            Some((since, before)) if before == now => since.elapsed() >= self.rest,
            _ => {
                self.moving = Some((Instant::now(), now.to_vec()));
                false
            }
        }
    }

    /// Whether none of the files was changed in so many seconds before the start, and none was read since.
    fn is_old(&self, now: &[Option<Content>], seconds: i64) -> bool {
        let is_old = |it: &Content| {
            self.start.is_some_and(|start| it.stamp.modified.0.saturating_add(seconds) <= start)
        };
        now.iter().all(|it| it.as_ref().is_some_and(is_old))
    }

    /// A file that a process has open for writing, and that process.
    fn writer(&self) -> Option<(PathBuf, u32)> {
        self.files().find_map(|it| Some((it.clone(), writer_of(it)?)))
    }

    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.file).chain(&self.others)
    }

    fn contents(&self) -> Vec<Option<Content>> {
        self.files().map(|it| Content::of(it)).collect()
    }

    fn has_stamps_as_read(&self) -> bool {
        let read = self.read.iter().map(|it| it.map(|it| it.stamp));
        self.files().map(|it| Stamp::of(it)).eq(read)
    }
}

impl Content {
    /// What a file is now; `None` if it cannot be read.
    fn of(path: &Path) -> Option<Self> {
        let stamp = Stamp::of(path)?;
        let bytes = files::read(path).ok()?;
        Some(Self { stamp, sha256: Sha256::digest(bytes).into() })
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let it = fs::metadata(path).ok()?;
        Some(Self {
            device: it.dev(),
            inode: it.ino(),
            bytes: it.len(),
            modified: (it.mtime(), it.mtime_nsec()),
            changed: (it.ctime(), it.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests;
