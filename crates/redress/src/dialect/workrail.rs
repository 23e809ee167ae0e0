//! `workrail`: code, message and always a retry rule of three kinds; a suggestion and any JSON as details if there are some.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry, Retry, RetryKind};

use super::{Dialect, Kept, Lookup, Refusal, Shape, Stamp, close, opt_text, row_of, text_of};
use crate::{
    fault::{Fault, fields::opt_delay},
    text::cut_bytes,
    text::tokens::MAX_SUGGESTION_BYTES,
};
use redress_wire::json::{Kind, Members, RawJson, Value, write_list, write_str};

/// How long to wait where a delay is asked for and none is known.
const DEFAULT_AFTER_MS: u64 = 1000;

/// The member of the details that lists wrong arguments.
const ISSUES: &str = "validationIssues";

const NOT_RETRYABLE: &str = "not_retryable";
const RETRYABLE_IMMEDIATE: &str = "retryable_immediate";
const RETRYABLE_AFTER_MS: &str = "retryable_after_ms";

pub(super) struct Workrail;

impl Shape for Workrail {
    fn described(&self) -> [&'static str; 2] {
        ["`code`, `message`, `retry`, `suggestion?`, `details?`", "JSON text"]
    }

    fn precedence(&self) -> u8 {
        5
    }

    fn has_closed_codes(&self) -> bool {
        true
    }

    fn bounded<'f>(&self, fault: &'f Fault) -> Cow<'f, Fault> {
        if fault.hint.len() <= MAX_SUGGESTION_BYTES {
            return Cow::Borrowed(fault);
        }
        let mut short = fault.clone();
        short.private.own = None;
        short.hint = cut_bytes(&fault.hint, MAX_SUGGESTION_BYTES).into_owned();
        Cow::Owned(short)
    }

    fn home(&self) -> Option<&'static str> {
        Some("workrail")
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        let is_own = *row.registry == *Dialect::Workrail.name();
        is_own.then_some(Cow::Borrowed(&row.code))
    }

    fn fallback(&self, class: Class) -> &'static str {
        match class {
            Class::InvalidArgument | Class::OutOfRange => "VALIDATION_ERROR",
            Class::NotFound => "NOT_FOUND",
            Class::DeadlineExceeded => "TIMEOUT",
            Class::FailedPrecondition | Class::Aborted => "PRECONDITION_FAILED",
            _ => "INTERNAL_ERROR",
        }
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        let kind = doc.path(&["retry", "kind"]);
        doc.get("code").is_some_and(|it| it.kind() == Kind::String)
            && kind.is_some_and(|it| {
                [NOT_RETRYABLE, RETRYABLE_IMMEDIATE, RETRYABLE_AFTER_MS]
                    .iter()
                    .any(|kind| it.is_str(kind))
            })
    }

    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>> {
        doc.get("code")?.as_str()
    }

    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal> {
        row_of(doc, "code", Dialect::Workrail, lookup)
    }

    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal> {
        fault.message = text_of(doc, "message")?.into_owned();
        let usual = advice(Dialect::Workrail.told_retry(fault));
        match doc.get("retry").map(advice_of) {
            Some(Some(said)) if said == usual => (),
            Some(Some(said)) => fault.retry = said.retry(),
            // What we do not understand must not make anybody repeat a call.
            Some(None) => fault.retry = Retry::of(RetryKind::Never),
            None => (),
        }
        match opt_text(doc, "suggestion").filter(|it| !it.is_empty()) {
            Some(suggestion) => fault.hint = suggestion,
            None => fault.unsaid.hint = true,
        }
        fault.details = doc.get("details").map(RawJson::from);
        Ok(())
    }

    fn write(&self, fault: &Fault, _: Stamp<'_>, residue: &str, out: &mut String) {
        let mut members = Members::open(out);
        let dropped = bad_details(fault);
        if !dropped.is_empty() {
            members.str("code", "INTERNAL_ERROR").str("message", "Error details validation failed");
            Advice::Never.write(members.key("retry"));
            write_bad_details(fault, &dropped, members.key("details"));
            return close(members, residue);
        }
        members.str("code", &Dialect::Workrail.spelling_of(fault)).str("message", &fault.message);
        advice(Dialect::Workrail.told_retry(fault)).write(members.key("retry"));
        if fault.says_hint() && !fault.hint.is_empty() {
            members.str("suggestion", &fault.hint);
        }
        if has_room(fault) {
            write_issues(fault, members.key("details"));
        } else if let Some(details) = &fault.details {
            members.raw("details", details.as_str());
        }
        close(members, residue);
    }

    fn keeps(&self) -> &'static Kept {
        &Kept {
            whole: &["/message"],
            weakened: &["/code", "/contract", "/hint", "/retry", "/details"],
            invented: &["/retry", "/details"],
        }
    }

    fn inner(&self) -> &'static [&'static [&'static str]] {
        &[&["retry"]]
    }
}

