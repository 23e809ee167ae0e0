//! The role guard: a caller uses the tools and methods of its role.

use redress::Fault;

use super::{Guard, GuardedRequest};

/// Methods that ask about what the session itself has begun.
const OF_SESSION: &[&str] = &["tasks/", "subscriptions/"];

/// The role may use the tool or the method.
pub(super) struct RoleGuard;

impl Guard for RoleGuard {
    fn judges_requests(&self) -> bool {
        true
    }

    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        let name = case.call.name;
        if !case.call.is_tool && OF_SESSION.iter().any(|it| name.starts_with(it)) {
            return Ok(());
        }
        case.policy.roles.judge(case.context.role.as_deref(), name)
    }
}
