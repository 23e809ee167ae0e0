//! Governed sessions: begun once, locked by a hard failure, unlocked by a report that names it.
//!
//! What is known of them is folded from the ledger, so that a gate which starts again knows what the one before it knew.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use globset::GlobSet;
use redress::{
    Fault, codes,
    fault::{NextAction, ParamValue, Violation},
    text,
};

use crate::{
    argument,
    role::{BadGlob, globs},
};

/// What locks a session, and where reports are written.
#[derive(Debug, Clone)]
pub struct SessionRules {
    locks: GlobSet,
    reports: String,
}

impl SessionRules {
    /// `locks` are patterns of codes; `reports` is the folder of failure reports, relative to the root of the workspace.
    ///
    /// # Errors
    /// The first pattern that is none.
    pub fn new<T: AsRef<str>>(locks: &[T], reports: &str) -> Result<Self, BadGlob> {
        let reports = format!("{}/", reports.trim_matches('/'));
        Ok(Self { locks: globs(locks)?, reports })
    }

    /// Whether a failure with that code locks.
    pub fn locks(&self, code: &str) -> bool {
        // What the session guard itself refused changes nothing that a report could be about.
        let own = ["SESSION_LOCKED", "SESSION_NOT_INITIALIZED", "SESSION_INITIALIZATION_FAILED"];
        !own.contains(&code) && self.locks.is_match(code)
    }

    /// Whether a path is that of a report.
    pub fn is_report(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        path.starts_with(&self.reports) && !path.split('/').any(|it| it == "..")
    }
}

/// What a failure that locks its session says of that, before its own hint: short, so that the shortest hint of a card has
/// room for it. `session_status` and the envelope have the record's number.
pub const HINT_OF_LOCK: &str =
    "This locks the session: report it with submit_failure_report to write again.";

/// The fewest characters of a report: a number alone is none.
pub const LEAST_CHARS: usize = 20;

/// Where a failure is on record. Each process has a chain of its own, so that a number alone says little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRef {
    /// The chain of the process that recorded it.
    pub chain: Arc<str>,
    /// Its number there.
    pub seq: u64,
}

/// A failure that holds a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// Its record.
    pub place: RecordRef,
    /// Its code.
    pub code: String,
}

/// A session of one caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GovernedSession {
    /// Its UUID.
    pub id: String,
    /// The workspace that it is about; never another one.
    pub root: String,
    /// The role of the caller.
    pub role: Option<String>,
    /// What it is locked by: more than one failure if several processes did not know of each other's.
    locks: Vec<Lock>,
}

impl GovernedSession {
    /// A session that nothing holds.
    pub const fn new(id: String, root: String, role: Option<String>) -> Self {
        Self { id, root, role, locks: Vec::new() }
    }

    /// The failure that is to be reported first.
    pub fn lock(&self) -> Option<&Lock> {
        self.locks.first()
    }
}

/// What changes a session, as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionEvent<'e> {
    /// A caller began one.
    Begun {
        /// Who.
        caller: &'e str,
        /// The session as it began.
        session: GovernedSession,
    },
    /// A call in it failed, which locks it.
    Locked {
        /// The session's id.
        id: &'e str,
        /// By what.
        lock: Lock,
    },
    /// A report named the failure.
    Reported {
        /// The session's id.
        id: &'e str,
        /// The record that it named.
        place: RecordRef,
    },
}

/// The sessions of all callers. What they are follows from what happened, in whatever order that is heard: of several processes nobody
/// knows it.
#[derive(Debug, Clone, Default)]
pub struct Sessions {
    by_caller: BTreeMap<String, Arc<GovernedSession>>,
    /// Whose a session is, by its id. Processes that begin one at the same time give the same caller several.
    callers: BTreeMap<String, String>,
    /// Callers with a failure that is being recorded and locks their session.
    locking: BTreeSet<String>,
    /// Locks of sessions that are not known yet.
    unheard: BTreeMap<String, Vec<Lock>>,
    /// Reports of locks that are not known yet.
    early: Vec<RecordRef>,
}

/// What a call wants, as far as a session cares.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'w> {
    /// The tool.
    pub tool: &'w str,
    /// Whether it only reads.
    pub reads: bool,
    /// What it would write, if that goes to the folder of reports and nowhere else.
    pub report: Option<&'w str>,
}

