//! `PendingFault`: a failure that is recorded before the client gets it, and the reply that the client gets then.

use std::{ops::Range, sync::Arc};

use redress::{
    Dialect, Fault, codes,
    dialect::Stamp,
    dialect::wire,
    emit::{Emission, emit},
    fault::{Origin, Receipt},
};
use redress_govern::CallContext;
use redress_ledger::{Record, RefusalKind, RequestInfo};

use crate::{
    answer::Insertion,
    caller::Peer,
    fault_template::{FaultStamp, FaultTemplate, ResponseExtras},
    memory::Reservation,
    outgoing::{ReplyToken, ToClient},
    request_facts::{ArgumentsRule, RequestFacts},
    settings::Settings,
};

/// A failure that is recorded before the client gets it, with the reply to send then.
#[derive(Debug)]
pub struct PendingFault {
    pub(crate) template: Arc<FaultTemplate>,
    pub(crate) stamp: FaultStamp,
    pub(crate) to: ReplyTo,
    pub(crate) form: ReplyBody,
    /// What is known of the request, if one failed.
    pub(crate) request: Option<Box<RequestFacts>>,
    pub(crate) dialect: Dialect,
    /// The same failure was emitted before, so that rendering by template pays.
    pub(crate) is_again: bool,
    /// Where the request came from that failed.
    pub(crate) peer: Peer,
    /// Whether the server was not asked, for another reason than its governor.
    pub is_refusal: bool,
    /// The bytes that are reserved for the line of the server in it.
    pub memory: Option<Reservation>,
}

/// The head of a reply over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyHead<'a> {
    /// The status.
    pub status: u16,
    /// `WWW-Authenticate`, as the upstream has it.
    pub www_authenticate: Option<&'a str>,
}

/// The destination of a reply, and its HTTP head.
#[derive(Debug, Clone)]
pub(crate) struct ReplyTo {
    pub(crate) who: Recipient,
    pub(crate) reply_token: ReplyToken,
    /// The HTTP status, and the one if it cannot be recorded.
    pub(crate) status: u16,
    pub(crate) unrecorded: u16,
    pub(crate) www_authenticate: Option<Box<str>>,
}

impl ReplyTo {
    /// No reply.
    pub(crate) const fn nobody() -> Self {
        Self::new(Recipient::Nobody, ReplyToken(0))
    }

    /// A reply to the request with this token.
    pub(crate) const fn new(who: Recipient, reply_token: ReplyToken) -> Self {
        Self { who, reply_token, status: 200, unrecorded: 200, www_authenticate: None }
    }
}

/// The recipient of a reply.
#[derive(Debug, Clone)]
pub(crate) enum Recipient {
    /// No client.
    Nobody,
    /// The call of a tool with this id.
    Call(Box<str>),
    /// Any other request, with its id if that could be read.
    Request(Option<Box<str>>),
    /// A client that has not asked.
    Notified(ToClient),
}

/// The body of a reply.
#[derive(Debug)]
pub(crate) enum ReplyBody {
    /// An answer that is made from the fault.
    Made,
    /// The server's own line under the client's id, with the envelope put in.
    With(Vec<u8>, Insertion),
    /// The server's own line under the client's id, with a result of ours in the place of one in it.
    Inside(Vec<u8>, Range<usize>),
    /// The server's own line under the client's id.
    AsItIs(Vec<u8>),
}

/// What a failure is counted under.
pub fn refusal_kind(fault: &Fault, peer: Peer) -> RefusalKind {
    RefusalKind {
        code: fault.code().to_owned(),
        class: fault.class.name(),
        server: fault.context.server.clone(),
        from: peer.class(),
    }
}

impl PendingFault {
    /// The failure.
    pub(crate) fn fault(&self) -> Fault {
        self.template.stamped(&self.stamp, None)
    }

    /// Its code.
    pub fn code(&self) -> &str {
        self.template.fault.code()
    }

    /// What it is counted under.
    pub fn kind(&self) -> RefusalKind {
        refusal_kind(&self.template.fault, self.peer)
    }

    /// What the governor knows of the request.
    pub fn governed(&self) -> Option<&CallContext> {
        self.stamp.governed.as_deref()
    }

    /// Another failure in its place, for the same one who waits.
    #[must_use]
    pub fn instead(self, mut fault: Fault, how: &Emission<'_>) -> Self {
        fault.context.fill_absent(&self.template.fault.context);
        let template = FaultTemplate::new(
            emit(fault, how),
            ResponseExtras {
                has_output_schema: self.template.extras.has_output_schema,
                ..ResponseExtras::default()
            },
        );
        Self { template: Arc::new(template), form: ReplyBody::Made, is_again: false, ..self }
    }

    /// The same failure with a sentence before its hint. An envelope that a server wrote itself stays as it is.
    #[must_use]
    pub fn with_hint_before(self, sentence: &str, how: &Emission<'_>) -> Self {
        if self.template.fault.private.own.is_some() {
            return self;
        }
        let mut fault = Fault::clone(&self.template.fault);
        fault.hint = format!("{sentence} {}", fault.hint);
        fault.unsaid.hint = false;
        let template = FaultTemplate::new(emit(fault, how), self.template.extras.clone());
        Self { template: Arc::new(template), is_again: false, ..self }
    }

    /// The destination of the reply, if there is one.
    pub const fn address(&self) -> Option<ToClient> {
        match self.to.who {
            Recipient::Nobody => None,
            Recipient::Notified(to) => Some(to),
            Recipient::Call(_) | Recipient::Request(_) => {
                Some(ToClient::Answer(self.to.reply_token, self.to.status))
            }
        }
    }

