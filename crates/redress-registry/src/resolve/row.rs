//! One row: a `[code.X]` as written, its defaults filled in, as an [`Entry`].

use serde_json::Value;

use super::{MAX_NUMBER, number};
use crate::{
    Alias, Deprecated, Effect, Entry, NextStep, Param, ParamType, Retry, RetryKind, Severity,
    Spanned, Stability,
    draft::{DraftCode, DraftDefaults, DraftNext, DraftParam, Written},
    name,
    problems::{Problems, cut, quoted},
    template::{self, Part},
};

/// Every placeholder is looked up among the parameters, so their number is bounded.
const MAX_PARAMS: usize = 64;

/// The row, without the names that its registry gives it.
pub(super) fn entry(
    code: &DraftCode,
    defaults: &DraftDefaults,
    problems: &mut Problems,
) -> Option<Entry> {
    if code.params.len() > MAX_PARAMS {
        let message = format!("A code has at most {MAX_PARAMS} parameters.");
        problems.add(code.name.span.start, message);
        return None;
    }
    let params: Vec<_> = code.params.iter().map(|it| param(&it.value, problems)).collect();
    let number = checked_number(code.number.as_ref(), problems);
    let http = http(code.http.as_ref(), problems);
    let next = next(code, &params, problems);
    let mut row = Required { name: &code.name, problems };
    let domain = row.text("domain", code.domain.as_ref());
    let class = row.any("class", code.class.as_ref());
    let title = row.text("title", code.title.as_ref());
    let message = row.text("message", code.message.as_ref());
    let hint = row.text("hint", code.hint.as_ref());
    if let Some(message) = &code.message {
        checked_template(&message.value, message.span.start, &params, problems);
    }
    let class = class?;
    Some(Entry {
        registry: "".into(),
        code: "".into(),
        number,
        domain: domain?.into(),
        class,
        http: http.unwrap_or(class.http()),
        retry: code.retry.written().unwrap_or(Retry::of(RetryKind::Never)),
        effect: code.effect.written().or(defaults.effect.written()).unwrap_or(Effect::None),
        severity: code
            .severity
            .written()
            .or(defaults.severity.written())
            .unwrap_or(Severity::Error),
        title: title?,
        message: message?,
        hint: hint?,
        next,
        similar: code.similar.written(),
        params,
        explain: code.explain.written().unwrap_or_default(),
        example: code.example.written().unwrap_or_default(),
        since: code.since.written().or(defaults.since.written()),
        stability: code
            .stability
            .written()
            .or(defaults.stability.written())
            .unwrap_or(Stability::Draft),
        deprecated: code.deprecated.as_ref().map(|it| Deprecated {
            since: it.value.since.written().unwrap_or_default(),
            reason: it.value.reason.written().unwrap_or_default(),
            to: it.value.to.written(),
            until: it.value.until.written(),
        }),
        alias: code.alias.iter().filter_map(|(dialect, it)| alias(dialect, it, problems)).collect(),
    })
}

/// A number, or `None` with a problem if it is out of range.
pub(super) fn checked_number(
    written: Option<&Spanned<i64>>,
    problems: &mut Problems,
) -> Option<u32> {
    let written = written?;
    let number = number(written.value);
    if number.is_none() {
        let message = format!("`number` must be from 1 to {MAX_NUMBER}, not {}.", written.value);
        problems.add(written.span.start, message);
    }
    number
}

/// What a row cannot be without.
struct Required<'a> {
    name: &'a Spanned<String>,
    problems: &'a mut Problems,
}

impl Required<'_> {
    fn text(&mut self, key: &str, field: Option<&Spanned<String>>) -> Option<String> {
        let written = self.any(key, field)?;
        if written.trim().is_empty() {
            self.missing(key);
            return None;
        }
        Some(written)
    }

    fn any<T: Clone>(&mut self, key: &str, field: Option<&Spanned<T>>) -> Option<T> {
        if field.is_none() {
            self.missing(key);
        }
        field.map(|it| it.value.clone())
    }

    fn missing(&mut self, key: &str) {
        let message = format!("{} has no `{key}`.", quoted(&self.name.value));
        self.problems.add(self.name.span.start, message);
    }
}