impl Sessions {
    /// The session of a caller.
    pub fn of(&self, caller: &str) -> Option<&Arc<GovernedSession>> {
        self.by_caller.get(caller)
    }

    /// Whether a caller may begin a session there: once begun, the same root is answered with the same session.
    ///
    /// # Errors
    /// `SESSION_INITIALIZATION_FAILED` where the caller's session has another root.
    pub fn may_begin(
        &self,
        caller: &str,
        root: &str,
    ) -> Result<Option<&GovernedSession>, Box<Fault>> {
        match self.of(caller) {
            Some(session) if session.root != root => {
                let begun = text::quote(&session.root, 120);
                let hint = format!(
                    "Go on in {begun}, in which this caller's session has begun: its root does not change."
                );
                Err(not_begun(root, "the session of this caller has another root", hint))
            }
            session => Ok(session.map(|it| &**it)),
        }
    }

    /// Whether a call may be made now.
    ///
    /// # Errors
    /// `SESSION_NOT_INITIALIZED` before `begin_session`; `SESSION_LOCKED` after a hard failure, but for reading and for a report of it.
    pub fn judge(
        &self,
        rules: &SessionRules,
        caller: &str,
        wish: Wish<'_>,
    ) -> Result<&GovernedSession, Box<Fault>> {
        let Some(session) = self.of(caller) else {
            return Err(Box::new(codes::SESSION_NOT_INITIALIZED.raise([("tool", wish.tool)])));
        };
        match session.lock() {
            Some(lock) if !wish.reads && !wish.report.is_some_and(|it| lock.is_told(it)) => {
                Err(locked(rules, lock, wish.report.is_some()))
            }
            _ => Ok(session),
        }
    }

    /// The session of a caller and its lock, if a report of that record opens it.
    ///
    /// # Errors
    /// `SESSION_NOT_INITIALIZED`, or `INVALID_INPUT_VALUE` where another record holds the session, or none, or the report says nothing.
    pub fn may_report(
        &self,
        caller: &str,
        seq: u64,
        report: &str,
    ) -> Result<(&GovernedSession, &Lock), Box<Fault>> {
        let Some(session) = self.of(caller) else {
            let tool = [("tool", "submit_failure_report")];
            return Err(Box::new(codes::SESSION_NOT_INITIALIZED.raise(tool)));
        };
        let hint = match session.lock() {
            Some(lock) if lock.place.seq == seq => {
                return if says_something(report) {
                    Ok((session, lock))
                } else {
                    Err(says_nothing())
                };
            }
            Some(lock) => format!("Name record {}, which holds the session.", lock.place.seq),
            None => "Go on: nothing holds the session, so no report is needed.".to_owned(),
        };
        let mut fault = argument::not_allowed("/ledger_seq", None);
        fault.message = format!("No failure with the record {seq} holds the session.");
        fault.hint = hint;
        Err(Box::new(fault))
    }

    /// Whether a failure that is about to be recorded locks the session. If so, [`SessionEvent::Locked`] follows, or [`Self::no_lock`].
    pub fn will_lock(&mut self, id: &str) -> bool {
        let Some(caller) = self.callers.get(id) else { return false };
        self.of(caller).is_some_and(|it| it.locks.is_empty()) && self.locking.insert(caller.clone())
    }

    /// The failure could not be recorded.
    pub fn no_lock(&mut self, id: &str) {
        if let Some(caller) = self.callers.get(id) {
            self.locking.remove(caller);
        }
    }

    /// Takes note of what happened.
    pub fn fold(&mut self, event: SessionEvent<'_>) {
        match event {
            SessionEvent::Begun { caller, mut session } => {
                self.callers.insert(session.id.clone(), caller.to_owned());
                // Beginning anew opens no lock.
                if let Some(before) = self.by_caller.get(caller) {
                    session.locks.clone_from(&before.locks);
                }
                session.locks.extend(self.unheard.remove(&session.id).into_iter().flatten());
                self.by_caller.insert(caller.to_owned(), Arc::new(session));
            }
            SessionEvent::Locked { id, lock } => {
                self.no_lock(id);
                if let Some(at) = self.early.iter().position(|it| *it == lock.place) {
                    self.early.swap_remove(at);
                } else if let Some(locks) = self.locks_of(id) {
                    locks.push(lock);
                } else {
                    self.unheard.entry(id.to_owned()).or_default().push(lock);
                }
            }
            SessionEvent::Reported { id, place } => {
                let reported = self.locks_of(id).and_then(|locks| {
                    let at = locks.iter().position(|it| it.place == place)?;
                    Some(locks.remove(at))
                });
                if reported.is_none() {
                    self.early.push(place);
                }
                self.unheard.retain(|_, locks| !locks.is_empty());
            }
        }
    }