/// The retry rule of the dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Advice {
    Never,
    Now,
    After(u64),
}

impl Advice {
    const fn retry(self) -> Retry {
        match self {
            Self::Never => Retry::of(RetryKind::Never),
            Self::Now => Retry::of(RetryKind::Now),
            Self::After(ms) => Retry::after(ms),
        }
    }

    fn write(self, out: &mut String) {
        let mut members = Members::open(out);
        match self {
            Self::Never => members.str("kind", NOT_RETRYABLE),
            Self::Now => members.str("kind", RETRYABLE_IMMEDIATE),
            Self::After(ms) => members.str("kind", RETRYABLE_AFTER_MS).int("afterMs", ms),
        };
        members.close();
    }
}

/// Six kinds become three.
fn advice(retry: Retry) -> Advice {
    match retry.kind {
        RetryKind::Now => Advice::Now,
        RetryKind::AfterDelay => Advice::After(retry.after_ms.unwrap_or(DEFAULT_AFTER_MS)),
        RetryKind::AfterChange
        | RetryKind::AfterState
        | RetryKind::AfterHuman
        | RetryKind::Never => Advice::Never,
    }
}

/// The rule of a document. Stores inside the server also say `retryable`, with a delay or without.
fn advice_of(retry: Value<'_>) -> Option<Advice> {
    let after = opt_delay(retry.get("afterMs")).ok();
    match &*retry.get("kind")?.as_str()? {
        NOT_RETRYABLE => Some(Advice::Never),
        RETRYABLE_IMMEDIATE => Some(Advice::Now),
        RETRYABLE_AFTER_MS => Some(Advice::After(after?.unwrap_or(DEFAULT_AFTER_MS))),
        "retryable" => Some(after?.map_or(Advice::Now, Advice::After)),
        _ => None,
    }
}

/// Whether the wrong arguments of a fault have a place in its details.
fn has_room(fault: &Fault) -> bool {
    let is_open = |it: &RawJson| {
        let is_open = |it: Value<'_>| it.kind() == Kind::Object && it.get(ISSUES).is_none();
        it.with(is_open) == Some(true)
    };
    !fault.violations.is_empty() && fault.details.as_ref().is_none_or(is_open)
}

/// The details with the wrong arguments, each with its path and what is wrong with it.
fn write_issues(fault: &Fault, out: &mut String) {
    let mut members = Members::open(out);
    if let Some(details) = &fault.details {
        details.with(|it| {
            for (key, value) in it.members() {
                members.raw(&key.as_str().unwrap_or_default(), RawJson::from(value).as_str());
            }
        });
    }
    write_list(members.key(ISSUES), &fault.violations, |it, out| {
        let mut issue = Members::open(out);
        issue.str("path", &it.name()).str("message", &it.sentence());
        issue.close();
    });
    members.close();
}

/// Why given details could not be used, if nothing took their place.
fn bad_details(fault: &Fault) -> Vec<&str> {
    if fault.details.is_some() {
        return Vec::new();
    }
    let dropped = fault.private.dropped.iter().filter(|it| it.part == "details");
    dropped.map(|it| it.why.as_str()).collect()
}

fn write_bad_details(fault: &Fault, reasons: &[&str], out: &mut String) {
    let mut members = Members::open(out);
    members.str("originalError", &fault.message);
    let list = members.key("validationErrors");
    for (at, reason) in reasons.iter().enumerate() {
        list.push(if at == 0 { '[' } else { ',' });
        write_str(list, reason);
    }
    list.push(']');
    members.close();
}
