//! `Handshake`: how the session with the upstream is opened, and opened again for a new process or session.

use std::time::{Duration, Instant};

use redress::{json::Doc, outcome::What};

use super::{
    Session,
    actions::Actions,
    cancellation::fail_all,
    catalog::{discover_before, request_page},
    endpoints::UpstreamKind,
    failure_cause::FailureCause,
    messages::Answer,
    pipeline::examine,
    sharing::{fail_handshake, refuse_handshake, shared_opened},
    subscriptions::renew_subscriptions,
    upstream::{QueuedLine, State},
    verdicts::settle_deferred,
};
use crate::{
    frame::{Shape, limits, span, splice},
    inflight::OwnRequest,
    outgoing::ToUpstream,
    upstream_id::UpstreamId,
};

/// How long a new process may take to open the session, at least, and how many times as long as the first one took.
const LEAST_PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_FACTOR: u32 = 3;

/// How the client opened its session, to be repeated for a new process or a new session of the upstream.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    pub(super) initialize: Option<Vec<u8>>,
    pub(super) initialized: Option<Vec<u8>>,
    /// Whether the upstream has accepted it once.
    pub(super) is_done: bool,
    /// How long that took.
    took: Duration,
    /// How many sessions of the upstream there were before.
    pub(super) epoch: u32,
    /// Whether the upstream has said that its session is over.
    pub(super) is_expired: bool,
    /// The gate's own `initialize`, while it waits for its answer, and since when.
    pub(super) asked: Option<UpstreamId>,
    pub(super) asked_at: Option<Instant>,
    /// What the upstream answered, for further clients.
    pub(super) result: Option<Box<str>>,
    /// The clients that wait for it.
    pub(super) waiting: Vec<UpstreamId>,
    /// The one of them whose `initialize` the upstream got.
    pub(super) by: Option<UpstreamId>,
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
                ToUpstream::Request(id, exchange.from.ticket)
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
        actions.to_upstream.add(ToUpstream::Own(ours, by.map(|it| it.from.ticket)), spliced);
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

/// An answer to one of our own questions.
pub(super) fn own_request_answered(
    session: &mut Session,
    ask: OwnRequest,
    answer: &Answer<'_, '_>,
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
            let next =
                session.catalog.tools.learn(result, session.catalog.discovery.cursor.as_deref());
            session.verdicts.cache.forget();
            if next.is_none_or(|it| !request_page(session, Some(it), actions)) {
                settle_deferred(session, actions);
            }
        }
        (OwnRequest::Tools, None) => settle_deferred(session, actions),
    }
}

/// One of our own questions will not be answered.
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
