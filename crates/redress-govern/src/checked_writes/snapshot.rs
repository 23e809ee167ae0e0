//! `Snapshot`: the files, directories and links at some paths of a workspace, and below them, in bounds. The system's own stamps tell whether
//! they are still the same.

use std::{collections::BTreeMap, os::fd::OwnedFd, rc::Rc};

use redress_wire::json::{Members, Value};
use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, readlinkat, statat},
    io::Errno,
};

use crate::root::Root;

/// The most files, directories and links of one write.
const MOST_ENTRIES: usize = 10_000;

/// What is at each path; what is not in it is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Snapshot(pub(super) BTreeMap<String, FileEntry>);

/// What is at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileEntry {
    /// A file, with its permissions, its length, and what changes when it is changed.
    File { mode: u32, bytes: u64, stamp: String },
    /// A directory, with its permissions.
    Dir { mode: u32 },
    /// A link, and where it leads.
    Link { to: String },
    /// Anything else.
    Other { stamp: String },
}

/// Why it is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SnapshotError {
    /// There is too much of it.
    TooMany,
    /// Something at that path.
    At(String, String),
}

impl Snapshot {
    /// What is at some paths, and below them.
    pub(super) fn of(root: &Root, paths: &[String]) -> Result<Self, SnapshotError> {
        let mut state = Self::default();
        for path in paths {
            state.add(root, path)?;
        }
        Ok(state)
    }

    fn add(&mut self, root: &Root, path: &str) -> Result<(), SnapshotError> {
        let failed = |it: Errno| SnapshotError::At(path.to_owned(), it.to_string());
        let dir = match open_parent(root, path) {
            Ok(dir) => dir,
            // Nothing is there, nor where it would be.
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let mut found = vec![(Rc::new(dir), name(path).to_owned(), path.to_owned())];
        while let Some((dir, name, path)) = found.pop() {
            let failed = |it: Errno| SnapshotError::At(path.clone(), it.to_string());
            let Some(thing) = FileEntry::at(&dir, &name).map_err(failed)? else { continue };
            if matches!(thing, FileEntry::Dir { .. }) {
                let inner = Rc::new(enter(&dir, &name).map_err(failed)?);
                for name in names(&inner, &path)? {
                    let below =
                        if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                    found.push((Rc::clone(&inner), name, below));
                }
            }
            if self.0.len() + found.len() > MOST_ENTRIES {
                return Err(SnapshotError::TooMany);
            }
            self.0.insert(path, thing);
        }
        Ok(())
    }

    /// The paths at which something else is than in the other one.
    pub(super) fn differs<'s>(&'s self, other: &'s Self) -> Vec<&'s str> {
        let mut paths: Vec<&str> =
            self.0.keys().chain(other.0.keys()).map(String::as_str).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.retain(|it| self.0.get(*it) != other.0.get(*it));
        paths
    }

    /// As JSON.
    pub(super) fn write(&self, out: &mut String) {
        let mut all = Members::open(out);
        for (path, thing) in &self.0 {
            let mut members = Members::open(all.key(path));
            match thing {
                FileEntry::File { mode, bytes, stamp } => {
                    members
                        .str("is", "file")
                        .int("mode", *mode)
                        .int("bytes", *bytes)
                        .str("stamp", stamp);
                }
                FileEntry::Dir { mode } => {
                    members.str("is", "dir").int("mode", *mode);
                }
                FileEntry::Link { to } => {
                    members.str("is", "link").str("to", to);
                }
                FileEntry::Other { stamp } => {
                    members.str("is", "other").str("stamp", stamp);
                }
            }
            members.close();
        }
        all.close();
    }

    /// From JSON; `None` if it is no state.
    pub(super) fn read(value: Value<'_>) -> Option<Self> {
        let mut state = Self::default();
        for (path, thing) in value.members() {
            let text = |key: &str| thing.get(key).and_then(Value::as_str).map(String::from);
            let mode =
                || thing.get("mode").and_then(Value::as_u64).and_then(|it| u32::try_from(it).ok());
            let thing = match text("is")?.as_str() {
                "file" => {
                    let bytes = thing.get("bytes").and_then(Value::as_u64)?;
                    FileEntry::File { mode: mode()?, bytes, stamp: text("stamp")? }
                }
                "dir" => FileEntry::Dir { mode: mode()? },
                "link" => FileEntry::Link { to: text("to")? },
                _ => FileEntry::Other { stamp: text("stamp")? },
            };
            state.0.insert(path.as_str()?.into_owned(), thing);
        }
        Some(state)
    }
}

impl FileEntry {
    /// Whether one can take the other's place at once.
    pub(super) const fn is_like(&self, other: &Self) -> bool {
        matches!(self, Self::Dir { .. }) == matches!(other, Self::Dir { .. })
    }

    /// What a directory has under a name.
    pub(super) fn at(dir: &OwnedFd, name: &str) -> Result<Option<Self>, Errno> {
        let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mode = stat.st_mode & 0o7777;
        Ok(Some(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                let bytes = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
                Self::File { mode, bytes, stamp: stamp(&stat) }
            }
            FileType::Directory => Self::Dir { mode },
            FileType::Symlink => {
                let to = readlinkat(dir, name, Vec::new())?;
                Self::Link { to: to.into_string().map_err(|_no_text| Errno::ILSEQ)? }
            }
            _ => Self::Other { stamp: stamp(&stat) },
        }))
    }
}

/// What is another one whenever a file was changed, or is another file.
fn stamp(stat: &Stat) -> String {
    format!(
        "{}:{}:{}:{}.{}:{}.{}",
        stat.st_dev,
        stat.st_ino,
        stat.st_nlink,
        stat.st_mtime,
        stat.st_mtime_nsec,
        stat.st_ctime,
        stat.st_ctime_nsec
    )
}

/// The directory in which a path has its last name.
pub(super) fn open_parent(root: &Root, path: &str) -> Result<OwnedFd, Errno> {
    let parent = path.rsplit_once('/').map_or("", |it| it.0);
    root.open_below(parent, OFlags::RDONLY | OFlags::DIRECTORY)
}

/// The last name of a path.
pub(super) fn name(path: &str) -> &str {
    match path.rsplit_once('/') {
        _ if path.is_empty() => ".",
        None => path,
        Some((_, name)) => name,
    }
}

fn enter(dir: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}

fn names(dir: &OwnedFd, path: &str) -> Result<Vec<String>, SnapshotError> {
    let failed = |it: Errno| SnapshotError::At(path.to_owned(), it.to_string());
    let mut names = Vec::new();
    for entry in Dir::read_from(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        if names.len() >= MOST_ENTRIES {
            return Err(SnapshotError::TooMany);
        }
        let name = entry.file_name().to_str();
        names.push(name.map_err(|_no_text| failed(Errno::ILSEQ))?.to_owned());
    }
    Ok(names)
}
