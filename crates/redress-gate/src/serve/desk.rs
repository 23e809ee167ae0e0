//! `Desk`: where clients wait for answers over HTTP, and how each message finds whoever waits for it.

mod place;
mod several;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use tokio::sync::oneshot;

use self::place::Place;
pub(super) use self::several::Reader;
use super::{
    seat::{Saying, Seat},
    stream::{Framing, Part, Stream},
};
use crate::{
    caller::Caller,
    link::Letter,
    memory::{Account, Held, MemoryBudget, Message},
    outgoing::{Outgoing, Ticket, ToClient, Undelivered},
};

/// Where clients of one link wait.
#[derive(Debug)]
pub(crate) struct Desk {
    state: Mutex<State>,
    memory: Arc<MemoryBudget>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// The last ticket when [`Desk::open_late`] was called last.
    looked: u64,
    waiting: IndexMap<Ticket, Waiting, FxBuildHasher>,
    /// The clients that can be told what belongs to no request.
    seats: IndexMap<u64, Seat, FxBuildHasher>,
    /// What nobody will hear: its client does not read, or does not fetch it.
    lost: Undelivered,
}

#[derive(Debug)]
struct Waiting {
    client: u64,
    wish: Wish,
    place: Place,
    /// Where the bytes of its stream are reserved.
    account: Account,
    /// How many answers are to come. Where that may be several they come on a stream, whatever the client likes.
    left: usize,
    several: Option<Framing>,
}

/// How a client likes to be answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    /// By a stream of events.
    pub(super) events: bool,
    /// A stream starts with an event that only has an id, so that the client can come back.
    pub(super) is_primed: bool,
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
    pub(super) message: Message,
}

impl Desk {
    /// A desk that reserves there what waits for its clients.
    pub(super) fn new(memory: Arc<MemoryBudget>) -> Self {
        Self { state: Mutex::default(), memory }
    }

    /// What a caller reserves of the memory.
    pub(super) fn account(&self, caller: Caller) -> Account {
        self.memory.account(caller)
    }

    /// A place for a request of a client.
    pub(super) fn wait(
        &self,
        (client, caller): (u64, Caller),
        wish: Wish,
    ) -> (Ticket, oneshot::Receiver<Reply>) {
        let (sender, reply) = oneshot::channel();
        let mut state = self.lock();
        state.next += 1;
        let ticket = Ticket(state.next);
        let place = Place::Post(sender);
        let account = self.memory.account(caller);
        let waiting = Waiting { client, wish, place, account, left: 1, several: None };
        state.waiting.insert(ticket, waiting);
        (ticket, reply)
    }

    /// Answers a request with a stream, primed or not, if nothing was said to it yet.
    pub(crate) fn open(&self, ticket: Ticket, is_primed: bool) {
        self.lock().open(ticket, is_primed);
    }

    /// Nobody waits there any more.
    pub(super) fn forget(&self, ticket: Ticket) {
        self.lock().waiting.swap_remove(&ticket);
    }

    /// An answer will not come there: what was said to the request is all there is.
    pub(crate) fn dismiss(&self, ticket: Ticket) {
        let mut state = self.lock();
        let Some(mut waiting) = state.waiting.swap_remove(&ticket) else { return };
        waiting.left -= 1;
        if waiting.left > 0 {
            state.waiting.insert(ticket, waiting);
        } else {
            waiting.place.end();
        }
    }

    /// Whoever waited there has closed the connection; the answer goes where the client can fetch it.
    pub(super) fn leave(&self, ticket: Ticket) {
        if let Some(waiting) = self.lock().waiting.get_mut(&ticket) {
            waiting.place.leave();
        }
    }

    /// Opens the streams of clients that can come back, and have waited since this was called last: a connection on which nothing
    /// is said for long may break.
    pub(super) fn open_late(&self) {
        let mut state = self.lock();
        let is_late = |it: (&Ticket, &Waiting)| it.0.0 <= state.looked && it.1.wish.is_primed;
        let late: Vec<_> = state.waiting.iter().filter(|it| is_late(*it)).map(|it| *it.0).collect();
        for ticket in late {
            state.open(ticket, false);
        }
        state.looked = state.next;
    }

    /// A client has left a stream, perhaps before it read the last events. Gives back what nobody will hear.
    pub(super) fn unread(&self, client: u64, stream: &Stream) -> Undelivered {
        let mut state = self.lock();
        if let Some(seat) = state.seats.get_mut(&client) {
            seat.unread(stream);
        }
        state.take_lost(client)
    }

