//! `Session`: one client, or several, and one upstream. Bytes and moments go in, bytes and actions come out; no I/O.
//!
//! A session owns its parts, and each part owns its state. `pipeline.rs` is the way of a request and its answer through them.

mod addresses;
mod admission;
mod batches;
mod cancellation;
mod catalog;
mod checked_writes;
mod client;
mod crash_log;
mod emission;
mod ended_calls;
mod failure_cause;
mod fault_details;
mod faults;
mod governance;
mod handshake;
mod http_failure;
mod interface;
mod malformed;
mod metering;
mod pipeline;
mod reader;
mod repeated_failure;
mod reserved_keys;
mod retry;
mod retry_after;
mod rewrite;
mod routing;
mod server_text;
mod sharing;
mod startup_failure;
mod stray_output;
mod subscriptions;
mod tasks;
mod tenancy;
mod tool_list;
mod upstream;
mod verdict;

use std::{borrow::Cow, sync::Arc, time::Instant};

use http::HeaderName;
use redress::outcome::What;
use redress_govern::WriteReport;
use redress_wire::json::{Doc, Value};

use self::{
    admission::Admission,
    batches::refuse_member,
    cancellation::{cancel_questions, cancel_upstream, cancel_where, fail_all},
    catalog::Catalog,
    checked_writes::{Writes, outlive_all, outlive_request, write_reported},
    client::line_too_long,
    emission::fail_line,
    failure_cause::{FailureCause, RefusalCause},
    faults::note_exit,
    handshake::{Handshake, handshake_late, own_request_failed, repeat_handshake, send_held},
    http_failure::{fail_over_http, is_of_old_session, send_again},
    malformed::fail_named_in,
    pipeline::{client_message, fail, upstream_message},
    reader::MessageReader,
    repeated_failure::KnownFailure,
    retry::{Retries, send_due_retries},
    stray_output::note_stray,
    subscriptions::drop_subscriptions,
    tenancy::Tenancy,
    upstream::{State, Upstream},
    verdict::{Verdicts, judge_deferred, settle_deferred},
};
use crate::{
    breaker::{Breaker, is_of_transport},
    exchange::Method,
    frame::limits,
    inflight::{InFlight, InFlightEntry},
    loop_guard::LoopGuard,
    metrics::CountedEvent,
    moment::millis,
    outgoing::{ReplyToken, Sender, ToUpstream},
    restarts::StartDecision,
    server::Server,
    tail::Tail,
    upstream_id::UpstreamId,
};

pub use interface::{
    Actions, ClientKind, Exit, Expected, FailureScope, HttpFailure, MessageSource, Phase,
    UpstreamKind,
};
pub use retry::Repeat;

/// What the upstream gets for a request that no client hears.
const NOT_HEARD: &[u8] =
    b",\"error\":{\"code\":-32603,\"message\":\"The client does not read what it is sent.\"}}\n";

/// One client, or several, and one upstream.
#[derive(Debug)]
pub struct Session {
    server: Arc<Server>,
    /// The clients, and what belongs to which of them.
    tenancy: Tenancy,
    /// Lines on their way in.
    reader: MessageReader,
    /// Whether a request may go on.
    admission: Admission,
    /// Requests that wait for an answer, in both directions.
    inflight: InFlight,
    /// The upstream as a peer.
    upstream: Upstream,
    /// How its session is opened.
    handshake: Handshake,
    /// Its tools.
    catalog: Catalog,
    /// What its answers were judged to be.
    verdicts: Verdicts,
    /// Calls that are made again.
    retries: Retries,
    /// Writes that are checked.
    writes: Writes,
    /// Calls that failed, and are not sent again and again.
    loops: LoopGuard<KnownFailure>,
}

/// The parts of a session that say what a failure means: read-only.
#[derive(Debug, Clone, Copy)]
struct Context<'s> {
    server: &'s Server,
    tenancy: &'s Tenancy,
    upstream: &'s Upstream,
    handshake: &'s Handshake,
    catalog: &'s Catalog,
}

impl Context<'_> {
    /// Whether the upstream's session is over, and the client's with it.
    fn is_over(&self) -> bool {
        self.handshake.is_expired() && !self.tenancy.reopens_upstream()
    }
}

impl Session {
    /// A session of one client, whose upstream is being started.
    pub fn new(server: Arc<Server>, client: ClientKind, upstream: UpstreamKind) -> Self {
        let breaker = match upstream {
            UpstreamKind::Pipe => server.breakers.own(),
            UpstreamKind::Http => server.breakers.shared(),
        };
        Self::of(server, Tenancy::single(client), breaker, upstream)
    }

