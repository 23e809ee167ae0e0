//! `Connection`: a session of the core with its two ends, driven as the gate drives it.

use std::{io, sync::Arc, time::Duration};

use redress::outcome::KillReason;
use redress_proxy::{
    moment::Moment,
    outgoing::{ReplyToken, Sender, ToClient, ToUpstream},
    pending_fault::PendingFault,
    server::Server,
    session::{
        Actions, ClientKind, Exit, Expected, FailureScope, HttpFailure, MessageSource, Phase,
        Repeat, Session, UpstreamKind,
    },
    tail::Tail,
    upstream_id::UpstreamId,
};

use crate::{
    books::{Asked, Books, Nature, Standing, mark},
    chance::Chance,
    requests,
    upstream::{Meaning, Received, State, Upstream},
};

/// How a connection breaks a promise: a planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionBug {
    /// Each eighth answer is delivered twice.
    AnswersTwice,
    /// Each eighth answer goes to another request.
    AnswersAnother,
    /// A byte of each eighth success is changed.
    ChangesSuccess,
    /// An answer under an id that was cancelled once is dropped.
    DropsCancelled,
    /// The end of a process is not told to the session, nor any deadline.
    Leaks,
    /// A call that a process had when it ended is sent to the next one.
    RepeatsUnsafe,
}

/// What a connection wants done by others.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// For clients: the address and the line.
    pub(crate) heard: Vec<(ToClient, Vec<u8>)>,
    pub(crate) faults: Vec<PendingFault>,
    pub(crate) repeats: Vec<Repeat>,
    pub(crate) withdrawn: Vec<ReplyToken>,
}

/// Whether a call changes something and was carried out, or may have been.
fn may_not_repeat(books: &Books, reply_token: u64) -> bool {
    books.get(reply_token).is_some_and(|it| it.is_done && it.nature == Nature::Changing)
}

/// A session with its two ends.
pub(crate) struct Connection {
    pub(crate) number: u64,
    pub(crate) server: Arc<Server>,
    pub(crate) session: Session,
    actions: Actions,
    pub(crate) upstream: Upstream,
    pub(crate) kinds: (ClientKind, UpstreamKind),
    pub(crate) is_shared: bool,
    pub(crate) clients: Vec<u64>,
    bug: Option<ConnectionBug>,
    delivered: u64,
    cancelled: Vec<String>,
    /// Calls of a process that ended, for a planted bug.
    left: Vec<Received>,
}

impl Connection {
    pub(crate) fn new(
        number: u64,
        server: Arc<Server>,
        (kinds, is_shared): ((ClientKind, UpstreamKind), bool),
        now: Moment,
        bug: Option<ConnectionBug>,
    ) -> Self {
        let session = if is_shared {
            Session::shared(Arc::clone(&server), kinds.1)
        } else {
            Session::new(Arc::clone(&server), kinds.0, kinds.1)
        };
        Self {
            number,
            server,
            session,
            actions: Actions::new(now),
            upstream: Upstream::default(),
            kinds,
            is_shared,
            clients: if is_shared { vec![1, 2, 3, 4] } else { vec![0] },
            bug,
            delivered: 0,
            cancelled: Vec::new(),
            left: Vec::new(),
        }
    }

    pub(crate) fn set_now(&mut self, now: Moment) {
        self.actions.now = now;
    }

    /// Does what is due.
    pub(crate) fn expire(&mut self) {
        if self.bug != Some(ConnectionBug::Leaks) {
            self.session.expire(&mut self.actions);
        }
    }

    pub(crate) fn close(&mut self) {
        self.session.close(&mut self.actions);
    }

    pub(crate) fn admit_calls(&mut self, is_recorded: bool) {
        self.session.admit_calls(is_recorded);
    }

    /// A client says a line, of which the books know.
    pub(crate) fn say(&mut self, client: u64, line: &str, asked: Option<Asked>, books: &mut Books) {
        let wants_answer = asked.is_some();
        let reply_token = match asked {
            Some(asked) => books.ask(asked),
            None => books.reply_token(),
        };
        let from = Sender { client, reply_token: ReplyToken(reply_token), ..Sender::default() };
        if line.len() > self.server.settings.max_message {
            // As a pipe is read: the start of a line that is too long, and its end.
            let head = line.get(..64).unwrap_or(line).as_bytes();
            self.session.client_long(head, from, &mut self.actions);
            let tail = line.as_bytes().get(line.len() - 64..).unwrap_or_default();
            let bytes = line.len() as u64;
            return self.session.client_long_end(tail, bytes, from, &mut self.actions);
        }
        match self.session.client_line(line.as_bytes(), from, &mut self.actions) {
            Expected::Nothing if wants_answer => books.strike(reply_token),
            Expected::Answer | Expected::Nothing => (),
            Expected::Members { are_taken } => {
                books.strike(reply_token);
                self.say_members(client, line, are_taken, books);
            }
        }
    }

