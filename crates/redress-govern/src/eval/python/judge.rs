//! The judgement on a module: each node is one that the list names, or the module is refused.
//!
//! Every member has a name that is written there. Code reads listed members and those that it gives its own classes, and of a module only
//! what `lists.rs` names; so nothing that it holds leads to a function that runs text, and what it holds may be called.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use ruff_python_ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprAttribute, ExprCall, ExprContext, Identifier,
    Parameter, Pattern, PatternKeyword, Stmt, StmtClassDef, StmtFunctionDef, StmtImport,
    StmtImportFrom,
    visitor::{
        Visitor, walk_comprehension, walk_except_handler, walk_expr, walk_parameter, walk_pattern,
        walk_stmt,
    },
};
use ruff_text_size::{Ranged, TextSize};

use super::lists::{KEYWORDS, has, is_forbidden, is_module, is_never, is_of_module};
use crate::eval::{
    Refusal, constructs as not,
    keywords::{in_text, plain},
    place::line,
};

/// A name with the members that are read of it: `urllib.parse.quote`.
struct Chain<'c> {
    root: &'c str,
    members: Vec<&'c str>,
    at: TextSize,
    is_changed: bool,
}

#[derive(Default)]
struct Judge<'c> {
    /// The first reason against the module, by its place.
    refused: Option<(TextSize, String, bool)>,
    keyword: Option<Refusal>,
    chains: Vec<Chain<'c>>,
    /// Members of values that have no name.
    members: Vec<(Cow<'c, str>, TextSize)>,
    /// Names that the code gives a value, and those that it imports as modules, with their paths.
    own: BTreeSet<&'c str>,
    modules: BTreeMap<&'c str, Vec<String>>,
    imported: BTreeSet<&'c str>,
    /// Classes of the code, and what is matched with or extended as one.
    classes: BTreeSet<&'c str>,
    as_classes: Vec<(&'c str, TextSize, bool)>,
    /// Members that the code gives its classes and objects.
    fields: BTreeSet<&'c str>,
    is_class_body: bool,
}

pub(super) fn judge(code: &str, module: &[Stmt]) -> Result<(), Refusal> {
    let mut judge = Judge::default();
    judge.visit_body(module);
    judge.end();
    match (judge.keyword, judge.refused) {
        (Some(keyword), _) => Err(keyword),
        (None, Some((_, what, false))) => Err(Refusal::Construct(what)),
        (None, Some((at, what, true))) => {
            Err(Refusal::Construct(format!("{what}, in line {}", line(code, at.to_usize()))))
        }
        (None, None) => Ok(()),
    }
}

impl<'c> Judge<'c> {
    fn refuse_as(&mut self, at: TextSize, what: String, is_placed: bool) {
        if self.refused.as_ref().is_none_or(|(first, ..)| at < *first) {
            self.refused = Some((at, what, is_placed));
        }
    }

    fn refuse(&mut self, at: TextSize, what: &str) {
        self.refuse_as(at, what.to_owned(), true);
    }

    fn keyword_in(&mut self, text: &str) {
        if let Some(keyword) = in_text(KEYWORDS, text) {
            self.keyword.get_or_insert(keyword);
        }
    }

    /// A name gets a value that is the code's own.
    fn bind(&mut self, name: &'c str, at: TextSize) {
        if has("reserved", name) {
            self.refuse(at, not::DECLARED_ANEW);
        }
        self.make(name, at);
        self.own.insert(name);
        if self.is_class_body {
            self.fields.insert(name);
        }
    }

    /// A name that is written there is not special.
    fn make(&mut self, name: &str, at: TextSize) {
        if is_forbidden(name) || plain(name) != name {
            self.refuse(at, not::SPECIAL);
        } else if is_never(name) {
            self.refuse(at, not::LEADS_OUT);
        }
    }

    fn named(&mut self, name: &'c Identifier) {
        self.bind(name.as_str(), name.start());
    }

    fn chain(&mut self, it: &'c ExprAttribute) {
        let mut members = vec![it.attr.as_str()];
        let mut object = &*it.value;
        while let Expr::Attribute(inner) = object {
            members.push(inner.attr.as_str());
            object = &inner.value;
        }
        members.reverse();
        let is_changed = it.ctx != ExprContext::Load;
        if is_changed && let Some(last) = members.pop() {
            self.make(last, it.start());
            self.fields.insert(last);
        }
        // `type(x).__name__` and `x.__class__.__name__` tell something and give nothing.
        if members.last().is_some_and(|it| matches!(*it, "__name__" | "__qualname__" | "__doc__")) {
            members.pop();
            if members.last() == Some(&"__class__") {
                members.pop();
            } else if let (true, Some(asked)) = (members.is_empty(), asked_type(object)) {
                return self.visit_expr(asked);
            }
        }
        match object {
            Expr::Name(name) => {
                let root = name.id.as_str();
                self.chains.push(Chain { root, members, at: it.start(), is_changed });
            }
            Expr::StringLiteral(text) if members.first() == Some(&"format") => {
                self.format(text.value.to_str(), it.start());
                self.read(members.split_off(1), it.start());
            }
            object => {
                self.read(members, it.start());
                self.visit_expr(object);
            }
        }
    }

    fn read(&mut self, members: Vec<&'c str>, at: TextSize) {
        self.members.extend(members.into_iter().map(|it| (it.into(), at)));
    }

    /// `"{0.name}".format(x)` reads members, too.
    fn format(&mut self, text: &str, at: TextSize) {
        let fields = text.split('{').skip(1).filter_map(|it| it.split(['}', ':', '!']).next());
        for member in fields.flat_map(|it| it.split('.').skip(1)) {
            let member = member.split('[').next().unwrap_or_default();
            self.members.push((member.to_owned().into(), at));
        }
    }

    /// Whether a member may be read of anything.
    fn is_read(&self, name: &str) -> bool {
        let is_own = self.fields.contains(name);
        !is_forbidden(name)
            && !is_never(name)
            && plain(name) == name
            && (has("member", name) || has("special", name) || is_own)
    }

    fn end(&mut self) {
        for chain in std::mem::take(&mut self.chains) {
            self.end_chain(&chain);
        }
        for (name, at) in std::mem::take(&mut self.members) {
            if !self.is_read(&name) {
                self.unread(&name, at);
            }
        }
        for (name, at, is_matched) in std::mem::take(&mut self.as_classes) {
            let is_listed = has("built in", name) || self.imported.contains(name);
            let is_plain = if is_matched { has("plain class", name) } else { is_listed };
            let is_class = self.classes.contains(name) && !self.own.contains(name);
            if !is_class && (!is_plain || self.own.contains(name) || self.classes.contains(name)) {
                self.refuse(at, if is_matched { not::PATTERN } else { not::NEW });
            }
        }
    }

    fn unread(&mut self, name: &str, at: TextSize) {
        self.keyword_in(name);
        let is_special = is_forbidden(name) || plain(name) != name;
        self.refuse(
            at,
            match name {
                "format" => not::FORMAT,
                _ if is_special => not::SPECIAL,
                _ if is_never(name) => not::LEADS_OUT,
                _ => not::ATTRIBUTE_OF,
            },
        );
    }

    fn end_chain(&mut self, chain: &Chain<'c>) {
        let (root, at) = (chain.root, chain.at);
        let mut members = chain.members.iter();
        let is_known =
            self.own.contains(root) || self.classes.contains(root) || self.imported.contains(root);
        if let Some(paths) = self.modules.get(root) {
            let [path] = paths.as_slice() else { return self.refuse(at, not::MODULE_AS_VALUE) };
            let mut path = path.clone();
            if is_known || chain.is_changed {
                return self.refuse(at, not::MODULE_AS_VALUE);
            }
            loop {
                let Some(member) = members.next() else {
                    return self.refuse(at, not::MODULE_AS_VALUE);
                };
                if !is_of_module(&path, member) {
                    self.keyword_in(member);
                    return self.refuse_as(at, format!("a member of {path}"), false);
                }
                let inner = format!("{path}.{member}");
                if !is_module(&inner) {
                    match *member {
                        "dataclass" => self.refuse(at, not::DATACLASS),
                        "wraps" => self.refuse(at, not::WRAPS),
                        _ => {}
                    }
                    break;
                }
                path = inner;
            }
        } else if !(is_known || has("built in", root)) {
            self.keyword_in(root);
            let what = match root {
                "type" => not::TYPE,
                "dataclass" => not::DATACLASS,
                _ => not::UNDECLARED,
            };
            return self.refuse(at, what);
        } else if chain.is_changed && self.imported.contains(root) {
            return self.refuse(at, not::WRITE);
        } else if self.imported.contains(root) && matches!(root, "dataclass" | "wraps") {
            return self.refuse(at, if root == "wraps" { not::WRAPS } else { not::DATACLASS });
        }
        for member in members {
            if !self.is_read(member) {
                return self.unread(member, at);
            }
        }
    }

    fn import(&mut self, it: &'c StmtImport) {
        for alias in &it.names {
            let path = alias.name.as_str();
            self.module(path, alias.start());
            let (name, path) = match &alias.asname {
                Some(name) => (name.as_str(), path),
                None => {
                    let top = path.split('.').next().unwrap_or(path);
                    (top, top)
                }
            };
            self.bind_module(name, path, alias.start());
        }
    }

    fn module(&mut self, path: &str, at: TextSize) {
        if !is_module(path) {
            let top = path.split('.').next().unwrap_or_default();
            let told = if has("well known", top) { top } else { "a module" };
            self.refuse_as(at, format!("import of {told}"), false);
        }
    }

    fn bind_module(&mut self, name: &'c str, path: &str, at: TextSize) {
        if has("reserved", name) {
            self.refuse(at, not::DECLARED_ANEW);
        }
        self.make(name, at);
        let paths = self.modules.entry(name).or_default();
        if !paths.iter().any(|it| it == path) {
            paths.push(path.to_owned());
        }
    }

    fn import_from(&mut self, it: &'c StmtImportFrom) {
        let module = it.module.as_ref().filter(|_| it.level == 0).map_or("", Identifier::as_str);
        self.module(module, it.start());
        for alias in &it.names {
            self.import_member(module, alias);
        }
    }

    fn import_member(&mut self, module: &str, alias: &'c Alias) {
        let (member, at) = (alias.name.as_str(), alias.start());
        let name = alias.asname.as_ref().map_or(member, Identifier::as_str);
        let is_renamed = name != member && (has("reserved", member) || has("reserved", name));
        if member == "*" {
            self.refuse(at, not::STAR);
        } else if !is_of_module(module, member) {
            self.refuse_as(at, format!("a member of {module}"), false);
        } else if is_renamed {
            self.refuse(at, not::DECLARED_ANEW);
        }
        let path = format!("{module}.{member}");
        if is_module(&path) {
            self.bind_module(name, &path, at);
        } else {
            self.make(name, at);
            self.imported.insert(name);
        }
    }

    fn call(&mut self, it: &'c ExprCall) {
        let (arguments, keywords) = (&it.arguments.args, &it.arguments.keywords);
        let called = match &*it.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(it) => it.attr.as_str(),
            _ => "",
        };
        match called {
            // The names that it gives its members are written there.
            "namedtuple" => arguments.iter().skip(1).for_each(|it| self.fields_in(it)),
            "super" if !arguments.is_empty() => self.refuse(it.start(), not::TYPE),
            _ => {}
        }
        self.visit_expr(&it.func);
        arguments.iter().for_each(|it| self.visit_expr(it));
        keywords.iter().for_each(|it| self.visit_expr(&it.value));
    }

    fn keywords_of(&mut self, it: &'c Expr) {
        if let Expr::StringLiteral(it) = it {
            self.keyword_in(it.value.to_str());
        }
    }

    fn fields_in(&mut self, it: &'c Expr) {
        if let Expr::StringLiteral(it) = it {
            let names = it.value.to_str().split([' ', ',']).filter(|it| !it.is_empty());
            self.fields.extend(names);
        }
    }

    fn function(&mut self, it: &'c StmtFunctionDef) {
        self.named(&it.name);
        if it.type_params.is_some() {
            self.refuse(it.start(), not::EXPRESSION);
        }
        for decorator in &it.decorator_list {
            match wrapped(&decorator.expression) {
                Some(wrapped) => self.visit_expr(wrapped),
                None => self.visit_expr(&decorator.expression),
            }
        }
        let is_class_body = std::mem::take(&mut self.is_class_body);
        self.visit_parameters(&it.parameters);
        it.returns.iter().for_each(|it| self.visit_annotation(it));
        self.visit_body(&it.body);
        self.is_class_body = is_class_body;
    }

    fn class(&mut self, it: &'c StmtClassDef) {
        let name = it.name.as_str();
        self.make(name, it.name.start());
        if has("reserved", name) || it.type_params.is_some() {
            self.refuse(it.start(), not::DECLARED_ANEW);
        }
        self.classes.insert(name);
        let mut is_data = false;
        for decorator in &it.decorator_list {
            is_data |= self.decorator_of_class(&decorator.expression);
        }
        for base in it.arguments.iter().flat_map(|it| &it.args) {
            self.base(base, is_data);
        }
        for keyword in it.arguments.iter().flat_map(|it| &it.keywords) {
            let is_listed = keyword.arg.as_ref().is_some_and(|it| it.as_str() == "metaclass")
                && last_name(&keyword.value) == Some("ABCMeta");
            if !is_listed {
                self.refuse(keyword.start(), not::NEW);
            }
            self.visit_expr(&keyword.value);
        }
        let around = std::mem::replace(&mut self.is_class_body, true);
        self.visit_body(&it.body);
        self.is_class_body = around;
    }

    /// Whether the decorator makes the class one of data.
    fn decorator_of_class(&mut self, it: &'c Expr) -> bool {
        let (called, keywords) = match it {
            Expr::Call(it) if it.arguments.args.is_empty() => (&*it.func, &*it.arguments.keywords),
            other => (other, [].as_slice()),
        };
        let are_constant =
            keywords.iter().all(|it| it.value.is_boolean_literal_expr() && it.arg.is_some());
        let name = last_name(called)
            .filter(|it| has("decorator of a class", it) && are_constant)
            .unwrap_or_default();
        let is_imported = match called {
            Expr::Attribute(it) => root_of(it).is_some_and(|root| {
                let paths = self.modules.get(root).into_iter().flatten();
                paths.clone().count() == 1 && paths.clone().all(|it| is_of_module(it, name))
            }),
            _ => self.imported.contains(name) && !self.own.contains(name),
        };
        if !is_imported {
            self.refuse(it.start(), not::DECORATOR);
        }
        name == "dataclass"
    }

    /// What a class extends is a class that was seen, or one that is listed.
    fn base(&mut self, it: &'c Expr, is_data: bool) {
        match it {
            Expr::Name(name) => {
                self.as_classes.push((name.id.as_str(), it.start(), false));
                self.visit_expr(it);
            }
            Expr::Attribute(attribute) if attribute.value.is_name_expr() => {
                let module = attribute.value.as_name_expr().map_or("", |it| it.id.as_str());
                if !self.modules.contains_key(module) {
                    self.refuse(it.start(), not::NEW);
                }
                self.visit_expr(it);
            }
            Expr::Subscript(generic) => {
                self.base(&generic.value, is_data);
                self.visit_expr(&generic.slice);
            }
            Expr::Call(call) if !is_data && last_name(&call.func) == Some("namedtuple") => {
                self.visit_expr(it);
            }
            _ => {
                self.refuse(it.start(), if is_data { not::DATACLASS } else { not::NEW });
                self.visit_expr(it);
            }
        }
    }
}

