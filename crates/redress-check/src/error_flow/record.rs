//! `Recorder`: gathers the error flow of one file while the walk goes through its tree.

use tree_sitter::Node;

use super::{
    CallSite, Catch, ErrorFlow, ErrorSite, ErrorType, Guard, Handling, Mapping, Positional,
    Promise, Registration, Within, ecma, members::Members, python, rust, words,
};
use crate::{
    language::Language,
    span::{Span, span},
    tree::{Field, Fields, MAX_PARTS, Tag, Trail},
};

/// One file under way.
#[derive(Debug)]
pub(crate) struct Recorder<'t> {
    text: &'t str,
    language: Language,
    pub(super) error_flow: ErrorFlow,
    pub(super) here: Within,
    /// What the decorators or attributes before the next function make of it.
    pub(super) decorated: Option<Decorated>,
    any_error: Option<bool>,
    /// An attribute said that the next item is a test.
    pub(super) is_marked: bool,
    scopes: Vec<OpenScope>,
}

/// A tool whose function is still to come.
#[derive(Debug)]
pub(super) struct Decorated {
    pub(super) registration: Registration,
    /// The name that the decorator gives.
    pub(super) name: Option<(Box<str>, Span)>,
    pub(super) has_output_schema: bool,
    pub(super) wrapper: Option<Box<str>>,
}

/// Something that reaches up to a byte, and what was around before it.
#[derive(Debug)]
struct OpenScope {
    end: u32,
    before: Within,
    held: Held,
}

/// What a scope is.
#[derive(Debug)]
pub(super) enum Held {
    /// Only what is around changes.
    Plain,
    /// A try, whose handlers are still to come.
    Try(u32),
    /// Something with members; its value is made when all have been seen.
    Members(Box<Members>),
}

impl<'t> Recorder<'t> {
    pub(crate) fn new(language: Language, text: &'t str, is_test: bool) -> Self {
        Self {
            text,
            language,
            error_flow: ErrorFlow::default(),
            decorated: None,
            here: Within { is_test, ..Within::default() },
            any_error: None,
            is_marked: false,
            scopes: Vec::with_capacity(32),
        }
    }

    /// Looks at a node before its children.
    pub(crate) fn visit(&mut self, tag: Tag, node: Node<'t>, trail: &Trail<'t>) {
        self.close(small(node.start_byte()));
        match self.language {
            Language::Rust => rust::enter(self, tag, node, trail),
            Language::Python => python::enter(self, tag, node, trail),
            _ => ecma::enter(self, tag, node, trail),
        }
    }

    pub(crate) fn finish(mut self) -> ErrorFlow {
        self.close(u32::MAX);
        self.error_flow
    }

    /// Ends every scope that ends before a byte.
    fn close(&mut self, at: u32) {
        while self.scopes.last().is_some_and(|it| it.end <= at) {
            let Some(scope) = self.scopes.pop() else { return };
            self.here = scope.before;
            if let Held::Members(members) = scope.held {
                self.settle(*members);
            }
        }
    }

    /// What a thing with members amounts to, and what the thing around it learns of it.
    fn settle(&mut self, mut members: Members) {
        self.error_flow.boundaries.extend(members.tool());
        if let Some(outer) = self.members_around() {
            outer.learn(&members);
        }
        for (place, what) in members.amounts_to() {
            self.record_at(place, what);
        }
    }

