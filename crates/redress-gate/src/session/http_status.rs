//! Which HTTP status stands above an answer: clients with a session get 200, the others the one that fits.

use redress::Dialect;
use redress_ledger::Time;
use redress_registry::Class;

use super::{context::Context, messages::Answer, retry_after::in_seconds};
use crate::{
    answer::ErrorObject,
    exchange::Request,
    frame::{Frame, Shape},
};

/// The head of an HTTP response of an upstream, as far as a judgement needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HttpHead {
    pub(crate) status: u16,
    /// What it says of waiting.
    pub(crate) wait_seconds: Option<u64>,
}

impl HttpHead {
    /// A status that says nothing of waiting.
    pub(super) const fn of(status: u16) -> Self {
        Self { status, wait_seconds: None }
    }

    /// A refusal.
    pub(super) fn refused(status: u16, retry_after: Option<&str>, now: Time) -> Self {
        let wait_seconds = retry_after.and_then(|it| in_seconds(it, now).parse().ok());
        Self { status, wait_seconds }
    }

    /// Whether it says more of a failure than the words below it do. That something broke inside is also said of whatever a tool
    /// throws.
    pub(super) const fn is_telling(self) -> bool {
        self.status >= 400 && self.status != 500
    }

    /// Whether it can stand above anything that went wrong, so that it does not prove that nothing was done: some servers put a
    /// status that fits above whatever a tool throws, or above a result. What the protocol has a number for was not begun.
    pub(super) fn is_for_whatever_failed(self, frame: &Frame<'_>) -> bool {
        let error = frame.payload.filter(|_| frame.shape == Shape::Error).map(ErrorObject::of);
        match error {
            Some(ErrorObject::Valid { code: -32_700 | -32_602..=-32_600 }) => false,
            Some(_) => !is_of_transport(self.status),
            None => true,
        }
    }
}

/// The status above an answer that the gate makes.
pub(super) fn status_of_made(
    cx: Context<'_>,
    request: &Request,
    is_result: bool,
    class: Class,
) -> u16 {
    let is_result = is_result && cx.server.settings.dialect != Dialect::Rpc;
    if is_result || !cx.tenancy.shows_status(request) { 200 } else { by_class(class) }
}

/// The status above an answer that is the upstream's own, whatever was put in.
pub(super) fn status_of_passed(cx: Context<'_>, request: &Request, answer: &Answer<'_, '_>) -> u16 {
    let error = answer.frame.payload.filter(|_| answer.frame.shape == Shape::Error);
    match (answer.http, error.map(ErrorObject::of)) {
        (Some(http), _) => http.status,
        (None, Some(ErrorObject::Valid { code })) if cx.tenancy.shows_status(request) => {
            by_number(code)
        }
        _ => 200,
    }
}

/// The status of an upstream that the client itself must see, and never anything else. That a session is over is 404, however
/// the upstream puts it: clients open another one for nothing else.
pub(super) const fn kept(status: u16, is_session_over: bool) -> Option<u16> {
    match status {
        _ if is_session_over => Some(404),
        401 | 403 | 405 => Some(status),
        _ => None,
    }
}

/// Whether a status proves that the request was not dealt with.
pub(super) const fn is_unprocessed(status: u16) -> bool {
    matches!(status, 400 | 401 | 403..=406 | 410 | 411 | 413..=415 | 417 | 421 | 426 | 428 | 429 | 431)
}

/// Whether a status is for how the request came, so that nobody has it stand above what a tool throws.
pub(super) const fn is_of_transport(status: u16) -> bool {
    is_unprocessed(status) && !matches!(status, 400 | 404 | 410)
}

/// A status that may stand above an error, for each class.
const fn by_class(class: Class) -> u16 {
    match class {
        Class::NotFound | Class::Unimplemented => 404,
        Class::ResourceExhausted => 429,
        Class::Unavailable | Class::DeadlineExceeded => 503,
        Class::Unknown | Class::Internal | Class::DataLoss => 500,
        Class::Cancelled
        | Class::InvalidArgument
        | Class::AlreadyExists
        | Class::PermissionDenied
        | Class::FailedPrecondition
        | Class::Aborted
        | Class::OutOfRange
        | Class::Unauthenticated => 400,
    }
}

/// The status that the protocol binds to a number of its own; every other error is an answer like any other.
const fn by_number(code: i32) -> u16 {
    match code {
        -32_700 | -32_600 | -32_022..=-32_020 => 400,
        -32_601 => 404,
        _ => 200,
    }
}
