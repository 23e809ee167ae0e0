//! Types of errors and decisions by code in TypeScript and JavaScript.

use tree_sitter::Node;

use super::super::{Mapping, record::Recorder, said::is_code, words};
use crate::{
    span::span,
    tree::{Field, MAX_PARTS, Trail},
};

/// A type of errors, with its members.
pub(super) fn error_type<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(name) = it.error_type_name(node, fields) else { return };
    let body = fields.of(node, Field::Body).or_else(|| fields.of(node, Field::Value));
    let mut parts: Vec<_> = body.into_iter().collect();
    let mut members: Vec<Box<str>> = Vec::new();
    let mut optional_retry = None;
    for _ in 0..MAX_PARTS * 4 {
        let Some(part) = parts.pop() else { break };
        match part.kind() {
            "interface_body" | "object_type" | "enum_body" | "union_type" => {
                let mut cursor = part.walk();
                parts.extend(part.named_children(&mut cursor).take(MAX_PARTS));
            }
            "property_signature" => {
                let Some(key) = fields.of(part, Field::Name) else { continue };
                members.push(it.slice(key).into());
                if words::is_retry(it.slice(key)) && is_optional(it, part, key) {
                    optional_retry = Some(span(part.byte_range()));
                }
            }
            "enum_assignment" => {
                members.extend(fields.of(part, Field::Name).map(|name| it.slice(name).into()));
            }
            "property_identifier"
            | "literal_type"
            | "predefined_type"
            | "type_identifier"
            | "array_type"
            | "generic_type"
            | "readonly_type"
            | "index_signature" => {
                members.push(it.slice(part).into());
            }
            _ => (),
        }
    }
    it.error_type(name, members, optional_retry);
}

fn is_optional(it: &Recorder<'_>, member: Node<'_>, key: Node<'_>) -> bool {
    let after = key.end_byte().saturating_sub(member.start_byte());
    it.slice(member).get(after..).is_some_and(|it| it.trim_start().starts_with('?'))
}

/// A `switch` over codes whose default takes all others as they come.
pub(super) fn choice<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(body) = fields.of(node, Field::Body) else { return };
    let mut cursor = body.walk();
    let (mut cases, mut rest) = (Vec::new(), None);
    for case in body.named_children(&mut cursor).take(MAX_PARTS * 4) {
        match case.kind() {
            "switch_case" => {
                let value = fields.of(case, Field::Value).map(|value| it.slice(value));
                let value = value.and_then(|it| it.rsplit('.').next()).unwrap_or_default();
                let value = value.trim_matches(['"', '\'']);
                if is_code(value) {
                    cases.push(value.into());
                }
            }
            "switch_default" if !words::refuses(it.slice(case)) => {
                rest = Some(span(case.byte_range()));
            }
            _ => (),
        }
    }
    if let Some(rest) = rest {
        it.mapping(Mapping { cases, rest, within: it.here });
    }
}
