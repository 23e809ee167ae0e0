//! Tables of codes: enums, objects, classes of constants, lists, unions of literals.

use redress_registry::name::{is_code, is_full_code};
use tree_sitter::Node;

use crate::{
    facts::{CodeTable, Member, TableKind, TableRow},
    position::{callee, unquoted},
    scan::Scan,
    span::{Span, span},
    tree::{NodeKind, Step, Trail},
};

/// The name of the object in which a plugin declares its codes.
pub(crate) const PLUGIN_CODES: &str = "errorCodes";

/// Fewer codes are no table.
const MIN_MEMBERS: usize = 2;

/// Larger texts are data.
const MAX_BYTES: usize = 256 << 10;

/// Keeps the table that a node is, if it is one.
pub(crate) fn enter<'t>(scan: &mut Scan<'t>, step: Step<'t>, trail: &Trail<'t>) {
    let node = step.node;
    if node.end_byte() - node.start_byte() > MAX_BYTES {
        return;
    }
    match step.kind {
        NodeKind::Object => object(scan, node, trail),
        NodeKind::List | NodeKind::Union
            if trail.parent().is_none_or(|it| it.kind != NodeKind::Union) =>
        {
            list(scan, step, trail);
        }
        NodeKind::Subscript => literal_type(scan, node, trail),
        NodeKind::Enum => members(scan, node, true),
        NodeKind::Class => members(scan, node, false),
        _ => (),
    }
}

/// `{ A: "A" }` is a table of names, `{ A: … }` one of keys.
fn object<'t>(scan: &mut Scan<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some((name, _)) = home(scan, trail) else { return };
    if node.named_child_count() < least(name) {
        return;
    }
    let mut cursor = node.walk();
    let mut names = Vec::new();
    let mut keys = Vec::new();
    for pair in node.named_children(&mut cursor) {
        let Some((key, value)) = pair.named_child(0).zip(pair.named_child(1)) else { continue };
        let name = unquoted(scan.slice(key));
        match scan.literal(value).filter(|_| is_quoted(scan, value)) {
            Some((text, span)) if is_full_code(text) => names.push(member(name, text, span)),
            _ if is_code(name) => keys
                .push(Member { row: said_of(scan, value), ..member(name, name, inner(scan, key)) }),
            _ => (),
        }
    }
    let (kind, found) = match (names.len(), keys.len()) {
        (names_in, keys_in) if names_in >= keys_in => (TableKind::Names, names),
        _ => (TableKind::Keys, keys),
    };
    keep(scan, trail, kind, found);
}

fn list<'t>(scan: &mut Scan<'t>, step: Step<'t>, trail: &Trail<'t>) {
    if step.node.named_child_count() < MIN_MEMBERS || home(scan, trail).is_none() {
        return;
    }
    if step.kind == NodeKind::Union {
        let found = quoted_words(scan.slice(step.node), step.node.start_byte());
        return keep(scan, trail, TableKind::Values, found);
    }
    // What is deeper inside, such as the texts of a content block, is no member.
    let mut cursor = step.node.walk();
    let elements = step.node.named_children(&mut cursor).filter(|it| is_quoted(scan, *it));
    let texts = elements.filter_map(|it| scan.literal(it));
    let words = texts.filter(|it| is_full_code(it.0) || is_snake(it.0));
    let found = words.map(|(text, span)| member(text, text, span)).collect();
    keep(scan, trail, TableKind::List, found);
}

/// `Literal["A", "B"]`.
fn literal_type<'t>(scan: &mut Scan<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let text = scan.slice(node);
    let is_literal = text.split_once('[').is_some_and(|it| it.0.trim().ends_with("Literal"));
    if is_literal {
        let found = quoted_words(text, node.start_byte());
        keep(scan, trail, TableKind::Values, found);
    }
}

/// The members of an enum or class that are texts.
fn members<'t>(scan: &mut Scan<'t>, node: Node<'t>, is_enum: bool) {
    let Some((name, body)) = node.child_by_field_name("name").zip(node.child_by_field_name("body"))
    else {
        return;
    };
    let mut cursor = body.walk();
    let mut found = Vec::new();
    for item in body.named_children(&mut cursor) {
        let item =
            item.named_child(0).filter(|_| item.kind() == "expression_statement").unwrap_or(item);
        let named = ["name", "left", "property"].iter().find_map(|it| item.child_by_field_name(it));
        let value = ["value", "right"].iter().find_map(|it| item.child_by_field_name(it));
        let Some((named, value)) = named.zip(value) else { continue };
        if !is_quoted(scan, value) {
            continue;
        }
        if let Some((text, span)) = scan.literal(value).filter(|it| is_enum || is_full_code(it.0)) {
            found.push(member(scan.slice(named), text, span));
        }
    }
    push(scan, scan.slice(name), span(name.byte_range()), (TableKind::Names, found));
}

/// Keeps a table under the name that it is declared with; one without a name is passed on and gone.
fn keep<'t>(scan: &mut Scan<'t>, trail: &Trail<'t>, kind: TableKind, found: Vec<Member>) {
    if let Some((name, span)) = home(scan, trail) {
        push(scan, name, span, (kind, found));
    }
}

