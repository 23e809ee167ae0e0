//! What a call touches: the paths that it names, in arguments and in patches, and what the files become where that is known.

use std::borrow::Cow;

use redress::{
    Fault, codes,
    json::{Kind, Value},
};

use super::{
    manifest::Doing,
    root::{Root, invalid},
};

/// The most paths of one call.
const MOST_PATHS: usize = 1_000;

/// What one call touches.
#[derive(Debug, Default)]
pub(super) struct Touched<'c> {
    /// The paths, below the root; those of a patch stand last.
    pub(super) paths: Vec<String>,
    /// What files become, in the order of the paths.
    contents: Vec<Option<Cow<'c, str>>>,
}

impl<'c> Touched<'c> {
    /// What a call touches, as far as its contract says where that stands.
    pub(super) fn of(
        doing: &Doing,
        arguments: Option<Value<'c>>,
        root: &Root,
    ) -> Result<Self, Box<Fault>> {
        let mut touched = Self::default();
        for pointer in &doing.paths {
            for value in found(arguments, pointer).into_iter().flatten() {
                match value.kind() {
                    Kind::Array => {
                        for value in value.elements() {
                            touched.add(&text(value, pointer)?, pointer, root)?;
                        }
                    }
                    _ => touched.add(&text(value, pointer)?, pointer, root)?,
                }
            }
        }
        if let Some(pointer) = &doing.content {
            let values = found(arguments, pointer).into_iter();
            touched.contents = values.map(|it| it.and_then(Value::as_str)).collect();
        }
        if let Some(pointer) = &doing.patch {
            for patch in found(arguments, pointer).into_iter().flatten() {
                for path in patched(&text(patch, pointer)?)? {
                    touched.add(path, pointer, root)?;
                }
            }
        }
        Ok(touched)
    }

    fn add(&mut self, path: &str, pointer: &str, root: &Root) -> Result<(), Box<Fault>> {
        if self.paths.len() >= MOST_PATHS {
            return Err(invalid(pointer, "it names too many paths"));
        }
        self.paths.push(root.below(path)?);
        Ok(())
    }

    /// Each path with what its file becomes. Where it cannot be told which content is whose, each may be any one's.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let is_paired = self.contents.len() == self.paths.len();
        let every = self.contents.len().max(1);
        self.paths.iter().enumerate().flat_map(move |(at, path)| {
            let range = if is_paired { at..at + 1 } else { 0..every };
            range.map(move |at| (path.as_str(), self.contents.get(at).and_then(Option::as_deref)))
        })
    }
}

/// The values that a pointer leads to; one that is not there has its place where it would be one of several.
pub(super) fn found<'c>(arguments: Option<Value<'c>>, pointer: &str) -> Vec<Option<Value<'c>>> {
    let mut values = vec![arguments];
    for name in pointer.split('/').skip(1) {
        if name == "*" {
            let each = |value: Option<Value<'c>>| match value {
                Some(it) if it.kind() == Kind::Array => it.elements().map(Some).collect(),
                it => vec![it.and_then(|it| it.get(name))],
            };
            values = values.into_iter().flat_map(each).collect();
            continue;
        }
        let name = unescaped(name);
        for value in &mut values {
            *value = value.and_then(|it| it.get(&name));
        }
    }
    for value in &mut values {
        *value = value.filter(|it| !it.is_null());
    }
    values
}

/// A name in a pointer as it stands in an object.
fn unescaped(name: &str) -> Cow<'_, str> {
    if name.contains('~') {
        return name.replace("~1", "/").replace("~0", "~").into();
    }
    name.into()
}

fn text<'c>(value: Value<'c>, pointer: &str) -> Result<Cow<'c, str>, Box<Fault>> {
    let params = [("field", pointer), ("expected", "text")];
    value.as_str().ok_or_else(|| Box::new(codes::INVALID_INPUT_TYPE.raise(params)))
}

