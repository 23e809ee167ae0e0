//! The guard of invariants: looks once more at what must hold of a call, apart from the guards before it.

use redress::Fault;

use super::{Guard, GuardedRequest};
use crate::invariant::{INV_ROOT_UNCHANGED, Passed};

/// The invariants of a request that is about to reach the server hold.
pub(super) struct InvariantsGuard;

impl Guard for InvariantsGuard {
    fn judges_requests(&self) -> bool {
        true
    }

    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        let session = case.context.session.as_ref();
        let passed = Passed {
            session: session.map(|it| it.id.as_str()),
            role: case.context.role.as_deref(),
            has_roles: !case.policy.roles.is_empty(),
            is_locked: session.is_some_and(|it| it.lock().is_some()),
            is_harmless: case.only_reads || case.report.is_some(),
        };
        passed.check()?;
        let root = case.root.as_ref().filter(|_| case.call.is_tool);
        match root.map(|it| it.is_unchanged()) {
            None | Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => Err(INV_ROOT_UNCHANGED.violated("another directory is there now")),
            Some(Err(error)) => Err(INV_ROOT_UNCHANGED.violated(&error.to_string())),
        }
    }
}
