//! JSON-RPC batches: which clients may send them, and how their members are answered.

use redress::outcome::Malformed;
use redress_wire::json::Doc;

use super::{
    Session,
    emission::fail_line,
    interface::{Actions, Expected},
};
use crate::{
    frame::{Batch, Frame, NotAFrame, Shape, Unreadable, limits},
    outgoing::Sender,
};

const REFUSED: Malformed = Malformed::Unreadable(Unreadable::Frame(NotAFrame::Batch));

/// An array of a client. What is one message, or none, is refused here; the members of any other are still to come.
pub(super) fn client_array(
    session: &mut Session,
    line: &[u8],
    from: Sender,
    actions: &mut Actions,
) -> Expected {
    let are_taken = session.tenancy.takes_batches(from.client);
    if are_taken && Batch::of(line).next().is_some() {
        return Expected::Members { are_taken };
    }
    let mut ids = Batch::of(line).filter_map(id_of);
    let (first, second) = (ids.next(), ids.next());
    if second.is_some() {
        return Expected::Members { are_taken: false };
    }
    fail_line(session, first, REFUSED, from, actions);
    Expected::Answer
}

/// The id that a message is answered under, if it wants an answer.
fn id_of(line: &[u8]) -> Option<Box<str>> {
    let doc = Doc::parse(line, limits(line.len())).ok()?;
    match Frame::of(&doc) {
        Ok(frame) => frame.id.filter(|_| frame.shape == Shape::Request).map(|it| it.raw().into()),
        Err(error) => error.id(&doc),
    }
}

/// Refuses a member of an array from a client whose revision has none, if it wants an answer.
pub(super) fn refuse_member(
    session: &mut Session,
    line: &[u8],
    from: Sender,
    actions: &mut Actions,
) -> Expected {
    let Some(id) = id_of(line) else { return Expected::Nothing };
    fail_line(session, Some(id), REFUSED, from, actions);
    Expected::Answer
}
