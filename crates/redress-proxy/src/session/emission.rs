//! Telling a failure: which form the client gets, by mode, method and what the upstream sent.

use std::sync::Arc;

use redress::{
    Dialect, Fault, OwnEnvelope,
    classify::{Failure, Tier},
    emit::emit,
    fault::{Basis, NextAction},
    outcome::Malformed,
    recover::Ground,
};
use redress_registry::Class;
use redress_wire::json::RawJson;

use super::{
    Context, Session,
    failure_cause::{FailureCause, RefusalCause},
    faults::malformed_fault,
    governance::may_offer,
    interface::{Actions, ClientKind, FailureScope, HttpFailure},
    rewrite::{own_meta, rewrite_answer},
    server_text::server_block,
    verdict::{UpstreamAnswer, tool_of},
};
use crate::{
    answer::ErrorObject,
    caller::Peer,
    exchange::{Exchange, Method, Request},
    fault_template::{FaultStamp, FaultTemplate, Handling, ResponseExtras, Rewrite},
    frame::{Shape, splice},
    loop_guard::is_lasting,
    metrics::Completion,
    moment::Moment,
    outgoing::Sender,
    pending_fault::{PendingFault, Recipient, ReplyBody, ReplyTo},
    request_facts::RequestFacts,
    upstream_id::UpstreamId,
};

/// The class of a failure that could not be recorded.
const UNRECORDED: Class = Class::Internal;

/// What is special about a failure of a request, or of none.
pub(super) fn stamp_of(cx: Context<'_>, exchange: Option<&Exchange>, now: Moment) -> FaultStamp {
    let request_id = exchange.map(|it| match it.request.id() {
        text if text.starts_with('"') => RawJson::parse(text.as_bytes())
            .map_or_else(|_| text.to_owned(), |it| it.text().into_owned()),
        number => number.to_owned(),
    });
    let elapsed_ms = exchange.map(|it| now.since(it.started));
    let of_session = exchange.filter(|it| !it.request.is_sessionless);
    let session = of_session.and_then(|it| session_of(cx, it.from));
    let governed = exchange.and_then(|it| it.governed.clone());
    FaultStamp { request_id, timestamp: now.wall.to_string(), elapsed_ms, session, governed }
}

/// What is known of a request, for the record of its failure; and whether the server flagged that, if it answered.
pub(super) fn facts_of(
    cx: Context<'_>,
    exchange: &Exchange,
    is_flagged: Option<bool>,
) -> RequestFacts {
    let Exchange { request, from, repeats, .. } = exchange;
    let is_of_session = from.has_session() && !cx.tenancy.is_alone(request);
    RequestFacts {
        client: cx.tenancy.name_of(from.client).cloned(),
        session: is_of_session.then(|| cx.server.session_name(from.client)),
        trace: exchange.trace(),
        params: request.params().map(Into::into),
        attempt: u64::from(*repeats) + 1,
        call: None,
        is_flagged,
    }
}

/// What records call the session of a sender, if it has one. Governed sessions have names of their own.
fn session_of(cx: Context<'_>, from: Sender) -> Option<String> {
    let has_name = from.has_session() && !cx.server.is_governed();
    has_name.then(|| cx.server.session_name(from.client))
}

/// A line of the client that is no request.
pub(super) fn fail_line(
    session: &mut Session,
    id: Option<Box<str>>,
    why: Malformed,
    from: Sender,
    actions: &mut Actions,
) {
    let template =
        make_template(session.context(), malformed_fault(session.context(), why), (None, None));
    session.server.metrics.turned_away(&template.fault);
    // Whatever it was meant to be, it was no request of any revision.
    let status = if session.tenancy.client == ClientKind::Http { 400 } else { 200 };
    let to = ReplyTo { status, ..ReplyTo::new(Recipient::Request(id), from.reply_token) };
    let name = session_of(session.context(), from);
    let stamp = FaultStamp { session: name, ..stamp_of(session.context(), None, actions.now) };
    push_fault(session.context(), template, stamp, (to, ReplyBody::Made), actions);
    if let Some(pending) = actions.faults.last_mut() {
        (pending.peer, pending.is_refusal) = (from.peer, true);
    }
}

/// Records a fault that no request waits for.
pub(super) fn record_fault(session: &mut Session, fault: Fault, actions: &mut Actions) {
    let template = make_template(session.context(), fault, (None, None));
    push_fault(
        session.context(),
        template,
        stamp_of(session.context(), None, actions.now),
        (ReplyTo::nobody(), ReplyBody::Made),
        actions,
    );
}

