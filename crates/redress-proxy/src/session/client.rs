//! The client's side of a session: requests go on under our ids, what is no message is refused.

use std::time::Instant;

use redress::outcome::Malformed;
use redress_wire::json::Value;

use super::{
    Context, Session, checked_writes::outlive_request, ended_calls::note_call_withdrawn,
    governance::may_pass, interface::Actions, pipeline::finish,
};
use crate::{
    exchange::{Exchange, Method, Request},
    frame::{Frame, span, splice},
    metrics::Completion,
    outgoing::{Sender, ToClient, ToUpstream},
};

pub(super) fn line_too_long(cx: Context<'_>, bytes: Option<u64>) -> Malformed {
    Malformed::TooLong { bytes, most: cx.server.settings.max_message }
}

/// Answers `sys/errorStats`, if the settings ask for it.
pub(super) fn answer_stats(cx: Context<'_>, exchange: &Exchange, actions: &mut Actions) -> bool {
    let Some(stats) = cx.server.error_stats() else { return false };
    let id = exchange.request.id().as_bytes();
    let parts: [&[u8]; 5] =
        [br#"{"jsonrpc":"2.0","id":"#, id, br#","result":"#, stats.as_bytes(), b"}\n"];
    actions.to_client.add_parts(ToClient::Answer(exchange.from.reply_token, 200), &parts);
    true
}

/// A request, or a message that is judged like one, as it is kept.
pub(super) fn new_exchange(
    session: &mut Session,
    frame: &Frame<'_>,
    from: Sender,
    now: Instant,
) -> Box<Exchange> {
    let mut spare = session.inflight.spare();
    let text = spare.as_mut().map(|it| it.request.take_text()).unwrap_or_default();
    let request = Request::keep(frame, text);
    // A subscription lasts as long as both sides like.
    let is_endless = request.method == Method::Listen;
    let patience = session.server.settings.deadline_of(request.tool());
    let deadline = (!is_endless).then(|| now + patience);
    let exchange = Exchange {
        stderr: session.upstream.stderr.position(),
        useless: session.upstream.stray.count,
        notes: session.upstream.notes,
        epoch: session.handshake.epoch(),
        ..Exchange::new(request, from, now, deadline)
    };
    match spare {
        Some(mut spare) => {
            *spare = exchange;
            spare
        }
        None => Box::new(exchange),
    }
}

pub(super) fn client_notification(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    from: Sender,
    actions: &mut Actions,
) {
    match &*frame.method {
        "notifications/cancelled" => return client_cancels(session, line, frame, from, actions),
        // The gate has said so itself, and none of several clients speaks for the others.
        "notifications/initialized"
        | "notifications/roots/list_changed"
        | "notifications/progress"
            if session.tenancy.is_shared =>
        {
            return;
        }
        "notifications/initialized" => session.handshake.client_is_ready(line),
        _ if !may_pass(session.context(), frame) => return,
        _ => session.upstream.notes += 1,
    }
    forward_upstream(session, [line, b"\n"].concat(), from, actions);
}

/// The client withdraws a request: the upstream knows it under another id.
fn client_cancels(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    from: Sender,
    actions: &mut Actions,
) {
    let Some(id) = frame.params.and_then(|it| it.get("requestId")) else { return };
    let Some(ours) = session.inflight.find(session.inflight.key((from.client, 0), id)) else {
        return;
    };
    let Some(mut exchange) = session.inflight.withdraw(ours) else { return };
    actions.withdrawn.push(exchange.from.reply_token);
    outlive_request(session, ours, &mut exchange, actions.now.at);
    if exchange.is_at_upstream() {
        let spliced = |out: &mut Vec<u8>| splice(line, span(id), &ours.digits(), out);
        actions.to_upstream.add(ToUpstream::Cancel(ours), spliced);
        session.upstream.notes += 1;
    }
    note_call_withdrawn(session, &exchange);
    finish(session, exchange, Completion::Cancelled, actions.now);
}

/// An answer to a request of the upstream, if it still waits for it.
pub(super) fn forward_reply(
    session: &mut Session,
    line: &[u8],
    (id, from): (Value<'_>, Sender),
    actions: &mut Actions,
) {
    let asked = id.as_u64().and_then(|it| session.inflight.questions.remove(it));
    if let Some(theirs) = asked {
        let mut answer = Vec::with_capacity(line.len() + theirs.len());
        splice(line, span(id), theirs.as_bytes(), &mut answer);
        forward_upstream(session, answer, from, actions);
    }
}

/// Passes a line on, line break and all.
fn forward_upstream(session: &mut Session, line: Vec<u8>, from: Sender, actions: &mut Actions) {
    if session.upstream.is_up() {
        actions.to_upstream.add_parts(ToUpstream::Of(from.reply_token), &[&line]);
    } else if session.upstream.has_room(line.len(), session.server.settings.queue_limit()) {
        session.upstream.enqueue(None, line, actions);
    }
}
