//! `Relative`: a path of a call, as names below the root; what no path can be is refused before the system is asked.

use std::path::Path;

use crate::{error::WorkspaceError, reserved_names::is_ours};

/// The longest path, in bytes; the system takes no longer ones.
const MOST_BYTES: usize = 4095;
/// The longest name, in bytes; few file systems take longer ones.
const MOST_NAME_BYTES: usize = 255;
/// The most names in a path.
const MOST_NAMES: usize = 256;

/// A path below the root: names between slashes, none of them `.` or `..`. The root itself has no name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Relative(String);

impl Relative {
    /// The root itself.
    pub(crate) const fn root() -> Self {
        Self(String::new())
    }

    /// The path that was given. One that starts with a slash must start with the root, name by name.
    pub(crate) fn new(given: &str, root: &Path) -> Result<Self, WorkspaceError> {
        let invalid = |reason| Err(WorkspaceError::InvalidPath { path: given.to_owned(), reason });
        if given.is_empty() {
            return invalid("it is empty; the root is \".\"");
        }
        if given.len() > MOST_BYTES {
            return invalid("it is too long");
        }
        if given.chars().any(is_hidden) {
            return invalid("it has a character that cannot be seen");
        }
        if given.split('/').any(|it| it == "..") {
            return Err(WorkspaceError::PathTraversalBlocked { path: given.to_owned() });
        }
        let below = match given.strip_prefix('/') {
            None => given,
            Some(_) => Path::new(given)
                .strip_prefix(root)
                .ok()
                .and_then(Path::to_str)
                .ok_or_else(|| WorkspaceError::OutsideWorkspace { path: given.to_owned() })?,
        };
        let names: Vec<&str> = below.split('/').filter(|it| !it.is_empty() && *it != ".").collect();
        if names.len() > MOST_NAMES {
            return invalid("it has too many parts");
        }
        if names.iter().any(|it| it.len() > MOST_NAME_BYTES) {
            return invalid("a part of it is too long");
        }
        if names.iter().any(|it| is_ours(it.as_bytes())) {
            return invalid("such names are kept for files that are being written");
        }
        Ok(Self(names.join("/")))
    }

    /// As the system and people see it.
    pub(crate) fn as_str(&self) -> &str {
        if self.0.is_empty() { "." } else { &self.0 }
    }

    /// Whether it is the root itself.
    pub(crate) const fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The directory that it is in, and its name there; the root has none.
    pub(crate) fn split(&self) -> Option<(Self, &str)> {
        if self.is_root() {
            return None;
        }
        let (parent, name) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        Some((Self(parent.to_owned()), name))
    }

    /// Something in this directory.
    pub(crate) fn join(&self, name: &str) -> Self {
        if self.is_root() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// Its names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|it| !it.is_empty())
    }

    /// Whether it is below a directory, or that directory itself.
    pub(crate) fn is_below(&self, directory: &Self) -> bool {
        let rest = self.0.strip_prefix(&directory.0);
        directory.is_root() || rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
    }

    /// Refuses names that look like others: other systems drop a dot or space at the end, and people do not see them.
    pub(crate) fn can_be_made(&self) -> Result<(), WorkspaceError> {
        let is_odd = |it: &str| it.starts_with(' ') || it.ends_with([' ', '.']);
        if self.names().any(is_odd) {
            let reason = "a new name must not start with a space, nor end with a space or a dot";
            return Err(WorkspaceError::InvalidPath { path: self.0.clone(), reason });
        }
        Ok(())
    }
}

/// Whether a character is not seen where a path is shown: controls, and marks that turn or join what is around them.
fn is_hidden(it: char) -> bool {
    it.is_control()
        || matches!(it, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use redress::Contract as _;

    use super::Relative;

    fn read(given: &str) -> Result<String, String> {
        let path = Relative::new(given, Path::new("/srv/root"));
        path.map(|it| it.as_str().to_owned()).map_err(|it| it.to_fault().code().to_owned())
    }

    #[test]
    fn a_path_is_what_is_below_the_root() {
        for (given, path) in [
            (".", "."),
            ("./a//b/", "a/b"),
            ("a/./b", "a/b"),
            ("/srv/root", "."),
            ("/srv/root/a", "a"),
            ("a\\..\\b", "a\\..\\b"),
            ("...", "..."),
            ("~/x", "~/x"),
        ] {
            assert_eq!(read(given).as_deref(), Ok(path), "{given:?}");
        }
    }

    #[test]
    fn what_is_no_path_below_the_root_has_a_code() {
        let long = "x".repeat(256);
        let deep = "d/".repeat(300);
        let longest = "y/".repeat(3000);
        for (given, code) in [
            ("", "INVALID_PATH"),
            ("a\0b", "INVALID_PATH"),
            ("a\nb", "INVALID_PATH"),
            ("a\u{202e}gpj.exe", "INVALID_PATH"),
            ("a\u{200b}b", "INVALID_PATH"),
            (&*long, "INVALID_PATH"),
            (&*deep, "INVALID_PATH"),
            (&*longest, "INVALID_PATH"),
            (".redress-0123456789abcdef.tmp", "INVALID_PATH"),
            ("..", "PATH_TRAVERSAL_BLOCKED"),
            ("a/../b", "PATH_TRAVERSAL_BLOCKED"),
            ("/srv/root/../x", "PATH_TRAVERSAL_BLOCKED"),
            ("/srv/root-x", "OUTSIDE_WORKSPACE"),
            ("/srv", "OUTSIDE_WORKSPACE"),
            ("/etc/passwd", "OUTSIDE_WORKSPACE"),
            ("//srv/rootx", "OUTSIDE_WORKSPACE"),
        ] {
            assert_eq!(read(given).unwrap_err(), code, "{given:?}");
        }
    }

    #[test]
    fn a_sibling_with_the_same_start_is_not_below() {
        let path = |it| Relative::new(it, Path::new("/r")).unwrap();
        assert!(path("a/b").is_below(&path("a")) && path("a").is_below(&path("a")));
        assert!(path("a").is_below(&Relative::root()));
        assert!(!path("ab").is_below(&path("a")) && !path("a").is_below(&path("a/b")));
    }
}
