//! `ReplyRouter`: takes the messages of one connection to the HTTP requests and event streams of its clients.

mod client_streams;
mod stream;
mod target;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use indexmap::IndexMap;
use redress_proxy::{
    caller::Caller,
    memory::{Account, MemoryBudget, Reservation, ReservedMessage, SharedReservation},
    outgoing::{MessageQueue, ReplyToken, ToClient, Undelivered},
};
use rustc_hash::FxBuildHasher;
use tokio::sync::oneshot;

pub(crate) use self::stream::{Framing, Stream};
use self::{
    client_streams::{ClientStreams, Delivery},
    stream::AnswerPart,
    target::ReplyTarget,
};

/// Routes the messages of one connection to the requests and streams of its HTTP clients.
#[derive(Debug)]
pub(crate) struct ReplyRouter {
    state: Mutex<State>,
    memory: Arc<MemoryBudget>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// The last token when [`ReplyRouter::open_late`] was called last.
    checked: u64,
    waiting: IndexMap<ReplyToken, PendingReply, FxBuildHasher>,
    /// The clients with a session: they can receive what belongs to no request.
    clients: IndexMap<u64, ClientStreams, FxBuildHasher>,
    /// Messages that no client will receive: it does not read, or does not fetch them.
    lost: Undelivered,
}

/// A request that has not been answered, or not completely.
#[derive(Debug)]
struct PendingReply {
    client: u64,
    preference: ReplyPreference,
    target: ReplyTarget,
    /// Where the bytes of its stream are reserved.
    account: Account,
    /// How many answers are to come. Several answers come on a stream, whatever the client prefers.
    left: usize,
    several: Option<Framing>,
}

/// How a client prefers to be answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyPreference {
    /// By a stream of events.
    pub(crate) events: bool,
    /// A stream starts with an event that only has an id, so that the client can come back.
    pub(crate) is_primed: bool,
}

/// The start of the response to a request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The answer itself.
    Answer(WholeAnswer),
    /// A stream of events, with the answer as its last event.
    Stream(Arc<Stream>),
}

/// An answer as a whole response.
#[derive(Debug)]
pub(crate) struct WholeAnswer {
    pub(crate) status: u16,
    /// `WWW-Authenticate`.
    pub(crate) challenge: Option<Box<str>>,
    pub(crate) message: ReservedMessage,
}

/// A failure as its client receives it, with its address.
#[derive(Debug)]
pub(crate) struct FailureReply {
    pub(crate) to: ToClient,
    /// `WWW-Authenticate` of the answer over HTTP.
    pub(crate) challenge: Option<Box<str>>,
    /// The message with its line break, or nothing.
    pub(crate) line: Vec<u8>,
    /// The bytes that are reserved for it.
    pub(crate) memory: Option<Reservation>,
}

/// Whether the client of a request with several answers is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recipient {
    /// It reads the answers.
    Connected,
    /// It has closed the connection, and may fetch the answers later.
    Disconnected,
    /// The request is answered, or its session has ended.
    Absent,
}

impl ReplyRouter {
    /// A router that reserves the memory for waiting messages there.
    pub(crate) fn new(memory: Arc<MemoryBudget>) -> Self {
        Self { state: Mutex::default(), memory }
    }

    /// The memory account of a caller.
    pub(crate) fn account(&self, caller: Caller) -> Account {
        self.memory.account(caller)
    }

    /// Registers a request of a client, and gives its token and the channel of its reply.
    pub(crate) fn wait(
        &self,
        (client, caller): (u64, Caller),
        preference: ReplyPreference,
    ) -> (ReplyToken, oneshot::Receiver<Reply>) {
        let (sender, reply) = oneshot::channel();
        let mut state = self.lock();
        state.next += 1;
        let reply_token = ReplyToken(state.next);
        let target = ReplyTarget::Post(sender);
        let account = self.memory.account(caller);
        let waiting = PendingReply { client, preference, target, account, left: 1, several: None };
        state.waiting.insert(reply_token, waiting);
        (reply_token, reply)
    }

    /// Responds to a request with a stream, primed or not, if its response has not begun.
    pub(crate) fn open(&self, reply_token: ReplyToken, is_primed: bool) {
        self.lock().open(reply_token, is_primed);
    }

    /// Forgets a request without a reply.
    pub(crate) fn forget(&self, reply_token: ReplyToken) {
        self.lock().waiting.swap_remove(&reply_token);
    }

