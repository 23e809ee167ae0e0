//! Plans: what a person approved, as a Markdown file that carries its own hash, status and scope.
//!
//! A plan begins with a comment of `KEY: value` lines:
//!
//! ```text
//! <!-- redress-plan
//! SCOPE: src/**, docs/*.md
//! STATUS: APPROVED
//! HASH: 9f2c…
//! APPROVAL: 5d1e…
//! -->
//! ```
//!
//! The hash is SHA-256 over the file without the lines `STATUS`, `HASH` and `APPROVAL`, line ends and trailing spaces evened out, so
//! that it covers the scope and survives an editor. `APPROVAL` is a signature over the hash: a status that is written by hand is not an
//! approval.

mod scope;

use std::fmt::{self, Write as _};

use redress::{Fault, codes, text};
use sha2::{Digest as _, Sha256};

pub use self::scope::{BadScope, PathScope};
use crate::hash::hex;

/// The longest plan, in bytes.
pub const MAX_BYTES: usize = 256 << 10;

/// How much of a path a message shows.
const PATH_CHARS: usize = 120;

const OPEN: &str = "<!-- redress-plan";
const CLOSE: &str = "-->";
/// Lines that are about the rest, and so not part of what is hashed.
const ABOUT: [&str; 3] = ["STATUS", "HASH", "APPROVAL"];

/// Where a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is not decided yet.
    Draft,
    /// A person approved it.
    Approved,
    /// A person took the approval back.
    Revoked,
}

impl Status {
    /// As it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Approved => "APPROVED",
            Self::Revoked => "REVOKED",
        }
    }
}

/// Why a file is no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAPlan {
    /// It is longer than a plan may be.
    TooLarge,
    /// It is no text: the line, counted from 1, is not UTF-8 or has a NUL character.
    NotText(usize),
    /// It does not begin with the comment of a plan.
    NoHeader,
    /// The comment does not end.
    Unclosed,
    /// A line of the comment, counted from 1, is none that a plan has.
    BadLine(usize),
    /// A line, counted from 1, says what another has said.
    Twice(usize),
    /// It has no scope.
    NoScope,
    /// A pattern of the scope is none.
    BadScope(BadScope),
}

impl NotAPlan {
    /// The line that is wrong, counted from 1, where it is one.
    pub const fn line(&self) -> Option<usize> {
        match self {
            Self::NotText(line) | Self::BadLine(line) | Self::Twice(line) => Some(*line),
            _ => None,
        }
    }
}

impl fmt::Display for NotAPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "it is longer than {} KiB", MAX_BYTES >> 10),
            Self::NotText(line) => write!(f, "line {line} is not text"),
            Self::NoHeader => write!(f, "its first line is not `{OPEN}`"),
            Self::Unclosed => write!(f, "its comment does not end with a line `{CLOSE}`"),
            Self::BadLine(line) => write!(
                f,
                "line {line} is not SCOPE, HASH, APPROVAL, or STATUS with DRAFT, APPROVED or REVOKED"
            ),
            Self::Twice(line) => write!(f, "line {line} says again what another line has said"),
            Self::NoScope => f.write_str("it has no line `SCOPE: pattern, pattern`"),
            Self::BadScope(bad) => {
                write!(f, "`{}` is no pattern of a scope: {}", bad.pattern, bad.reason)
            }
        }
    }
}

/// A plan as it was read.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The hash of its text as it is now.
    pub hash: String,
    /// The hash that it was approved under.
    pub declared: Option<String>,
    /// Where it is, as the file says.
    pub status: Status,
    /// The signature over the hash.
    pub approval: Option<String>,
    /// The first heading.
    pub title: String,
    /// The paths that it is about.
    pub scope: PathScope,
}

