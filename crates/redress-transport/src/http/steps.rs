//! A response read from bytes that come in steps, without a socket: what the fuzzer and the tests hold the client to.

use std::{
    io,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use http_body_util::Full;
use hyper::{
    body::Bytes,
    http::{HeaderMap, Method},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{
    BodyError, HttpRequest, Received, RequestFailure,
    connection::{HttpConnection, SendError},
};

/// A stream that takes any request, and answers with bytes that come a few at a time.
#[derive(Debug)]
struct Script {
    answer: Bytes,
    step: usize,
    is_asked: bool,
    /// Whether the stream ends behind the answer.
    ends: bool,
}

impl AsyncRead for Script {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.is_asked || (self.answer.is_empty() && !self.ends) {
            return Poll::Pending;
        }
        let length = self.step.min(buf.remaining()).min(self.answer.len());
        let piece = self.answer.split_to(length);
        buf.put_slice(&piece);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Script {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.is_asked = true;
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// A response, read as far as it came.
#[derive(Debug)]
struct Read {
    status: u16,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the tests"))]
    headers: HeaderMap,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the tests"))]
    length: Option<u64>,
    body: Vec<u8>,
    end: Result<(), BodyError>,
    /// Whether another request may follow on its connection.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the tests"))]
    keeps: bool,
}

async fn read(script: Script) -> Result<Read, RequestFailure> {
    let broken = |detail: &str| RequestFailure {
        phase: super::RequestPhase::Connect,
        detail: detail.to_owned(),
        sent: false,
        received: Received::Nothing,
    };
    let connection = HttpConnection::new(script).await.map_err(|it| broken(&it.to_string()))?;
    let mut request = HttpRequest::new(Full::new(Bytes::from_static(b"{}")));
    *request.method_mut() = Method::POST;
    let mut response = connection.send(request).await.map_err(|it| match it {
        SendError::Failed(failure) => failure,
        SendError::Stale(_) => broken("the stream speaks unasked"),
    })?;
    let mut body = Vec::new();
    let end = loop {
        match response.next().await {
            Ok(Some(bytes)) => body.extend_from_slice(&bytes),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let (status, headers) = (response.status.as_u16(), std::mem::take(&mut response.headers));
    let length = response.length;
    let keeps = response.into_connection().is_some();
    Ok(Read { status, headers, length, body, end, keeps })
}

/// Runs what waits for nothing but a script, which is ready whenever it is polled again.
fn run<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut cx) {
            return done;
        }
    }
}

/// The status, the body as far as it came, and whether that is all of it; none if the bytes are no response, or none yet.
pub fn response_in_steps(bytes: &[u8], step: usize) -> Option<(u16, Vec<u8>, bool)> {
    let answer = Bytes::copy_from_slice(bytes);
    let script = Script { answer, step: step.max(1), is_asked: false, ends: true };
    let Read { status, body, end, .. } = run(read(script)).ok()?;
    match end {
        Err(BodyError::Malformed(_)) => None,
        end => Some((status, body, end.is_ok())),
    }
}

#[cfg(test)]
mod tests {
    use hyper::http::{HeaderName, header};
    use proptest::prelude::{ProptestConfig, prop, proptest};

    use super::{
        super::header_text, BodyError, Bytes, Read, Received, RequestFailure, Script, read,
        response_in_steps, run,
    };

    fn answered(text: &str, step: usize, ends: bool) -> Result<Read, RequestFailure> {
        let answer = Bytes::copy_from_slice(text.as_bytes());
        run(read(Script { answer, step, is_asked: false, ends }))
    }

    /// The length of a body and whether its connection is kept, by the fields above it.
    fn length(fields: &str, body: &str, ends: bool) -> Result<(Option<u64>, bool), String> {
        let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}");
        let read = answered(&text, text.len(), ends).map_err(|it| it.detail)?;
        read.end.map_err(|it| format!("{it:?}"))?;
        Ok((read.length, read.keeps))
    }

    #[test]
    fn a_body_is_as_long_as_its_head_says_in_exactly_one_way() {
        for (fields, body, expected) in [
            ("Content-Length: 5\r\n", "12345", (Some(5), true)),
            ("content-length: 5\r\ncontent-length: 5\r\n", "12345", (Some(5), true)),
            ("content-length: 5, 5\r\n", "12345", (Some(5), true)),
            ("content-length: 0\r\nconnection: Close\r\n", "", (Some(0), false)),
            ("connection: x, close\r\ncontent-length: 1\r\n", "1", (Some(1), false)),
            ("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n", (None, true)),
        ] {
            assert_eq!(length(fields, body, false), Ok(expected), "{fields}");
        }
        for fields in ["transfer-encoding: identity\r\n", ""] {
            assert_eq!(length(fields, "until the end", true), Ok((None, false)), "{fields}");
        }
        for fields in [
            "content-length: 5\r\ncontent-length: 6\r\n",
            "content-length: 5, 6\r\n",
            "content-length: +5\r\n",
            "content-length: -5\r\n",
            "content-length: 0x5\r\n",
            "content-length: 5 5\r\n",
            "content-length:\r\n",
            "content-length: 18446744073709551616\r\n",
            "transfer-encoding: gzip, chunked\r\n",
            "transfer-encoding: chunked, chunked\r\n",
            "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: xchunked\r\n",
            // An intermediary may go by the one, and the gate by the other.
            "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
            "content-length: 5\r\ntransfer-encoding: chunked\r\n",
            "content-length: 0\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: identity\r\ncontent-length: 1\r\n",
            "content-length : 5\r\n",
            "x: 1\r\n folded: 2\r\n",
        ] {
            let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n0\r\n\r\n");
            let failure = answered(&text, text.len(), true).expect_err(fields);
            assert_eq!(failure.received, Received::Malformed, "{fields}");
            assert!(failure.sent, "the server has the request");
        }
    }

    #[test]
    fn a_connection_is_kept_as_the_version_and_the_head_say() {
        for (text, expected) in [
            ("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n1", false),
            ("HTTP/1.0 200 OK\r\ncontent-length: 1\r\nconnection: keep-alive\r\n\r\n1", true),
            ("HTTP/1.1 204 No Content\r\n\r\n", true),
            ("HTTP/1.1 204 No Content\r\ncontent-length: 7\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n12", false),
        ] {
            assert_eq!(answered(text, text.len(), false).expect(text).keeps, expected, "{text}");
        }
        // Chunks of a server that is too old to know them.
        let old = "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n0\r\n\r\n";
        let failure = answered(old, old.len(), true).expect_err("chunks in HTTP/1.0");
        assert_eq!(failure.received, Received::Malformed);
        let empty = "HTTP/1.1 204 x\r\ncontent-length: 7\r\n\r\n";
        let read = answered(empty, empty.len(), false).expect("a head");
        assert_eq!((read.length, &*read.body), (Some(0), b"".as_slice()), "whatever it says");
    }

    #[test]
    fn interim_answers_are_skipped_and_an_upgrade_is_refused() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nlink: y\r\n\r\nHTTP/1.1 200 OK\r\nmcp-session-id: s\r\ncontent-length: 2\r\n\r\n{}";
        let read = answered(text, text.len(), false).expect("a head");
        assert_eq!((read.status, &*read.body), (200, b"{}".as_slice()));
        let session = HeaderName::from_static("mcp-session-id");
        assert_eq!(header_text(&read.headers, &session), Some("s"));
        let changes = "HTTP/1.1 101 x\r\nupgrade: y\r\n\r\n";
        let failure = answered(changes, changes.len(), true).expect_err("another protocol");
        assert_eq!(failure.received, Received::Malformed);
    }

    #[test]
    fn a_response_is_the_same_however_its_bytes_come() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\ncontent-type: text/plain\r\nretry-after: 3\r\ncontent-length: 2\r\n\r\nno";
        for step in 1..text.len() {
            let read = answered(text, step, false).expect("a head");
            assert_eq!((read.status, &*read.body, read.keeps), (404, b"no".as_slice(), true));
            assert_eq!(header_text(&read.headers, &header::RETRY_AFTER), Some("3"));
            assert_eq!(read.length, Some(2), "{step}");
        }
        for cut in 1..text.len() - 2 {
            let failure = answered(&text[..cut], cut, true).expect_err("no head");
            assert_eq!(failure.received, Received::Part, "{cut}");
        }
    }

    #[test]
    fn what_is_no_head_is_refused_in_the_end() {
        for text in
            ["SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 9999 x\r\n\r\n", "\0\0\n\n"]
        {
            let failure = answered(text, text.len(), true).expect_err(text);
            assert_eq!(failure.received, Received::Malformed, "{text}");
        }
        let endless = format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(64 << 10));
        let failure = answered(&endless, 1_000, false).expect_err("too long");
        assert_eq!(failure.detail, "the head is too long");
        let interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(64 << 10);
        let failure = answered(&interim, 1_000, false).expect_err("too long");
        assert_eq!(failure.detail, "the head is too long");
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(101));
        let failure = answered(&many, many.len(), true).expect_err("too many");
        assert_eq!(failure.received, Received::Malformed);
    }

    /// A body in chunks: its bytes, and how it ended.
    fn chunked(body: &str, step: usize) -> (Vec<u8>, Result<(), BodyError>) {
        let text = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{body}");
        let read = answered(&text, step, true).expect("a head");
        (read.body, read.end)
    }

    #[test]
    fn chunks_are_joined_however_their_bytes_come() {
        let text = "3\r\nabc\r\n0a;x=\"y\"\r\n0123456789\r\n0\r\nt: u\r\n\r\n";
        for step in 1..=text.len() {
            assert_eq!(chunked(text, step), (b"abc0123456789".to_vec(), Ok(())), "{step}");
        }
        let (_, end) = chunked(&text[..text.len() - 1], 4);
        assert!(matches!(end, Err(BodyError::Cut(_))), "{end:?}: the end is missing");
    }

    #[test]
    fn chunks_that_can_be_read_in_two_ways_are_refused() {
        for text in [
            "3\r\nabcd\r\n0\r\n\r\n",
            "3\r\nabc0\r\n\r\n",
            "+3\r\nabc\r\n0\r\n\r\n",
            "-1\r\nabc\r\n0\r\n\r\n",
            "0x3\r\nabc\r\n0\r\n\r\n",
            "\r\nabc\r\n0\r\n\r\n",
            "3\nabc\r\n0\r\n\r\n",
            "fffffffffffffffff\r\nabc",
            "3 3\r\nabc\r\n0\r\n\r\n",
            "3;\n0\r\nabc\r\n0\r\n\r\n",
            "3;\rx\r\nabc\r\n0\r\n\r\n",
            ";x\r\n\r\n",
        ] {
            let (_, end) = chunked(text, 1_000);
            assert!(matches!(end, Err(BodyError::Malformed(_))), "{text:?}: {end:?}");
        }
        for endless in
            [format!("3;{}", "x".repeat(16 << 10)), format!("0\r\n{}", "x: y\r\n".repeat(16 << 10))]
        {
            let (_, end) = chunked(&endless, 1_000);
            assert!(matches!(end, Err(BodyError::Malformed(_))), "{end:?}");
        }
    }

    const PIECES: [&str; 18] = [
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.0 404 No\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 ",
        "204",
        "\r\n",
        "\n",
        "\r",
        "content-length: 5\r\n",
        "content-length: 6, 5\r\n",
        "transfer-encoding: chunked\r\n",
        "connection: close\r\n",
        "x: \u{fc}\r\n",
        "\0",
        "3\r\nabc\r\n",
        "a;x\r\n",
        "0\r\n",
        "f",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn any_bytes_give_the_same_response_in_any_steps(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..14),
            step in 1_usize..9,
        ) {
            let bytes = pieces.concat().into_bytes();
            let whole = response_in_steps(&bytes, bytes.len().max(1));
            assert_eq!(response_in_steps(&bytes, step), whole);
        }
    }
}
