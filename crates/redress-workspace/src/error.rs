//! `WorkspaceError`: everything that can go wrong with a file, each a code of `errors.toml` or of `core`.

use std::io;

use redress::fault::{Fault, NextAction, Violation};
use rustix::io::Errno;
use serde_json::Value;

/// What went wrong. The variant is the code; its fields are what the code's row asks for.
#[derive(Debug, redress::Contract)]
#[contract(registry = "errors.toml")]
pub(crate) enum WorkspaceError {
    FileNotFound {
        path: String,
        #[similar]
        near: Vec<String>,
        #[next]
        look: NextAction,
    },
    PathNotFound {
        path: String,
        #[similar]
        near: Vec<String>,
        #[next]
        look: NextAction,
    },
    FileAlreadyExists {
        path: String,
    },
    FileReadFailed {
        path: String,
        reason: String,
    },
    FileWriteFailed {
        path: String,
        reason: String,
    },
    FileNotWritten {
        path: String,
        reason: String,
    },
    BinaryFile {
        path: String,
        size_bytes: u64,
    },
    DirectoryNotEmpty {
        path: String,
        #[next]
        look: NextAction,
    },
    SpecialFile {
        path: String,
        kind: &'static str,
    },
    InvalidPath {
        path: String,
        reason: &'static str,
    },
    OutsideWorkspace {
        path: String,
    },
    PathTraversalBlocked {
        path: String,
    },
    InsufficientPermissions {
        permission: &'static str,
        resource: String,
    },
    LimitExceeded {
        limit_name: &'static str,
    },
    HashMismatch {
        path: String,
        expected: String,
        actual: Option<String>,
        #[next]
        look: NextAction,
    },
    PatchInvalid {
        line: Option<u64>,
        reason: String,
    },
    PatchApplyFailed {
        path: String,
        hunk: u64,
        #[next]
        look: NextAction,
    },
    InputTooLarge {
        field: &'static str,
        size_bytes: u64,
        limit_bytes: u64,
    },
    InvalidInputFormat {
        field: String,
        expected: &'static str,
    },
    InvalidInputValue {
        field: &'static str,
    },
    MissingRequiredField {
        field: &'static str,
    },
    NotFound {
        kind: &'static str,
        id: String,
        #[similar]
        near: Vec<String>,
    },
    Unsupported {
        operation: &'static str,
    },
}

/// An error with its place in the arguments of the call, and with what else is known of it.
#[derive(Debug)]
pub(crate) struct Refused {
    error: Box<WorkspaceError>,
    violations: Vec<Violation>,
    details: Vec<(&'static str, Value)>,
    message: Option<String>,
    hint: Option<String>,
}

impl WorkspaceError {
    /// The argument that it is about, as a JSON pointer.
    pub(crate) fn at(self, pointer: &str) -> Refused {
        let expected = match &self {
            Self::InvalidInputFormat { expected, .. } => Some(*expected),
            _ => None,
        };
        let violation = Violation::new(pointer, self.violated(), expected);
        Refused { violations: vec![violation], ..self.into() }
    }

    /// The message, where the row's own leaves out what a caller needs in order to mend the call.
    fn message(&self) -> Option<String> {
        match self {
            Self::PatchInvalid { line: Some(line), reason } => {
                Some(format!("The patch is malformed in line {line}: {reason}."))
            }
            Self::PatchInvalid { line: None, reason } => {
                Some(format!("The patch cannot be used: {reason}."))
            }
            _ => None,
        }
    }