impl Plan {
    /// Reads a plan from the bytes of its file.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(bytes: &[u8]) -> Result<Self, NotAPlan> {
        let text = text(bytes)?;
        let mut said = HeaderFields::default();
        let mut patterns = Vec::new();
        for (number, line) in header(text)? {
            let (key, value) = line.split_once(':').ok_or(NotAPlan::BadLine(number))?;
            let (key, value) = (key.trim(), value.trim());
            if key == "SCOPE" {
                patterns.extend(scope::patterns(value).map(str::to_owned));
            } else {
                said.take(key, value, number)?;
            }
        }
        if patterns.is_empty() {
            return Err(NotAPlan::NoScope);
        }
        Ok(Self {
            hash: hash(text),
            declared: said.hash,
            status: said.status.unwrap_or(Status::Draft),
            approval: said.approval,
            title: title(text).to_owned(),
            scope: PathScope::new(patterns).map_err(NotAPlan::BadScope)?,
        })
    }

    /// Whether it may be used at all. `is_signed` says whether a signature over a hash is the operator's.
    ///
    /// # Errors
    /// `PLAN_NOT_APPROVED`, or `PLAN_ENFORCEMENT_FAILED` where the text changed after the approval or the approval is forged.
    pub fn judge(&self, is_signed: impl Fn(&str, &str) -> bool) -> Result<(), Box<Fault>> {
        if self.status != Status::Approved {
            return Err(Box::new(
                codes::PLAN_NOT_APPROVED.raise([("plan_hash", self.hash.as_str())]),
            ));
        }
        if self.declared.as_deref() != Some(self.hash.as_str()) {
            return Err(broken(&self.hash, "the text changed after the approval"));
        }
        match &self.approval {
            Some(approval) if is_signed(&self.hash, approval) => Ok(()),
            _ => Err(broken(&self.hash, "the approval is not the operator's")),
        }
    }

    /// Whether a path, relative to the workspace, is part of it.
    ///
    /// # Errors
    /// `PLAN_SCOPE_VIOLATION` with a hint that names the scope.
    pub fn allows(&self, path: &str) -> Result<(), Box<Fault>> {
        if self.scope.has(path) { Ok(()) } else { Err(self.outside(path)) }
    }

    /// Whether a directory, relative to the workspace, is part of it with all that is or will be in it.
    ///
    /// # Errors
    /// `PLAN_SCOPE_VIOLATION` with a hint that names the scope.
    pub fn allows_all_below(&self, path: &str) -> Result<(), Box<Fault>> {
        if self.scope.has_all_below(path) { Ok(()) } else { Err(self.outside(path)) }
    }

    fn outside(&self, path: &str) -> Box<Fault> {
        let path = if path.is_empty() { "." } else { path };
        let mut fault =
            codes::PLAN_SCOPE_VIOLATION.raise([("path", path), ("plan_hash", self.hash.as_str())]);
        fault.message = match path {
            "." => {
                "The call may change any file, and the approved plan is not about all.".to_owned()
            }
            _ => format!(
                "The path {} is outside the scope of the approved plan.",
                text::quote(path, PATH_CHARS)
            ),
        };
        fault.hint = format!("Keep to the scope of the plan: {}.", self.scope);
        Box::new(fault)
    }
}

/// `PLAN_ENFORCEMENT_FAILED`, and why.
pub fn broken(plan_hash: &str, reason: &str) -> Box<Fault> {
    let params = [("plan_hash", plan_hash), ("reason", reason)];
    let mut fault = codes::PLAN_ENFORCEMENT_FAILED.raise(params);
    fault.because(reason);
    Box::new(fault)
}

/// The lines that are about the rest.
#[derive(Debug, Default)]
struct HeaderFields {
    status: Option<Status>,
    hash: Option<String>,
    approval: Option<String>,
}

