//! The rules about sources and their registry that hold twice: while a Rust program compiles, and in a scan of sources.

use crate::{
    Level,
    rule::{Grade, Rule},
};

/// A code that the registry does not have.
pub const UNREGISTERED: Rule = Rule {
    id: "CK001",
    name: "unregistered-code",
    grade: Grade::Level(Level::Violation),
    summary: "A source names a code that its registry does not have.",
    why: "A client knows a failure by its row; a code without one has no hint, no retry rule and no page.",
    how_to_fix: "Correct the name, or add the code with redress registry add.",
};

/// A code that is on its way out.
pub const DEPRECATED: Rule = Rule {
    id: "CK003",
    name: "deprecated-code",
    grade: Grade::Level(Level::Improvement),
    summary: "A source raises a code that is deprecated.",
    why: "Its row says what to use instead; a client that follows it no longer expects this one.",
    how_to_fix: "Raise the code that its row names, or another one.",
};

/// A code that the registry has taken away.
pub const RETIRED: Rule = Rule {
    id: "CK004",
    name: "retired-code",
    grade: Grade::Level(Level::Violation),
    summary: "A source names a code that was retired.",
    why: "Clients have forgotten what it meant, and its name never comes back.",
    how_to_fix: "Use the code that its tombstone names, or another one.",
};
