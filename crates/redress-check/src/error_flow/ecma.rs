//! What nodes of TypeScript and JavaScript say about failures.

mod tools;
mod types;
mod value;

use tree_sitter::Node;

use super::{
    Catch, Guard, Handling, Plain, Positional, Stop, log,
    members::{Key, Members, Value, makes_errors},
    record::{Held, MAX_CALLEE, Recorder},
    words::{is_cleanup, is_logger, only_later},
};
use crate::{
    span::span,
    tree::{Field, NodeKind, Tag, Trail},
};

/// The kinds of nodes that are looked at.
pub(crate) const TAGS: &[(&str, Tag)] = &[
    ("function_declaration", Tag::Function),
    ("generator_function_declaration", Tag::Function),
    ("function_expression", Tag::Function),
    ("generator_function", Tag::Function),
    ("arrow_function", Tag::Function),
    ("method_definition", Tag::Function),
    ("try_statement", Tag::Try),
    ("catch_clause", Tag::Catch),
    ("finally_clause", Tag::Finally),
    ("throw_statement", Tag::Throw),
    ("return_statement", Tag::Return),
    ("call_expression", Tag::Call),
    ("new_expression", Tag::New),
    ("object", Tag::Object),
    ("pair", Tag::Pair),
    ("shorthand_property_identifier", Tag::Pair),
    ("spread_element", Tag::Spread),
    ("switch_statement", Tag::Choice),
    ("interface_declaration", Tag::Type),
    ("type_alias_declaration", Tag::Type),
    ("enum_declaration", Tag::Type),
];

pub(super) fn enter<'t>(it: &mut Recorder<'t>, tag: Tag, node: Node<'t>, trail: &Trail<'t>) {
    match tag {
        Tag::Function => function(it, node, trail),
        Tag::Try => attempt(it, node, trail),
        Tag::Catch => catch(it, node, trail),
        Tag::Finally => {
            it.open(node, Held::Plain);
            it.here.is_tidying = true;
        }
        Tag::Throw => throw(it, node, trail),
        Tag::Return => give_back(it, node, trail),
        Tag::Call => call(it, node, trail),
        Tag::New => positional(it, node, trail, Field::Constructor),
        Tag::Object => object(it, node, trail),
        Tag::Pair => pair(it, node, trail),
        Tag::Spread => {
            if let Some(members) = it.members_around() {
                members.is_open = true;
            }
        }
        Tag::Choice => types::choice(it, node, trail),
        Tag::Type => types::error_type(it, node, trail),
        _ => (),
    }
}

fn function<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let parent = trail.parent().map(|it| it.kind);
    let name = Recorder::fields(trail).of(node, Field::Name);
    if let Some(name) = name {
        tools::method(it, node, name, trail);
    }
    let given = matches!(
        parent,
        Some(NodeKind::Declare | NodeKind::Pair | NodeKind::Assign | NodeKind::Class)
    );
    if name.is_none() && !given {
        let mut within = it.here;
        within.is_detached |=
            parent == Some(NodeKind::Arguments) && callee(it, trail).is_some_and(only_later);
        it.closure(node, within);
    }
    it.open_function(node);
}

/// Who is called with the arguments around a node.
fn callee<'t>(it: &Recorder<'t>, trail: &Trail<'t>) -> Option<&'t str> {
    let call = trail.around().nth(1)?.node;
    let fields = Recorder::fields(trail);
    let callee =
        fields.of(call, Field::Function).or_else(|| fields.of(call, Field::Constructor))?;
    Some(last_name(it, callee, trail))
}

/// The last name of a path: `exit` of `process.exit`.
fn last_name<'t>(it: &Recorder<'t>, path: Node<'t>, trail: &Trail<'t>) -> &'t str {
    let last = Recorder::fields(trail).of(path, Field::Property).unwrap_or(path);
    let name = it.slice(last);
    if name.len() > 80 { "" } else { name }
}

fn attempt<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(body) = fields.of(node, Field::Body) else { return };
    if fields.of(node, Field::Handler).is_none() {
        return;
    }
    let guard = Guard {
        outer: it.here.guard,
        within: it.here,
        is_cleanup: it.here.is_tidying || only_tidies(it, body),
        is_question: false,
        catches: Vec::new(),
    };
    it.open_try(node, body, guard);
}

