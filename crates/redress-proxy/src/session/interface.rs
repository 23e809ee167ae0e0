//! What a driver gives a session and gets from it: the kinds of its two ends, how HTTP and processes fail, and `Actions`.

use std::sync::Arc;

use redress::outcome::{KillReason, What};
use redress_govern::Job;

use super::retry::Repeat;
use crate::{
    memory::Reservation,
    moment::Moment,
    outgoing::{MessageQueue, ReplyToken, ToClient, ToUpstream},
    pending_fault::PendingFault,
    succeeded_call::SucceededCall,
    upstream_id::UpstreamId,
};

/// What the client of a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKind {
    /// One client on a pipe: the gate opens the upstream's session again if it is lost.
    Pipe,
    /// A client over HTTP: it sees the status of an answer, and opens its sessions itself.
    Http,
}

/// What the upstream of a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpstreamKind {
    /// A process: its messages are lines.
    Pipe,
    /// A server over HTTP: its messages come as answers to ours.
    Http,
}

/// What a refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureScope {
    /// The request.
    Request,
    /// The session that the request named, whatever the request was.
    Session,
    /// Its body did not come to its end, and may have been an answer to the request.
    Unread,
}

/// How the POST of a request failed.
#[derive(Debug, Clone, Copy)]
pub enum HttpFailure<'a> {
    /// The answer is not 2xx.
    Status {
        /// Its status.
        status: u16,
        /// Its `Retry-After`.
        retry_after: Option<&'a str>,
        /// Its `WWW-Authenticate`, each on a line of its own.
        www_authenticate: Option<&'a str>,
        /// Its `Location`.
        location: Option<&'a str>,
        /// Its body, or the start of it.
        body: &'a [u8],
        /// What it is about.
        about: FailureScope,
    },
    /// There was no answer at all.
    Unreachable {
        /// What was tried last.
        phase: Phase,
        /// What went wrong. The client does not see it.
        detail: &'a str,
        /// Whether the upstream may have the request.
        sent: bool,
    },
    /// The answer is none of the transport's protocol.
    Malformed {
        /// What is wrong with it. The client does not see it.
        detail: &'a str,
    },
    /// The answer is longer than fits, and was not read.
    TooLarge {
        /// How long it is, if that is known.
        bytes: Option<u64>,
    },
    /// The answer was not read, because there is no memory for it.
    OutOfMemory,
    /// The answer ended before it was whole.
    Cut {
        /// What went wrong. The client does not see it.
        detail: &'a str,
    },
}

/// Where on its way a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The server's name has no address.
    Dns,
    /// No listener takes the connection.
    Connect,
    /// The connection is not to be trusted.
    Tls,
    /// The request could not be written.
    Write,
    /// The answer could not be read.
    Read,
}

impl Phase {
    /// Its name in an envelope.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Write => "write",
            Self::Read => "read",
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, Default)]
pub struct Exit {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it, by name.
    pub signal: Option<String>,
    /// Why it was ended, if it did not end by itself. The signal is ours then, and says nothing of it.
    pub ended_for: Option<KillReason>,
}

impl Exit {
    /// What the upstream did when its process ended so.
    pub(super) fn outcome(&self) -> What<'_> {
        match self.ended_for {
            Some(why) => What::Killed(why),
            None => What::Exited {
                code: self.code.map(i64::from),
                signal: self.signal.as_deref().map(Into::into),
            },
        }
    }
}

/// Where a message of the upstream comes from: a pipe, or an HTTP response.
#[derive(Debug, Clone, Copy, Default)]
pub struct MessageSource {
    /// The request whose HTTP response it is in.
    pub about: Option<UpstreamId>,
    /// The status of that response.
    pub status: Option<u16>,
    /// Whether it is an event of a stream.
    pub is_event: bool,
    /// Whether it is a member of an array.
    pub is_member: bool,
}

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
    /// Calls that succeeded, to be recorded when everything else is done.
    pub calls: Vec<SucceededCall>,
    /// Requests that their clients withdrew: they get no answer.
    pub withdrawn: Vec<ReplyToken>,
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
