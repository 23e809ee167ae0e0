//! Raising a fault: parameters fill the message, the next calls and `details`; a bad one is dropped, never fatal.

use std::{fmt::Write as _, sync::Arc};

use redress_registry::{
    Entry, Param, ParamType, RetryKind,
    template::{Part, parts},
};

use super::{Fault, NextAction};
use crate::text;
use redress_wire::json::{Doc, Kind, Limits, Members, RawJson, Value};

/// The longest value of a parameter in a sentence, where its row sets no limit.
pub(crate) const MAX_SHOWN_CHARS: usize = 120;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamValue(RawJson);

impl ParamValue {
    /// Its JSON.
    pub const fn json(&self) -> &RawJson {
        &self.0
    }
}

impl From<&str> for ParamValue {
    fn from(value: &str) -> Self {
        Self(RawJson::string(value))
    }
}

impl From<String> for ParamValue {
    fn from(value: String) -> Self {
        Self(RawJson::string(&value))
    }
}

impl From<RawJson> for ParamValue {
    fn from(value: RawJson) -> Self {
        Self(value)
    }
}

macro_rules! from_display {
    ($($number:ty),+) => {$(
        impl From<$number> for ParamValue {
            fn from(value: $number) -> Self {
                Self(RawJson::written(value.to_string()))
            }
        }
    )+};
}
from_display!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, bool);

pub(super) fn raise<K: AsRef<str>>(
    entry: &Arc<Entry>,
    given: impl Iterator<Item = (K, ParamValue)>,
) -> Fault {
    let mut fault = Fault::of(entry);
    let mut values: Vec<(&Param, RawJson)> = Vec::new();
    for (name, ParamValue(value)) in given {
        match entry.param(name.as_ref()) {
            None => fault.private.drop_part(name.as_ref(), "the row declares no such parameter"),
            Some(param) if !fits(param.kind, &value) => {
                fault
                    .private
                    .drop_part(name.as_ref(), "the value has another type than the row says");
            }
            Some(param) => values.push((param, bounded(param, value))),
        }
    }
    for param in entry.params.iter().filter(|it| it.required) {
        if !values.iter().any(|(it, _)| it.name == param.name) {
            fault.private.drop_part(&param.name, "the row requires it and nobody gave it");
        }
    }
    fault.message = fill(entry, &values);
    fault.next_actions = entry.next.iter().filter_map(|step| next_action(step, &values)).collect();
    fault.details = details(entry, &values);
    if let Some(after_ms) = waits(&values).filter(|_| fault.retry.kind == RetryKind::AfterDelay) {
        fault.retry.after_ms = Some(after_ms);
    }
    fault
}

/// The row's message with the fault's details as parameters; the title where the message needs one that they lack.
pub(super) fn message_of(fault: &Fault) -> String {
    fill(fault.entry(), &values_of(fault))
}

/// The row's next calls with the fault's details as parameters.
pub(super) fn next_actions_of(fault: &Fault) -> Vec<NextAction> {
    let values = values_of(fault);
    fault.entry().next.iter().filter_map(|step| next_action(step, &values)).collect()
}

/// The members of the details that the row declares, where they have its types.
fn values_of(fault: &Fault) -> Vec<(&Param, RawJson)> {
    let declared = |details: Value<'_>| {
        let params = fault.entry().params.iter();
        let all = params.filter_map(|it| Some((it, RawJson::from(details.get(&it.name)?))));
        all.filter(|(param, value)| fits(param.kind, value)).collect()
    };
    fault.details.as_ref().and_then(|it| it.with(declared)).unwrap_or_default()
}

/// What the row says when no parameter is known: its message, or its title where the message needs one.
pub(super) fn plain_message(entry: &Entry) -> String {
    fill(entry, &[])
}

/// The value of a parameter that can have no other.
fn only_value<'e>(entry: &'e Entry, name: &str) -> Option<&'e str> {
    match entry.param(name)?.values.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// How long this occurrence asks to wait, where a parameter says so.
