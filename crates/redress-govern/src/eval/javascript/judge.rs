//! The judgement on a script: each node is one that is named here, or the script is refused.
//!
//! The code of a script reaches what it declares, the names of `listed.txt` and their members. No way leads from there to a function that
//! runs text: members with such names are never read, and a member that a text chooses (`x[k]`) is read as data alone, unless `x` is a plain
//! object of the script's own that no function was put into in this way. So what the script holds may be called, and nothing is followed.

use std::{collections::BTreeSet, mem::take};

use oxc_ast::ast::{
    Argument, BinaryOperator, BindingPattern, CallExpression, Expression, FormalParameters,
    IdentifierReference, MemberExpression, NewExpression, Program, PropertyKey,
    VariableDeclaration,
};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use super::{
    lists::{KEYWORDS, LIST, has, is_global, is_of},
    scope::{Must, Scopes, ValueForm},
};
use crate::eval::{constructs as not, findings::Findings};

/// What a value is used for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Used {
    /// For anything.
    #[default]
    Value,
    /// For a member of it.
    Object,
    /// As a text, a number or a truth.
    Data,
}

/// What a function is given by what calls it: the number of the parameter, its shape, and by which method.
type Given<'c> = (usize, ValueForm, &'c str);

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
pub(super) struct JavaScriptJudge<'c> {
    pub(super) scopes: Scopes<'c>,
    pub(super) found: Findings,
    pub(super) used: Used,
    /// Whether names that come next are declared by `var`, and what they are given.
    pub(super) declared: Option<(bool, Option<ValueForm>)>,
    pub(super) assigned: ValueForm,
    /// Whether what is assigned is surely no function.
    pub(super) is_uncallable: bool,
    /// Members that the script gives its objects and classes, and of these the methods of classes.
    pub(super) own: BTreeSet<&'c str>,
    pub(super) methods: BTreeSet<&'c str>,
    /// Members that are read as values, and calls of methods that are not listed.
    reads: Vec<(&'c str, u32)>,
    calls: Vec<(&'c str, u32)>,
    /// Whether the script may give an object a function under a name that is chosen when the code runs.
    pub(super) is_open: bool,
    /// Whether `this` is an object of the script.
    pub(super) is_this_own: bool,
    /// What the function that comes next is given.
    given: Vec<Given<'c>>,
    /// What each function around returns, and how many functions are around the script.
    pub(super) returns: Vec<Returns<'c>>,
    pub(super) outer: usize,
}

impl<'c> JavaScriptJudge<'c> {
    /// What is found against a script, which stands in as many functions.
    pub(super) fn judge(program: &Program<'c>, outer: usize) -> Findings {
        let found = Findings::new(&LIST, KEYWORDS);
        let mut judge = Self { found, outer, ..Self::default() };
        judge.visit_program(program);
        judge.end()
    }

    fn end(self) -> Findings {
        let Self { scopes, mut found, own, methods, .. } = self;
        let is_unknown = |it: &&(&str, u32)| !own.contains(it.0) || has("never a method", it.0);
        self.calls.iter().filter(is_unknown).for_each(|it| found.refuse(it.1, not::METHOD));
        let is_method = |it: &&(&str, u32)| methods.contains(it.0);
        self.reads.iter().filter(is_method).for_each(|it| found.refuse(it.1, not::METHOD_AS_VALUE));
        for (at, what) in scopes.wrong(&own, self.is_open) {
            found.refuse(at, what);
        }
        found
    }

    pub(super) fn refuse(&mut self, at: u32, what: &'static str) {
        self.found.refuse(at, what);
    }

    pub(super) fn like(&mut self, used: Used, it: &Expression<'c>) {
        self.used = used;
        self.visit_expression(it);
    }

    pub(super) fn data(&mut self, it: &Expression<'c>) {
        self.like(Used::Data, it);
    }

    /// A name that is read.
    pub(super) fn name(&mut self, it: &IdentifierReference<'c>, used: Used) {
        let (name, at) = (it.name.as_str(), it.span.start);
        self.scopes.is_of_page |= has("page", name);
        if is_global(name) {
            if !is_of(name, "value") {
                self.refuse(at, not::GLOBAL_AS_VALUE);
            }
        } else if name.starts_with("__") && used != Used::Value && !has("never", name) {
            // What a page says of itself: `__NEXT_DATA__`.
            self.scopes.is_of_page = true;
        } else {
            self.scopes.must(name, at, Must::BeDeclared);
        }
    }

    /// A member by its name: read, called or set.
    pub(super) fn key(&mut self, key: &str, at: u32) {
        self.found.keyword_in(key);
        if has("never", key) {
            self.refuse(at, not::LEADS_OUT);
        }
    }

    fn read(&mut self, object: &Expression<'c>, key: &'c str, at: u32, used: Used) {
        if let Some(space) = space(object) {
            return self.of_space(space, key, at, used);
        }
        self.key(key, at);
        if used == Used::Value {
            self.reads.push((key, at));
        }
        self.like(Used::Object, object);
    }

    /// A member of an object whose other members are not read.
    fn of_space(&mut self, space: &str, key: &str, at: u32, used: Used) {
        let is_read = match space {
            // What holds it could change it.
            "process" if key == "env" => used != Used::Value,
            "window" if is_global(key) => {
                is_of(key, "value") || (is_of(key, "space") && used != Used::Value)
            }
            "window" => key.starts_with("__") && !has("never", key),
            _ => false,
        };
        self.scopes.is_of_page |= space == "window";
        if !is_read && !has(&format!("members of {space}"), key) {
            self.found.keyword_in(key);
            self.refuse(at, not::MEMBER_OF_GLOBAL);
        }
    }

    pub(super) fn member(&mut self, it: &MemberExpression<'c>, used: Used, is_called: bool) {
        let at = it.span().start;
        match it {
            MemberExpression::StaticMemberExpression(it) => {
                self.read(&it.object, it.property.name.as_str(), it.property.span.start, used);
            }
            MemberExpression::PrivateFieldExpression(it) => {
                if used == Used::Value && !is_called {
                    self.reads.push((it.field.name.as_str(), at));
                }
                self.like(Used::Object, &it.object);
            }
            MemberExpression::ComputedMemberExpression(it) => match &it.expression {
                Expression::StringLiteral(key) => {
                    self.read(&it.object, key.value.as_str(), at, used);
                }
                key => {
                    self.data(key);
                    let object = identifier(&it.object);
                    if object.is_some_and(is_global) || space(&it.object).is_some() {
                        self.refuse(at, not::MEMBER_OF_GLOBAL);
                    }
                    let wanted =
                        if used == Used::Object { ValueForm::PLAIN } else { ValueForm::RECORD };
                    if used != Used::Data {
                        let object = object.filter(|_| !is_called).unwrap_or("");
                        self.scopes.must(object, at, Must::BeOrNumber(wanted, numbers(key)));
                    }
                    self.like(Used::Object, &it.object);
                }
            },
        }
    }

    /// A member that is set, grown or deleted.
    pub(super) fn write(&mut self, it: &MemberExpression<'c>) {
        let (object, at) = (it.object(), it.span().start);
        let is_uncallable = take(&mut self.is_uncallable);
        let key = it.static_property_name();
        if let Some(key) = key {
            self.key(key, at);
        }
        let is_style = |it: &str| match object {
            Expression::StaticMemberExpression(part) => match part.property.name.as_str() {
                "style" => has("style", it),
                "dataset" => true,
                _ => false,
            },
            _ => false,
        };
        let is_sink = key.is_some_and(|it| has("sink", it) || it.starts_with("on"));
        let is_page = key.is_some_and(|it| has("writable", it) || is_style(it));
        let owner = own_identifier(object);
        match (it, object) {
            (MemberExpression::PrivateFieldExpression(_), _) => {}
            (_, Expression::Super(_)) => self.refuse(at, not::WRITE),
            _ if is_sink => self.refuse(at, not::SINK),
            (_, Expression::ThisExpression(_)) if key.is_some() => {}
            _ if is_page => self.scopes.must(owner, at, Must::BeSet),
            (MemberExpression::ComputedMemberExpression(it), object) if key.is_none() => {
                self.data(&it.expression);
                match (object, numbers(&it.expression)) {
                    (Expression::Identifier(_), _) => {
                        self.scopes.must(owner, at, Must::Be(ValueForm::OWN, not::WRITE));
                        if !is_uncallable {
                            self.is_open = true;
                            self.scopes.must(owner, at, Must::Become(ValueForm::NO_RECORD));
                        }
                    }
                    // A list of lists.
                    (Expression::ComputedMemberExpression(row), Some(column)) => {
                        let list = identifier(&row.object).unwrap_or("");
                        let row = numbers(&row.expression);
                        self.scopes.must(list, at, Must::Be(ValueForm::OWN, not::WRITE));
                        self.scopes.must("", at, Must::BeOrNumber(ValueForm::OWN, row));
                        self.scopes.must("", at, Must::BeOrNumber(ValueForm::OWN, Some(column)));
                        self.scopes.must("", at, Must::BeSet);
                    }
                    _ => self.refuse(at, not::WRITE),
                }
            }
            (_, Expression::Identifier(_)) => {
                self.scopes.must(owner, at, Must::Be(ValueForm::OWN, not::WRITE));
            }
            _ => self.refuse(at, not::WRITE),
        }
        let part = object.as_member_expression().and_then(|it| space(it.object()));
        if space(object).is_some() || part.is_some_and(|it| it != "window") {
            self.refuse(at, not::WRITE);
        } else {
            // A page has such members, and so would the prototype of all.
            self.like(if is_page { Used::Value } else { Used::Object }, object);
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
        let used = |kind, name| if has(kind, name) { Used::Data } else { Used::Value };
        let callee = it.callee.as_member_expression();
        let key = callee.and_then(|it| Some((it.object(), it.static_property_name()?)));
        let (mut given, mut taken) = (None, Used::Value);
        match (&it.callee, key) {
            (Expression::Super(_), _) => {}
            (Expression::Identifier(callee), _) => {
                let name = callee.name.as_str();
                if is_global(name) {
                    self.called(name, all, at);
                } else {
                    self.name(callee, Used::Value);
                }
                taken = used("of data", name);
            }
            (_, Some((object, key))) => match space(object) {
                Some("window") if is_of(key, "called") => {
                    self.called(key, all, at);
                    taken = used("of data", key);
                }
                Some(space) => {
                    self.of_space(space, key, at, Used::Value);
                    given = self.called_of(space, key, all, at);
                    taken = used("space of data", space);
                }
                None => given = self.method(object, key, all, at),
            },
            (other, None) => match callee {
                Some(callee) => self.member(callee, Used::Value, true),
                None => self.visit_expression(other),
            },
        }
        self.arguments(all, taken, given.as_ref());
    }

    /// A function of the language or of the page, by its name.
    fn called(&mut self, name: &str, all: &[Argument<'c>], at: u32) {
        self.scopes.is_of_page |= has("page", name);
        let first = all.first();
        if !is_of(name, "called") {
            self.refuse(at, not::GLOBAL_AS_VALUE);
        } else if has("timer", name) {
            match first.and_then(Argument::as_expression) {
                Some(Expression::Identifier(it)) => {
                    let wakes = Must::Be(ValueForm::FUNCTION, not::TEXT_AS_CODE);
                    self.scopes.must(it.name.as_str(), at, wakes);
                }
                Some(it) if is_function(it) => {}
                _ => {
                    self.found.keyword_in(first.and_then(text).unwrap_or(""));
                    self.refuse(at, not::TEXT_AS_CODE);
                }
            }
        } else if name == "fetch" {
            let path = first.and_then(text).unwrap_or("");
            if all.len() != 1 || !path.starts_with('/') || is_elsewhere(path) {
                self.refuse(at, not::FETCH);
            }
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
        self.is_open |= match key {
            "assign" | "fromEntries" => space == "Object",
            // Its second argument may put a function under any name.
            "parse" => space == "JSON" && (all.len() > 1 || all.iter().any(Argument::is_spread)),
            _ => false,
        };
        let is_literal = matches!(
            all.first(),
            Some(Argument::ObjectExpression(_) | Argument::ArrayExpression(_))
        );
        match (space, key, all) {
            ("Object", "assign" | "freeze", _) if !is_literal => self.refuse(at, not::WRITE),
            ("Array", "from", [_, _, _, ..]) => self.refuse(at, not::THIS),
            ("Array", "from", _) => return Some((1, vec![(1, ValueForm::NUMBER, "")])),
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
        let is_pattern = matches!(all.first(), Some(Argument::RegExpLiteral(_)))
            || all.first().and_then(text).is_some_and(|it| !it.contains(':') && !is_elsewhere(it));
        let place = match key {
            "reduce" | "reduceRight" => 2,
            _ => usize::from(has("each", key)),
        };
        match key {
            // An address has such a method, too.
            "replace" if !is_pattern => self.refuse(at, not::REPLACE),
            _ if place == 1 && all.len() > 1 => self.refuse(at, not::THIS),
            _ if has("method", key) => {}
            _ => {
                self.calls.push((key, at));
                match object {
                    Expression::ThisExpression(_)
                    | Expression::Super(_)
                    | Expression::NewExpression(_) => {}
                    it => self.scopes.must(own_identifier(it), at, Must::BeOwner),
                }
            }
        }
        self.like(Used::Object, object);
        // Of a `Map`, `forEach` hands out keys.
        let number = if key == "forEach" { ValueForm::ANY } else { ValueForm::NUMBER };
        let mut given = vec![(place, number, key)];
        let start = all.get(1).filter(|_| place == 2).and_then(Argument::as_expression);
        given.extend(
            start.map(|it| (0, ValueForm::of(it), key)).filter(|it| it.1.is(ValueForm::OWN)),
        );
        Some((0, given)).filter(|_| place > 0)
    }

    pub(super) fn make(&mut self, it: &NewExpression<'c>) {
        let at = it.span.start;
        let mut given = None;
        match &it.callee {
            Expression::Identifier(class) if is_of(class.name.as_str(), "class") => {
                if class.name == "Promise" {
                    given =
                        Some((0, vec![(0, ValueForm::FUNCTION, ""), (1, ValueForm::FUNCTION, "")]));
                }
            }
            Expression::Identifier(class) if !is_global(class.name.as_str()) => {
                self.scopes.must(class.name.as_str(), at, Must::Be(ValueForm::CLASS, not::NEW));
            }
            Expression::StaticMemberExpression(it) if space(&it.object) == Some("Intl") => {
                self.of_space("Intl", it.property.name.as_str(), at, Used::Data);
            }
            _ => self.refuse(at, not::NEW),
        }
        self.arguments(&it.arguments, Used::Value, given.as_ref());
    }

    /// A name of a member that a pattern takes out of something.
    pub(super) fn taken(&mut self, key: &PropertyKey<'c>) {
        let at = key.span().start;
        match own_name(key) {
            Some(name) => {
                self.key(name, at);
                self.reads.push((name, at));
            }
            None if matches!(key, PropertyKey::NumericLiteral(_)) => {}
            None => self.refuse(at, not::CHOSEN),
        }
    }

    /// Variables that are declared, with what they are given; in the head of a loop, anything.
    pub(super) fn declare(&mut self, it: &VariableDeclaration<'c>, is_head: bool) {
        let at = it.span.start;
        if it.kind.is_using() || it.kind.is_await() {
            self.refuse(at, not::EXPRESSION);
        }
        if it.kind.is_var() && self.returns.len() == self.outer {
            self.refuse(at, not::OUTER_VAR);
        }
        for declared in &it.declarations {
            let shape = declared.init.as_ref().map(ValueForm::of);
            let shape = if is_head { Some(ValueForm::ANY) } else { shape };
            self.declared = Some((it.kind.is_var(), shape));
            self.visit_binding_pattern(&declared.id);
            declared.init.iter().for_each(|it| self.visit_expression(it));
        }
    }

    /// A function begins: its parameters, by what calls it.
    pub(super) fn parameters(&mut self, params: &FormalParameters<'c>, is_constructor: bool) {
        let given = take(&mut self.given);
        let mut gathered = None;
        for (place, param) in params.items.iter().enumerate() {
            let known = given.iter().find(|it| it.0 == place && param.initializer.is_none());
            let shape = known.map_or(ValueForm::ANY, |it| it.1);
            if let (Some((_, shape, by)), BindingPattern::BindingIdentifier(id)) =
                (known, &param.pattern)
            {
                self.scopes.lend(id.name.as_str(), by);
                gathered = gathered.or(shape.is(ValueForm::OWN).then_some(id.name.as_str()));
            }
            self.declared = Some((false, Some(shape)));
            self.visit_formal_parameter(param);
        }
        self.declared = Some((false, Some(ValueForm::ANY)));
        params.rest.iter().for_each(|it| self.visit_binding_pattern(&it.rest.argument));
        self.returns.push(match gathered {
            _ if is_constructor => Returns::Nothing,
            Some(name) => Returns::Gathered(name),
            None => Returns::Anything,
        });
    }

    /// What a function gives; what the script itself gives is not used by it.
    pub(super) fn gives(&mut self, it: &Expression<'c>) {
        let at = it.span().start;
        match self.returns.last().copied() {
            Some(Returns::Nothing) => self.refuse(at, not::CONSTRUCTOR_GIVES),
            Some(Returns::Gathered(name)) if identifier(it) != Some(name) => {
                self.scopes.must(name, at, Must::Become(ValueForm::of(it)));
            }
            _ => {}
        }
        let is_end = self.returns.len() == self.outer;
        self.like(if is_end { Used::Data } else { Used::Value }, it);
    }
}

pub(super) fn identifier<'c>(it: &Expression<'c>) -> Option<&'c str> {
    match it {
        Expression::Identifier(it) => Some(it.name.as_str()),
        _ => None,
    }
}

/// A name that is not one of the language, or none.
fn own_identifier<'c>(it: &Expression<'c>) -> &'c str {
    identifier(it).filter(|it| !is_global(it)).unwrap_or("")
}

fn is_function(it: &Expression<'_>) -> bool {
    ValueForm::of(it).is(ValueForm::FUNCTION)
}

/// The name of an object that has a list of members, if it is one.
fn space<'c>(it: &Expression<'c>) -> Option<&'c str> {
    let name = match it {
        Expression::StaticMemberExpression(it) if identifier(&it.object) == Some("window") => {
            Some(it.property.name.as_str())
        }
        it => identifier(it),
    };
    name.filter(|it| is_of(it, "space"))
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
            it if ValueForm::of(it).is(ValueForm::NUMBER) => {}
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

/// Whether an address may be that of another host.
fn is_elsewhere(path: &str) -> bool {
    path.starts_with("//") || path.contains(['\\', '\t', '\n', '\r'])
}
