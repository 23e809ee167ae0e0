//! To whom a message of the upstream belongs that is no answer, and under which names the client knows what it is about.

use redress::json::{RawJson, Value};

use super::{
    Actions, ClientKind, Session, UpstreamKind,
    sharing::Audience,
    tasks::stated_in_state,
    upstream::{MOST_ASKED, MessageSource, is_of_task},
};
use crate::{
    exchange::Method,
    frame::{Edit, Frame, Shape, rewrite, span},
    inflight::{InFlightEntry, UpstreamId},
    metrics::Outcome,
    outgoing::ToClient,
};

/// How long a number is under which a client is asked: every reader of JSON keeps that many bits.
const NUMBER_BITS: u32 = 46;

/// Where a notification names the subscription that it belongs to.
pub(super) const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// To whom a message belongs.
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

impl Session {
    /// Whether the upstream hears of tokens for progress under names of ours.
    pub(super) fn maps_tokens(&self) -> bool {
        self.client == ClientKind::Http
    }

    /// A request or a notification of the upstream.
    pub(super) fn upstream_speaks(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        source: MessageSource,
        actions: &mut Actions,
    ) {
        if let (Shape::Request, Some(id)) = (frame.shape, frame.id) {
            if self.is_shared {
                return Self::answer_upstream(frame, id, actions);
            }
            return self.ask_client(line, (frame, id), source, actions);
        }
        match &*frame.method {
            "notifications/tools/list_changed" => self.forget_tools(),
            "notifications/cancelled" if self.is_withdrawn(line, frame, actions) => return,
            "notifications/progress" if self.is_behind(frame) => return,
            "notifications/resources/updated"
                if !is_of_subscription(frame) && self.resource_changed(line, frame, actions) =>
            {
                return;
            }
            method if is_of_task(method) && self.task_failed(line, frame, source, actions) => {
                return;
            }
            _ => (),
        }
        let stated = frame.params.filter(|_| is_of_task(&frame.method)).and_then(stated_in_state);
        if let Some(line) = self.without_stated(line, frame.root, stated) {
            return self.upstream_message(&line, source, actions);
        }
        if let Some(route) = self.route(frame, source) {
            actions.to_client.add(route.to, |out| write_routed(line, &route, out));
        }
    }

    /// A request of the upstream goes on under a number of ours: an answer that comes late is not taken for that to the question of
    /// another process, which may have the same id.
    fn ask_client(
        &mut self,
        line: &[u8],
        (frame, id): (&Frame<'_>, Value<'_>),
        source: MessageSource,
        actions: &mut Actions,
    ) {
        let Some(mut route) = self.route(frame, source) else { return };
        if self.asked_by_upstream.len() >= MOST_ASKED {
            self.asked_by_upstream.shift_remove_index(0);
        }
        let ours = self.inflight.random() >> (u64::BITS - NUMBER_BITS);
        self.asked_by_upstream.insert(ours, id.raw().into());
        route.named.push((span(id), ours.to_string().into()));
        let during = if let ToClient::During(ticket) = route.to { Some(ticket) } else { None };
        let to = ToClient::Question(ours, during);
        actions.to_client.add(to, |out| write_routed(line, &route, out));
    }

    /// To whom a message belongs; what can belong to nobody any more has no route.
    pub(super) fn route(&self, frame: &Frame<'_>, source: MessageSource) -> Option<Route> {
        if frame.method == "notifications/progress" && self.maps_tokens() {
            return self.progress(frame);
        }
        let meta = frame.params.and_then(|it| it.get("_meta"));
        if let Some(value) = meta.and_then(|it| it.get(SUBSCRIPTION_KEY)) {
            return self.subscribed(value);
        }
        if frame.method.starts_with("notifications/tasks") && self.is_shared {
            let task = frame.params?.get("taskId")?.as_str()?;
            return self.tasks.get(&task).map(|it| Route::plain(ToClient::One(it.client)));
        }
        let about = source.about.and_then(|it| self.inflight.exchange(it));
        if is_for_all(&frame.method) {
            return Some(Route::plain(ToClient::Any));
        }
        // A pipe does not say it; what comes over HTTP beside all answers belongs to none of them.
        let is_told = self.link == UpstreamKind::Pipe && self.audience != Audience::Several;
        let only = || self.inflight.only().filter(|_| is_told);
        let is_log = frame.method == "notifications/message";
        match about.or_else(only) {
            Some(exchange) if is_log && !self.is_worth_logging(frame, exchange) => None,
            Some(exchange) => Some(Route::plain(ToClient::During(exchange.from.ticket))),
            // What belongs to one of several clients, and does not say to which, is nobody's.
            None => (!self.is_shared).then_some(Route::plain(ToClient::Any)),
        }
    }

