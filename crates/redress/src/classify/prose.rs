//! The last tier: words. One flat table from phrase to class; the longest phrase wins, and it answers with the class's general code.

use redress_registry::{Class, Effect, RetryKind};

use super::{
    evidence::Evidence,
    tables::TABLES,
    tier::{Finding, Tier},
    wait,
};
use crate::codes::{self, CoreCode};

/// The name of the rules.
pub(super) const NAME: &str = "prose";
pub(super) const TEXT: &str = include_str!("prose.rules");

/// A limit with one of these is lifted by time.
const PERIODS: [&str; 3] = ["per second", "per minute", "per hour"];

/// What the words of a failure say. They never prove that nothing was changed.
pub(super) fn read<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let prose = &TABLES.prose;
    let windows = [evidence.message.own(), evidence.message.all()];
    let found = windows.iter().find_map(|it| prose.longest(&evidence.hits, it))?;
    let (code, retry) = general(&found.row.head)?;
    let text = &evidence.message.text;
    let is_rate = || wait::find(text).is_some() || PERIODS.iter().any(|it| text.contains(it));
    let is_limit = code.name() == codes::LIMIT_EXCEEDED.name();
    let code = if is_limit && is_rate() { codes::RATE_LIMITED } else { code };
    let mut finding = Finding::new(Tier::Prose, found.rule, code.name()).effect(Effect::Unknown);
    // What is not supported is a value that was given: another one may be.
    let is_of_value = code.name() == codes::UNSUPPORTED.name() && evidence.message.echoes;
    finding.retry = retry.or_else(|| is_of_value.then_some(RetryKind::AfterChange));
    Some(finding)
}

/// The general code of a class, and its retry where the row of the code says otherwise.
pub(super) fn general(head: &str) -> Option<(CoreCode, Option<RetryKind>)> {
    let (class, more) = head.split_once(' ').unwrap_or((head, ""));
    let code = match more {
        "credentials" => codes::INSUFFICIENT_PERMISSIONS,
        "wait" => codes::RATE_LIMITED,
        _ => of_class(Class::parse(class)?),
    };
    let retry = match code.name() {
        it if it == codes::INTERNAL_ERROR.name() => Some(RetryKind::AfterDelay),
        _ => None,
    };
    Some((code, retry))
}

/// The code that represents a class.
pub(super) const fn of_class(class: Class) -> CoreCode {
    match class {
        Class::Cancelled => codes::CANCELLED,
        Class::Unknown => codes::UNKNOWN_TOOL_FAILURE,
        Class::InvalidArgument | Class::OutOfRange => codes::INVALID_INPUT_VALUE,
        Class::DeadlineExceeded => codes::TIMEOUT,
        Class::NotFound => codes::NOT_FOUND,
        Class::AlreadyExists => codes::ALREADY_EXISTS,
        Class::PermissionDenied => codes::UNAUTHORIZED_ACTION,
        Class::ResourceExhausted => codes::LIMIT_EXCEEDED,
        Class::FailedPrecondition | Class::Aborted => codes::CONFLICT,
        Class::Unimplemented => codes::UNSUPPORTED,
        Class::Internal | Class::DataLoss => codes::INTERNAL_ERROR,
        Class::Unavailable => codes::UPSTREAM_UNAVAILABLE,
        Class::Unauthenticated => codes::AUTH_REQUIRED,
    }
}
