//! Which files are read: sources below the given paths, without what is ignored, hidden, vendored or built.

use std::{
    collections::BTreeSet,
    fs, io,
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

/// What is below the given paths.
#[derive(Debug, Default)]
pub struct Walked {
    /// The sources, each once, in the order of their names.
    pub found: Vec<Found>,
    /// What could not be looked into.
    pub unreadable: Vec<(PathBuf, io::Error)>,
    /// The folders that were left out, but for hidden ones: vendored, built, or ignored by git.
    pub left_out: BTreeSet<PathBuf>,
}

/// Looks for sources below the given paths.
pub fn files(paths: &[PathBuf]) -> Walked {
    let mut walked = Walked::default();
    let Some((first, others)) = paths.split_first() else { return walked };
    let mut builder = WalkBuilder::new(first);
    for path in others {
        builder.add(path);
    }
    builder
        .require_git(false)
        .follow_links(false)
        .filter_entry(|it| it.depth() == 0 || is_wanted(it));
    let mut folders = BTreeSet::new();
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|it| it.is_dir()) => {
                folders.insert(entry.into_path());
            }
            Ok(entry) => walked.found.extend(source(&entry)),
            Err(error) => walked.unreadable.push(refused(error)),
        }
    }
    walked.found.sort();
    walked.found.dedup();
    let inside = folders.iter().flat_map(|it| subfolders(it));
    walked.left_out = inside.filter(|it| !folders.contains(it)).map(|it| plain(&it)).collect();
    walked
}

/// The folders in a folder that are not hidden. What cannot be listed was reported by the walk.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let shown = entries.filter(|it| !it.file_name().to_string_lossy().starts_with('.'));
    let folders = shown.filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
    folders.map(|it| it.path()).collect()
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
