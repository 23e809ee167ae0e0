//! Tier two: the `[[match]]` rows of a contract. They name a failure, and say that an answer which flags nothing is one.

use redress_registry::{Registry, taught::Sample};

use super::{
    evidence::Evidence,
    tier::{Finding, Source, Tier},
};
use crate::outcome::What;
use redress_wire::json::{Doc, Kind, Limits, Value};

/// What a row of the contract says of an answer.
pub(super) fn read<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let rows = &evidence.registry.matches;
    if rows.rows().is_empty() {
        return None;
    }
    let message = match &evidence.outcome.what {
        What::Answer(message) => Some(*message),
        _ => None,
    };
    // Of a JSON-RPC error, its message alone is the text; its data is JSON.
    let stated = message.and_then(|it| it.path(&["error", "message"])?.as_str());
    let text = stated.as_deref().unwrap_or(&evidence.said.text);
    let trimmed = text.trim();
    let inner =
        trimmed.starts_with(['{', '[']).then(|| Doc::parse(trimmed.as_bytes(), Limits::DOCUMENT));
    let inner = inner.and_then(Result::ok);
    let structured = message.and_then(|it| it.path(&["result", "structuredContent"]));
    let documents = [inner.as_ref().map(Doc::root), structured, evidence.said.data];
    let has = |pointer: &str, wanted: &serde_json::Value| {
        let mut values = documents.into_iter().flatten().filter_map(|it| behind(it, pointer));
        values.any(|it| is_same(it, wanted))
    };
    let sample = Sample {
        tool: evidence.asked.tool.as_deref().unwrap_or_default(),
        text,
        rpc_code: evidence.said.rpc(),
        status: evidence.said.http,
        has: &has,
    };
    let fit = rows.find(&sample, evidence.source == Source::Silent)?;
    let rule = format!("match {}", fit.number);
    let captures = fit.captures;
    let effect = fit.row.effect;
    Some(Finding { effect, captures, ..Finding::new(Tier::Taught, rule, fit.row.code.clone()) })
}

/// Whether a contract can say of an answer that flags nothing that it failed.
pub(super) fn has_silent(registry: &Registry) -> bool {
    registry.matches.has_silent()
}

/// The value behind a JSON pointer.
fn behind<'v>(value: Value<'v>, pointer: &str) -> Option<Value<'v>> {
    let Some(steps) = pointer.strip_prefix('/') else {
        return pointer.is_empty().then_some(value);
    };
    steps.split('/').try_fold(value, |value, step| match value.kind() {
        Kind::Array => value.elements().nth(step.parse().ok()?),
        _ => value.get(&step.replace("~1", "/").replace("~0", "~")),
    })
}

fn is_same(value: Value<'_>, wanted: &serde_json::Value) -> bool {
    match wanted.as_str() {
        Some(text) => value.as_str().is_some_and(|it| it == text),
        None => {
            serde_json::from_str::<serde_json::Value>(value.raw()).is_ok_and(|it| it == *wanted)
        }
    }
}