/// The template of an answer that is a failure.
pub(super) fn template_of_answer(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
    failure: Box<Failure>,
) -> Arc<FaultTemplate> {
    let (request, meta) = (&exchange.request, own_meta(&exchange.request, answer));
    let rewrite = rewrite_answer(cx, request, answer, &failure);
    let is_stated = matches!(failure.tier, Tier::Stated | Tier::Taught);
    // What calls itself a success may have been one.
    let ground = if is_stated && !failure.silent { Ground::Stated } else { Ground::Guessed };
    // What a task ended with stays what it is, however often one asks.
    let is_of_task = matches!(request.method, Method::TaskState | Method::TaskResult)
        && answer.frame.shape == Shape::Result;
    let handling = Handling {
        is_lasting: is_lasting(&failure.fault, failure.is_of_validator),
        rewrite,
        ground: (failure.certain && !is_of_task).then_some(ground),
        is_silent: failure.silent,
    };
    let template =
        make_template_with(cx, failure.fault, tool_of(cx, request), (meta, Some(answer)));
    Arc::new(template.handled(handling))
}

/// The destination and the HTTP head of a reply to a request that has no answer.
pub(super) fn reply_to_failed(
    cx: Context<'_>,
    exchange: &Exchange,
    cause: &FailureCause<'_>,
    fault: &Fault,
) -> ReplyTo {
    let (request, reply_token) = (&exchange.request, exchange.from.reply_token);
    let id = request.id().into();
    let kept = match *cause {
        FailureCause::Refusal(RefusalCause::ClientGone) => return ReplyTo::nobody(),
        FailureCause::Http(HttpFailure::Status { status, www_authenticate, about, .. })
            if cx.tenancy.client == ClientKind::Http =>
        {
            let kept = kept(*status, *about == FailureScope::Session && cx.is_over());
            let redactor = &cx.server.settings.redactor;
            let asks = www_authenticate.map(|it| redactor.known(it).into());
            kept.map(|it| (it, asks))
        }
        _ => None,
    };
    let is_result = request.method == Method::ToolsCall
        && !matches!(cause, FailureCause::Refusal(RefusalCause::Malformed(_)))
        && kept.is_none();
    let who = if is_result { Recipient::Call(id) } else { Recipient::Request(Some(id)) };
    let (status, www_authenticate) =
        kept.unwrap_or_else(|| (status_of_made(cx, request, is_result, fault.class), None));
    let unrecorded = status_of_made(cx, request, is_result, UNRECORDED);
    ReplyTo { status, unrecorded, www_authenticate, ..ReplyTo::new(who, reply_token) }
}

/// The destination and the HTTP head of a reply to a request whose answer is a failure.
pub(super) fn reply_to_answered(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
    rewrite: &Rewrite,
    class: Class,
) -> ReplyTo {
    let request = &exchange.request;
    let is_result = request.method == Method::ToolsCall || answer.frame.shape == Shape::Result;
    let id = request.id().into();
    let who = if is_result { Recipient::Call(id) } else { Recipient::Request(Some(id)) };
    let status = match rewrite {
        Rewrite::Made => status_of_made(cx, request, is_result, class),
        _ => status_of_passed(cx, request, answer),
    };
    let unrecorded = status_of_made(cx, request, is_result, UNRECORDED);
    ReplyTo { status, unrecorded, ..ReplyTo::new(who, exchange.from.reply_token) }
}

/// Makes the template of a fault: adds its context, and emits it.
pub(super) fn make_template(
    cx: Context<'_>,
    fault: Fault,
    (tool, meta): (Option<&str>, Option<RawJson>),
) -> Arc<FaultTemplate> {
    Arc::new(make_template_with(cx, fault, tool, (meta, None)))
}

fn make_template_with(
    cx: Context<'_>,
    mut fault: Fault,
    tool: Option<&str>,
    (meta, answer): (Option<RawJson>, Option<&UpstreamAnswer<'_, '_>>),
) -> FaultTemplate {
    fault.context.server = Some(cx.server.settings.server.clone());
    fault.context.tool = tool.map(str::to_owned);
    // What no answer was judged for is a fact: a deadline, an exit, a refusal of the gate.
    fault.basis.get_or_insert(Basis::Protocol);
    fault.private.rule.get_or_insert_with(|| "gate".to_owned());
    take_contract_hint(cx, &mut fault);
    let meta = meta.map(|it| cx.server.settings.redactor.json(&it));
    // A step of a row that the server does not offer leads nowhere; what a trusted server names itself is its business.
    if !fault.private.own.as_ref().is_some_and(OwnEnvelope::has_next_actions) {
        fault.next_actions.retain(|it| match it {
            NextAction::Call { tool, .. } => may_offer(cx, tool),
            NextAction::Text(_) => true,
        });
    }
    let fault = emit(fault, &cx.server.settings.emission());
    // Whether the results of an unknown tool have a schema is not known either.
    let tool = tool.and_then(|it| cx.catalog.tools.get(it));
    let has_output_schema = tool.is_none_or(|it| it.has_output_schema);
    let said = answer.and_then(|it| server_block(cx, it, &fault));
    FaultTemplate::new(fault, ResponseExtras { has_output_schema, meta, said })
}

