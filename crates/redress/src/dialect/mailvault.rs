//! `mailvault`: the Gmail and Obsidian servers. A lower-case code under `error`, a message, and details or null.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry, Retry};

use super::{Dialect, Kept, Refusal, Shape, Stamp, boxed, close, row_of, text_of};
use crate::{
    fault::{
        Fault,
        fields::{NoDelay, opt_delay},
    },
    json::{Kind, Members, RawJson, Value},
    lookup::Lookup,
};

/// The code whose details say how many seconds to wait.
const RATE_LIMITED: &str = "rate_limited";
const RETRY_AFTER: &str = "retry_after";

pub(super) struct Mailvault;

impl Shape for Mailvault {
    fn home(&self) -> Option<&'static str> {
        Some("mailvault")
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        let is_own = *row.registry == *Dialect::Mailvault.name();
        is_own.then(|| Cow::Owned(row.code.to_ascii_lowercase()))
    }

    fn fallback(&self, row: &Entry) -> &'static str {
        match row.class {
            Class::InvalidArgument | Class::OutOfRange => "parse_error",
            Class::NotFound => "not_found",
            Class::PermissionDenied => "permission_denied",
            Class::Unauthenticated => "auth_required",
            Class::ResourceExhausted if row.retry.retryable() => RATE_LIMITED,
            Class::Unavailable | Class::DeadlineExceeded => "mcp_unavailable",
            Class::Cancelled
            | Class::Unknown
            | Class::AlreadyExists
            | Class::ResourceExhausted
            | Class::FailedPrecondition
            | Class::Aborted
            | Class::Unimplemented
            | Class::Internal
            | Class::DataLoss => "internal_error",
        }
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        doc.get("error").is_some_and(|it| it.kind() == Kind::String)
    }

    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal> {
        row_of(doc, "error", Dialect::Mailvault, lookup)
    }

    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal> {
        fault.message = text_of(doc, "message")?.into_owned();
        let details = doc.get("details").filter(|it| !it.is_null());
        fault.details = details.map(RawJson::from);
        if is_rate_limited(fault) {
            match opt_delay(details.and_then(|it| it.get(RETRY_AFTER))) {
                Ok(Some(wait)) if seconds_of(fault.retry) == Some(wait) => (),
                Ok(Some(wait)) => fault.retry = Retry::after(wait.saturating_mul(1000)),
                Ok(None) => fault.unsaid.retry = true,
                Err(NoDelay) => fault.set_retryable(false),
            }
        }
        Ok(())
    }

    fn write(&self, fault: &Fault, _: Stamp<'_>, residue: &str, out: &mut String) {
        let mut members = Members::open(out);
        members
            .str("error", &Dialect::Mailvault.spelling(fault.entry()))
            .str("message", &fault.message);
        match (&fault.details, seconds_of(fault.retry)) {
            (Some(details), _) => members.raw("details", &boxed(details)),
            (None, Some(seconds)) if is_rate_limited(fault) && fault.says_retry() => {
                let mut details = Members::open(members.key("details"));
                details.int(RETRY_AFTER, seconds);
                details.close();
                &mut members
            }
            (None, _) => members.raw("details", "null"),
        };
        close(members, residue);
    }

    fn keeps(&self) -> &'static Kept {
        &Kept {
            whole: &["/message"],
            weakened: &["/code", "/contract", "/details"],
            invented: &["/details"],
        }
    }
}

fn is_rate_limited(fault: &Fault) -> bool {
    Dialect::Mailvault.spelling(fault.entry()) == RATE_LIMITED
}

/// A delay in whole seconds, never too short.
fn seconds_of(retry: Retry) -> Option<u64> {
    retry.after_ms.filter(|_| retry.retryable()).map(|it| it.div_ceil(1000))
}
