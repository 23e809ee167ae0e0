//! Judging an answer: the upstream's words go through the classifier, with all that is known of the request.

use std::{borrow::Cow, panic::AssertUnwindSafe};

use redress::{
    Fault, Stated,
    classify::{Failure, Tier, Verdict, classify},
    codes,
    fault::{Ctx, Origin, Thrown, from_unknown},
    outcome::{Asked, HttpAnswer, HttpAsked, Outcome, ToolTraits, What},
    text::cut,
};
use redress_registry::Effect;
use redress_wire::json::{Doc, Members, RawJson, Value};

use super::{
    context::Context,
    endpoints::UpstreamKind,
    fault_details::{number, with_upstream},
    faults::{LINE_BYTES, protocol_fault, raise},
    messages::Answer,
    reserved_keys::without,
    tasks::verdict_of_state,
};
use crate::{
    answer::{CallResult, ErrorObject, ambiguous_error, ambiguous_result, ambiguous_state},
    exchange::{Exchange, Method, Request},
    frame::{Shape, limits},
    moment::Moment,
};

/// What is kept of a failed result beside its text, in bytes: all of it together fits into what an envelope may hold.
const LONGEST_STRUCTURE: usize = 1_000;
const LONGEST_BLOCK: usize = 240;
const LONGEST_BLOCKS: usize = 600;
const LONGEST_KIND: usize = 40;

/// Whether an answer is a failure, and which.
pub(super) fn judge(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &Answer<'_, '_>,
    now: Moment,
) -> Option<Box<Failure>> {
    if let Some(reason) = broken(exchange.request.method, answer) {
        let mut fault = protocol_fault(cx, reason, answer.line);
        if traits(cx, tool_of(cx, &exchange.request)).harmless() {
            fault.nothing_changed();
        }
        if let Some(said) = answer.frame.payload {
            let said = without_reserved(said);
            fault.details = with_upstream(fault.details.take(), "said", Some(said));
        }
        return Some(Box::new(flagged(fault, "gate.broken")));
    }
    let is_state = exchange.request.method == Method::TaskState;
    let state = answer.frame.payload.filter(|_| is_state && answer.frame.shape == Shape::Result);
    let said = state.unwrap_or(answer.frame.root);
    let failure = match state {
        Some(state) => verdict_of_state(cx, exchange, state, now)?,
        None => verdict_of_answer(cx, exchange, answer, now)?,
    };
    Some(with_own_parts(failure, said.get("result"), answer.line))
}

/// The verdict on an answer as it is, with what the status above it says.
fn verdict_of_answer(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &Answer<'_, '_>,
    now: Moment,
) -> Option<Box<Failure>> {
    let root = answer.frame.root;
    let Some(head) = answer.http.filter(|it| it.status >= 400) else {
        return verdict(cx, exchange, What::Answer(root), now);
    };
    let retry_after = head.wait_seconds.map(|it| it.to_string().into());
    let http = HttpAnswer { status: head.status, retry_after, body: answer.line.into() };
    let is_result = answer.frame.shape == Shape::Result;
    let said = verdict(cx, exchange, What::Answer(root), now);
    let said = said.filter(|it| is_result || !head.is_telling() && it.is_named());
    let is_doubtful = said.is_some() || head.is_for_whatever_failed(answer.frame);
    let mut failure = match said {
        Some(said) => said,
        None => verdict(cx, exchange, What::Http(http), now)?,
    };
    let is_harmless = traits(cx, tool_of(cx, &exchange.request)).harmless();
    if is_doubtful && failure.fault.effect == Effect::None && !is_harmless {
        failure.fault.effect = Effect::Unknown;
    }
    let wait = head.wait_seconds.map(|it| it.saturating_mul(1_000));
    Stated::of_wait(wait).limit(&mut failure.fault);
    let details = failure.fault.details.take();
    failure.fault.details = with_upstream(details, "status", number(head.status));
    Some(failure)
}

