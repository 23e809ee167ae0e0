//! Explains a server that could not be started or opened: most often its command or its address is wrong, which only the operator can
//! correct.

use redress::Fault;
use redress_registry::{Retry, RetryKind};

use super::{
    Context,
    interface::Exit,
    stray_output::{printed_output, with_stray_output},
};
use crate::exchange::{Exchange, Method};

/// What to do about a wrong command, and about a wrong address.
pub(super) const CHECK_COMMAND: &str =
    "Check the command and the environment of the server, or ask the operator to do it.";
pub(super) const CHECK_ADDRESS: &str =
    "Check the URL of the server in the configuration, or ask the operator to do it.";

/// What to do about a server that does not open the session in time.
pub(super) const CHECK_START: &str =
    "Check that this starts an MCP server, or ask the operator to allow it more time.";

/// What a line has that tells of a failure.
const TELLING: [&str; 14] = [
    "error",
    "exception",
    "fatal",
    "panic",
    "fail",
    "cannot",
    "can't",
    "could not",
    "unable to",
    "not found",
    "denied",
    "missing",
    "no such",
    "out of memory",
];

/// What it has that says which: something is not there, or may not be used.
const NAMING: [&str; 17] = [
    "not found",
    "no such",
    "not in this registry",
    "does not exist",
    "doesn't exist",
    "cannot find",
    "can't find",
    "could not find",
    "could not be found",
    "no module named",
    "no matching",
    "no solution found",
    "access denied",
    "permission denied",
    "not installed",
    "is not recognized",
    "unknown option",
];

/// What leads to a failure and is none: where the whole log is, what to read, what to run.
const ASIDES: [&str; 10] = [
    "complete log",
    "debug log",
    "full log",
    "more information",
    "further information",
    "for more details",
    "note that",
    "note: run with",
    "see 'docker",
    "_not_found'",
];

/// The line of a log that tells of a failure: the last one, and of a start that failed the last one that says what is missing. The
/// last line of many a log is a version, a frame of a stack, a prompt, or the place of the whole log.
pub(super) fn telling_line(log: &str, is_start: bool) -> Option<&str> {
    let lines = || log.lines().rev().map(str::trim).filter(|it| !it.is_empty());
    let named = || lines().filter(|_| is_start).find(|it| names_failure(it));
    let telling = || lines().find(|it| tells_failure(it));
    named().or_else(telling).or_else(|| last_but_chatter(log))
}

/// The last line of a log that is more than a note that all goes well. What is indented below such a note belongs to it.
fn last_but_chatter(log: &str) -> Option<&str> {
    const LEVELS: [&str; 3] = ["INFO", "DEBUG", "TRACE"];
    let mut is_chatter = false;
    let spoken = log.lines().filter(|line| {
        let has_level =
            line.split(|it: char| !it.is_ascii_alphabetic()).any(|it| LEVELS.contains(&it));
        is_chatter = has_level || is_chatter && line.starts_with([' ', '\t']);
        !is_chatter
    });
    spoken.map(str::trim).filter(|it| !it.is_empty()).last()
}

/// Whether a line of a log tells of a failure.
pub(super) fn tells_failure(line: &str) -> bool {
    has(line, &TELLING) && !is_aside(line)
}

/// Whether a line of a log says what is missing.
fn names_failure(line: &str) -> bool {
    has(line, &NAMING) && !is_aside(line)
}

fn is_aside(line: &str) -> bool {
    line.starts_with("at ") || has(line, &ASIDES)
}

fn has(line: &str, words: &[&str]) -> bool {
    let line = line.to_ascii_lowercase();
    words.iter().any(|it| line.contains(it))
}

/// Whether the session was to be opened, and the process has never said anything: it has not done anything either.
pub(super) fn is_unopened(cx: Context<'_>) -> bool {
    cx.handshake.is_begun() && !cx.handshake.is_done() && !cx.upstream.has_spoken
}

