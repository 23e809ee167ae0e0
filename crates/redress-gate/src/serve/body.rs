//! `Body`: what an HTTP answer carries, and how a request's body is read in bounds.

use std::{
    convert::Infallible,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use redress_proxy::memory::{Account, Reservation, SharedReservation};
use tokio::time::{Instant, Sleep, sleep, timeout, timeout_at};

use super::{pending_request::PendingRequest, session_manager::HttpSession};
use crate::replies::Stream;

/// How often a stream on which nothing is said shows that it is still there.
const BEAT: Duration = Duration::from_secs(20);

/// How long a body for which there is no memory is read all the same.
const DISCARD: Duration = Duration::from_secs(2);

/// How long a body may take, beside what its size allows for.
const GRACE: Duration = Duration::from_secs(20);
/// The slowest that a body may come, in bytes a second.
const SLOWEST: usize = 16 << 10;

/// What an HTTP answer carries.
#[derive(Debug)]
pub(super) enum Body {
    /// Bytes, possibly none.
    Whole(Bytes),
    /// Events.
    Events(Box<Events>),
}

/// A stream of events that a client reads.
#[derive(Debug)]
pub(super) struct Events {
    stream: Arc<Stream>,
    /// Who reads, until the last one.
    reader: Option<StreamReader>,
    beat: Pin<Box<Sleep>>,
}

/// Who reads events.
#[derive(Debug)]
pub(super) enum StreamReader {
    /// A client for which the last one is an answer.
    Request(PendingRequest),
    /// A client that wants to hear what belongs to no request.
    Session(Arc<HttpSession>),
}

impl Body {
    /// Events of a stream.
    pub(super) fn events(stream: Arc<Stream>, reader: StreamReader) -> Self {
        let beat = Box::pin(sleep(BEAT));
        Self::Events(Box::new(Events { stream, reader: Some(reader), beat }))
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => None,
            Self::Whole(bytes) => Some(std::mem::take(bytes)),
            Self::Events(events) => ready!(events.poll_next(context)),
        };
        Poll::Ready(next.map(|it| Ok(Frame::data(it))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
            }
            Self::Events(_) => SizeHint::default(),
        }
    }
}

impl Events {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        match self.stream.poll_next(context) {
            Poll::Ready(Some(event)) => Poll::Ready(Some(event)),
            Poll::Ready(None) => {
                if let Some(StreamReader::Request(pending)) = self.reader.take() {
                    pending.done();
                }
                Poll::Ready(None)
            }
            Poll::Pending => {
                ready!(self.beat.as_mut().poll(context));
                self.beat.as_mut().reset(Instant::now() + BEAT);
                // Asks to be woken at the next beat.
                let _is_pending = self.beat.as_mut().poll(context);
                Poll::Ready(Some(self.stream.beat()))
            }
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.stream.leave();
        match &self.reader {
            Some(StreamReader::Request(pending)) => pending.unread(&self.stream),
            Some(StreamReader::Session(session)) => session.unread(&self.stream),
            None => (),
        }
    }
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    /// It is too large.
    TooLarge,
    /// There is no memory for it.
    OutOfMemory,
    /// It comes too slowly.
    TooSlow,
    /// It ended before its end.
    Cut,
}

/// The size of the pieces in which a large body is kept until all of it is there.
const PIECE: usize = 64 << 10;

/// Reads a body of at most so many bytes. What is kept of it is reserved as it comes; a body that comes in one piece is not kept.
pub(super) async fn read(
    mut body: Incoming,
    most: usize,
    account: &Account,
) -> Result<Bytes, BodyError> {
    let hint = body.size_hint();
    if hint.lower() > u64::try_from(most).unwrap_or(u64::MAX) {
        return Err(BodyError::TooLarge);
    }
    let read = read_all(&mut body, most, account).await;
    if read == Err(BodyError::OutOfMemory) {
        // A client hears why if it has sent all: one that still sends finds its connection closed.
        drop(timeout(DISCARD, discard(&mut body)).await);
    }
    read
}

/// Reads what is left of a body, and keeps nothing of it.
async fn discard(body: &mut Incoming) {
    let forever = Instant::now() + GRACE;
    while let Ok(Some(_)) = next(body, forever).await {}
}

async fn read_all(body: &mut Incoming, most: usize, account: &Account) -> Result<Bytes, BodyError> {
    let hint = body.size_hint();
    let started = Instant::now();
    let first = next(body, started + GRACE).await?.unwrap_or_default();
    if first.len() > most {
        return Err(BodyError::TooLarge);
    }
    if body.is_end_stream() {
        return Ok(first);
    }
    let expected = usize::try_from(hint.lower()).unwrap_or(PIECE).clamp(first.len(), PIECE);
    let mut pieces = Pieces { all: Vec::new(), bytes: 0, expected, memory: account.open() };
    pieces.add(&first)?;
    drop(first);
    loop {
        let earned = Duration::from_secs(u64::try_from(pieces.bytes / SLOWEST).unwrap_or(u64::MAX));
        let Some(more) = next(body, started + GRACE + earned).await? else {
            return pieces.join();
        };
        if pieces.bytes + more.len() > most {
            return Err(BodyError::TooLarge);
        }
        pieces.add(&more)?;
    }
}

/// What has come of a body, with its bytes reserved. Pieces of one size leave no gaps in memory behind, which a buffer that grows does.
struct Pieces {
    all: Vec<Vec<u8>>,
    bytes: usize,
    /// The size of the first piece, which may be all of the body.
    expected: usize,
    memory: Reservation,
}

impl Pieces {
    fn add(&mut self, mut bytes: &[u8]) -> Result<(), BodyError> {
        self.bytes += bytes.len();
        while !bytes.is_empty() {
            let last = match self.all.last_mut().filter(|it| it.len() < it.capacity()) {
                Some(last) => last,
                None => {
                    let size = if self.all.is_empty() { self.expected.max(1) } else { PIECE };
                    let reserved = self.all.iter().map(Vec::capacity).sum::<usize>() + size;
                    self.memory.resize(reserved).or(Err(BodyError::OutOfMemory))?;
                    self.all.push_mut(Vec::with_capacity(size))
                }
            };
            let room = (last.capacity() - last.len()).min(bytes.len());
            let (now, later) = bytes.split_at(room);
            last.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }

    /// The whole body. Each piece goes as soon as it is copied, so that memory for one more is enough.
    fn join(mut self) -> Result<Bytes, BodyError> {
        let mut pieces = std::mem::take(&mut self.all);
        let whole = if pieces.len() > 1 {
            let reserved = (self.bytes + PIECE).max(pieces.iter().map(Vec::capacity).sum());
            self.memory.resize(reserved).or(Err(BodyError::OutOfMemory))?;
            let mut whole = Vec::with_capacity(self.bytes);
            for piece in pieces {
                whole.extend_from_slice(&piece);
            }
            whole
        } else {
            pieces.pop().unwrap_or_default()
        };
        // No more bytes than before.
        self.memory.resize(whole.capacity()).or(Err(BodyError::OutOfMemory))?;
        let held = SharedReservation::new(vec![self.memory]);
        Ok(held.bind(Bytes::from(whole)))
    }
}

/// The next piece of a body; `None` after the last one.
async fn next(body: &mut Incoming, until: Instant) -> Result<Option<Bytes>, BodyError> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        match timeout_at(until, frame).await {
            Ok(Some(Ok(frame))) => {
                // Trailers say nothing that we want to know.
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Ok(Some(Err(_))) => return Err(BodyError::Cut),
            Ok(None) => return Ok(None),
            Err(_) => return Err(BodyError::TooSlow),
        }
    }
}
