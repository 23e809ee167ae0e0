//! Which of the paths in a call its failure is about: the one that the server's text names.

use redress_registry::Entry;

use super::request::{Argument, PathKind, path_kind};
use crate::fault::Violation;

/// Why an argument is wrong that names what is not there.
const NOT_FOUND: &str = "not_found";

/// A shorter value counts only in quotes: it stands everywhere.
const SHORTEST: usize = 3;

/// The path that a failure is about, and where the argument stands that it is of. A call may have several, and only the server
/// knows which of them it is; where it does not say so, none is better than the wrong one.
pub(crate) fn path<'a>(arguments: &'a [Argument<'_>], text: &str) -> Option<(&'a str, &'a str)> {
    let (path, argument) = path_of(arguments, text)?;
    let owner = arguments.iter().find(|it| it.value == argument)?;
    Some((path, &owner.place))
}

/// The argument that was looked up and not found, where the row is about one; the row may know it by another name.
pub(crate) fn unfound(
    entry: &Entry,
    arguments: Option<&Vec<Argument<'_>>>,
    text: &str,
) -> Option<Violation> {
    let is_path = entry.similar.as_deref() == Some("path");
    let (_, place) = path(arguments.filter(|_| is_path)?, text)?;
    Some(Violation::new(place, NOT_FOUND, None))
}

/// The path, and the whole value that it is of.
fn path_of<'a>(arguments: &'a [Argument<'_>], text: &str) -> Option<(&'a str, &'a str)> {
    let mut paths: Vec<&str> = Vec::new();
    for Argument { key, value, .. } in arguments {
        let is_path = matches!(path_kind(key, value), Some(PathKind::File | PathKind::Directory));
        if is_path && !paths.contains(&&**value) {
            paths.push(value);
        }
    }
    let whole = |it: &&str| names(text, it);
    let by_name = |it: &&str| it.rsplit(['/', '\\']).next().is_some_and(|it| names(text, it));
    let named: Vec<&str> = paths.iter().copied().filter(whole).collect();
    let named = outermost(&named);
    let named =
        if named.is_empty() { paths.iter().copied().filter(by_name).collect() } else { named };
    match (named.as_slice(), paths.as_slice()) {
        ([one], _) => Some((one, one)),
        ([], [only]) if !names_another(arguments, only, text) => {
            Some((ancestors(only).find(|it| names(text, it)).unwrap_or(only), only))
        }
        _ => None,
    }
}

/// Those that are no part of another one: `a.txt` is, of `/d/a.txt`.
fn outermost<'p>(paths: &[&'p str]) -> Vec<&'p str> {
    let is_part = |it: &str| paths.iter().any(|other| *other != it && other.contains(it));
    paths.iter().copied().filter(|it| !is_part(it)).collect()
}

/// Whether the text quotes another argument, which it may be about then.
fn names_another(arguments: &[Argument<'_>], path: &str, text: &str) -> bool {
    arguments.iter().any(|it| it.value != path && is_quoted(text, &it.value))
}

/// The directories that a path leads through, the nearest first.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let above = |it: &&str| it.rfind(['/', '\\']).and_then(|at| path.get(..at));
    std::iter::successors(above(&path), above).filter(|it| it.len() >= SHORTEST)
}

fn is_quoted(text: &str, value: &str) -> bool {
    !value.is_empty()
        && text.match_indices(value).any(|(at, _)| {
            let quote = |it: Option<char>| it.filter(|it| matches!(it, '\'' | '"' | '`'));
            let before = quote(text.get(..at).and_then(|it| it.chars().next_back()));
            let after = quote(text.get(at + value.len()..).and_then(|it| it.chars().next()));
            before.is_some() && after.is_some()
        })
}

/// Whether a path stands in a text as a whole, and not as the start of another one. A server may put its root before it.
fn names(text: &str, path: &str) -> bool {
    let path = path.trim_end_matches(['/', '\\']);
    if path.len() < SHORTEST {
        return is_quoted(text, path);
    }
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let mut after = text.get(at + path.len()..).unwrap_or_default().chars();
        let is_start = path.starts_with(['/', '\\'])
            || !before.ends_with(|it| is_part(it) || it == '.')
            || before.ends_with(['/', '\\']);
        let is_end = match after.next() {
            None => true,
            Some('/' | '\\' | '.') => after.next().is_none_or(|it| !is_part(it)),
            Some(next) => !is_part(next),
        };
        is_start && is_end
    })
}

#[cfg(test)]
mod tests {
    use super::{Argument, path};

    type Case<'c> = (&'c [(&'c str, &'c str)], &'c str, Option<&'c str>);

    #[test]
    fn the_path_that_the_text_names_is_the_one() {
        let move_file = [("source", "/d/zz"), ("destination", "/d/a.txt")];
        let git_add = [("repo_path", "/w/repo"), ("files", "nope.txt"), ("files", "b.txt")];
        let write = [("path", "/d/none/x/y.txt"), ("content", "hello")];
        let read = [("path", "src/mian.rs")];
        let checkout = [("repo_path", "/w/repo"), ("target", "nope")];
        let cases: [Case<'_>; 14] = [
            (&move_file, "Destination already exists: /d/a.txt", Some("/d/a.txt")),
            (&move_file, "ENOENT: rename '/d/zz' -> '/d/a.txt'", None),
            (&move_file, "Destination already exists", None),
            (&move_file, "no such file: 'zz'", Some("/d/zz")),
            (&git_add, "pathspec 'nope.txt' did not match any files", Some("nope.txt")),
            (&git_add, "/w/repo/nope.txt is not there", Some("nope.txt")),
            (&git_add, "/w/repo is no repository", Some("/w/repo")),
            (&write, "Parent directory does not exist: /d/none/x", Some("/d/none/x")),
            (&write, "ENOENT, open '/d/none/x/y.txt.9f.tmp'", Some("/d/none/x/y.txt")),
            (&read, "File not found", Some("src/mian.rs")),
            (&read, "No such file: /root/src/mian.rs.", Some("src/mian.rs")),
            (&checkout, "pathspec 'nope' did not match any file(s)", None),
            (&checkout, "no such file", Some("/w/repo")),
            (&[], "No such file: /etc/passwd", None),
        ];
        for (given, text, expected) in cases {
            let arguments: Vec<_> = given
                .iter()
                .map(|(key, value)| Argument {
                    key: (*key).into(),
                    place: format!("/{key}"),
                    value: (*value).into(),
                })
                .collect();
            assert_eq!(path(&arguments, text).map(|it| it.0), expected, "{text}");
        }
    }
}
