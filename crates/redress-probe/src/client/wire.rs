//! `Wire`: the way to a server and back, be it a child's pipes or HTTP; bytes go out as they are, and events come in.

use std::{ffi::OsString, fmt, sync::mpsc::Receiver, time::Duration};

use redress_transport::program::Program;

use super::{child::Child, remote::Remote};

/// The most bytes of one message that are read.
pub(crate) const LONGEST: usize = 8 << 20;

/// So many events may wait before their sender has to.
pub(super) const QUEUE: usize = 256;

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerAddress {
    /// A command that is started: it speaks on its standard streams.
    Command(Vec<OsString>),
    /// The same with variables and a directory of its own.
    Program(Box<Program>),
    /// A URL: it speaks streamable HTTP.
    Url {
        /// The address.
        url: String,
        /// What is added to the headers of each request.
        headers: Vec<(String, String)>,
    },
}

/// What was heard from a server.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A message, or a line that should be one.
    Message { post: Option<u64>, status: Option<u16>, bytes: Vec<u8> },
    /// A message that is longer than [`LONGEST`].
    TooLarge { post: Option<u64>, bytes: usize },
    /// An HTTP answer is over, whether or not there was a message in it.
    Done { post: u64, status: u16, refusal: Vec<u8> },
    /// The connection failed.
    Lost { post: u64, why: Trouble },
    /// The process ended.
    Exited { code: Option<i32>, signal: Option<i32> },
}

/// Why a server could not be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Its name has no address.
    Name(String),
    /// No listener takes the connection.
    Connect(String),
    /// There is no secure connection.
    Tls(String),
    /// The connection broke.
    Cut(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Name(why) | Self::Connect(why) | Self::Tls(why) | Self::Cut(why)) = self;
        f.write_str(why)
    }
}

/// What of a message is in HTTP headers, too.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mirror {
    /// The revision.
    pub(crate) revision: Option<String>,
    /// The method, if the revision wants it there.
    pub(crate) method: Option<String>,
    /// The tool, if the revision wants it there.
    pub(crate) name: Option<String>,
}

/// The way to a server.
#[derive(Debug)]
pub(crate) enum Wire {
    Child(Child),
    Remote(Remote),
}

impl Wire {
    /// Sends bytes as one message. Over HTTP it gets a number that its answers carry.
    pub(crate) fn send(&mut self, bytes: &[u8], mirror: &Mirror) -> Option<u64> {
        match self {
            Self::Child(child) => {
                child.send(bytes);
                None
            }
            Self::Remote(remote) => Some(remote.send(bytes, mirror)),
        }
    }

    /// The next event, if one comes in time.
    pub(crate) fn hear(&mut self, within: Duration) -> Option<Heard> {
        self.events().recv_timeout(within).ok()
    }

    fn events(&mut self) -> &Receiver<Heard> {
        match self {
            Self::Child(child) => &child.events,
            Self::Remote(remote) => &remote.events,
        }
    }

    /// The end of the server's log.
    pub(crate) fn log_tail(&self) -> Vec<u8> {
        match self {
            Self::Child(child) => child.log_tail(),
            Self::Remote(_) => Vec::new(),
        }
    }

    /// Over HTTP, an answer with the number belongs to that message alone.
    pub(crate) const fn is_remote(&self) -> bool {
        matches!(self, Self::Remote(_))
    }

    /// The session that the server opened, from now on named with each message.
    pub(crate) fn enter_session(&mut self) {
        if let Self::Remote(remote) = self {
            remote.enter_session();
        }
    }
}
