//! Rules about tools: what each may fail with, and what it tells of it.

use std::collections::BTreeSet;

use redress_registry::{
    Level,
    name::is_full_code,
    rule::{Grade, Rule},
};

use crate::{
    contract::Contract,
    facts::DeclaredTool,
    named::{Named, Role},
    project::{JudgedFile, Project},
    reach::{nearby, reached},
    rule::{Check, Hits, page},
    span::{Span, span},
    subject::Subject,
    words::words,
};

const OUTSIDE_MAY: Rule = Rule {
    id: "CK401",
    name: "outside-may",
    grade: Grade::Level(Level::Violation),
    summary: "A tool raises a code that its row does not list.",
    why: "Clients prepare for what the row lists, and for nothing else.",
    how_to_fix: "Add the code to may of the tool, or raise another one.",
};

const NEVER_BY_TOOL: Rule = Rule {
    id: "CK402",
    name: "never-by-tool",
    grade: Grade::Level(Level::Information),
    summary: "A tool never raises a code that its row lists.",
    why: "A list that promises too much helps as little as none.",
    how_to_fix: "Take the code out of may of the tool, or raise it.",
};

const DESCRIPTION: Rule = Rule {
    id: "CK403",
    name: "codes-of-description",
    grade: Grade::Level(Level::Improvement),
    summary: "The description of a tool names more than eight codes, or none of those that its row lists.",
    why: "A model reads the description before it calls: without codes it is not prepared, with too many it reads none.",
    how_to_fix: "Name the few codes on which a caller acts.",
};

const RETRY_WORDS: Rule = Rule {
    id: "CK408",
    name: "retry-of-description",
    grade: Grade::Level(Level::Violation),
    summary: "The description of a tool says of a code that it is retryable, and the registry says that it is not; or the other way round.",
    why: "A model that believes the description repeats a call that cannot succeed, or gives up one that would.",
    how_to_fix: "Correct the words in the description, or the retry of the code in the registry.",
};

/// More codes in a description are too many.
const MAX_CODES: usize = 8;

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: &OUTSIDE_MAY,
        page: page!("CK401"),
        looks_at: Subject::ListedTools,
        run: outside_may,
    },
    Check {
        rule: &NEVER_BY_TOOL,
        page: page!("CK402"),
        looks_at: Subject::ListedTools,
        run: never_by_tool,
    },
    Check {
        rule: &DESCRIPTION,
        page: page!("CK403"),
        looks_at: Subject::ListedTools,
        run: description,
    },
    Check {
        rule: &RETRY_WORDS,
        page: page!("CK408"),
        looks_at: Subject::Descriptions,
        run: retry_words,
    },
];

/// The tools that the contract has a row for.
fn listed<'w>(
    project: &Project<'w>,
) -> impl Iterator<Item = (JudgedFile<'w>, &'w DeclaredTool, &'w redress_registry::Tool)> {
    project.judged().flat_map(|it| {
        it.facts.tools.iter().filter_map(move |tool| {
            let row = it.contract.registry.tools.get(&*tool.name)?;
            (!row.may.is_empty()).then_some((it, tool, row))
        })
    })
}

fn outside_may(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (it, tool, row) in listed(project) {
        let Some(spans) = nearby(project, it.file, tool) else { continue };
        let mut told = BTreeSet::new();
        for (file, span) in &spans {
            for named in raised(project, *file).filter(|it| span.contains(&it.span.start)) {
                let Some(entry) = it.contract.code(named.text) else { continue };
                // What every tool can meet is no choice of one of them: only its own registry's codes are.
                let is_own = entry.registry == it.contract.registry.name;
                let is_listed = row.may.iter().any(|it| **it == *entry.code);
                if is_own && !is_listed && told.insert((*file, named.span.start)) {
                    hits.at(
                        (*file, &named.span),
                        "{tool} raises {code}, which its row does not list.",
                        [("tool", (&*tool.name).into()), ("code", (&*entry.code).into())],
                    );
                }
            }
        }
    }
}

fn never_by_tool(project: &Project<'_>, hits: &mut Hits<'_>) {
    let tools: Vec<_> = listed(project).collect();
    let handlers: Vec<_> = tools
        .iter()
        .map(|(it, tool, _)| nearby(project, it.file, tool).unwrap_or_default())
        .collect();
    for (number, (it, tool, row)) in tools.iter().enumerate() {
        let Some(own) = reached((project.sources, &project.index), it.file, tool) else { continue };
        let others: Vec<_> = handlers
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number)
            .flat_map(|(_, spans)| spans)
            .collect();
        // What is raised in none of the handlers is raised in something that they share, perhaps unseen by us.
        let is_of_others = |code: &str| {
            let mut places = places(project, it.contract, code).peekable();
            places.peek().is_some()
                && places
                    .all(|place| !holds(&own, place) && others.iter().any(|it| is_in(it, place)))
        };
        let never: Vec<&str> =
            row.may.iter().map(String::as_str).filter(|it| is_of_others(it)).collect();
        if !never.is_empty() {
            hits.at(
                (it.file, &tool.span),
                "{tool} never raises {codes}, which its row lists.",
                [("tool", (&*tool.name).into()), ("codes", never.join(", ").into())],
            );
        }
    }
}

