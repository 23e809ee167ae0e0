//! Rules about envelopes that are written by hand: what they leave out, and what must not be in them.

use std::collections::BTreeMap;

use redress_registry::{
    Level,
    rule::{Grade, Rule},
};

use super::raised::tool;
use crate::{
    error_flow::{ErrorType, Handling, Leak},
    project::Project,
    rule::{Check, Hits, page},
    subject::Subject,
};

const NO_RETRY: Rule = Rule {
    id: "CK911",
    name: "no-retry",
    grade: Grade::Level(Level::Improvement),
    summary: "An envelope says nothing about trying again, or may leave it out.",
    why: "A client that is not told tries again for ever, or gives up on what would have worked the second time.",
    how_to_fix: "Always write the retry rule; for what never works, write that.",
};

const UNSAFE: Rule = Rule {
    id: "CK912",
    name: "unsafe-details",
    grade: Grade::Level(Level::Violation),
    summary: "The details of an error hold what JSON cannot.",
    why: "It is written as nothing, as something else, or the writer throws while it reports the first error.",
    how_to_fix: "Put texts, numbers, flags, lists and plain objects into the details.",
};

const UNBOUNDED: Rule = Rule {
    id: "CK913",
    name: "unbounded-text",
    grade: Grade::Level(Level::Improvement),
    summary: "A stack, a whole error or the output of another program goes into the text of an error.",
    why: "It costs the model thousands of tokens, tells it paths and secrets, and may hold instructions.",
    how_to_fix: "Say in your own words what failed, and keep the rest for the log.",
};

const TWICE: Rule = Rule {
    id: "CK914",
    name: "repeated-type",
    grade: Grade::Level(Level::Improvement),
    summary: "The same type of errors is declared twice.",
    why: "Two declarations of one thing differ sooner or later, and each half of the server believes its own.",
    how_to_fix: "Declare it once, and import it.",
};

const SWALLOWING_DEFAULT: Rule = Rule {
    id: "CK915",
    name: "swallowing-default",
    grade: Grade::Level(Level::Improvement),
    summary: "A decision by code has a default that takes every code it does not know.",
    why: "A code that is added later lands there unseen, with the wrong status, text or retry rule.",
    how_to_fix: "Name every code, and let the default refuse or have the compiler prove that it is never reached.",
};

const POSITIONAL: Rule = Rule {
    id: "CK916",
    name: "positional-parts",
    grade: Grade::Level(Level::Information),
    summary: "The parts of an error are passed by their place, with placeholders for those that are left out.",
    why: "A part that moves by one place is still valid, and ends in the wrong member of the envelope.",
    how_to_fix: "Pass them by name: an options object, keyword arguments, a builder.",
};

pub(super) const CHECKS: &[Check] = &[
    Check { rule: &NO_RETRY, page: page!("CK911"), looks_at: Subject::Tools, run: no_retry },
    Check { rule: &UNSAFE, page: page!("CK912"), looks_at: Subject::Tools, run: unsafe_details },
    Check { rule: &UNBOUNDED, page: page!("CK913"), looks_at: Subject::Tools, run: unbounded },
    Check { rule: &TWICE, page: page!("CK914"), looks_at: Subject::ErrorTypes, run: twice },
    Check {
        rule: &SWALLOWING_DEFAULT,
        page: page!("CK915"),
        looks_at: Subject::Mappings,
        run: swallowing_default,
    },
    Check { rule: &POSITIONAL, page: page!("CK916"), looks_at: Subject::Tools, run: positional },
];

fn no_retry(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, _, site) in project.error_sites() {
        let Handling::Envelope(envelope) = &site.what else { continue };
        let behind = project.exposure.behind(file, &site.within);
        let is_answer = |depth: u8| !envelope.has_retry && (envelope.is_result || depth == 0);
        let Some(behind) = behind.filter(|it| is_answer(it.depth)) else { continue };
        hits.at(
            (file, &site.span),
            "This envelope of {tool} says nothing about trying again.",
            [("tool", tool(behind).into())],
        );
    }
    for (file, it) in types(project) {
        let is_envelope =
            ["code", "message"].iter().all(|key| it.members.iter().any(|it| &**it == *key));
        if let Some(span) = it.optional_retry.as_ref().filter(|_| is_envelope) {
            hits.at(
                (file, span),
                "{name} may leave out whether to try again.",
                [("name", (&*it.name).into())],
            );
        }
    }
}

