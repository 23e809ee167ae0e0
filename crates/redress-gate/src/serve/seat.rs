//! `Seat`: one client's place at the desk, for what belongs to no request: its streams, and what it has not fetched yet.

use std::{collections::VecDeque, sync::Arc};

use hyper::body::Bytes;

use super::stream::{Framing, Mark, Part, Stream};
use crate::{
    memory::{Account, Message, Reservation},
    outgoing::Undelivered,
};

/// How much is kept for a client that may come back for it.
const MOST_KEPT: usize = 1 << 20;
/// The same in messages.
const MOST_KEPT_MESSAGES: usize = 1 << 10;

/// One client's place.
#[derive(Debug, Default)]
pub(super) struct Seat {
    /// Streams that are open, each with its number.
    streams: Vec<(u64, Arc<Stream>)>,
    next_stream: u64,
    next_event: u64,
    /// What was said last, and on which stream, for a client that comes back.
    kept: VecDeque<Kept>,
    kept_bytes: usize,
    /// The bytes that are reserved for that.
    memory: Option<Reservation>,
    account: Account,
    /// What was kept for too long, and never heard.
    pub(super) lost: Undelivered,
}

/// How something is said that belongs to a request. What belongs to none is said anywhere.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Saying {
    /// The stream that answers the request.
    pub(super) on: Option<u64>,
    /// The client can come back for it.
    pub(super) is_primed: bool,
    /// What it is to the request.
    pub(super) part: Part,
    /// The question of the upstream that it is, by our number.
    pub(super) question: Option<u64>,
}

#[derive(Debug)]
struct Kept {
    /// The stream it was said on; none yet for what came while none was open.
    stream: Option<u64>,
    /// Its reader has left before.
    is_unread: bool,
    mark: Mark,
    message: Message,
    /// How many bytes it has.
    bytes: usize,
}

impl Seat {
    /// The place of a client.
    pub(super) fn new(account: Account) -> Self {
        Self { account, ..Self::default() }
    }

    /// Says something on one of the streams, or keeps it until there is one. What belongs to a request is said where the client
    /// came back for it, if it did.
    pub(super) fn say(&mut self, how: Saying, message: &Message) {
        self.next_event += 1;
        let event = self.next_event;
        self.close_left();
        let mark = Mark { event, question: how.question };
        let is_own = |number: u64| how.on == Some(number);
        let is_said = |&&(number, ref stream): &&(u64, Arc<Stream>)| {
            let id = format!("{number}-{event}");
            let part = if is_own(number) { how.part } else { Part::Beside };
            stream.say(Some(&id), Some(mark), part, message)
        };
        let own = self.streams.iter().find(|it| is_own(it.0)).filter(is_said);
        let heard = own.or_else(|| self.streams.iter().filter(|it| !is_own(it.0)).find(is_said));
        let stream = heard.map(|it| it.0);
        self.keep(stream, mark, message);
    }

    /// The number of a stream that answers a request.
    pub(super) fn number(&mut self) -> u64 {
        self.next_stream += 1;
        self.next_stream
    }

    /// Says something on a stream that answers a request, and keeps it for whoever comes back for it. Gives whether it will be
    /// heard.
    pub(super) fn say_on(&mut self, stream: &Stream, how: Saying, message: &Message) -> bool {
        let event = self.next_event + 1;
        let id = how.is_primed.then(|| format!("{}-{event}", stream.number));
        let mark = Mark { event, question: how.question };
        let is_said = stream.say(id.as_deref(), Some(mark), how.part, message);
        if is_said {
            self.next_event = event;
            self.keep(Some(stream.number), mark, message);
        }
        is_said
    }

