//! HTTP/1.1 messages cut out of bytes: lengths, chunks and event streams, and nothing that a benchmark does not meet.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    ops::Range,
};

use memchr::{memchr, memmem};

use crate::fallible::Fallible;

/// Who wrote a message: a request without a length has no body, an answer without one lasts until the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Request,
    Answer,
}

/// A whole message at the start of some bytes.
#[derive(Debug, Default)]
pub(crate) struct Http {
    start: Range<usize>,
    session: Option<Range<usize>>,
    body: Body,
    /// The body is a stream of events.
    pub(crate) is_stream: bool,
    /// The connection ends with it.
    pub(crate) is_last: bool,
    /// How many bytes it takes.
    pub(crate) used: usize,
}

#[derive(Debug)]
enum Body {
    At(Range<usize>),
    Decoded(Vec<u8>),
}

impl Default for Body {
    fn default() -> Self {
        Self::At(0..0)
    }
}

/// How the head says that the body ends.
#[derive(Debug, Clone, Copy)]
enum Ends {
    After(usize),
    WithLastChunk,
    WithConnection,
}

impl Http {
    /// The first message in `bytes`, once it is whole.
    pub(crate) fn read(bytes: &[u8], kind: Kind, is_end: bool) -> Fallible<Option<Self>> {
        let Some(head) = memmem::find(bytes, b"\r\n\r\n").map(|it| it + 4) else {
            return Ok(None);
        };
        let mut message = Self::default();
        let ends = message.read_head(bytes.get(..head).unwrap_or_default(), kind)?;
        match ends {
            Ends::After(length) => {
                message.used = head + length;
                message.body = Body::At(head..head + length);
                Ok((bytes.len() >= message.used).then_some(message))
            }
            Ends::WithConnection => {
                message.used = bytes.len();
                message.is_last = true;
                message.body = Body::At(head..bytes.len());
                Ok(is_end.then_some(message))
            }
            Ends::WithLastChunk => {
                let Some((body, used)) = unchunk(bytes.get(head..).unwrap_or_default())? else {
                    return Ok(None);
                };
                message.used = head + used;
                message.body = Body::Decoded(body);
                Ok(Some(message))
            }
        }
    }

    fn read_head(&mut self, head: &[u8], kind: Kind) -> Fallible<Ends> {
        let mut ends = None;
        let mut at = 0;
        while let Some(length) = memchr(b'\n', head.get(at..).unwrap_or_default()) {
            let line = head.get(at..at + length).unwrap_or_default().trim_ascii_end();
            if at == 0 {
                self.start = 0..line.len();
            } else if let Some(colon) = memchr(b':', line) {
                let (name, value) = line.split_at(colon);
                let value = value.get(1..).unwrap_or_default().trim_ascii_start();
                let value_at = at + line.len() - value.len()..at + line.len();
                if name.eq_ignore_ascii_case(b"content-length") {
                    ends = Some(Ends::After(std::str::from_utf8(value)?.parse()?));
                } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                    ends = Some(Ends::WithLastChunk);
                } else if name.eq_ignore_ascii_case(b"content-type") {
                    self.is_stream = value.starts_with(b"text/event-stream");
                } else if name.eq_ignore_ascii_case(b"connection") {
                    self.is_last = value.eq_ignore_ascii_case(b"close");
                } else if name.eq_ignore_ascii_case(b"mcp-session-id") {
                    self.session = Some(value_at);
                }
            }
            at += length + 1;
        }
        let has_none = matches!(status(head), 100..=199 | 202 | 204 | 304);
        Ok(ends.unwrap_or(match kind {
            Kind::Request => Ends::After(0),
            Kind::Answer if has_none => Ends::After(0),
            Kind::Answer => Ends::WithConnection,
        }))
    }

    /// The first line. The bytes are those that the message was read from.
    pub(crate) fn start<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start.clone()).unwrap_or_default()
    }

    /// The status of an answer; 0 for a request.
    pub(crate) fn status(&self, bytes: &[u8]) -> u16 {
        status(self.start(bytes))
    }

    pub(crate) fn session<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.session.clone()?)
    }

    pub(crate) fn body<'a>(&'a self, bytes: &'a [u8]) -> &'a [u8] {
        match &self.body {
            Body::At(place) => bytes.get(place.clone()).unwrap_or_default(),
            Body::Decoded(body) => body,
        }
    }

    /// The JSON-RPC messages in the body: one, or one for each event.
    pub(crate) fn messages<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let is_stream = self.is_stream;
        let whole = Some(self.body(bytes)).filter(|it| !is_stream && !it.is_empty());
        let events = self.body(bytes).split(|it| *it == b'\n').filter(move |_| is_stream);
        let events = events.filter_map(|it| it.strip_prefix(b"data:")).map(<[u8]>::trim_ascii);
        whole.into_iter().chain(events.filter(|it| !it.is_empty()))
    }
}

