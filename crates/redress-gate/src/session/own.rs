//! What the gate itself asks of an upstream: the greeting of a new process, the list of tools.

use std::time::{Duration, Instant};

use indexmap::IndexSet;
use redress::json::{Doc, Kind, Members, Value};
use rustc_hash::FxBuildHasher;

use super::{Actions, Session, State, UpstreamKind, seen::Seen, upstream::Answer};
use crate::{
    exchange::Exchange,
    frame::{Frame, Shape, limits, span, splice},
    inflight::{OwnRequest, UpstreamId},
    outgoing::{Ticket, ToUpstream},
};

/// How long a new process may take to greet, at least, and how many times as long as the first one did.
const GREETING: Duration = Duration::from_secs(10);
const GREETINGS: u32 = 3;

/// How long a failure waits for the list of tools.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most pages of a list that are asked for.
const MOST_PAGES: u32 = 50;

/// How the client opened the session, to be repeated for a new process or a new session of the upstream.
#[derive(Debug, Default)]
pub(super) struct Opening {
    pub(super) initialize: Option<Vec<u8>>,
    pub(super) initialized: Option<Vec<u8>>,
    /// The upstream has accepted it once.
    pub(super) is_done: bool,
    /// How long that took.
    pub(super) took: Duration,
    /// How many sessions of the upstream there were before.
    pub(super) epoch: u32,
    /// Our own question, while it is asked, and since when.
    pub(super) asked: Option<UpstreamId>,
    pub(super) asked_at: Option<Instant>,
    /// What the upstream answered, for further clients.
    pub(super) result: Option<Box<str>>,
    /// The clients that wait for it.
    pub(super) waiting: Vec<UpstreamId>,
    /// The one of them whose words it is asked in.
    pub(super) by: Option<UpstreamId>,
    /// The clients whose revision has batches.
    pub(super) batching: IndexSet<u64, FxBuildHasher>,
}

/// The list of tools that is being asked for.
#[derive(Debug, Default)]
pub(super) struct Asking {
    id: Option<UpstreamId>,
    pages: u32,
    /// The cursor of the page, if it is not the first one.
    cursor: Option<Box<str>>,
    /// What the protocol wants in every request, from the request that failed.
    meta: String,
    /// Whose request it was.
    of: Option<Ticket>,
    /// When a failure waits for it no longer.
    until: Option<Instant>,
    /// When nobody does.
    end: Option<Instant>,
}

impl Session {
    /// Repeats the client's opening, and has everything else wait; `false` when there is nothing to repeat.
    pub(super) fn greet(&mut self, actions: &mut Actions) -> bool {
        let is_first = !self.opening.is_done;
        if is_first && !self.is_shared {
            return false;
        }
        let Some(line) = self.opening.initialize.take() else { return false };
        let Some(ours) = self.inflight.ask(OwnRequest::Initialize) else { return false };
        if let Ok(doc) = Doc::parse(&line, limits(line.len()))
            && let Some(id) = doc.root().get("id")
        {
            let spliced = |out: &mut Vec<u8>| splice(&line, span(id), &ours.digits(), out);
            let by = self.opening.by.and_then(|it| self.inflight.exchange(it));
            actions.to_upstream.add(ToUpstream::Own(ours, by.map(|it| it.from.ticket)), spliced);
        }
        self.opening.initialize = Some(line);
        self.opening.asked = Some(ours);
        self.opening.asked_at = Some(actions.now.at);
        self.opening.epoch += 1;
        // The first time it may have to be installed.
        let again = GREETING.max(self.opening.took * GREETINGS);
        let patience = if is_first { self.server.settings.deadline } else { again };
        let since = self.up_since().unwrap_or(actions.now.at);
        self.upstream = State::Greeting { since, until: actions.now.at + patience };
        actions.is_sooner = true;
        true
    }

