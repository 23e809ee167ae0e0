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
//! that it covers the scope and survives an editor. `APPROVAL` is a signature over the hash: a status that somebody wrote by hand is not an
//! approval.

use std::fmt::Write as _;

use globset::GlobSet;
use redress::{Fault, codes};
use sha2::{Digest as _, Sha256};

use crate::role::globs;

const OPEN: &str = "<!-- redress-plan";
const CLOSE: &str = "-->";
/// Lines that are about the rest, and so not part of what is hashed.
const ABOUT: &[&str] = &["STATUS", "HASH", "APPROVAL"];

/// Where a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nobody decided yet.
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
    /// It does not begin with the comment of a plan.
    NoHeader,
    /// A line of the comment, counted from 1, is none that a plan has.
    BadLine(usize),
    /// It has no scope.
    NoScope,
    /// A pattern of the scope is none.
    BadScope(String),
}

/// A plan as it was read.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The hash of its text as it is now.
    pub hash: String,
    /// The hash that it was approved under.
    pub declared: Option<String>,
    /// Where it stands, as the file says.
    pub status: Status,
    /// The signature over the hash.
    pub approval: Option<String>,
    /// The first heading.
    pub title: String,
    scope: Vec<String>,
    covered: GlobSet,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(text: &str) -> Result<Self, NotAPlan> {
        let (header, body) = split(text).ok_or(NotAPlan::NoHeader)?;
        let mut plan = Self {
            hash: hash(text),
            declared: None,
            status: Status::Draft,
            approval: None,
            title: title(body).to_owned(),
            scope: Vec::new(),
            covered: GlobSet::empty(),
        };
        for (number, line) in header.lines().enumerate().filter(|it| !it.1.trim().is_empty()) {
            plan.take(line).ok_or(NotAPlan::BadLine(number + 1))?;
        }
        if plan.scope.is_empty() {
            return Err(NotAPlan::NoScope);
        }
        plan.covered = globs(&plan.scope).map_err(|it| NotAPlan::BadScope(it.pattern))?;
        Ok(plan)
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let (key, value) = line.split_once(':')?;
        let value = value.trim();
        match key.trim() {
            "SCOPE" => self.scope.extend(patterns(value)),
            "HASH" => self.declared = Some(value.to_owned()),
            "APPROVAL" => self.approval = Some(value.to_owned()),
            "STATUS" => {
                let all = [Status::Draft, Status::Approved, Status::Revoked];
                self.status = all.into_iter().find(|it| it.word() == value)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The patterns of the paths that it is about.
    pub fn scope(&self) -> &[String] {
        &self.scope
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
            return Err(self.broken("the text changed after the approval"));
        }
        match &self.approval {
            Some(approval) if is_signed(&self.hash, approval) => Ok(()),
            _ => Err(self.broken("the approval is not the operator's")),
        }
    }

    /// Whether a path, relative to the workspace, is part of it.
    ///
    /// # Errors
    /// `PLAN_SCOPE_VIOLATION` with a hint that names the scope.
    pub fn allows(&self, path: &str) -> Result<(), Box<Fault>> {
        if self.covered.is_match(path.trim_start_matches("./")) {
            return Ok(());
        }
        let mut fault =
            codes::PLAN_SCOPE_VIOLATION.raise([("path", path), ("plan_hash", self.hash.as_str())]);
        fault.hint = format!("Keep to the scope of the plan: {}.", self.scope.join(", "));
        Err(Box::new(fault))
    }

    fn broken(&self, reason: &str) -> Box<Fault> {
        let params = [("plan_hash", self.hash.as_str()), ("reason", reason)];
        Box::new(codes::PLAN_ENFORCEMENT_FAILED.raise(params))
    }
}

/// A plan's file with another status; with a signature if it is approved.
///
/// # Errors
/// Why it is no plan.
pub fn decided(text: &str, status: Status, approval: Option<&str>) -> Result<String, NotAPlan> {
    let plan = Plan::read(text)?;
    let (header, body) = split(text).ok_or(NotAPlan::NoHeader)?;
    let mut decided = format!("{OPEN}\n");
    for line in header.lines().filter(|it| !it.trim().is_empty() && !is_about(it)) {
        let _ = writeln!(decided, "{}", line.trim());
    }
    let _ = writeln!(decided, "STATUS: {}", status.word());
    let _ = writeln!(decided, "HASH: {}", plan.hash);
    if let Some(approval) = approval {
        let _ = writeln!(decided, "APPROVAL: {approval}");
    }
    decided.push_str(CLOSE);
    decided.push_str(body);
    Ok(decided)
}

/// SHA-256 of what was approved.
pub fn hash(text: &str) -> String {
    let mut hasher = Sha256::new();
    let text = text.trim_start_matches('\u{feff}').trim();
    let mut is_header = text.starts_with(OPEN);
    for line in text.lines() {
        let about = is_header && is_about(line);
        is_header &= !line.contains(CLOSE);
        if !about {
            hasher.update(line.trim_end().as_bytes());
            hasher.update(b"\n");
        }
    }
    hasher.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn split(text: &str) -> Option<(&str, &str)> {
    text.trim_start_matches('\u{feff}').trim_start().strip_prefix(OPEN)?.split_once(CLOSE)
}

fn is_about(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, _)| ABOUT.contains(&key.trim()))
}

fn patterns(value: &str) -> impl Iterator<Item = String> + '_ {
    value.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned)
}

fn title(body: &str) -> &str {
    body.lines().find_map(|it| it.strip_prefix("# ")).unwrap_or_default().trim()
}
