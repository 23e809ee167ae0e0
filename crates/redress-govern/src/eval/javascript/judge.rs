//! The judgement on a script: each node is one that is named here, or the script is refused.
//!
//! The code of a script reaches what it declares, the names of `listed.txt` and their members. No way leads from there to a function that
//! runs text: members with such names are never read, and a member whose name is chosen when the code runs (`x[k]`) is read as data alone,
//! unless `k` is a number or `x` is an object of the script's own. So what the script holds may be called, and nothing is followed.

use std::{collections::BTreeSet, mem::take};

use oxc_ast::ast::{
    Argument, BinaryOperator, BindingPattern, CallExpression, Expression, FormalParameters,
    IdentifierReference, MemberExpression, NewExpression, Program, PropertyKey,
};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use super::{
    lists::{KEYWORDS, global, has},
    scope::{Must, Scopes, Shape},
};
use crate::eval::{Refusal, constructs as not, keywords::in_text};

/// What a value is used for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Used {
    /// For anything.
    #[default]
    Value,
    /// As a text, a number or a truth, or for a member of it.
    Data,
}

/// What a function is given by what calls it: the number of the parameter, its shape, and by which method.
type Given<'c> = (usize, Shape, &'c str);

/// What a function returns.
#[derive(Debug, Clone, Copy)]
pub(super) enum Returns<'c> {
    Anything,
    /// It makes an object.
    Nothing,
    /// The parameter that gathers its results, which keeps its shape.
    Gathered(&'c str),
}

