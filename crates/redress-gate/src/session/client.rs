//! The client's side of a session: requests go on under our ids, what is no message is refused.

use redress::json::{Doc, Kind, Value};

use super::{Expected, Held, Session, Turn};
use crate::{
    exchange::{Exchange, Method, Request},
    frame::{Frame, NotAFrame, Shape, Unreadable, limits, span, splice},
    inflight::UpstreamId,
    mail::{Sender, ToClient, ToUpstream},
    metrics::Outcome,
    peek,
    session::seen::Malformed,
};

impl Session {
    /// A line of a client, without its line break.
    pub fn client_line(&mut self, line: &[u8], from: Sender, turn: &mut Turn) -> Expected {
        let limits = limits(self.server.settings.max_message);
        let doc = match Doc::parse_with(line, limits, std::mem::take(&mut self.scratch)) {
            Ok(doc) => doc,
            Err(_) if line.trim_ascii().is_empty() => return Expected::Nothing,
            Err(error) => {
                let why = Malformed::Unreadable(Unreadable::Json(error));
                self.fail_line(None, &why, from.ticket, turn);
                return Expected::Answer;
            }
        };
        let expected = match Frame::of(&doc) {
            Ok(frame) => self.client_frame(line, &frame, from, turn),
            Err(error) => {
                let id = if error == NotAFrame::BadId { None } else { only_id(doc.root()) };
                let why = Malformed::Unreadable(Unreadable::Frame(error));
                self.fail_line(id, &why, from.ticket, turn);
                Expected::Answer
            }
        };
        self.scratch = doc.into_scratch();
        expected
    }

    /// The start of a line of the client that is too long.
    pub fn client_long(&mut self, head: &[u8], from: Sender, turn: &mut Turn) {
        let id = peek::id_in_head(head);
        self.is_client_long_answered = id.is_some();
        if id.is_some() {
            self.fail_line(id, &Malformed::TooLong { bytes: None }, from.ticket, turn);
        }
    }

    /// The end of a line of the client that is too long.
    pub fn client_long_end(&mut self, tail: &[u8], bytes: u64, from: Sender, turn: &mut Turn) {
        if !self.is_client_long_answered {
            let id = peek::id_in_tail(tail);
            let why = Malformed::TooLong { bytes: Some(bytes) };
            self.fail_line(id, &why, from.ticket, turn);
        }
    }

    fn client_frame(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        from: Sender,
        turn: &mut Turn,
    ) -> Expected {
        match (frame.shape, frame.id) {
            (Shape::Request, Some(id)) => {
                self.request(line, frame, (id, from), turn);
                return Expected::Answer;
            }
            (Shape::Notification, _) => self.notification(line, frame, from, turn),
            (Shape::Result | Shape::Error, Some(id)) => self.answer_of_client(line, id, turn),
            _ => (),
        }
        Expected::Nothing
    }

    fn request(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        (id, from): (Value<'_>, Sender),
        turn: &mut Turn,
    ) {
        let key = self.inflight.key(from.client, id);
        let request = Request::keep(line, frame, self.spare());
        let mut exchange = Exchange {
            from,
            request,
            started: turn.now.at,
            deadline: turn.now.at + self.server.settings.deadline,
            stderr: self.stderr.position(),
            sent: false,
            key,
            repeats: 0,
            is_in_doubt: false,
            is_admitted: false,
        };
        if exchange.request.method == Method::ErrorStats && self.answer_stats(&exchange, turn) {
            return self.finish(exchange, Outcome::Ok, turn.now.at);
        }
        if let Err(refusal) = self.admit(&mut exchange, line.len(), turn) {
            self.fail(exchange, &refusal, turn);
            return;
        }
        if exchange.request.method == Method::Initialize {
            self.opening.initialize = Some(line.to_vec());
            self.opening.initialized = None;
        }
        if let Some(ours) = self.inflight.open(key, exchange) {
            self.send(line, span(id), ours, turn);
        }
    }

    /// Answers what is asked of the gate itself, if it was told to.
    fn answer_stats(&self, exchange: &Exchange, turn: &mut Turn) -> bool {
        let Some(stats) = self.server.error_stats() else { return false };
        let id = exchange.request.id().as_bytes();
        let parts: [&[u8]; 5] =
            [br#"{"jsonrpc":"2.0","id":"#, id, br#","result":"#, stats.as_bytes(), b"}\n"];
        turn.to_client.add_parts(ToClient::Answer(exchange.from.ticket, 200), &parts);
        true
    }

    pub(super) fn send(
        &mut self,
        line: &[u8],
        id: std::ops::Range<usize>,
        ours: UpstreamId,
        turn: &mut Turn,
    ) {
        if self.is_up() {
            let Some(exchange) = self.inflight.exchange_mut(ours) else { return };
            exchange.sent = true;
            let to = ToUpstream::Request(ours, exchange.from.ticket);
            turn.to_upstream.add(to, |out| splice(line, id, &ours.digits(), out));
        } else {
            let mut kept = Vec::new();
            splice(line, id, &ours.digits(), &mut kept);
            self.hold(Some(ours), kept);
        }
    }

    fn notification(&mut self, line: &[u8], frame: &Frame<'_>, from: Sender, turn: &mut Turn) {
        match &*frame.method {
            "notifications/cancelled" => return self.cancelled(line, frame, from, turn),
            "notifications/initialized" => self.opening.initialized = Some(line.to_vec()),
            _ => (),
        }
        self.forward(line, turn);
    }

    /// The client withdraws a request: the upstream knows it under another id.
    fn cancelled(&mut self, line: &[u8], frame: &Frame<'_>, from: Sender, turn: &mut Turn) {
        let Some(id) = frame.params.and_then(|it| it.get("requestId")) else { return };
        let Some(ours) = self.inflight.find(self.inflight.key(from.client, id)) else { return };
        let Some(exchange) = self.inflight.withdraw(ours) else { return };
        if exchange.sent {
            let spliced = |out: &mut Vec<u8>| splice(line, span(id), &ours.digits(), out);
            turn.to_upstream.add(ToUpstream::Cancel(ours), spliced);
        }
        self.finish(exchange, Outcome::Cancelled, turn.now.at);
    }

    /// An answer to a request of the upstream, if it still waits for it.
    fn answer_of_client(&mut self, line: &[u8], id: Value<'_>, turn: &mut Turn) {
        let key = self.inflight.key(0, id);
        if self.asked_by_upstream.swap_remove(&key).is_some() {
            self.forward(line, turn);
        }
    }

    /// Passes a line on as it is.
    fn forward(&mut self, line: &[u8], turn: &mut Turn) {
        if self.is_up() {
            turn.to_upstream.add_parts(ToUpstream::Other, &[line, b"\n"]);
        } else if self.held_bytes + line.len() <= self.held_limit() {
            self.hold(None, [line, b"\n"].concat());
        }
    }

    fn hold(&mut self, id: Option<UpstreamId>, line: Vec<u8>) {
        self.held_bytes += line.len();
        self.held.push(Held { id, line });
    }
}

/// The id of something that is no message, if there is no doubt about it.
fn only_id(root: Value<'_>) -> Option<Box<str>> {
    let mut ids = root.members().filter(|(key, _)| key.is_str("id"));
    let (id, second) = (ids.next()?.1, ids.next());
    let is_id = matches!(id.kind(), Kind::String | Kind::Number) && second.is_none();
    is_id.then(|| id.raw().into())
}
