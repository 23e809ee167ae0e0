//! What the ledger knows of sessions: a gate that starts again goes on where the one before it ended, and several at once hear of each other.

use std::{borrow::Cow, sync::Arc};

use redress::json::Value;
use redress_govern::session::{Event, Lock, Place, Session};
use redress_ledger::{Entry, Kind, ReadError, Reader, member};

use super::{Governor, State, root_hash};

impl Governor {
    /// Takes in what the ledger knows of sessions, of which `chain` is this process's own. What cannot be read is passed over, as everywhere.
    ///
    /// # Errors
    /// The directory could not be read.
    pub fn recall(&self, chain: &str) -> Result<(), ReadError> {
        let mut state = self.lock();
        // What comes between the two is read twice, and taken in once.
        state.follow.skip(&[&self.policy.ledger]);
        for entry in Reader::open(&self.policy.ledger)?.flatten() {
            self.take_in(&entry, &mut state);
        }
        state.chain = chain.into();
        Ok(())
    }

    /// Takes in what other processes have recorded since.
    pub(super) fn catch_up(&self, state: &mut State) {
        for entry in state.follow.poll(&[&self.policy.ledger]).iter().flatten() {
            self.take_in(entry, state);
        }
    }

    fn take_in(&self, entry: &Entry, state: &mut State) {
        // What this process records itself, it knows.
        if entry.chain == state.chain {
            return;
        }
        let last = state.taken_in.entry(Arc::clone(&entry.chain)).or_default();
        if entry.seq < *last {
            return;
        }
        *last = entry.seq + 1;
        match entry.kind {
            Kind::Session => self.recall_session(entry, state),
            Kind::Fault if entry.locks() => recall_lock(entry, state),
            _ => (),
        }
    }

    fn recall_session(&self, entry: &Entry, state: &mut State) {
        entry.with(|object| {
            let text = |key: &str| member(object, key);
            let (event, id) = (text("event"), text("session_id").unwrap_or_default());
            match event.as_deref() {
                Some("begun") if text("server").as_deref() == Some(&self.policy.server) => {
                    let hash = text("root_hash").unwrap_or_default();
                    let root = text("workspace_root").filter(|it| root_hash(it) == hash);
                    let session = Session::new(
                        id.into_owned(),
                        root.unwrap_or(hash).into_owned(),
                        text("role").map(Cow::into_owned),
                    );
                    let caller = text("caller").unwrap_or_default();
                    state.sessions.fold(Event::Begun { caller: &caller, session });
                }
                Some("reported") => {
                    let seq = object.get("fault_seq").and_then(Value::as_u64).unwrap_or(u64::MAX);
                    let chain =
                        text("fault_chain").map_or_else(|| Arc::clone(&entry.chain), Into::into);
                    state.sessions.fold(Event::Reported { id: &id, place: Place { chain, seq } });
                }
                _ => (),
            }
        });
    }
}

fn recall_lock(entry: &Entry, state: &mut State) {
    entry.with(|object| {
        if let (Some(id), Some(code)) = (member(object, "session_id"), member(object, "code")) {
            let place = Place { chain: Arc::clone(&entry.chain), seq: entry.seq };
            let lock = Lock { place, code: code.into_owned() };
            state.sessions.fold(Event::Locked { id: &id, lock });
        }
    });
}
