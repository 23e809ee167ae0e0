//! `Desk`: where clients wait for answers over HTTP, and how each message finds whoever waits for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use tokio::sync::oneshot;

use super::{seat::Seat, stream::Stream};
use crate::{
    link::Letter,
    mail::{Mail, Ticket, ToClient},
};

/// Where clients of one link wait.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    waiting: IndexMap<Ticket, Waiting, FxBuildHasher>,
    /// The clients that can be told what belongs to no request.
    seats: IndexMap<u64, Seat, FxBuildHasher>,
}

#[derive(Debug)]
struct Waiting {
    client: u64,
    /// A stream starts with an event that only has an id, so that the client can come back.
    is_primed: bool,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// Nothing was said yet.
    Post(oneshot::Sender<Reply>),
    /// The answer comes at the end of a stream.
    Stream(Arc<Stream>),
    /// Whoever asked has closed the connection, but wants to know.
    Left,
}

/// What is said first to a request.
#[derive(Debug)]
pub(super) enum Reply {
    /// Its answer.
    Answer(Answer),
    /// Something else: its answer is the last event of a stream.
    Stream(Arc<Stream>),
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// `WWW-Authenticate`.
    pub(super) challenge: Option<Box<str>>,
    pub(super) message: Bytes,
}

impl Desk {
    /// A place for a request of a client.
    pub(super) fn wait(&self, client: u64, is_primed: bool) -> (Ticket, oneshot::Receiver<Reply>) {
        let (sender, reply) = oneshot::channel();
        let mut state = self.lock();
        state.next += 1;
        let ticket = Ticket(state.next);
        state.waiting.insert(ticket, Waiting { client, is_primed, place: Place::Post(sender) });
        (ticket, reply)
    }

    /// The upstream answers a request with a stream, primed or not: so do we.
    pub(crate) fn open(&self, ticket: Ticket, is_primed: bool) {
        self.lock().open(ticket, is_primed);
    }

    /// Nobody waits there any more.
    pub(super) fn forget(&self, ticket: Ticket) {
        self.lock().waiting.swap_remove(&ticket);
    }

    /// No answer will come there: what was said to the request is all there is.
    pub(crate) fn dismiss(&self, ticket: Ticket) {
        let Some(waiting) = self.lock().waiting.swap_remove(&ticket) else { return };
        match waiting.place {
            Place::Post(sender) => {
                let stream = Arc::new(Stream::default());
                stream.end();
                // Whoever waits no more has left.
                drop(sender.send(Reply::Stream(stream)));
            }
            Place::Stream(stream) => stream.end(),
            Place::Left => (),
        }
    }

    /// Whoever waited there has closed the connection; the answer goes where the client can fetch it.
    pub(super) fn leave(&self, ticket: Ticket) {
        if let Some(waiting) = self.lock().waiting.get_mut(&ticket) {
            waiting.place = Place::Left;
        }
    }

    /// Tells a client what it does not hear otherwise.
    pub(super) fn tell(&self, client: u64, message: &Bytes) {
        self.lock().tell(client, message);
    }

    /// A client comes.
    pub(super) fn enter(&self, client: u64) {
        self.lock().seats.insert(client, Seat::default());
    }

    /// A client goes, and its streams end.
    pub(super) fn exit(&self, client: u64) {
        if let Some(seat) = self.lock().seats.swap_remove(&client) {
            seat.close();
        }
    }

    /// A stream for what belongs to no request.
    pub(super) fn listen(&self, client: u64, after: Option<&str>) -> Option<Arc<Stream>> {
        self.lock().seats.get_mut(&client).map(|it| it.listen(after))
    }

    /// Whether a client waits for something.
    pub(super) fn is_busy(&self, client: u64) -> bool {
        let mut state = self.lock();
        state.waiting.values().any(|it| it.client == client)
            || state.seats.get_mut(&client).is_some_and(Seat::is_listening)
    }

    /// Whether anybody waits for an answer.
    pub(super) fn is_awaited(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    /// Everybody leaves.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        for (_, seat) in state.seats.drain(..) {
            seat.close();
        }
        for (_, waiting) in state.waiting.drain(..) {
            if let Place::Stream(stream) = waiting.place {
                stream.end();
            }
        }
    }

    /// Gives every message to whom it is addressed.
    pub(crate) fn deliver(&self, mail: &mut Mail<ToClient>) {
        if mail.is_empty() {
            return;
        }
        let (bytes, ends) = mail.take();
        let bytes = Bytes::from(bytes);
        let mut start = 0;
        let mut state = self.lock();
        for (end, to) in ends {
            state.deliver(to, bytes.slice(start..end.saturating_sub(1).max(start)));
            start = end;
        }
    }

    /// Gives one message, with its line break, to whom it is addressed.
    pub(crate) fn deliver_one(&self, letter: Letter) {
        let Letter { to, challenge, mut line } = letter;
        if line.pop().is_none() {
            return;
        }
        let message = Bytes::from(line);
        match to {
            ToClient::Answer(ticket, status) => {
                self.lock().answer(ticket, Answer { status, challenge, message });
            }
            to => self.lock().deliver(to, message),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn deliver(&mut self, to: ToClient, message: Bytes) {
        match to {
            ToClient::Answer(ticket, status) => {
                self.answer(ticket, Answer { status, challenge: None, message });
            }
            ToClient::During(ticket) => self.during(ticket, &message),
            ToClient::One(client) => self.tell(client, &message),
            ToClient::Any => self.seats.values_mut().for_each(|it| it.say(&message)),
        }
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer) {
        let Some(Waiting { client, place, .. }) = self.waiting.swap_remove(&ticket) else { return };
        let message = match place {
            Place::Post(sender) => match sender.send(Reply::Answer(answer)) {
                Err(Reply::Answer(unheard)) => unheard.message,
                Ok(()) | Err(Reply::Stream(_)) => return,
            },
            Place::Stream(stream) if stream.say_last(&answer.message) => return,
            Place::Stream(_) | Place::Left => answer.message,
        };
        self.tell(client, &message);
    }

    /// Tells a client what it does not hear otherwise.
    fn tell(&mut self, client: u64, message: &Bytes) {
        if let Some(seat) = self.seats.get_mut(&client) {
            seat.say(message);
        }
    }

    fn during(&mut self, ticket: Ticket, message: &Bytes) {
        self.open(ticket, false);
        let Some(waiting) = self.waiting.get(&ticket) else { return };
        let is_said = matches!(&waiting.place, Place::Stream(stream) if stream.say(message));
        if !is_said {
            let client = waiting.client;
            self.tell(client, message);
        }
    }

    /// Makes a stream of the answer to a request, if nothing was said to it yet.
    fn open(&mut self, ticket: Ticket, is_primed: bool) {
        let Some(waiting) = self.waiting.get_mut(&ticket) else { return };
        if !matches!(waiting.place, Place::Post(_)) {
            return;
        }
        let stream = Arc::new(Stream::default());
        let is_primed = is_primed || waiting.is_primed;
        if let Some(seat) = self.seats.get_mut(&waiting.client).filter(|_| is_primed) {
            stream.prime(&seat.place_to_return_to());
        }
        let place = Place::Stream(Arc::clone(&stream));
        if let Place::Post(sender) = std::mem::replace(&mut waiting.place, place)
            && sender.send(Reply::Stream(stream)).is_err()
        {
            waiting.place = Place::Left;
        }
    }
}
