//! The client's side of a session: requests go on under our ids, what is no message is refused.

use std::time::Instant;

use redress::{
    codes,
    json::{Doc, Value},
};

use super::{Actions, ClientKind, Expected, Held, Session};
use crate::{
    exchange::{Exchange, Method, Request},
    frame::{
        Edit, Frame, Malformed, NotAFrame, Shape, Unreadable, behind_mark, id_beside, limits,
        rewrite, span, splice,
    },
    govern::without,
    inflight::UpstreamId,
    metrics::Outcome,
    outgoing::{Sender, Ticket, ToClient, ToUpstream},
    peek,
    session::seen::Seen,
};

impl Session {
    /// A line of a client, without its line break.
    pub fn client_line(&mut self, line: &[u8], from: Sender, actions: &mut Actions) -> Expected {
        self.client_message(line, false, from, actions)
    }

    /// A message of a client, alone or a member of an array.
    pub(super) fn client_message(
        &mut self,
        line: &[u8],
        is_member: bool,
        from: Sender,
        actions: &mut Actions,
    ) -> Expected {
        let line = line.trim_ascii_end();
        let limits = limits(self.server.settings.max_message);
        let doc = match Doc::parse_with(line, limits, std::mem::take(&mut self.scratch)) {
            Ok(doc) => doc,
            Err(_) if line.trim_ascii().is_empty() => return Expected::Nothing,
            Err(error) => {
                if let Some(line) = behind_mark(line) {
                    return self.client_message(line, is_member, from, actions);
                }
                let why = Malformed::Unreadable(Unreadable::Json(error));
                self.fail_line(id_beside(error, line), why, from, actions);
                return Expected::Answer;
            }
        };
        if memchr::memchr2(b'\n', b'\r', line).is_some() {
            // Between its parts, where they mean nothing. A server that reads lines would read several messages, which nobody has seen.
            let flat = |it: &u8| if matches!(it, b'\n' | b'\r') { b' ' } else { *it };
            let line: Vec<u8> = line.iter().map(flat).collect();
            self.scratch = doc.into_scratch();
            return self.client_message(&line, is_member, from, actions);
        }
        let expected = match Frame::of(&doc).and_then(Frame::answerable) {
            Ok(frame) if is_member && frame.method == "initialize" && frame.id.is_some() => {
                let id = frame.id.map(|it| it.raw().into());
                self.fail_line(id, Malformed::OpensInBatch, from, actions);
                Expected::Answer
            }
            Ok(frame) => self.client_frame(line, &frame, from, actions),
            Err(NotAFrame::Batch) if !is_member => self.client_array(line, from, actions),
            Err(error) => {
                let why = Malformed::Unreadable(Unreadable::Frame(error));
                self.fail_line(error.id(&doc), why, from, actions);
                Expected::Answer
            }
        };
        self.scratch = doc.into_scratch();
        expected
    }

    /// The start of a line of the client that is too long.
    pub fn client_long(&mut self, head: &[u8], from: Sender, actions: &mut Actions) {
        let id = peek::id_in_head(head);
        self.is_client_long_answered = id.is_some();
        self.is_client_long_answer = peek::is_answer(head);
        if id.is_some() {
            self.fail_line(id, self.too_long(None), from, actions);
        }
    }

    /// The end of a line of the client that is too long.
    pub fn client_long_end(
        &mut self,
        tail: &[u8],
        bytes: u64,
        from: Sender,
        actions: &mut Actions,
    ) {
        if !self.is_client_long_answered {
            let id = if self.is_client_long_answer { None } else { peek::id_in_tail(tail) };
            self.fail_line(id, self.too_long(Some(bytes)), from, actions);
        }
    }

    fn too_long(&self, bytes: Option<u64>) -> Malformed {
        Malformed::TooLong { bytes, most: self.server.settings.max_message }
    }

    fn client_frame(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        from: Sender,
        actions: &mut Actions,
    ) -> Expected {
        match (frame.shape, frame.id) {
            (Shape::Request, Some(id)) => {
                self.request(line, frame, (id, from), actions);
                return Expected::Answer;
            }
            (Shape::Notification, _) => self.notification(line, frame, from, actions),
            (Shape::Result | Shape::Error, Some(id)) => {
                self.answer_of_client(line, (id, from), actions);
            }
            _ => (),
        }
        Expected::Nothing
    }

