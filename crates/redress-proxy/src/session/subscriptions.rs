//! What each of several clients subscribes to: the resources that it follows, and its log level.
//!
//! The upstream follows a resource as long as one client does, and logs as much as the one that wants the most. Each client
//! hears only what it asked for.

use indexmap::IndexMap;
use redress_wire::json::{Doc, Members, Value};
use rustc_hash::FxBuildHasher;

use super::{Context, Session, failure_cause::RefusalCause, interface::Actions};
use crate::{
    exchange::Exchange,
    frame::{Frame, limits},
    outgoing::{ToClient, ToUpstream},
};

/// The most resources that one client follows.
const MOST_FOLLOWED: usize = 1_000;

/// Of longer names only those who follow just that one hear: each part is a name to look up.
const LONGEST_WHOLE: usize = 2 << 10;

/// How much is logged, from all to almost nothing.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What a client hears that does not say, if others do.
const USUAL: usize = 1;

const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";
const SET_LEVEL: &str = "logging/setLevel";

/// What all clients want to hear.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    /// The clients that follow a resource.
    followers: IndexMap<Box<str>, Vec<u64>>,
    /// How many each of them follows.
    followed: IndexMap<u64, usize, FxBuildHasher>,
    levels: IndexMap<u64, usize, FxBuildHasher>,
    /// The level that the upstream was asked for last.
    asked: Option<usize>,
}

impl Subscriptions {
    fn follow(&mut self, client: u64, uri: &str) {
        let followers = match self.followers.get_mut(uri) {
            Some(followers) => followers,
            None => self.followers.entry(uri.into()).or_default(),
        };
        if !followers.contains(&client) {
            followers.push(client);
            *self.followed.entry(client).or_default() += 1;
        }
    }

    /// A client does not follow a resource any more. Gives whether another client does.
    fn unfollow(&mut self, client: u64, uri: &str) -> bool {
        let Some(followers) = self.followers.get_mut(uri) else { return false };
        let before = followers.len();
        followers.retain(|it| *it != client);
        let (is_followed, was_followed) = (!followers.is_empty(), followers.len() < before);
        if was_followed && let Some(count) = self.followed.get_mut(&client) {
            *count -= 1;
        }
        if !is_followed {
            self.followers.swap_remove(uri);
        }
        is_followed
    }

    /// Forgets a client. Gives the resources that no client follows any more.
    fn leave(&mut self, client: u64) -> Vec<Box<str>> {
        self.levels.swap_remove(&client);
        if self.followed.swap_remove(&client).unwrap_or_default() == 0 {
            return Vec::new();
        }
        let mut left = Vec::new();
        self.followers.retain(|uri, followers| {
            followers.retain(|it| *it != client);
            if followers.is_empty() {
                left.push(uri.clone());
            }
            !followers.is_empty()
        });
        left
    }

    /// The clients that follow a resource, or one that it is a part of.
    fn hearers(&self, uri: &str) -> Vec<u64> {
        let parts = uri.match_indices(['/', '#', '?']).take_while(|it| it.0 < LONGEST_WHOLE);
        let wholes = parts.flat_map(|(at, _)| [uri.get(..at), uri.get(..=at)]).flatten();
        let mut hearers: Vec<u64> = wholes
            .chain([uri])
            .filter_map(|it| self.followers.get(it))
            .flatten()
            .copied()
            .collect();
        hearers.sort_unstable();
        hearers.dedup();
        hearers
    }

    /// Whether no client but this one follows a resource.
    fn is_followed_by_no_other(&self, client: u64, uri: &str) -> bool {
        self.followers.get(uri).is_none_or(|it| *it == [client])
    }

    /// Notes the level that a client wants.
    fn set_level(&mut self, client: u64, level: usize) {
        self.levels.insert(client, level);
    }

    /// Whether another client wants more to be logged than at this level.
    fn others_want_more(&self, client: u64, level: usize) -> bool {
        self.levels.iter().any(|(other, wanted)| *other != client && *wanted < level)
    }

    /// The level that the upstream is to be asked for now, if it is another one than before: the lowest that a client wants.
    fn level_to_ask(&mut self) -> Option<&'static str> {
        let most = self.levels.values().copied().min().filter(|it| self.asked != Some(*it))?;
        let name = LEVELS.get(most)?;
        self.asked = Some(most);
        Some(name)
    }

    /// Whether a client wants to hear what is logged at a level.
    fn wants(&self, client: u64, level: usize) -> bool {
        self.levels.is_empty() || level >= self.levels.get(&client).copied().unwrap_or(USUAL)
    }
}

