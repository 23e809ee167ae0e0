//! Whether more of what a client says can be taken in. What it says makes answers, which are more than a ledger, or a client that
//! does not read, takes at once.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{Client, Connection};
use crate::outgoing::Ticket;

/// How many messages are taken in at a time.
pub(crate) const PIECE: usize = 256;

/// How many are taken in first: whoever gets them wakes up while the others are read.
pub(crate) const FIRST: usize = 4;

/// How many failures may wait for their records before the next piece.
const MOST_IN_HAND: usize = 1_024;

/// How often one looks whether the next piece may follow.
pub(crate) const GLANCE: Duration = Duration::from_millis(5);

impl Connection {
    /// Whether the next piece has to wait.
    pub(crate) fn is_full(&self, ticket: Ticket) -> bool {
        let is_full = match &self.client {
            Client::Pipe(pipe) => pipe.is_full(),
            Client::Http(replies) => replies.is_full(ticket),
        };
        is_full || self.is_behind(MOST_IN_HAND)
    }

    /// Waits until the next piece of a client on a pipe may follow. Gives whether the client is still there: one that says nothing
    /// more and reads nothing for so long that all its answers are late is not.
    pub(crate) fn wait_for_room(&self) -> bool {
        let mut until = None;
        while self.is_full(Ticket::default()) {
            if self.client.pipe().is_some_and(|it| it.is_full() && it.has_said_all()) {
                let deadline = self.runtime.server.settings.deadline;
                let until = *until.get_or_insert_with(|| Instant::now() + deadline);
                if Instant::now() >= until {
                    return false;
                }
            }
            thread::park_timeout(GLANCE);
        }
        true
    }
}
