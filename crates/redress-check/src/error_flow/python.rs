//! What nodes of Python say about failures.

mod exceptions;
mod tools;
mod value;

use tree_sitter::Node;

pub(crate) use self::exceptions::catches;
use super::{
    Catch, Guard, Handling, Plain, Positional, Stop, log,
    members::{Key, Members, makes_errors},
    record::{Held, MAX_CALLEE, Recorder},
    words::{self, is_cleanup, is_logger},
};
use crate::{
    span::span,
    tree::{Field, MAX_PARTS, NodeKind, Tag, Trail},
};

/// The kinds of nodes that are looked at.
pub(crate) const TAGS: &[(&str, Tag)] = &[
    ("function_definition", Tag::Function),
    ("decorator", Tag::Attribute),
    ("class_definition", Tag::Type),
    ("try_statement", Tag::Try),
    ("except_clause", Tag::Catch),
    ("finally_clause", Tag::Finally),
    ("raise_statement", Tag::Throw),
    ("return_statement", Tag::Return),
    ("assert_statement", Tag::Assert),
    ("call", Tag::Call),
    ("dictionary", Tag::Object),
    ("pair", Tag::Pair),
    ("keyword_argument", Tag::Pair),
    ("dictionary_splat", Tag::Spread),
    ("match_statement", Tag::Choice),
];

pub(super) fn enter<'t>(it: &mut Recorder<'t>, tag: Tag, node: Node<'t>, trail: &Trail<'t>) {
    match tag {
        Tag::Attribute => tools::decorator(it, node),
        Tag::Function => {
            tools::function(it, node, trail);
            it.open_function(node);
        }
        Tag::Type => value::error_type(it, node, trail),
        Tag::Try => attempt(it, node, trail),
        Tag::Catch => catch(it, node, trail),
        Tag::Finally => {
            it.open(node, Held::Plain);
            it.here.is_tidying = true;
        }
        Tag::Throw => raise(it, node, trail),
        Tag::Return => give_back(it, node, trail),
        Tag::Assert => it.record(node, Handling::Stop(Stop::Assert, "assert".into())),
        Tag::Call => call(it, node, trail),
        Tag::Object => object(it, node, trail),
        Tag::Pair => pair(it, node, trail),
        Tag::Spread => {
            if let Some(members) = it.members_around() {
                members.is_open = true;
            }
        }
        Tag::Choice => value::choice(it, node, trail),
        _ => (),
    }
}

fn attempt<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(body) = Recorder::fields(trail).of(node, Field::Body) else { return };
    let mut cursor = body.walk();
    let mut statements = body.named_children(&mut cursor).filter(|it| !it.is_extra()).take(4);
    let only_tidies = statements.all(|statement| is_cleanup(it.slice(statement)));
    let guard = Guard {
        outer: it.here.guard,
        within: it.here,
        is_cleanup: it.here.is_tidying || only_tidies,
        is_question: false,
        catches: Vec::new(),
    };
    it.open_try(node, body, guard);
}

fn catch<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let value = fields.of(node, Field::Value).map(|value| it.slice(value)).unwrap_or_default();
    let alias = fields.of(node, Field::Alias).map(|alias| it.slice(alias));
    let (types, name) = match value.split_once(" as ") {
        Some((types, name)) => (types, alias.unwrap_or(name).trim()),
        None => (value, alias.unwrap_or_default()),
    };
    let types = types.trim_matches(['(', ')', ' ']).split(',').map(str::trim);
    let types: Vec<Box<str>> = types.filter(|it| !it.is_empty()).map(Into::into).collect();
    let is_all = types.iter().any(|it| matches!(&**it, "Exception" | "BaseException"));
    let mut catch = Catch {
        span: span(node.byte_range()),
        name: name.into(),
        types: if is_all { Vec::new() } else { types },
        ..Catch::default()
    };
    let mut cursor = node.walk();
    if let Some(body) = node.named_children(&mut cursor).find(|it| it.kind() == "block") {
        look_into(it, body, &mut catch);
    }
    it.open_catch(node, catch);
}

fn look_into(it: &Recorder<'_>, body: Node<'_>, catch: &mut Catch) {
    let mut cursor = body.walk();
    let (mut count, mut logs) = (0, 0);
    for statement in body.named_children(&mut cursor) {
        let text = it.slice(statement);
        match statement.kind() {
            "comment" => {
                catch.is_explained = true;
                continue;
            }
            "pass_statement" | "continue_statement" => continue,
            "if_statement" | "match_statement" => catch.decides = true,
            "expression_statement" if text == "..." => continue,
            "expression_statement" => logs += u32::from(is_logger(text)),
            _ => (),
        }
        count += 1;
        catch.rethrows = statement.kind() == "raise_statement"
            && statement.named_child(0).is_none_or(|raised| it.slice(raised) == &*catch.name);
    }
    // A comment after the colon belongs to no block.
    catch.is_explained |= it.slice(body).contains('#');
    catch.is_empty = count == 0;
    catch.only_logs = count > 0 && logs == count;
}

