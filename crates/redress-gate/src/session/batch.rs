//! Arrays of messages: from whom they are taken, and what becomes of their members.

use redress::json::{Doc, Value};

use super::{Actions, Expected, Session};
use crate::{
    frame::{Batch, Frame, Malformed, NotAFrame, Shape, Unreadable, limits},
    outgoing::Sender,
};

/// The revisions that have batches: 2025-03-26 says so, and the one before says nothing but JSON-RPC, which has them.
const WITH_BATCHES: [&str; 2] = ["2025-03-26", "2024-11-05"];

const REFUSED: Malformed = Malformed::Unreadable(Unreadable::Frame(NotAFrame::Batch));

impl Session {
    /// A client hears how its session was opened.
    pub(super) fn agreed(&mut self, client: u64, result: Value<'_>) {
        let revision = result.get("protocolVersion");
        if revision.is_some_and(|it| WITH_BATCHES.iter().any(|known| it.is_str(known))) {
            self.opening.batching.insert(client);
        } else {
            self.opening.batching.swap_remove(&client);
        }
    }

    /// An array of a client. What is one message, or none, is refused here; the members of any other are still to come.
    pub(super) fn client_array(
        &mut self,
        line: &[u8],
        from: Sender,
        actions: &mut Actions,
    ) -> Expected {
        let are_taken = self.opening.batching.contains(&from.client);
        if are_taken && Batch::of(line).next().is_some() {
            return Expected::Members { are_taken };
        }
        let mut ids = Batch::of(line).filter_map(id_of);
        let (first, second) = (ids.next(), ids.next());
        if second.is_some() {
            return Expected::Members { are_taken: false };
        }
        self.fail_line(first, REFUSED, from, actions);
        Expected::Answer
    }

    /// A message of a client that stands in an array. Where those are not taken, each request hears so under its own id.
    pub fn client_member(
        &mut self,
        line: &[u8],
        are_taken: bool,
        from: Sender,
        actions: &mut Actions,
    ) -> Expected {
        if are_taken {
            return self.client_message(line, true, from, actions);
        }
        let Some(id) = id_of(line) else { return Expected::Nothing };
        self.fail_line(Some(id), REFUSED, from, actions);
        Expected::Answer
    }
}

/// The id that a message is answered under, if it wants an answer.
fn id_of(line: &[u8]) -> Option<Box<str>> {
    let doc = Doc::parse(line, limits(line.len())).ok()?;
    match Frame::of(&doc) {
        Ok(frame) => frame.id.filter(|_| frame.shape == Shape::Request).map(|it| it.raw().into()),
        Err(error) => error.id(&doc),
    }
}
