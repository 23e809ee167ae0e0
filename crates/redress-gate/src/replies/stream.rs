//! `Stream`: the queue of events of one HTTP response.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use hyper::body::Bytes;
use redress_transport::sse::{StreamEvent, write};

use redress_proxy::memory::{Account, ReservedMessage, SMALL, SharedReservation};

/// How many bytes may wait for a slow reader. Above that, only answers are added.
const MOST_WAITING: usize = 4 << 20;

/// How long a client is asked to wait before it comes back, in milliseconds.
const RETURN_MS: u64 = 1_000;

/// The queue of events of one HTTP response.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Its number among the streams of its client; zero without a session.
    pub(crate) number: u64,
    framing: Framing,
    /// Where memory is reserved for messages that have no reservation yet.
    account: Account,
    state: Mutex<State>,
}

/// How messages are joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Framing {
    /// As events.
    #[default]
    Events,
    /// As the members of one JSON array.
    Array,
}

/// What a message is to the request that a stream answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum AnswerPart {
    /// A message beside the answer.
    #[default]
    Beside,
    /// One of several answers.
    Answer,
    /// The answer, or the last of several.
    Last,
}

/// Identifies an event among those of its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// Its number.
    pub(crate) event: u64,
    /// The number of the upstream's request that it carries.
    pub(crate) question: Option<u64>,
}

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct State {
    /// Events that were not read. One without a mark is no message.
    events: VecDeque<(Bytes, Option<EventId>)>,
    bytes: usize,
    /// An answer was added although there was no memory for it.
    is_starved: bool,
    /// Nothing more comes.
    is_over: bool,
    /// The client has closed it.
    is_left: bool,
    /// A message was added.
    has_begun: bool,
    reader: Option<Waker>,
}

impl Stream {
    /// A stream with a number.
    pub(crate) fn new(number: u64, framing: Framing, account: Account) -> Self {
        Self { number, framing, account, state: Mutex::default() }
    }

    /// Adds a message, with an event id if it has one. Gives whether it was added.
    pub(crate) fn send(
        &self,
        id: Option<&str>,
        mark: Option<EventId>,
        part: AnswerPart,
        message: &ReservedMessage,
    ) -> bool {
        let mut state = self.lock();
        let is_too_much = part == AnswerPart::Beside && state.bytes > MOST_WAITING;
        if state.is_left || state.is_over || is_too_much {
            return false;
        }
        let Some(held) = self.reserve(&mut state, part, message) else { return false };
        state.is_over = part == AnswerPart::Last;
        let piece = match self.framing {
            Framing::Events => event(id, &message.bytes),
            Framing::Array => state.member(&message.bytes),
        };
        state.push(held.bind(piece), mark);
        true
    }

    /// Reserves the bytes of a message, if they are not reserved yet and the reader is slow. Without memory only answers are added, and
    /// [`Self::is_full`] holds.
    fn reserve(
        &self,
        state: &mut State,
        part: AnswerPart,
        message: &ReservedMessage,
    ) -> Option<SharedReservation> {
        if message.held.is_any() || state.bytes + message.bytes.len() <= SMALL {
            return Some(message.held.clone());
        }
        match self.account.reserve(message.bytes.len()) {
            Ok(reservation) => Some(SharedReservation::new(vec![reservation])),
            Err(_) if part == AnswerPart::Beside => None,
            Err(_) => {
                state.is_starved = true;
                Some(SharedReservation::default())
            }
        }
    }

