//! `Connection`: one HTTP/1.1 connection, driven by whoever uses it, and the answer that comes on it.

use std::{
    error::Error,
    fmt::Write as _,
    future::poll_fn,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper::body::Bytes;
use tokio::io::AsyncWrite as _;

use super::{
    body::NoBody,
    buffer::Buffer,
    chunks::{Chunks, Part},
    head::{Head, Length, Malformed, Search},
    request::Request,
    stream::Stream,
};
use crate::session::Phase;

/// One connection. No task of its own drives it, which saves two changes of task for each request.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    read: Buffer,
    /// The head of the request, kept for the next one.
    head: Vec<u8>,
    upload: Upload,
}

/// How much of a request was written.
#[derive(Debug, Default)]
struct Upload {
    body: Bytes,
    written: usize,
    is_flushed: bool,
    /// The server does not want the rest.
    is_refused: bool,
    /// Why the rest cannot be written. The server may have answered all the same.
    broken: Option<io::Error>,
}

/// Why there is no answer to a request.
#[derive(Debug)]
pub(super) struct Failure {
    /// What was tried last.
    pub(super) phase: Phase,
    /// What went wrong, for the operator.
    pub(super) detail: String,
    /// Whether the server may have the request.
    pub(super) sent: bool,
    /// How far the answer came.
    pub(super) answer: Begun,
}

/// What there was of an answer that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    /// Nothing.
    No,
    /// Its start.
    Cut,
    /// Something that is no HTTP.
    Malformed,
}

impl Failure {
    pub(super) fn unsent(phase: Phase, error: &dyn Error) -> Self {
        Self { phase, detail: chain(error), sent: false, answer: Begun::No }
    }
}

/// Why a connection did not give an answer.
#[derive(Debug)]
pub(super) enum NotSent {
    /// It was closed before; nothing of the request has left.
    Stale,
    /// It failed.
    Failed(Failure),
}

/// Why there is no head.
#[derive(Debug)]
enum NoHead {
    Stale,
    Io(io::Error),
    Malformed(Malformed),
    Ended,
}

/// How far the head of an answer came.
#[derive(Debug, Default)]
struct Progress {
    has_looked: bool,
    search: Search,
}

impl Connection {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, read: Buffer::default(), head: Vec::new(), upload: Upload::default() }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(mut self, request: &Request) -> Result<Reply, NotSent> {
        request.write_head(&mut self.head);
        self.upload = Upload { body: request.body.clone(), ..Upload::default() };
        let mut progress = Progress::default();
        let found = poll_fn(|cx| self.poll_head(&mut progress, cx)).await;
        // A server that has not all of a body cannot have acted on it.
        let sent = self.upload.written == self.head.len() + request.body.len();
        let mut answer = if self.read.bytes().is_empty() { Begun::No } else { Begun::Cut };
        let detail = match found {
            Ok((head, length)) => {
                self.read.skip(length);
                // The answer is lost where more arrives after the server has closed the connection.
                self.upload.is_refused = !head.status.is_success() && !head.keeps;
                return Ok(Reply::new(head, self));
            }
            Err(NoHead::Stale) => return Err(NotSent::Stale),
            Err(NoHead::Io(error)) => chain(&error),
            Err(NoHead::Malformed(Malformed(what))) => {
                answer = Begun::Malformed;
                what.to_owned()
            }
            Err(NoHead::Ended) => "the connection was closed before an answer".to_owned(),
        };
        let phase = if sent { Phase::Read } else { Phase::Write };
        Err(NotSent::Failed(Failure { phase, detail, sent, answer }))
    }

    fn poll_head(
        &mut self,
        progress: &mut Progress,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(Head, usize), NoHead>> {
        // Who has the end, an error or words that nobody asked for before him is not asked on.
        let has_looked = std::mem::replace(&mut progress.has_looked, true);
        if !has_looked && self.read.poll_fill(&mut self.stream, 0, cx).is_ready() {
            return Poll::Ready(Err(NoHead::Stale));
        }
        self.write_on(cx);
        loop {
            match progress.search.find(self.read.bytes()) {
                Ok(Some(found)) => return Poll::Ready(Ok(found)),
                Ok(None) => (),
                Err(malformed) => return Poll::Ready(Err(NoHead::Malformed(malformed))),
            }
            let read = self.read.poll_fill(&mut self.stream, 0, cx);
            return Poll::Ready(Err(match (read, self.upload.broken.take()) {
                (Poll::Ready(Ok(1..)), broken) => {
                    self.upload.broken = broken;
                    continue;
                }
                (_, Some(error)) | (Poll::Ready(Err(error)), None) => NoHead::Io(error),
                (Poll::Ready(Ok(0)), None) => NoHead::Ended,
                (Poll::Pending, None) => return Poll::Pending,
            }));
        }
    }

    /// Writes as much of the rest of the request as the server takes.
    fn write_on(&mut self, cx: &mut Context<'_>) {
        if self.upload.broken.is_none()
            && !self.upload.is_refused
            && let Poll::Ready(Err(error)) = self.poll_write(cx)
        {
            self.upload.broken = Some(error);
        }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, head, upload, .. } = self;
        loop {
            let body = upload.body.get(upload.written.saturating_sub(head.len())..);
            let head = head.get(upload.written..).unwrap_or_default();
            let body = body.unwrap_or_default();
            let stream = Pin::new(&mut *stream);
            let written = match (head, body) {
                ([], []) => break,
                (some, []) | ([], some) => ready!(stream.poll_write(cx, some))?,
                _ => {
                    let both = [IoSlice::new(head), IoSlice::new(body)];
                    ready!(stream.poll_write_vectored(cx, &both))?
                }
            };
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            upload.written += written;
        }
        if !upload.is_flushed {
            ready!(Pin::new(stream).poll_flush(cx))?;
            upload.is_flushed = true;
        }
        Poll::Ready(Ok(()))
    }

    async fn fill(&mut self, expected: u64) -> Result<usize, NoBody> {
        // A server may answer before it has read all that it was sent, and wait for the rest.
        let read = poll_fn(|cx| {
            self.write_on(cx);
            self.read.poll_fill(&mut self.stream, expected, cx)
        });
        read.await.map_err(|it| NoBody::Cut(chain(&it)))
    }
}

