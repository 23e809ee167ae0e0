//! The way of a request and of its answer through a session, top to bottom:
//!
//! ```text
//! client bytes → frame → guards → admission → upstream → answer → verdict → fault → client bytes
//! ```
//!
//! | step | here | and in |
//! |---|---|---|
//! | client bytes → frame | `client_message` | `batches`, `client` for what is no request |
//! | guards | `client_request` | `governance`, `sharing` for what a client may not see |
//! | admission | `dispatch` | `admission`: intake, limits, breaker, start of the upstream |
//! | upstream | `send_upstream` | `checked_writes`, `catalog`; `upstream` keeps lines until it is ready, `handshake` opens it |
//! | upstream bytes → answer | `upstream_message`, `on_answer` | `malformed`, `http_failure`, `routing` for what is no answer, `tasks`, `subscriptions` |
//! | answer → verdict | `examine` | `verdict`: the classifier, and verdicts that are kept or wait |
//! | verdict → fault | `deliver` | `retry`, `checked_writes`, `emission`: the template, `rewrite`: its place in the answer |
//! | no answer → fault | `fail` | `faults`: which fault it is; `startup_failure`, `crash_log`, `stray_output` |
//!
//! The driver records a fault before the client gets its bytes.

use std::sync::Arc;

use redress::outcome::Malformed;
use redress::{codes, outcome::What};
use redress_govern::without;
use redress_registry::{Class, Effect};
use redress_wire::json::{Doc, Value};

use super::{
    Session,
    admission::admit,
    batches::client_array,
    catalog::{discover_before, wait_for_tools},
    checked_writes::{
        is_checked_write, unless_checked, unless_put_back, wait_for_turn, with_write,
    },
    client::{answer_stats, client_notification, forward_reply, new_exchange},
    emission::{
        completion_of, facts_of, fail_line, make_template, push_fault, readdressed,
        reply_to_answered, reply_to_failed, stamp_of, template_of_answer,
    },
    ended_calls::{count_call, note_call_failed, record_mended},
    failure_cause::{FailureCause, RefusalCause},
    faults::fault_of,
    governance::{judge_request, record_success, unjudged_call},
    handshake::{open_shared, own_request_answered},
    http_failure::answer_without_id,
    interface::{Actions, Expected, MessageSource},
    malformed::not_a_message,
    metering::metered,
    repeated_failure::{note_failed, note_failed_answer, note_succeeded},
    reserved_keys::{stated_in, without_reserved, without_stated},
    retry::{retry, retry_unless_answered, tell_attempts, with_attempts},
    rewrite::apply,
    routing::{SUBSCRIPTION_KEY, upstream_request},
    sharing::refuse_foreign,
    stray_output::note_stray,
    subscriptions::answer_subscription,
    tool_list::tools_for_client,
    verdict::{
        DeferredVerdict, UpstreamAnswer, cache_key, judge, passes, reserve_answer, tool_of,
        wait_for_log,
    },
};
use crate::{
    exchange::{Exchange, Method, Request},
    fault_template::{FaultTemplate, Handling, Rewrite},
    frame::{
        Batch, Edit, Frame, NotAFrame, Shape, Unreadable, behind_mark, id_beside, is_broken_batch,
        limits, rewrite, span, splice,
    },
    http_head::HttpHead,
    inflight::InFlightEntry,
    metrics::{Completion, CountedEvent},
    moment::Moment,
    outgoing::{Sender, ToClient, ToUpstream},
    pending_fault::ReplyBody,
    settings::Mode,
    upstream_id::UpstreamId,
};

// client bytes → frame

