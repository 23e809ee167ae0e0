//! Several clients of one upstream: it is opened once, without what only one client could answer, and nobody sees what
//! is another one's.

use redress::json::{Doc, Kind, Members, Value};

use super::{Actions, HttpFailure, Session, seen::Seen};
use crate::{
    exchange::{Exchange, Method, Request},
    frame::{Edit, Frame, Malformed, NotAFrame, Unreadable, limits, rewrite, span},
    inflight::{InFlightEntry, UpstreamId},
    metrics::Outcome,
    outgoing::{ToClient, ToUpstream},
};

/// The newest revision of the protocol that has sessions: what an upstream is opened with.
const LATEST: &str = "2025-11-25";

/// Who has made requests. What a process writes without saying for whom is told as long as that is one client.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    #[default]
    Nobody,
    One(u64),
    Several,
}

impl Audience {
    pub(super) const fn joined_by(&mut self, client: u64) {
        *self = match *self {
            Self::Nobody => Self::One(client),
            Self::One(first) if first == client => Self::One(first),
            _ => Self::Several,
        };
    }
}

impl Session {
    /// A client opens its session: with what the upstream answered the first one.
    pub(super) fn open_shared(&mut self, line: &[u8], ours: UpstreamId, actions: &mut Actions) {
        if self.opening.result.is_some() {
            return self.answer_opening(ours, actions);
        }
        let inflight = &self.inflight;
        self.opening.waiting.retain(|it| inflight.exchange(*it).is_some());
        self.opening.waiting.push(ours);
        let is_asked = self.opening.asked.is_some_and(|it| self.inflight.is_asked(it));
        if !is_asked {
            self.opening.initialize = without_client(line);
            self.opening.by = Some(ours);
        }
        if !is_asked && self.is_up() && !self.greet(actions) {
            self.opening.initialize = None;
        }
    }

    /// The upstream was opened: whoever waited for that hears what it answered.
    pub(super) fn opened(&mut self, result: &str, actions: &mut Actions) {
        if !self.is_shared {
            return;
        }
        self.is_opened_since(self.opening.asked_at.unwrap_or(actions.now.at));
        self.opening.by = None;
        self.opening.result = Some(result.into());
        if self.opening.initialized.is_none() {
            let line = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
            self.opening.initialized = Some(line.to_vec());
        }
        for ours in std::mem::take(&mut self.opening.waiting) {
            self.answer_opening(ours, actions);
        }
    }

    /// The upstream refused to be opened in the words of one client: that one is told, and the next one is asked for.
    /// Gives whether there is one.
    pub(super) fn refuse_opening(
        &mut self,
        refuse: impl Fn(&mut Self, Box<Exchange>, &mut Actions),
        actions: &mut Actions,
    ) -> bool {
        let mut refused = self.opening.by.take();
        loop {
            let taken = refused.and_then(|it| self.inflight.take(it));
            self.opening.waiting.retain(|it| Some(*it) != refused);
            if let Some(InFlightEntry::Answer(exchange)) = taken {
                refuse(self, exchange, actions);
            }
            let Some(next) = self.opening.waiting.first().copied() else { return false };
            if self.open_for(next, actions) {
                return true;
            }
            refused = Some(next);
        }
    }

    /// Opens the upstream in the words of a client that waits for that, if they are known.
    fn open_for(&mut self, client: UpstreamId, actions: &mut Actions) -> bool {
        let request = self.inflight.exchange(client).map(|it| &it.request);
        let Some(line) = request.and_then(|it| without_client(it.line()?)) else { return false };
        (self.opening.initialize, self.opening.by) = (Some(line), Some(client));
        self.greet(actions)
    }

    /// The same where no answer says why: what is not about one client's words is told to all who wait.
    pub(super) fn fail_opening(&mut self, seen: &Seen<'_>, actions: &mut Actions) -> bool {
        if let Seen::HttpFailed(HttpFailure::Status { status: 400 | 401 | 403 | 422, .. }) = seen {
            let refuse = |it: &mut Self, one, actions: &mut Actions| {
                it.fail(one, seen, actions);
            };
            return self.refuse_opening(refuse, actions);
        }
        for exchange in self.take_openings() {
            self.fail(exchange, seen, actions);
        }
        false
    }

    #[expect(clippy::vec_box, reason = "they move in and out as they are")]
    fn take_openings(&mut self) -> Vec<Box<Exchange>> {
        let waiting = std::mem::take(&mut self.opening.waiting).into_iter();
        let taken = waiting.filter_map(|it| match self.inflight.take(it) {
            Some(InFlightEntry::Answer(exchange)) => Some(exchange),
            _ => None,
        });
        taken.collect()
    }

