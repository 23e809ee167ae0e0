//! The tools, one file each: what is asked, what is done, what is answered.

pub(crate) mod apply_patch;
pub(crate) mod explain_error;
pub(crate) mod list_directory;
pub(crate) mod move_path;
pub(crate) mod read_file;
pub(crate) mod read_ledger;
pub(crate) mod remove;
pub(crate) mod search_files;
pub(crate) mod stat;
pub(crate) mod write_file;

use redress::text;
use rmcp::schemars::{self, JsonSchema};
use rustix::fs::FileType;
use serde::Serialize;

use crate::error::{Refused, WorkspaceError};

/// What a tool answers with, as the few lines that a model reads.
pub(crate) trait Brief {
    /// The lines.
    fn brief(&self) -> String;

    /// What else has to be said, apart from them.
    fn note(&self) -> Option<String> {
        None
    }
}

/// What kind of thing a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Kind")]
#[serde(rename_all = "snake_case")]
pub(crate) enum PathKind {
    File,
    Directory,
    Link,
    Special,
}

impl From<FileType> for PathKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            _ => Self::Special,
        }
    }
}

/// An error at the path of something new. A directory that is missing can be asked for.
pub(crate) fn not_placed(error: WorkspaceError, pointer: &str) -> Refused {
    let WorkspaceError::PathNotFound { path, .. } = &error else { return error.at(pointer) };
    let message = format!("The directory {} does not exist.", text::quote(path, 120));
    error
        .at(pointer)
        .saying(message)
        .advising("Check the path, or set create_parents to make the directories that are missing.")
}

/// How many, as a sentence has it.
pub(crate) fn counted(number: usize, what: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { what } else { plural })
}
