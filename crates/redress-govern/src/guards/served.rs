//! The guard of served tools: a tool that is not in the contract cannot be called.

use redress::{Fault, codes, fault::Similar};
use redress_registry::nearest::nearest_n;

use super::{Guard, GuardedRequest};
use crate::builtin_tools;

/// How many tools are named that may have been meant.
const MOST_NAMED: usize = 3;

/// The tool has an operation type, and code is run only where that is allowed.
pub(super) struct ServedGuard;

impl Guard for ServedGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        let manifest = &case.policy.manifest;
        if case.tool.is_some_and(|it| manifest.is_served(case.call.name, it)) {
            return Ok(());
        }
        let role = case.context.role.as_deref();
        let mut fault = codes::UNKNOWN_TOOL.raise([("tool", case.call.name)]);
        let served = manifest.served().filter(|it| case.policy.roles.judge(role, it).is_ok());
        let near = nearest_n(case.call.name, builtin_tools::names().chain(served), MOST_NAMED);
        fault.similar_refs = near.into_iter().map(Similar::new).collect();
        Err(Box::new(fault))
    }
}
