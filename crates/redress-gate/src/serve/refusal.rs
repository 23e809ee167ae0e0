//! `Refusal`: a request that is refused before it reaches a session, as an HTTP answer with a JSON-RPC error in it.

use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{
        ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
    },
};
use redress::{
    Dialect, Fault,
    codes::{self, CoreCode},
    dialect::Stamp,
    emit::emit,
    fault::Origin,
    json::Members,
    wire,
};
use redress_ledger::Record;
use redress_registry::Effect;
use tokio::sync::oneshot;

use super::body::Body;
use crate::{link::Plan, run::OnLedgerFailure};

/// A request that is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    fault: Box<Fault>,
    /// The request's id, as JSON.
    id: Option<Box<str>>,
    /// The protocol's own error for it.
    protocol: Option<i64>,
    header: Option<Box<(HeaderName, HeaderValue)>>,
    closes: bool,
}

impl Refusal {
    /// A refusal with a code and what is wrong, in a sentence of ours.
    pub(super) fn new(status: StatusCode, code: CoreCode, message: impl Into<String>) -> Self {
        let mut fault = code.raise([] as [(&str, &str); 0]);
        fault.origin = Origin::Gate;
        fault.nothing_changed();
        fault.http = status.as_u16();
        fault.message = message.into();
        let fault = Box::new(fault);
        Self { status, fault, id: None, protocol: None, header: None, closes: false }
    }

    /// A message that is no valid request.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, codes::INVALID_REQUEST, message)
    }

    /// A method that a place does not know.
    pub(super) fn method(allowed: &'static str) -> Self {
        let message = format!("Only {allowed} is possible here.");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, codes::UNSUPPORTED, message)
            .header(ALLOW, HeaderValue::from_static(allowed))
    }

    /// Somebody who has not said who he is, or has said so with a token that is not valid.
    pub(super) fn unknown_caller(brings_token: bool) -> Self {
        let (message, challenge) = if brings_token {
            ("The bearer token is not valid.", r#"Bearer error="invalid_token""#)
        } else {
            ("A bearer token is needed.", "Bearer")
        };
        Self::new(StatusCode::UNAUTHORIZED, codes::AUTH_REQUIRED, message)
            .header(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
            .closing()
    }

    /// What can be done about it.
    pub(super) fn fix(mut self, hint: impl Into<String>) -> Self {
        self.fault.hint = hint.into();
        self
    }

    /// The request may have taken effect before it came to this.
    pub(super) fn in_doubt(mut self, message: &str) -> Self {
        self.fault.effect = Effect::Unknown;
        message.clone_into(&mut self.fault.message);
        self
    }

    /// The request's id, as JSON.
    pub(super) fn to(mut self, id: Option<&str>) -> Self {
        self.id = id.map(Into::into);
        self
    }

    /// The protocol has an error of its own for this.
    pub(super) const fn protocol(mut self, number: i64) -> Self {
        self.protocol = Some(number);
        self
    }

    /// The rest of the request is not read.
    pub(super) const fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    pub(super) const fn status(&self) -> StatusCode {
        self.status
    }

    fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some(Box::new((name, value)));
        self
    }

    /// The answer, without a record: nobody is known yet who could be meant.
    pub(super) fn unrecorded(self) -> Response<Body> {
        self.respond()
    }

    /// The answer, once the failure is recorded.
    pub(super) async fn recorded(mut self, plan: &Plan) -> Response<Body> {
        self.fault.context.server = Some(plan.server.settings.server.clone());
        self.fault.timestamp = Some((plan.clock)().to_string());
        let emitted = emit(*self.fault, &plan.server.settings.emission());
        self.fault = Box::new(emitted.into_fault());
        let metrics = &plan.server.metrics;
        metrics.failed(&self.fault);
        metrics.turned_away(&self.fault);
        let (sender, kept) = oneshot::channel();
        let record = Record::told(&self.fault, &plan.server.settings.redactor);
        plan.books.append(record, move |it| {
            // Whoever asked may have left.
            drop(sender.send(it));
        });
        match kept.await {
            Ok(Ok(receipt)) => self.fault.ledger = receipt,
            _ if plan.books.on_failure == OnLedgerFailure::Open => (),
            _ => {
                let message = "The failure could not be recorded.";
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                let id = self.id.take();
                self = Self::new(status, codes::AUDIT_LOG_FAILED, message).to(id.as_deref());
            }
        }
        self.respond()
    }

    fn respond(self) -> Response<Body> {
        let body = Body::Whole(Bytes::from(self.text()));
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(ms) = self.fault.retry.after_ms.filter(|_| self.status.is_server_error()) {
            headers.insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000)));
        }
        if let Some((name, value)) = self.header.map(|it| *it) {
            headers.insert(name, value);
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    fn text(&self) -> String {
        let Some(number) = self.protocol else {
            return wire::rpc_error(&self.fault, self.id.as_deref());
        };
        let mut out = String::with_capacity(512);
        let mut message = Members::open(&mut out);
        message.str("jsonrpc", "2.0");
        if let Some(id) = &self.id {
            message.raw("id", id);
        }
        let mut error = Members::open(message.key("error"));
        error.int("code", number).str("message", &self.fault.message);
        let mut data = Members::open(error.key("data"));
        Dialect::Native.write_into(&self.fault, Stamp::default(), data.key(wire::FAULT_KEY));
        data.close();
        error.close();
        message.close();
        out
    }
}
