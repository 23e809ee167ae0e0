//! Arrays of a client on their way into a session, a piece at a time.

use std::sync::Arc;

use super::{Connection, room::PIECE};
use crate::{frame::Batch, outgoing::Sender, session::Expected};

/// What came of one piece of an array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// How many of its messages will be answered.
    pub(crate) answers: usize,
    /// There are no more messages.
    pub(crate) is_last: bool,
}

impl Connection {
    /// Takes in the next messages of an array.
    pub(crate) fn client_piece(
        self: &Arc<Self>,
        batch: &mut Batch<'_>,
        are_taken: bool,
        from: Sender,
    ) -> Piece {
        let (mut messages, mut answers) = (0, 0);
        self.client_says(|session, turn| {
            for message in batch.take(PIECE) {
                messages += 1;
                let expected = session.client_member(message, are_taken, from, turn);
                answers += usize::from(expected == Expected::Answer);
            }
        });
        Piece { answers, is_last: messages < PIECE }
    }

    /// Takes in an array of a client on a pipe. Gives whether the client is still there.
    pub(crate) fn client_batch(
        self: &Arc<Self>,
        line: &[u8],
        are_taken: bool,
        from: Sender,
    ) -> bool {
        let mut batch = Batch::of(line);
        loop {
            let piece = self.client_piece(&mut batch, are_taken, from);
            if !self.wait_for_room() {
                return false;
            }
            if piece.is_last {
                return true;
            }
        }
    }
}