    /// The token of the request that failed, if there is one.
    #[cfg(test)]
    pub(crate) const fn reply_token(&self) -> Option<ReplyToken> {
        match self.to.who {
            Recipient::Nobody | Recipient::Notified(_) => None,
            Recipient::Call(_) | Recipient::Request(_) => Some(self.to.reply_token),
        }
    }

    /// The head of the reply over HTTP.
    pub fn head(&self) -> ReplyHead<'_> {
        let www_authenticate = self.to.www_authenticate.as_deref();
        ReplyHead { status: self.to.status, www_authenticate }
    }

    /// The same when the failure could not be recorded.
    pub const fn unrecorded_head(&self) -> ReplyHead<'_> {
        ReplyHead { status: self.to.unrecorded, www_authenticate: None }
    }

    /// The record of it, after which the request is forgotten. Without a rule it says nothing of arguments.
    pub fn record(&mut self, settings: &Settings, arguments: Option<ArgumentsRule<'_>>) -> Record {
        let redactor = &settings.redactor;
        let again = if self.is_again { self.template.record(&self.stamp, redactor) } else { None };
        let record = again.unwrap_or_else(|| {
            Record::fault(&self.template.stamped_for_ledger(&self.stamp), redactor)
        });
        let fault = &self.template.fault;
        let request = self.request.take();
        let request = request.as_ref().map(|it| it.told(settings, arguments));
        record.with_request(&RequestInfo {
            basis: fault.basis.map(|it| it.name().into()),
            rule: fault.private.rule.as_deref().map(Into::into),
            ..request.unwrap_or_default()
        })
    }

    /// Forgets the request, so that a failure that waits does not hold its arguments.
    pub fn forget_request(&mut self) {
        self.request = None;
    }

    /// Whether it is to be recorded; only that recording fails is not. A server that says so of itself is recorded like any.
    pub fn is_to_be_recorded(&self) -> bool {
        let fault = &self.template.fault;
        fault.code() != codes::AUDIT_LOG_FAILED.name() || fault.origin != Origin::Gate
    }

    /// Appends what the client hears, a line or nothing, with the failure's place in the ledger.
    pub fn render(self, receipt: Option<Receipt>, out: &mut Vec<u8>) {
        match (&self.to.who, &self.form) {
            (Recipient::Nobody, _) | (Recipient::Notified(_), ReplyBody::Made) => return,
            (_, ReplyBody::AsItIs(line)) => out.extend_from_slice(line),
            (_, ReplyBody::With(line, place)) => self.write_into(line, place, receipt, out),
            (Recipient::Call(id), ReplyBody::Made) => self.write_result(id, receipt, out),
            (_, ReplyBody::Inside(line, at)) => self.write_inside(line, at, receipt, out),
            (Recipient::Request(id), ReplyBody::Made) => {
                let fault = self.template.stamped(&self.stamp, receipt);
                out.extend_from_slice(wire::rpc_error(&fault, id.as_deref()).as_bytes());
            }
        }
        if out.last() != Some(&b'\n') {
            out.push(b'\n');
        }
    }

    /// The same when the failure could not be recorded: the client hears that, and nothing else.
    pub fn render_unrecorded(self, out: &mut Vec<u8>) {
        let failed = self.fault();
        let mut fault = codes::AUDIT_LOG_FAILED.raise([] as [(&str, &str); 0]);
        fault.origin = Origin::Gate;
        fault.effect = failed.effect;
        fault.context = failed.context;
        fault.timestamp = failed.timestamp;
        fault.elapsed_ms = failed.elapsed_ms;
        let text = match &self.to.who {
            Recipient::Nobody | Recipient::Notified(_) => return,
            Recipient::Call(id) => {
                let answer = wire::Answer { has_output_schema: true, ..self.answer() };
                wire::response(&fault, id, answer)
            }
            Recipient::Request(id) => wire::rpc_error(&fault, id.as_deref()),
        };
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
    }

    fn write_result(&self, id: &str, receipt: Option<Receipt>, out: &mut Vec<u8>) {
        let by_template = self.is_again && self.dialect == Dialect::Native;
        if by_template && self.template.write_result(id, &self.stamp, receipt.as_ref(), out) {
            return;
        }
        let answer = self.answer();
        let fault = self.template.stamped(&self.stamp, receipt);
        out.extend_from_slice(wire::response(&fault, id, answer).as_bytes());
    }

    fn answer(&self) -> wire::Answer<'_> {
        self.template.how(self.dialect, Stamp { now: &self.stamp.timestamp })
    }

    fn write_inside(
        &self,
        line: &[u8],
        at: &Range<usize>,
        receipt: Option<Receipt>,
        out: &mut Vec<u8>,
    ) {
        let fault = self.template.stamped(&self.stamp, receipt);
        out.extend_from_slice(line.get(..at.start).unwrap_or_default());
        out.extend_from_slice(wire::tool_result(&fault, self.answer()).as_bytes());
        out.extend_from_slice(line.get(at.end..).unwrap_or_default());
    }

    fn write_into(
        &self,
        line: &[u8],
        place: &Insertion,
        receipt: Option<Receipt>,
        out: &mut Vec<u8>,
    ) {
        let fault = self.template.stamped(&self.stamp, receipt);
        let envelope = Dialect::Native.write(&fault, Stamp::default());
        out.extend_from_slice(line.get(..place.at.start).unwrap_or_default());
        out.extend_from_slice(place.before.as_bytes());
        out.extend_from_slice(envelope.as_bytes());
        out.extend_from_slice(place.after.as_bytes());
        out.extend_from_slice(line.get(place.at.end..).unwrap_or_default());
    }
}