/// Gives a fault of core the hint that the server's contract has for it, under its name or under the client's word for it.
fn take_contract_hint(cx: Context<'_>, fault: &mut Fault) {
    let settings = &cx.server.settings;
    let row = fault.entry();
    if row.registry == settings.contract.name || !fault.has_row_hint() {
        return;
    }
    let own = settings.contract.get(fault.code()).or_else(|| {
        let word = settings.dialect.word_for(row)?;
        settings.contract.own().find(|it| settings.dialect.word_for(it).as_ref() == Some(&word))
    });
    if let Some(own) = own {
        fault.hint.clone_from(&own.hint);
    }
}

pub(super) fn push_fault(
    cx: Context<'_>,
    template: Arc<FaultTemplate>,
    stamp: FaultStamp,
    (to, form): (ReplyTo, ReplyBody),
    actions: &mut Actions,
) {
    let is_again = template.occurs_again();
    let dialect = cx.server.settings.dialect;
    cx.server.metrics.failed(&template.fault);
    actions.faults.push(PendingFault {
        template,
        stamp,
        to,
        form,
        request: None,
        dialect,
        is_again,
        peer: Peer::default(),
        is_refusal: false,
        memory: None,
    });
}

/// How a request ended that failed without an answer.
pub(super) const fn completion_of(exchange: &Exchange, cause: &FailureCause<'_>) -> Completion {
    match cause {
        FailureCause::Refusal(RefusalCause::ClientGone) => Completion::Cancelled,
        _ if cause.is_refusal() && !exchange.is_admitted => Completion::Refused,
        FailureCause::Refusal(RefusalCause::Closing) if !exchange.is_admitted => {
            Completion::Refused
        }
        _ => Completion::Fault,
    }
}

/// A line that is no message, with our id in it replaced by the client's. A page of many lines, or one that names no
/// request, is nothing that a client could read as an answer.
pub(super) fn readdressed(line: &[u8], ours: UpstreamId, id: &str) -> Option<Vec<u8>> {
    let at = memchr::memmem::find(line, &ours.digits())?;
    if memchr::memchr2(b'\n', b'\r', line).is_some() {
        return None;
    }
    let mut out = Vec::new();
    splice(line, at..at + ours.digits().len(), id.as_bytes(), &mut out);
    Some(out)
}

/// The status above an answer that the gate makes.
pub(super) fn status_of_made(
    cx: Context<'_>,
    request: &Request,
    is_result: bool,
    class: Class,
) -> u16 {
    let is_result = is_result && cx.server.settings.dialect != Dialect::Rpc;
    if is_result || !cx.tenancy.shows_status(request) { 200 } else { by_class(class) }
}

/// The status above an answer that is the upstream's own, whatever was put in.
pub(super) fn status_of_passed(
    cx: Context<'_>,
    request: &Request,
    answer: &UpstreamAnswer<'_, '_>,
) -> u16 {
    let error = answer.frame.payload.filter(|_| answer.frame.shape == Shape::Error);
    match (answer.http, error.map(ErrorObject::of)) {
        (Some(http), _) => http.status,
        (None, Some(ErrorObject::Valid { code })) if cx.tenancy.shows_status(request) => {
            by_number(code)
        }
        _ => 200,
    }
}

/// The status of an upstream that the client itself must see, and never anything else. That a session is over is 404, however
/// the upstream puts it: clients open another one for nothing else.
pub(super) const fn kept(status: u16, is_session_over: bool) -> Option<u16> {
    match status {
        _ if is_session_over => Some(404),
        401 | 403 | 405 => Some(status),
        _ => None,
    }
}

/// A status that may stand above an error, for each class.
const fn by_class(class: Class) -> u16 {
    match class {
        Class::NotFound | Class::Unimplemented => 404,
        Class::ResourceExhausted => 429,
        Class::Unavailable | Class::DeadlineExceeded => 503,
        Class::Unknown | Class::Internal | Class::DataLoss => 500,
        Class::Cancelled
        | Class::InvalidArgument
        | Class::AlreadyExists
        | Class::PermissionDenied
        | Class::FailedPrecondition
        | Class::Aborted
        | Class::OutOfRange
        | Class::Unauthenticated => 400,
    }
}

/// The status that the protocol binds to a number of its own; every other error is an answer like any other.
const fn by_number(code: i32) -> u16 {
    match code {
        -32_700 | -32_600 | -32_022..=-32_020 => 400,
        -32_601 => 404,
        _ => 200,
    }
}
