//! A governed gate: its governor, from what the configuration says, and what it does not start with.

pub(crate) mod confine;
mod plans;
mod preset;
mod readable;
pub(crate) mod script;
pub(crate) mod unserved;
mod writes;

use std::{path::PathBuf, sync::Arc};

use redress::codes;
use redress_gate::{CheckLauncher, OnLedgerFailure, settings::Settings};
use redress_govern::{
    Governor, Manifest, Policy, TokenId,
    role::{BadGlob, Role, Roles},
    session::SessionRules,
};
use redress_ledger::Ledger;

use crate::{
    config::{self, Config, General, Governance, RoleRow},
    failure::Failure,
    output::Err as ToOperator,
};

/// What locks a session unless the configuration says otherwise.
const HARD: &[&str] = &[
    "EVAL_BLOCKED_*",
    "INSUFFICIENT_PERMISSIONS",
    "INVARIANT_VIOLATION",
    "OUTSIDE_WORKSPACE",
    "PATH_TRAVERSAL_BLOCKED",
    "PLAN_*",
    "POLICY_VIOLATION",
    "PREFLIGHT_FAILED",
    "ROLE_MISMATCH",
    "RUST_POLICY_VIOLATION",
    "UNAUTHORIZED_ACTION",
];

impl Governance {
    /// Who may call what, and what locks; else the key that is wrong, and how.
    pub(crate) fn policy(&self) -> Result<(Roles, SessionRules), (&'static str, String)> {
        let rows = self.role_rows();
        let roles = rows.iter().map(|it| Role::new(&it.name, &it.allow, &it.deny));
        let roles: Vec<Role> = roles.collect::<Result<_, _>>().map_err(bad("roles"))?;
        let rules = SessionRules::new(&self.lock_patterns(), &self.reports);
        Ok((Roles::new(roles), rules.map_err(bad("locks"))?))
    }

    /// The roles: those of the preset, if there is one and the file has none.
    pub(crate) fn role_rows(&self) -> Vec<RoleRow> {
        match self.preset {
            Some(preset) if self.roles.0.is_empty() => preset.roles(),
            _ => self.roles.0.clone(),
        }
    }

    /// Patterns of the codes that lock a session.
    pub(crate) fn lock_patterns(&self) -> Vec<String> {
        let owned = |all: &[&str]| all.iter().map(|&it| it.to_owned()).collect();
        match (&self.locks, self.preset) {
            (Some(locks), _) => locks.clone(),
            (None, Some(_)) => owned(&["*"]),
            (None, None) => owned(HARD),
        }
    }
}

fn bad(key: &'static str) -> impl Fn(BadGlob) -> (&'static str, String) {
    move |it| (key, format!("`{}` is no pattern: {}.", it.pattern, it.reason))
}

/// The policy of a server, if the configuration wants it governed. `ledger` is where its failures are recorded.
pub(crate) fn policy(
    general: &General,
    server: &config::Server,
    settings: &Settings,
    ledger: Option<PathBuf>,
) -> Result<Option<Policy>, Failure> {
    let governance = &general.governance;
    if !governance.enabled {
        return Ok(None);
    }
    let Some(ledger) = ledger else {
        return Err(Failure::config("--governed", "A governed gate needs its ledger.")
            .fix("Leave --no-ledger and `ledger.enabled = false` out."));
    };
    if general.ledger.on_failure == OnLedgerFailure::Open {
        return Err(Failure::config("--governed", "A governed gate fails closed.")
            .fix("Leave `ledger.on_failure = \"open\"` out."));
    }
    let wrong =
        |(key, problem): (&str, String)| Failure::config(&format!("governance.{key}"), &problem);
    let (roles, rules) = governance.policy().map_err(wrong)?;
    let manifest = Manifest::new(&settings.contract, &governance.allow_eval)
        .map_err(|it| wrong(("allow_eval", it)))?;
    let root = governance.root.as_ref().or(server.workspace.as_ref());
    let hashes = general.auth.callers();
    let checks = governance.checks().map_err(wrong)?;
    Ok(Some(Policy {
        server: settings.server.clone(),
        roles,
        rules,
        is_built_in: server.workspace.is_some(),
        manifest,
        extras: plans::extras(governance, &settings.contract)
            .map_err(wrong)?
            .into_iter()
            .chain(writes::intent(&checks, &settings.contract))
            .collect(),
        plans: plans::plans(governance)?,
        guarded: plans::guarded(governance, &ledger)?,
        writes: checks,
        launcher: Arc::new(CheckLauncher::default()),
        role: governance.role.clone(),
        callers: hashes.map(|(hash, role)| (TokenId::of(&hash), role.cloned())).collect(),
        root: root.map(|it| it.0.clone()),
        dialect: settings.dialect,
        ledger,
        say: |it| ToOperator::new().say(it),
    }))
}

/// Has a governor go on where the gate before this one ended.
pub(crate) fn recall(governor: Option<&Governor>, ledger: Option<&Ledger>) -> Result<(), Failure> {
    let (Some(governor), Some(ledger)) = (governor, ledger) else { return Ok(()) };
    governor.recall(ledger.chain()).map_err(|it| {
        Failure::environment(codes::AUDIT_LOG_FAILED.raise([] as [(&str, &str); 0])).note(it)
    })
}

/// Over HTTP, a caller is known by a token.
pub(crate) fn needs_tokens(config: &Config, has_file: bool) -> Result<(), Failure> {
    let general = &config.general;
    if !general.governance.enabled || !general.auth.is_open() {
        return Ok(());
    }
    if !has_file {
        return Err(script::needs_file(config));
    }
    Err(Failure::config("[auth]", NO_TOKENS)
        .fix("Add the hash of a token to the file, or govern `redress run`, which needs none.")
        .note("[auth.caller.NAME]")
        .note("sha256 = \"…\"  # printf %s \"$TOKEN\" | sha256sum"))
}

const NO_TOKENS: &str =
    "A governed gate over HTTP knows callers by their tokens, and there are none.";
