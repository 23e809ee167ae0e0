//! Reads a unified diff, as `diff -u` and git write it. Any text gives a patch, or the line that is wrong.

use super::{Action, BadPatch, FilePatch, Hunk, HunkLine, LineFate, Patch};

/// Beginnings of lines that say nothing that we need.
const KNOWN: &[&str] = &["diff ", "index ", "Index: ", "====", "similarity ", "-- "];
/// Beginnings of lines that ask for what a patch does not do here, and what does.
const REFUSED: &[(&str, &str)] = &[
    ("rename ", "files are not renamed by a patch; use the tool move"),
    ("copy ", "files are not copied by a patch; write the copy as a new file"),
    ("old mode", "permissions are not changed here"),
    ("GIT binary patch", "binary files are not patched; use write_file"),
    ("Binary files", "binary files are not patched; use write_file"),
];
/// Where a file is not.
const NOWHERE: &str = "/dev/null";

/// Reads a unified diff.
pub fn read(text: &str) -> Result<Patch, BadPatch> {
    let mut reader = PatchReader { lines: text.split('\n').collect(), at: 0 };
    // What follows the last line break is no line.
    if reader.lines.last() == Some(&"") {
        reader.lines.pop();
    }
    let mut files: Vec<FilePatch> = Vec::new();
    let mut announced = None;
    while let Some(line) = reader.peek() {
        let line = line.trim_end_matches('\r');
        if let Some((_, why)) = REFUSED.iter().find(|it| line.starts_with(it.0)) {
            return Err(reader.wrong(*why));
        }
        if line.starts_with("new file mode") || line.starts_with("deleted file mode") {
            announced = Some(reader.at);
        } else if line.starts_with("--- ")
            && reader.ahead(1).is_some_and(|it| it.starts_with("+++ "))
        {
            announced = None;
            let file = reader.file()?;
            if files.iter().any(|it| it.path == file.path) {
                return Err(reader.wrong("the same file stands in the patch twice"));
            }
            files.push(file);
            continue;
        } else if let (Some(at), true) = (announced, line.starts_with("diff ")) {
            return Err(without_text(at));
        } else if line.starts_with("@@ ") {
            return Err(
                reader.wrong("a hunk without the lines `--- a/file` and `+++ b/file` before it")
            );
        } else if !files.is_empty() && !is_known(line) {
            return Err(
                reader.wrong("the line belongs to no hunk; is the count in `@@` too small?")
            );
        }
        reader.at += 1;
    }
    if let Some(at) = announced {
        return Err(without_text(at));
    }
    if files.is_empty() {
        reader.at = 0;
        return Err(reader.wrong("no file: a unified diff has `--- a/file` and `+++ b/file` lines"));
    }
    Ok(Patch { files })
}

fn is_known(line: &str) -> bool {
    line.trim().is_empty() || line == "--" || KNOWN.iter().any(|it| line.starts_with(it))
}

fn without_text(at: usize) -> BadPatch {
    let reason = "a file without lines; use write_file or remove".to_owned();
    BadPatch { line: at + 1, reason }
}

struct PatchReader<'t> {
    lines: Vec<&'t str>,
    at: usize,
}

