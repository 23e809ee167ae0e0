//! Lines of the upstream that are no messages, and the requests that they fail.

use redress::outcome::What;
use redress_wire::json::Doc;
use redress_wire::unseen::without_unseen;

use super::{
    Session,
    failure_cause::FailureCause,
    handshake::own_request_failed,
    interface::{Actions, MessageSource},
    pipeline::{fail, upstream_message},
    stray_output::{note_noise, note_stray},
};
use crate::{
    frame::{Batch, Frame, Shape, Unreadable, limits},
    inflight::InFlightEntry,
    peek::{id_in_tail, ids_of_answer},
    upstream_id::UpstreamId,
};

/// A line that is no message, but may belong to a request.
pub(super) fn not_a_message(
    session: &mut Session,
    line: &[u8],
    why: Unreadable,
    source: MessageSource,
    actions: &mut Actions,
) {
    if let (Unreadable::Json(_), None) = (why, source.about)
        && let Some((half, answer)) = message_behind_half(session, line)
    {
        note_noise(session, half, &why.to_string(), actions);
        return upstream_message(session, answer, source, actions);
    }
    let found = match source.about {
        // The answer may stand beside it, or come next.
        Some(about) if !source.is_member && !source.is_event => vec![about],
        _ => requests_named_in(session, line),
    };
    for id in &found {
        match session.inflight.take(*id) {
            Some(InFlightEntry::Answer(exchange)) => {
                let is_alone = found.len() == 1;
                fail(
                    session,
                    exchange,
                    &FailureCause::NotAMessage { line, why, id: *id, is_alone },
                    actions,
                );
            }
            Some(InFlightEntry::Own(ask)) => {
                own_request_failed(session, ask, &What::NotOpened.into(), actions);
            }
            _ => (),
        }
    }
    match why {
        _ if !found.is_empty() => (),
        Unreadable::Json(_) => note_noise(session, line, &why.to_string(), actions),
        Unreadable::Frame(_) => note_stray(session, line, &why.to_string(), actions),
    }
}

/// Splits a line into half a message and an answer right behind it. A server that stops in the middle of a line writes its next message
/// there. If a request waits for the half, the whole line is a failure.
fn message_behind_half<'l>(session: &Session, line: &'l [u8]) -> Option<(&'l [u8], &'l [u8])> {
    const MOST_TRIED: usize = 8;
    const STARTS: [&[u8]; 4] = [b"\"jsonrpc\"", b"\"id\"", b"\"result\"", b"\"error\""];
    let limits = limits(session.server.settings.max_message);
    let is_answer = |it: &[u8]| {
        let doc = Doc::parse(it, limits).ok();
        let frame = doc.as_ref().and_then(|it| Frame::of(it).ok());
        frame
            .filter(|it| matches!(it.shape, Shape::Result | Shape::Error))
            .is_some_and(|it| it.id.and_then(UpstreamId::of).is_some_and(|it| session.is_owed(it)))
    };
    line.starts_with(b"{").then_some(())?;
    memchr::memchr_iter(b'{', line)
        .skip(1)
        .filter_map(|it| line.split_at_checked(it))
        .filter(|(_, it)| {
            STARTS.iter().any(|start| it.get(1..).is_some_and(|it| it.starts_with(start)))
        })
        .take(MOST_TRIED)
        .find(|(half, it)| session.inflight.search(half).is_empty() && is_answer(it))
}

/// The requests that a line names although it is no message. Invisible characters around a message hide none of them.
fn requests_named_in(session: &Session, line: &[u8]) -> Vec<UpstreamId> {
    let line = without_unseen(line);
    let is_of_array = |it: &u8| *it == b'[' || it.is_ascii_whitespace();
    let mut found = Vec::new();
    for message in [&*line].into_iter().chain(Batch::of(&line)) {
        let start = message.iter().position(|it| !is_of_array(it)).unwrap_or_default();
        let ids = ids_of_answer(message.get(start..).unwrap_or_default());
        for id in ids.into_iter().flat_map(|it| session.inflight.search(it)) {
            if !found.contains(&id) {
                found.push(id);
            }
        }
    }
    found
}

/// The request that a part of a line names fails, because the line was thrown away. Gives whether there is one.
pub(super) fn fail_named_in(
    session: &mut Session,
    part: &[u8],
    cause: &FailureCause<'_>,
    actions: &mut Actions,
) -> bool {
    let last = id_in_tail(part).map(|it| session.inflight.search(it.as_bytes()));
    let found =
        requests_named_in(session, part).into_iter().chain(last.into_iter().flatten()).next();
    let Some(InFlightEntry::Answer(exchange)) = found.and_then(|it| session.inflight.take(it))
    else {
        return found.is_some();
    };
    fail(session, exchange, cause, actions);
    true
}
