//! The texts of a script: what its names were given, and what its expressions come to.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashSet},
};

use tree_sitter::Node;

use crate::eval::{
    fold::{Effort, Text},
    tree::{name, text, unescape},
    words::{JS_MAKES_TEXT, JS_MEMBERS, JS_VALUES, has},
};

/// How many expressions are followed in all, so that a payload cannot make its own inspection slow.
const STEPS: u32 = 200_000;

/// What is known of a script's names.
pub(super) struct Texts<'c, 't> {
    code: &'c str,
    given: BTreeMap<String, Vec<Node<'t>>>,
    declared: HashSet<String>,
    inner: HashSet<usize>,
    steps: Cell<u32>,
}

impl<'c, 't> Texts<'c, 't> {
    pub(super) fn new(code: &'c str) -> Self {
        Self {
            code,
            given: BTreeMap::new(),
            declared: HashSet::new(),
            inner: HashSet::new(),
            steps: Cell::new(STEPS),
        }
    }

    /// Takes note of what a node gives to a name.
    pub(super) fn learn(&mut self, kind: &str, node: Node<'t>) {
        match kind {
            "variable_declarator" => self.give(node, "name", "value"),
            "assignment_expression" | "augmented_assignment_expression" | "assignment_pattern" => {
                self.give(node, "left", "right");
            }
            "formal_parameters" => {
                let mut cursor = node.walk();
                let names = node.named_children(&mut cursor).filter(|it| it.kind() == "identifier");
                self.declared.extend(names.map(|it| name(self.code, it)));
            }
            "arrow_function" => {
                let parameter = node.child_by_field_name("parameter");
                self.declared.extend(parameter.map(|it| name(self.code, it)));
            }
            "binary_expression" => {
                let sides = ["left", "right"].map(|it| node.child_by_field_name(it));
                self.inner.extend(sides.into_iter().flatten().map(|it| it.id()));
            }
            _ => {}
        }
    }

    fn give(&mut self, node: Node<'t>, to: &str, what: &str) {
        let Some(target) = node.child_by_field_name(to).filter(|it| it.kind() == "identifier")
        else {
            return;
        };
        let target = name(self.code, target);
        if node.kind() == "variable_declarator" {
            self.declared.insert(target.clone());
        }
        self.given.entry(target).or_default().extend(node.child_by_field_name(what));
    }

    /// Whether the script has a variable or a parameter of that name.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// Whether an operation is no part of a larger one.
    pub(super) fn is_whole(&self, node: Node<'_>) -> bool {
        !self.inner.contains(&node.id())
    }

    /// The key of `a.key` and `a["key"]`.
    pub(super) fn key(&self, member: Node<'t>) -> Text {
        match member.child_by_field_name("property") {
            Some(property) => Text::Known(name(self.code, property)),
            None => member.child_by_field_name("index").map_or(Text::Other, |it| self.fold(it)),
        }
    }

    /// The key of `{ key: … }`, in an object or where one is taken apart.
    pub(super) fn pattern_key(&self, node: Node<'t>) -> Text {
        let key = node.child_by_field_name("key").unwrap_or(node);
        match key.kind() {
            "computed_property_name" => key.named_child(0).map_or(Text::Other, |it| self.fold(it)),
            "string" => self.fold(key),
            _ => Text::Known(name(self.code, key)),
        }
    }

    /// What an expression comes to.
    pub(super) fn fold(&self, node: Node<'t>) -> Text {
        self.look(node, Effort::FULL)
    }

    fn look(&self, node: Node<'t>, effort: Effort) -> Text {
        let steps = self.steps.get();
        let (Some(effort), true) = (effort.less(), steps > 0) else { return Text::Made };
        self.steps.set(steps.saturating_sub(1));
        match node.kind() {
            "string" => Text::Known(unescape(inside(text(self.code, node)))),
            "template_string" => self.template(node, effort),
            "parenthesized_expression" => self.of(node.named_child(0), effort),
            "sequence_expression" => self.of(last(node), effort),
            "binary_expression" => self.sum(node, effort),
            "ternary_expression" | "assignment_expression" => {
                let ways = ["consequence", "alternative", "right"];
                self.any(ways.into_iter().filter_map(|it| node.child_by_field_name(it)), effort)
            }
            "identifier" => {
                let given = self.given.get(&name(self.code, node));
                self.any(given.into_iter().flatten().copied(), effort)
            }
            "call_expression" => self.call(node, effort),
            _ => Text::Other,
        }
    }