    /// Whether so much waits for the reader that no more answers should be made.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.lock();
        !state.is_left && (state.bytes > MOST_WAITING || state.is_starved)
    }

    /// Bytes without a meaning that keep the connection alive.
    pub(crate) const fn beat(&self) -> Bytes {
        Bytes::from_static(match self.framing {
            Framing::Events => b":\n\n",
            Framing::Array => b" ",
        })
    }

    /// Adds an event without data: the id after which the client can resume, and the time to wait before.
    pub(crate) fn prime(&self, id: &str) {
        let mut prime = Vec::new();
        let retry_ms = Some(RETURN_MS);
        write(&StreamEvent { data: b"", id: Some(id), kind: None, retry_ms }, &mut prime);
        self.lock().push(Bytes::from(prime), None);
    }

    /// Nothing more comes.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        if !std::mem::replace(&mut state.is_over, true) && self.framing == Framing::Array {
            let end = if state.has_begun { "]" } else { "[]" };
            state.push(Bytes::from_static(end.as_bytes()), None);
        }
        state.wake();
    }

    /// Nothing more comes. Takes out what was not read.
    pub(crate) fn give_up(&self) -> Vec<EventId> {
        let mut state = self.lock();
        state.is_over = true;
        state.wake();
        state.take()
    }

    /// The client has closed the stream.
    pub(crate) fn leave(&self) {
        self.lock().is_left = true;
    }

    /// Takes out what was not read, if the client has closed the stream.
    pub(crate) fn unread(&self) -> Vec<EventId> {
        let mut state = self.lock();
        if state.is_left { state.take() } else { Vec::new() }
    }

    /// Whether the client reads, and messages may come.
    pub(crate) fn is_open(&self) -> bool {
        let state = self.lock();
        !state.is_left && !state.is_over
    }

    /// The next event; `None` after the last one.
    pub(crate) fn poll_next(&self, context: &Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.lock();
        if let Some((event, _)) = state.events.pop_front() {
            state.bytes -= event.len();
            state.is_starved &= state.bytes > 0;
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
    /// A message as the next member of an array.
    fn member(&mut self, message: &[u8]) -> Bytes {
        let before: &[u8] = if std::mem::replace(&mut self.has_begun, true) { b"," } else { b"[" };
        let after: &[u8] = if self.is_over { b"]" } else { b"" };
        Bytes::from([before, message, after].concat())
    }

    fn push(&mut self, event: Bytes, mark: Option<EventId>) {
        self.bytes += event.len();
        self.events.push_back((event, mark));
        self.wake();
    }

    fn take(&mut self) -> Vec<EventId> {
        self.bytes = 0;
        self.events.drain(..).filter_map(|it| it.1).collect()
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
    write(&StreamEvent { data: message, id, kind: Some("message"), retry_ms: None }, &mut event);
    Bytes::from(event)
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use redress_proxy::{caller::Caller, memory::MemoryBudget};

    use super::{Account, AnswerPart, Bytes, Framing, ReservedMessage, Stream};

    #[test]
    fn what_waits_for_a_reader_is_reserved_until_it_is_read() {
        let budget = MemoryBudget::new(1 << 20);
        let account: Account = budget.account(Caller::ONLY);
        let stream = Stream::new(1, Framing::Events, account);
        let message = ReservedMessage::from(Bytes::from(vec![b' '; 64 << 10]));
        let said =
            (0..100).filter(|_| stream.send(None, None, AnswerPart::Beside, &message)).count();
        assert_eq!(said, 7, "three times as much must fit for the last one");
        assert_eq!(budget.used(), 7 * (64 << 10));
        assert!(
            stream.send(None, None, AnswerPart::Answer, &message),
            "an answer is said all the same"
        );
        assert!(stream.is_full(), "but nobody should make more of them");
        let context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(_)) = stream.poll_next(&context) {}
        assert_eq!(budget.used(), 0);
        assert!(!stream.is_full());
    }

    #[test]
    fn a_slow_reader_costs_bounded_memory_and_gets_the_answer() {
        let stream = Stream::default();
        let large = ReservedMessage::from(Bytes::from(vec![b' '; 1 << 20]));
        let small = ReservedMessage::from(Bytes::from_static(b"{}"));
        assert_eq!(
            (0..100).filter(|_| stream.send(None, None, AnswerPart::Beside, &large)).count(),
            4
        );
        assert!(stream.send(None, None, AnswerPart::Answer, &small));
        assert!(stream.send(None, None, AnswerPart::Last, &small));
        assert!(
            !stream.send(None, None, AnswerPart::Beside, &small),
            "the answer is the last thing"
        );
    }
}
