//! A remote server at the upstream end of a link.

use std::sync::{Arc, Weak, atomic::Ordering};

use tokio::runtime::Handle;

use super::{Link, Pipe, Role, Target, Upstream};
use crate::{
    inflight::UpstreamId,
    remote::{Hears, Remote},
    session::{Actions, ClientKind, HttpFailure, MessageSource},
};

/// Makes the remote server the upstream of a link. To be called where a runtime is at hand.
pub(crate) fn connect(link: &Arc<Link>) {
    let Target::Url(address) = &link.plan.target else { return };
    link.has_started.store(true, Ordering::Release);
    let kind = if link.client.pipe().is_some() { ClientKind::Pipe } else { ClientKind::Http };
    let longest = link.plan.server.settings.max_message;
    let ear = Box::new(Ear(Arc::downgrade(link)));
    let most = (longest, link.account.clone());
    let remote = Remote::new(Arc::clone(address), kind, most, Handle::current(), ear);
    let mut turn = Actions::new(link.now());
    let mut core = link.lock();
    core.connect(Upstream::Remote(remote));
    core.session.upstream_ready(Arc::default(), &mut turn);
    link.settle(core, &mut turn, Role::Other);
}

impl Link {
    /// The remote server, if that is what the upstream is.
    pub(crate) fn remote(&self) -> Option<Arc<Remote>> {
        match (&self.plan.target, &self.lock().upstream) {
            (Target::Url(_), Some(Upstream::Remote(remote))) => Some(Arc::clone(remote)),
            _ => None,
        }
    }
}

/// Hears a remote server, as long as the link is there.
struct Ear(Weak<Link>);

impl Hears for Ear {
    fn said(&self, line: &[u8], source: MessageSource) -> bool {
        self.0.upgrade().is_some_and(|link| {
            link.turn(Role::Other, |session, turn| {
                session.upstream_message(line, source, turn);
                source.about.is_some_and(|it| session.is_owed(it))
            })
        })
    }

    fn streams(&self, about: UpstreamId, is_primed: bool) {
        let Some(link) = self.0.upgrade() else { return };
        let Some(desk) = link.client.desk() else { return };
        let ticket = link.lock().session.ticket(about);
        if let Some(ticket) = ticket {
            desk.open(ticket, is_primed);
        }
    }

    fn refused(&self, id: UpstreamId, how: &HttpFailure<'_>) {
        if let Some(link) = self.0.upgrade() {
            link.turn(Role::Other, |session, turn| session.upstream_refused(id, how, turn));
        }
    }

    fn expired(&self, id: UpstreamId) {
        if let Some(link) = self.0.upgrade() {
            link.turn(Role::Other, |session, turn| session.upstream_expired(id, turn));
        }
    }

    fn is_full(&self) -> bool {
        let link = self.0.upgrade();
        // Over HTTP each stream has bounds of its own.
        link.is_some_and(|it| it.client.pipe().is_some_and(Pipe::is_full))
    }

    fn waits(&self, id: UpstreamId) {
        if let Some(link) = self.0.upgrade() {
            link.lock().session.note_sent(id, false);
        }
    }

    fn goes_on(&self, id: UpstreamId) -> bool {
        self.0.upgrade().is_some_and(|link| link.lock().session.note_sent(id, true))
    }

    fn is_owed(&self, id: UpstreamId) -> bool {
        self.0.upgrade().is_some_and(|link| link.lock().session.is_owed(id))
    }
}