/// How many members make a table of this name: a plugin may declare a single code.
fn least(name: &str) -> usize {
    if name == PLUGIN_CODES { 1 } else { MIN_MEMBERS }
}

pub(crate) fn push(
    scan: &mut Scan<'_>,
    name: &str,
    span: Span,
    (kind, members): (TableKind, Vec<Member>),
) {
    if members.len() >= least(name) {
        scan.facts.tables.push(CodeTable { name: name.into(), kind, span, members });
    }
}

/// What the table around is called, through `Object.freeze(…)`, `new Set(…)`, `as const`.
fn home<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> Option<(&'t str, Span)> {
    const WRAPPERS: [&str; 9] =
        ["freeze", "Set", "Map", "frozenset", "set", "tuple", "list", "MappingProxyType", "enum"];
    for step in trail.around() {
        let named = |field: &str| step.node.child_by_field_name(field);
        let name = match step.kind {
            NodeKind::Through | NodeKind::Arguments => continue,
            NodeKind::Call | NodeKind::New => {
                let callee = scan.path(callee(step.node)?)?;
                let last = callee.rsplit('.').next().unwrap_or_default();
                if WRAPPERS.contains(&last) {
                    continue;
                }
                return None;
            }
            NodeKind::Declare => {
                named("name").or_else(|| named("left")).or_else(|| named("property"))
            }
            NodeKind::TypeAlias => named("name").or_else(|| step.node.named_child(0)),
            NodeKind::Pair => step.node.named_child(0),
            _ => return None,
        }?;
        return Some((unquoted(scan.slice(name)), span(name.byte_range())));
    }
    None
}

/// The quoted words of a list, without what is in its comments.
fn quoted_words(text: &str, start: usize) -> Vec<Member> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '#', '/']) {
        let (mark, after) =
            rest.get(at..).unwrap_or_default().split_at_checked(1).unwrap_or_default();
        rest = after;
        if mark == "#" || (mark == "/" && after.starts_with('/')) {
            rest = after.split_once('\n').map_or("", |it| it.1);
        } else if mark != "/" {
            let Some((word, after)) = after.split_once(mark) else { break };
            let from = start + text.len() - rest.len();
            if is_full_code(word) || is_snake(word) {
                found.push(member(word, word, span(from..from + word.len())));
            } else if word.contains('\n') {
                break;
            }
            rest = after;
        }
    }
    found
}

/// The spelling of some dialects: `auth_required`.
fn is_snake(word: &str) -> bool {
    word.len() >= 3 && word.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
}

pub(crate) fn member(name: &str, text: &str, span: Span) -> Member {
    Member { name: name.into(), text: text.into(), span, row: None }
}

/// What a table says of a code, if its value is an object.
fn said_of(scan: &Scan<'_>, value: Node<'_>) -> Option<Box<TableRow>> {
    let object = match value.kind() {
        "object" | "dictionary" => value,
        _ => value.named_child(0).filter(|it| it.kind() == "object")?,
    };
    let mut row = TableRow::default();
    let mut cursor = object.walk();
    for pair in object.named_children(&mut cursor) {
        let Some((key, value)) = pair.named_child(0).zip(pair.named_child(1)) else { continue };
        let text = || scan.literal(value).filter(|_| is_quoted(scan, value)).map(|it| it.0.into());
        match unquoted(scan.slice(key)) {
            "http" | "status" | "httpStatus" | "http_status" | "statusCode" => {
                row.http = scan.slice(value).parse().ok();
            }
            "retryable" | "isRetryable" | "is_retryable" => {
                row.is_retryable = scan.slice(value).to_ascii_lowercase().parse().ok();
            }
            "hint" | "suggestion" | "fix" => row.hint = text(),
            "message" | "human_message" => row.message = text(),
            _ => (),
        }
    }
    (row != TableRow::default()).then(|| Box::new(row))
}

fn inner(scan: &Scan<'_>, key: Node<'_>) -> Span {
    scan.literal(key).map_or_else(|| span(key.byte_range()), |it| it.1)
}

/// Whether the node is a text, and not something that has one in it.
fn is_quoted(scan: &Scan<'_>, node: Node<'_>) -> bool {
    let text = scan.slice(node);
    text.ends_with(['"', '\'', '`'])
        && !text.starts_with(|it: char| it.is_ascii_uppercase() || it == '(')
        && text.find(['"', '\'', '`']).is_some_and(|it| it <= 2)
}

#[cfg(test)]
mod tests {
    use super::quoted_words;

    #[test]
    fn words_of_comments_are_no_members() {
        let text = "['A_B', // don't\n \"C_D\" # it's\n, 'x y', 'e_f']";
        let found: Vec<_> = quoted_words(text, 0)
            .into_iter()
            .map(|it| text[it.span.start as usize..it.span.end as usize].to_owned())
            .collect();
        assert_eq!(found, ["A_B", "C_D", "e_f"]);
    }
}
