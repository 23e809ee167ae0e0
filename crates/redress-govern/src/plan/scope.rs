//! `PathScope`: patterns of the paths that a plan is about.

use std::fmt;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The most patterns of a scope, and the longest one.
const MOST_PATTERNS: usize = 100;
const MOST_CHARS: usize = 256;

/// A name that no pattern means by chance: what has it, has any.
const ANY: &str = "\u{f8ff}any\u{f8ff}";

/// A pattern that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadScope {
    /// As it was written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Patterns of paths below a workspace. `*` represents part of a name, `**` for any number of names.
#[derive(Debug, Clone)]
pub struct PathScope {
    patterns: Vec<String>,
    covered: GlobSet,
}

impl PathScope {
    /// These patterns.
    pub(super) fn new(patterns: Vec<String>) -> Result<Self, BadScope> {
        let mut set = GlobSetBuilder::new();
        for (at, pattern) in patterns.iter().enumerate() {
            let bad =
                |reason: &str| BadScope { pattern: pattern.clone(), reason: reason.to_owned() };
            if at >= MOST_PATTERNS {
                return Err(bad("a scope has at most 100"));
            }
            is_plain(pattern).map_err(bad)?;
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            set.add(glob.map_err(|it| bad(&it.kind().to_string()))?);
        }
        let covered = set.build().map_err(|it| BadScope {
            pattern: patterns.join(", "),
            reason: it.kind().to_string(),
        })?;
        Ok(Self { patterns, covered })
    }

    /// The patterns as they were written.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether it is the whole workspace.
    pub fn is_everything(&self) -> bool {
        self.has_all_below("")
    }

    /// Whether a path is in it.
    pub(super) fn has(&self, path: &str) -> bool {
        self.covered.is_match(path)
    }

    /// Whether a directory is in it, with whatever it may hold.
    pub(super) fn has_all_below(&self, path: &str) -> bool {
        let below = |names: &str| match path {
            "" => self.has(names),
            _ => self.has(&format!("{path}/{names}")),
        };
        (path.is_empty() || self.has(path)) && below(ANY) && below(&format!("{ANY}/{ANY}"))
    }
}

impl fmt::Display for PathScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.patterns.join(", "))
    }
}

/// Whether a pattern can mean a path below the workspace.
fn is_plain(pattern: &str) -> Result<(), &'static str> {
    if pattern.chars().count() > MOST_CHARS {
        return Err("it is longer than 256 characters");
    }
    if pattern.chars().any(char::is_control) {
        return Err("it has a character that cannot be seen");
    }
    if pattern.starts_with('/') {
        return Err("it starts with a slash; write it from the workspace on");
    }
    if pattern.ends_with('/') {
        return Err("it ends with a slash; all of a directory is `name/**`");
    }
    if pattern.split('/').any(|it| matches!(it, "." | ".." | "")) {
        return Err("a name in it is `.`, `..` or empty");
    }
    Ok(())
}

/// The patterns of a line: what is between commas, but for those in braces and brackets.
pub(super) fn patterns(value: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let between = move |it: char| {
        match it {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => (),
        }
        it == ',' && depth == 0
    };
    value.split(between).map(str::trim).filter(|it| !it.is_empty())
}
