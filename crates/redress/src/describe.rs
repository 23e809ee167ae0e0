//! The line about a tool's errors in its description: each code with what to do, so that a model knows before it calls.

use redress_registry::{Entry, Registry, RetryKind, Tool, shipped};

/// A tool's description with the line about its errors; `None` if it stays as it is.
pub fn describe(description: &str, tool: &Tool, registry: &Registry) -> Option<String> {
    let line = line(tool, registry)?;
    if description.lines().any(|it| it == line) {
        return None;
    }
    let gap = if description.is_empty() { "" } else { "\n" };
    Some(format!("{description}{gap}{line}"))
}

/// More codes than this are counted, not named.
const MOST: usize = 8;

/// The line, if the tool declares codes.
fn line(tool: &Tool, registry: &Registry) -> Option<String> {
    let row = |code: &String| registry.get(code).or_else(|| shipped::core().get(code));
    let rows: Vec<_> = tool.may.iter().filter_map(row).collect();
    let named: Vec<_> =
        rows.iter().take(MOST).map(|it| format!("{} ({})", it.code, action(it))).collect();
    let more = match rows.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", {more} more"),
    };
    (!named.is_empty()).then(|| format!("Errors: {}{more}.", named.join(", ")))
}

/// What a caller does about a code, in two or three words.
fn action(row: &Entry) -> String {
    match row.retry.kind {
        RetryKind::Now => "retry".to_owned(),
        RetryKind::AfterDelay => "retry later".to_owned(),
        RetryKind::AfterChange => {
            format!("change {}", row.similar.as_deref().unwrap_or("arguments"))
        }
        RetryKind::AfterState => match row.next.first() {
            Some(step) => format!("call {} first", step.tool),
            None => "change the state first".to_owned(),
        },
        RetryKind::AfterHuman => "ask a person".to_owned(),
        RetryKind::Never => "do not retry".to_owned(),
    }
}