    fn of(&self, node: Option<Node<'t>>, effort: Effort) -> Text {
        node.map_or(Text::Other, |it| self.look(it, effort))
    }

    fn any(&self, ways: impl Iterator<Item = Node<'t>>, effort: Effort) -> Text {
        ways.map(|it| self.look(it, effort)).fold(Text::Other, |one, other| one.or(other, &suspect))
    }

    fn template(&self, node: Node<'t>, effort: Effort) -> Text {
        let mut cursor = node.walk();
        let mut whole = Text::Known(String::new());
        for part in node.named_children(&mut cursor) {
            let part = match part.kind() {
                "template_substitution" => self.of(part.named_child(0), effort),
                _ => Text::Known(unescape(text(self.code, part))),
            };
            whole = whole.and(part);
        }
        whole
    }

    /// `a + b + c` leans to the left, however long it is: a loop, not a recursion.
    fn sum(&self, node: Node<'t>, effort: Effort) -> Text {
        let mut parts = Vec::new();
        let mut left = Some(node);
        while let Some(sum) = left.filter(|it| it.kind() == "binary_expression") {
            let operator = sum.child_by_field_name("operator").map(|it| text(self.code, it));
            match operator {
                Some("+") => parts.extend(sum.child_by_field_name("right")),
                Some("||" | "??" | "&&") => {
                    let ways =
                        ["left", "right"].into_iter().filter_map(|it| sum.child_by_field_name(it));
                    return self.any(ways, effort);
                }
                _ => return Text::Other,
            }
            left = sum.child_by_field_name("left");
        }
        parts.extend(left);
        parts
            .into_iter()
            .rev()
            .map(|it| self.look(it, effort))
            .reduce(Text::and)
            .unwrap_or(Text::Other)
    }

    /// A method that makes a text of texts; of those that a script hides words with, `join` and `concat` are read.
    fn call(&self, node: Node<'t>, effort: Effort) -> Text {
        let Some(callee) = node.child_by_field_name("function") else { return Text::Other };
        let object = callee.child_by_field_name("object");
        let called = callee.child_by_field_name("property").unwrap_or(callee);
        let called = name(self.code, called);
        let arguments = node.child_by_field_name("arguments");
        let texts = |list: Option<Node<'t>>| {
            let mut cursor = node.walk();
            let parts = list.map(|it| it.named_children(&mut cursor).collect::<Vec<_>>());
            parts
                .unwrap_or_default()
                .into_iter()
                .map(|it| self.look(it, effort))
                .collect::<Vec<_>>()
        };
        match (called.as_str(), object) {
            ("concat", Some(object)) => {
                texts(arguments).into_iter().fold(self.look(object, effort), Text::and)
            }
            ("join", Some(object)) if object.kind() == "array" => {
                let between = texts(arguments).into_iter().next();
                let between = between.unwrap_or_else(|| Text::Known(",".to_owned()));
                let parts = texts(Some(object)).into_iter();
                parts
                    .reduce(|whole, part| whole.and(between.clone()).and(part))
                    .unwrap_or(Text::Other)
            }
            (called, _) if has(JS_MAKES_TEXT, called) => Text::Made,
            _ => Text::Other,
        }
    }
}

fn suspect(text: &str) -> bool {
    has(JS_MEMBERS, text) || has(JS_VALUES, text)
}

/// A quoted text without its quotes.
fn inside(quoted: &str) -> &str {
    let mut chars = quoted.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}

fn last(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count().checked_sub(1)?).ok()?)
}