impl<'c> Visitor<'c> for Judge<'c> {
    fn visit_stmt(&mut self, it: &'c Stmt) {
        use Stmt::{
            AnnAssign, Assert, Assign, AugAssign, Break, Continue, Delete, Expr, For, Global, If,
            Match, Nonlocal, Pass, Raise, Return, Try, While, With,
        };

        match it {
            Stmt::FunctionDef(it) => self.function(it),
            Stmt::ClassDef(it) => self.class(it),
            Stmt::Import(it) => self.import(it),
            Stmt::ImportFrom(it) => self.import_from(it),
            Return(_) | Delete(_) | Assign(_) | AugAssign(_) | AnnAssign(_) | For(_) | While(_)
            | If(_) | With(_) | Match(_) | Raise(_) | Try(_) | Assert(_) | Global(_)
            | Nonlocal(_) | Expr(_) | Pass(_) | Break(_) | Continue(_) => walk_stmt(self, it),
            _ => self.refuse(it.start(), not::STATEMENT),
        }
    }

    fn visit_expr(&mut self, it: &'c Expr) {
        use Expr::{
            Await, BinOp, BoolOp, BooleanLiteral, BytesLiteral, Dict, DictComp, EllipsisLiteral,
            FString, Generator, If, Lambda, List, ListComp, Named, NoneLiteral, NumberLiteral, Set,
            SetComp, Slice, Starred, StringLiteral, Tuple, UnaryOp, Yield, YieldFrom,
        };

        match it {
            Expr::Name(name) if name.ctx == ExprContext::Store => {
                self.bind(name.id.as_str(), it.start());
            }
            Expr::Name(name) => {
                let root = name.id.as_str();
                self.chains.push(Chain {
                    root,
                    members: Vec::new(),
                    at: it.start(),
                    is_changed: false,
                });
            }
            Expr::Attribute(it) => self.chain(it),
            Expr::Call(it) => self.call(it),
            Expr::Subscript(subscript) => {
                self.keywords_of(&subscript.slice);
                walk_expr(self, it);
            }
            Expr::Compare(compare) => {
                for side in std::iter::once(&*compare.left).chain(&compare.comparators) {
                    self.visit_expr(asked_type(side).unwrap_or(side));
                }
            }
            BoolOp(_) | Named(_) | BinOp(_) | UnaryOp(_) | Lambda(_) | If(_) | Dict(_) | Set(_)
            | ListComp(_) | SetComp(_) | DictComp(_) | Generator(_) | Await(_) | Yield(_)
            | YieldFrom(_) | FString(_) | StringLiteral(_) | BytesLiteral(_) | NumberLiteral(_)
            | BooleanLiteral(_) | NoneLiteral(_) | EllipsisLiteral(_) | Starred(_) | List(_)
            | Tuple(_) | Slice(_) => walk_expr(self, it),
            _ => self.refuse(it.start(), not::EXPRESSION),
        }
    }

    fn visit_comprehension(&mut self, it: &'c Comprehension) {
        let is_class_body = std::mem::take(&mut self.is_class_body);
        walk_comprehension(self, it);
        self.is_class_body = is_class_body;
    }

    fn visit_parameter(&mut self, it: &'c Parameter) {
        self.named(&it.name);
        walk_parameter(self, it);
    }

    fn visit_except_handler(&mut self, it: &'c ExceptHandler) {
        let ExceptHandler::ExceptHandler(handler) = it;
        handler.name.iter().for_each(|it| self.named(it));
        walk_except_handler(self, it);
    }

    fn visit_pattern(&mut self, it: &'c Pattern) {
        match it {
            Pattern::MatchAs(it) => it.name.iter().for_each(|it| self.named(it)),
            Pattern::MatchStar(it) => it.name.iter().for_each(|it| self.named(it)),
            Pattern::MatchMapping(it) => it.rest.iter().for_each(|it| self.named(it)),
            Pattern::MatchClass(class) if !class.arguments.patterns.is_empty() => match &*class.cls
            {
                Expr::Name(name) => self.as_classes.push((name.id.as_str(), it.start(), true)),
                _ => self.refuse(it.start(), not::PATTERN),
            },
            _ => {}
        }
        walk_pattern(self, it);
    }

    fn visit_pattern_keyword(&mut self, it: &'c PatternKeyword) {
        self.members.push((it.attr.as_str().into(), it.start()));
        self.visit_pattern(&it.pattern);
    }
}

/// What `type(x)` is asked of.
fn asked_type(it: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = it else { return None };
    let is_type = call.func.as_name_expr().is_some_and(|it| it.id.as_str() == "type");
    match &*call.arguments.args {
        [only] if is_type && call.arguments.keywords.is_empty() && !only.is_starred_expr() => {
            Some(only)
        }
        _ => None,
    }
}

/// What `wraps(function)` is given, if it is no more than that.
fn wrapped(decorator: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = decorator else { return None };
    match &*call.arguments.args {
        [only]
            if last_name(&call.func) == Some("wraps")
                && call.arguments.keywords.is_empty()
                && !only.is_starred_expr() =>
        {
            Some(only)
        }
        _ => None,
    }
}

fn root_of(it: &ExprAttribute) -> Option<&str> {
    it.value.as_name_expr().map(|it| it.id.as_str())
}

/// The name of what is called: `wraps`, `functools.wraps`.
fn last_name(it: &Expr) -> Option<&str> {
    match it {
        Expr::Name(it) => Some(it.id.as_str()),
        Expr::Attribute(it) if it.value.is_name_expr() => Some(it.attr.as_str()),
        _ => None,
    }
}
