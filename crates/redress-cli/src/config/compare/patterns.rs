//! Whether a list covers an item: equal texts, patterns of names, folders.

use std::path::{Component, Path};

use redress_govern::role::globs;

use crate::config::Location;

/// A list that has the item.
pub(super) fn is_same<T: PartialEq>(list: &[T], item: &T) -> bool {
    list.contains(item)
}

/// A list of patterns that match all that the item, a name or a pattern, matches; as far as that is known without trying names.
pub(super) fn by_pattern(list: &[String], item: &String) -> bool {
    let is_all = |it: &String| it == "*" || it == "**";
    list.contains(item)
        || list.iter().any(is_all)
        || is_name(item) && globs(list).is_ok_and(|it| it.is_match(item))
}

/// Whether a pattern is the name of one thing.
pub(super) fn is_name(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', ']', '{', '}', '!', '\\'])
}

/// A list with a folder that is the item, or has it somewhere below.
pub(super) fn by_folder(list: &[Location], item: &Location) -> bool {
    list.iter().any(|it| is_below(&item.0, &it.0))
}

/// Whether a path is a folder or lies below it, by its words alone.
pub(super) fn is_below(path: &Path, folder: &Path) -> bool {
    path == folder
        || path.starts_with(folder) && !path.components().any(|it| it == Component::ParentDir)
}
