//! `[governance]`: what a governed gate lets pass.

use std::cmp::Reverse;

use super::{
    Strictness,
    patterns::{by_folder, by_pattern, is_below, is_same},
    rules::{Rules, by_measure, keys},
};
use crate::config::{
    Confine, Governance, Location, NamedSections, PreflightRow, Preset, RoleRow, WriteRule,
    section::Section as _,
    value::{NamedSection, Shown, Value as _},
};

/// Compares two policies. What a preset means is compared as if the file said it.
pub(super) fn compare(rules: &mut Rules, old: &Governance, new: &mut Governance) {
    if !old.enabled {
        return of_ungoverned(rules, old, new);
    }
    let wanted = new.clone();
    keys!(rules, "governance", Governance, (old, new), apart(files, role, locks, need_plan, confine, roles, write_rules, preflight), {
        enabled: bound(|it: bool| !it);
        preset: bound(|it: Option<Preset>| it.is_none());
        root: root();
        writable: granted(by_folder);
        readable: granted(by_folder);
        reports: opaque();
        plans: opaque();
        allow_eval: granted(by_pattern);
    });
    // Over HTTP each token has its role. This one is of the client on stdio, whose gate reads no file again.
    rules.neutral("governance.role", &old.role, &mut new.role);
    confine(rules, old, new);
    need_plan(rules, old, new);

    let mut locks = wanted.lock_patterns();
    rules.required("governance.locks", &old.lock_patterns(), &mut locks, by_pattern);
    if locks != wanted.lock_patterns() {
        new.locks = Some(locks);
    }
    let mut rows = wanted.role_rows();
    roles(rules, &old.role_rows(), &mut rows);
    if rows != wanted.role_rows() {
        new.roles = NamedSections(rows);
    }
    let mut rows = wanted.rule_rows();
    required_rows(rules, "governance.write_rules", (&old.rule_rows(), &mut rows), write_rule);
    if rows != wanted.rule_rows() {
        new.write_rules = NamedSections(rows);
    }
    let preflights = (old.preflight.0.as_slice(), &mut new.preflight.0);
    required_rows(rules, "governance.preflight", preflights, preflight);
}

/// A policy that governs where none did lets less in, whatever it says. Without one only `confine` has a meaning.
fn of_ungoverned(rules: &mut Rules, old: &Governance, new: &mut Governance) {
    if new.enabled {
        rules.note("governance.enabled", Strictness::Tightened, "from false to true");
    }
    confine(rules, old, new);
    for key in Governance::NAMES.iter().filter(|it| !["enabled", "confine"].contains(it)) {
        if shown(old, key) != shown(new, key) {
            rules.note(&format!("governance.{key}"), Strictness::Neutral, "");
        }
    }
}

fn shown(governance: &Governance, key: &str) -> Option<Shown> {
    let Shown::Table(entries) = governance.shown() else { return None };
    entries.into_iter().find(|it| it.0 == key).map(|it| it.1)
}

impl Rules {
    /// The one workspace: without it any that exists.
    #[expect(clippy::ref_option, reason = "a table of keys hands every value to its rule as it is")]
    fn root(&mut self, key: &str, old: &Option<Location>, new: &mut Option<Location>) {
        let verdict = match (&old, &new) {
            (old, new) if old == new => return,
            (_, None) => Strictness::Loosened,
            (Some(old), Some(new)) if !is_below(&new.0, &old.0) => Strictness::Loosened,
            _ => Strictness::Tightened,
        };
        self.judged((key, verdict), "", (old, new));
    }
}

/// How much the processes of servers may do. With a workspace and a policy they write in it alone; without them nothing holds them
/// but `"state"`, and the commands after a write are held all the same.
fn confine(rules: &mut Rules, old: &Governance, new: &mut Governance) {
    let measure = |confine: Confine, governance: &Governance| match confine {
        Confine::Workspace if governance.enabled && governance.root.is_some() => 0,
        Confine::State => 1,
        Confine::Workspace => 2,
        Confine::Off => 3,
    };
    let (before, after) = (measure(old.confine, old), measure(new.confine, new));
    if old.confine != new.confine {
        let change = ("governance.confine", by_measure(&before, &after));
        rules.judged(change, "", (&old.confine, &mut new.confine));
    }
}