/// The fault of something that is certainly a failure.
pub(super) fn certain_fault(
    cx: Context<'_>,
    exchange: &Exchange,
    what: What<'_>,
    now: Moment,
) -> Fault {
    match verdict(cx, exchange, what, now) {
        Some(failure) => failure.fault,
        None => raise(cx, codes::INTERNAL_ERROR, Origin::Gate, []),
    }
}

/// What may be believed of a tool: the contract first, then the server itself.
pub(super) fn traits(cx: Context<'_>, tool: Option<&str>) -> ToolTraits {
    let Some(name) = tool else { return ToolTraits::default() };
    if let Some(row) = cx.server.settings.contract.tools.get(name) {
        let (read_only, idempotent) = (row.reads(), row.idempotent);
        return ToolTraits { read_only, idempotent, trusted: true };
    }
    let known = cx.catalog.tools.get(name);
    known.map(|it| it.traits(cx.server.settings.trust_annotations)).unwrap_or_default()
}

/// The tool that a request is about, itself or by the task that it names.
pub(super) fn tool_of<'s>(cx: Context<'s>, request: &'s Request) -> Option<&'s str> {
    if !request.method_name().contains("tasks") {
        return request.tool();
    }
    let doc = Doc::parse(request.line()?, limits(usize::MAX)).ok()?;
    let id = doc.root().path(&["params", "taskId"])?.as_str()?;
    cx.tenancy.tasks.get(&id)?.tool.as_deref()
}

pub(super) fn verdict(
    cx: Context<'_>,
    exchange: &Exchange,
    what: What<'_>,
    now: Moment,
) -> Option<Box<Failure>> {
    // It may be about the call of another client.
    let is_known = !cx.tenancy.has_several();
    let log = if is_known { cx.upstream.stderr.since(exchange.stderr) } else { String::new() };
    let outcome = Outcome {
        what,
        stderr_tail: (!log.is_empty()).then_some(Cow::Owned(log)),
        elapsed_ms: Some(now.since(exchange.started)),
    };
    let judged = || {
        with_asked(cx, &exchange.request, |asked| {
            classify(asked, &outcome, &cx.server.settings.contract)
        })
    };
    // A judgement that dies must not take the gate with it: the request is answered all the same.
    match std::panic::catch_unwind(AssertUnwindSafe(judged)) {
        Ok(Verdict::Success) => None,
        Ok(Verdict::Failure(failure)) => Some(failure),
        Err(payload) => {
            let thrown = Thrown::panic(&*payload);
            let mut fault = from_unknown(thrown, Ctx::default(), &cx.server.settings.contract);
            fault.origin = Origin::Gate;
            Some(Box::new(flagged(fault, "gate.panic")))
        }
    }
}

fn with_asked<T>(cx: Context<'_>, request: &Request, look: impl FnOnce(&Asked<'_>) -> T) -> T {
    let doc = request.line().and_then(|it| Doc::parse(it, limits(it.len())).ok());
    let tool = tool_of(cx, request);
    let is_http = cx.upstream.kind == UpstreamKind::Http;
    look(&Asked {
        request: doc.as_ref().map(Doc::root),
        unreadable: None,
        method: Some(Cow::Borrowed(request.method_name())),
        tool: tool.map(Cow::Borrowed),
        traits: traits(cx, tool),
        known_tools: cx.catalog.tools.all(),
        parameters: tool.map(|it| cx.catalog.tools.parameters(it)).unwrap_or_default(),
        http: is_http.then_some(HttpAsked { post: true, session: cx.handshake.is_expired() }),
        trust: cx.server.settings.trust,
    })
}

/// What a server said, without what only the gate says.
fn without_reserved(said: Value<'_>) -> RawJson {
    let whole = RawJson::from(said);
    let clean = whole.with(|it| without(whole.as_str().as_bytes(), it, None)).flatten();
    clean.and_then(|it| RawJson::parse(&it).ok()).unwrap_or(whole)
}