    /// The locks of a session, if any is known of it.
    fn locks_of(&mut self, id: &str) -> Option<&mut Vec<Lock>> {
        match self.callers.get(id).and_then(|it| self.by_caller.get_mut(it)) {
            Some(session) => Some(&mut Arc::make_mut(session).locks),
            None => self.unheard.get_mut(id),
        }
    }
}

fn locked(rules: &SessionRules, lock: &Lock, is_report: bool) -> Box<Fault> {
    let (seq, code) = (&lock.place.seq, &lock.code);
    let params = [("failed_code", code.as_str().into()), ("ledger_seq", (*seq).into())];
    let mut fault = codes::SESSION_LOCKED.raise::<_, ParamValue>(params);
    // A dialect may show nothing but the message, and its reader has to find the way out.
    (fault.message, fault.hint) = if is_report {
        (
            format!("The session is locked: the report has to name record {seq} ({code})."),
            format!(
                "Say in at least {LEAST_CHARS} characters what failed, with the number {seq} in it. Reports are neither removed nor moved until then."
            ),
        )
    } else {
        (
            format!(
                "The session is locked: report record {seq} ({code}) with submit_failure_report first."
            ),
            format!(
                "Report it with submit_failure_report, or in a file below {} that names {seq}, then make the same call again.",
                rules.reports
            ),
        )
    };
    fault.next_actions = vec![NextAction::call("submit_failure_report", [("ledger_seq", *seq)])];
    Box::new(fault)
}

/// `begin_session` cannot be answered: why, and what to do instead.
pub fn not_begun(root: &str, reason: &str, hint: String) -> Box<Fault> {
    let params = [("workspace_root", root), ("reason", reason)];
    let mut fault = codes::SESSION_INITIALIZATION_FAILED.raise(params);
    fault.hint = hint;
    fault.because(&format!("workspace_root cannot be used ({reason})"));
    fault.violations = vec![Violation::new("/workspace_root", "not_allowed", None)];
    Box::new(fault)
}

/// `begin_session` was called without a directory, or with something else: `wrong` says what.
pub fn not_named(wrong: Fault, hint: String) -> Box<Fault> {
    let mut fault = codes::SESSION_INITIALIZATION_FAILED.raise([("reason", &*wrong.message)]);
    fault.hint = hint;
    fault.violations = wrong.violations;
    Box::new(fault)
}

impl Lock {
    /// Whether a text is a report of the failure: it says something, and the number of the record is in it by itself.
    pub fn is_told(&self, report: &str) -> bool {
        says_something(report) && names(report, self.place.seq)
    }
}

fn says_something(report: &str) -> bool {
    report.trim().chars().count() >= LEAST_CHARS
}

fn says_nothing() -> Box<Fault> {
    let mut fault = argument::not_allowed("/report", None);
    "The report says too little.".clone_into(&mut fault.message);
    fault.hint = format!(
        "Say in at least {LEAST_CHARS} characters what failed, why, and what follows from it."
    );
    Box::new(fault)
}

/// Whether a number is in a text as a whole: not in another number, a word, a date, a time or a version.
fn names(text: &str, seq: u64) -> bool {
    let number = seq.to_string();
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let is_joint = |it: char| ".,:-/".contains(it);
    let is_free = |beside: [Option<char>; 2]| match beside {
        [Some(next), _] if is_word(next) => false,
        [Some(next), Some(far)] if is_joint(next) => !far.is_ascii_digit(),
        _ => true,
    };
    text.match_indices(&number).any(|(at, _)| {
        let mut before = text.get(..at).unwrap_or_default().chars().rev();
        let mut after = text.get(at + number.len()..).unwrap_or_default().chars();
        is_free([before.next(), before.next()]) && is_free([after.next(), after.next()])
    })
}
