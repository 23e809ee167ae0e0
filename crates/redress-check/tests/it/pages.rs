//! The page of a rule is its test: a bad example gives this rule and no other, a good one gives none.

use std::collections::BTreeSet;

use redress_check::{Check, Contract, Day, Project, Sources, check, checks};
use redress_registry::{Source, load};

/// The sections that every page has.
const LANGUAGES: [(&str, &str); 3] = [("Rust", "rs"), ("TypeScript", "ts"), ("Python", "py")];

#[test]
fn a_bad_example_breaks_its_rule_and_a_good_one_breaks_none() {
    let mut wrong = Vec::new();
    for it in checks() {
        for case in cases(it) {
            let rules = found(&case);
            let expected: BTreeSet<_> = case.is_bad.then_some(it.rule.id).into_iter().collect();
            if rules != expected {
                wrong.push(format!("{} {}: found {rules:?}", it.rule.id, case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_page_shows_every_language_or_says_why_it_cannot() {
    let mut wrong = Vec::new();
    for it in checks() {
        for (language, _) in LANGUAGES {
            let section = section(it.page, language);
            let shows = ["bad", "good"].iter().all(|mark| {
                blocks(section).iter().any(|it| it.info.split(' ').nth(1) == Some(mark))
            });
            let says = blocks(section).is_empty() && section.split_whitespace().count() > 5;
            if !shows && !says {
                wrong.push(format!("{} does not show {language}", it.rule.id));
            }
        }
        if it.page.split("\n## ").next().is_none_or(|it| it.split_whitespace().count() < 20) {
            wrong.push(format!("{} does not say what it is about", it.rule.id));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rules_are_in_the_order_of_their_ids() {
    let ids: Vec<_> = checks().map(|it| it.rule.id).collect();
    assert!(ids.is_sorted(), "{ids:?}");
}

/// The blocks of one language with one mark, as files beside each other.
struct Case {
    name: String,
    is_bad: bool,
    files: Vec<(String, String)>,
    contract: String,
}

fn cases(check: &Check) -> Vec<Case> {
    let contract = blocks(check.page).into_iter().find(|it| it.info == "toml contract");
    let contract = contract.map_or(include_str!("../../pages/errors.toml"), |it| it.text);
    let mut cases = Vec::new();
    for part in check.page.split("\n## ").skip(1) {
        let title = part.lines().next().unwrap_or_default();
        for (mark, is_bad) in [("bad", true), ("good", false)] {
            let marked = |it: &Block<'_>| it.info.split(' ').nth(1) == Some(mark);
            let files: Vec<_> = blocks(part)
                .into_iter()
                .filter(marked)
                .enumerate()
                .map(|(number, it)| (file_name(it.info, number), it.text.to_owned()))
                .collect();
            if !files.is_empty() {
                let name = format!("{title} {mark}");
                cases.push(Case { name, is_bad, files, contract: contract.to_owned() });
            }
        }
    }
    cases
}

/// `ts bad src/errors.ts` names its file, `ts bad` does not.
fn file_name(info: &str, number: usize) -> String {
    let mut words = info.split(' ');
    let extension = match words.next().unwrap_or_default() {
        "rust" => "rs",
        "python" => "py",
        "markdown" => "md",
        other => other,
    };
    words.nth(1).map_or_else(|| format!("src/example{number}.{extension}"), str::to_owned)
}

fn found(case: &Case) -> BTreeSet<&'static str> {
    let registry = load(&Source::new("errors.toml", &case.contract), &|_, _| None)
        .unwrap_or_else(|it| panic!("the contract of {}: {it:?}", case.name));
    let source = Source::new("errors.toml", &case.contract);
    let contracts = [Contract::new(registry, source)];
    let texts: Vec<(&str, &str)> =
        case.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let sources = Sources::of_texts(&texts);
    let project = Project::new(&sources, &contracts, |_| Some(0));
    let today = Day::parse("2026-11-01").unwrap();
    check(&project, today).hits.iter().map(|it| it.finding.rule).collect()
}

struct Block<'a> {
    info: &'a str,
    text: &'a str,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut list = Vec::new();
    let mut rest = page;
    while let Some((_, opened)) = rest.split_once("\n```") {
        let Some((info, body)) = opened.split_once('\n') else { break };
        let (text, after) = body.split_once("\n```").unwrap_or((body, ""));
        list.push(Block { info, text });
        rest = after;
    }
    list
}

fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let start = format!("\n## {title}\n");
    page.split_once(&start).map_or("", |it| it.1.split("\n## ").next().unwrap_or_default())
}