/// What a failed result carries beside its text is kept for the client program, what was really sent for the operator.
pub(super) fn with_own_parts(
    mut failure: Box<Failure>,
    result: Option<Value<'_>>,
    line: &[u8],
) -> Box<Failure> {
    if !failure.silent {
        let structured = result.and_then(|it| it.get("structuredContent"));
        let structured = structured.filter(|it| !is_told(*it, &failure));
        let structured = structured.map(|it| shortened(it, LONGEST_STRUCTURE));
        let structured = structured.and_then(|it| RawJson::parse(it.as_bytes()).ok());
        let blocks = result.and_then(further_blocks);
        let details = failure.fault.details.take();
        let details = with_upstream(details, "content", blocks);
        failure.fault.details = with_upstream(details, "structuredContent", structured);
    }
    let line = line.get(..LINE_BYTES).unwrap_or(line);
    failure.fault.private.upstream = Some(line.to_vec());
    failure
}

/// Whether an envelope of ours became the fault itself.
fn is_told(envelope: Value<'_>, failure: &Failure) -> bool {
    failure.fault.private.own.is_some()
        || failure.rule == "dialect.native"
            && envelope.get("v").is_some()
            && envelope.get("code").is_some_and(|it| it.is_str(failure.fault.code()))
}

/// The blocks of a failed result beside its first text, as many as fit.
fn further_blocks(result: Value<'_>) -> Option<RawJson> {
    let blocks = result.get("content")?.elements();
    let is_text = |it: &Value<'_>| it.get("type").is_some_and(|it| it.is_str("text"));
    let mut is_first = true;
    let further = blocks.filter(|it| !is_text(it) || !std::mem::take(&mut is_first));
    let mut all = String::from("[");
    for block in further.map(|it| shortened(it, LONGEST_BLOCK)) {
        if all.len() + block.len() > LONGEST_BLOCKS {
            break;
        }
        all.push_str(if all.len() > 1 { "," } else { "" });
        all.push_str(&block);
    }
    all.push(']');
    (all.len() > 2).then(|| RawJson::parse(all.as_bytes()).ok())?
}

/// A value whole or, if it is long, by its type and its length.
fn shortened(value: Value<'_>, most: usize) -> String {
    if value.raw().len() <= most {
        return value.raw().to_owned();
    }
    let mut short = String::new();
    let mut members = Members::open(&mut short);
    let kind = value.get("type").and_then(Value::as_str);
    members.opt_str("type", kind.as_deref().map(|it| cut(it, LONGEST_KIND)).as_deref());
    members.int("bytes", i128::try_from(value.raw().len()).unwrap_or_default());
    members.close();
    short
}

/// Why an answer is none by the protocol.
fn broken(method: Method, answer: &Answer<'_, '_>) -> Option<&'static str> {
    let payload = answer.frame.payload?;
    if let Some(reason) = ambiguous(method, answer.frame.shape, payload) {
        return Some(reason);
    }
    match answer.frame.shape {
        Shape::Error if method != Method::ToolsCall => match ErrorObject::of(payload) {
            ErrorObject::Broken(reason) => Some(reason),
            ErrorObject::Valid { .. } => None,
        },
        Shape::Result if method == Method::ToolsCall => match CallResult::of(payload) {
            CallResult::Broken(reason) => Some(reason),
            CallResult::Failed | CallResult::Unflagged | CallResult::Task => None,
        },
        _ => None,
    }
}

/// Why readers could differ about what an answer says.
pub(super) fn ambiguous(method: Method, shape: Shape, payload: Value<'_>) -> Option<&'static str> {
    match (shape, method) {
        (Shape::Error, _) => ambiguous_error(payload),
        (Shape::Result, Method::ToolsCall | Method::TaskResult) => ambiguous_result(payload),
        (Shape::Result, Method::TaskState) => ambiguous_state(payload),
        _ => None,
    }
}

/// A failure that is certain.
fn flagged(fault: Fault, rule: &'static str) -> Failure {
    Failure {
        silent: false,
        certain: true,
        tier: Tier::Protocol,
        rule: rule.into(),
        begun: false,
        leaks: Vec::new(),
        fault,
    }
}
