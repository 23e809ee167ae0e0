//! The HTTP status of an answer: clients with a session get 200, the others the one that fits.

use redress::Dialect;
use redress_registry::Class;

use super::{context::Context, messages::Answer};
use crate::{answer::ErrorObject, exchange::Request, frame::Shape};

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