/// The types of errors of servers.
fn types<'a>(project: &'a Project<'_>) -> impl Iterator<Item = (usize, &'a ErrorType)> {
    let error_flows = project.error_flows().filter(|_| project.exposure.has_tools());
    error_flows.flat_map(|(file, error_flow)| error_flow.types.iter().map(move |it| (file, it)))
}

fn unsafe_details(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, _, site) in project.error_sites() {
        let Handling::Unsafe(what) = &site.what else { continue };
        if project.exposure.behind(file, &site.within).is_none() {
            continue;
        }
        let hit =
            hits.at((file, &site.span), "These details hold {what}.", [("what", (&**what).into())]);
        if what.contains("Date") {
            hit.weigh(Level::Improvement);
        }
    }
}

fn unbounded(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, _, site) in project.error_sites() {
        let Handling::Leak(leak) = &site.what else { continue };
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        let what = match leak {
            Leak::Stack => "a stack trace",
            Leak::Whole => "an error with all that it holds",
            Leak::Upstream => "the output of another program",
            Leak::Json => "a value written as JSON",
        };
        let hit = hits.at(
            (file, &site.span),
            "The error of {tool} holds {what}, however long it is.",
            [("tool", tool(behind).into()), ("what", what.into())],
        );
        if *leak == Leak::Stack {
            hit.weigh(Level::Violation);
        }
    }
}

fn twice(project: &Project<'_>, hits: &mut Hits<'_>) {
    let mut by_name: BTreeMap<(&str, &str), Vec<(usize, &ErrorType)>> = BTreeMap::new();
    for (file, it) in types(project).filter(|it| it.1.members.len() >= 2) {
        by_name.entry((project.language(file).name(), &it.name)).or_default().push((file, it));
    }
    for list in by_name.values() {
        let Some(((home, first), others)) = list.split_first() else { continue };
        for (file, it) in others.iter().filter(|it| it.0 != *home && are_alike(first, it.1)) {
            hits.at(
                (*file, &it.span),
                "{name} is also declared in {other}.",
                [("name", (&*it.name).into()), ("other", (&*project.name(*home)).into())],
            );
        }
    }
}

/// Whether two types share most of their members.
fn are_alike(a: &ErrorType, b: &ErrorType) -> bool {
    let shared = a.members.iter().filter(|it| b.members.contains(it)).count();
    shared >= 2 && shared * 3 >= a.members.len().max(b.members.len()) * 2
}

fn swallowing_default(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow) in project.error_flows() {
        let contract = project.contract(file);
        for it in error_flow.mappings.iter().filter(|it| it.within.function.is_some()) {
            let is_code = |code: &str| contract.is_none_or(|it| it.code(code).is_some());
            if it.cases.iter().filter(|it| is_code(it)).count() < 2 {
                continue;
            }
            let parts = [("count", it.cases.len().into())];
            let hit = hits.at((file, &it.rest), "Every code but {count} ends here.", parts);
            // Without a contract the owner of these codes is unknown.
            if contract.is_none() {
                hit.weigh(Level::Information);
            }
        }
    }
}

fn positional(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow) in project.error_flows() {
        for it in &error_flow.positional {
            let is_behind = project.exposure.behind(file, &it.within).is_some();
            if is_behind && it.placeholders > 0 && project.is_ours(file, &it.callee) {
                hits.at(
                    (file, &it.span),
                    "{callee} takes {count} parts by their place, some of them empty.",
                    [("callee", (&*it.callee).into()), ("count", it.count.into())],
                );
            }
        }
    }
}
