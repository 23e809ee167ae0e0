//! Rules about the contract as a whole: what it has is raised, and nothing repeats it.

use std::{collections::BTreeSet, sync::Arc};

use redress_registry::{
    Level,
    name::is_code,
    rule::{Grade, Rule},
    shipped,
};

use crate::{
    contract::Contract,
    facts::{Facts, TableKind, Value},
    named::{Role, is_code_table, registered},
    project::Project,
    rule::{Check, Hits, page},
    span::Span,
    subject::Subject,
};

const NEVER_RAISED: Rule = Rule {
    id: "CK002",
    name: "never-raised",
    grade: Grade::Level(Level::Information),
    summary: "A registered code is raised nowhere in the sources.",
    why: "Clients prepare for a failure that never comes; or it comes, and under another name.",
    how_to_fix: "Raise it where it happens, deprecate it, or retire it.",
};

const SECOND_TABLE: Rule = Rule {
    id: "CK008",
    name: "second-table",
    grade: Grade::Level(Level::Improvement),
    summary: "A source repeats codes of the registry in a table of its own.",
    why: "Two lists of the same thing differ sooner or later; then the one that nobody looks at is wrong.",
    how_to_fix: "Generate it with redress registry export, or derive it with #[derive(Contract)].",
};

const OTHER_VALUE: Rule = Rule {
    id: "CK010",
    name: "other-value",
    grade: Grade::Level(Level::Violation),
    summary: "A constant has the name of one code and the value of another.",
    why: "Whoever reads the name believes it; the client gets the value.",
    how_to_fix: "Give it the value that its name says.",
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: &NEVER_RAISED,
        page: page!("CK002"),
        looks_at: Subject::OwnCodes,
        run: never_raised,
    },
    Check {
        rule: &SECOND_TABLE,
        page: page!("CK008"),
        looks_at: Subject::Tables,
        run: second_table,
    },
    Check { rule: &OTHER_VALUE, page: page!("CK010"), looks_at: Subject::Tables, run: other_value },
];

fn never_raised(project: &Project<'_>, hits: &mut Hits<'_>) {
    for contract in project.contracts {
        // A built-in registry is for many servers; none of them raises everything.
        if shipped::get(&contract.registry.name)
            .is_some_and(|it| Arc::ptr_eq(it, &contract.registry))
        {
            continue;
        }
        let mut raised = BTreeSet::new();
        for it in project.judged().filter(|it| std::ptr::eq(it.contract, contract)) {
            let named = project.named(it.file).iter().filter(|it| it.role == Role::Raised);
            raised.extend(named.filter_map(|it| contract.code(it.text)).map(|it| it.code.clone()));
        }
        let own = || contract.registry.own().filter(|it| it.deprecated.is_none());
        // Where nothing is raised, the sources are those of another project.
        if !own().any(|it| raised.contains(&it.code)) {
            continue;
        }
        for entry in own().filter(|it| !raised.contains(&it.code)) {
            hits.in_contract(
                (contract, &entry.code),
                "{code} is raised nowhere in these sources.",
                [("code", (&*entry.code).into())],
            );
        }
    }
}

fn second_table(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for table in &it.facts.tables {
            let is_copy = !matches!(table.kind, TableKind::Derived | TableKind::List);
            if is_copy && is_code_table(table, it.contract) {
                hits.at(
                    (it.file, &table.span),
                    "{name} repeats {count} codes of {contract}.",
                    [
                        ("name", (&*table.name).into()),
                        ("count", registered(table, it.contract).into()),
                        ("contract", it.contract.name().into()),
                    ],
                );
            }
        }
    }
}

fn other_value(project: &Project<'_>, hits: &mut Hits<'_>) {
    for it in project.judged() {
        for (name, text, span) in assigned(it.facts, it.contract) {
            let Some(meant) = it.contract.code(name) else { continue };
            let value = it.contract.code(text);
            if value.is_some_and(|it| it.code == meant.code) {
                continue;
            }
            let hit = hits.at(
                (it.file, &span),
                "{name} has the value {code}.",
                [("name", name.into()), ("code", text.into())],
            );
            if value.is_none() {
                hit.edit(&span, text, name);
            }
        }
    }
}

/// Names of codes with their texts: of constants, and of tables of codes.
fn assigned<'w>(facts: &'w Facts, contract: &Contract) -> Vec<(&'w str, &'w str, Span)> {
    let mut list: Vec<(&str, &str, Span)> = Vec::new();
    for it in &facts.constants {
        if let Value::Text(text) = &it.value {
            let name = it.name.rsplit('.').next().unwrap_or_default();
            list.push((name, text, it.span.clone()));
        }
    }
    for table in facts.tables.iter().filter(|it| it.kind == TableKind::Names) {
        let is_of_codes = is_code_table(table, contract);
        let members = table.members.iter().filter(|_| is_of_codes);
        list.extend(members.map(|it| (&*it.name, &*it.text, it.span.clone())));
    }
    list.sort_by_key(|it| it.2.start);
    list.dedup_by_key(|it| it.2.start);
    list.retain(|it| is_code(it.0) && it.0 != it.1);
    list
}
