//! Values of TypeScript and JavaScript, as far as failures are concerned.

use tree_sitter::Node;

use super::super::{Flag, Leak, Said, members::Value, record::Recorder};
use crate::{
    span::span,
    tree::{Field, MAX_PARTS, Trail},
};

/// An expression without what says nothing: parentheses, `await`, `as const`.
pub(super) fn bare(mut node: Node<'_>) -> Node<'_> {
    for _ in 0..MAX_PARTS {
        let inner = match node.kind() {
            "parenthesized_expression"
            | "await_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "type_assertion" => node.named_child(0),
            _ => None,
        };
        let Some(inner) = inner else { break };
        node = inner;
    }
    node
}

/// What a member is set to.
pub(super) fn value<'t>(it: &Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) -> Value {
    let node = bare(node);
    let fields = Recorder::fields(trail);
    match node.kind() {
        "true" => Value::Flag(Flag::True),
        "false" => Value::Flag(Flag::False),
        "string" | "template_string" => Value::Text(said(it, node, trail)),
        "binary_expression" => match said(it, node, trail) {
            said if said.is_literal => Value::Text(said),
            _ => Value::Unknown,
        },
        "number" if it.slice(node).ends_with('n') => Value::Unsafe("a BigInt".into()),
        "number" | "unary_expression" => Value::Number,
        "array" => Value::List,
        "arrow_function" | "function_expression" => Value::Unsafe("a function".into()),
        "regex" => Value::Unsafe("a regular expression".into()),
        "identifier" | "shorthand_property_identifier" if it.is_caught(it.slice(node)) => {
            Value::Unsafe("an Error object, which JSON writes as {}".into())
        }
        "identifier" | "shorthand_property_identifier" => Value::Word,
        "member_expression" => {
            let name = fields.of(node, Field::Property).map(|name| it.slice(name));
            match name {
                Some("message" | "stack") => Value::Text(said(it, node, trail)),
                _ => Value::Word,
            }
        }
        "call_expression" => called(it, node, trail),
        "new_expression" => made(fields.of(node, Field::Constructor).map(|made| it.slice(made))),
        "ternary_expression" if it.slice(node).contains(".message") => {
            Value::Text(said(it, node, trail))
        }
        _ => Value::Unknown,
    }
}

fn made(constructor: Option<&str>) -> Value {
    match constructor {
        Some(
            it @ ("Map" | "Set" | "WeakMap" | "WeakSet" | "Date" | "Error" | "TypeError"
            | "RangeError"),
        ) => Value::Unsafe(format!("a {it} object").into()),
        _ => Value::Unknown,
    }
}

fn called<'t>(it: &Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) -> Value {
    match Recorder::fields(trail).of(node, Field::Function).map(|callee| it.slice(callee)) {
        Some("String") => Value::Text(said(it, node, trail)),
        Some("BigInt") => Value::Unsafe("a BigInt".into()),
        Some("Symbol") => Value::Unsafe("a Symbol".into()),
        _ => Value::Unknown,
    }
}

/// What a text says.
pub(super) fn said<'t>(it: &Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) -> Said {
    let mut said = Said::at(span(node.byte_range()));
    let mut parts = vec![node];
    for _ in 0..MAX_PARTS {
        let Some(part) = parts.pop().map(bare) else { break };
        let text = it.slice(part);
        let place = span(part.byte_range());
        match part.kind() {
            "string" => said.literal(text.trim_matches(['"', '\''])),
            "string_fragment" | "escape_sequence" => said.literal(text),
            "template_string" | "template_substitution" | "binary_expression" => {
                let mut cursor = part.walk();
                let children: Vec<_> = part.named_children(&mut cursor).take(MAX_PARTS).collect();
                parts.extend(children.into_iter().rev());
            }
            "call_expression" => said_by_call(it, &mut said, part, trail),
            "identifier" | "member_expression" | "subscript_expression" => said.value(text, place),
            "number" => (),
            "ternary_expression" if text.contains(".message") => {
                if text.contains(".stack") {
                    said.leak(Leak::Stack, place);
                }
                said.is_varied = true;
            }
            _ => said.is_opaque = true,
        }
    }
    said
}

fn said_by_call<'t>(it: &Recorder<'t>, said: &mut Said, call: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let callee = fields.of(call, Field::Function).map(|callee| it.slice(callee));
    let callee = callee.unwrap_or_default();
    let argument = fields.of(call, Field::Arguments).and_then(|it| it.named_child(0));
    let argument = argument.map(|argument| it.slice(argument)).unwrap_or_default();
    let place = span(call.byte_range());
    match callee {
        "String" if it.is_caught(argument) => said.leak(Leak::Whole, place),
        "String" => said.value(argument, place),
        "JSON.stringify" => said.json(argument, place),
        _ => match callee.rsplit_once('.') {
            Some((before, "join" | "toString" | "trim")) => said.value(before, place),
            _ => said.is_opaque = true,
        },
    }
}

/// Whether `.catch(…)` does nothing with what it catches.
pub(super) fn ignores<'t>(it: &Recorder<'t>, call: Node<'t>, trail: &Trail<'t>) -> bool {
    let fields = Recorder::fields(trail);
    let handler = fields.of(call, Field::Arguments).and_then(|it| it.named_child(0));
    let Some(handler) = handler.filter(|it| it.kind() == "arrow_function") else { return false };
    let Some(body) = fields.of(handler, Field::Body) else { return false };
    matches!(it.slice(body), "undefined" | "null")
        || (body.kind() == "statement_block" && body.named_child_count() == 0)
}
