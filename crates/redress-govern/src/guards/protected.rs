//! The guard of protected files: no tool changes what the gate itself relies on.

use redress::Fault;

use super::{Guard, GuardedRequest};

/// The call changes neither plans nor the gate's own files.
pub(super) struct ProtectedGuard;

impl Guard for ProtectedGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        match &case.root {
            Some(root) if !case.only_reads => {
                case.policy.guarded.judge(root, case.policy.plans.folder(), &case.places)
            }
            _ => Ok(()),
        }
    }
}