    /// Expects one answer less for a request, and ends its response if that was the last.
    pub(crate) fn dismiss(&self, reply_token: ReplyToken) {
        let mut state = self.lock();
        let Some(mut waiting) = state.waiting.swap_remove(&reply_token) else { return };
        waiting.left -= 1;
        if waiting.left > 0 {
            state.waiting.insert(reply_token, waiting);
        } else {
            waiting.target.end();
        }
    }

    /// The client has closed the connection of a request; the answer is kept where the client can fetch it.
    pub(crate) fn leave(&self, reply_token: ReplyToken) {
        if let Some(waiting) = self.lock().waiting.get_mut(&reply_token) {
            waiting.target.leave();
        }
    }

    /// Opens streams for resumable requests that have waited since the last call: a connection on which nothing is sent for long may
    /// break.
    pub(crate) fn open_late(&self) {
        let mut state = self.lock();
        let is_late =
            |it: (&ReplyToken, &PendingReply)| it.0.0 <= state.checked && it.1.preference.is_primed;
        let late: Vec<_> = state.waiting.iter().filter(|it| is_late(*it)).map(|it| *it.0).collect();
        for reply_token in late {
            state.open(reply_token, false);
        }
        state.checked = state.next;
    }

    /// A client has closed a stream, perhaps before it read the last events. Gives the messages that no client will receive.
    pub(crate) fn unread(&self, client: u64, stream: &Stream) -> Undelivered {
        let mut state = self.lock();
        if let Some(streams) = state.clients.get_mut(&client) {
            streams.unread(stream);
        }
        state.take_undelivered(client)
    }

    /// Sends a message on any stream of a client. Gives the messages that no client will receive.
    pub(crate) fn send(&self, client: u64, message: &ReservedMessage) -> Undelivered {
        let mut state = self.lock();
        state.send(client, Delivery::default(), message);
        std::mem::take(&mut state.lost)
    }

    /// Adds a client with a session.
    pub(crate) fn enter(&self, client: u64, caller: Caller) {
        self.lock().clients.insert(client, ClientStreams::new(self.memory.account(caller)));
    }

    /// Removes a client: its streams end, and its open requests are answered by the end of the session.
    pub(crate) fn exit(&self, client: u64) {
        let mut state = self.lock();
        state.waiting.retain(|_, it| {
            if let ReplyTarget::Stream(stream) = &it.target
                && it.client == client
            {
                stream.end();
            }
            it.client != client
        });
        if let Some(streams) = state.clients.swap_remove(&client) {
            streams.close();
        }
    }

    /// Opens a stream for what belongs to no request, or resumes one after an event. Gives the messages that no client will receive, too.
    pub(crate) fn listen(
        &self,
        client: u64,
        after: Option<&str>,
    ) -> Option<(Arc<Stream>, Undelivered)> {
        let mut state = self.lock();
        let stream = state.clients.get_mut(&client)?.listen(after);
        if after.is_some() {
            state.take_over(client, stream.number);
        }
        Some((stream, state.take_undelivered(client)))
    }

    /// Whether a client has an open request or stream.
    pub(crate) fn is_busy(&self, client: u64) -> bool {
        let mut state = self.lock();
        state.waiting.values().any(|it| it.client == client)
            || state.clients.get_mut(&client).is_some_and(ClientStreams::is_listening)
    }

    /// Whether a client waits for an answer.
    pub(crate) fn is_awaited_by(&self, client: u64) -> bool {
        self.lock().waiting.values().any(|it| it.client == client)
    }

