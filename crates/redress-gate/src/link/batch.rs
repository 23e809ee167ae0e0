//! Arrays of a client on their way into a session, a piece at a time: what one can hold is more than a ledger or a client
//! that does not read takes at once.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{Client, Link};
use crate::{
    frame::Batch,
    mail::{Sender, Ticket},
    session::Expected,
};

/// How many messages are taken in at a time.
const PIECE: usize = 256;

/// How many failures may wait for their records before the next piece.
const MOST_IN_HAND: usize = 1_024;

/// How much may wait for a client on a pipe before the next piece.
const MOST_WAITING: usize = 4 << 20;

/// How often one looks whether the next piece may follow.
pub(crate) const GLANCE: Duration = Duration::from_millis(5);

impl Link {
    /// Takes in the next messages of an array. Gives how many of them will be answered; `None` if there were none.
    pub(crate) fn client_piece(
        self: &Arc<Self>,
        batch: &mut Batch<'_>,
        are_taken: bool,
        from: Sender,
    ) -> Option<usize> {
        let (mut messages, mut answers) = (0, 0);
        self.client_says(|session, turn| {
            for message in batch.take(PIECE) {
                messages += 1;
                let expected = session.client_member(message, are_taken, from, turn);
                answers += usize::from(expected == Expected::Answer);
            }
        });
        (messages > 0).then_some(answers)
    }

    /// Takes in an array of a client on a pipe.
    pub(crate) fn client_batch(self: &Arc<Self>, line: &[u8], are_taken: bool, from: Sender) {
        let mut batch = Batch::of(line);
        // Who reads nothing for so long has its answers late in any case, and the end of its input is to be noticed.
        let until = Instant::now() + self.plan.server.settings.deadline;
        while self.client_piece(&mut batch, are_taken, from).is_some() {
            while self.is_full(from.ticket) && Instant::now() < until {
                thread::park_timeout(GLANCE);
            }
        }
    }

    /// Whether the next piece has to wait.
    pub(crate) fn is_full(&self, ticket: Ticket) -> bool {
        let is_read = match &self.client {
            Client::Pipe(pipe) => pipe.outbox.waiting() <= MOST_WAITING,
            Client::Http(desk) => !desk.is_full(ticket),
        };
        !is_read || self.is_behind(MOST_IN_HAND)
    }
}
