//! Tools that servers with rmcp declare.

use tree_sitter::Node;

use super::super::{
    Boundary, Handler, Registration,
    record::{Decorated, Recorder},
};
use crate::{
    span::{Span, span},
    tree::{Field, NodeKind, Trail},
};

/// `#[tool(…)]` before a method.
pub(super) fn attribute(it: &mut Recorder<'_>, node: Node<'_>) {
    let text = it.slice(node);
    let inner = text.trim_start_matches(['#', '[', '!']).trim_end_matches(']');
    let path = inner.split(['(', '=']).next().unwrap_or(inner).trim();
    if path != "tool" && path != "rmcp::tool" {
        return;
    }
    it.decorated = Some(Decorated {
        registration: Registration::Given,
        name: key(node, text, "name"),
        has_output_schema: text.contains("output_schema"),
        wrapper: None,
    });
}

/// The text of `key = "…"` in an attribute.
fn key(node: Node<'_>, text: &str, key: &str) -> Option<(Box<str>, Span)> {
    let at = text.match_indices(key).find(|(at, _)| {
        let before = text.get(..*at).and_then(|it| it.chars().next_back());
        let after = text.get(at + key.len()..).map(str::trim_start);
        before.is_some_and(|it| !it.is_alphanumeric() && it != '_')
            && after.is_some_and(|it| it.starts_with('='))
    })?;
    let start = at.0 + text.get(at.0..)?.find('"')? + 1;
    let said = text.get(start..)?.split('"').next()?;
    let from = node.start_byte() + start;
    Some((said.into(), span(from..from + said.len())))
}

/// The method that an attribute stood before, or the one that all calls go through.
pub(super) fn function<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let decorated = it.decorated.take();
    let fields = Recorder::fields(trail);
    let Some(name) = fields.of(node, Field::Name) else { return };
    let own = (Box::from(it.slice(name)), span(name.byte_range()));
    let decorated = match decorated {
        Some(decorated) => decorated,
        None if is_call_tool(it, &own.0, trail) => Decorated {
            registration: Registration::All,
            name: Some(("".into(), own.1.clone())),
            has_output_schema: false,
            wrapper: None,
        },
        None => return,
    };
    let returned =
        fields.of(node, Field::ReturnType).map(|returned| it.slice(returned)).unwrap_or_default();
    let (name, place) = decorated.name.unwrap_or(own);
    it.error_flow.boundaries.push(Boundary {
        registration: decorated.registration,
        name,
        span: place,
        has_output_schema: decorated.has_output_schema || returned.contains("Json<"),
        handler: Handler::Span(span(node.byte_range())),
        wrapper: None,
    });
}

fn is_call_tool(it: &Recorder<'_>, name: &str, trail: &Trail<'_>) -> bool {
    let methods = trail.around().find(|it| it.kind == NodeKind::Class);
    let methods = methods.and_then(|it| it.node.child_by_field_name("trait"));
    name == "call_tool" && methods.is_some_and(|of| it.slice(of).ends_with("ServerHandler"))
}
