//! An upstream over HTTP: its messages come as answers to our requests, and its refusals have a status.

use std::borrow::Cow;

use redress::{
    Fault, Stated, codes,
    fault::{Cause, Origin},
    json::{Doc, RawJson},
    outcome::{HttpAnswer, What},
};
use redress_registry::{Class, Effect, Retry, RetryKind};

use super::{
    Actions, ClientKind, FailureScope, HttpFailure, Phase, Session, UpstreamKind,
    addresses::{data_without_addresses, without_addresses},
    details::with_upstream,
    head::{HttpHead, is_of_transport, is_unprocessed, kept},
    later::in_seconds,
    seen::{LINE_BYTES, Seen},
    start::{CHECK_ADDRESS, mend, opens},
    upstream::{Answer, MessageSource},
};
use crate::{
    answer::ErrorObject,
    breaker,
    exchange::{Exchange, Method},
    frame::{Frame, Shape, limits, messages},
    inflight::{InFlightEntry, UpstreamId},
    moment::Moment,
    outgoing::{Ticket, ToUpstream},
};

impl Session {
    /// The POST of a request failed, or its answer ended and had no answer in it.
    pub fn upstream_refused(
        &mut self,
        id: UpstreamId,
        how: &HttpFailure<'_>,
        actions: &mut Actions,
    ) {
        if self.is_of_old_session(id, how) {
            if let Some(exchange) = self.inflight.exchange_mut(id) {
                exchange.is_again = true;
            }
            return self.send_again(id, actions);
        }
        match self.inflight.take(id) {
            Some(InFlightEntry::Answer(exchange)) => self.refused((id, exchange), how, actions),
            Some(InFlightEntry::Own(ask)) => self.own_failed(ask, &Seen::HttpFailed(how), actions),
            Some(InFlightEntry::Nothing { .. }) | None => (),
        }
    }

    /// The upstream's session is over: it refused a request for naming it, and no newer one is known. To be said
    /// before the requests that were refused are given to [`Self::upstream_refused`]. On a pipe, and where clients share
    /// the upstream, it is opened again and those requests are sent again. A request that was sent again opens it no second time:
    /// a server that forgets each session at once would be greeted for ever.
    pub fn upstream_expired(&mut self, id: UpstreamId, actions: &mut Actions) {
        self.is_expired = true;
        let is_again = self.inflight.exchange(id).is_some_and(|it| it.is_again);
        if self.opens_again() && self.is_up() && !is_again {
            self.greet(actions);
        }
    }

    /// An answer that says for no request that it is one.
    pub(super) fn answer_without_id(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        source: MessageSource,
        actions: &mut Actions,
    ) {
        const REASON: &str = "an answer names no request";
        let status = source.status.unwrap_or(200);
        match source.about.and_then(|it| Some((it, self.inflight.take(it)?))) {
            Some((id, InFlightEntry::Answer(exchange))) if frame.shape == Shape::Error => {
                let (retry_after, www_authenticate, location) = (None, None, None);
                let (body, about) = (line, FailureScope::Request);
                let how = HttpFailure::Status {
                    status,
                    retry_after,
                    www_authenticate,
                    location,
                    body,
                    about,
                };
                self.refused((id, exchange), &how, actions);
            }
            Some((_, InFlightEntry::Answer(exchange))) => {
                self.fail(exchange, &Seen::Broken { line, reason: REASON }, actions);
            }
            Some((_, InFlightEntry::Own(ask))) => self.own_failed(ask, &Seen::NotGreeted, actions),
            Some((_, InFlightEntry::Nothing { .. })) => (),
            None => match self.rejected(frame) {
                Some(line) => self.upstream_message(&line, MessageSource::default(), actions),
                None => self.note(line, REASON, actions),
            },
        }
    }

    /// A server on a pipe that could not read a request has no id to answer under. If it has but one, that is the one:
    /// the same error, as its answer. Unless it may be a notification that it could not read.
    fn rejected(&self, frame: &Frame<'_>) -> Option<Vec<u8>> {
        let is_of_request = self.link == UpstreamKind::Pipe && self.notes == self.notes_read;
        let error = frame.payload.filter(|_| is_of_request)?;
        let code = match ErrorObject::of(error) {
            ErrorObject::Valid { code } if frame.shape == Shape::Error => code,
            _ => return None,
        };
        let mut entry =
            self.inflight.all().filter(|it| !matches!(it.1, InFlightEntry::Nothing { .. }));
        let id = match (entry.next()?, entry.next()) {
            ((id, InFlightEntry::Answer(exchange)), None) if exchange.is_at_upstream() => id,
            _ => return None,
        };
        let start = [&b"{\"jsonrpc\":\"2.0\",\"id\":"[..], &id.digits(), b",\"error\":"].concat();
        let is_about_a_request = matches!(code, -32_700 | -32_600);
        is_about_a_request.then(|| [&start, error.raw().as_bytes(), b"}"].concat())
    }

