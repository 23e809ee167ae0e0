//! An array of messages in one `POST`, and the stream of their answers.

use std::{sync::Arc, time::Duration};

use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderValue},
};
use tokio::time::sleep;

use super::{
    body::{Body, Listener},
    desk::{Reader, Reply},
    get::events,
    kinds,
    stream::Framing,
    waiter::Waiter,
};
use crate::{
    frame::Batch,
    link::{GLANCE, Link},
    memory::Reservation,
    outgoing::Sender,
};

/// After each piece others of the link have their turn. A task that only yields would take its lock again before they do.
const TURN: Duration = Duration::from_millis(1);

/// The same once the client has left: what it fetches later is in no hurry.
const PACE: Duration = Duration::from_millis(50);

/// What a client hears of an array.
pub(super) enum Heard {
    /// An answer for each message that wants one.
    Answers(Response<Body>),
    /// None of them wants one.
    Nothing,
    /// The link has ended.
    Ended,
}

/// Gives the messages of an array to a link, with the bytes that are reserved for them on their way. Their answers are events; where arrays are not taken, all of them are refusals,
/// and members of one array under the status that a single one has.
pub(super) async fn exchange(
    link: &Arc<Link>,
    mut waiter: Waiter,
    line: Bytes,
    (are_taken, queued): (bool, Vec<Reservation>),
) -> Heard {
    waiter.expect_several(if are_taken { Framing::Events } else { Framing::Array });
    // Whoever leaves has sent all of it.
    let (link, from) = (Arc::clone(link), waiter.from());
    let given = tokio::spawn(async move {
        let given = give(link, line, are_taken, from).await;
        drop(queued);
        given
    });
    match waiter.reply().await {
        Some(Reply::Stream(stream)) => {
            let mut response = events(stream, Listener::Waiter(waiter));
            if !are_taken {
                *response.status_mut() = StatusCode::BAD_REQUEST;
                let kind = HeaderValue::from_static(kinds::JSON);
                response.headers_mut().insert(CONTENT_TYPE, kind);
            }
            Heard::Answers(response)
        }
        // There is more than one answer.
        Some(Reply::Answer(_)) => Heard::Ended,
        None => {
            waiter.done();
            if matches!(given.await, Ok(0)) { Heard::Nothing } else { Heard::Ended }
        }
    }
}

/// Gives a link one piece after the other, as fast as the client reads the answers. Gives how many there are. What nobody waits for
/// any more is left out, and so is what comes too late for a link that ends.
async fn give(link: Arc<Link>, line: Bytes, are_taken: bool, from: Sender) -> usize {
    let Some(desk) = link.client.desk() else { return 0 };
    let mut batch = Batch::of(&line);
    let mut answers = 0;
    loop {
        let piece = link.client_piece(&mut batch, are_taken, from);
        answers += piece.answers;
        let waits = |it| matches!(it, Reader::There | Reader::Left) && !link.is_ending();
        if piece.is_last || !waits(desk.reader(from.ticket)) {
            break;
        }
        sleep(if desk.reader(from.ticket) == Reader::Left { PACE } else { TURN }).await;
        while link.is_full(from.ticket) && waits(desk.reader(from.ticket)) {
            sleep(GLANCE).await;
        }
    }
    desk.expect(from.ticket, answers);
    answers
}
