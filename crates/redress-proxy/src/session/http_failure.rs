//! An upstream over HTTP: its messages come as answers to our requests, and its refusals have a status.

use redress::{
    Fault, Stated, codes,
    fault::{Cause, Origin},
    outcome::{HttpAnswer, What},
};
use redress_ledger::Time;
use redress_registry::{Class, Effect, Retry, RetryKind};
use redress_wire::json::{Doc, RawJson};

use super::{
    Context, Session,
    addresses::{data_without_addresses, without_addresses},
    emission::kept,
    failure_cause::FailureCause,
    fault_details::with_upstream,
    faults::{LINE_BYTES, out_of_memory_fault, protocol_fault, raise, too_large_fault},
    handshake::own_request_failed,
    interface::{Actions, FailureScope, HttpFailure, MessageSource, Phase, UpstreamKind},
    pipeline::{examine, fail, upstream_message},
    reserved_keys::clean_message,
    retry::may_resend,
    retry_after::in_seconds,
    startup_failure::{CHECK_ADDRESS, mend, opens},
    stray_output::note_stray,
    verdict::{UpstreamAnswer, certain_fault, verdict},
};
use crate::{
    answer::ErrorObject,
    breaker,
    exchange::Exchange,
    frame::{Frame, Shape, limits, messages},
    http_head::{HttpHead, is_of_transport, is_unprocessed},
    inflight::InFlightEntry,
    moment::Moment,
    outgoing::ToUpstream,
    upstream_id::UpstreamId,
};

/// An answer that says for no request that it is one.
pub(super) fn answer_without_id(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    source: MessageSource,
    actions: &mut Actions,
) {
    const REASON: &str = "an answer names no request";
    let status = source.status.unwrap_or(200);
    match source.about.and_then(|it| Some((it, session.inflight.take(it)?))) {
        Some((id, InFlightEntry::Answer(exchange))) if frame.shape == Shape::Error => {
            let (retry_after, www_authenticate, location) = (None, None, None);
            let (body, about) = (line, FailureScope::Request);
            let how = HttpFailure::Status {
                status,
                retry_after,
                www_authenticate,
                location,
                body,
                about,
            };
            fail_over_http(session, (id, exchange), &how, actions);
        }
        Some((_, InFlightEntry::Answer(exchange))) => {
            fail(session, exchange, &What::Broken { bytes: line, reason: REASON }.into(), actions);
        }
        Some((_, InFlightEntry::Own(ask))) => {
            own_request_failed(session, ask, &What::NotOpened.into(), actions);
        }
        Some((_, InFlightEntry::Nothing { .. })) => (),
        None => match answer_to_only_request(session, frame) {
            Some(line) => upstream_message(session, &line, MessageSource::default(), actions),
            None => note_stray(session, line, REASON, actions),
        },
    }
}

/// A server on a pipe that could not read a request has no id to answer under. If it has but one, that is the one:
/// the same error, as its answer. Unless it may be a notification that it could not read.
fn answer_to_only_request(session: &Session, frame: &Frame<'_>) -> Option<Vec<u8>> {
    let is_of_request = session.upstream.kind == UpstreamKind::Pipe
        && session.upstream.notes == session.upstream.notes_read;
    let error = frame.payload.filter(|_| is_of_request)?;
    let code = match ErrorObject::of(error) {
        ErrorObject::Valid { code } if frame.shape == Shape::Error => code,
        _ => return None,
    };
    let mut entry =
        session.inflight.all().filter(|it| !matches!(it.1, InFlightEntry::Nothing { .. }));
    let id = match (entry.next()?, entry.next()) {
        ((id, InFlightEntry::Answer(exchange)), None) if exchange.is_at_upstream() => id,
        _ => return None,
    };
    let start = [&b"{\"jsonrpc\":\"2.0\",\"id\":"[..], &id.digits(), b",\"error\":"].concat();
    let is_about_a_request = matches!(code, -32_700 | -32_600);
    is_about_a_request.then(|| [&start, error.raw().as_bytes(), b"}"].concat())
}

