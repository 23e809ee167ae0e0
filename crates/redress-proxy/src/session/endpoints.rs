//! What kind of ends a session has: pipes or HTTP on either side, and how HTTP fails.

pub(super) use redress::outcome::KillReason;
use redress::outcome::What;

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
