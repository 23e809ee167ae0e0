//! A remote server at the upstream end of a connection.

use std::sync::{Arc, Weak, atomic::Ordering};

use tokio::runtime::Handle;

use super::{Connection, Pipe, Role, Target, Upstream};
use crate::{
    inflight::UpstreamId,
    remote::{Hears, Remote},
    session::{Actions, ClientKind, HttpFailure, MessageSource},
};

/// Makes the remote server the upstream of a connection. To be called where a runtime is at hand.
pub(crate) fn connect(connection: &Arc<Connection>) {
    let Target::Url(address) = &connection.runtime.target else { return };
    connection.has_started.store(true, Ordering::Release);
    let kind = if connection.client.pipe().is_some() { ClientKind::Pipe } else { ClientKind::Http };
    let longest = connection.runtime.server.settings.max_message;
    let ear = Box::new(Ear(Arc::downgrade(connection)));
    let most = (longest, connection.account.clone());
    let remote = Remote::new(Arc::clone(address), kind, most, Handle::current(), ear);
    let mut turn = Actions::new(connection.now());
    let mut core = connection.lock();
    core.connect(Upstream::Remote(remote));
    core.session.upstream_ready(Arc::default(), &mut turn);
    connection.apply(core, &mut turn, Role::Other);
}

impl Connection {
    /// The remote server, if that is what the upstream is.
    pub(crate) fn remote(&self) -> Option<Arc<Remote>> {
        match (&self.runtime.target, &self.lock().upstream) {
            (Target::Url(_), Some(Upstream::Remote(remote))) => Some(Arc::clone(remote)),
            _ => None,
        }
    }
}

/// Hears a remote server, as long as the connection is there.
struct Ear(Weak<Connection>);

impl Hears for Ear {
    fn said(&self, line: &[u8], came: MessageSource) -> bool {
        self.0.upgrade().is_some_and(|connection| {
            connection.turn(Role::Other, |session, turn| {
                session.upstream_message(line, came, turn);
                came.about.is_some_and(|it| session.is_owed(it))
            })
        })
    }

    fn streams(&self, about: UpstreamId, is_primed: bool) {
        let Some(connection) = self.0.upgrade() else { return };
        let Some(replies) = connection.client.replies() else { return };
        let ticket = connection.lock().session.ticket(about);
        if let Some(ticket) = ticket {
            replies.open(ticket, is_primed);
        }
    }

    fn refused(&self, id: UpstreamId, how: &HttpFailure<'_>) {
        if let Some(connection) = self.0.upgrade() {
            connection.turn(Role::Other, |session, turn| session.upstream_refused(id, how, turn));
        }
    }

    fn expired(&self, id: UpstreamId) {
        if let Some(connection) = self.0.upgrade() {
            connection.turn(Role::Other, |session, turn| session.upstream_expired(id, turn));
        }
    }

    fn is_full(&self) -> bool {
        let connection = self.0.upgrade();
        // Over HTTP each stream has bounds of its own.
        connection.is_some_and(|it| it.client.pipe().is_some_and(Pipe::is_full))
    }

    fn waits(&self, id: UpstreamId) {
        if let Some(connection) = self.0.upgrade() {
            connection.lock().session.note_sent(id, false);
        }
    }

    fn goes_on(&self, id: UpstreamId) -> bool {
        self.0.upgrade().is_some_and(|connection| connection.lock().session.note_sent(id, true))
    }

    fn is_owed(&self, id: UpstreamId) -> bool {
        self.0.upgrade().is_some_and(|connection| connection.lock().session.is_owed(id))
    }
}
