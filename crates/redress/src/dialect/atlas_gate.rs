//! `atlas-gate`: eleven keys, all of them always, null where there is nothing; `stack_trace` only when it is shown.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry};

use super::{Dialect, Kept, Lookup, Refusal, Shape, Stamp, close, opt_text, row_of, text_of};
use crate::fault::Fault;
use redress_wire::json::{Kind, Members, RawJson, Value};

/// The tool of a failure outside any tool.
const NO_TOOL: &str = "unknown";

pub(super) struct AtlasGate;

impl Shape for AtlasGate {
    fn described(&self) -> [&'static str; 2] {
        ["`error_code`, `human_message`, … eleven keys, null if absent", "JSON text"]
    }

    fn precedence(&self) -> u8 {
        3
    }

    fn has_closed_codes(&self) -> bool {
        true
    }

    fn is_structured(&self, _envelope: &str) -> bool {
        true
    }

    fn home(&self) -> Option<&'static str> {
        Some("atlas-gate")
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        let is_own = *row.registry == *Dialect::AtlasGate.name();
        is_own.then_some(Cow::Borrowed(&row.code))
    }

    fn fallback(&self, class: Class) -> &'static str {
        match class {
            Class::InvalidArgument | Class::OutOfRange => "INVALID_INPUT_VALUE",
            Class::PermissionDenied => "UNAUTHORIZED_ACTION",
            Class::Internal | Class::DataLoss => "INTERNAL_ERROR",
            _ => "UNKNOWN_TOOL_FAILURE",
        }
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        doc.get("error_code").is_some_and(|it| it.kind() == Kind::String)
    }

    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>> {
        doc.get("error_code")?.as_str()
    }

    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal> {
        row_of(doc, "error_code", Dialect::AtlasGate, lookup)
    }

    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal> {
        fault.message = text_of(doc, "human_message")?.into_owned();
        let context = &mut fault.context;
        context.role = opt_text(doc, "role");
        context.session_id = opt_text(doc, "session_id");
        context.workspace_root = opt_text(doc, "workspace_root");
        context.tool = opt_text(doc, "tool_name");
        context.invariant_id = opt_text(doc, "invariant_id");
        context.phase_id = opt_text(doc, "phase_id");
        context.plan_hash = opt_text(doc, "plan_hash");
        fault.cause = doc.get("cause").filter(|it| !it.is_null()).map(RawJson::from);
        fault.timestamp = opt_text(doc, "timestamp");
        fault.stack = opt_text(doc, "stack_trace");
        Ok(())
    }

    fn write(&self, fault: &Fault, stamp: Stamp<'_>, residue: &str, out: &mut String) {
        let context = &fault.context;
        let mut members = Members::open(out);
        members
            .str("error_code", &Dialect::AtlasGate.spelling_of(fault))
            .str("human_message", &fault.message)
            .str_or_null("role", context.role.as_deref())
            .str_or_null("session_id", context.session_id.as_deref())
            .str_or_null("workspace_root", context.workspace_root.as_deref())
            .str("tool_name", context.tool.as_deref().unwrap_or(NO_TOOL))
            .str_or_null("invariant_id", context.invariant_id.as_deref())
            .str_or_null("phase_id", context.phase_id.as_deref())
            .str_or_null("plan_hash", context.plan_hash.as_deref())
            .raw("cause", fault.cause.as_ref().map_or("null", RawJson::as_str))
            .str("timestamp", fault.timestamp.as_deref().unwrap_or(stamp.now))
            .opt_str("stack_trace", fault.stack.as_deref());
        close(members, residue);
    }

    fn keeps(&self) -> &'static Kept {
        &Kept {
            whole: &[
                "/message",
                "/context/role",
                "/context/session_id",
                "/context/workspace_root",
                "/context/tool",
                "/context/invariant_id",
                "/context/phase_id",
                "/context/plan_hash",
                "/timestamp",
                "/stack",
            ],
            weakened: &["/code", "/contract", "/cause"],
            invented: &["/context/tool", "/timestamp"],
        }
    }
}
