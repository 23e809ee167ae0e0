//! The session guard: a request belongs to a session that has begun and that no failure locks.

use std::sync::{Arc, PoisonError};

use redress::Fault;

use super::{Guard, GuardedRequest};
use crate::{call::ReportFile, session::Wish};

/// Reading is free in a locked session, and so is a report of the failure that locks it.
pub(super) struct SessionGuard;

impl Guard for SessionGuard {
    fn judges_requests(&self) -> bool {
        true
    }

    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        let mut store = case.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let is_locked = store.sessions.of(case.key).is_some_and(|it| it.lock().is_some());
        if is_locked && !case.only_reads {
            // Another process may have reported the failure that locks it.
            store.catch_up(case.policy);
        }
        case.context.session = store.sessions.of(case.key).map(Arc::clone);
        let report = case.report.as_deref();
        let wish = Wish { tool: case.call.name, reads: case.only_reads, report };
        let session = store.sessions.judge(&case.policy.rules, case.key, wish)?;
        if let (Some(lock), Some(path), Some(_)) =
            (session.lock(), case.access.paths.first(), report)
        {
            case.context.report =
                Some(ReportFile { place: lock.place.clone(), path: path.clone() });
        }
        Ok(())
    }
}
