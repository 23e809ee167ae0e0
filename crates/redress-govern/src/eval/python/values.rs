//! The values of a module, from its tree.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{
    Comprehension, ExceptHandler, Expr, ExprBinOp, ExprCall, ExprContext, ExprFString, FStringPart,
    InterpolatedStringElement, Operator, Parameter, Pattern, PatternKeyword, Stmt,
    visitor::{
        Visitor, walk_except_handler, walk_expr, walk_parameter, walk_pattern,
        walk_pattern_keyword, walk_stmt,
    },
};

use ruff_text_size::TextRange;

use super::{classes::Classes, words::PLAIN_CLASSES};
use crate::eval::payload::{Id, Payload, Value, plain};

/// `functools.wraps` copies members, by default some that only tell something, else those that it is told the names of.
pub(super) const WRAPS: &str = "wraps";
pub(super) const NAMES_MEMBERS: Value<'static> =
    Value::Forbidden("wraps, but as the decorator next to a function");

/// Reads all statements.
pub(super) fn read<'c>(payload: &mut Payload<'c>, module: &'c [Stmt]) {
    let mut reader = Reader {
        payload,
        classes: BTreeMap::new(),
        data: BTreeSet::new(),
        matched: Vec::new(),
        above: Classes::default(),
        wrapping: None,
    };
    reader.visit_body(module);
    reader.end();
}

pub(super) struct Reader<'p, 'c> {
    pub(super) payload: &'p mut Payload<'c>,
    /// Classes without others above them, each with the names of its decorators.
    classes: BTreeMap<&'c str, Vec<Option<&'c str>>>,
    /// Names under which `dataclass` was imported, or its module.
    pub(super) data: BTreeSet<&'c str>,
    /// Classes whose patterns take members in turn, which the class names: `case A(x)`.
    matched: Vec<Option<&'c str>>,
    pub(super) above: Classes<'c>,
    /// The decorator that may be `wraps`.
    pub(super) wrapping: Option<TextRange>,
}

