//! Tools that Python servers declare, and who does their work.

use tree_sitter::Node;

use super::super::{
    Boundary, Handler, Registration,
    members::Key,
    record::{Decorated, Recorder},
};
use crate::{
    span::{Span, span},
    tree::{Field, Trail},
};

/// `@mcp.tool()`, `@server.call_tool()`; another decorator is around the work.
pub(super) fn decorator(it: &mut Recorder<'_>, node: Node<'_>) {
    let text = it.slice(node).trim_start_matches('@').trim();
    let path = text.split('(').next().unwrap_or(text).trim();
    let (of, name) = path.rsplit_once('.').unwrap_or(("", path));
    let registration = match name {
        "tool" if !of.is_empty() && of != "agent" && of != "self.agent" => Registration::Given,
        "call_tool" => Registration::All,
        _ => {
            if let Some(decorated) = &mut it.decorated {
                decorated.wrapper = Some(path.into());
            }
            return;
        }
    };
    let wrapper = it.decorated.take().and_then(|it| it.wrapper);
    let named = argument(it, node, "name");
    it.decorated = Some(Decorated {
        registration,
        name: named.or_else(|| first_argument(it, node)),
        has_output_schema: text.contains("output_schema"),
        wrapper,
    });
}

fn call(decorator: Node<'_>) -> Option<Node<'_>> {
    decorator.named_child(0).filter(|it| it.kind() == "call")?.child_by_field_name("arguments")
}

fn argument(it: &Recorder<'_>, decorator: Node<'_>, name: &str) -> Option<(Box<str>, Span)> {
    let arguments = call(decorator)?;
    let mut cursor = arguments.walk();
    let mut keywords =
        arguments.named_children(&mut cursor).filter(|it| it.kind() == "keyword_argument");
    let keyword = keywords.find(|keyword| {
        keyword.child_by_field_name("name").is_some_and(|key| it.slice(key) == name)
    })?;
    it.quoted(keyword.child_by_field_name("value")?).map(|(text, span)| (text.into(), span))
}

fn first_argument(it: &Recorder<'_>, decorator: Node<'_>) -> Option<(Box<str>, Span)> {
    it.quoted(call(decorator)?.named_child(0)?).map(|(text, span)| (text.into(), span))
}

/// The function that decorators stood before.
pub(super) fn function<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(decorated) = it.decorated.take() else { return };
    let fields = Recorder::fields(trail);
    let Some(name) = fields.of(node, Field::Name) else { return };
    let returned =
        fields.of(node, Field::ReturnType).map(|returned| it.slice(returned)).unwrap_or_default();
    let (named, place) =
        decorated.name.unwrap_or_else(|| (it.slice(name).into(), span(name.byte_range())));
    it.error_flow.boundaries.push(Boundary {
        registration: decorated.registration,
        name: if decorated.registration == Registration::All { "".into() } else { named },
        span: place,
        has_output_schema: decorated.has_output_schema
            || returned.contains("Annotated[CallToolResult"),
        handler: Handler::Span(span(node.byte_range())),
        wrapper: decorated.wrapper,
    });
}

/// `mcp.add_tool(function)`.
pub(super) fn added<'t>(it: &mut Recorder<'t>, call: Node<'t>, trail: &Trail<'t>) {
    let first = Recorder::fields(trail).of(call, Field::Arguments).and_then(|it| it.named_child(0));
    let Some(first) = first.filter(|it| matches!(it.kind(), "identifier" | "attribute")) else {
        return;
    };
    it.error_flow.boundaries.push(Boundary {
        registration: Registration::Given,
        name: it.slice(first).rsplit('.').next().unwrap_or_default().into(),
        span: span(first.byte_range()),
        has_output_schema: false,
        handler: Handler::Named(it.slice(first).into()),
        wrapper: None,
    });
}

/// A named argument that could describe a tool.
pub(super) fn part(it: &mut Recorder<'_>, key: Key, value: Node<'_>) {
    let said = it.quoted(value).map(|(text, span)| (text.into(), span));
    let place = span(value.byte_range());
    if let Some(members) = it.members_around().filter(|_| key == Key::Name) {
        members.tool.name = Some(said.unwrap_or_else(|| ("".into(), place)));
    }
}
