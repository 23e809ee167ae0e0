//! `Actions`: what a session wants done after one event.

use std::sync::Arc;

use redress_govern::{CallRecord, Job};

use super::retry::Repeat;
use crate::{
    memory::Reservation,
    moment::Moment,
    outgoing::{MessageQueue, Ticket, ToClient, ToUpstream},
    pending_fault::PendingFault,
};

/// What a session wants done after one event, with the time of the event. The driver carries it out.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an order of its own")]
pub struct Actions {
    /// Now.
    pub now: Moment,
    /// For the client.
    pub to_client: MessageQueue<ToClient>,
    /// The bytes that are reserved for that.
    pub answered: Vec<Reservation>,
    /// For the upstream.
    pub to_upstream: MessageQueue<ToUpstream>,
    /// The bytes that are reserved for that.
    pub queued: Vec<Reservation>,
    /// To be recorded; what [`PendingFault::render`] gives is for the client.
    pub faults: Vec<PendingFault>,
    /// To be recorded before they are made; [`super::Session::repeat_recorded`] hears of it.
    pub repeats: Vec<Repeat>,
    /// Writes that wait for their turn; [`super::Session::write_told`] hears what comes of them.
    pub writes: Vec<Arc<Job>>,
    /// What changed sessions of a governed server, to be recorded.
    pub sessions: Vec<String>,
    /// Calls of a governed server that succeeded, to be recorded when everything else is done.
    pub calls: Vec<CallRecord>,
    /// Requests that their clients withdrew: they get no answer.
    pub withdrawn: Vec<Ticket>,
    /// The upstream is to be started.
    pub start: bool,
    /// The upstream is to be ended: it is of no use any more.
    pub kill: bool,
    /// The upstream is to be ended, and nothing that it still says counts.
    pub replace: bool,
    /// The next deadline may be sooner than it was.
    pub is_sooner: bool,
    /// A tool is called, which may fail.
    pub is_called: bool,
}

impl Actions {
    /// No actions yet, at this time.
    pub fn new(now: Moment) -> Self {
        Self {
            now,
            to_client: MessageQueue::default(),
            answered: Vec::new(),
            to_upstream: MessageQueue::default(),
            queued: Vec::new(),
            faults: Vec::new(),
            repeats: Vec::new(),
            writes: Vec::new(),
            sessions: Vec::new(),
            calls: Vec::new(),
            withdrawn: Vec::new(),
            start: false,
            kill: false,
            replace: false,
            is_sooner: false,
            is_called: false,
        }
    }
}

/// What the sender of a message gets for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// An answer, sooner or later.
    Answer,
    /// None: it was a notification, or an answer itself.
    Nothing,
    /// Whatever its members want, which are to be given to [`super::Session::client_member`]: it is an array.
    Members {
        /// Whether the client's revision has arrays.
        are_taken: bool,
    },
}
