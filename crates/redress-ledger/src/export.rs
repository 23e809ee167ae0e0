//! Records for other programs: JSON lines as they stand, or a table.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use redress_wire::json::Value;

use crate::{
    query::{Counted, member},
    reader::{Entry, ReadError},
    record::Kind,
};

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The lines of the ledger, byte by byte, so that they can still be verified.
    JsonLines,
    /// A table with one row a record, for spreadsheets.
    Csv,
}

/// The columns after those that every record has.
const COLUMNS: [&str; 9] =
    ["code", "class", "effect", "origin", "server", "tool", "session_id", "request_id", "message"];

/// Writes records and says how many could not be read.
pub fn export(
    entries: impl IntoIterator<Item = Result<Entry, ReadError>>,
    format: Format,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let mut damaged = 0;
    if format == Format::Csv {
        writeln!(out, "time,chain,seq,kind,hash,{}", COLUMNS.join(","))?;
    }
    for entry in entries {
        match (entry, format) {
            (Err(_), _) => damaged += 1,
            (Ok(entry), Format::JsonLines) => writeln!(out, "{}", entry.text)?,
            (Ok(entry), Format::Csv) => write_row(&entry, out)?,
        }
    }
    Ok(damaged)
}

fn write_row(entry: &Entry, out: &mut dyn Write) -> io::Result<()> {
    let Entry { time, chain, seq, kind, hash, .. } = entry;
    let cells = |object: Value<'_>| match kind {
        Kind::Refusals => COLUMNS.map(|key| cell(&counted(object, key)).into_owned()),
        _ => COLUMNS
            .map(|key| member(object, key).map_or_else(String::new, |it| cell(&it).into_owned())),
    };
    let cells = entry.with(cells).unwrap_or_default();
    writeln!(out, "{time},{chain},{seq},{},{hash},{}", kind.name(), cells.join(","))
}

/// What a record of counts says in a column: a name if all have the same, and the counts as the message.
fn counted(object: Value<'_>, key: &str) -> String {
    if key == "message" {
        let name = |it: Counted<'_>| it.get("code").unwrap_or_default().into_owned();
        let all: Vec<_> =
            Counted::all(object).map(|it| format!("{} {}", it.count, name(it))).collect();
        return all.join(", ");
    }
    let mut names = Counted::all(object).map(|it| it.get(key));
    let first = names.next().flatten();
    let is_same = names.all(|it| it == first);
    first.filter(|_| is_same).unwrap_or_default().into_owned()
}

/// A cell in quotes where it needs them. A text that a spreadsheet would take for a formula gets a quote before it.
fn cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if !is_formula && !text.contains([',', '"', '\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let guard = if is_formula { "'" } else { "" };
    Cow::Owned(format!("\"{guard}{}\"", text.replace('"', "\"\"")))
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_is_never_a_formula_or_two_cells() {
        assert_eq!(cell("plain text"), "plain text");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("say \"no\"\n"), "\"say \"\"no\"\"\n\"");
        assert_eq!(cell("=cmd()"), "\"'=cmd()\"");
        assert_eq!(cell("@x"), "\"'@x\"");
    }
}
