//! What a tool reaches: its handler, and the functions of these sources that it calls.

use crate::{
    error_flow::Handler,
    facts::DeclaredTool,
    project::Project,
    resolve::{Index, Target},
    sources::Sources,
    span::Span,
};

/// More functions are not looked into.
const MAX_FUNCTIONS: usize = 256;

/// The handler of a tool and what it calls in its own file; `None` if its handler is unknown. What is further away is often shared by
/// tools, each of which meets a part.
pub(crate) fn nearby(
    project: &Project<'_>,
    file: usize,
    tool: &DeclaredTool,
) -> Option<Vec<(usize, Span)>> {
    let all = reached((project.sources, &project.index), file, tool)?;
    let home = all.first()?.0;
    Some(all.into_iter().filter(|it| it.0 == home).collect())
}

/// The handler of a tool and the functions that it reaches; `None` if its handler is unknown.
pub(crate) fn reached(
    (sources, index): (&Sources, &Index<'_>),
    file: usize,
    tool: &DeclaredTool,
) -> Option<Vec<(usize, Span)>> {
    let first = match &tool.handler {
        Handler::Span(span) => (file, span.clone()),
        Handler::Named(name) => match index.target(file, name) {
            Target::Function(home, it) => (home, it.span.clone()),
            _ => return None,
        },
        Handler::Unknown => branch(sources, file, &tool.name)?,
    };
    let mut found = vec![first];
    let mut next = 0;
    while let Some((file, span)) = found.get(next).cloned() {
        next += 1;
        let Some(source) = sources.files.get(file) else { continue };
        for call in source.facts.calls.iter().filter(|it| span.contains(&it.at)) {
            if let Target::Function(home, it) = index.target(file, &call.callee)
                && found.len() < MAX_FUNCTIONS
                && !found.iter().any(|(file, span)| *file == home && *span == it.span)
            {
                found.push((home, it.span.clone()));
            }
        }
    }
    Some(found)
}

/// The branch that is taken for the name of a tool: the only one of its file, else the only one of all.
fn branch(sources: &Sources, file: usize, name: &str) -> Option<(usize, Span)> {
    let of_file = |file: usize| {
        let facts = &sources.files.get(file)?.facts;
        let branches = facts.branches.iter().filter(|it| &*it.name == name && !facts.is_test);
        Some(branches.map(|it| (file, it.span.clone())).collect::<Vec<_>>())
    };
    let mut found = of_file(file)?;
    if found.is_empty() {
        found = (0..sources.files.len()).filter_map(of_file).flatten().collect();
    }
    match found.as_mut_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}
