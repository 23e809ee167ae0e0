//! `ClientStreams`: the event streams of one client, and the buffer from which events are replayed after a reconnect.

use std::{collections::VecDeque, sync::Arc};

use hyper::body::Bytes;
use redress_proxy::{
    memory::{Account, Reservation, ReservedMessage},
    outgoing::Undelivered,
};

use super::stream::{AnswerPart, EventId, Framing, Stream};

/// How many bytes are kept for replay.
const MOST_KEPT: usize = 1 << 20;
/// How many messages are kept for replay.
const MOST_KEPT_MESSAGES: usize = 1 << 10;

/// The event streams of one client, and its replay buffer.
#[derive(Debug, Default)]
pub(crate) struct ClientStreams {
    /// Streams that are open, each with its number.
    streams: Vec<(u64, Arc<Stream>)>,
    next_stream: u64,
    next_event: u64,
    /// The last events, each with its stream.
    kept: VecDeque<BufferedEvent>,
    kept_bytes: usize,
    /// The bytes that are reserved for that.
    memory: Option<Reservation>,
    account: Account,
    /// Messages that were dropped from the buffer unread.
    pub(crate) lost: Undelivered,
}

/// How a message is delivered. One that belongs to no request may go to any stream.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Delivery {
    /// The stream that answers the request.
    pub(crate) on: Option<u64>,
    /// Whether the client can resume the stream.
    pub(crate) is_primed: bool,
    /// What it is to the request.
    pub(crate) part: AnswerPart,
    /// The number of the upstream's request that it carries.
    pub(crate) question: Option<u64>,
}

#[derive(Debug)]
struct BufferedEvent {
    /// The stream that it was sent on; none while no stream was open.
    stream: Option<u64>,
    /// The stream was closed before it was read.
    is_unread: bool,
    mark: EventId,
    message: ReservedMessage,
    /// How many bytes it has.
    bytes: usize,
}

impl ClientStreams {
    /// A client without streams.
    pub(crate) fn new(account: Account) -> Self {
        Self { account, ..Self::default() }
    }

    /// Sends a message on one of the streams, or keeps it until there is one. A message of a request goes to the stream on which the
    /// client resumed it, if it did.
    pub(crate) fn send(&mut self, how: Delivery, message: &ReservedMessage) {
        self.next_event += 1;
        let event = self.next_event;
        self.close_left();
        let mark = EventId { event, question: how.question };
        let is_own = |number: u64| how.on == Some(number);
        let is_sent = |&&(number, ref stream): &&(u64, Arc<Stream>)| {
            let id = format!("{number}-{event}");
            let part = if is_own(number) { how.part } else { AnswerPart::Beside };
            stream.send(Some(&id), Some(mark), part, message)
        };
        let own = self.streams.iter().find(|it| is_own(it.0)).filter(is_sent);
        let received = own.or_else(|| self.streams.iter().filter(|it| !is_own(it.0)).find(is_sent));
        let stream = received.map(|it| it.0);
        self.keep(stream, mark, message);
    }

    /// The number of a stream that answers a request.
    pub(crate) fn number(&mut self) -> u64 {
        self.next_stream += 1;
        self.next_stream
    }

    /// Sends a message on the stream of a request, and keeps it for replay. Gives whether the stream took it.
    pub(crate) fn send_on(
        &mut self,
        stream: &Stream,
        how: Delivery,
        message: &ReservedMessage,
    ) -> bool {
        let event = self.next_event + 1;
        let id = how.is_primed.then(|| format!("{}-{event}", stream.number));
        let mark = EventId { event, question: how.question };
        let is_sent = stream.send(id.as_deref(), Some(mark), how.part, message);
        if is_sent {
            self.next_event = event;
            self.keep(Some(stream.number), mark, message);
        }
        is_sent
    }

    /// The client has closed a stream before it read the last events: as far as they are kept, they are sent on another open stream, or
    /// on the next one.
    pub(crate) fn unread(&mut self, stream: &Stream) {
        for mark in stream.unread() {
            match self.kept(mark) {
                Some(kept) => kept.is_unread = true,
                None => self.lost.add(mark.question),
            }
        }
        // The close may be noticed only after the client has opened another stream.
        for kept in self.kept.iter_mut().filter(|it| it.is_unread) {
            let is_sent = |&&(number, ref open): &&(u64, Arc<Stream>)| {
                let id = format!("{number}-{}", kept.mark.event);
                number != stream.number
                    && open.send(Some(&id), Some(kept.mark), AnswerPart::Beside, &kept.message)
            };
            if let Some((number, _)) = self.streams.iter().find(is_sent) {
                (kept.stream, kept.is_unread) = (Some(*number), false);
            }
        }
    }

