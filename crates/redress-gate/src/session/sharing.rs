//! Several clients of one upstream: it is opened once, without what only one client could answer, and nobody sees what
//! is another one's.

use redress::json::{Doc, Kind, Members, Value};

use super::{
    Session,
    actions::Actions,
    context::Context,
    endpoints::HttpFailure,
    failure_cause::{FailureCause, Refusal},
    handshake::repeat_handshake,
    pipeline::{fail, finish},
    subscriptions::refuse_subscription,
};
use crate::{
    exchange::{Exchange, Method, Request},
    frame::{Edit, Frame, Malformed, NotAFrame, Unreadable, limits, rewrite, span},
    inflight::InFlightEntry,
    metrics::Completion,
    outgoing::{ToClient, ToUpstream},
    upstream_id::UpstreamId,
};

/// The newest revision of the protocol that has sessions: what an upstream is opened with.
const LATEST: &str = "2025-11-25";

/// A client opens its session: with what the upstream answered the first one.
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

/// The upstream was opened: whoever waited for that hears what it answered.
pub(super) fn shared_opened(session: &mut Session, result: &str, actions: &mut Actions) {
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

/// The upstream refused to be opened in the words of one client: that one is told, and the next one is asked for.
/// Gives whether there is one.
pub(super) fn refuse_handshake(
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

/// Opens the upstream in the words of a client that waits for that, if they are known.
fn open_for(session: &mut Session, client: UpstreamId, actions: &mut Actions) -> bool {
    let request = session.inflight.exchange(client).map(|it| &it.request);
    let Some(line) = request.and_then(|it| without_client(it.line()?)) else { return false };
    (session.handshake.initialize, session.handshake.by) = (Some(line), Some(client));
    repeat_handshake(session, actions)
}

/// The same where no answer says why: what is not about one client's words is told to all who wait.
pub(super) fn fail_handshake(
    session: &mut Session,
    cause: &FailureCause<'_>,
    actions: &mut Actions,
) -> bool {
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
    let to = ToClient::Answer(exchange.from.ticket, 200);
    let id = exchange.request.id().as_bytes();
    actions.to_client.add(to, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id);
        out.extend_from_slice(br#","result":"#);
        out.extend_from_slice(result.as_bytes());
        out.extend_from_slice(b"}\n");
    });
    finish(session, exchange, Completion::Ok, actions.now.at);
}

/// Why a request of one of several clients is refused, if it is: it would show what is another one's.
pub(super) fn refuse_foreign(
    cx: Context<'_>,
    frame: &Frame<'_>,
    exchange: &Exchange,
) -> Option<Refusal> {
    if exchange.request.method == Method::Interest {
        return refuse_subscription(cx, frame, exchange);
    }
    let is_opening = cx.tenancy.is_shared && exchange.request.method == Method::Initialize;
    if is_opening && frame.params.is_none_or(|it| it.kind() != Kind::Object) {
        // The upstream is opened in the words of its first client, of which there are none.
        let why = Unreadable::Frame(NotAFrame::BadParams);
        return Some(Refusal::Malformed(Malformed::Unreadable(why)));
    }
    let rest = frame.method.strip_prefix("tasks/").filter(|_| cx.tenancy.is_shared)?;
    if rest == "list" {
        return Some(Refusal::Unshared);
    }
    let task = frame.params.and_then(|it| it.get("taskId")).and_then(Value::as_str);
    // A server may take a number for the text of it.
    let Some(task) = task else { return Some(Refusal::UnknownTask) };
    // Without a session a task can be older than the gate: what nobody began here, the server answers for. One of which nothing is
    // known any more may be anybody's.
    let is_older = exchange.request.is_sessionless && cx.tenancy.tasks.is_of_nobody(&task);
    let is_own = is_older || cx.tenancy.tasks.is_of(&task, exchange.from.client);
    (!is_own).then_some(Refusal::UnknownTask)
}

/// A request of an upstream that has several clients: none of them can answer for all.
pub(super) fn answer_for_clients(frame: &Frame<'_>, id: Value<'_>, actions: &mut Actions) {
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
