//! `Head`: the head of an answer, and what it says about the length of the body. Who reads a length otherwise than its sender reads the
//! next answer from the middle of this one, so that whatever can be read in two ways is refused, or the last on its connection.

use std::mem::MaybeUninit;

use httparse::{Header, Status};
use hyper::http::{HeaderName, HeaderValue, StatusCode, header};
use memchr::memchr_iter;

use super::{fields::Fields, mirror::SESSION};

/// The most that a head may take, with those of interim answers before it.
const MOST_BYTES: usize = 64 << 10;

const MOST_FIELDS: usize = 100;

pub(super) const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// What anybody here reads; everything else is passed over.
const READ: [HeaderName; 7] = [
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
    SESSION,
    KEEP_ALIVE,
    header::LOCATION,
    header::RETRY_AFTER,
    header::WWW_AUTHENTICATE,
];

/// What is wrong with the form of an answer, for the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) &'static str);

/// The head of an answer.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: StatusCode,
    pub(super) fields: Fields,
    pub(super) length: Length,
    /// Whether another request may follow on the connection.
    pub(super) keeps: bool,
}

/// How long a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Exactly(u64),
    /// Each part says its own length.
    Chunked,
    /// It ends with the connection.
    UntilClose,
}

/// Looks for a head in bytes that grow.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// How far it was looked for the end of a head.
    seen: usize,
    /// What interim answers took.
    interim: usize,
}

impl Search {
    /// The head at the start of these bytes and its length, once it is there: that of the last answer, since interim ones say
    /// nothing that we use.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Result<Option<(Head, usize)>, Malformed> {
        let mut start = self.interim;
        loop {
            let rest = bytes.get(start..).unwrap_or_default();
            let found = if self.has_end(rest, start) { parse(rest)? } else { None };
            let Some((head, length)) = found else {
                let is_too_long = bytes.len() > MOST_BYTES;
                return if is_too_long { Err(Malformed("the head is too long")) } else { Ok(None) };
            };
            start += length;
            if !head.status.is_informational() {
                return Ok(Some((head, start)));
            }
            if head.status == StatusCode::SWITCHING_PROTOCOLS {
                return Err(Malformed("the server changes to a protocol that nobody asked for"));
            }
            self.interim = start;
        }
    }

    /// Whether an empty line is in sight. Without one there is nothing to parse, however often bytes come.
    fn has_end(&mut self, rest: &[u8], start: usize) -> bool {
        let from = self.seen.saturating_sub(start).min(rest.len());
        let end = memchr_iter(b'\n', rest.get(from..).unwrap_or_default())
            .map(|at| from + at)
            .find(|at| matches!(rest.get(..*at), Some([.., b'\n'] | [.., b'\n', b'\r'])));
        if end.is_none() {
            self.seen = start + rest.len();
        }
        end.is_some()
    }
}

fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Malformed> {
    let mut fields = [const { MaybeUninit::<Header<'_>>::uninit() }; MOST_FIELDS];
    let mut answer = httparse::Response::new(&mut []);
    let config = httparse::ParserConfig::default();
    let parsed = config.parse_response_with_uninit_headers(&mut answer, bytes, &mut fields);
    let Status::Complete(length) = parsed.or(Err(Malformed("the head is no HTTP")))? else {
        return Ok(None);
    };
    let status = answer.code.and_then(|it| StatusCode::from_u16(it).ok());
    let status = status.ok_or(Malformed("the head has no status"))?;
    let is_new = answer.version == Some(1);
    Ok(Some((Framing::of(answer.headers)?.head(status, is_new), length)))
}

/// What the fields of a head say.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Framing {
    fields: Fields,
    length: Option<u64>,
    /// Whether it says how the body is sent, be it as it is.
    is_coded: bool,
    is_chunked: bool,
    closes: bool,
    stays: bool,
}

impl Framing {
    fn of(headers: &[Header<'_>]) -> Result<Self, Malformed> {
        let mut this = Self::default();
        for Header { name, value } in headers {
            if name.eq_ignore_ascii_case("content-length") {
                value.split(|it| *it == b',').try_for_each(|it| this.add_length(it))?;
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                this.add_coding(value.trim_ascii())?;
            } else if name.eq_ignore_ascii_case("connection") {
                for token in value.split(|it| *it == b',').map(<[u8]>::trim_ascii) {
                    this.closes |= token.eq_ignore_ascii_case(b"close");
                    this.stays |= token.eq_ignore_ascii_case(b"keep-alive");
                }
            } else if let Some(known) =
                READ.iter().find(|it| it.as_str().eq_ignore_ascii_case(name))
                && let Ok(value) = HeaderValue::from_bytes(value)
            {
                this.fields.append(known.clone(), value);
            }
        }
        if this.is_coded && this.length.is_some() {
            return Err(Malformed("the body has a length, and comes in parts"));
        }
        Ok(this)
    }

    fn add_length(&mut self, text: &[u8]) -> Result<(), Malformed> {
        let text = text.trim_ascii();
        let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let length = std::str::from_utf8(text).ok().filter(|_| is_number);
        let length: Option<u64> = length.and_then(|it| it.parse().ok());
        let length = length.ok_or(Malformed("the length of the body is no number"))?;
        if self.length.is_some_and(|it| it != length) {
            return Err(Malformed("the body has two lengths"));
        }
        self.length = Some(length);
        Ok(())
    }

    fn add_coding(&mut self, coding: &[u8]) -> Result<(), Malformed> {
        self.is_coded = true;
        if coding.eq_ignore_ascii_case(b"identity") {
            return Ok(());
        }
        if self.is_chunked || !coding.eq_ignore_ascii_case(b"chunked") {
            return Err(Malformed("the body is packed in a way that nobody asked for"));
        }
        self.is_chunked = true;
        Ok(())
    }

    fn head(self, status: StatusCode, is_new: bool) -> Head {
        let is_empty = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
            || status.is_informational();
        let length = match self.length {
            _ if is_empty => Length::Exactly(0),
            _ if self.is_chunked => Length::Chunked,
            Some(length) => Length::Exactly(length),
            None => Length::UntilClose,
        };
        // Chunks of a server that is too old to know them: who knows what else differs.
        let is_doubtful = self.is_chunked && !is_new;
        let stays = !self.closes && (is_new || self.stays);
        let keeps = stays && !is_doubtful && length != Length::UntilClose;
        Head { status, fields: self.fields, length, keeps }
    }
}

#[cfg(test)]
mod tests {
    use hyper::http::header;
    use proptest::prelude::{ProptestConfig, prop, proptest};

    use super::{Head, Length, MOST_BYTES, Search};

    fn read(text: &str) -> Result<(Head, usize), &'static str> {
        let found = Search::default().find(text.as_bytes()).map_err(|it| it.0)?;
        found.ok_or("not all of it")
    }

    fn length(fields: &str) -> Result<(Length, bool), &'static str> {
        let (head, _) = read(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n"))?;
        Ok((head.length, head.keeps))
    }

    #[test]
    fn a_body_is_as_long_as_its_head_says_in_exactly_one_way() {
        for (fields, expected) in [
            ("Content-Length: 5\r\n", (Length::Exactly(5), true)),
            ("content-length: 5\r\ncontent-length: 5\r\n", (Length::Exactly(5), true)),
            ("content-length: 5, 5\r\n", (Length::Exactly(5), true)),
            ("content-length: 0\r\nconnection: Close\r\n", (Length::Exactly(0), false)),
            ("connection: x, close\r\ncontent-length: 1\r\n", (Length::Exactly(1), false)),
            ("Transfer-Encoding: Chunked\r\n", (Length::Chunked, true)),
            ("transfer-encoding: identity\r\n", (Length::UntilClose, false)),
            ("", (Length::UntilClose, false)),
        ] {
            assert_eq!(length(fields), Ok(expected), "{fields}");
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
            assert!(length(fields).is_err(), "{fields}");
        }
    }

    #[test]
    fn a_connection_is_kept_as_the_version_and_the_head_say() {
        for (text, expected) in [
            ("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\ncontent-length: 1\r\nconnection: keep-alive\r\n\r\n", true),
            (
                "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n",
                false,
            ),
            ("HTTP/1.1 204 No Content\r\n\r\n", true),
            ("HTTP/1.1 204 No Content\r\ncontent-length: 7\r\n\r\n", true),
        ] {
            assert_eq!(read(text).expect(text).0.keeps, expected, "{text}");
        }
        let (head, _) = read("HTTP/1.1 204 x\r\ncontent-length: 7\r\n\r\n").expect("a head");
        assert_eq!(head.length, Length::Exactly(0), "it has none, whatever it says");
    }

    #[test]
    fn interim_answers_are_passed_over_and_a_change_of_protocol_is_refused() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nlink: y\r\n\r\nHTTP/1.1 200 OK\r\nmcp-session-id: s\r\n\r\n{}";
        let (head, length) = read(text).expect("a head");
        assert_eq!((head.status.as_u16(), length), (200, text.len() - 2));
        assert_eq!(head.fields.text(&super::SESSION), Some("s"));
        assert!(read("HTTP/1.1 101 x\r\nupgrade: y\r\n\r\n").is_err());
    }

    #[test]
    fn a_head_is_the_same_however_its_bytes_come() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\ncontent-type: text/plain\r\nretry-after: 3\r\ncontent-length: 2\r\n\r\nno";
        for step in 1..text.len() {
            let (mut search, mut end, mut found) = (Search::default(), 0, None);
            while found.is_none() {
                end = (end + step).min(text.len());
                found = search.find(&text.as_bytes()[..end]).expect("well-formed");
                assert!(found.is_some() || end < text.len(), "never found in steps of {step}");
            }
            let (head, length) = found.expect("a head");
            assert_eq!((head.status.as_u16(), length), (404, text.len() - 2), "{step}");
            assert_eq!(head.fields.text(&header::RETRY_AFTER), Some("3"));
            assert_eq!(head.length, Length::Exactly(2));
        }
    }

    #[test]
    fn what_is_no_head_is_refused_in_the_end() {
        for text in
            ["SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 9999 x\r\n\r\n", "\0\0\n\n"]
        {
            assert!(read(text).is_err(), "{text}");
        }
        let endless = format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(MOST_BYTES));
        assert_eq!(read(&endless).err(), Some("the head is too long"));
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(101));
        assert_eq!(read(&many).err(), Some("the head is no HTTP"));
    }

    /// The status, the length of the body and of the head, once a head is found in bytes that come in steps.
    fn in_steps(bytes: &[u8], step: usize) -> Option<(u16, Length, usize)> {
        let mut search = Search::default();
        for end in (step..bytes.len() + step).step_by(step) {
            let found = search.find(&bytes[..end.min(bytes.len())]).ok()?;
            if let Some((head, length)) = found {
                return Some((head.status.as_u16(), head.length, length));
            }
        }
        None
    }

    const PIECES: [&str; 14] = [
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
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn any_bytes_give_the_same_head_or_none_in_any_steps(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12),
            step in 1_usize..9,
        ) {
            let bytes = pieces.concat().into_bytes();
            assert_eq!(in_steps(&bytes, step), in_steps(&bytes, bytes.len().max(1)));
        }
    }
}
