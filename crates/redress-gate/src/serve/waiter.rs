//! `Waiter`: a request that waits for its answer. If it is dropped before, the client has gone away.

use std::sync::Arc;

use hyper::HeaderMap;
use tokio::sync::oneshot;

use super::{
    desk::{Desk, Reply, Wish},
    kinds,
    stream::{Framing, Stream},
};
use crate::{
    caller::{Caller, Peer},
    link::{Link, Role},
    outgoing::{Sender, TokenId},
    remote::Remote,
};

/// What it means that a client closes the connection while it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnLeave {
    /// Nothing: the answer goes where the client can fetch it.
    Keep,
    /// It does not want the answer any more.
    Cancel,
}

/// In which form a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As a whole, unless something is said before.
    Whole,
    /// In the one that the client likes best. What a server over HTTP chose stays.
    Liked,
}

/// How a request is dealt with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) on_leave: OnLeave,
    pub(super) form: Form,
    /// The client knows streams to which it can come back.
    pub(super) is_primed: bool,
    /// Whose token it brought.
    pub(super) token: Option<TokenId>,
    /// For whom it counts.
    pub(super) caller: Caller,
    /// Where it came from.
    pub(super) peer: Peer,
}

/// A request that waits.
pub(super) struct Waiter {
    link: Arc<Link>,
    desk: Arc<Desk>,
    /// The server behind a URL that gets some of the request's headers.
    remote: Option<Arc<Remote>>,
    from: Sender,
    reply: oneshot::Receiver<Reply>,
    on_leave: OnLeave,
    /// The answer is a stream from the start.
    is_stream: bool,
    is_done: bool,
}

impl std::fmt::Debug for Waiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiter").field("from", &self.from).finish_non_exhaustive()
    }
}

impl Waiter {
    /// A place for a request of a client; `None` if the link serves no HTTP clients.
    pub(super) fn new(
        link: &Arc<Link>,
        client: u64,
        manner: Manner,
        headers: &HeaderMap,
    ) -> Option<Self> {
        let Manner { on_leave, form, is_primed, token, caller, peer } = manner;
        let desk = Arc::clone(link.client.desk()?);
        let remote = link.remote();
        let events = form == Form::Liked && remote.is_none() && kinds::prefers_events(headers);
        let (ticket, reply) = desk.wait((client, caller), Wish { events, is_primed });
        // Without a session the status above the answer says how it went.
        let is_stream = events && on_leave == OnLeave::Keep;
        if let Some(remote) = &remote {
            remote.attach(ticket, headers);
        }
        let (link, from) = (Arc::clone(link), Sender { client, ticket, token, caller, peer });
        Some(Self { link, desk, remote, from, reply, on_leave, is_stream, is_done: false })
    }

    /// Who waits.
    pub(super) const fn from(&self) -> Sender {
        self.from
    }

    /// Opens the stream for whoever likes one from the start, unless the answer is there.
    pub(super) fn begin(&self) {
        if self.is_stream {
            self.desk.open(self.from.ticket, false);
        }
    }

    /// Several answers come, whatever the client likes on one stream.
    pub(super) fn expect_several(&self, framing: Framing) {
        self.desk.expect_several(self.from.ticket, framing);
    }

    /// The client has left the stream, perhaps before it read the last events.
    pub(super) fn unread(&self, stream: &Stream) {
        if self.on_leave == OnLeave::Keep {
            self.link.unheard(&self.desk.unread(self.from.client, stream));
        }
    }

    /// What is said first; `None` if nothing ever will be.
    pub(super) async fn reply(&mut self) -> Option<Reply> {
        (&mut self.reply).await.ok()
    }

    /// The answer has come, or none will.
    pub(super) fn done(mut self) {
        self.is_done = true;
    }

    /// No answer will come.
    pub(super) fn none_expected(self) {
        self.desk.forget(self.from.ticket);
        self.done();
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if let Some(remote) = &self.remote {
            remote.detach(self.from.ticket);
        }
        if self.is_done {
            return;
        }
        match self.on_leave {
            OnLeave::Keep => {
                self.desk.leave(self.from.ticket);
                // It may have come in the meantime.
                if let Ok(Reply::Answer(answer)) = self.reply.try_recv() {
                    let lost = self.desk.tell(self.from.client, &answer.message);
                    self.link.unheard(&lost);
                }
            }
            OnLeave::Cancel => {
                let ticket = self.from.ticket;
                self.desk.forget(ticket);
                self.link.turn(Role::Other, |session, turn| session.withdraw(ticket, turn));
            }
        }
    }
}