/// A program that ended before it opened the session: it will not do better the next time if it ended as it should, or says
/// what is not there.
pub(super) fn explain_failed_start(
    cx: Context<'_>,
    fault: &mut Fault,
    exchange: &Exchange,
    exit: &Exit,
) {
    fault.server_text = fault.server_text.take().or_else(|| printed_output(cx));
    fault.details = with_stray_output(cx, fault.details.take(), exchange);
    if exit.code == Some(0) {
        "The program ended without an answer: it is no MCP server, or had nothing to do."
            .clone_into(&mut fault.message);
        mend(fault, CHECK_COMMAND);
    } else if fault.server_text.as_deref().is_some_and(names_failure) {
        mend(fault, CHECK_COMMAND);
    }
}

/// Whether an exchange opens the session.
pub(super) fn opens(exchange: &Exchange) -> bool {
    exchange.request.method == Method::Initialize
}

/// Only a person can mend it, and this is where.
pub(super) fn mend(fault: &mut Fault, hint: &str) {
    fault.retry = Retry::of(RetryKind::AfterHuman);
    hint.clone_into(&mut fault.hint);
}

/// Whether an answer is a web page.
pub(super) fn is_page(answer: &[u8]) -> bool {
    let start = answer.trim_ascii_start();
    let starts_with =
        |it: &[u8]| start.get(..it.len()).is_some_and(|start| start.eq_ignore_ascii_case(it));
    starts_with(b"<!doctype html") || starts_with(b"<html")
}

#[cfg(test)]
mod tests {
    use super::{is_page, telling_line};

    #[test]
    fn the_line_that_says_what_is_missing_is_found() {
        let npm = "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/nope\n\
            npm error 404  'nope@*' is not in this registry.\nnpm error 404\n\
            npm error 404 Note that you can also install from a tarball\n\
            npm error A complete log of this run can be found in: /root/.npm/_logs/x.log\n";
        let pip = "ERROR: Could not find a version that satisfies the requirement nope (from versions: none)\n\
            ERROR: No matching distribution found for nope\n[notice] A new release of pip is available\n";
        let uvx = "  × No solution found when resolving tool dependencies:\n\
            ╰─▶ Because nope was not found in the package registry and you require\n      nope, we can conclude it\n";
        let docker = "Unable to find image 'nope:latest' locally\ndocker: Error response from daemon: pull access denied \
            for nope, repository does not exist\nSee 'docker run --help'.\n";
        let cargo = "error: could not find `nope` in registry `crates-io` with version `*`\n";
        let node = "Error: Cannot find module '/w/x.js'\n    at Module._load (x.js:1:1)\n  code: 'MODULE_NOT_FOUND',\n}\n\nNode.js v22\n";
        let compiler = "error[E0425]: cannot find value `x` in this scope\nerror: could not compile `y` due to 1 previous error\n";
        for (log, line) in [
            (npm, "npm error 404  'nope@*' is not in this registry."),
            (pip, "ERROR: No matching distribution found for nope"),
            (uvx, "╰─▶ Because nope was not found in the package registry and you require"),
            (
                docker,
                "docker: Error response from daemon: pull access denied for nope, repository does not exist",
            ),
            (cargo, cargo.trim()),
            (node, "Error: Cannot find module '/w/x.js'"),
            (compiler, "error[E0425]: cannot find value `x` in this scope"),
            ("starting\nready\n", "ready"),
        ] {
            assert_eq!(telling_line(log, true), Some(line));
        }
        let at_work = "user 7 not found\nTypeError: boom\nversion 3\n";
        assert_eq!(telling_line(at_work, false), Some("TypeError: boom"));
        assert_eq!(telling_line("\n", true), None);
        let rich = "[11/18/26 05:00:00] INFO     Processing request of type   server.py:720\n                             CallToolRequest\n";
        assert_eq!(telling_line(rich, false), None, "it says nothing of an end");
        let more = format!("bye\n{rich}");
        assert_eq!(telling_line(&more, false), Some("bye"));
    }

    #[test]
    fn a_page_is_one_however_it_is_spelt() {
        assert!(is_page(b"\n<!DOCTYPE HTML><html>") && is_page(b"<HTML lang=en>"));
        assert!(!is_page(b"{\"a\":\"<html>\"}") && !is_page(b""));
    }
}
