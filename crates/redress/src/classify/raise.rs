//! From a finding to its fault: the row's own words, the request's values, and the server's text apart.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{
    Class, Effect, Entry, Param, Registry, nearest::nearest_n, plugin, shipped,
};

use super::{
    Failure, details,
    evidence::{Evidence, Said},
    leaks,
    message::without_wrapper,
    paths, say,
    stated::statements,
    tier::{Finding, Source, Tier},
    wait, work,
};
use crate::{
    Fault, Stated, codes,
    fault::{Cause, NextAction, Origin, ParamValue, Similar, Violation},
    outcome::What,
    text,
};
use redress_wire::is_method;
use redress_wire::json::{Kind, RawJson, Value};

/// The most tools that may have been meant.
const MOST_SIMILAR: usize = 3;
/// The longest stack that is kept, in characters.
const MOST_STACK: usize = 32 << 10;
/// How much of a log is kept for the operator, in bytes.
const MOST_LOG: usize = 4 << 10;

pub(super) fn raise(
    evidence: &Evidence<'_>,
    finding: Finding<'_>,
    sign: Option<&'static str>,
    certain: bool,
) -> Failure {
    let (asked, said) = (evidence.asked, evidence.said);
    let worded = || wait::find(&evidence.message.text).filter(|_| finding.tier != Tier::Stated);
    let waits = Stated::of_wait(said.waits.or_else(worded));
    let stated = said.stated.and(waits).and(statements::stated(evidence.outcome));
    let waits = stated.waits();
    let entry = &row(evidence.registry, &finding.code);
    let mut fault = Fault::raise(entry, params(evidence, entry, &finding, waits));
    fault.violations.clone_from(&finding.violations);
    fault.violations.extend(unfound(evidence, entry, &finding));
    fault.similar_refs = similar_tools(evidence, entry);
    say::fitting(&mut fault, &finding, evidence);
    if let Some(kind) = finding.retry.filter(|it| *it != fault.retry.kind) {
        fault.retry = redress_registry::Retry::of(kind);
    }
    fault.effect = finding.effect.unwrap_or(fault.effect);
    let begun = work::may_have_begun(evidence, finding.tier);
    if fault.effect == Effect::None && begun {
        fault.effect = Effect::Unknown;
    }
    if is_read(evidence) && finding.tier >= Tier::Format {
        fault.effect = entry.effect;
    }
    if asked.traits.harmless() {
        fault.nothing_changed();
    }
    stated.limit(&mut fault);
    say::hint_fitting(&mut fault);
    fault.next_actions.extend(next_step(evidence, entry));
    fault.origin = origin(evidence, entry);
    fault.basis = Some(finding.tier.basis());
    // A client that could make the same call again has to know that nothing proves its effect.
    let is_guess = finding.tier >= Tier::Format
        && finding.effect != Some(Effect::None)
        && fault.retryable()
        && !asked.traits.harmless();
    fault.details = details::details(fault.details.take(), said, is_guess);
    fault.context.tool = asked.tool.as_deref().map(str::to_owned);
    fault.elapsed_ms = evidence.outcome.elapsed_ms;
    let text = said.text.trim();
    let leaks = leaks::find(text, asked.request.map_or("", Value::raw));
    fault.server_text = Some(details::quoted(without_wrapper(text))).filter(|it| !it.is_empty());
    fault.private.stack = stack(said);
    let rule = match sign {
        Some(sign) => format!("{sign}+{}", finding.rule),
        None => finding.rule.into_owned(),
    };
    fault.private.rule = Some(rule.clone());
    let silent = evidence.source == Source::Silent;
    let is_opaque = evidence.message.is_opaque && evidence.source.is_answer();
    if is_opaque && let Some(log) = evidence.outcome.stderr_tail.as_deref() {
        // What the server kept to itself is for its operator.
        fault.private.hide_cause(Cause::Text(last_lines(log, MOST_LOG)));
    }
    let is_of_validator = finding.is_of_validator;
    let (tier, rule) = (finding.tier, rule.into());
    Failure { silent, certain, tier, rule, is_of_validator, is_opaque, begun, leaks, fault }
}