    /// The reader of a stream has left before it read the last events: they are said on another that is open, else on the next one,
    /// as far as they are kept.
    pub(super) fn unread(&mut self, stream: &Stream) {
        for mark in stream.unread() {
            match self.kept(mark) {
                Some(kept) => kept.is_unread = true,
                None => self.lost.add(mark.question),
            }
        }
        // That the reader has left may be noticed only after it came back.
        for kept in self.kept.iter_mut().filter(|it| it.is_unread) {
            let is_said = |&&(number, ref open): &&(u64, Arc<Stream>)| {
                let id = format!("{number}-{}", kept.mark.event);
                number != stream.number
                    && open.say(Some(&id), Some(kept.mark), Part::Beside, &kept.message)
            };
            if let Some((number, _)) = self.streams.iter().find(is_said) {
                (kept.stream, kept.is_unread) = (Some(*number), false);
            }
        }
    }

    /// The reader of a stream reads on another one what it has not read there, as far as it is kept.
    pub(super) fn give_up(&mut self, stream: &Stream) {
        for mark in stream.give_up() {
            if self.kept(mark).is_none() {
                self.lost.add(mark.question);
            }
        }
    }

    fn kept(&mut self, mark: Mark) -> Option<&mut Kept> {
        let at = self.kept.binary_search_by_key(&mark.event, |it| it.mark.event).ok()?;
        self.kept.get_mut(at)
    }

    /// Forgets streams whose readers have left, but not what they did not read.
    fn close_left(&mut self) {
        let (open, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.streams).into_iter().partition(|it| it.1.is_open());
        self.streams = open;
        for (_, stream) in left {
            self.unread(&stream);
        }
    }

