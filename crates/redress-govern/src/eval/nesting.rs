//! How deep a payload nests, counted before anything parses it.

use super::{MAX_NESTING, Refusal};

/// Refuses more than [`MAX_NESTING`] open brackets. Brackets in texts count too: a payload that needs so many is none.
pub(super) fn check(code: &str) -> Result<(), Refusal> {
    let (mut depth, mut line, mut column) = (0_usize, 1, 0);
    for c in code.chars() {
        (line, column) = if c == '\n' { (line + 1, 0) } else { (line, column + 1) };
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(Refusal::Syntax { line, column, reason: "is nested too deep" });
        }
    }
    Ok(())
}