impl<'c> Reader<'_, 'c> {
    fn value(&mut self, expression: &'c Expr) -> Id {
        match expression {
            Expr::StringLiteral(it) => self.payload.text(it.value.to_str()),
            Expr::FString(it) => self.format(it),
            Expr::NumberLiteral(_) | Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) => {
                self.payload.push(Value::Number)
            }
            Expr::Name(it) if it.ctx == ExprContext::Store => {
                self.payload.bind(it.id.as_str());
                self.payload.push(Value::Else)
            }
            Expr::Name(it) if plain(it.id.as_str()) == WRAPS => self.payload.push(NAMES_MEMBERS),
            Expr::Name(it) => self.payload.name(it.id.as_str()),
            Expr::Attribute(it) if plain(it.attr.as_str()) == WRAPS => {
                self.value(&it.value);
                self.payload.push(NAMES_MEMBERS)
            }
            Expr::Attribute(it) => {
                let object = self.value(&it.value);
                let key = self.payload.key(it.attr.as_str());
                if it.ctx == ExprContext::Store {
                    self.payload.give_field(key, object);
                }
                self.payload.member(object, key)
            }
            Expr::Subscript(it) => {
                self.value(&it.value);
                let key = self.value(&it.slice);
                self.payload.telling.push(key);
                self.payload.push(Value::Else)
            }
            Expr::Call(it) => self.call(it),
            Expr::BinOp(it) => self.binary(it),
            Expr::BoolOp(it) => {
                let ways = it.values.iter().map(|it| self.value(it)).collect();
                self.payload.push(Value::Either(ways))
            }
            Expr::If(it) => {
                self.value(&it.test);
                let ways = vec![self.value(&it.body), self.value(&it.orelse)];
                self.payload.push(Value::Either(ways))
            }
            Expr::Named(it) => {
                let given = self.value(&it.value);
                self.assign(&it.target, given);
                self.payload.push(Value::Either(vec![given]))
            }
            Expr::Await(it) => self.value(&it.value),
            Expr::List(it) if it.ctx != ExprContext::Store => self.list(&it.elts),
            Expr::Tuple(it) if it.ctx != ExprContext::Store => self.list(&it.elts),
            Expr::Compare(_) | Expr::UnaryOp(_) => {
                walk_expr(self, expression);
                self.payload.push(Value::Number)
            }
            Expr::Starred(_) => {
                walk_expr(self, expression);
                self.payload.push(Value::Made)
            }
            _ => {
                walk_expr(self, expression);
                self.payload.push(Value::Else)
            }
        }
    }

    fn list(&mut self, elements: &'c [Expr]) -> Id {
        let all = elements.iter().map(|it| self.value(it)).collect();
        self.payload.push(Value::List(all))
    }

    fn format(&mut self, format: &'c ExprFString) -> Id {
        let mut parts = Vec::new();
        for part in format.value.as_slice() {
            match part {
                FStringPart::Literal(it) => parts.push(self.payload.text(it)),
                FStringPart::FString(it) => {
                    parts.extend(it.elements.iter().map(|it| self.formatted(it)));
                }
            }
        }
        self.payload.push(Value::Sum(parts))
    }

    fn formatted(&mut self, element: &'c InterpolatedStringElement) -> Id {
        match element {
            InterpolatedStringElement::Literal(it) => self.payload.text(&it.value),
            InterpolatedStringElement::Interpolation(it) => {
                let value = self.value(&it.expression);
                let Some(spec) = &it.format_spec else { return value };
                for element in &spec.elements {
                    self.formatted(element);
                }
                self.payload.push(Value::Made)
            }
        }
    }

    /// `getattr` with a key is a member; without one it is a name like any other.
    fn call(&mut self, call: &'c ExprCall) -> Id {
        if let Expr::Name(name) = &*call.func
            && plain(name.id.as_str()) == "getattr"
            && let [object, key, default @ ..] = &*call.arguments.args
            && call.arguments.keywords.is_empty()
            && !call.arguments.args.iter().any(Expr::is_starred_expr)
        {
            let object = self.value(object);
            let key = self.value(key);
            self.payload.telling.push(key);
            for it in default {
                self.visit_expr(it);
            }
            return self.payload.member(object, key);
        }
        let callee = match &*call.func {
            _ if !self.is_wrapping(call) => self.value(&call.func),
            Expr::Attribute(it) => self.value(&it.value),
            _ => self.payload.push(Value::Else),
        };
        let arguments = call.arguments.args.iter().map(|it| self.value(it)).collect();
        call.arguments.keywords.iter().for_each(|it| self.visit_keyword(it));
        self.payload.call(callee, arguments)
    }

    fn binary(&mut self, binary: &'c ExprBinOp) -> Id {
        match binary.op {
            Operator::Add => self.sum(binary),
            operator => {
                let sides = [self.value(&binary.left), self.value(&binary.right)];
                let is_text = |it: &Id| matches!(self.payload.value(*it), Value::Text(_));
                if let (Operator::Mult, Some(text)) = (operator, sides.into_iter().find(is_text)) {
                    // Twice is as often as it takes to see what its end and its beginning come to.
                    return self.payload.push(Value::Sum(vec![text, text]));
                }
                let makes_text = matches!(operator, Operator::Mod | Operator::Mult);
                self.payload.push(if makes_text { Value::Made } else { Value::Number })
            }
        }
    }

    /// `a + b + c` leans to the left, however long it is: a loop, not a recursion.
    fn sum(&mut self, sum: &'c ExprBinOp) -> Id {
        let mut rights = vec![&*sum.right];
        let mut left = &*sum.left;
        while let Expr::BinOp(inner) = left
            && inner.op == Operator::Add
        {
            rights.push(&*inner.right);
            left = &*inner.left;
        }
        let parts = std::iter::once(left).chain(rights.into_iter().rev());
        let parts = parts.map(|it| self.value(it)).collect();
        self.payload.push(Value::Sum(parts))
    }

    fn assign(&mut self, target: &'c Expr, given: Id) {
        match target {
            Expr::Name(name) => self.payload.give(name.id.as_str(), given),
            _ => self.visit_expr(target),
        }
    }

    fn loop_over(&mut self, target: &'c Expr, list: &'c Expr) {
        let list = self.value(list);
        match target {
            Expr::Name(name) => {
                let each = self.payload.push(Value::Else);
                self.payload.give_each(name.id.as_str(), list, each);
            }
            _ => self.visit_expr(target),
        }
    }

    /// A class that takes its members in turn is one that was seen, so that nobody else says which they are.
    fn end(self) {
        let is_once = |name: &str| self.payload.given(&plain(name)).len() == 1;
        let is_data = |it: Option<&str>| it.is_some_and(|it| self.data.contains(it) && is_once(it));
        let is_known = |name: &str| match self.classes.get(name) {
            Some(decorators) => is_once(name) && decorators.iter().copied().all(is_data),
            None => PLAIN_CLASSES.contains(&name) && self.payload.given(name).is_empty(),
        };
        if self.matched.iter().any(|it| !it.is_some_and(is_known)) {
            self.payload.push(Value::Forbidden("a pattern of a class that names members"));
        }
        if self.above.is_made(self.payload) {
            self.payload.push(Value::Forbidden("dataclass of a class that is made"));
        }
    }
}

