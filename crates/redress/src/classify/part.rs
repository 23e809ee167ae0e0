//! Whether what failed is a part of what a call was to do: a path that no argument names, one thing of a list, the row after
//! many others. What came before it may be done.

use super::{
    facts::{Fact, Facts},
    named::{ancestors, last},
    normal::normal,
    paths::{has_extension, is_absolute, is_file_name, local, path_kind},
    request::Argument,
};
use crate::{
    json::{Kind, Value},
    text::cut_bytes,
};

/// A shorter name is part of too many others.
const SHORTEST: usize = 3;
/// A longer value names no thing.
const LONGEST: usize = 512;
/// What stands further down is not looked at.
const MOST_TEXT: usize = 8 << 10;
const MOST_PATHS: usize = 64;
/// How the lines of a stack start: their files are the server's own.
const FRAMES: [&str; 2] = ["File \"", "at "];
/// What things of a long list are called, and counted.
const COUNTED: [&str; 10] = [
    "row",
    "record",
    "entry",
    "item",
    "element",
    "document",
    "object",
    "operation",
    "statement",
    "step",
];
/// What comes after the number of one that failed, if no sign does.
const AFTER_NUMBER: [&str; 11] = [
    "failed", "invalid", "is", "has", "was", "could", "cannot", "rejected", "contains", "missing",
    "not",
];

/// Whether a list holds things that are worked on one by one, by the name it has or by what they are.
pub(super) fn is_of_things(key: &str, list: Value<'_>, is_bulk: bool) -> bool {
    let mut things = list.elements();
    let (Some(first), Some(_)) = (things.next(), things.next()) else { return false };
    is_bulk || first.kind() == Kind::Object || normal(key).ends_with("ids")
}

/// The facts that a text tells of parts.
pub(super) fn look(facts: &mut Facts, text: &str, arguments: &[Argument<'_>]) {
    let text = &*cut_bytes(text, MOST_TEXT);
    facts.set(Fact::Stranger, names_a_stranger(text, arguments));
    facts.set(Fact::OneOf, names_one_of_several(text, arguments));
    facts.set(Fact::Nth, counts_to_one(text, arguments));
}

/// Whether a text names a path that no argument does.
fn names_a_stranger(text: &str, arguments: &[Argument<'_>]) -> bool {
    let is_frame = |it: &&str| FRAMES.iter().any(|sign| it.trim_start().starts_with(sign));
    let is_sign = |it: char| it.is_whitespace() || "'\"`()[]<>,;=".contains(it);
    let words = text.lines().filter(|it| !is_frame(it)).flat_map(|it| it.split(is_sign));
    let paths = words.map(|it| it.trim_end_matches(['.', ':', '/', '\\'])).filter(|it| is_path(it));
    let mut paths = paths.take(MOST_PATHS);
    paths.any(|path| !arguments.iter().any(|it| is_meant(path, it)))
}

fn is_path(word: &str) -> bool {
    let is_deep = || word.contains(['/', '\\']) && has_extension(last(word));
    word.len() >= SHORTEST
        && !word.contains("://")
        && (is_absolute(word) || is_file_name(word) || is_deep())
}

/// Whether a value names a path, with a root before it or an end after it, or leads through it. Servers spell names in their own way.
fn is_meant(path: &str, argument: &Argument<'_>) -> bool {
    let value = local(argument.value.trim()).trim_end_matches(['/', '\\']);
    // Where they start from, `.` and `~`, servers write out.
    let value = value.trim_start_matches(['.', '~', '/', '\\']);
    if value.is_empty() || value.len() > LONGEST || value.contains('\n') {
        return false;
    }
    let spelt = |it: &str| normal(it).replace('\\', "/");
    let (path, value) = (spelt(path), spelt(value));
    let ends_with = |it: &str| path.strip_suffix(it).is_some_and(|it| is_edge(it, it.len()));
    if value.len() < SHORTEST {
        let is_path = path_kind(&argument.key, &value).is_some();
        return is_path && last(&path).split('.').next() == Some(&value);
    }
    value.contains(&path)
        || ancestors(&value).any(ends_with)
        || path.match_indices(&*value).any(|(at, _)| {
            let after = path.get(at + value.len()..).unwrap_or_default();
            is_edge(&path, at) && !after.contains('/')
        })
}

/// Whether a name can start here.
fn is_edge(path: &str, at: usize) -> bool {
    let before = path.get(..at).unwrap_or_default();
    !before.ends_with(|it: char| it.is_alphanumeric())
}

/// Whether a text names some things of a list among the arguments, and not all of them.
fn names_one_of_several(text: &str, arguments: &[Argument<'_>]) -> bool {
    let list = |it: &Argument<'_>| {
        let (list, at) = it.place.rsplit_once('/')?;
        at.bytes().all(|it| it.is_ascii_digit()).then(|| list.to_owned())
    };
    arguments.iter().filter(|it| names(text, &it.value)).any(|it| {
        let Some(of) = list(it) else { return false };
        let mut others = arguments.iter().filter(|it| list(it).as_ref() == Some(&of));
        others.any(|it| !names(text, &it.value))
    })
}

fn names(text: &str, value: &str) -> bool {
    let is_free = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric());
    (1..=LONGEST).contains(&value.len())
        && text.match_indices(value).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default().chars().next_back();
            let after = text.get(at + value.len()..).unwrap_or_default().chars().next();
            is_free(before) && is_free(after)
        })
}

