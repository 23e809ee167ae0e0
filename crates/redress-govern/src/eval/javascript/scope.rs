//! The variables that a script declares, and what is known of each by the form of what it is given.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{Argument, BinaryOperator, Expression};

use crate::eval::constructs as not;

/// What a value is by its form alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ValueForm(u8);

impl ValueForm {
    pub(super) const ANY: Self = Self(0);
    /// A function of the script, or one that only settles a promise.
    pub(super) const FUNCTION: Self = Self(1);
    pub(super) const CLASS: Self = Self(2);
    /// An object, list or collection that the script makes itself.
    pub(super) const OWN: Self = Self(4);
    pub(super) const NUMBER: Self = Self(8);
    /// A plain object that the script makes itself.
    pub(super) const PLAIN: Self = Self(16);
    /// One that has no prototype but that of all: no function was set under a name that is chosen when the code runs.
    pub(super) const RECORD: Self = Self(32);
    pub(super) const NO_RECORD: Self = Self(!32);
    pub(super) const OWN_OR_CLASS: Self = Self(4 | 2);
    const OBJECT: Self = Self(4 | 16 | 32);
    /// Not given anything yet.
    const ALL: Self = Self(u8::MAX);

    pub(super) const fn is(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn of(value: &Expression<'_>) -> Self {
        use Expression as E;
        match value {
            E::FunctionExpression(_) | E::ArrowFunctionExpression(_) => Self::FUNCTION,
            E::ClassExpression(_) => Self::CLASS,
            E::ObjectExpression(_) => Self::OBJECT,
            E::ArrayExpression(_) | E::NewExpression(_) => Self::OWN,
            E::CallExpression(it) => match (called(&it.callee), it.arguments.as_slice()) {
                (_, [Argument::SpreadElement(_), ..]) => Self::ANY,
                (Some(("Object", "fromEntries" | "groupBy")), _) => Self::OBJECT,
                (Some(("Object", "freeze")), [first, ..]) => {
                    first.as_expression().map_or(Self::ANY, Self::of)
                }
                // With a second argument `parse` gives whatever that returns.
                (Some(("JSON", "parse")), [_])
                | (Some(("Array", _) | ("", "structuredClone")), _) => Self::OWN,
                (Some((space, name)), _) if is_number(space, name) => Self::NUMBER,
                _ => Self::ANY,
            },
            E::NumericLiteral(_) | E::UpdateExpression(_) => Self::NUMBER,
            E::UnaryExpression(it) if it.operator.is_arithmetic() || it.operator.is_bitwise() => {
                Self::NUMBER
            }
            E::BinaryExpression(it) => match it.operator {
                BinaryOperator::Addition => {
                    Self::of(&it.left).and(Self::of(&it.right)).and(Self::NUMBER)
                }
                it if it.is_arithmetic() || it.is_bitwise() || it.is_bitshift() => Self::NUMBER,
                _ => Self::ANY,
            },
            E::ConditionalExpression(it) => Self::of(&it.consequent).and(Self::of(&it.alternate)),
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

fn is_number(space: &str, name: &str) -> bool {
    match space {
        "Math" => true,
        "Date" => matches!(name, "now" | "UTC"),
        "Number" | "" => matches!(name, "Number" | "parseInt" | "parseFloat"),
        _ => false,
    }
}

/// What must be true of a name once all declarations are known.
#[derive(Debug)]
pub(super) enum Must<'c> {
    BeDeclared,
    /// It is given a value of this shape.
    Become(ValueForm),
    /// It has one of these shapes; else this is the reason against the script.
    Be(ValueForm, &'static str),
    /// It has this shape, or each of these names is a number.
    BeOrNumber(ValueForm, Option<Vec<&'c str>>),
    /// A member of it is set that a page has, too.
    BeSet,
    /// It is the script's own, if the script names an object of the page.
    BeOwner,
}

struct Use<'c> {
    scope: usize,
    name: &'c str,
    at: u32,
    must: Must<'c>,
}

/// A place where names are declared.
#[derive(Default)]
struct VariableScope<'c> {
    above: Option<usize>,
    is_function: bool,
    names: BTreeMap<&'c str, ValueForm>,
}

/// All scopes of a script; the last that is open is where the reader is.
#[derive(Default)]
pub(super) struct Scopes<'c> {
    all: Vec<VariableScope<'c>>,
    open: Vec<usize>,
    uses: Vec<Use<'c>>,
    /// Names that are what they are as long as no method of the script has the name: `(scope, name, method)`.
    lent: Vec<(usize, &'c str, &'c str)>,
    /// Where a member that a text chooses is handed on, and whether members are set of what is not the script's own.
    handed: Option<u32>,
    sets_foreign: bool,
    pub(super) is_of_page: bool,
}

impl<'c> Scopes<'c> {
    pub(super) fn enter(&mut self, is_function: bool) {
        let above = self.open.last().copied();
        self.open.push(self.all.len());
        self.all.push(VariableScope { above, is_function, names: BTreeMap::new() });
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    /// A name is declared here, or in the function around if it is a `var`; without a shape it is not given anything yet.
    pub(super) fn declare(&mut self, name: &'c str, is_var: bool, shape: Option<ValueForm>) {
        let is_home = |it: &&usize| !is_var || self.all.get(**it).is_some_and(|it| it.is_function);
        let home = self.open.iter().rev().find(is_home).copied().unwrap_or_default();
        if let Some(scope) = self.all.get_mut(home) {
            let known = scope.names.entry(name).or_insert(ValueForm::ALL);
            *known = known.and(shape.unwrap_or(ValueForm::ALL));
        }
    }

    /// What must be true of a name; what has none is nothing of the script's own.
    pub(super) fn must(&mut self, name: &'c str, at: u32, must: Must<'c>) {
        let scope = self.open.last().copied().unwrap_or_default();
        self.uses.push(Use { scope, name, at, must });
    }

    pub(super) fn lend(&mut self, name: &'c str, by: &'c str) {
        self.lent.push((self.open.last().copied().unwrap_or_default(), name, by));
    }

    /// What is known of a name, if the script declares it.
    fn shape(&mut self, from: usize, name: &str) -> Option<&mut ValueForm> {
        let mut at = from;
        while !self.all.get(at)?.names.contains_key(name) {
            at = self.all.get(at)?.above?;
        }
        self.all.get_mut(at)?.names.get_mut(name)
    }

    fn is(&mut self, from: usize, name: &str, wanted: ValueForm) -> bool {
        self.shape(from, name).is_some_and(|it| it.is(wanted))
    }

    /// What is wrong once all is declared, by its place. `own` are the methods of the script; `is_open`: it may have others, too.
    pub(super) fn wrong(mut self, own: &BTreeSet<&str>, is_open: bool) -> Vec<(u32, &'static str)> {
        for (scope, name, by) in std::mem::take(&mut self.lent) {
            let is_lost = own.contains(by) || (is_open && !by.is_empty());
            if let (true, Some(known)) = (is_lost, self.shape(scope, name)) {
                *known = ValueForm::ANY;
            }
        }
        let uses = std::mem::take(&mut self.uses);
        for it in &uses {
            if let (Must::Become(shape), Some(known)) = (&it.must, self.shape(it.scope, it.name)) {
                *known = known.and(*shape);
            }
        }
        let all = uses.into_iter().filter_map(|it| Some((it.at, self.wrong_use(&it)?)));
        let mut all: Vec<_> = all.collect();
        // What a text chooses of a plain object may be the prototype of all.
        all.extend(self.handed.filter(|_| self.sets_foreign).map(|at| (at, not::CHOSEN)));
        all
    }

    fn wrong_use(&mut self, it: &Use<'c>) -> Option<&'static str> {
        if !it.name.is_empty() && self.shape(it.scope, it.name).is_none() {
            return Some(not::UNDECLARED);
        }
        match &it.must {
            Must::Be(wanted, what) => (!self.is(it.scope, it.name, *wanted)).then_some(what),
            Must::BeOrNumber(wanted, numbers) => {
                let mut all = numbers.iter().flatten();
                if numbers.is_some() && all.all(|name| self.is(it.scope, name, ValueForm::NUMBER)) {
                    return None;
                }
                if *wanted == ValueForm::RECORD {
                    self.handed.get_or_insert(it.at);
                }
                (!self.is(it.scope, it.name, *wanted)).then_some(not::CHOSEN)
            }
            Must::BeSet => {
                self.sets_foreign |= !self.is(it.scope, it.name, ValueForm::OWN);
                None
            }
            Must::BeOwner => {
                let is_own = self.is(it.scope, it.name, ValueForm::OWN_OR_CLASS);
                (self.is_of_page && !is_own).then_some(not::METHOD)
            }
            Must::BeDeclared | Must::Become(_) => None,
        }
    }
}
