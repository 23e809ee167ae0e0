//! What is asked of writes, from the configuration.

use std::{ffi::OsString, time::Duration};

use redress::redact::{holds_secret, is_secret_name};
use redress_govern::{Checks, GateArgument, Preflight};
use redress_govern::{
    role::{BadGlob, globs},
    writes::{Rule, Statement},
};

use redress_registry::Registry;

use super::{bad, plans::changes_files};
use crate::config::{Governance, PreflightRow, Preset, WriteRule};

impl Governance {
    /// What is asked of writes; else the key that is wrong, and how.
    pub(crate) fn checks(&self) -> Result<Checks, (&'static str, String)> {
        let rows = self.rule_rows();
        let rules = rows.iter().map(|it| Rule::new(&it.statement())).collect::<Result<_, _>>();
        let rules = rules.map_err(bad("write_rules"))?;
        let preflights = self.preflight.0.iter().map(PreflightRow::ready).collect::<Result<_, _>>();
        Ok(Checks { rules, preflights: preflights.map_err(bad("preflight"))? })
    }

    /// The rules about writes: those of the preset that the file does not replace, and its own.
    pub(crate) fn rule_rows(&self) -> Vec<WriteRule> {
        let own = &self.write_rules.0;
        let of_preset = self.preset.into_iter().flat_map(Preset::write_rules);
        let of_preset = of_preset.filter(|rule| own.iter().all(|it| it.name != rule.id));
        of_preset.map(WriteRule::of).chain(own.iter().cloned()).collect()
    }
}

/// The argument in which calls say why, if a rule asks for it.
pub(super) fn intent(checks: &Checks, contract: &Registry) -> Option<GateArgument> {
    let is_asked = checks.rules.iter().any(|it| it.intent_chars() > 0);
    let tools = contract.tools.iter().filter(|it| changes_files(it.1));
    is_asked.then(|| GateArgument::intent(tools.map(|it| it.0.to_string())))
}

impl WriteRule {
    fn of(statement: Statement<'_>) -> Self {
        let owned = |all: Vec<&str>| all.into_iter().map(str::to_owned).collect();
        Self {
            name: statement.id.to_owned(),
            paths: owned(statement.paths),
            forbid_text: owned(statement.forbid_text),
            forbid_code: owned(statement.forbid_code),
            intent_chars: u64::try_from(statement.intent_chars).unwrap_or(u64::MAX),
            hint: statement.hint.map(str::to_owned),
        }
    }

    fn statement(&self) -> Statement<'_> {
        Statement {
            id: &self.name,
            paths: texts(&self.paths),
            forbid_text: texts(&self.forbid_text),
            forbid_code: texts(&self.forbid_code),
            intent_chars: usize::try_from(self.intent_chars).unwrap_or(usize::MAX),
            hint: self.hint.as_deref(),
        }
    }
}

fn texts(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

impl PreflightRow {
    fn ready(&self) -> Result<Preflight, BadGlob> {
        let paths = match self.paths.as_slice() {
            [] => None,
            paths => Some(globs(paths)?),
        };
        // It runs what callers wrote, which need not know what is secret.
        let env = std::env::vars_os();
        let is_secret = |(name, value): &(OsString, OsString)| {
            let name = name.to_string_lossy();
            is_secret_name(&name) || holds_secret(&name, &value.to_string_lossy())
        };
        let env = env.filter(|it| it.0.to_str().is_some() && !is_secret(it));
        Ok(Preflight {
            name: self.name.clone(),
            command: self.command.iter().map(Into::into).collect(),
            env: env.collect(),
            paths,
            timeout: Duration::from_millis(self.timeout_ms),
        })
    }
}
