//! Sentences for calls where those of the row would not be true.

use redress_registry::{Effect, RetryKind, shipped};

use super::{
    evidence::Evidence,
    paths::is_absolute,
    request::Mistake,
    tier::{Finding, Tier},
};
use redress_wire::is_method;

use crate::{Fault, codes, fault::MISNAMED, outcome::Asked};

/// A message and a hint.
type Sentences = (&'static str, &'static str);

/// Gives a fault the sentences that are true of its call, if those of the row are not.
pub(super) fn fitting(fault: &mut Fault, finding: &Finding<'_>, evidence: &Evidence<'_>) {
    let code = fault.code();
    let is_of_method = !is_of_a_tool(evidence.asked) || evidence.is_malformed();
    let is_broken = evidence.request.mistake == Some(Mistake::NotJson);
    let is_closed =
        finding.rule.starts_with("browser:") && code == codes::SESSION_NOT_INITIALIZED.name();
    let retry = || {
        finding.retry.filter(|it| finding.tier != Tier::Stated && *it != fault.entry().retry.kind)
    };
    let sentences = is_broken
        .then_some(OF_NO_JSON)
        .or_else(|| of_a_program(code).filter(|_| finding.blames_program))
        .or_else(|| of_a_method(code).filter(|_| is_of_method && !finding.blames_program))
        .or_else(|| (finding.misnamed && !finding.blames_program).then_some(OF_A_NAME))
        .or_else(|| is_closed.then_some(OF_A_CLOSED_PAGE))
        .or_else(|| of_a_page(&finding.rule))
        .or_else(|| of_a_relative_path(code, evidence))
        .or_else(|| of_a_retry(code, retry()?));
    // A contract has words of its own.
    let row = shipped::core().get(fault.code());
    let is_of_core = row.is_some_and(|it| it.hint == fault.entry().hint);
    if let Some((message, hint)) = sentences.filter(|_| is_of_core && finding.tier != Tier::Taught)
    {
        message.clone_into(&mut fault.message);
        hint.clone_into(&mut fault.hint);
    }
}

/// Gives a fault a hint that fits its retry rule and effect, where the row's is made for others.
pub(super) fn hint_fitting(fault: &mut Fault) {
    if fault.effect == Effect::None && fault.entry().effect != Effect::None {
        fault.nothing_changed();
    }
    if fault.retry.kind == fault.entry().retry.kind || !fault.has_row_hint() {
        return;
    }
    let may_have_worked = fault.effect != Effect::None;
    let hint = match fault.retry.kind {
        RetryKind::Now if may_have_worked => {
            "Check whether the call took effect; if not, make it again."
        }
        RetryKind::Now => "Make the same call again.",
        RetryKind::AfterDelay if may_have_worked => {
            "Wait a moment, check whether the call took effect, then try once more."
        }
        RetryKind::AfterDelay => "Wait a moment, then make the same call again.",
        RetryKind::AfterChange => "Make the call with other arguments, or use another tool.",
        RetryKind::AfterState => "Do first what the call needs, then make the same call again.",
        RetryKind::AfterHuman => "Tell the user or the operator what happened.",
        RetryKind::Never => "Use another way, or tell the user that this does not work.",
    };
    hint.clone_into(&mut fault.hint);
}

/// A page or a service behind an address of the call failed, and neither the server nor its caller.
fn of_a_page(rule: &str) -> Option<Sentences> {
    let status: u16 = rule.rsplit_once("page: ")?.1.parse().ok()?;
    Some(match status {
        401 | 403 | 407 | 451 => (
            "The page or service at the address refuses access.",
            "Use another address: this one is not open to the server.",
        ),
        404 | 410 => (
            "There is nothing at the address.",
            "Use another address; search for the right one first.",
        ),
        429 => (
            "The page or service at the address limits how often it is asked.",
            "Wait as long as the retry rule says, or use another address.",
        ),
        500.. => (
            "The page or service at the address failed, not this server.",
            "Wait a moment and try again, or use another address.",
        ),
        _ => (
            "The page or service at the address did not accept the request.",
            "Check the address and its parameters.",
        ),
    })
}

