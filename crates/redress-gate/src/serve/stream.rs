//! `Stream`: events on their way to a client that reads them, or does not.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use hyper::body::Bytes;

use crate::sse::{Event, write};

/// How much waits for a reader that is slow; what exceeds it is not said, unless it is an answer.
const MOST_WAITING: usize = 4 << 20;

/// How long a client is asked to wait before it comes back, in milliseconds.
const RETURN_MS: u64 = 1_000;

/// Events on their way to a client.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Under which it is known at a client's seat; zero if it has none.
    pub(super) number: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Bytes>,
    bytes: usize,
    /// Nothing more comes.
    is_over: bool,
    /// Nobody reads.
    is_left: bool,
    reader: Option<Waker>,
}

impl Stream {
    /// A stream with a number.
    pub(super) fn new(number: u64) -> Self {
        Self { number, state: Mutex::default() }
    }

    /// Says something, under an id if it has one. Gives whether it will be heard.
    pub(super) fn say_as(&self, id: Option<&str>, message: &[u8]) -> bool {
        let mut state = self.lock();
        if state.is_left || state.is_over || state.bytes > MOST_WAITING {
            return false;
        }
        state.push(event(id, message));
        true
    }

    /// Says only under which id the client can come back, and when.
    pub(super) fn prime(&self, id: &str) {
        let mut prime = Vec::new();
        let retry_ms = Some(RETURN_MS);
        write(&Event { data: b"", id: Some(id), kind: None, retry_ms }, &mut prime);
        self.lock().push(Bytes::from(prime));
    }

    /// Says the last thing. Gives whether it will be heard.
    pub(super) fn say_last(&self, id: Option<&str>, message: &[u8]) -> bool {
        let mut state = self.lock();
        if state.is_left || state.is_over {
            return false;
        }
        state.is_over = true;
        state.push(event(id, message));
        true
    }

    /// Nothing more comes.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.wake();
    }

    /// Nothing more comes, and what was not read is said on another stream.
    pub(super) fn give_up(&self) {
        let mut state = self.lock();
        state.events.clear();
        state.bytes = 0;
        state.is_over = true;
        state.wake();
    }

    /// Nobody reads any more. Gives how many events were not read.
    pub(super) fn leave(&self) -> usize {
        let mut state = self.lock();
        state.is_left = true;
        state.events.len()
    }

    /// How many events nobody will read, because the reader has left.
    pub(super) fn unread(&self) -> usize {
        let state = self.lock();
        if state.is_left { state.events.len() } else { 0 }
    }

    /// Whether somebody reads, and something may come.
    pub(super) fn is_open(&self) -> bool {
        let state = self.lock();
        !state.is_left && !state.is_over
    }

    /// The next event; `None` after the last one.
    pub(super) fn poll_next(&self, context: &Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.lock();
        if let Some(event) = state.events.pop_front() {
            state.bytes -= event.len();
            return Poll::Ready(Some(event));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, event: Bytes) {
        self.bytes += event.len();
        self.events.push_back(event);
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

/// A message as an event.
fn event(id: Option<&str>, message: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(message.len() + 64);
    write(&Event { data: message, id, kind: Some("message"), retry_ms: None }, &mut event);
    Bytes::from(event)
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn whoever_does_not_read_costs_bounded_memory_and_still_gets_the_answer() {
        let stream = Stream::default();
        let large = vec![b' '; 1 << 20];
        assert_eq!((0..100).filter(|_| stream.say_as(None, &large)).count(), 4);
        assert!(stream.say_last(None, b"{}"));
        assert!(!stream.say_as(None, b"{}"), "the answer is the last thing");
    }
}
