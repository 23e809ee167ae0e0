//! `Kept`: a copy of arguments that is quick to make, since every call makes one and few need it.

use std::fmt::Write as _;

use redress_wire::json::{Members, write_list, write_str};
use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// Arguments: their parts in order, and all of their texts in one.
#[derive(Debug)]
pub(super) struct Kept {
    parts: Vec<ValuePart>,
    texts: String,
}

#[derive(Debug)]
enum ValuePart {
    Null,
    Bool(bool),
    Number(Number),
    /// Its length.
    Text(usize),
    /// How many items follow.
    Array(usize),
    /// How many members follow, each a text and a value.
    Object(usize),
}

impl Kept {
    pub(super) fn new(object: &JsonObject) -> Self {
        let mut kept = Self {
            parts: Vec::with_capacity(2 * object.len() + 1),
            texts: String::with_capacity(128),
        };
        kept.object(object);
        kept
    }

    fn object(&mut self, object: &JsonObject) {
        self.parts.push(ValuePart::Object(object.len()));
        for (key, value) in object {
            self.text(key);
            self.value(value);
        }
    }

    fn text(&mut self, text: &str) {
        self.parts.push(ValuePart::Text(text.len()));
        self.texts.push_str(text);
    }

    /// Values of a request nest no deeper than serde reads.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.parts.push(ValuePart::Null),
            Value::Bool(it) => self.parts.push(ValuePart::Bool(*it)),
            Value::Number(it) => self.parts.push(ValuePart::Number(it.clone())),
            Value::String(it) => self.text(it),
            Value::Array(it) => {
                self.parts.push(ValuePart::Array(it.len()));
                for item in it {
                    self.value(item);
                }
            }
            Value::Object(it) => self.object(it),
        }
    }

    /// Appends them as JSON.
    pub(super) fn write(&self, out: &mut String) {
        Rest { parts: self.parts.iter(), texts: &self.texts }.write(out);
    }
}

/// What is still to be written.
struct Rest<'k> {
    parts: std::slice::Iter<'k, ValuePart>,
    texts: &'k str,
}

impl<'k> Rest<'k> {
    fn text(&mut self, length: usize) -> &'k str {
        let (text, rest) = self.texts.split_at_checked(length).unwrap_or_default();
        self.texts = rest;
        text
    }

    fn key(&mut self) -> &'k str {
        match self.parts.next() {
            Some(ValuePart::Text(length)) => self.text(*length),
            _ => "",
        }
    }

    fn write(&mut self, out: &mut String) {
        match self.parts.next() {
            None | Some(ValuePart::Null) => out.push_str("null"),
            Some(ValuePart::Bool(it)) => out.push_str(if *it { "true" } else { "false" }),
            Some(ValuePart::Number(it)) => write!(out, "{it}").unwrap_or_default(),
            Some(ValuePart::Text(length)) => write_str(out, self.text(*length)),
            Some(ValuePart::Array(count)) => write_list(out, 0..*count, |_, out| self.write(out)),
            Some(ValuePart::Object(count)) => {
                let mut members = Members::open(out);
                for _ in 0..*count {
                    let key = self.key();
                    self.write(members.key(key));
                }
                members.close();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Kept;

    #[test]
    fn what_is_kept_is_what_was_given() {
        let given = json!({
            "path": "a \"b\"\n", "": null, "ä": [true, [], {}, -1, 2.5, u64::MAX],
            "deep": {"x": {"y": ["z", ""]}, "n": false}, "last": "ö",
        });
        let mut out = String::new();
        Kept::new(given.as_object().unwrap()).write(&mut out);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), given);
        assert_eq!(out, given.to_string());
    }
}
