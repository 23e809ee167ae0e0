//! The guard of paths: every path of a call stays in the workspace.

use redress::Fault;

use super::{Guard, GuardedRequest};

/// The paths of the call lead to places below the root; those that it may change are found.
pub(super) struct PathsGuard;

impl Guard for PathsGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        let Some(root) = &case.root else { return Ok(()) };
        // The built-in tool `remove` takes the link itself away, wherever it leads.
        let takes_links = case.policy.is_built_in && case.call.name == "remove";
        for path in &case.access.paths {
            match root.confine(path) {
                Err(_) if takes_links && root.is_link(path) => (),
                confined => confined?,
            }
        }
        if !case.only_reads || case.policy.needs_plan(case.call.name) {
            case.places = root.places(&case.access.paths)?;
        }
        Ok(())
    }
}
