//! The pages for people: README.md, ARCHITECTURE.md and everything below `docs/`.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A page, by its path from the root of the repository.
pub(super) struct Page {
    pub(super) path: String,
    pub(super) text: String,
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every page, in the order of the paths.
pub(super) fn all() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned(), "ARCHITECTURE.md".to_owned()];
    below("docs", &mut paths);
    paths.sort();
    let read = |path: String| {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        Page { path, text }
    };
    paths.into_iter().map(read).collect()
}

fn below(folder: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            below(&path, paths);
        } else if Path::new(&path).extension().is_some_and(|it| it == "md") {
            paths.push(path);
        }
    }
}

/// The lines of a page outside its fenced blocks.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line);
        }
    }
    lines
}
