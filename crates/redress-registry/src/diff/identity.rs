//! Identity: names and numbers of codes, alive and dead.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use semver::Version;
use serde_json::json;

use super::{
    pair::{Both, Pair},
    rules::{DF001, DF002, DF003, DF004, DF006, DF007, DF008, DF040},
};
use crate::{Class, Entry, Registry, Retired, finding::part, rule::Impact};

pub(super) fn judge(both: &mut Both<'_>) {
    registry(both);
    gone(both);
    added(both);
    tombstones(both);
    numbers(both);
    spellings(both);
}

fn registry(both: &mut Both<'_>) {
    let (old, new) = (both.old, both.new);
    let members = [
        ("name", Some(&*old.name), Some(&*new.name)),
        ("namespace", old.namespace.as_deref(), new.namespace.as_deref()),
        ("docs_base", old.docs_base.as_deref(), new.docs_base.as_deref()),
    ];
    for (field, before, after) in members {
        // A registry may get pages; it may not move them.
        if before != after && (before.is_some() || field != "docs_base") {
            let wire = |it: Option<&str>| it.map(|it| json!({ field: it }));
            let context = [part("field", field), part("before", before), part("after", after)];
            let message = "The {field} was `{before}` and is `{after}`.";
            both.whole(&DF001, (wire(before), wire(after)), message, context);
        }
    }
}

/// Codes that the new registry no longer has.
fn gone(both: &mut Both<'_>) {
    let (old, new) = (both.old, both.new);
    let heirs = Heirs::new(old, new);
    for entry in old.codes.values().filter(|it| new.get(&it.code).is_none()) {
        let code = &*entry.code;
        let at = (code, "deprecated");
        let tombstone = new.retired.get(code);
        if tombstone.is_none() {
            both.code(&DF002, at, "{code} is gone without a tombstone.", [part("code", code)]);
        }
        if let Some(name) = heirs.of(entry, tombstone) {
            let context = [part("code", code), part("to", name)];
            both.code(&DF006, at, "{code} was renamed to {to}.", context);
        } else if tombstone.is_some() {
            retired(both, entry);
        }
    }
}

fn retired(both: &mut Both<'_>, entry: &Entry) {
    let code = &*entry.code;
    let at = (code, "deprecated");
    let until = entry.deprecated.as_ref().and_then(|it| it.until.as_deref());
    let parsed = |it: &str| Version::parse(it).ok();
    let in_time =
        until.and_then(parsed).zip(parsed(&both.new.version)).is_some_and(|(a, b)| a <= b);
    match until {
        Some(until) if in_time => {
            let context = [part("code", code), part("until", until)];
            both.code(&DF008, at, "{code} was retired, as announced for {until}.", context);
        }
        Some(until) => {
            let context = [part("code", code), part("until", until)];
            both.code(&DF007, at, "{code} was retired before {until}.", context);
        }
        None => {
            let message = "{code} was retired without an until that announced it.";
            both.code(&DF007, at, message, [part("code", code)]);
        }
    }
}

/// The codes that are new, by what an old one that lives on in them has in common with them.
struct Heirs<'a> {
    names: BTreeSet<&'a str>,
    numbers: BTreeMap<u32, &'a str>,
    spellings: BTreeMap<&'a str, &'a str>,
    texts: BTreeMap<(&'a str, &'a str, Class), &'a str>,
}

impl<'a> Heirs<'a> {
    fn new(old: &Registry, new: &'a Registry) -> Self {
        let added = || new.codes.values().filter(|it| old.get(&it.code).is_none());
        let spellings = |it: &'a Arc<Entry>| {
            let spellings = it.alias.iter().flat_map(|it| &it.spellings);
            spellings.map(|spelling| (spelling.as_str(), &*it.code))
        };
        Self {
            names: added().map(|it| &*it.code).collect(),
            numbers: added().filter_map(|it| Some((it.number?, &*it.code))).collect(),
            spellings: added().flat_map(spellings).collect(),
            texts: added().map(|it| (text(it), &*it.code)).collect(),
        }
    }

    /// The new name of a code that is gone: one that its tombstone leads to, or that has its
    /// number, its name as a spelling, or its very text.
    fn of(&self, gone: &Entry, tombstone: Option<&Retired>) -> Option<&'a str> {
        let to = tombstone.and_then(|it| it.to.as_deref());
        to.and_then(|it| self.names.get(it))
            .or_else(|| self.numbers.get(&gone.number?))
            .or_else(|| self.spellings.get(&*gone.code))
            .or_else(|| self.texts.get(&text(gone)))
            .copied()
    }
}

