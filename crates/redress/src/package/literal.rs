//! Texts and values as literals of other languages. Whatever a registry says, it cannot end its literal.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// A text as a literal in double quotes, which means the same in JSON, TypeScript and Python.
///
/// What a reader of the code could not see is escaped. Beyond U+FFFF the languages escape differently, so that stays.
pub(super) fn text(text: &str) -> String {
    seen(&Value::from(text).to_string())
}

/// JSON with every character escaped that a reader could not see.
pub(super) fn seen(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for it in json.chars() {
        if is_hidden(it) {
            _ = write!(out, "\\u{:04x}", u32::from(it));
        } else {
            out.push(it);
        }
    }
    out
}

/// How a language writes what has no text.
pub(super) struct Words {
    pub(super) null: &'static str,
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
}

pub(super) const TYPESCRIPT: Words = Words { null: "null", yes: "true", no: "false" };
pub(super) const PYTHON: Words = Words { null: "None", yes: "True", no: "False" };

/// A value as a literal on one line.
pub(super) fn value(value: &Value, words: &Words) -> String {
    match value {
        Value::Null => words.null.to_owned(),
        Value::Bool(true) => words.yes.to_owned(),
        Value::Bool(false) => words.no.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(it) => text(it),
        Value::Array(items) => {
            format!("[{}]", joined(items.iter().map(|it| self::value(it, words))))
        }
        Value::Object(members) => object(members, words),
    }
}

fn object(members: &Map<String, Value>, words: &Words) -> String {
    let members = members.iter().map(|(key, it)| format!("{}: {}", text(key), value(it, words)));
    format!("{{{}}}", joined(members))
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Characters up to U+FFFF that are not seen, or that some readers take for the end of a line.
fn is_hidden(it: char) -> bool {
    matches!(it,
        '\u{7f}'..='\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}')
}
