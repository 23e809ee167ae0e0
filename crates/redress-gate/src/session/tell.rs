//! Telling a failure: which form the client gets, by mode, method and what the upstream sent.

use std::sync::Arc;

use redress::{
    Fault, OwnEnvelope, classify::Failure, emit::emit, fault::NextAction, json::RawJson,
    recover::Ground,
};
use redress_registry::{Class, Effect};

use super::{
    Actions, ClientKind, FailureScope, HttpFailure, Session,
    again::{tell_attempts, with_attempts},
    head::kept,
    rewrite::{Rewrite, own_meta},
    said::Said,
    seen::Seen,
    upstream::Answer as Read,
};
use crate::{
    caller::Peer,
    exchange::{Exchange, Method},
    fault_template::{FaultStamp, FaultTemplate, ResponseExtras},
    frame::{Malformed, Shape, splice},
    inflight::UpstreamId,
    metrics::{Event, Outcome},
    moment::Moment,
    outgoing::Sender,
    pending_fault::{PendingFault, Recipient, ReplyBody, ReplyTo},
    settings::Mode,
};

/// The class of a failure that could not be recorded.
const UNRECORDED: Class = Class::Internal;

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
    template: Arc<FaultTemplate>,
    /// How it is dressed.
    rewrite: Rewrite,
    /// What its effect is known by; nothing is, as long as it is in doubt whether it is a failure.
    ground: Option<Ground>,
    is_silent: bool,
}

impl Session {
    /// A request failed without an answer that could be passed on.
    /// Gives the class of the failure's row.
    pub(super) fn fail(
        &mut self,
        exchange: Box<Exchange>,
        seen: &Seen<'_>,
        actions: &mut Actions,
    ) -> Class {
        let mut fault = self.fault_of(&exchange, seen, actions.now);
        // The row's: a program that is missing makes the server unavailable to the client, and no pause mends it.
        let class = fault.entry().class;
        let Some(exchange) = self.again_unless_told(exchange, &fault, seen, actions) else {
            return class;
        };
        if exchange.is_write_in_doubt() && matches!(fault.effect, Effect::None | Effect::Done) {
            fault.may_have_changed_something();
        }
        if exchange.repeats > 0 {
            tell_attempts(&mut fault, &exchange);
        }
        let request = &exchange.request;
        if let Some(tool) = request.tool().filter(|_| exchange.sent) {
            self.tools.want(tool);
        }
        let said = match seen {
            Seen::NoMessage { line, id, is_alone: true, .. }
                if self.server.settings.mode == Mode::Observe =>
            {
                readdressed(line, *id, request.id())
            }
            _ => None,
        };
        let form = said.map_or(ReplyBody::Made, ReplyBody::AsItIs);
        let to = self.to(&exchange, seen, &fault);
        let template = self.template(fault, (self.tool_of(request), None));
        let outcome = outcome(&exchange, seen);
        if outcome == Outcome::Refused {
            self.server.metrics.refused(&template.fault);
        }
        self.push(template, self.stamp(Some(&exchange), actions.now), (to, form), actions);
        if let Some(pending) = actions.faults.last_mut() {
            pending.peer = exchange.from.peer;
            // What a governor refuses stands in the ledger, each time.
            pending.is_refusal = outcome == Outcome::Refused && exchange.governed.is_none();
        }
        self.finish(exchange, outcome, actions.now.at);
        class
    }

    /// What is special about a failure of a request, or of none.
    pub(super) fn stamp(&self, exchange: Option<&Exchange>, now: Moment) -> FaultStamp {
        let request_id = exchange.map(|it| match it.request.id() {
            text if text.starts_with('"') => RawJson::parse(text.as_bytes())
                .map_or_else(|_| text.to_owned(), |it| it.text().into_owned()),
            number => number.to_owned(),
        });
        let elapsed_ms = exchange.map(|it| now.since(it.started));
        let of_session = exchange.filter(|it| !it.request.is_sessionless);
        let session = of_session.and_then(|it| self.session_of(it.from));
        let governed = exchange.and_then(|it| it.governed.clone());
        FaultStamp { request_id, timestamp: now.wall.to_string(), elapsed_ms, session, governed }
    }

    /// What records call the session of a sender, if it has one. Governed sessions have names of their own.
    fn session_of(&self, from: Sender) -> Option<String> {
        let has_name = from.has_session() && !self.server.is_governed();
        has_name.then(|| self.server.session_name(from.client))
    }