/// Whether a block is one statement that closes or removes something.
fn only_tidies(it: &Recorder<'_>, body: Node<'_>) -> bool {
    let mut cursor = body.walk();
    let mut statements = body.named_children(&mut cursor).filter(|it| !it.is_extra()).peekable();
    statements.peek().is_some()
        && statements.take(4).all(|statement| is_cleanup(it.slice(statement)))
}

fn catch<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let name = fields.of(node, Field::Parameter).map(|name| it.slice(name)).unwrap_or_default();
    let mut catch = Catch { span: span(node.byte_range()), name: name.into(), ..Catch::default() };
    if let Some(body) = fields.of(node, Field::Body) {
        let mut cursor = body.walk();
        let (mut count, mut logs) = (0, 0);
        for statement in body.named_children(&mut cursor) {
            if statement.is_extra() {
                catch.is_explained = true;
                continue;
            }
            count += 1;
            let kind = statement.kind();
            catch.decides |= matches!(kind, "if_statement" | "switch_statement");
            catch.rethrows = kind == "throw_statement" && thrown_name(it, statement) == Some(name);
            logs += u32::from(kind == "expression_statement" && is_logger(it.slice(statement)));
        }
        catch.is_empty = count == 0;
        catch.only_logs = count > 0 && logs == count;
    }
    it.open_catch(node, catch);
}

fn thrown_name<'t>(it: &Recorder<'t>, throw: Node<'t>) -> Option<&'t str> {
    let thrown = value::bare(throw.named_child(0)?);
    (thrown.kind() == "identifier").then(|| it.slice(thrown))
}

fn throw<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    if let Some(catch) = it.catch_mut() {
        catch.decides = true;
    }
    if let Some(what) = node.named_child(0).and_then(|thrown| raised(it, thrown, trail)) {
        it.record(node, what);
    }
}

/// What is raised, if it has no code.
fn raised<'t>(it: &Recorder<'t>, thrown: Node<'t>, trail: &Trail<'t>) -> Option<Handling> {
    let thrown = value::bare(thrown);
    let fields = Recorder::fields(trail);
    let made = match thrown.kind() {
        "new_expression" => fields.of(thrown, Field::Constructor)?,
        "call_expression" => fields.of(thrown, Field::Function)?,
        "string" | "template_string" => return Some(Handling::Raise { kind: "string".into() }),
        "object" => return Some(Handling::Value("".into())),
        _ => return None,
    };
    let name = it.slice(made);
    if is_builtin_error(name) {
        return Some(Handling::Raise { kind: name.into() });
    }
    if last_name(it, made, trail) != "McpError" {
        let is_call = thrown.kind() == "call_expression" && name.len() <= MAX_CALLEE;
        return is_call.then(|| Handling::Value(name.into()));
    }
    let arguments = fields.of(thrown, Field::Arguments)?;
    let code = arguments.named_child(0).map(|code| it.slice(code)).unwrap_or_default();
    let message = arguments.named_child(1).map(|message| it.slice(message)).unwrap_or_default();
    let is_protocol = super::words::is_protocol(code, message);
    Some(Handling::Rpc { code: code.into(), is_protocol })
}

fn is_builtin_error(name: &str) -> bool {
    matches!(
        name,
        "Error"
            | "TypeError"
            | "RangeError"
            | "SyntaxError"
            | "ReferenceError"
            | "EvalError"
            | "URIError"
            | "AggregateError"
    )
}

fn give_back<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(returned) = node.named_child(0).map(value::bare) else { return };
    match returned.kind() {
        "true" | "binary_expression" => {
            if let Some(guard) = it.here.guard.filter(|_| it.here.catch.is_none())
                && let Some(guard) = it.guard_mut(guard)
            {
                guard.is_question |= returned.kind() == "true";
            }
        }
        "string" | "template_string" if value::said(it, returned, trail).is_error => {
            it.record(node, Handling::Plain(Plain::Text));
        }
        _ => (),
    }
    if it.here.catch.is_some() && is_nothing(it.slice(returned)) {
        it.record(node, Handling::Plain(Plain::Nothing));
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "null" | "undefined" | "false" | "[]" | "{}" | "''" | "\"\"" | "``" | "0" | "-1")
}

