//! Sentences for calls of which those of the row would not be true.

use redress_registry::shipped;

use super::{
    facts::{Fact, Facts},
    raise::Named,
    ran,
};
use crate::{Fault, codes};

/// The rule about a server whose name stands in the call and means nothing.
const UNKNOWN_HOST: &str = "net.unknown-host";

/// How the ids of the rules end that are about the name of an argument.
const UNKNOWN_NAMES: &str = ".unknown";

/// Whether a validator refused an argument for its name, whatever its value is.
pub(super) fn is_about_a_name(rule: &Named<'_>) -> bool {
    rule.id.ends_with(UNKNOWN_NAMES)
}

/// Gives a fault the sentences that are true of its call, if those of the row are not.
pub(super) fn fitting(fault: &mut Fault, rule: &Named<'_>, facts: Facts, is_of_a_tool: bool) {
    let sentences = if ran::is_about_it(facts, rule) {
        of_a_program(fault.code())
    } else if rule.id == UNKNOWN_HOST {
        Some((
            "The server that the address names cannot be found.",
            "Check the name in the address, then make the call with the right one.",
        ))
    } else if !is_of_a_tool {
        of_a_method(fault.code())
    } else if is_about_a_name(rule) && !facts.has(Fact::Ran) {
        Some((
            "The tool does not know an argument of that name.",
            "Leave the argument out, or give it under a name that the tool's input schema lists.",
        ))
    } else {
        None
    };
    // A contract has words of its own.
    let row = shipped::core().get(fault.code());
    let is_of_core = row.is_some_and(|it| it.hint == fault.entry().hint);
    if let Some((message, hint)) = sentences.filter(|_| is_of_core) {
        message.clone_into(&mut fault.message);
        hint.clone_into(&mut fault.hint);
    }
}

/// What a program calls wrong stands in the command, and not among the arguments of the tool.
fn of_a_program(code: &str) -> Option<(&'static str, &'static str)> {
    let message = match code {
        it if it == codes::INVALID_INPUT_VALUE.name() => {
            "Something in the command or code that was handed over is wrong."
        }
        it if it == codes::INVALID_INPUT_FORMAT.name() => {
            "The command or code that was handed over has a mistake in its form."
        }
        _ => return None,
    };
    Some((message, "Correct the command or code, then send it again."))
}

/// Prompts, resources and levels of a log have no input schema.
fn of_a_method(code: &str) -> Option<(&'static str, &'static str)> {
    Some(match code {
        it if it == codes::MISSING_REQUIRED_FIELD.name() => (
            "A required parameter is missing.",
            "Add every parameter that the protocol, or the server's own list, asks for.",
        ),
        it if it == codes::INVALID_INPUT_TYPE.name() => (
            "A parameter has the wrong type.",
            "Send it with the type that the protocol, or the server's own list, asks for.",
        ),
        it if it == codes::INVALID_INPUT_FORMAT.name() => (
            "A parameter is malformed and cannot be read.",
            "Write it in the form that the protocol, or the server's own list, asks for.",
        ),
        it if it == codes::INVALID_INPUT_VALUE.name() => (
            "A parameter has a value that the server does not accept.",
            "Use a value that the protocol, or the server's own list, allows.",
        ),
        _ => return None,
    })
}
