//! The guards that a request passes before the server is asked, in their order.
//!
//! A new guard is a file below this one and a line in [`GUARDS`].

mod arguments;
mod eval;
mod invariants;
mod paths;
mod plan;
mod protected;
mod role;
mod served;
mod session;
mod workspace;
mod writes;

use std::sync::{Arc, Mutex};

use redress::Fault;

use crate::{
    access::FileAccess,
    call::{Call, CallContext},
    checked_writes::{CheckedWrite, Writes},
    manifest::ToolPolicy,
    policy::Policy,
    root::{FilePlace, Root},
    session_store::SessionStore,
};

/// All guards, in the order in which they judge.
const GUARDS: &[&dyn Guard] = &[
    &session::SessionGuard,
    &workspace::WorkspaceGuard,
    &served::ServedGuard,
    &role::RoleGuard,
    &arguments::ArgumentsGuard,
    &paths::PathsGuard,
    &protected::ProtectedGuard,
    &plan::PlanGuard,
    &eval::EvalGuard,
    &invariants::InvariantsGuard,
    &writes::WritesGuard,
];

/// One check of a request.
trait Guard: Sync {
    /// Whether it also judges requests that call no tool.
    fn judges_requests(&self) -> bool {
        false
    }

    /// Lets a request pass or refuses it. What it finds out for the guards after it, it adds to the case.
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>>;
}

/// A request on its way through the guards.
pub(crate) struct GuardedRequest<'c> {
    pub(crate) call: &'c Call<'c>,
    pub(crate) policy: &'c Policy,
    pub(crate) sessions: &'c Mutex<SessionStore>,
    pub(crate) writes: &'c Writes,
    /// The key under which the sessions know the caller.
    pub(crate) key: &'c str,
    /// What the contract says of the tool.
    pub(crate) tool: Option<&'c ToolPolicy>,
    /// Whether it changes nothing.
    pub(crate) only_reads: bool,
    /// The text of the failure report that it writes; `None` if it writes something else.
    pub(crate) report: Option<String>,
    /// The workspace of its session.
    pub(crate) root: Option<Arc<Root>>,
    /// The files that its arguments name.
    pub(crate) access: FileAccess<'c>,
    /// Why those are unknown.
    pub(crate) malformed: Option<Box<Fault>>,
    /// The places in the workspace that it may change.
    pub(crate) places: Vec<FilePlace>,
    /// What is known of it afterwards.
    pub(crate) context: &'c mut CallContext,
    /// The write that it is, if that is checked.
    pub(crate) write: Option<Box<CheckedWrite>>,
}

/// Has all guards judge a request; the first that refuses it decides.
pub(crate) fn judge(case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
    let is_tool = case.call.is_tool;
    let mut guards = GUARDS.iter().filter(|it| is_tool || it.judges_requests());
    guards.try_for_each(|it| it.judge(case))
}
