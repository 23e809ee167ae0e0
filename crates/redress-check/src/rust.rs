//! Rust: its nodes, its tables, its imports.

use redress_registry::name::is_full_code;
use tree_sitter::Node;

use crate::{
    facts::TableKind,
    imports,
    scan::Scan,
    span::span,
    table::{self, member},
    tree::{NodeKind, Step, Trail},
};

/// What the nodes of the grammar are.
pub(crate) const KINDS: &[(&str, NodeKind)] = &[
    ("line_comment", NodeKind::Comment),
    ("block_comment", NodeKind::Comment),
    ("string_literal", NodeKind::Text),
    ("raw_string_literal", NodeKind::Text),
    ("identifier", NodeKind::Name),
    ("scoped_identifier", NodeKind::Path),
    ("field_expression", NodeKind::Path),
    ("call_expression", NodeKind::Call),
    ("struct_expression", NodeKind::New),
    ("macro_invocation", NodeKind::Macro),
    ("token_tree", NodeKind::Tokens),
    ("arguments", NodeKind::Arguments),
    ("field_initializer", NodeKind::Pair),
    ("field_initializer_list", NodeKind::Object),
    ("array_expression", NodeKind::List),
    ("enum_item", NodeKind::Enum),
    ("enum_variant", NodeKind::EnumMember),
    ("impl_item", NodeKind::Class),
    ("function_item", NodeKind::Function),
    ("closure_expression", NodeKind::Function),
    ("parameters", NodeKind::Parameters),
    ("const_item", NodeKind::Declare),
    ("static_item", NodeKind::Declare),
    ("let_declaration", NodeKind::Declare),
    ("assignment_expression", NodeKind::Assign),
    ("binary_expression", NodeKind::Operator),
    ("match_arm", NodeKind::Through),
    ("match_pattern", NodeKind::Pattern),
    ("or_pattern", NodeKind::Pattern),
    ("tuple_struct_pattern", NodeKind::Pattern),
    ("struct_pattern", NodeKind::Pattern),
    ("use_declaration", NodeKind::Import),
    ("attribute_item", NodeKind::Decorator),
    ("mod_item", NodeKind::Module),
    ("return_expression", NodeKind::Return),
    ("block", NodeKind::Block),
    ("parenthesized_expression", NodeKind::Through),
    ("reference_expression", NodeKind::Through),
    ("try_expression", NodeKind::Through),
    ("await_expression", NodeKind::Through),
    ("if_expression", NodeKind::Through),
    ("else_clause", NodeKind::Through),
    ("match_block", NodeKind::Through),
    ("match_expression", NodeKind::Through),
];

pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, _trail: &Trail<'t>) {
    match step.kind {
        NodeKind::Import => {
            let found = imports::rust(scan.slice(step.node));
            scan.facts.imports.extend(found);
        }
        NodeKind::Enum => variants(scan, step.node),
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
