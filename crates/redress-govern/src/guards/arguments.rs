//! The guard of arguments: what a guard reads in them is what the server reads.

use redress::{Fault, codes};
use redress_wire::json::{Kind, Value};

use super::{Guard, GuardedRequest};

/// The arguments are an object that has each name once, and paths have the shape that the contract says.
pub(super) struct ArgumentsGuard;

impl Guard for ArgumentsGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        is_plain(case.call.arguments)?;
        case.malformed.take().map_or(Ok(()), Err)
    }
}

fn is_plain(arguments: Option<Value<'_>>) -> Result<(), Box<Fault>> {
    let Some(arguments) = arguments else { return Ok(()) };
    if arguments.kind() != Kind::Object {
        let params = [("field", "/arguments"), ("expected", "object")];
        return Err(Box::new(codes::INVALID_INPUT_TYPE.raise(params)));
    }
    arguments.unique_keys_within().map_err(|_twice| {
        let params = [("field", "/arguments"), ("expected", "an object that has each name once")];
        Box::new(codes::INVALID_INPUT_FORMAT.raise(params))
    })
}
