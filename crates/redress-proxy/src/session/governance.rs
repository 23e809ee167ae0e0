//! A governed server: what a request becomes before the server hears of it, and what follows from how it ended.

use std::{ops::Range, sync::Arc};

use redress::Fault;
use redress_govern::{
    Call, Decision, Principal, invariant::INV_ANSWER_JUDGED, is_tool_of_gate as is_own,
};

use super::{
    Context, Session,
    ended_calls::record_governed,
    failure_cause::RefusalCause,
    interface::{Actions, ClientKind},
    pipeline::{fail, finish},
};
use crate::{
    exchange::{Exchange, HeldWrite, Method},
    frame::Frame,
    metrics::Completion,
    outgoing::{Sender, ToClient},
};

/// Requests that come before a session, and tell no more than what there is.
const FREE: &[&str] = &[
    "initialize",
    "ping",
    "server/discover",
    "logging/setLevel",
    "sys/errorStats",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "tasks/list",
];

/// Has the governor judge a request; gives it back if the server is to be asked, and what of its line is not for the server.
pub(super) fn judge_request(
    session: &mut Session,
    frame: &Frame<'_>,
    mut exchange: Box<Exchange>,
    actions: &mut Actions,
) -> Option<(Box<Exchange>, Vec<Range<usize>>)> {
    let whole = Vec::new();
    let Some(governor) = session.server.governor() else { return Some((exchange, whole)) };
    let is_tool = exchange.request.method == Method::ToolsCall;
    let is_judged = !FREE.contains(&exchange.request.method_name());
    // While nothing is let in, whatever it is gets its refusal there.
    if !is_judged || !session.admission.is_open() {
        return Some((exchange, whole));
    }
    let method = exchange.request.method_name();
    let name = if is_tool { exchange.request.tool().unwrap_or_default() } else { method };
    let arguments = frame.params.and_then(|it| it.get("arguments"));
    let arguments = arguments.filter(|it| !it.is_null());
    let is_task = frame.params.is_some_and(|it| it.get("task").is_some());
    let caller = caller_of(session.context(), &exchange.from);
    let (context, decision) = governor.before(&Call { caller, name, is_tool, is_task, arguments });
    exchange.governed = Some(Arc::new(context));
    match decision {
        Decision::Pass(ours, write) => {
            exchange.write = write.map(|write| Box::new(HeldWrite { write, answer: None }));
            Some((exchange, ours))
        }
        Decision::Refuse(fault) => {
            fail(session, exchange, &RefusalCause::Governed(fault).into(), actions);
            None
        }
        Decision::Answer { result, record } => {
            actions.sessions.extend(record);
            record_governed(session.context(), &exchange, actions);
            let id = exchange.request.id().as_bytes();
            let parts: [&[u8]; 5] =
                [br#"{"jsonrpc":"2.0","id":"#, id, br#","result":"#, result.as_bytes(), b"}\n"];
            actions.to_client.add_parts(ToClient::Answer(exchange.from.reply_token, 200), &parts);
            finish(session, exchange, Completion::Ok, actions.now);
            None
        }
    }
}

/// Whether a message that wants no answer may pass: a server that is asked to do something so would do it unjudged.
pub(super) fn may_pass(cx: Context<'_>, frame: &Frame<'_>) -> bool {
    !cx.server.is_governed() || frame.method.starts_with("notifications/")
}

/// The violation of a request that reached a governed server without a decision of the governor.
pub(super) fn unjudged_call(cx: Context<'_>, exchange: &Exchange) -> Option<Box<Fault>> {
    let is_call = exchange.request.method == Method::ToolsCall;
    let is_governed = cx.server.is_governed();
    (is_governed && is_call && exchange.governed.is_none())
        .then(|| INV_ANSWER_JUDGED.violated("nobody has judged it"))
}

/// What follows from a request that succeeded.
pub(super) fn record_success(cx: Context<'_>, exchange: &Exchange, actions: &mut Actions) {
    if let (Some(governor), Some(governed)) = (cx.server.governor(), &exchange.governed) {
        actions.sessions.extend(governor.succeeded(governed));
        record_governed(cx, exchange, actions);
    }
}

/// Whether the server may have a tool of that name. Until its tools are listed, it may have any but the gate's own.
pub(super) fn may_offer(cx: Context<'_>, tool: &str) -> bool {
    let settings = &cx.server.settings;
    let is_listed = cx.catalog.tools.all().map(|it| it.iter().any(|it| it == tool));
    cx.server.is_governed() && is_own(tool)
        || is_listed.unwrap_or_else(|| !is_own(tool) || settings.contract.tools.get(tool).is_some())
}

fn caller_of(cx: Context<'_>, from: &Sender) -> Principal {
    match (cx.tenancy.client, from.token) {
        (ClientKind::Pipe, _) => Principal::Process,
        (ClientKind::Http, Some(token)) => Principal::Token(token),
        (ClientKind::Http, None) => Principal::Anonymous,
    }
}
