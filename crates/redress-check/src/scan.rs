//! `Scan`: one file on its way from its tree to its facts; what all languages share.

use std::path::Path;

use redress_registry::name::{is_code, is_full_code};
use tree_sitter::Node;

use crate::{
    card,
    conduct::{Recorder, Tag},
    facts::{Call, Constant, Facts, Function, Mention, Position, Span, Value},
    language::Language,
    position::{callee, is_code_key, is_under_code_key, message, position},
    python, rust, suppress, table, tools,
    tree::{Kind, Step, Trail, Visit},
    typescript,
};

/// One file under way.
#[derive(Debug)]
pub(crate) struct Scan<'t> {
    pub(crate) text: &'t str,
    pub(crate) facts: Facts,
    /// The names of the classes around, the outermost first.
    classes: Vec<&'t str>,
    recorder: Recorder<'t>,
}

/// Longer texts are no names.
const MAX_NAME: usize = 200;

impl<'t> Scan<'t> {
    pub(crate) fn new(language: Language, path: &Path, text: &'t str) -> Self {
        let facts = Facts {
            language,
            is_test: is_test(path),
            is_generated: is_generated(text),
            ..Facts::default()
        };
        let recorder = Recorder::new(language, text, facts.is_test);
        Self { text, facts, classes: Vec::new(), recorder }
    }

    /// The text of a node.
    pub(crate) fn slice(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// A text literal without its quotes; `None` if it has interpolations or is too long for a code.
    pub(crate) fn literal(&self, node: Node<'_>) -> Option<(&'t str, Span)> {
        let range = node.byte_range();
        let whole = self.text.get(range.clone()).filter(|it| it.len() <= MAX_NAME)?;
        let start = whole.find(['"', '\'', '`'])?;
        let (prefix, quoted) = whole.split_at_checked(start)?;
        if prefix.contains(['f', 'F']) {
            return None;
        }
        let quote = quoted.get(..1)?;
        let marks = if quoted.starts_with(&quote.repeat(3)) && quoted.len() >= 6 { 3 } else { 1 };
        let hashes = prefix.bytes().filter(|it| *it == b'#').count();
        let inner = quoted.get(marks..quoted.len().checked_sub(marks + hashes)?)?;
        if inner.contains(['\\', '\n']) || (quote == "`" && inner.contains("${")) {
            return None;
        }
        let from = range.start + start + marks;
        Some((inner, span(from..from + inner.len())))
    }

    /// A name or names joined by dots; of what is called on the way, only what comes after it.
    pub(crate) fn path(&self, node: Node<'_>) -> Option<String> {
        let text = self.slice(node);
        let text = text.rsplit_once([')', ']']).map_or(text, |it| it.1);
        if text.len() > MAX_NAME {
            return None;
        }
        let mut path = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter {
                '.' | ':' | '?' | '!' => {
                    if !path.is_empty() && !path.ends_with('.') {
                        path.push('.');
                    }
                }
                '_' | '$' | '#' => path.push(letter),
                it if it.is_alphanumeric() => path.push(it),
                it if it.is_whitespace() => (),
                _ => return None,
            }
        }
        if path.ends_with('.') {
            path.pop();
        }
        if let Some(rest) = path.strip_prefix("Self.")
            && let Some(class) = self.classes.last()
        {
            return Some(format!("{class}.{rest}"));
        }
        (!path.is_empty()).then_some(path)
    }