    fn answer_opening(&mut self, ours: UpstreamId, actions: &mut Actions) {
        let Some(InFlightEntry::Answer(exchange)) = self.inflight.take(ours) else { return };
        let result = self.opening.result.as_deref().unwrap_or("{}");
        let result = for_client(result, &exchange.request);
        if let Ok(doc) = Doc::parse(result.as_bytes(), limits(result.len())) {
            self.agreed(exchange.from.client, doc.root());
        }
        let to = ToClient::Answer(exchange.from.ticket, 200);
        let id = exchange.request.id().as_bytes();
        actions.to_client.add(to, |out| {
            out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
            out.extend_from_slice(id);
            out.extend_from_slice(br#","result":"#);
            out.extend_from_slice(result.as_bytes());
            out.extend_from_slice(b"}\n");
        });
        self.finish(exchange, Outcome::Ok, actions.now.at);
    }

    /// Why a request of one of several clients is refused, if it is: it would show what is another one's.
    pub(super) fn refusal_of_shared(
        &self,
        frame: &Frame<'_>,
        exchange: &Exchange,
    ) -> Option<Seen<'static>> {
        if exchange.request.method == Method::Interest {
            return self.refusal_of_interest(frame, exchange);
        }
        let is_opening = self.is_shared && exchange.request.method == Method::Initialize;
        if is_opening && frame.params.is_none_or(|it| it.kind() != Kind::Object) {
            // The upstream is opened in the words of its first client, of which there are none.
            let why = Unreadable::Frame(NotAFrame::BadParams);
            return Some(Seen::Malformed(Malformed::Unreadable(why)));
        }
        let rest = frame.method.strip_prefix("tasks/").filter(|_| self.is_shared)?;
        if rest == "list" {
            return Some(Seen::Unshared);
        }
        let task = frame.params.and_then(|it| it.get("taskId")).and_then(Value::as_str);
        // A server may take a number for the text of it.
        let Some(task) = task else { return Some(Seen::UnknownTask) };
        // Without a session a task can be older than the gate: what nobody began here, the server answers for. One of which nothing is
        // known any more may be anybody's.
        let is_older = exchange.request.is_sessionless && self.tasks.is_of_nobody(&task);
        let is_own = is_older || self.tasks.is_of(&task, exchange.from.client);
        (!is_own).then_some(Seen::UnknownTask)
    }

    /// A request of an upstream that has several clients: none of them can answer for all.
    pub(super) fn answer_upstream(frame: &Frame<'_>, id: Value<'_>, actions: &mut Actions) {
        let answer: &[u8] = if frame.method == "ping" {
            br#","result":{}}"#
        } else {
            br#","error":{"code":-32601,"message":"This server has several clients, none of which can be asked."}}"#
        };
        let parts: [&[u8]; 4] = [br#"{"jsonrpc":"2.0","id":"#, id.raw().as_bytes(), answer, b"\n"];
        actions.to_upstream.add_parts(ToUpstream::Other, &parts);
    }

    /// A subscription that the upstream ended: over HTTP its answer is what ends it.
    pub(super) fn end_subscription(exchange: &Exchange, actions: &mut Actions) {
        let id = exchange.request.id().as_bytes();
        let parts: [&[u8]; 5] = [
            br#"{"jsonrpc":"2.0","id":"#,
            id,
            br#","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"#,
            id,
            b"}}}\n",
        ];
        actions.to_client.add_parts(ToClient::Answer(exchange.from.ticket, 200), &parts);
    }
}

/// An `initialize` that promises nothing only one client could keep, in the newest revision.
fn without_client(line: &[u8]) -> Option<Vec<u8>> {
    let doc = Doc::parse(line, limits(line.len())).ok()?;
    let params = doc.root().get("params")?;
    let capabilities = params.get("capabilities").map(|it| Edit { at: span(it), with: b"{}" });
    let latest = format!("\"{LATEST}\"");
    let revision = params.get("protocolVersion");
    let revision = revision.map(|it| Edit { at: span(it), with: latest.as_bytes() });
    let mut edits: Vec<_> = capabilities.into_iter().chain(revision).collect();
    let mut out = Vec::new();
    rewrite(line, &mut edits, &mut out);
    out.pop();
    Some(out)
}

/// What the upstream answered, without the list of all clients' tasks, and in the client's revision if that is an older one.
fn for_client(result: &str, request: &Request) -> String {
    let result = without_list(result).unwrap_or_else(|| result.to_owned());
    in_revision(&result, request).unwrap_or(result)
}

fn without_list(result: &str) -> Option<String> {
    let doc = Doc::parse(result.as_bytes(), limits(result.len())).ok()?;
    let tasks = doc.root().path(&["capabilities", "tasks"])?;
    tasks.get("list")?;
    let mut rest = String::new();
    let mut members = Members::open(&mut rest);
    for (key, value) in tasks.members().filter(|it| !it.0.is_str("list")) {
        members.raw(&key.as_str()?, value.raw());
    }
    members.close();
    let mut out = Vec::new();
    rewrite(result.as_bytes(), &mut [Edit { at: span(tasks), with: rest.as_bytes() }], &mut out);
    out.pop();
    String::from_utf8(out).ok()
}

fn in_revision(result: &str, request: &Request) -> Option<String> {
    let asked = Doc::parse(request.line()?, limits(usize::MAX)).ok()?;
    let asked = asked.root().path(&["params", "protocolVersion"])?.as_str()?.into_owned();
    let doc = Doc::parse(result.as_bytes(), limits(result.len())).ok()?;
    let given = doc.root().get("protocolVersion")?;
    // Revisions are dates, whose order is that of their letters.
    let is_older = is_revision(&asked) && *asked < *given.as_str()?;
    let asked = format!("\"{asked}\"");
    let mut edit = [Edit { at: span(given), with: asked.as_bytes() }];
    let mut out = Vec::new();
    rewrite(result.as_bytes(), &mut edit, &mut out);
    out.pop();
    is_older.then(|| String::from_utf8(out).ok())?
}

fn is_revision(text: &str) -> bool {
    matches!(text, "2024-11-05" | "2025-03-26" | "2025-06-18" | LATEST)
}
