//! The judgement on a module: each node is one that the list names, or the module is refused.
//!
//! Every member has a name that is written there. Code reads listed members and those that it gives its own classes, and of a module only
//! what is listed; so nothing that it holds leads to a function that runs text, and what it holds may be called. A class or object of a module
//! that could be changed for all who use it is only called, extended or named where Python looks for a class.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    mem::{replace, take},
};

use ruff_python_ast::{
    Alias, AnyNodeRef, Comprehension, Expr, ExprAttribute, ExprCall, ExprContext, Identifier,
    PatternMatchClass, Stmt, StmtClassDef, StmtFunctionDef, StmtImport, StmtImportFrom,
    visitor::source_order::{SourceOrderVisitor, TraversalSignal, walk_comprehension},
};
use ruff_text_size::{Ranged, TextSize};

use super::lists::{KEYWORDS, LIST, has, is_forbidden, is_module, is_never, is_of_module};
use crate::eval::{Refusal, constructs as not, findings::Findings};

/// What a name is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role<'c> {
    /// For anything.
    Value,
    /// To be called, or to say of which class something is.
    Named,
    /// To be handed to what has this name; in a sum, too.
    Given(&'c str, bool),
    /// To have a member set or deleted.
    Changed,
    /// To be extended, or to take members by their place.
    Base,
    Matched,
}

/// A name with the members that are read of it: `urllib.parse.quote`.
struct Use<'c> {
    root: &'c str,
    members: Vec<&'c str>,
    at: TextSize,
    role: Role<'c>,
}

/// What a name of the code is.
#[derive(Default)]
struct Name<'c> {
    is_own: bool,
    is_class: bool,
    /// What it is in the module that it is imported from, and the modules that it is.
    imported: Vec<&'c str>,
    modules: Vec<String>,
}

#[derive(Default)]
struct PythonJudge<'c> {
    found: Findings,
    names: BTreeMap<&'c str, Name<'c>>,
    uses: Vec<Use<'c>>,
    /// Members of values that have no name.
    members: Vec<(Cow<'c, str>, TextSize)>,
    /// Members that the code gives its classes and objects.
    fields: BTreeSet<&'c str>,
    is_class_body: bool,
}

pub(super) fn judge(code: &str, module: &[Stmt]) -> Result<(), Refusal> {
    let mut judge = PythonJudge { found: Findings::new(&LIST, KEYWORDS), ..PythonJudge::default() };
    judge.visit_body(module);
    for it in take(&mut judge.uses) {
        judge.end(&it);
    }
    for (name, at) in take(&mut judge.members) {
        judge.member(&name, at, true);
    }
    judge.found.verdict(code, 0)
}

impl<'c> PythonJudge<'c> {
    fn refuse(&mut self, at: TextSize, what: &str) {
        self.found.refuse(at.to_u32(), what);
    }

    fn refuse_as(&mut self, at: TextSize, what: String) {
        self.found.refuse_as(at.to_u32(), what, false);
    }

    /// A name gets a value that is the code's own.
    fn bind(&mut self, name: &'c str, at: TextSize) {
        self.make(name, at).is_own = true;
        if has("reserved", name) {
            self.refuse(at, not::DECLARED_ANEW);
        }
        if self.is_class_body {
            self.fields.insert(name);
        }
    }