#[derive(Default)]
pub(super) struct Judge<'c> {
    pub(super) scopes: Scopes<'c>,
    /// The first reason against the script, by its place.
    refused: Option<(u32, &'static str)>,
    keyword: Option<Refusal>,
    pub(super) used: Used,
    /// Whether names that come next are declared by `var`, and what they are given.
    pub(super) declared: Option<(bool, Option<Shape>)>,
    pub(super) assigned: Shape,
    /// Whether what is assigned is surely no function.
    pub(super) is_uncallable: bool,
    /// Members that the script gives its objects and classes, and calls of methods that are not listed.
    pub(super) own: BTreeSet<&'c str>,
    calls: Vec<(&'c str, u32)>,
    /// Whether the script may give an object a function under a name that is chosen when the code runs.
    pub(super) is_open: bool,
    /// How many classes are around.
    pub(super) classes: usize,
    /// What the function that comes next is given.
    given: Vec<Given<'c>>,
    pub(super) is_constructor: bool,
    /// What each function around returns.
    pub(super) returns: Vec<Returns<'c>>,
}

impl<'c> Judge<'c> {
    /// The first reason against a script, with its place.
    pub(super) fn judge(program: &Program<'c>) -> Result<(), (u32, Refusal)> {
        let mut judge = Self::default();
        judge.visit_program(program);
        for (name, at) in take(&mut judge.calls) {
            if !judge.own.contains(name) || has("never a method", name) {
                judge.refuse(at, not::METHOD);
            }
        }
        let wrong = judge.scopes.wrong(&judge.own, judge.is_open);
        for (at, what) in wrong {
            judge.refuse(at, what);
        }
        match (judge.keyword, judge.refused) {
            (Some(keyword), _) => Err((0, keyword)),
            (None, Some((at, what))) => Err((at, Refusal::Construct(what.to_owned()))),
            (None, None) => Ok(()),
        }
    }

    pub(super) fn refuse(&mut self, at: u32, what: &'static str) {
        if self.refused.is_none_or(|(first, _)| at < first) {
            self.refused = Some((at, what));
        }
    }

    pub(super) fn keyword_in(&mut self, text: &str) {
        if let Some(keyword) = in_text(KEYWORDS, text) {
            self.keyword.get_or_insert(keyword);
        }
    }

    pub(super) fn like(&mut self, used: Used, it: &Expression<'c>) {
        self.used = used;
        self.visit_expression(it);
    }

    pub(super) fn data(&mut self, it: &Expression<'c>) {
        self.like(Used::Data, it);
    }

    /// A name that is read.
    pub(super) fn name(&mut self, it: &IdentifierReference<'c>) {
        let (name, at) = (it.name.as_str(), it.span.start);
        match global(name) {
            Some(it) if it.is_value => {}
            Some(_) => self.refuse(at, not::GLOBAL_AS_VALUE),
            // What a page says of itself: `__NEXT_DATA__`.
            None if name.starts_with("__") && !has("never", name) => {}
            None => self.scopes.must(name, at, Must::BeDeclared),
        }
    }

    /// A member by its name: read, called or set.
    pub(super) fn key(&mut self, key: &str, at: u32) {
        self.keyword_in(key);
        if has("never", key) {
            self.refuse(at, not::LEADS_OUT);
        }
    }

    fn read(&mut self, object: &Expression<'c>, key: &'c str, at: u32, used: Used) {
        if let Some(space) = space(object) {
            return self.of_space(space, key, at, used);
        }
        self.key(key, at);
        self.data(object);
    }

    /// A member of an object whose other members are not read.
    fn of_space(&mut self, space: &str, key: &str, at: u32, used: Used) {
        let members = global(space).and_then(|it| it.members);
        let is_read = match (space, global(key)) {
            // What holds it could change it.
            ("process", _) if key == "env" => used == Used::Data,
            ("window", Some(it)) => it.is_value || (it.members.is_some() && used != Used::Value),
            ("window", None) => !has("never", key) && (key.starts_with("__") || used == Used::Data),
            _ => members.is_some_and(|it| it.contains(key)),
        };
        if !is_read {
            self.keyword_in(key);
            self.refuse(at, not::MEMBER_OF_GLOBAL);
        }
    }

    pub(super) fn member(&mut self, it: &MemberExpression<'c>, used: Used, is_called: bool) {
        match it {
            MemberExpression::StaticMemberExpression(it) => {
                self.read(&it.object, it.property.name.as_str(), it.property.span.start, used);
            }
            MemberExpression::PrivateFieldExpression(it) => self.data(&it.object),
            MemberExpression::ComputedMemberExpression(it) => match &it.expression {
                Expression::StringLiteral(key) => {
                    self.read(&it.object, key.value.as_str(), it.span.start, used);
                }
                key => {
                    self.data(key);
                    let at = it.span.start;
                    let is_global = identifier(&it.object).is_some_and(|it| global(it).is_some());
                    if is_global || space(&it.object).is_some() {
                        self.refuse(at, not::MEMBER_OF_GLOBAL);
                    }
                    if used == Used::Value {
                        let object = identifier(&it.object).filter(|_| !is_called);
                        self.scopes.must(object.unwrap_or(""), at, Must::BeOwnOr(numbers(key)));
                    }
                    self.data(&it.object);
                }
            },
        }
    }

    /// A member that is set, grown or deleted.
    pub(super) fn write(&mut self, it: &MemberExpression<'c>) {
        let (object, at) = (it.object(), it.span().start);
        let key = it.static_property_name();
        let is_number = match it {
            MemberExpression::ComputedMemberExpression(it) => {
                self.data(&it.expression);
                self.is_open |= !self.is_uncallable && key.is_none();
                numbers(&it.expression)
            }
            _ => None,
        };
        let is_sink = key.is_some_and(|it| has("sink", it) || it.starts_with("on"));
        let is_part = matches!(object, Expression::StaticMemberExpression(it) if matches!(it.property.name.as_str(), "style" | "dataset"));
        if let Some(key) = key {
            self.key(key, at);
        }
        match (object, key) {
            (Expression::Identifier(it), _) if !key.is_some_and(|it| has("writable", it)) => {
                self.scopes.must(it.name.as_str(), at, Must::Be(Shape::FRESH, not::WRITE));
            }
            (_, Some(_)) if is_sink => self.refuse(at, not::SINK),
            (Expression::ThisExpression(_), Some(_)) => {}
            (_, Some(key)) if is_part || has("writable", key) => {}
            _ => {
                let root = root(object).unwrap_or("");
                self.scopes.must(root, at, Must::Be(Shape::FRESH, not::WRITE));
                if key.is_none() {
                    self.scopes.must("", at, Must::BeOwnOr(is_number));
                }
            }
        }
        match space(object) {
            Some(_) => self.refuse(at, not::WRITE),
            None => self.visit_expression(object),
        }
    }

    /// Arguments of a call; what the function at one place is given by what calls it.
    fn arguments(
        &mut self,
        all: &[Argument<'c>],
        used: Used,
        given: Option<&(usize, Vec<Given<'c>>)>,
    ) {
        for (place, it) in all.iter().enumerate() {
            match (it, it.as_expression()) {
                (Argument::SpreadElement(it), _) => self.visit_expression(&it.argument),
                (_, Some(it)) => {
                    let given = given.filter(|of| of.0 == place && is_function(it));
                    self.given = given.map(|of| of.1.clone()).unwrap_or_default();
                    self.like(used, it);
                }
                _ => {}
            }
        }
    }

    pub(super) fn call(&mut self, it: &CallExpression<'c>) {
        let (at, all) = (it.span.start, it.arguments.as_slice());
        let used = |name| {
            if global(name).is_some_and(|it| it.is_of_data) { Used::Data } else { Used::Value }
        };
        let callee = it.callee.as_member_expression();
        let key = callee.and_then(|it| Some((it.object(), it.static_property_name()?)));
        let mut given = None;
        let used = match (&it.callee, key) {
            (Expression::Super(_), _) => Used::Value,
            (Expression::Identifier(callee), _) => {
                let name = callee.name.as_str();
                match global(name) {
                    Some(of) if of.is_called => self.called(name, all, at),
                    Some(_) => self.refuse(at, not::GLOBAL_AS_VALUE),
                    None => self.name(callee),
                }
                used(name)
            }
            (_, Some((object, key))) => match space(object) {
                Some("window") if global(key).is_some_and(|it| it.is_called) => {
                    self.called(key, all, at);
                    used(key)
                }
                Some(space) => {
                    self.of_space(space, key, at, Used::Value);
                    given = self.called_of(space, key, all, at);
                    used(space)
                }
                None => {
                    given = self.method(object, key, all, at);
                    Used::Value
                }
            },
            (other, None) => {
                match callee {
                    Some(callee) => self.member(callee, Used::Value, true),
                    None => self.visit_expression(other),
                }
                Used::Value
            }
        };
        self.arguments(all, used, given.as_ref());
    }

    /// A function of the language or of the page, by its name.
    fn called(&mut self, name: &str, all: &[Argument<'c>], at: u32) {
        let first = all.first().and_then(Argument::as_expression);
        match (name, first) {
            (
                "setTimeout"
                | "setInterval"
                | "requestAnimationFrame"
                | "requestIdleCallback"
                | "queueMicrotask",
                _,
            ) => match first {
                Some(Expression::Identifier(it)) => {
                    let wakes = Must::Be(Shape::FUNCTION.or(Shape::WAKES), not::TEXT_AS_CODE);
                    self.scopes.must(it.name.as_str(), at, wakes);
                }
                Some(it) if is_function(it) => {}
                _ => {
                    self.keyword_in(all.first().and_then(text).unwrap_or(""));
                    self.refuse(at, not::TEXT_AS_CODE);
                }
            },
            ("fetch", _) => {
                let path = all.first().and_then(text).unwrap_or("");
                let is_elsewhere =
                    path.starts_with("//") || path.contains(['\\', '\t', '\n', '\r']);
                if all.len() != 1 || !path.starts_with('/') || is_elsewhere {
                    self.refuse(at, not::FETCH);
                }
            }
            _ => {}
        }
    }

    /// `Object.assign(…)`, `Array.from(…)`: what they give the function that they call.
    fn called_of(
        &mut self,
        space: &str,
        key: &str,
        all: &[Argument<'c>],
        at: u32,
    ) -> Option<(usize, Vec<Given<'c>>)> {
        self.is_open |= space == "Object" && matches!(key, "assign" | "fromEntries");
        match (space, key, all) {
            ("Object", "assign", [Argument::ObjectExpression(_), ..]) => {}
            ("Object", "assign", _) => self.refuse(at, not::WRITE),
            ("Array", "from", [_, _, _, ..]) => self.refuse(at, not::THIS),
            ("Array", "from", _) => return Some((1, vec![(1, Shape::NUMBER, "")])),
            _ => {}
        }
        None
    }

    /// `object.key(…)`: what it gives the function that it calls.
    fn method(
        &mut self,
        object: &Expression<'c>,
        key: &'c str,
        all: &[Argument<'c>],
        at: u32,
    ) -> Option<(usize, Vec<Given<'c>>)> {
        self.key(key, at);
        let first = all.first().and_then(text);
        let is_pattern = matches!(all.first(), Some(Argument::RegExpLiteral(_)))
            || first.is_some_and(|it| !it.contains(':'));
        let place = match key {
            "map" | "filter" | "find" | "findIndex" | "findLast" | "findLastIndex" | "some"
            | "every" | "flatMap" | "forEach" => 1,
            "reduce" | "reduceRight" => 2,
            _ => 0,
        };
        match key {
            // An address has such a method, too.
            "replace" if !is_pattern => self.refuse(at, not::REPLACE),
            _ if place == 1 && all.len() > 1 => self.refuse(at, not::THIS),
            _ if has("method", key) => {}
            _ => self.calls.push((key, at)),
        }
        self.data(object);
        // Of a `Map`, `forEach` hands out keys.
        let mut given =
            vec![(place, if key == "forEach" { Shape::ANY } else { Shape::NUMBER }, key)];
        if place == 2
            && all
                .get(1)
                .and_then(Argument::as_expression)
                .is_some_and(|it| Shape::of(it).is(Shape::FRESH))
        {
            given.push((0, Shape::FRESH, key));
        }
        Some((0, given)).filter(|_| place > 0)
    }

    pub(super) fn make(&mut self, it: &NewExpression<'c>) {
        let at = it.span.start;
        let mut given = None;
        match &it.callee {
            Expression::Identifier(class) => match global(class.name.as_str()) {
                Some(of) if of.is_class && class.name == "Promise" => {
                    given = Some((0, vec![(0, Shape::WAKES, ""), (1, Shape::WAKES, "")]));
                }
                Some(of) if of.is_class => {}
                Some(_) => self.refuse(at, not::NEW),
                None => self.scopes.must(class.name.as_str(), at, Must::Be(Shape::CLASS, not::NEW)),
            },
            Expression::StaticMemberExpression(it) if space(&it.object) == Some("Intl") => {
                self.of_space("Intl", it.property.name.as_str(), at, Used::Data);
            }
            _ => self.refuse(at, not::NEW),
        }
        self.arguments(&it.arguments, Used::Value, given.as_ref());
    }

    /// A name of a member that a pattern takes out of something.
    pub(super) fn taken(&mut self, key: &PropertyKey<'c>) {
        match own_name(key) {
            Some(name) => self.key(name, key.span().start),
            None if matches!(key, PropertyKey::NumericLiteral(_)) => {}
            None => self.refuse(key.span().start, not::CHOSEN),
        }
    }

    /// A function begins: its parameters, by what calls it.
    pub(super) fn parameters(&mut self, params: &FormalParameters<'c>) {
        let (given, is_constructor) = (take(&mut self.given), take(&mut self.is_constructor));
        let mut gathered = None;
        for (place, param) in params.items.iter().enumerate() {
            let known = given.iter().find(|it| it.0 == place && param.initializer.is_none());
            let shape = known.map_or(Shape::ANY, |it| it.1);
            if let (Some((_, shape, by)), BindingPattern::BindingIdentifier(id)) =
                (known, &param.pattern)
            {
                self.scopes.lend(id.name.as_str(), by);
                gathered = gathered.or((*shape == Shape::FRESH).then_some(id.name.as_str()));
            }
            self.declared = Some((false, Some(shape)));
            self.visit_formal_parameter(param);
        }
        self.declared = Some((false, Some(Shape::ANY)));
        params.rest.iter().for_each(|it| self.visit_binding_pattern(&it.rest.argument));
        self.returns.push(match gathered {
            _ if is_constructor => Returns::Nothing,
            Some(name) => Returns::Gathered(name),
            None => Returns::Anything,
        });
    }

    /// What a function gives.
    pub(super) fn gives(&mut self, it: &Expression<'c>) {
        let at = it.span().start;
        match self.returns.last().copied() {
            Some(Returns::Nothing) => self.refuse(at, not::CONSTRUCTOR_GIVES),
            Some(Returns::Gathered(name)) if identifier(it) != Some(name) => {
                self.scopes.must(name, at, Must::Become(Shape::of(it)));
            }
            _ => {}
        }
        self.visit_expression(it);
    }
}

pub(super) fn identifier<'c>(it: &Expression<'c>) -> Option<&'c str> {
    match it {
        Expression::Identifier(it) => Some(it.name.as_str()),
        _ => None,
    }
}

pub(super) fn is_function(it: &Expression<'_>) -> bool {
    Shape::of(it).is(Shape::FUNCTION)
}

/// Whether a value is surely no function, by its form.
pub(super) fn is_uncallable(it: &Expression<'_>) -> bool {
    it.is_literal()
        || matches!(
            it,
            Expression::ArrayExpression(_)
                | Expression::BinaryExpression(_)
                | Expression::NewExpression(_)
                | Expression::ObjectExpression(_)
                | Expression::TemplateLiteral(_)
                | Expression::UnaryExpression(_)
        )
}

/// The method of a list or a text that makes a new list.
pub(super) fn list_maker<'c>(it: &Expression<'c>) -> Option<&'c str> {
    let Expression::CallExpression(it) = it else { return None };
    let Expression::StaticMemberExpression(it) = &it.callee else { return None };
    Some(it.property.name.as_str()).filter(|it| has("list maker", it))
}

/// The name that a chain of members begins with.
fn root<'c>(it: &Expression<'c>) -> Option<&'c str> {
    let mut it = it;
    while let Some(member) = it.as_member_expression() {
        it = member.object();
    }
    identifier(it)
}

