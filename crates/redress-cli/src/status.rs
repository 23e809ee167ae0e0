//! `Status`: how a command ended, and its exit code.

use std::process::ExitCode;

/// How a command ended that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing to complain about.
    Fine,
    /// There are findings.
    Findings,
    /// Some of the input could not be read; its place in the output says so.
    BadInput,
    /// The system did not let something be read; the output says what.
    Unreadable,
}

impl Status {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Findings => 1,
            Self::BadInput => 2,
            Self::Unreadable => 3,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}