    /// A name that is written there is not special.
    fn make(&mut self, name: &'c str, at: TextSize) -> &mut Name<'c> {
        if is_forbidden(name) {
            self.refuse(at, not::SPECIAL);
        } else if is_never(name) {
            self.refuse(at, not::LEADS_OUT);
        }
        self.names.entry(name).or_default()
    }

    fn named(&mut self, name: &'c Identifier) {
        self.bind(name.as_str(), name.start());
    }

    /// A name or a member of one in this role; anything else is a value.
    fn take(&mut self, it: &'c Expr, role: Role<'c>) {
        match it {
            Expr::Name(name) if name.ctx != ExprContext::Store => {
                self.take_name(name.id.as_str(), it.start(), role);
            }
            Expr::Attribute(it) => self.chain(it, role),
            it => self.visit_expr(it),
        }
    }

    fn take_name(&mut self, root: &'c str, at: TextSize, role: Role<'c>) {
        self.uses.push(Use { root, members: Vec::new(), at, role });
    }

    /// A class where Python looks for one: `int`, `list[int]`, `int | None`, `(int, str)`.
    fn take_class(&mut self, it: &'c Expr, role: Role<'c>) {
        match it {
            Expr::Tuple(it) => it.elts.iter().for_each(|it| self.take_class(it, role)),
            Expr::List(it) => it.elts.iter().for_each(|it| self.take_class(it, role)),
            Expr::Subscript(subscript) => match root_of(&subscript.value) {
                Some(to) => {
                    self.take(&subscript.value, Role::Named);
                    self.take_class(&subscript.slice, Role::Given(to, false));
                }
                None => self.visit_expr(it),
            },
            Expr::BinOp(it)
                if it.left.is_none_literal_expr() || it.right.is_none_literal_expr() =>
            {
                self.take_class(&it.left, role);
                self.take_class(&it.right, role);
            }
            it => self.take(it, role),
        }
    }

    /// What a function of a module or of the language is given: `re.I | re.M`.
    fn give(&mut self, it: &'c Expr, to: &'c str, is_sum: bool) {
        match it {
            Expr::BinOp(it) => {
                self.give(&it.left, to, true);
                self.give(&it.right, to, true);
            }
            Expr::Tuple(it) if matches!(to, "isinstance" | "issubclass") => {
                it.elts.iter().for_each(|it| self.give(it, to, is_sum));
            }
            it => self.take(it, Role::Given(to, is_sum)),
        }
    }

    fn chain(&mut self, it: &'c ExprAttribute, role: Role<'c>) {
        let mut members = vec![it.attr.as_str()];
        let mut object = &*it.value;
        while let Expr::Attribute(inner) = object {
            members.push(inner.attr.as_str());
            object = &inner.value;
        }
        members.reverse();
        let (at, is_changed) = (it.start(), it.ctx != ExprContext::Load);
        if is_changed && let Some(last) = members.pop() {
            if is_forbidden(last) || is_never(last) {
                self.unread(last, at);
            }
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
                let role = if is_changed { Role::Changed } else { role };
                self.uses.push(Use { root: name.id.as_str(), members, at, role });
            }
            Expr::StringLiteral(text) if members.first() == Some(&"format") => {
                self.format(text.value.to_str(), at);
                self.members.extend(members.into_iter().skip(1).map(|it| (it.into(), at)));
            }
            object => {
                self.members.extend(members.into_iter().map(|it| (it.into(), at)));
                self.visit_expr(object);
            }
        }
    }

    /// `"{0.name}".format(x)` reads members, too.
    fn format(&mut self, text: &str, at: TextSize) {
        let fields = text.split('{').skip(1).filter_map(|it| it.split(['}', ':', '!']).next());
        for member in fields.flat_map(|it| it.split('.').skip(1)) {
            let member = member.split('[').next().unwrap_or_default();
            self.members.push((member.to_owned().into(), at));
        }
    }

    /// A member that is read, of anything or of what a module has; the code's own members are not that module's.
    fn member(&mut self, name: &str, at: TextSize, is_own: bool) {
        let is_listed = has("member", name) || has("special", name);
        let is_read = is_listed || (is_own && self.fields.contains(name));
        if !is_read || is_forbidden(name) || is_never(name) {
            self.unread(name, at);
        }
    }

    fn unread(&mut self, name: &str, at: TextSize) {
        self.found.keyword_in(name);
        self.refuse(
            at,
            match name {
                "format" => not::FORMAT,
                _ if is_forbidden(name) => not::SPECIAL,
                _ if is_never(name) => not::LEADS_OUT,
                _ => not::ATTRIBUTE_OF,
            },
        );
    }

