//! `Waiter`: a request that waits for its answer. If it is dropped before, the client has gone away.

use std::sync::Arc;

use hyper::HeaderMap;
use tokio::sync::oneshot;

use super::desk::{Desk, Reply};
use crate::{
    link::{Link, Role},
    mail::{Sender, Ticket},
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
    ticket: Ticket,
    on_leave: OnLeave,
    is_done: bool,
}

impl std::fmt::Debug for Waiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiter").field("ticket", &self.ticket).finish_non_exhaustive()
    }
}

impl Waiter {
    /// A place for a request of a client; `None` if the link serves no HTTP clients.
    pub(super) fn new(
        link: &Arc<Link>,
        client: u64,
        on_leave: OnLeave,
        headers: &HeaderMap,
    ) -> Option<(Self, Sender, oneshot::Receiver<Reply>)> {
        let desk = Arc::clone(link.client.desk()?);
        let (ticket, reply) = desk.wait(client);
        let remote = link.remote();
        if let Some(remote) = &remote {
            remote.attach(ticket, headers);
        }
        let (link, is_done) = (Arc::clone(link), false);
        let waiter = Self { link, desk, remote, ticket, on_leave, is_done };
        Some((waiter, Sender { client, ticket }, reply))
    }

    /// The answer has come, or none will.
    pub(super) fn done(mut self) {
        self.is_done = true;
    }

    /// No answer will come.
    pub(super) fn none_expected(self) {
        self.desk.forget(self.ticket);
        self.done();
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if let Some(remote) = &self.remote {
            remote.detach(self.ticket);
        }
        if self.is_done {
            return;
        }
        match self.on_leave {
            OnLeave::Keep => self.desk.leave(self.ticket),
            OnLeave::Cancel => {
                self.desk.forget(self.ticket);
                self.link.turn(Role::Other, |session, turn| session.withdraw(self.ticket, turn));
            }
        }
    }
}
