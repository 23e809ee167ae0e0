//! `Exposure`: which functions stand behind a tool, and whether what they throw comes through to the caller.

mod graph;

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    error_flow::{
        Boundary, ErrorFlow, ErrorSite, Handler, Handling, Registration, Within, catches,
    },
    resolve::Index,
    sources::Sources,
};
use graph::Graph;

/// Longer chains of calls are not followed.
const MAX_DEPTH: u8 = 6;

/// A function, by its file and its first byte.
type At = (usize, u32);

/// All functions that stand behind tools.
#[derive(Debug, Default)]
pub(crate) struct Exposure<'w> {
    behind: FxHashMap<At, Behind<'w>>,
    /// For each file, whether what it does is judged.
    judged: Vec<bool>,
    has_tools: bool,
}

/// How a function is reached from a tool.
#[derive(Debug, Clone)]
pub(crate) struct Behind<'w> {
    /// The tool, or one of them.
    pub(crate) boundary: &'w Boundary,
    /// How many calls are between them.
    pub(crate) depth: u8,
    /// What it throws comes through as it is.
    pub(crate) is_raw: bool,
    /// The errors that are caught on the way by their names.
    caught: Vec<&'w str>,
}

impl<'w> Exposure<'w> {
    pub(crate) fn new(sources: &'w Sources, index: &Index<'w>) -> Self {
        let only_examples = sources.files.iter().all(|it| is_example(&it.path));
        let judged = sources.files.iter().map(|it| {
            let facts = &it.facts;
            !facts.is_test && !facts.is_generated && (only_examples || !is_example(&it.path))
        });
        let mut exposure = Self { judged: judged.collect(), ..Self::default() };
        let graph = Graph::new(sources, index);
        let first = exposure.entries(sources, &graph);
        exposure.has_tools = sources.files.iter().enumerate().any(|(file, it)| {
            exposure.is_judged(file) && !it.facts.error_flow.boundaries.is_empty()
        });
        // First what comes through, so that a function with both ways counts as one that lets through.
        for only_raw in [true, false] {
            exposure.spread(first.clone(), &graph, only_raw);
        }
        exposure
    }

    /// Whether there are tools at all.
    pub(crate) fn has_tools(&self) -> bool {
        self.has_tools
    }

    /// Whether what a file does is judged: it is neither test, example nor generated.
    pub(crate) fn is_judged(&self, file: usize) -> bool {
        self.judged.get(file).copied().unwrap_or_default()
    }

    /// How the function around something is reached from a tool.
    pub(crate) fn behind(&self, file: usize, within: &Within) -> Option<&Behind<'w>> {
        self.behind.get(&(file, within.function?)).filter(|_| !within.is_detached)
    }

    /// The same, if an error of this type at that place comes through to the caller.
    pub(crate) fn through(
        &self,
        (file, error_flow): (usize, &ErrorFlow),
        site: &ErrorSite,
        kind: &str,
    ) -> Option<&Behind<'w>> {
        let behind = self.behind(file, &site.within)?;
        let is_caught = behind.caught.iter().any(|it| catches(it, kind));
        (behind.is_raw && !is_caught && !is_guarded(error_flow, site.within.guard, Some(kind)))
            .then_some(behind)
    }

    /// The handlers of all tools.
    fn entries(&self, sources: &'w Sources, graph: &Graph<'w, '_>) -> Vec<(At, Behind<'w>)> {
        let mut found = Vec::new();
        let rows_are_safe = self.somebody_catches_rows(sources);
        for (file, source) in
            sources.files.iter().enumerate().filter(|(file, _)| self.is_judged(*file))
        {
            for boundary in &source.facts.error_flow.boundaries {
                let at = match &boundary.handler {
                    Handler::Span(span) => Some((file, span.start)),
                    Handler::Named(name) => graph.function(file, Some(boundary.span.start), name),
                    Handler::Unknown => None,
                };
                let is_safe = match (&boundary.wrapper, boundary.registration) {
                    (_, Registration::Listed) => continue,
                    (Some(wrapper), _) => graph.wrapper_catches(file, wrapper),
                    (None, Registration::Row) => rows_are_safe,
                    _ => false,
                };
                let behind = Behind { boundary, depth: 0, is_raw: !is_safe, caught: Vec::new() };
                found.extend(at.map(|at| (at, behind)));
            }
        }
        found
    }

    /// Whether the callers of row handlers catch what they throw.
    fn somebody_catches_rows(&self, sources: &Sources) -> bool {
        let error_flows =
            sources.files.iter().enumerate().filter(|(file, _)| self.is_judged(*file));
        error_flows.map(|it| &it.1.facts.error_flow).any(|error_flow| {
            error_flow.sites.iter().any(|site| {
                matches!(site.what, Handling::Dispatch(_))
                    && is_guarded(error_flow, site.within.guard, None)
            })
        })
    }

    fn spread(&mut self, first: Vec<(At, Behind<'w>)>, graph: &Graph<'w, '_>, only_raw: bool) {
        let mut seen: FxHashSet<At> = FxHashSet::default();
        let mut next: Vec<_> = first.into_iter().filter(|it| it.1.is_raw || !only_raw).collect();
        while !next.is_empty() {
            let mut further = Vec::new();
            for (at, behind) in next {
                if !seen.insert(at) {
                    continue;
                }
                for edge in graph.edges(at) {
                    let is_raw = behind.is_raw && edge.is_raw;
                    let depth = behind.depth + u8::from(edge.is_call);
                    if depth > MAX_DEPTH || (only_raw && !is_raw) {
                        continue;
                    }
                    let mut caught = behind.caught.clone();
                    caught.extend(edge.caught);
                    let next = Behind { boundary: behind.boundary, depth, is_raw, caught };
                    further.push((edge.to, next));
                }
                self.behind.entry(at).or_insert(behind);
            }
            next = further;
        }
    }
}

/// Whether a try around something catches an error of this type, or any error if none is named.
pub(crate) fn is_guarded(error_flow: &ErrorFlow, guard: Option<u32>, kind: Option<&str>) -> bool {
    let mut guard = guard;
    while let Some(it) = guard.and_then(|it| error_flow.guards.get(it as usize)) {
        let stops = it.catches.iter().any(|it| {
            let is_meant = it.types.is_empty()
                || kind.is_some_and(|kind| it.types.iter().any(|name| catches(name, kind)));
            is_meant && !it.rethrows
        });
        if stops {
            return true;
        }
        // A try is behind the one around it, so this ends.
        guard = it.outer.filter(|outer| Some(*outer) < guard);
    }
    false
}

fn is_example(path: &Path) -> bool {
    let mut folders = path.parent().into_iter().flat_map(Path::components);
    folders.any(|it| {
        let name = it.as_os_str().to_str().unwrap_or_default();
        matches!(
            name,
            "examples" | "example" | "samples" | "demos" | "demo" | "docs" | "scripts" | "archive"
        )
    })
}
