//! The journal of a patch of several files: once it is on disk the patch happens, even if the process dies in the middle.

use std::{
    io::Read as _,
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, fsync, openat, renameat, unlinkat},
    io::Errno,
    process::geteuid,
};
use serde::{Deserialize, Serialize};

use crate::{
    error::WorkspaceError,
    lock::{identity, lock},
    path::Relative,
    reserved_names::{JOURNAL, is_ours},
    root::{OpenPath, Root, kind},
    temporary::Staged,
};

/// Its permissions.
const MODE: u32 = 0o600;

/// The longest journal that is read.
const MOST_BYTES: u64 = 16 << 20;

/// How long another process may be at work on one.
const PATIENCE: Duration = Duration::from_secs(10);

/// One file of the patch.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JournalStep {
    /// The file.
    path: String,
    /// What its new bytes are called; without, it is removed.
    staged: Option<String>,
}

impl JournalStep {
    pub(crate) fn new(path: &Relative, staged: Option<&Staged<'_>>) -> Self {
        let staged = staged.map(|it| it.name().to_owned());
        Self { path: path.as_str().to_owned(), staged }
    }
}

/// Whether there is one.
pub(crate) fn is_there(root: &Root) -> bool {
    let stat = rustix::fs::statat(root.dir(), JOURNAL, AtFlags::SYMLINK_NOFOLLOW);
    stat.is_ok_and(|it| kind(&it) == FileType::RegularFile)
}

/// Writes one, and has the disk keep it: from now on the patch happens. The root must be held.
pub(crate) fn begin(root: &Root, steps: &[JournalStep]) -> Result<(), Errno> {
    let dir = root.own_dir()?;
    let Ok(text) = serde_json::to_vec(steps) else { return Err(Errno::INVAL) };
    let path = Relative::root();
    let place = OpenPath { dir, name: JOURNAL.to_owned(), path };
    Staged::new(&place, &text, Some(MODE))?.take_place(true)?;
    fsync(place.dir())
}

/// Removes it: the patch has happened, or was undone.
pub(crate) fn end(root: &Root) -> Result<(), Errno> {
    unlinkat(root.dir(), JOURNAL, AtFlags::empty())?;
    fsync(root.dir())
}

/// Finishes the patch of a process that is gone. It waits for one that is still at work.
pub(crate) fn finish(root: &Root) -> Result<(), WorkspaceError> {
    if !is_there(root) {
        return Ok(());
    }
    let dir = root.directory(&Relative::root())?;
    lock(&dir, Instant::now() + PATIENCE)?;
    let own = identity(&dir)?;
    let failed = |it| WorkspaceError::writing(".", it);
    let Some(text) = read(&dir).map_err(failed)? else { return Ok(()) };
    // What is no journal was not written by us, and nothing follows from it.
    let steps: Vec<JournalStep> = serde_json::from_str(&text).unwrap_or_default();
    for step in &steps {
        if let Ok(place) = root.below(&step.path).and_then(|it| root.place(&it)) {
            // The root is held already, by another handle of ours.
            if identity(&place.dir)? != own {
                lock(&place.dir, Instant::now() + PATIENCE)?;
            }
            carry_out(&place, step).map_err(failed)?;
        }
    }
    end(root).map_err(failed)
}

/// Carries out what was not carried out before.
fn carry_out(place: &OpenPath, step: &JournalStep) -> Result<(), Errno> {
    let done = match &step.staged {
        Some(staged) if is_ours(staged.as_bytes()) => {
            renameat(&place.dir, &**staged, &place.dir, &*place.name)
        }
        Some(_) => Ok(()),
        None => unlinkat(&place.dir, &*place.name, AtFlags::empty()),
    };
    match done {
        // It has its place already, or another process has put something else there.
        Ok(()) | Err(Errno::NOENT | Errno::ISDIR | Errno::NOTEMPTY | Errno::PERM) => {
            fsync(&place.dir)
        }
        Err(error) => Err(error),
    }
}

fn read(dir: &OwnedFd) -> Result<Option<String>, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(dir, JOURNAL, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error),
    };
    let stat = rustix::fs::fstat(&file)?;
    // One that came with the files, out of an archive, is not ours: nothing may happen because a directory was opened.
    let is_ours = stat.st_uid == geteuid().as_raw() && stat.st_mode & 0o777 == MODE;
    if kind(&stat) != FileType::RegularFile || !is_ours {
        return Ok(Some(String::new()));
    }
    let mut text = String::new();
    let read = std::fs::File::from(file).take(MOST_BYTES).read_to_string(&mut text);
    // What is no text is no journal.
    Ok(Some(read.map(|_| text).unwrap_or_default()))
}
