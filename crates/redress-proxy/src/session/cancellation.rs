//! Requests that end all at once: the client has left, the upstream is gone, or the gate ends.

use super::{
    Session,
    checked_writes::outlive_request,
    failure_cause::{FailureCause, RefusalCause},
    interface::Actions,
    pipeline::fail,
    retry::is_held_by_gate,
};
use crate::{
    breaker::is_of_transport,
    exchange::{Exchange, Method},
    inflight::InFlightEntry,
    outgoing::{ToClient, ToUpstream},
    upstream_id::UpstreamId,
};

/// Cancels the requests that meet a condition.
pub(super) fn cancel_where(
    session: &mut Session,
    is_meant: impl Fn(&Exchange) -> bool,
    actions: &mut Actions,
) {
    for deferred in session.verdicts.take_where(&is_meant) {
        fail(session, deferred.exchange, &RefusalCause::ClientGone.into(), actions);
    }
    for id in session.inflight.in_order() {
        if session.inflight.exchange(id).is_some_and(&is_meant)
            && let Some(mut exchange) = session.inflight.withdraw(id)
        {
            outlive_request(session, id, &mut exchange, actions.now.at);
            cancel_upstream(session, id, &exchange, "the client is gone", actions);
            fail(session, exchange, &RefusalCause::ClientGone.into(), actions);
        }
    }
}

/// Withdraws a request from the upstream, which may still be at it.
pub(super) fn cancel_upstream(
    session: &mut Session,
    id: UpstreamId,
    exchange: &Exchange,
    reason: &str,
    actions: &mut Actions,
) {
    if !exchange.is_at_upstream()
        || exchange.request.method == Method::Initialize
        || !session.upstream.is_up()
    {
        return;
    }
    let parts: [&[u8]; 5] = [
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#,
        &id.digits(),
        br#","reason":""#,
        reason.as_bytes(),
        b"\"}}\n",
    ];
    actions.to_upstream.add_parts(ToUpstream::Cancel(id), &parts);
    session.upstream.notes += 1;
}

/// The process that asked is gone: the client need not answer.
pub(super) fn cancel_questions(session: &mut Session, actions: &mut Actions) {
    for ours in session.inflight.questions.take_all() {
        let ours = ours.to_string();
        let parts: [&[u8]; 3] = [
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#,
            ours.as_bytes(),
            b",\"reason\":\"the server process ended\"}}\n",
        ];
        actions.to_client.add_parts(ToClient::Any, &parts);
    }
}

/// Fails every request in flight for the same reason.
pub(super) fn fail_all(session: &mut Session, cause: &FailureCause<'_>, actions: &mut Actions) {
    session.upstream.take_queue();
    let mut is_out_of_reach = false;
    for id in session.inflight.in_order() {
        if cause.is_out_of_reach() && is_held_by_gate(session, id) {
            continue;
        }
        if let Some(InFlightEntry::Answer(exchange)) = session.inflight.take(id) {
            let class = fail(session, exchange, cause, actions);
            is_out_of_reach |= cause.is_out_of_reach() && is_of_transport(class);
        }
    }
    // However many requests it hits, it is one event.
    if is_out_of_reach {
        session.admission.unreachable(actions.now.at);
    }
}
