//! Rules about codes where they stand: each one is registered, none is gone, and each can be read.

use redress_registry::{
    Level,
    mirror::{DEPRECATED, RETIRED, UNREGISTERED},
    name::split,
    nearest::nearest,
    rule::{Grade, Rule},
};

use crate::{
    contract::{Contract, Meaning},
    facts::Value,
    manifest::Manifest,
    named::{Named, Role, is_certain, near},
    project::Project,
    rule::{Check, Hits, page},
    subject::Subject,
};

const FOREIGN: Rule = Rule {
    id: "CK005",
    name: "foreign-namespace",
    grade: Grade::Level(Level::Violation),
    summary: "A source names a code of a namespace that is not its own.",
    why: "A plugin owns the codes of its namespace and no others; another plugin may change or remove its own at any time.",
    how_to_fix: "Register the code in the own namespace, or raise one of a registry that the contract extends.",
};

const COMPUTED: Rule = Rule {
    id: "CK006",
    name: "computed-code",
    grade: Grade::Level(Level::Violation),
    summary: "A code is put together at run time.",
    why: "Nobody can tell from the source which codes there are: neither this scan, nor a search, nor a reader.",
    how_to_fix: "Choose between whole codes, by a match or a table.",
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: &UNREGISTERED,
        page: page!("CK001"),
        looks_at: Subject::Codes,
        run: unregistered,
    },
    Check { rule: &DEPRECATED, page: page!("CK003"), looks_at: Subject::Codes, run: deprecated },
    Check { rule: &RETIRED, page: page!("CK004"), looks_at: Subject::Codes, run: retired },
    Check { rule: &FOREIGN, page: page!("CK005"), looks_at: Subject::Codes, run: foreign },
    Check { rule: &COMPUTED, page: page!("CK006"), looks_at: Subject::Codes, run: computed },
];

fn unregistered(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for named in project.named(it.file) {
            if !is_unknown(named, it.contract) {
                continue;
            }
            if let (Some(namespace), Some(manifest)) =
                (split(named.text).0, project.manifest(it.file))
            {
                undeclared(hits, named, (namespace, manifest));
                continue;
            }
            if is_foreign(named, it.contract) {
                continue;
            }
            let hit = hits.at(
                (it.file, &named.span),
                "{code} is not in {contract}.",
                [("code", named.text.into()), ("contract", it.contract.name().into())],
            );
            let codes = it.contract.registry.codes.keys().map(|it| &**it);
            if let Some(meant) =
                near(named.text, it.contract).or_else(|| nearest(named.text, codes))
            {
                hit.fix(format!("Write {meant}, or add the code with redress registry add."));
            }
            if let Some(meant) = near(named.text, it.contract).filter(|_| named.is_literal) {
                hit.edit(&named.span, named.text, meant);
            }
        }
    }
}

/// A plugin's code that the object `errorCodes` of its package does not have.
fn undeclared(
    hits: &mut Hits<'_>,
    named: &Named<'_>,
    (namespace, manifest): (&str, &Manifest<'_>),
) {
    let key = split(named.text).1;
    if manifest.keys.contains(key) {
        return;
    }
    let hit = hits.at(
        (named.file, &named.span),
        "{code} is not in errorCodes of {file}.",
        [("code", named.text.into()), ("file", (&*manifest.file).into())],
    );
    match nearest(key, manifest.keys.iter().copied()) {
        Some(meant) => hit.fix(format!("Write {namespace}.{meant}, or declare {key} there.")),
        None => hit.fix(format!("Declare {key} there.")),
    };
}

/// A code for sure, and the contract has never heard of it.
fn is_unknown(named: &Named<'_>, contract: &Contract) -> bool {
    let is_word = !named.text.contains('_');
    named.is_certain
        && named.meaning(contract).is_none()
        && (!is_word || near(named.text, contract).is_some())
}

/// An unknown code of another owner: it says so, or a plugin has nothing like it.
fn is_foreign(named: &Named<'_>, contract: &Contract) -> bool {
    match (split(named.text).0, contract.registry.namespace.as_deref()) {
        (Some(theirs), ours) => ours != Some(theirs),
        (None, Some(_)) => near(named.text, contract).is_none(),
        (None, None) => false,
    }
}

fn deprecated(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for named in project.named(it.file).iter().filter(|it| it.role == Role::Raised) {
            let Some(entry) = named.entry(it.contract) else { continue };
            let Some(gone) = &entry.deprecated else { continue };
            let hit = hits.at(
                (it.file, &named.span),
                "{code} is deprecated since {since}: {reason}",
                [
                    ("code", (&*entry.code).into()),
                    ("since", gone.since.as_str().into()),
                    ("reason", gone.reason.as_str().into()),
                ],
            );
            replace(hit, named, gone.to.as_deref());
        }
    }
}

fn retired(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for named in project.named(it.file) {
            let Some(Meaning::Retired(name, gone)) = named.meaning(it.contract) else { continue };
            let hit = hits.at(
                (it.file, &named.span),
                "{code} was retired in {since}: {why}",
                [
                    ("code", name.into()),
                    ("since", gone.since.as_str().into()),
                    ("why", gone.why.as_str().into()),
                ],
            );
            replace(hit, named, gone.to.as_deref());
        }
    }
}

fn replace(hit: &mut crate::rule::Hit, named: &Named<'_>, to: Option<&str>) {
    let Some(to) = to else { return };
    hit.fix(format!("Use {to}."));
    if named.is_literal {
        hit.edit(&named.span, named.text, to);
    }
}

fn foreign(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for named in project.named(it.file) {
            let is_plugins = split(named.text).0.is_some() && project.manifest(it.file).is_some();
            if is_unknown(named, it.contract) && is_foreign(named, it.contract) && !is_plugins {
                let owner = it.contract.registry.namespace.as_deref();
                let hit = hits.at(
                    (it.file, &named.span),
                    "{code} is no code of {contract}.",
                    [("code", named.text.into()), ("contract", it.contract.name().into())],
                );
                if let Some(owner) = owner {
                    hit.fix(format!(
                        "Register it as {owner}.{}, or raise a code that the contract extends.",
                        split(named.text).1
                    ));
                }
            }
        }
    }
}

fn computed(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for mention in &it.facts.mentions {
            if let Value::Computed(pieces) = &mention.value
                && is_certain(it.file, &mention.position, &project.index)
            {
                hits.at(
                    (it.file, &mention.span),
                    "The code {pieces} is put together at run time.",
                    [("pieces", (&**pieces).into())],
                );
            }
        }
    }
}
