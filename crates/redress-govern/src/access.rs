//! `FileAccess`: the files that a call names, in arguments and in patches, and their new content where that is known.

use std::borrow::Cow;

use redress::{Fault, codes};
use redress_wire::{
    frame::is_respelled,
    json::{Kind, Value},
};

use crate::{
    argument,
    manifest::ToolPolicy,
    root::{Root, invalid},
};

/// The most paths of one call.
const MOST_PATHS: usize = 1_000;

/// The files of one call.
#[derive(Debug, Default)]
pub(crate) struct FileAccess<'c> {
    /// The paths, below the root; those of a patch come last.
    pub(crate) paths: Vec<String>,
    /// The new contents of the files, in the order of the paths.
    contents: Vec<Option<Cow<'c, str>>>,
}

impl<'c> FileAccess<'c> {
    /// The files of a call, as far as its contract says which arguments name them.
    pub(crate) fn of(
        tool: &ToolPolicy,
        arguments: Option<Value<'c>>,
        root: &Root,
    ) -> Result<Self, Box<Fault>> {
        let mut access = Self::default();
        for pointer in &tool.paths {
            for value in led_to(arguments, pointer)?.into_iter().flatten() {
                match value.kind() {
                    Kind::Array => {
                        for value in value.elements() {
                            access.add(&text(value, pointer)?, pointer, root)?;
                        }
                    }
                    _ => access.add(&text(value, pointer)?, pointer, root)?,
                }
            }
        }
        if let Some(pointer) = &tool.content {
            let values = led_to(arguments, pointer)?.into_iter();
            access.contents = values.map(|it| it.and_then(Value::as_str)).collect();
        }
        if let Some(pointer) = &tool.patch {
            for patch in led_to(arguments, pointer)?.into_iter().flatten() {
                for path in patched(&text(patch, pointer)?)? {
                    access.add(path, pointer, root)?;
                }
            }
        }
        Ok(access)
    }

    fn add(&mut self, path: &str, pointer: &str, root: &Root) -> Result<(), Box<Fault>> {
        if self.paths.len() >= MOST_PATHS {
            return Err(invalid(pointer, "it names too many paths"));
        }
        self.paths.push(root.below(path)?);
        Ok(())
    }

    /// Each path with what its file becomes. Where it is unknown which content is whose, each may be any one's.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let is_paired = self.contents.len() == self.paths.len();
        let every = self.contents.len().max(1);
        self.paths.iter().enumerate().flat_map(move |(at, path)| {
            let range = if is_paired { at..at + 1 } else { 0..every };
            range.map(move |at| (path.as_str(), self.contents.get(at).and_then(Option::as_deref)))
        })
    }
}

/// The values that a pointer leads to; none where it leads nowhere that a server would look.
pub(crate) fn found<'c>(arguments: Option<Value<'c>>, pointer: &str) -> Vec<Option<Value<'c>>> {
    led_to(arguments, pointer).unwrap_or_default()
}

/// The values that a pointer leads to; one that is not there has its place where it would be one of several. What has another shape than the
/// pointer says is refused: a server may find in it what we did not see.
fn led_to<'c>(
    arguments: Option<Value<'c>>,
    pointer: &str,
) -> Result<Vec<Option<Value<'c>>>, Box<Fault>> {
    let is_there = |it: &Value<'c>| !it.is_null();
    let mut values = vec![arguments.filter(is_there)];
    let mut way = 0;
    for step in pointer.split('/').skip(1) {
        let field = pointer.get(..way).unwrap_or_default();
        let mut next = Vec::with_capacity(values.len());
        for value in values {
            match value {
                None => next.push(None),
                Some(it) if step == "*" => {
                    is_of(it, Kind::Array, "array", field)?;
                    next.extend(it.elements().map(Some));
                }
                Some(it) => {
                    is_of(it, Kind::Object, "object", field)?;
                    next.push(member(it, &unescaped(step), pointer)?);
                }
            }
        }
        values = next.into_iter().map(|it| it.filter(is_there)).collect();
        way += step.len() + 1;
    }
    Ok(values)
}

fn is_of(value: Value<'_>, kind: Kind, expected: &str, field: &str) -> Result<(), Box<Fault>> {
    if value.kind() == kind {
        return Ok(());
    }
    let field = if field.is_empty() { "/arguments" } else { field };
    let params = [("field", field), ("expected", expected)];
    Err(Box::new(codes::INVALID_INPUT_TYPE.raise(params)))
}

