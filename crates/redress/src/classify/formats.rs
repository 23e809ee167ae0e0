//! Tier four: the forms in which validators, runtimes, databases and programs report. A producer has a file of its own: rows of
//! fixed phrases, and where a form has places or values in it, a parser.

mod environment;
pub(super) mod errno;
mod grpc;
pub(super) mod places;
mod pydantic;
mod schema;
mod sql_state;
pub(super) mod status;
mod zod;

use std::ops::Range;

use places::{MALFORMED, MISSING, NOT_ALLOWED, Places, UNKNOWN, WRONG_TYPE};
use pydantic::Model;
use redress_registry::{Effect, RetryKind};

use super::{
    evidence::Evidence,
    message::has_stack,
    paths,
    table::{Match, Row},
    tables::TABLES,
    tier::{Finding, Tier},
};
use crate::{codes, fault::Violation};

/// Declares the producers, each with its rows. The first row that holds wins.
macro_rules! producers {
    ($($name:literal)+) => {
        /// The name of every producer, and its rows.
        pub(super) const PRODUCERS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("formats/", $name, ".rules"))),)+];
    };
}

producers! {
    "mcp" "zod" "pydantic" "schema" "serde" "python" "program" "git" "npm" "payment" "refusal" "sql" "stores" "cloud" "network" "errno"
    "browser" "json" "exceptions"
}

/// A longer text is no message of a validator.
const LONGEST_VALIDATION: usize = 16 << 10;
/// Who checks arguments.
const VALIDATORS: [&str; 5] = ["zod", "pydantic", "schema", "serde", "python"];
/// What tells that a program ran.
const RAN: [&str; 6] = [
    "exit code",
    "exit status",
    "exited with",
    "command failed",
    "returned non zero",
    "panicked at",
];

/// How an interpreter names code that is in no file.
const UNNAMED_CODE: [&str; 3] = ["File \"<string>\"", "File \"<stdin>\"", "[eval]:"];

/// What a known form says of a failure.
pub(super) fn read<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let message = evidence.message;
    environment::read(evidence)
        .or_else(|| sql_state::read(evidence))
        .or_else(|| grpc::read(evidence))
        .or_else(|| in_table(evidence, &message.own()))
        .or_else(|| in_table(evidence, &message.all()))
        .or_else(|| of_status(evidence, false))
        .or_else(|| of_stack(evidence))
}

/// A status in the text that many failures share: it counts if no words do.
pub(super) fn vague<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    of_status(evidence, true)
}

fn of_status<'e>(evidence: &Evidence<'e>, is_vague: bool) -> Option<Finding<'e>> {
    let status = status::find(&evidence.message.text)?;
    // Of a page at an address of the call, a status says all.
    let has_address = evidence.request.arguments.iter().any(|it| it.value.contains("://"));
    if (status::is_vague(status) && !has_address) != is_vague {
        return None;
    }
    let (code, mut retry) = status::code(status)?;
    if has_address && matches!(status, 400..=499) && status != 429 {
        retry = Some(RetryKind::AfterChange);
    }
    if has_address && status >= 500 {
        retry = Some(RetryKind::AfterDelay);
    }
    let producer = if has_address { "page" } else { "status" };
    let rule = format!("{producer}: {status}");
    let finding = Finding::new(Tier::Format, rule, code.name()).effect(Effect::Unknown);
    Some(Finding { retry, ..finding })
}

/// An unknown exception, of code that the caller handed over.
fn of_stack<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let is_theirs = evidence.request.hands_over_program && has_stack(&evidence.said.text);
    is_theirs.then(|| {
        let code = codes::INVALID_INPUT_VALUE.name();
        let finding = Finding::new(Tier::Format, "exceptions: stack", code);
        finding.effect(Effect::Unknown)
    })
}

fn in_table<'e>(evidence: &Evidence<'e>, window: &Range<usize>) -> Option<Finding<'e>> {
    // What could not be started is in the words of the program that tried.
    let of_row = |row: &Row| match row.producer {
        "program" => evidence.message.all(),
        _ => window.clone(),
    };
    let found = TABLES.formats.first(&evidence.hits, of_row, |guard| guard(evidence))?;
    let row = found.row;
    if VALIDATORS.contains(&row.producer) {
        return Some(checked(evidence, &found));
    }
    let mut finding = Finding::new(Tier::Format, found.rule, &*row.head);
    finding.retry = row.retry;
    let is_before = row.is_before || is_absent_target(evidence, row);
    finding.effect = Some(if is_before { Effect::None } else { Effect::Unknown });
    if row.producer == "json" {
        let bad = evidence.request.arguments.iter().filter(|it| it.is_bad_json());
        finding.violations =
            bad.take(places::MOST).map(|it| Violation::new(&it.place, MALFORMED, None)).collect();
    }
    if *row.head == *codes::PATH_NOT_FOUND.name() {
        finding.path = missing_folder(evidence);
    }
    if row.producer == "exceptions" && evidence.request.hands_over_code {
        finding.blames_program = true;
    }
    Some(finding)
}

/// Whether the system refused to open the very path that the call names, for a tool that does not change things by its name: what
/// is not there was not worked on.
fn is_absent_target(evidence: &Evidence<'_>, row: &Row) -> bool {
    let deeds = evidence.request.deeds;
    row.producer == "errno"
        && *row.head == *codes::FILE_NOT_FOUND.name()
        && !(deeds.acts || deeds.writes || deeds.runs)
        && paths::about(&evidence.request.arguments, &evidence.said.text)
            .is_some_and(|it| evidence.said.text.contains(&*it.value))
}

