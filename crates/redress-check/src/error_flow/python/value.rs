//! Values, types of errors and decisions by code in Python.

use tree_sitter::Node;

use super::super::{
    Flag, Leak, Mapping, Said, members::Value, record::Recorder, said::is_code, words,
};
use crate::{
    span::span,
    tree::{Field, MAX_PARTS, Trail},
};

/// What a member is set to.
pub(super) fn value<'t>(it: &Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) -> Value {
    let text = it.slice(node);
    match node.kind() {
        "true" => Value::Flag(Flag::True),
        "false" => Value::Flag(Flag::False),
        "string" if text.starts_with(['b', 'B']) => Value::Unsafe("bytes".into()),
        "string" | "concatenated_string" => Value::Text(said(it, node, trail)),
        "binary_operator" => match said(it, node, trail) {
            said if said.is_literal => Value::Text(said),
            _ => Value::Unknown,
        },
        "integer" | "float" | "unary_operator" => Value::Number,
        "list" => Value::List,
        "set" | "set_comprehension" => Value::Unsafe("a set".into()),
        "lambda" => Value::Unsafe("a function".into()),
        "identifier" if it.is_caught(text) => Value::Unsafe("an exception".into()),
        "identifier" | "attribute" => Value::Word,
        "call" => called(it, node, trail),
        _ => Value::Unknown,
    }
}

fn called<'t>(it: &Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) -> Value {
    let callee = Recorder::fields(trail).of(node, Field::Function);
    let callee = callee.map(|callee| it.slice(callee)).unwrap_or_default();
    match callee {
        "str" | "repr" | "traceback.format_exc" => Value::Text(said(it, node, trail)),
        "datetime.now" | "datetime.utcnow" | "datetime.datetime.now" => {
            Value::Unsafe("a datetime".into())
        }
        "Decimal" | "decimal.Decimal" => Value::Unsafe("a Decimal".into()),
        "Path" | "pathlib.Path" => Value::Unsafe("a Path".into()),
        "set" | "frozenset" => Value::Unsafe("a set".into()),
        "bytes" | "bytearray" => Value::Unsafe("bytes".into()),
        _ if callee.ends_with(".format") => Value::Text(said(it, node, trail)),
        _ => Value::Unknown,
    }
}

/// What a text says.
pub(super) fn said<'t>(it: &Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) -> Said {
    let fields = Recorder::fields(trail);
    let mut said = Said::at(span(node.byte_range()));
    let mut parts = vec![node];
    for _ in 0..MAX_PARTS {
        let Some(part) = parts.pop() else { break };
        let text = it.slice(part);
        let place = span(part.byte_range());
        match part.kind() {
            "string"
            | "concatenated_string"
            | "interpolation"
            | "binary_operator"
            | "parenthesized_expression" => {
                let mut cursor = part.walk();
                let children: Vec<_> = part.named_children(&mut cursor).take(MAX_PARTS).collect();
                parts.extend(children.into_iter().rev());
            }
            "string_content" => said.literal(text),
            "string_start" | "string_end" | "format_specifier" | "integer" | "float" => (),
            "type_conversion" => {
                if text == "!r" {
                    said.is_varied = true;
                }
            }
            "identifier" | "attribute" | "subscript" => said.value(text, place),
            "call" => {
                let callee = fields.of(part, Field::Function);
                let path = callee.map(|callee| it.slice(callee)).unwrap_or_default();
                match path {
                    "str" | "len" | "type" => said.is_varied = true,
                    "repr" => said.leak(Leak::Whole, place),
                    "json.dumps" => {
                        let given =
                            fields.of(part, Field::Arguments).and_then(|it| it.named_child(0));
                        said.json(given.map(|given| it.slice(given)).unwrap_or_default(), place);
                    }
                    "traceback.format_exc" | "format_exc" | "traceback.format_exception" => {
                        said.leak(Leak::Stack, place);
                    }
                    _ if matches!(path.rsplit('.').next(), Some("format" | "join")) => {
                        parts.extend(callee.and_then(|it| fields.of(it, Field::Object)));
                        said.is_varied |= said.is_literal;
                    }
                    _ => said.is_opaque = true,
                }
            }
            _ => said.is_opaque = true,
        }
    }
    said
}

/// A class of errors, with the members that it declares.
pub(super) fn error_type<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    it.error_type_of(node, fields, |it, statement| {
        let declared = statement.named_child(0).filter(|it| it.kind() == "assignment")?;
        let name = it.slice(fields.of(declared, Field::Left)?);
        let text = it.slice(declared);
        let may_be_absent =
            text.contains("Optional[") || text.ends_with("= None") || text.contains("NotRequired[");
        Some((declared, name, may_be_absent))
    });
}

/// A `match` over codes whose last case takes all others as they come.
pub(super) fn choice<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(body) = Recorder::fields(trail).of(node, Field::Body) else { return };
    let mut cursor = body.walk();
    let (mut cases, mut rest) = (Vec::new(), None);
    for case in body.named_children(&mut cursor).take(MAX_PARTS * 4) {
        let pattern = case.named_child(0).map(|pattern| it.slice(pattern)).unwrap_or_default();
        if pattern == "_" {
            rest = (!words::refuses(it.slice(case))).then(|| span(case.byte_range()));
            continue;
        }
        for value in pattern.split('|') {
            let value =
                value.trim().rsplit('.').next().unwrap_or_default().trim_matches(['"', '\'']);
            if is_code(value) {
                cases.push(value.into());
            }
        }
    }
    if let Some(rest) = rest {
        it.mapping(Mapping { cases, rest, within: it.here });
    }
}
