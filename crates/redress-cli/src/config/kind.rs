//! `ValueKind`: what may stand behind a key, in words and as JSON Schema.

use std::ops::RangeInclusive;

use serde_json::{Value as Json, json};

/// A table of the file: what it is for, and its keys.
#[derive(Debug, Clone)]
pub(crate) struct TableShape {
    /// A few sentences.
    pub(crate) about: &'static str,
    /// In the order of the declaration.
    pub(crate) keys: Vec<Key>,
}

/// A key of a table.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// What it means.
    pub(crate) meaning: &'static str,
    pub(crate) kind: ValueKind,
    /// Which numbers it takes.
    pub(crate) range: Option<RangeInclusive<u64>>,
    /// What holds without it, as TOML.
    pub(crate) default: Option<String>,
    /// A value, as TOML.
    pub(crate) example: &'static str,
}

/// What may stand behind a key.
#[derive(Debug, Clone)]
pub(crate) enum ValueKind {
    Flag,
    Number,
    /// A string, of a kind that these words name.
    Text(&'static str),
    /// A text, a whole number, true or false.
    Scalar,
    /// One of these, each with its meaning.
    Choice(Vec<(&'static str, &'static str)>),
    /// A flag, or one of these.
    FlagOr(Vec<(&'static str, &'static str)>),
    List(Box<Self>),
    /// A list, or this word.
    ListOr(Box<Self>, &'static str),
    /// A table from any name to a value.
    Map(Box<Self>),
    /// A table with known keys.
    Table(TableShape),
    /// Tables with known keys, each under a name of its own.
    Named(TableShape),
}

impl ValueKind {
    /// What it is, for the page.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Text(words) => (*words).to_owned(),
            Self::Scalar => "text, number, `true` or `false`".to_owned(),
            Self::Choice(values) => {
                let names: Vec<_> = values.iter().map(|it| format!("`\"{}\"`", it.0)).collect();
                names.join(", ")
            }
            Self::FlagOr(values) => {
                let names: Vec<_> = values.iter().map(|it| format!("`\"{}\"`", it.0)).collect();
                format!("`true`, `false` or {}", names.join(", "))
            }
            Self::List(item) => format!("list: {}", item.words()),
            Self::ListOr(item, word) => format!("list: {}, or `\"{word}\"`", item.words()),
            Self::Map(value) => format!("table: name to {}", value.words()),
            Self::Table(_) | Self::Named(_) => "table".to_owned(),
        }
    }

    fn schema(&self) -> Json {
        match self {
            Self::Flag => json!({ "type": "boolean" }),
            Self::Number => json!({ "type": "integer" }),
            Self::Text(_) => json!({ "type": "string" }),
            Self::Scalar => json!({ "type": ["string", "integer", "boolean"] }),
            Self::Choice(values) => {
                let one = |it: &(&str, &str)| json!({ "const": it.0, "description": it.1 });
                json!({ "type": "string", "oneOf": values.iter().map(one).collect::<Vec<_>>() })
            }
            Self::FlagOr(values) => {
                json!({ "oneOf": [Self::Flag.schema(), Self::Choice(values.clone()).schema()] })
            }
            Self::List(item) => json!({ "type": "array", "items": item.schema() }),
            Self::ListOr(item, word) => {
                json!({ "oneOf": [Self::List(item.clone()).schema(), { "const": word }] })
            }
            Self::Map(value) => {
                json!({ "type": "object", "additionalProperties": value.schema() })
            }
            Self::Table(shape) => shape.schema(),
            Self::Named(shape) => {
                json!({ "type": "object", "additionalProperties": shape.schema() })
            }
        }
    }
}

impl TableShape {
    /// JSON Schema of the table.
    pub(crate) fn schema(&self) -> Json {
        let properties: serde_json::Map<_, _> =
            self.keys.iter().map(|it| (it.name.to_owned(), it.schema())).collect();
        json!({
            "type": "object",
            "description": self.about,
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

impl Key {
    /// Which values it takes, for the page.
    pub(crate) fn words(&self) -> String {
        let range = self.range.as_ref().map(|it| format!(" {} to {}", it.start(), it.end()));
        self.kind.words() + &range.unwrap_or_default()
    }

    fn schema(&self) -> Json {
        let mut schema = self.kind.schema();
        let Some(members) = schema.as_object_mut() else { return schema };
        members.insert("description".to_owned(), self.meaning.into());
        if let Some(range) = &self.range {
            members.insert("minimum".to_owned(), (*range.start()).into());
            members.insert("maximum".to_owned(), (*range.end()).into());
        }
        if let Some(default) = &self.default
            && let Ok(default) = serde_json::from_str(default)
        {
            members.insert("default".to_owned(), default);
        }
        schema
    }
}
