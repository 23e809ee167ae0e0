//! Codes in the texts of errors: `NOTE_NOT_FOUND: There is no note a.` names its code before the colon.

use redress_registry::name::is_code;
use tree_sitter::Node;

use crate::{
    facts::{Position, Value},
    position::{is_of_error, position},
    scan::Scan,
    span::{Span, span},
    tree::Trail,
};

/// Keeps the code that the text of an error begins with; false if there is none.
pub(crate) fn enter<'t>(scan: &mut Scan<'t>, node: Node<'t>, trail: &Trail<'t>) -> bool {
    let Some((code, at)) = first_word(scan.slice(node), node.start_byte()) else { return false };
    if !is_of_error(scan, trail) {
        return false;
    }
    // What a person reads may begin with the name of a variable, too; what a model gets begins with a code.
    let position = match position(scan, trail) {
        Some(Position::Member { key, .. }) if &*key == "text" => {
            Position::Member { key: "code".into(), of_error: true }
        }
        _ => Position::Loose,
    };
    scan.mention(Value::Text(code.into()), at, position);
    true
}

/// The code before the first colon of a literal.
fn first_word(literal: &str, start: usize) -> Option<(&str, Span)> {
    const LONGEST: usize = 80;
    let mut end = literal.len().min(LONGEST);
    while !literal.is_char_boundary(end) {
        end -= 1;
    }
    let (before, _) = literal.get(..end)?.split_once(": ")?;
    let from = before.rfind(['"', '\'', '`'])? + 1;
    let code = before.get(from..)?;
    let is_said = is_code(code) && code.contains('_');
    is_said.then(|| (code, span(start + from..start + before.len())))
}

#[cfg(test)]
mod tests {
    use super::first_word;

    #[test]
    fn a_code_before_a_colon_is_the_code_of_a_text() {
        let found = |it| first_word(it, 10).map(|it| (it.0.to_owned(), it.1));
        assert_eq!(found("f\"A_B: no {x}\""), Some(("A_B".to_owned(), 12..15)));
        assert_eq!(found("`NOTE_GONE: x`"), Some(("NOTE_GONE".to_owned(), 11..20)));
        for other in ["\"A_B:x\"", "\"Error: x\"", "\"see A_B: x\"", "\"ERROR: x\"", "\"é", ": "] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
