//! `Handshake`: how the session with the upstream is opened, and opened again for a new process or session.

use std::time::{Duration, Instant};

use redress::outcome::What;
use redress_wire::json::Doc;

use super::{
    Session,
    cancellation::fail_all,
    catalog::{discover_before, request_page},
    failure_cause::FailureCause,
    interface::{Actions, HttpFailure, UpstreamKind},
    pipeline::{examine, fail, finish},
    sharing::{for_client, without_client},
    subscriptions::renew_subscriptions,
    upstream::{QueuedLine, State},
    verdict::{UpstreamAnswer, settle_deferred},
};
use crate::{
    exchange::Exchange,
    frame::{Shape, limits, span, splice},
    inflight::{InFlightEntry, OwnRequest},
    metrics::Completion,
    outgoing::{ToClient, ToUpstream},
    upstream_id::UpstreamId,
};

/// How long a new process may take to open the session, at least, and how many times as long as the first one took.
const LEAST_PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_FACTOR: u32 = 3;

/// How the client opened its session, to be repeated for a new process or a new session of the upstream.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    initialize: Option<Vec<u8>>,
    initialized: Option<Vec<u8>>,
    /// Whether the upstream has accepted it once.
    is_done: bool,
    /// How long that took.
    took: Duration,
    /// How many sessions of the upstream there were before.
    epoch: u32,
    /// Whether the upstream has said that its session is over.
    is_expired: bool,
    /// The gate's own `initialize`, while it waits for its answer, and since when.
    asked: Option<UpstreamId>,
    asked_at: Option<Instant>,
    /// What the upstream answered, for further clients.
    result: Option<Box<str>>,
    /// The clients that wait for it.
    waiting: Vec<UpstreamId>,
    /// The one of them whose `initialize` the upstream got.
    by: Option<UpstreamId>,
}

impl Handshake {
    /// The upstream has accepted the opening that it was sent then. Later ones may take as long as the first one took, or a few times as long.
    pub(super) fn accepted(&mut self, heard: Option<Instant>, asked: Instant) {
        let answered = heard.unwrap_or(asked);
        if !std::mem::replace(&mut self.is_done, true) {
            self.took = answered.saturating_duration_since(asked);
        }
    }

    /// How long the upstream may take to accept the next opening. The first time it may have to be installed.
    fn patience(&self, deadline: Duration) -> Duration {
        if self.is_done { LEAST_PATIENCE.max(self.took * PATIENCE_FACTOR) } else { deadline }
    }

    /// Whether the upstream has opened a session.
    pub(super) const fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether a client has asked for a session.
    pub(super) const fn is_begun(&self) -> bool {
        self.initialize.is_some()
    }

    /// How many clients wait for the upstream to open a session.
    #[cfg(test)]
    pub(super) const fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Counts the sessions of the upstream.
    pub(super) const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Whether the upstream has said that its session is over.
    pub(super) const fn is_expired(&self) -> bool {
        self.is_expired
    }

    /// The upstream has said that its session is over.
    pub(super) const fn expire(&mut self) {
        self.is_expired = true;
    }

    /// Keeps what a client says when its session is open.
    pub(super) fn client_is_ready(&mut self, line: &[u8]) {
        self.initialized = Some(line.to_vec());
    }

    /// Keeps the `initialize` of a client, which begins a new session.
    pub(super) fn begin(&mut self, line: &[u8]) {
        self.initialize = Some(line.to_vec());
        self.initialized = None;
    }
}

/// Sends what was kept for the upstream, unless it is over by now.
pub(super) fn send_held(session: &mut Session, actions: &mut Actions) {
    // A process that has said nothing yet was started for these.
    let stderr = if session.upstream.has_spoken { session.upstream.stderr.position() } else { 0 };
    for QueuedLine { id, line, memory } in session.upstream.take_queue() {
        if let Some(id) = id {
            discover_before(session, id, actions);
        }
        let to = match id.map(|it| (it, session.inflight.exchange_mut(it))) {
            Some((_, None)) => continue,
            Some((id, Some(exchange))) => {
                (exchange.sent, exchange.epoch) = (true, session.handshake.epoch);
                exchange.stderr = stderr;
                ToUpstream::Request(id, exchange.from.reply_token)
            }
            None => ToUpstream::Other,
        };
        actions.to_upstream.add_parts(to, &[&line]);
        actions.queued.extend(memory);
    }
}

