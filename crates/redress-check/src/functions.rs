//! Functions that can be called, and the calls of functions.

use tree_sitter::Node;

use crate::{
    facts::{Call, Function},
    position::{callee, is_code_key},
    scan::Scan,
    span::span,
    tree::{NodeKind, Trail},
};

/// Keeps a function or method.
pub(crate) fn function<'t>(scan: &mut Scan<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let name = node.child_by_field_name("name").map(|it| scan.slice(it));
    let name = name.or_else(|| declared_name(scan, trail)).unwrap_or_default();
    let name = match (name, scan.class()) {
        ("constructor" | "__init__", Some(class)) => class.to_owned(),
        (name, Some(class)) if !name.is_empty() => format!("{class}.{name}"),
        (name, _) => name.to_owned(),
    };
    let code_parameter =
        node.child_by_field_name("parameters").and_then(|it| code_parameter(scan, it));
    let span = span(node.byte_range());
    scan.facts.functions.push(Function { name: name.into(), span, code_parameter });
}

fn code_parameter(scan: &Scan<'_>, parameters: Node<'_>) -> Option<u8> {
    let list = scan.slice(parameters);
    if !list.contains("ode") && !list.contains("symbol") {
        return None;
    }
    let mut cursor = parameters.walk();
    let names = parameters.named_children(&mut cursor).map(|it| parameter_name(scan.slice(it)));
    let mut names = names.filter(|it| !matches!(*it, "self" | "cls" | "this"));
    names.position(is_code_key).and_then(|it| u8::try_from(it).ok())
}

/// Keeps a call.
pub(crate) fn call<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    if let Some(callee) = callee(node).and_then(|it| scan.path(it)) {
        let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
        scan.facts.calls.push(Call { callee: callee.into(), at });
    }
}

/// The name of what a closure is given to: `const save = () => …`, `save: () => …`.
fn declared_name<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> Option<&'t str> {
    let (outer, _) = trail.meaning()?;
    let field = match outer.kind {
        NodeKind::Declare => "name",
        NodeKind::Pair => "key",
        _ => return None,
    };
    outer.node.child_by_field_name(field).map(|it| scan.slice(it))
}

/// `code` of `readonly code: ErrorCode`, `mut code: &str`, `code="X"`.
fn parameter_name(parameter: &str) -> &str {
    let name = parameter.split([':', '=', '?']).next().unwrap_or_default().trim();
    name.rsplit([' ', '&', '*']).next().unwrap_or_default()
}
