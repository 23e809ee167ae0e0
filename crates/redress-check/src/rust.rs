//! Rust: its nodes, its tables, its imports.

use redress_registry::name::is_full_code;
use tree_sitter::Node;

use crate::{
    facts::TableKind,
    imports,
    scan::Scan,
    span::span,
    table::{self, member},
    tree::{Kind, Step, Trail},
};

/// What the nodes of the grammar are.
pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("line_comment", Kind::Comment),
    ("block_comment", Kind::Comment),
    ("string_literal", Kind::Text),
    ("raw_string_literal", Kind::Text),
    ("identifier", Kind::Name),
    ("scoped_identifier", Kind::Path),
    ("field_expression", Kind::Path),
    ("call_expression", Kind::Call),
    ("struct_expression", Kind::New),
    ("macro_invocation", Kind::Macro),
    ("token_tree", Kind::Tokens),
    ("arguments", Kind::Arguments),
    ("field_initializer", Kind::Pair),
    ("field_initializer_list", Kind::Object),
    ("array_expression", Kind::List),
    ("enum_item", Kind::Enum),
    ("enum_variant", Kind::EnumMember),
    ("impl_item", Kind::Class),
    ("function_item", Kind::Function),
    ("closure_expression", Kind::Function),
    ("parameters", Kind::Parameters),
    ("const_item", Kind::Declare),
    ("static_item", Kind::Declare),
    ("let_declaration", Kind::Declare),
    ("assignment_expression", Kind::Assign),
    ("binary_expression", Kind::Operator),
    ("match_arm", Kind::Through),
    ("match_pattern", Kind::Pattern),
    ("or_pattern", Kind::Pattern),
    ("tuple_struct_pattern", Kind::Pattern),
    ("struct_pattern", Kind::Pattern),
    ("use_declaration", Kind::Import),
    ("attribute_item", Kind::Decorator),
    ("mod_item", Kind::Module),
    ("return_expression", Kind::Return),
    ("block", Kind::Block),
    ("parenthesized_expression", Kind::Through),
    ("reference_expression", Kind::Through),
    ("try_expression", Kind::Through),
    ("await_expression", Kind::Through),
    ("if_expression", Kind::Through),
    ("else_clause", Kind::Through),
    ("match_block", Kind::Through),
    ("match_expression", Kind::Through),
];

pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, _trail: &Trail<'t>) {
    match step.kind {
        Kind::Import => {
            let found = imports::rust(scan.slice(step.node));
            scan.facts.imports.extend(found);
        }
        Kind::Enum => variants(scan, step.node),
        _ => (),
    }
}

/// The variants of an enum as codes: `RefNotFound` is `REF_NOT_FOUND`, as the derive names it.
fn variants<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    let Some((name, body)) = node.child_by_field_name("name").zip(node.child_by_field_name("body"))
    else {
        return;
    };
    let mut cursor = body.walk();
    let mut members = Vec::new();
    let mut renamed = Vec::new();
    let mut said: Option<&str> = None;
    let mut called: Option<(&str, usize)> = None;
    for item in body.named_children(&mut cursor) {
        match item.kind() {
            "attribute_item" => {
                let text = scan.slice(item);
                said = said.or_else(|| stated_code(text));
                called = called.or_else(|| renaming(text, item.start_byte()));
            }
            "enum_variant" => {
                let Some(name) = item.child_by_field_name("name") else { continue };
                if let Some((text, at)) = called.take() {
                    renamed.push(member(scan.slice(name), text, span(at..at + text.len())));
                }
                let code = said.take().map_or_else(|| screaming(scan.slice(name)), str::to_owned);
                members.push(member(scan.slice(name), &code, span(name.byte_range())));
            }
            _ => (),
        }
    }
    let table = match derives_contract(scan, node) {
        true => (TableKind::Derived, members),
        false if renamed.len() > 1 => (TableKind::Names, renamed),
        false => (TableKind::Variants, members),
    };
    table::push(scan, scan.slice(name), span(name.byte_range()), table);
}

/// `X` of `#[serde(rename = "X")]`, if it can be a code, and where it is.
fn renaming(attribute: &str, start: usize) -> Option<(&str, usize)> {
    const KEY: &str = "rename = \"";
    let at = attribute.find("serde(")?;
    let at = at + attribute.get(at..)?.find(KEY)? + KEY.len();
    let text = attribute.get(at..)?.split('"').next()?;
    is_full_code(text).then_some((text, start + at))
}

/// `X` of `#[contract(code = "X")]`.
fn stated_code(attribute: &str) -> Option<&str> {
    let (_, rest) = attribute.split_once("contract(")?.1.split_once("code = \"")?;
    rest.split('"').next()
}

fn derives_contract(scan: &Scan<'_>, item: Node<'_>) -> bool {
    let mut before = item.prev_named_sibling();
    while let Some(it) = before.filter(|it| matches!(it.kind(), "attribute_item" | "line_comment"))
    {
        let text = scan.slice(it);
        if text.contains("derive") && text.contains("Contract") {
            return true;
        }
        before = it.prev_named_sibling();
    }
    false
}

/// `HTTPTimeout` is `HTTP_TIMEOUT`.
fn screaming(name: &str) -> String {
    let mut code = String::with_capacity(name.len() + 8);
    let mut letters = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(it) = letters.next() {
        let ends_capitals = before.is_some_and(char::is_uppercase)
            && letters.peek().is_some_and(|it| it.is_lowercase());
        let after_small = before.is_some_and(|it| it.is_lowercase() || it.is_numeric());
        if it.is_uppercase() && (ends_capitals || after_small) {
            code.push('_');
        }
        code.extend(it.to_uppercase());
        before = Some(it);
    }
    code
}
