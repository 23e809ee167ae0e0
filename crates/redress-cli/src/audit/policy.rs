//! The policy and the manifest: what they name must exist.

use redress_gate::Manifest;
use redress_govern::invariant::{INV_MANIFEST, INV_POLICY};

use super::{Checks, Subject, Wrong};

pub(super) fn check(subject: &Subject<'_>, checks: &mut Checks) {
    checks.add(&INV_POLICY, roles(subject));
    for pattern in &subject.config.general.governance.allow_eval {
        checks.add(&INV_MANIFEST, runs_code(subject, pattern));
    }
}

fn roles(subject: &Subject<'_>) -> Result<(), Wrong> {
    let general = &subject.config.general;
    let wrong = |place: &str, what: String, fix: &str| Wrong {
        place: place.to_owned(),
        what,
        fix: fix.to_owned(),
    };
    let policy = general.governance.policy();
    let (roles, _) = policy.map_err(|(key, problem)| {
        let what = problem.trim_end_matches('.').to_owned();
        wrong(&format!("governance.{key}"), what, "Correct the pattern.")
    })?;
    if roles.is_empty() {
        return Ok(());
    }
    let names = roles.names().collect::<Vec<_>>().join(", ");
    if subject.is_stdio && general.governance.role.is_none() {
        let what = "the client on stdio has no role, so that nothing would be let through";
        return Err(wrong("governance.role", what.to_owned(), &format!("--role with {names}.")));
    }
    if !subject.is_stdio && general.auth.all().next().is_some() {
        let what =
            "who brings one of these tokens has no role, so that nothing would be let through";
        let fix = format!("Name the token's hash and its role ({names}) in [auth.caller.NAME].");
        return Err(wrong("auth.tokens", what.to_owned(), &fix));
    }
    let mut nameless = general.auth.caller.0.iter().filter(|it| it.role.is_none());
    if let Some(caller) = nameless.next().filter(|_| !subject.is_stdio) {
        let what = "the caller has no role, so that nothing would be let through";
        let fix = format!("role = one of {names}.");
        return Err(wrong(&format!("auth.caller.{}", caller.name), what.to_owned(), &fix));
    }
    let callers = general.auth.caller.0.iter();
    let mut roles_of = callers.filter_map(|it| Some((&it.name, it.role.as_deref()?)));
    match roles_of.find(|it| roles.find(it.1).is_none()) {
        None => Ok(()),
        Some((caller, role)) => {
            let what = format!("the policy has no role {role}");
            let fix = format!("Name one of its roles: {names}.");
            Err(wrong(&format!("auth.caller.{caller}.role"), what, &fix))
        }
    }
}

/// A permission to run code that no tool needs was meant for another one.
fn runs_code(subject: &Subject<'_>, pattern: &str) -> Result<(), Wrong> {
    let pattern = [pattern.to_owned()];
    let runs =
        subject.config.servers.iter().any(|it| {
            Manifest::new(&it.codes(), &pattern).is_ok_and(|manifest| manifest.runs_code())
        });
    if runs {
        return Ok(());
    }
    let [pattern] = pattern;
    Err(Wrong {
        place: "governance.allow_eval".to_owned(),
        what: format!("`{pattern}` means no tool whose operation is eval"),
        fix: "Leave it out, or write `operation = \"eval\"` for the tool in the contract."
            .to_owned(),
    })
}