/// A member, unless there is one beside it that readers who fold case take for it.
fn member<'c>(
    object: Value<'c>,
    name: &str,
    pointer: &str,
) -> Result<Option<Value<'c>>, Box<Fault>> {
    let mut found = None;
    for (key, value) in object.members() {
        let key = key.as_str().unwrap_or_default();
        if *key == *name {
            found = Some(value);
        } else if is_respelled(name, &key) {
            let expected = format!("the name {name} spelled as here, and no other spelling of it");
            let params = [("field", pointer), ("expected", expected.as_str())];
            return Err(Box::new(codes::INVALID_INPUT_FORMAT.raise(params)));
        }
    }
    Ok(found)
}

/// A name in a pointer as it is in an object.
fn unescaped(name: &str) -> Cow<'_, str> {
    if name.contains('~') {
        return name.replace("~1", "/").replace("~0", "~").into();
    }
    name.into()
}

fn text<'c>(value: Value<'c>, pointer: &str) -> Result<Cow<'c, str>, Box<Fault>> {
    value.as_str().ok_or_else(|| Box::new(argument::mistyped(pointer, "text")))
}

/// What is before a name in the lines of patches that say what becomes of files.
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
    let mut fault = codes::PATCH_INVALID.raise([("reason", reason)]);
    fault.because(reason);
    Box::new(fault)
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::{found, led_to, patched};

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
        let doc = br#"{"files":[{"path":"a","text":"1"},{"path":"b"},{"path":"c","text":"3"}]}"#;
        let doc = Doc::parse(doc, Limits::DOCUMENT).unwrap();
        let texts = |pointer: &str| -> Vec<Option<String>> {
            let values = found(Some(doc.root()), pointer).into_iter();
            values.map(|it| it.map(|it| it.raw().to_owned())).collect()
        };
        let of = |it: &str| Some(it.to_owned());
        assert_eq!(texts("/files/*/path"), [of("\"a\""), of("\"b\""), of("\"c\"")]);
        assert_eq!(texts("/files/*/text"), [of("\"1\""), None, of("\"3\"")]);
        assert_eq!(texts("/none/deep"), [None]);
        assert_eq!(texts("/none/*/deep"), [None]);
    }

    #[test]
    fn what_a_pointer_would_miss_is_refused() {
        let code = |arguments: &str| {
            let doc = Doc::parse(arguments.as_bytes(), Limits::DOCUMENT).unwrap();
            let of = |pointer| led_to(Some(doc.root()), pointer).map(drop);
            let led = of("/path").and_then(|()| of("/files/*/path"));
            led.map_or_else(|it| it.code().to_owned(), |()| "fine".to_owned())
        };
        for (arguments, verdict) in [
            (r#"{"path":"a","files":[{"path":"b"}]}"#, "fine"),
            (r#"{"path":null,"files":null}"#, "fine"),
            (r#"{"files":[]}"#, "fine"),
            (r#"{"files":[{"text":"a"},null]}"#, "fine"),
            (r#"{"content":"a","PATHS":"b","pat":1}"#, "fine"),
            (r#"{"path":"a","Path":"../x"}"#, "INVALID_INPUT_FORMAT"),
            (r#"{"PATH":"../x"}"#, "INVALID_INPUT_FORMAT"),
            (r#"{"path":"a","p\u0041th":"../x"}"#, "INVALID_INPUT_FORMAT"),
            (r#"{"FILES":[{"path":"../x"}]}"#, "INVALID_INPUT_FORMAT"),
            (r#"{"file\u017f":[{"path":"../x"}]}"#, "INVALID_INPUT_FORMAT"),
            (r#"{"files":[{"path":"a"},{"Path":"../x"}]}"#, "INVALID_INPUT_FORMAT"),
            (r#"{"files":{"0":{"path":"../x"}}}"#, "INVALID_INPUT_TYPE"),
            (r#"{"files":{"*":{"path":"a"}}}"#, "INVALID_INPUT_TYPE"),
            (r#"{"files":[[{"path":"../x"}]]}"#, "INVALID_INPUT_TYPE"),
            (r#"{"files":"../x"}"#, "INVALID_INPUT_TYPE"),
            (r#"{"files":["../x"]}"#, "INVALID_INPUT_TYPE"),
        ] {
            assert_eq!(code(arguments), verdict, "{arguments}");
        }
    }
}
