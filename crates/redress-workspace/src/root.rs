//! `Root`: the directory that everything happens in, as a handle. The system resolves each path below it, and nothing else is opened.

use std::{
    fs::File,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
};

use redress::fault::NextAction;
use redress_registry::nearest::nearest_n;
use rustix::{
    fs::{Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, mkdirat, open, openat2},
    io::Errno,
};

use crate::{error::WorkspaceError, path::Relative, reserved_names::is_ours};

/// Below the root, through links that stay there, never through those of `/proc`.
const CONFINED: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// Below the root, and through no link: what is changed lies where its path says, also for a judge of that path before.
const PLAIN: ResolveFlags = CONFINED.union(ResolveFlags::NO_SYMLINKS);

/// How often the system may say that something moved while it looked.
const MOST_TRIES: usize = 128;

/// How many names of a directory are looked at for what was meant.
const MOST_NAMES: usize = 5_000;

/// How many names are suggested.
const MOST_NEAR: usize = 3;

/// The directory that everything happens in.
#[derive(Debug)]
pub(crate) struct Root {
    dir: OwnedFd,
    path: PathBuf,
}

/// A name in a directory that is open.
#[derive(Debug)]
pub(crate) struct OpenPath {
    pub(crate) dir: OwnedFd,
    pub(crate) name: String,
    pub(crate) path: Relative,
}

