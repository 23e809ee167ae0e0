//! Governed sessions: begun once, locked by a hard failure, unlocked by a report that names it.
//!
//! What is known of them is folded from the ledger, so that a gate which starts again knows what the one before it knew.

use std::collections::BTreeMap;

use globset::GlobSet;
use redress::{Fault, codes, fault::ParamValue};

use crate::role::{BadGlob, globs};

/// What locks a session, and where reports are written.
#[derive(Debug, Clone)]
pub struct Rules {
    locks: GlobSet,
    reports: String,
}

impl Rules {
    /// `locks` are patterns of codes; `reports` is the folder of failure reports, relative to the root of the workspace.
    ///
    /// # Errors
    /// The first pattern that is none.
    pub fn new<T: AsRef<str>>(locks: &[T], reports: &str) -> Result<Self, BadGlob> {
        let reports = format!("{}/", reports.trim_matches('/'));
        Ok(Self { locks: globs(locks)?, reports })
    }

    /// Whether a path is that of a report.
    pub fn is_report(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        path.starts_with(&self.reports) && !path.split('/').any(|it| it == "..")
    }
}

/// The failure that holds a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// Its record.
    pub seq: u64,
    /// Its code.
    pub code: String,
}

/// A session of one caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its UUID.
    pub id: String,
    /// The workspace that it is about; never another one.
    pub root: String,
    /// The role of the caller.
    pub role: Option<String>,
    /// What it is locked by.
    pub lock: Option<Lock>,
}

/// What changes a session, as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'e> {
    /// A caller began one.
    Begun {
        /// Who.
        caller: &'e str,
        /// The session as it began.
        session: Session,
    },
    /// A call in it failed.
    Failed {
        /// The session's id.
        id: &'e str,
        /// The code of the fault.
        code: &'e str,
        /// Its record.
        seq: u64,
    },
    /// A report named the failure.
    Reported {
        /// The session's id.
        id: &'e str,
        /// The record that it named.
        seq: u64,
    },
}

/// The sessions of all callers.
#[derive(Debug, Clone)]
pub struct Sessions {
    rules: Rules,
    by_caller: BTreeMap<String, Session>,
}

/// What a call wants, as far as a session cares.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'w> {
    /// The tool.
    pub tool: &'w str,
    /// Whether it only reads.
    pub reads: bool,
    /// The path that it would write, relative to the root.
    pub writes: Option<&'w str>,
}

impl Sessions {
    /// None yet.
    pub fn new(rules: Rules) -> Self {
        Self { rules, by_caller: BTreeMap::new() }
    }

    /// The session of a caller.
    pub fn of(&self, caller: &str) -> Option<&Session> {
        self.by_caller.get(caller)
    }

    /// The rules.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether a caller may begin a session there: once begun, the same root is answered with the same session.
    ///
    /// # Errors
    /// `SESSION_INITIALIZATION_FAILED` where the caller's session has another root.
    pub fn may_begin(&self, caller: &str, root: &str) -> Result<Option<&Session>, Box<Fault>> {
        match self.of(caller) {
            Some(session) if session.root != root => {
                Err(not_begun(root, "the session of this caller has another root"))
            }
            session => Ok(session),
        }
    }

    /// Whether a call may be made now.
    ///
    /// # Errors
    /// `SESSION_NOT_INITIALIZED` before `begin_session`; `SESSION_LOCKED` after a hard failure, but for reading and for the report.
    pub fn judge(&self, caller: &str, wish: Wish<'_>) -> Result<&Session, Box<Fault>> {
        let Some(session) = self.of(caller) else {
            return Err(Box::new(codes::SESSION_NOT_INITIALIZED.raise([("tool", wish.tool)])));
        };
        match &session.lock {
            Some(lock)
                if !wish.reads && !wish.writes.is_some_and(|it| self.rules.is_report(it)) =>
            {
                Err(locked(lock))
            }
            _ => Ok(session),
        }
    }

    /// Whether a report of that record unlocks the caller's session.
    ///
    /// # Errors
    /// `SESSION_NOT_INITIALIZED`, or `INVALID_INPUT_VALUE` where another record holds the session, or none.
    pub fn may_report(&self, caller: &str, seq: u64) -> Result<&Session, Box<Fault>> {
        let Some(session) = self.of(caller) else {
            let tool = [("tool", "submit_failure_report")];
            return Err(Box::new(codes::SESSION_NOT_INITIALIZED.raise(tool)));
        };
        let hint = match &session.lock {
            Some(lock) if lock.seq == seq => return Ok(session),
            Some(lock) => format!("Name record {}, which holds the session.", lock.seq),
            None => "Go on: nothing holds the session, so no report is needed.".to_owned(),
        };
        let params = [("field", "/ledger_seq".to_owned()), ("value", seq.to_string())];
        let mut fault = codes::INVALID_INPUT_VALUE.raise(params);
        fault.hint = hint;
        Err(Box::new(fault))
    }

    /// The record that a report written as a file names, if it is the one that holds the session.
    pub fn named_in(&self, caller: &str, report: &str) -> Option<u64> {
        let seq = self.of(caller)?.lock.as_ref()?.seq;
        let mut numbers = report.split(|it: char| !it.is_ascii_digit());
        numbers.any(|it| it.parse() == Ok(seq)).then_some(seq)
    }

    /// Whether a failure with that code would lock.
    pub fn locks(&self, code: &str) -> bool {
        // What the session guard itself refused changes nothing that a report could be about.
        let own = ["SESSION_LOCKED", "SESSION_NOT_INITIALIZED", "SESSION_INITIALIZATION_FAILED"];
        !own.contains(&code) && self.rules.locks.is_match(code)
    }

    /// Takes note of what happened.
    pub fn fold(&mut self, event: Event<'_>) {
        match event {
            Event::Begun { caller, session } => {
                self.by_caller.insert(caller.to_owned(), session);
            }
            Event::Failed { id, code, seq } if self.locks(code) => {
                if let Some(session) = self.by_id(id).filter(|it| it.lock.is_none()) {
                    session.lock = Some(Lock { seq, code: code.to_owned() });
                }
            }
            Event::Reported { id, seq } => {
                let session = self.by_id(id);
                if let Some(session) =
                    session.filter(|it| it.lock.as_ref().is_some_and(|it| it.seq == seq))
                {
                    session.lock = None;
                }
            }
            Event::Failed { .. } => {}
        }
    }

    fn by_id(&mut self, id: &str) -> Option<&mut Session> {
        self.by_caller.values_mut().find(|it| it.id == id)
    }
}

/// `begin_session` cannot be answered, and why.
pub fn not_begun(root: &str, reason: &str) -> Box<Fault> {
    let params = [("workspace_root", root), ("reason", reason)];
    Box::new(codes::SESSION_INITIALIZATION_FAILED.raise(params))
}

fn locked(lock: &Lock) -> Box<Fault> {
    let params = [("failed_code", lock.code.as_str().into()), ("ledger_seq", lock.seq.into())];
    Box::new(codes::SESSION_LOCKED.raise::<_, ParamValue>(params))
}
