//! What several clients of one upstream may ask and see: no client sees what belongs to another.

use redress::outcome::Malformed;
use redress_wire::json::{Doc, Kind, Members, Value};

use super::{
    Context, failure_cause::RefusalCause, interface::Actions, subscriptions::refuse_subscription,
};
use crate::{
    exchange::{Exchange, Method, Request},
    frame::{Edit, Frame, NotAFrame, Unreadable, limits, rewrite, span},
    outgoing::{ToClient, ToUpstream},
};

/// The newest revision of the protocol that has sessions: what an upstream is opened with.
const LATEST: &str = "2025-11-25";

/// Why a request of one of several clients is refused, if it is: it would show what is another one's.
pub(super) fn refuse_foreign(
    cx: Context<'_>,
    frame: &Frame<'_>,
    exchange: &Exchange,
) -> Option<RefusalCause> {
    if exchange.request.method == Method::Interest {
        return refuse_subscription(cx, frame, exchange);
    }
    let is_opening = cx.tenancy.is_shared && exchange.request.method == Method::Initialize;
    if is_opening && frame.params.is_none_or(|it| it.kind() != Kind::Object) {
        // The upstream is opened in the words of its first client; there is none.
        let why = Unreadable::Frame(NotAFrame::BadParams);
        return Some(RefusalCause::Malformed(Malformed::Unreadable(why)));
    }
    let rest = frame.method.strip_prefix("tasks/").filter(|_| cx.tenancy.is_shared)?;
    if rest == "list" {
        return Some(RefusalCause::Unshared);
    }
    let task = frame.params.and_then(|it| it.get("taskId")).and_then(Value::as_str);
    // A server may take a number for the text of it.
    let Some(task) = task else { return Some(RefusalCause::UnknownTask) };
    // Without a session a task can be older than the gate: what nobody began here, the server answers for. One of which nothing is
    // known any more may be anybody's.
    let is_older = exchange.request.is_sessionless && cx.tenancy.tasks.is_of_nobody(&task);
    let is_own = is_older || cx.tenancy.tasks.is_of(&task, exchange.from.client);
    (!is_own).then_some(RefusalCause::UnknownTask)
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
    actions.to_client.add_parts(ToClient::Answer(exchange.from.reply_token, 200), &parts);
}

/// An `initialize` that promises nothing only one client could keep, in the newest revision.
pub(super) fn without_client(line: &[u8]) -> Option<Vec<u8>> {
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
pub(super) fn for_client(result: &str, request: &Request) -> String {
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