    /// A session of any number of clients over HTTP. Each sees only what belongs to it.
    pub fn shared(server: Arc<Server>, upstream: UpstreamKind) -> Self {
        let breaker = server.breakers.shared();
        Self::of(server, Tenancy::shared(), breaker, upstream)
    }

    fn of(
        server: Arc<Server>,
        tenancy: Tenancy,
        breaker: Arc<Breaker>,
        upstream: UpstreamKind,
    ) -> Self {
        Self {
            tenancy,
            reader: MessageReader::default(),
            admission: Admission::new(breaker, server.shares()),
            inflight: InFlight::new(server.secret()),
            upstream: Upstream::new(upstream),
            handshake: Handshake::default(),
            catalog: Catalog::default(),
            verdicts: Verdicts::new(),
            retries: Retries::default(),
            writes: Writes::default(),
            loops: LoopGuard::new(server.settings.loop_guard),
            server,
        }
    }

    /// What a failure is judged and explained by.
    fn context(&self) -> Context<'_> {
        let Self { server, tenancy, upstream, handshake, catalog, .. } = self;
        Context { server, tenancy, upstream, handshake, catalog }
    }

    /// Whether no client waits for an answer.
    pub fn is_idle(&self) -> bool {
        self.inflight.answers() == 0 && self.verdicts.none_waits()
    }

    /// Says whether failures of new calls could be recorded; while they cannot, new requests are refused.
    pub const fn admit_calls(&mut self, is_recorded: bool) {
        self.admission.set_recorded(is_recorded);
    }

    /// Whether the upstream of a new session is started at once. If not, the first request that may starts it.
    pub fn may_begin(&mut self, now: Instant) -> bool {
        let may = self.server.starts.may_start(now) == StartDecision::Start;
        if !may && self.upstream.state == State::Starting {
            self.upstream.state = State::Down;
        }
        may
    }

    /// The upstream runs. What it writes to stderr goes to `stderr`.
    pub fn upstream_ready(&mut self, stderr: Arc<Tail>, actions: &mut Actions) {
        if self.upstream.started(stderr, actions.now.at) {
            self.server.metrics.happened(CountedEvent::Restart);
        }
        let is_opened_anew = self.upstream.queued_requests().any(|it| {
            let exchange = self.inflight.exchange(it);
            exchange.is_some_and(|it| it.request.method == Method::Initialize)
        });
        if is_opened_anew || !repeat_handshake(self, actions) {
            send_held(self, actions);
        }
    }

    /// The gate ends: every request that waits fails.
    pub fn close(&mut self, actions: &mut Actions) {
        self.admission.close();
        settle_deferred(self, actions);
        outlive_all(self, actions.now.at);
        fail_all(self, &RefusalCause::Closing.into(), actions);
    }

    /// When [`Self::expire`] has something to do, if nothing else happens before.
    pub fn next_deadline(&self) -> Option<Instant> {
        let inflight = self.inflight.all().filter_map(|(_, entry)| match entry {
            InFlightEntry::Answer(exchange) => exchange.deadline,
            InFlightEntry::Nothing { until } => Some(*until),
            InFlightEntry::Own(_) => None,
        });
        let parts = [
            self.upstream.next_deadline(),
            self.catalog.next_deadline(),
            self.retries.next(),
            self.writes.next_late(),
            self.verdicts.next_deadline(),
        ];
        inflight.chain(parts.into_iter().flatten()).min()
    }

    /// Does what is due: deadlines, a start that was put off.
    pub fn expire(&mut self, actions: &mut Actions) {
        let mut silence = None;
        for id in self.inflight.in_order() {
            if let Some(InFlightEntry::Answer(mut exchange)) = self.inflight.due(id, actions.now.at)
            {
                outlive_request(self, id, &mut exchange, actions.now.at);
                let is_silent =
                    exchange.sent && self.upstream.heard.is_none_or(|it| it < exchange.started);
                cancel_upstream(self, id, &exchange, "the deadline has passed", actions);
                let waited = actions.now.at.saturating_duration_since(exchange.started);
                let late = What::Deadline { waited_ms: millis(waited) }.into();
                if is_of_transport(fail(self, exchange, &late, actions)) && is_silent {
                    silence = silence.max(Some(waited));
                }
            }
        }
        if let Some(waited) = silence {
            self.upstream.silent = Some(actions.now.at);
            self.admission.silent(waited, actions.now.at);
        }
        self.writes.expire(actions.now.at);
        if self.catalog.next_deadline().is_some_and(|it| it <= actions.now.at) {
            settle_deferred(self, actions);
        }
        send_due_retries(self, actions);
        if self.verdicts.next_deadline().is_some_and(|it| it <= actions.now.at) {
            judge_deferred(self, actions);
        }
        match self.upstream.state {
            State::StartAt(then) if then <= actions.now.at => {
                actions.start = self.upstream.start_is_due();
            }
            State::Handshaking { until, .. } if until <= actions.now.at => {
                handshake_late(self, actions);
            }
            _ => (),
        }
    }

    /// A line of a client, without its line break.
    pub fn client_line(&mut self, line: &[u8], from: Sender, actions: &mut Actions) -> Expected {
        client_message(self, line, false, from, actions)
    }

    /// A member of a client's array. Where arrays are not taken, each request in it is refused under its own id.
    pub fn client_member(
        &mut self,
        line: &[u8],
        are_taken: bool,
        from: Sender,
        actions: &mut Actions,
    ) -> Expected {
        if are_taken {
            return client_message(self, line, true, from, actions);
        }
        refuse_member(self, line, from, actions)
    }

    /// The start of a line of the client that is too long.
    pub fn client_long(&mut self, head: &[u8], from: Sender, actions: &mut Actions) {
        if let Some(id) = self.reader.client_line_begins(head) {
            fail_line(self, Some(id), line_too_long(self.context(), None), from, actions);
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
        if !self.reader.is_client_answered() {
            let id = self.reader.id_at_end(tail);
            fail_line(self, id, line_too_long(self.context(), Some(bytes)), from, actions);
        }
    }

    /// The client is gone: its requests are cancelled and recorded.
    pub fn client_gone(&mut self, actions: &mut Actions) {
        self.admission.close();
        cancel_where(self, |_| true, actions);
    }

    /// One of several clients is gone: its requests are cancelled and recorded.
    pub fn client_left(&mut self, client: u64, actions: &mut Actions) {
        cancel_where(self, |it| it.from.client == client, actions);
        drop_subscriptions(self, client, actions);
        self.tenancy.left_by(client);
        self.loops.forget(client);
    }

    /// A client does not wait for a request any more: it is cancelled and recorded.
    pub fn withdraw(&mut self, reply_token: ReplyToken, actions: &mut Actions) {
        cancel_where(self, |it| it.from.reply_token == reply_token, actions);
    }

    /// Answers a request of the upstream that reaches no client.
    pub fn unheard(&mut self, question: u64, actions: &mut Actions) {
        if let Some(theirs) = self.inflight.questions.remove(question) {
            let parts: [&[u8]; 3] = [br#"{"jsonrpc":"2.0","id":"#, theirs.as_bytes(), NOT_HEARD];
            actions.to_upstream.add_parts(ToUpstream::Other, &parts);
        }
    }

    /// A line of the upstream, without its line break.
    pub fn upstream_line(&mut self, line: &[u8], actions: &mut Actions) {
        upstream_message(self, line, MessageSource::default(), actions);
    }

    /// A message of the upstream, on a pipe or over HTTP.
    pub fn upstream_message(&mut self, line: &[u8], source: MessageSource, actions: &mut Actions) {
        upstream_message(self, line, source, actions);
    }

    /// What the upstream wrote last, without a line break, before its output ended.
    pub fn upstream_rest(&mut self, rest: &[u8], actions: &mut Actions) {
        // Half a message is no mistake of its own: the end of the process explains it.
        if Doc::parse(rest, limits(self.server.settings.max_message)).is_ok() {
            self.upstream_line(rest, actions);
        }
    }

    /// The start of a line of the upstream that is too long.
    pub fn upstream_long(&mut self, head: &[u8], actions: &mut Actions) {
        let is_answered =
            fail_named_in(self, head, &What::TooLarge { bytes: None }.into(), actions);
        self.reader.upstream_line_begins(is_answered);
    }

    /// The start of a line of the upstream for which there is no memory.
    pub fn upstream_given_up(&mut self, head: &[u8], actions: &mut Actions) {
        let is_answered = fail_named_in(self, head, &RefusalCause::OutOfMemory.into(), actions);
        self.reader.upstream_line_begins(is_answered);
    }

    /// The end of a line of the upstream that is too long.
    pub fn upstream_long_end(&mut self, tail: &[u8], bytes: u64, actions: &mut Actions) {
        let is_answered = self.reader.upstream_line_ends();
        let cause = FailureCause::from(What::TooLarge { bytes: Some(bytes) });
        if !is_answered && !fail_named_in(self, tail, &cause, actions) {
            note_stray(self, tail, "a line is too long and names no request", actions);
        }
    }

    /// The upstream could not be started.
    pub fn upstream_failed(&mut self, error: &std::io::Error, actions: &mut Actions) {
        self.upstream.state = State::Down;
        fail_all(self, &What::NotStarted(error).into(), actions);
    }

    /// The upstream ended, and all that it wrote has been read.
    pub fn upstream_gone(&mut self, exit: &Exit, actions: &mut Actions) {
        let since = self.upstream.up_since().unwrap_or(actions.now.at);
        self.upstream.state = State::Down;
        self.upstream.last_exit = Some(exit.clone());
        let lived = actions.now.at.saturating_duration_since(since);
        self.upstream.restarts.ended(actions.now.at, lived, self.inflight.random());
        if !self.upstream.has_spoken && !self.admission.is_closing() {
            self.server.starts.failed(since, actions.now.at, self.inflight.random());
        }
        settle_deferred(self, actions);
        cancel_questions(self, actions);
        self.give_up_writes();
        self.reader.upstream_line_ends();
        if self.admission.is_closing() {
            return fail_all(self, &RefusalCause::Closing.into(), actions);
        }
        if self.is_idle() {
            note_exit(self, exit, actions);
        }
        fail_all(self, &exit.outcome().into(), actions);
        self.catalog.tools.outlive_process();
        self.verdicts.forget();
        self.tenancy.tasks.forget();
    }

    /// The POST of a request failed, or its answer ended and had no answer in it.
    pub fn upstream_refused(
        &mut self,
        id: UpstreamId,
        how: &HttpFailure<'_>,
        actions: &mut Actions,
    ) {
        if is_of_old_session(self, id, how) {
            if let Some(exchange) = self.inflight.exchange_mut(id) {
                exchange.is_again = true;
            }
            return send_again(self, id, actions);
        }
        match self.inflight.take(id) {
            Some(InFlightEntry::Answer(exchange)) => {
                fail_over_http(self, (id, exchange), how, actions);
            }
            Some(InFlightEntry::Own(ask)) => {
                own_request_failed(self, ask, &FailureCause::Http(how), actions);
            }
            Some(InFlightEntry::Nothing { .. }) | None => (),
        }
    }

    /// The upstream's session is over: it refused a request for naming it, and no newer one is known. To be said
    /// before the requests that were refused are given to [`Self::upstream_refused`]. On a pipe, and where clients share
    /// the upstream, it is opened again and those requests are sent again. A request that was sent again opens it no second time:
    /// a server that forgets each session at once would be greeted for ever.
    pub fn upstream_expired(&mut self, id: UpstreamId, actions: &mut Actions) {
        self.handshake.expire();
        let is_again = self.inflight.exchange(id).is_some_and(|it| it.is_again);
        if self.tenancy.reopens_upstream() && self.upstream.is_up() && !is_again {
            repeat_handshake(self, actions);
        }
    }

    /// A repeat is on record, or never will be.
    pub fn repeat_recorded(&mut self, id: UpstreamId, is_recorded: bool, actions: &mut Actions) {
        if is_recorded {
            self.retries.recorded(id);
            return send_due_retries(self, actions);
        }
        self.retries.remove(id);
        if let Some(exchange) = self.inflight.take_exchange(id) {
            fail(self, exchange, &RefusalCause::Unrecorded.into(), actions);
        }
    }

    /// The governor reports on a checked write.
    pub fn write_told(
        &mut self,
        id: Option<UpstreamId>,
        report: WriteReport,
        actions: &mut Actions,
    ) {
        write_reported(self, id, report, actions);
    }

    /// The server is gone, or is left: nothing more comes of its writes.
    pub fn give_up_writes(&mut self) {
        self.writes.give_up();
    }

    /// Whether the upstream has a request, which waits on its way there. Gives whether its answer is still owed.
    pub fn note_sent(&mut self, id: UpstreamId, is_sent: bool) -> bool {
        if let Some(exchange) = self.inflight.exchange_mut(id) {
            exchange.sent = is_sent;
        }
        self.inflight.is_owed(id)
    }

    /// Whether the upstream owes anything.
    pub const fn awaits_upstream(&self) -> bool {
        !self.inflight.is_empty()
    }

    /// Whether the upstream has opened a session.
    pub const fn is_opened(&self) -> bool {
        self.handshake.is_done()
    }

    /// Whether the upstream's session is over, and the client's with it.
    pub fn is_over(&self) -> bool {
        self.context().is_over()
    }

    /// Whether a request waits for its answer.
    pub fn is_owed(&self, id: UpstreamId) -> bool {
        self.inflight.is_owed(id)
    }

    /// Where the answer to a client's request goes.
    pub fn reply_token(&self, id: UpstreamId) -> Option<ReplyToken> {
        self.inflight.exchange(id).map(|it| it.from.reply_token)
    }

    /// What of a call must stand in headers, too, as far as the tools are known.
    pub fn mirrored<'s, 'd>(
        &'s self,
        tool: &str,
        arguments: Option<Value<'d>>,
    ) -> impl Iterator<Item = (&'s HeaderName, Option<Cow<'d, str>>)> {
        self.catalog.tools.header_params.of(tool, arguments)
    }
}

#[cfg(test)]
pub(crate) mod tests;