fn text(entry: &Entry) -> (&str, &str, Class) {
    (&entry.message, &entry.hint, entry.class)
}

fn added(both: &mut Both<'_>) {
    let (old, new) = (both.old, both.new);
    for code in new.codes.keys().filter(|it| old.get(it).is_none()) {
        if !old.retired.contains_key(code) {
            both.code(&DF040, (code, "title"), "{code} was added.", [part("code", &**code)]);
        }
    }
}

fn tombstones(both: &mut Both<'_>) {
    let (old, new) = (both.old, both.new);
    for name in old.retired.keys() {
        let context = [part("code", &**name)];
        let at = (&**name, "title");
        if new.get(name).is_some() {
            both.code(&DF003, at, "{code} was retired, and is a code again.", context);
        } else if !new.retired.contains_key(name) {
            both.code(&DF003, at, "The tombstone of {code} is gone.", context);
        }
    }
}

fn numbers(both: &mut Both<'_>) {
    let (before, after) = (owners(both.old), owners(both.new));
    let by_name: BTreeMap<&str, u32> =
        after.iter().map(|(number, name)| (*name, *number)).collect();
    for (number, name) in &before {
        let known = both.new.get(name).is_some() || both.new.retired.contains_key(*name);
        if known && by_name.get(name) != Some(number) {
            let now = by_name.get(name).copied();
            let context = [part("code", *name), part("before", *number), part("after", now)];
            let message = "The number of {code} was {before} and is {after}.";
            both.code(&DF004, (name, "number"), message, context);
        }
        if let Some(owner) = after.get(number).filter(|it| *it != name) {
            let context = [part("code", *owner), part("number", *number), part("other", *name)];
            let message = "{code} has the number {number}, which was that of {other}.";
            both.code(&DF004, (owner, "number"), message, context);
        }
    }
    let is_new = |it: u32| !before.contains_key(&it);
    let got_one = |it: &Pair<'_>| it.old.number.is_none() && it.new.number.is_some_and(is_new);
    for pair in both.pairs().filter(got_one) {
        let code = &*pair.new.code;
        let context = [part("code", code), part("after", pair.new.number)];
        both.code(&DF004, (code, "number"), "{code} got the number {after}.", context)
            .only(Impact::Risky);
    }
}

/// Who has which number, the dead too.
fn owners(registry: &Registry) -> BTreeMap<u32, &str> {
    let dead = registry.retired.iter().filter_map(|(name, it)| Some((it.number?, &**name)));
    let alive = registry.codes.values().filter_map(|it| Some((it.number?, &*it.code)));
    dead.chain(alive).collect()
}

/// Spellings that went from one code to another which does not replace it.
fn spellings(both: &mut Both<'_>) {
    let before = spelt(both.old);
    for ((dialect, spelling), code) in spelt(both.new) {
        let Some(other) = before.get(&(dialect, spelling)).filter(|it| **it != code) else {
            continue;
        };
        let still_has = both.new.get(other).is_some_and(|it| has(it, dialect, spelling));
        let had = both.old.get(code).is_some_and(|it| has(it, dialect, spelling));
        if !still_has && !had && replacement(both.new, other) != Some(code) {
            let context = [
                part("code", code),
                part("dialect", dialect),
                part("spelling", spelling),
                part("other", *other),
            ];
            let message = "In {dialect}, {spelling} meant {other} and means {code}.";
            both.code(&DF003, (code, "alias"), message, context);
        }
    }
}

fn spelt(registry: &Registry) -> BTreeMap<(&str, &str), &str> {
    let mut spelt = BTreeMap::new();
    for entry in registry.codes.values() {
        for alias in &entry.alias {
            for spelling in &alias.spellings {
                spelt.entry((&*alias.dialect, spelling.as_str())).or_insert(&*entry.code);
            }
        }
    }
    spelt
}

fn has(entry: &Entry, dialect: &str, spelling: &str) -> bool {
    let alias = entry.alias.iter().find(|it| &*it.dialect == dialect);
    alias.is_some_and(|it| it.spellings.iter().any(|it| it == spelling))
}

fn replacement<'a>(registry: &'a Registry, code: &str) -> Option<&'a str> {
    let retired = registry.retired.get(code).and_then(|it| it.to.as_deref());
    let deprecated = || registry.get(code)?.deprecated.as_ref()?.to.as_deref();
    retired.or_else(deprecated)
}
