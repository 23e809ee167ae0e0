//! `Session`: one client, or several, and one upstream. Bytes and moments go in, bytes and orders come out; no I/O.

mod actions;
mod addresses;
mod again;
mod batch;
mod client;
mod details;
mod endpoints;
mod garbled;
mod gone;
mod governed;
mod head;
mod interests;
mod judge;
mod last_words;
mod later;
mod list;
mod meter;
mod own;
mod reach;
mod refused;
mod reserved;
mod rewrite;
mod route;
mod said;
mod seen;
mod sharing;
mod start;
mod tasks;
mod tell;
mod upstream;
mod useless;
mod withdraw;
mod writes;

use std::{sync::Arc, time::Instant};

use indexmap::IndexMap;
use redress::json::Scratch;
use rustc_hash::FxBuildHasher;

use crate::{
    breaker::{Breaker, is_of_transport},
    exchange::{Exchange, Method},
    fault_template::TemplateCache,
    inflight::{InFlight, InFlightEntry, UpstreamId},
    limits::ClientShares,
    memory::Reservation,
    metrics::Event,
    outgoing::ToUpstream,
    restarts::Restarts,
    server::Server,
    session::{seen::Seen, tell::Judged},
    tail::Tail,
    tools::Tools,
};

pub use actions::{Actions, Expected};
pub use again::Repeat;
pub use endpoints::{ClientKind, Exit, FailureScope, HttpFailure, KillReason, Phase, UpstreamKind};
pub(crate) use head::HttpHead;
pub(crate) use upstream::MessageSource;

/// One client and one upstream.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Session {
    server: Arc<Server>,
    /// Whether the upstream is asked at all.
    breaker: Arc<Breaker>,
    /// What each client may ask.
    shares: ClientShares,
    client: ClientKind,
    link: UpstreamKind,
    /// Whether it has several clients.
    is_shared: bool,
    /// Who has made requests.
    audience: sharing::Audience,
    /// What each of several clients wants to hear.
    interests: interests::Interests,
    /// What is known of the tasks that the upstream has begun.
    tasks: tasks::Tasks,
    inflight: InFlight,
    upstream: State,
    /// What the upstream gets once it is ready.
    held: Vec<Held>,
    held_bytes: usize,
    opening: own::Opening,
    tools: Tools,
    /// What was judged lately, as long as the tools are the same.
    memo: TemplateCache<Judged>,
    /// The list of tools that we ask for ourselves.
    asking: own::Asking,
    /// Failures whose judgement waits for the list of tools.
    undecided: Vec<Undecided>,
    /// Calls that are made again after a pause.
    repeats: Vec<again::Waiting>,
    /// Writes that are checked.
    writes: writes::Writes,
    /// Requests of the upstream that the client has not answered, by the number under which it knows them: the upstream's own id.
    asked_by_upstream: IndexMap<u64, Box<str>, FxBuildHasher>,
    restarts: Restarts,
    /// Whether the present process has said anything.
    has_spoken: bool,
    stderr: Arc<Tail>,
    /// When the upstream last wrote something.
    heard: Option<Instant>,
    /// How many messages without an answer it was sent, and how many of them it has read for sure: it has answered something that
    /// was sent later.
    notes: u64,
    notes_read: u64,
    /// When a deadline passed last in which it wrote nothing.
    silent: Option<Instant>,
    /// Why new requests are refused, if they are.
    door: Door,
    /// Whether the upstream has said that its session is over.
    is_expired: bool,
    /// Whether the line that is too long has been answered already: the upstream's, the client's.
    is_long_answered: bool,
    is_client_long_answered: bool,
    /// Whether the line of the client that is too long is itself an answer.
    is_client_long_answer: bool,
    /// The lines of the upstream that were of no use.
    useless: useless::Useless,
    /// How the last process ended.
    last_exit: Option<Exit>,
    scratch: Scratch,
    /// Requests that are over, for the next ones.
    #[expect(clippy::vec_box, reason = "they move in and out as they are")]
    spare: Vec<Box<Exchange>>,
}

/// Whether new requests are let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    /// They are.
    Open,
    /// Not while their failures could not be recorded.
    Unrecorded,
    /// Never again: the gate ends.
    Closing,
}

/// Where the upstream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It does not run.
    Down,
    /// It is to be started then.
    StartAt(Instant),
    /// It is being started.
    Starting,
    /// It runs, and is told who the client is.
    Greeting { since: Instant, until: Instant },
    /// It runs.
    Up { since: Instant },
}

