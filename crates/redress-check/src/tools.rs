//! Tools as servers declare them: by a call, by an object, by a decorator, by an attribute.

mod branch;

use tree_sitter::Node;

use crate::{
    error_flow::Handler,
    facts::{DeclaredTool, Word, WordHint},
    language::Language,
    position::{callee, unquoted},
    scan::Scan,
    span::{Span, span},
    tree::{NodeKind, Step, Trail},
    words,
};

/// Calls that declare a tool, by the last part of their name.
const CALLS: [&str; 8] = [
    "tool",
    "registerTool",
    "addTool",
    "defineTool",
    "createTool",
    "register_tool",
    "add_tool",
    "Tool",
];

/// Members that hold what a tool does.
const HANDLERS: [&str; 6] = ["handler", "execute", "run", "callback", "fn", "invoke"];

/// Keeps the tool that a node declares, if it does.
pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, trail: &Trail<'t>) {
    branch::enter(scan, step, trail);
    match (scan.facts.language, step.kind) {
        (Language::Rust, NodeKind::Decorator) => by_attribute(scan, step.node),
        (Language::Python, NodeKind::Decorator) => by_decorator(scan, step.node),
        (_, NodeKind::Call | NodeKind::New) => by_call(scan, step.node),
        (Language::TypeScript | Language::Tsx | Language::JavaScript, NodeKind::Object) => {
            by_object(scan, step.node, trail);
        }
        _ => (),
    }
}

/// What is known of a tool while its parts are read.
#[derive(Default)]
struct Parts<'t> {
    name: Option<(&'t str, Span)>,
    description: Option<Word>,
    has_schema: bool,
    has_output_schema: bool,
    handler: Option<Handler>,
}

impl<'t> Parts<'t> {
    fn member(&mut self, scan: &Scan<'t>, key: &str, value: Node<'t>) {
        match key {
            "name" => self.name = scan.literal(value),
            "description" => self.description = described(scan, value),
            "inputSchema" | "input_schema" | "parameters" | "schema" => self.has_schema = true,
            "outputSchema" | "output_schema" => self.has_output_schema = true,
            key if HANDLERS.contains(&key) => self.handler = Some(handler(scan, value)),
            _ => (),
        }
    }

    fn members(&mut self, scan: &Scan<'t>, object: Node<'t>) {
        let mut cursor = object.walk();
        for pair in object.named_children(&mut cursor) {
            if let Some((key, value)) = pair.named_child(0).zip(pair.named_child(1)) {
                self.member(scan, unquoted(scan.slice(key)), value);
                // A method is its own value.
                if pair.kind() == "method_definition" && HANDLERS.contains(&scan.slice(key)) {
                    self.handler = Some(Handler::Span(span(pair.byte_range())));
                }
            }
        }
    }

    fn keep(self, scan: &mut Scan<'t>) {
        let Some((name, span)) = self.name.filter(|it| is_tool_name(it.0)) else { return };
        if scan.facts.tools.iter().any(|it| it.span == span) {
            return;
        }
        if let Some(said) = &self.description {
            words::of_description(scan, said);
        }
        scan.facts.tools.push(DeclaredTool {
            name: name.into(),
            span,
            description: self.description,
            has_output_schema: self.has_output_schema,
            handler: self.handler.unwrap_or(Handler::Unknown),
        });
    }
}

/// `server.registerTool("name", { … }, handler)`, `server.tool("name", "…", schema, handler)`, `DeclaredTool(name="…", …)`.
fn by_call<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    let Some(callee) = callee(node) else { return };
    let last = scan.slice(callee).rsplit(['.', ':']).next().unwrap_or_default();
    if !CALLS.contains(&last) {
        return;
    }
    let Some(arguments) = node.child_by_field_name("arguments") else { return };
    let mut parts = Parts::default();
    let mut cursor = arguments.walk();
    for (number, it) in arguments.named_children(&mut cursor).enumerate() {
        match it.kind() {
            "keyword_argument" => {
                if let Some((key, value)) = it.named_child(0).zip(it.named_child(1)) {
                    parts.member(scan, scan.slice(key), value);
                }
            }
            "object" => parts.members(scan, it),
            "string" | "template_string" | "string_literal" if number == 0 => {
                parts.name = scan.literal(it);
            }
            "string" | "template_string" | "string_literal" | "binary_expression"
                if number == 1 =>
            {
                parts.description = described(scan, it);
            }
            _ if number > 0 => parts.handler = Some(handler(scan, it)),
            _ => (),
        }
    }
    // A call with a name alone asks for a tool.
    if parts.handler.is_some() || parts.description.is_some() {
        parts.keep(scan);
    }
}

