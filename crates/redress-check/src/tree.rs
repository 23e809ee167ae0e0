//! One walk over a syntax tree: kinds as numbers, ancestors on a stack, no recursion.

mod tags;

pub(crate) use tags::{Field, Fields, MAX_PARTS, Tag};
use tree_sitter::{Node, Tree};

/// What a node is, whatever the language. A node that no rule asks for is `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
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
    /// A member of a type.
    Signature,
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
    kinds: Vec<NodeKind>,
    tags: Vec<Tag>,
    pub(crate) fields: Fields,
}

impl Grammar {
    /// A grammar, and what its named nodes are.
    pub(crate) fn new(
        language: tree_sitter::Language,
        names: &[(&str, NodeKind)],
        tagged: &[(&str, Tag)],
    ) -> Self {
        let ids = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let name = |id: u16| {
            let name = language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id));
            name.unwrap_or_default()
        };
        let kinds =
            ids.clone().map(|id| named(names, name(id)).unwrap_or(NodeKind::Other)).collect();
        let tags = ids.map(|id| named(tagged, name(id)).unwrap_or(Tag::Other)).collect();
        let fields = Fields::new(&language);
        Self { language, kinds, tags, fields }
    }

    /// What a node is.
    pub(crate) fn kind(&self, node: Node<'_>) -> NodeKind {
        const ERROR: u16 = u16::MAX;
        match node.kind_id() {
            ERROR => NodeKind::Error,
            id => self.kinds.get(usize::from(id)).copied().unwrap_or(NodeKind::Other),
        }
    }

    /// What a node is to the search for failures.
    fn tag(&self, node: Node<'_>) -> Tag {
        self.tags.get(usize::from(node.kind_id())).copied().unwrap_or(Tag::Other)
    }
}

fn named<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// A node and what it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) kind: NodeKind,
}

/// The way from the root to where the walk is.
#[derive(Debug)]
pub(crate) struct Trail<'t> {
    pub(crate) fields: &'t Fields,
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
    pub(crate) fn to(&self, kind: NodeKind) -> Option<Self> {
        let end = self.steps.iter().rposition(|it| it.kind == kind)?;
        Some(Self { fields: self.fields, steps: self.steps.get(..=end)?.to_vec() })
    }

    /// The node around this one that says something: what is `Through` is skipped. The second is the child by which it
    /// is reached.
    pub(crate) fn meaning(&self) -> Option<(Step<'t>, Node<'t>)> {
        let mut below = self.steps.last()?.node;
        for step in self.around() {
            if step.kind != NodeKind::Through {
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
    /// At a node that has a tag, before its children.
    fn tagged(&mut self, tag: Tag, node: Node<'t>, trail: &Trail<'t>);
    /// At a function, class or module, after its children.
    fn leave(&mut self, step: Step<'t>);
}

/// Nodes deeper than that are not looked at.
const MAX_DEPTH: usize = 2_000;

/// Walks the whole tree once.
pub(crate) fn walk<'t>(tree: &'t Tree, grammar: &'t Grammar, visit: &mut impl Visit<'t>) {
    let mut cursor = tree.walk();
    let mut trail = Trail { fields: &grammar.fields, steps: Vec::with_capacity(64) };
    loop {
        let node = cursor.node();
        let step = Step { node, kind: grammar.kind(node) };
        trail.steps.push(step);
        if step.kind != NodeKind::Other {
            visit.enter(step, &trail);
        }
        let tag = grammar.tag(node);
        if tag != Tag::Other {
            visit.tagged(tag, node, &trail);
        }
        if trail.steps.len() < MAX_DEPTH && cursor.goto_first_child() {
            continue;
        }
        loop {
            if let Some(done) = trail.steps.pop()
                && matches!(done.kind, NodeKind::Function | NodeKind::Class | NodeKind::Module)
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