    /// The client resumes a stream on another connection, as far as its unread events are kept.
    pub(crate) fn give_up(&mut self, stream: &Stream) {
        for mark in stream.give_up() {
            if self.kept(mark).is_none() {
                self.lost.add(mark.question);
            }
        }
    }

    fn kept(&mut self, mark: EventId) -> Option<&mut BufferedEvent> {
        let at = self.kept.binary_search_by_key(&mark.event, |it| it.mark.event).ok()?;
        self.kept.get_mut(at)
    }

    /// Forgets streams that were closed, but not their unread events.
    fn close_left(&mut self) {
        let (open, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.streams).into_iter().partition(|it| it.1.is_open());
        self.streams = open;
        for (_, stream) in left {
            self.unread(&stream);
        }
    }

    /// Opens a new stream, or resumes one after an event, with the events that were not received.
    pub(crate) fn listen(&mut self, after: Option<&str>) -> Arc<Stream> {
        let after = after.and_then(|it| it.split_once('-'));
        let after =
            after.and_then(|(stream, event)| Some((stream.parse().ok()?, event.parse().ok()?)));
        let (number, last) = after.unwrap_or_else(|| {
            self.next_stream += 1;
            (self.next_stream, u64::MAX)
        });
        self.close_left();
        let (own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.streams).into_iter().partition(|it| it.0 == number);
        self.streams = others;
        for (_, stream) in own {
            self.give_up(&stream);
        }
        let stream = Arc::new(Stream::new(number, Framing::Events, self.account.clone()));
        for kept in &mut self.kept {
            let is_missed = match kept.stream {
                None => true,
                Some(on) if on == number => kept.mark.event > last,
                Some(_) => kept.is_unread,
            };
            let id = format!("{number}-{}", kept.mark.event);
            if is_missed
                && stream.send(Some(&id), Some(kept.mark), AnswerPart::Beside, &kept.message)
            {
                (kept.stream, kept.is_unread) = (Some(number), false);
            }
        }
        self.streams.push((number, Arc::clone(&stream)));
        stream
    }

    /// Whether a stream is open.
    pub(crate) fn is_listening(&mut self) -> bool {
        self.streams.iter().any(|(_, stream)| stream.is_open())
    }

    /// Ends the streams.
    pub(crate) fn close(&self) {
        for (_, stream) in &self.streams {
            stream.end();
        }
    }

    fn keep(&mut self, stream: Option<u64>, mark: EventId, message: &ReservedMessage) {
        // The message may be a small part of a large buffer. One that is larger than all that may be kept is not copied.
        let bytes = message.bytes.len();
        let copy = if bytes > MOST_KEPT { &[][..] } else { &message.bytes };
        let message = ReservedMessage::from(Bytes::copy_from_slice(copy));
        self.kept_bytes += bytes;
        self.kept.push_back(BufferedEvent { stream, is_unread: false, mark, message, bytes });
        while self.kept_bytes > MOST_KEPT || self.kept.len() > MOST_KEPT_MESSAGES || !self.reserve()
        {
            let Some(oldest) = self.kept.pop_front() else { return };
            self.kept_bytes -= oldest.bytes;
            if oldest.stream.is_none() || oldest.is_unread {
                self.lost.add(oldest.mark.question);
            }
        }
    }

