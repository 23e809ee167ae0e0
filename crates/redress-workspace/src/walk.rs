//! A walk through directories by handles: names in directories that are open, no link followed, what `.gitignore` says left out.

use std::{fs::File, io::Read as _, os::fd::OwnedFd, time::Instant};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};

use crate::{path::Relative, reserved_names::is_ours, root::kind};

/// How deep directories may be in each other.
const MOST_DEEP: usize = 128;
/// The longest `.gitignore` that is read.
const MOST_RULES_BYTES: u64 = 1 << 20;

/// How far a walk goes.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) until: Instant,
    /// How many more files and directories are looked at.
    pub(crate) entries: usize,
    pub(crate) respects_gitignore: bool,
}

/// What a walk meets.
#[derive(Debug)]
pub(crate) struct Met<'w> {
    pub(crate) dir: &'w OwnedFd,
    pub(crate) path: &'w Relative,
    pub(crate) name: &'w str,
    pub(crate) kind: FileType,
}

/// Whether a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    GoOn,
    /// Not into this directory.
    Skip,
    Stop,
}

/// Walks through a directory, names in order. Gives whether everything was met.
pub(crate) fn walk(
    dir: OwnedFd,
    path: &Relative,
    bounds: &mut Bounds,
    meet: &mut dyn FnMut(&Met<'_>) -> Then,
) -> bool {
    let mut rules = Vec::new();
    below((dir, path), bounds, &mut rules, meet)
}

fn below(
    (dir, path): (OwnedFd, &Relative),
    bounds: &mut Bounds,
    rules: &mut Vec<Gitignore>,
    meet: &mut dyn FnMut(&Met<'_>) -> Then,
) -> bool {
    if rules.len() >= MOST_DEEP {
        return false;
    }
    rules.push(if bounds.respects_gitignore { rules_of(&dir, path) } else { Gitignore::empty() });
    let is_whole = entries(&dir, path, bounds, rules, meet);
    rules.pop();
    is_whole
}

fn entries(
    dir: &OwnedFd,
    path: &Relative,
    bounds: &mut Bounds,
    rules: &mut Vec<Gitignore>,
    meet: &mut dyn FnMut(&Met<'_>) -> Then,
) -> bool {
    // What cannot be read is as if it were not there: a search is for what one may see.
    let Ok(entries) = Dir::read_from(dir) else { return true };
    let mut names: Vec<(String, FileType)> = entries
        .flatten()
        .take(bounds.entries)
        .filter_map(|it| Some((it.file_name().to_str().ok()?.to_owned(), it.file_type())))
        .filter(|(name, _)| name != "." && name != ".." && !is_ours(name.as_bytes()))
        .collect();
    names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for (name, known) in names {
        if bounds.entries == 0 || Instant::now() > bounds.until {
            return false;
        }
        bounds.entries -= 1;
        let Some(kind) = kind_of(dir, &name, known) else { continue };
        let at = path.join(&name);
        let is_directory = kind == FileType::Directory;
        if bounds.respects_gitignore && (name == ".git" || is_ignored(rules, &at, is_directory)) {
            continue;
        }
        match meet(&Met { dir, path: &at, name: &name, kind }) {
            Then::Stop => return false,
            Then::GoOn if is_directory => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let Ok(next) = openat(dir, &*name, flags, Mode::empty()) else { continue };
                if !below((next, &at), bounds, rules, meet) {
                    return false;
                }
            }
            Then::GoOn | Then::Skip => (),
        }
    }
    true
}

fn kind_of(dir: &OwnedFd, name: &str, known: FileType) -> Option<FileType> {
    match known {
        FileType::Unknown => statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|it| kind(&it)),
        known => Some(known),
    }
}

/// The deepest file with a word on it decides.
fn is_ignored(rules: &[Gitignore], path: &Relative, is_directory: bool) -> bool {
    let mut said = rules.iter().rev().map(|it| it.matched(path.as_str(), is_directory));
    said.find(|it| !it.is_none()).is_some_and(|it| it.is_ignore())
}

fn rules_of(dir: &OwnedFd, path: &Relative) -> Gitignore {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut text = String::new();
    if let Ok(file) = openat(dir, ".gitignore", flags, Mode::empty()) {
        let read = File::from(file).take(MOST_RULES_BYTES).read_to_string(&mut text);
        if read.is_err() {
            return Gitignore::empty();
        }
    }
    let mut builder = GitignoreBuilder::new(path.as_str());
    for line in text.lines() {
        // A line that is no rule is none for git, too.
        drop(builder.add_line(None, line));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
