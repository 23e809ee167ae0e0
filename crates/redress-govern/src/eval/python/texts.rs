//! The texts of a module: what its names were given, and what its expressions come to.

use std::{cell::Cell, collections::BTreeMap};

use tree_sitter::Node;

use crate::eval::{
    fold::{Effort, Text},
    tree::{name, text, unescape},
    words::{PY_MEMBERS, has},
};

/// How many expressions are followed in all, so that a payload cannot make its own inspection slow.
const STEPS: u32 = 200_000;

/// What is known of a module's names.
pub(super) struct Texts<'c, 't> {
    code: &'c str,
    given: BTreeMap<String, Vec<Node<'t>>>,
    imports: bool,
    steps: Cell<u32>,
}

impl<'c, 't> Texts<'c, 't> {
    pub(super) fn new(code: &'c str) -> Self {
        Self { code, given: BTreeMap::new(), imports: false, steps: Cell::new(STEPS) }
    }

    /// Takes note of what a node gives to a name.
    pub(super) fn learn(&mut self, kind: &str, node: Node<'t>) {
        let (to, what) = match kind {
            "assignment" | "augmented_assignment" => ("left", "right"),
            "named_expression" | "default_parameter" => ("name", "value"),
            "import_statement" | "import_from_statement" => {
                self.imports = true;
                return;
            }
            _ => return,
        };
        if let Some(target) = node.child_by_field_name(to).filter(|it| it.kind() == "identifier") {
            let given = self.given.entry(name(self.code, target)).or_default();
            given.extend(node.child_by_field_name(what));
        }
    }

    /// Whether anything is imported.
    pub(super) fn imports(&self) -> bool {
        self.imports
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
            "string" => self.string(node),
            "concatenated_string" => self.row(node, effort),
            "parenthesized_expression" => {
                node.named_child(0).map_or(Text::Other, |it| self.look(it, effort))
            }
            "binary_operator" => self.sum(node, effort),
            "identifier" => {
                let given = self.given.get(&name(self.code, node)).into_iter().flatten();
                let ways = given.map(|it| self.look(*it, effort));
                ways.fold(Text::Other, |one, other| one.or(other, &suspect))
            }
            "call" | "subscript" | "conditional_expression" | "boolean_operator" => Text::Made,
            _ => Text::Other,
        }
    }

    fn string(&self, node: Node<'t>) -> Text {
        let mut cursor = node.walk();
        let mut whole = Text::Known(String::new());
        for part in node.named_children(&mut cursor) {
            match part.kind() {
                "string_content" => whole = whole.and(Text::Known(unescape(text(self.code, part)))),
                "interpolation" => whole = Text::Made,
                _ => {}
            }
        }
        whole
    }

    fn row(&self, node: Node<'t>, effort: Effort) -> Text {
        let mut cursor = node.walk();
        let parts = node.named_children(&mut cursor).map(|it| self.look(it, effort));
        parts.reduce(Text::and).unwrap_or(Text::Other)
    }

    /// `a + b + c` leans to the left, however long it is: a loop, not a recursion.
    fn sum(&self, node: Node<'t>, effort: Effort) -> Text {
        let mut parts = Vec::new();
        let mut left = Some(node);
        while let Some(sum) = left.filter(|it| it.kind() == "binary_operator") {
            if sum.child_by_field_name("operator").map(|it| text(self.code, it)) != Some("+") {
                return Text::Made;
            }
            parts.extend(sum.child_by_field_name("right"));
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
}

fn suspect(text: &str) -> bool {
    text.starts_with('_') || has(PY_MEMBERS, text)
}