/// Why a client cannot follow one more resource, if it cannot.
pub(super) fn refuse_subscription(
    cx: Context<'_>,
    frame: &Frame<'_>,
    exchange: &Exchange,
) -> Option<RefusalCause> {
    let followed = || cx.tenancy.subscriptions.followed.get(&exchange.from.client).copied();
    let is_too_much = cx.tenancy.is_shared
        && frame.method == SUBSCRIBE
        && followed().unwrap_or_default() >= MOST_FOLLOWED;
    is_too_much.then_some(RefusalCause::Overloaded)
}

/// Answers what one of several clients wants to hear, if the upstream need not know of it, or must not.
pub(super) fn answer_subscription(
    session: &mut Session,
    frame: &Frame<'_>,
    exchange: &Exchange,
    actions: &mut Actions,
) -> bool {
    if !session.tenancy.is_shared || exchange.request.is_sessionless {
        return false;
    }
    let client = exchange.from.client;
    let is_answered = match (&*frame.method, wish(frame.params)) {
        (UNSUBSCRIBE, Some(SubscriptionChange::Uri(uri))) => {
            let subscriptions = &mut session.tenancy.subscriptions;
            !subscriptions.is_followed_by_no_other(client, &uri)
                && subscriptions.unfollow(client, &uri)
        }
        (SET_LEVEL, Some(SubscriptionChange::Level(level))) => {
            let is_less = session.tenancy.subscriptions.others_want_more(client, level);
            if is_less {
                session.tenancy.subscriptions.set_level(client, level);
                request_log_level(session, actions);
            }
            is_less
        }
        _ => false,
    };
    if is_answered {
        let id = exchange.request.id().as_bytes();
        let parts: [&[u8]; 3] = [br#"{"jsonrpc":"2.0","id":"#, id, b",\"result\":{}}\n"];
        actions.to_client.add_parts(ToClient::Answer(exchange.from.reply_token, 200), &parts);
    }
    is_answered
}

/// The upstream has granted what a client wants to hear.
pub(super) fn subscription_granted(session: &mut Session, exchange: &Exchange) {
    let client = exchange.from.client;
    let Some(line) = exchange.request.line().filter(|_| session.tenancy.is_shared) else { return };
    let Ok(doc) = Doc::parse(line, limits(line.len())) else { return };
    match (exchange.request.method_name(), wish(doc.root().get("params"))) {
        (SUBSCRIBE, Some(SubscriptionChange::Uri(uri))) => {
            session.tenancy.subscriptions.follow(client, &uri);
        }
        (UNSUBSCRIBE, Some(SubscriptionChange::Uri(uri))) => {
            session.tenancy.subscriptions.unfollow(client, &uri);
        }
        (SET_LEVEL, Some(SubscriptionChange::Level(level))) => {
            session.tenancy.subscriptions.set_level(client, level);
            session.tenancy.subscriptions.asked = Some(level);
        }
        _ => (),
    }
}

/// One of several clients has left: what only it wanted to hear is not asked for any more.
pub(super) fn drop_subscriptions(session: &mut Session, client: u64, actions: &mut Actions) {
    for uri in session.tenancy.subscriptions.leave(client) {
        request_aside(session, UNSUBSCRIBE, ("uri", &uri), actions);
    }
    request_log_level(session, actions);
}

/// Asks a new process, or a new session, for what clients want to hear.
pub(super) fn renew_subscriptions(session: &mut Session, actions: &mut Actions) {
    let followed: Vec<_> = session.tenancy.subscriptions.followers.keys().cloned().collect();
    for uri in followed {
        request_aside(session, SUBSCRIBE, ("uri", &uri), actions);
    }
    session.tenancy.subscriptions.asked = None;
    request_log_level(session, actions);
}

/// Notifies the clients that follow a resource. Gives whether the notification needs no other route.
pub(super) fn resource_changed(
    cx: Context<'_>,
    line: &[u8],
    frame: &Frame<'_>,
    actions: &mut Actions,
) -> bool {
    if !cx.tenancy.is_shared {
        return false;
    }
    let uri = frame.params.and_then(|it| it.get("uri")).and_then(Value::as_str);
    for client in uri.map(|it| cx.tenancy.subscriptions.hearers(&it)).unwrap_or_default() {
        actions.to_client.add_parts(ToClient::One(client), &[line, b"\n"]);
    }
    true
}

/// Whether the client of a request wants a log message.
pub(super) fn wants_log(cx: Context<'_>, frame: &Frame<'_>, exchange: &Exchange) -> bool {
    if !cx.tenancy.is_shared || exchange.request.is_sessionless {
        return true;
    }
    let level = frame.params.and_then(|it| it.get("level")).and_then(level);
    level.is_none_or(|it| cx.tenancy.subscriptions.wants(exchange.from.client, it))
}

/// Has the upstream log as much as the one wants that wants the most.
fn request_log_level(session: &mut Session, actions: &mut Actions) {
    if let Some(name) = session.tenancy.subscriptions.level_to_ask() {
        request_aside(session, SET_LEVEL, ("level", name), actions);
    }
}

/// Sends a request whose answer is dropped.
fn request_aside(
    session: &mut Session,
    method: &str,
    (key, value): (&str, &str),
    actions: &mut Actions,
) {
    if !session.upstream.is_up() {
        return;
    }
    let until = actions.now.at + session.server.settings.deadline;
    let Some(id) = session.inflight.ask_aside(until) else { return };
    let mut params = String::new();
    let mut members = Members::open(&mut params);
    members.str(key, value);
    members.close();
    let parts: [&[u8]; 7] = [
        br#"{"jsonrpc":"2.0","id":"#,
        &id.digits(),
        br#","method":""#,
        method.as_bytes(),
        br#"","params":"#,
        params.as_bytes(),
        b"}\n",
    ];
    actions.to_upstream.add_parts(ToUpstream::Own(id, None), &parts);
}

/// What a request wants.
enum SubscriptionChange {
    /// To follow a resource, or not to.
    Uri(String),
    /// So much to be logged.
    Level(usize),
}

fn wish(params: Option<Value<'_>>) -> Option<SubscriptionChange> {
    let params = params?;
    let uri = params
        .get("uri")
        .and_then(Value::as_str)
        .map(|it| SubscriptionChange::Uri(it.into_owned()));
    uri.or_else(|| params.get("level").and_then(level).map(SubscriptionChange::Level))
}

fn level(value: Value<'_>) -> Option<usize> {
    let name = value.as_str()?;
    LEVELS.iter().position(|it| *it == name)
}

#[cfg(test)]
mod tests {
    use super::{LEVELS, LONGEST_WHOLE, Subscriptions};

    fn level(name: &str) -> usize {
        LEVELS.iter().position(|it| *it == name).unwrap()
    }

    #[test]
    fn followers_of_a_resource_hear_of_its_parts() {
        let mut subscriptions = Subscriptions::default();
        subscriptions.follow(2, "file:///a");
        subscriptions.follow(1, "file:///a/b");
        subscriptions.follow(1, "file:///a");
        assert_eq!(subscriptions.hearers("file:///a"), [1, 2]);
        assert_eq!(subscriptions.hearers("file:///a/b#c"), [1, 2], "each once");
        assert!(subscriptions.hearers("file:///ab").is_empty(), "another resource");
        let long = format!("file:///a/{}/c", "b".repeat(LONGEST_WHOLE));
        assert_eq!(subscriptions.hearers(&long), [1, 2], "the parts at its start count");
    }

    #[test]
    fn a_resource_is_left_when_its_last_follower_goes() {
        let mut subscriptions = Subscriptions::default();
        for client in [1, 2, 2] {
            subscriptions.follow(client, "a");
        }
        assert!(!subscriptions.is_followed_by_no_other(1, "a"));
        assert!(subscriptions.unfollow(2, "a"), "client 1 still follows it");
        assert!(subscriptions.is_followed_by_no_other(1, "a"));
        assert!(!subscriptions.unfollow(1, "a"));
        assert!(subscriptions.hearers("a").is_empty());
        assert!(!subscriptions.unfollow(1, "a"), "it did not follow it any more");
    }

    #[test]
    fn a_client_that_leaves_frees_what_only_it_followed() {
        let mut subscriptions = Subscriptions::default();
        subscriptions.follow(1, "a");
        subscriptions.follow(1, "b");
        subscriptions.follow(2, "b");
        assert_eq!(subscriptions.leave(1), ["a".into()]);
        assert_eq!(subscriptions.hearers("b"), [2]);
        assert!(subscriptions.leave(1).is_empty(), "it has left already");
    }

    #[test]
    fn the_upstream_is_asked_for_the_lowest_level_once() {
        let mut subscriptions = Subscriptions::default();
        assert_eq!(subscriptions.level_to_ask(), None, "no client says what it wants");
        subscriptions.set_level(1, level("error"));
        assert_eq!(subscriptions.level_to_ask(), Some("error"));
        subscriptions.set_level(2, level("info"));
        assert!(subscriptions.others_want_more(1, level("error")));
        assert!(!subscriptions.others_want_more(2, level("info")));
        assert_eq!(subscriptions.level_to_ask(), Some("info"));
        assert_eq!(subscriptions.level_to_ask(), None, "it was asked for that already");
        subscriptions.leave(2);
        assert_eq!(subscriptions.level_to_ask(), Some("error"));
    }

    #[test]
    fn each_client_hears_its_own_level() {
        let mut subscriptions = Subscriptions::default();
        assert!(subscriptions.wants(1, level("debug")), "no client says what it wants");
        subscriptions.set_level(1, level("error"));
        assert!(
            !subscriptions.wants(1, level("warning")) && subscriptions.wants(1, level("error"))
        );
        assert!(!subscriptions.wants(2, level("debug")) && subscriptions.wants(2, level("info")));
    }
}