/// Repeats the client's opening, and has everything else wait; `false` when there is nothing to repeat.
pub(super) fn repeat_handshake(session: &mut Session, actions: &mut Actions) -> bool {
    let is_first = !session.handshake.is_done;
    if is_first && !session.tenancy.is_shared {
        return false;
    }
    let Some(line) = session.handshake.initialize.take() else { return false };
    let Some(ours) = session.inflight.ask(OwnRequest::Initialize) else { return false };
    if let Ok(doc) = Doc::parse(&line, limits(line.len()))
        && let Some(id) = doc.root().get("id")
    {
        let spliced = |out: &mut Vec<u8>| splice(&line, span(id), &ours.digits(), out);
        let by = session.handshake.by.and_then(|it| session.inflight.exchange(it));
        actions.to_upstream.add(ToUpstream::Own(ours, by.map(|it| it.from.reply_token)), spliced);
    }
    session.handshake.initialize = Some(line);
    session.handshake.asked = Some(ours);
    session.handshake.asked_at = Some(actions.now.at);
    session.handshake.epoch += 1;
    let patience = session.handshake.patience(session.server.settings.deadline);
    let since = session.upstream.up_since().unwrap_or(actions.now.at);
    session.upstream.state = State::Handshaking { since, until: actions.now.at + patience };
    actions.is_sooner = true;
    true
}

/// Takes in the answer to a request of the gate itself.
pub(super) fn own_request_answered(
    session: &mut Session,
    ask: OwnRequest,
    answer: &UpstreamAnswer<'_, '_>,
    actions: &mut Actions,
) {
    let frame = answer.frame;
    let result = frame.payload.filter(|_| frame.shape == Shape::Result);
    match (ask, result) {
        (OwnRequest::Initialize, Some(result)) => {
            shared_opened(session, result.raw(), actions);
            handshake_done(session, actions);
        }
        (OwnRequest::Initialize, None) => {
            let refuse =
                |it: &mut Session, one, actions: &mut Actions| examine(it, one, answer, actions);
            if !refuse_handshake(session, refuse, actions) {
                handshake_failed(session, actions);
            }
        }
        (OwnRequest::Tools, Some(result)) => {
            let next = session.catalog.learn(result);
            session.verdicts.forget();
            if next.is_none_or(|it| !request_page(session, Some(it), actions)) {
                settle_deferred(session, actions);
            }
        }
        (OwnRequest::Tools, None) => settle_deferred(session, actions),
    }
}

/// A request of the gate itself gets no answer.
pub(super) fn own_request_failed(
    session: &mut Session,
    ask: OwnRequest,
    cause: &FailureCause<'_>,
    actions: &mut Actions,
) {
    match ask {
        OwnRequest::Tools => settle_deferred(session, actions),
        OwnRequest::Initialize => {
            if !fail_handshake(session, cause, actions) {
                handshake_failed(session, actions);
            }
        }
    }
}

/// The upstream has not opened its session in time. A process is ended for that, and its end explains the rest.
pub(super) fn handshake_late(session: &mut Session, actions: &mut Actions) {
    if session.handshake.is_done && session.upstream.kind == UpstreamKind::Pipe {
        actions.kill = true;
    } else {
        let asked = session.handshake.asked_at.unwrap_or(actions.now.at);
        let late = What::Deadline { waited_ms: actions.now.since(asked) }.into();
        own_request_failed(session, OwnRequest::Initialize, &late, actions);
    }
}

/// The upstream does not open its session again: a process is of no use then.
fn handshake_failed(session: &mut Session, actions: &mut Actions) {
    if let Some(asked) = session.handshake.asked.take() {
        session.inflight.take(asked);
    }
    if session.handshake.is_done {
        fail_all(session, &What::NotOpened.into(), actions);
        actions.kill = session.upstream.kind == UpstreamKind::Pipe;
    }
    if let Some(since) = session.upstream.up_since().filter(|_| !actions.kill) {
        session.upstream.state = State::Up { since };
        send_held(session, actions);
    }
}

fn handshake_done(session: &mut Session, actions: &mut Actions) {
    let State::Handshaking { since, .. } = session.upstream.state else { return };
    session.handshake.is_expired = false;
    session.upstream.state = State::Up { since };
    if let Some(initialized) = &session.handshake.initialized {
        actions.to_upstream.add_parts(ToUpstream::Other, &[initialized, b"\n"]);
    }
    renew_subscriptions(session, actions);
    send_held(session, actions);
}

/// Opens the session of one of several clients: it gets what the upstream answered the first one.
pub(super) fn open_shared(
    session: &mut Session,
    line: &[u8],
    ours: UpstreamId,
    actions: &mut Actions,
) {
    if session.handshake.result.is_some() {
        return answer_handshake(session, ours, actions);
    }
    let inflight = &session.inflight;
    session.handshake.waiting.retain(|it| inflight.exchange(*it).is_some());
    session.handshake.waiting.push(ours);
    let is_asked = session.handshake.asked.is_some_and(|it| session.inflight.is_asked(it));
    if !is_asked {
        session.handshake.initialize = without_client(line);
        session.handshake.by = Some(ours);
    }
    if !is_asked && session.upstream.is_up() && !repeat_handshake(session, actions) {
        session.handshake.initialize = None;
    }
}