impl Root {
    /// Opens a directory.
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let path = path.canonicalize()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = open(&path, flags, Mode::empty())?;
        // Said at once where the system cannot confine, not at the first call.
        openat2(&dir, ".", flags, Mode::empty(), CONFINED)?;
        Ok(Self { dir, path })
    }

    /// Its path, without links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its handle.
    pub(crate) fn dir(&self) -> impl AsFd {
        &self.dir
    }

    /// Another handle of it, with locks of its own.
    pub(crate) fn own_dir(&self) -> Result<OwnedFd, Errno> {
        self.open_at(&Relative::root(), OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// A path of a call.
    pub(crate) fn below(&self, given: &str) -> Result<Relative, WorkspaceError> {
        Relative::new(given, &self.path)
    }

    /// Opens something below the root.
    pub(crate) fn open_at(&self, path: &Relative, flags: OFlags) -> Result<OwnedFd, Errno> {
        self.resolve(path, flags, CONFINED)
    }

    fn resolve(&self, path: &Relative, flags: OFlags, how: ResolveFlags) -> Result<OwnedFd, Errno> {
        // A handle that only names something takes no other flags.
        let opens = !flags.contains(OFlags::PATH);
        let flags = flags | OFlags::CLOEXEC | if opens { OFlags::NOCTTY } else { OFlags::empty() };
        for _ in 1..MOST_TRIES {
            match openat2(&self.dir, path.as_str(), flags, Mode::empty(), how) {
                // A name moved while it was resolved; the next look is as good.
                Err(Errno::AGAIN | Errno::INTR) => (),
                opened => return opened,
            }
        }
        Err(Errno::AGAIN)
    }

    /// Opens a regular file for reading.
    pub(crate) fn file(&self, path: &Relative) -> Result<(File, Stat), WorkspaceError> {
        // A pipe without a writer would keep us for ever.
        let opened = self.open_at(path, OFlags::RDONLY | OFlags::NONBLOCK);
        let file = opened.map_err(|it| self.unread(path, it, true))?;
        let stat = fstat(&file).map_err(|it| WorkspaceError::reading(path.as_str(), it))?;
        match kind(&stat) {
            FileType::RegularFile => Ok((File::from(file), stat)),
            other => Err(not_a_file(path, other)),
        }
    }

    /// Opens a directory.
    pub(crate) fn directory(&self, path: &Relative) -> Result<OwnedFd, WorkspaceError> {
        let opened = self.open_at(path, OFlags::RDONLY | OFlags::DIRECTORY);
        opened.map_err(|it| self.no_directory(path, it))
    }

    /// Opens a directory in which something is to be changed: no part of its path may be a link.
    fn directory_to_change(&self, path: &Relative) -> Result<OwnedFd, WorkspaceError> {
        let opened = self.resolve(path, OFlags::RDONLY | OFlags::DIRECTORY, PLAIN);
        opened.map_err(|error| match (error, self.link_in(path)) {
            // One that leads out is reported as that.
            (Errno::LOOP | Errno::NOTDIR, Some(link)) => match self.directory(path) {
                Err(outside @ WorkspaceError::OutsideWorkspace { .. }) => outside,
                _ => not_a_file(&link, FileType::Symlink),
            },
            (error, _) => self.no_directory(path, error),
        })
    }

    /// The first part of a path that is a link.
    fn link_in(&self, path: &Relative) -> Option<Relative> {
        let mut at = Relative::root();
        path.names().find_map(|name| {
            at = at.join(name);
            let found = self.resolve(&at, OFlags::PATH | OFlags::NOFOLLOW, PLAIN);
            let stat = found.and_then(fstat).ok()?;
            (kind(&stat) == FileType::Symlink).then(|| at.clone())
        })
    }

    fn no_directory(&self, path: &Relative, error: Errno) -> WorkspaceError {
        if error == Errno::NOTDIR {
            let path = path.as_str().to_owned();
            return WorkspaceError::InvalidPath { path, reason: "it is no directory" };
        }
        self.unread(path, error, false)
    }

    /// The name of a path in its directory, which must be there, so that it can be changed.
    pub(crate) fn place(&self, path: &Relative) -> Result<OpenPath, WorkspaceError> {
        let Some((parent, name)) = path.split() else {
            let path = path.as_str().to_owned();
            return Err(WorkspaceError::InvalidPath { path, reason: "it is the root itself" });
        };
        let dir = self.directory_to_change(&parent)?;
        Ok(OpenPath { dir, name: name.to_owned(), path: path.clone() })
    }

    /// The same, and the directory is made if it is not there.
    pub(crate) fn place_with_parents(&self, path: &Relative) -> Result<OpenPath, WorkspaceError> {
        path.can_be_made()?;
        if let Some((parent, _)) = path.split() {
            self.make_directory(&parent)?;
        }
        self.place(path)
    }

    fn make_directory(&self, path: &Relative) -> Result<(), WorkspaceError> {
        let mut at = Relative::root();
        for name in path.names() {
            let next = at.join(name);
            if let Err(Errno::NOENT) = self.resolve(&next, OFlags::PATH | OFlags::DIRECTORY, PLAIN)
            {
                let dir = self.directory_to_change(&at)?;
                match mkdirat(&dir, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => (),
                    Err(error) => return Err(WorkspaceError::writing(next.as_str(), error)),
                }
            }
            at = next;
        }
        Ok(())
    }

    /// Why a file cannot be opened; a missing one is reported with what was probably meant.
    pub(crate) fn unread(&self, path: &Relative, error: Errno, is_file: bool) -> WorkspaceError {
        if error != Errno::NOENT {
            return WorkspaceError::reading(path.as_str(), error);
        }
        let (near, look) = self.near(path);
        let path = path.as_str().to_owned();
        if is_file {
            WorkspaceError::FileNotFound { path, near, look }
        } else {
            WorkspaceError::PathNotFound { path, near, look }
        }
    }

    /// What was probably meant by a path that is not there, and the call that lists where it could be.
    pub(crate) fn near(&self, path: &Relative) -> (Vec<String>, NextAction) {
        let mut at = Relative::root();
        let mut names = path.names();
        let mut missing = names.next();
        while let Some(name) = missing {
            let next = at.join(name);
            if self.open_at(&next, OFlags::PATH | OFlags::DIRECTORY).is_err() {
                break;
            }
            at = next;
            missing = names.next();
        }
        let rest: Vec<&str> = names.collect();
        let near = missing.map(|it| self.near_in(&at, it, &rest)).unwrap_or_default();
        (near, NextAction::call("list_directory", [("path", at.as_str())]))
    }

    /// Names in a directory that are near to one, with the rest of the path behind them where that is there, too.
    fn near_in(&self, at: &Relative, name: &str, rest: &[&str]) -> Vec<String> {
        let Ok(dir) = self.directory(at) else { return Vec::new() };
        let names = names_in(&dir).unwrap_or_default();
        let near = nearest_n(name, names.iter().map(String::as_str), MOST_NEAR);
        let whole = near.into_iter().map(|it| rest.iter().fold(at.join(it), |at, it| at.join(it)));
        let is_there = |it: &Relative| rest.is_empty() || self.open_at(it, OFlags::PATH).is_ok();
        whole.filter(is_there).map(|it| it.as_str().to_owned()).collect()
    }
}

/// The names in a directory that a call can use, as many as are worth a look.
fn names_in(dir: &OwnedFd) -> Result<Vec<String>, Errno> {
    let entries = Dir::read_from(dir)?.flatten().take(MOST_NAMES);
    let names = entries.filter_map(|it| it.file_name().to_str().ok().map(str::to_owned));
    Ok(names.filter(|it| it != "." && it != ".." && !is_ours(it.as_bytes())).collect())
}

impl OpenPath {
    /// Opens the regular file that is there now, if any. Nothing is followed.
    pub(crate) fn current(&self) -> Result<Option<(File, Stat)>, WorkspaceError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let shown = self.path.as_str();
        let opened = rustix::fs::openat(&self.dir, &*self.name, flags, Mode::empty());
        let file = match opened {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(not_a_file(&self.path, FileType::Symlink)),
            Err(error) => return Err(WorkspaceError::reading(shown, error)),
        };
        let stat = fstat(&file).map_err(|it| WorkspaceError::reading(shown, it))?;
        match kind(&stat) {
            FileType::RegularFile => Ok(Some((File::from(file), stat))),
            other => Err(not_a_file(&self.path, other)),
        }
    }

    /// What is there, without opening it; a link is itself.
    pub(crate) fn stat(&self) -> Result<Stat, Errno> {
        rustix::fs::statat(&self.dir, &*self.name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
    }

    /// The directory, so that it can be locked and synced.
    pub(crate) fn dir(&self) -> impl AsFd {
        &self.dir
    }
}

/// What kind of file something is.
pub(crate) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Why something is not read or written as a file.
fn not_a_file(path: &Relative, kind: FileType) -> WorkspaceError {
    let path = path.as_str().to_owned();
    match kind {
        FileType::Directory => WorkspaceError::InvalidPath { path, reason: "it is a directory" },
        other => WorkspaceError::SpecialFile { path, kind: name(other) },
    }
}

/// What a kind of file is called in a sentence.
pub(crate) const fn name(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a file",
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something else",
    }
}
