//! Which of the paths in a call its failure is about: the one that the server's text names.

use redress_registry::Entry;

use super::{
    paths::{PathKind, has_extension, is_absolute, local, path_kind},
    request::Argument,
};
use crate::{codes, fault::Violation};

/// Why an argument is wrong that names what is not there.
const NOT_FOUND: &str = "not_found";

/// A shorter value counts only in quotes: it stands everywhere.
const SHORTEST: usize = 3;

/// Before the place in which something was looked for, or beyond which nothing is allowed: it is there itself.
const BEFORE_PLACE: [&str; 9] =
    ["in", "inside", "within", "under", "below", "beneath", "outside", "beyond", "subpath"];
/// What may stand between such a word and the place.
const OF_PLACE: [&str; 19] = [
    "of",
    "the",
    "this",
    "a",
    "any",
    "allowed",
    "current",
    "working",
    "base",
    "directory",
    "dir",
    "folder",
    "path",
    "repository",
    "repo",
    "project",
    "workspace",
    "vault",
    "root",
];
/// The most words between them.
const MOST_BETWEEN: usize = 4;
/// What comes after it is a program that was started, and not a path that was looked for.
const STARTS: &str = "spawn";

/// The path that a failure is about, and where the argument stands that it is of. A call may have several, and only the server
/// knows which of them it is; where it does not say so, none is better than the wrong one.
pub(crate) fn path<'a>(
    entry: &Entry,
    arguments: &'a [Argument<'_>],
    text: &str,
) -> Option<(&'a str, &'a str)> {
    let refusals = [codes::OUTSIDE_WORKSPACE.name(), codes::PATH_TRAVERSAL_BLOCKED.name()];
    let (path, argument) = path_of(arguments, text, refusals.contains(&&*entry.code))?;
    let owner = arguments.iter().find(|it| local(&it.value) == argument)?;
    Some((path, &owner.place))
}

/// The argument that was looked up and not found, where the row is about one; the row may know it by another name.
pub(crate) fn unfound(
    entry: &Entry,
    arguments: Option<&Vec<Argument<'_>>>,
    text: &str,
) -> Option<Violation> {
    let is_path = entry.similar.as_deref() == Some("path");
    let (_, place) = path(entry, arguments.filter(|_| is_path)?, text)?;
    Some(Violation::new(place, NOT_FOUND, None))
}