    /// Whether progress is behind what the client has heard of, because the call was made again: it must only grow.
    fn is_behind(&mut self, frame: &Frame<'_>) -> bool {
        let Some(params) = frame.params else { return false };
        let (Some(token), Some(progress)) = (params.get("progressToken"), params.get("progress"))
        else {
            return false;
        };
        let Ok(progress) = progress.raw().parse::<f64>() else { return false };
        let id = if self.maps_tokens() { UpstreamId::of(token) } else { self.waits_under(token) };
        let Some(exchange) = id.and_then(|it| self.inflight.exchange_mut(it)) else { return false };
        if exchange.repeats > 0 && progress <= exchange.progress {
            return true;
        }
        exchange.progress = progress;
        false
    }

    /// The request whose client wants to hear of progress under a token.
    fn waits_under(&self, token: Value<'_>) -> Option<UpstreamId> {
        let is_its = |it: &InFlightEntry| match it {
            InFlightEntry::Answer(exchange) => exchange.request.token() == Some(token.raw()),
            _ => false,
        };
        self.inflight.all().find(|it| is_its(it.1)).map(|it| it.0)
    }

    fn progress(&self, frame: &Frame<'_>) -> Option<Route> {
        let token = frame.params?.get("progressToken")?;
        let ours = UpstreamId::of(token)?;
        let named = |it: &str| vec![(span(token), it.into())];
        if let Some(exchange) = self.inflight.exchange(ours) {
            let to = ToClient::During(exchange.from.ticket);
            return Some(Route { to, named: named(exchange.request.token()?) });
        }
        let (client, token) = self.tasks.progress(ours)?;
        Some(Route { to: ToClient::One(client), named: named(token) })
    }

    fn subscribed(&self, value: Value<'_>) -> Option<Route> {
        let exchange = self.inflight.exchange(UpstreamId::of(value)?)?;
        let named = vec![(span(value), exchange.request.id().into())];
        Some(Route { to: ToClient::During(exchange.from.ticket), named })
    }

    /// The upstream withdraws something: a subscription of the client, or a request of its own.
    fn is_withdrawn(&mut self, line: &[u8], frame: &Frame<'_>, actions: &mut Actions) -> bool {
        let Some(id) = frame.params.and_then(|it| it.get("requestId")) else { return false };
        let ours = UpstreamId::of(id).filter(|it| {
            self.inflight.exchange(*it).is_some_and(|it| it.request.method == Method::Listen)
        });
        let Some(InFlightEntry::Answer(exchange)) = ours.and_then(|it| self.inflight.take(it))
        else {
            self.withdraw_question(line, id, actions);
            return true;
        };
        let to = ToClient::During(exchange.from.ticket);
        let named = vec![(span(id), exchange.request.id().into())];
        actions.to_client.add(to, |out| write_routed(line, &Route { to, named }, out));
        if self.client == ClientKind::Http {
            Self::end_subscription(&exchange, actions);
        }
        self.finish(exchange, Outcome::Ok, actions.now.at);
        true
    }

    /// The upstream withdraws a request of its own, which the client knows under a number of ours.
    fn withdraw_question(&mut self, line: &[u8], id: Value<'_>, actions: &mut Actions) {
        let ours = self.asked_by_upstream.iter().find(|it| is_same(it.1, id)).map(|it| *it.0);
        if let Some(ours) = ours {
            self.asked_by_upstream.shift_remove(&ours);
            let route =
                Route { to: ToClient::Any, named: vec![(span(id), ours.to_string().into())] };
            actions.to_client.add(route.to, |out| write_routed(line, &route, out));
        }
    }
}

/// Whether two ids are the same, however they are spelt.
fn is_same(raw: &str, id: Value<'_>) -> bool {
    let is_text = || RawJson::parse(raw.as_bytes()).ok()?.with(|it| it.as_str() == id.as_str());
    raw == id.raw() || id.as_str().is_some() && is_text().unwrap_or_default()
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