    /// The text of a node.
    pub(super) fn slice(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// A literal text without its quotes; `None` if it has interpolations.
    pub(super) fn quoted(&self, node: Node<'_>) -> Option<(&'t str, Span)> {
        let text = self.slice(node);
        let start = text.find(['"', '\'', '`']).filter(|it| *it <= 2)?;
        if text.get(..start)?.contains(['f', 'F']) {
            return None;
        }
        let quote = text.get(start..=start)?;
        let marks = if text.get(start..)?.starts_with(&quote.repeat(3)) { 3 } else { 1 };
        let inner = text.get(start + marks..text.len().checked_sub(marks)?)?;
        let is_whole = text.ends_with(quote) && !inner.contains(quote) && !inner.contains("${");
        let from = node.start_byte() + start + marks;
        is_whole.then(|| (inner, span(from..from + inner.len())))
    }

    /// Begins something that reaches to the end of a node.
    pub(super) fn open(&mut self, node: Node<'_>, held: Held) {
        self.scopes.push(OpenScope { end: small(node.end_byte()), before: self.here, held });
    }

    /// Begins a function. Its tries are its own.
    pub(super) fn open_function(&mut self, node: Node<'_>) {
        self.open(node, Held::Plain);
        let is_test = self.here.is_test;
        self.here =
            Within { function: Some(small(node.start_byte())), is_test, ..Within::default() };
    }

    /// Begins a try with its body.
    pub(super) fn open_try(&mut self, node: Node<'_>, body: Node<'_>, guard: Guard) {
        let index = self.guard(guard);
        self.open(node, Held::Try(index));
        self.open(body, Held::Plain);
        self.here.guard = Some(index);
    }

    /// Notes a try.
    pub(super) fn guard(&mut self, guard: Guard) -> u32 {
        self.error_flow.guards.push(guard);
        small(self.error_flow.guards.len() - 1)
    }

    /// Begins a handler of the try around it.
    pub(super) fn open_catch(&mut self, node: Node<'_>, catch: Catch) {
        let guard = self.scopes.iter().rev().find_map(|it| match it.held {
            Held::Try(guard) => Some(guard),
            _ => None,
        });
        self.open(node, Held::Plain);
        if let Some(guard) = guard {
            self.here.catch = Some(guard);
            if let Some(it) = self.guard_mut(guard) {
                it.catches.push(catch);
            }
        }
    }

    /// The handler of errors that the walk is in.
    pub(super) fn catch_mut(&mut self) -> Option<&mut Catch> {
        let guard = self.here.catch?;
        self.guard_mut(guard)?.catches.last_mut()
    }

    pub(super) fn guard_mut(&mut self, index: u32) -> Option<&mut Guard> {
        self.error_flow.guards.get_mut(index as usize)
    }

    /// The nearest thing with members around.
    pub(super) fn members_around(&mut self) -> Option<&mut Members> {
        let function = self.here.function;
        self.scopes.iter_mut().rev().find_map(|it| match &mut it.held {
            Held::Members(members) if it.before.function == function => Some(&mut **members),
            _ => None,
        })
    }

    /// Whether a name is that of the error which the handler around has caught.
    pub(super) fn is_caught(&self, name: &str) -> bool {
        let guard = self.here.catch.and_then(|it| self.error_flow.guards.get(it as usize));
        guard
            .and_then(|it| it.catches.last())
            .is_some_and(|it| !name.is_empty() && &*it.name == name)
    }

    /// Notes a function without a name, as called by the function around it.
    pub(super) fn closure(&mut self, node: Node<'_>, within: Within) {
        self.error_flow.closures.push((small(node.start_byte()), within));
    }

    /// The name of a type of errors that a node declares, outside of tests.
    pub(super) fn error_type_name(&self, node: Node<'t>, fields: &Fields) -> Option<Node<'t>> {
        let name = fields.of(node, Field::Name)?;
        (!self.here.is_test && words::names_an_error_type(self.slice(name))).then_some(name)
    }

    /// Notes such a type. Each part of its body that is a member gives what declares it, its name, and whether it may be absent.
    pub(super) fn error_type_of(
        &mut self,
        node: Node<'t>,
        fields: &Fields,
        member: impl Fn(&Self, Node<'t>) -> Option<(Node<'t>, &'t str, bool)>,
    ) {
        let Some(name) = self.error_type_name(node, fields) else { return };
        let Some(body) = fields.of(node, Field::Body) else { return };
        let mut cursor = body.walk();
        let parts = body.named_children(&mut cursor).take(MAX_PARTS * 4);
        let members: Vec<_> = parts.filter_map(|it| member(self, it)).collect();
        let optional_retry = members.iter().rfind(|it| it.2 && words::is_retry(it.1));
        let optional_retry = optional_retry.map(|it| span(it.0.byte_range()));
        self.error_type(name, members.iter().map(|it| it.1.into()).collect(), optional_retry);
    }

    pub(super) fn error_type(
        &mut self,
        name: Node<'_>,
        mut members: Vec<Box<str>>,
        optional_retry: Option<Span>,
    ) {
        members.sort();
        members.dedup();
        let place = span(name.byte_range());
        let name = self.slice(name).into();
        self.error_flow.types.push(ErrorType { name, span: place, members, optional_retry });
    }

    /// Notes a call. `is_raw` if its errors go on as they are.
    pub(super) fn call(&mut self, callee: &str, is_raw: bool) {
        if !self.here.is_test
            && callee.len() <= MAX_CALLEE
            && !callee.contains(['(', '[', ' ', '\n'])
        {
            let callee = if callee.contains("::") || callee.contains("?.") {
                callee.replace("::", ".").replace("?.", ".").into()
            } else {
                callee.into()
            };
            self.error_flow.calls.push(CallSite { callee, within: self.here, is_raw });
        }
    }

    pub(super) fn positional(&mut self, call: Positional) {
        if !self.here.is_test && call.count >= 3 {
            self.error_flow.positional.push(call);
        }
    }

    pub(super) fn mapping(&mut self, mapping: Mapping) {
        if mapping.cases.len() >= 2 && !self.here.is_test {
            self.error_flow.mappings.push(mapping);
        }
    }

    /// Records what is done at a node.
    pub(super) fn record(&mut self, node: Node<'_>, what: Handling) {
        self.record_at(span(node.byte_range()), what);
    }

    pub(super) fn record_at(&mut self, span: Span, what: Handling) {
        if self.here.is_test {
            return;
        }
        self.error_flow.sites.push(ErrorSite { what, span, within: self.here });
    }

    /// Notes what the signature of a function says.
    pub(super) fn promise(&mut self, node: Node<'_>, promise: Promise) {
        self.error_flow.promises.push((small(node.start_byte()), promise));
    }

    /// Whether the function around returns plain text.
    pub(super) fn returns_text(&self) -> bool {
        let promise = self.error_flow.promises.last();
        promise.is_some_and(|it| Some(it.0) == self.here.function && it.1 == Promise::Text)
    }

    /// Whether `Result` alone can hold any error, since the file takes it from a crate for that.
    pub(super) fn has_any_error(&mut self) -> bool {
        let text = self.text;
        *self.any_error.get_or_insert_with(|| {
            let mut lines = text.lines().filter(|it| it.starts_with("use "));
            lines.any(|it| {
                it.contains("Result") && (it.contains("anyhow::") || it.contains("eyre::"))
            })
        })
    }

    pub(super) fn fields(trail: &Trail<'t>) -> &'t Fields {
        trail.fields
    }
}

/// Longer paths lead to nothing that is declared in the sources.
pub(super) const MAX_CALLEE: usize = 100;

/// A count or place in a file.
pub(super) fn small(it: usize) -> u32 {
    u32::try_from(it).unwrap_or(u32::MAX)
}