pub(super) fn fail_over_http(
    session: &mut Session,
    (id, mut exchange): (UpstreamId, Box<Exchange>),
    how: &HttpFailure<'_>,
    actions: &mut Actions,
) {
    if let HttpFailure::Status { status, retry_after, body, about, .. } = *how {
        let is_kept = kept(status, about == FailureScope::Session && session.is_over()).is_some();
        // Who answers with a result has let the request in.
        let is_answer = |frame: &Frame<'_>| {
            (frame.shape == Shape::Result || frame.shape == Shape::Error && !is_kept)
                && frame.id.and_then(UpstreamId::of) == Some(id)
        };
        for line in messages(body) {
            let line = clean_message(session.context(), line, exchange.request.method);
            if let Ok(doc) = Doc::parse(&line, limits(session.server.settings.max_message))
                && let Ok(frame) = Frame::of(&doc)
                && let Some(id) = frame.id.filter(|_| is_answer(&frame))
            {
                let http = Some(refused_head(status, retry_after, actions.now.wall));
                let answer = UpstreamAnswer { line: &line, frame: &frame, id, http };
                examine(session, exchange, &answer, actions);
                return note_reach(session, &FailureCause::Http(how), Class::Unavailable, actions);
            }
        }
    }
    if matches!(how, HttpFailure::Unreachable { sent: false, .. }) {
        exchange.sent = false;
    }
    let cause = FailureCause::Http(how);
    let class = fail(session, exchange, &cause, actions);
    note_reach(session, &cause, class, actions);
}

/// What a refusal says of the way to the upstream.
fn note_reach(session: &mut Session, cause: &FailureCause<'_>, class: Class, actions: &Actions) {
    if cause.is_out_of_reach() && breaker::is_of_transport(class) {
        session.admission.unreachable(actions.now.at);
    } else if !cause.is_out_of_reach() {
        session.admission.answered();
    }
}

/// Whether a request was refused for a session that is over, so that nothing was done for it.
/// A server that states otherwise has dealt with it.
pub(super) fn is_of_old_session(session: &Session, id: UpstreamId, how: &HttpFailure<'_>) -> bool {
    let HttpFailure::Status { about: FailureScope::Session, body, .. } = how else {
        return false;
    };
    session.tenancy.reopens_upstream()
        && session.inflight.exchange(id).is_some_and(|it| {
            it.epoch != session.handshake.epoch()
                && !it.is_again
                && it.request.line().is_some()
                && may_resend(session.context(), &it.request, body)
        })
}

/// Sends a request again that the upstream has not dealt with.
pub(super) fn send_again(session: &mut Session, id: UpstreamId, actions: &mut Actions) {
    let (is_up, maps_tokens, epoch) =
        (session.upstream.is_up(), session.tenancy.maps_tokens(), session.handshake.epoch());
    let Some(exchange) = session.inflight.exchange_mut(id) else { return };
    let mut line = Vec::new();
    exchange.request.write_under(&id.digits(), maps_tokens, &mut line);
    (exchange.sent, exchange.epoch) = (is_up, epoch);
    if is_up {
        let to = ToUpstream::Request(id, exchange.from.reply_token);
        actions.to_upstream.add_parts(to, &[&line]);
    } else {
        session.upstream.enqueue(Some(id), line, actions);
    }
}

/// The fault of a POST that failed.
pub(super) fn http_fault(
    cx: Context<'_>,
    exchange: &Exchange,
    how: &HttpFailure<'_>,
    now: Moment,
) -> Fault {
    match *how {
        // The client knows of no session: for it, the server could not be reached.
        HttpFailure::Status { status, about: FailureScope::Session, body, .. }
            if cx.handshake.is_expired() && cx.tenancy.reopens_upstream() =>
        {
            let mut fault = session_lost_fault(cx);
            if exchange.is_again {
                // In a new session, too: that may be its way to say that the call failed.
                fault.effect = Effect::Unknown;
            }
            Stated::scan(body).limit(&mut fault);
            if !fault.retryable() {
                fault.origin = Origin::Server;
            }
            let status = RawJson::parse(status.to_string().as_bytes()).ok();
            fault.details = with_upstream(fault.details.take(), "status", status);
            fault
        }
        HttpFailure::Status { status, retry_after, body, location, about, .. } => {
            let retry_after = retry_after.map(|it| in_seconds(it, now.wall).into());
            let text = body.into();
            let what = What::Http(HttpAnswer { status, retry_after, body: text });
            let (mut fault, worked) = match verdict(cx, exchange, what, now) {
                Some(failure) => (failure.fault, failure.begun),
                None => {
                    (protocol_fault(cx, "an answer over HTTP has no message in it", body), false)
                }
            };
            if about == FailureScope::Unread && !is_of_transport(status) {
                fault.may_have_changed_something();
            } else if is_unprocessed(status) && !worked {
                fault.nothing_changed();
            }
            let line = body.get(..LINE_BYTES).unwrap_or(body);
            fault.private.upstream = Some(line.to_vec());
            fault.server_text = fault.server_text.take().map(|it| without_addresses(&it));
            fault.details = data_without_addresses(fault.details.take());
            if (300..400).contains(&status) {
                redirected(&mut fault, location);
            }
            if opens(exchange) && matches!(status, 300..400 | 404 | 405 | 410) {
                mend(&mut fault, CHECK_ADDRESS);
            }
            if opens(exchange) && matches!(status, 404 | 410) {
                "There is no MCP server at this address.".clone_into(&mut fault.message);
            }
            fault
        }
        HttpFailure::Unreachable { phase, detail, sent } => {
            unreachable_fault(cx, phase, detail, sent)
        }
        HttpFailure::Malformed { detail } => {
            let mut fault = protocol_fault(cx, "an answer is no HTTP", b"");
            fault.private.push_cause(Cause::Text(detail.to_owned()));
            fault
        }
        HttpFailure::TooLarge { bytes } => too_large_fault(cx, bytes),
        HttpFailure::OutOfMemory => out_of_memory_fault(cx),
        HttpFailure::Cut { detail } => {
            let mut fault = certain_fault(cx, exchange, What::Closed, now);
            let phase = Some(RawJson::string(Phase::Read.name()));
            fault.details = with_upstream(fault.details.take(), "failed_at", phase);
            add_cause(&mut fault, Phase::Read, detail);
            fault
        }
    }
}

