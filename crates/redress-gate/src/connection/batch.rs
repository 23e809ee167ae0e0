//! Arrays of a client on their way into a session, a piece at a time.

use std::sync::Arc;

use super::{Connection, PIECE};
use crate::frame::Batch;
use redress_proxy::{outgoing::Sender, session::Expected};

/// What came of one piece of an array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceOutcome {
    /// How many of its messages will be answered.
    pub(crate) answers: usize,
    /// There are no more messages.
    pub(crate) is_last: bool,
}

/// Takes the next messages of an array.
pub(crate) fn take_piece(
    connection: &Arc<Connection>,
    batch: &mut Batch<'_>,
    are_taken: bool,
    from: Sender,
) -> PieceOutcome {
    let (mut messages, mut answers) = (0, 0);
    connection.client_says(|session, actions| {
        for message in batch.take(PIECE) {
            messages += 1;
            let expected = session.client_member(message, are_taken, from, actions);
            answers += usize::from(expected == Expected::Answer);
        }
    });
    PieceOutcome { answers, is_last: messages < PIECE }
}
