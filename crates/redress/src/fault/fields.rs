//! The members of a fault, one row each: how it is written and how it is read. Envelope, residue and loss all use these lists.

mod values;

use redress_registry::{Class, Effect, Severity};
use values::{
    elements, named, opt_int, opt_named, opt_str, opt_text, opt_u64, raw, read_context, read_extra,
    read_http, read_ledger, read_number, read_retry, same_retry, set, text, write_context,
    write_extra, write_ledger, write_number, write_retry,
};

pub(crate) use values::{NoDelay, opt_delay};

use super::{Basis, Context, Fault, NextAction, Origin, Similar, Violation};
use redress_wire::json::{RawJson, Value, write_int, write_list, write_str};

/// One member of a fault.
#[derive(Debug)]
pub struct Field {
    /// Its key in the native envelope, and in the residue.
    pub key: &'static str,
    /// Where it is in the native envelope, as a JSON pointer, or would stand.
    pub path: &'static str,
    /// Whether the native envelope shows it.
    pub native: fn(&Fault) -> bool,
    /// Whether the fault has it.
    pub has: fn(&Fault) -> bool,
    /// Whether two faults agree on it.
    pub same: fn(&Fault, &Fault) -> bool,
    /// Appends its value.
    pub write: fn(&Fault, &mut String),
    /// Takes its value; `false` when the value has the wrong shape and was not taken. `None` makes it absent.
    pub read: fn(&mut Fault, Option<Value<'_>>) -> bool,
}

/// The member whose own members are compared one by one.
pub const CONTEXT: &str = "context";

/// Every member of a fault but its code: those of the native envelope in its order, then the others.
pub fn all() -> impl Iterator<Item = &'static Field> {
    ENVELOPE.iter().chain(BESIDE)
}

/// The member of that key.
pub fn get(key: &str) -> Option<&'static Field> {
    all().find(|it| it.key == key)
}