    /// Reserves what is kept. Gives whether there is memory for it.
    fn reserve(&mut self) -> bool {
        let memory = self.memory.get_or_insert_with(|| self.account.open());
        memory.resize(self.kept_bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::Arc,
        task::{Context, Poll, Waker},
    };

    use hyper::body::Bytes;
    use redress_proxy::{caller::Caller, memory::MemoryBudget};

    use super::{ClientStreams, Delivery, ReservedMessage, Stream, Undelivered};

    fn small(text: &'static [u8]) -> ReservedMessage {
        ReservedMessage::from(Bytes::from_static(text))
    }

    fn large(bytes: usize) -> ReservedMessage {
        ReservedMessage::from(Bytes::from(vec![b' '; bytes]))
    }

    fn received(stream: &Arc<Stream>) -> Vec<String> {
        let context = Context::from_waker(Waker::noop());
        let mut received = Vec::new();
        while let Poll::Ready(Some(event)) = stream.poll_next(&context) {
            let text = String::from_utf8(event.to_vec()).unwrap();
            let field = |name| text.lines().find_map(|it| it.strip_prefix(name)).unwrap();
            received.push(format!("{} {}", field("id: "), field("data: ")));
        }
        received
    }

    #[test]
    fn messages_before_any_stream_go_to_the_first_one() {
        let mut streams = ClientStreams::default();
        streams.send(Delivery::default(), &small(b"a"));
        let first = streams.listen(None);
        let second = streams.listen(None);
        streams.send(Delivery::default(), &small(b"b"));
        assert_eq!(received(&first), ["1-1 a", "1-2 b"]);
        assert_eq!(received(&second), [""; 0], "each message is said once");
    }

    #[test]
    fn a_resumed_stream_gets_the_events_it_missed() {
        let mut streams = ClientStreams::default();
        let first = streams.listen(None);
        for text in ["a", "b", "c"] {
            streams.send(Delivery::default(), &small(text.as_bytes()));
        }
        first.leave();
        streams.send(Delivery::default(), &small(b"d"));
        let again = streams.listen(Some("1-1"));
        assert_eq!(received(&again), ["1-2 b", "1-3 c", "1-4 d"]);
        streams.send(Delivery::default(), &small(b"e"));
        assert_eq!(received(&again), ["1-5 e"]);
    }

    #[test]
    fn unread_events_go_to_the_next_stream() {
        let mut streams = ClientStreams::default();
        let first = streams.listen(None);
        for text in ["a", "b"] {
            streams.send(Delivery::default(), &small(text.as_bytes()));
        }
        assert!(first.poll_next(&Context::from_waker(Waker::noop())).is_ready());
        first.leave();
        assert_eq!(received(&streams.listen(None)), ["2-2 b"]);
    }

    #[test]
    fn unread_events_go_to_a_stream_opened_before_the_close_is_seen() {
        let mut streams = ClientStreams::default();
        let first = streams.listen(None);
        streams.send(Delivery::default(), &small(b"a"));
        let second = streams.listen(None);
        first.leave();
        streams.unread(&first);
        assert_eq!(received(&second), ["2-1 a"]);
        assert_eq!(received(&streams.listen(None)), [""; 0], "each message is said once");
    }

    /// Says a question, then so much that the question is kept no longer.
    fn ask_and_bury(streams: &mut ClientStreams) {
        let question = Delivery { question: Some(7), ..Delivery::default() };
        streams.send(question, &small(b"a"));
        for _ in 0..2 {
            streams.send(Delivery::default(), &large(900 << 10));
        }
    }

    #[test]
    fn an_event_dropped_before_its_stream_closes_is_lost() {
        let mut streams = ClientStreams::default();
        let first = streams.listen(None);
        ask_and_bury(&mut streams);
        assert_eq!(streams.lost, Undelivered::default(), "it may still be read");
        first.leave();
        assert_eq!(received(&streams.listen(None)).len(), 1, "one is kept");
        assert_eq!(streams.lost, Undelivered { count: 2, questions: vec![7] });
    }

    #[test]
    fn an_event_read_before_its_stream_closes_is_not_lost() {
        let mut streams = ClientStreams::default();
        let first = streams.listen(None);
        ask_and_bury(&mut streams);
        assert!(first.poll_next(&Context::from_waker(Waker::noop())).is_ready());
        first.leave();
        streams.listen(None);
        assert_eq!(streams.lost, Undelivered { count: 1, questions: Vec::new() });
    }

    #[test]
    fn an_event_dropped_before_its_stream_resumes_is_lost() {
        let mut streams = ClientStreams::default();
        let first = streams.listen(None);
        ask_and_bury(&mut streams);
        assert_eq!(received(&streams.listen(Some("1-0"))).len(), 1, "one is kept");
        assert_eq!(streams.lost, Undelivered { count: 2, questions: vec![7] });
        assert_eq!(received(&first), [""; 0], "nothing is said twice");
    }

    #[test]
    fn what_is_kept_is_reserved_and_given_back_with_the_streams() {
        let budget = MemoryBudget::new(100 << 10);
        let mut streams = ClientStreams::new(budget.account(Caller::ONLY));
        for _ in 0..20 {
            streams.send(Delivery::default(), &large(10 << 10));
        }
        assert_eq!((streams.kept.len(), budget.used()), (3, 30 << 10));
        assert_eq!(streams.lost.count, 17, "what nobody hears is known");
        drop(streams);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn memory_is_bounded_while_nobody_listens() {
        let mut streams = ClientStreams::default();
        for _ in 0..10_000 {
            streams.send(Delivery::default(), &large(10_000));
        }
        assert!(streams.kept_bytes <= super::MOST_KEPT);
        assert!(streams.kept.len() <= super::MOST_KEPT_MESSAGES);
        let kept = u64::try_from(streams.kept.len()).unwrap();
        assert_eq!(streams.lost.count + kept, 10_000, "what nobody hears is known");
    }
}
