//! Plans of a governed gate: which tools need one, where they are, and what no client may change over the protocol.

use std::path::{Path, PathBuf};

use redress_govern::role::{Patterns, globs};
use redress_govern::{GateArgument, Plans, Protected};
use redress_ledger::Operator;
use redress_registry::{Operation, Registry, model::Tool};

use super::bad;
use crate::{config::Governance, failure::Failure, place};

impl Governance {
    fn patterns(&self) -> Result<Option<Patterns>, (&'static str, String)> {
        let need = self.need_plan.as_deref();
        need.map(globs).transpose().map_err(bad("need_plan"))
    }

    /// The tools whose calls follow a plan.
    fn planned(&self, contract: &Registry) -> Result<Vec<String>, (&'static str, String)> {
        let patterns = self.patterns()?;
        let is_preset = self.preset.is_some();
        let needs = |name: &str, tool: &Tool| match &patterns {
            Some(patterns) => patterns.is_match(name),
            None => is_preset && changes_files(tool),
        };
        let tools = contract.tools.iter().filter(|it| needs(it.0, it.1));
        Ok(tools.map(|it| it.0.to_string()).collect())
    }
}

/// What calls bring because of plans.
pub(super) fn extras(
    governance: &Governance,
    contract: &Registry,
) -> Result<Vec<GateArgument>, (&'static str, String)> {
    let tools = governance.planned(contract)?;
    Ok(vec![GateArgument::plan(tools.clone()), GateArgument::phase(tools)])
}

/// Where plans are, and who approves them.
pub(super) fn plans(governance: &Governance) -> Result<Plans, Failure> {
    // A key that cannot be used is reported by the self-audit, with everything else that is wrong.
    let keys = Operator::approvers(&place::plans_key()?, &place::key()?).unwrap_or_default();
    Ok(Plans::new(governance.plans.clone(), keys, place::revoked()?))
}

/// What no client may change over the protocol: the ledger, the keys, and the files that say what the gate does.
pub(super) fn guarded(governance: &Governance, ledger: &Path) -> Result<Protected, Failure> {
    let key = place::key()?;
    let keys = key.parent().map(Path::to_path_buf);
    let files: Vec<PathBuf> = governance.files.clone();
    Ok(Protected::new([ledger.to_path_buf()].into_iter().chain(keys).chain(files)))
}

/// Whether a tool changes files that its calls name.
pub(super) fn changes_files(tool: &Tool) -> bool {
    let has_paths = !tool.paths.is_empty() || tool.patch.is_some();
    tool.operation == Some(Operation::Command) && !tool.read_only && has_paths
}