fn call<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(callee) = fields.of(node, Field::Function) else { return };
    let name = last_name(it, callee, trail);
    log::look(it, node, trail);
    let object =
        fields.of(callee, Field::Object).map(|object| it.slice(object)).unwrap_or_default();
    match (object, name) {
        ("process", "exit" | "abort") => it.record(node, Handling::Stop(Stop::Exit, name.into())),
        ("assert", _) | ("", "assert") => {
            it.record(node, Handling::Stop(Stop::Assert, "assert".into()));
        }
        ("Promise" | "", "reject") => {
            let rejected = fields.of(node, Field::Arguments).and_then(|it| it.named_child(0));
            if let Some(what) = rejected.and_then(|rejected| raised(it, rejected, trail)) {
                it.record(node, what);
            }
        }
        (_, "catch") if !object.is_empty() => {
            if !is_cleanup(object) && value::ignores(it, node, trail) {
                it.record_at(
                    span(callee.end_byte().saturating_sub("catch".len())..node.end_byte()),
                    Handling::Ignore(".catch()".into()),
                );
            }
        }
        (_, "tool" | "registerTool" | "registerAppTool" | "addTool" | "setRequestHandler") => {
            tools::given(it, node, name, trail);
        }
        (_, "handler" | "execute" | "callback" | "cb" | "fn" | "run" | "invoke") => {
            it.record(node, Handling::Dispatch(name.into()));
        }
        _ => positional(it, node, trail, Field::Function),
    }
    let is_caught = trail.parent().is_some_and(|outer| {
        fields.of(outer.node, Field::Property).is_some_and(|next| it.slice(next) == "catch")
    });
    it.call(it.slice(callee), !is_caught);
}

fn positional<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>, callee: Field) {
    let fields = Recorder::fields(trail);
    let Some(callee) = fields.of(node, callee) else { return };
    if !makes_errors(last_name(it, callee, trail)) {
        return;
    }
    let Some(arguments) = fields.of(node, Field::Arguments) else { return };
    let mut cursor = arguments.walk();
    let arguments: Vec<_> =
        arguments.named_children(&mut cursor).filter(|it| !it.is_extra()).take(20).collect();
    let is_nothing = |it: &str| matches!(it, "undefined" | "null");
    let placeholders = arguments.iter().filter(|argument| is_nothing(it.slice(**argument))).count();
    let last_is_open =
        arguments.last().is_some_and(|it| matches!(it.kind(), "object" | "spread_element"));
    if placeholders == 0 && last_is_open {
        return;
    }
    it.positional(Positional {
        callee: it.slice(callee).into(),
        span: span(node.byte_range()),
        placeholders: u8::try_from(placeholders).unwrap_or(u8::MAX),
        count: u8::try_from(arguments.len()).unwrap_or(u8::MAX),
        within: it.here,
    });
}

fn object<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let mut members = Members::at(span(node.byte_range()));
    match trail.meaning() {
        Some((outer, _)) if matches!(outer.kind, NodeKind::Return | NodeKind::Function) => {
            members.is_returned = true;
        }
        Some((outer, _)) if outer.kind == NodeKind::Arguments => {
            members.callee = callee(it, trail).unwrap_or_default().into();
        }
        Some((outer, _)) if outer.kind == NodeKind::Pair => {
            let key = Recorder::fields(trail).of(outer.node, Field::Key);
            members.is_details = key.is_some_and(|key| it.slice(key) == "details");
        }
        _ => (),
    }
    it.open(node, Held::Members(Box::new(members)));
}

fn pair<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let (key, value) = match fields.of(node, Field::Key) {
        Some(key) => (key, fields.of(node, Field::Value)),
        None => (node, None),
    };
    let name = it.slice(key).trim_matches(['"', '\'']);
    let key = Key::of(name);
    if key.is_none() && !it.members_around().is_some_and(|it| it.is_details) {
        return;
    }
    let value_of = value.unwrap_or(node);
    if let Some(key) = key {
        tools::part(it, key, value_of, trail);
    }
    let value = match key {
        // What a way out is made of is text, whatever makes it.
        Some(Key::Hint) if value::bare(value_of).kind() == "call_expression" => {
            Value::Text(value::said(it, value_of, trail))
        }
        _ => value::value(it, value_of, trail),
    };
    let place = span(value_of.byte_range());
    if let Some(members) = it.members_around() {
        members.add(key, value, place);
    }
}
