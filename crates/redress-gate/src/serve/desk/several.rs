//! Several answers for one who waits: those to the messages of an array, on one stream.

use super::{Desk, Place, State, Waiting};
use crate::{
    memory::Message,
    outgoing::Ticket,
    serve::{
        seat::Saying,
        stream::{Framing, Part},
    },
};

/// Who waits for several answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::serve) enum Reader {
    /// Somebody.
    There,
    /// Somebody who has closed the connection, and may fetch them.
    Left,
    /// Nobody.
    Nobody,
}

impl Desk {
    /// Who waits there.
    pub(in crate::serve) fn reader(&self, ticket: Ticket) -> Reader {
        match self.lock().waiting.get(&ticket).map(|it| &it.place) {
            Some(Place::Post(_) | Place::Stream(_)) => Reader::There,
            Some(Place::Left(_)) => Reader::Left,
            None => Reader::Nobody,
        }
    }

    /// Several answers come there, until [`Self::expect`] says how many there are in all.
    pub(in crate::serve) fn expect_several(&self, ticket: Ticket, framing: Framing) {
        if let Some(waiting) = self.lock().waiting.get_mut(&ticket) {
            (waiting.left, waiting.several) = (usize::MAX, Some(framing));
        }
    }

    /// So many of several answers come in all, or have come. If there are none, nobody waits there any more.
    pub(in crate::serve) fn expect(&self, ticket: Ticket, answers: usize) {
        let mut state = self.lock();
        let Some(waiting) = state.waiting.get_mut(&ticket) else { return };
        waiting.left = waiting.left.saturating_sub(usize::MAX - answers);
        if waiting.left == 0
            && let Some(waiting) = state.waiting.swap_remove(&ticket)
            && answers > 0
        {
            waiting.place.end();
        }
    }

    /// Whether whoever waits there does not read what was said.
    pub(crate) fn is_full(&self, ticket: Ticket) -> bool {
        let state = self.lock();
        let waiting = state.waiting.get(&ticket);
        waiting.is_some_and(|it| matches!(&it.place, Place::Stream(stream) if stream.is_full()))
    }
}

impl State {
    /// One of several answers; the last of them ends the stream.
    pub(super) fn one_of_several(
        &mut self,
        ticket: Ticket,
        mut waiting: Waiting,
        message: &Message,
    ) {
        self.stream(&mut waiting, false);
        waiting.left -= 1;
        let part = if waiting.left == 0 { Part::Last } else { Part::Answer };
        let (stream, on) = waiting.place.stream();
        let (client, wish) = (waiting.client, waiting.wish);
        let how = Saying { on, is_primed: wish.is_primed, part, question: None };
        if !stream.is_some_and(|it| self.say_on(client, &it, how, message)) {
            self.tell(client, how, message);
        }
        if waiting.left > 0 {
            self.waiting.insert(ticket, waiting);
        }
    }
}