    /// The class around.
    pub(crate) fn class(&self) -> Option<&'t str> {
        self.classes.last().copied()
    }

    pub(crate) fn mention(&mut self, value: Value, span: Span, position: Position) {
        self.facts.mentions.push(Mention { value, span, position, message: None });
    }

    /// The file takes too long to be read.
    pub(crate) fn give_up(&mut self) {
        self.facts.broken = Some(0..0);
    }

    pub(crate) fn finish(mut self) -> Facts {
        self.facts.functions.sort_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end)));
        self.facts.conduct = self.recorder.finish();
        self.facts
    }

    fn text_literal(&mut self, node: Node<'t>, trail: &Trail<'t>) {
        let Some((text, span)) = self.literal(node) else { return self.computed(node, trail) };
        let shaped = is_full_code(text);
        if shaped {
            self.constant(Value::Text(text.into()), span.clone(), trail);
        }
        if !shaped && is_piece(text) {
            return self.joined(text, node, trail);
        }
        let can_be_code = shaped || (is_word(text) && is_under_code_key(self, trail));
        if !can_be_code {
            return;
        }
        if is_type(trail) {
            self.facts.typed.push(text.into());
            return;
        }
        let Some(position) = position(self, trail) else { return };
        let message = message(self, trail, &position).map(Into::into);
        let value = Value::Text(text.into());
        self.facts.mentions.push(Mention { value, span, position, message });
    }

    fn name_or_path(&mut self, step: Step<'t>, trail: &Trail<'t>) {
        let text = self.slice(step.node);
        if step.kind == Kind::Name {
            let is_capital = text.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
            if !is_capital || trail.parent().is_some_and(|it| it.kind == Kind::Path) {
                return;
            }
        }
        let last = text.rsplit(['.', ':']).next().unwrap_or_default();
        if !is_code(last) && !self.is_variant(text, last) {
            return;
        }
        // Who brings a name in or passes it on does nothing with it.
        if trail.around().take(4).any(|it| it.kind == Kind::Import) {
            return;
        }
        let Some(position) = position(self, trail) else { return };
        let Some(path) = self.path(step.node) else { return };
        self.constant(Value::Path(path.as_str().into()), span(step.node.byte_range()), trail);
        let message = message(self, trail, &position).map(Into::into);
        let span = span(step.node.byte_range());
        let value = Value::Path(path.into());
        self.facts.mentions.push(Mention { value, span, position, message });
    }

    /// `const GONE = "GONE"`, also as a member of a class.
    fn constant(&mut self, value: Value, span: Span, trail: &Trail<'t>) {
        let Some((outer, below)) = trail.meaning().filter(|it| it.0.kind == Kind::Declare) else {
            return;
        };
        let named =
            ["name", "left", "property"].iter().find_map(|it| outer.node.child_by_field_name(it));
        let Some(name) = named.filter(|it| it.id() != below.id()) else { return };
        let name = self.slice(name);
        let is_member = trail.around().find(|it| matches!(it.kind, Kind::Function | Kind::Class));
        let name = match self.class().filter(|_| is_member.is_some_and(|it| it.kind == Kind::Class))
        {
            Some(class) => format!("{class}.{name}"),
            None => name.to_owned(),
        };
        self.facts.constants.push(Constant { name: name.into(), value, span });
    }

    /// A piece of a code that is put together by `+` or `format!`.
    fn joined(&mut self, text: &str, node: Node<'t>, trail: &Trail<'t>) {
        let parent = trail.meaning().map(|it| it.0.kind);
        let whole = match parent {
            Some(Kind::Operator) => trail.to(Kind::Operator),
            Some(Kind::Tokens) => trail.to(Kind::Macro),
            _ => None,
        };
        if let Some(whole) = whole
            && let Some(position) = position(self, &whole)
            && !matches!(position, Position::Compared { .. })
        {
            self.mention(Value::Computed(text.into()), span(node.byte_range()), position);
        }
    }

    /// A text that is put together and whose fixed pieces look like a code: `ERR_${kind}`.
    fn computed(&mut self, node: Node<'t>, trail: &Trail<'t>) {
        let Some(pieces) = pieces(self.slice(node)) else { return };
        if let Some(position) = position(self, trail) {
            self.mention(Value::Computed(pieces.into()), span(node.byte_range()), position);
        }
    }

    /// `Type::Variant` in Rust, which an error type may have made a code.
    fn is_variant(&self, text: &str, last: &str) -> bool {
        let is_type = |it: &str| it.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
        self.facts.language == Language::Rust
            && is_type(last)
            && text.rsplit("::").nth(1).is_some_and(is_type)
    }

    fn function(&mut self, node: Node<'t>, trail: &Trail<'t>) {
        let name = node.child_by_field_name("name").map(|it| self.slice(it));
        let name = name.or_else(|| declared_name(self, trail)).unwrap_or_default();
        let name = match (name, self.class()) {
            ("constructor" | "__init__", Some(class)) => class.to_owned(),
            (name, Some(class)) if !name.is_empty() => format!("{class}.{name}"),
            (name, _) => name.to_owned(),
        };
        let code_parameter =
            node.child_by_field_name("parameters").and_then(|it| self.code_parameter(it));
        let span = span(node.byte_range());
        self.facts.functions.push(Function { name: name.into(), span, code_parameter });
    }

    fn code_parameter(&self, parameters: Node<'_>) -> Option<u8> {
        let list = self.slice(parameters);
        if !list.contains("ode") && !list.contains("symbol") {
            return None;
        }
        let mut cursor = parameters.walk();
        let names = parameters.named_children(&mut cursor).map(|it| parameter_name(self.slice(it)));
        let mut names = names.filter(|it| !matches!(*it, "self" | "cls" | "this"));
        names.position(is_code_key).and_then(|it| u8::try_from(it).ok())
    }

    fn call(&mut self, node: Node<'t>) {
        if let Some(callee) = callee(node).and_then(|it| self.path(it)) {
            let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
            self.facts.calls.push(Call { callee: callee.into(), at });
        }
    }
}

