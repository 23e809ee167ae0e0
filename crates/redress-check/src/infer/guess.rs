//! What the name of a code, and the message beside it, tell of its row.

use redress_registry::Class;

/// Words of names, and the class that they speak for; the first that is found counts.
const WORDS: [(&str, Class); 34] = [
    ("TIMEOUT", Class::DeadlineExceeded),
    ("TIMED_OUT", Class::DeadlineExceeded),
    ("DEADLINE", Class::DeadlineExceeded),
    ("CANCEL", Class::Cancelled),
    ("NOT_FOUND", Class::NotFound),
    ("MISSING_REQUIRED", Class::InvalidArgument),
    ("NOT_INITIALIZED", Class::FailedPrecondition),
    ("NOT_RUNNING", Class::FailedPrecondition),
    ("NOT_READY", Class::FailedPrecondition),
    ("PRECONDITION", Class::FailedPrecondition),
    ("LOCKED", Class::FailedPrecondition),
    ("EXISTS", Class::AlreadyExists),
    ("DUPLICATE", Class::AlreadyExists),
    ("UNAUTHENTICATED", Class::Unauthenticated),
    ("AUTH_REQUIRED", Class::Unauthenticated),
    ("AUTH_FAILED", Class::Unauthenticated),
    ("TOKEN", Class::Unauthenticated),
    ("DENIED", Class::PermissionDenied),
    ("FORBIDDEN", Class::PermissionDenied),
    ("UNAUTHORIZED", Class::PermissionDenied),
    ("PERMISSION", Class::PermissionDenied),
    ("BLOCKED", Class::PermissionDenied),
    ("RATE_LIMIT", Class::ResourceExhausted),
    ("QUOTA", Class::ResourceExhausted),
    ("LIMIT", Class::ResourceExhausted),
    ("TOO_LARGE", Class::ResourceExhausted),
    ("UNSUPPORTED", Class::Unimplemented),
    ("NOT_IMPLEMENTED", Class::Unimplemented),
    ("CONFLICT", Class::Aborted),
    ("UNAVAILABLE", Class::Unavailable),
    ("OUT_OF_RANGE", Class::OutOfRange),
    ("INVALID", Class::InvalidArgument),
    ("BAD_", Class::InvalidArgument),
    ("MISSING", Class::NotFound),
];

/// The class that a name speaks for; `internal` if it says nothing.
pub(super) fn class(code: &str) -> Class {
    let has = |word: &str| {
        code.match_indices(word)
            .any(|(at, _)| at == 0 || code.as_bytes().get(at - 1) == Some(&b'_'))
    };
    WORDS.iter().find(|it| has(it.0)).map_or(Class::Internal, |it| it.1)
}

/// The class that an HTTP status speaks for.
pub(super) fn class_of_status(http: u16) -> Class {
    match http {
        400 | 422 => Class::InvalidArgument,
        401 => Class::Unauthenticated,
        403 => Class::PermissionDenied,
        404 | 410 => Class::NotFound,
        408 | 504 => Class::DeadlineExceeded,
        409 | 412 | 423 => Class::FailedPrecondition,
        413 | 429 => Class::ResourceExhausted,
        501 => Class::Unimplemented,
        502 | 503 => Class::Unavailable,
        _ => Class::Internal,
    }
}

/// The message beside a code as a template without parameters, or one made of its name.
pub(super) fn message(code: &str, said: Option<&str>) -> String {
    const MOST: usize = 200;
    let said = said.map(str::trim).filter(|it| it.len() > 3 && !it.contains(['{', '}', '\n']));
    let text = said
        .map_or_else(|| redress_registry::name::title(code), |it| it.chars().take(MOST).collect());
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use redress_registry::Class;

    use super::{class, message};

    #[test]
    fn a_name_tells_its_class_or_nothing() {
        assert_eq!(class("FILE_NOT_FOUND"), Class::NotFound);
        assert_eq!(class("INVALID_PATH"), Class::InvalidArgument);
        assert_eq!(class("LAUNCH_TIMEOUT"), Class::DeadlineExceeded);
        assert_eq!(class("BADGE_PRINTED"), Class::Internal);
        assert_eq!(class("ABAD_DAY"), Class::Internal);
    }

    #[test]
    fn a_message_is_that_of_the_source_or_the_name() {
        assert_eq!(message("NOTE_GONE", Some("The note is gone")), "The note is gone.");
        assert_eq!(message("NOTE_GONE", Some("No {id}")), "Note gone.");
        assert_eq!(message("NOTE_GONE", None), "Note gone.");
    }
}