impl<'c> Visitor<'c> for Reader<'_, 'c> {
    fn visit_expr(&mut self, expression: &'c Expr) {
        self.value(expression);
    }

    fn visit_stmt(&mut self, statement: &'c Stmt) {
        match statement {
            Stmt::Assign(it) => {
                let given = self.value(&it.value);
                it.targets.iter().for_each(|target| self.assign(target, given));
            }
            Stmt::AnnAssign(it) => {
                self.visit_annotation(&it.annotation);
                match &it.value {
                    Some(value) => {
                        let given = self.value(value);
                        self.assign(&it.target, given);
                    }
                    None => self.visit_expr(&it.target),
                }
            }
            Stmt::AugAssign(it) => {
                let by = self.value(&it.value);
                let given = self.payload.push(Value::Grown { by });
                self.assign(&it.target, given);
            }
            Stmt::For(it) => {
                self.loop_over(&it.target, &it.iter);
                self.visit_body(&it.body);
                self.visit_body(&it.orelse);
            }
            Stmt::FunctionDef(it) => {
                self.payload.bind(it.name.as_str());
                self.wrapped(it);
                walk_stmt(self, statement);
            }
            Stmt::ClassDef(it) => {
                self.payload.bind(it.name.as_str());
                if it.arguments.is_none() {
                    let decorators = it.decorator_list.iter().map(|it| data(&it.expression));
                    self.classes.insert(it.name.as_str(), decorators.collect());
                }
                self.above.add(it);
                it.type_params.iter().for_each(|it| self.visit_type_params(it));
                for read in super::classes::parts(it) {
                    self.visit_expr(read);
                }
                self.visit_body(&it.body);
            }
            Stmt::Import(it) => self.import(it),
            Stmt::ImportFrom(it) => self.import_from(it),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_comprehension(&mut self, it: &'c Comprehension) {
        self.loop_over(&it.target, &it.iter);
        it.ifs.iter().for_each(|it| self.visit_expr(it));
    }

    fn visit_parameter(&mut self, it: &'c Parameter) {
        self.payload.bind(it.name.as_str());
        walk_parameter(self, it);
    }

    fn visit_except_handler(&mut self, it: &'c ExceptHandler) {
        let ExceptHandler::ExceptHandler(handler) = it;
        handler.name.iter().for_each(|name| self.payload.bind(name.as_str()));
        walk_except_handler(self, it);
    }

    fn visit_pattern(&mut self, it: &'c Pattern) {
        let name = match it {
            Pattern::MatchAs(it) => it.name.as_ref(),
            Pattern::MatchStar(it) => it.name.as_ref(),
            Pattern::MatchMapping(it) => it.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.payload.bind(name.as_str());
        }
        if let Pattern::MatchClass(it) = it
            && !it.arguments.patterns.is_empty()
        {
            self.matched.push(it.cls.as_name_expr().map(|it| it.id.as_str()));
        }
        walk_pattern(self, it);
    }

    fn visit_pattern_keyword(&mut self, it: &'c PatternKeyword) {
        let key = self.payload.key(it.attr.as_str());
        self.payload.push(Value::Taken { key });
        if plain(it.attr.as_str()) == "format" {
            self.payload.push(Value::Forbidden("a format that is not spelled out"));
        }
        walk_pattern_keyword(self, it);
    }
}

/// The name by which a decorator is `dataclass`, which names the members that stand in the class: itself, or the module's.
fn data(decorator: &Expr) -> Option<&str> {
    let called = match decorator {
        Expr::Call(call) => &*call.func,
        other => other,
    };
    match called {
        Expr::Name(it) => Some(it.id.as_str()),
        Expr::Attribute(it) if it.attr.as_str() == "dataclass" => {
            it.value.as_name_expr().map(|it| it.id.as_str())
        }
        _ => None,
    }
}
