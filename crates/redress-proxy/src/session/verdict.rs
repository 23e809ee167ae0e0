//! Verdicts: whether an answer is a failure, and which. The upstream's words go through the classifier, with all that is known of the
//! request. Verdicts are kept for the same answer, and wait for the list of tools where it decides.

use std::{
    borrow::Cow,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use redress::{
    Fault, Stated,
    classify::{Failure, Tier, Verdict, classify, is_suspect},
    codes,
    fault::{Basis, Ctx, Origin, Thrown, from_unknown},
    outcome::{Asked, HttpAnswer, HttpAsked, Outcome, ToolTraits, What},
    text::cut,
};
use redress_registry::Effect;
use redress_wire::json::{Doc, Members, RawJson, Value};

use super::{
    Context, Session,
    catalog::stop_discovery,
    emission::template_of_answer,
    fault_details::{number, with_upstream},
    faults::{LINE_BYTES, protocol_fault, raise},
    interface::{Actions, UpstreamKind},
    pipeline::deliver,
    reserved_keys::without,
    subscriptions::subscription_granted,
    tasks::{failed, is_failed, verdict_of_state},
};
use crate::{
    answer::{CallResult, ErrorObject, ambiguous_error, ambiguous_result, ambiguous_state},
    exchange::{Exchange, Method, Request},
    fault_template::{FaultTemplate, TemplateCache},
    frame::{Frame, Shape, limits},
    http_head::HttpHead,
    memory::{OutOfMemory, SMALL},
    moment::Moment,
    upstream_id::UpstreamId,
};

/// What is kept of a failed result beside its text, in bytes: all of it together fits into what an envelope may hold.
const LONGEST_STRUCTURE: usize = 1_000;
const LONGEST_BLOCK: usize = 240;
const LONGEST_BLOCKS: usize = 600;
const LONGEST_KIND: usize = 40;

/// How long the log of a call may come after its answer.
const LOG_DELAY: Duration = Duration::from_millis(200);

/// A longer answer is judged each time it comes.
const LONGEST_REMEMBERED: usize = 16 << 10;

/// An answer of the upstream, read.
#[derive(Debug)]
pub(super) struct UpstreamAnswer<'l, 'd> {
    pub(super) line: &'l [u8],
    pub(super) frame: &'l Frame<'d>,
    pub(super) id: Value<'d>,
    /// The head of the HTTP response that it came in.
    pub(super) http: Option<HttpHead>,
}

/// Verdicts that are kept for the same answer, and answers whose verdict waits for the list of tools.
#[derive(Debug)]
pub(super) struct Verdicts {
    /// Valid as long as the tools are the same.
    cache: TemplateCache<Option<Arc<FaultTemplate>>>,
    deferred: Vec<DeferredVerdict>,
}

impl Verdicts {
    /// None yet.
    pub(super) const fn new() -> Self {
        Self { cache: TemplateCache::new(), deferred: Vec::new() }
    }

    /// The verdicts that are kept: the failure, or that an answer is none.
    pub(super) const fn cache(&self) -> &TemplateCache<Option<Arc<FaultTemplate>>> {
        &self.cache
    }

    /// Keeps a verdict.
    pub(super) fn put(&mut self, key: Option<u64>, verdict: Option<Arc<FaultTemplate>>) {
        if let Some(key) = key {
            self.cache.put(key, verdict);
        }
    }

    /// Forgets what is kept: the tools may be others.
    pub(super) fn forget(&mut self) {
        self.cache.forget();
    }

    /// Keeps an answer until the list of tools is there.
    pub(super) fn defer(&mut self, answer: DeferredVerdict) {
        self.deferred.push(answer);
    }

    /// Whether no answer waits.
    pub(super) const fn none_waits(&self) -> bool {
        self.deferred.is_empty()
    }

    /// When the first of them has waited long enough.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deferred.iter().map(|it| it.until).min()
    }

    /// Takes out the requests whose answers wait and that meet a condition.
    pub(super) fn take_where(
        &mut self,
        is_meant: impl Fn(&Exchange) -> bool,
    ) -> Vec<DeferredVerdict> {
        self.deferred.extract_if(.., |it| is_meant(&it.exchange)).collect()
    }
}

