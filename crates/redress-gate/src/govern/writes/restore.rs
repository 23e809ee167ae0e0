//! Putting back what was there before a write: each file at once, and nothing that somebody else has changed since.

use std::{io, os::fd::OwnedFd};

use rustix::{
    fs::{
        AtFlags, Mode, OFlags, chmodat, fchmod, fsync, mkdirat, openat, renameat, symlinkat,
        unlinkat,
    },
    io::Errno,
};

use super::{
    kept::Kept,
    state::{State, Thing, Unseen, name, open_parent},
};
use crate::govern::uuid;

/// A path at which not everything is as it was, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) path: String,
    pub(super) why: String,
    /// Somebody else changed it, so that it is left alone for good.
    pub(super) is_changed_since: bool,
}

impl Left {
    fn at(path: &str, why: &str) -> Self {
        Self { path: path.to_owned(), why: why.to_owned(), is_changed_since: false }
    }

    /// What cannot be looked at.
    pub(super) fn unseen(why: &Unseen) -> Self {
        match why {
            Unseen::TooMany => Self::at(".", "there is too much"),
            Unseen::At(path, why) => Self::at(path, why),
        }
    }
}

impl Kept {
    /// Puts back what a write has changed. What is not as the write left it is left alone.
    pub(super) fn restore(&self, after: &State) -> Vec<Left> {
        let changed = self.before.differs(after);
        let now = match self.now() {
            Ok(now) => now,
            Err(why) => return vec![Left::unseen(&why)],
        };
        let (ours, others): (Vec<&str>, Vec<&str>) =
            changed.into_iter().partition(|it| now.0.get(*it) == after.0.get(*it));
        let since = |it: &str| Left {
            is_changed_since: true,
            ..Left::at(it, "somebody else has changed it since")
        };
        let mut left: Vec<Left> = others.into_iter().map(since).collect();
        // What is in a directory goes before it, and comes after it.
        let mut act = |path: &str, done: Result<(), Errno>| {
            if let Err(error) = done {
                left.push(Left::at(path, &error.to_string()));
            }
        };
        for path in ours.iter().rev() {
            let (was, is) = (self.before.0.get(*path), after.0.get(*path));
            if is.is_some_and(|it| was.is_none_or(|was| !it.is_like(was))) {
                act(path, self.remove(path, is));
            }
        }
        for path in &ours {
            if let Some(was) = self.before.0.get(*path) {
                act(path, self.put_back(path, was));
            }
        }
        for path in self.absent.iter().rev() {
            // One in which somebody has put something else stays.
            self.remove(path, Some(&Thing::Dir { mode: 0 })).unwrap_or_default();
        }
        left
    }

    fn remove(&self, path: &str, is: Option<&Thing>) -> Result<(), Errno> {
        let dir = open_parent(&self.root, path)?;
        let is_dir = matches!(is, Some(Thing::Dir { .. }));
        let how = if is_dir { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        unlinkat(&dir, name(path), how)?;
        fsync(&dir)
    }

    fn put_back(&self, path: &str, was: &Thing) -> Result<(), Errno> {
        let dir = open_parent(&self.root, path)?;
        let mode = |it: &u32| Mode::from_raw_mode(*it);
        match was {
            Thing::Dir { mode: bits } => {
                match mkdirat(&dir, name(path), Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => (),
                    Err(error) => return Err(error),
                }
                chmodat(&dir, name(path), mode(bits), AtFlags::empty())?;
            }
            Thing::File { mode: bits, .. } => {
                Self::with_temporary(&dir, path, |new| self.write(&dir, new, path, mode(bits)))?;
            }
            Thing::Link { to } => {
                Self::with_temporary(&dir, path, |new| symlinkat(to.as_str(), &dir, new))?;
            }
            Thing::Other { .. } => return Err(Errno::OPNOTSUPP),
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

    fn write(&self, dir: &OwnedFd, new: &str, path: &str, mode: Mode) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut file = std::fs::File::from(openat(dir, new, flags, Mode::RUSR | Mode::WUSR)?);
        let written = self.blob(path, |piece| io::Write::write_all(&mut file, piece));
        written.map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))?;
        fchmod(&file, mode)?;
        fsync(&file)
    }
}

impl Thing {
    /// Whether one can take the other's place at once.
    const fn is_like(&self, other: &Self) -> bool {
        matches!(self, Self::Dir { .. }) == matches!(other, Self::Dir { .. })
    }
}