    /// Whether the gate itself opens the upstream's sessions.
    fn opens_again(&self) -> bool {
        self.client == ClientKind::Pipe || self.is_shared
    }

    /// Whether the upstream's session is over, and the client's with it.
    pub(crate) fn is_over(&self) -> bool {
        self.is_expired && !self.opens_again()
    }

    fn refused(
        &mut self,
        (id, mut exchange): (UpstreamId, Box<Exchange>),
        how: &HttpFailure<'_>,
        actions: &mut Actions,
    ) {
        if let HttpFailure::Status { status, retry_after, body, about, .. } = *how {
            let is_kept = kept(status, about == FailureScope::Session && self.is_over()).is_some();
            // Who answers with a result has let the request in.
            let is_answer = |frame: &Frame<'_>| {
                (frame.shape == Shape::Result || frame.shape == Shape::Error && !is_kept)
                    && frame.id.and_then(UpstreamId::of) == Some(id)
            };
            for line in messages(body) {
                let line = self.clean_message(line, exchange.request.method);
                if let Ok(doc) = Doc::parse(&line, limits(self.server.settings.max_message))
                    && let Ok(frame) = Frame::of(&doc)
                    && let Some(id) = frame.id.filter(|_| is_answer(&frame))
                {
                    let http = Some(HttpHead::refused(status, retry_after, actions.now.wall));
                    let answer = Answer { line: &line, frame: &frame, id, http };
                    self.examine(exchange, &answer, actions);
                    return self.reached(&Seen::HttpFailed(how), Class::Unavailable, actions);
                }
            }
        }
        if matches!(how, HttpFailure::Unreachable { sent: false, .. }) {
            exchange.sent = false;
        }
        let seen = Seen::HttpFailed(how);
        let class = self.fail(exchange, &seen, actions);
        self.reached(&seen, class, actions);
    }

    /// A message in a body without what only the gate says.
    fn clean_message<'l>(&self, line: &'l [u8], method: Method) -> Cow<'l, [u8]> {
        let doc = Doc::parse(line, limits(self.server.settings.max_message)).ok();
        let clean = doc.as_ref().and_then(|doc| {
            let frame = Frame::of(doc).ok()?;
            self.without_reserved(line, doc, (&frame, || Some(method)))
        });
        clean.map_or(Cow::Borrowed(line), Cow::Owned)
    }

    /// What a refusal says of the way to the upstream.
    fn reached(&mut self, seen: &Seen<'_>, class: Class, actions: &Actions) {
        if seen.is_out_of_reach() && breaker::is_of_transport(class) {
            self.out_of_reach(actions.now.at);
        } else if !seen.is_out_of_reach() {
            self.breaker.answered();
        }
    }

    /// Whether a request was refused for a session that is over, so that nothing was done for it.
    /// A server that states otherwise has dealt with it.
    fn is_of_old_session(&self, id: UpstreamId, how: &HttpFailure<'_>) -> bool {
        let HttpFailure::Status { about: FailureScope::Session, body, .. } = how else {
            return false;
        };
        self.opens_again()
            && self.inflight.exchange(id).is_some_and(|it| {
                it.epoch != self.opening.epoch
                    && !it.is_again
                    && it.request.line().is_some()
                    && self.may_be_sent_anew(&it.request, body)
            })
    }

    /// Sends a request again that the upstream has not dealt with.
    pub(super) fn send_again(&mut self, id: UpstreamId, actions: &mut Actions) {
        let (is_up, maps_tokens, epoch) = (self.is_up(), self.maps_tokens(), self.opening.epoch);
        let Some(exchange) = self.inflight.exchange_mut(id) else { return };
        let mut line = Vec::new();
        exchange.request.write_under(&id.digits(), maps_tokens, &mut line);
        (exchange.sent, exchange.epoch) = (is_up, epoch);
        if is_up {
            let to = ToUpstream::Request(id, exchange.from.ticket);
            actions.to_upstream.add_parts(to, &[&line]);
        } else {
            self.hold(Some(id), line, actions);
        }
    }

    /// The fault of a POST that failed.
    pub(super) fn http_fault(
        &self,
        exchange: &Exchange,
        how: &HttpFailure<'_>,
        now: Moment,
    ) -> Fault {
        match *how {
            // The client knows of no session: for it, the server could not be reached.
            HttpFailure::Status { status, about: FailureScope::Session, body, .. }
                if self.is_expired && self.opens_again() =>
            {
                let mut fault = self.out_of_session();
                if exchange.is_again {
                    // In a new session, too: that may be its way to say that the call failed.
                    fault.effect = Effect::Unknown;
                }
                Stated::scan(body).limit(&mut fault);
                if !fault.retryable() {
                    fault.origin = Origin::Server;
                }
                let status = RawJson::parse(status.to_string().as_bytes()).ok();
                fault.details = with_upstream(fault.details.take(), "status", status);
                fault
            }
            HttpFailure::Status { status, retry_after, body, location, about, .. } => {
                let retry_after = retry_after.map(|it| in_seconds(it, now.wall).into());
                let text = body.into();
                let what = What::Http(HttpAnswer { status, retry_after, body: text });
                let (mut fault, worked) = match self.verdict(exchange, what, now) {
                    Some(failure) => (failure.fault, failure.worked),
                    None => (self.broken("an answer over HTTP has no message in it", body), false),
                };
                if about == FailureScope::Unread && !is_of_transport(status) {
                    fault.may_have_changed_something();
                } else if is_unprocessed(status) && !worked {
                    fault.nothing_changed();
                }
                let line = body.get(..LINE_BYTES).unwrap_or(body);
                fault.private.upstream = Some(line.to_vec());
                fault.server_text = fault.server_text.take().map(|it| without_addresses(&it));
                fault.details = data_without_addresses(fault.details.take());
                if (300..400).contains(&status) {
                    redirected(&mut fault, location);
                }
                if opens(exchange) && matches!(status, 300..400 | 404 | 405 | 410) {
                    mend(&mut fault, CHECK_ADDRESS);
                }
                if opens(exchange) && matches!(status, 404 | 410) {
                    "There is no MCP server at this address.".clone_into(&mut fault.message);
                }
                fault
            }
            HttpFailure::Unreachable { phase, detail, sent } => {
                self.unreachable(phase, detail, sent)
            }
            HttpFailure::Malformed { detail } => {
                let mut fault = self.broken("an answer is no HTTP", b"");
                fault.private.push_cause(Cause::Text(detail.to_owned()));
                fault
            }
            HttpFailure::TooLarge { bytes } => self.output_too_large(bytes),
            HttpFailure::OutOfMemory => self.out_of_memory(),
            HttpFailure::Cut { detail } => {
                let mut fault = self.classified(exchange, What::Closed, now);
                let phase = Some(RawJson::string(Phase::Read.name()));
                fault.details = with_upstream(fault.details.take(), "failed_at", phase);
                add_cause(&mut fault, Phase::Read, detail);
                fault
            }
        }
    }

    /// The fault of a web page in the place of a message.
    pub(super) fn page(&self, exchange: &Exchange, line: &[u8]) -> Fault {
        let mut fault = self.broken("a web page instead of a message", line);
        "The address answered with a web page: there is no MCP server."
            .clone_into(&mut fault.message);
        if opens(exchange) {
            mend(&mut fault, CHECK_ADDRESS);
        }
        fault
    }

    /// The upstream has forgotten the session, and opens no other.
    fn out_of_session(&self) -> Fault {
        let mut fault = self.unavailable();
        fault.nothing_changed();
        fault
            .private
            .push_cause(Cause::Text("the session is over, and was not opened again".into()));
        fault
    }

    fn unavailable(&self) -> Fault {
        let server = self.server.settings.server.as_str().into();
        self.raise(codes::UPSTREAM_UNAVAILABLE, Origin::Gate, [("server", server)])
    }

    fn unreachable(&self, phase: Phase, detail: &str, sent: bool) -> Fault {
        let mut fault = self.unavailable();
        if phase == Phase::Tls {
            // No time heals a certificate.
            fault.retry = Retry::of(RetryKind::AfterHuman);
        }
        if !sent {
            fault.nothing_changed();
        }
        let name = Some(RawJson::string(phase.name()));
        fault.details = with_upstream(fault.details.take(), "failed_at", name);
        add_cause(&mut fault, phase, detail);
        fault
    }

    /// Where the answer to a client's request goes.
    pub(crate) fn ticket(&self, id: UpstreamId) -> Option<Ticket> {
        self.inflight.exchange(id).map(|it| it.from.ticket)
    }

    /// Whether somebody waits for the answer to a request.
    pub fn is_owed(&self, id: UpstreamId) -> bool {
        self.inflight.is_owed(id)
    }
}

/// Why a connection failed: without addresses for the client, whole for the operator.
fn add_cause(fault: &mut Fault, phase: Phase, detail: &str) {
    let (code, name) = (Some(RawJson::string(phase.name())), "ConnectionError".to_owned());
    fault.private.push_cause(Cause::Error { message: without_addresses(detail), code, name });
    fault.private.hide_cause(Cause::Text(detail.to_owned()));
}

/// A redirect that was not followed. Where it leads is for the operator alone: it may be where the server is.
pub(super) fn redirected(fault: &mut Fault, location: Option<&str>) {
    "The server sends its clients to another address, and the gate does not follow."
        .clone_into(&mut fault.message);
    let place = location.map(|it| it.split(['?', '#']).next().unwrap_or_default());
    if let Some(place) = place.filter(|it| !it.is_empty()) {
        let (scheme, rest) = place.split_once("//").unwrap_or(("", place));
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit('@').next().unwrap_or_default();
        let slashes = if rest.len() < place.len() { "//" } else { "" };
        let told = format!("redirected to {scheme}{slashes}{host}{path}");
        fault.private.push_cause(Cause::Text(told));
    }
}