    fn request(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        (id, from): (Value<'_>, Sender),
        actions: &mut Actions,
    ) {
        self.audience.joined_by(from.client);
        let mut exchange = self.exchange(frame, from, actions.now.at);
        exchange.key = self.inflight.key(self.scope(&exchange), id);
        let Some((mut exchange, ours)) = self.govern(frame, exchange, actions) else { return };
        if ours.is_empty() {
            return self.ask((line, frame), id, exchange, actions);
        }
        // From here on there is only the call as the server gets it, so that a repeat is the same.
        let line = without(line, &ours);
        let doc = Doc::parse(&line, limits(line.len())).ok();
        let frame = doc.as_ref().and_then(|it| Frame::of(it).ok());
        let Some((frame, id)) = frame.and_then(|it| it.id.map(|id| (it, id))) else {
            let fault = codes::INTERNAL_ERROR.raise([] as [(&str, &str); 0]);
            self.fail(exchange, &Seen::Governed(Box::new(fault)), actions);
            return;
        };
        exchange.request = Request::keep(&frame, exchange.request.take_text());
        self.ask((&line, &frame), id, exchange, actions);
    }

    /// Asks the server, if it is for it and may be asked.
    fn ask(
        &mut self,
        (line, frame): (&[u8], &Frame<'_>),
        id: Value<'_>,
        mut exchange: Box<Exchange>,
        actions: &mut Actions,
    ) {
        if exchange.request.method == Method::ErrorStats && self.answer_stats(&exchange, actions) {
            return self.finish(exchange, Outcome::Ok, actions.now.at);
        }
        if exchange.request.method == Method::Interest
            && self.answer_interest(frame, &exchange, actions)
        {
            return self.finish(exchange, Outcome::Ok, actions.now.at);
        }
        let refusal = self.refusal_of_shared(frame, &exchange);
        let refusal = refusal.map_or_else(|| self.admit(&mut exchange, line.len(), actions), Err);
        if let Err(refusal) = refusal {
            self.fail(exchange, &refusal, actions);
            return;
        }
        actions.is_called |= exchange.request.method == Method::ToolsCall;
        let is_opening = exchange.request.method == Method::Initialize;
        if is_opening && !self.is_shared {
            self.opening.initialize = Some(line.to_vec());
            self.opening.initialized = None;
        }
        let token = exchange.request.token().filter(|_| self.maps_tokens());
        let token = token.and_then(|_| frame.params?.path(&["_meta", "progressToken"]));
        match self.inflight.open(exchange.key, exchange) {
            Some(ours) if is_opening && self.is_shared => self.open_shared(line, ours, actions),
            Some(ours) => self.send(line, (id, token), ours, actions),
            None => (),
        }
    }

    /// Answers what is asked of the gate itself, if it was told to.
    fn answer_stats(&self, exchange: &Exchange, actions: &mut Actions) -> bool {
        let Some(stats) = self.server.error_stats() else { return false };
        let id = exchange.request.id().as_bytes();
        let parts: [&[u8]; 5] =
            [br#"{"jsonrpc":"2.0","id":"#, id, br#","result":"#, stats.as_bytes(), b"}\n"];
        actions.to_client.add_parts(ToClient::Answer(exchange.from.ticket, 200), &parts);
        true
    }

    /// A request, or a message that is judged like one, as it is kept.
    pub(super) fn exchange(
        &mut self,
        frame: &Frame<'_>,
        from: Sender,
        now: Instant,
    ) -> Box<Exchange> {
        let mut spare = self.spare.pop();
        let text = spare.as_mut().map(|it| it.request.take_text()).unwrap_or_default();
        let request = Request::keep(frame, text);
        // A subscription lasts as long as both sides like.
        let is_endless = request.method == Method::Listen;
        let patience = self.server.settings.deadline_of(&request);
        let exchange = Exchange {
            from,
            deadline: (!is_endless).then(|| now + patience),
            request,
            started: now,
            stderr: self.stderr.position(),
            useless: self.useless.count,
            notes: self.notes,
            sent: false,
            key: 0,
            repeats: 0,
            first: None,
            is_in_doubt: false,
            is_admitted: false,
            progress: f64::NEG_INFINITY,
            epoch: self.opening.epoch,
            is_again: false,
            governed: None,
            write: None,
            place: None,
            memory: None,
        };
        match spare {
            Some(mut spare) => {
                *spare = exchange;
                spare
            }
            None => Box::new(exchange),
        }
    }

    /// Within what an id is unique: a client's session, or a single request over HTTP that belongs to none.
    fn scope(&self, exchange: &Exchange) -> (u64, u64) {
        let Sender { client, ticket: Ticket(ticket), .. } = exchange.from;
        let is_alone = exchange.request.is_sessionless && self.client == ClientKind::Http;
        (client, if is_alone { ticket.wrapping_add(1) } else { 0 })
    }

    /// Sends a request under our id, or keeps it. Its token for progress is ours as well, where it has one.
    fn send(
        &mut self,
        line: &[u8],
        (id, token): (Value<'_>, Option<Value<'_>>),
        ours: UpstreamId,
        actions: &mut Actions,
    ) {
        let digits = ours.digits();
        let write = |out: &mut Vec<u8>| match token {
            None => splice(line, span(id), &digits, out),
            Some(token) => {
                let mut edits = [id, token].map(|it| Edit { at: span(it), with: &digits });
                rewrite(line, &mut edits, out);
            }
        };
        if self.is_write(ours) {
            let mut kept = Vec::new();
            write(&mut kept);
            self.wait_for_turn(ours, kept, actions);
        } else if self.is_up() {
            self.learn_before(ours, actions);
            let epoch = self.opening.epoch;
            let Some(exchange) = self.inflight.exchange_mut(ours) else { return };
            (exchange.sent, exchange.epoch) = (true, epoch);
            let to = ToUpstream::Request(ours, exchange.from.ticket);
            actions.to_upstream.add(to, write);
        } else {
            let mut kept = Vec::new();
            write(&mut kept);
            self.hold(Some(ours), kept, actions);
        }
    }

    fn notification(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        from: Sender,
        actions: &mut Actions,
    ) {
        match &*frame.method {
            "notifications/cancelled" => return self.cancelled(line, frame, from, actions),
            // The gate has said so itself, and none of several clients speaks for the others.
            "notifications/initialized"
            | "notifications/roots/list_changed"
            | "notifications/progress"
                if self.is_shared =>
            {
                return;
            }
            "notifications/initialized" => self.opening.initialized = Some(line.to_vec()),
            _ if !self.may_pass(frame) => return,
            _ => self.notes += 1,
        }
        self.forward([line, b"\n"].concat(), from, actions);
    }

    /// The client withdraws a request: the upstream knows it under another id.
    fn cancelled(&mut self, line: &[u8], frame: &Frame<'_>, from: Sender, actions: &mut Actions) {
        let Some(id) = frame.params.and_then(|it| it.get("requestId")) else { return };
        let Some(ours) = self.inflight.find(self.inflight.key((from.client, 0), id)) else {
            return;
        };
        let Some(mut exchange) = self.inflight.withdraw(ours) else { return };
        actions.withdrawn.push(exchange.from.ticket);
        self.linger(ours, &mut exchange, actions.now.at);
        if exchange.is_at_upstream() {
            let spliced = |out: &mut Vec<u8>| splice(line, span(id), &ours.digits(), out);
            actions.to_upstream.add(ToUpstream::Cancel(ours), spliced);
            self.notes += 1;
        }
        self.finish(exchange, Outcome::Cancelled, actions.now.at);
    }

    /// An answer to a request of the upstream, if it still waits for it.
    fn answer_of_client(
        &mut self,
        line: &[u8],
        (id, from): (Value<'_>, Sender),
        actions: &mut Actions,
    ) {
        let asked = id.as_u64().and_then(|it| self.asked_by_upstream.shift_remove(&it));
        if let Some(theirs) = asked {
            let mut answer = Vec::with_capacity(line.len() + theirs.len());
            splice(line, span(id), theirs.as_bytes(), &mut answer);
            self.forward(answer, from, actions);
        }
    }

    /// Passes a line on, line break and all.
    fn forward(&mut self, line: Vec<u8>, from: Sender, actions: &mut Actions) {
        if self.is_up() {
            actions.to_upstream.add_parts(ToUpstream::Of(from.ticket), &[&line]);
        } else if self.held_bytes + line.len() <= self.held_limit() {
            self.hold(None, line, actions);
        }
    }

    /// Keeps a line for the upstream, with the bytes that are reserved for it.
    pub(super) fn hold(&mut self, id: Option<UpstreamId>, line: Vec<u8>, actions: &mut Actions) {
        self.held_bytes += line.len();
        self.held.push(Held { id, line, memory: std::mem::take(&mut actions.queued) });
    }
}
