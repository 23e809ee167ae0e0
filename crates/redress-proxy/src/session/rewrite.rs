//! How an answer that is a failure is dressed: by an answer of ours, or with an envelope in the server's own line.

use std::{borrow::Cow, ops::Range};

use redress::{
    classify::Failure,
    emit::{clean_document, clean_text},
};
use redress_ledger::Redactor;
use redress_wire::json::{Doc, Kind, RawJson, Value, write_str};

use super::{
    Context,
    tasks::{self, TaskFailure},
    verdict::{UpstreamAnswer, ambiguous},
};
use crate::{
    answer::{ErrorObject, Insertion, place_in_error, place_in_result},
    exchange::{Method, Request},
    fault_template::Rewrite,
    frame::{Shape, limits, span, splice},
    pending_fault::ReplyBody,
    settings::Mode,
};

/// An error whose data says where a person must go: what it needs is in there.
const URL_ELICITATION_REQUIRED: i32 = -32_042;

/// How an answer that is a failure is dressed.
pub(super) fn rewrite_answer(
    cx: Context<'_>,
    request: &Request,
    answer: &UpstreamAnswer<'_, '_>,
    failure: &Failure,
) -> Rewrite {
    let Some(payload) = answer.frame.payload else { return Rewrite::Made };
    let mode = cx.server.settings.mode;
    let is_rewritten = mode == Mode::Enforce && failure.certain;
    if mode == Mode::Observe {
        return Rewrite::AsItIs;
    }
    // ResponseExtras our envelope, the same key in another place could hold a forged one.
    if ambiguous(request.method, answer.frame.shape, payload).is_some() {
        return Rewrite::Made;
    }
    if tasks::inner(request.method, payload).is_some() {
        return rewrite_state(cx, payload, payload.offset(), is_rewritten);
    }
    let is_call = matches!(request.method, Method::ToolsCall | Method::TaskResult);
    match answer.frame.shape {
        Shape::Result if is_call && is_rewritten => Rewrite::Made,
        Shape::Result => with(place_in_result(payload), payload.offset()),
        _ if mode == Mode::Enforce && becomes_ours(cx, request, payload) => Rewrite::Made,
        _ => rewrite_error(cx, payload, payload.offset()),
    }
}

/// How the failure is dressed that the state of a task carries.
pub(super) fn rewrite_state(
    cx: Context<'_>,
    state: Value<'_>,
    start: usize,
    is_rewritten: bool,
) -> Rewrite {
    rewrite_cleaned(cx, state, start, cleaned_state, |state, start| match tasks::failed(state) {
        Some(TaskFailure::Result(result)) if is_rewritten => {
            Rewrite::Inside(from(span(result), start))
        }
        Some(TaskFailure::Result(said) | TaskFailure::State(said)) => {
            with(place_in_result(said), start)
        }
        Some(TaskFailure::Error(error)) => with(place_in_error(error), start),
        None => Rewrite::AsItIs,
    })
}

/// An error that stays one.
fn rewrite_error(cx: Context<'_>, error: Value<'_>, start: usize) -> Rewrite {
    let rewrite = |error: Value<'_>, start| with(place_in_error(error), start);
    rewrite_cleaned(cx, error, start, cleaned, rewrite)
}

