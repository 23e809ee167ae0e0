//! Logs of errors outside of any handler of errors, after which the function goes on.

use tree_sitter::Node;

use super::{Handling, record::Recorder, said::begins_as_an_error, words::is_logger};
use crate::tree::{MAX_PARTS, NodeKind, Trail};

/// Records a call that logs an error if the function goes on after it.
pub(super) fn look<'t>(it: &mut Recorder<'t>, call: Node<'t>, trail: &Trail<'t>) {
    if it.here.catch.is_some() || it.here.is_tidying || !tells_of_an_error(it.slice(call)) {
        return;
    }
    let mut around =
        trail.around().map(|it| it.node).skip_while(|it| it.kind() == "await_expression");
    let Some(statement) = around.next().filter(|it| it.kind() == "expression_statement") else {
        return;
    };
    let is_body = trail.around().skip_while(|it| it.node.id() != statement.id()).nth(2);
    let is_body = is_body.is_some_and(|it| it.kind == NodeKind::Function);
    if !leaves(it, statement, is_body) {
        it.record(call, Handling::Log);
    }
}

/// Whether a call writes to a log as an error, and its text begins as that of an error does.
fn tells_of_an_error(call: &str) -> bool {
    const LEVELS: [&str; 8] =
        ["error", "exception", "critical", "fatal", "logError", "log_error", "eprintln", "print"];
    const BEGINNINGS: [&str; 4] = ["could not ", "cannot ", "can't ", "unable to "];
    let Some((callee, given)) = call.split_once('(') else { return false };
    let level = callee.trim_end_matches('!').rsplit(['.', ':']).next().unwrap_or_default();
    let is_shown = level == "print" && !given.contains("stderr");
    if !LEVELS.contains(&level) || is_shown || !is_logger(call) {
        return false;
    }
    let Some(quote) = given.find(['"', '\'', '`']).filter(|it| *it <= 2) else { return false };
    let text = given.get(quote + 1..).unwrap_or_default();
    let begins = |it: &&str| text.get(..it.len()).is_some_and(|head| head.eq_ignore_ascii_case(it));
    begins_as_an_error(text) || BEGINNINGS.iter().any(begins)
}

/// Whether what follows in the same block leaves it. The end of a function always does; there what is returned counts.
fn leaves(it: &Recorder<'_>, statement: Node<'_>, is_body: bool) -> bool {
    let mut next = statement.next_named_sibling();
    for _ in 0..MAX_PARTS {
        let Some(after) = next else { return false };
        let text = it.slice(after);
        let is_last = after.next_named_sibling().is_none();
        match exit(after.kind(), text, is_last) {
            Some(Exit::Failing) => return true,
            Some(Exit::Plain) => return !is_body || names_a_failure(text),
            None => next = after.next_named_sibling(),
        }
    }
    true
}

/// How a statement leaves its block.
enum Exit {
    Failing,
    Plain,
}

fn exit(kind: &str, text: &str, is_last: bool) -> Option<Exit> {
    const FAILING: [&str; 9] = [
        "throw ",
        "raise",
        "bail!",
        "panic!",
        "process.exit",
        "sys.exit",
        "exit(",
        "std::process::exit",
        "return Err(",
    ];
    const PLAIN: [&str; 3] = ["return", "break", "continue"];
    // The value of a block of Rust is at its end.
    let is_value = is_last && (kind.ends_with("_expression") || kind == "macro_invocation");
    if FAILING.iter().any(|it| text.starts_with(it)) {
        Some(Exit::Failing)
    } else if is_value || PLAIN.iter().any(|it| text.starts_with(it)) {
        Some(Exit::Plain)
    } else {
        None
    }
}

fn names_a_failure(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["err", "fail", "fault", "reject"].iter().any(|it| text.contains(it))
}

#[cfg(test)]
mod tests {
    use super::tells_of_an_error;

    #[test]
    fn a_log_of_an_error_is_known_by_its_level_and_its_words() {
        for text in [
            "console.error(\"Error occurred\")",
            "logger.error(f'Failed to save {name}')",
            "tracing::error!(\"could not save\")",
            "print('Error: x', file=sys.stderr)",
        ] {
            assert!(tells_of_an_error(text), "{text}");
        }
        for text in [
            "console.error('Server is running on stdio')",
            "console.log('Error occurred')",
            "print('Error: x')",
            "showError('Error: x')",
            "console.error(error)",
        ] {
            assert!(!tells_of_an_error(text), "{text}");
        }
    }
}
