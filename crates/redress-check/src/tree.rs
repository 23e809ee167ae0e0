//! One walk over a syntax tree: kinds as numbers, ancestors on a stack, no recursion.

use tree_sitter::{Node, Tree};

/// What a node is, whatever the language. A node that no rule asks for is `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Other,
    /// Says nothing by itself: parentheses, `as const`, `await`, a branch of a choice.
    Through,
    Comment,
    /// A text; in Python also one with interpolations.
    Text,
    Name,
    /// `a.b`, `a::b`.
    Path,
    Call,
    New,
    Macro,
    /// The tokens of a macro of Rust.
    Tokens,
    Arguments,
    /// `name=value` in a call of Python.
    Keyword,
    /// `key: value` in an object, a dictionary, a struct.
    Pair,
    Object,
    List,
    Enum,
    EnumMember,
    Class,
    Function,
    Parameters,
    /// A name gets a value.
    Declare,
    /// A place gets a value.
    Assign,
    /// `A | B` as a type, `Literal[…]`.
    Union,
    Subscript,
    TypeAlias,
    Operator,
    Arm,
    Pattern,
    Import,
    Export,
    Decorator,
    Throw,
    Try,
    Catch,
    Return,
    Block,
    Module,
    /// Bytes that are no syntax of the language.
    Error,
}

/// A grammar with the kinds of its nodes.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    kinds: Vec<Kind>,
}

impl Grammar {
    /// A grammar, and what its named nodes are.
    pub(crate) fn new(language: tree_sitter::Language, names: &[(&str, Kind)]) -> Self {
        let kind = |id: usize| {
            let id = u16::try_from(id).unwrap_or(u16::MAX);
            let name = language.node_kind_for_id(id).unwrap_or_default();
            let known = names.iter().find(|it| it.0 == name && language.node_kind_is_named(id));
            known.map_or(Kind::Other, |it| it.1)
        };
        let kinds = (0..language.node_kind_count()).map(kind).collect();
        Self { language, kinds }
    }

    /// What a node is.
    pub(crate) fn kind(&self, node: Node<'_>) -> Kind {
        const ERROR: u16 = u16::MAX;
        match node.kind_id() {
            ERROR => Kind::Error,
            id => self.kinds.get(usize::from(id)).copied().unwrap_or(Kind::Other),
        }
    }
}

/// A node and what it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) kind: Kind,
}

/// The way from the root to where the walk is.
#[derive(Debug)]
pub(crate) struct Trail<'t> {
    steps: Vec<Step<'t>>,
}

impl<'t> Trail<'t> {
    /// The node and those around it, the nearest first.
    pub(crate) fn outwards(&self) -> impl Iterator<Item = Step<'t>> {
        self.steps.iter().rev().copied()
    }

    /// The nodes around, the nearest first.
    pub(crate) fn around(&self) -> impl Iterator<Item = Step<'t>> {
        self.outwards().skip(1)
    }

    /// The node around this one.
    pub(crate) fn parent(&self) -> Option<Step<'t>> {
        self.around().next()
    }

    /// The way to the nearest node of a kind around this one.
    pub(crate) fn to(&self, kind: Kind) -> Option<Self> {
        let end = self.steps.iter().rposition(|it| it.kind == kind)?;
        Some(Self { steps: self.steps.get(..=end)?.to_vec() })
    }

    /// The node around this one that says something: what is `Through` is skipped. The second is the child by which it
    /// is reached.
    pub(crate) fn meaning(&self) -> Option<(Step<'t>, Node<'t>)> {
        let mut below = self.steps.last()?.node;
        for step in self.around() {
            if step.kind != Kind::Through {
                return Some((step, below));
            }
            below = step.node;
        }
        None
    }
}

/// What looks at each node.
pub(crate) trait Visit<'t> {
    /// At a node that is not `Other`, before its children.
    fn enter(&mut self, step: Step<'t>, trail: &Trail<'t>);
    /// At a function, class or module, after its children.
    fn leave(&mut self, step: Step<'t>);
}

/// Nodes deeper than that are not looked at.
const MAX_DEPTH: usize = 2_000;

/// Walks the whole tree once.
pub(crate) fn walk<'t>(tree: &'t Tree, grammar: &'t Grammar, visit: &mut impl Visit<'t>) {
    let mut cursor = tree.walk();
    let mut trail = Trail { steps: Vec::with_capacity(64) };
    loop {
        let node = cursor.node();
        let step = Step { node, kind: grammar.kind(node) };
        trail.steps.push(step);
        if step.kind != Kind::Other {
            visit.enter(step, &trail);
        }
        if trail.steps.len() < MAX_DEPTH && cursor.goto_first_child() {
            continue;
        }
        loop {
            if let Some(done) = trail.steps.pop()
                && matches!(done.kind, Kind::Function | Kind::Class | Kind::Module)
            {
                visit.leave(done);
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
