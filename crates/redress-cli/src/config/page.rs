//! `docs/reference/configuration.md`: what was written by hand, and every key of the file below it.

use std::fmt::Write as _;

use super::{
    kind::{Key, TableShape, ValueKind},
    shape,
};

/// The page. The text before the keys is `page.md` beside this file.
pub fn page() -> String {
    let mut text = include_str!("page.md").to_owned();
    let file = shape();
    for key in &file.keys {
        match &key.kind {
            ValueKind::Table(shape) => section(&mut text, &format!("[{}]", key.name), shape, &file),
            ValueKind::Named(shape) => {
                section(&mut text, &format!("[{}.NAME]", key.name), shape, &file);
            }
            _ => (),
        }
    }
    text
}

/// A table of the file, its keys, and the tables below it.
fn section(text: &mut String, title: &str, shape: &TableShape, file: &TableShape) {
    let (below, keys): (Vec<&Key>, Vec<&Key>) = shape
        .keys
        .iter()
        .partition(|it| matches!(it.kind, ValueKind::Table(_) | ValueKind::Named(_)));
    write!(
        text,
        "\n## `{title}`\n\n{}\n\n| key | value | default | meaning | example |\n| --- | --- | --- | --- | --- |\n",
        shape.about
    )
    .unwrap_or_default();
    for key in keys {
        row(text, key);
    }
    let path = title.trim_end_matches(']');
    for key in below {
        let is_general = file.keys.iter().any(|it| it.name == key.name);
        match &key.kind {
            ValueKind::Named(shape) => {
                section(text, &format!("{path}.{}.NAME]", key.name), shape, file);
            }
            _ if is_general => {
                write!(
                    text,
                    "\n`{path}.{}]`: {} Keys that it does not have are as there.\n",
                    key.name, key.meaning
                )
                .unwrap_or_default();
            }
            ValueKind::Table(shape) => section(text, &format!("{path}.{}]", key.name), shape, file),
            _ => (),
        }
    }
}

fn row(text: &mut String, key: &Key) {
    let default = key.default.as_ref().map(|it| format!("`{it}`")).unwrap_or_default();
    let mut meaning = key.meaning.to_owned();
    if let ValueKind::Choice(values) = &key.kind {
        for (name, its_meaning) in values.iter().filter(|it| !it.1.is_empty()) {
            write!(meaning, " `{name}`: {its_meaning}.").unwrap_or_default();
        }
    }
    let (name, words, example) = (key.name, key.words(), key.example);
    writeln!(text, "| `{name}` | {words} | {default} | {meaning} | `{example}` |")
        .unwrap_or_default();
}
