//! `Waiter`: a request that waits for its answer. If it is dropped before, the client has gone away.

use std::sync::Arc;

use hyper::HeaderMap;
use tokio::sync::oneshot;

use super::{
    desk::{Desk, Reply},
    version,
};
use crate::{
    link::{Link, Role},
    mail::Sender,
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

/// A request that waits.
pub(super) struct Waiter {
    link: Arc<Link>,
    desk: Arc<Desk>,
    /// The server behind a URL that gets some of the request's headers.
    remote: Option<Arc<Remote>>,
    from: Sender,
    reply: oneshot::Receiver<Reply>,
    on_leave: OnLeave,
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
        on_leave: OnLeave,
        headers: &HeaderMap,
    ) -> Option<Self> {
        let desk = Arc::clone(link.client.desk()?);
        let (ticket, reply) = desk.wait(client, version::knows_primed_streams(headers));
        let remote = link.remote();
        if let Some(remote) = &remote {
            remote.attach(ticket, headers);
        }
        let (link, from) = (Arc::clone(link), Sender { client, ticket });
        Some(Self { link, desk, remote, from, reply, on_leave, is_done: false })
    }

    /// Who waits.
    pub(super) const fn from(&self) -> Sender {
        self.from
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
                    self.desk.tell(self.from.client, &answer.message);
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