/// The folder that is missing: the one on the way to the path of the call that the text names, else the one that a file is made in.
fn missing_folder(evidence: &Evidence<'_>) -> Option<String> {
    let text = &*evidence.said.text;
    let path = &paths::about(&evidence.request.arguments, text)?.value;
    let mut above = std::iter::successors(paths::parent(path), |it| paths::parent(it));
    let named = above.find(|it| it.len() > 2 && text.contains(*it) && !text.contains(&**path));
    let made_in = || paths::parent(path).filter(|_| evidence.request.deeds.writes);
    named.or_else(made_in).map(str::to_owned)
}

/// A failure of the program that the caller handed over is theirs to mend, and not one of the call.
pub(super) fn of_program<'e>(evidence: &Evidence<'e>, finding: Finding<'e>) -> Finding<'e> {
    let is_theirs =
        finding.effect != Some(Effect::None) && (finding.blames_program || is_of_program(evidence));
    if is_theirs { blame(evidence, finding) } else { finding }
}

/// Whether a failure is one of the program that the caller handed over, and not of the call.
fn is_of_program(evidence: &Evidence<'_>) -> bool {
    let text = &evidence.message.text;
    let ran = || {
        has_stack(&evidence.said.text)
            || UNNAMED_CODE.iter().any(|it| evidence.said.text.contains(it))
            || RAN.iter().any(|it| text.contains(it))
            || evidence.request.programs().any(|it| signs(&it.value, &evidence.said.text))
    };
    evidence.request.hands_over_program && ran()
}

/// Whether a text is signed by a program of the command: `ls: …`, `npm ERR! …`.
fn signs(command: &str, text: &str) -> bool {
    let parts = command.split([';', '|', '&', '\n', '(']);
    let names = parts.filter_map(|it| it.split_whitespace().next()?.rsplit('/').next());
    names.filter(|it| it.len() >= 2 && it.starts_with(char::is_alphabetic)).any(|name| {
        text.lines().any(|line| {
            let after =
                line.trim_start().strip_prefix("Error: ").unwrap_or(line).strip_prefix(name);
            after.is_some_and(|it| [":", " ERR!", " error"].iter().any(|sign| it.starts_with(sign)))
        })
    })
}

/// Makes a failure one of the caller's own program: its options are no arguments, its defects are not the server's.
fn blame<'e>(evidence: &Evidence<'e>, mut finding: Finding<'e>) -> Finding<'e> {
    let theirs = [codes::INTERNAL_ERROR, codes::MISSING_REQUIRED_FIELD, codes::INVALID_INPUT_TYPE];
    if theirs.iter().any(|it| *finding.code == *it.name()) {
        finding.code = codes::INVALID_INPUT_VALUE.name().into();
    }
    finding.retry = finding.retry.filter(|_| theirs.iter().all(|it| *finding.code != *it.name()));
    if *finding.code == *codes::INVALID_INPUT_VALUE.name() {
        finding.retry = None;
    }
    finding.blames_program = true;
    finding.effect = Some(Effect::Unknown);
    let reason = match &*finding.code {
        it if it == codes::INVALID_INPUT_VALUE.name() => NOT_ALLOWED,
        it if it == codes::INVALID_INPUT_FORMAT.name() => MALFORMED,
        _ => return finding,
    };
    let program = evidence.request.programs().next();
    finding.violations =
        program.map(|it| Violation::new(&it.place, reason, None)).into_iter().collect();
    finding
}

/// A validator's finding. That nothing was changed is proved only where it was the call that was checked, before the tool saw it.
fn checked<'e>(evidence: &Evidence<'e>, found: &Match<'static>) -> Finding<'e> {
    let row = found.row;
    let reason = match &*row.head {
        it if it == codes::MISSING_REQUIRED_FIELD.name() => MISSING,
        it if it == codes::INVALID_INPUT_TYPE.name() => WRONG_TYPE,
        it if it == codes::INVALID_INPUT_FORMAT.name() => MALFORMED,
        _ if row.is_name => UNKNOWN,
        _ => NOT_ALLOWED,
    };
    let text = &*evidence.said.text;
    let mut places = Places::new(evidence.request, reason);
    let model = pydantic::model(text).filter(|_| row.producer == "pydantic");
    if text.len() <= LONGEST_VALIDATION {
        match row.producer {
            "zod" => zod::places(&mut places, text),
            "pydantic" => pydantic::places(&mut places, text),
            _ => schema::places(&mut places, text),
        }
    }
    let is_before = evidence.message.is_checked
        || evidence.said.rpc() == Some(-32602)
        || model == Some(Model::Arguments)
        || row.producer == "python" && evidence.message.names_tool;
    let finding = |code: &'static str| Finding::new(Tier::Format, found.rule, code);
    if !is_before && is_of_program(evidence) {
        return finding(codes::INVALID_INPUT_VALUE.name()).effect(Effect::Unknown);
    }
    if !is_before && model == Some(Model::Settings) {
        return finding(codes::CONFIG_INVALID.name()).effect(Effect::Unknown);
    }
    if !is_before && places.is_elsewhere {
        return finding(codes::UPSTREAM_PROTOCOL_ERROR.name()).effect(Effect::Unknown);
    }
    let is_proof = is_before || places.is_given();
    let is_missing = |it: &Violation| it.reason().as_deref() == Some(MISSING);
    let all_missing = !places.found.is_empty() && places.found.iter().all(is_missing);
    let code = if all_missing { codes::MISSING_REQUIRED_FIELD.name() } else { &*row.head };
    Finding {
        violations: places.found,
        is_of_validator: is_proof,
        misnamed: row.is_name && !all_missing,
        ..finding(code).effect(if is_proof { Effect::None } else { Effect::Unknown })
    }
}
