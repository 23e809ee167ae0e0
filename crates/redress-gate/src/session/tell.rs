//! Telling a failure: which form the client gets, by mode, method and what the upstream sent.

use redress::{Fault, classify::Failure, json::Value};

use super::{
    Session, Turn,
    seen::{Malformed, Seen},
    upstream::Answer as Read,
};
use crate::{
    answer::{ErrorObject, place_in_error, place_in_result},
    exchange::{Exchange, Method, Request},
    frame::{Shape, span, splice},
    inflight::UpstreamId,
    moment::Moment,
    settings::{Mode, ServerText},
    told::{Form, Place, To, Told},
};

impl Session {
    /// A request failed without an answer that could be passed on.
    pub(super) fn fail(&mut self, exchange: Exchange, seen: &Seen<'_>, turn: &mut Turn) {
        let mut fault = self.fault_of(&exchange, seen, turn.now);
        self.stamp(&mut fault, Some(&exchange), turn.now);
        let request = &exchange.request;
        let to = match seen {
            Seen::ClientGone => To::Nobody,
            Seen::Malformed(_) => To::Request(Some(request.id().into())),
            _ => to(request),
        };
        let form = match seen {
            Seen::NoMessage { line, id, .. } if self.settings.mode == Mode::Observe => {
                Form::AsItIs(readdressed(line, *id, request.id()))
            }
            _ => self.made(request),
        };
        self.push(fault, to, form, turn);
        self.recycle(exchange);
    }

    /// A line of the client that is no request.
    pub(super) fn fail_line(&mut self, id: Option<Box<str>>, why: &Malformed, turn: &mut Turn) {
        let mut fault = self.malformed(why);
        self.stamp(&mut fault, None, turn.now);
        self.push(fault, To::Request(id), Form::Made { has_output_schema: true }, turn);
    }

    /// An answer of the upstream is a failure.
    pub(super) fn tell(
        &mut self,
        exchange: Exchange,
        answer: &Read<'_, '_>,
        failure: Failure,
        turn: &mut Turn,
    ) {
        let form = self.form(&exchange, answer, &failure);
        let mut fault = failure.fault;
        self.stamp(&mut fault, Some(&exchange), turn.now);
        self.push(fault, to(&exchange.request), form, turn);
        self.recycle(exchange);
    }

    /// Something that nobody waits for is recorded.
    pub(super) fn tell_nobody(&mut self, mut fault: Fault, turn: &mut Turn) {
        self.stamp(&mut fault, None, turn.now);
        self.push(fault, To::Nobody, Form::Made { has_output_schema: true }, turn);
    }

    /// Withdraws a request from the upstream, which may still be at it.
    pub(super) fn cancel_upstream(
        &self,
        id: UpstreamId,
        exchange: &Exchange,
        reason: &str,
        turn: &mut Turn,
    ) {
        if !exchange.sent || exchange.request.method == Method::Initialize || !self.is_up() {
            return;
        }
        let parts: [&[u8]; 5] = [
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#,
            &id.digits(),
            br#","reason":""#,
            reason.as_bytes(),
            b"\"}}\n",
        ];
        turn.to_upstream.extend(parts.concat());
    }

    /// The process that asked is gone: the client need not answer.
    pub(super) fn withdraw_upstream_requests(&mut self, turn: &mut Turn) {
        for (_, id) in std::mem::take(&mut self.asked_by_upstream) {
            let parts: [&[u8]; 3] = [
                br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#,
                id.as_bytes(),
                b",\"reason\":\"the server process ended\"}}\n",
            ];
            turn.to_client.extend(parts.concat());
        }
    }

    /// Which form an answer gets that is a failure.
    fn form(&self, exchange: &Exchange, answer: &Read<'_, '_>, failure: &Failure) -> Form {
        let request = &exchange.request;
        let line = |place: Option<Place>| with_place(answer, request.id(), place);
        let Some(payload) = answer.frame.payload else { return self.made(request) };
        let is_call = request.method == Method::ToolsCall;
        match (self.settings.mode, answer.frame.shape) {
            (Mode::Observe, _) => line(None),
            (Mode::Enforce, Shape::Result) if is_call && failure.certain => self.made(request),
            (_, Shape::Result) => line(place_in_result(payload)),
            (Mode::Enforce, _) if self.is_rewritten(request, payload) => self.made(request),
            _ => line(place_in_error(payload)),
        }
    }

    /// Whether an error of the upstream becomes something else.
    fn is_rewritten(&self, request: &Request, error: Value<'_>) -> bool {
        let error = ErrorObject::of(error);
        if request.method != Method::ToolsCall {
            return matches!(error, ErrorObject::Broken(_));
        }
        let is_unlisted = match (request.tool(), self.tools.all()) {
            (Some(tool), Some(all)) => !all.iter().any(|it| it == tool),
            _ => false,
        };
        !error.stays(request.tool().is_some(), is_unlisted)
    }

    /// What the gate itself makes of a failure.
    fn made(&self, request: &Request) -> Form {
        let tool = request.tool().and_then(|it| self.tools.get(it));
        // Of a tool that nobody knows it is not known either whether its results have a schema.
        Form::Made { has_output_schema: tool.is_none_or(|it| it.has_output_schema) }
    }

    /// Adds what only the boundary knows, and takes out what nobody may see.
    fn stamp(&self, fault: &mut Fault, exchange: Option<&Exchange>, now: Moment) {
        fault.timestamp = Some(now.wall.to_string());
        fault.context.server = Some(self.settings.server.clone());
        if let Some(exchange) = exchange {
            let request = &exchange.request;
            fault.context.tool = request.tool().map(str::to_owned);
            fault.context.request_id = Some(request.id().trim_matches('"').to_owned());
            fault.elapsed_ms = Some(now.since(exchange.started));
        }
        let redactor = &self.settings.redactor;
        fault.server_text = match (self.settings.server_text, fault.server_text.take()) {
            (ServerText::Quote, Some(text)) => Some(redactor.text(&text)),
            _ => None,
        };
        fault.details = fault.details.take().map(|it| redactor.json(&it));
    }

    fn push(&self, fault: Fault, to: To, form: Form, turn: &mut Turn) {
        turn.told.push(Told::new(fault, to, form, self.settings.dialect));
    }
}

/// Who waits for the answer to a request.
fn to(request: &Request) -> To {
    match request.method {
        Method::ToolsCall => To::Call(request.id().into()),
        _ => To::Request(Some(request.id().into())),
    }
}

/// A line of the upstream under the client's id, with a place for the envelope if it has one.
fn with_place(answer: &Read<'_, '_>, id: &str, place: Option<Place>) -> Form {
    let mut line = Vec::new();
    let at = span(answer.id);
    splice(answer.line, at.clone(), id.as_bytes(), &mut line);
    let Some(mut place) = place else { return Form::AsItIs(line) };
    if at.start < place.at.start {
        let moved = |it: usize| it + id.len() - at.len();
        place.at = moved(place.at.start)..moved(place.at.end);
    }
    Form::With(line, place)
}

/// A line that is no message, with our id in it replaced by the client's.
fn readdressed(line: &[u8], ours: UpstreamId, id: &str) -> Vec<u8> {
    let mut out = Vec::new();
    match memchr::memmem::find(line, &ours.digits()) {
        Some(at) => splice(line, at..at + ours.digits().len(), id.as_bytes(), &mut out),
        None => out.extend_from_slice(line),
    }
    out
}