/// A line for an upstream that is not ready.
#[derive(Debug)]
struct Held {
    /// Whose request it is; a notification has none.
    id: Option<UpstreamId>,
    line: Vec<u8>,
    /// The bytes that are reserved for it.
    memory: Vec<Reservation>,
}

/// An answer that may be a failure, kept until the list of tools is there.
#[derive(Debug)]
struct Undecided {
    exchange: Box<Exchange>,
    line: Vec<u8>,
    /// What stood above it, over HTTP.
    http: Option<HttpHead>,
    until: Instant,
}

impl Session {
    /// A session of one client, whose upstream is being started.
    pub fn new(server: Arc<Server>, client: ClientKind, upstream: UpstreamKind) -> Self {
        let breaker = match upstream {
            UpstreamKind::Pipe => server.breakers.own(),
            UpstreamKind::Http => server.breakers.shared(),
        };
        Self {
            breaker,
            shares: server.shares(),
            server,
            client,
            link: upstream,
            is_shared: false,
            audience: sharing::Audience::default(),
            interests: interests::Interests::default(),
            tasks: tasks::Tasks::default(),
            inflight: InFlight::default(),
            upstream: State::Starting,
            held: Vec::new(),
            held_bytes: 0,
            opening: own::Opening::default(),
            tools: Tools::default(),
            memo: TemplateCache::new(),
            asking: own::Asking::default(),
            undecided: Vec::new(),
            repeats: Vec::new(),
            writes: writes::Writes::default(),
            heard: None,
            notes: 0,
            notes_read: 0,
            silent: None,
            asked_by_upstream: IndexMap::default(),
            restarts: Restarts::default(),
            has_spoken: false,
            stderr: Arc::default(),
            door: Door::Open,
            is_expired: false,
            is_long_answered: false,
            is_client_long_answered: false,
            is_client_long_answer: false,
            useless: useless::Useless::default(),
            last_exit: None,
            scratch: Scratch::default(),
            spare: Vec::new(),
        }
    }

    /// A session of any number of clients over HTTP, each of which sees only what is its own.
    pub fn shared(server: Arc<Server>, upstream: UpstreamKind) -> Self {
        let breaker = server.breakers.shared();
        Self { is_shared: true, breaker, ..Self::new(server, ClientKind::Http, upstream) }
    }

    /// Whether nobody waits for an answer.
    pub fn is_idle(&self) -> bool {
        self.inflight.answers() == 0 && self.undecided.is_empty()
    }

    /// Whether failures of new calls could be recorded; while they cannot, new requests are refused.
    pub const fn admit_calls(&mut self, is_recorded: bool) {
        self.door = match (self.door, is_recorded) {
            (Door::Closing, _) => Door::Closing,
            (_, true) => Door::Open,
            (_, false) => Door::Unrecorded,
        };
    }

    /// The upstream runs. What it writes to stderr goes to `stderr`.
    pub fn upstream_ready(&mut self, stderr: Arc<Tail>, actions: &mut Actions) {
        self.stderr = stderr;
        if self.restarts.started() {
            self.server.metrics.happened(Event::Restart);
        }
        self.upstream = State::Up { since: actions.now.at };
        self.has_spoken = false;
        self.notes_read = self.notes;
        let is_opened_anew = self.held.iter().any(|it| {
            let exchange = it.id.and_then(|id| self.inflight.exchange(id));
            exchange.is_some_and(|it| it.request.method == Method::Initialize)
        });
        if is_opened_anew || !self.greet(actions) {
            self.send_held(actions);
        }
    }

    /// The gate ends: everybody who waits is told.
    pub fn close(&mut self, actions: &mut Actions) {
        self.door = Door::Closing;
        self.decide_all(actions);
        self.linger_all(actions.now.at);
        self.fail_all(&Seen::Closing, actions);
    }

    /// When [`Self::expire`] has something to do, if nothing else happens before.
    pub fn next_deadline(&self) -> Option<Instant> {
        let of_upstream = match self.upstream {
            State::StartAt(then) => Some(then),
            State::Greeting { until, .. } => Some(until),
            _ => None,
        };
        let entry = self.inflight.all().filter_map(|(_, entry)| match entry {
            InFlightEntry::Answer(exchange) => exchange.deadline,
            InFlightEntry::Nothing { until } => Some(*until),
            InFlightEntry::Own(_) => None,
        });
        let undecided = self.undecided.iter().map(|it| it.until);
        let late = self.writes.next_late();
        let own = self.next_repeat().into_iter().chain(self.end_of_asking());
        entry.chain(undecided).chain(own).chain(late).chain(of_upstream).min()
    }

