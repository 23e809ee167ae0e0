//! Parameters: what programs read from `details`.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    fields::{Changed, text},
    pair::{Both, Pair},
    rules::{DF020, DF021, DF022, DF023, DF024, DF025, DF026, DF034, DF072},
};
use crate::{
    Param,
    finding::part,
    rule::{Impact, Rule},
};

pub(super) fn judge(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed) {
    let at = (&*pair.new.code, it.field);
    let (old, new) = (by_name(&pair.old.params), by_name(&pair.new.params));
    let gone: Vec<&Param> =
        pair.old.params.iter().filter(|it| !new.contains_key(&*it.name)).collect();
    let added: Vec<&Param> =
        pair.new.params.iter().filter(|it| !old.contains_key(&*it.name)).collect();
    if let ([gone], [added]) = (&*gone, &*added)
        && gone.kind == added.kind
    {
        let context = [part("param", &*gone.name), part("to", &*added.name)];
        both.code(&DF020, at, "The parameter {param} was renamed to {to}.", context);
    } else {
        for param in gone {
            let context = [part("param", &*param.name)];
            both.code(&DF020, at, "The parameter {param} was removed.", context);
        }
        for param in added {
            let context = [part("param", &*param.name)];
            both.code(&DF024, at, "The parameter {param} was added.", context)
                .only(Impact::Additive);
        }
    }
    // All the same, so only their order changed.
    let mut texts = old == new;
    for param in &pair.old.params {
        if let Some(new) = new.get(&*param.name) {
            texts |= one(both, at, param, new);
        }
    }
    if texts {
        text(both, pair, it, &DF034);
    }
}

fn by_name(params: &[Param]) -> BTreeMap<&str, &Param> {
    params.iter().map(|it| (&*it.name, it)).collect()
}

/// Judges a parameter that is still there, and says whether a text of it changed.
fn one(both: &mut Both<'_>, at: (&str, &str), old: &Param, new: &Param) -> bool {
    let mut say = |rule: &'static Rule, message: &'static str, impact: Impact| {
        both.code(rule, at, message, [part("param", &*old.name)]).only(impact);
    };
    let (had, has): (BTreeSet<_>, BTreeSet<_>) =
        (old.values.iter().collect(), new.values.iter().collect());
    if old.kind != new.kind {
        say(&DF021, "The type of {param} changed.", Impact::Breaking);
    }
    match (old.values.is_empty(), new.values.is_empty()) {
        (false, true) => say(&DF024, "{param} can have any value now.", Impact::Risky),
        (true, false) => say(&DF021, "{param} has an enum now.", Impact::Breaking),
        _ if !had.is_subset(&has) => {
            say(&DF021, "The enum of {param} lost values.", Impact::Breaking);
        }
        _ if !has.is_subset(&had) => say(&DF024, "The enum of {param} got values.", Impact::Risky),
        _ => {}
    }
    match (old.required, new.required) {
        (true, false) => say(&DF022, "{param} may be missing now.", Impact::Breaking),
        (false, true) => say(&DF023, "{param} is always there now.", Impact::Additive),
        _ => {}
    }
    match (old.secret, new.secret) {
        (false, true) => say(&DF025, "{param} is secret now.", Impact::Breaking),
        (true, false) => say(&DF026, "{param} is no longer secret.", Impact::Risky),
        _ => {}
    }
    if old.untrusted && !new.untrusted {
        say(&DF026, "{param} is no longer untrusted.", Impact::Risky);
    }
    let limit = |it: &Param| it.max_chars.unwrap_or(u32::MAX);
    if limit(new) < limit(old) {
        say(&DF072, "{param} is cut after fewer characters.", Impact::Breaking);
    }
    old.doc != new.doc || (!old.untrusted && new.untrusted) || limit(new) > limit(old)
}