/// The fault of a web page in the place of a message.
pub(super) fn web_page_fault(cx: Context<'_>, exchange: &Exchange, line: &[u8]) -> Fault {
    let mut fault = protocol_fault(cx, "a web page instead of a message", line);
    "The address answered with a web page: there is no MCP server.".clone_into(&mut fault.message);
    if opens(exchange) {
        mend(&mut fault, CHECK_ADDRESS);
    }
    fault
}

/// The upstream has forgotten the session, and opens no other.
fn session_lost_fault(cx: Context<'_>) -> Fault {
    let mut fault = unavailable_fault(cx);
    fault.nothing_changed();
    fault.private.push_cause(Cause::Text("the session is over, and was not opened again".into()));
    fault
}

fn unavailable_fault(cx: Context<'_>) -> Fault {
    let server = cx.server.settings.server.as_str().into();
    raise(cx, codes::UPSTREAM_UNAVAILABLE, Origin::Gate, [("server", server)])
}

fn unreachable_fault(cx: Context<'_>, phase: Phase, detail: &str, sent: bool) -> Fault {
    let mut fault = unavailable_fault(cx);
    if phase == Phase::Tls {
        // No time heals a certificate.
        fault.retry = Retry::of(RetryKind::AfterHuman);
    }
    if !sent {
        fault.nothing_changed();
    }
    let name = Some(RawJson::string(phase.name()));
    fault.details = with_upstream(fault.details.take(), "failed_at", name);
    add_cause(&mut fault, phase, detail);
    fault
}

/// Why a connection failed: without addresses for the client, whole for the operator.
fn add_cause(fault: &mut Fault, phase: Phase, detail: &str) {
    let (code, name) = (Some(RawJson::string(phase.name())), "ConnectionError".to_owned());
    fault.private.push_cause(Cause::Error { message: without_addresses(detail), code, name });
    fault.private.hide_cause(Cause::Text(detail.to_owned()));
}

/// A redirect that was not followed. Where it leads is for the operator alone: it may be where the server is.
pub(super) fn redirected(fault: &mut Fault, location: Option<&str>) {
    "The server sends its clients to another address, and the gate does not follow."
        .clone_into(&mut fault.message);
    let place = location.map(|it| it.split(['?', '#']).next().unwrap_or_default());
    if let Some(place) = place.filter(|it| !it.is_empty()) {
        let (scheme, rest) = place.split_once("//").unwrap_or(("", place));
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit('@').next().unwrap_or_default();
        let slashes = if rest.len() < place.len() { "//" } else { "" };
        let told = format!("redirected to {scheme}{slashes}{host}{path}");
        fault.private.push_cause(Cause::Text(told));
    }
}

/// The head of a response that refuses a request.
fn refused_head(status: u16, retry_after: Option<&str>, now: Time) -> HttpHead {
    let wait_seconds = retry_after.and_then(|it| in_seconds(it, now).parse().ok());
    HttpHead { status, wait_seconds }
}
