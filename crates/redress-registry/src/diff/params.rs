//! Parameters: what programs read from `details`.

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
    let mut texts = same_but_for_order(pair);
    let mut heirs: Vec<&Param> =
        pair.new.params.iter().filter(|it| pair.old.param(&it.name).is_none()).collect();
    for old in &pair.old.params {
        if let Some(new) = pair.new.param(&old.name) {
            texts |= one(both, at, old, new);
            continue;
        }
        let heir = heirs.iter().position(|it| it.kind == old.kind && it.required == old.required);
        match heir.map(|it| heirs.remove(it)) {
            Some(heir) => {
                let context = [part("param", &*old.name), part("to", &*heir.name)];
                both.code(&DF020, at, "The parameter {param} was renamed to {to}.", context);
            }
            None => {
                let context = [part("param", &*old.name)];
                both.code(&DF020, at, "The parameter {param} was removed.", context);
            }
        }
    }
    for new in heirs {
        let context = [part("param", &*new.name)];
        both.code(&DF024, at, "The parameter {param} was added.", context).only(Impact::Additive);
    }
    if texts {
        text(both, pair, it, &DF034);
    }
}

fn same_but_for_order(pair: Pair<'_>) -> bool {
    let (old, new) = (&pair.old.params, &pair.new.params);
    old != new
        && old.len() == new.len()
        && old.iter().all(|it| pair.new.param(&it.name) == Some(it))
}

/// Judges a parameter that is still there, and says whether a text of it changed.
fn one(both: &mut Both<'_>, at: (&str, &str), old: &Param, new: &Param) -> bool {
    let mut say = |rule: &'static Rule, message: &'static str, impact: Impact| {
        both.code(rule, at, message, [part("param", &*old.name)]).only(impact);
    };
    let lost = old.values.iter().any(|it| !new.values.contains(it));
    let got = new.values.iter().any(|it| !old.values.contains(it));
    if old.kind != new.kind {
        say(&DF021, "The type of {param} changed.", Impact::Breaking);
    }
    match (old.values.is_empty(), new.values.is_empty()) {
        (false, true) => say(&DF024, "{param} can have any value now.", Impact::Risky),
        (true, false) => say(&DF021, "{param} has an enum now.", Impact::Breaking),
        _ if lost => say(&DF021, "The enum of {param} lost values.", Impact::Breaking),
        _ if got => say(&DF024, "The enum of {param} got values.", Impact::Risky),
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
