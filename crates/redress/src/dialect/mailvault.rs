//! `mailvault`: the Gmail and Obsidian servers. A lower-case code under `error`, a message, and details or null.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry, Retry, RetryKind};

use super::{Dialect, Kept, Lookup, Refusal, Shape, Stamp, boxed, close, row_of, text_of};
use crate::fault::{
    Fault,
    fields::{NoDelay, opt_delay},
};
use redress_wire::json::{Kind, Members, RawJson, Value};

/// The code whose details say how many seconds to wait.
const RATE_LIMITED: &str = "rate_limited";
const RETRY_AFTER: &str = "retry_after";

pub(super) struct Mailvault;

impl Shape for Mailvault {
    fn described(&self) -> [&'static str; 2] {
        ["`error`, `message`, `details`", "JSON text"]
    }

    fn precedence(&self) -> u8 {
        6
    }

    fn has_closed_codes(&self) -> bool {
        true
    }

    // The code is all that tells a document of this dialect from any other with an `error` text.
    fn is_plain_word(&self, spelling: &str) -> bool {
        !spelling.contains('_')
    }

    fn home(&self) -> Option<&'static str> {
        Some("mailvault")
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        let is_own = *row.registry == *Dialect::Mailvault.name();
        is_own.then(|| Cow::Owned(row.code.to_ascii_lowercase()))
    }

    fn fallback(&self, class: Class) -> &'static str {
        match class {
            Class::NotFound => "not_found",
            Class::PermissionDenied => "permission_denied",
            Class::Unauthenticated => "auth_required",
            Class::Unavailable | Class::DeadlineExceeded => "mcp_unavailable",
            _ => "internal_error",
        }
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        doc.get("error").is_some_and(|it| it.kind() == Kind::String)
    }

    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>> {
        doc.get("error")?.as_str()
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
                Ok(Some(wait)) => {
                    let max = fault.retry.max.filter(|_| fault.retry.kind == RetryKind::AfterDelay);
                    fault.retry = Retry { max, ..Retry::after(wait.saturating_mul(1000)) };
                }
                Ok(None) => fault.unsaid.retry = true,
                Err(NoDelay) => fault.set_retryable(false),
            }
        }
        Ok(())
    }

    fn write(&self, fault: &Fault, _: Stamp<'_>, residue: &str, out: &mut String) {
        let mut members = Members::open(out);
        members.str("error", &Dialect::Mailvault.spelling_of(fault)).str("message", &fault.message);
        let wait = seconds_of(fault.retry).filter(|_| is_rate_limited(fault) && fault.says_retry());
        match (&fault.details, wait) {
            (Some(details), Some(seconds)) if !names_wait(details) => {
                write_wait(Some(details), seconds, members.key("details"));
                &mut members
            }
            (Some(details), _) => members.raw("details", &boxed(details)),
            (None, Some(seconds)) => {
                write_wait(None, seconds, members.key("details"));
                &mut members
            }
            (None, None) => members.raw("details", "null"),
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
    Dialect::Mailvault.spelling_of(fault) == RATE_LIMITED
}

/// Whether details say how long to wait.
fn names_wait(details: &RawJson) -> bool {
    details.with(|it| it.get(RETRY_AFTER).is_some()) == Some(true)
}

/// Details that say how many seconds to wait, too.
fn write_wait(details: Option<&RawJson>, seconds: u64, out: &mut String) {
    let mut members = Members::open(out);
    if let Some(object) = details.map(boxed).and_then(|it| RawJson::parse(it.as_bytes()).ok()) {
        object.with(|it| {
            for (key, value) in it.members() {
                members.raw(&key.as_str().unwrap_or_default(), RawJson::from(value).as_str());
            }
        });
    }
    members.int(RETRY_AFTER, seconds);
    members.close();
}

/// A delay in whole seconds, never too short.
fn seconds_of(retry: Retry) -> Option<u64> {
    retry.after_ms.filter(|_| retry.retryable()).map(|it| it.div_ceil(1000))
}
