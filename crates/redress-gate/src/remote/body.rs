//! The body of an answer: read within bounds, and cut into messages.

use std::{borrow::Cow, time::Duration};

use hyper::{
    body::Bytes,
    http::{HeaderMap, HeaderName, header},
};
use redress_proxy::{
    memory::{Reservation, SMALL},
    session::ClientKind,
};
use redress_transport::http::{BodyError, HttpResponse, header_text};
use redress_wire::json::Doc;
use tokio::time::timeout;

use crate::frame::{behind_mark, limits};

/// The limits of reading a response that is not needed; beyond them its connection is closed.
const DRAIN_BYTES: u64 = 64 << 10;
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// What the body of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// A stream of events.
    Events,
    /// Compressed, which the gate did not ask for.
    Packed,
    /// One message, or what takes its place.
    Whole,
}

impl Content {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| header_text(headers, &name).unwrap_or_default();
        let packing = text(header::CONTENT_ENCODING).trim();
        if !packing.is_empty() && !packing.eq_ignore_ascii_case("identity") {
            return Self::Packed;
        }
        let kind = text(header::CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
        if kind.eq_ignore_ascii_case("text/event-stream") { Self::Events } else { Self::Whole }
    }
}

/// Why a body could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyFailure {
    /// It is longer than allowed; how long, if that is known.
    TooLong(Option<u64>),
    /// There is no memory for it.
    OutOfMemory,
    /// It ended early.
    Cut(String),
    /// Its parts cannot be separated.
    Malformed(String),
}

impl From<BodyError> for BodyFailure {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Cut(why) => Self::Cut(why),
            BodyError::Malformed(what) => Self::Malformed(what),
        }
    }
}

/// All of a body, with its bytes reserved. One that says that it is too long, or for which there is no memory, is not read at all.
pub(super) async fn whole(
    response: &mut HttpResponse,
    longest: usize,
    memory: &mut Reservation,
) -> Result<Bytes, BodyFailure> {
    let most = u64::try_from(longest).unwrap_or(u64::MAX);
    let length = response.length.unwrap_or_default();
    if length > most {
        return Err(BodyFailure::TooLong(response.length));
    }
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    reserve(memory, length)?;
    let first = response.next().await?.unwrap_or_default();
    let Some(second) = response.next().await? else {
        return if first.len() > longest { Err(BodyFailure::TooLong(None)) } else { Ok(first) };
    };
    let mut all = Vec::with_capacity(length.max(first.len() + second.len()));
    all.extend_from_slice(&first);
    all.extend_from_slice(&second);
    while all.len() <= longest {
        match response.next().await? {
            Some(bytes) => {
                reserve(memory, length.max(all.len() + bytes.len()))?;
                all.extend_from_slice(&bytes);
            }
            None => return Ok(all.into()),
        }
    }
    Err(BodyFailure::TooLong(None))
}

/// Reserves so many bytes of what is read; few need no reservation.
pub(super) fn reserve(memory: &mut Reservation, bytes: usize) -> Result<(), BodyFailure> {
    let bytes = if bytes > SMALL { bytes } else { 0 };
    memory.resize(bytes).or(Err(BodyFailure::OutOfMemory))
}

/// Reads what is left of a response that is not needed. Gives whether its connection can be used again.
pub(super) async fn drain(response: &mut HttpResponse) -> bool {
    let read = async {
        let mut left = DRAIN_BYTES;
        while let Ok(Some(bytes)) = response.next().await {
            left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            if left == 0 {
                return false;
            }
        }
        true
    };
    timeout(DRAIN_TIME, read).await.unwrap_or(false)
}

/// A message as it can be sent to its client. Where that takes one line, line breaks between its parts become blanks; one inside a
/// string is no JSON, and stays.
pub(super) fn message(bytes: &[u8], client: ClientKind) -> Cow<'_, [u8]> {
    let bytes = behind_mark(bytes).unwrap_or(bytes).trim_ascii();
    match client {
        ClientKind::Pipe => line(bytes),
        ClientKind::Http => Cow::Borrowed(bytes),
    }
}

fn line(bytes: &[u8]) -> Cow<'_, [u8]> {
    let has_breaks = memchr::memchr2(b'\n', b'\r', bytes).is_some();
    if !has_breaks || Doc::parse(bytes, limits(usize::MAX)).is_err() {
        return Cow::Borrowed(bytes);
    }
    let flat = |it: &u8| if matches!(it, b'\n' | b'\r') { b' ' } else { *it };
    bytes.iter().map(flat).collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use hyper::http::{HeaderValue, header};

    use super::{ClientKind, Content, HeaderMap, message};

    #[test]
    fn a_message_of_many_lines_becomes_one_line_on_a_pipe() {
        let line = |bytes: &'static [u8]| message(bytes, ClientKind::Pipe);
        assert_eq!(*line(b" {\"a\":1}\r\n"), *b"{\"a\":1}");
        assert_eq!(*line(b"\xef\xbb\xbf{\"a\":1}"), *b"{\"a\":1}");
        assert_eq!(*line(b"{\r\n \"a\": \"b\\n\"\n}\n"), *b"{   \"a\": \"b\\n\" }");
        assert_eq!(
            *line(b"{\"a\":\"b\nc\"}"),
            *b"{\"a\":\"b\nc\"}",
            "that is no JSON, and stays none"
        );
    }

    #[test]
    fn a_message_of_many_lines_stays_as_it_is_over_http() {
        let bytes = b"{\r\n \"a\": \"b\\n\"\n}";
        assert_eq!(*message(bytes, ClientKind::Http), *bytes);
    }

    #[test]
    fn the_head_says_what_a_body_is() {
        for (name, value, content) in [
            (header::CONTENT_TYPE, "text/event-stream; charset=utf-8", Content::Events),
            (header::CONTENT_TYPE, "Text/Event-Stream", Content::Events),
            (header::CONTENT_TYPE, "application/json", Content::Whole),
            (header::CONTENT_TYPE, "text/html", Content::Whole),
            (header::CONTENT_ENCODING, "gzip", Content::Packed),
            (header::CONTENT_ENCODING, "identity", Content::Whole),
        ] {
            let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
            assert_eq!(Content::of(&headers), content, "{value}");
        }
        assert_eq!(Content::of(&HeaderMap::new()), Content::Whole);
    }
}
