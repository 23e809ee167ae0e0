//! Judging an answer: the upstream's words go through the classifier, with all that is known of the request.

use std::{borrow::Cow, panic::AssertUnwindSafe};

use redress::{
    Fault,
    classify::{Failure, Verdict, classify},
    codes,
    fault::{Ctx, Origin, Thrown, from_unknown},
    json::{Doc, RawJson},
    outcome::{Asked, Outcome, ToolTraits, What},
};
use redress_registry::Effect;

use super::{
    Session,
    seen::{LINE_BYTES, with_upstream},
    upstream::Answer,
};
use crate::{
    answer::{CallResult, ErrorObject},
    exchange::{Exchange, Method, Request},
    frame::{Shape, limits},
    moment::Moment,
};

impl Session {
    /// Whether an answer is a failure, and which.
    pub(super) fn judge(
        &self,
        exchange: &Exchange,
        answer: &Answer<'_, '_>,
        now: Moment,
    ) -> Option<Box<Failure>> {
        if let Some(reason) = broken(exchange.request.method, answer) {
            let mut fault = self.broken(reason, answer.line);
            if self.traits(exchange.request.tool()).harmless() {
                fault.effect = Effect::None;
            }
            if let Some(said) = answer.frame.payload {
                let said = RawJson::from(said);
                fault.details = with_upstream(fault.details.take(), "said", Some(said));
            }
            return Some(Box::new(flagged(fault, "gate.broken")));
        }
        let failure = self.verdict(exchange, What::Answer(answer.frame.root), now)?;
        Some(with_own_parts(failure, answer))
    }

    /// The fault of something that is certainly a failure.
    pub(super) fn classified(&self, exchange: &Exchange, what: What<'_>, now: Moment) -> Fault {
        match self.verdict(exchange, what, now) {
            Some(failure) => failure.fault,
            None => self.raise(codes::INTERNAL_ERROR, Origin::Gate, []),
        }
    }

    /// What may be believed of a tool: the contract first, then the server itself.
    pub(super) fn traits(&self, tool: Option<&str>) -> ToolTraits {
        let Some(name) = tool else { return ToolTraits::default() };
        if let Some(row) = self.server.settings.contract.tools.get(name) {
            let (read_only, idempotent) = (row.read_only, row.idempotent);
            return ToolTraits { read_only, idempotent, trusted: true };
        }
        let known = self.tools.get(name);
        known.map(|it| it.traits(self.server.settings.trust_annotations)).unwrap_or_default()
    }

    fn verdict(&self, exchange: &Exchange, what: What<'_>, now: Moment) -> Option<Box<Failure>> {
        let log = self.stderr.since(exchange.stderr);
        let outcome = Outcome {
            what,
            stderr_tail: (!log.is_empty()).then_some(Cow::Owned(log)),
            elapsed_ms: Some(now.since(exchange.started)),
        };
        let judged = || {
            self.with_asked(&exchange.request, |asked| {
                classify(asked, &outcome, &self.server.settings.contract)
            })
        };
        // A judgement that dies must not take the gate with it: the request is answered all the same.
        match std::panic::catch_unwind(AssertUnwindSafe(judged)) {
            Ok(Verdict::Success) => None,
            Ok(Verdict::Failure(failure)) => Some(failure),
            Err(payload) => {
                let thrown = Thrown::panic(&*payload);
                let mut fault =
                    from_unknown(thrown, Ctx::default(), &self.server.settings.contract);
                fault.origin = Origin::Gate;
                Some(Box::new(flagged(fault, "gate.panic")))
            }
        }
    }

    fn with_asked<T>(&self, request: &Request, look: impl FnOnce(&Asked<'_>) -> T) -> T {
        let doc = request.line().and_then(|it| Doc::parse(it, limits(it.len())).ok());
        look(&Asked {
            request: doc.as_ref().map(Doc::root),
            unreadable: None,
            method: Some(Cow::Borrowed(request.method_name())),
            tool: request.tool().map(Cow::Borrowed),
            traits: self.traits(request.tool()),
            known_tools: self.tools.all(),
            http: None,
        })
    }
}

/// What a failed result carries beside its text is kept for the client program.
fn with_own_parts(mut failure: Box<Failure>, answer: &Answer<'_, '_>) -> Box<Failure> {
    let result = answer.frame.payload.filter(|_| answer.frame.shape == Shape::Result);
    let parts = result.and_then(|it| it.get("structuredContent"));
    if let Some(parts) = parts.filter(|_| !failure.silent) {
        let details = failure.fault.details.take();
        let value = Some(RawJson::from(parts));
        failure.fault.details = with_upstream(details, "structuredContent", value);
    }
    let line = answer.line.get(..LINE_BYTES).unwrap_or(answer.line);
    failure.fault.private.upstream = Some(line.to_vec());
    failure
}

/// Why an answer is none by the protocol.
fn broken(method: Method, answer: &Answer<'_, '_>) -> Option<&'static str> {
    let payload = answer.frame.payload?;
    match answer.frame.shape {
        Shape::Error if method != Method::ToolsCall => match ErrorObject::of(payload) {
            ErrorObject::Broken(reason) => Some(reason),
            ErrorObject::Valid { .. } => None,
        },
        Shape::Result if method == Method::ToolsCall => match CallResult::of(payload) {
            CallResult::Broken(reason) => Some(reason),
            CallResult::Failed | CallResult::Unflagged => None,
        },
        _ => None,
    }
}

/// A failure that nobody can doubt.
fn flagged(fault: Fault, rule: &'static str) -> Failure {
    Failure { silent: false, certain: true, rule: rule.into(), leaks: Vec::new(), fault }
}