/// The last lines of a log, without the space around each: logs in boxes are mostly that.
fn last_lines(log: &str, most: usize) -> String {
    let lines = log.lines().rev().map(str::trim).filter(|it| !it.is_empty());
    let mut bytes = 0;
    let fits = |line: &&str| {
        bytes += line.len() + 1;
        bytes <= most
    };
    let mut kept: Vec<&str> = lines.take_while(fits).collect();
    kept.reverse();
    kept.join("\n")
}

/// Whether the method itself only reads: those of the protocol do, but for calls of tools and what becomes of them.
fn is_read(evidence: &Evidence<'_>) -> bool {
    let method = evidence.asked.method.as_deref();
    method.is_some_and(|it| is_method(it) && it != "tools/call" && !it.starts_with("tasks/"))
}

/// The row of a code in the server's contract, else in `core`, else that of an unregistered plugin code.
fn row(registry: &Registry, code: &str) -> Arc<Entry> {
    let known = registry.get(code).or_else(|| shipped::core().get(code)).map(Arc::clone);
    known
        .or_else(|| plugin::unregistered(code))
        .unwrap_or_else(|| Arc::clone(codes::UNKNOWN_TOOL_FAILURE.entry()))
}

fn origin(evidence: &Evidence<'_>, entry: &Entry) -> Origin {
    match evidence.source {
        Source::Refusal => Origin::Gate,
        _ if evidence.is_malformed() || evidence.request.is_unknown_method => Origin::Client,
        // A tool that does not exist says nothing.
        Source::Tool | Source::Silent if !is_unknown_tool(entry) => Origin::Tool,
        _ => Origin::Server,
    }
}

fn is_unknown_tool(entry: &Entry) -> bool {
    *entry.code == *codes::UNKNOWN_TOOL.name()
}

/// The tools of the server that may have been meant.
fn similar_tools(evidence: &Evidence<'_>, entry: &Entry) -> Vec<Similar> {
    let asked = evidence.asked;
    let (Some(tool), Some(known)) = (asked.tool.as_deref(), asked.known_tools) else {
        return Vec::new();
    };
    if !is_unknown_tool(entry) {
        return Vec::new();
    }
    let others = known.iter().map(String::as_str).filter(|it| *it != tool);
    nearest_n(tool, others, MOST_SIMILAR).into_iter().map(Similar::new).collect()
}

/// The tool that makes the folder that is missing, where the server has one of the usual name.
fn next_step(evidence: &Evidence<'_>, entry: &Entry) -> Option<NextAction> {
    let is_missing = *entry.code == *codes::PATH_NOT_FOUND.name() && evidence.request.deeds.writes;
    let known = evidence.asked.known_tools.filter(|_| is_missing)?;
    let tool = known.iter().find(|it| *it == "create_directory" || *it == "mkdir")?.clone();
    Some(NextAction::Call { tool, args: None })
}

/// The argument that was looked up and not found, where the row is about one and nothing else is wrong.
fn unfound(evidence: &Evidence<'_>, entry: &Entry, finding: &Finding<'_>) -> Option<Violation> {
    let is_path = entry.similar.as_deref() == Some("path");
    if !is_path || !finding.violations.is_empty() || evidence.request.given.is_none() {
        return None;
    }
    let argument = path_argument(evidence, entry)?;
    Some(Violation::new(&argument.place, "not_found", None))
}

/// The argument whose path a failure is about. What is refused may lead elsewhere, so that the text names where it leads to.
fn path_argument<'e>(
    evidence: &Evidence<'e>,
    entry: &Entry,
) -> Option<&'e super::request::Argument<'e>> {
    let arguments = &evidence.request.arguments;
    let found = paths::about(arguments, &evidence.said.text);
    let is_refusal = entry.class == Class::PermissionDenied;
    let mut all = arguments.iter().filter(|it| it.is_path());
    let only = || all.next().filter(|_| is_refusal && all.next().is_none());
    let is_of_program = |it: &&super::request::Argument<'_>| {
        !evidence.request.hands_over_program || evidence.said.text.contains(&*it.value)
    };
    found.or_else(only).filter(is_of_program)
}

