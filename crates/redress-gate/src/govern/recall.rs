//! What the ledger knows of sessions: a gate that starts again goes on where the one before it ended.

use std::{borrow::Cow, sync::Arc};

use redress::{Fault, json::Value};
use redress_govern::session::{Event, Place, Session};
use redress_ledger::{Entry, Kind, ReadError, Reader, member};

use super::{Governor, is_own, root_hash};

impl Governor {
    /// Takes in what the ledger knows of sessions, of which `chain` is this process's own. What cannot be read is passed over, as everywhere.
    ///
    /// # Errors
    /// The directory could not be read.
    pub fn recall(&self, chain: &str) -> Result<(), ReadError> {
        let reader = Reader::open(&self.policy.ledger)?;
        let started = |chain: &str| self.lock().sessions.fold(Event::Started { chain });
        for entry in reader.flatten() {
            match entry.kind {
                Kind::Genesis => started(&entry.chain),
                Kind::Session => self.recall_session(&entry),
                Kind::Fault => self.recall_fault(&entry),
                _ => (),
            }
        }
        started(chain);
        self.lock().chain = chain.into();
        Ok(())
    }

    /// A failure of a session was found when the gate started.
    pub(crate) fn found(&self, fault: &Fault, seq: u64) {
        if let Some(id) = &fault.context.session_id {
            self.lock().failed(id, fault.code(), seq);
        }
    }

    fn recall_session(&self, entry: &Entry) {
        entry.with(|object| {
            let text = |key: &str| member(object, key);
            if text("server").as_deref() != Some(&self.policy.server) {
                return;
            }
            let (event, id) = (text("event"), text("session_id").unwrap_or_default());
            let mut state = self.lock();
            match event.as_deref() {
                Some("begun") => {
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

    fn recall_fault(&self, entry: &Entry) {
        entry.with(|object| {
            let tool = member(object, "tool").unwrap_or_default();
            if let (Some(id), Some(code)) = (member(object, "session_id"), member(object, "code"))
                && !is_own(&tool)
            {
                let place = Place { chain: Arc::clone(&entry.chain), seq: entry.seq };
                self.lock().sessions.fold(Event::Failed { id: &id, code: &code, place });
            }
        });
    }
}
