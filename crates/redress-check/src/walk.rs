//! Which files are read: sources below the given paths, without what is ignored, hidden, vendored or built.

use std::{
    io,
    path::{Path, PathBuf},
};

use ignore::{DirEntry, WalkBuilder};

use crate::language::Language;

/// Larger files are bundles that a program wrote.
pub const MAX_BYTES: u64 = 2 << 20;

/// Folders with the work of others.
const VENDORED: [&str; 8] = [
    "node_modules",
    "vendor",
    "third_party",
    "site-packages",
    "__pycache__",
    "bower_components",
    "dist",
    "Pods",
];

/// Files that mark a folder as made by a program: a cache, a virtual environment.
const MADE: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];

/// A file to be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Where it is, as it was reached from the given path.
    pub path: PathBuf,
    /// What it is written in.
    pub language: Language,
}

/// The sources below the given paths, each once, in the order of their names; and what could not be looked into.
pub fn files(paths: &[PathBuf]) -> (Vec<Found>, Vec<(PathBuf, io::Error)>) {
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    let Some((first, others)) = paths.split_first() else { return (found, unreadable) };
    let mut builder = WalkBuilder::new(first);
    for path in others {
        builder.add(path);
    }
    builder
        .require_git(false)
        .follow_links(false)
        .filter_entry(|it| it.depth() == 0 || is_wanted(it));
    for entry in builder.build() {
        match entry {
            Ok(entry) => found.extend(source(&entry)),
            Err(error) => unreadable.push(refused(error)),
        }
    }
    found.sort();
    found.dedup();
    (found, unreadable)
}

fn source(entry: &DirEntry) -> Option<Found> {
    let path = entry.path();
    let is_file = match entry.file_type() {
        // A file that was given by name can be a link.
        Some(kind) if kind.is_symlink() => entry.depth() == 0 && path.is_file(),
        kind => kind.is_some_and(|it| it.is_file()),
    };
    let language = Language::of(path).filter(|_| is_file && !is_minified(path))?;
    Some(Found { path: plain(path), language })
}

/// `src/a.rs` and not `./src/a.rs`.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_path_buf()
}

fn is_wanted(entry: &DirEntry) -> bool {
    if !entry.file_type().is_some_and(|it| it.is_dir()) {
        return true;
    }
    let name = entry.file_name().to_str().unwrap_or_default();
    !VENDORED.contains(&name) && !MADE.iter().any(|it| entry.path().join(it).exists())
}

fn is_minified(path: &Path) -> bool {
    path.file_name().and_then(|it| it.to_str()).is_some_and(|it| it.contains(".min."))
}

fn refused(error: ignore::Error) -> (PathBuf, io::Error) {
    let path = place(&error).map(Path::to_path_buf).unwrap_or_default();
    let text = error.to_string();
    (path, error.into_io_error().unwrap_or_else(|| io::Error::other(text)))
}

fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            place(err)
        }
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}
