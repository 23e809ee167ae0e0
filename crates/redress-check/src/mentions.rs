//! Values that stand where a code can stand, and the constants that name such values.

use redress_registry::name::{is_code, is_full_code};
use tree_sitter::Node;

use crate::{
    facts::{Constant, Mention, Position, Value},
    language::Language,
    position::{is_under_code_key, message, position},
    scan::Scan,
    span::{Span, span},
    tree::{NodeKind, Step, Trail},
};

/// Keeps a text that is where a code can stand.
pub(crate) fn text<'t>(scan: &mut Scan<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some((text, span)) = scan.literal(node) else { return computed(scan, node, trail) };
    let shaped = is_full_code(text);
    if shaped {
        constant(scan, Value::Text(text.into()), span.clone(), trail);
    }
    if !shaped && is_piece(text) {
        return joined(scan, text, node, trail);
    }
    let can_be_code = shaped || (is_word(text) && is_under_code_key(scan, trail));
    if !can_be_code {
        return;
    }
    if is_type(trail) {
        scan.facts.typed.push(text.into());
        return;
    }
    let Some(position) = position(scan, trail) else { return };
    let message = message(scan, trail, &position).map(Into::into);
    let value = Value::Text(text.into());
    scan.facts.mentions.push(Mention { value, span, position, message });
}

/// Keeps a name or path that is where a code can stand.
pub(crate) fn name<'t>(scan: &mut Scan<'t>, step: Step<'t>, trail: &Trail<'t>) {
    let text = scan.slice(step.node);
    if step.kind == NodeKind::Name {
        let is_capital = text.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
        if !is_capital || trail.parent().is_some_and(|it| it.kind == NodeKind::Path) {
            return;
        }
    }
    let last = text.rsplit(['.', ':']).next().unwrap_or_default();
    if !is_code(last) && !is_variant(scan, text, last) {
        return;
    }
    // Who brings a name in or passes it on does nothing with it.
    if trail.around().take(4).any(|it| it.kind == NodeKind::Import) {
        return;
    }
    let Some(position) = position(scan, trail) else { return };
    let Some(path) = scan.path(step.node) else { return };
    constant(scan, Value::Path(path.as_str().into()), span(step.node.byte_range()), trail);
    let message = message(scan, trail, &position).map(Into::into);
    let span = span(step.node.byte_range());
    let value = Value::Path(path.into());
    scan.facts.mentions.push(Mention { value, span, position, message });
}

/// `const GONE = "GONE"`, also as a member of a class.
fn constant<'t>(scan: &mut Scan<'t>, value: Value, span: Span, trail: &Trail<'t>) {
    let Some((outer, below)) = trail.meaning().filter(|it| it.0.kind == NodeKind::Declare) else {
        return;
    };
    let named =
        ["name", "left", "property"].iter().find_map(|it| outer.node.child_by_field_name(it));
    let Some(name) = named.filter(|it| it.id() != below.id()) else { return };
    let name = scan.slice(name);
    let is_member =
        trail.around().find(|it| matches!(it.kind, NodeKind::Function | NodeKind::Class));
    let name = match scan.class().filter(|_| is_member.is_some_and(|it| it.kind == NodeKind::Class))
    {
        Some(class) => format!("{class}.{name}"),
        None => name.to_owned(),
    };
    scan.facts.constants.push(Constant { name: name.into(), value, span });
}

/// A piece of a code that is put together by `+` or `format!`.
fn joined<'t>(scan: &mut Scan<'t>, text: &str, node: Node<'t>, trail: &Trail<'t>) {
    let parent = trail.meaning().map(|it| it.0.kind);
    let whole = match parent {
        Some(NodeKind::Operator) => trail.to(NodeKind::Operator),
        Some(NodeKind::Tokens) => trail.to(NodeKind::Macro),
        _ => None,
    };
    if let Some(whole) = whole
        && let Some(position) = position(scan, &whole)
        && !matches!(position, Position::Compared { .. })
    {
        scan.mention(Value::Computed(text.into()), span(node.byte_range()), position);
    }
}

/// A text that is put together and whose fixed pieces look like a code: `ERR_${kind}`.
fn computed<'t>(scan: &mut Scan<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let Some(pieces) = pieces(scan.slice(node)) else { return };
    if let Some(position) = position(scan, trail) {
        scan.mention(Value::Computed(pieces.into()), span(node.byte_range()), position);
    }
}

/// `Type::Variant` in Rust, which an error type may have made a code.
fn is_variant(scan: &Scan<'_>, text: &str, last: &str) -> bool {
    let is_type = |it: &str| it.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
    scan.facts.language == Language::Rust
        && is_type(last)
        && text.rsplit("::").nth(1).is_some_and(is_type)
}

/// Whether a text is a type: of a member, or of a parameter.
fn is_type(trail: &Trail<'_>) -> bool {
    const MOST: usize = 8;
    let mut around =
        trail.around().skip_while(|it| matches!(it.kind, NodeKind::Through | NodeKind::Union));
    let in_union =
        trail.parent().is_some_and(|it| matches!(it.kind, NodeKind::Through | NodeKind::Union));
    match around.next().map(|it| it.kind) {
        Some(NodeKind::Signature) => true,
        Some(NodeKind::Other) if in_union => {
            around.take(MOST).any(|it| it.kind == NodeKind::Parameters)
        }
        _ => false,
    }
}

/// The fixed pieces of a text with interpolations, if they are pieces of a code.
fn pieces(text: &str) -> Option<String> {
    let inner = text.trim_start_matches(['f', 'r', 'F', 'R']);
    let inner = inner.strip_prefix(['"', '\'', '`'])?.strip_suffix(['"', '\'', '`'])?;
    let mut out = String::new();
    let mut rest = inner;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before.strip_suffix('$').unwrap_or(before));
        out.push('…');
        rest = after.split_once('}')?.1;
    }
    out.push_str(rest);
    let is_piece =
        |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || matches!(it, '_' | '…');
    let is_code =
        out.len() > 4 && out.contains('_') && out.contains('…') && out.chars().all(is_piece);
    is_code.then_some(out)
}

/// `ERR_`, `_FAILED`, `ERR_{}`: what stays of a code when a part is left out.
fn is_piece(text: &str) -> bool {
    let is_first = |it: &u8| it.is_ascii_uppercase() || matches!(it, b'_' | b'{');
    if !text.as_bytes().first().is_some_and(is_first) {
        return false;
    }
    let bare = text.replace("{}", "");
    let is_open = bare.len() < text.len() || text.ends_with('_') || text.starts_with('_');
    let is_code = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    (4..=64).contains(&text.len()) && is_open && bare.contains('_') && bare.bytes().all(is_code)
}

fn is_word(text: &str) -> bool {
    (3..=64).contains(&text.len())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.'))
}