    /// A line of the client that is no request.
    pub(super) fn fail_line(
        &mut self,
        id: Option<Box<str>>,
        why: Malformed,
        from: Sender,
        actions: &mut Actions,
    ) {
        let template = self.template(self.malformed(why), (None, None));
        self.server.metrics.turned_away(&template.fault);
        // Whatever it was meant to be, it was no request of any revision.
        let status = if self.client == ClientKind::Http { 400 } else { 200 };
        let to = ReplyTo { status, ..ReplyTo::new(Recipient::Request(id), from.ticket) };
        let session = self.session_of(from);
        let stamp = FaultStamp { session, ..self.stamp(None, actions.now) };
        self.push(template, stamp, (to, ReplyBody::Made), actions);
        if let Some(pending) = actions.faults.last_mut() {
            (pending.peer, pending.is_refusal) = (from.peer, true);
        }
    }

    /// Something that nobody waits for is recorded.
    pub(super) fn tell_nobody(&mut self, fault: Fault, actions: &mut Actions) {
        let template = self.template(fault, (None, None));
        self.push(
            template,
            self.stamp(None, actions.now),
            (ReplyTo::nobody(), ReplyBody::Made),
            actions,
        );
    }

    /// Something that is no failure of a call is recorded, and does not count as one.
    pub(super) fn record_only(&self, fault: Fault, actions: &mut Actions) {
        let template = self.template(fault, (None, None));
        let (stamp, dialect) = (self.stamp(None, actions.now), self.server.settings.dialect);
        let (to, form) = (ReplyTo::nobody(), ReplyBody::Made);
        actions.faults.push(PendingFault {
            template,
            stamp,
            to,
            form,
            dialect,
            is_again: false,
            peer: Peer::default(),
            is_refusal: false,
            memory: None,
        });
    }

    /// An answer of the upstream is a failure, or was judged to be none after all.
    pub(super) fn tell(
        &mut self,
        exchange: Box<Exchange>,
        answer: &Read<'_, '_>,
        judged: Judged,
        actions: &mut Actions,
    ) {
        let Judged::Failed(Failed { template, rewrite, ground, is_silent }) = judged else {
            return self.pass_answer(exchange, answer, actions);
        };
        let exchange = match ground {
            Some(ground) if !exchange.is_put_back() => {
                self.again(exchange, &template.fault, ground, actions)
            }
            _ => Some(exchange),
        };
        let Some(exchange) = exchange else { return };
        let is_taken_for_success = is_silent && !matches!(rewrite, Rewrite::Made);
        let Some(mut exchange) = self.unless_put_back(exchange, answer, is_taken_for_success)
        else {
            return;
        };
        if is_silent {
            self.server.metrics.happened(Event::Silent);
        }
        let template = with_attempts(template, &exchange, &self.server.settings.emission());
        let template = self.with_write(template, &exchange);
        let to = self.to_asker(&exchange, answer, &rewrite, template.fault.class);
        let form = rewrite.apply(answer, exchange.request.id(), self.server.settings.mode);
        self.push(template, self.stamp(Some(&exchange), actions.now), (to, form), actions);
        if let Some(pending) = actions.faults.last_mut() {
            (pending.peer, pending.memory) = (exchange.from.peer, exchange.memory.take());
        }
        self.finish(exchange, Outcome::Fault, actions.now.at);
    }

    /// A failure, ready to be told.
    pub(super) fn judged(
        &self,
        exchange: &Exchange,
        answer: &Read<'_, '_>,
        failure: Option<Box<Failure>>,
    ) -> Judged {
        let Some(failure) = failure else { return Judged::Fine };
        let (request, meta) = (&exchange.request, own_meta(&exchange.request, answer));
        let said = self.said(answer);
        let rewrite = self.rewrite(request, answer, &failure);
        let is_stated = ["dialect.", "contract."].iter().any(|it| failure.rule.starts_with(it));
        // What calls itself a success may have been one.
        let ground = if is_stated && !failure.silent { Ground::Stated } else { Ground::Guessed };
        // What a task ended with stays what it is, however often one asks.
        let is_of_task = matches!(request.method, Method::TaskState | Method::TaskResult)
            && answer.frame.shape == Shape::Result;
        Judged::Failed(Failed {
            ground: (failure.certain && !is_of_task).then_some(ground),
            is_silent: failure.silent,
            template: self.template_of(failure.fault, self.tool_of(request), (meta, said)),
            rewrite,
        })
    }

    /// Who waits for an answer that is made because of what was seen, and what stands above it.
    fn to(&self, exchange: &Exchange, seen: &Seen<'_>, fault: &Fault) -> ReplyTo {
        let (request, ticket) = (&exchange.request, exchange.from.ticket);
        let id = request.id().into();
        let kept = match *seen {
            Seen::ClientGone => return ReplyTo::nobody(),
            Seen::HttpFailed(HttpFailure::Status { status, www_authenticate, about, .. })
                if self.client == ClientKind::Http =>
            {
                let kept = kept(*status, *about == FailureScope::Session && self.is_over());
                let redactor = &self.server.settings.redactor;
                let asks = www_authenticate.map(|it| redactor.known(it).into());
                kept.map(|it| (it, asks))
            }
            _ => None,
        };
        let is_result = request.method == Method::ToolsCall
            && !matches!(seen, Seen::Malformed(_))
            && kept.is_none();
        let who = if is_result { Recipient::Call(id) } else { Recipient::Request(Some(id)) };
        let (status, www_authenticate) =
            kept.unwrap_or_else(|| (self.status_of_made(request, is_result, fault.class), None));
        let unrecorded = self.status_of_made(request, is_result, UNRECORDED);
        ReplyTo { status, unrecorded, www_authenticate, ..ReplyTo::new(who, ticket) }
    }