fn raise<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    if let Some(catch) = it.catch_mut() {
        catch.decides = true;
    }
    let Some(raised) = node.named_child(0) else { return };
    let fields = Recorder::fields(trail);
    let made = fields.of(raised, Field::Function);
    let path = it.slice(made.unwrap_or(raised));
    let name = path.rsplit('.').next().unwrap_or(path);
    if exceptions::is_built_in(name) {
        it.record(node, Handling::Raise { kind: name.into() });
        return;
    }
    if name == "McpError" || name == "MCPError" {
        let text = it.slice(raised);
        let code = text.split(['(', ',', ')', ' ', '=', '\n']).find(|it| {
            it.rsplit('.').next().is_some_and(|it| it.contains('_') && super::said::is_code(it))
                || it.starts_with("-32")
        });
        let code = code.unwrap_or_default();
        let is_protocol = words::is_protocol(code, text);
        it.record(node, Handling::Rpc { code: code.into(), is_protocol });
        return;
    }
    if raised.kind() == "dictionary" || (made.is_some() && path.len() <= MAX_CALLEE) {
        it.record(node, Handling::Value(made.map(|_| path).unwrap_or_default().into()));
    }
    let argument = fields.of(raised, Field::Arguments).and_then(|it| it.named_child(0));
    if let Some(argument) = argument.filter(|_| name == "ToolError" && made.is_some()) {
        let said = value::said(it, argument, trail);
        if said.is_literal && !said.has_code && !said.is_opaque {
            it.record(node, Handling::Prose(name.into()));
        }
    }
}

fn give_back<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(returned) = node.named_child(0) else { return };
    match returned.kind() {
        "true" => {
            if let Some(guard) = it.here.guard.filter(|_| it.here.catch.is_none())
                && let Some(guard) = it.guard_mut(guard)
            {
                guard.is_question = true;
            }
        }
        "string" | "concatenated_string" | "binary_operator" | "call"
            if value::said(it, returned, trail).is_error =>
        {
            it.record(node, Handling::Plain(Plain::Text));
        }
        _ => (),
    }
    let is_nothing = matches!(
        it.slice(returned),
        "None"
            | "False"
            | "[]"
            | "{}"
            | "()"
            | "\"\""
            | "''"
            | "0"
            | "-1"
            | "set()"
            | "dict()"
            | "list()"
    );
    if it.here.catch.is_some() && is_nothing {
        it.record(node, Handling::Plain(Plain::Nothing));
    }
}

fn call<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(callee) = fields.of(node, Field::Function) else { return };
    let path = it.slice(callee);
    if path.len() > 100 {
        return;
    }
    let name = path.rsplit('.').next().unwrap_or(path);
    log::look(it, node, trail);
    match path {
        "sys.exit" | "os._exit" | "exit" | "quit" | "os.abort" => {
            it.record(node, Handling::Stop(Stop::Exit, path.into()));
        }
        _ => it.call(path, true),
    }
    if name == "add_tool" {
        tools::added(it, node, trail);
    }
    if makes_errors(name) {
        positional(it, node, trail);
    }
    if !makes_errors(name) && !name.starts_with(|it: char| it.is_ascii_uppercase()) {
        return;
    }
    let mut members = Members::at(span(node.byte_range()));
    members.callee = name.into();
    members.is_result = name == "CallToolResult";
    let is_inner = it.members_around().is_some();
    members.is_block = name == "TextContent" && !is_inner && is_returned(trail);
    it.open(node, Held::Members(Box::new(members)));
}

/// Whether the function gives back what is here, as it is or in a list.
fn is_returned(trail: &Trail<'_>) -> bool {
    for step in trail.around() {
        match step.kind {
            NodeKind::Return => return true,
            NodeKind::List | NodeKind::Through => (),
            _ => return false,
        }
    }
    false
}

fn positional<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(arguments) = fields.of(node, Field::Arguments) else { return };
    let mut cursor = arguments.walk();
    let by_place = arguments.named_children(&mut cursor).filter(|it| {
        !it.is_extra()
            && !matches!(
                it.kind(),
                "keyword_argument" | "list_splat" | "dictionary_splat" | "comment"
            )
    });
    let by_place: Vec<_> = by_place.take(MAX_PARTS).collect();
    let placeholders = by_place.iter().filter(|argument| it.slice(**argument) == "None").count();
    it.positional(Positional {
        callee: fields
            .of(node, Field::Function)
            .map(|callee| it.slice(callee))
            .unwrap_or_default()
            .into(),
        span: span(node.byte_range()),
        placeholders: u8::try_from(placeholders).unwrap_or(u8::MAX),
        count: u8::try_from(by_place.len()).unwrap_or(u8::MAX),
        within: it.here,
    });
}

fn object<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let mut members = Members::at(span(node.byte_range()));
    match trail.meaning() {
        Some((outer, _)) if outer.kind == NodeKind::Return => members.is_returned = true,
        Some((outer, _)) if matches!(outer.kind, NodeKind::Pair | NodeKind::Keyword) => {
            members.is_details = key(it, outer.node, trail) == Some("details");
        }
        _ => (),
    }
    it.open(node, Held::Members(Box::new(members)));
}

/// The name of a member, of a dictionary or of a call.
fn key<'t>(it: &Recorder<'t>, pair: Node<'t>, trail: &Trail<'t>) -> Option<&'t str> {
    let fields = Recorder::fields(trail);
    let key = fields.of(pair, Field::Key).or_else(|| fields.of(pair, Field::Name))?;
    Some(it.slice(key).trim_matches(['"', '\'']))
}

fn pair<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(name) = key(it, node, trail) else { return };
    let key = Key::of(name);
    let Some(around) = it.members_around() else { return };
    if key.is_none() && !around.is_details {
        return;
    }
    let Some(value_of) = Recorder::fields(trail).of(node, Field::Value) else { return };
    if let Some(key) = key {
        tools::part(it, key, value_of);
    }
    let value = value::value(it, value_of, trail);
    if let Some(members) = it.members_around() {
        members.add(key, value, span(value_of.byte_range()));
    }
}
