//! `SessionStore`: the governed sessions of one server. It takes in what other processes recorded in the ledger, so that a gate that
//! starts again goes on where the one before it ended, and several gates hear of each other.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use redress_ledger::{Entry, Follow, Kind, ReadError, Reader, member};
use redress_wire::json::Value;

use crate::{
    call::Principal,
    hash::root_hash,
    policy::Policy,
    session::{GovernedSession, Lock, RecordRef, SessionEvent, Sessions},
};

/// The key of the process on stdio before it has begun a session.
const PROCESS: &str = "stdio";

/// The sessions of a server; governors that follow each other share it.
#[derive(Debug, Default)]
pub(crate) struct SessionStore {
    pub(crate) sessions: Sessions,
    /// This process's chain in the ledger.
    pub(crate) chain: Arc<str>,
    /// How far the ledger was read.
    follow: Follow,
    /// How many records of each chain were taken in.
    taken_in: BTreeMap<Arc<str>, u64>,
    /// The key of the session that the process on stdio began; another process begins anew, and finds its session as it was left.
    pub(crate) of_process: Option<String>,
}

impl SessionStore {
    /// Takes in all sessions of the ledger; `chain` is the chain of this process. Records that cannot be read are skipped.
    pub(crate) fn recall(&mut self, policy: &Policy, chain: &str) -> Result<(), ReadError> {
        // Records that arrive between the two reads are read twice and taken in once.
        self.follow.skip(&[&policy.ledger]);
        for entry in Reader::open(&policy.ledger)?.flatten() {
            self.take_in(policy, &entry);
        }
        self.chain = chain.into();
        Ok(())
    }

    /// Takes in what other processes have recorded since.
    pub(crate) fn catch_up(&mut self, policy: &Policy) {
        for entry in self.follow.poll(&[&policy.ledger]).iter().flatten() {
            self.take_in(policy, entry);
        }
    }

    /// The key under which the sessions know a caller; a caller without a name has none.
    pub(crate) fn key(&self, caller: Principal) -> Option<String> {
        match caller {
            Principal::Process => {
                Some(self.of_process.clone().unwrap_or_else(|| PROCESS.to_owned()))
            }
            // Behind the word `token` a record would hide it.
            Principal::Token(token) => Some(format!("caller {token}")),
            Principal::Anonymous => None,
        }
    }

    /// Gives a session its root back if the ledger could only tell the root's hash.
    pub(crate) fn find_root(&mut self, key: &str, root: &str) {
        if let Some(session) = self.sessions.of(key).filter(|it| it.root == root_hash(root)) {
            let mut session = GovernedSession::clone(session);
            root.clone_into(&mut session.root);
            self.sessions.fold(SessionEvent::Begun { caller: key, session });
        }
    }

    fn take_in(&mut self, policy: &Policy, entry: &Entry) {
        // This process knows what it records itself.
        if entry.chain == self.chain {
            return;
        }
        let last = self.taken_in.entry(Arc::clone(&entry.chain)).or_default();
        if entry.seq < *last {
            return;
        }
        *last = entry.seq + 1;
        match entry.kind {
            Kind::Session => self.take_in_session(&policy.server, entry),
            Kind::Fault if entry.locks() => self.take_in_lock(entry),
            _ => (),
        }
    }

    fn take_in_session(&mut self, server: &str, entry: &Entry) {
        entry.with(|object| {
            let text = |key: &str| member(object, key);
            let (event, id) = (text("event"), text("session_id").unwrap_or_default());
            match event.as_deref() {
                Some("begun") if text("server").as_deref() == Some(server) => {
                    let hash = text("root_hash").unwrap_or_default();
                    let root = text("workspace_root").filter(|it| root_hash(it) == hash);
                    let session = GovernedSession::new(
                        id.into_owned(),
                        root.unwrap_or(hash).into_owned(),
                        text("role").map(Cow::into_owned),
                    );
                    let caller = text("caller").unwrap_or_default();
                    self.sessions.fold(SessionEvent::Begun { caller: &caller, session });
                }
                Some("reported") => {
                    let seq = object.get("fault_seq").and_then(Value::as_u64).unwrap_or(u64::MAX);
                    let chain =
                        text("fault_chain").map_or_else(|| Arc::clone(&entry.chain), Into::into);
                    self.sessions
                        .fold(SessionEvent::Reported { id: &id, place: RecordRef { chain, seq } });
                }
                _ => (),
            }
        });
    }

    fn take_in_lock(&mut self, entry: &Entry) {
        entry.with(|object| {
            if let (Some(id), Some(code)) = (member(object, "session_id"), member(object, "code")) {
                let place = RecordRef { chain: Arc::clone(&entry.chain), seq: entry.seq };
                let lock = Lock { place, code: code.into_owned() };
                self.sessions.fold(SessionEvent::Locked { id: &id, lock });
            }
        });
    }
}

/// The key of the process on stdio in a workspace. A root may hold what the ledger must not; its hash does not.
pub(crate) fn process_key(root: &str) -> String {
    format!("{PROCESS} {}", root_hash(root))
}