    /// The upstream has accepted an opening, which was asked for then. What the first one takes is what the others may take.
    pub(super) fn is_opened_since(&mut self, asked: Instant) {
        let answered = self.heard.unwrap_or(asked);
        if !std::mem::replace(&mut self.opening.is_done, true) {
            self.opening.took = answered.saturating_duration_since(asked);
        }
    }

    /// Whether the upstream has opened a session.
    pub(crate) const fn is_opened(&self) -> bool {
        self.opening.is_done
    }

    /// An answer to one of our own questions.
    pub(super) fn own_answer(
        &mut self,
        ask: OwnRequest,
        answer: &Answer<'_, '_>,
        actions: &mut Actions,
    ) {
        let frame = answer.frame;
        let result = frame.payload.filter(|_| frame.shape == Shape::Result);
        match (ask, result) {
            (OwnRequest::Initialize, Some(result)) => {
                self.opened(result.raw(), actions);
                self.greeted(actions);
            }
            (OwnRequest::Initialize, None) => {
                let refuse =
                    |it: &mut Self, one, actions: &mut Actions| it.examine(one, answer, actions);
                if !self.refuse_opening(refuse, actions) {
                    self.not_greeted(actions);
                }
            }
            (OwnRequest::Tools, Some(result)) => {
                let next = self.tools.learn(result, self.asking.cursor.as_deref());
                self.memo.forget();
                if next.is_none_or(|it| !self.ask_for_page(Some(it), actions)) {
                    self.decide_all(actions);
                }
            }
            (OwnRequest::Tools, None) => self.decide_all(actions),
        }
    }

    /// Whether a message answers our own question for the list of tools.
    pub(super) fn is_list_for_us(&self, frame: &Frame<'_>) -> bool {
        self.asking.id.is_some()
            && frame.id.and_then(UpstreamId::of) == self.asking.id
            && matches!(frame.shape, Shape::Result | Shape::Error)
    }

    /// One of our own questions will not be answered.
    pub(super) fn own_failed(&mut self, ask: OwnRequest, seen: &Seen<'_>, actions: &mut Actions) {
        match ask {
            OwnRequest::Tools => self.decide_all(actions),
            OwnRequest::Initialize => {
                if !self.fail_opening(seen, actions) {
                    self.not_greeted(actions);
                }
            }
        }
    }

    /// The upstream has not opened its session in time. A process is ended for that, and its end explains the rest.
    pub(super) fn greeting_is_late(&mut self, actions: &mut Actions) {
        if self.opening.is_done && self.link == UpstreamKind::Pipe {
            actions.kill = true;
        } else {
            self.own_failed(OwnRequest::Initialize, &Seen::Deadline, actions);
        }
    }

    /// The upstream does not open its session again: a process is of no use then.
    pub(super) fn not_greeted(&mut self, actions: &mut Actions) {
        if let Some(asked) = self.opening.asked.take() {
            self.inflight.take(asked);
        }
        if self.opening.is_done {
            self.fail_all(&Seen::NotGreeted, actions);
            actions.kill = self.link == UpstreamKind::Pipe;
        }
        if let Some(since) = self.up_since().filter(|_| !actions.kill) {
            self.upstream = State::Up { since };
            self.send_held(actions);
        }
    }

    fn greeted(&mut self, actions: &mut Actions) {
        let State::Greeting { since, .. } = self.upstream else { return };
        self.is_expired = false;
        self.upstream = State::Up { since };
        if let Some(initialized) = &self.opening.initialized {
            actions.to_upstream.add_parts(ToUpstream::Other, &[initialized, b"\n"]);
        }
        self.renew_interests(actions);
        self.send_held(actions);
    }