/// Parses a message of a client, alone or a member of an array. What is no message is refused.
pub(super) fn client_message(
    session: &mut Session,
    line: &[u8],
    is_member: bool,
    from: Sender,
    actions: &mut Actions,
) -> Expected {
    let line = line.trim_ascii_end();
    let limits = limits(session.server.settings.max_message);
    let doc = match Doc::parse_with(line, limits, std::mem::take(&mut session.reader.scratch)) {
        Ok(doc) => doc,
        Err(_) if line.trim_ascii().is_empty() => return Expected::Nothing,
        Err(error) => {
            if let Some(line) = behind_mark(line) {
                return client_message(session, line, is_member, from, actions);
            }
            let why = Malformed::Unreadable(Unreadable::Json(error));
            fail_line(session, id_beside(error, line), why, from, actions);
            return Expected::Answer;
        }
    };
    if memchr::memchr2(b'\n', b'\r', line).is_some() {
        // Between its parts, where they mean nothing. A server that reads lines would read several messages here.
        let flat = |it: &u8| if matches!(it, b'\n' | b'\r') { b' ' } else { *it };
        let line: Vec<u8> = line.iter().map(flat).collect();
        session.reader.scratch = doc.into_scratch();
        return client_message(session, &line, is_member, from, actions);
    }
    let expected = match Frame::of(&doc).and_then(Frame::answerable) {
        Ok(frame) if is_member && frame.method == "initialize" && frame.id.is_some() => {
            let id = frame.id.map(|it| it.raw().into());
            fail_line(session, id, Malformed::OpensInBatch, from, actions);
            Expected::Answer
        }
        Ok(frame) => client_frame(session, line, &frame, from, actions),
        Err(NotAFrame::Batch) if !is_member => client_array(session, line, from, actions),
        Err(error) => {
            let why = Malformed::Unreadable(Unreadable::Frame(error));
            fail_line(session, error.id(&doc), why, from, actions);
            Expected::Answer
        }
    };
    session.reader.scratch = doc.into_scratch();
    expected
}

/// Sends a message of a client to where its kind is dealt with.
fn client_frame(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    from: Sender,
    actions: &mut Actions,
) -> Expected {
    match (frame.shape, frame.id) {
        (Shape::Request, Some(id)) => {
            client_request(session, line, frame, (id, from), actions);
            return Expected::Answer;
        }
        (Shape::Notification, _) => client_notification(session, line, frame, from, actions),
        (Shape::Result | Shape::Error, Some(id)) => {
            forward_reply(session, line, (id, from), actions);
        }
        _ => (),
    }
    Expected::Nothing
}

// frame → guards → admission → upstream

