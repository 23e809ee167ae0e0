//! `Upstream`: the server's end of a connection.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redress::outcome::KillReason;
use redress_proxy::{
    memory::Reservation,
    outgoing::{MessageQueue, ToUpstream},
};

use super::{ActingThread, reader_handoff::ReaderHandoff, writer::PipeWriter};
use crate::{process::Process, remote::Remote};

/// The server's end.
#[derive(Clone)]
pub(super) enum Upstream {
    /// A process of ours.
    Child {
        /// The queue in front of its input.
        input: Arc<PipeWriter>,
        /// It and its group.
        process: Arc<Process>,
        /// The threads that read its output.
        reading: Arc<ReaderHandoff>,
    },
    /// A server that speaks HTTP.
    Remote(Arc<Remote>),
}

impl Upstream {
    /// Takes messages over with the memory reserved for them, in the order of these calls. Never blocks.
    pub(super) fn push(
        &self,
        outgoing: &mut MessageQueue<ToUpstream>,
        held: &mut Vec<Reservation>,
    ) {
        match self {
            Self::Child { input, .. } => input.push(outgoing.as_stream(), held),
            Self::Remote(remote) => remote.push(outgoing, held),
        }
    }

    /// Has what was taken over sent.
    pub(super) fn flush(&self, thread: ActingThread, now: Instant) {
        if let Self::Child { input, reading, .. } = self {
            reading.call();
            if input.flush(thread == ActingThread::Client, now).is_err() {
                // What cannot be written to is of no use.
                self.kill(KillReason::ClosedInput);
            }
        }
    }

    /// How many bytes wait for it.
    pub(super) fn waiting(&self) -> usize {
        match self {
            Self::Child { input, .. } => input.waiting(),
            Self::Remote(_) => 0,
        }
    }

    /// Ends it at once.
    pub(super) fn kill(&self, why: KillReason) {
        match self {
            Self::Child { process, .. } => process.end(why),
            // It is not ours to end.
            Self::Remote(_) => (),
        }
    }

    /// Sends nothing more, which is how a process is asked to end.
    pub(super) fn close(&self) {
        match self {
            Self::Child { input, process, .. } => {
                process.collect_descendants();
                input.close();
            }
            Self::Remote(remote) => drop(remote.end_tasks()),
        }
    }

    /// Ends it if it has not read for so long that no request could be answered in time.
    pub(super) fn end_if_stuck(&self, now: Instant, deadline: Duration) {
        let stuck = match self {
            Self::Child { input, .. } => input.stuck_for(now),
            // Each of its requests has a deadline of its own.
            Self::Remote(_) => Duration::ZERO,
        };
        if stuck >= deadline {
            self.kill(KillReason::Deafness);
        }
    }
}