/// Every member of the native envelope but `v`, `code` and the derived `retryable`, in order.
pub const ENVELOPE: &[Field] = &[
    Field {
        key: "message",
        path: "/message",
        native: |_| true,
        has: |_| true,
        same: |a, b| a.message == b.message,
        write: |f, o| write_str(o, &f.message),
        read: |f, v| text(&mut f.message, v),
    },
    Field {
        key: "hint",
        path: "/hint",
        native: |_| true,
        has: Fault::says_hint,
        same: |a, b| a.hint == b.hint && a.says_hint() == b.says_hint(),
        write: |f, o| write_str(o, &f.hint),
        read: |f, v| {
            f.unsaid.hint = v.is_none();
            v.is_none() || text(&mut f.hint, v)
        },
    },
    Field {
        key: "class",
        path: "/class",
        native: |_| true,
        has: |_| true,
        same: |a, b| a.class == b.class,
        write: |f, o| write_str(o, f.class.name()),
        read: |f, v| named(&mut f.class, v, Class::parse),
    },
    Field {
        key: "http",
        path: "/http",
        native: |_| true,
        has: |_| true,
        same: |a, b| a.http == b.http,
        write: |f, o| write_int(o, f.http.into()),
        read: read_http,
    },
    Field {
        key: "retry",
        path: "/retry",
        native: |_| true,
        has: Fault::says_retry,
        same: same_retry,
        write: write_retry,
        read: read_retry,
    },
    Field {
        key: "effect",
        path: "/effect",
        native: |_| true,
        has: |_| true,
        same: |a, b| a.effect == b.effect,
        write: |f, o| write_str(o, f.effect.name()),
        read: |f, v| named(&mut f.effect, v, Effect::parse),
    },
    Field {
        key: "origin",
        path: "/origin",
        native: |_| true,
        has: |_| true,
        same: |a, b| a.origin == b.origin,
        write: |f, o| write_str(o, f.origin.name()),
        read: |f, v| named(&mut f.origin, v, Origin::parse),
    },
    Field {
        key: "basis",
        path: "/basis",
        native: |f| f.basis.is_some(),
        has: |f| f.basis.is_some(),
        same: |a, b| a.basis == b.basis,
        write: |f, o| opt_str(o, f.basis.map(Basis::name)),
        read: |f, v| opt_named(&mut f.basis, v, Basis::parse),
    },
    Field {
        key: "domain",
        path: "/domain",
        native: |f| f.domain != f.entry().domain,
        has: |_| true,
        same: |a, b| a.domain == b.domain,
        write: |f, o| write_str(o, &f.domain),
        read: |f, v| match v.and_then(Value::as_str) {
            Some(domain) => set(&mut f.domain, (*domain).into()),
            None => false,
        },
    },
    Field {
        key: "number",
        path: "/number",
        native: |f| f.number != f.entry().number.map(i64::from),
        has: |_| true,
        same: |a, b| a.number == b.number,
        write: write_number,
        read: read_number,
    },
    Field {
        key: "severity",
        path: "/severity",
        native: |f| f.severity != f.entry().severity,
        has: |_| true,
        same: |a, b| a.severity == b.severity,
        write: |f, o| write_str(o, f.severity.name()),
        read: |f, v| named(&mut f.severity, v, Severity::parse),
    },
    Field {
        key: "next_actions",
        path: "/next_actions",
        native: |f| !f.next_actions.is_empty(),
        has: |f| !f.next_actions.is_empty(),
        same: |a, b| a.next_actions == b.next_actions,
        write: |f, o| write_list(o, &f.next_actions, NextAction::write),
        read: |f, v| elements(&mut f.next_actions, v, NextAction::read),
    },
    Field {
        key: "similar_refs",
        path: "/similar_refs",
        native: |f| !f.similar_refs.is_empty(),
        has: |f| !f.similar_refs.is_empty(),
        same: |a, b| a.similar_refs == b.similar_refs,
        write: |f, o| write_list(o, &f.similar_refs, |it, o| o.push_str(it.json().as_str())),
        read: |f, v| elements(&mut f.similar_refs, v, Similar::read),
    },
    Field {
        key: "violations",
        path: "/violations",
        native: |f| !f.violations.is_empty(),
        has: |f| !f.violations.is_empty(),
        same: |a, b| a.violations == b.violations,
        write: |f, o| write_list(o, &f.violations, |it, o| o.push_str(it.json().as_str())),
        read: |f, v| elements(&mut f.violations, v, Violation::read),
    },
    Field {
        key: "details",
        path: "/details",
        native: |f| f.details.is_some(),
        has: |f| f.details.is_some(),
        same: |a, b| a.details == b.details,
        write: |f, o| raw(o, f.details.as_ref()),
        read: |f, v| set(&mut f.details, v.map(RawJson::from)),
    },
    Field {
        key: "server_text",
        path: "/server_text",
        native: |f| f.server_text.is_some(),
        has: |f| f.server_text.is_some(),
        same: |a, b| a.server_text == b.server_text,
        write: |f, o| opt_str(o, f.server_text.as_deref()),
        read: |f, v| opt_text(&mut f.server_text, v),
    },
    Field {
        key: CONTEXT,
        path: "/context",
        native: |f| f.context != Context::default(),
        has: |f| f.context != Context::default(),
        same: |a, b| a.context == b.context,
        write: write_context,
        read: read_context,
    },
    Field {
        key: "timestamp",
        path: "/timestamp",
        native: |f| f.timestamp.is_some(),
        has: |f| f.timestamp.is_some(),
        same: |a, b| a.timestamp == b.timestamp,
        write: |f, o| opt_str(o, f.timestamp.as_deref()),
        read: |f, v| opt_text(&mut f.timestamp, v),
    },
    Field {
        key: "elapsed_ms",
        path: "/elapsed_ms",
        native: |f| f.elapsed_ms.is_some(),
        has: |f| f.elapsed_ms.is_some(),
        same: |a, b| a.elapsed_ms == b.elapsed_ms,
        write: |f, o| opt_int(o, f.elapsed_ms),
        read: |f, v| opt_u64(&mut f.elapsed_ms, v),
    },
    Field {
        key: "estimated_tokens",
        path: "/estimated_tokens",
        native: |f| f.estimated_tokens.is_some(),
        has: |f| f.estimated_tokens.is_some(),
        same: |a, b| a.estimated_tokens == b.estimated_tokens,
        write: |f, o| opt_int(o, f.estimated_tokens),
        read: |f, v| opt_u64(&mut f.estimated_tokens, v),
    },
    Field {
        key: "ledger",
        path: "/ledger",
        native: |f| f.ledger.is_some(),
        has: |f| f.ledger.is_some(),
        same: |a, b| a.ledger == b.ledger,
        write: write_ledger,
        read: read_ledger,
    },
];

/// What is inside another member there, or has a place in single dialects only.
pub const BESIDE: &[Field] = &[
    Field {
        key: "not_before",
        path: "/retry/not_before",
        native: |_| false,
        has: |f| f.not_before.is_some(),
        same: |a, b| a.not_before == b.not_before,
        write: |f, o| opt_int(o, f.not_before),
        read: |f, v| opt_u64(&mut f.not_before, v),
    },
    Field {
        key: "cause",
        path: "/cause",
        native: |_| false,
        has: |f| f.cause.is_some(),
        same: |a, b| a.cause == b.cause,
        write: |f, o| raw(o, f.cause.as_ref()),
        read: |f, v| set(&mut f.cause, v.map(RawJson::from)),
    },
    Field {
        key: "stack",
        path: "/stack",
        native: |_| false,
        has: |f| f.stack.is_some(),
        same: |a, b| a.stack == b.stack,
        write: |f, o| opt_str(o, f.stack.as_deref()),
        read: |f, v| opt_text(&mut f.stack, v),
    },
    Field {
        key: "rpc_id",
        path: "/rpc_id",
        native: |_| false,
        has: |f| f.rpc_id.is_some(),
        same: |a, b| a.rpc_id == b.rpc_id,
        write: |f, o| raw(o, f.rpc_id.as_ref()),
        read: |f, v| set(&mut f.rpc_id, v.map(RawJson::from)),
    },
    Field {
        key: "extra",
        path: "/extra",
        native: |_| false,
        has: |f| !f.extra.is_empty(),
        same: |a, b| a.extra == b.extra,
        write: write_extra,
        read: read_extra,
    },
];