    /// What is wrong with the argument, in a word.
    const fn violated(&self) -> &'static str {
        match self {
            Self::FileNotFound { .. } | Self::PathNotFound { .. } | Self::NotFound { .. } => {
                "not_found"
            }
            Self::FileAlreadyExists { .. } => "exists",
            Self::BinaryFile { .. } => "binary",
            Self::DirectoryNotEmpty { .. } => "not_empty",
            Self::SpecialFile { .. } => "special",
            Self::OutsideWorkspace { .. } | Self::PathTraversalBlocked { .. } => "outside",
            Self::InsufficientPermissions { .. } => "not_permitted",
            Self::HashMismatch { .. } => "changed",
            Self::PatchApplyFailed { .. } => "conflict",
            Self::InputTooLarge { .. } | Self::LimitExceeded { .. } => "too_large",
            Self::InvalidInputValue { .. } => "not_allowed",
            Self::MissingRequiredField { .. } => "missing",
            Self::InvalidPath { .. }
            | Self::PatchInvalid { .. }
            | Self::InvalidInputFormat { .. } => "malformed",
            Self::FileReadFailed { .. }
            | Self::FileWriteFailed { .. }
            | Self::FileNotWritten { .. }
            | Self::Unsupported { .. } => "failed",
        }
    }

    /// Why something at a path cannot be read.
    pub(crate) fn reading(path: &str, error: Errno) -> Self {
        Self::known(path, error, "read")
            .unwrap_or_else(|| Self::FileReadFailed { path: path.to_owned(), reason: said(error) })
    }

    /// Why something at a path cannot be written; it is as it was.
    pub(crate) fn writing(path: &str, error: Errno) -> Self {
        Self::known(path, error, "write")
            .unwrap_or_else(|| Self::FileNotWritten { path: path.to_owned(), reason: said(error) })
    }

    /// What the system says about a path, where a code says the same.
    fn known(path: &str, error: Errno, permission: &'static str) -> Option<Self> {
        let path = path.to_owned();
        let invalid = |path, reason| Some(Self::InvalidPath { path, reason });
        match error {
            Errno::XDEV => Some(Self::OutsideWorkspace { path }),
            Errno::ACCESS | Errno::PERM | Errno::ROFS => {
                Some(Self::InsufficientPermissions { permission, resource: path })
            }
            Errno::EXIST => Some(Self::FileAlreadyExists { path }),
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => {
                Some(Self::LimitExceeded { limit_name: "disk space" })
            }
            Errno::LOOP => invalid(path, "too many links, or a link that leads to itself"),
            Errno::NOTDIR => invalid(path, "a part before the last is no directory"),
            Errno::ISDIR => invalid(path, "it is a directory"),
            Errno::NAMETOOLONG => invalid(path, "it is too long"),
            Errno::NXIO | Errno::NODEV => Some(Self::SpecialFile { path, kind: "a special file" }),
            _ => None,
        }
    }
}

/// What the system says, without the number.
fn said(error: Errno) -> String {
    let text = io::Error::from(error).to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

impl Refused {
    /// One more thing that is wrong.
    pub(crate) fn and(mut self, violation: Violation) -> Self {
        self.violations.push(violation);
        self
    }

    /// One more detail.
    pub(crate) fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.details.push((key, value.into()));
        self
    }

    /// A message that says more than the row's.
    pub(crate) fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// A hint that is better than the row's.
    pub(crate) fn advising(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<WorkspaceError> for Refused {
    fn from(error: WorkspaceError) -> Self {
        let (violations, details) = (Vec::new(), Vec::new());
        let message = error.message();
        Self { error: Box::new(error), violations, details, message, hint: None }
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        let reason = match *refused.error {
            WorkspaceError::InvalidPath { reason, .. } => Some(reason),
            _ => None,
        };
        let mut fault = Self::from(*refused.error);
        if let Some(reason) = reason {
            fault.because(reason);
        }
        fault.message = refused.message.unwrap_or(fault.message);
        fault.hint = refused.hint.unwrap_or(fault.hint);
        fault.violations = refused.violations;
        if !refused.details.is_empty() {
            let known = fault.details.as_ref().map(|it| serde_json::from_str(it.as_str()));
            let mut details = match known {
                Some(Ok(Value::Object(known))) => known,
                _ => serde_json::Map::new(),
            };
            details.extend(refused.details.into_iter().map(|(key, it)| (key.to_owned(), it)));
            fault.set_details(Value::Object(details).to_string().as_bytes());
        }
        fault
    }
}
