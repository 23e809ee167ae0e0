//! The members of a fault, one row each: how it is written and how it is read. Envelope, residue and loss all use this list.

use std::borrow::Cow;

use redress_registry::{Class, Effect, Retry, RetryKind, Severity};

use super::{Context, Fault, NextAction, Origin, Receipt, Similar, Violation};
use crate::json::{Kind, Members, RawJson, Value, write_str};

/// One member of a fault.
#[derive(Debug)]
pub struct Field {
    /// Its key in the native envelope, and in the residue.
    pub key: &'static str,
    /// Whether the native envelope has it; the others are shown by single dialects only.
    pub native: bool,
    /// Appends its value; `false` when it is absent and nothing was written.
    pub write: fn(&Fault, &mut String) -> bool,
    /// Takes its value; `false` when the value has the wrong shape and was not taken. `None` makes it absent.
    pub read: fn(&mut Fault, Option<Value<'_>>) -> bool,
}

/// Every member but `v`, `code` and the derived `retryable`, in the order of the native envelope.
pub const FIELDS: &[Field] = &[
    Field {
        key: "message",
        native: true,
        write: |f, o| str(o, &f.message),
        read: |f, v| text(&mut f.message, v),
    },
    Field {
        key: "hint",
        native: true,
        write: |f, o| str(o, &f.hint),
        read: |f, v| text(&mut f.hint, v),
    },
    Field {
        key: "class",
        native: true,
        write: |f, o| str(o, f.class.name()),
        read: |f, v| named(&mut f.class, v, Class::parse),
    },
    Field {
        key: "http",
        native: true,
        write: |f, o| number(o, f.http),
        read: |f, v| match v.and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok()) {
            Some(http @ 100..=599) => set(&mut f.http, http),
            _ => false,
        },
    },
    Field { key: "retry", native: true, write: write_retry, read: read_retry },
    Field {
        key: "effect",
        native: true,
        write: |f, o| str(o, f.effect.name()),
        read: |f, v| named(&mut f.effect, v, Effect::parse),
    },
    Field {
        key: "origin",
        native: true,
        write: |f, o| str(o, f.origin.name()),
        read: |f, v| named(&mut f.origin, v, Origin::parse),
    },
    Field {
        key: "domain",
        native: true,
        write: |f, o| f.domain != f.entry().domain && str(o, &f.domain),
        read: |f, v| match v.and_then(Value::as_str) {
            Some(domain) => set(&mut f.domain, (*domain).into()),
            None => false,
        },
    },
    Field {
        key: "number",
        native: true,
        write: |f, o| {
            f.number != f.entry().number.map(i64::from) && f.number.is_some_and(|it| number(o, it))
        },
        read: |f, v| match v {
            None => set(&mut f.number, None),
            Some(v) => v.as_i64().is_some_and(|it| set(&mut f.number, Some(it))),
        },
    },
    Field {
        key: "severity",
        native: true,
        write: |f, o| f.severity != f.entry().severity && str(o, f.severity.name()),
        read: |f, v| named(&mut f.severity, v, Severity::parse),
    },
    Field {
        key: "next_actions",
        native: true,
        write: |f, o| list(o, &f.next_actions, NextAction::write),
        read: |f, v| elements(&mut f.next_actions, v, NextAction::read),
    },
    Field {
        key: "similar_refs",
        native: true,
        write: |f, o| list(o, &f.similar_refs, |it, o| o.push_str(it.json().as_str())),
        read: |f, v| elements(&mut f.similar_refs, v, Similar::read),
    },
    Field {
        key: "violations",
        native: true,
        write: |f, o| list(o, &f.violations, |it, o| o.push_str(it.json().as_str())),
        read: |f, v| elements(&mut f.violations, v, Violation::read),
    },
    Field {
        key: "details",
        native: true,
        write: |f, o| raw(o, f.details.as_ref()),
        read: |f, v| set(&mut f.details, v.map(RawJson::from)),
    },
    Field {
        key: "server_text",
        native: true,
        write: |f, o| opt_str(o, f.server_text.as_deref()),
        read: |f, v| opt_text(&mut f.server_text, v),
    },
    Field { key: "context", native: true, write: write_context, read: read_context },
    Field {
        key: "timestamp",
        native: true,
        write: |f, o| opt_str(o, f.timestamp.as_deref()),
        read: |f, v| opt_text(&mut f.timestamp, v),
    },
    Field {
        key: "elapsed_ms",
        native: true,
        write: |f, o| f.elapsed_ms.is_some_and(|it| number(o, it)),
        read: |f, v| opt_u64(&mut f.elapsed_ms, v),
    },
    Field {
        key: "estimated_tokens",
        native: true,
        write: |f, o| f.estimated_tokens.is_some_and(|it| number(o, it)),
        read: |f, v| opt_u64(&mut f.estimated_tokens, v),
    },
    Field { key: "ledger", native: true, write: write_ledger, read: read_ledger },
    Field {
        key: "cause",
        native: false,
        write: |f, o| raw(o, f.cause.as_ref()),
        read: |f, v| set(&mut f.cause, v.map(RawJson::from)),
    },
    Field {
        key: "stack",
        native: false,
        write: |f, o| opt_str(o, f.stack.as_deref()),
        read: |f, v| opt_text(&mut f.stack, v),
    },
    Field {
        key: "rpc_id",
        native: false,
        write: |f, o| raw(o, f.rpc_id.as_ref()),
        read: |f, v| set(&mut f.rpc_id, v.map(RawJson::from)),
    },
    Field { key: "extra", native: false, write: write_extra, read: read_extra },
];

