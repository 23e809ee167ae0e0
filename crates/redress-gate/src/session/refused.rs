//! An upstream over HTTP: its messages come as answers to our requests, and its refusals have a status.

use super::{Refused, Session, Turn, seen::Seen};
use crate::inflight::{Owed, UpstreamId};

impl Session {
    /// A message of an upstream over HTTP: in the answer to the request `about`, or on a stream of its own.
    pub fn upstream_said(
        &mut self,
        line: &[u8],
        _about: Option<UpstreamId>,
        _status: u16,
        turn: &mut Turn,
    ) {
        self.upstream_line(line, turn);
    }

    /// The POST of a request failed.
    pub fn upstream_refused(&mut self, id: UpstreamId, _how: &Refused<'_>, turn: &mut Turn) {
        if let Some(Owed::Answer(exchange)) = self.inflight.take(id) {
            self.fail(exchange, &Seen::NotGreeted, turn);
        }
    }

    /// The upstream's session is over: it answered 404 to something that named it. To be said before the requests that got
    /// this 404 are given to [`Self::upstream_refused`].
    pub fn upstream_expired(&mut self, _turn: &mut Turn) {
        self.opening.is_done = false;
    }
}
