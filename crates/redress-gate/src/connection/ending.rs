//! How far a connection is on the way to its end, for whoever else uses it.

use std::sync::atomic::Ordering;

use super::Connection;

impl Connection {
    /// From now on every answer may be the last one.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Ordering::Release);
    }

    /// From now on the upstream is ended by whoever ends us.
    pub(crate) fn begin_to_end(&self) {
        self.is_ending.store(true, Ordering::Release);
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Acquire)
    }

    /// Nothing that the client says is taken in from now on: what came of it could not be recorded any more.
    pub(crate) fn hear_no_more(&self) {
        self.is_deaf.store(true, Ordering::Release);
        // Whoever has taken something in has counted it when he lets go.
        drop(self.lock());
    }

    /// Whether the client is heard no more. To be asked with the lock.
    pub(crate) fn is_deaf(&self) -> bool {
        self.is_deaf.load(Ordering::Acquire)
    }

    pub(crate) fn has_ever_started(&self) -> bool {
        self.has_started.load(Ordering::Acquire)
    }
}
