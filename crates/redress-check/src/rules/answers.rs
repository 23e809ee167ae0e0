//! Rules about what a tool answers when something failed.

use redress_registry::{
    Level,
    rule::{Grade, Rule},
};

use super::raised::tool;
use crate::{
    error_flow::{Answer, Flag, Handling, Plain, Registration},
    exposure::Behind,
    project::Project,
    rule::{Check, Hits, page},
    subject::Subject,
};

const STRUCTURED: Rule = Rule {
    id: "CK404",
    name: "structured-error",
    grade: Grade::Level(Level::Violation),
    summary: "An error result of a tool with an output schema has structured content.",
    why: "Clients check structured content against the output schema, errors too, and refuse the answer instead of showing it.",
    how_to_fix: "Leave structuredContent out of error results, and put the envelope into _meta.",
};

const NO_FLAG: Rule = Rule {
    id: "CK405",
    name: "unmarked-error",
    grade: Grade::Level(Level::Violation),
    summary: "A failure is answered without isError.",
    why: "The client counts it as a success, and the model has to guess from the words that it was none.",
    how_to_fix: "Set isError to true, or throw what the server turns into an error result.",
};

const NO_CODE: Rule = Rule {
    id: "CK406",
    name: "bare-card",
    grade: Grade::Level(Level::Improvement),
    summary: "The text of an error result names no code, or no way out.",
    why: "Most clients show the model nothing but this text; without a code nobody can look the failure up, without a way out the model guesses.",
    how_to_fix: "Begin the text with CODE: message, and say in the next line what to do.",
};

const PLAIN_OBJECT: Rule = Rule {
    id: "CK901",
    name: "plain-error",
    grade: Grade::Level(Level::Violation),
    summary: "A tool returns a failure as a plain object.",
    why: "To the protocol it is a success, so no client retries, counts or reports it.",
    how_to_fix: "Raise a registered code, or answer with isError and a card.",
};

const SWALLOWED: Rule = Rule {
    id: "CK904",
    name: "swallowed-error",
    grade: Grade::Level(Level::Improvement),
    summary: "A handler of errors returns an empty value as if nothing had failed.",
    why: "An empty answer and a failed one look alike: the model concludes that there is nothing.",
    how_to_fix: "Let the failure out as an error with a code, or return the empty value only for the one error that means it.",
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: &STRUCTURED,
        page: page!("CK404"),
        looks_at: Subject::OutputSchemas,
        run: structured,
    },
    Check { rule: &NO_FLAG, page: page!("CK405"), looks_at: Subject::Tools, run: unmarked },
    Check { rule: &NO_CODE, page: page!("CK406"), looks_at: Subject::Tools, run: bare },
    Check { rule: &PLAIN_OBJECT, page: page!("CK901"), looks_at: Subject::Tools, run: plain },
    Check { rule: &SWALLOWED, page: page!("CK904"), looks_at: Subject::Tools, run: swallowed },
];

fn structured(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, _, site) in project.error_sites() {
        let Handling::Result(Answer { is_error: Flag::True, is_structured: true, .. }) = &site.what
        else {
            continue;
        };
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        if has_output_schema(project, file, behind) {
            hits.at(
                (file, &site.span),
                "An error of {tool}, which has an output schema, has structured content.",
                [("tool", tool(behind).into())],
            );
        }
    }
}

/// Of one function for all tools, the rows beside it tell.
fn has_output_schema(project: &Project<'_>, file: usize, behind: &Behind<'_>) -> bool {
    let rows = project.sources.files.get(file).map(|it| &it.facts.error_flow.boundaries);
    let mut rows = rows.into_iter().flatten();
    behind.boundary.has_output_schema
        || (behind.boundary.registration == Registration::All
            && rows.any(|it| it.has_output_schema))
}

fn unmarked(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow, site) in project.error_sites() {
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        let says_error = match &site.what {
            Handling::Plain(Plain::Text) => behind.depth == 0,
            Handling::Result(it)
                if it.is_open || !matches!(it.is_error, Flag::Absent | Flag::False) =>
            {
                false
            }
            Handling::Result(it) => it.said.as_ref().is_some_and(|it| it.is_error),
            _ => continue,
        };
        let is_caught = error_flow.catch(site).is_some_and(|it| !it.decides)
            && matches!(&site.what, Handling::Result(it) if it.is_error == Flag::Absent && !it.is_open);
        if !says_error && !is_caught {
            continue;
        }
        let message = if says_error {
            "{tool} answers with the text of an error, and without isError."
        } else {
            "{tool} answers a caught error without isError."
        };
        let hit = hits.at((file, &site.span), message, [("tool", capital(tool(behind)).into())]);
        if !says_error {
            hit.weigh(Level::Improvement);
        }
    }
}

fn capital(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn bare(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, _, site) in project.error_sites() {
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        let parts = [("tool", tool(behind).into())];
        match &site.what {
            Handling::Prose(_) => {
                hits.at((file, &site.span), "The error of {tool} is prose without a code.", parts);
            }
            Handling::Result(it) if it.is_error == Flag::True && !it.is_open => {
                let Some(said) = it.said.as_ref().filter(|it| !it.is_opaque) else { continue };
                if !it.has_code && (said.is_literal || said.is_varied) {
                    hits.at((file, &said.span), "The error of {tool} names no code.", parts);
                } else if said.has_code && said.is_literal && !said.has_fix && !said.is_varied {
                    hits.at((file, &said.span), "The error of {tool} says no way out.", parts);
                }
            }
            _ => (),
        }
    }
}

fn plain(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, _, site) in project.error_sites() {
        let Handling::Plain(Plain::Object) = &site.what else { continue };
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        let hit = hits.at(
            (file, &site.span),
            "{tool} returns a failure that looks like a success.",
            [("tool", capital(tool(behind)).into())],
        );
        // Further inside it can be what a function tells its caller, who answers properly.
        if behind.depth > 0 {
            hit.weigh(Level::Information);
        }
    }
}

fn swallowed(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, error_flow, site) in project.error_sites() {
        let Handling::Plain(Plain::Nothing) = &site.what else { continue };
        let Some(behind) = project.exposure.behind(file, &site.within) else { continue };
        let guard = site.within.catch.and_then(|it| error_flow.guards.get(it as usize));
        if guard.is_none_or(|it| it.is_cleanup || it.is_question) {
            continue;
        }
        let Some(catch) = error_flow.catch(site).filter(|it| it.types.is_empty() && !it.decides)
        else {
            continue;
        };
        if project.is_question(file, &site.within) {
            continue;
        }
        let hit = hits.at(
            (file, &site.span),
            "Whatever failed here, {tool} goes on with an empty value.",
            [("tool", tool(behind).into())],
        );
        if catch.is_explained && behind.depth > 0 {
            hit.weigh(Level::Information);
        }
    }
}
