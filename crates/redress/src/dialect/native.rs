//! `native`: our own envelope. Derived values are always there, absent ones are left out, and a document may be as short as its code.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry};

use super::{
    Dialect, Kept, Lookup, Refusal, Shape, Stamp, Why, close, is_yes, text_of, unknown,
    unregistered,
};
use crate::fault::{
    Fault,
    fields::{ENVELOPE, Field},
};
use redress_wire::json::{Kind, Members, Value};

/// The version of the envelope.
const VERSION: u64 = 1;

pub(super) struct Native;

impl Shape for Native {
    fn described(&self) -> [&'static str; 2] {
        [
            "the envelope of Redress",
            "the card as text, the envelope in `_meta` and `structuredContent`",
        ]
    }

    fn precedence(&self) -> u8 {
        7
    }

    fn shows_card(&self) -> bool {
        true
    }

    fn is_structured(&self, _envelope: &str) -> bool {
        true
    }

    fn home(&self) -> Option<&'static str> {
        None
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        Some(Cow::Borrowed(&row.code))
    }

    fn fallback(&self, _: Class) -> &'static str {
        "UNKNOWN_TOOL_FAILURE"
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        doc.get("v").is_some() || doc.get("code").is_some_and(|it| it.kind() == Kind::String)
    }

    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>> {
        doc.get("code")?.as_str()
    }

    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal> {
        let code = text_of(doc, "code")?;
        lookup
            .row(None, &code)
            .or_else(|| lookup.spelled(Dialect::Native, &code))
            // Without a version any object with a `code` would be one.
            .or_else(|| doc.get("v").and_then(|_| unregistered(doc, "code")))
            .ok_or_else(|| unknown("/code".to_owned(), &code, Dialect::Native, lookup))
    }

    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal> {
        if doc.get("v").is_some_and(|it| it.as_u64() != Some(VERSION)) {
            return Err(Refusal::at("/v", Why::Version));
        }
        let mut behind = 0;
        for (key, value) in doc.members() {
            // Members mostly stand in our order, so the search goes on behind the last one.
            let (before, ahead) = ENVELOPE.split_at_checked(behind).unwrap_or((ENVELOPE, &[]));
            let is_it = |it: &Field| key.is_str(it.key);
            let at = ahead.iter().position(is_it).map(|it| it + behind);
            let at = at.or_else(|| before.iter().position(is_it));
            if let Some(at) = at
                && let Some(field) = ENVELOPE.get(at)
            {
                (field.read)(fault, Some(value));
                behind = at + 1;
            }
        }
        if let Some(said) = doc.get("retryable") {
            // A rule says more than a yes; nothing says more than a no.
            let agrees = is_yes(said);
            if doc.get("retry").is_none() || !agrees {
                fault.set_retryable(agrees);
            }
        }
        if doc.get("v").is_none() {
            complete(doc, fault);
        }
        Ok(())
    }

    fn write(&self, fault: &Fault, _: Stamp<'_>, residue: &str, out: &mut String) {
        let mut members = Members::open(out);
        members.int("v", VERSION).str("code", fault.code());
        for field in ENVELOPE.iter().filter(|it| (it.native)(fault)) {
            if field.key == "retry" {
                members.bool("retryable", fault.retryable());
            }
            (field.write)(fault, members.key(field.key));
        }
        close(members, residue);
    }

    fn keeps(&self) -> &'static Kept {
        &Kept {
            whole: &[
                "/code",
                "/message",
                "/hint",
                "/class",
                "/http",
                "/retry",
                "/effect",
                "/origin",
                "/basis",
                "/domain",
                "/number",
                "/severity",
                "/next_actions",
                "/similar_refs",
                "/violations",
                "/details",
                "/server_text",
                "/context",
                "/timestamp",
                "/elapsed_ms",
                "/estimated_tokens",
                "/ledger",
            ],
            weakened: &["/contract"],
            invented: &["/hint", "/retry"],
        }
    }

    fn inner(&self) -> &'static [&'static [&'static str]] {
        &[&["retry"], &["context"], &["ledger"]]
    }
}

/// A document without a version is a minimal one: its row says what it left out, with its details as parameters.
fn complete(doc: Value<'_>, fault: &mut Fault) {
    if doc.get("message").is_none() {
        fault.set_row_message();
    }
    if doc.get("next_actions").is_none() {
        fault.set_row_next_actions();
    }
}
