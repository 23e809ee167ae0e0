//! Calls that ended: they are counted for the ledger, and a success is recorded where its tool had failed in its run.

use std::time::Duration;

use redress_govern::CallRecord;
use redress_ledger::{CallCounter, CallOutcome};

use super::{Context, Session, emission::facts_of, interface::Actions, verdict::UpstreamAnswer};
use crate::{
    answer::CallResult,
    exchange::{Exchange, Method},
    failed_tools::{Mended, RunId},
    metrics::Completion,
    moment::Moment,
    succeeded_call::SucceededCall,
};

/// What `resultType` is where a call goes on with an answer of the client.
const INPUT_REQUIRED: &str = "input_required";

/// Counts a call that ended.
pub(super) fn count_call(
    session: &Session,
    exchange: &Exchange,
    (completion, took): (Completion, Duration),
    now: Moment,
) {
    let Some(counter) = session.server.call_counter() else { return };
    let Some(tool) = called_tool(exchange) else { return };
    let outcome = match completion {
        Completion::Ok if exchange.repeats > 0 => CallOutcome::Repeated,
        Completion::Ok => CallOutcome::Ok,
        Completion::Fault => CallOutcome::Fault,
        Completion::Refused => CallOutcome::Refused,
        Completion::Cancelled => CallOutcome::Cancelled,
    };
    let is_listed = session.catalog.tools.all().is_none() || session.catalog.tools.has(tool);
    let is_own = session.server.is_governed() && redress_govern::is_tool_of_gate(tool);
    let name = if is_listed || is_own { tool } else { CallCounter::OTHERS };
    counter.ended(name, outcome, took, now.wall);
}

/// Notes that a call failed. Gives its number in its run, if it belongs to one.
pub(super) fn note_call_failed(session: &Session, exchange: &Exchange) -> Option<u64> {
    session.server.call_counter()?;
    let (tool, run) = (called_tool(exchange)?, run_of(session.context(), exchange)?);
    Some(session.server.failed_tools.failed(run, tool))
}

/// Notes that the client withdrew a call.
pub(super) fn note_call_withdrawn(session: &Session, exchange: &Exchange) {
    if session.server.failed_tools.is_any()
        && called_tool(exchange).is_some()
        && let Some(run) = run_of(session.context(), exchange)
    {
        session.server.failed_tools.ended(run);
    }
}

/// Has a call of an ungoverned server recorded that succeeded after failures of its tool.
pub(super) fn record_mended(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
    actions: &mut Actions,
) {
    if cx.server.failed_tools.is_any()
        && !cx.server.is_governed()
        && is_done(answer)
        && let Some(mended) = note_call_succeeded(cx, exchange)
    {
        let tool = exchange.request.tool().unwrap_or_default().into();
        let elapsed_ms = actions.now.since(exchange.started);
        let request = facts_of(cx, exchange, None);
        let mended = Some(mended);
        actions.calls.push(SucceededCall { governed: None, tool, elapsed_ms, mended, request });
    }
}

/// Has a call of a governed server recorded that succeeded.
pub(super) fn record_governed(cx: Context<'_>, exchange: &Exchange, actions: &mut Actions) {
    let Some(context) = exchange.governed.clone() else { return };
    let request = &exchange.request;
    let is_tool = request.method == Method::ToolsCall;
    let name = if is_tool { request.tool().unwrap_or_default() } else { request.method_name() };
    let elapsed_ms = actions.now.since(exchange.started);
    let governed = CallRecord { context, name: name.to_owned(), is_tool, elapsed_ms };
    actions.calls.push(SucceededCall {
        governed: Some(governed),
        tool: name.into(),
        elapsed_ms,
        mended: note_call_succeeded(cx, exchange),
        request: facts_of(cx, exchange, None),
    });
}

fn note_call_succeeded(cx: Context<'_>, exchange: &Exchange) -> Option<Mended> {
    let (tool, run) = (called_tool(exchange)?, run_of(cx, exchange)?);
    cx.server.failed_tools.succeeded(run, tool)
}

/// Whether an answer ends its call: it begins no task, and asks the client for nothing.
fn is_done(answer: &UpstreamAnswer<'_, '_>) -> bool {
    let result = answer.frame.payload;
    result.is_some_and(|it| {
        !matches!(CallResult::of(it), CallResult::Task)
            && !it.get("resultType").is_some_and(|it| it.is_str(INPUT_REQUIRED))
    })
}

fn called_tool(exchange: &Exchange) -> Option<&str> {
    exchange.request.tool().filter(|_| exchange.request.method == Method::ToolsCall)
}

/// The run that a call belongs to: its trace, else the session of its client.
fn run_of(cx: Context<'_>, exchange: &Exchange) -> Option<RunId> {
    let of_session = exchange.from.has_session() && !cx.tenancy.is_alone(&exchange.request);
    let session = of_session.then_some(RunId::Client(exchange.from.client));
    exchange.trace().map(RunId::Trace).or(session)
}
