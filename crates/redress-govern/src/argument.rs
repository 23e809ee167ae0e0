//! Arguments that a call cannot have: each is refused with its place, so that the reader of the card knows which one it is.

use redress::{
    Fault,
    codes::{self, CoreCode},
    fault::Violation,
};

/// One that has to be there and is not.
pub fn missing(pointer: &str) -> Fault {
    refused(codes::MISSING_REQUIRED_FIELD, pointer, "missing", None)
}

/// One of another type than is expected.
pub fn mistyped(pointer: &str, expected: &str) -> Fault {
    refused(codes::INVALID_INPUT_TYPE, pointer, "wrong_type", Some(expected))
}

/// One whose value is not allowed.
pub fn not_allowed(pointer: &str, expected: Option<&str>) -> Fault {
    refused(codes::INVALID_INPUT_VALUE, pointer, "not_allowed", expected)
}

fn refused(code: CoreCode, pointer: &str, reason: &str, expected: Option<&str>) -> Fault {
    let expected_too = expected.filter(|_| code.entry().param("expected").is_some());
    let params = [("field", Some(pointer)), ("expected", expected_too)];
    let mut fault = code.raise(params.into_iter().filter_map(|(name, it)| Some((name, it?))));
    fault.violations = vec![Violation::new(pointer, reason, expected)];
    fault
}
