//! `decide`: from a fault and what is known about its call to what comes next, by the first row of the table that fits.

use redress_registry::RetryKind;

use super::{
    budget::Budget,
    policy::Policy,
    repeat::{Ground, repeat},
    rows::ROWS,
    table::{DecisionFacts, Room, Row, StopReason, Then},
};
use crate::{Fault, fault::NextAction, outcome::ToolTraits};
use redress_wire::json::{Members, write_list, write_str};

/// What is known about a call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attempt {
    /// What the tool is known to be.
    pub traits: ToolTraits,
    /// How it is known what failed.
    pub ground: Ground,
    /// How often the call was made so far.
    pub made: u32,
    /// Whether there is another way that was not tried yet.
    pub fallback: bool,
    /// Now, in milliseconds since 1970.
    pub now_ms: u64,
    /// How long the caller still waits, if that has an end.
    pub time_left_ms: Option<u64>,
    /// Chance, evenly from all numbers, so that many clients do not come back at once.
    pub random: u32,
}

/// What to do about a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Make the same call again.
    RetryNow,
    /// Make the same call again after so many milliseconds.
    RetryAfter(u64),
    /// Make the call with other arguments.
    ChangeArguments {
        /// Where the wrong ones stand, as JSON pointers into the arguments. Empty: the hint says it in words.
        pointers: Vec<String>,
    },
    /// Do something else first. There is always at least one.
    CallFirst {
        /// Calls, or advice in words.
        next: Vec<NextAction>,
    },
    /// A person must act.
    AskHuman {
        /// What to ask for.
        what: String,
    },
    /// Go another way: another server, or another tool.
    FallBack,
    /// Give the call up.
    Stop(StopReason),
}

/// A decision, and the row of the table that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The row's id.
    pub row: &'static str,
    /// What to do.
    pub decision: Decision,
}

impl Decided {
    /// Whether the same call is made again by the program itself.
    pub const fn is_repeat(&self) -> bool {
        matches!(self.decision, Decision::RetryNow | Decision::RetryAfter(_))
    }

    /// The decision as JSON, as it is in the shared vectors.
    pub fn json(&self) -> String {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.str("do", self.decision.name());
        match &self.decision {
            Decision::RetryNow | Decision::FallBack => (),
            Decision::RetryAfter(ms) => {
                members.int("after_ms", *ms);
            }
            Decision::ChangeArguments { pointers } => {
                write_list(members.key("pointers"), pointers, |it, out| write_str(out, it));
            }
            Decision::CallFirst { next } => {
                write_list(members.key("next"), next, NextAction::write);
            }
            Decision::AskHuman { what } => {
                members.str("what", what);
            }
            Decision::Stop(why) => {
                members.str("why", why.name());
            }
        }
        members.str("row", self.row);
        members.close();
        out
    }
}

impl Decision {
    /// The name in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RetryNow => Then::RetryNow.name(),
            Self::RetryAfter(_) => Then::RetryAfter.name(),
            Self::ChangeArguments { .. } => Then::ChangeArguments.name(),
            Self::CallFirst { .. } => Then::CallFirst.name(),
            Self::AskHuman { .. } => Then::AskHuman(None).name(),
            Self::FallBack => Then::FallBack.name(),
            Self::Stop(why) => Then::Stop(*why).name(),
        }
    }
}

/// What to do about a fault. Total: every fault gets a decision, and a repeat is taken from the budget.
///
/// ```
/// use redress::{codes, recover::{Attempt, Budget, Decision, Policy, decide}};
///
/// let fault = codes::RATE_LIMITED.raise([("retry_after_ms", 2_000)]);
/// let mut budget = Budget::default();
/// let decided = decide(&fault, &Attempt { made: 1, ..Attempt::default() }, &Policy::default(), &mut budget);
/// assert!(matches!(decided.decision, Decision::RetryAfter(_)));
/// assert_eq!(budget.saved(), 9_000);
/// ```
pub fn decide(fault: &Fault, attempt: &Attempt, policy: &Policy, budget: &mut Budget) -> Decided {
    budget.pass(attempt.now_ms);
    let asked = asked_ms(fault, attempt.now_ms);
    let retry = kind(fault, attempt, asked);
    let wait = match retry {
        RetryKind::AfterDelay => policy.wait_ms(attempt.made, asked, attempt.random),
        _ => 0,
    };
    let facts = DecisionFacts {
        retry,
        code: fault.code(),
        class: fault.class,
        repeat: repeat(fault, attempt.traits, attempt.ground),
        room: room(fault, attempt, policy, (asked, wait), budget),
        next: !fault.next_actions.is_empty(),
        fallback: attempt.fallback,
    };
    let row = ROWS.iter().find(|it| it.fits(facts)).unwrap_or(&Row::LAST);
    let decision = match row.then {
        Then::RetryNow => Decision::RetryNow,
        Then::RetryAfter => Decision::RetryAfter(wait),
        Then::ChangeArguments => Decision::ChangeArguments { pointers: fault.wrong_arguments() },
        Then::CallFirst => Decision::CallFirst { next: first(fault) },
        Then::AskHuman(what) => {
            Decision::AskHuman { what: what.unwrap_or_else(|| advice(fault)).to_owned() }
        }
        Then::FallBack => Decision::FallBack,
        Then::Stop(why) => Decision::Stop(why),
    };
    let decided = Decided { row: row.id, decision };
    if decided.is_repeat() {
        budget.spend();
    }
    decided
}

/// How long the server asks to wait.
fn asked_ms(fault: &Fault, now_ms: u64) -> u64 {
    let until = fault.not_before.map_or(0, |it| it.saturating_sub(now_ms));
    fault.retry.after_ms.unwrap_or_default().max(until)
}

/// The kind that counts: a call is made again at once only the first time, and only without a wait that is asked for.
const fn kind(fault: &Fault, attempt: &Attempt, asked: u64) -> RetryKind {
    match fault.retry.kind {
        RetryKind::Now if asked > 0 || attempt.made > 1 => RetryKind::AfterDelay,
        kind => kind,
    }
}

fn room(
    fault: &Fault,
    attempt: &Attempt,
    policy: &Policy,
    (asked, wait): (u64, u64),
    budget: &Budget,
) -> Room {
    let most =
        fault.retry.max.map_or(policy.attempts, |it| policy.attempts.min(it.saturating_add(1)));
    if attempt.made >= most {
        Room::AttemptsUsed
    } else if asked > policy.longest_wait_ms || attempt.time_left_ms.is_some_and(|it| it <= wait) {
        Room::WaitTooLong
    } else if budget.has_one() {
        Room::Left
    } else {
        Room::BudgetSpent
    }
}

fn first(fault: &Fault) -> Vec<NextAction> {
    if !fault.next_actions.is_empty() {
        return fault.next_actions.clone();
    }
    // Most dialects have no place for next calls; then the row knows them.
    match fault.row_next_actions() {
        next if next.is_empty() => vec![NextAction::Text(advice(fault).to_owned())],
        next => next,
    }
}

/// What the fault says is to be done.
fn advice(fault: &Fault) -> &str {
    if fault.hint.is_empty() { &fault.message } else { &fault.hint }
}