/// An answer that may be a failure, kept until the list of tools is there.
#[derive(Debug)]
pub(super) struct DeferredVerdict {
    pub(super) exchange: Box<Exchange>,
    pub(super) line: Vec<u8>,
    /// The head of the HTTP response that it came in.
    pub(super) http: Option<HttpHead>,
    pub(super) until: Instant,
}

/// Whether an answer passes without a closer look. Learns from it what later requests need.
pub(super) fn passes(
    session: &mut Session,
    ours: UpstreamId,
    exchange: &Exchange,
    frame: &Frame<'_>,
) -> bool {
    let Some(result) = frame.payload.filter(|_| frame.shape == Shape::Result) else {
        return false;
    };
    match exchange.request.method {
        Method::ToolsCall => match CallResult::of(result) {
            CallResult::Unflagged => {
                let is_quiet = session.upstream.stderr.position() == exchange.stderr;
                session.server.settings.is_ours
                    || is_quiet && !is_suspect(result, &session.server.settings.contract)
            }
            CallResult::Task => {
                session.tenancy.tasks.learn(ours, exchange, result);
                true
            }
            CallResult::Failed | CallResult::Broken(_) => false,
        },
        Method::ToolsList => {
            session.catalog.tools.learn(result, exchange.request.cursor());
            session.verdicts.forget();
            true
        }
        Method::Initialize => {
            session.handshake.accepted(session.upstream.heard, exchange.started);
            session.tenancy.agreed(exchange.from.client, result);
            true
        }
        Method::TaskState => failed(result).is_none() && ambiguous_state(result).is_none(),
        Method::TaskResult => !is_failed(result),
        Method::Interest => {
            subscription_granted(session, exchange);
            true
        }
        Method::Listen | Method::ErrorStats | Method::Other => true,
    }
}

/// A key that only the same answer to the same request has. A judgement that the log can change has none.
pub(super) fn cache_key(
    session: &Session,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
) -> Option<u64> {
    let request = exchange.request.params()?;
    let payload = answer.frame.payload.filter(|it| it.raw().len() <= LONGEST_REMEMBERED)?;
    let is_quiet = session.upstream.stderr.position() == exchange.stderr;
    let (method, shape) = (exchange.request.method_name(), answer.frame.shape == Shape::Error);
    let is_plain = answer.http.is_none_or(|it| it.status < 400);
    (is_quiet && is_plain).then(|| session.inflight.secret((method, request, shape, payload.raw())))
}

/// Until when to wait for the log of a call whose answer hides why it failed: a pipe of its own brings it, which may be read later.
pub(super) fn wait_for_log(
    session: &Session,
    exchange: &Exchange,
    actions: &mut Actions,
) -> Option<Instant> {
    let is_quiet = session.upstream.stderr.position() == exchange.stderr;
    let may_come = is_quiet && exchange.is_alone && session.upstream.kind == UpstreamKind::Pipe;
    actions.is_sooner |= may_come;
    may_come.then(|| actions.now.at + LOG_DELAY)
}

/// Judges what waited for the list of tools, with what is known by now.
pub(super) fn settle_deferred(session: &mut Session, actions: &mut Actions) {
    stop_discovery(session);
    judge_deferred(session, actions);
}

/// The same, while the list is still to come: who fails later may know it.
pub(super) fn judge_deferred(session: &mut Session, actions: &mut Actions) {
    for DeferredVerdict { exchange, line, http, .. } in session.verdicts.take_where(|_| true) {
        judge_kept(session, exchange, &line, http, actions);
    }
}

