//! How the values of a fault's members are written and read.

use std::borrow::Cow;

use redress_registry::{Retry, RetryKind};

use crate::fault::{Context, Fault, Receipt};
use redress_wire::json::{Kind, Members, RawJson, Value, write_int, write_str};

pub(super) fn set<T>(slot: &mut T, value: T) -> bool {
    *slot = value;
    true
}

pub(super) fn opt_str(out: &mut String, value: Option<&str>) {
    if let Some(value) = value {
        write_str(out, value);
    }
}

pub(super) fn opt_int(out: &mut String, value: Option<u64>) {
    if let Some(value) = value {
        write_int(out, value.into());
    }
}

pub(super) fn raw(out: &mut String, value: Option<&RawJson>) {
    out.push_str(value.map_or("null", RawJson::as_str));
}

pub(super) fn text(slot: &mut String, value: Option<Value<'_>>) -> bool {
    value.and_then(Value::as_str).is_some_and(|it| set(slot, it.into_owned()))
}

pub(super) fn opt_text(slot: &mut Option<String>, value: Option<Value<'_>>) -> bool {
    match value {
        None => set(slot, None),
        Some(value) => value.as_str().is_some_and(|it| set(slot, Some(it.into_owned()))),
    }
}

pub(super) fn opt_u64(slot: &mut Option<u64>, value: Option<Value<'_>>) -> bool {
    match value {
        None => set(slot, None),
        Some(value) => value.as_u64().is_some_and(|it| set(slot, Some(it))),
    }
}

pub(super) fn named<T>(
    slot: &mut T,
    value: Option<Value<'_>>,
    parse: fn(&str) -> Option<T>,
) -> bool {
    value.and_then(Value::as_str).and_then(|it| parse(&it)).is_some_and(|it| set(slot, it))
}

pub(super) fn opt_named<T>(
    slot: &mut Option<T>,
    value: Option<Value<'_>>,
    parse: fn(&str) -> Option<T>,
) -> bool {
    let Some(value) = value else { return set(slot, None) };
    value.as_str().and_then(|it| parse(&it)).is_some_and(|it| set(slot, Some(it)))
}

pub(super) fn elements<T>(
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

pub(super) fn write_retry(fault: &Fault, out: &mut String) {
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
}

pub(super) fn read_retry(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
    fault.unsaid.retry = value.is_none();
    let Some(value) = value else { return true };
    let rule = rule_of(value);
    // What we do not understand must not make anybody repeat a call.
    let never = (Retry::of(RetryKind::Never), None);
    (fault.retry, fault.not_before) = rule.unwrap_or(never);
    rule.is_some()
}

/// The rule and the earliest time of a repeat, if all of it can be understood.
fn rule_of(value: Value<'_>) -> Option<(Retry, Option<u64>)> {
    let kind = RetryKind::parse(&value.get("kind")?.as_str()?)?;
    let time = |key| opt_delay(value.get(key)).ok();
    let max = match value.get("max").filter(|it| !it.is_null()) {
        Some(max) => Some(u32::try_from(max.as_u64()?).ok()?),
        None => None,
    };
    Some((Retry { kind, after_ms: time("after_ms")?, max }, time("not_before")?))
}

/// Something else is where a time to wait should.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoDelay;

/// A time to wait that may be absent or null.
pub(crate) fn opt_delay(value: Option<Value<'_>>) -> Result<Option<u64>, NoDelay> {
    match value.filter(|it| !it.is_null()) {
        Some(value) => delay(value).map(Some).ok_or(NoDelay),
        None => Ok(None),
    }
}

/// A time to wait in whole units, rounded up; `None` for one that is negative or beyond all measure.
fn delay(value: Value<'_>) -> Option<u64> {
    value.as_u64().or_else(|| {
        let (whole, fraction) = value.raw().split_once('.')?;
        let is_plain = fraction.bytes().all(|it| it.is_ascii_digit());
        let more = fraction.bytes().any(|it| it != b'0');
        whole.parse::<u64>().ok().filter(|_| is_plain)?.checked_add(more.into())
    })
}

pub(super) fn write_context(fault: &Fault, out: &mut String) {
    let mut members = Members::open(out);
    for (name, value) in Context::NAMES.into_iter().zip(fault.context.members()) {
        members.opt_str(name, value.as_deref());
    }
    members.close();
}

pub(super) fn read_context(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
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

pub(super) fn write_ledger(fault: &Fault, out: &mut String) {
    let Some(Receipt { seq, hash }) = &fault.ledger else { return };
    let mut members = Members::open(out);
    members.int("seq", *seq).str("hash", hash);
    members.close();
}

pub(super) fn read_ledger(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
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

pub(super) fn write_extra(fault: &Fault, out: &mut String) {
    let mut members = Members::open(out);
    for (pointer, value) in &fault.extra {
        members.raw(pointer, value.as_str());
    }
    members.close();
}

pub(super) fn read_extra(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
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

pub(super) fn same_retry(a: &Fault, b: &Fault) -> bool {
    a.retry == b.retry && a.says_retry() == b.says_retry()
}

pub(super) fn read_http(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
    match value.and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok()) {
        Some(http @ 100..=599) => set(&mut fault.http, http),
        _ => false,
    }
}

pub(super) fn write_number(fault: &Fault, out: &mut String) {
    match fault.number {
        Some(number) => write_int(out, number.into()),
        None => out.push_str("null"),
    }
}

pub(super) fn read_number(fault: &mut Fault, value: Option<Value<'_>>) -> bool {
    match value {
        None => false,
        Some(value) if value.is_null() => set(&mut fault.number, None),
        Some(value) => value.as_i64().is_some_and(|it| set(&mut fault.number, Some(it))),
    }
}
