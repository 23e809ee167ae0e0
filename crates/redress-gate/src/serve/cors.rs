//! CORS: lets the scripts of pages use the gate whose origin is allowed.

use std::collections::BTreeSet;

use hyper::{
    HeaderMap, Method, Response, StatusCode,
    body::Bytes,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
        ACCESS_CONTROL_REQUEST_METHOD, HeaderName, HeaderValue, ORIGIN, VARY,
    },
};
use redress_proxy::header_params::PARAM;

use super::body::Body;

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// The headers that a client of the protocol sends. Those that begin with [`PARAM`] may be sent, too, but each must be named.
const SENT: &str = "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, \
                    mcp-protocol-version, mcp-session-id";

/// The headers of ours that a client of the protocol reads.
const READ: HeaderValue = HeaderValue::from_static("mcp-session-id, www-authenticate");

/// How long a browser may remember it, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Whether a browser asks whether a page may make a request, before it makes it.
pub(super) fn is_asked(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to that for a page that is let in.
pub(super) fn may_ask(headers: &HeaderMap) -> Response<Body> {
    let mut response = Response::new(Body::Whole(Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let answer = response.headers_mut();
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(headers));
    answer.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    response
}

/// Lets the scripts of a page read an answer.
pub(super) fn show(response: &mut Response<Body>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    headers.append(VARY, HeaderValue::from_name(ORIGIN));
}

fn allowed_headers(asked: &HeaderMap) -> HeaderValue {
    let named = asked.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter();
    let named = named.filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(','));
    let names = named.filter_map(|it| HeaderName::from_bytes(it.trim().as_bytes()).ok());
    let parameters: BTreeSet<_> =
        names.map(|it| it.to_string()).filter(|it| it.starts_with(PARAM)).collect();
    let all = parameters.iter().fold(SENT.to_owned(), |all, it| all + ", " + it);
    HeaderValue::try_from(all).unwrap_or(HeaderValue::from_static(SENT))
}