    /// Tells a client what it does not hear otherwise. Gives back what nobody will hear, as [`Self::deliver`] does.
    pub(super) fn tell(&self, client: u64, message: &Message) -> Undelivered {
        let mut state = self.lock();
        state.tell(client, Saying::default(), message);
        std::mem::take(&mut state.lost)
    }

    /// A client comes.
    pub(super) fn enter(&self, client: u64, caller: Caller) {
        self.lock().seats.insert(client, Seat::new(self.memory.account(caller)));
    }

    /// A client goes, its streams end, and whoever waits for one of its answers hears that its session has ended.
    pub(super) fn exit(&self, client: u64) {
        let mut state = self.lock();
        state.waiting.retain(|_, it| {
            if let Place::Stream(stream) = &it.place
                && it.client == client
            {
                stream.end();
            }
            it.client != client
        });
        if let Some(seat) = state.seats.swap_remove(&client) {
            seat.close();
        }
    }

    /// A stream for what belongs to no request, or the rest of one that ended after an event; and what nobody will hear.
    pub(super) fn listen(
        &self,
        client: u64,
        after: Option<&str>,
    ) -> Option<(Arc<Stream>, Undelivered)> {
        let mut state = self.lock();
        let stream = state.seats.get_mut(&client)?.listen(after);
        if after.is_some() {
            state.take_over(client, stream.number);
        }
        Some((stream, state.take_lost(client)))
    }

    /// Whether a client waits for something.
    pub(super) fn is_busy(&self, client: u64) -> bool {
        let mut state = self.lock();
        state.waiting.values().any(|it| it.client == client)
            || state.seats.get_mut(&client).is_some_and(Seat::is_listening)
    }