fn status(start: &[u8]) -> u16 {
    let code = start.strip_prefix(b"HTTP/1.1 ").and_then(|it| it.get(..3));
    code.and_then(|it| std::str::from_utf8(it).ok()?.parse().ok()).unwrap_or(0)
}

/// The body that chunks make up, and how many bytes they take; nothing before the last one is there.
fn unchunk(bytes: &[u8]) -> Fallible<Option<(Vec<u8>, usize)>> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(line) = memchr(b'\n', rest) else { return Ok(None) };
        let size = rest.split(|it| matches!(it, b';' | b'\r' | b'\n')).next().unwrap_or_default();
        let size = usize::from_str_radix(std::str::from_utf8(size)?.trim(), 16)?;
        at += line + 1;
        let Some(chunk) = bytes.get(at..at + size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        at += size + 2;
        if size == 0 {
            return Ok((bytes.len() >= at).then_some((body, at)));
        }
    }
}

/// A connection that is read message by message.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    /// What has been read; a message lies at its start until it is dropped.
    pub(crate) bytes: Vec<u8>,
    room: Vec<u8>,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream) -> Fallible<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { stream, bytes: Vec::new(), room: vec![0; 64 << 10] })
    }

    /// Waits for the next message; none when the other side has ended.
    pub(crate) fn next(&mut self, kind: Kind) -> Fallible<Option<Http>> {
        let mut is_end = false;
        loop {
            if let Some(message) = Http::read(&self.bytes, kind, is_end)? {
                return Ok(Some(message));
            }
            if is_end {
                return Ok(None);
            }
            is_end = self.fill()? == 0;
        }
    }

    /// Reads once.
    pub(crate) fn fill(&mut self) -> std::io::Result<usize> {
        let read = self.stream.read(&mut self.room)?;
        self.bytes.extend_from_slice(self.room.get(..read).unwrap_or_default());
        Ok(read)
    }

    /// The message at the start is done with.
    pub(crate) fn drop_message(&mut self, message: &Http) {
        self.bytes.drain(..message.used.min(self.bytes.len()));
    }
}

/// Writes an answer with a JSON body made of parts; without parts it has none.
pub(crate) fn write_answer(out: &mut Vec<u8>, status: &str, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|it| it.len()).sum();
    out.clear();
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(status.as_bytes());
    if length > 0 {
        out.extend_from_slice(b"\r\ncontent-type: application/json");
    }
    write!(out, "\r\ncontent-length: {length}\r\n\r\n").unwrap_or_default();
    for part in parts {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::{Http, Kind};

    #[test]
    fn a_stream_in_chunks_is_whole_with_its_last_chunk_only() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: abc\r\ntransfer-encoding: chunked\r\n\r\n5\r\nevent\r\n13\r\n: message\ndata: {1}\r\n2\r\n\n\n\r\n0\r\n\r\n";
        for end in 0..bytes.len() {
            assert!(Http::read(&bytes[..end], Kind::Answer, false).unwrap().is_none());
        }
        let message = Http::read(bytes, Kind::Answer, false).unwrap().unwrap();
        assert_eq!(message.used, bytes.len());
        assert_eq!(message.status(bytes), 200);
        assert_eq!(message.session(bytes), Some(&b"abc"[..]));
        assert_eq!(message.messages(bytes).collect::<Vec<_>>(), [b"{1}"]);
    }

    #[test]
    fn the_next_message_is_left_alone() {
        let bytes = b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcPOST";
        let message = Http::read(bytes, Kind::Request, false).unwrap().unwrap();
        assert_eq!(message.body(bytes), b"abc");
        assert_eq!(&bytes[message.used..], b"POST");
        assert!(message.start(bytes).starts_with(b"POST /mcp "));
    }

    #[test]
    fn an_answer_without_a_length_lasts_until_the_end() {
        let bytes = b"HTTP/1.1 200 OK\r\n\r\nrest";
        assert!(Http::read(bytes, Kind::Answer, false).unwrap().is_none());
        let message = Http::read(bytes, Kind::Answer, true).unwrap().unwrap();
        assert_eq!(message.body(bytes), b"rest");
        assert!(message.is_last);
    }
}
