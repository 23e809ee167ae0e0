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

/// How far a request and its answer came.
#[derive(Debug, Default)]
struct Progress {
    has_looked: bool,
    written: usize,
    is_flushed: bool,
    /// Why the rest cannot be written. The server may have answered all the same.
    broken: Option<io::Error>,
    search: Search,
}

impl Connection {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, read: Buffer::default(), head: Vec::new() }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(mut self, request: &Request) -> Result<Reply, NotSent> {
        request.write_head(&mut self.head);
        let mut progress = Progress::default();
        let found = poll_fn(|cx| self.poll_head(&request.body, &mut progress, cx)).await;
        // A server that has not all of a body cannot have acted on it.
        let sent = progress.written == self.head.len() + request.body.len();
        let mut answer = if self.read.bytes().is_empty() { Begun::No } else { Begun::Cut };
        let detail = match found {
            Ok((head, length)) => {
                self.read.skip(length);
                // A server that does not want the rest takes it for the next request.
                let keeps = head.keeps && sent && progress.is_flushed;
                return Ok(Reply::new(head, keeps, self));
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
        body: &Bytes,
        progress: &mut Progress,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(Head, usize), NoHead>> {
        // Who has the end, an error or words that nobody asked for before him is not asked on.
        let has_looked = std::mem::replace(&mut progress.has_looked, true);
        if !has_looked && self.read.poll_fill(&mut self.stream, 0, cx).is_ready() {
            return Poll::Ready(Err(NoHead::Stale));
        }
        if progress.broken.is_none()
            && let Poll::Ready(Err(error)) = self.poll_write(body, progress, cx)
        {
            progress.broken = Some(error);
        }
        loop {
            match progress.search.find(self.read.bytes()) {
                Ok(Some(found)) => return Poll::Ready(Ok(found)),
                Ok(None) => (),
                Err(malformed) => return Poll::Ready(Err(NoHead::Malformed(malformed))),
            }
            let read = self.read.poll_fill(&mut self.stream, 0, cx);
            return Poll::Ready(Err(match (read, progress.broken.take()) {
                (Poll::Ready(Ok(1..)), broken) => {
                    progress.broken = broken;
                    continue;
                }
                (_, Some(error)) | (Poll::Ready(Err(error)), None) => NoHead::Io(error),
                (Poll::Ready(Ok(0)), None) => NoHead::Ended,
                (Poll::Pending, None) => return Poll::Pending,
            }));
        }
    }

    fn poll_write(
        &mut self,
        body: &Bytes,
        progress: &mut Progress,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let head = self.head.get(progress.written..).unwrap_or_default();
            let body = body.get(progress.written.saturating_sub(self.head.len())..);
            let body = body.unwrap_or_default();
            let stream = Pin::new(&mut self.stream);
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
            progress.written += written;
        }
        if !progress.is_flushed {
            ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
            progress.is_flushed = true;
        }
        Poll::Ready(Ok(()))
    }

    async fn fill(&mut self, expected: u64) -> Result<usize, NoBody> {
        let read = poll_fn(|cx| self.read.poll_fill(&mut self.stream, expected, cx)).await;
        read.map_err(|it| NoBody::Cut(chain(&it)))
    }
}

/// The answer to a request: its head, and its body as it comes.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) head: Head,
    left: Left,
    connection: Connection,
    keeps: bool,
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
    fn new(head: Head, keeps: bool, connection: Connection) -> Self {
        let left = match head.length {
            Length::Exactly(0) => Left::Nothing,
            Length::Exactly(bytes) => Left::Bytes(bytes),
            Length::Chunked => Left::Chunks(Chunks::default()),
            Length::UntilClose => Left::UntilClose,
        };
        Self { head, left, connection, keeps }
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
    pub(super) fn into_connection(self) -> Option<Connection> {
        let is_read = matches!(self.left, Left::Nothing);
        let is_clean = self.connection.read.bytes().is_empty();
        (self.keeps && is_read && is_clean).then_some(self.connection)
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
