//! A payload as a syntax tree, within the time that is allowed, and a walk over it without recursion.

use std::{borrow::Cow, ops::ControlFlow};

use tree_sitter::{Node, ParseOptions, Parser, Tree};
use unicode_normalization::UnicodeNormalization;

use super::{Language, Refusal};

const TOO_SLOW: Refusal = Refusal::Syntax { line: 1, column: 1, reason: "takes too long to read" };

/// Parses all of it, or says where it does not.
pub(super) fn parse(
    language: Language,
    code: &str,
    expired: &mut dyn FnMut() -> bool,
) -> Result<Tree, Refusal> {
    let grammar = match language {
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
    };
    let mut parser = Parser::new();
    if parser.set_language(&grammar.into()).is_err() {
        return Err(Refusal::Syntax { line: 1, column: 1, reason: "cannot be read here" });
    }
    let mut read = |at: usize, _| code.as_bytes().get(at..).unwrap_or_default();
    let mut ask =
        |_: &_| if expired() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let options = ParseOptions::new().progress_callback(&mut ask);
    let tree = parser.parse_with_options(&mut read, None, Some(options)).ok_or(TOO_SLOW)?;
    if tree.root_node().has_error() { Err(mistake(code, &tree)) } else { Ok(tree) }
}

/// Every node with the name of its kind, parents first.
pub(super) fn nodes<'t>(
    tree: &'t Tree,
    expired: &mut dyn FnMut() -> bool,
) -> Result<Vec<(&'static str, Node<'t>)>, Refusal> {
    let language = tree.language();
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let kinds: Vec<_> =
        (0..count).map(|it| language.node_kind_for_id(it).unwrap_or_default()).collect();
    let mut cursor = tree.walk();
    let mut nodes = Vec::new();
    loop {
        let node = cursor.node();
        nodes.push((kinds.get(usize::from(node.kind_id())).copied().unwrap_or_default(), node));
        if nodes.len().is_multiple_of(1024) && expired() {
            return Err(TOO_SLOW);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(nodes);
            }
        }
    }
}

/// The text of a node.
pub(super) fn text<'c>(code: &'c str, node: Node<'_>) -> &'c str {
    code.get(node.byte_range()).unwrap_or_default()
}

/// A name as the language compares it: escapes read, and letters in their plain form (a full-width `ｅ` is an `e`).
pub(super) fn word<'c>(code: &'c str, node: Node<'_>) -> Cow<'c, str> {
    let spelled = text(code, node);
    if spelled.is_ascii() && !spelled.contains('\\') {
        return Cow::Borrowed(spelled);
    }
    Cow::Owned(unescape(spelled).nfkc().collect())
}

/// The same, to be kept.
pub(super) fn name(code: &str, node: Node<'_>) -> String {
    word(code, node).into_owned()
}

/// A text with its escapes read: `\n`, `\x65`, `\u0065`, `\u{65}`, `\145`, `\N{…}` left as it is.
pub(super) fn unescape(spelled: &str) -> String {
    let mut read = String::with_capacity(spelled.len());
    let mut rest = spelled;
    while let Some(at) = rest.find('\\') {
        read.push_str(rest.get(..at).unwrap_or_default());
        let (escape, after) = escaped(rest.get(at + 1..).unwrap_or_default());
        read.extend(escape);
        rest = after;
    }
    read.push_str(rest);
    read
}

/// What stands after a backslash, and what follows it.
fn escaped(rest: &str) -> (Option<char>, &str) {
    let mut chars = rest.chars();
    match chars.next() {
        Some('x') => digits(chars.as_str(), 2, 16),
        Some('u') => match chars.as_str().strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some((hex, after)) => {
                (u32::from_str_radix(hex, 16).ok().and_then(char::from_u32), after)
            }
            None => digits(chars.as_str(), 4, 16),
        },
        Some('U') => digits(chars.as_str(), 8, 16),
        Some('0'..='7') => digits(rest, octals(rest), 8),
        Some('\n') => (None, chars.as_str()),
        Some('n') => (Some('\n'), chars.as_str()),
        Some('t') => (Some('\t'), chars.as_str()),
        Some('r') => (Some('\r'), chars.as_str()),
        Some(other) => (Some(other), chars.as_str()),
        None => (None, ""),
    }
}

fn octals(rest: &str) -> usize {
    rest.chars().take(3).take_while(|it| it.is_digit(8)).count()
}

fn digits(rest: &str, count: usize, radix: u32) -> (Option<char>, &str) {
    match rest.get(..count).and_then(|it| u32::from_str_radix(it, radix).ok()) {
        Some(value) => (char::from_u32(value), rest.get(count..).unwrap_or_default()),
        None => (None, rest),
    }
}

fn mistake(code: &str, tree: &Tree) -> Refusal {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            let before = code.get(..node.start_byte()).unwrap_or_default();
            let line = before.rsplit('\n').next().unwrap_or_default();
            let reason =
                if node.is_missing() { "something is missing here" } else { "not expected here" };
            let place = (node.start_position().row + 1, line.chars().count() + 1);
            return Refusal::Syntax { line: place.0, column: place.1, reason };
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Refusal::Syntax { line: 1, column: 1, reason: "not expected here" };
            }
        }
    }
}