    /// Asks for the list of tools, or joins those who wait for it; gives the time when the waiting ends.
    pub(super) fn wait_for_tools(
        &mut self,
        exchange: &Exchange,
        actions: &mut Actions,
    ) -> Option<Instant> {
        let in_time =
            |it: Option<Instant>| it.map(|it| exchange.deadline.map_or(it, |end| it.min(end)));
        if self.asking.id.is_some() {
            actions.is_sooner = true;
            return in_time(self.asking.until.filter(|it| actions.now.at < *it));
        }
        let is_worth_it = exchange.request.tool().is_some_and(|it| self.tools.is_worth_asking(it));
        if !is_worth_it || !self.is_up() {
            return None;
        }
        let meta = exchange.request.line().and_then(protocol_meta).unwrap_or_default();
        in_time(self.ask_for_tools((meta, exchange.from.ticket), actions))
    }

    /// Asks for the list of tools before a call is sent, where a failure without an answer would be told better with it.
    pub(super) fn learn_before(&mut self, id: UpstreamId, actions: &mut Actions) {
        if !self.tools.is_wanted() || self.asking.id.is_some() || !self.is_up() {
            return;
        }
        let Some(exchange) = self.inflight.exchange(id) else { return };
        if exchange.request.tool().is_some_and(|it| self.tools.is_worth_asking(it)) {
            let meta = exchange.request.line().and_then(protocol_meta).unwrap_or_default();
            let ticket = exchange.from.ticket;
            self.ask_for_tools((meta, ticket), actions);
        }
    }

    fn ask_for_tools(
        &mut self,
        (meta, ticket): (String, Ticket),
        actions: &mut Actions,
    ) -> Option<Instant> {
        let (of, until) = (Some(ticket), Some(actions.now.at + PATIENCE));
        let end = actions.now.at.checked_add(self.server.settings.deadline);
        self.asking = Asking { meta, of, until, end, ..Asking::default() };
        self.tools.asked();
        actions.is_sooner = true;
        self.asking.until.filter(|_| self.ask_for_page(None, actions))
    }

    fn ask_for_page(&mut self, cursor: Option<Value<'_>>, actions: &mut Actions) -> bool {
        if self.asking.pages >= MOST_PAGES {
            return false;
        }
        let Some(id) = self.inflight.ask(OwnRequest::Tools) else { return false };
        self.asking.id = Some(id);
        self.asking.pages += 1;
        self.asking.cursor = cursor.and_then(Value::as_str).map(Into::into);
        let mut params = String::new();
        let mut members = Members::open(&mut params);
        if let Some(cursor) = cursor {
            members.raw("cursor", cursor.raw());
        }
        if !self.asking.meta.is_empty() {
            members.raw("_meta", &self.asking.meta);
        }
        members.close();
        let digits = id.digits();
        let parts: [&[u8]; 5] = [
            br#"{"jsonrpc":"2.0","id":"#,
            &digits,
            br#","method":"tools/list","params":"#,
            params.as_bytes(),
            b"}\n",
        ];
        actions.to_upstream.add_parts(ToUpstream::Own(id, self.asking.of), &parts);
        true
    }

    /// The tools may be others from now on.
    pub(super) fn forget_tools(&mut self) {
        self.tools.forget();
        self.memo.forget();
    }

    /// When the list is too late for anybody.
    pub(super) fn end_of_asking(&self) -> Option<Instant> {
        self.asking.end.filter(|_| self.asking.id.is_some())
    }

    /// Whatever still comes for the list is of no use.
    pub(super) fn stop_asking(&mut self) {
        if let Some(id) = self.asking.id.take() {
            self.inflight.take(id);
        }
        self.asking = Asking::default();
    }
}

/// The members of a request's `_meta` that belong to the protocol, as an object.
fn protocol_meta(request: &[u8]) -> Option<String> {
    let doc = Doc::parse(request, limits(request.len())).ok()?;
    let meta = doc.root().path(&["params", "_meta"]).filter(|it| it.kind() == Kind::Object)?;
    let mut text = String::new();
    let mut members = Members::open(&mut text);
    for (key, value) in meta.members() {
        let key = key.as_str()?;
        if key.starts_with("io.modelcontextprotocol/") {
            members.raw(&key, value.raw());
        }
    }
    members.close();
    (text != "{}").then_some(text)
}