/// Passes a request through the guards; a governed server gets it without what is for the gate alone.
fn client_request(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    (id, from): (Value<'_>, Sender),
    actions: &mut Actions,
) {
    session.tenancy.joined_by(from.client);
    let mut exchange = new_exchange(session, frame, from, actions.now.at);
    if let (Method::Initialize, Some(params)) = (exchange.request.method, frame.params) {
        session.tenancy.opened_by(from, params, &session.server.settings.redactor);
    }
    exchange.key = session.inflight.key(session.tenancy.scope(&exchange), id);
    let Some((mut exchange, ours)) = judge_request(session, frame, exchange, actions) else {
        return;
    };
    if ours.is_empty() {
        return dispatch(session, (line, frame), id, exchange, actions);
    }
    // From here on there is only the call as the server gets it, so that a repeat is the same.
    let line = without(line, &ours);
    let doc = Doc::parse(&line, limits(line.len())).ok();
    let frame = doc.as_ref().and_then(|it| Frame::of(it).ok());
    let Some((frame, id)) = frame.and_then(|it| it.id.map(|id| (it, id))) else {
        let fault = codes::INTERNAL_ERROR.raise([] as [(&str, &str); 0]);
        fail(session, exchange, &RefusalCause::Governed(Box::new(fault)).into(), actions);
        return;
    };
    exchange.request = Request::keep(&frame, exchange.request.take_text());
    dispatch(session, (&line, &frame), id, exchange, actions);
}

/// Answers a request that is for the gate, and asks the server about any other that is admitted.
fn dispatch(
    session: &mut Session,
    (line, frame): (&[u8], &Frame<'_>),
    id: Value<'_>,
    mut exchange: Box<Exchange>,
    actions: &mut Actions,
) {
    if exchange.request.method == Method::ErrorStats
        && answer_stats(session.context(), &exchange, actions)
    {
        return finish(session, exchange, Completion::Ok, actions.now);
    }
    if exchange.request.method == Method::Interest
        && answer_subscription(session, frame, &exchange, actions)
    {
        return finish(session, exchange, Completion::Ok, actions.now);
    }
    let refusal = refuse_foreign(session.context(), frame, &exchange);
    let refusal = refusal.map_or_else(|| admit(session, &mut exchange, line.len(), actions), Err);
    if let Err(refusal) = refusal {
        fail(session, exchange, &refusal.into(), actions);
        return;
    }
    actions.is_called |= exchange.request.method == Method::ToolsCall;
    let is_opening = exchange.request.method == Method::Initialize;
    if is_opening && !session.tenancy.is_shared {
        session.handshake.begin(line);
    }
    let token = exchange.request.token().filter(|_| session.tenancy.maps_tokens());
    let token = token.and_then(|_| frame.params?.path(&["_meta", "progressToken"]));
    match session.inflight.open(exchange.key, exchange) {
        Some(ours) if is_opening && session.tenancy.is_shared => {
            open_shared(session, line, ours, actions);
        }
        Some(ours) => send_upstream(session, line, (id, token), ours, actions),
        None => (),
    }
}

/// Sends a request under the gate's id, or keeps it until the upstream is ready. Its progress token is the gate's as well, where it has one.
fn send_upstream(
    session: &mut Session,
    line: &[u8],
    (id, token): (Value<'_>, Option<Value<'_>>),
    ours: UpstreamId,
    actions: &mut Actions,
) {
    let digits = ours.digits();
    let write = |out: &mut Vec<u8>| match token {
        None => splice(line, span(id), &digits, out),
        Some(token) => {
            let mut edits = [id, token].map(|it| Edit { at: span(it), with: &digits });
            rewrite(line, &mut edits, out);
        }
    };
    if is_checked_write(session, ours) {
        let mut kept = Vec::new();
        write(&mut kept);
        wait_for_turn(session, ours, kept, actions);
    } else if session.upstream.is_up() {
        discover_before(session, ours, actions);
        let epoch = session.handshake.epoch();
        let Some(exchange) = session.inflight.exchange_mut(ours) else { return };
        (exchange.sent, exchange.epoch) = (true, epoch);
        let to = ToUpstream::Request(ours, exchange.from.reply_token);
        actions.to_upstream.add(to, write);
    } else {
        let mut kept = Vec::new();
        write(&mut kept);
        session.upstream.enqueue(Some(ours), kept, actions);
    }
}

// upstream bytes → frame → answer

/// Parses a message of the upstream, on a pipe or over HTTP. What is no message may fail a request all the same.
pub(super) fn upstream_message(
    session: &mut Session,
    line: &[u8],
    source: MessageSource,
    actions: &mut Actions,
) {
    let heard = session.upstream.heard.replace(actions.now.at);
    if !std::mem::replace(&mut session.upstream.has_spoken, true) {
        session.server.starts.succeeded();
    }
    let limits = limits(session.server.settings.max_message);
    let doc = match Doc::parse_with(line, limits, std::mem::take(&mut session.reader.scratch)) {
        Ok(doc) => doc,
        Err(_) if line.trim_ascii().is_empty() => return,
        Err(error) => {
            return match behind_mark(line) {
                Some(line) => upstream_message(session, line, source, actions),
                None if !source.is_member && is_broken_batch(line) => {
                    upstream_array(session, line, source, actions);
                }
                None => not_a_message(session, line, Unreadable::Json(error), source, actions),
            };
        }
    };
    match Frame::of(&doc) {
        Ok(frame) => {
            let method = |id| session.inflight.exchange(id).map(|it| it.request.method);
            let method = || frame.id.and_then(UpstreamId::of).and_then(method);
            if let Some(clean) = without_reserved(session.context(), line, &doc, (&frame, method)) {
                session.upstream.heard = heard;
                return upstream_message(session, &clean, source, actions);
            }
            if session.catalog.is_answered_by(&frame) {
                // Whether calls are answered is asked by clients alone.
                session.upstream.heard = heard;
            }
            upstream_frame(session, line, &frame, source, actions);
        }
        // Whatever the revision: it does no harm.
        Err(NotAFrame::Batch) if !source.is_member && Batch::of(line).next().is_some() => {
            upstream_array(session, line, source, actions);
        }
        Err(error) => not_a_message(session, line, Unreadable::Frame(error), source, actions),
    }
    session.reader.scratch = doc.into_scratch();
}

/// Takes each message of an array for itself.
fn upstream_array(
    session: &mut Session,
    line: &[u8],
    source: MessageSource,
    actions: &mut Actions,
) {
    let source = MessageSource { is_member: true, ..source };
    Batch::of(line).for_each(|it| upstream_message(session, it, source, actions));
}

/// Sends a message of the upstream to where its kind is dealt with.
fn upstream_frame(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    source: MessageSource,
    actions: &mut Actions,
) {
    match (frame.shape, frame.id) {
        (Shape::Result | Shape::Error, Some(id)) => {
            let answer = UpstreamAnswer { line, frame, id, http: source.status.map(HttpHead::of) };
            on_answer(session, &answer, source.about, actions);
        }
        (Shape::Result | Shape::Error, None) => {
            answer_without_id(session, line, frame, source, actions);
        }
        _ => upstream_request(session, line, frame, source, actions),
    }
}

/// Matches an answer with the request that waits for it: it passes, or it is examined.
fn on_answer(
    session: &mut Session,
    answer: &UpstreamAnswer<'_, '_>,
    about: Option<UpstreamId>,
    actions: &mut Actions,
) {
    let (ours, line) = (UpstreamId::of(answer.id), answer.line);
    if about.is_some() && about != ours {
        return note_stray(
            session,
            line,
            "an answer names another request than it is for",
            actions,
        );
    }
    session.writes.answered(ours);
    match ours.and_then(|it| Some((it, session.inflight.take(it)?))) {
        Some((ours, InFlightEntry::Answer(mut exchange))) => {
            session.admission.answered();
            session.upstream.notes_read = session.upstream.notes_read.max(exchange.notes);
            if reserve_answer(session.context(), &mut exchange, line.len()).is_err() {
                fail(session, exchange, &RefusalCause::OutOfMemory.into(), actions);
            } else if let Some(fault) = unjudged_call(session.context(), &exchange) {
                fail(session, exchange, &RefusalCause::Governed(fault).into(), actions);
            } else if passes(session, ours, &exchange, answer.frame) {
                pass_answer(session, exchange, answer, actions);
            } else {
                examine(session, exchange, answer, actions);
            }
        }
        Some((_, InFlightEntry::Nothing { .. })) => (),
        Some((_, InFlightEntry::Own(ask))) => own_request_answered(session, ask, answer, actions),
        None if ours.is_some_and(|it| session.inflight.is_over(it)) => {
            note_stray(session, line, "the request was answered before", actions);
        }
        None => note_stray(session, line, "an answer names a request that nobody made", actions),
    }
}

// answer → verdict → fault or answer → client bytes

/// Judges an answer that is, or may be, a failure.
pub(super) fn examine(
    session: &mut Session,
    exchange: Box<Exchange>,
    answer: &UpstreamAnswer<'_, '_>,
    actions: &mut Actions,
) {
    let key = cache_key(session, &exchange, answer);
    if let Some(verdict) = key.and_then(|it| session.verdicts.cache().get(it)) {
        return deliver(session, exchange, answer, verdict, actions);
    }
    let failure = judge(session.context(), &exchange, answer, actions.now);
    let until = failure.as_ref().and_then(|it| {
        let until = wait_for_tools(session, &exchange, actions);
        until.or_else(|| it.is_opaque.then(|| wait_for_log(session, &exchange, actions))?)
    });
    if let Some(until) = until {
        let (line, http) = (answer.line.to_vec(), answer.http);
        return session.verdicts.defer(DeferredVerdict { exchange, line, http, until });
    }
    let verdict = failure.map(|it| template_of_answer(session.context(), &exchange, answer, it));
    session.verdicts.put(key, verdict.clone());
    deliver(session, exchange, answer, verdict, actions);
}

/// Gives the client what an answer was judged to be: the answer itself, or the failure, unless the call is made again or its write is checked first.
pub(super) fn deliver(
    session: &mut Session,
    exchange: Box<Exchange>,
    answer: &UpstreamAnswer<'_, '_>,
    verdict: Option<Arc<FaultTemplate>>,
    actions: &mut Actions,
) {
    let Some(template) = verdict else {
        return pass_answer(session, exchange, answer, actions);
    };
    let Handling { rewrite, ground, is_silent, .. } = template.handling.clone();
    let exchange = match ground {
        Some(ground) if !exchange.is_put_back() => {
            retry(session, exchange, &template.fault, ground, actions)
        }
        _ => Some(exchange),
    };
    let Some(exchange) = exchange else { return };
    let is_taken_for_success = is_silent && !matches!(rewrite, Rewrite::Made);
    let Some(mut exchange) = unless_put_back(session, exchange, answer, is_taken_for_success)
    else {
        return;
    };
    if is_silent {
        session.server.metrics.happened(CountedEvent::Silent);
    }
    match ground {
        Some(_) => note_failed_answer(session, &exchange, answer, &template, actions.now.at),
        None => note_succeeded(session, &exchange),
    }
    let template = with_attempts(template, &exchange, &session.server.settings.emission());
    let template = with_write(session.context(), template, &exchange);
    let to =
        reply_to_answered(session.context(), &exchange, answer, &rewrite, template.fault.class);
    let form = apply(rewrite, answer, exchange.request.id(), session.server.settings.mode);
    push_fault(
        session.context(),
        template,
        stamp_of(session.context(), Some(&exchange), actions.now),
        (to, form),
        actions,
    );
    if let Some(pending) = actions.faults.last_mut() {
        let mut request = facts_of(session.context(), &exchange, Some(!is_silent));
        request.call = note_call_failed(session, &exchange);
        pending.request = Some(Box::new(request));
        (pending.peer, pending.memory) = (exchange.from.peer, exchange.memory.take());
    }
    finish(session, exchange, Completion::Fault, actions.now);
}

/// Passes an answer on as it is, under the client's own id.
fn pass_answer(
    session: &mut Session,
    exchange: Box<Exchange>,
    answer: &UpstreamAnswer<'_, '_>,
    actions: &mut Actions,
) {
    let (frame, method) = (answer.frame, exchange.request.method);
    let stated = frame.payload.and_then(|it| stated_in(frame.shape, method, it));
    if let Some(line) = without_stated(session.context(), answer.line, frame.root, stated) {
        return pass_line(session, exchange, &line, answer.http, actions);
    }
    let Some(mut exchange) = unless_checked(session, exchange, answer) else { return };
    actions.answered.extend(exchange.memory.take());
    record_success(session.context(), &exchange, actions);
    record_mended(session.context(), &exchange, answer, actions);
    note_succeeded(session, &exchange);
    let id = exchange.request.id().as_bytes();
    let to = ToClient::Answer(exchange.from.reply_token, answer.http.map_or(200, |it| it.status));
    if let Some(line) = tools_for_client(session.context(), &exchange, answer) {
        actions.to_client.add_parts(to, &[&line]);
        return finish(session, exchange, Completion::Ok, actions.now);
    }
    let named = answer.frame.payload.filter(|_| exchange.request.method == Method::Listen);
    let metered = metered(session.context(), &exchange, answer, actions.now);
    match named.and_then(|it| it.path(&["_meta", SUBSCRIPTION_KEY])) {
        None if let Some((at, with)) = &metered => actions.to_client.add(to, |out| {
            let cost = Edit { at: at.clone(), with: with.as_bytes() };
            rewrite(answer.line, &mut [Edit { at: span(answer.id), with: id }, cost], out);
        }),
        None => actions.to_client.add(to, |out| splice(answer.line, span(answer.id), id, out)),
        Some(named) => actions.to_client.add(to, |out| {
            let mut edits = [answer.id, named].map(|it| Edit { at: span(it), with: id });
            rewrite(answer.line, &mut edits, out);
        }),
    }
    finish(session, exchange, Completion::Ok, actions.now);
}

/// Passes an answer on that is read once more first.
pub(super) fn pass_line(
    session: &mut Session,
    exchange: Box<Exchange>,
    line: &[u8],
    http: Option<HttpHead>,
    actions: &mut Actions,
) {
    let doc = Doc::parse(line, limits(session.server.settings.max_message));
    let frame = doc.as_ref().ok().and_then(|it| Frame::of(it).ok());
    match frame.as_ref().and_then(|it| Some((it, it.id?))) {
        Some((frame, id)) => {
            pass_answer(session, exchange, &UpstreamAnswer { line, frame, id, http }, actions);
        }
        None => {
            let reason = "an answer cannot be read again";
            fail(session, exchange, &What::Broken { bytes: line, reason }.into(), actions);
        }
    }
}

// no answer → fault → client bytes

/// Fails a request that has no answer which could be judged, unless the call is made again.
/// Gives the class of the failure's row.
pub(super) fn fail(
    session: &mut Session,
    exchange: Box<Exchange>,
    cause: &FailureCause<'_>,
    actions: &mut Actions,
) -> Class {
    let mut fault = fault_of(session.context(), &exchange, cause, actions.now);
    // The row's: a program that is missing makes the server unavailable to the client, and no pause mends it.
    let class = fault.entry().class;
    let Some(exchange) = retry_unless_answered(session, exchange, &fault, cause, actions) else {
        return class;
    };
    if exchange.is_write_in_doubt() && matches!(fault.effect, Effect::None | Effect::Done) {
        fault.may_have_changed_something();
    }
    if exchange.repeats > 0 {
        tell_attempts(&mut fault, &exchange);
    }
    let request = &exchange.request;
    if let Some(tool) = request.tool().filter(|_| exchange.sent) {
        session.catalog.tools.want(tool);
    }
    let said = match cause {
        FailureCause::NotAMessage { line, id, is_alone: true, .. }
            if session.server.settings.mode == Mode::Observe =>
        {
            readdressed(line, *id, request.id())
        }
        _ => None,
    };
    let form = said.map_or(ReplyBody::Made, ReplyBody::AsItIs);
    let to = reply_to_failed(session.context(), &exchange, cause, &fault);
    let template =
        make_template(session.context(), fault, (tool_of(session.context(), request), None));
    note_failed(session, &exchange, cause, &template, actions.now.at);
    let completion = completion_of(&exchange, cause);
    if completion == Completion::Refused {
        session.server.metrics.refused(&template.fault);
    }
    push_fault(
        session.context(),
        template,
        stamp_of(session.context(), Some(&exchange), actions.now),
        (to, form),
        actions,
    );
    if let Some(pending) = actions.faults.last_mut() {
        let mut request = facts_of(session.context(), &exchange, None);
        request.call = note_call_failed(session, &exchange);
        pending.request = Some(Box::new(request));
        pending.peer = exchange.from.peer;
        // What a governor refuses is in the ledger, each time.
        pending.is_refusal = completion == Completion::Refused && exchange.governed.is_none();
    }
    finish(session, exchange, completion, actions.now);
    class
}

/// Ends a request: it is counted, its place in the limits is free, and its memory is kept for the next one.
pub(super) fn finish(
    session: &mut Session,
    mut exchange: Box<Exchange>,
    completion: Completion,
    now: Moment,
) {
    session.admission.leave(&mut exchange);
    let took = now.at.saturating_duration_since(exchange.started);
    session.server.metrics.ended(completion, took);
    count_call(session, &exchange, (completion, took), now);
    session.inflight.recycle(exchange);
}