    /// A use of a name, once all are known.
    fn end(&mut self, it: &Use<'c>) {
        let (root, at, none) = (it.root, it.at, Name::default());
        let name = self.names.get(root).unwrap_or(&none);
        let (is_own, is_class, is_imported) =
            (name.is_own, name.is_class, !name.imported.is_empty());
        let is_known = is_own || is_class || is_imported;
        let mut is_foreign = is_imported;
        // What the use gives, if it is a member of a module.
        let mut given = name.imported.clone();
        let mut members = it.members.iter();
        match it.role {
            Role::Base | Role::Matched => {
                let is_base = it.role == Role::Base;
                let part = if is_base { "built in" } else { "plain class" };
                let is_listed = has(part, root) || (is_base && is_imported);
                if is_own || !(is_class || is_listed) || (is_class && is_imported) {
                    self.refuse(at, if is_base { not::NEW } else { not::PATTERN });
                }
                return;
            }
            Role::Given(_, true) if is_own => return self.refuse(at, not::GLOBAL_AS_VALUE),
            _ => {}
        }
        if let Some(path) = name.modules.first() {
            let mut path = path.clone();
            if is_known || name.modules.len() > 1 || it.role == Role::Changed {
                return self.refuse(at, not::MODULE_AS_VALUE);
            }
            loop {
                let Some(member) = members.next() else {
                    return self.refuse(at, not::MODULE_AS_VALUE);
                };
                if !is_of_module(&path, member) {
                    self.found.keyword_in(member);
                    return self.refuse_as(at, format!("a member of {path}"));
                }
                path = format!("{path}.{member}");
                if !is_module(&path) {
                    given = vec![member];
                    break;
                }
            }
            is_foreign = true;
        } else if !(is_known || has("built in", root)) {
            self.found.keyword_in(root);
            let what = match root {
                "type" => not::TYPE,
                "dataclass" => not::DATACLASS,
                _ => not::UNDECLARED,
            };
            return self.refuse(at, what);
        } else if it.role == Role::Changed && is_imported {
            return self.refuse(at, not::WRITE);
        }
        match given.first().copied() {
            Some("dataclass") => return self.refuse(at, not::DATACLASS),
            Some("wraps") => return self.refuse(at, not::WRAPS),
            _ => {}
        }
        let is_kept = match it.role {
            Role::Value => true,
            Role::Given(to, _) => self.names.get(to).is_some_and(|it| it.is_own || it.is_class),
            _ => false,
        };
        if is_kept && members.len() == 0 && given.iter().any(|it| has("only called", it)) {
            self.refuse(at, not::GLOBAL_AS_VALUE);
        }
        members.for_each(|member| self.member(member, at, !is_foreign));
    }

    fn import(&mut self, it: &'c StmtImport) {
        for alias in &it.names {
            let path = alias.name.as_str();
            self.module(path, alias.start());
            let top = path.split('.').next().unwrap_or(path);
            let (name, path) = alias.asname.as_ref().map_or((top, top), |it| (it.as_str(), path));
            self.bind_module(name, path, alias.start());
        }
    }

    fn module(&mut self, path: &str, at: TextSize) {
        if self.is_class_body {
            self.refuse(at, not::IMPORT_IN_CLASS);
        }
        if !is_module(path) {
            let top = path.split('.').next().unwrap_or_default();
            let told = if has("well known", top) { top } else { "a module" };
            self.refuse_as(at, format!("import of {told}"));
        }
    }

