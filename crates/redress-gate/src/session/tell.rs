//! Telling a failure: which form the client gets, by mode, method and what the upstream sent.

use redress::{
    Fault,
    classify::Failure,
    fault::NextAction,
    json::{RawJson, Value},
    tokens::DEFAULT_DETAILS_BYTES,
};
use redress_registry::Class;

use super::{
    Session, Turn,
    seen::{Malformed, Seen, with_detail},
    upstream::Answer as Read,
};
use crate::{
    answer::{ErrorObject, place_in_error, place_in_result},
    exchange::{Exchange, Method, Request},
    frame::{Shape, span, splice},
    inflight::UpstreamId,
    known::{Known, Occurrence, Shared},
    mail::{Ticket, ToClient, ToUpstream},
    metrics::{Event, Outcome},
    moment::Moment,
    retry::Ground,
    settings::{Mode, ServerText},
    told::{Form, Place, To, Told, Who},
};

/// How an answer that is a failure is dressed; the same for the same failure of the same tool.
#[derive(Debug, Clone)]
pub(super) enum Dress {
    /// By an answer of our own.
    Made,
    /// With an envelope in the server's own line, at a place that counts from the start of its payload.
    With(Place),
    /// Not at all.
    AsItIs,
}

/// What an answer was judged to be.
#[derive(Debug, Clone)]
pub(super) enum Judged {
    /// No failure.
    Fine,
    /// A failure.
    Failed(Failed),
}

/// A failure, ready to be told.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    known: Shared,
    /// How it is dressed.
    dress: Dress,
    /// What its effect is known by; nothing is, as long as it is in doubt whether it is a failure.
    ground: Option<Ground>,
    is_silent: bool,
}

impl Session {
    /// A request failed without an answer that could be passed on.
    /// Gives the class of the failure.
    pub(super) fn fail(&mut self, exchange: Exchange, seen: &Seen<'_>, turn: &mut Turn) -> Class {
        let mut fault = self.fault_of(&exchange, seen, turn.now);
        let class = fault.class;
        let Some(exchange) = self.again_unless_told(exchange, &fault, seen, turn) else {
            return class;
        };
        if exchange.repeats > 0 {
            fault.details = with_attempts(fault.details.take(), &exchange);
        }
        let request = &exchange.request;
        let to = match seen {
            Seen::ClientGone => To::nobody(),
            Seen::Malformed(_) => {
                To { who: Who::Request(Some(request.id().into())), ticket: exchange.from.ticket }
            }
            _ => to(&exchange),
        };
        let form = match seen {
            Seen::NoMessage { line, id, .. } if self.server.settings.mode == Mode::Observe => {
                Form::AsItIs(readdressed(line, *id, request.id()))
            }
            _ => Form::Made,
        };
        let known = self.known(fault, request.tool());
        let outcome = outcome(&exchange, seen);
        if outcome == Outcome::Refused {
            self.server.metrics.refused(&known.fault);
        }
        self.push(known, occurrence(Some(&exchange), turn.now), (to, form), turn);
        self.finish(exchange, outcome, turn.now.at);
        class
    }

    /// A call that the upstream did not answer is made again, if that may be; else it is given back.
    fn again_unless_told(
        &mut self,
        exchange: Exchange,
        fault: &Fault,
        seen: &Seen<'_>,
        turn: &mut Turn,
    ) -> Option<Exchange> {
        if !seen.is_out_of_reach() {
            return Some(exchange);
        }
        let ground = if exchange.sent { Ground::Guessed } else { Ground::NotSent };
        self.again(exchange, fault, ground, turn)
    }

    /// A line of the client that is no request.
    pub(super) fn fail_line(
        &mut self,
        id: Option<Box<str>>,
        why: &Malformed,
        ticket: Ticket,
        turn: &mut Turn,
    ) {
        let known = self.known(self.malformed(why), None);
        let to = To { who: Who::Request(id), ticket };
        self.push(known, occurrence(None, turn.now), (to, Form::Made), turn);
    }

    /// Something that nobody waits for is recorded.
    pub(super) fn tell_nobody(&mut self, fault: Fault, turn: &mut Turn) {
        let known = self.known(fault, None);
        self.push(known, occurrence(None, turn.now), (To::nobody(), Form::Made), turn);
    }

    /// An answer of the upstream is a failure, or was judged to be none after all.
    pub(super) fn tell(
        &mut self,
        exchange: Exchange,
        answer: &Read<'_, '_>,
        judged: Judged,
        turn: &mut Turn,
    ) {
        let Judged::Failed(Failed { known, dress, ground, is_silent }) = judged else {
            return self.pass_answer(exchange, answer, turn);
        };
        if is_silent {
            self.server.metrics.happened(Event::Silent);
        }
        let exchange = match ground {
            None => Some(exchange),
            Some(ground) => self.again(exchange, &known.fault, ground, turn),
        };
        let Some(exchange) = exchange else { return };
        let known = known_of_repeat(known, &exchange);
        let form = put_on(dress, answer, exchange.request.id());
        let to = to(&exchange);
        self.push(known, occurrence(Some(&exchange), turn.now), (to, form), turn);
        self.finish(exchange, Outcome::Fault, turn.now.at);
    }

    /// A failure, ready to be told.
    pub(super) fn judged(
        &self,
        exchange: &Exchange,
        answer: &Read<'_, '_>,
        failure: Option<Box<Failure>>,
    ) -> Judged {
        let Some(failure) = failure else { return Judged::Fine };
        let dress = self.dress(exchange, answer, &failure);
        let is_stated = ["dialect.", "contract."].iter().any(|it| failure.rule.starts_with(it));
        let ground = if is_stated { Ground::Stated } else { Ground::Guessed };
        Judged::Failed(Failed {
            ground: failure.certain.then_some(ground),
            is_silent: failure.silent,
            known: self.known(failure.fault, exchange.request.tool()),
            dress,
        })
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
        turn.to_upstream.add_parts(ToUpstream::Cancel(id), &parts);
    }

