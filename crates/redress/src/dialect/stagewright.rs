//! `stagewright`: `ok: false`, the text, the code, the hint, and what the answer costs in `_meta`; also the shape of its successes.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry};

use super::{
    Dialect, Kept, Lookup, Refusal, Shape, Stamp, boxed, close, is_yes, opt_text, row_of, text_of,
    unregistered,
};
use crate::fault::{Fault, NextAction, fields};
use redress_wire::json::{Doc, Kind, Limits, Members, RawJson, Value, write_str};

const META: &str = "_meta";

/// Arguments that nest deeper stay text, so that they fit into every other envelope.
const MAX_ARGS_NESTING: usize = 32;

/// A longer answer is sent as text only.
const MAX_STRUCTURED_CHARS: usize = 50_000;

pub(super) struct Stagewright;

impl Shape for Stagewright {
    fn described(&self) -> [&'static str; 2] {
        [
            "`ok: false`, `error`, `code`, `hint`, `retryable`, `http`, `_meta`",
            "JSON text and `structuredContent`",
        ]
    }

    fn precedence(&self) -> u8 {
        2
    }

    fn is_structured(&self, envelope: &str) -> bool {
        envelope.encode_utf16().count() <= MAX_STRUCTURED_CHARS
    }

    fn home(&self) -> Option<&'static str> {
        Some("stagewright")
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        let is_own = *row.registry == *Dialect::Stagewright.name() || row.code.contains('.');
        is_own.then_some(Cow::Borrowed(&row.code))
    }

    fn fallback(&self, class: Class) -> &'static str {
        match class {
            Class::InvalidArgument | Class::OutOfRange => "BAD_ARGUMENT",
            Class::DeadlineExceeded => "OPERATION_TIMEOUT",
            Class::Unimplemented => "NOT_IMPLEMENTED",
            _ => "INTERNAL_ERROR",
        }
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        doc.get("ok").and_then(Value::as_bool) == Some(false)
    }

    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>> {
        doc.get("code")?.as_str()
    }

    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal> {
        let row = row_of(doc, "code", Dialect::Stagewright, lookup);
        row.or_else(|refusal| unregistered(doc, "code").ok_or(refusal))
    }

    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal> {
        fault.message = text_of(doc, "error")?.into_owned();
        if let Some(hint) = opt_text(doc, "hint") {
            fault.hint = hint;
        }
        let usual = Dialect::Stagewright.told_retry(fault).retryable();
        if let Some(retryable) = doc.get("retryable").map(is_yes).filter(|it| *it != usual) {
            fault.set_retryable(retryable);
        }
        let usual = u64::from(Dialect::Stagewright.told_http(fault));
        let is_usual = |key: &str, it: &Value<'_>| key == "http" && it.as_u64() == Some(usual);
        for key in ["http", "similar_refs", "details"] {
            let value = doc.get(key).filter(|it| !is_usual(key, it));
            if let (Some(field), Some(value)) = (fields::get(key), value) {
                (field.read)(fault, Some(value));
            }
        }
        if fault.class == Class::Unknown && doc.get("http").is_some() {
            // The row says nothing of it, so that the status says more.
            fault.class = Class::of_http(fault.http);
        }
        fault.elapsed_ms = doc.path(&[META, "elapsed_ms"]).and_then(Value::as_u64);
        fault.context.session_id = doc.get(META).and_then(|it| opt_text(it, "session_id"));
        let actions = doc.get("next_actions").into_iter().flat_map(Value::elements);
        fault.next_actions = actions.filter_map(Value::as_str).map(|it| action(&it)).collect();
        Ok(())
    }

    fn write(&self, fault: &Fault, _: Stamp<'_>, residue: &str, out: &mut String) {
        let start = out.len();
        let mut members = Members::open(out);
        members
            .bool("ok", false)
            .str("error", &fault.message)
            .str("code", &Dialect::Stagewright.spelling_of(fault))
            .str("hint", &fault.hint)
            .bool("retryable", Dialect::Stagewright.told_retry(fault).retryable())
            .int("http", Dialect::Stagewright.told_http(fault));
        let mut rest = String::new();
        write_rest(fault, residue, &mut rest);
        let cost = units(out.get(start..).unwrap_or_default()) + units(&rest);
        let session = fault.context.session_id.as_deref();
        out.push_str(",\"_meta\":");
        write_meta(tokens(cost), fault.elapsed_ms.unwrap_or_default(), session, out);
        out.push_str(&rest);
    }

    fn keeps(&self) -> &'static Kept {
        &Kept {
            whole: &["/message", "/hint", "/similar_refs", "/context/session_id", "/elapsed_ms"],
            weakened: &["/code", "/contract", "/http", "/retry", "/next_actions", "/details"],
            invented: &["/hint", "/retry", "/elapsed_ms"],
        }
    }

    fn inner(&self) -> &'static [&'static [&'static str]] {
        &[&[META]]
    }
}

