//! Texts and values as literals of other languages. Whatever a registry says, it cannot end its literal.

use std::fmt::Write as _;

use serde_json::Value;

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

/// How a language writes what is no text.
pub(super) struct Words {
    pub(super) null: &'static str,
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    /// How a key is written that would otherwise not be one.
    special: fn(&str) -> Option<String>,
}

/// In an object that is written out, `__proto__` is no key.
pub(super) const TYPESCRIPT: Words = Words {
    null: "null",
    yes: "true",
    no: "false",
    special: |key| (key == "__proto__").then(|| format!("[{}]", text(key))),
};

pub(super) const PYTHON: Words =
    Words { null: "None", yes: "True", no: "False", special: |_| None };

impl Words {
    /// A key of an object.
    pub(super) fn key(&self, key: &str) -> String {
        (self.special)(key).unwrap_or_else(|| text(key))
    }

    /// A value on one line.
    pub(super) fn value(&self, value: &Value) -> String {
        match value {
            Value::Null => self.null.to_owned(),
            Value::Bool(true) => self.yes.to_owned(),
            Value::Bool(false) => self.no.to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(it) => text(it),
            Value::Array(items) => format!("[{}]", joined(items.iter().map(|it| self.value(it)))),
            Value::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|(key, it)| format!("{}: {}", self.key(key), self.value(it)));
                format!("{{{}}}", joined(members))
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::{TYPESCRIPT, is_hidden, text};

    proptest! {
        #[test]
        fn no_text_can_end_its_literal(said in any::<String>()) {
            for said in [said.clone(), format!("{said}\"\\\u{2028}\n${{}}*/'''")] {
                let literal = text(&said);
                prop_assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), said);
                prop_assert!(!literal.chars().any(|it| it.is_ascii_control() || is_hidden(it)));
            }
        }
    }

    #[test]
    fn every_key_is_a_key() {
        let value = serde_json::json!({ "__proto__": [true, null], "a\"b": 1.5 });
        assert_eq!(TYPESCRIPT.value(&value), r#"{["__proto__"]: [true, null], "a\"b": 1.5}"#);
    }
}
