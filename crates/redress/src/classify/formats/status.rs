//! HTTP statuses, of an answer and in texts: `status code 404`, `(404, 'x')`, `404 Client Error`, `HTTP/1.1 404`.

use redress_registry::RetryKind;

use crate::{
    classify::request::is_among,
    codes::{self, CoreCode},
};

/// Words that make the number after them a status.
const BEFORE: &str =
    " received status code http error statuscode returned response responded got failed with ";
/// Words that make the number before them a status.
const AFTER: &str = " from http access client server bad unauthorized payment forbidden not method request conflict gone precondition \
    payload unsupported unprocessable locked too internal service gateway content ";

/// The code that a status represents, and its retry where the row of the code says otherwise.
pub(in crate::classify) const fn code(status: u16) -> Option<(CoreCode, Option<RetryKind>)> {
    Some(match status {
        400 | 422 => (codes::INVALID_INPUT_VALUE, None),
        401 | 407 => (codes::AUTH_REQUIRED, None),
        402 => (codes::LIMIT_EXCEEDED, None),
        403 => (codes::INSUFFICIENT_PERMISSIONS, None),
        404 | 410 => (codes::NOT_FOUND, None),
        405 | 406 | 415 | 426 | 501 | 505 => (codes::UNSUPPORTED, None),
        408 | 504 | 524 => (codes::TIMEOUT, None),
        409 | 412 | 423 | 428 => (codes::CONFLICT, None),
        413 | 414 | 431 => (codes::INPUT_TOO_LARGE, None),
        421 | 451 => (codes::UNAUTHORIZED_ACTION, None),
        429 => (codes::RATE_LIMITED, None),
        500 | 507 | 508 | 510 | 511 | 599 => (codes::INTERNAL_ERROR, Some(RetryKind::AfterDelay)),
        502 | 503 | 520..=523 | 525..=530 => (codes::UPSTREAM_UNAVAILABLE, None),
        _ => return None,
    })
}

/// Whether many failures share a status, so that words say more.
pub(in crate::classify) const fn is_vague(status: u16) -> bool {
    matches!(status, 400 | 409 | 422 | 500)
}

/// The first number from 400 to 599 that is meant as an HTTP status, in a text in our spelling.
pub(crate) fn find(text: &str) -> Option<u16> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = memchr::memchr2(b'4', b'5', bytes.get(from..)?).map(|it| it + from) {
        from = at + 1;
        let digits = bytes.get(at..at + 3)?;
        let alone =
            !is_tail_of_number(bytes.get(..at)?) && !is_head_of_number(bytes.get(at + 3..)?);
        if alone && digits.iter().all(u8::is_ascii_digit) && is_meant(text, at) {
            return text.get(at..at + 3)?.parse().ok();
        }
    }
    None
}

/// Whether digits after these bytes belong to something longer: a version, a port, an id.
fn is_tail_of_number(before: &[u8]) -> bool {
    match before {
        [.., last, b'.' | b':'] => last.is_ascii_digit(),
        [.., last] => last.is_ascii_alphanumeric() || matches!(last, b'/' | b'#'),
        [] => false,
    }
}

fn is_head_of_number(after: &[u8]) -> bool {
    match after {
        [b'.', next, ..] => next.is_ascii_digit(),
        [next, ..] => next.is_ascii_alphanumeric(),
        [] => false,
    }
}

fn is_meant(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at + 3..).unwrap_or_default();
    let last_word = before.trim_end_matches(|it: char| !it.is_ascii_alphanumeric());
    let gap = before.len() - last_word.len();
    let last_word =
        last_word.rsplit(|it: char| !it.is_ascii_alphabetic()).next().unwrap_or_default();
    let next_word = after.trim_start_matches([' ', ':', ')']);
    let next_word =
        next_word.split(|it: char| !it.is_ascii_alphabetic()).next().unwrap_or_default();
    gap <= 3 && is_among(last_word, BEFORE)
        || is_among(next_word, AFTER)
        || before.ends_with('(') && after.starts_with([',', ')', ':'])
        || is_http_version(before)
        || before.trim().is_empty() && (after.trim().is_empty() || after.starts_with(':'))
}

fn is_http_version(before: &str) -> bool {
    let Some(at) = before.rfind("http/") else { return false };
    before.len() - at <= 9
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_status_is_read_where_it_is_meant() {
        for (text, status) in [
            ("request failed with status code 502", Some(502)),
            ("notfounderror(404, 'index')", Some(404)),
            ("429 client error: too many requests for url", Some(429)),
            ("failed to fetch x status code 404. use y", Some(404)),
            ("http/1.1 503 service unavailable", Some(503)),
            ("server error '501 unsupported method", Some(501)),
            ("401: token invalid", Some(401)),
            ("403", Some(403)),
            ("404 files", None),
            ("received 403 http response", Some(403)),
            ("403 access denied: table p:d.t", Some(403)),
            ("paper 2401.40400 not found", None),
            ("found 404 files", None),
            ("connect econnrefused 127.0.0.1:443", None),
        ] {
            assert_eq!(find(text), status, "{text}");
        }
    }
}
