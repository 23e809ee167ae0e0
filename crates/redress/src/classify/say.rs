//! Sentences for calls of which those of the row would not be true.

use redress_registry::{RetryKind, shipped};

use super::{
    facts::{Fact, Facts},
    raise::{Looks, Named},
    ran,
};
use crate::{Fault, codes, fault::MISNAMED};

/// A message and a hint.
type Sentences = (&'static str, &'static str);

/// How the ids start of what a server's own envelope named, with words and a retry of its own.
const DIALECT: &str = "dialect.";

/// Gives a fault the sentences that are true of its call, if those of the row are not.
pub(super) fn fitting(fault: &mut Fault, rule: &Named<'_>, facts: Facts, is_of_a_tool: bool) {
    let is_of_program = ran::is_about_it(facts, rule);
    let program = || of_a_program(fault.code()).filter(|_| is_of_program);
    let method = || of_a_method(fault.code()).filter(|_| !is_of_program && !is_of_a_tool);
    let name = || (rule.misnamed && !facts.has(Fact::Ran)).then_some(OF_A_NAME);
    let retry = || rule.retry.filter(|it| !is_told(rule) && *it != fault.entry().retry.kind);
    let retry = || of_a_retry(fault.code(), retry()?);
    let state = || (is_state(fault.code(), rule)).then_some(OF_A_STATE);
    let broken = || facts.has(Fact::NotJson).then_some(OF_NO_JSON);
    let closed = || rule.id.starts_with(CLOSED).then_some(OF_A_CLOSED_PAGE);
    let state = || closed().or_else(state);
    let sentences =
        broken().or_else(program).or_else(method).or_else(name).or_else(retry).or_else(state);
    // A contract has words of its own.
    let row = shipped::core().get(fault.code());
    let is_of_core = row.is_some_and(|it| it.hint == fault.entry().hint);
    if let Some((message, hint)) = sentences.filter(|_| is_of_core) {
        message.clone_into(&mut fault.message);
        hint.clone_into(&mut fault.hint);
    }
}

fn is_told(rule: &Named<'_>) -> bool {
    rule.id.starts_with(DIALECT)
}

const OF_NO_JSON: Sentences = (
    "The message could not be read as JSON.",
    "Send one complete JSON value in valid UTF-8 for each message.",
);

const OF_A_NAME: Sentences = (
    MISNAMED,
    "Leave the argument out, or give it under a name that the tool's input schema lists.",
);

/// Servers say of projects, pages and connections what only the protocol says of sessions.
const OF_A_STATE: Sentences = (
    "Something that this call builds on has not been set up yet.",
    "Set it up first with the tool for it, or give it as an argument if the tool takes one.",
);

/// How the ids start of what says that a page or a browser is open no more.
const CLOSED: &str = "browser.closed";

/// It was open before, and the call may be what closed it.
const OF_A_CLOSED_PAGE: Sentences = (
    "The page or browser that this call works in has closed, crashed or moved on.",
    "Look at what is open now, and whether the call took effect, before you make it again.",
);

fn is_state(code: &str, rule: &Named<'_>) -> bool {
    code == codes::SESSION_NOT_INITIALIZED.name() && rule.looks == Looks::Prose
}

/// Where a rule knows better than the row what helps, the row's hint would say another thing.
fn of_a_retry(code: &str, kind: RetryKind) -> Option<Sentences> {
    let is = |it: codes::CoreCode| it.name() == code;
    Some(match kind {
        RetryKind::AfterChange if is(codes::UPSTREAM_UNAVAILABLE) => (
            "The server that the address names cannot be found.",
            "Check the name in the address, then make the call with the right one.",
        ),
        RetryKind::AfterChange if is(codes::UNSUPPORTED) => (
            "The server does not support a value that was given.",
            "Give a value of another kind, or use another tool.",
        ),
        RetryKind::AfterDelay if is(codes::CONFLICT) => (
            "What the call needs is in use just now.",
            "Wait a moment, then make the same call again.",
        ),
        RetryKind::AfterDelay if is(codes::INTERNAL_ERROR) => (
            "Something unexpected went wrong inside the server.",
            "Check whether the call took effect, then try once more; tell the operator if it fails again.",
        ),
        RetryKind::AfterDelay if is(codes::LIMIT_EXCEEDED) => (
            "A limit of the server is used up for the moment.",
            "Wait a moment, then make the same call again.",
        ),
        RetryKind::AfterState if is(codes::AUTH_REQUIRED) => (
            "Nobody has signed in yet.",
            "Sign in with the tool that the server has for it, then make the same call again.",
        ),
        RetryKind::AfterHuman if is(codes::FILE_NOT_FOUND) => (
            "A file that the server itself needs is not there.",
            "Ask the operator to put it there; no argument of the call names it.",
        ),
        RetryKind::AfterHuman if is(codes::INVALID_PATH) => (
            "A path that the server itself uses cannot be used.",
            "Ask the operator to correct it; no argument of the call names it.",
        ),
        RetryKind::AfterHuman if is(codes::UNAUTHORIZED_ACTION) => (
            "This action is not allowed here until somebody allows it.",
            "Ask the user or the operator to allow it, then repeat the call.",
        ),
        RetryKind::AfterHuman if is(codes::UPSTREAM_UNAVAILABLE) => (
            "There is no safe connection to the server, or to a service behind it.",
            "Tell the user or the operator; waiting does not mend it.",
        ),
        _ => return None,
    })
}

/// What a program calls wrong stands in the command, and not among the arguments of the tool.
fn of_a_program(code: &str) -> Option<Sentences> {
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
fn of_a_method(code: &str) -> Option<Sentences> {
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