/// Judges an answer that was kept, with what is known by now.
pub(super) fn judge_kept(
    session: &mut Session,
    exchange: Box<Exchange>,
    line: &[u8],
    http: Option<HttpHead>,
    actions: &mut Actions,
) {
    let Ok(doc) = Doc::parse(line, limits(session.server.settings.max_message)) else { return };
    let Ok(frame) = Frame::of(&doc) else { return };
    let Some(id) = frame.id else { return };
    let answer = UpstreamAnswer { line, frame: &frame, id, http };
    let failure = judge(session.context(), &exchange, &answer, actions.now);
    let verdict = failure.map(|it| template_of_answer(session.context(), &exchange, &answer, it));
    deliver(session, exchange, &answer, verdict, actions);
}

/// Whether an answer is a failure, and which.
pub(super) fn judge(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
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
    answer: &UpstreamAnswer<'_, '_>,
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
    // It may be about the call of another client, or about another call.
    let is_answer = matches!(what, What::Answer(_));
    let is_known = !cx.tenancy.has_several() && (exchange.is_alone || !is_answer);
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
fn broken(method: Method, answer: &UpstreamAnswer<'_, '_>) -> Option<&'static str> {
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
fn flagged(mut fault: Fault, rule: &'static str) -> Failure {
    fault.basis = Some(Basis::Protocol);
    fault.private.rule = Some(rule.to_owned());
    Failure {
        silent: false,
        certain: true,
        tier: Tier::Protocol,
        rule: rule.into(),
        is_of_validator: false,
        is_opaque: false,
        begun: false,
        leaks: Vec::new(),
        fault,
    }
}

/// Reserves the bytes of an answer on its way to a client that may not read.
pub(super) fn reserve_answer(
    cx: Context<'_>,
    exchange: &mut Exchange,
    bytes: usize,
) -> Result<(), OutOfMemory> {
    if bytes > SMALL
        && let Some(account) = cx.server.account(exchange.from.caller)
    {
        exchange.memory = Some(account.reserve(bytes)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{DeferredVerdict, Verdicts};
    use crate::exchange::tests::asked_by;

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    fn waiting(client: u64, until: Instant) -> DeferredVerdict {
        let exchange = Box::new(asked_by(client, PING));
        DeferredVerdict { exchange, line: b"{}".to_vec(), http: None, until }
    }

    #[test]
    fn a_verdict_is_kept_until_the_tools_may_be_others() {
        let mut verdicts = Verdicts::new();
        verdicts.put(Some(1), None);
        verdicts.put(None, None);
        let is_success = |it: &Verdicts, key| it.cache().get(key).map(|it| it.is_none());
        assert_eq!(is_success(&verdicts, 1), Some(true), "the answer is no failure");
        assert_eq!(is_success(&verdicts, 2), None, "it was not judged");
        verdicts.forget();
        assert_eq!(is_success(&verdicts, 1), None);
    }

    #[test]
    fn the_first_answer_to_be_judged_sets_the_deadline() {
        let (mut verdicts, now) = (Verdicts::new(), Instant::now());
        assert!(verdicts.none_waits());
        assert_eq!(verdicts.next_deadline(), None);
        let late = now + Duration::from_secs(2);
        verdicts.defer(waiting(1, late));
        verdicts.defer(waiting(2, now));
        assert!(!verdicts.none_waits());
        assert_eq!(verdicts.next_deadline(), Some(now));
        verdicts.take_where(|it| it.from.client == 2);
        assert_eq!(verdicts.next_deadline(), Some(late));
    }

    #[test]
    fn answers_that_wait_are_taken_out_once_and_in_order() {
        let (mut verdicts, now) = (Verdicts::new(), Instant::now());
        for client in [1, 2, 1] {
            verdicts.defer(waiting(client, now));
        }
        verdicts.forget();
        let clients = |it: Vec<DeferredVerdict>| -> Vec<u64> {
            it.iter().map(|it| it.exchange.from.client).collect()
        };
        assert_eq!(clients(verdicts.take_where(|it| it.from.client == 1)), [1, 1]);
        assert_eq!(clients(verdicts.take_where(|_| true)), [2]);
        assert!(verdicts.take_where(|_| true).is_empty());
    }
}