    /// Whether any client waits for an answer.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    /// Ends every request and stream.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        for (_, streams) in state.clients.drain(..) {
            streams.close();
        }
        for (_, waiting) in state.waiting.drain(..) {
            if let ReplyTarget::Stream(stream) = waiting.target {
                stream.end();
            }
        }
    }

    /// Delivers messages to their addresses, with the memory that is reserved for all of them. Gives the messages that no client will
    /// receive, of these or of earlier ones.
    pub(crate) fn deliver(
        &self,
        mail: &mut MessageQueue<ToClient>,
        held: &SharedReservation,
    ) -> Undelivered {
        if mail.is_empty() {
            return Undelivered::default();
        }
        let (bytes, ends) = mail.take();
        let bytes = Bytes::from(bytes);
        let mut start = 0;
        let mut state = self.lock();
        for (end, to) in ends {
            let bytes = bytes.slice(start..end.saturating_sub(1).max(start));
            state.deliver(to, ReservedMessage { bytes, held: held.clone() });
            start = end;
        }
        std::mem::take(&mut state.lost)
    }

    /// Delivers one failure.
    pub(crate) fn deliver_one(&self, reply: FailureReply) -> Undelivered {
        let FailureReply { to, challenge, mut line, memory } = reply;
        if line.pop().is_none() {
            return Undelivered::default();
        }
        let held = SharedReservation::new(memory.into_iter().collect());
        let message = ReservedMessage { bytes: Bytes::from(line), held };
        let mut state = self.lock();
        match to {
            ToClient::Answer(reply_token, status) => {
                state.answer(reply_token, WholeAnswer { status, challenge, message });
            }
            to => state.deliver(to, message),
        }
        std::mem::take(&mut state.lost)
    }

    /// Whether the client of a request is there.
    pub(crate) fn recipient(&self, reply_token: ReplyToken) -> Recipient {
        match self.lock().waiting.get(&reply_token).map(|it| &it.target) {
            Some(ReplyTarget::Post(_) | ReplyTarget::Stream(_)) => Recipient::Connected,
            Some(ReplyTarget::Left(_)) => Recipient::Disconnected,
            None => Recipient::Absent,
        }
    }

    /// Expects several answers for a request, until [`Self::expect`] gives their number.
    pub(crate) fn expect_several(&self, reply_token: ReplyToken, framing: Framing) {
        if let Some(waiting) = self.lock().waiting.get_mut(&reply_token) {
            (waiting.left, waiting.several) = (usize::MAX, Some(framing));
        }
    }

    /// Sets how many answers come for a request in all, those that came included. If there are none, the request is forgotten.
    pub(crate) fn expect(&self, reply_token: ReplyToken, answers: usize) {
        let mut state = self.lock();
        let Some(waiting) = state.waiting.get_mut(&reply_token) else { return };
        waiting.left = waiting.left.saturating_sub(usize::MAX - answers);
        if waiting.left == 0
            && let Some(waiting) = state.waiting.swap_remove(&reply_token)
            && answers > 0
        {
            waiting.target.end();
        }
    }

    /// Whether the client of a request does not read what was sent.
    pub(crate) fn is_full(&self, reply_token: ReplyToken) -> bool {
        let state = self.lock();
        let waiting = state.waiting.get(&reply_token);
        waiting
            .is_some_and(|it| matches!(&it.target, ReplyTarget::Stream(stream) if stream.is_full()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn deliver(&mut self, to: ToClient, message: ReservedMessage) {
        match to {
            ToClient::Answer(reply_token, status) => {
                self.answer(reply_token, WholeAnswer { status, challenge: None, message });
            }
            ToClient::During(reply_token) => self.during(reply_token, None, &message),
            ToClient::Question(number, Some(reply_token)) => {
                self.during(reply_token, Some(number), &message);
            }
            ToClient::Question(number, None) => self.send_to_all(Some(number), &message),
            ToClient::One(client) => self.send(client, Delivery::default(), &message),
            ToClient::Any => self.send_to_all(None, &message),
        }
    }

    fn answer(&mut self, reply_token: ReplyToken, answer: WholeAnswer) {
        let Some(mut waiting) = self.waiting.swap_remove(&reply_token) else { return };
        if waiting.several.is_some() {
            return self.answer_in_part(reply_token, waiting, &answer.message);
        }
        // A stream would have another status.
        if waiting.preference.events && answer.status == 200 && answer.challenge.is_none() {
            self.stream(&mut waiting, false);
        }
        let PendingReply { client, preference, target, .. } = waiting;
        let how = |on| Delivery {
            on,
            is_primed: preference.is_primed,
            part: AnswerPart::Last,
            question: None,
        };
        let (on, message) = match target {
            ReplyTarget::Post(sender) => match sender.send(Reply::Answer(answer)) {
                Err(Reply::Answer(unsent)) => (None, unsent.message),
                Ok(()) | Err(Reply::Stream(_)) => return,
            },
            ReplyTarget::Stream(stream)
                if self.send_on(client, &stream, how(None), &answer.message) =>
            {
                return;
            }
            ReplyTarget::Stream(stream) => (Some(stream.number), answer.message),
            ReplyTarget::Left(on) => (on, answer.message),
        };
        self.send(client, how(on), &message);
    }

    /// Sends a message on the stream of a request. Gives whether the stream takes it.
    fn send_on(
        &mut self,
        client: u64,
        stream: &Stream,
        how: Delivery,
        message: &ReservedMessage,
    ) -> bool {
        match self.clients.get_mut(&client) {
            Some(streams) => {
                let is_sent = streams.send_on(stream, how, message);
                self.lost.append(std::mem::take(&mut streams.lost));
                is_sent
            }
            None => stream.send(None, None, how.part, message),
        }
    }

    /// Sends a message on any stream of a client.
    fn send(&mut self, client: u64, how: Delivery, message: &ReservedMessage) {
        if let Some(streams) = self.clients.get_mut(&client) {
            streams.send(how, message);
            self.lost.append(std::mem::take(&mut streams.lost));
        } else {
            self.lost.add(how.question);
        }
    }

    /// Sends a message to every client.
    fn send_to_all(&mut self, question: Option<u64>, message: &ReservedMessage) {
        for streams in self.clients.values_mut() {
            streams.send(Delivery { question, ..Delivery::default() }, message);
            self.lost.append(std::mem::take(&mut streams.lost));
        }
    }

    /// A client resumes the stream of a request. The old connection may be dead without a sign of it.
    fn take_over(&mut self, client: u64, number: u64) {
        let Some(streams) = self.clients.get_mut(&client) else { return };
        let of_client = self.waiting.values_mut().filter(|it| it.client == client);
        for target in of_client.map(|it| &mut it.target) {
            if let ReplyTarget::Stream(stream) = target
                && stream.number == number
            {
                streams.give_up(stream);
                target.leave();
            }
        }
    }

    /// Takes the messages that no client will receive.
    fn take_undelivered(&mut self, client: u64) -> Undelivered {
        if let Some(streams) = self.clients.get_mut(&client) {
            self.lost.append(std::mem::take(&mut streams.lost));
        }
        std::mem::take(&mut self.lost)
    }

    /// Sends one of several answers; the last one ends the stream.
    fn answer_in_part(
        &mut self,
        reply_token: ReplyToken,
        mut waiting: PendingReply,
        message: &ReservedMessage,
    ) {
        self.stream(&mut waiting, false);
        waiting.left -= 1;
        let part = if waiting.left == 0 { AnswerPart::Last } else { AnswerPart::Answer };
        let (stream, on) = waiting.target.stream();
        let (client, preference) = (waiting.client, waiting.preference);
        let how = Delivery { on, is_primed: preference.is_primed, part, question: None };
        if !stream.is_some_and(|it| self.send_on(client, &it, how, message)) {
            self.send(client, how, message);
        }
        if waiting.left > 0 {
            self.waiting.insert(reply_token, waiting);
        }
    }

    /// Sends a message that belongs to an open request.
    fn during(
        &mut self,
        reply_token: ReplyToken,
        question: Option<u64>,
        message: &ReservedMessage,
    ) {
        self.open(reply_token, false);
        let Some(waiting) = self.waiting.get(&reply_token) else {
            return self.lost.add(question);
        };
        let (client, preference) = (waiting.client, waiting.preference);
        let (stream, on) = waiting.target.stream();
        let how =
            Delivery { on, is_primed: preference.is_primed, part: AnswerPart::Beside, question };
        if !stream.is_some_and(|it| self.send_on(client, &it, how, message)) {
            self.send(client, how, message);
        }
    }

    /// Responds to a request with a stream, if its response has not begun.
    fn open(&mut self, reply_token: ReplyToken, is_primed: bool) {
        let is_silent = |it: &PendingReply| matches!(it.target, ReplyTarget::Post(_));
        if self.waiting.get(&reply_token).is_some_and(is_silent)
            && let Some(mut waiting) = self.waiting.swap_remove(&reply_token)
        {
            self.stream(&mut waiting, is_primed);
            self.waiting.insert(reply_token, waiting);
        }
    }

    /// Responds with a stream to a request that is taken out of the table.
    fn stream(&mut self, waiting: &mut PendingReply, is_primed: bool) {
        if !matches!(waiting.target, ReplyTarget::Post(_)) {
            return;
        }
        let streams = self.clients.get_mut(&waiting.client);
        waiting.preference.is_primed |= is_primed;
        let framing = waiting.several.unwrap_or_default();
        let number = streams.map_or(0, ClientStreams::number);
        let stream = Arc::new(Stream::new(number, framing, waiting.account.clone()));
        if stream.number > 0 && waiting.preference.is_primed && framing == Framing::Events {
            stream.prime(&format!("{}-0", stream.number));
        }
        let target = ReplyTarget::Stream(Arc::clone(&stream));
        if let ReplyTarget::Post(sender) = std::mem::replace(&mut waiting.target, target)
            && sender.send(Reply::Stream(stream)).is_err()
        {
            waiting.target.leave();
        }
    }
}

#[cfg(test)]
mod tests;
