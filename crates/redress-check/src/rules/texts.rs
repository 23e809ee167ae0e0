//! Rules about codes in texts for people and models.

use redress_registry::{
    Level,
    name::is_full_code,
    rule::{Grade, Rule},
};

use crate::{
    contract::{Contract, Meaning},
    facts::{Word, WordHint},
    named::near,
    project::Project,
    rule::{Check, Hits, page},
    subject::Subject,
};

const UNKNOWN_WORD: Rule = Rule {
    id: "CK009",
    name: "unregistered-word",
    grade: Grade::Level(Level::Improvement),
    summary: "A document or a tool's description names a code that its registry does not have.",
    why: "A model takes what it reads for true, and waits for a failure that never comes.",
    how_to_fix: "Correct the name, or leave it out.",
};

pub(super) const CHECKS: &[Check] = &[Check {
    rule: &UNKNOWN_WORD,
    page: page!("CK009"),
    looks_at: Subject::Words,
    run: unknown_words,
}];

fn unknown_words(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        let lists = lists_of_codes(&it.facts.words, it.contract);
        for word in &it.facts.words {
            let is_known = it.contract.meaning(&word.text).is_some();
            let is_code = match word.hint {
                WordHint::Said => true,
                WordHint::Listed(list) => lists.contains(&list),
                WordHint::Plain => false,
            };
            let meant = near(&word.text, it.contract);
            if is_known || !is_full_code(&word.text) || !(is_code || meant.is_some()) {
                continue;
            }
            let hit = hits.at(
                (it.file, &word.span),
                "{code} is not in {contract}.",
                [("code", (&*word.text).into()), ("contract", it.contract.name().into())],
            );
            if let Some(meant) = meant {
                hit.fix(format!("Write {meant}."));
            }
        }
    }
}

/// The lists that consist mostly of codes: three at least.
fn lists_of_codes(words: &[Word], contract: &Contract) -> Vec<u32> {
    let mut lists: std::collections::BTreeMap<u32, (usize, usize)> =
        std::collections::BTreeMap::new();
    for word in words {
        if let WordHint::Listed(list) = word.hint {
            let (known, all) = lists.entry(list).or_default();
            *all += 1;
            *known += usize::from(matches!(contract.meaning(&word.text), Some(Meaning::Code(_))));
        }
    }
    let most = lists.into_iter().filter(|(_, (known, all))| *known >= 3 && known * 2 >= *all);
    most.map(|it| it.0).collect()
}
