//! `Tenancy`: the clients of a session, and what belongs to which of them.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use redress_ledger::Redactor;
use redress_wire::json::Value;
use rustc_hash::FxBuildHasher;

use super::{interface::ClientKind, subscriptions::Subscriptions, tasks::Tasks};
use crate::{
    exchange::{Exchange, Request},
    outgoing::{ReplyToken, Sender},
    request_facts::ClientName,
};

/// The revisions that have batches: 2025-03-26 says so, and the one before says nothing but JSON-RPC, which has them.
const WITH_BATCHES: [&str; 2] = ["2025-03-26", "2024-11-05"];

/// The clients of a session, and what belongs to which of them.
#[derive(Debug)]
pub(super) struct Tenancy {
    pub(super) client: ClientKind,
    /// Whether there can be several.
    pub(super) is_shared: bool,
    audience: Audience,
    /// The clients whose revision has batches.
    batching: IndexSet<u64, FxBuildHasher>,
    /// The names of the programs that opened sessions.
    names: IndexMap<u64, Arc<ClientName>, FxBuildHasher>,
    /// What each of several clients follows.
    pub(super) subscriptions: Subscriptions,
    /// The tasks that the upstream has begun.
    pub(super) tasks: Tasks,
}

/// The clients that have made requests.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Audience {
    #[default]
    None,
    One(u64),
    Several,
}

impl Tenancy {
    /// One client.
    pub(super) fn single(client: ClientKind) -> Self {
        Self {
            client,
            is_shared: false,
            audience: Audience::None,
            batching: IndexSet::default(),
            names: IndexMap::default(),
            subscriptions: Subscriptions::default(),
            tasks: Tasks::default(),
        }
    }

    /// Any number of clients over HTTP.
    pub(super) fn shared() -> Self {
        Self { is_shared: true, ..Self::single(ClientKind::Http) }
    }

    /// A client makes a request.
    pub(super) const fn joined_by(&mut self, client: u64) {
        self.audience = match self.audience {
            Audience::None => Audience::One(client),
            Audience::One(first) if first == client => Audience::One(first),
            _ => Audience::Several,
        };
    }

    /// Whether several clients have made requests. What a process then writes without naming a request may be about any of them.
    pub(super) fn has_several(&self) -> bool {
        self.audience == Audience::Several
    }

    /// Whether the upstream gets progress tokens of the gate.
    pub(super) fn maps_tokens(&self) -> bool {
        self.client == ClientKind::Http
    }

    /// Whether the gate itself opens the upstream's sessions.
    pub(super) fn reopens_upstream(&self) -> bool {
        self.client == ClientKind::Pipe || self.is_shared
    }

    /// Whether a failure of the request has an HTTP status of its own.
    pub(super) fn shows_status(&self, request: &Request) -> bool {
        self.client == ClientKind::Http && request.is_sessionless
    }

    /// The scope in which a request's id is unique: a client's session, or one sessionless HTTP request.
    pub(super) fn scope(&self, exchange: &Exchange) -> (u64, u64) {
        let Sender { client, reply_token: ReplyToken(reply_token), .. } = exchange.from;
        (client, if self.is_alone(&exchange.request) { reply_token.wrapping_add(1) } else { 0 })
    }

    /// Whether a request belongs to no session.
    pub(super) fn is_alone(&self, request: &Request) -> bool {
        request.is_sessionless && self.client == ClientKind::Http
    }

    /// A client opens a session with these parameters, which name its program.
    pub(super) fn opened_by(&mut self, from: Sender, params: Value<'_>, redactor: &Redactor) {
        if let Some(info) = params.get("clientInfo").filter(|_| from.has_session()) {
            self.names.insert(from.client, Arc::new(ClientName::read(info, redactor)));
        }
    }

    /// The program that opened the session of a client, if it named itself.
    pub(super) fn name_of(&self, client: u64) -> Option<&Arc<ClientName>> {
        self.names.get(&client)
    }

    /// A client's session was opened with this result, which names its revision.
    pub(super) fn agreed(&mut self, client: u64, result: Value<'_>) {
        let revision = result.get("protocolVersion");
        if revision.is_some_and(|it| WITH_BATCHES.iter().any(|known| it.is_str(known))) {
            self.batching.insert(client);
        } else {
            self.batching.swap_remove(&client);
        }
    }

    /// Whether arrays of a client are taken.
    pub(super) fn takes_batches(&self, client: u64) -> bool {
        self.batching.contains(&client)
    }

    /// A client has left.
    pub(super) fn left_by(&mut self, client: u64) {
        self.batching.swap_remove(&client);
        self.names.swap_remove(&client);
    }
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::{ClientKind, Tenancy};

    #[test]
    fn a_second_client_makes_several() {
        let mut tenancy = Tenancy::shared();
        tenancy.joined_by(1);
        tenancy.joined_by(1);
        assert!(!tenancy.has_several());
        tenancy.joined_by(2);
        tenancy.joined_by(1);
        assert!(tenancy.has_several());
    }

    #[test]
    fn batches_follow_the_revision_of_each_client() {
        let mut tenancy = Tenancy::single(ClientKind::Pipe);
        for (revision, takes) in
            [("2024-11-05", true), ("2025-06-18", false), ("2025-03-26", true), ("x", false)]
        {
            let result = format!(r#"{{"protocolVersion":"{revision}"}}"#);
            tenancy.agreed(0, Doc::parse(result.as_bytes(), Limits::DOCUMENT).unwrap().root());
            assert_eq!(tenancy.takes_batches(0), takes, "{revision}");
            assert!(!tenancy.takes_batches(1));
        }
    }
}
