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
use tokio::time::{Instant, Sleep, sleep, timeout_at};

use super::{house::Member, stream::Stream, waiter::Waiter};

/// How often a stream on which nothing is said shows that it is still there.
const BEAT: Duration = Duration::from_secs(20);

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
    Events(Events),
}

/// Events, as long as somebody reads them.
#[derive(Debug)]
pub(super) struct Events {
    stream: Arc<Stream>,
    /// Who reads, until the last one.
    listener: Option<Listener>,
    beat: Pin<Box<Sleep>>,
}

/// Who reads events.
#[derive(Debug)]
pub(super) enum Listener {
    /// A client for which the last one is an answer.
    Waiter(Waiter),
    /// A client that wants to hear what belongs to no request.
    Member(Arc<Member>),
}

impl Body {
    /// Events of a stream.
    pub(super) fn events(stream: Arc<Stream>, listener: Listener) -> Self {
        Self::Events(Events { stream, listener: Some(listener), beat: Box::pin(sleep(BEAT)) })
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
                if let Some(Listener::Waiter(waiter)) = self.listener.take() {
                    waiter.done();
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
        match &self.listener {
            Some(Listener::Waiter(waiter)) => waiter.unread(&self.stream),
            Some(Listener::Member(member)) => member.unread(&self.stream),
            None => (),
        }
    }
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is too large.
    TooLarge,
    /// It comes too slowly.
    TooSlow,
    /// It ended before its end.
    Cut,
}

/// Reads a body of at most so many bytes.
pub(super) async fn read(mut body: Incoming, most: usize) -> Result<Bytes, Unread> {
    let hint = body.size_hint();
    if hint.lower() > u64::try_from(most).unwrap_or(u64::MAX) {
        return Err(Unread::TooLarge);
    }
    let started = Instant::now();
    let first = next(&mut body, started + GRACE).await?.unwrap_or_default();
    if first.len() > most {
        return Err(Unread::TooLarge);
    }
    if body.is_end_stream() {
        return Ok(first);
    }
    let expected = usize::try_from(hint.lower()).unwrap_or(most).min(1 << 20);
    let mut all = Vec::with_capacity(expected.max(first.len()));
    all.extend_from_slice(&first);
    loop {
        let earned = Duration::from_secs(u64::try_from(all.len() / SLOWEST).unwrap_or(u64::MAX));
        let Some(more) = next(&mut body, started + GRACE + earned).await? else {
            return Ok(Bytes::from(all));
        };
        if all.len() + more.len() > most {
            return Err(Unread::TooLarge);
        }
        all.extend_from_slice(&more);
    }
}

/// The next piece of a body; `None` after the last one.
async fn next(body: &mut Incoming, until: Instant) -> Result<Option<Bytes>, Unread> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        match timeout_at(until, frame).await {
            Ok(Some(Ok(frame))) => {
                // Trailers say nothing that we want to know.
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Ok(Some(Err(_))) => return Err(Unread::Cut),
            Ok(None) => return Ok(None),
            Err(_) => return Err(Unread::TooSlow),
        }
    }
}
