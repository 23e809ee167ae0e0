//! An array of messages in one `POST`, and the stream of their answers.

use std::{sync::Arc, time::Duration};

use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderValue},
};
use redress_proxy::{memory::Reservation, outgoing::Sender};
use tokio::time::sleep;

use super::{
    body::{Body, StreamReader},
    content_negotiation,
    get::events,
    pending_request::PendingRequest,
};
use crate::{
    connection::{Connection, GLANCE, take_piece},
    frame::Batch,
    replies::{Framing, Recipient, Reply},
};

/// After each piece others of the connection have their turn. A task that only yields would take its lock again before they do.
const TURN: Duration = Duration::from_millis(1);

/// The same once the client has left: what it fetches later is in no hurry.
const PACE: Duration = Duration::from_millis(50);

/// What a client hears of an array.
pub(super) enum BatchResponse {
    /// An answer for each message that wants one.
    Answers(Response<Body>),
    /// None of them wants one.
    Nothing,
    /// The connection has ended.
    Ended,
}

/// Gives the messages of an array to a connection, with the bytes that are reserved for them on their way. Their answers are events; where arrays are not taken, all of them are refusals,
/// and members of one array under the status that a single one has.
pub(super) async fn exchange(
    connection: &Arc<Connection>,
    mut pending: PendingRequest,
    line: Bytes,
    (are_taken, queued): (bool, Vec<Reservation>),
) -> BatchResponse {
    pending.expect_several(if are_taken { Framing::Events } else { Framing::Array });
    // A client that leaves has sent all of it.
    let (connection, from) = (Arc::clone(connection), pending.from());
    let given = tokio::spawn(async move {
        let given = give(connection, line, are_taken, from).await;
        drop(queued);
        given
    });
    match pending.reply().await {
        Some(Reply::Stream(stream)) => {
            let mut response = events(stream, StreamReader::Request(pending));
            if !are_taken {
                *response.status_mut() = StatusCode::BAD_REQUEST;
                let kind = HeaderValue::from_static(content_negotiation::JSON);
                response.headers_mut().insert(CONTENT_TYPE, kind);
            }
            BatchResponse::Answers(response)
        }
        // There is more than one answer.
        Some(Reply::Answer(_)) => BatchResponse::Ended,
        None => {
            pending.done();
            if matches!(given.await, Ok(0)) { BatchResponse::Nothing } else { BatchResponse::Ended }
        }
    }
}

/// Gives a connection one piece after the other, as fast as the client reads the answers. Gives how many there are. What no client waits for
/// is left out, and so is what comes too late for a connection that ends.
async fn give(connection: Arc<Connection>, line: Bytes, are_taken: bool, from: Sender) -> usize {
    let Some(replies) = connection.client.replies() else { return 0 };
    let mut batch = Batch::of(&line);
    let mut answers = 0;
    loop {
        let piece = take_piece(&connection, &mut batch, are_taken, from);
        answers += piece.answers;
        let waits = |it| {
            matches!(it, Recipient::Connected | Recipient::Disconnected) && !connection.is_ending()
        };
        if piece.is_last || !waits(replies.recipient(from.reply_token)) {
            break;
        }
        sleep(if replies.recipient(from.reply_token) == Recipient::Disconnected {
            PACE
        } else {
            TURN
        })
        .await;
        while connection.is_full(from.reply_token) && waits(replies.recipient(from.reply_token)) {
            sleep(GLANCE).await;
        }
    }
    replies.expect(from.reply_token, answers);
    answers
}