/// Where a code is raised in the sources of a contract.
fn places<'a>(
    project: &'a Project<'_>,
    contract: &'a Contract,
    code: &'a str,
) -> impl Iterator<Item = (usize, u32)> + 'a {
    project.judged().filter(|it| std::ptr::eq(it.contract, contract)).flat_map(move |it| {
        let here = raised(project, it.file)
            .filter(|it| contract.code(it.text).is_some_and(|it| *it.code == *code));
        here.map(move |named| (it.file, named.span.start))
    })
}

fn holds(spans: &[(usize, Span)], place: (usize, u32)) -> bool {
    spans.iter().any(|it| is_in(it, place))
}

fn is_in((file, span): &(usize, Span), place: (usize, u32)) -> bool {
    *file == place.0 && span.contains(&place.1)
}

fn raised<'a, 'w>(project: &'a Project<'w>, file: usize) -> impl Iterator<Item = &'a Named<'w>> {
    project.named(file).iter().filter(|it| it.role == Role::Raised)
}

fn description(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (it, tool, row) in listed(project) {
        let Some(said) = &tool.description else { continue };
        let is_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-');
        let words = said.text.split(|it| !is_word(it)).map(|it| it.trim_matches('.'));
        let codes: BTreeSet<&str> =
            words.filter(|word| is_full_code(word) && it.contract.code(word).is_some()).collect();
        let message = match codes.len() {
            0 => "The description of {tool} names none of the {listed} codes of its row.",
            count if count > MAX_CODES => "The description of {tool} names {count} codes.",
            _ => continue,
        };
        hits.at(
            (it.file, &said.span),
            message,
            [
                ("tool", (&*tool.name).into()),
                ("listed", row.may.len().into()),
                ("count", codes.len().into()),
            ],
        );
    }
}

fn retry_words(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for said in it.facts.tools.iter().filter_map(|tool| tool.description.as_ref()) {
            for (at, word) in words(&said.text) {
                let after = said.text.get(at + word.len()..).unwrap_or_default();
                let (Some(entry), Some((is_retryable, length))) =
                    (it.contract.code(word), said_of_retry(after))
                else {
                    continue;
                };
                if is_retryable == entry.retry.retryable() {
                    continue;
                }
                let start = said.span.start as usize + at;
                let place = span(start..start + word.len() + length);
                let said = if is_retryable { "retryable" } else { "not retryable" };
                let kind = entry.retry.kind.name();
                hits.at(
                    (it.file, &place),
                    "The description calls {code} {said}; its retry in {contract} is {kind}.",
                    [
                        ("code", (&*entry.code).into()),
                        ("said", said.into()),
                        ("contract", it.contract.name().into()),
                        ("kind", kind.into()),
                    ],
                );
            }
        }
    }
}

/// What the parentheses after a code say about trying again, and how long they are: `(retryable)`, `(409, not retryable)`.
fn said_of_retry(after: &str) -> Option<(bool, usize)> {
    const LONGEST: usize = 60;
    let open = after.trim_start_matches(['`', '"', '\'', '*', ' ']);
    let (said, _) = open.strip_prefix('(')?.split_once(')')?;
    let lower = said.to_lowercase();
    let at = lower.find("retryable").filter(|_| said.len() <= LONGEST)?;
    let before = lower.get(..at)?.trim_end_matches([' ', '-']);
    let is_denied = ["not", "non", "never", "un"].iter().any(|it| before.ends_with(it));
    Some((!is_denied, after.len() - open.len() + said.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::said_of_retry;

    #[test]
    fn what_stands_in_parentheses_after_a_code_is_read() {
        assert_eq!(said_of_retry(" (retryable), B"), Some((true, 12)));
        assert_eq!(said_of_retry("` (409, not retryable)"), Some((false, 22)));
        assert_eq!(said_of_retry(" (Non-retryable)"), Some((false, 16)));
        for other in [" is retryable", " (see below)", " (retryable", "", " retry (retryable)"] {
            assert_eq!(said_of_retry(other), None, "{other}");
        }
    }
}
