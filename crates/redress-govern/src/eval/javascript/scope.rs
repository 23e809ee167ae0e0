//! The variables that a script declares, and what is known of each from where it is given a value.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{BinaryOperator, Expression};

use crate::eval::constructs as not;

/// What a value is by its form alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shape(u8);

impl Shape {
    pub(super) const ANY: Self = Self(0);
    pub(super) const FUNCTION: Self = Self(1);
    pub(super) const CLASS: Self = Self(2);
    /// A plain object, list or collection that the script makes itself.
    pub(super) const FRESH: Self = Self(4);
    pub(super) const NUMBER: Self = Self(8);
    /// What a promise hands to the function that it calls.
    pub(super) const WAKES: Self = Self(16);
    /// Not given anything yet.
    const ALL: Self = Self(u8::MAX);

    pub(super) const fn is(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn of(value: &Expression<'_>) -> Self {
        match value {
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => {
                Self::FUNCTION
            }
            Expression::ClassExpression(_) => Self::CLASS,
            Expression::ObjectExpression(_)
            | Expression::ArrayExpression(_)
            | Expression::NewExpression(_) => Self::FRESH,
            Expression::CallExpression(it) => match called(&it.callee) {
                Some(
                    ("JSON", "parse")
                    | ("Object", "create" | "fromEntries" | "groupBy")
                    | ("Array", _)
                    | ("", "structuredClone"),
                ) => Self::FRESH,
                Some(
                    ("Math", _)
                    | ("Number", "parseInt" | "parseFloat")
                    | ("Date", "now" | "UTC")
                    | ("", "Number" | "parseInt" | "parseFloat"),
                ) => Self::NUMBER,
                _ => Self::ANY,
            },
            Expression::NumericLiteral(_) | Expression::UpdateExpression(_) => Self::NUMBER,
            Expression::UnaryExpression(it)
                if it.operator.is_arithmetic() || it.operator.is_bitwise() =>
            {
                Self::NUMBER
            }
            Expression::BinaryExpression(it) if it.operator == BinaryOperator::Addition => {
                let number =
                    |it| if Self::of(it).is(Self::NUMBER) { Self::NUMBER } else { Self::ANY };
                number(&it.left).and(number(&it.right))
            }
            Expression::BinaryExpression(it)
                if it.operator.is_arithmetic()
                    || it.operator.is_bitwise()
                    || it.operator.is_bitshift() =>
            {
                Self::NUMBER
            }
            Expression::ConditionalExpression(it) => {
                Self::of(&it.consequent).and(Self::of(&it.alternate))
            }
            _ => Self::ANY,
        }
    }
}

/// What is called by its name: `(space, name)`.
fn called<'e>(callee: &'e Expression<'_>) -> Option<(&'e str, &'e str)> {
    match callee {
        Expression::Identifier(it) => Some(("", it.name.as_str())),
        Expression::StaticMemberExpression(it) => match &it.object {
            Expression::Identifier(space) => Some((space.name.as_str(), it.property.name.as_str())),
            _ => None,
        },
        _ => None,
    }
}

/// What must be true of a name once all declarations are known.
#[derive(Debug)]
pub(super) enum Must<'c> {
    BeDeclared,
    /// It is given a value of this shape.
    Become(Shape),
    /// It has one of these shapes; else this is the reason against the script.
    Be(Shape, &'static str),
    /// It is an object of the script's own, or each of these is a number.
    BeOwnOr(Option<Vec<&'c str>>),
}

struct Use<'c> {
    scope: usize,
    name: &'c str,
    at: u32,
    must: Must<'c>,
}

/// A place where names are declared.
#[derive(Default)]
struct Scope<'c> {
    above: Option<usize>,
    is_function: bool,
    names: BTreeMap<&'c str, Shape>,
}

/// All scopes of a script; the last that is open is where the reader is.
#[derive(Default)]
pub(super) struct Scopes<'c> {
    all: Vec<Scope<'c>>,
    open: Vec<usize>,
    uses: Vec<Use<'c>>,
    /// Names that are what they are as long as no method of the script has the name: `(scope, name, method)`.
    lent: Vec<(usize, &'c str, &'c str)>,
}

impl<'c> Scopes<'c> {
    pub(super) fn enter(&mut self, is_function: bool) {
        let above = self.open.last().copied();
        self.open.push(self.all.len());
        self.all.push(Scope { above, is_function, names: BTreeMap::new() });
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    fn here(&self) -> usize {
        self.open.last().copied().unwrap_or_default()
    }

    /// A name is declared here, or in the function around if it is a `var`; without a shape it is not given anything yet.
    pub(super) fn declare(&mut self, name: &'c str, is_var: bool, shape: Option<Shape>) {
        let is_home = |it: &&usize| !is_var || self.all.get(**it).is_some_and(|it| it.is_function);
        let home = self.open.iter().rev().find(is_home).copied().unwrap_or_default();
        if let Some(scope) = self.all.get_mut(home) {
            let known = scope.names.entry(name).or_insert(Shape::ALL);
            *known = known.and(shape.unwrap_or(Shape::ALL));
        }
    }

    pub(super) fn must(&mut self, name: &'c str, at: u32, must: Must<'c>) {
        self.uses.push(Use { scope: self.here(), name, at, must });
    }

    pub(super) fn lend(&mut self, name: &'c str, by: &'c str) {
        self.lent.push((self.here(), name, by));
    }

    /// What is known of a name, if the script declares it.
    fn shape(&mut self, from: usize, name: &str) -> Option<&mut Shape> {
        let mut at = from;
        while !self.all.get(at)?.names.contains_key(name) {
            at = self.all.get(at)?.above?;
        }
        self.all.get_mut(at)?.names.get_mut(name)
    }

    fn is(&mut self, from: usize, name: &str, wanted: Shape) -> bool {
        self.shape(from, name).is_some_and(|it| it.is(wanted))
    }

    /// What is wrong once all is declared, by its place. `own` are the methods of the script; `is_open`: it may have others, too.
    pub(super) fn wrong(
        &mut self,
        own: &BTreeSet<&str>,
        is_open: bool,
    ) -> Vec<(u32, &'static str)> {
        for (scope, name, by) in std::mem::take(&mut self.lent) {
            let is_lost = own.contains(by) || (is_open && !by.is_empty());
            if let (true, Some(known)) = (is_lost, self.shape(scope, name)) {
                *known = Shape::ANY;
            }
        }
        let uses = std::mem::take(&mut self.uses);
        for it in &uses {
            if let (Must::Become(shape), Some(known)) = (&it.must, self.shape(it.scope, it.name)) {
                *known = known.and(*shape);
            }
        }
        uses.into_iter().filter_map(|it| Some((it.at, self.wrong_use(&it)?))).collect()
    }

    fn wrong_use(&mut self, it: &Use<'c>) -> Option<&'static str> {
        // What has no name is no object of the script's own.
        let is_declared = it.name.is_empty() || self.shape(it.scope, it.name).is_some();
        match &it.must {
            _ if !is_declared => Some(not::UNDECLARED),
            Must::Be(wanted, what) => (!self.is(it.scope, it.name, *wanted)).then_some(what),
            Must::BeOwnOr(numbers) => {
                let is_own = self.is(it.scope, it.name, Shape::FRESH);
                let mut all = numbers.iter().flatten();
                let are_numbers =
                    numbers.is_some() && all.all(|name| self.is(it.scope, name, Shape::NUMBER));
                (!is_own && !are_numbers).then_some(not::CHOSEN)
            }
            Must::BeDeclared | Must::Become(_) => None,
        }
    }
}
