//! `Patch`: a unified diff as data, and the text that comes of it. No files: text goes in, text or conflicts come out.

mod fit;
mod misfit;
mod read;

pub use fit::{Conflict, fit, replace};
pub use misfit::Misfit;
pub use read::read;

/// A unified diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Its files, in order.
    pub files: Vec<FilePatch>,
}

/// What a diff does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// The file.
    pub path: String,
    /// Whether it is there before and afterwards.
    pub action: Action,
    /// What changes in it, from its start to its end.
    pub hunks: Vec<Hunk>,
}

/// Whether a file is there before and afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is, and stays.
    Change,
    /// It is new.
    Create,
    /// It goes.
    Delete,
}

/// Lines that stand together, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The line of the diff where it begins, from 1.
    pub at: usize,
    /// The line of the file where it should be, from 1; 0 in a file without lines.
    pub start: usize,
    /// The lines.
    pub lines: Vec<HunkLine>,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// What becomes of it.
    pub fate: LineFate,
    /// Without its line break.
    pub text: String,
    /// Whether it ends with a line break; only the last line of a file may not.
    pub has_break: bool,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFate {
    /// It is there before and afterwards.
    Stays,
    /// It goes.
    Goes,
    /// It comes.
    Comes,
}

/// Why a text is no diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadPatch {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

#[cfg(test)]
mod tests;
