//! Routes requests and notifications of the upstream to clients, and translates the ids in them.

use redress_wire::json::Value;

use super::{
    Session,
    catalog::forget_tools,
    interface::{Actions, ClientKind, MessageSource, UpstreamKind},
    pipeline::{finish, upstream_message},
    reserved_keys::without_stated,
    sharing::{answer_for_clients, end_subscription},
    subscriptions::{resource_changed, wants_log},
    tasks::{is_of_task, stated_in_state, task_failed},
};
use crate::{
    exchange::Method,
    frame::{Edit, Frame, Shape, rewrite, span},
    inflight::InFlightEntry,
    metrics::Completion,
    outgoing::ToClient,
    upstream_id::UpstreamId,
};

/// Where a notification names the subscription that it belongs to.
pub(super) const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) to: ToClient,
    /// Parts of it, and what the client calls them.
    pub(super) named: Vec<(std::ops::Range<usize>, Box<str>)>,
}

impl Route {
    const fn plain(to: ToClient) -> Self {
        Self { to, named: Vec::new() }
    }
}

/// A request or a notification of the upstream.
pub(super) fn upstream_request(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    source: MessageSource,
    actions: &mut Actions,
) {
    if let (Shape::Request, Some(id)) = (frame.shape, frame.id) {
        if session.tenancy.is_shared {
            return answer_for_clients(frame, id, actions);
        }
        return ask_client(session, line, (frame, id), source, actions);
    }
    match &*frame.method {
        "notifications/tools/list_changed" => forget_tools(session),
        "notifications/cancelled" if upstream_cancels(session, line, frame, actions) => return,
        "notifications/progress" if is_stale_progress(session, frame) => return,
        "notifications/resources/updated"
            if !is_of_subscription(frame)
                && resource_changed(session.context(), line, frame, actions) =>
        {
            return;
        }
        method if is_of_task(method) && task_failed(session, line, frame, source, actions) => {
            return;
        }
        _ => (),
    }
    let stated = frame.params.filter(|_| is_of_task(&frame.method)).and_then(stated_in_state);
    if let Some(line) = without_stated(session.context(), line, frame.root, stated) {
        return upstream_message(session, &line, source, actions);
    }
    if let Some(route) = route_of(session, frame, source) {
        actions.to_client.add(route.to, |out| write_routed(line, &route, out));
    }
}

/// A request of the upstream goes on under a number of ours: an answer that comes late is not taken for that to the question of
/// another process, which may have the same id.
fn ask_client(
    session: &mut Session,
    line: &[u8],
    (frame, id): (&Frame<'_>, Value<'_>),
    source: MessageSource,
    actions: &mut Actions,
) {
    let Some(mut route) = route_of(session, frame, source) else { return };
    let ours = session.inflight.ask_client(id.raw());
    route.named.push((span(id), ours.to_string().into()));
    let during =
        if let ToClient::During(reply_token) = route.to { Some(reply_token) } else { None };
    let to = ToClient::Question(ours, during);
    actions.to_client.add(to, |out| write_routed(line, &route, out));
}

/// Where a message goes; one that no client waits for has no route.
pub(super) fn route_of(
    session: &Session,
    frame: &Frame<'_>,
    source: MessageSource,
) -> Option<Route> {
    if frame.method == "notifications/progress" && session.tenancy.maps_tokens() {
        return route_of_progress(session, frame);
    }
    let meta = frame.params.and_then(|it| it.get("_meta"));
    if let Some(value) = meta.and_then(|it| it.get(SUBSCRIPTION_KEY)) {
        return route_of_subscription(session, value);
    }
    if frame.method.starts_with("notifications/tasks") && session.tenancy.is_shared {
        let task = frame.params?.get("taskId")?.as_str()?;
        return session.tenancy.tasks.get(&task).map(|it| Route::plain(ToClient::One(it.client)));
    }
    let about = source.about.and_then(|it| session.inflight.exchange(it));
    if is_for_all(&frame.method) {
        return Some(Route::plain(ToClient::Any));
    }
    // A pipe does not say it; what comes over HTTP beside all answers belongs to none of them.
    let is_told = session.upstream.kind == UpstreamKind::Pipe && !session.tenancy.has_several();
    let only = || session.inflight.only().filter(|_| is_told);
    let is_log = frame.method == "notifications/message";
    match about.or_else(only) {
        Some(exchange) if is_log && !wants_log(session.context(), frame, exchange) => None,
        Some(exchange) => Some(Route::plain(ToClient::During(exchange.from.reply_token))),
        // What belongs to one of several clients, and does not say to which, has no route.
        None => (!session.tenancy.is_shared).then_some(Route::plain(ToClient::Any)),
    }
}

