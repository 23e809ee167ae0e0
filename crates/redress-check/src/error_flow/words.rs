//! Names that tell what is done: logging, tidying up, running later.

/// Whether functions that are passed to a function of this name run later, without a waiting caller.
pub(super) fn only_later(callee: &str) -> bool {
    matches!(
        callee,
        "on" | "once"
            | "addListener"
            | "addEventListener"
            | "setTimeout"
            | "setInterval"
            | "setImmediate"
            | "nextTick"
            | "queueMicrotask"
            | "spawn"
            | "spawn_blocking"
            | "create_task"
            | "ensure_future"
            | "call_later"
            | "watch"
            | "setRequestHandler"
            | "setNotificationHandler"
            | "tool"
            | "registerTool"
            | "addTool"
            | "registerPrompt"
            | "prompt"
            | "resource"
            | "registerResource"
            | "addResource"
            | "addPrompt"
            | "use"
            | "get"
            | "post"
            | "listen"
            | "createServer"
            | "action"
            | "command"
            | "subscribe"
            | "onclose"
            | "onerror"
            | "finally"
    )
}

/// Whether a statement only closes, removes or releases something.
pub(super) fn is_cleanup(statement: &str) -> bool {
    const NAMES: [&str; 26] = [
        "close",
        "kill",
        "unlink",
        "rm",
        "dispose",
        "destroy",
        "terminate",
        "cleanup",
        "remove",
        "abort",
        "disconnect",
        "release",
        "unsubscribe",
        "end",
        "stop",
        "rollback",
        "shutdown",
        "quit",
        "detach",
        "unref",
        "revoke",
        "delete",
        "clear",
        "rmtree",
        "exit",
        "cancel",
    ];
    let called = statement.get(..floor(statement, 200)).unwrap_or(statement);
    let Some((callee, _)) = called.split_once('(') else { return false };
    let last = callee.rsplit(['.', ' ', ':', '?', '!']).next().unwrap_or(callee);
    NAMES.iter().any(|name| {
        last.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
            && last.get(name.len()..).is_some_and(|rest| {
                !rest.starts_with(|it: char| it.is_ascii_lowercase()) || rest.starts_with("Sync")
            })
    })
}

/// Whether a statement writes to a log, or to whatever represents one.
pub(super) fn is_logger(statement: &str) -> bool {
    let head = statement.get(..floor(statement, 120)).unwrap_or(statement);
    let callee = head
        .split('(')
        .next()
        .unwrap_or(head)
        .trim()
        .trim_start_matches("await ")
        .trim_end_matches('!');
    let mut parts = callee.split(['.', ':']).filter(|it| !it.is_empty());
    let first = parts.next().unwrap_or_default();
    let last = callee.rsplit(['.', ':']).next().unwrap_or(callee);
    let on_a_log = callee.split(['.', ':']).any(|it| {
        let it = it.to_ascii_lowercase();
        it.ends_with("log")
            || it.ends_with("logger")
            || it == "logging"
            || it == "tracing"
            || it == "console"
    });
    let is_level = matches!(
        last,
        "error"
            | "warn"
            | "warning"
            | "info"
            | "debug"
            | "trace"
            | "exception"
            | "critical"
            | "log"
            | "fatal"
            | "verbose"
    );
    (on_a_log && (is_level || last.to_ascii_lowercase().starts_with("log")))
        || matches!(
            first,
            "print" | "eprintln" | "println" | "eprint" | "log" | "logError" | "log_error"
        )
        || (head.contains('!') && is_level && !callee.contains('.'))
        || callee == "process.stderr.write"
        || callee == "sys.stderr.write"
}

/// Whether a JSON-RPC error says that the tool or the method is unknown.
pub(super) fn is_protocol(code: &str, message: &str) -> bool {
    let code = code.to_ascii_lowercase();
    let message = message.to_ascii_lowercase();
    code.contains("methodnotfound")
        || code.contains("method_not_found")
        || code.contains("urlelicitation")
        || code.contains("connectionclosed")
        || code.contains("client_capability")
        || message.contains("unknown method")
        || message.contains("not paginated")
        || (message.contains("tool")
            && ["unknown", "not found", "not registered", "no such tool"]
                .iter()
                .any(|it| message.contains(it)))
}

/// Whether the branch for all other codes refuses them, has no answer for them, or has the compiler prove that there are
/// none.
pub(super) fn refuses(branch: &str) -> bool {
    const WORDS: [&str; 12] = [
        "throw",
        "raise",
        ": never",
        "Never",
        "exhaust",
        "panic",
        "unreachable",
        "bail!",
        "Err(",
        "None",
        "null",
        "undefined",
    ];
    WORDS.iter().any(|it| branch.contains(it))
}

/// Whether a type of this name is what servers answer failures with.
pub(super) fn names_an_error_type(name: &str) -> bool {
    ["Error", "Fault", "Failure", "Retry", "JsonValue", "Envelope"]
        .iter()
        .any(|it| name.contains(it))
}

/// Whether a member of this name says when to try again.
pub(super) fn is_retry(name: &str) -> bool {
    matches!(name.trim_matches(['"', '\'']), "retry" | "retryable" | "isRetryable" | "is_retryable")
}

/// The greatest character boundary that is not above a length.
fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{is_cleanup, is_logger, refuses};

    #[test]
    fn closing_and_removing_is_tidying_up() {
        for text in [
            "await browser.close();",
            "fs.unlinkSync(tmp)",
            "proc.kill()",
            "await client?.disconnect()",
        ] {
            assert!(is_cleanup(text), "{text}");
        }
        for text in ["await save(file)", "closeness(x)", "return 1", "removal(x)"] {
            assert!(!is_cleanup(text), "{text}");
        }
    }

    #[test]
    fn a_log_is_known_by_its_name() {
        for text in [
            "console.error(`x`)",
            "logger.warn(e)",
            "logging.exception('x')",
            "eprintln!(\"x\")",
            "tracing::error!(?e)",
            "error!(\"x\")",
            "this.log.info(x)",
            "print(e)",
        ] {
            assert!(is_logger(text), "{text}");
        }
        for text in
            ["save(x)", "catalog.find(x)", "errors.push(e)", "dialog.open()", "printer.start()"]
        {
            assert!(!is_logger(text), "{text}");
        }
    }

    #[test]
    fn a_branch_that_throws_refuses() {
        assert!(
            refuses("default: throw new Error(x)") && refuses("default: return assertNever(x)")
        );
        assert!(refuses("_ => None,") && !refuses("default: return 500"));
    }
}