    /// The process that asked is gone: the client need not answer.
    pub(super) fn withdraw_upstream_requests(&mut self, turn: &mut Turn) {
        for (_, id) in std::mem::take(&mut self.asked_by_upstream) {
            let parts: [&[u8]; 3] = [
                br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#,
                id.as_bytes(),
                b",\"reason\":\"the server process ended\"}}\n",
            ];
            turn.to_client.add_parts(ToClient::Any, &parts);
        }
    }

    /// How an answer that is a failure is dressed.
    fn dress(&self, exchange: &Exchange, answer: &Read<'_, '_>, failure: &Failure) -> Dress {
        let request = &exchange.request;
        let Some(payload) = answer.frame.payload else { return Dress::Made };
        let with = |place: Option<Place>| {
            let start = payload.offset();
            place.map_or(Dress::AsItIs, |it| {
                Dress::With(Place { at: it.at.start - start..it.at.end - start, ..it })
            })
        };
        let is_call = request.method == Method::ToolsCall;
        match (self.server.settings.mode, answer.frame.shape) {
            (Mode::Observe, _) => Dress::AsItIs,
            (Mode::Enforce, Shape::Result) if is_call && failure.certain => Dress::Made,
            (_, Shape::Result) => with(place_in_result(payload)),
            (Mode::Enforce, _) if self.is_rewritten(request, payload) => Dress::Made,
            _ => with(place_in_error(payload)),
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

    /// Adds what is known of every occurrence, and takes out what nobody may see.
    fn known(&self, mut fault: Fault, tool: Option<&str>) -> Shared {
        fault.context.server = Some(self.server.settings.server.clone());
        fault.context.tool = tool.map(str::to_owned);
        let redactor = &self.server.settings.redactor;
        fault.server_text = match (self.server.settings.server_text, fault.server_text.take()) {
            (ServerText::Quote, Some(text)) => Some(redactor.text(&text)),
            _ => None,
        };
        fault.details = fault.details.take().map(|it| redactor.json(&it));
        // A step that the server does not offer leads nowhere.
        if let Some(all) = self.tools.all() {
            fault.next_actions.retain(|it| match it {
                NextAction::Call { tool, .. } => all.contains(tool),
                NextAction::Text(_) => true,
            });
        }
        fault.bound(DEFAULT_DETAILS_BYTES);
        // Of a tool that nobody knows it is not known either whether its results have a schema.
        let tool = tool.and_then(|it| self.tools.get(it));
        Shared::new(Known::new(fault, tool.is_none_or(|it| it.has_output_schema)))
    }

    fn push(&self, known: Shared, this: Occurrence, (to, form): (To, Form), turn: &mut Turn) {
        let is_again = Shared::strong_count(&known) > 1;
        let dialect = self.server.settings.dialect;
        self.server.metrics.failed(&known.fault);
        turn.told.push(Told { known, this, to, form, dialect, is_again });
    }
}

/// How a request ended that failed without an answer.
const fn outcome(exchange: &Exchange, seen: &Seen<'_>) -> Outcome {
    match seen {
        Seen::ClientGone => Outcome::Cancelled,
        _ if seen.is_refusal() && !exchange.is_admitted => Outcome::Refused,
        Seen::Closing if !exchange.is_admitted => Outcome::Refused,
        _ => Outcome::Fault,
    }
}

/// A failure that says how often the call was made, if that was more than once.
fn known_of_repeat(known: Shared, exchange: &Exchange) -> Shared {
    if exchange.repeats == 0 {
        return known;
    }
    let mut fault = known.fault.clone();
    fault.details = with_attempts(fault.details.take(), exchange);
    Shared::new(Known::new(fault, known.has_output_schema))
}

/// Details that say how often a call was made.
fn with_attempts(details: Option<RawJson>, exchange: &Exchange) -> Option<RawJson> {
    let attempts = RawJson::parse((exchange.repeats + 1).to_string().as_bytes()).ok();
    with_detail(details, "attempts", attempts)
}

/// What is special about this time.
fn occurrence(exchange: Option<&Exchange>, now: Moment) -> Occurrence {
    let request_id = exchange.map(|it| match it.request.id() {
        text if text.starts_with('"') => RawJson::parse(text.as_bytes())
            .map_or_else(|_| text.to_owned(), |it| it.text().into_owned()),
        number => number.to_owned(),
    });
    let elapsed_ms = exchange.map(|it| now.since(it.started));
    Occurrence { request_id, timestamp: now.wall.to_string(), elapsed_ms }
}

/// Who waits for the answer to a request.
fn to(exchange: &Exchange) -> To {
    let id = exchange.request.id().into();
    let who = match exchange.request.method {
        Method::ToolsCall => Who::Call(id),
        _ => Who::Request(Some(id)),
    };
    To { who, ticket: exchange.from.ticket }
}

/// The line of an answer under the client's id, dressed.
fn put_on(dress: Dress, answer: &Read<'_, '_>, id: &str) -> Form {
    let line = || {
        let mut line = Vec::new();
        splice(answer.line, span(answer.id), id.as_bytes(), &mut line);
        line
    };
    match dress {
        Dress::Made => Form::Made,
        Dress::AsItIs => Form::AsItIs(line()),
        Dress::With(mut place) => {
            let ours = span(answer.id);
            let mut start = answer.frame.payload.map_or(0, Value::offset);
            if ours.start < start {
                start = start + id.len() - ours.len();
            }
            place.at = place.at.start + start..place.at.end + start;
            Form::With(line(), place)
        }
    }
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