/// Whether progress is behind what the client has heard of, because the call was made again: it must only grow.
fn is_stale_progress(session: &mut Session, frame: &Frame<'_>) -> bool {
    let Some(params) = frame.params else { return false };
    let (Some(token), Some(progress)) = (params.get("progressToken"), params.get("progress"))
    else {
        return false;
    };
    let Ok(progress) = progress.raw().parse::<f64>() else { return false };
    let id = if session.tenancy.maps_tokens() {
        UpstreamId::of(token)
    } else {
        session.inflight.waiting_under(token)
    };
    let Some(exchange) = id.and_then(|it| session.inflight.exchange_mut(it)) else { return false };
    if exchange.repeats > 0 && progress <= exchange.progress {
        return true;
    }
    exchange.progress = progress;
    false
}

fn route_of_progress(session: &Session, frame: &Frame<'_>) -> Option<Route> {
    let token = frame.params?.get("progressToken")?;
    let ours = UpstreamId::of(token)?;
    let named = |it: &str| vec![(span(token), it.into())];
    if let Some(exchange) = session.inflight.exchange(ours) {
        let to = ToClient::During(exchange.from.reply_token);
        return Some(Route { to, named: named(exchange.request.token()?) });
    }
    let (client, token) = session.tenancy.tasks.progress(ours)?;
    Some(Route { to: ToClient::One(client), named: named(token) })
}

fn route_of_subscription(session: &Session, value: Value<'_>) -> Option<Route> {
    let exchange = session.inflight.exchange(UpstreamId::of(value)?)?;
    let named = vec![(span(value), exchange.request.id().into())];
    Some(Route { to: ToClient::During(exchange.from.reply_token), named })
}

/// The upstream withdraws something: a subscription of the client, or a request of its own.
fn upstream_cancels(
    session: &mut Session,
    line: &[u8],
    frame: &Frame<'_>,
    actions: &mut Actions,
) -> bool {
    let Some(id) = frame.params.and_then(|it| it.get("requestId")) else { return false };
    let ours = UpstreamId::of(id).filter(|it| {
        session.inflight.exchange(*it).is_some_and(|it| it.request.method == Method::Listen)
    });
    let Some(InFlightEntry::Answer(exchange)) = ours.and_then(|it| session.inflight.take(it))
    else {
        withdraw_question(session, line, id, actions);
        return true;
    };
    let to = ToClient::During(exchange.from.reply_token);
    let named = vec![(span(id), exchange.request.id().into())];
    actions.to_client.add(to, |out| write_routed(line, &Route { to, named }, out));
    if session.tenancy.client == ClientKind::Http {
        end_subscription(&exchange, actions);
    }
    finish(session, exchange, Completion::Ok, actions.now);
    true
}

/// The upstream withdraws a request of its own, which the client knows under a number of ours.
fn withdraw_question(session: &mut Session, line: &[u8], id: Value<'_>, actions: &mut Actions) {
    if let Some(ours) = session.inflight.questions.remove_by_id(id) {
        let route = Route { to: ToClient::Any, named: vec![(span(id), ours.to_string().into())] };
        actions.to_client.add(route.to, |out| write_routed(line, &route, out));
    }
}

/// Appends a line with the client's own name for what it is about.
pub(super) fn write_routed(line: &[u8], route: &Route, out: &mut Vec<u8>) {
    let edit = route.named.iter();
    let edit = edit.map(|(at, with)| Edit { at: at.clone(), with: with.as_bytes() });
    rewrite(line, &mut edit.collect::<Vec<_>>(), out);
}

/// Whether a message belongs to a subscription, as it does since 2026-07-28.
fn is_of_subscription(frame: &Frame<'_>) -> bool {
    frame.params.is_some_and(|it| it.path(&["_meta", SUBSCRIPTION_KEY]).is_some())
}

/// Whether a notification says something about the server as such.
fn is_for_all(method: &str) -> bool {
    method.ends_with("/list_changed") || method == "notifications/resources/updated"
}
