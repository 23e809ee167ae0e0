//! What nodes of Rust say about failures.

mod arms;
mod tools;
mod types;
mod value;

use tree_sitter::Node;

use super::{
    Envelope, Flag, Handling, Plain, Stop, log,
    members::{Key, Members},
    record::{Held, Recorder},
    words,
};
use crate::{
    span::span,
    tree::{Field, NodeKind, Tag, Trail},
};

/// The kinds of nodes that are looked at.
pub(crate) const TAGS: &[(&str, Tag)] = &[
    ("function_item", Tag::Function),
    ("impl_item", Tag::Item),
    ("mod_item", Tag::Item),
    ("use_declaration", Tag::Item),
    ("const_item", Tag::Item),
    ("attribute_item", Tag::Attribute),
    ("struct_item", Tag::Type),
    ("enum_item", Tag::Type),
    ("macro_invocation", Tag::Macro),
    ("call_expression", Tag::Call),
    ("let_declaration", Tag::Let),
    ("expression_statement", Tag::Statement),
    ("match_expression", Tag::Choice),
    ("match_arm", Tag::Arm),
    ("if_expression", Tag::IfLet),
    ("struct_expression", Tag::Object),
    ("field_initializer", Tag::Pair),
];

pub(super) fn enter<'t>(it: &mut Recorder<'t>, tag: Tag, node: Node<'t>, trail: &Trail<'t>) {
    match tag {
        Tag::Attribute => {
            it.is_marked |= marks_a_test(it.slice(node));
            tools::attribute(it, node);
        }
        Tag::Item => {
            it.open(node, Held::Plain);
            it.here.is_test |= std::mem::take(&mut it.is_marked);
        }
        Tag::Function => function(it, node, trail),
        Tag::Type => {
            it.is_marked = false;
            types::error_type(it, node, trail);
        }
        Tag::Macro => macro_call(it, node, trail),
        Tag::Call => call(it, node, trail),
        Tag::Let => arms::discarded(it, node, trail),
        Tag::Statement => arms::dropped(it, node, trail),
        Tag::Choice => types::choice(it, node, trail),
        Tag::Arm => arms::arm(it, node, trail),
        Tag::IfLet => arms::if_let(it, node, trail),
        Tag::Object => {
            let name = Recorder::fields(trail).of(node, Field::Name).map(|name| it.slice(name));
            let name = name.and_then(|it| it.rsplit("::").next()).unwrap_or_default();
            let mut members = Members::at(span(node.byte_range()));
            members.is_result = name == "CallToolResult";
            members.callee = name.into();
            it.open(node, Held::Members(Box::new(members)));
        }
        Tag::Pair => pair(it, node, trail),
        _ => (),
    }
}

fn marks_a_test(attribute: &str) -> bool {
    attribute.contains("cfg(test")
        || attribute.ends_with("test]")
        || attribute.contains("test(")
        || attribute.contains("rstest")
}

fn function<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let returned = Recorder::fields(trail).of(node, Field::ReturnType);
    let any = it.has_any_error();
    let promise = returned.and_then(|returned| types::promise(it.slice(returned), any));
    tools::function(it, node, trail);
    it.open_function(node);
    it.here.is_test |= std::mem::take(&mut it.is_marked);
    if let Some(promise) = promise {
        it.promise(node, promise);
    }
}

fn macro_call<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(name) = node.child_by_field_name("macro") else { return };
    let path = it.slice(name);
    let name = path.rsplit("::").next().unwrap_or(path);
    log::look(it, node, trail);
    match name {
        "panic" | "todo" | "unimplemented" => {
            it.record(node, Handling::Stop(Stop::Panic, format!("{name}!").into()));
        }
        "assert" | "assert_eq" | "assert_ne" => {
            it.record(node, Handling::Stop(Stop::Assert, format!("{name}!").into()));
        }
        "bail" | "ensure" | "anyhow" | "eyre" => {
            it.record(node, Handling::Raise { kind: format!("{name}!").into() });
        }
        "format" if value::said(it, node).is_error && value::is_answer(it, trail) => {
            it.record(node, Handling::Plain(Plain::Text));
        }
        "json" if value::is_envelope(it.slice(node)) => {
            let has_retry = it.slice(node).contains("\"retry");
            if it.members_around().is_some_and(|it| it.is_error == Flag::True) {
                it.record(node, Handling::Envelope(Envelope { has_retry, is_result: true }));
            }
        }
        "json" if value::is_plain_failure(it.slice(node)) => {
            let is_error = it.members_around().is_some_and(|it| it.is_error == Flag::True);
            if !is_error {
                it.record(node, Handling::Plain(Plain::Object));
            }
        }
        _ => (),
    }
}

