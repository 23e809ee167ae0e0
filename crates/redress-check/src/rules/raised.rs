//! Rules about errors without a code that leave a tool, and about what stops it.

use redress_registry::{
    Level,
    rule::{Grade, Rule},
};

use crate::{
    error_flow::{Handling, Registration, Stop},
    exposure::Behind,
    language::Language,
    project::Project,
    rule::{Check, Hits, page},
    subject::Subject,
};

const RAW_ERROR: Rule = Rule {
    id: "CK007",
    name: "raw-error",
    grade: Grade::Level(Level::Violation),
    summary: "An error without a code reaches a tool boundary.",
    why: "The model gets a sentence and the client nothing to decide by: neither a code, nor whether to try again.",
    how_to_fix: "Raise a registered code, or convert the error before it leaves the tool.",
};

const RPC_ERROR: Rule = Rule {
    id: "CK407",
    name: "protocol-error",
    grade: Grade::Level(Level::Violation),
    summary: "A tool answers a failure that the caller could mend with a JSON-RPC error.",
    why: "Clients show a JSON-RPC error to nobody, or end the call with it, so the model repeats the same mistake.",
    how_to_fix: "Answer with a result that has isError and a card; JSON-RPC errors are for unknown tools and broken requests.",
};

const STOPPED: Rule = Rule {
    id: "CK905",
    name: "stopped-tool",
    grade: Grade::Level(Level::Violation),
    summary: "A tool panics, asserts or ends the process.",
    why: "The caller gets no answer, or loses the server with all its other calls.",
    how_to_fix: "Return the failure as an error with a code.",
};

const THROWN_VALUE: Rule = Rule {
    id: "CK409",
    name: "thrown-value",
    grade: Grade::Level(Level::Violation),
    summary: "A tool throws a plain value, and nothing around it makes an answer of that.",
    why: "The SDK answers with the text of what was thrown: [object Object] in JavaScript, a TypeError in Python. Code, message and hint are lost.",
    how_to_fix: "Return the result that is made of the fault, throw an error class, or wrap the handler in what turns faults into results.",
};

pub(super) const CHECKS: &[Check] = &[
    Check { rule: &RAW_ERROR, page: page!("CK007"), looks_at: Subject::Tools, run: raw_errors },
    Check { rule: &RPC_ERROR, page: page!("CK407"), looks_at: Subject::Tools, run: rpc_errors },
    Check {
        rule: &THROWN_VALUE,
        page: page!("CK409"),
        looks_at: Subject::Tools,
        run: thrown_values,
    },
    Check { rule: &STOPPED, page: page!("CK905"), looks_at: Subject::Tools, run: stops },
];

/// The tool as messages name it.
pub(super) fn tool(behind: &Behind<'_>) -> String {
    match (&*behind.boundary.name, behind.boundary.registration) {
        ("", Registration::All) => "every tool".to_owned(),
        ("", _) => "a tool".to_owned(),
        (name, _) => format!("the tool {name}"),
    }
}

fn raw_errors(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow, site) in project.error_sites() {
        let Handling::Raise { kind } = &site.what else { continue };
        if !error_flow.lets_out(site.within.function) {
            continue;
        }
        let Some(behind) = project.exposure.through((file, error_flow), site, kind) else {
            continue;
        };
        let parts = [("kind", said(kind).into()), ("tool", tool(behind).into())];
        hits.at((file, &site.span), "{kind} without a code leaves {tool}.", parts);
    }
}

fn said(kind: &str) -> String {
    if kind == "string" { "A text".to_owned() } else { kind.to_owned() }
}

fn rpc_errors(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow, site) in project.error_sites() {
        let Handling::Rpc { code, is_protocol: false } = &site.what else { continue };
        let Some(behind) = project.exposure.through((file, error_flow), site, "McpError") else {
            continue;
        };
        // The server classes of these two turn it into a result, though one with nothing but prose.
        let is_turned = behind.boundary.registration != Registration::All
            || project.language(file) == Language::Python;
        let hit = hits.at(
            (file, &site.span),
            "A JSON-RPC error ({code}) leaves {tool}.",
            [("code", shown(code).into()), ("tool", tool(behind).into())],
        );
        hit.finding.code = None;
        if is_turned && project.language(file) != Language::Rust {
            hit.weigh(Level::Improvement);
        }
    }
}

fn thrown_values(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow, site) in project.error_sites() {
        let Handling::Value(callee) = &site.what else { continue };
        if !callee.is_empty() && !project.makes_value(file, callee) {
            continue;
        }
        let Some(behind) = project.exposure.through((file, error_flow), site, "object") else {
            continue;
        };
        let what = if callee.is_empty() { "An object" } else { "A fault that is a plain value" };
        let parts = [("what", what.into()), ("tool", tool(behind).into())];
        hits.at((file, &site.span), "{what} is thrown out of {tool}.", parts);
    }
}

fn shown(code: &str) -> &str {
    let last = code.rsplit(['.', ':']).next().unwrap_or(code);
    if last.is_empty() { "without a known code" } else { last }
}

fn stops(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow, site) in project.error_sites() {
        let Handling::Stop(stop, name) = &site.what else { continue };
        let behind = match stop {
            Stop::Assert if project.language(file) != Language::Rust => {
                project.exposure.through((file, error_flow), site, "AssertionError")
            }
            _ => project.exposure.behind(file, &site.within),
        };
        let Some(behind) = behind else { continue };
        let what = match stop {
            Stop::Exit => "ends the process",
            Stop::Panic => "panics",
            Stop::Unwrap => "panics on a failure",
            Stop::Assert => "fails without a code",
        };
        let hit = hits.at(
            (file, &site.span),
            "{name} {what}, and with it {tool}.",
            [("name", (&**name).into()), ("what", what.into()), ("tool", tool(behind).into())],
        );
        let is_certain = matches!(stop, Stop::Exit | Stop::Panic);
        if *stop == Stop::Assert || (!is_certain && behind.depth > 0) {
            hit.weigh(Level::Improvement);
        }
    }
}
