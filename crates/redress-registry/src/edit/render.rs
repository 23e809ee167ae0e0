//! The lines that an edit writes, in the order and the alignment of the format's own examples.

use serde_json::Value as Json;
use toml_edit::{Array, InlineTable, Key, Value};

use super::{NewCode, NewFile, Retirement};
use crate::{Deprecated, Effect, NextStep, Param, Retry, Severity, Stability, read::FORMAT};

/// A whole file; its domains are those of its rows.
pub(super) fn file(new: &NewFile) -> String {
    let mut lines = AlignedKeys(String::new());
    lines.put("format", FORMAT);
    lines.0.push_str("\n[registry]\n");
    lines.put("name", new.name.as_str());
    lines.put("version", new.version.as_str());
    lines.maybe("extends", list(&new.extends));
    let mut domains: Vec<&str> = Vec::new();
    for code in &new.codes {
        if !domains.contains(&code.domain.as_str()) {
            domains.push(&code.domain);
        }
    }
    lines.0.extend(domains.into_iter().map(|it| AlignedKeys::header("domain", it).0));
    let since = |it: &NewCode| it.since.clone().unwrap_or_else(|| new.version.clone());
    lines.0.extend(new.codes.iter().map(|it| row(&it.code, it, &since(it))));
    lines.0
}

/// `[code.X]` with what is known of it.
pub(super) fn row(key: &str, new: &NewCode, since: &str) -> String {
    let mut lines = AlignedKeys::header("code", key);
    lines.maybe("number", new.number.map(i64::from));
    lines.put("domain", new.domain.as_str());
    lines.put("class", new.class.name());
    lines.maybe("http", new.http.map(i64::from));
    lines.put("retry", retry(new.retry));
    lines.maybe("effect", new.effect.map(Effect::name));
    lines.maybe("severity", new.severity.map(Severity::name));
    lines.put("title", new.title.as_str());
    lines.put("message", new.message.as_str());
    lines.put("hint", new.hint.as_str());
    if !new.next.is_empty() {
        lines.put("next", new.next.iter().map(step).collect::<Array>());
    }
    lines.maybe("similar", new.similar.as_deref());
    for it in &new.params {
        lines.put(&format!("params.{}", Key::new(&*it.name).display_repr()), param(it));
    }
    if !new.example.is_empty() {
        let values = new.example.iter().filter_map(|(name, it)| Some((name, toml(it)?)));
        lines.put("example", values.collect::<InlineTable>());
    }
    lines.put("since", since);
    lines.maybe("stability", new.stability.map(Stability::name));
    lines.maybe("explain", new.explain.as_deref());
    lines.0
}

/// `deprecated = …`, a line inside a row.
pub(super) fn deprecated(deprecation: &Deprecated) -> String {
    let mut lines = AlignedKeys(String::new());
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
    let mut lines = AlignedKeys::header("retired", key);
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

fn step(next: &NextStep) -> Value {
    let args = next.args.iter().filter_map(|(key, it)| Some((key, toml(it)?)));
    let args = (!next.args.is_empty()).then(|| args.collect::<InlineTable>().into());
    inline([("tool", Some(next.tool.as_str().into())), ("args", args)])
}

fn param(param: &Param) -> Value {
    let flag = |it: bool| it.then(|| true.into());
    inline([
        ("type", Some(param.kind.name().into())),
        ("doc", Some(param.doc.as_str().into())),
        ("required", (!param.required).then(|| false.into())),
        ("enum", list(&param.values)),
        ("untrusted", flag(param.untrusted)),
        ("secret", flag(param.secret)),
        ("max_chars", param.max_chars.map(|it| i64::from(it).into())),
    ])
}

/// A list, unless it is empty.
fn list(values: &[String]) -> Option<Value> {
    let values: Array = values.iter().map(String::as_str).collect();
    (!values.is_empty()).then(|| values.into())
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
struct AlignedKeys(String);

impl AlignedKeys {
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
