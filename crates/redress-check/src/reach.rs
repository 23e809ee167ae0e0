//! What a tool reaches: its handler, and the functions of these sources that it calls.

use crate::{
    facts::{Handler, Span, Tool},
    link::World,
    resolve::{Index, Target},
    sources::Sources,
};

/// More functions are not looked into.
const MAX_FUNCTIONS: usize = 256;

/// The handler of a tool and what it calls in its own file; `None` if nobody knows its handler. What is further away
/// is often shared by tools, of which each meets a part.
pub(crate) fn nearby(world: &World<'_>, file: usize, tool: &Tool) -> Option<Vec<(usize, Span)>> {
    let all = reached((world.sources, &world.index), file, tool)?;
    let home = all.first()?.0;
    Some(all.into_iter().filter(|it| it.0 == home).collect())
}

/// The handler of a tool and the functions that it reaches; `None` if nobody knows its handler.
pub(crate) fn reached(
    (sources, index): (&Sources, &Index<'_>),
    file: usize,
    tool: &Tool,
) -> Option<Vec<(usize, Span)>> {
    let first = match &tool.handler {
        Handler::Span(span) => (file, span.clone()),
        Handler::Named(name) => match index.target(file, name) {
            Target::Function(home, it) => (home, it.span.clone()),
            _ => return None,
        },
        Handler::Unknown => return None,
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
