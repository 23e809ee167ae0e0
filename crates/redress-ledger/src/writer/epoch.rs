//! The epochs of a chain: what the log says of it, and the next key.

use std::time::Duration;

use super::Writer;
use crate::{
    epoch::{EpochEntry, Event, Position, ledger_id},
    record::Head,
    time::Time,
};

impl Writer {
    /// What the log of epochs says about the newest checkpoint.
    pub(crate) fn entry(&self, event: Event) -> EpochEntry {
        EpochEntry::of(event, &ledger_id(&self.tools.ledger), &self.name, self.position())
    }

    /// The newest checkpoint.
    pub(super) const fn position(&self) -> Position {
        let Head { next, hash } = self.signed.head;
        Position { seq: next.saturating_sub(1), hash }
    }

    /// Goes on with the key of a new epoch. If there is none to be had at once, with the present one: records do not wait for it.
    pub(crate) fn next_epoch(&mut self, now: Time) {
        let entry = self.entry(Event::Rotate);
        let (keys, at) = (&self.tools.keys, (self.tools.ledger.as_path(), now));
        if let Ok(turn) = keys.turn(at, Duration::ZERO, |_| Ok(((), entry))) {
            self.signer = turn.signer;
        }
    }
}
