//! `Asked` and `Outcome`: what was sent to an upstream and what it really did, before anybody judged it.

mod malformed;

use std::{borrow::Cow, io};

pub use malformed::Malformed;

use redress_wire::json::Value;

/// What was asked of an upstream.
#[derive(Debug, Clone, Default)]
pub struct Asked<'a> {
    /// The JSON-RPC request, where it is one.
    pub request: Option<Value<'a>>,
    /// Set when the bytes sent were not one JSON-RPC request.
    pub unreadable: Option<Unreadable>,
    /// The method asked for.
    pub method: Option<Cow<'a, str>>,
    /// The tool called.
    pub tool: Option<Cow<'a, str>>,
    /// What is known about that tool.
    pub traits: ToolTraits,
    /// Every tool that the server listed, if it did.
    pub known_tools: Option<&'a [String]>,
    /// The names of the tool's arguments, as far as its schema is known.
    pub parameters: &'a [String],
    /// How it was sent, if over HTTP.
    pub http: Option<HttpAsked>,
    /// Whether the server's own words about a code of its contract are believed.
    pub trust: bool,
}

/// Why the bytes sent are not one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// Not JSON.
    NotJson,
    /// Several messages at once.
    Batch,
}

/// What is known about a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolTraits {
    /// It changes nothing.
    pub read_only: bool,
    /// Calling it twice is calling it once.
    pub idempotent: bool,
    /// Whether the source of these traits is trusted.
    pub trusted: bool,
}

impl ToolTraits {
    /// Whether a failed call can have changed nothing.
    pub const fn harmless(self) -> bool {
        self.read_only && self.trusted
    }
}

/// What of an HTTP request decides how its answer reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HttpAsked {
    /// It was a POST; the others carry no message.
    pub post: bool,
    /// It named a session.
    pub session: bool,
}

/// What an upstream did.
#[derive(Debug, Clone)]
pub struct Outcome<'a> {
    /// The thing itself.
    pub what: What<'a>,
    /// The end of what the process wrote to stderr.
    pub stderr_tail: Option<Cow<'a, str>>,
    /// How long it took.
    pub elapsed_ms: Option<u64>,
}

/// The thing itself.
#[derive(Debug, Clone)]
pub enum What<'a> {
    /// A message that is whole and valid: a result or a JSON-RPC error.
    Answer(Value<'a>),
    /// An HTTP answer.
    Http(HttpAnswer<'a>),
    /// Bytes that are no message.
    Malformed(Cow<'a, [u8]>),
    /// The pipe closed and nothing was said.
    Closed,
    /// The process ended.
    Exited {
        /// Its exit code.
        code: Option<i64>,
        /// The signal that ended it.
        signal: Option<Cow<'a, str>>,
    },
    /// The gate ended the process, and this is why. The signal is the gate's then, and says nothing of the process.
    Killed(KillReason),
    /// The process could not be started.
    NotStarted(&'a io::Error),
    /// A new process or session refused to be opened as the first one was.
    NotOpened,
    /// An answer that breaks the protocol, and how.
    Broken {
        /// Its bytes.
        bytes: &'a [u8],
        /// What is wrong with it.
        reason: &'a str,
    },
    /// An answer that is longer than fits.
    TooLarge {
        /// How long it is, if that is known.
        bytes: Option<u64>,
    },
    /// Nothing came in time.
    Deadline {
        /// How long we waited.
        waited_ms: u64,
    },
    /// We did not ask: one of our own codes says why.
    Refused(Cow<'a, str>),
}

/// Why a process was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillReason {
    /// It closed its output while it went on running.
    ClosedOutput,
    /// It closed its input while it went on running.
    ClosedInput,
    /// It has not read what it was sent for so long that nothing could be answered in time.
    Deafness,
    /// It was silent for so long that another takes its place.
    Silence,
    /// It did not open the client's session again.
    NoGreeting,
}

impl KillReason {
    /// What the server did, as the end of a sentence about it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::ClosedOutput => "closed its output",
            Self::ClosedInput => "closed its input",
            Self::Deafness => "did not read what it was sent",
            Self::Silence => "said nothing any more",
            Self::NoGreeting => "did not open the session again",
        }
    }
}

/// What of an HTTP answer is read.
#[derive(Debug, Clone, Default)]
pub struct HttpAnswer<'a> {
    /// The status.
    pub status: u16,
    /// `Retry-After`, as received.
    pub retry_after: Option<Cow<'a, str>>,
    /// The body, as received: JSON, server-sent events or anything else.
    pub body: Cow<'a, [u8]>,
}

impl<'a> Outcome<'a> {
    /// An outcome about which nothing else is known.
    pub const fn of(what: What<'a>) -> Self {
        Self { what, stderr_tail: None, elapsed_ms: None }
    }
}
