//! `Upstream`: the server's end of a connection.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::Role;
use crate::{
    memory::Reservation,
    outbox::Outbox,
    outgoing::{Outgoing, ToUpstream},
    process::Process,
    remote::Remote,
    serve::Inlet,
    session::KillReason,
};

/// The server's end.
#[derive(Clone)]
pub(crate) enum Upstream {
    /// A process of ours.
    Child {
        /// Where it reads.
        input: Input,
        /// It and its group.
        process: Arc<Process>,
    },
    /// A server that speaks HTTP.
    Remote(Arc<Remote>),
}

/// Where a process reads.
#[derive(Clone)]
pub(crate) enum Input {
    /// Written by threads, which may wait for it.
    Outbox(Arc<Outbox>),
    /// Written by tasks, which may not.
    Inlet(Arc<Inlet>),
}

impl Upstream {
    /// Takes messages over with what is reserved for them, in the order of these calls. Never blocks.
    pub(super) fn push(&self, mail: &mut Outgoing<ToUpstream>, held: &mut Vec<Reservation>) {
        match self {
            Self::Child { input: Input::Outbox(outbox), .. } => outbox.push(mail.as_stream()),
            Self::Child { input: Input::Inlet(inlet), .. } => inlet.push(mail.as_stream(), held),
            Self::Remote(remote) => remote.push(mail, held),
        }
    }

    /// Has what was taken over sent.
    pub(super) fn flush(&self, role: Role, now: Instant) {
        if let Self::Child { process, .. } = self {
            process.relief.call();
        }
        let is_broken = match (self, role) {
            (Self::Child { input: Input::Outbox(outbox), .. }, Role::Client) => {
                outbox.flush(now).is_err()
            }
            (Self::Child { input: Input::Outbox(outbox), .. }, _) => {
                outbox.call_courier();
                false
            }
            (Self::Child { input: Input::Inlet(inlet), .. }, _) => inlet.flush(now).is_err(),
            (Self::Remote(_), _) => false,
        };
        // What cannot be written to is of no use.
        if is_broken {
            self.kill(KillReason::ClosedInput);
        }
    }

    /// How many bytes wait for it. Threads wait with what they have instead.
    pub(super) fn waiting(&self) -> usize {
        match self {
            Self::Child { input: Input::Inlet(inlet), .. } => inlet.waiting(),
            Self::Child { input: Input::Outbox(_), .. } | Self::Remote(_) => 0,
        }
    }

    /// Ends it at once.
    pub(crate) fn kill(&self, why: KillReason) {
        match self {
            Self::Child { process, .. } => process.end(why),
            // It is not ours to end.
            Self::Remote(_) => (),
        }
    }

    /// Sends nothing more, which is how a process is asked to end.
    pub(crate) fn close(&self) {
        if let Self::Child { process, .. } = self {
            process.gather_kin();
        }
        match self {
            Self::Child { input: Input::Outbox(outbox), .. } => outbox.close(),
            Self::Child { input: Input::Inlet(inlet), .. } => inlet.close(),
            Self::Remote(remote) => drop(remote.end_tasks()),
        }
    }

    /// Ends it if it has not read for so long that no request could be answered in time.
    pub(crate) fn end_if_stuck(&self, now: Instant, deadline: Duration) {
        let stuck = match self {
            Self::Child { input: Input::Outbox(outbox), .. } => outbox.stuck_for(now),
            Self::Child { input: Input::Inlet(inlet), .. } => inlet.stuck_for(now),
            // Each of its requests has a deadline of its own.
            Self::Remote(_) => Duration::ZERO,
        };
        if stuck >= deadline {
            self.kill(KillReason::Deafness);
        }
    }
}
