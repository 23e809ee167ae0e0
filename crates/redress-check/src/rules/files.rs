//! Rules about the files themselves: what could not be read, and comments that allow what they should not.

use redress_registry::{
    Level,
    rule::{Grade, Rule},
};

use crate::{
    project::Project,
    rule::{Check, Hit, Hits, page},
    rules::rules,
    subject::Subject,
    suppress::{Day, Written},
};

const BROKEN: Rule = Rule {
    id: "CK923",
    name: "broken-syntax",
    grade: Grade::Level(Level::Information),
    summary: "A file has bytes that are no syntax of its language.",
    why: "What stands there was not looked at, so the file may break the contract unseen.",
    how_to_fix: "Correct the syntax, or leave the file out of the scan.",
};

const UNREADABLE: Rule = Rule {
    id: "CK924",
    name: "unread-file",
    grade: Grade::Level(Level::Information),
    summary: "A file could not be read.",
    why: "It may break the contract unseen.",
    how_to_fix: "Make it readable, or leave it out of the scan.",
};

const BAD_ALLOWANCE: Rule = Rule {
    id: "CK921",
    name: "bad-allowance",
    grade: Grade::Level(Level::Violation),
    summary: "A comment allows a rule to be broken without a rule, a reason or a last day, or its last day is over.",
    why: "An exception that nobody can judge, or that never ends, is a rule that nobody has.",
    how_to_fix: "Write redress: allow CK001 until 2027-01-31: the reason; or do what the rule says.",
};

const STALE_ALLOWANCE: Rule = Rule {
    id: "CK922",
    name: "stale-allowance",
    grade: Grade::Level(Level::Improvement),
    summary: "A comment allows what does not happen there.",
    why: "It would hide the next mistake at that place.",
    how_to_fix: "Remove the comment.",
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: &BAD_ALLOWANCE,
        page: page!("CK921"),
        looks_at: Subject::Allowances,
        run: after_the_others,
    },
    Check {
        rule: &STALE_ALLOWANCE,
        page: page!("CK922"),
        looks_at: Subject::Allowances,
        run: after_the_others,
    },
    Check { rule: &BROKEN, page: page!("CK923"), looks_at: Subject::Files, run: broken },
    Check { rule: &UNREADABLE, page: page!("CK924"), looks_at: Subject::Files, run: unreadable },
];

fn broken(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (file, source) in project.files() {
        if let Some(span) = &source.facts.broken {
            hits.at(
                (file, span),
                "This is no syntax of {language}.",
                [("language", source.facts.language.name().into())],
            );
        }
    }
}

fn unreadable(project: &Project<'_>, hits: &mut Hits<'_>) {
    for (path, why) in &project.sources.unreadable {
        hits.about(
            &path.to_string_lossy(),
            "The file could not be read: {why}.",
            [("why", why.as_str().into())],
        );
    }
}

/// What comments allow is known when all other rules have run.
fn after_the_others(_: &Project<'_>, _: &mut Hits<'_>) {}

/// What is wrong with the comments that allow something; `used` says which of them did.
pub(crate) fn allowances(project: &Project<'_>, used: &[Vec<bool>], today: Day) -> Vec<Hit> {
    let mut bad = Hits::new(project, &BAD_ALLOWANCE);
    let mut stale = Hits::new(project, &STALE_ALLOWANCE);
    for (file, source) in project.files() {
        for (at, written) in source.facts.allowances.iter().enumerate() {
            let was_used = used.get(file).and_then(|it| it.get(at)).copied().unwrap_or_default();
            judge(written, (file, was_used), today, (&mut bad, &mut stale));
        }
    }
    let mut found = bad.into_list();
    found.extend(stale.into_list());
    found
}

fn judge(
    written: &Written,
    (file, was_used): (usize, bool),
    today: Day,
    (bad, stale): (&mut Hits<'_>, &mut Hits<'_>),
) {
    let at = (file, &written.span);
    let said = match &written.said {
        Ok(said) => said,
        Err(mistake) => {
            bad.at(at, "The allowance {mistake}.", [("mistake", mistake.text().into())]);
            return;
        }
    };
    let unknown = said.rules.iter().find(|it| rules().all(|rule| rule.id != &***it));
    if let Some(unknown) = unknown {
        bad.at(
            at,
            "The allowance names {rule}, which is no rule.",
            [("rule", (&**unknown).into())],
        );
    } else if said.until < today {
        bad.at(at, "The allowance ended on {until}.", [("until", said.until.to_string().into())]);
    } else if !was_used {
        stale.at(
            at,
            "The allowance of {rules} allows nothing here.",
            [("rules", said.rules.join(", ").into())],
        );
    }
}
