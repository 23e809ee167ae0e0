//! Putting back what was there before a write: each file at once, and nothing that another program has changed since.

use std::{io, os::fd::OwnedFd};

use rustix::{
    fs::{
        AtFlags, Mode, OFlags, chmodat, fchmod, fsync, mkdirat, openat, renameat, symlinkat,
        unlinkat,
    },
    io::Errno,
};

use super::{
    backup::Backup,
    snapshot::{FileEntry, Snapshot, SnapshotError, name, open_parent},
};
use crate::hash::uuid;

/// A path at which not everything is as it was, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotRestored {
    pub(super) path: String,
    pub(super) why: String,
    /// Another program changed it, so that it is left alone for good.
    pub(super) is_changed_since: bool,
}

impl NotRestored {
    fn at(path: &str, why: &str) -> Self {
        Self { path: path.to_owned(), why: why.to_owned(), is_changed_since: false }
    }

    /// What cannot be looked at.
    pub(super) fn unseen(why: &SnapshotError) -> Self {
        match why {
            SnapshotError::TooMany => Self::at(".", "there is too much"),
            SnapshotError::At(path, why) => Self::at(path, why),
        }
    }
}

/// Puts back what a write has changed. What is not as the write left it is left alone.
pub(super) fn restore(backup: &Backup, after: &Snapshot) -> Vec<NotRestored> {
    let changed = backup.before.differs(after);
    let now = match backup.now() {
        Ok(now) => now,
        Err(why) => return vec![NotRestored::unseen(&why)],
    };
    let (ours, others): (Vec<&str>, Vec<&str>) =
        changed.into_iter().partition(|it| now.0.get(*it) == after.0.get(*it));
    let since = |it: &str| NotRestored {
        is_changed_since: true,
        ..NotRestored::at(it, "somebody else has changed it since")
    };
    let mut left: Vec<NotRestored> = others.into_iter().map(since).collect();
    // What is in a directory goes before it, and comes after it.
    let mut act = |path: &str, done: Result<(), Errno>| {
        if let Err(error) = done {
            left.push(NotRestored::at(path, &error.to_string()));
        }
    };
    for path in ours.iter().rev() {
        let (was, is) = (backup.before.0.get(*path), after.0.get(*path));
        if is.is_some_and(|it| was.is_none_or(|was| !it.is_like(was))) {
            act(path, remove(backup, path, is));
        }
    }
    for path in &ours {
        if let Some(was) = backup.before.0.get(*path) {
            act(path, put_back(backup, path, was));
        }
    }
    for path in backup.absent.iter().rev() {
        // One with another program's files in it stays.
        remove(backup, path, Some(&FileEntry::Dir { mode: 0 })).unwrap_or_default();
    }
    left
}

fn remove(backup: &Backup, path: &str, is: Option<&FileEntry>) -> Result<(), Errno> {
    let dir = open_parent(&backup.root, path)?;
    let is_dir = matches!(is, Some(FileEntry::Dir { .. }));
    let how = if is_dir { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    unlinkat(&dir, name(path), how)?;
    fsync(&dir)
}

fn put_back(backup: &Backup, path: &str, was: &FileEntry) -> Result<(), Errno> {
    let dir = open_parent(&backup.root, path)?;
    let mode = |it: &u32| Mode::from_raw_mode(*it);
    match was {
        FileEntry::Dir { mode: bits } => {
            match mkdirat(&dir, name(path), Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => (),
                Err(error) => return Err(error),
            }
            chmodat(&dir, name(path), mode(bits), AtFlags::empty())?;
        }
        FileEntry::File { mode: bits, .. } => {
            with_temporary(&dir, path, |new| write(backup, &dir, new, path, mode(bits)))?;
        }
        FileEntry::Link { to } => {
            with_temporary(&dir, path, |new| symlinkat(to.as_str(), &dir, new))?;
        }
        FileEntry::Other { .. } => return Err(Errno::OPNOTSUPP),
    }
    fsync(&dir)
}

/// Makes something under another name, then gives it its own.
fn with_temporary(
    dir: &OwnedFd,
    path: &str,
    make: impl FnOnce(&str) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let new = format!(".redress-undo-{}.tmp", uuid());
    let done = make(&new).and_then(|()| renameat(dir, &new, dir, name(path)));
    if done.is_err() {
        unlinkat(dir, &new, AtFlags::empty()).unwrap_or_default();
    }
    done
}

fn write(backup: &Backup, dir: &OwnedFd, new: &str, path: &str, mode: Mode) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut file = std::fs::File::from(openat(dir, new, flags, Mode::RUSR | Mode::WUSR)?);
    let written = backup.blob(path, |piece| io::Write::write_all(&mut file, piece));
    written.map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))?;
    fchmod(&file, mode)?;
    fsync(&file)
}
