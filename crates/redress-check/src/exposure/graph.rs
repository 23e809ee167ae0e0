//! `Graph`: which function calls which, in all files.

use rustc_hash::FxHashMap;

use super::{At, is_guarded};
use crate::{
    error_flow::{CallSite, ErrorFlow, Within},
    facts::Facts,
    resolve::{Index, Target},
    sources::Sources,
};

/// The functions of all files and the calls between them.
#[derive(Debug)]
pub(super) struct Graph<'w, 'i> {
    sources: &'w Sources,
    index: &'i Index<'w>,
    files: Vec<FileCalls<'w>>,
}

/// The calls of one file, by the function they stand in.
#[derive(Debug, Default)]
struct FileCalls<'w> {
    made: FxHashMap<u32, Vec<&'w CallSite>>,
    closures: FxHashMap<u32, Vec<&'w (u32, Within)>>,
    /// Methods by their own name; `None` if several classes have one.
    methods: FxHashMap<&'w str, Option<u32>>,
}

/// A call from one function to another.
#[derive(Debug)]
pub(super) struct Edge<'w> {
    pub(super) to: At,
    /// What the other throws goes on as it is.
    pub(super) is_raw: bool,
    /// It is no function of its own, but part of the one around it.
    pub(super) is_call: bool,
    /// The errors that are caught around it by their names.
    pub(super) caught: Vec<&'w str>,
}

impl<'w, 'i> Graph<'w, 'i> {
    pub(super) fn new(sources: &'w Sources, index: &'i Index<'w>) -> Self {
        let files = sources.files.iter().map(|it| FileCalls::new(&it.facts)).collect();
        Self { sources, index, files }
    }

    /// The calls of a function.
    pub(super) fn edges(&self, (file, start): At) -> Vec<Edge<'w>> {
        let (Some(calls), Some(source)) = (self.files.get(file), self.sources.files.get(file))
        else {
            return Vec::new();
        };
        let error_flow = &source.facts.error_flow;
        let edge = |to, within: &Within, is_raw, is_call| Edge {
            to,
            is_raw: is_raw && !is_guarded(error_flow, within.guard, None),
            is_call,
            caught: named_around(error_flow, within.guard),
        };
        let closures = calls.closures.get(&start).into_iter().flatten();
        let closures = closures.filter(|it| !it.1.is_detached);
        let mut edges: Vec<_> = closures.map(|it| edge((file, it.0), &it.1, true, false)).collect();
        let called = calls.made.get(&start).into_iter().flatten();
        edges.extend(called.filter(|it| !it.within.is_detached).filter_map(|call| {
            let to = self.function(file, Some(start), &call.callee)?;
            Some(edge(to, &call.within, call.is_raw, true))
        }));
        edges
    }

    /// The function that a path names; `from` is where it is.
    pub(super) fn function(&self, file: usize, from: Option<u32>, path: &str) -> Option<At> {
        let own = ["this.", "self.", "cls.", "Self."].iter().find_map(|it| path.strip_prefix(it));
        let Some(name) = own else {
            if let Target::Function(home, it) = self.index.target(file, path) {
                return Some((home, it.span.start));
            }
            return self.method(file, path.rsplit_once('.')?.1);
        };
        let facts = self.sources.files.get(file).map(|it| &it.facts);
        let class = from.zip(facts).and_then(|(from, it)| it.class_around(from));
        if let Some(class) = class
            && let Target::Function(home, it) = self.index.target(file, &format!("{class}.{name}"))
        {
            return Some((home, it.span.start));
        }
        self.method(file, name)
    }

    /// The one method of that name in a file.
    fn method(&self, file: usize, name: &str) -> Option<At> {
        let start = self.files.get(file)?.methods.get(name).copied().flatten()?;
        (!is_everybodys(name)).then_some((file, start))
    }

    /// Whether a function that others are passed through catches what they throw. One that is declared elsewhere is unknown, so it counts
    /// as one that does.
    pub(super) fn wrapper_catches(&self, file: usize, wrapper: &str) -> bool {
        let Some((home, start)) = self.function(file, None, wrapper) else { return true };
        let Some(facts) = self.sources.files.get(home).map(|it| &it.facts) else { return true };
        let span = facts.functions.iter().find(|it| it.span.start == start).map(|it| &it.span);
        let Some(span) = span else { return true };
        facts.error_flow.guards.iter().any(|it| {
            it.catches
                .iter()
                .any(|it| span.contains(&it.span.start) && it.types.is_empty() && !it.rethrows)
        })
    }
}

impl<'w> FileCalls<'w> {
    fn new(facts: &'w Facts) -> Self {
        let mut list = Self::default();
        for it in &facts.error_flow.calls {
            if let Some(function) = it.within.function {
                list.made.entry(function).or_default().push(it);
            }
        }
        for it in &facts.error_flow.closures {
            if let Some(function) = it.1.function {
                list.closures.entry(function).or_default().push(it);
            }
        }
        for it in &facts.functions {
            if let Some((_, method)) = it.name.rsplit_once('.') {
                let seen = list.methods.entry(method);
                seen.and_modify(|it| *it = None).or_insert(Some(it.span.start));
            }
        }
        list
    }
}

fn named_around(error_flow: &ErrorFlow, guard: Option<u32>) -> Vec<&str> {
    let mut names = Vec::new();
    let mut guard = guard;
    while let Some(it) = guard.and_then(|it| error_flow.guards.get(it as usize)) {
        let catches = it.catches.iter().filter(|it| !it.rethrows);
        names.extend(catches.flat_map(|it| &it.types).map(|it| &**it));
        guard = it.outer.filter(|outer| Some(*outer) < guard);
    }
    names
}

/// Whether methods of this name belong to so many types that the only one in a file need not be meant.
fn is_everybodys(name: &str) -> bool {
    matches!(
        name,
        "get"
            | "set"
            | "add"
            | "push"
            | "map"
            | "filter"
            | "find"
            | "has"
            | "delete"
            | "remove"
            | "close"
            | "then"
            | "catch"
            | "toString"
            | "parse"
            | "stringify"
            | "send"
            | "write"
            | "read"
            | "run"
            | "call"
            | "apply"
            | "emit"
            | "on"
            | "join"
            | "split"
            | "keys"
            | "values"
            | "items"
            | "append"
            | "update"
            | "pop"
            | "start"
            | "stop"
            | "clone"
            | "into"
            | "next"
            | "iter"
            | "len"
            | "insert"
            | "entries"
            | "connect"
            | "open"
            | "format"
            | "log"
            | "info"
            | "warn"
            | "error"
            | "debug"
            | "json"
            | "text"
            | "end"
            | "clear"
            | "forEach"
            | "resolve"
            | "new"
    )
}