impl HeaderFields {
    fn take(&mut self, key: &str, value: &str, number: usize) -> Result<(), NotAPlan> {
        let was_there = match key {
            "HASH" => self.hash.replace(value.to_owned()).is_some(),
            "APPROVAL" => self.approval.replace(value.to_owned()).is_some(),
            "STATUS" => {
                let all = [Status::Draft, Status::Approved, Status::Revoked];
                let status = all.into_iter().find(|it| it.word() == value);
                self.status.replace(status.ok_or(NotAPlan::BadLine(number))?).is_some()
            }
            _ => return Err(NotAPlan::BadLine(number)),
        };
        if was_there { Err(NotAPlan::Twice(number)) } else { Ok(()) }
    }
}

/// A plan's file with another status; with a signature if it is approved.
///
/// # Errors
/// Why it is no plan.
pub fn decided(bytes: &[u8], status: Status, approval: Option<&str>) -> Result<String, NotAPlan> {
    let plan = Plan::read(bytes)?;
    let text = text(bytes)?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut about = format!("STATUS: {}{end}HASH: {}{end}", status.word(), plan.hash);
    if let Some(approval) = approval {
        let _ = write!(about, "APPROVAL: {approval}{end}");
    }
    let mut part = PlanSection::Before;
    let mut decided = String::with_capacity(text.len() + about.len());
    for line in text.split_inclusive('\n') {
        let before = part;
        part = part.after(line);
        if (before, part) == (PlanSection::Header, PlanSection::Body) {
            decided.push_str(&about);
        }
        if before != PlanSection::Header || !is_about(line) {
            decided.push_str(line);
        }
    }
    Ok(decided)
}

/// SHA-256 of what is approved.
pub fn hash(text: &str) -> String {
    let mut hasher = Sha256::new();
    let mut part = PlanSection::Before;
    for line in text.trim_start_matches('\u{feff}').trim().lines() {
        let about = part == PlanSection::Header && is_about(line);
        part = part.after(line);
        if !about {
            hasher.update(line.trim_end().as_bytes());
            hasher.update(b"\n");
        }
    }
    hex(&hasher.finalize())
}

/// The part of a file that a line is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlanSection {
    Before,
    Header,
    Body,
}

impl PlanSection {
    /// The part that follows a line of this one.
    fn after(self, line: &str) -> Self {
        let line = line.trim_start_matches('\u{feff}').trim();
        match self {
            Self::Before if line.is_empty() => Self::Before,
            Self::Before if line == OPEN => Self::Header,
            Self::Before => Self::Body,
            Self::Header if line == CLOSE => Self::Body,
            it => it,
        }
    }
}

fn text(bytes: &[u8]) -> Result<&str, NotAPlan> {
    if bytes.len() > MAX_BYTES {
        return Err(NotAPlan::TooLarge);
    }
    let line = |at: usize| bytes.iter().take(at).filter(|it| **it == b'\n').count() + 1;
    let text =
        std::str::from_utf8(bytes).map_err(|it| NotAPlan::NotText(line(it.valid_up_to())))?;
    match text.find('\0') {
        Some(at) => Err(NotAPlan::NotText(line(at))),
        None => Ok(text),
    }
}

/// The lines of the comment that say something, with their numbers.
fn header(text: &str) -> Result<Vec<(usize, &str)>, NotAPlan> {
    let (mut part, mut lines) = (PlanSection::Before, Vec::new());
    for (at, line) in text.lines().enumerate() {
        let before = part;
        part = part.after(line);
        match (before, part) {
            (PlanSection::Before, PlanSection::Body) => return Err(NotAPlan::NoHeader),
            (PlanSection::Header, PlanSection::Body) => return Ok(lines),
            (PlanSection::Header, PlanSection::Header) if !line.trim().is_empty() => {
                lines.push((at + 1, line));
            }
            _ => (),
        }
    }
    Err(if part == PlanSection::Before { NotAPlan::NoHeader } else { NotAPlan::Unclosed })
}

fn is_about(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, _)| ABOUT.contains(&key.trim()))
}

fn title(text: &str) -> &str {
    text.lines().find_map(|it| it.strip_prefix("# ")).unwrap_or_default().trim()
}