    /// Does what is due: deadlines, a start that was put off.
    pub fn expire(&mut self, actions: &mut Actions) {
        let mut silence = None;
        for id in self.in_order() {
            if let Some(InFlightEntry::Answer(mut exchange)) = self.inflight.due(id, actions.now.at)
            {
                self.linger(id, &mut exchange, actions.now.at);
                let is_silent = exchange.sent && self.heard.is_none_or(|it| it < exchange.started);
                self.cancel_upstream(id, &exchange, "the deadline has passed", actions);
                let waited = actions.now.at.saturating_duration_since(exchange.started);
                if is_of_transport(self.fail(exchange, &Seen::Deadline, actions)) && is_silent {
                    silence = silence.max(Some(waited));
                }
            }
        }
        self.was_silent(silence, actions.now.at);
        self.writes.expire(actions.now.at);
        if self.end_of_asking().is_some_and(|it| it <= actions.now.at) {
            self.decide_all(actions);
        }
        self.repeat_what_is_due(actions);
        if self.undecided.iter().any(|it| it.until <= actions.now.at) {
            self.decide_now(actions);
        }
        match self.upstream {
            State::StartAt(then) if then <= actions.now.at => {
                self.upstream = if self.held.is_empty() { State::Down } else { State::Starting };
                actions.start = !self.held.is_empty();
            }
            State::Greeting { until, .. } if until <= actions.now.at => {
                self.greeting_is_late(actions)
            }
            _ => (),
        }
    }

    /// Sends what was kept for the upstream, unless it is over by now.
    fn send_held(&mut self, actions: &mut Actions) {
        self.held_bytes = 0;
        // A process that has said nothing yet was started for these.
        let stderr = if self.has_spoken { self.stderr.position() } else { 0 };
        for Held { id, line, memory } in std::mem::take(&mut self.held) {
            if let Some(id) = id {
                self.learn_before(id, actions);
            }
            let to = match id.map(|it| (it, self.inflight.exchange_mut(it))) {
                Some((_, None)) => continue,
                Some((id, Some(exchange))) => {
                    (exchange.sent, exchange.epoch) = (true, self.opening.epoch);
                    exchange.stderr = stderr;
                    ToUpstream::Request(id, exchange.from.ticket)
                }
                None => ToUpstream::Other,
            };
            actions.to_upstream.add_parts(to, &[&line]);
            actions.queued.extend(memory);
        }
    }

    /// Everything that is owed fails for the same reason.
    fn fail_all(&mut self, seen: &Seen<'_>, actions: &mut Actions) {
        self.held.clear();
        self.held_bytes = 0;
        let mut is_out_of_reach = false;
        for id in self.in_order() {
            if seen.is_out_of_reach() && self.is_waiting(id) {
                continue;
            }
            if let Some(InFlightEntry::Answer(exchange)) = self.inflight.take(id) {
                let class = self.fail(exchange, seen, actions);
                is_out_of_reach |= seen.is_out_of_reach() && is_of_transport(class);
            }
        }
        // However many requests it hits, it is one event.
        if is_out_of_reach {
            self.out_of_reach(actions.now.at);
        }
    }

    /// Every id in flight, oldest request first.
    fn in_order(&self) -> Vec<UpstreamId> {
        let started = |entry: &InFlightEntry| match entry {
            InFlightEntry::Answer(exchange) => Some(exchange.started),
            _ => None,
        };
        let mut ids: Vec<_> = self.inflight.all().map(|(id, it)| (started(it), id)).collect();
        ids.sort_by_key(|it| it.0);
        ids.into_iter().map(|it| it.1).collect()
    }

    /// Whether the upstream takes lines now.
    const fn is_up(&self) -> bool {
        matches!(self.upstream, State::Up { .. })
    }

    /// Since when the upstream runs.
    const fn up_since(&self) -> Option<Instant> {
        match self.upstream {
            State::Up { since } | State::Greeting { since, .. } => Some(since),
            _ => None,
        }
    }

    /// The limit on how much is kept for an upstream that is not ready.
    fn held_limit(&self) -> usize {
        self.server.settings.max_message.saturating_mul(2)
    }
}

#[cfg(test)]
pub(crate) mod tests;
