//! Why the ledger refuses: typed, cloneable (one failure can concern many waiters), with the place.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Why a record is not durable. The caller must not tell anybody what it was to record.
#[derive(Clone)]
#[non_exhaustive]
pub enum LedgerError {
    /// More is waiting than the ledger takes.
    Busy,
    /// The record is longer than a line may be.
    TooLong,
    /// The disk is full. Tried again when asked, at most once a second.
    Full,
    /// Reading or writing failed twice, or the file does not say what was written. Only a new ledger helps.
    Failed(Arc<Failure>),
    /// It was closed in good order.
    Closed,
}

/// What failed, on which file.
#[non_exhaustive]
pub struct Failure {
    /// What was being done.
    pub doing: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

impl Failure {
    pub(crate) fn new(doing: &'static str, path: &Path, error: io::Error) -> Self {
        Self { doing, path: path.to_owned(), error }
    }

    /// Whether there was no room, so that trying later makes sense.
    pub(crate) fn is_full(&self) -> bool {
        is_full(&self.error)
    }
}

/// Whether the system says that there is no room.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl From<Failure> for LedgerError {
    fn from(failure: Failure) -> Self {
        if failure.is_full() { Self::Full } else { Self::Failed(Arc::new(failure)) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {}: {}", self.doing, self.path.display(), self.error)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("too much waits to be recorded"),
            Self::TooLong => f.write_str("the record is longer than a line of the ledger may be"),
            Self::Full => f.write_str("the disk of the ledger is full"),
            Self::Failed(failure) => write!(f, "the ledger is closed: {failure}"),
            Self::Closed => f.write_str("the ledger was closed"),
        }
    }
}

impl std::error::Error for LedgerError {}

/// Why a ledger cannot be opened.
#[non_exhaustive]
pub enum OpenError {
    /// A file or directory could not be made, read or synced.
    Io(Failure),
    /// The signing key is open to others, has the wrong form, or lies beside the ledger.
    Key {
        /// The key's file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The first records could not be written.
    Ledger(LedgerError),
}

impl From<LedgerError> for OpenError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<Failure> for OpenError {
    fn from(failure: Failure) -> Self {
        Self::Io(failure)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(failure) => failure.fmt(f),
            Self::Ledger(error) => error.fmt(f),
            Self::Key { path, why } => write!(f, "the signing key {} {why}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {}

/// The same words for people and for `Debug`: a `main` that returns the error prints that one.
macro_rules! debug_as_display {
    ($($error:ty),*) => {
        $(impl fmt::Debug for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        })*
    };
}

debug_as_display!(Failure, LedgerError, OpenError);

#[cfg(test)]
mod tests {
    use std::{io, path::Path};

    use super::{Failure, OpenError};

    #[test]
    fn a_main_that_returns_the_error_prints_words() {
        let error = io::Error::from(io::ErrorKind::PermissionDenied);
        let failure = Failure::new("create", Path::new("ledger"), error);
        let boxed: Box<dyn std::error::Error> = OpenError::from(failure).into();
        assert_eq!(format!("{boxed:?}"), "cannot create ledger: permission denied");
    }
}
