//! The workspace guard: a call is not made where its paths cannot be confined.

use redress::Fault;

use super::{Guard, GuardedRequest};
use crate::session::not_begun;

/// The workspace of the session can be opened.
pub(super) struct WorkspaceGuard;

impl Guard for WorkspaceGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        if case.root.is_some() {
            return Ok(());
        }
        let path = case.context.session.as_ref().map_or("", |it| it.root.as_str());
        let hint = "Begin again: the workspace of this session cannot be opened.".to_owned();
        Err(not_begun(path, "the workspace cannot be opened", hint))
    }
}