    /// Whether a client waits for an answer.
    pub(super) fn is_awaited_by(&self, client: u64) -> bool {
        self.lock().waiting.values().any(|it| it.client == client)
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

    /// Gives every message to whom it is addressed, with what is reserved for all of them. Gives back what nobody will hear, of these or of earlier ones.
    pub(crate) fn deliver(&self, mail: &mut Outgoing<ToClient>, held: &Held) -> Undelivered {
        if mail.is_empty() {
            return Undelivered::default();
        }
        let (bytes, ends) = mail.take();
        let bytes = Bytes::from(bytes);
        let mut start = 0;
        let mut state = self.lock();
        for (end, to) in ends {
            let bytes = bytes.slice(start..end.saturating_sub(1).max(start));
            state.deliver(to, Message { bytes, held: held.clone() });
            start = end;
        }
        std::mem::take(&mut state.lost)
    }

    /// The same with one message and its line break.
    pub(crate) fn deliver_one(&self, letter: Letter) -> Undelivered {
        let Letter { to, challenge, mut line, memory } = letter;
        if line.pop().is_none() {
            return Undelivered::default();
        }
        let held = Held::new(memory.into_iter().collect());
        let message = Message { bytes: Bytes::from(line), held };
        let mut state = self.lock();
        match to {
            ToClient::Answer(ticket, status) => {
                state.answer(ticket, Answer { status, challenge, message });
            }
            to => state.deliver(to, message),
        }
        std::mem::take(&mut state.lost)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn deliver(&mut self, to: ToClient, message: Message) {
        match to {
            ToClient::Answer(ticket, status) => {
                self.answer(ticket, Answer { status, challenge: None, message });
            }
            ToClient::During(ticket) => self.during(ticket, None, &message),
            ToClient::Question(number, Some(ticket)) => {
                self.during(ticket, Some(number), &message);
            }
            ToClient::Question(number, None) => self.tell_all(Some(number), &message),
            ToClient::One(client) => self.tell(client, Saying::default(), &message),
            ToClient::Any => self.tell_all(None, &message),
        }
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer) {
        let Some(mut waiting) = self.waiting.swap_remove(&ticket) else { return };
        if waiting.several.is_some() {
            return self.one_of_several(ticket, waiting, &answer.message);
        }
        // Another status must stand above the answer.
        if waiting.wish.events && answer.status == 200 && answer.challenge.is_none() {
            self.stream(&mut waiting, false);
        }
        let Waiting { client, wish, place, .. } = waiting;
        let how = |on| Saying { on, is_primed: wish.is_primed, part: Part::Last, question: None };
        let (on, message) = match place {
            Place::Post(sender) => match sender.send(Reply::Answer(answer)) {
                Err(Reply::Answer(unheard)) => (None, unheard.message),
                Ok(()) | Err(Reply::Stream(_)) => return,
            },
            Place::Stream(stream) if self.say_on(client, &stream, how(None), &answer.message) => {
                return;
            }
            Place::Stream(stream) => (Some(stream.number), answer.message),
            Place::Left(on) => (on, answer.message),
        };
        self.tell(client, how(on), &message);
    }

    /// Says something on a stream that answers a request. Gives whether it will be heard.
    fn say_on(&mut self, client: u64, stream: &Stream, how: Saying, message: &Message) -> bool {
        match self.seats.get_mut(&client) {
            Some(seat) => {
                let is_said = seat.say_on(stream, how, message);
                self.lost.append(std::mem::take(&mut seat.lost));
                is_said
            }
            None => stream.say(None, None, how.part, message),
        }
    }

    /// Tells a client what it does not hear otherwise.
    fn tell(&mut self, client: u64, how: Saying, message: &Message) {
        if let Some(seat) = self.seats.get_mut(&client) {
            seat.say(how, message);
            self.lost.append(std::mem::take(&mut seat.lost));
        } else {
            self.lost.add(how.question);
        }
    }

    /// Tells every client what belongs to no request.
    fn tell_all(&mut self, question: Option<u64>, message: &Message) {
        for seat in self.seats.values_mut() {
            seat.say(Saying { question, ..Saying::default() }, message);
            self.lost.append(std::mem::take(&mut seat.lost));
        }
    }

    /// A client has come back to a stream that answers a request. The connection that it was on may be dead without our
    /// knowing it.
    fn take_over(&mut self, client: u64, number: u64) {
        let Some(seat) = self.seats.get_mut(&client) else { return };
        let of_client = self.waiting.values_mut().filter(|it| it.client == client);
        for place in of_client.map(|it| &mut it.place) {
            if let Place::Stream(stream) = place
                && stream.number == number
            {
                seat.give_up(stream);
                place.leave();
            }
        }
    }

    /// What nobody will hear, of what that client was told or of earlier messages.
    fn take_lost(&mut self, client: u64) -> Undelivered {
        if let Some(seat) = self.seats.get_mut(&client) {
            self.lost.append(std::mem::take(&mut seat.lost));
        }
        std::mem::take(&mut self.lost)
    }

    fn during(&mut self, ticket: Ticket, question: Option<u64>, message: &Message) {
        self.open(ticket, false);
        let Some(waiting) = self.waiting.get(&ticket) else {
            return self.lost.add(question);
        };
        let (client, wish) = (waiting.client, waiting.wish);
        let (stream, on) = waiting.place.stream();
        let how = Saying { on, is_primed: wish.is_primed, part: Part::Beside, question };
        if !stream.is_some_and(|it| self.say_on(client, &it, how, message)) {
            self.tell(client, how, message);
        }
    }

    /// Makes a stream of the answer to a request, if nothing was said to it yet.
    fn open(&mut self, ticket: Ticket, is_primed: bool) {
        let is_silent = |it: &Waiting| matches!(it.place, Place::Post(_));
        if self.waiting.get(&ticket).is_some_and(is_silent)
            && let Some(mut waiting) = self.waiting.swap_remove(&ticket)
        {
            self.stream(&mut waiting, is_primed);
            self.waiting.insert(ticket, waiting);
        }
    }

    /// The same for one that is in hand.
    fn stream(&mut self, waiting: &mut Waiting, is_primed: bool) {
        if !matches!(waiting.place, Place::Post(_)) {
            return;
        }
        let seat = self.seats.get_mut(&waiting.client);
        waiting.wish.is_primed |= is_primed;
        let framing = waiting.several.unwrap_or_default();
        let number = seat.map_or(0, Seat::number);
        let stream = Arc::new(Stream::new(number, framing, waiting.account.clone()));
        if stream.number > 0 && waiting.wish.is_primed && framing == Framing::Events {
            stream.prime(&format!("{}-0", stream.number));
        }
        let place = Place::Stream(Arc::clone(&stream));
        if let Place::Post(sender) = std::mem::replace(&mut waiting.place, place)
            && sender.send(Reply::Stream(stream)).is_err()
        {
            waiting.place.leave();
        }
    }
}

#[cfg(test)]
mod tests;