fn call<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(callee) = fields.of(node, Field::Function) else { return };
    match fields.of(callee, Field::Member) {
        Some(method) => method_call(it, (node, callee, it.slice(method)), trail),
        None => path_call(it, (node, it.slice(callee)), trail),
    }
    let path = it.slice(callee);
    it.call(path, value::goes_on(it, trail));
}

fn method_call<'t>(
    it: &mut Recorder<'t>,
    (node, callee, name): (Node<'t>, Node<'t>, &str),
    trail: &Trail<'t>,
) {
    let fields = Recorder::fields(trail);
    let argument = fields.of(node, Field::Arguments).and_then(|it| it.named_child(0));
    let argument = argument.map(|argument| it.slice(argument)).unwrap_or_default();
    match name {
        "unwrap" | "expect" | "unwrap_err" | "expect_err" => {
            let receiver = fields.of(callee, Field::Value).map(|value| it.slice(value));
            if !value::cannot_fail(receiver.unwrap_or_default()) {
                let place = span(
                    node.end_byte().min(callee.end_byte().saturating_sub(name.len()))
                        ..node.end_byte(),
                );
                it.record_at(place, Handling::Stop(Stop::Unwrap, name.into()));
            }
        }
        "ok_or" if value::is_text(argument) => {
            it.record(node, Handling::Raise { kind: "string".into() });
        }
        "map_err" | "ok_or_else" if value::makes_text(argument) => {
            it.record(node, Handling::Raise { kind: "string".into() });
        }
        _ => (),
    }
}

fn path_call<'t>(it: &mut Recorder<'t>, (node, path): (Node<'t>, &'t str), trail: &Trail<'t>) {
    let mut names = path.rsplit("::");
    let (name, of) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let argument =
        Recorder::fields(trail).of(node, Field::Arguments).and_then(|it| it.named_child(0));
    let text = argument.map(|argument| it.slice(argument)).unwrap_or_default();
    match (of, name) {
        ("", "Err") if value::is_text(text) => {
            it.record(node, Handling::Raise { kind: "string".into() });
        }
        ("process", "exit" | "abort") => it.record(node, Handling::Stop(Stop::Exit, name.into())),
        ("McpError" | "ErrorData" | "RmcpError", _) if name != "from" => {
            let is_protocol =
                words::is_protocol(if name == "new" { text } else { name }, it.slice(node));
            it.record(node, Handling::Rpc { code: name.into(), is_protocol });
        }
        ("CallToolResult", _) => {
            let mut members = Members::at(span(node.byte_range()));
            members.is_result = true;
            members.is_error = if name.ends_with("error") { Flag::True } else { Flag::False };
            if name.starts_with("structured") {
                members.add(
                    Some(Key::Structured),
                    super::members::Value::Unknown,
                    span(node.byte_range()),
                );
                members.is_coded();
            }
            if let Some(said) = argument.and_then(|list| value::said_in_contents(it, list)) {
                members.say(said);
            }
            it.open(node, Held::Members(Box::new(members)));
        }
        _ => (),
    }
}

fn pair<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(key) = fields.of(node, Field::Member).and_then(|key| Key::of(it.slice(key))) else {
        return;
    };
    let Some(value_of) = fields.of(node, Field::Value) else { return };
    let value = value::value(it, value_of);
    if let Some(members) = it.members_around() {
        members.add(Some(key), value, span(value_of.byte_range()));
    }
}

/// Whether the nearest thing around that says something is a call of this name.
fn is_argument_of(it: &Recorder<'_>, trail: &Trail<'_>, name: &str) -> bool {
    let mut around = trail.around().skip_while(|it| matches!(it.kind, NodeKind::Through));
    if !around.next().is_some_and(|it| it.kind == NodeKind::Arguments) {
        return false;
    }
    let call = around.next().and_then(|call| call.node.child_by_field_name("function"));
    call.is_some_and(|callee| it.slice(callee) == name)
}
