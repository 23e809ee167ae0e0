//! `GET` and `DELETE`: the stream of what belongs to no request, and the end of a session.

use std::sync::Arc;

use hyper::{
    HeaderMap, Response, StatusCode,
    body::Bytes,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue},
};
use redress::codes;

use super::{
    access::{Principal, one},
    body::{Body, StreamReader},
    content_negotiation,
    refusal::RefusedRequest,
    session_manager::{HttpSession, SessionManager},
    version,
};
use crate::replies::Stream;

/// The header that names a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Opens a stream of what belongs to no request.
pub(super) fn listen(
    manager: &SessionManager,
    who: Principal,
    headers: &HeaderMap,
) -> Result<Response<Body>, RefusedRequest> {
    if version::is_stateless(headers) {
        return Err(RefusedRequest::method("POST"));
    }
    if !content_negotiation::accepts(headers, &[content_negotiation::EVENTS]) {
        let message = "The client must accept text/event-stream.";
        return Err(RefusedRequest::new(
            StatusCode::NOT_ACCEPTABLE,
            codes::INVALID_REQUEST,
            message,
        ));
    }
    let (_, session) = find_session(manager, who, headers)?;
    version::check(headers)?;
    let after = one(headers, &LAST_EVENT)?;
    if let Some(remote) = session.connection.remote() {
        remote.listen();
    }
    let stream = session.listen(after).ok_or_else(unknown_session)?;
    Ok(events(stream, StreamReader::Session(session)))
}

/// Ends a session.
pub(super) fn delete(
    manager: &SessionManager,
    who: Principal,
    headers: &HeaderMap,
) -> Result<Response<Body>, RefusedRequest> {
    if version::is_stateless(headers) {
        return Err(RefusedRequest::method("POST"));
    }
    let (id, _) = find_session(manager, who, headers)?;
    manager.end(id);
    let mut response = Response::new(Body::Whole(Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

/// The session that a request names, if it is the caller's own.
pub(super) fn find_session<'h>(
    manager: &SessionManager,
    who: Principal,
    headers: &'h HeaderMap,
) -> Result<(&'h str, Arc<HttpSession>), RefusedRequest> {
    let Some(id) = one(headers, &SESSION)? else { return Err(no_session_named()) };
    manager
        .find(id, who)
        .map(|it| (id, it))
        .ok_or_else(|| if manager.is_closed() { shutting_down() } else { unknown_session() })
}

/// A request that should name a session.
pub(super) fn no_session_named() -> RefusedRequest {
    RefusedRequest::bad("The request names no session.")
        .fix("Send initialize first, then its Mcp-Session-Id with every request.")
}

/// A session that there is not, or not any more.
pub(super) fn unknown_session() -> RefusedRequest {
    let message = "The session does not exist, or it has ended.";
    RefusedRequest::new(StatusCode::NOT_FOUND, codes::SESSION_NOT_FOUND, message)
        .fix("Send initialize without a session id to open a new session.")
}

/// A session that ended while a request was in progress.
pub(super) fn ended_session() -> RefusedRequest {
    unknown_session().in_doubt("The session has ended before the request was answered.")
}

/// An answer that is a stream.
pub(super) fn events(stream: Arc<Stream>, reader: StreamReader) -> Response<Body> {
    let mut response = Response::new(Body::events(stream, reader));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_negotiation::EVENTS));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response
}

/// Refuses a request while the gate ends.
pub(super) fn shutting_down() -> RefusedRequest {
    let message = &codes::SHUTTING_DOWN.entry().message;
    RefusedRequest::new(StatusCode::SERVICE_UNAVAILABLE, codes::SHUTTING_DOWN, message)
}
