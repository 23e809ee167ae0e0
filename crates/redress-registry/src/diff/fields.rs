//! The fields of a row, and which rule judges a change of each.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    deprecation,
    pair::{Both, Pair},
    params,
    rules::{
        DF005, DF010, DF011, DF012, DF013, DF014, DF015, DF016, DF017, DF018, DF030, DF031, DF032,
        DF033, DF034, DF050, DF051, DF052, DF063,
    },
};
use crate::{
    Alias, Effect, Registry, Stability, canonical,
    finding::part,
    rule::{Impact, Rule},
};

/// Judges a field that changed.
type Judge = fn(&mut Both<'_>, Pair<'_>, &Changed);

/// A field with its values before and after, as the canonical form writes them.
pub(super) struct Changed {
    pub(super) field: &'static str,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
}

/// Every member of a row, and who judges it. A member that is not here would change unseen, so a
/// test compares this table with the canonical form.
const FIELDS: &[(&str, Judge)] = &[
    // Which file declares a row is nothing that a client can see.
    ("registry", |_, _, _| {}),
    // Numbers are judged across all codes, with the tombstones.
    ("number", |_, _, _| {}),
    ("domain", |both, pair, it| plain(both, pair, it, &DF050)),
    ("class", |both, pair, it| plain(both, pair, it, &DF010)),
    ("http", |both, pair, it| plain(both, pair, it, &DF011)),
    ("retry", retry),
    ("effect", effect),
    ("severity", |both, pair, it| plain(both, pair, it, &DF052)),
    ("title", |both, pair, it| plain(both, pair, it, &DF033)),
    ("message", |both, pair, it| plain(both, pair, it, &DF030)),
    ("hint", |both, pair, it| plain(both, pair, it, &DF031)),
    ("next", |both, pair, it| text(both, pair, it, &DF031)),
    ("similar", |both, pair, it| text(both, pair, it, &DF034)),
    ("params", params::judge),
    ("explain", |both, pair, it| text(both, pair, it, &DF034)),
    ("example", |both, pair, it| text(both, pair, it, &DF034)),
    ("since", since),
    ("stability", stability),
    ("deprecated", deprecation::judge),
    ("alias", alias),
];

pub(super) fn judge(both: &mut Both<'_>) {
    for pair in both.pairs() {
        let (old, new) = (canonical::entry(pair.old), canonical::entry(pair.new));
        for (field, judge) in FIELDS {
            let (before, after) = (old.get(field), new.get(field));
            // Compared as written, since 1 and 1.0 are one text.
            if before.map(canonical::canonical_json) != after.map(canonical::canonical_json) {
                let (before, after) = (before.cloned(), after.cloned());
                judge(both, pair, &Changed { field, before, after });
            }
        }
        next_tools(both, pair);
    }
    domains(both);
}

/// A change that is described by its values.
fn plain(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed, rule: &'static Rule) {
    let context = [
        part("field", it.field),
        part("before", it.before.clone()),
        part("after", it.after.clone()),
    ];
    let message = "The {field} was `{before}` and is `{after}`.";
    both.code(rule, (&pair.new.code, it.field), message, context);
}

/// A change whose values are too long to be shown.
pub(super) fn text(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed, rule: &'static Rule) {
    both.code(rule, (&pair.new.code, it.field), "{field} changed.", [part("field", it.field)]);
}

fn retry(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed) {
    let (old, new) = (pair.old.retry, pair.new.retry);
    let rule = match (old.retryable(), new.retryable()) {
        (true, false) => &DF012,
        (false, true) if pair.new.effect == Effect::None => &DF013,
        (false, true) => &DF014,
        _ if old.kind != new.kind => &DF015,
        _ => return text(both, pair, it, &DF016),
    };
    let context = [part("before", old.kind.name()), part("after", new.kind.name())];
    let message = "The retry was `{before}` and is `{after}`.";
    both.code(rule, (&pair.new.code, it.field), message, context);
}

fn effect(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed) {
    match (pair.old.effect, pair.new.effect) {
        (_, Effect::None) => plain(both, pair, it, &DF018),
        (Effect::None, _) => plain(both, pair, it, &DF017),
        _ => {
            plain(both, pair, it, &DF017);
            both.only(Impact::Risky);
        }
    }
}

fn since(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed) {
    let was_open = pair.old.since.as_deref().is_none_or(|it| it == "NEXT");
    if !was_open {
        plain(both, pair, it, &DF005);
    }
}

fn stability(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed) {
    plain(both, pair, it, &DF063);
    if pair.new.stability == Stability::Stable {
        // Said of what it is now: stable, so the step counts although the old row was a draft.
        both.set(Impact::Additive);
    }
}

fn alias(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed) {
    for old in &pair.old.alias {
        let new = pair.new.alias.iter().find(|it| it.dialect == old.dialect);
        let all = |it: Option<&Alias>| -> BTreeSet<String> {
            it.map(|it| it.spellings.iter().cloned().collect()).unwrap_or_default()
        };
        let first = |it: &Alias| it.spellings.first().cloned();
        if new.and_then(first) != first(old) || !all(Some(old)).is_subset(&all(new)) {
            let context = [
                part("dialect", &*old.dialect),
                part("before", old.spellings.join(", ")),
                part("after", new.map(|it| it.spellings.join(", "))),
            ];
            let message = "In {dialect} the spelling was {before} and is {after}.";
            both.code(&DF051, (&pair.new.code, it.field), message, context);
        }
    }
    for new in &pair.new.alias {
        if pair.old.alias.iter().all(|it| it.dialect != new.dialect) {
            let context = [part("dialect", &*new.dialect), part("after", new.spellings.join(", "))];
            let message = "In {dialect} the spelling is now {after}.";
            both.code(&DF051, (&pair.new.code, it.field), message, context).only(Impact::Risky);
        }
    }
}

fn next_tools(both: &mut Both<'_>, pair: Pair<'_>) {
    for tool in pair.new.next.iter().map(|it| it.tool.as_str()) {
        if both.old.tools.contains_key(tool) && !both.new.tools.contains_key(tool) {
            let message = "next names {tool}, which is gone.";
            both.code(&DF032, (&pair.new.code, "next"), message, [part("tool", tool)]);
        }
    }
}

fn domains(both: &mut Both<'_>) {
    for (name, new) in &both.new.domains {
        if both.old.domains.get(name).is_some_and(|old| old != new) {
            let wire = |it: &Registry| it.domains.get(name).map(canonical::domain);
            let witness = (wire(both.old), wire(both.new));
            both.whole(&DF034, witness, "The domain {domain} changed.", [part("domain", &**name)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FIELDS;
    use crate::{canonical, shipped};

    #[test]
    fn every_member_of_a_row_has_a_judge() {
        for registry in shipped::all() {
            for entry in registry.codes.values() {
                for member in canonical::entry(entry).as_object().unwrap().keys() {
                    assert!(FIELDS.iter().any(|it| it.0 == member), "{member}");
                }
            }
        }
    }
}