fn http(written: Option<&Spanned<i64>>, problems: &mut Problems) -> Option<u16> {
    let written = written?;
    let status = u16::try_from(written.value).ok().filter(|it| (400..=599).contains(it));
    if status.is_none() {
        let message = format!("`http` must be from 400 to 599, not {}.", written.value);
        problems.add(written.span.start, message);
    }
    status
}

fn param(param: &DraftParam, problems: &mut Problems) -> Param {
    if !name::is_param(&param.name.value) {
        let message = format!(
            "{} is not a parameter name: a-z, 0-9 and underscores, at most 64.",
            quoted(&param.name.value)
        );
        problems.add(param.name.span.start, message);
    }
    let max_chars = param.max_chars.as_ref().and_then(|it| {
        let most = u32::try_from(it.value).ok().filter(|it| *it > 0);
        if most.is_none() {
            problems.add(it.span.start, "`max_chars` is out of range.".to_owned());
        }
        most
    });
    Param {
        name: param.name.value.as_str().into(),
        kind: param.kind.written().unwrap_or(ParamType::String),
        doc: param.doc.written().unwrap_or_default(),
        required: param.required.written().unwrap_or(true),
        values: param.values.iter().map(|it| it.value.clone()).collect(),
        untrusted: param.untrusted.written().unwrap_or_default(),
        secret: param.secret.written().unwrap_or_default(),
        max_chars,
    }
}

fn alias(
    dialect: &Spanned<String>,
    spellings: &[Spanned<String>],
    problems: &mut Problems,
) -> Option<Alias> {
    if spellings.is_empty() {
        let message = format!("`alias.{}` has no spelling.", cut(&dialect.value));
        problems.add(dialect.span.start, message);
        return None;
    }
    let spellings = spellings.iter().map(|it| it.value.clone()).collect();
    Some(Alias { dialect: dialect.value.as_str().into(), spellings })
}

fn next(code: &DraftCode, params: &[Param], problems: &mut Problems) -> Vec<NextStep> {
    code.next.iter().filter_map(|it| step(it, params, problems)).collect()
}

pub(super) fn step(
    next: &Spanned<DraftNext>,
    params: &[Param],
    problems: &mut Problems,
) -> Option<NextStep> {
    if let Some(args) = &next.value.args {
        for arg in args.value.values() {
            checked_argument(arg, args.span.start, params, problems);
        }
    }
    if next.value.tool.is_none() {
        problems.add(next.span.start, "`next` names no `tool`.".to_owned());
    }
    Some(NextStep {
        tool: next.value.tool.written()?,
        args: next.value.args.written().unwrap_or_default(),
    })
}

/// Strings in arguments are templates, at any depth. The reader bounded the depth.
fn checked_argument(arg: &Value, at: usize, params: &[Param], problems: &mut Problems) {
    match arg {
        Value::String(text) => checked_template(text, at, params, problems),
        Value::Array(items) => {
            for it in items {
                checked_argument(it, at, params, problems);
            }
        }
        Value::Object(map) => {
            for it in map.values() {
                checked_argument(it, at, params, problems);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(super) fn checked_template(text: &str, at: usize, params: &[Param], problems: &mut Problems) {
    for part in template::parts(text) {
        match part {
            Ok(Part::Text(_)) => {}
            Ok(Part::Param(name)) => checked_placeholder(name, at, params, problems),
            Err(error) => problems.add(at, format!("The template cannot be read: {error}.")),
        }
    }
}

fn checked_placeholder(name: &str, at: usize, params: &[Param], problems: &mut Problems) {
    match params.iter().find(|it| &*it.name == name) {
        Some(param) if param.secret => {
            problems.add(at, format!("{{{name}}} is secret and must not be shown."));
        }
        Some(_) => {}
        None => {
            let meant = problems.nearest(name, params.iter().map(|it| &*it.name));
            problems.add_meant(at, format!("{{{name}}} is not a declared parameter."), meant);
        }
    }
}
