//! `Tag`: which nodes say something about failures, and by which fields their parts are found.

use tree_sitter::{Language, Node};

/// How many wrappers, operands or members of one value are looked at.
pub(crate) const MAX_PARTS: usize = 64;

/// What a node is to the recorder. One look at a table by number tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Says nothing.
    Other,
    /// A function, method or closure.
    Function,
    /// A declaration of a type, by whatever word.
    Type,
    /// Something else that attributes can stand before.
    Item,
    /// `#[…]`, a decorator.
    Attribute,
    Try,
    Catch,
    Finally,
    Throw,
    Return,
    Assert,
    Call,
    New,
    Macro,
    Object,
    Pair,
    Spread,
    /// `switch`, `match`.
    Choice,
    Let,
    Arm,
    IfLet,
    /// A statement that is only an expression.
    Statement,
}

/// The numbers of the fields that are looked at; a language without one of them has 0.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    ids: [u16; COUNT],
}

macro_rules! fields {
    ($($field:ident $name:literal),* $(,)?) => {
        /// A part of a node.
        #[derive(Debug, Clone, Copy)]
        pub(crate) enum Field { $($field),* }
        const NAMES: &[&str] = &[$($name),*];
        const COUNT: usize = NAMES.len();
    };
}

fields!(
    Alias "alias",
    Alternative "alternative",
    Arguments "arguments",
    Body "body",
    Condition "condition",
    Consequence "consequence",
    Constructor "constructor",
    Member "field",
    Function "function",
    Handler "handler",
    Key "key",
    Left "left",
    Name "name",
    Object "object",
    Parameter "parameter",
    Pattern "pattern",
    Property "property",
    ReturnType "return_type",
    Value "value",
);

impl Fields {
    pub(crate) fn new(language: &Language) -> Self {
        let mut ids = [0; COUNT];
        for (id, name) in ids.iter_mut().zip(NAMES) {
            *id = language.field_id_for_name(name).map_or(0, Into::into);
        }
        Self { ids }
    }

    /// A part of a node.
    pub(crate) fn of<'t>(&self, node: Node<'t>, field: Field) -> Option<Node<'t>> {
        let id = self.ids.get(field as usize).copied()?;
        node.child_by_field_id(id)
    }
}