    /// A new stream, or the one that ended after an event: it gives what was not heard.
    pub(super) fn listen(&mut self, after: Option<&str>) -> Arc<Stream> {
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
            if is_missed && stream.say(Some(&id), Some(kept.mark), Part::Beside, &kept.message) {
                (kept.stream, kept.is_unread) = (Some(number), false);
            }
        }
        self.streams.push((number, Arc::clone(&stream)));
        stream
    }

    /// Whether a stream is open.
    pub(super) fn is_listening(&mut self) -> bool {
        self.streams.iter().any(|(_, stream)| stream.is_open())
    }

    /// Ends the streams.
    pub(super) fn close(&self) {
        for (_, stream) in &self.streams {
            stream.end();
        }
    }

    fn keep(&mut self, stream: Option<u64>, mark: Mark, message: &Message) {
        // The message may be a small part of a large buffer. One that is larger than all that may be kept is not copied.
        let bytes = message.bytes.len();
        let copy = if bytes > MOST_KEPT { &[][..] } else { &message.bytes };
        let message = Message::from(Bytes::copy_from_slice(copy));
        self.kept_bytes += bytes;
        self.kept.push_back(Kept { stream, is_unread: false, mark, message, bytes });
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

    use super::{Message, Saying, Seat, Stream, Undelivered};
    use crate::{caller::Caller, memory::MemoryBudget};

    fn small(text: &'static [u8]) -> Message {
        Message::from(Bytes::from_static(text))
    }

    fn large(bytes: usize) -> Message {
        Message::from(Bytes::from(vec![b' '; bytes]))
    }

    fn heard(stream: &Arc<Stream>) -> Vec<String> {
        let context = Context::from_waker(Waker::noop());
        let mut heard = Vec::new();
        while let Poll::Ready(Some(event)) = stream.poll_next(&context) {
            let text = String::from_utf8(event.to_vec()).unwrap();
            let field = |name| text.lines().find_map(|it| it.strip_prefix(name)).unwrap();
            heard.push(format!("{} {}", field("id: "), field("data: ")));
        }
        heard
    }

    #[test]
    fn what_comes_before_a_stream_is_open_is_heard_on_the_first() {
        let mut seat = Seat::default();
        seat.say(Saying::default(), &small(b"a"));
        let first = seat.listen(None);
        let second = seat.listen(None);
        seat.say(Saying::default(), &small(b"b"));
        assert_eq!(heard(&first), ["1-1 a", "1-2 b"]);
        assert_eq!(heard(&second), [""; 0], "each message is said once");
    }

    #[test]
    fn whoever_comes_back_hears_what_he_missed_on_his_stream() {
        let mut seat = Seat::default();
        let first = seat.listen(None);
        for text in ["a", "b", "c"] {
            seat.say(Saying::default(), &small(text.as_bytes()));
        }
        first.leave();
        seat.say(Saying::default(), &small(b"d"));
        let again = seat.listen(Some("1-1"));
        assert_eq!(heard(&again), ["1-2 b", "1-3 c", "1-4 d"]);
        seat.say(Saying::default(), &small(b"e"));
        assert_eq!(heard(&again), ["1-5 e"]);
    }

    #[test]
    fn what_nobody_read_is_heard_by_whoever_comes_next() {
        let mut seat = Seat::default();
        let first = seat.listen(None);
        for text in ["a", "b"] {
            seat.say(Saying::default(), &small(text.as_bytes()));
        }
        assert!(first.poll_next(&Context::from_waker(Waker::noop())).is_ready());
        first.leave();
        assert_eq!(heard(&seat.listen(None)), ["2-2 b"]);
    }

    #[test]
    fn what_nobody_read_is_heard_where_the_reader_came_back_before_it_was_missed() {
        let mut seat = Seat::default();
        let first = seat.listen(None);
        seat.say(Saying::default(), &small(b"a"));
        let second = seat.listen(None);
        first.leave();
        seat.unread(&first);
        assert_eq!(heard(&second), ["2-1 a"]);
        assert_eq!(heard(&seat.listen(None)), [""; 0], "each message is said once");
    }

    /// Says a question, then so much that the question is kept no longer.
    fn ask_and_bury(seat: &mut Seat) {
        let question = Saying { question: Some(7), ..Saying::default() };
        seat.say(question, &small(b"a"));
        for _ in 0..2 {
            seat.say(Saying::default(), &large(900 << 10));
        }
    }

    #[test]
    fn what_is_kept_no_longer_when_its_reader_leaves_is_lost() {
        let mut seat = Seat::default();
        let first = seat.listen(None);
        ask_and_bury(&mut seat);
        assert_eq!(seat.lost, Undelivered::default(), "it may still be read");
        first.leave();
        assert_eq!(heard(&seat.listen(None)).len(), 1, "one is kept");
        assert_eq!(seat.lost, Undelivered { count: 2, questions: vec![7] });
    }

    #[test]
    fn what_was_read_before_its_reader_leaves_is_not_lost() {
        let mut seat = Seat::default();
        let first = seat.listen(None);
        ask_and_bury(&mut seat);
        assert!(first.poll_next(&Context::from_waker(Waker::noop())).is_ready());
        first.leave();
        seat.listen(None);
        assert_eq!(seat.lost, Undelivered { count: 1, questions: Vec::new() });
    }

    #[test]
    fn what_is_kept_no_longer_when_its_reader_comes_back_is_lost() {
        let mut seat = Seat::default();
        let first = seat.listen(None);
        ask_and_bury(&mut seat);
        assert_eq!(heard(&seat.listen(Some("1-0"))).len(), 1, "one is kept");
        assert_eq!(seat.lost, Undelivered { count: 2, questions: vec![7] });
        assert_eq!(heard(&first), [""; 0], "nothing is said twice");
    }

    #[test]
    fn what_is_kept_is_reserved_and_given_back_with_the_seat() {
        let budget = MemoryBudget::new(100 << 10);
        let mut seat = Seat::new(budget.account(Caller::ONLY));
        for _ in 0..20 {
            seat.say(Saying::default(), &large(10 << 10));
        }
        assert_eq!((seat.kept.len(), budget.used()), (3, 30 << 10));
        assert_eq!(seat.lost.count, 17, "what nobody hears is known");
        drop(seat);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn memory_is_bounded_while_nobody_listens() {
        let mut seat = Seat::default();
        for _ in 0..10_000 {
            seat.say(Saying::default(), &large(10_000));
        }
        assert!(seat.kept_bytes <= super::MOST_KEPT);
        assert!(seat.kept.len() <= super::MOST_KEPT_MESSAGES);
        let kept = u64::try_from(seat.kept.len()).unwrap();
        assert_eq!(seat.lost.count + kept, 10_000, "what nobody hears is known");
    }
}