    fn say_members(&mut self, client: u64, line: &str, are_taken: bool, books: &mut Books) {
        let inside = line.trim().trim_start_matches('[').trim_end_matches(']');
        for member in inside.split(", ") {
            let id = member.split_once("\"id\":").and_then(|it| it.1.split_once(','));
            let id = id.map_or_else(String::new, |it| it.0.to_owned());
            let reply_token = books.ask(self.asked(client, id, member));
            let from = Sender { client, reply_token: ReplyToken(reply_token), ..Sender::default() };
            let member = member.as_bytes();
            let expected = self.session.client_member(member, are_taken, from, &mut self.actions);
            if expected != Expected::Answer {
                books.strike(reply_token);
            }
        }
    }

    /// A request of a client.
    pub(crate) fn asked(&self, client: u64, id: String, line: &str) -> Asked {
        let changes = line.contains("\"tools/call\"") && line.contains("\"name\":\"write\"");
        let nature = if changes { Nature::Changing } else { Nature::Harmless };
        Asked {
            connection: self.number,
            client,
            id,
            nature,
            standing: Standing::Owed,
            is_endless: line.contains("\"subscriptions/listen\""),
            is_done: false,
            expected: None,
        }
    }

    /// A client says one of the lines that clients say.
    pub(crate) fn ask(&mut self, client: u64, chance: &mut Chance, books: &mut Books) {
        let mark = self.mark(client);
        let (id, line) = requests::one(&mark, chance);
        let asked = id.map(|it| self.asked(client, it, &line));
        self.say(client, &line, asked, books);
    }

    /// A client withdraws one of its requests, or an id that it never used.
    pub(crate) fn cancel_one(&mut self, client: u64, chance: &mut Chance, books: &mut Books) {
        let id = requests::id(chance);
        self.cancel(client, &id, books);
    }