/// Whether a text names something below one of the directories in a call.
pub(crate) fn is_below(text: &str, arguments: &[Argument<'_>]) -> bool {
    let paths = arguments.iter().map(|it| (path_kind(&it.key, &it.value), local(&it.value)));
    let mut directories = paths.filter(|it| matches!(it.0, Some(PathKind::Directory)));
    directories.any(|(_, it)| {
        let it = it.trim_end_matches(['/', '\\']);
        it.len() >= SHORTEST
            && text.match_indices(it).any(|(at, _)| {
                let after = text.get(at + it.len()..).unwrap_or_default();
                let name = after.strip_prefix(['/', '\\']).unwrap_or_default();
                name.starts_with(|it: char| it.is_alphanumeric() || matches!(it, '.' | '_'))
            })
    })
}

/// The path, and the whole value that it is of. What is refused may lead elsewhere, so that the text names where it leads to.
fn path_of<'a>(
    arguments: &'a [Argument<'_>],
    text: &str,
    is_refusal: bool,
) -> Option<(&'a str, &'a str)> {
    let mut paths: Vec<&str> = Vec::new();
    for Argument { key, value, .. } in arguments {
        let is_path = matches!(path_kind(key, value), Some(PathKind::File | PathKind::Directory));
        if is_path && !paths.contains(&local(value)) {
            paths.push(local(value));
        }
    }
    let whole = |it: &&str| names(text, it);
    let by_name = |it: &&str| names(text, last(it));
    let named: Vec<&str> = paths.iter().copied().filter(whole).collect();
    let named = outermost(&named);
    let named =
        if named.is_empty() { paths.iter().copied().filter(by_name).collect() } else { named };
    match (named.as_slice(), paths.as_slice()) {
        ([one], _) => Some((one, one)),
        ([], [only]) if names_another(arguments, only, text) || is_a_place(text, only) => None,
        ([], [only]) if is_refusal => Some((only, only)),
        ([], [only]) if !leads_elsewhere(text, only) => {
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
    let is_quoted = |it: &str| quoted(text, it).next().is_some();
    arguments.iter().any(|it| local(&it.value) != path && is_quoted(&it.value))
}

/// Whether the text names a path that is neither this one, with a root before it or an end after it, nor on the way to it:
/// another one, or one below it.
fn leads_elsewhere(text: &str, path: &str) -> bool {
    let path = path.trim_end_matches(['/', '\\']);
    let is_sign = |it: char| it.is_whitespace() || "'\"`()[]<>,;=".contains(it);
    let mut before = "";
    text.split(is_sign).filter(|it| !it.is_empty()).any(|word| {
        let is_program = std::mem::replace(&mut before, word) == STARTS;
        let word = word.trim_end_matches(['.', ':', '/', '\\']);
        let is_one = word.len() >= SHORTEST
            && !word.contains("://")
            && (is_absolute(word) || word.starts_with(['.', '~']) || has_extension(last(word)));
        let is_it = !path.is_empty()
            && word.rfind(path).is_some_and(|at| {
                !word.get(at + path.len()..).unwrap_or_default().starts_with(['/', '\\'])
            });
        is_one && !is_program && !is_it && !ancestors(path).any(|it| word.ends_with(it))
    })
}

pub(super) fn last(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The directories that a path leads through, the nearest first.
pub(super) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let above = |it: &&str| it.rfind(['/', '\\']).and_then(|at| path.get(..at));
    std::iter::successors(above(&path), above).filter(|it| it.len() >= SHORTEST)
}

/// Where a value stands in quotes.
fn quoted<'t>(text: &'t str, value: &'t str) -> impl Iterator<Item = usize> + 't {
    let quote = |it: Option<char>| it.is_some_and(|it| matches!(it, '\'' | '"' | '`'));
    let all = text.match_indices(value).map(|it| it.0).filter(move |at| {
        quote(text.get(..*at).and_then(|it| it.chars().next_back()))
            && quote(text.get(at + value.len()..).and_then(|it| it.chars().next()))
    });
    all.filter(|_| !value.is_empty())
}

/// Where a path stands in a text as a whole, and not as the start of another one. A server may put its root before it.
fn mentions<'t>(text: &'t str, path: &'t str) -> Vec<usize> {
    let path = path.trim_end_matches(['/', '\\']);
    if path.len() < SHORTEST {
        return quoted(text, path).collect();
    }
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    let is_whole = |at: &usize| {
        let before = text.get(..*at).unwrap_or_default();
        let after = text.get(at + path.len()..).unwrap_or_default();
        let is_start = path.starts_with(['/', '\\'])
            || !before.ends_with(|it| is_part(it) || it == '.')
            || before.ends_with(['/', '\\']);
        // A sentence, too, can end in a point, and a directory in a bar; both can go on: `/w/.git`.
        let is_end = !after.trim_start_matches(['/', '\\', '.']).starts_with(is_part)
            || after.starts_with("...");
        is_start && is_end
    };
    text.match_indices(path).map(|it| it.0).filter(is_whole).collect()
}

/// Whether a text names a path, and not only as the place of something else.
fn names(text: &str, path: &str) -> bool {
    mentions(text, path).into_iter().any(|at| !is_place(text, at))
}

/// Whether a text names a path, but only as the place of something else.
fn is_a_place(text: &str, path: &str) -> bool {
    let mentions = mentions(text, path);
    !mentions.is_empty() && mentions.into_iter().all(|at| is_place(text, at))
}

/// Whether what stands here is where something was looked for: `in '/w'`, `outside of the repository /w`.
fn is_place(text: &str, at: usize) -> bool {
    let is_edge = |it: char| it.is_whitespace() || "'\"`(".contains(it);
    let before = text.get(..at).unwrap_or_default();
    let before = before.trim_end_matches(|it| !is_edge(it)).trim_end_matches(is_edge);
    let words = before.rsplit(char::is_whitespace).take(MOST_BETWEEN + 1);
    let mut words = words.map(str::to_ascii_lowercase).skip_while(|it| OF_PLACE.contains(&&**it));
    words.next().is_some_and(|it| BEFORE_PLACE.contains(&&*it))
}

#[cfg(test)]
mod tests {
    use super::{Argument, path_of};

    type Case<'c> = (&'c [(&'c str, &'c str)], &'c str, Option<&'c str>);

    #[test]
    fn the_path_that_the_text_names_is_the_one() {
        let move_file = [("source", "/d/zz"), ("destination", "/d/a.txt")];
        let git_add = [("repo_path", "/w/repo"), ("files", "nope.txt"), ("files", "b.txt")];
        let write = [("path", "/d/none/x/y.txt"), ("content", "hello")];
        let read = [("path", "src/mian.rs")];
        let status = [("repo_path", "/w/repo")];
        let checkout = [("repo_path", "/w/repo"), ("target", "nope")];
        let cases: [Case<'_>; 22] = [
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
            (&status, "could not find `Cargo.toml` in `/w/repo` or any parent directory", None),
            (&status, "ENOENT: no such file or directory, open '/w/repo/package.json'", None),
            (&status, "No such file or directory in the directory /w/repo", None),
            (&status, "error: file not found: x.js", None),
            (&status, "Hook('/w/repo/.git/hooks/a') failed: file not found: x.js", None),
            (&[("path", "todo")], "File not found: /vault/todo.md", Some("todo")),
            (&[("cwd", "/w/none")], "spawn /bin/sh ENOENT", Some("/w/none")),
            (&[("uri", "file:///w/mian.txt")], "No such file: /w/mian.txt", Some("/w/mian.txt")),
        ];
        for (given, text, expected) in cases {
            assert_eq!(path_of(&arguments(given), text, false).map(|it| it.0), expected, "{text}");
        }
    }

    #[test]
    fn what_was_refused_is_the_argument_and_never_the_root() {
        let read = [("path", "/tmp/fs/link")];
        let added = [("repo_path", "/w/repo"), ("files", "../x.txt")];
        let cases: [Case<'_>; 4] = [
            (
                &read,
                "symlink target outside allowed directories: /etc/hostname not in /tmp/fs",
                Some("/tmp/fs/link"),
            ),
            (&read, "path outside allowed directories: /tmp/fs/link", Some("/tmp/fs/link")),
            (&added, "'../x.txt' is outside the repository '/w/repo'", Some("../x.txt")),
            (&[("root", "/w/repo")], "x is outside of the allowed directory /w/repo", None),
        ];
        for (given, text, expected) in cases {
            assert_eq!(path_of(&arguments(given), text, true).map(|it| it.0), expected, "{text}");
        }
    }

    fn arguments<'a>(given: &[(&'a str, &'a str)]) -> Vec<Argument<'a>> {
        let argument = |(key, value): &(&'a str, &'a str)| Argument {
            key: (*key).into(),
            place: format!("/{key}"),
            value: (*value).into(),
        };
        given.iter().map(argument).collect()
    }
}