/// The name of an object that has a list of members, if it is one.
fn space<'c>(it: &Expression<'c>) -> Option<&'c str> {
    let name = match it {
        Expression::StaticMemberExpression(it) if identifier(&it.object) == Some("window") => {
            Some(it.property.name.as_str())
        }
        it => identifier(it),
    };
    name.filter(|it| global(it).is_some_and(|it| it.members.is_some()))
}

/// The names that must be numbers for a value to be one, if anything makes it one.
fn numbers<'c>(value: &Expression<'c>) -> Option<Vec<&'c str>> {
    let (mut names, mut sides) = (Vec::new(), vec![value]);
    while let Some(side) = sides.pop() {
        match side {
            Expression::Identifier(it) => names.push(it.name.as_str()),
            Expression::BinaryExpression(it) if it.operator == BinaryOperator::Addition => {
                sides.extend([&it.left, &it.right]);
            }
            it if Shape::of(it).is(Shape::NUMBER) => {}
            _ => return None,
        }
    }
    Some(names)
}

pub(super) fn own_name<'c>(key: &PropertyKey<'c>) -> Option<&'c str> {
    match key {
        PropertyKey::StaticIdentifier(it) => Some(it.name.as_str()),
        PropertyKey::StringLiteral(it) => Some(it.value.as_str()),
        _ => None,
    }
}

fn text<'c>(argument: &Argument<'c>) -> Option<&'c str> {
    match argument {
        Argument::StringLiteral(it) => Some(it.value.as_str()),
        _ => None,
    }
}
