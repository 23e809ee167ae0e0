//! A server behind a URL at the upstream end of a connection.

use std::sync::{Arc, Weak, atomic::Ordering};

use redress_proxy::{
    session::{Actions, ClientKind, HttpFailure, MessageSource},
    upstream_id::UpstreamId,
};
use tokio::runtime::Handle;

use super::{ActingThread, ClientPipe, Connection, Target, Upstream};
use crate::remote::{Remote, UpstreamEvents};

/// Makes a server behind a URL the upstream of a connection, unless it is. A runtime has to be at hand.
pub(crate) fn connect(connection: &Arc<Connection>) {
    let Target::Url(address) = &connection.runtime.target else { return };
    if connection.remote().is_some() {
        return;
    }
    connection.has_started.store(true, Ordering::Release);
    let kind = if connection.client.pipe().is_some() { ClientKind::Pipe } else { ClientKind::Http };
    let longest = connection.runtime.server.settings.max_message;
    let events = Box::new(RemoteEvents(Arc::downgrade(connection)));
    let most = (longest, connection.account.clone());
    let remote = Remote::new(Arc::clone(address), kind, most, Handle::current(), events);
    let mut actions = Actions::new(connection.now());
    let mut state = connection.lock();
    state.connect(Upstream::Remote(remote));
    state.session.upstream_ready(Arc::default(), &mut actions);
    connection.apply(state, &mut actions, ActingThread::Other);
}

/// Passes the messages of a remote server to its connection, as long as that is there.
struct RemoteEvents(Weak<Connection>);

impl UpstreamEvents for RemoteEvents {
    fn on_message(&self, line: &[u8], came: MessageSource) -> bool {
        self.0.upgrade().is_some_and(|connection| {
            connection.act(ActingThread::Other, |session, actions| {
                session.upstream_message(line, came, actions);
                came.about.is_some_and(|it| session.is_owed(it))
            })
        })
    }

    fn on_stream(&self, about: UpstreamId, is_primed: bool) {
        let Some(connection) = self.0.upgrade() else { return };
        let Some(replies) = connection.client.replies() else { return };
        let reply_token = connection.lock().session.reply_token(about);
        if let Some(reply_token) = reply_token {
            replies.open(reply_token, is_primed);
        }
    }

    fn on_failure(&self, id: UpstreamId, how: &HttpFailure<'_>) {
        if let Some(connection) = self.0.upgrade() {
            connection.act(ActingThread::Other, |session, actions| {
                session.upstream_refused(id, how, actions);
            });
        }
    }

    fn on_session_lost(&self, id: UpstreamId) {
        if let Some(connection) = self.0.upgrade() {
            connection
                .act(ActingThread::Other, |session, actions| session.upstream_expired(id, actions));
        }
    }

    fn is_full(&self) -> bool {
        let connection = self.0.upgrade();
        // Over HTTP each stream has bounds of its own.
        connection.is_some_and(|it| it.client.pipe().is_some_and(ClientPipe::is_full))
    }

    fn on_wait(&self, id: UpstreamId) {
        if let Some(connection) = self.0.upgrade() {
            connection.lock().session.note_sent(id, false);
        }
    }

    fn on_resume(&self, id: UpstreamId) -> bool {
        self.0.upgrade().is_some_and(|connection| connection.lock().session.note_sent(id, true))
    }

    fn is_owed(&self, id: UpstreamId) -> bool {
        self.0.upgrade().is_some_and(|connection| connection.lock().session.is_owed(id))
    }
}