/// Whether a text counts to one that failed, and the caller has not: `Row 57: invalid date`.
fn counts_to_one(text: &str, arguments: &[Argument<'_>]) -> bool {
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).enumerate().any(|(at, pair)| {
        let [thing, number] = pair else { return false };
        let is_thing = COUNTED.contains(&thing.trim_start_matches(['(', '[', '"', '\'']))
            || at == 0 && *thing == "line" && number.ends_with(':');
        let digits = number.trim_matches(|it: char| !it.is_ascii_digit());
        let is_later = digits.parse::<u64>().is_ok_and(|it| it > 1);
        let next = words.get(at + 2).copied().unwrap_or_default();
        let is_named = number.ends_with([':', ',', ')']) || AFTER_NUMBER.contains(&next);
        is_thing && is_later && is_named && !arguments.iter().any(|it| it.value == digits)
    })
}

#[cfg(test)]
mod tests {
    use super::{Argument, counts_to_one, names_a_stranger, names_one_of_several};

    fn arguments<'a>(given: &[(&'a str, &'a str)]) -> Vec<Argument<'a>> {
        let argument = |(place, value): &(&'a str, &'a str)| Argument {
            key: (*place).into(),
            place: format!("/{place}"),
            value: (*value).into(),
        };
        given.iter().map(argument).collect()
    }

    #[test]
    fn a_path_that_no_argument_names_is_a_stranger() {
        for (given, text, expected) in [
            (("path", "/w/a"), "ENOENT, copyfile '/w/a/3.txt'", true),
            (("path", "/w/a"), "ENOENT, lstat '/w/a'", false),
            (("path", "x/y.txt"), "ENOENT, open '/root/x/y.txt'", false),
            (("path", "/w/none/y.txt"), "ENOENT, mkdir '/w/none'", false),
            (("path", "src/a.ts"), "No such file: C:\\p\\src\\a.ts", false),
            (("path", "~/a/y.txt"), "No such file: '/home/u/a/y.txt'", false),
            (("path", "none/y.txt"), "ENOENT, mkdir '/root/none'", false),
            (("path", "/w/y.txt"), "ENOENT, open '/w/y.txt.9f.tmp'", false),
            (("title", "My note"), "file already exists: /vault/my-note.md", false),
            (("file", "b"), "ENOENT, open '/w/b.ts'", false),
            (("file", "b"), "ENOENT, open '/w/ab.ts'", true),
            (("name", "b"), "ENOENT, open '/w/b.ts'", true),
            (("dest", "out"), "file already exists: out/b.txt", true),
            (("name", "x"), "No such file\n  File \"/usr/lib/a.py\", line 3", false),
            (("url", "http://a/x"), "no file at http://a/y.txt", false),
        ] {
            assert_eq!(names_a_stranger(text, &arguments(&[given])), expected, "{text}");
        }
    }

    #[test]
    fn one_thing_of_a_list_is_told_from_all_and_from_none() {
        let ids = [("ids/0", "1"), ("ids/1", "2")];
        for (given, text, expected) in [
            (ids, "resource 2 does not exist", true),
            (ids, "resources 1, 2 do not exist", false),
            (ids, "resource 12 does not exist", false),
            ([("a", "1"), ("b", "2")], "resource 2 does not exist", false),
        ] {
            assert_eq!(names_one_of_several(text, &arguments(&given)), expected, "{text}");
        }
    }

    #[test]
    fn a_later_one_that_failed_is_counted() {
        for (text, expected) in [
            ("Row 57: invalid date", true),
            ("Import failed at record #12: bad email", true),
            ("item 3 is invalid", true),
            ("Line 57: bad date", true),
            ("Row 1: invalid date", false),
            ("Row 9 is out of range", false),
            ("Start row 8 exceeds the sheet (max row: 4)", false),
            ("invalid syntax (x, line 5)", false),
        ] {
            assert_eq!(counts_to_one(text, &arguments(&[("row", "9")])), expected, "{text}");
        }
    }
}