/// A server that takes absolute paths alone was given a relative one.
fn of_a_relative_path(code: &str, evidence: &Evidence<'_>) -> Option<Sentences> {
    let mut paths = evidence.request.arguments.iter().filter(|it| it.is_path());
    let is_relative =
        code == codes::OUTSIDE_WORKSPACE.name() && paths.any(|it| !is_absolute(&it.value));
    is_relative.then_some((
        "The path was taken relative to another place than the folders of the server.",
        "Give the absolute path of something inside the server's folders.",
    ))
}

/// Whether the failure is one of a tool; the other methods have no input schema.
fn is_of_a_tool(asked: &Asked<'_>) -> bool {
    let method = asked.method.as_deref();
    method.is_none_or(|it| !is_method(it) || it == "tools/call" || it.starts_with("tasks/"))
}

const OF_NO_JSON: Sentences =
    ("The message could not be read as JSON.", "Send one complete JSON value for each message.");

const OF_A_NAME: Sentences = (MISNAMED, "Leave it out, or use a name of the tool's input schema.");

/// It was open before, and the call may be what closed it.
const OF_A_CLOSED_PAGE: Sentences = (
    "The page or browser that this call works in has closed, crashed or moved on.",
    "Look at what is open now, and whether the call took effect, before you make it again.",
);

/// Where a rule knows better than the row what helps, the row's hint would say another thing.
fn of_a_retry(code: &str, kind: RetryKind) -> Option<Sentences> {
    let is = |it: codes::CoreCode| it.name() == code;
    Some(match kind {
        RetryKind::AfterChange if is(codes::UPSTREAM_UNAVAILABLE) => (
            "The server that the address names cannot be found.",
            "Correct the name in the address.",
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
            "Try once more; tell the operator if it fails again.",
        ),
        RetryKind::AfterDelay if is(codes::LIMIT_EXCEEDED) => (
            "A limit of the server is used up for the moment.",
            "Wait a moment, then make the same call again.",
        ),
        RetryKind::AfterState if is(codes::AUTH_REQUIRED) => {
            ("No user has signed in yet.", "Sign in with the tool that the server has for it.")
        }
        RetryKind::AfterHuman if is(codes::FILE_NOT_FOUND) => (
            "A file that the server itself needs is not there.",
            "Ask the operator to put it there; no argument of the call names it.",
        ),
        RetryKind::AfterHuman if is(codes::INVALID_PATH) => (
            "A path that the server itself uses cannot be used.",
            "Ask the operator to correct it; no argument of the call names it.",
        ),
        RetryKind::AfterHuman if is(codes::UNAUTHORIZED_ACTION) => (
            "This action is not allowed here until a person allows it.",
            "Ask the user or the operator to allow it.",
        ),
        RetryKind::AfterHuman if is(codes::UPSTREAM_UNAVAILABLE) => (
            "There is no safe connection to the server, or to a service behind it.",
            "Tell the user or the operator; waiting does not mend it.",
        ),
        _ => return None,
    })
}

/// What a program calls wrong is in the command, and not among the arguments of the tool.
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
            "Add what the protocol or the server's list asks for.",
        ),
        it if it == codes::INVALID_INPUT_TYPE.name() => (
            "A parameter has the wrong type.",
            "Send the type that the protocol or the server's list asks for.",
        ),
        it if it == codes::INVALID_INPUT_FORMAT.name() => (
            "A parameter is malformed and cannot be read.",
            "Write it as the protocol or the server's list asks for it.",
        ),
        it if it == codes::INVALID_INPUT_VALUE.name() => (
            "A parameter has a value that the server does not accept.",
            "Use a value that the protocol or the server's list allows.",
        ),
        _ => return None,
    })
}