fn set<T>(slot: &mut T, value: T) -> bool {
    *slot = value;
    true
}

fn str(out: &mut String, value: &str) -> bool {
    write_str(out, value);
    true
}

fn opt_str(out: &mut String, value: Option<&str>) -> bool {
    value.is_some_and(|it| str(out, it))
}

fn raw(out: &mut String, value: Option<&RawJson>) -> bool {
    value.is_some_and(|it| {
        out.push_str(it.as_str());
        true
    })
}

fn number(out: &mut String, value: impl Into<i128>) -> bool {
    crate::json::write_int(out, value.into());
    true
}

fn list<T>(out: &mut String, items: &[T], write: fn(&T, &mut String)) -> bool {
    for (at, item) in items.iter().enumerate() {
        out.push(if at == 0 { '[' } else { ',' });
        write(item, out);
    }
    if !items.is_empty() {
        out.push(']');
    }
    !items.is_empty()
}

fn text(slot: &mut String, value: Option<Value<'_>>) -> bool {
    value.and_then(Value::as_str).is_some_and(|it| set(slot, it.into_owned()))
}

fn opt_text(slot: &mut Option<String>, value: Option<Value<'_>>) -> bool {
    match value {
        None => set(slot, None),
        Some(value) => value.as_str().is_some_and(|it| set(slot, Some(it.into_owned()))),
    }
}

fn opt_u64(slot: &mut Option<u64>, value: Option<Value<'_>>) -> bool {
    match value {
        None => set(slot, None),
        Some(value) => value.as_u64().is_some_and(|it| set(slot, Some(it))),
    }
}

fn named<T>(slot: &mut T, value: Option<Value<'_>>, parse: fn(&str) -> Option<T>) -> bool {
    value.and_then(Value::as_str).and_then(|it| parse(&it)).is_some_and(|it| set(slot, it))
}

fn elements<T>(
    slot: &mut Vec<T>,
    value: Option<Value<'_>>,
    read: fn(Value<'_>) -> Option<T>,
) -> bool {
    let Some(value) = value else { return set(slot, Vec::new()) };
    if value.kind() != Kind::Array {
        return false;
    }
    let all: Option<Vec<T>> = value.elements().map(read).collect();
    all.is_some_and(|it| set(slot, it))
}

fn write_retry(fault: &Fault, out: &mut String) -> bool {
    let Retry { kind, after_ms, max } = fault.retry;
    let mut members = Members::open(out);
    members.str("kind", kind.name());
    if let Some(after_ms) = after_ms {
        members.int("after_ms", after_ms);
    }
    if let Some(not_before) = fault.not_before {
        members.int("not_before", not_before);
    }
    if let Some(max) = max {
        members.int("max", max);
    }
    members.close();
    true
}

fn read_retry(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
    let Some(value) = value else { return false };
    let Some(kind) = value.get("kind").and_then(Value::as_str).and_then(|it| RetryKind::parse(&it))
    else {
        return false;
    };
    let int = |key| value.get(key).and_then(Value::as_u64);
    let max = int("max").and_then(|it| u32::try_from(it).ok());
    fault.retry = Retry { kind, after_ms: int("after_ms"), max };
    fault.not_before = int("not_before");
    true
}

fn write_context(fault: &Fault, out: &mut String) -> bool {
    if fault.context == Context::default() {
        return false;
    }
    let mut members = Members::open(out);
    for (name, value) in Context::NAMES.into_iter().zip(fault.context.members()) {
        members.opt_str(name, value.as_deref());
    }
    members.close();
    true
}

fn read_context(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
    let Some(value) = value else { return set(&mut fault.context, Context::default()) };
    if value.kind() != Kind::Object {
        return false;
    }
    for (name, slot) in Context::NAMES.into_iter().zip(fault.context.members_mut()) {
        match value.get(name) {
            None => *slot = None,
            Some(value) => *slot = value.as_str().map(Cow::into_owned),
        }
    }
    true
}

fn write_ledger(fault: &Fault, out: &mut String) -> bool {
    let Some(Receipt { seq, hash }) = &fault.ledger else { return false };
    let mut members = Members::open(out);
    members.int("seq", *seq).str("hash", hash);
    members.close();
    true
}

fn read_ledger(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
    let Some(value) = value else { return set(&mut fault.ledger, None) };
    let seq = value.get("seq").and_then(Value::as_u64);
    let hash = value.get("hash").and_then(Value::as_str);
    match (seq, hash) {
        (Some(seq), Some(hash)) => {
            set(&mut fault.ledger, Some(Receipt { seq, hash: hash.into_owned() }))
        }
        _ => false,
    }
}

fn write_extra(fault: &Fault, out: &mut String) -> bool {
    if fault.extra.is_empty() {
        return false;
    }
    let mut members = Members::open(out);
    for (pointer, value) in &fault.extra {
        members.raw(pointer, value.as_str());
    }
    members.close();
    true
}

fn read_extra(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
    let Some(value) = value else { return set(&mut fault.extra, Vec::new()) };
    if value.kind() != Kind::Object {
        return false;
    }
    let pair = |(key, value): (Value<'_>, Value<'_>)| {
        (key.as_str().unwrap_or_default().into_owned(), RawJson::from(value))
    };
    fault.extra = value.members().map(pair).collect();
    true
}