/// Rewrites a value that stays beside its envelope. In enforce, secrets are removed from it first.
fn rewrite_cleaned(
    cx: Context<'_>,
    said: Value<'_>,
    start: usize,
    clean: impl FnOnce(Value<'_>, &Redactor) -> Option<String>,
    rewrite: impl Fn(Value<'_>, usize) -> Rewrite,
) -> Rewrite {
    let settings = &cx.server.settings;
    let clean = match settings.mode {
        Mode::Enforce => clean(said, &settings.redactor),
        Mode::Annotate | Mode::Observe => None,
    };
    let Some(clean) = clean else { return rewrite(said, start) };
    let doc = Doc::parse(clean.as_bytes(), limits(clean.len()));
    match doc.map(|it| rewrite(it.root(), 0)) {
        Ok(Rewrite::AsItIs) | Err(_) => Rewrite::Made,
        Ok(rewrite) => Rewrite::Cleaned(from(span(said), start), clean.into(), Box::new(rewrite)),
    }
}

/// Whether an error of the upstream becomes something else.
fn becomes_ours(cx: Context<'_>, request: &Request, error: Value<'_>) -> bool {
    let error = ErrorObject::of(error);
    if request.method != Method::ToolsCall {
        return matches!(error, ErrorObject::Broken(_));
    }
    let is_unlisted = match (request.tool(), cx.catalog.tools.all()) {
        (Some(tool), Some(all)) => !all.iter().any(|it| it == tool),
        _ => false,
    };
    // A state that the server refuses is the mistake of the client, not of the model, whose arguments it is not about.
    !error.stays(request.tool().is_some(), is_unlisted || request.has_state)
}

/// The line of an answer under the client's id, rewritten. Who enforces leaves out of an error's line what is no part of one.
pub(super) fn apply(
    rewrite: Rewrite,
    answer: &UpstreamAnswer<'_, '_>,
    id: &str,
    mode: Mode,
) -> ReplyBody {
    let is_error = answer.frame.shape == Shape::Error && !matches!(rewrite, Rewrite::Made);
    if let Some(error) = answer.frame.payload.filter(|_| is_error && mode == Mode::Enforce)
        && has_more_than_an_error(answer.line)
    {
        let mut line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":");
        let start = line.len();
        line.push_str(error.raw());
        line.push_str("}\n");
        return apply_to_line(rewrite, line.into(), start);
    }
    let mut line = Vec::new();
    splice(answer.line, span(answer.id), id.as_bytes(), &mut line);
    let ours = span(answer.id);
    let mut start = answer.frame.payload.map_or(0, Value::offset);
    if ours.start < start {
        start = start + id.len() - ours.len();
    }
    apply_to_line(rewrite, line, start)
}

/// Rewrites a line whose payload starts there.
pub(super) fn apply_to_line(rewrite: Rewrite, line: Vec<u8>, start: usize) -> ReplyBody {
    let shifted = |at: Range<usize>| at.start + start..at.end + start;
    match rewrite {
        Rewrite::Made => ReplyBody::Made,
        Rewrite::AsItIs => ReplyBody::AsItIs(line),
        Rewrite::Inside(at) => ReplyBody::Inside(line, shifted(at)),
        Rewrite::With(place) => {
            let at = shifted(place.at.clone());
            ReplyBody::With(line, Insertion { at, ..place })
        }
        Rewrite::Cleaned(at, clean, rewrite) => {
            let at = shifted(at);
            let (mut line, start) = (line, at.start);
            line.splice(at, clean.bytes());
            apply_to_line(*rewrite, line, start)
        }
    }
}

/// The `_meta` of a failed result, which stays there.
pub(super) fn own_meta(request: &Request, answer: &UpstreamAnswer<'_, '_>) -> Option<RawJson> {
    let payload = answer.frame.payload.filter(|_| answer.frame.shape == Shape::Result)?;
    match tasks::inner(request.method, payload) {
        Some(inner) => inner.meta(),
        None => TaskFailure::Result(payload).meta(),
    }
}

/// With an envelope at a place.
fn with(place: Option<Insertion>, start: usize) -> Rewrite {
    place.map_or(Rewrite::AsItIs, |it| {
        Rewrite::With(Insertion { at: from(it.at.clone(), start), ..it })
    })
}

/// A place in a document, counted from the start of a value in it.
fn from(at: Range<usize>, start: usize) -> Range<usize> {
    at.start - start..at.end - start
}

/// The state of a task that failed, with its own words cleaned; `None` if that changes nothing.
fn cleaned_state(state: Value<'_>, redactor: &Redactor) -> Option<String> {
    let words = tasks::WORDS.iter().filter_map(|it| {
        let said = state.get(it)?;
        Some((said, clean_message(said, redactor)?))
    });
    let error = state.get("error").filter(|it| it.kind() == Kind::Object);
    let error = error.and_then(|it| Some((it, cleaned(it, redactor)?)));
    let mut parts: Vec<_> = words.chain(error).collect();
    parts.sort_by_key(|(said, _)| std::cmp::Reverse(said.offset()));
    let mut text = state.raw().to_owned();
    for (said, clean) in &parts {
        text.replace_range(from(span(*said), state.offset()), clean);
    }
    (!parts.is_empty()).then_some(text)
}

/// An error object without secrets and without characters that mislead, in its own spelling; `None` if it has none.
fn cleaned(error: Value<'_>, redactor: &Redactor) -> Option<String> {
    let is_for_a_person =
        ErrorObject::of(error) == ErrorObject::Valid { code: URL_ELICITATION_REQUIRED };
    let mut out = String::from("{");
    let mut is_changed = false;
    for (key, value) in error.members() {
        let clean = match value.kind() {
            Kind::String if key.is_str("message") => clean_message(value, redactor),
            _ if key.is_str("code") => None,
            _ if key.is_str("data") && is_for_a_person => without_known(value, redactor),
            _ => redacted(value, redactor),
        };
        let name = clean_message(key, redactor);
        is_changed |= clean.is_some() || name.is_some();
        out.push_str(if out.len() > 1 { "," } else { "" });
        out.push_str(name.as_deref().unwrap_or(key.raw()));
        out.push(':');
        out.push_str(clean.as_deref().unwrap_or(value.raw()));
    }
    out.push('}');
    is_changed.then_some(out)
}

fn clean_message(message: Value<'_>, redactor: &Redactor) -> Option<String> {
    let said = message.as_str()?;
    let clean = clean_text(&said, redactor)?;
    let mut out = String::new();
    write_str(&mut out, &clean);
    Some(out)
}

fn redacted(value: Value<'_>, redactor: &Redactor) -> Option<String> {
    clean_document(value, redactor).map(|it| it.as_str().to_owned())
}

/// What must reach a person whole, such as an address to go to, loses no more than the values that are known.
fn without_known(value: Value<'_>, redactor: &Redactor) -> Option<String> {
    if has_known_in_disguise(value, redactor) {
        return redacted(value, redactor);
    }
    let clean = redactor.known(value.raw());
    if clean == value.raw() {
        return None;
    }
    match RawJson::parse(clean.as_bytes()) {
        Ok(_) => Some(clean.into_owned()),
        Err(_) => redacted(value, redactor),
    }
}

/// Whether a text that is spelled with escapes hides a known value. Documents nest at most 64 deep.
fn has_known_in_disguise(value: Value<'_>, redactor: &Redactor) -> bool {
    let is_known = |it: Value<'_>| {
        it.raw().contains('\\')
            && it.as_str().is_some_and(|it| matches!(redactor.known(&it), Cow::Owned(_)))
    };
    match value.kind() {
        Kind::Object => value
            .members()
            .any(|(key, value)| is_known(key) || has_known_in_disguise(value, redactor)),
        Kind::Array => value.elements().any(|it| has_known_in_disguise(it, redactor)),
        Kind::String => is_known(value),
        Kind::Number | Kind::Bool | Kind::Null => false,
    }
}

/// Whether a line has members that are no part of an answer with an error.
fn has_more_than_an_error(line: &[u8]) -> bool {
    let is_part = |key: Value<'_>| ["jsonrpc", "id", "error"].iter().any(|it| key.is_str(it));
    Doc::parse(line, limits(line.len()))
        .is_ok_and(|it| !it.root().members().all(|it| is_part(it.0)))
}