impl<'t> Visit<'t> for Scan<'t> {
    fn enter(&mut self, step: Step<'t>, trail: &Trail<'t>) {
        let node = step.node;
        match step.kind {
            Kind::Text if card::enter(self, node, trail) => (),
            Kind::Text => self.text_literal(node, trail),
            Kind::Name | Kind::Path => self.name_or_path(step, trail),
            Kind::Function => self.function(node, trail),
            Kind::Class => self.classes.push(class_name(self, node)),
            Kind::Call | Kind::New | Kind::Macro => self.call(node),
            Kind::Comment => suppress::read(self, node),
            Kind::Error => {
                self.facts.broken.get_or_insert(span(node.byte_range()));
            }
            _ => (),
        }
        table::enter(self, step, trail);
        tools::enter(self, step, trail);
        match self.facts.language {
            Language::Rust => rust::enter(self, step, trail),
            Language::Python => python::enter(self, step, trail),
            _ => typescript::enter(self, step, trail),
        }
    }

    fn act(&mut self, tag: Tag, node: Node<'t>, trail: &Trail<'t>) {
        self.recorder.visit(tag, node, trail);
    }

    fn leave(&mut self, step: Step<'t>) {
        if step.kind == Kind::Class {
            self.classes.pop();
        }
    }
}

/// The name of what a closure is given to: `const save = () => …`, `save: () => …`.
fn declared_name<'t>(scan: &Scan<'t>, trail: &Trail<'t>) -> Option<&'t str> {
    let (outer, _) = trail.meaning()?;
    let field = match outer.kind {
        Kind::Declare => "name",
        Kind::Pair => "key",
        _ => return None,
    };
    outer.node.child_by_field_name(field).map(|it| scan.slice(it))
}

fn class_name<'t>(scan: &Scan<'t>, node: Node<'t>) -> &'t str {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("type"));
    let name = name.map(|it| scan.slice(it)).unwrap_or_default();
    name.split('<').next().unwrap_or_default()
}

/// Whether a text is a type: of a member, or of a parameter.
fn is_type(trail: &Trail<'_>) -> bool {
    const MOST: usize = 8;
    let mut around = trail.around().skip_while(|it| matches!(it.kind, Kind::Through | Kind::Union));
    let in_union = trail.parent().is_some_and(|it| matches!(it.kind, Kind::Through | Kind::Union));
    match around.next().map(|it| it.kind) {
        Some(Kind::Signature) => true,
        Some(Kind::Other) if in_union => around.take(MOST).any(|it| it.kind == Kind::Parameters),
        _ => false,
    }
}

/// `code` of `readonly code: ErrorCode`, `mut code: &str`, `code="X"`.
fn parameter_name(parameter: &str) -> &str {
    let name = parameter.split([':', '=', '?']).next().unwrap_or_default().trim();
    name.rsplit([' ', '&', '*']).next().unwrap_or_default()
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

/// A byte range as a span.
pub(crate) fn span(range: std::ops::Range<usize>) -> Span {
    let small = |it| u32::try_from(it).unwrap_or(u32::MAX);
    small(range.start)..small(range.end)
}

fn is_word(text: &str) -> bool {
    (3..=64).contains(&text.len())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.'))
}

fn is_test(path: &Path) -> bool {
    const FOLDERS: [&str; 9] = [
        "test",
        "tests",
        "__tests__",
        "testing",
        "spec",
        "fixtures",
        "__mocks__",
        "e2e",
        "benches",
    ];
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let folders = path.parent().into_iter().flat_map(Path::components);
    let in_tests = folders.filter_map(|it| it.as_os_str().to_str()).any(|it| FOLDERS.contains(&it));
    in_tests
        || [".test.", ".spec.", ".bench."].iter().any(|it| name.contains(it))
        || ["test_", "conftest"].iter().any(|it| stem.starts_with(it))
        || ["_test", "_tests"].iter().any(|it| stem.ends_with(it))
        || ["tests", "test"].contains(&stem)
}

/// Programs say so in the first lines.
fn is_generated(text: &str) -> bool {
    const MARKS: [&str; 4] =
        ["@generated", "do not edit", "not to be edited", "written by redress"];
    let mut end = text.len().min(600);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default().to_lowercase();
    MARKS.iter().any(|it| head.contains(it))
}