/// The upstream has opened its session: every client that waits for that gets its answer.
fn shared_opened(session: &mut Session, result: &str, actions: &mut Actions) {
    if !session.tenancy.is_shared {
        return;
    }
    session
        .handshake
        .accepted(session.upstream.heard, session.handshake.asked_at.unwrap_or(actions.now.at));
    session.handshake.by = None;
    session.handshake.result = Some(result.into());
    if session.handshake.initialized.is_none() {
        let line = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        session.handshake.initialized = Some(line.to_vec());
    }
    for ours in std::mem::take(&mut session.handshake.waiting) {
        answer_handshake(session, ours, actions);
    }
}

/// The upstream refused the `initialize` of one client: that request fails, and the next client's is sent.
/// Gives whether there is one.
fn refuse_handshake(
    session: &mut Session,
    refuse: impl Fn(&mut Session, Box<Exchange>, &mut Actions),
    actions: &mut Actions,
) -> bool {
    let mut refused = session.handshake.by.take();
    loop {
        let taken = refused.and_then(|it| session.inflight.take(it));
        session.handshake.waiting.retain(|it| Some(*it) != refused);
        if let Some(InFlightEntry::Answer(exchange)) = taken {
            refuse(session, exchange, actions);
        }
        let Some(next) = session.handshake.waiting.first().copied() else { return false };
        if open_for(session, next, actions) {
            return true;
        }
        refused = Some(next);
    }
}

/// Opens the upstream with the `initialize` of a client that waits, if it is kept.
fn open_for(session: &mut Session, client: UpstreamId, actions: &mut Actions) -> bool {
    let request = session.inflight.exchange(client).map(|it| &it.request);
    let Some(line) = request.and_then(|it| without_client(it.line()?)) else { return false };
    (session.handshake.initialize, session.handshake.by) = (Some(line), Some(client));
    repeat_handshake(session, actions)
}

/// The same without an answer: what is not about one client's `initialize` fails all that wait.
fn fail_handshake(session: &mut Session, cause: &FailureCause<'_>, actions: &mut Actions) -> bool {
    if let FailureCause::Http(HttpFailure::Status { status: 400 | 401 | 403 | 422, .. }) = cause {
        let refuse = |it: &mut Session, one, actions: &mut Actions| {
            fail(it, one, cause, actions);
        };
        return refuse_handshake(session, refuse, actions);
    }
    for exchange in take_openings(session) {
        fail(session, exchange, cause, actions);
    }
    false
}

#[expect(clippy::vec_box, reason = "they move in and out as they are")]
fn take_openings(session: &mut Session) -> Vec<Box<Exchange>> {
    let waiting = std::mem::take(&mut session.handshake.waiting).into_iter();
    let taken = waiting.filter_map(|it| match session.inflight.take(it) {
        Some(InFlightEntry::Answer(exchange)) => Some(exchange),
        _ => None,
    });
    taken.collect()
}

fn answer_handshake(session: &mut Session, ours: UpstreamId, actions: &mut Actions) {
    let Some(InFlightEntry::Answer(exchange)) = session.inflight.take(ours) else { return };
    let result = session.handshake.result.as_deref().unwrap_or("{}");
    let result = for_client(result, &exchange.request);
    if let Ok(doc) = Doc::parse(result.as_bytes(), limits(result.len())) {
        session.tenancy.agreed(exchange.from.client, doc.root());
    }
    let to = ToClient::Answer(exchange.from.reply_token, 200);
    let id = exchange.request.id().as_bytes();
    actions.to_client.add(to, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id);
        out.extend_from_slice(br#","result":"#);
        out.extend_from_slice(result.as_bytes());
        out.extend_from_slice(b"}\n");
    });
    finish(session, exchange, Completion::Ok, actions.now);
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Handshake, LEAST_PATIENCE, PATIENCE_FACTOR};

    #[test]
    fn the_first_opening_sets_the_patience_for_the_others() {
        let (mut handshake, asked) = (Handshake::default(), Instant::now());
        let deadline = Duration::from_secs(55);
        assert_eq!(handshake.patience(deadline), deadline);
        handshake.accepted(Some(asked + Duration::from_secs(9)), asked);
        assert!(handshake.is_done());
        assert_eq!(handshake.patience(deadline), PATIENCE_FACTOR * Duration::from_secs(9));
        handshake.accepted(Some(asked + Duration::from_secs(90)), asked);
        assert_eq!(handshake.patience(deadline), PATIENCE_FACTOR * Duration::from_secs(9));
        let mut quick = Handshake::default();
        quick.accepted(None, asked);
        assert_eq!(quick.patience(deadline), LEAST_PATIENCE);
    }

    #[test]
    fn a_new_opening_forgets_that_the_client_was_ready() {
        let mut handshake = Handshake::default();
        handshake.begin(b"one");
        handshake.client_is_ready(b"ready");
        assert!(handshake.is_begun() && handshake.initialized.is_some());
        handshake.begin(b"two");
        assert_eq!(handshake.initialized, None);
    }
}
