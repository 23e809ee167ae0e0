//! Envelopes in an answer: a code that the server's contract has is taken; a known dialect's code is read in `core`.

use std::sync::Arc;

use redress_registry::{Class, Effect, Entry, Registry, RetryKind, shipped};

use super::words::Words;
use crate::{
    Dialect, Fault, Lookup, Stated, codes,
    json::{Kind, Value},
};

/// What an envelope says, in words of the contract or of `core`.
#[derive(Debug)]
pub(super) struct Known {
    /// The rule that names it.
    pub(super) id: &'static str,
    /// The row to raise.
    pub(super) code: String,
    /// When to call again, where the row to raise says otherwise.
    pub(super) retry: Option<RetryKind>,
    /// Whether something may have changed, where the row to raise says otherwise.
    pub(super) effect: Option<Effect>,
    /// How long the server asks to wait.
    pub(super) waits: Option<u64>,
    /// What the dialect's reader found stated about retry and effect.
    pub(super) stated: Stated,
    /// What the server says of a code of its contract.
    pub(super) words: Words,
}

/// Reads an object that may be an envelope: in a dialect that we know, else with a code of the contract.
pub(super) fn read(envelope: Value<'_>, registry: &Registry) -> Option<Known> {
    if envelope.kind() != Kind::Object {
        return None;
    }
    in_a_dialect(envelope, registry).or_else(|| own_code(envelope, registry))
}

/// Reads an envelope whose dialect leaves no doubt.
pub(super) fn in_a_dialect(document: Value<'_>, registry: &Registry) -> Option<Known> {
    if document.kind() != Kind::Object {
        return None;
    }
    let lookup = Lookup::shipped();
    let dialect = match document.get("v").and_then(Value::as_u64) {
        Some(1) => Dialect::Native,
        _ => Dialect::detect(document, &lookup).ok()?,
    };
    let id = match dialect {
        Dialect::Native if document.get("v").is_some() => "dialect.native",
        Dialect::AtlasGate => "dialect.atlas-gate",
        Dialect::Workrail => "dialect.workrail",
        Dialect::Stagewright => "dialect.stagewright",
        Dialect::Mailvault => "dialect.mailvault",
        Dialect::Rpc => "dialect.rpc",
        // Any server can write a `code`; without the rest it is not an envelope.
        Dialect::Native | Dialect::ToolFailure => return None,
    };
    if dialect == Dialect::Native {
        let code = document.get("code")?.as_str()?;
        if let Some(row) = registry.get(&code) {
            let words = dialect.filled(document, row).map(Words::of_fault);
            return Some(taken(id, row, words.unwrap_or_default()));
        }
    }
    if dialect == Dialect::Rpc && is_protocol(document) {
        return None;
    }
    let fault = dialect.read_value(document, &lookup).ok()?;
    Some(match registry.get(fault.code()) {
        Some(row) => {
            let (waits, stated) = (fault.retry.after_ms, Stated::of_fault(&fault));
            Known { waits, stated, ..taken(id, row, Words::of_fault(fault)) }
        }
        None => in_core(id, dialect, &fault),
    })
}

/// JSON-RPC's own numbers say too little; the words decide.
fn is_protocol(document: Value<'_>) -> bool {
    document.path(&["error", "code"]).and_then(Value::as_i64).is_none_or(|it| it < 0)
}

/// A code of the server's contract, by name, by spelling or by number.
fn own_code(envelope: Value<'_>, registry: &Registry) -> Option<Known> {
    const PLACES: [&[&str]; 5] =
        [&["code"], &["error_code"], &["error"], &["error", "code"], &["symbol"]];
    let mut found = PLACES.iter().filter_map(|it| envelope.path(it)?.as_str());
    let row = found.find_map(|it| named(&it, registry))?;
    Some(taken("contract.code", row, Words::of_object(envelope)))
}

/// A code of the contract before the text: `[CODE] text` or `CODE: text`.
pub(super) fn before_text(text: &str, registry: &Registry) -> Option<Known> {
    let text = text.trim_start();
    let (code, rest) = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => text.split_once(':')?,
    };
    named(code, registry).map(|row| taken("contract.code", row, Words::of_text(rest)))
}

/// A number of the contract. `core` is every server's, so its numbers prove nothing about this one.
pub(super) fn numbered(number: i64, registry: &Registry) -> Option<Known> {
    if &*registry.name == "core" || number <= 0 {
        return None;
    }
    let row = registry.own().find(|it| it.number.map(i64::from) == Some(number))?;
    Some(taken("contract.number", row, Words::default()))
}

fn named<'r>(code: &str, registry: &'r Registry) -> Option<&'r Arc<Entry>> {
    if &*registry.name == "core" || code.is_empty() {
        return None;
    }
    registry.get(code).or_else(|| {
        registry.own().find(|it| it.alias.iter().any(|it| it.spellings.iter().any(|it| it == code)))
    })
}

fn taken(id: &'static str, row: &Arc<Entry>, words: Words) -> Known {
    let (code, stated) = (row.code.to_string(), Stated::default());
    Known { id, code, retry: None, effect: None, waits: None, stated, words }
}

/// The code of `core` that stands for a dialect's own: the one it is an alias of, else one of its class.
fn in_core(id: &'static str, dialect: Dialect, fault: &Fault) -> Known {
    let row = fault.entry();
    let spelling = dialect.spelling(row);
    let is_it = |it: &&Arc<Entry>| it.spelling(dialect.name()) == Some(&*spelling);
    let core = shipped::core().codes.values().find(is_it);
    let code = core.map_or_else(|| of_class(row.class).to_owned(), |it| it.code.to_string());
    Known {
        id,
        code,
        retry: Some(fault.retry.kind),
        effect: Some(row.effect),
        waits: fault.retry.after_ms,
        stated: Stated::of_fault(fault),
        words: Words::default(),
    }
}

const fn of_class(class: Class) -> &'static str {
    match class {
        Class::Cancelled => codes::CANCELLED.name(),
        Class::Unknown => codes::UNKNOWN_TOOL_FAILURE.name(),
        Class::InvalidArgument | Class::OutOfRange => codes::INVALID_INPUT_VALUE.name(),
        Class::DeadlineExceeded => codes::TIMEOUT.name(),
        Class::NotFound => codes::NOT_FOUND.name(),
        Class::AlreadyExists => codes::ALREADY_EXISTS.name(),
        Class::PermissionDenied => codes::INSUFFICIENT_PERMISSIONS.name(),
        Class::ResourceExhausted => codes::LIMIT_EXCEEDED.name(),
        Class::FailedPrecondition | Class::Aborted => codes::CONFLICT.name(),
        Class::Unimplemented => codes::UNSUPPORTED.name(),
        Class::Internal | Class::DataLoss => codes::INTERNAL_ERROR.name(),
        Class::Unavailable => codes::UPSTREAM_UNAVAILABLE.name(),
        Class::Unauthenticated => codes::AUTH_REQUIRED.name(),
    }
}
