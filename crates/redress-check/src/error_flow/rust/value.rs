//! Values of Rust, as far as failures are concerned.

use tree_sitter::Node;

use super::super::{Flag, Leak, Said, members::Value, record::Recorder};
use crate::{
    span::{Span, span},
    tree::{MAX_PARTS, NodeKind, Trail},
};

/// What a field is set to.
pub(super) fn value(it: &Recorder<'_>, node: Node<'_>) -> Value {
    let text = it.slice(node);
    match text {
        "true" | "Some(true)" => return Value::Flag(Flag::True),
        "false" | "Some(false)" => return Value::Flag(Flag::False),
        _ => (),
    }
    match node.kind() {
        "macro_invocation" if text.starts_with("vec!") => Value::List,
        "string_literal" | "raw_string_literal" | "macro_invocation" => Value::Text(said(it, node)),
        "integer_literal" | "unary_expression" => Value::Number,
        "call_expression" if text.starts_with('"') || text.contains("to_string()") => {
            Value::Text(said(it, node))
        }
        "identifier" | "scoped_identifier" | "field_expression" => Value::Word,
        _ => Value::Unknown,
    }
}

/// What a text says.
pub(super) fn said(it: &Recorder<'_>, node: Node<'_>) -> Said {
    said_in(it.slice(node), span(node.byte_range()))
}

/// What the text in a list of contents says: `vec![Content::text(…)]`, which is a macro and so has no tree.
pub(super) fn said_in_contents(it: &Recorder<'_>, contents: Node<'_>) -> Option<Said> {
    let text = it.slice(contents);
    let at = text.find("text(")? + "text(".len();
    Some(said_in(text.get(at..)?, span(contents.byte_range())))
}

/// Longer texts are looked at only so far.
const MAX_TEXT: usize = 1000;

/// What an expression that begins a text says.
fn said_in(text: &str, place: Span) -> Said {
    let mut said = Said::at(place.clone());
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default().trim_start().trim_start_matches('&');
    if text.starts_with("format!") {
        formatted(text, &mut said, &place);
    } else if text.starts_with('"') || text.starts_with("r\"") {
        said.literal(inside(text).0);
    } else if text.split([')', ',']).next().is_some_and(|it| it.ends_with(".to_string(")) {
        said.is_varied = true;
    } else {
        said.is_opaque = true;
    }
    said
}

/// The text between the first quote and the next one that ends it, and what follows.
fn inside(text: &str) -> (&str, &str) {
    let after = text.split_once('"').map_or(text, |it| it.1);
    let mut is_escaped = false;
    let end = after.find(|it: char| {
        let ends = it == '"' && !is_escaped;
        is_escaped = it == '\\' && !is_escaped;
        ends
    });
    let end = end.unwrap_or(after.len());
    (after.get(..end).unwrap_or_default(), after.get(end..).unwrap_or_default())
}

/// `format!("…", …)`: its literal parts, what is in the braces, and its arguments.
fn formatted(text: &str, said: &mut Said, place: &Span) {
    let (template, arguments) = inside(text);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        said.literal(before);
        let (hole, next) = after.split_once('}').unwrap_or((after, ""));
        let (name, form) = hole.split_once(':').unwrap_or((hole, ""));
        if form.contains('?') {
            said.leak(Leak::Whole, place.clone());
        }
        said.value(name, place.clone());
        rest = next;
    }
    said.literal(rest);
    if let Some((_, given)) = arguments.split_once("serde_json::to_string(") {
        said.json(given.split([')', ',']).next().unwrap_or_default(), place.clone());
    }
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    for name in arguments.split(|it| !is_name(it)).filter(|it| !it.is_empty()).take(MAX_PARTS) {
        said.value(name, place.clone());
    }
}

/// Whether a text is what a tool answers: in `Ok(…)`, or at the end of a function that returns text.
pub(super) fn is_answer(it: &Recorder<'_>, trail: &Trail<'_>) -> bool {
    if super::is_argument_of(it, trail, "Ok") {
        return true;
    }
    let outer = trail.around().find(|it| !matches!(it.kind, NodeKind::Through));
    it.returns_text()
        && outer.is_some_and(|it| matches!(it.kind, NodeKind::Block | NodeKind::Return))
}

/// Whether `json!({…})` holds a failure without a code.
pub(super) fn is_plain_failure(text: &str) -> bool {
    let text: String = text.chars().take(400).filter(|it| !it.is_whitespace()).collect();
    let fails = text.contains("\"ok\":false") || text.contains("\"success\":false");
    let names = text.contains("{\"error\":") && !text.contains("\"error\":{");
    (fails || names)
        && !text.contains("ode\":")
        && !text.contains("\"kind\":")
        && !text.contains("\"jsonrpc\"")
}

/// Whether `json!({…})` is an envelope.
pub(super) fn is_envelope(text: &str) -> bool {
    text.contains("\"code\":") && text.contains("\"message\":")
}

/// Whether the errors of a call go on as they are: `call()?`, `call().await.context("…")?`, `return call()`.
pub(super) fn goes_on(it: &Recorder<'_>, trail: &Trail<'_>) -> bool {
    let mut around = trail.around();
    while let Some(step) = around.next() {
        match step.node.kind() {
            "try_expression" | "return_expression" | "block" => return true,
            "await_expression" | "match_arm" => (),
            "field_expression" => {
                let name = step.node.child_by_field_name("field").map(|name| it.slice(name));
                if !matches!(name, Some("context" | "with_context" | "wrap_err" | "wrap_err_with"))
                {
                    return false;
                }
                around.next();
            }
            _ => return false,
        }
    }
    false
}

/// Whether `unwrap` on this can only fail after something worse has happened, or never.
pub(super) fn cannot_fail(receiver: &str) -> bool {
    let receiver = receiver.trim_end();
    receiver.starts_with('"')
        || receiver.starts_with("write!")
        || receiver.starts_with("writeln!")
        || [
            "Regex::new(\"",
            "Regex::new(r",
            "NonZero",
            "duration_since(UNIX_EPOCH)",
            "duration_since(std::time::UNIX_EPOCH)",
            "duration_since(SystemTime::UNIX_EPOCH)",
        ]
        .iter()
        .any(|it| receiver.contains(it))
        || [".lock()", ".read()", ".write()"].iter().any(|it| receiver.ends_with(it))
}

/// Whether an expression is a text: `"…".into()`, `format!(…)`.
pub(super) fn is_text(argument: &str) -> bool {
    argument.starts_with('"')
        || argument.starts_with("format!(")
        || argument.starts_with("String::from(")
}

/// Whether a closure makes a text of whatever it gets: `|e| e.to_string()`.
pub(super) fn makes_text(closure: &str) -> bool {
    let Some(body) =
        closure.strip_prefix('|').and_then(|it| it.split_once('|')).map(|it| it.1.trim())
    else {
        return false;
    };
    is_text(body) || (body.ends_with(".to_string()") && body.matches('(').count() == 1)
}
