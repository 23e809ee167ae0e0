//! What the headers of a response say about the length of its body. A client that reads a length otherwise than its sender takes the
//! middle of one response for the start of the next, so that whatever can be read in two ways is refused.

use hyper::http::{HeaderMap, StatusCode, Version, header, response::Parts};

/// Refuses what hyper reads in one of several possible ways.
pub(super) fn check(head: &Parts) -> Result<(), &'static str> {
    if head.status == StatusCode::SWITCHING_PROTOCOLS {
        return Err("the server changes to a protocol that nobody asked for");
    }
    let mut codings = head.headers.get_all(header::TRANSFER_ENCODING).iter();
    let Some(coding) = codings.next() else { return Ok(()) };
    let coding = coding.as_bytes().trim_ascii();
    let is_known = [&b"chunked"[..], b"identity"].iter().any(|it| coding.eq_ignore_ascii_case(it));
    if !is_known || codings.next().is_some() {
        return Err("the body is packed in a way that nobody asked for");
    }
    if head.headers.contains_key(header::CONTENT_LENGTH) {
        return Err("the body has a length, and comes in parts");
    }
    Ok(())
}

/// Whether the server closes the connection after this response.
pub(super) fn closes(head: &Parts) -> bool {
    has_token(&head.headers, "close")
        || (head.version < Version::HTTP_11 && !has_token(&head.headers, "keep-alive"))
}

fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let values = headers.get_all(header::CONNECTION).iter().filter_map(|it| it.to_str().ok());
    values.flat_map(|it| it.split(',')).any(|it| it.trim().eq_ignore_ascii_case(token))
}