/// The answer to a request: its head, and its body as it comes.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) head: Head,
    left: Left,
    connection: Connection,
}

/// What is left of a body.
#[derive(Debug)]
enum Left {
    Bytes(u64),
    Chunks(Chunks),
    UntilClose,
    Nothing,
}

impl Reply {
    fn new(head: Head, connection: Connection) -> Self {
        let left = match head.length {
            Length::Exactly(0) => Left::Nothing,
            Length::Exactly(bytes) => Left::Bytes(bytes),
            Length::Chunked => Left::Chunks(Chunks::default()),
            Length::UntilClose => Left::UntilClose,
        };
        Self { head, left, connection }
    }

    /// How long the body is, if its head says so.
    pub(super) const fn size(&self) -> Option<u64> {
        match self.head.length {
            Length::Exactly(bytes) => Some(bytes),
            Length::Chunked | Length::UntilClose => None,
        }
    }

    /// The next bytes of the body; none at its end. What went wrong is for the operator.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, NoBody> {
        loop {
            let read = &mut self.connection.read;
            let (part, expected) = match &mut self.left {
                Left::Bytes(left) => (read.take(*left), *left),
                Left::Chunks(chunks) => match chunks.next(read).map_err(NoBody::Malformed)? {
                    Part::Some(bytes) => (Some(bytes), 0),
                    Part::Nothing => (None, 0),
                    Part::End => return Ok(self.end()),
                },
                Left::UntilClose => (read.take(u64::MAX), 0),
                Left::Nothing => return Ok(None),
            };
            if let Some(part) = part {
                self.count(&part);
                return Ok(Some(part));
            }
            if self.connection.fill(expected).await? == 0 {
                return match self.left {
                    Left::UntilClose => Ok(self.end()),
                    _ => Err(NoBody::Cut(
                        "the connection was closed before the end of the answer".to_owned(),
                    )),
                };
            }
        }
    }

    /// All of a body whose length is known, in one piece.
    pub(super) async fn whole(&mut self) -> Result<Option<Bytes>, NoBody> {
        while let Left::Bytes(left) = self.left {
            let there = u64::try_from(self.connection.read.bytes().len()).unwrap_or(u64::MAX);
            if there >= left || self.connection.fill(left - there).await? == 0 {
                break;
            }
        }
        self.next().await
    }

    fn count(&mut self, part: &Bytes) {
        if let Left::Bytes(left) = &mut self.left {
            *left = left.saturating_sub(u64::try_from(part.len()).unwrap_or(u64::MAX));
            if *left == 0 {
                self.left = Left::Nothing;
            }
        }
    }

    fn end(&mut self) -> Option<Bytes> {
        self.left = Left::Nothing;
        None
    }

    /// The connection, if it can be used again: what stands behind the end of an answer belongs to nobody.
    pub(super) fn into_connection(mut self) -> Option<Connection> {
        let is_read = matches!(self.left, Left::Nothing);
        let is_clean = self.connection.read.bytes().is_empty();
        // A server that does not want the rest of a request takes it for the next one.
        let upload = std::mem::take(&mut self.connection.upload);
        (self.head.keeps && upload.is_flushed && is_read && is_clean).then_some(self.connection)
    }
}

/// An error with all that caused it.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            // Writing to a string cannot fail.
            write!(text, ": {said}").unwrap_or_default();
        }
        cause = error.source();
    }
    text
}
