//! The policy and the manifest: what they name must exist, and what they say must mean something.

use redress_govern::Manifest;
use redress_govern::invariant::{INV_MANIFEST, INV_POLICY};

use super::{AuditProblem, Checks, Subject};

pub(super) fn check(subject: &Subject<'_>, checks: &mut Checks) {
    checks.add_all(&INV_POLICY, roleless(subject));
    let doubts = subject.config.doubts().into_iter();
    checks.add_all(
        &INV_POLICY,
        doubts.map(|it| AuditProblem { place: it.key(), what: it.what, fix: it.fix }),
    );
    for pattern in &subject.config.general.governance.allow_eval {
        checks.add(&INV_MANIFEST, runs_code(subject, pattern));
    }
}

/// Callers without a role, where nothing is let through without one.
fn roleless(subject: &Subject<'_>) -> Vec<AuditProblem> {
    let general = &subject.config.general;
    // A broken pattern was reported when the file was read.
    let Ok((roles, _)) = general.governance.policy() else { return Vec::new() };
    if roles.is_empty() {
        return Vec::new();
    }
    let names = roles.names().collect::<Vec<_>>().join(", ");
    let wrong = |place: &str, who: &str, fix: String| AuditProblem {
        place: place.to_owned(),
        what: format!("{who} has no role, so that nothing would be let through"),
        fix,
    };
    if subject.is_stdio {
        let fix = format!("Start it with --role and one of {names}.");
        let stdio = wrong("governance.role", "the client on stdio", fix);
        return if general.governance.role.is_none() { vec![stdio] } else { Vec::new() };
    }
    let of_tokens = general.auth.all().next().map(|_| {
        let fix = format!("Name the token's hash and its role ({names}) in [auth.caller.NAME].");
        wrong("auth.tokens", "who brings one of these tokens", fix)
    });
    let nameless = general.auth.caller.0.iter().filter(|it| it.role.is_none());
    let nameless = nameless.map(|it| {
        let fix = format!("Give it a `role`, one of {names}.");
        wrong(&format!("auth.caller.{}", it.name), "the caller", fix)
    });
    of_tokens.into_iter().chain(nameless).collect()
}

/// A permission to run code that no tool needs was meant for another one.
fn runs_code(subject: &Subject<'_>, pattern: &str) -> Result<(), AuditProblem> {
    if subject.config.servers.iter().any(|it| it.contract.problem.is_some()) {
        return Ok(());
    }
    let pattern = [pattern.to_owned()];
    let runs =
        subject.config.servers.iter().any(|it| {
            Manifest::new(&it.codes(), &pattern).is_ok_and(|manifest| manifest.runs_code())
        });
    if runs {
        return Ok(());
    }
    let [pattern] = pattern;
    Err(AuditProblem {
        place: "governance.allow_eval".to_owned(),
        what: format!("`{pattern}` means no tool whose operation is eval"),
        fix: "Leave it out, or write `operation = \"eval\"` for the tool in the contract."
            .to_owned(),
    })
}
