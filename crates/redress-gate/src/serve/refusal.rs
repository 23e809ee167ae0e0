//! `RefusedRequest`: a request that is refused before it reaches a session, as an HTTP answer with a JSON-RPC error in it.

use std::time::Duration;

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
    dialect::wire,
    emit::emit,
    fault::Origin,
};
use redress_ledger::Record;
use redress_proxy::{caller::Peer, pending_fault::refusal_kind};
use redress_registry::Effect;
use redress_wire::json::Members;
use tokio::sync::oneshot;

use super::{access::TokenError, body::Body};
use crate::{connection::OnLedgerFailure, connection::ServerRuntime};

/// A request that is refused.
#[derive(Debug)]
pub(super) struct RefusedRequest {
    status: StatusCode,
    fault: Box<Fault>,
    /// The request's id, as JSON.
    id: Option<Box<str>>,
    /// The protocol's own error for it.
    protocol: Option<i64>,
    header: Option<Box<(HeaderName, HeaderValue)>>,
    closes: bool,
}

impl RefusedRequest {
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

    /// A request for which there is no room now.
    pub(super) fn overloaded(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, codes::OVERLOADED, message)
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

    /// A request without a valid token.
    pub(super) fn unknown_caller(why: TokenError) -> Self {
        let (message, challenge) = match why {
            TokenError::Wrong => {
                ("The bearer token is not valid.", r#"Bearer error="invalid_token""#)
            }
            TokenError::Missing => ("A bearer token is needed.", "Bearer"),
        };
        Self::new(StatusCode::UNAUTHORIZED, codes::AUTH_REQUIRED, message)
            .header(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
            .fix("Send `Authorization: Bearer TOKEN`; at its start, `redress serve` says where the token is.")
            .closing()
    }

    /// One of many requests of a peer without a valid token.
    pub(super) fn too_many_failed_tokens(wait: Duration) -> Self {
        let message = "Too many requests from this address brought no valid token.";
        let mut refusal =
            Self::new(StatusCode::TOO_MANY_REQUESTS, codes::RATE_LIMITED, message).closing();
        refusal.fault.retry.after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        refusal.fix("Bring a valid token: that is answered at once.")
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

    /// The answer, without a record.
    pub(super) fn unrecorded(self) -> Response<Body> {
        self.respond()
    }

    /// The answer, once the failure of a request for a server is recorded or counted.
    pub(super) async fn recorded(mut self, runtime: &ServerRuntime, peer: Peer) -> Response<Body> {
        self.fault.context.server = Some(runtime.server.settings.server.clone());
        let metrics = &runtime.server.metrics;
        metrics.failed(&self.fault);
        metrics.turned_away(&self.fault);
        self.recorded_for_none(runtime, peer).await
    }

    /// The same for a request whose server or sender is unknown. The runtime is that of any server.
    pub(super) async fn recorded_for_none(
        mut self,
        runtime: &ServerRuntime,
        peer: Peer,
    ) -> Response<Body> {
        self.fault.timestamp = Some((runtime.clock)().to_string());
        let emitted = emit(*self.fault, &runtime.server.settings.emission());
        self.fault = Box::new(emitted.into_fault());
        let (sender, kept) = oneshot::channel();
        let kind = refusal_kind(&self.fault, peer);
        let record = || Record::fault(&self.fault, &runtime.server.settings.redactor);
        runtime.recorder.refuse(kind, record, move |it| {
            // The client may have left.
            drop(sender.send(it));
        });
        match kept.await {
            Ok(Ok(receipt)) => self.fault.ledger = receipt,
            _ if runtime.recorder.on_failure == OnLedgerFailure::Open => (),
            _ => {
                let message = "The failure could not be recorded.";
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                let id = self.id.take();
                self = Self::new(status, codes::AUDIT_LOG_FAILED, message).to(id.as_deref());
            }
        }
        self.respond()
    }

    /// The whole answer as HTTP/1.1, for a connection that is closed with it.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let response = self.closing().respond();
        let Body::Whole(body) = response.body() else { return Vec::new() };
        let mut out = format!("HTTP/1.1 {}\r\n", response.status());
        for (name, value) in response.headers() {
            let value = value.to_str().unwrap_or_default();
            out.extend([name.as_str(), ": ", value, "\r\n"]);
        }
        out.extend(["content-length: ", &body.len().to_string(), "\r\n\r\n"]);
        [out.as_bytes(), body].concat()
    }

    fn respond(self) -> Response<Body> {
        let body = Body::Whole(Bytes::from(self.text()));
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let is_later =
            self.status.is_server_error() || self.status == StatusCode::TOO_MANY_REQUESTS;
        if let Some(ms) = self.fault.retry.after_ms.filter(|_| is_later) {
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