/// What stands before a name in the lines of patches that say what becomes of files.
const ANNOUNCED: &[&str] = &[
    "Index: ",
    "rename old ",
    "rename new ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// What is wrong with names that readers of patches understand differently.
const UNCLEAR: &str =
    "write `--- a/FILE` and `+++ b/FILE`, else readers differ in what the name is";

/// Where a file is not.
const NOWHERE: &str = "/dev/null";

/// The names of all files in a patch: a unified or a context diff, with what git adds, or the form that models write.
///
/// Two lines that look like the names of a file are taken for them wherever they stand, because a server may read them so.
fn patched(patch: &str) -> Result<Vec<&str>, Box<Fault>> {
    let mut names = Vec::new();
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(both) = line.strip_prefix("diff --git ") {
            names.extend(of_git(both.trim_end()).ok_or_else(|| unreadable(UNCLEAR))?);
            continue;
        }
        if let Some(name) = ANNOUNCED.iter().find_map(|it| line.strip_prefix(it)) {
            names.push(name.trim());
            continue;
        }
        let next = lines.peek().copied().unwrap_or_default();
        let pair = [("--- ", "+++ "), ("*** ", "--- ")]
            .into_iter()
            .find_map(|(old, new)| Some((line.strip_prefix(old)?, next.strip_prefix(new)?)));
        if let Some((old, new)) = pair {
            let (old, new) = (named(old), named(new));
            let below = (old.strip_prefix("a/"), new.strip_prefix("b/"));
            names.extend(match below {
                (Some(old), Some(new)) => [old, new],
                (Some(old), None) if new == NOWHERE => [old, new],
                (None, Some(new)) if old == NOWHERE => [old, new],
                // Some readers take the first folder of such a name away, some do not.
                _ if [old, new].iter().any(|it| *it != NOWHERE && it.contains('/')) => {
                    return Err(unreadable(UNCLEAR));
                }
                _ => [old, new],
            });
        }
    }
    names.retain(|it| *it != NOWHERE);
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Err(unreadable("no file is named in it: `--- a/file` and `+++ b/file`"));
    }
    if names.iter().any(|it| it.starts_with('"')) {
        return Err(unreadable("write the names of files without quotes"));
    }
    Ok(names)
}

/// Both names of the line that git begins a file with.
fn of_git(both: &str) -> Option<[&str; 2]> {
    let (old, new) = both.strip_prefix("a/")?.split_once(" b/")?;
    // With a second ` b/` in it, it could be read in two ways.
    (!new.contains(" b/")).then_some([old, new])
}

/// The name in a line; what follows a tab is a time.
fn named(rest: &str) -> &str {
    rest.split('\t').next().unwrap_or_default().trim_end()
}

fn unreadable(reason: &str) -> Box<Fault> {
    Box::new(codes::PATCH_INVALID.raise([("reason", reason)]))
}

#[cfg(test)]
mod tests {
    use redress::json::{Doc, Limits};

    use super::{found, patched};

    #[test]
    fn every_file_of_a_patch_is_seen() {
        for (patch, names) in [
            ("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n", vec!["x.rs"]),
            ("--- x.rs\t2026-01-01\n+++ x.rs\t2026-01-02\n", vec!["x.rs"]),
            ("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+b\n", vec!["new"]),
            ("--- a/old\n+++ /dev/null\n", vec!["old"]),
            ("--- /dev/null\n+++ new\n", vec!["new"]),
            (
                "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n",
                vec!["m", "x"],
            ),
            ("rename old p\nrename new q\n", vec!["p", "q"]),
            ("diff --git a/p b/q\nrename from p\nrename to q\n", vec!["p", "q"]),
            ("*** a/c\n--- b/c\n***************\n", vec!["c"]),
            (
                "*** Begin Patch\n*** Update File: m.py\n*** Move to: n.py\n*** End Patch",
                vec!["m.py", "n.py"],
            ),
            ("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n--- a/hid\n+++ b/hid\n", vec!["hid", "x"]),
        ] {
            assert_eq!(patched(patch).unwrap(), names, "{patch}");
        }
        for patch in [
            "",
            "nothing",
            "+++ b/x",
            "--- \"a/\\303\"\n+++ \"b/\\303\"\n",
            "--- src/infra/x\n+++ src/infra/x\n",
            "--- b/dir/x\n+++ b/dir/x\n",
            "diff --git \"a/x\" \"b/x\"\n",
            "diff --git a/x b/y b/z\n",
        ] {
            assert_eq!(patched(patch).unwrap_err().code(), "PATCH_INVALID", "{patch}");
        }
    }

    #[test]
    fn a_star_is_each_element_and_an_absent_value_keeps_its_place() {
        let doc = br#"{"files":[{"path":"a","text":"1"},{"path":"b"},{"path":"c","text":"3"}],"*":{"x":7}}"#;
        let doc = Doc::parse(doc, Limits::DOCUMENT).unwrap();
        let texts = |pointer: &str| -> Vec<Option<String>> {
            let values = found(Some(doc.root()), pointer).into_iter();
            values.map(|it| it.map(|it| it.raw().to_owned())).collect()
        };
        let of = |it: &str| Some(it.to_owned());
        assert_eq!(texts("/files/*/path"), [of("\"a\""), of("\"b\""), of("\"c\"")]);
        assert_eq!(texts("/files/*/text"), [of("\"1\""), None, of("\"3\"")]);
        assert_eq!(texts("/*/x"), [of("7")], "of an object, it is a name");
        assert_eq!(texts("/none/deep"), [None]);
    }
}
