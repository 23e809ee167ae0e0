//! Rules about what a tool answers when something failed.

use redress_registry::{
    Level,
    rule::{Grade, Rule},
};

use super::raised::tool;
use crate::{
    conduct::{Answer, Flag, Plain, Registration, What},
    exposure::Behind,
    link::World,
    rule::{Check, Hits, page},
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
    Check { rule: &STRUCTURED, page: page!("CK404"), run: structured },
    Check { rule: &NO_FLAG, page: page!("CK405"), run: unmarked },
    Check { rule: &NO_CODE, page: page!("CK406"), run: bare },
    Check { rule: &PLAIN_OBJECT, page: page!("CK901"), run: plain },
    Check { rule: &SWALLOWED, page: page!("CK904"), run: swallowed },
];

fn structured(world: &World<'_>, hits: &mut Hits<'_>) {
    for (file, _, act) in world.acts() {
        let What::Result(Answer { is_error: Flag::True, is_structured: true, .. }) = &act.what
        else {
            continue;
        };
        let Some(behind) = world.exposure.behind(file, &act.within) else { continue };
        if has_output_schema(world, file, behind) {
            hits.at(
                (file, &act.span),
                "An error of {tool}, which has an output schema, has structured content.",
                [("tool", tool(behind).into())],
            );
        }
    }
}

/// Of one function for all tools, the rows beside it tell.
fn has_output_schema(world: &World<'_>, file: usize, behind: &Behind<'_>) -> bool {
    let rows = world.sources.files.get(file).map(|it| &it.facts.conduct.boundaries);
    let mut rows = rows.into_iter().flatten();
    behind.boundary.has_output_schema
        || (behind.boundary.registration == Registration::All
            && rows.any(|it| it.has_output_schema))
}

fn unmarked(world: &World<'_>, hits: &mut Hits<'_>) {
    for (file, conduct, act) in world.acts() {
        let Some(behind) = world.exposure.behind(file, &act.within) else { continue };
        let says_error = match &act.what {
            What::Plain(Plain::Text) => behind.depth == 0,
            What::Result(it)
                if it.is_open || !matches!(it.is_error, Flag::Absent | Flag::False) =>
            {
                false
            }
            What::Result(it) => it.said.as_ref().is_some_and(|it| it.is_error),
            _ => continue,
        };
        let is_caught = conduct.catch(act).is_some_and(|it| !it.decides)
            && matches!(&act.what, What::Result(it) if it.is_error == Flag::Absent && !it.is_open);
        if !says_error && !is_caught {
            continue;
        }
        let message = if says_error {
            "{tool} answers with the text of an error, and without isError."
        } else {
            "{tool} answers a caught error without isError."
        };
        let hit = hits.at((file, &act.span), message, [("tool", capital(tool(behind)).into())]);
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

fn bare(world: &World<'_>, hits: &mut Hits<'_>) {
    for (file, _, act) in world.acts() {
        let Some(behind) = world.exposure.behind(file, &act.within) else { continue };
        let parts = [("tool", tool(behind).into())];
        match &act.what {
            What::Prose(_) => {
                hits.at((file, &act.span), "The error of {tool} is prose without a code.", parts);
            }
            What::Result(it) if it.is_error == Flag::True && !it.is_open => {
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

fn plain(world: &World<'_>, hits: &mut Hits<'_>) {
    for (file, _, act) in world.acts() {
        let What::Plain(Plain::Object) = &act.what else { continue };
        let Some(behind) = world.exposure.behind(file, &act.within) else { continue };
        let hit = hits.at(
            (file, &act.span),
            "{tool} returns a failure that looks like a success.",
            [("tool", capital(tool(behind)).into())],
        );
        // Further inside it can be what a function tells its caller, who answers properly.
        if behind.depth > 0 {
            hit.weigh(Level::Information);
        }
    }
}

fn swallowed(world: &World<'_>, hits: &mut Hits<'_>) {
    for (file, conduct, act) in world.acts() {
        let What::Plain(Plain::Nothing) = &act.what else { continue };
        let Some(behind) = world.exposure.behind(file, &act.within) else { continue };
        let guard = act.within.catch.and_then(|it| conduct.guards.get(it as usize));
        if guard.is_none_or(|it| it.is_cleanup || it.is_question) {
            continue;
        }
        let Some(catch) = conduct.catch(act).filter(|it| it.types.is_empty() && !it.decides) else {
            continue;
        };
        if world.is_question(file, &act.within) {
            continue;
        }
        let hit = hits.at(
            (file, &act.span),
            "Whatever failed here, {tool} goes on with an empty value.",
            [("tool", tool(behind).into())],
        );
        if catch.is_explained && behind.depth > 0 {
            hit.weigh(Level::Information);
        }
    }
}