/// Which calls follow a plan: those that patterns name, or those that a preset means.
fn need_plan(rules: &mut Rules, old: &Governance, new: &mut Governance) {
    let key = "governance.need_plan";
    let before = (old.need_plan.as_ref(), old.preset);
    let after = (new.need_plan.as_ref(), new.preset);
    match (before, after) {
        ((Some(old), _), (Some(_), _)) => {
            let mut need = new.need_plan.take().unwrap_or_default();
            rules.required(key, old, &mut need, by_pattern);
            new.need_plan = Some(need);
        }
        ((None, one), (None, other)) if one == other => {}
        ((None, None), _) => rules.note(key, Strictness::Tightened, ""),
        _ => {
            let change = (key, Strictness::Loosened);
            rules.judged(change, "", (&old.need_plan, &mut new.need_plan));
        }
    }
}

/// Roles: without any, every caller may call everything. A new role has no callers until a caller gets it, which is compared there.
fn roles(rules: &mut Rules, old: &[RoleRow], new: &mut Vec<RoleRow>) {
    let key = "governance.roles";
    match (old.is_empty(), new.is_empty()) {
        (true, true) => {}
        (true, false) => rules.note(key, Strictness::Tightened, "there were none"),
        (false, true) => {
            rules.note(
                key,
                Strictness::Loosened,
                "all are gone, so that everything could be called",
            );
            if rules.holds() {
                old.clone_into(new);
            }
        }
        (false, false) => {
            for row in old.iter().filter(|row| new.iter().all(|it| it.name != row.name)) {
                rules.note(&format!("{key}.{}", row.name), Strictness::Tightened, "removed");
            }
            for row in new {
                let at = format!("{key}.{}", row.name);
                match old.iter().find(|it| it.name == row.name) {
                    None => rules.note(&at, Strictness::Neutral, "added"),
                    Some(old) => keys!(rules, at, RoleRow, (old, row), apart(name), {
                        allow: granted(by_pattern);
                        deny: required(by_pattern);
                    }),
                }
            }
        }
    }
}

/// Rows that each let less in. One that is gone from the file is held; one that remains is compared by its keys.
fn required_rows<T: NamedSection>(
    rules: &mut Rules,
    key: &str,
    (old, new): (&[T], &mut Vec<T>),
    compare: impl Fn(&mut Rules, &str, &T, &mut T),
) {
    for row in new.iter_mut() {
        let at = format!("{key}.{}", row.name());
        match old.iter().find(|it| it.name() == row.name()) {
            None => rules.note(&at, Strictness::Tightened, "added"),
            Some(old) => compare(rules, &at, old, row),
        }
    }
    let names: Vec<String> = new.iter().map(|it| it.name().to_owned()).collect();
    for row in old.iter().filter(|it| !names.iter().any(|name| name == it.name())) {
        rules.note(&format!("{key}.{}", row.name()), Strictness::Loosened, "removed");
        if rules.holds() {
            new.push(row.clone());
        }
    }
}

fn write_rule(rules: &mut Rules, at: &str, old: &WriteRule, new: &mut WriteRule) {
    keys!(rules, at, WriteRule, (old, new), apart(name), {
        paths: scope();
        forbid_text: required(is_same);
        forbid_code: required(is_same);
        intent_chars: bound(Reverse::<u64>);
        hint: neutral();
    });
}

fn preflight(rules: &mut Rules, at: &str, old: &PreflightRow, new: &mut PreflightRow) {
    keys!(rules, at, PreflightRow, (old, new), apart(name), {
        command: opaque();
        paths: scope();
        timeout_ms: neutral();
    });
}
