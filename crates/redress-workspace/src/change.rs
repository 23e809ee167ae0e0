//! `change`: files get their new bytes all together, or all stay as they are.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{AtFlags, fsync, linkat, renameat, unlinkat},
    io::Errno,
};

use crate::{
    error::WorkspaceError,
    journal::{self, JournalStep},
    reserved_names::new_name,
    root::{OpenPath, Root},
    temporary::Staged,
};

/// What one file becomes.
#[derive(Debug)]
pub(crate) struct Change<'p> {
    pub(crate) place: &'p OpenPath,
    /// Its new bytes; without, it is removed.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The mode of the file that is there now, if there is one.
    pub(crate) old_mode: Option<u32>,
}

/// Makes the changes: all of them, or none. Their directories must be held.
pub(crate) fn change(root: &Root, changes: &[Change<'_>]) -> Result<(), WorkspaceError> {
    let mut ready = Vec::new();
    for it in changes {
        let staged = it.bytes.as_ref().map(|bytes| Staged::new(it.place, bytes, it.old_mode));
        let staged = staged.transpose().map_err(|error| unwritten(it.place, error))?;
        ready.push(Ready { place: it.place, staged, has_old: it.old_mode.is_some() });
    }
    if ready.len() > 1 {
        let steps: Vec<JournalStep> =
            ready.iter().map(|it| JournalStep::new(&it.place.path, it.staged.as_ref())).collect();
        journal::begin(root, &steps).map_err(|it| WorkspaceError::writing(".", it))?;
        let made = all(ready);
        let ended = journal::end(root).map_err(|it| WorkspaceError::writing(".", it));
        return made.and(ended);
    }
    ready.into_iter().try_for_each(|it| {
        let place = it.place;
        it.go().map_err(|error| unwritten(place, error))?;
        fsync(&place.dir).map_err(|error| uncertain(place, error))
    })
}

/// A change whose bytes are on disk.
struct Ready<'p> {
    place: &'p OpenPath,
    staged: Option<Staged<'p>>,
    has_old: bool,
}

impl Ready<'_> {
    fn go(self) -> Result<(), Errno> {
        match self.staged {
            Some(staged) => staged.take_place(self.has_old),
            None => unlinkat(&self.place.dir, &*self.place.name, AtFlags::empty()),
        }
    }
}

/// Makes several changes; one that cannot be made undoes those before it.
fn all(ready: Vec<Ready<'_>>) -> Result<(), WorkspaceError> {
    let mut made: Vec<UndoableChange<'_>> = Vec::new();
    for it in ready {
        let place = it.place;
        let gone = UndoableChange::keep(place, it.has_old).and_then(|kept| match it.go() {
            Ok(()) => Ok(kept),
            Err(error) => {
                kept.forget();
                Err(error)
            }
        });
        match gone {
            Ok(kept) => made.push(kept),
            Err(error) => {
                let undone: Vec<_> = made.into_iter().rev().map(UndoableChange::undo).collect();
                return match undone.into_iter().find_map(Result::err) {
                    None => Err(unwritten(place, error)),
                    Some(worse) => Err(uncertain(place, worse)),
                };
            }
        }
    }
    for it in made {
        fsync(&it.place.dir).map_err(|error| uncertain(it.place, error))?;
        it.forget();
    }
    Ok(())
}

/// A change that can be undone: what was there before has a second name.
struct UndoableChange<'p> {
    place: &'p OpenPath,
    old: Option<String>,
}

impl<'p> UndoableChange<'p> {
    fn keep(place: &'p OpenPath, has_old: bool) -> Result<Self, Errno> {
        if !has_old {
            return Ok(Self { place, old: None });
        }
        let name = new_name()?;
        linkat(&place.dir, &*place.name, &place.dir, &*name, AtFlags::empty())?;
        Ok(Self { place, old: Some(name) })
    }

    fn undo(self) -> Result<(), Errno> {
        let Self { place, old } = self;
        match old {
            Some(old) => put_back(&place.dir, &old, &place.name),
            None => match unlinkat(&place.dir, &*place.name, AtFlags::empty()) {
                Err(Errno::NOENT) => Ok(()),
                done => done,
            },
        }
    }

    /// Gives up what was there before.
    fn forget(&self) {
        if let Some(old) = &self.old {
            // The next one who writes here clears it away.
            unlinkat(&self.place.dir, &**old, AtFlags::empty()).unwrap_or_default();
        }
    }
}

fn put_back(dir: &OwnedFd, old: &str, name: &str) -> Result<(), Errno> {
    renameat(dir, old, dir, name)?;
    // If both were names of the same file, the system has left them alone.
    match unlinkat(dir, old, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error),
    }
}

fn unwritten(place: &OpenPath, error: Errno) -> WorkspaceError {
    WorkspaceError::writing(place.path.as_str(), error)
}

/// The change was made, but the disk may not keep it.
fn uncertain(place: &OpenPath, error: Errno) -> WorkspaceError {
    let path = place.path.as_str().to_owned();
    WorkspaceError::FileWriteFailed { path, reason: error.to_string() }
}
