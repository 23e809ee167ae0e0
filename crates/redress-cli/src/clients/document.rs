//! `Entry`: a server in the configuration of a client, with the places of its command in the text, so that an edit changes nothing
//! else.

mod json;
pub(crate) mod remote;
mod toml;

#[cfg(test)]
mod tests;

use std::{ops::Range, path::Path};

pub(crate) use self::remote::Remote;
use super::{Client, FileFormat};

/// A server in a file.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name in its table.
    pub(crate) name: String,
    /// Its table, as keys.
    pub(crate) table: Vec<String>,
    pub(crate) shape: Shape,
}

/// What an entry starts.
#[derive(Debug)]
pub(crate) enum Shape {
    Command(Box<Command>),
    Remote(Box<Remote>),
    /// Nothing that a gate can be put before, and why.
    Other(&'static str),
}

/// A command in the text of a file.
#[derive(Debug)]
pub(crate) struct Command {
    /// The program; `None` if it is the first word of the list.
    pub(crate) program: Option<Word>,
    /// The arguments.
    pub(crate) list: Option<List>,
    /// The text that would come between the program and a list of arguments.
    pub(crate) before_list: String,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) cwd: Option<String>,
    /// The entry of a remote server that this one was, and the place of the whole entry.
    pub(crate) old: Option<(Range<usize>, String)>,
}

/// A quoted text in a file.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(crate) range: Range<usize>,
    pub(crate) value: String,
}

/// A list of quoted texts in a file; its range has both brackets.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) range: Range<usize>,
    pub(crate) words: Vec<Word>,
}

/// A part of a text that is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// Why a file cannot be read, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) offset: usize,
    pub(crate) problem: String,
}

/// The servers that a file names.
pub(crate) fn entries(client: &Client, text: &str) -> Result<Vec<Entry>, Unread> {
    match client.format {
        FileFormat::Json => json::entries(text, client),
        FileFormat::Toml => toml::entries(text, client.keys),
        FileFormat::Yaml => Ok(Vec::new()),
    }
}

/// The text with all edits made. None of them overlap.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|it| (it.range.start, it.range.end));
    let mut out = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for edit in edits {
        out.push_str(part(text, at..edit.range.start));
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(part(text, at..text.len()));
    out
}

/// A part of a text; empty if it is none.
pub(crate) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

impl Command {
    /// The command line.
    pub(crate) fn words(&self) -> Vec<&str> {
        let list = self.list.iter().flat_map(|it| &it.words);
        self.program.iter().chain(list).map(|it| it.value.as_str()).collect()
    }

    /// Whether a gate is before it already.
    pub(crate) fn is_wrapped(&self) -> bool {
        let words = self.words();
        let program = words.first().map(Path::new).and_then(Path::file_stem);
        program.is_some_and(|it| it == "redress") && words.get(1) == Some(&"run")
    }

    /// The command behind the gate.
    pub(crate) fn inner(&self) -> Option<Vec<&str>> {
        let words = self.words();
        let dashes = words.iter().position(|it| *it == "--").filter(|_| self.is_wrapped())?;
        words.get(dashes + 1..).filter(|it| !it.is_empty()).map(<[_]>::to_vec)
    }

    /// What puts a gate before it. The words that are there stay as they are written.
    pub(crate) fn wrap(&self, text: &str, gate: &str, name: Option<&str>) -> Vec<Edit> {
        let quote = |it: &str| serde_json::Value::from(it).to_string();
        let mut words = vec![quote("run")];
        if let Some(name) = name {
            words.extend([quote("--name"), quote(name)]);
        }
        words.push(quote("--"));
        let Some(program) = &self.program else {
            words.insert(0, quote(gate));
            return self.list.iter().map(|it| it.insert(text, &words)).collect();
        };
        words.push(part(text, program.range.clone()).to_owned());
        let of_program = Edit { range: program.range.clone(), text: quote(gate) };
        let of_list = match &self.list {
            Some(list) => list.insert(text, &words),
            None => {
                let at = program.range.end;
                let list = format!("{}[ {} ]", self.before_list, words.join(", "));
                Edit { range: at..at, text: list }
            }
        };
        vec![of_program, of_list]
    }

    /// What takes the gate away again: after [`Self::wrap`] the text is the one before it, byte for byte. `None` if the command that
    /// is gated is not here.
    pub(crate) fn unwrap(&self, text: &str) -> Option<Vec<Edit>> {
        if let Some((range, old)) = &self.old {
            return Some(vec![Edit { range: range.clone(), text: old.clone() }]);
        }
        let list = self.list.as_ref()?;
        let dashes = list.words.iter().position(|it| it.value == "--")?;
        let inner = list.words.get(dashes + 1)?;
        let Some(program) = &self.program else {
            return Some(vec![list.remove_before(inner)]);
        };
        let raw = part(text, inner.range.clone()).to_owned();
        let of_program = Edit { range: program.range.clone(), text: raw };
        let of_list = match list.words.get(dashes + 2) {
            Some(kept) => list.remove_before(kept),
            None if self.is_list_made(text, program, list) => {
                Edit { range: program.range.end..list.range.end, text: String::new() }
            }
            None => {
                let first = list.words.first().map_or(list.range.start + 1, |it| it.range.start);
                Edit { range: first..inner.range.end, text: String::new() }
            }
        };
        Some(vec![of_program, of_list])
    }

    /// Whether the whole list was added by [`Self::wrap`]: its layout says so.
    fn is_list_made(&self, text: &str, program: &Word, list: &List) -> bool {
        let words = list.words.iter().map(|it| part(text, it.range.clone()));
        let made = format!("{}[ {} ]", self.before_list, words.collect::<Vec<_>>().join(", "));
        part(text, program.range.end..list.range.end) == made
    }
}

impl List {
    /// Puts words before all others, in the layout of the list.
    fn insert(&self, text: &str, words: &[String]) -> Edit {
        let open = self.range.start + 1;
        let Some(first) = self.words.first() else {
            return Edit { range: open..open, text: words.join(", ") };
        };
        let at = first.range.start;
        let gap = part(text, open..at);
        let gap = if gap.contains('\n') && gap.trim().is_empty() { gap } else { " " };
        let text = words.iter().flat_map(|it| [it, ",", gap]).collect();
        Edit { range: at..at, text }
    }

    /// Takes away all words before one.
    fn remove_before(&self, kept: &Word) -> Edit {
        let first = self.words.first().unwrap_or(kept);
        Edit { range: first.range.start..kept.range.start, text: String::new() }
    }
}

/// The text from the start of a line to a place, if there is nothing but white space.
fn indent(text: &str, at: usize) -> Option<&str> {
    let before = part(text, 0..at);
    let line = before.rfind('\n').map_or(before, |it| part(before, it + 1..at));
    line.trim().is_empty().then_some(line)
}

/// How the line before a place ends.
fn line_end(text: &str, at: usize) -> &'static str {
    let before = part(text, 0..at);
    let is_crlf = before.rfind('\n').is_some_and(|it| part(before, 0..it).ends_with('\r'));
    if is_crlf { "\r\n" } else { "\n" }
}
