//! The rows of the decision table, in order: what a client does about a failure, and why.

use redress_registry::{Class, RetryKind};

use super::{
    repeat::Repeat,
    table::{Room, Row, StopReason, Then},
};
use crate::codes;

/// The kinds after which the same call helps.
const SAME_CALL: &[RetryKind] = &[RetryKind::Now, RetryKind::AfterDelay];

/// What a person is asked when it is unknown what a call did.
const DID_IT_HAPPEN: &str = "Find out whether the call took effect, before anybody makes it again.";

/// The table. The first row that fits decides.
pub const ROWS: &[Row] = &[
    Row {
        class: &[Class::Cancelled],
        then: Then::Stop(StopReason::Cancelled),
        because: "The caller gave the call up.",
        ..Row::any("cancelled")
    },
    Row {
        class: &[Class::Unimplemented],
        repeat: &[Repeat::Safe],
        fallback: Some(true),
        then: Then::FallBack,
        because: "This server does not do it; another one may.",
        ..Row::any("not_here")
    },
    Row {
        code: &[codes::UNKNOWN_TOOL.name()],
        class: &[Class::NotFound],
        repeat: &[Repeat::Safe],
        fallback: Some(true),
        then: Then::FallBack,
        because: "This server has no such tool; another one may.",
        ..Row::any("no_such_tool")
    },
    Row {
        retry: &[RetryKind::AfterHuman],
        class: &[Class::PermissionDenied],
        then: Then::AskHuman(None),
        because: "What is forbidden here is not tried elsewhere.",
        ..Row::any("forbidden")
    },
    Row {
        retry: &[RetryKind::AfterHuman],
        repeat: &[Repeat::Safe],
        fallback: Some(true),
        then: Then::FallBack,
        because: "Another way needs nobody to act.",
        ..Row::any("without_a_person")
    },
    Row {
        retry: &[RetryKind::AfterHuman],
        then: Then::AskHuman(None),
        because: "Only a person can change this.",
        ..Row::any("a_person")
    },
    Row {
        retry: &[RetryKind::AfterChange],
        then: Then::ChangeArguments,
        because: "The same arguments fail anywhere.",
        ..Row::any("other_arguments")
    },
    Row {
        retry: &[RetryKind::AfterState],
        then: Then::CallFirst,
        because: "The call fits once the state has changed.",
        ..Row::any("other_state")
    },
    Row {
        repeat: &[Repeat::Double],
        then: Then::Stop(StopReason::AlreadyDone),
        because: "It was carried out; what failed came after.",
        ..Row::any("already_done")
    },
    Row {
        retry: SAME_CALL,
        repeat: &[Repeat::Doubtful],
        next: Some(true),
        then: Then::CallFirst,
        because: "It may have taken effect: look first.",
        ..Row::any("look_first")
    },
    Row {
        retry: SAME_CALL,
        repeat: &[Repeat::Doubtful],
        then: Then::AskHuman(Some(DID_IT_HAPPEN)),
        because: "It may have taken effect, and no call tells.",
        ..Row::any("in_doubt")
    },
    Row {
        retry: &[RetryKind::Now],
        room: &[Room::Left],
        then: Then::RetryNow,
        because: "The same call works now.",
        ..Row::any("again_now")
    },
    Row {
        retry: &[RetryKind::AfterDelay],
        room: &[Room::Left],
        then: Then::RetryAfter,
        because: "The same call works later.",
        ..Row::any("again_later")
    },
    Row {
        class: &[Class::PermissionDenied],
        then: Then::Stop(StopReason::Refused),
        because: "It is forbidden, and nobody can allow it.",
        ..Row::any("refused")
    },
    Row {
        retry: SAME_CALL,
        fallback: Some(true),
        then: Then::FallBack,
        because: "Here, no repeat is left.",
        ..Row::any("elsewhere")
    },
    Row {
        retry: SAME_CALL,
        room: &[Room::AttemptsUsed],
        then: Then::Stop(StopReason::AttemptsUsed),
        because: "It was made as often as it may be.",
        ..Row::any("attempts_used")
    },
    Row {
        retry: SAME_CALL,
        room: &[Room::WaitTooLong],
        then: Then::Stop(StopReason::WaitTooLong),
        because: "The wait is longer than allowed.",
        ..Row::any("wait_too_long")
    },
    Row {
        retry: SAME_CALL,
        then: Then::Stop(StopReason::BudgetSpent),
        because: "The budget for repeats is used up.",
        ..Row::any("budget_spent")
    },
    Row {
        repeat: &[Repeat::Safe],
        fallback: Some(true),
        then: Then::FallBack,
        because: "Here it can never work; another way may.",
        ..Row::any("another_way")
    },
    Row::LAST,
];
