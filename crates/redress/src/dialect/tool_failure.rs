//! `tool-failure`: the open MCP proposal SEP-3313. One of three classes, an open code in lower case, an id to follow it by.
//!
//! The proposal names eight codes; the rows of `core` that mean the same have them as alias. Every other row is written
//! as its name in lower case, which can be read back. The id is the request's, else the trace's, else the receipt's.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry};

use super::{Dialect, Kept, Lookup, Refusal, Shape, Stamp, close, is_yes, opt_text, row_of};
use crate::fault::{
    Fault,
    fields::{NoDelay, opt_delay},
};
use redress_wire::json::{Kind, Members, Value};

const CAPABILITY: &str = "capability";
const RELIABILITY: &str = "reliability";
const GOVERNANCE: &str = "governance";

/// The key of `_meta` under which the open proposal puts its envelope.
pub const TOOL_FAILURE_KEY: &str = "io.modelcontextprotocol/toolFailure";

pub(super) struct ToolFailure;

impl Shape for ToolFailure {
    fn described(&self) -> [&'static str; 2] {
        ["the open MCP proposal: `class`, `code`, `retryable`, `correlationId`", "`_meta`"]
    }

    fn precedence(&self) -> u8 {
        4
    }

    fn shows_card(&self) -> bool {
        true
    }

    fn meta_key(&self) -> Option<&'static str> {
        Some(TOOL_FAILURE_KEY)
    }

    fn home(&self) -> Option<&'static str> {
        Some("core")
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        Some(Cow::Owned(row.code.to_ascii_lowercase()))
    }

    fn fallback(&self, _: Class) -> &'static str {
        "unknown_tool_failure"
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        let is_text = |key| doc.get(key).is_some_and(|it| it.kind() == Kind::String);
        let class = doc.get("class").and_then(Value::as_str);
        is_text("code")
            && is_text("correlationId")
            && class.is_some_and(|it| stands_for(&it).is_some())
    }

    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>> {
        doc.get("code")?.as_str()
    }

    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal> {
        row_of(doc, "code", Dialect::ToolFailure, lookup)
    }

    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal> {
        if let Some(class) = opt_text(doc, "class")
            && class != group(fault.entry().class)
        {
            fault.class = stands_for(&class).unwrap_or(fault.class);
        }
        match doc.get("retryable") {
            Some(retryable) => fault.set_retryable(is_yes(retryable)),
            None => fault.unsaid.retry = true,
        }
        match opt_delay(doc.get("retryNotBefore")) {
            Ok(not_before) => fault.not_before = not_before,
            Err(NoDelay) => fault.set_retryable(false),
        }
        fault.context.request_id = opt_text(doc, "correlationId");
        match opt_text(doc, "agentGuidance") {
            Some(guidance) => fault.hint = guidance,
            None => fault.unsaid.hint = true,
        }
        Ok(())
    }

    fn write(&self, fault: &Fault, _: Stamp<'_>, residue: &str, out: &mut String) {
        let mut members = Members::open(out);
        members
            .str("class", group(fault.class))
            .str("code", &Dialect::ToolFailure.spelling_of(fault));
        if fault.says_retry() {
            members.bool("retryable", fault.retryable());
        }
        if let Some(not_before) = fault.not_before {
            members.int("retryNotBefore", not_before);
        }
        members.str("correlationId", correlation_id(fault));
        if fault.says_hint() {
            members.str("agentGuidance", &fault.hint);
        }
        close(members, residue);
    }

    fn keeps(&self) -> &'static Kept {
        &Kept {
            whole: &["/hint", "/retry/not_before", "/context/request_id"],
            weakened: &["/code", "/contract", "/class", "/retry"],
            invented: &["/context/request_id"],
        }
    }
}

fn correlation_id(fault: &Fault) -> &str {
    let context = &fault.context;
    let receipt = fault.ledger.as_ref().map(|it| &it.hash);
    context.request_id.as_ref().or(context.trace_id.as_ref()).or(receipt).map_or("", |it| it)
}

/// Sixteen classes become three.
const fn group(class: Class) -> &'static str {
    match class {
        Class::InvalidArgument
        | Class::NotFound
        | Class::AlreadyExists
        | Class::FailedPrecondition
        | Class::OutOfRange
        | Class::Unimplemented => CAPABILITY,
        Class::Cancelled
        | Class::Unknown
        | Class::DeadlineExceeded
        | Class::ResourceExhausted
        | Class::Aborted
        | Class::Internal
        | Class::Unavailable
        | Class::DataLoss => RELIABILITY,
        Class::PermissionDenied | Class::Unauthenticated => GOVERNANCE,
    }
}

/// The class that represents a group where the row is of another.
fn stands_for(group: &str) -> Option<Class> {
    match group {
        CAPABILITY => Some(Class::Unimplemented),
        RELIABILITY => Some(Class::Unavailable),
        GOVERNANCE => Some(Class::PermissionDenied),
        _ => None,
    }
}
