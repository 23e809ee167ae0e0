//! `FleetError`: why the engine, or what is on it, cannot be used.

use std::{fmt, io, path::PathBuf};

use redress_ledger::ReadError;

/// A setting with which the stream can lose what it has acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weakness {
    /// The setting, as the engine calls it.
    pub setting: &'static str,
    /// What it is.
    pub is: String,
    /// What it should be.
    pub should: &'static str,
}

impl Weakness {
    pub(crate) fn new(setting: &'static str, is: impl fmt::Display, should: &'static str) -> Self {
        Self { setting, is: is.to_string(), should }
    }

    /// What is to be set.
    pub fn advice(&self) -> String {
        format!("`{}` to {}", self.setting, self.should)
    }
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}, not {}", self.setting, self.is, self.should)
    }
}

/// Why something on the fleet could not be done.
#[derive(Debug)]
#[non_exhaustive]
pub enum FleetError {
    /// A setting has no value that it can have.
    Input {
        /// The setting.
        place: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// No server of the engine answers.
    Unreachable {
        /// The servers.
        url: String,
        /// What the system said.
        why: String,
    },
    /// What answers there speaks another protocol.
    NotAnEngine {
        /// The servers.
        url: String,
        /// What it did.
        why: String,
    },
    /// The engine does not take the credentials.
    Unauthorized {
        /// The servers.
        url: String,
    },
    /// The credentials do not allow an operation.
    Denied {
        /// What the engine said.
        why: String,
    },
    /// The engine is too old.
    OldServer {
        /// Its version.
        version: String,
    },
    /// The engine has no JetStream, or none for this account.
    NoJetStream {
        /// What the engine said.
        why: String,
    },
    /// The engine has no stream of this name.
    Absent {
        /// The stream or bucket.
        name: String,
    },
    /// The stream has another purpose.
    Foreign {
        /// The stream or bucket.
        name: String,
        /// Why it cannot be ours.
        why: String,
    },
    /// The stream can lose records that it has acknowledged.
    Weak {
        /// The stream or bucket.
        name: String,
        /// What would have to be set.
        weaknesses: Vec<Weakness>,
    },
    /// The engine has another chain than the files.
    Diverged {
        /// The chain.
        chain: String,
        /// The first record that differs.
        seq: u64,
    },
    /// A message has a format that this version does not know.
    Format {
        /// The subject of the message.
        subject: String,
        /// The format that it names.
        format: String,
    },
    /// The engine refused or did not answer an operation.
    Engine {
        /// What was being done.
        doing: &'static str,
        /// What the engine said.
        why: String,
    },
    /// A ledger could not be read.
    Ledger(ReadError),
    /// A file could not be written.
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl FleetError {
    pub(crate) fn engine(doing: &'static str, why: impl fmt::Display) -> Self {
        Self::Engine { doing, why: why.to_string() }
    }

    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { path, error }
    }

    /// Whether the same attempt would fail until somebody changes a setting.
    pub const fn is_lasting(&self) -> bool {
        matches!(
            self,
            Self::Input { .. }
                | Self::NotAnEngine { .. }
                | Self::Unauthorized { .. }
                | Self::Denied { .. }
                | Self::OldServer { .. }
                | Self::NoJetStream { .. }
                | Self::Absent { .. }
                | Self::Foreign { .. }
                | Self::Weak { .. }
        )
    }

    /// What helps.
    pub fn fix(&self) -> String {
        match self {
            Self::Input { .. } => "Correct that setting.".to_owned(),
            Self::Unreachable { .. } => {
                "Check the address, and whether the engine runs; the gate goes on by itself and catches up.".to_owned()
            }
            Self::NotAnEngine { .. } => {
                "Name the client port of a NATS server (4222 unless its configuration says another)."
                    .to_owned()
            }
            Self::Unauthorized { .. } => {
                "Name a file with credentials that the engine knows and that have not expired."
                    .to_owned()
            }
            Self::Denied { .. } => {
                "Give this user the permissions that `redress fleet init` prints.".to_owned()
            }
            Self::OldServer { .. } => "Update the engine to nats-server 2.14.3 or later.".to_owned(),
            Self::NoJetStream { .. } => {
                "Write a `jetstream` block into the configuration of each nats-server, and allow it for the account.".to_owned()
            }
            Self::Absent { .. } => "Make it with `redress fleet init --url URL`.".to_owned(),
            Self::Foreign { .. } => {
                "Choose another name with `stream`, and make it with `redress fleet init`."
                    .to_owned()
            }
            Self::Weak { weaknesses, .. } => {
                let all: Vec<String> = weaknesses.iter().map(Weakness::advice).collect();
                format!(
                    "Set {}; or go on all the same with `accept_weak = true` in [fleet].",
                    all.join(", ")
                )
            }
            Self::Diverged { .. } => {
                "Run `redress ledger verify --fleet URL LEDGER` on the node: it names every record that differs.".to_owned()
            }
            Self::Format { .. } => "Update Redress on this machine.".to_owned(),
            Self::Engine { .. } => "Look into the log of the engine.".to_owned(),
            Self::Ledger(_) => "Run `redress ledger verify`.".to_owned(),
            Self::File { .. } => "Name a directory that this user may write to.".to_owned(),
        }
    }
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { place, problem } => write!(f, "{place} {problem}"),
            Self::Unreachable { url, why } => write!(f, "no engine answers at {url}: {why}"),
            Self::NotAnEngine { url, why } => {
                write!(f, "what answers at {url} is no NATS server: {why}")
            }
            Self::Unauthorized { url } => {
                write!(f, "the engine at {url} does not take the credentials")
            }
            Self::Denied { why } => write!(f, "the engine does not allow it: {why}"),
            Self::OldServer { version } => {
                write!(f, "the engine has the version {version}, and 2.11 is the least")
            }
            Self::NoJetStream { why } => write!(f, "the engine has no JetStream: {why}"),
            Self::Absent { name } => write!(f, "the engine has no stream `{name}`"),
            Self::Foreign { name, why } => write!(f, "the stream `{name}` is not ours: {why}"),
            Self::Weak { name, weaknesses } => {
                write!(f, "the stream `{name}` can lose what it has acknowledged: ")?;
                let all: Vec<String> = weaknesses.iter().map(ToString::to_string).collect();
                f.write_str(&all.join("; "))
            }
            Self::Diverged { chain, seq } => write!(
                f,
                "record {seq} of the chain {chain} is another one on the engine than in the ledger: it was changed or removed after it was shipped"
            ),
            Self::Format { subject, format } => {
                write!(f, "a message of {subject} has the format \"{format}\", which is not known")
            }
            Self::Engine { doing, why } => write!(f, "the engine could not {doing}: {why}"),
            Self::Ledger(error) => error.fmt(f),
            Self::File { path, error } => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for FleetError {}

impl From<ReadError> for FleetError {
    fn from(error: ReadError) -> Self {
        Self::Ledger(error)
    }
}
