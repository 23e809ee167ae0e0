//! `Scan`: one file on its way from its tree to its facts: its text, what is known so far, the classes around.

use std::path::Path;

use tree_sitter::Node;

use crate::{
    facts::{Facts, Mention, Position, Value},
    language::Language,
    span::{Span, span},
};

/// One file under way.
#[derive(Debug)]
pub(crate) struct Scan<'t> {
    pub(crate) text: &'t str,
    pub(crate) facts: Facts,
    /// The names of the classes around, the outermost first.
    classes: Vec<&'t str>,
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
        Self { text, facts, classes: Vec::new() }
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

    /// Goes into a class.
    pub(crate) fn enter_class(&mut self, node: Node<'t>) {
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("type"));
        let name = name.map(|it| self.slice(it)).unwrap_or_default();
        self.classes.push(name.split('<').next().unwrap_or_default());
    }

    /// Goes out of the class around.
    pub(crate) fn leave_class(&mut self) {
        self.classes.pop();
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
        self.facts
    }
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
