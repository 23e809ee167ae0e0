//! The lines that an edit writes, in the order and the alignment of the format's own examples.

use serde_json::Value as Json;
use toml_edit::{Array, InlineTable, Key, Value};

use super::{Deprecation, NewCode, Retirement};
use crate::{Effect, Retry};

/// `[code.X]` with what is known of it.
pub(super) fn row(key: &str, new: &NewCode, since: &str) -> String {
    let mut lines = Lines::header("code", key);
    lines.maybe("number", new.number.map(i64::from));
    lines.put("domain", new.domain.as_str());
    lines.put("class", new.class.name());
    lines.put("retry", retry(new.retry));
    lines.maybe("effect", new.effect.map(Effect::name));
    lines.put("title", new.title.as_str());
    lines.put("message", new.message.as_str());
    lines.put("hint", new.hint.as_str());
    for (name, kind, doc) in &new.params {
        let param = inline([("type", Some(kind.name().into())), ("doc", Some(doc.into()))]);
        lines.put(&format!("params.{}", Key::new(name.as_str()).display_repr()), param);
    }
    if !new.example.is_empty() {
        let values = new.example.iter().filter_map(|(name, it)| Some((name, toml(it)?)));
        lines.put("example", values.collect::<InlineTable>());
    }
    lines.put("since", since);
    lines.maybe("explain", new.explain.as_deref());
    lines.0
}

/// `deprecated = …`, a line inside a row.
pub(super) fn deprecated(deprecation: &Deprecation) -> String {
    let mut lines = Lines(String::new());
    let told = inline([
        ("since", Some(deprecation.since.as_str().into())),
        ("reason", Some(deprecation.reason.as_str().into())),
        ("to", deprecation.to.as_deref().map(Into::into)),
        ("until", deprecation.until.as_deref().map(Into::into)),
    ]);
    lines.put("deprecated", told);
    lines.0
}

/// `[retired.X]`.
pub(super) fn tombstone(key: &str, number: Option<i64>, retirement: &Retirement) -> String {
    let mut lines = Lines::header("retired", key);
    lines.maybe("number", number);
    lines.put("since", retirement.since.as_str());
    lines.put("why", retirement.why.as_str());
    lines.maybe("to", retirement.to.as_deref());
    lines.0
}

/// A rule is its kind, unless it says more.
fn retry(retry: Retry) -> Value {
    if retry == Retry::of(retry.kind) {
        return retry.kind.name().into();
    }
    inline([
        ("kind", Some(retry.kind.name().into())),
        ("after_ms", retry.after_ms.and_then(|it| i64::try_from(it).ok()).map(Into::into)),
        ("max", retry.max.map(|it| i64::from(it).into())),
    ])
}

/// A JSON value as TOML writes it, which has no null.
fn toml(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(it) => (*it).into(),
        Json::Number(it) => {
            it.as_i64().map(Value::from).or_else(|| it.as_f64().map(Value::from))?
        }
        Json::String(it) => it.into(),
        Json::Array(items) => items.iter().filter_map(toml).collect::<Array>().into(),
        Json::Object(members) => {
            let members = members.iter().filter_map(|(key, it)| Some((key, toml(it)?)));
            members.collect::<InlineTable>().into()
        }
    })
}

fn inline<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
    members.collect::<InlineTable>().into()
}

/// Keys of a table, their values aligned.
struct Lines(String);

impl Lines {
    fn header(table: &str, row: &str) -> Self {
        Self(format!("\n[{table}.{}]\n", Key::new(row).display_repr()))
    }

    fn put(&mut self, key: &str, value: impl Into<Value>) {
        let value: Value = value.into();
        self.0.extend([&format!("{key:7} = "), value.to_string().trim(), "\n"]);
    }

    fn maybe(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }
}