    /// A client withdraws a request by its id.
    fn cancel(&mut self, client: u64, id: &str, books: &mut Books) {
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        );
        self.cancelled.push(id.to_owned());
        self.say(client, &line, None, books);
    }

    /// A client leaves, and another one takes its place.
    pub(crate) fn leave(&mut self, client: u64, books: &mut Books) {
        let number = self.number;
        books.withdraw(Standing::Left, |_, it| it.connection == number && it.client == client);
        self.session.client_left(client, &mut self.actions);
    }

    /// A client over HTTP closes the stream of a request.
    pub(crate) fn withdraw(&mut self, reply_token: u64, books: &mut Books) {
        books.withdraw(Standing::Left, |it, _| it == reply_token);
        self.session.withdraw(ReplyToken(reply_token), &mut self.actions);
    }

    /// The upstream has started.
    pub(crate) fn start(&mut self) {
        if self.upstream.state == State::Starting {
            self.upstream.state = State::Up;
            self.upstream.generation += 1;
            self.session.upstream_ready(Arc::new(Tail::default()), &mut self.actions);
        }
    }

    /// The upstream cannot be started.
    pub(crate) fn fail_to_start(&mut self, kind: io::ErrorKind) {
        if self.upstream.state == State::Starting && self.kinds.1 == UpstreamKind::Pipe {
            self.upstream.state = State::Down;
            self.session.upstream_failed(&io::Error::from(kind), &mut self.actions);
        }
    }

    /// The process ends, perhaps in the middle of a line. What it received it may have carried out.
    pub(crate) fn crash(&mut self, chance: &mut Chance, books: &mut Books) {
        if self.upstream.state != State::Up || self.kinds.1 != UpstreamKind::Pipe {
            return;
        }
        if chance.once_in(2) {
            self.read_all();
        }
        if let Some(rest) = self.upstream.pipe.pop_front() {
            let part = rest.get(..chance.index(rest.len() + 1)).unwrap_or_default();
            self.session.upstream_rest(part, &mut self.actions);
        }
        self.end_upstream(books);
        if self.bug == Some(ConnectionBug::Leaks) {
            return;
        }
        let exit = match chance.below(3) {
            0 => Exit { code: Some(1), ..Exit::default() },
            1 => Exit { signal: Some("SIGKILL".to_owned()), ..Exit::default() },
            _ => Exit::default(),
        };
        self.session.upstream_gone(&exit, &mut self.actions);
    }

    fn end_upstream(&mut self, books: &mut Books) {
        if self.upstream.state == State::Up {
            for reply_token in self.upstream.received.iter().filter_map(|it| it.reply_token) {
                if let Some(asked) = books.get_mut(reply_token) {
                    asked.is_done = true;
                }
            }
        }
        if self.bug == Some(ConnectionBug::RepeatsUnsafe) {
            let calls = self.upstream.received.iter().filter(|it| it.reply_token.is_some());
            self.left = calls.cloned().collect();
        }
        self.upstream.end();
    }

    /// The upstream writes an answer into its pipe.
    pub(crate) fn answer(&mut self, chance: &mut Chance, books: &mut Books) {
        let Some(request) = self.upstream.one(chance) else { return };
        let (line, meaning) = request.answer(chance);
        let asked = request.reply_token.and_then(|it| books.get_mut(it));
        if let Some(asked) = asked {
            asked.is_done |= matches!(meaning, Meaning::Done | Meaning::Success);
        }
        self.upstream.pipe.push_back(line);
        // A line may come twice.
        if chance.once_in(40) {
            self.upstream.pipe.extend(self.upstream.pipe.back().cloned());
        }
    }

    /// The upstream says something else.
    pub(crate) fn remark(&mut self, chance: &mut Chance) {
        if let Some(request) = self.upstream.one(chance) {
            self.upstream.pipe.push_back(request.remark(chance).into_bytes());
        }
    }

    /// A server over HTTP refuses a request, or cannot be reached.
    pub(crate) fn refuse(&mut self, chance: &mut Chance, books: &mut Books) {
        let Some(request) = self.upstream.one(chance) else { return };
        let Some(id) = UpstreamId::read(request.id.as_bytes()) else { return };
        if self.kinds.1 != UpstreamKind::Http {
            return;
        }
        let statuses = [400, 401, 404, 429, 500, 502, 503];
        let status = chance.of(&statuses).copied().unwrap_or(500);
        let (how, is_done) = match chance.below(5) {
            0 => {
                (HttpFailure::Unreachable { phase: Phase::Connect, detail: "", sent: false }, false)
            }
            1 => (HttpFailure::Unreachable { phase: Phase::Read, detail: "", sent: true }, true),
            2 => (HttpFailure::Cut { detail: "" }, true),
            _ => {
                let about =
                    if status == 404 { FailureScope::Session } else { FailureScope::Request };
                let how = HttpFailure::Status {
                    status,
                    retry_after: Some("1").filter(|_| status == 503),
                    www_authenticate: None,
                    location: None,
                    body: b"not now",
                    about,
                };
                (how, status >= 500)
            }
        };
        if let Some(asked) = request.reply_token.and_then(|it| books.get_mut(it)) {
            asked.is_done |= is_done;
        }
        if let HttpFailure::Status { about: FailureScope::Session, .. } = how {
            self.session.upstream_expired(id, &mut self.actions);
        }
        self.session.upstream_refused(id, &how, &mut self.actions);
    }

    /// The gate reads one line of its upstream.
    pub(crate) fn read(&mut self, books: &mut Books) {
        let Some(line) = self.upstream.pipe.pop_front() else { return };
        self.expect(&line, books);
        self.read_line(&line);
    }

    fn read_all(&mut self) {
        while self.upstream.pipe.len() > 1 {
            let Some(line) = self.upstream.pipe.pop_front() else { return };
            self.read_line(&line);
        }
    }

    fn read_line(&mut self, line: &[u8]) {
        if line.len() > self.server.settings.max_message {
            let (head, tail) = line.split_at(64.min(line.len()));
            self.session.upstream_long(head, &mut self.actions);
            let bytes = line.len() as u64;
            return self.session.upstream_long_end(tail, bytes, &mut self.actions);
        }
        match self.kinds.1 {
            UpstreamKind::Pipe => self.session.upstream_line(line, &mut self.actions),
            UpstreamKind::Http => {
                let about = self.request_of(line).and_then(|it| UpstreamId::read(it.id.as_bytes()));
                let source = MessageSource { about, status: Some(200), ..MessageSource::default() };
                self.session.upstream_message(line, source, &mut self.actions);
            }
        }
    }

    /// The request that a line names.
    fn request_of(&self, line: &[u8]) -> Option<&Received> {
        let text = std::str::from_utf8(line).ok()?;
        self.upstream.received.iter().rev().find(|it| text.contains(&it.id))
    }

    /// If the line is a success of a call that waits for it, its client gets just those bytes.
    fn expect(&self, line: &[u8], books: &mut Books) {
        let Some(request) = self.request_of(line) else { return };
        let (Some(reply_token), Ok(text)) = (request.reply_token, std::str::from_utf8(line)) else {
            return;
        };
        let is_owed = UpstreamId::read(request.id.as_bytes()).is_some_and(|it| {
            self.session.is_owed(it)
                && self.session.reply_token(it) == Some(ReplyToken(reply_token))
        });
        let is_success = request.method == "tools/call"
            && text.contains("\"content\":[{")
            && !text.contains("isError")
            && line.len() <= self.server.settings.max_message;
        if let Some(asked) = books.get_mut(reply_token)
            && is_success
            && is_owed
            && asked.expected.is_none()
        {
            asked.expected = Some((text.replace(&request.id, &asked.id) + "\n").into_bytes());
        }
    }

    /// A repeat is on record, or never will be.
    pub(crate) fn repeat_recorded(&mut self, id: UpstreamId, is_recorded: bool) {
        self.session.repeat_recorded(id, is_recorded, &mut self.actions);
    }

    /// A request of the upstream reaches no client.
    pub(crate) fn unheard(&mut self, question: u64) {
        self.session.unheard(question, &mut self.actions);
    }

    /// Performs what the session wants done, as far as it concerns the upstream. Gives the rest, and calls that were made again
    /// although they may not be.
    pub(crate) fn perform(&mut self, books: &mut Books) -> (Output, Vec<u64>) {
        let mut wrong = Vec::new();
        let is_replaced = std::mem::take(&mut self.actions.replace);
        if std::mem::take(&mut self.actions.kill) && !is_replaced {
            // The process ends, and that is told.
            self.end_upstream(books);
            let exit = Exit { ended_for: Some(KillReason::NoGreeting), ..Exit::default() };
            self.session.upstream_gone(&exit, &mut self.actions);
        }
        if is_replaced {
            // The end of one that is replaced is not told.
            self.end_upstream(books);
        }
        let actions = &mut self.actions;
        if std::mem::take(&mut actions.start) {
            self.upstream.state = State::Starting;
        }
        for (to, line) in actions.to_upstream.messages() {
            let (id, reply_token) = match to {
                ToUpstream::Request(id, reply_token) => (id, Some(reply_token.0)),
                ToUpstream::Own(id, _) => (id, None),
                ToUpstream::Cancel(_) | ToUpstream::Of(_) | ToUpstream::Other => continue,
            };
            if self.upstream.state != State::Up {
                continue;
            }
            let id = String::from_utf8_lossy(&id.digits()).into_owned();
            let received = Received::of(id, reply_token, line);
            wrong.extend(received.reply_token.filter(|it| may_not_repeat(books, *it)));
            self.upstream.receive(received);
        }
        if self.upstream.state == State::Up {
            for received in self.left.drain(..) {
                wrong.extend(received.reply_token.filter(|it| may_not_repeat(books, *it)));
                self.upstream.receive(received);
            }
        }
        actions.to_upstream.clear();
        actions.queued.clear();
        let mut output = Output {
            heard: actions.to_client.messages().map(|it| (it.0, it.1.to_vec())).collect(),
            faults: std::mem::take(&mut actions.faults),
            repeats: std::mem::take(&mut actions.repeats),
            withdrawn: std::mem::take(&mut actions.withdrawn),
        };
        actions.to_client.clear();
        actions.answered.clear();
        actions.writes.clear();
        actions.sessions.clear();
        actions.calls.clear();
        (actions.is_sooner, actions.is_called) = (false, false);
        for heard in std::mem::take(&mut output.heard) {
            output.heard.extend(self.deliver(heard, books));
        }
        (output, wrong)
    }

    /// The way of a message to its client, on which planted bugs lie.
    pub(crate) fn deliver(
        &mut self,
        (to, mut line): (ToClient, Vec<u8>),
        books: &Books,
    ) -> Vec<(ToClient, Vec<u8>)> {
        let ToClient::Answer(reply_token, status) = to else { return vec![(to, line)] };
        self.delivered += 1;
        let is_eighth = self.delivered.is_multiple_of(8);
        match self.bug {
            Some(ConnectionBug::AnswersTwice) if is_eighth => vec![(to, line.clone()), (to, line)],
            Some(ConnectionBug::AnswersAnother) if is_eighth => {
                let other =
                    books.owed().find(|it| it.0 != reply_token.0).map(|it| ReplyToken(it.0));
                vec![(ToClient::Answer(other.unwrap_or(reply_token), status), line)]
            }
            Some(ConnectionBug::ChangesSuccess) if is_eighth => {
                if let Some(space) = line.iter_mut().find(|it| **it == b' ') {
                    *space = b'\t';
                }
                vec![(to, line)]
            }
            Some(ConnectionBug::DropsCancelled) => {
                let id = books.get(reply_token.0).map(|it| it.id.clone()).unwrap_or_default();
                if self.cancelled.contains(&id) { Vec::new() } else { vec![(to, line)] }
            }
            _ => vec![(to, line)],
        }
    }

    /// What a client writes to be recognised.
    pub(crate) fn mark(&self, client: u64) -> String {
        mark(self.number, client)
    }

    /// When the session has something to do.
    pub(crate) fn next_deadline(&self, base: std::time::Instant) -> Option<Duration> {
        self.session.next_deadline().map(|it| it.saturating_duration_since(base))
    }
}