/// `{ name: "…", description: "…", inputSchema: … }`.
fn by_object<'t>(scan: &mut Scan<'t>, node: Node<'t>, trail: &Trail<'t>) {
    if node.named_child_count() < 3 {
        return;
    }
    let is_argument = trail.parent().is_some_and(|it| it.kind == NodeKind::Arguments);
    let mut parts = Parts::default();
    parts.members(scan, node);
    let is_whole = parts.description.is_some() && (parts.has_schema || parts.handler.is_some());
    if is_whole
        && parts.name.is_some()
        && !(is_argument && parts.handler.is_none() && !parts.has_schema)
    {
        parts.keep(scan);
    }
}

/// `@mcp.tool(name="…")` above a function.
fn by_decorator<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    let text = scan.slice(node);
    let path = text.trim_start_matches('@').split('(').next().unwrap_or_default();
    if path.trim().rsplit('.').next() != Some("tool") {
        return;
    }
    let Some(function) = node.parent().and_then(|it| it.child_by_field_name("definition")) else {
        return;
    };
    let Some(name) = function.child_by_field_name("name") else { return };
    let mut parts = Parts {
        name: Some((scan.slice(name), span(name.byte_range()))),
        description: docstring(scan, function),
        handler: Some(Handler::Span(span(function.byte_range()))),
        ..Parts::default()
    };
    let arguments = node.named_child(0).and_then(|it| it.child_by_field_name("arguments"));
    if let Some(arguments) = arguments {
        let mut cursor = arguments.walk();
        for it in arguments.named_children(&mut cursor) {
            if it.kind() == "keyword_argument"
                && let Some((key, value)) = it.named_child(0).zip(it.named_child(1))
            {
                parts.member(scan, scan.slice(key), value);
            } else if it.kind() == "string" {
                parts.name = scan.literal(it);
            }
        }
    }
    parts.keep(scan);
}

fn docstring(scan: &Scan<'_>, function: Node<'_>) -> Option<Word> {
    let first = function.child_by_field_name("body")?.named_child(0)?;
    let text = first.named_child(0).filter(|it| it.kind() == "string")?;
    described(scan, text)
}

/// `#[tool(description = "…")]` above a function.
fn by_attribute<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    let text = scan.slice(node);
    let inner = text.trim_start_matches(['#', '[']).trim();
    let path = inner.split(['(', ']']).next().unwrap_or_default().trim();
    if path.rsplit("::").next() != Some("tool") {
        return;
    }
    let mut next = node.next_named_sibling();
    while let Some(it) =
        next.filter(|it| matches!(it.kind(), "attribute_item" | "line_comment" | "block_comment"))
    {
        next = it.next_named_sibling();
    }
    let Some(function) = next.filter(|it| it.kind() == "function_item") else { return };
    let Some(name) = function.child_by_field_name("name") else { return };
    let value = |key: &str| {
        let at = text.find(&format!("{key} = \""))? + key.len() + 4;
        let length = text.get(at..)?.find('"')?;
        let from = node.start_byte() + at;
        Some((text.get(at..at + length)?, span(from..from + length)))
    };
    let word = |(text, span): (&str, Span)| Word { text: text.into(), span, hint: WordHint::Plain };
    Parts {
        name: value("name").or_else(|| Some((scan.slice(name), span(name.byte_range())))),
        description: value("description").map(word),
        has_output_schema: text.contains("output_schema"),
        handler: Some(Handler::Span(span(function.byte_range()))),
        ..Parts::default()
    }
    .keep(scan);
}

/// A description, whatever it is put together from.
fn described(scan: &Scan<'_>, node: Node<'_>) -> Option<Word> {
    let text = scan.slice(node);
    let is_text = text.starts_with(['"', '\'', '`', 'f', 'r', 'F', 'R'])
        && text.ends_with(['"', '\'', '`', ')']);
    is_text.then(|| Word {
        text: text.into(),
        span: span(node.byte_range()),
        hint: WordHint::Plain,
    })
}

fn handler(scan: &Scan<'_>, node: Node<'_>) -> Handler {
    if matches!(node.kind(), "identifier" | "member_expression" | "attribute" | "scoped_identifier")
    {
        return scan.path(node).map_or(Handler::Unknown, |it| Handler::Named(it.into()));
    }
    Handler::Span(span(node.byte_range()))
}

fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.' | b'/'))
}