fn waits(values: &[(&Param, RawJson)]) -> Option<u64> {
    values.iter().find_map(|(param, value)| match &*param.name {
        "retry_after_ms" => value.as_str().parse().ok(),
        "retry_after" => value.as_str().parse::<u64>().ok()?.checked_mul(1_000),
        _ => None,
    })
}

/// The template with its parameters; the title where one is absent that it needs, since half a sentence is no help.
fn fill(entry: &Entry, values: &[(&Param, RawJson)]) -> String {
    let mut out = String::with_capacity(entry.message.len() + 32);
    for part in parts(&entry.message).map_while(Result::ok) {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Param(name) => match values.iter().find(|(it, _)| &*it.name == name) {
                Some((param, value)) => out.push_str(&shown(param, value)),
                None => match only_value(entry, name) {
                    Some(only) => out.push_str(only),
                    None => return format!("{}.", entry.title),
                },
            },
        }
    }
    out
}

/// A value inside a sentence: what we do not trust is in quotes and is cut.
fn shown(param: &Param, value: &RawJson) -> String {
    let most = param.max_chars.map_or(MAX_SHOWN_CHARS, |it| it as usize);
    let plain = value.text();
    if param.untrusted { text::quote(&plain, most) } else { text::cut(&plain, most).into_owned() }
}

fn bounded(param: &Param, value: RawJson) -> RawJson {
    match param.max_chars {
        Some(most) if param.kind == ParamType::String => {
            let plain = value.text();
            if plain.chars().count() <= most as usize {
                return value;
            }
            RawJson::string(&text::cut(&plain, most as usize))
        }
        _ => value,
    }
}

fn fits(kind: ParamType, value: &RawJson) -> bool {
    let is = |json: Kind| value.kind() == json;
    match kind {
        ParamType::String => is(Kind::String),
        ParamType::Integer => is(Kind::Number) && !value.as_str().contains(['.', 'e', 'E']),
        ParamType::Number => is(Kind::Number),
        ParamType::Boolean => is(Kind::Bool),
        ParamType::Array => is(Kind::Array),
        ParamType::Object => is(Kind::Object),
    }
}

/// The parameters as an object, in the row's order; secret ones never leave.
fn details(entry: &Entry, values: &[(&Param, RawJson)]) -> Option<RawJson> {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    for param in entry.params.iter().filter(|it| !it.secret) {
        if let Some((_, value)) = values.iter().find(|(it, _)| it.name == param.name) {
            members.raw(&param.name, value.as_str());
        }
    }
    members.close();
    (out != "{}").then(|| RawJson::written(out))
}

/// A call that helps, unless it names a parameter that is absent or not to be trusted.
fn next_action(
    step: &redress_registry::NextStep,
    values: &[(&Param, RawJson)],
) -> Option<NextAction> {
    if step.args.is_empty() {
        return Some(NextAction::Call { tool: step.tool.clone(), args: None });
    }
    let mut args = String::from("{");
    for (at, (name, value)) in step.args.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let key = json_string(name);
        let value = match value.as_str() {
            Some(template) => argument(template, values)?,
            None => value.to_string(),
        };
        write!(args, "{comma}{key}:{value}").ok()?;
    }
    args.push('}');
    let limits = Limits::DOCUMENT;
    let args = Doc::parse(args.as_bytes(), limits).ok().map(|doc| RawJson::from(doc.root()))?;
    Some(NextAction::Call { tool: step.tool.clone(), args: Some(args) })
}

/// One string argument: a lone placeholder keeps the value's own type.
fn argument(template: &str, values: &[(&Param, RawJson)]) -> Option<String> {
    let trusted =
        |name: &str| values.iter().find(|(it, _)| &*it.name == name && !it.untrusted && !it.secret);
    let all: Vec<Part<'_>> = parts(template).map_while(Result::ok).collect();
    if let [Part::Param(name)] = all.as_slice() {
        return trusted(name).map(|(_, value)| value.as_str().to_owned());
    }
    let mut text = String::new();
    for part in all {
        match part {
            Part::Text(plain) => text.push_str(plain),
            Part::Param(name) => text.push_str(&trusted(name)?.1.text()),
        }
    }
    Some(json_string(&text))
}

fn json_string(text: &str) -> String {
    RawJson::string(text).as_str().to_owned()
}
