//! `remove`: a file, a link or a directory is taken away.

use std::{
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use redress::fault::NextAction;
use rmcp::schemars::{self, JsonSchema};
use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, fsync, openat, statat, unlinkat},
    io::Errno,
};
use serde::{Deserialize, Serialize};

use super::{Brief, counted};
use crate::{
    Workspace,
    content::{expect, whole},
    error::{Refused, WorkspaceError},
    hold::Hold,
    root::{OpenPath, kind},
};

/// How deep directories may be in each other.
const MOST_DEEP: usize = 256;
/// How long a removal may take.
const PATIENCE: Duration = Duration::from_secs(50);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveArguments {
    /// What is removed, relative to the root. Of a link, the link itself.
    path: String,
    /// Remove a directory with all that is in it.
    #[serde(default)]
    recursive: bool,
    /// The hash that `read_file` gave: if the file has changed since, it stays.
    #[schemars(length(equal = 64), regex(pattern = "^[0-9a-fA-F]{64}$"))]
    previous_hash: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemoveAnswer {
    path: String,
    /// How many files, links and directories are gone.
    removed: usize,
}

impl Brief for RemoveAnswer {
    fn brief(&self) -> String {
        format!("Removed {} ({})", self.path, counted(self.removed, "entry", "entries"))
    }
}

pub(crate) fn run(workspace: &Workspace, ask: &RemoveArguments) -> Result<RemoveAnswer, Refused> {
    remove(workspace, ask).map_err(|error| match error {
        it @ WorkspaceError::HashMismatch { .. } => it.at("/previous_hash"),
        it => it.at("/path"),
    })
}

fn remove(workspace: &Workspace, ask: &RemoveArguments) -> Result<RemoveAnswer, WorkspaceError> {
    let root = &workspace.root;
    let path = root.below(&ask.path)?;
    let places = [root.place(&path)?];
    let [place] = &places;
    let held = Hold::on(root, &places)?;
    let stat = place.stat().map_err(|it| root.unread(&path, it, false))?;
    if let Some(expected) = &ask.previous_hash {
        let bytes = place.current()?.map(|it| whole(&path, it)).transpose()?;
        expect(&path, expected, bytes.as_deref())?;
    }
    let mut removed = 0;
    let gone = match kind(&stat) {
        FileType::Directory if ask.recursive => {
            let until = Instant::now() + PATIENCE;
            all(&place.dir, place.name.as_bytes(), &mut removed, (until, MOST_DEEP))
        }
        FileType::Directory => one(place, AtFlags::REMOVEDIR, &mut removed),
        _ => one(place, AtFlags::empty(), &mut removed),
    };
    gone.and_then(|()| fsync(&place.dir)).map_err(|error| failed(place, error, removed))?;
    drop(held);
    Ok(RemoveAnswer { path: path.as_str().to_owned(), removed })
}

fn one(place: &OpenPath, how: AtFlags, removed: &mut usize) -> Result<(), Errno> {
    unlinkat(&place.dir, &*place.name, how)?;
    *removed += 1;
    Ok(())
}

/// Removes a directory with all that is in it. Each step is a name in a directory that is open, and no link is followed.
fn all(
    parent: &OwnedFd,
    name: &[u8],
    removed: &mut usize,
    (until, deep): (Instant, usize),
) -> Result<(), Errno> {
    if deep == 0 || Instant::now() > until {
        return Err(Errno::TIMEDOUT);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = openat(parent, name, flags, Mode::empty())?;
    for entry in Dir::read_from(&dir)? {
        let entry = entry?;
        let below = entry.file_name();
        if below == c"." || below == c".." {
            continue;
        }
        let is_directory = match entry.file_type() {
            FileType::Unknown => {
                statat(&dir, below, AtFlags::SYMLINK_NOFOLLOW).map(|it| kind(&it))?
                    == FileType::Directory
            }
            known => known == FileType::Directory,
        };
        if is_directory {
            all(&dir, below.to_bytes(), removed, (until, deep - 1))?;
        } else {
            unlinkat(&dir, below, AtFlags::empty())?;
            *removed += 1;
        }
    }
    unlinkat(parent, name, AtFlags::REMOVEDIR)?;
    *removed += 1;
    Ok(())
}

fn failed(place: &OpenPath, error: Errno, removed: usize) -> WorkspaceError {
    let path = place.path.as_str().to_owned();
    match error {
        Errno::NOTEMPTY | Errno::EXIST if removed == 0 => {
            let look = NextAction::call("list_directory", [("path", path.as_str())]);
            WorkspaceError::DirectoryNotEmpty { path, look }
        }
        error if removed == 0 => WorkspaceError::writing(&path, error),
        error => WorkspaceError::FileWriteFailed { path, reason: error.to_string() },
    }
}