    /// Who waits for an answer that the upstream gave, and what stands above it.
    fn to_asker(
        &self,
        exchange: &Exchange,
        answer: &Read<'_, '_>,
        rewrite: &Rewrite,
        class: Class,
    ) -> ReplyTo {
        let request = &exchange.request;
        let is_result = request.method == Method::ToolsCall || answer.frame.shape == Shape::Result;
        let id = request.id().into();
        let who = if is_result { Recipient::Call(id) } else { Recipient::Request(Some(id)) };
        let status = match rewrite {
            Rewrite::Made => self.status_of_made(request, is_result, class),
            _ => self.status_of_passed(request, answer),
        };
        let unrecorded = self.status_of_made(request, is_result, UNRECORDED);
        ReplyTo { status, unrecorded, ..ReplyTo::new(who, exchange.from.ticket) }
    }

    /// Adds what is known of every occurrence, and makes it ready to be told.
    pub(super) fn template(
        &self,
        fault: Fault,
        (tool, meta): (Option<&str>, Option<RawJson>),
    ) -> Arc<FaultTemplate> {
        self.template_of(fault, tool, (meta, None))
    }

    fn template_of(
        &self,
        mut fault: Fault,
        tool: Option<&str>,
        (meta, said): (Option<RawJson>, Option<Said>),
    ) -> Arc<FaultTemplate> {
        fault.context.server = Some(self.server.settings.server.clone());
        fault.context.tool = tool.map(str::to_owned);
        self.take_contract_hint(&mut fault);
        let meta = meta.map(|it| self.server.settings.redactor.json(&it));
        // A step of a row that the server does not offer leads nowhere; what a trusted server names itself is its business.
        if !fault.private.own.as_ref().is_some_and(OwnEnvelope::has_next_actions) {
            fault.next_actions.retain(|it| match it {
                NextAction::Call { tool, .. } => self.may_have(tool),
                NextAction::Text(_) => true,
            });
        }
        let fault = emit(fault, &self.server.settings.emission());
        // Of a tool that nobody knows it is not known either whether its results have a schema.
        let tool = tool.and_then(|it| self.tools.get(it));
        let has_output_schema = tool.is_none_or(|it| it.has_output_schema);
        let said = said.and_then(|it| it.below(&fault));
        Arc::new(FaultTemplate::new(fault, ResponseExtras { has_output_schema, meta, said }))
    }

    /// Gives a fault of core the hint that the server's contract has for it, under its name or under the client's word for it.
    fn take_contract_hint(&self, fault: &mut Fault) {
        let settings = &self.server.settings;
        let row = fault.entry();
        if row.registry == settings.contract.name || !fault.has_row_hint() {
            return;
        }
        let own = settings.contract.get(fault.code()).or_else(|| {
            let word = settings.dialect.word_for(row)?;
            settings.contract.own().find(|it| settings.dialect.word_for(it).as_ref() == Some(&word))
        });
        if let Some(own) = own {
            fault.hint.clone_from(&own.hint);
        }
    }

    pub(super) fn push(
        &self,
        template: Arc<FaultTemplate>,
        stamp: FaultStamp,
        (to, form): (ReplyTo, ReplyBody),
        actions: &mut Actions,
    ) {
        let is_again = Arc::strong_count(&template) > 1;
        let dialect = self.server.settings.dialect;
        self.server.metrics.failed(&template.fault);
        actions.faults.push(PendingFault {
            template,
            stamp,
            to,
            form,
            dialect,
            is_again,
            peer: Peer::default(),
            is_refusal: false,
            memory: None,
        });
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

/// A line that is no message, with our id in it replaced by the client's. A page of many lines, or one that names no
/// request, is nothing that a client could read as an answer.
fn readdressed(line: &[u8], ours: UpstreamId, id: &str) -> Option<Vec<u8>> {
    let at = memchr::memmem::find(line, &ours.digits())?;
    if memchr::memchr2(b'\n', b'\r', line).is_some() {
        return None;
    }
    let mut out = Vec::new();
    splice(line, at..at + ours.digits().len(), id.as_bytes(), &mut out);
    Some(out)
}
