//! Rules about swallowed errors: logged or dropped, and the code goes on.

use redress_registry::{
    Level,
    rule::{Grade, Rule},
};

use super::raised::tool;
use crate::{
    error_flow::{Catch, Guard, Handling},
    project::Project,
    rule::{Check, Hits, page},
    subject::Subject,
};

const LOGGED: Rule = Rule {
    id: "CK902",
    name: "log-and-continue",
    grade: Grade::Level(Level::Violation),
    summary: "A tool logs an error and goes on as if nothing had happened.",
    why: "The log is for the operator; the caller is told of a success that was none.",
    how_to_fix: "Log it if you like, and then raise a registered code or answer with an error.",
};

const DROPPED: Rule = Rule {
    id: "CK903",
    name: "dropped-error",
    grade: Grade::Level(Level::Violation),
    summary: "A tool drops an error without a word.",
    why: "Nobody ever learns that it happened: neither the caller nor the operator.",
    how_to_fix: "Handle the one error that is expected, by its name, and let all others out.",
};

pub(super) const CHECKS: &[Check] = &[
    Check { rule: &LOGGED, page: page!("CK902"), looks_at: Subject::Tools, run: logged },
    Check { rule: &DROPPED, page: page!("CK903"), looks_at: Subject::Tools, run: dropped },
];

/// Every handler of errors behind a tool that is no part of a tidying up.
fn catches<'a>(project: &'a Project<'_>) -> impl Iterator<Item = (usize, &'a Guard, &'a Catch)> {
    project.error_flows().flat_map(|(file, error_flow)| {
        let guards = error_flow.guards.iter().filter(|it| !it.is_cleanup && !it.within.is_test);
        guards.flat_map(move |guard| guard.catches.iter().map(move |it| (file, guard, it)))
    })
}

fn logged(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, guard, catch) in catches(project).filter(|it| it.2.only_logs) {
        let Some(behind) = project.exposure.behind(file, &guard.within) else { continue };
        let hit = hits.at(
            (file, &head(catch)),
            "The error is logged, and {tool} goes on as if nothing had happened.",
            [("tool", tool(behind).into())],
        );
        if behind.depth > 0 || catch.is_explained || !catch.types.is_empty() {
            hit.weigh(Level::Improvement);
        }
    }
    for (file, _, site) in project.error_sites().filter(|it| it.2.what == Handling::Log) {
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        let message = "An error is logged, and {tool} goes on as if nothing had happened.";
        // Without a handler of errors only the words of the log tell that something failed.
        hits.at((file, &site.span), message, [("tool", tool(behind).into())])
            .weigh(Level::Improvement);
    }
}

fn dropped(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, guard, catch) in catches(project).filter(|it| it.2.is_empty) {
        let Some(behind) = project.exposure.behind(file, &guard.within) else { continue };
        if guard.is_question {
            continue;
        }
        let parts = [("tool", tool(behind).into())];
        let hit = hits.at((file, &head(catch)), "The error is dropped, and {tool} goes on.", parts);
        match (catch.is_explained || !catch.types.is_empty(), behind.depth) {
            (true, _) => hit.weigh(Level::Information),
            (false, 0) => hit,
            (false, _) => hit.weigh(Level::Improvement),
        };
    }
    for (file, _, site) in project.error_sites() {
        let Handling::Ignore(what) = &site.what else { continue };
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        if !project.can_fail(file, &site.within, what) {
            continue;
        }
        let message = if what.starts_with('.') {
            "The error is dropped by {what}, and {tool} goes on."
        } else {
            "Nobody looks whether {what} failed, and {tool} goes on."
        };
        let parts = [("what", (&**what).into()), ("tool", tool(behind).into())];
        let hit = hits.at((file, &site.span), message, parts);
        if behind.depth > 0 {
            hit.weigh(Level::Improvement);
        }
    }
}

/// The first line of a handler is enough to point at.
fn head(catch: &Catch) -> crate::span::Span {
    catch.span.start..catch.span.end.min(catch.span.start.saturating_add(5))
}
