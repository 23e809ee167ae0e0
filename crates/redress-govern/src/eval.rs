//! Code that a caller wants to have run: refused where it does what no payload has to do.
//!
//! A payload is parsed first; one with a mistake in it is refused, because what a guard cannot read it cannot judge. What is left is
//! a list of values (`payload.rs`), the same for every language, and one judge compares its words with the blocklist, and then its
//! constructs with the rules of the language. The guard denies; it never fails, and it never runs longer than its caller allows.

mod constructs;
mod findings;
mod javascript;
mod keywords;
mod listed;
mod nesting;
mod place;
mod python;
mod thread;

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::hash::hex;

/// The longest payload that is looked at, in characters.
pub const MAX_CHARS: usize = 100_000;
/// The deepest nesting of brackets that is looked at.
pub const MAX_NESTING: usize = 200;
/// How long the payloads of one call may take, in milliseconds.
pub const MAX_MILLIS: u64 = 50;

/// Why a payload is refused whose parser died.
pub const UNREADABLE: &str = "cannot be read here";

const TOO_SLOW: Refusal = Refusal::Syntax { line: 1, column: 1, reason: "took too long to read" };

/// What a payload is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// A script or the body of a function.
    JavaScript,
    /// A module or an expression.
    Python,
}

/// Why a payload is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It holds a word of the blocklist, in the list's spelling.
    Keyword(&'static str),
    /// It does something that is forbidden however it is written.
    Construct(String),
    /// It does not parse, or not within the limits.
    Syntax {
        /// The line of the mistake, from 1.
        line: usize,
        /// The column of the mistake in characters, from 1.
        column: usize,
        /// What is wrong there.
        reason: &'static str,
    },
    /// It has more than [`MAX_CHARS`] characters.
    TooLarge {
        /// How many it has.
        chars: usize,
    },
}

impl Refusal {
    /// What to write instead of a construct that is refused.
    pub fn instead(&self) -> Option<&'static str> {
        match self {
            Self::Construct(construct) => constructs::instead(construct),
            _ => None,
        }
    }

    /// Whether it is no code at all, so that nothing can run it. What is merely too much may be code.
    pub fn is_no_code(&self) -> bool {
        matches!(self, Self::Syntax { reason: place::MISSING | place::UNEXPECTED, .. })
    }
}

/// Whether a payload may be run. `expired` is asked now and then, and ends the inspection with a refusal.
///
/// # Errors
/// The first reason against it: size, nesting, syntax, keywords, constructs, in this order.
pub fn inspect(
    language: Language,
    code: &str,
    expired: &mut dyn FnMut() -> bool,
) -> Result<(), Refusal> {
    let chars = code.chars().count();
    if chars > MAX_CHARS {
        return Err(Refusal::TooLarge { chars });
    }
    nesting::check(code)?;
    thread::judged(
        code,
        expired,
        match language {
            Language::JavaScript => javascript::inspect,
            Language::Python => python::inspect,
        },
    )
}

/// Reads the lists, so that no payload waits for them.
pub fn prepare() {
    javascript::prepare();
    python::prepare();
}

/// A payload whose language is not known. What parses as JavaScript must pass as that: what passes there names nothing that Python has.
/// What does not parse as JavaScript must pass as Python.
///
/// # Errors
/// As [`inspect`]; a payload that parses as neither is refused with the mistake that it is in JavaScript.
pub fn inspect_any(code: &str, expired: &mut dyn FnMut() -> bool) -> Result<(), Refusal> {
    let script = inspect(Language::JavaScript, code, expired);
    match (script, inspect(Language::Python, code, expired)) {
        (_, Err(keyword @ Refusal::Keyword(_))) => Err(keyword),
        (Err(script), module) if script.is_no_code() => match module {
            Err(module) if module.is_no_code() => Err(script),
            module => module,
        },
        (script, _) => script,
    }
}

/// The modules that Python may import, each with the members that may be used of it, in order.
pub fn python_modules() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let modules = python::LIST.parts();
    let modules = modules.filter_map(|(kind, words)| Some((kind.strip_prefix("module ")?, words)));
    modules.map(|(name, words)| (name, words.iter().copied().collect())).collect()
}

/// The fingerprint of a payload: SHA-256, 64 hex digits.
pub fn sha256(code: &str) -> String {
    hex(&Sha256::digest(code.as_bytes()))
}

/// The fingerprint that the dialect stagewright writes: FNV-1a of 32 bits, 8 hex digits.
pub fn fnv1a(code: &str) -> String {
    let hash = code
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}