/// The answer of a tool that worked: its data, then `ok` and `_meta`. A key `ok` of the data keeps its place.
///
/// `None` if the data is no object.
pub fn success(data: Value<'_>, elapsed_ms: u64, session_id: Option<&str>) -> Option<String> {
    if data.kind() != Kind::Object {
        return None;
    }
    let mut out = String::with_capacity(data.raw().len() + 96);
    let mut members = Members::open(&mut out);
    let mut has_ok = false;
    for (key, value) in data.members().filter(|(key, _)| !key.is_str(META)) {
        if key.is_str("ok") {
            members.bool("ok", true);
            has_ok = true;
        } else {
            let key = key.as_str().unwrap_or_default();
            members.raw(&key, RawJson::from(value).as_str());
        }
    }
    if !has_ok {
        members.bool("ok", true);
    }
    let cost = units(&out) + 1;
    out.push_str(",\"_meta\":");
    write_meta(tokens(cost), elapsed_ms, session_id, &mut out);
    out.push('}');
    Some(out)
}

/// What a value costs by the seed's rule: a quarter of its characters, counted as JavaScript does, at least one.
/// A string is measured as it is, without quotes; nothing costs nothing.
pub fn estimate(value: Option<Value<'_>>) -> u64 {
    match value {
        None => 0,
        Some(value) if value.is_null() => 0,
        Some(value) => match value.as_str() {
            Some(text) => tokens(units(&text)),
            None => tokens(units(RawJson::from(value).as_str())),
        },
    }
}

/// The members after `_meta`, with the commas before them, and the end.
fn write_rest(fault: &Fault, residue: &str, out: &mut String) {
    let mut members = Members::more(out);
    if !fault.next_actions.is_empty() {
        let list = members.key("next_actions");
        for (at, action) in fault.next_actions.iter().enumerate() {
            list.push(if at == 0 { '[' } else { ',' });
            write_str(list, &sentence(action));
        }
        list.push(']');
    }
    if !fault.similar_refs.is_empty() {
        let list = members.key("similar_refs");
        for (at, similar) in fault.similar_refs.iter().enumerate() {
            list.push(if at == 0 { '[' } else { ',' });
            list.push_str(similar.json().as_str());
        }
        list.push(']');
    }
    if let Some(details) = &fault.details {
        members.raw("details", &boxed(details));
    }
    close(members, residue);
}

fn write_meta(tokens: u64, elapsed_ms: u64, session_id: Option<&str>, out: &mut String) {
    let mut members = Members::open(out);
    members
        .int("estimated_tokens", tokens)
        .int("elapsed_ms", elapsed_ms)
        .opt_str("session_id", session_id);
    members.close();
}

/// `tool({…})` for a call, the sentence itself for advice.
fn sentence(action: &NextAction) -> Cow<'_, str> {
    match action {
        NextAction::Text(text) => Cow::Borrowed(text),
        NextAction::Call { tool, args: None } => Cow::Owned(format!("{tool}()")),
        NextAction::Call { tool, args: Some(args) } => Cow::Owned(format!("{tool}({args})")),
    }
}

/// A call where the text is exactly what we would write for one, else the sentence.
fn action(text: &str) -> NextAction {
    let call = || {
        let (tool, rest) = text.split_once('(')?;
        let args = rest.strip_suffix(')')?;
        let is_name = |it: char| it.is_ascii_alphanumeric() || "_-./:".contains(it);
        if tool.is_empty() || !tool.chars().all(is_name) {
            return None;
        }
        if args.is_empty() {
            return Some(NextAction::Call { tool: tool.to_owned(), args: None });
        }
        let limits = Limits { nesting: MAX_ARGS_NESTING, ..Limits::DOCUMENT };
        let json = RawJson::from(Doc::parse(args.as_bytes(), limits).ok()?.root());
        let is_ours = json.kind() == Kind::Object && json.as_str() == args;
        is_ours.then(|| NextAction::Call { tool: tool.to_owned(), args: Some(json) })
    };
    call().unwrap_or_else(|| NextAction::Text(text.to_owned()))
}

fn tokens(units: usize) -> u64 {
    u64::try_from(units.div_ceil(4)).unwrap_or(u64::MAX)
}

/// Length in UTF-16, as JavaScript counts.
fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}