/// What the server's envelope says of a parameter, where it cannot speak through it: a number, a flag, one of the row's own
/// words, a value of the request. Other texts count only of a trusted server.
fn told(evidence: &Evidence<'_>, param: &Param) -> Option<ParamValue> {
    evidence.said.told?.with(|it| {
        let value = it.get(&param.name)?;
        let text = match value.kind() {
            Kind::Number | Kind::Bool => return Some(RawJson::from(value).into()),
            _ => value.as_str()?,
        };
        let known = param.values.iter().any(|it| **it == *text)
            || evidence.request.arguments.iter().any(|it| it.value == text);
        (known || evidence.asked.trust).then(|| ParamValue::from(details::quoted(&text)))
    })?
}

/// The values that the row declares and the request, the outcome or the server's envelope has; never the server's words, but
/// for what a taught row captures.
fn params(
    evidence: &Evidence<'_>,
    entry: &Entry,
    finding: &Finding<'_>,
    waits: Option<u64>,
) -> Vec<(Box<str>, ParamValue)> {
    let (asked, said) = (evidence.asked, evidence.said);
    let (exit, signal) = match &evidence.outcome.what {
        What::Exited { code, signal } => (*code, signal.as_deref()),
        _ => (None, None),
    };
    let waited = match evidence.outcome.what {
        What::Deadline { waited_ms } => Some(waited_ms),
        _ => None,
    };
    let under = |names: &[&str]| {
        let argument = evidence.request.arguments.iter().find(|it| names.contains(&&*it.key));
        argument.map(|it| ParamValue::from(&*it.value))
    };
    let captured = |name: &str| {
        let value = finding.captures.iter().find(|it| it.0 == name);
        value.map(|it| ParamValue::from(details::quoted(&it.1)))
    };
    let seen = |name: &str| match name {
        "tool" => asked.tool.as_deref().map(ParamValue::from),
        "method" => asked.method.as_deref().map(ParamValue::from),
        "timeout_ms" => waited.map(ParamValue::from),
        "exit_code" => exit.map(ParamValue::from),
        "signal" => signal.map(ParamValue::from),
        "status" => said.http.map(ParamValue::from),
        "retry_after_ms" => waits.map(ParamValue::from),
        "field" => finding.violations.first().map(|it| ParamValue::from(it.pointer())),
        _ => None,
    };
    let guessed = |name: &str| match name {
        "path" => finding.path.as_deref().map(ParamValue::from).or_else(|| {
            Some(ParamValue::from(paths::local(&path_argument(evidence, entry)?.value)))
        }),
        "query" => under(&["query", "sql", "statement", "q"]),
        "session_id" => under(&["session_id", "sessionId", "session"]),
        _ => None,
    };
    let all = entry.params.iter().filter_map(|it| {
        let name = &*it.name;
        let value = captured(name).or_else(|| seen(name)).or_else(|| told(evidence, it));
        Some((it.name.clone(), value.or_else(|| guessed(name))?))
    });
    all.collect()
}

/// The stack that it shows: its text, or a text of the JSON that it is or that came with it.
fn stack(said: &Said<'_>) -> Option<String> {
    let text = said.text.trim();
    let document = text.starts_with(['{', '[']).then(|| RawJson::parse(text.as_bytes()).ok());
    let stack = match document.flatten() {
        Some(document) => document.with(stack_in)?,
        None => text::has_frames(text).then(|| text.to_owned()),
    };
    stack.or_else(|| said.data.and_then(stack_in)).map(|it| it.chars().take(MOST_STACK).collect())
}

/// The first text of a document that has frames of a stack. Documents nest at most 64 deep.
fn stack_in(value: Value<'_>) -> Option<String> {
    match value.kind() {
        Kind::Object => value.members().find_map(|it| stack_in(it.1)),
        Kind::Array => value.elements().find_map(stack_in),
        Kind::String => value.as_str().filter(|it| text::has_frames(it)).map(Cow::into_owned),
        Kind::Number | Kind::Bool | Kind::Null => None,
    }
}
