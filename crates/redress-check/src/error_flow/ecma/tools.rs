//! Tools that TypeScript and JavaScript servers declare, and who does their work.

use tree_sitter::Node;

use super::{
    super::{Boundary, Handler, Registration, members::Key, record::Recorder},
    value::bare,
};
use crate::{
    span::{Span, span},
    tree::{Field, MAX_PARTS, NodeKind, Trail},
};

/// A call that gives a tool to a server.
pub(super) fn given<'t>(it: &mut Recorder<'t>, call: Node<'t>, name: &str, trail: &Trail<'t>) {
    let Some(arguments) = Recorder::fields(trail).of(call, Field::Arguments) else { return };
    let mut cursor = arguments.walk();
    let all = arguments.named_children(&mut cursor).filter(|it| !it.is_extra());
    let all: Vec<_> = all.take(8).collect();
    let arguments = match all.as_slice() {
        [_, rest @ ..] if name == "registerAppTool" => rest,
        all => all,
    };
    let [first, .., last] = arguments else { return };
    let is_all = name == "setRequestHandler";
    if is_all && !is_for_tools(it.slice(*first)) {
        return;
    }
    let Some((handler, wrapper)) = work(it, *last, trail) else { return };
    let named = it.quoted(*first).filter(|_| !is_all);
    if named.is_none() && first.kind() == "object" {
        return;
    }
    let (name, place) = named.unwrap_or(("", span(first.byte_range())));
    let member = |key| arguments.iter().find_map(|argument| member(it, *argument, key, trail));
    let boundary = Boundary {
        registration: if is_all { Registration::All } else { Registration::Given },
        name: name.into(),
        span: place,
        has_output_schema: member("outputSchema").is_some(),
        handler,
        wrapper,
    };
    it.error_flow.boundaries.push(boundary);
}

fn is_for_tools(schema: &str) -> bool {
    schema.contains("CallToolRequest") || schema.trim_matches(['"', '\'']) == "tools/call"
}

/// A member of an object.
fn member<'t>(
    it: &Recorder<'t>,
    object: Node<'t>,
    key: &str,
    trail: &Trail<'t>,
) -> Option<Node<'t>> {
    let fields = Recorder::fields(trail);
    let mut cursor = object.walk();
    let mut pairs =
        object.named_children(&mut cursor).filter(|it| it.kind() == "pair").take(MAX_PARTS);
    let pair = pairs.find(|pair| {
        let name = fields.of(*pair, Field::Key).map(|name| it.slice(name));
        name.is_some_and(|it| it.trim_matches(['"', '\'']) == key)
    })?;
    fields.of(pair, Field::Value)
}

/// The function that does the work, and the wrapper that it goes through.
pub(super) fn work<'t>(
    it: &Recorder<'t>,
    handler: Node<'t>,
    trail: &Trail<'t>,
) -> Option<(Handler, Option<Box<str>>)> {
    let fields = Recorder::fields(trail);
    let handler = bare(handler);
    let named = |node: Node<'t>| {
        let text = it.slice(node);
        (text.len() <= 100).then(|| Handler::Named(text.replace("?.", ".").into()))
    };
    match handler.kind() {
        "arrow_function" | "function_expression" => {
            Some((Handler::Span(span(handler.byte_range())), None))
        }
        "identifier" | "member_expression" => Some((named(handler)?, None)),
        "call_expression" => {
            let callee = fields.of(handler, Field::Function)?;
            let bound = fields.of(callee, Field::Property).filter(|name| it.slice(*name) == "bind");
            if bound.is_some() {
                return Some((named(fields.of(callee, Field::Object)?)?, None));
            }
            let arguments = fields.of(handler, Field::Arguments)?;
            let mut cursor = arguments.walk();
            let inner =
                arguments.named_children(&mut cursor).map(bare).find_map(|inner| {
                    match inner.kind() {
                        "arrow_function" | "function_expression" => {
                            Some(Handler::Span(span(inner.byte_range())))
                        }
                        "identifier" | "member_expression" => named(inner),
                        _ => None,
                    }
                });
            Some((inner.unwrap_or(Handler::Unknown), Some(it.slice(callee).into())))
        }
        _ => None,
    }
}

/// A member of an object that could describe a tool.
pub(super) fn part<'t>(it: &mut Recorder<'t>, key: Key, value: Node<'t>, trail: &Trail<'t>) {
    match key {
        Key::Name => {
            let named = it.quoted(value).map(|(name, span)| (name.into(), span));
            let place = span(value.byte_range());
            if let Some(members) = it.members_around() {
                members.tool.name = Some(named.unwrap_or_else(|| ("".into(), place)));
            }
        }
        Key::Handler => {
            let work = work(it, value, trail);
            if let Some(members) = it.members_around() {
                members.tool.handler = work;
            }
        }
        _ => (),
    }
}

/// A method that does the work of a tool: of an object that describes one, or of a class of tools.
pub(super) fn method<'t>(it: &mut Recorder<'t>, node: Node<'t>, name: Node<'t>, trail: &Trail<'t>) {
    if Key::of(it.slice(name)) != Some(Key::Handler) {
        return;
    }
    let handler = Handler::Span(span(node.byte_range()));
    match trail.parent().map(|it| it.kind) {
        Some(NodeKind::Object) => {
            if let Some(members) = it.members_around() {
                members.add(Some(Key::Handler), super::super::members::Value::Unknown, 0..0);
                members.tool.handler = Some((handler, None));
            }
        }
        _ => {
            if let Some(name) = class_of_tools(it, trail) {
                it.error_flow.boundaries.push(Boundary {
                    registration: Registration::Row,
                    name: "".into(),
                    span: name,
                    has_output_schema: false,
                    handler,
                    wrapper: None,
                });
            }
        }
    }
}

/// The name of the class around, if it extends a class of tools of a framework.
fn class_of_tools(it: &Recorder<'_>, trail: &Trail<'_>) -> Option<Span> {
    let class = trail.around().nth(1).filter(|it| it.kind == NodeKind::Class)?.node;
    let mut cursor = class.walk();
    let heritage = class.named_children(&mut cursor).find(|it| it.kind() == "class_heritage")?;
    let base = it.slice(heritage).strip_prefix("extends ")?.split(['<', ' ']).next()?;
    let is_base = base == "MCPTool" || base == "McpTool" || base == "BaseTool";
    is_base.then(|| class.child_by_field_name("name").map(|name| span(name.byte_range())))?
}