    fn bind_module(&mut self, name: &'c str, path: &str, at: TextSize) {
        if has("reserved", name) {
            self.refuse(at, not::DECLARED_ANEW);
        }
        let paths = &mut self.make(name, at).modules;
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
            self.refuse_as(at, format!("a member of {module}"));
        } else if is_renamed {
            self.refuse(at, not::DECLARED_ANEW);
        }
        let path = format!("{module}.{member}");
        if is_module(&path) {
            self.bind_module(name, &path, at);
        } else {
            self.make(name, at).imported.push(member);
        }
    }

    fn call(&mut self, it: &'c ExprCall) {
        let (arguments, keywords) = (&it.arguments.args, &it.arguments.keywords);
        let called = last_name(&it.func).unwrap_or("");
        match called {
            // The names that it gives its members are written there.
            "namedtuple" => arguments.iter().skip(1).for_each(|it| self.fields_in(it)),
            "super" if !arguments.is_empty() => self.refuse(it.start(), not::TYPE),
            _ => {}
        }
        self.take(&it.func, Role::Named);
        let to = root_of(&it.func).filter(|_| has("keeps nothing", called));
        for it in arguments.iter().chain(keywords.iter().map(|it| &it.value)) {
            match to {
                Some(to) => self.give(it, to, false),
                None => self.visit_expr(it),
            }
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
        it.type_params.iter().for_each(|it| self.visit_type_params(it));
        for decorator in &it.decorator_list {
            match wrapped(&decorator.expression) {
                Some(wrapped) => self.visit_expr(wrapped),
                None => self.take(&decorator.expression, Role::Named),
            }
        }
        let is_class_body = take(&mut self.is_class_body);
        self.visit_parameters(&it.parameters);
        it.returns.iter().for_each(|it| self.visit_annotation(it));
        self.visit_body(&it.body);
        self.is_class_body = is_class_body;
    }

    fn class(&mut self, it: &'c StmtClassDef) {
        let (name, at) = (it.name.as_str(), it.name.start());
        self.make(name, at).is_class = true;
        if has("reserved", name) || it.type_params.is_some() {
            self.refuse(it.start(), not::DECLARED_ANEW);
        }
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
            self.take(&keyword.value, Role::Named);
        }
        let around = replace(&mut self.is_class_body, true);
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
        let known = root_of(called).and_then(|it| self.names.get(it));
        let is_imported = known.is_some_and(|it| match it.modules.as_slice() {
            [path] => called.is_attribute_expr() && is_of_module(path, name),
            _ => called.is_name_expr() && it.imported.contains(&name) && !it.is_own,
        });
        if !is_imported {
            self.refuse(it.start(), not::DECORATOR);
        }
        name == "dataclass"
    }

    /// What a class extends is a class that was seen, or one that is listed.
    fn base(&mut self, it: &'c Expr, is_data: bool) {
        match it {
            Expr::Name(name) => {
                self.take_name(name.id.as_str(), it.start(), Role::Base);
                self.take(it, Role::Named);
            }
            Expr::Attribute(attribute) if attribute.value.is_name_expr() => {
                let known = root_of(it).and_then(|it| self.names.get(it));
                if known.is_none_or(|it| it.modules.is_empty()) {
                    self.refuse(it.start(), not::NEW);
                }
                self.take(it, Role::Named);
            }
            Expr::Subscript(generic) => {
                self.base(&generic.value, is_data);
                self.take_class(&generic.slice, Role::Named);
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

    fn class_pattern(&mut self, it: &'c PatternMatchClass) {
        if !it.arguments.patterns.is_empty() {
            match &*it.cls {
                Expr::Name(name) => self.take_name(name.id.as_str(), it.start(), Role::Matched),
                _ => self.refuse(it.start(), not::PATTERN),
            }
        }
        self.take(&it.cls, Role::Named);
        self.visit_pattern_arguments(&it.arguments);
    }
}

impl<'c> SourceOrderVisitor<'c> for PythonJudge<'c> {
    fn enter_node(&mut self, node: AnyNodeRef<'c>) -> TraversalSignal {
        use AnyNodeRef as Node;

        self.found.node(node.start().to_u32(), node.kind() as usize, node.kind());
        match node {
            Node::StmtFunctionDef(it) => self.function(it),
            Node::StmtClassDef(it) => self.class(it),
            Node::StmtImport(it) => self.import(it),
            Node::StmtImportFrom(it) => self.import_from(it),
            Node::ExprName(it) if it.ctx == ExprContext::Store => {
                self.bind(it.id.as_str(), it.start());
            }
            Node::ExprName(it) => self.take_name(it.id.as_str(), it.start(), Role::Value),
            Node::ExprAttribute(it) => self.chain(it, Role::Value),
            Node::ExprCall(it) => self.call(it),
            Node::ExprSubscript(it) => {
                if let Expr::StringLiteral(it) = &*it.slice {
                    self.found.keyword_in(it.value.to_str());
                }
                self.take(&it.value, Role::Named);
                self.visit_expr(&it.slice);
            }
            Node::ExprCompare(it) => {
                for side in std::iter::once(&*it.left).chain(&it.comparators) {
                    self.visit_expr(asked_type(side).unwrap_or(side));
                }
            }
            Node::ExceptHandlerExceptHandler(it) => {
                it.name.iter().for_each(|it| self.named(it));
                it.type_.iter().for_each(|it| self.take_class(it, Role::Named));
                self.visit_body(&it.body);
            }
            Node::PatternMatchClass(it) => self.class_pattern(it),
            other => {
                match other {
                    Node::Parameter(it) => self.named(&it.name),
                    Node::StmtAugAssign(it) => {
                        if let Expr::Name(name) = &*it.target {
                            self.take_name(name.id.as_str(), it.start(), Role::Value);
                        }
                    }
                    Node::PatternMatchAs(it) => it.name.iter().for_each(|it| self.named(it)),
                    Node::PatternMatchStar(it) => it.name.iter().for_each(|it| self.named(it)),
                    Node::PatternMatchMapping(it) => it.rest.iter().for_each(|it| self.named(it)),
                    Node::PatternKeyword(it) => {
                        self.members.push((it.attr.as_str().into(), it.start()));
                    }
                    _ => {}
                }
                return TraversalSignal::Traverse;
            }
        }
        TraversalSignal::Skip
    }

    fn visit_annotation(&mut self, it: &'c Expr) {
        self.take_class(it, Role::Named);
    }

    fn visit_comprehension(&mut self, it: &'c Comprehension) {
        let is_class_body = take(&mut self.is_class_body);
        walk_comprehension(self, it);
        self.is_class_body = is_class_body;
    }
}

/// The only argument of a call of this name.
fn only_argument<'c>(it: &'c Expr, called: &str) -> Option<&'c Expr> {
    let call = it.as_call_expr().filter(|it| last_name(&it.func) == Some(called))?;
    match &*call.arguments.args {
        [only] if call.arguments.keywords.is_empty() && !only.is_starred_expr() => Some(only),
        _ => None,
    }
}

/// What `type(x)` is asked of.
fn asked_type(it: &Expr) -> Option<&Expr> {
    only_argument(it, "type").filter(|_| it.as_call_expr().is_some_and(|it| it.func.is_name_expr()))
}

/// What `wraps(function)` is given, if it is no more than that.
fn wrapped(it: &Expr) -> Option<&Expr> {
    only_argument(it, "wraps")
}

/// The name of what is called, or of what has it as a member.
fn root_of(it: &Expr) -> Option<&str> {
    match it {
        Expr::Attribute(it) => it.value.as_name_expr(),
        it => it.as_name_expr(),
    }
    .map(|it| it.id.as_str())
}

/// The name of what is called: `wraps`, `functools.wraps`.
fn last_name(it: &Expr) -> Option<&str> {
    match it {
        Expr::Name(it) => Some(it.id.as_str()),
        Expr::Attribute(it) if it.value.is_name_expr() => Some(it.attr.as_str()),
        _ => None,
    }
}