impl<'t> PatchReader<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Option<&'t str> {
        self.lines.get(self.at + by).copied()
    }

    fn wrong(&self, reason: impl Into<String>) -> BadPatch {
        BadPatch { line: self.at + 1, reason: reason.into() }
    }

    /// Both names of a file, and its hunks.
    fn file(&mut self) -> Result<FilePatch, BadPatch> {
        let old = self.name("--- ")?;
        self.at += 1;
        let new = self.name("+++ ")?;
        let (path, action) = match (old, new) {
            (NOWHERE, NOWHERE) => return Err(self.wrong("a file that is nowhere")),
            (NOWHERE, new) => (new.strip_prefix("b/").unwrap_or(new), Action::Create),
            (old, NOWHERE) => (old.strip_prefix("a/").unwrap_or(old), Action::Delete),
            (old, new) => match (old.strip_prefix("a/"), new.strip_prefix("b/")) {
                (Some(a), Some(b)) if a == b => (b, Action::Change),
                _ if old == new => (new, Action::Change),
                _ => return Err(self.wrong("two names; files are not renamed by a patch")),
            },
        };
        self.at += 1;
        let mut hunks = Vec::new();
        while self.peek().is_some_and(|it| it.starts_with("@@ ")) {
            hunks.push(self.hunk()?);
        }
        if hunks.is_empty() {
            return Err(self.wrong("a hunk must follow: `@@ -1,3 +1,4 @@`"));
        }
        let adds_only = |it: &Hunk| it.lines.iter().all(|it| it.fate == LineFate::Comes);
        if action == Action::Create && !hunks.iter().all(adds_only) {
            return Err(self.wrong("a new file has lines with `+` only"));
        }
        Ok(FilePatch { path: path.to_owned(), action, hunks })
    }

    /// The name behind a mark; what follows a tab is a time.
    fn name(&self, mark: &str) -> Result<&'t str, BadPatch> {
        let line = self.peek().unwrap_or_default();
        let name = line.strip_prefix(mark).unwrap_or_default();
        let name = name.split('\t').next().unwrap_or_default().trim_end();
        if name.is_empty() {
            return Err(self.wrong("the name of the file is missing"));
        }
        if name.starts_with('"') {
            return Err(self.wrong("write the name of the file without quotes"));
        }
        Ok(name)
    }

    fn hunk(&mut self) -> Result<Hunk, BadPatch> {
        let header = self.peek().unwrap_or_default();
        let Some((start, [mut old, mut new])) = counts(header) else {
            return Err(self.wrong("a hunk begins with `@@ -LINE,COUNT +LINE,COUNT @@`"));
        };
        let mut hunk = Hunk { at: self.at + 1, start, lines: Vec::new() };
        self.at += 1;
        while old > 0 || new > 0 {
            let Some(line) = self.peek() else {
                let reason =
                    format!("the hunk ends early: {old} old and {new} new lines are missing");
                return Err(self.wrong(reason));
            };
            let (mark, text) = match line.chars().next() {
                // Editors cut the blank that marks an empty line.
                None => (' ', ""),
                Some(mark) => (mark, line.get(mark.len_utf8()..).unwrap_or_default()),
            };
            let (fate, counted) = match mark {
                ' ' => (LineFate::Stays, take(&mut old).and(take(&mut new))),
                '-' => (LineFate::Goes, take(&mut old)),
                '+' => (LineFate::Comes, take(&mut new)),
                _ => {
                    return Err(
                        self.wrong("a line of a hunk begins with a blank, `-`, `+` or `\\`")
                    );
                }
            };
            if counted.is_none() {
                return Err(self.wrong("the hunk has more lines than its `@@` says"));
            }
            self.at += 1;
            let has_break = !self.skip_no_break();
            if !has_break && text.is_empty() {
                return Err(self.wrong("without text and line break there is no line"));
            }
            hunk.lines.push(HunkLine { fate, text: text.to_owned(), has_break });
        }
        if hunk.lines.iter().all(|it| it.fate == LineFate::Stays) {
            return Err(BadPatch { line: hunk.at, reason: "the hunk changes nothing".to_owned() });
        }
        for side in [LineFate::Goes, LineFate::Comes] {
            let mut lines =
                hunk.lines.iter().filter(|it| it.fate == LineFate::Stays || it.fate == side);
            if lines.any(|it| !it.has_break) && lines.next().is_some() {
                let reason = "a line without a line break can only be the last".to_owned();
                return Err(BadPatch { line: hunk.at, reason });
            }
        }
        Ok(hunk)
    }

    /// Whether the line before has no line break: `\ No newline at end of file`.
    fn skip_no_break(&mut self) -> bool {
        let is_said = self.peek().is_some_and(|it| it.starts_with('\\'));
        self.at += usize::from(is_said);
        is_said
    }
}

fn take(left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    Some(())
}

/// The first old line, and how many old and new lines there are: `@@ -3,2 +3,4 @@`.
fn counts(header: &str) -> Option<(usize, [usize; 2])> {
    let rest = header.strip_prefix("@@ -")?;
    let (ranges, _) = rest.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let ((start, old), (_, new)) = (range(old)?, range(new)?);
    Some((start, [old, new]))
}

/// A first line and a count; the count is 1 if it is not there.
fn range(text: &str) -> Option<(usize, usize)> {
    let number = |it: &str| it.bytes().all(|it| it.is_ascii_digit()).then(|| it.parse().ok())?;
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}
