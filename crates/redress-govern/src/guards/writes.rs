//! The guard of writes: a change follows the rules about its content, and is checked when it was made.

use std::sync::Arc;

use redress::{Fault, codes};
use redress_wire::json::Value;

use super::{Guard, GuardedRequest};
use crate::{checked_writes::About, manifest::ToolPolicy};

/// The change breaks no rule; the checks of it are prepared.
pub(super) struct WritesGuard;

impl Guard for WritesGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        let (Some(root), Some(session)) = (&case.root, &case.context.session) else {
            return Ok(());
        };
        if case.report.is_some() || !case.tool.is_some_and(ToolPolicy::writes) {
            return Ok(());
        }
        let call = case.call;
        let intent = call.arguments.and_then(|it| it.get("intent")).and_then(Value::as_str);
        let about = || About {
            server: case.policy.server.clone(),
            session_id: session.id.clone(),
            tool: call.name.to_owned(),
            is_built_in: case.policy.is_built_in,
        };
        let root = Arc::clone(root);
        let write = case.writes.before(&case.access, intent.as_deref(), &root, about)?;
        if write.is_some() && call.is_task {
            // A task writes after its answer, so that the checks would come too early.
            let params = [("operation", "a task that writes")];
            return Err(Box::new(codes::UNSUPPORTED.raise(params)));
        }
        case.write = write;
        Ok(())
    }
}
