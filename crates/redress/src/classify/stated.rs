//! Tier one: what a server states. A code that its contract has is taken; a known dialect's code is read in `core`.

pub(super) mod statements;
mod words;

use std::sync::Arc;

use redress_registry::{Class, Effect, Entry, Registry, RetryKind, plugin, shipped};

use words::Words;

use super::prose;
use crate::{Dialect, Fault, Lookup, OwnEnvelope, Stated, codes, dialect::own, text};
use redress_wire::json::{Kind, Value};

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
    /// All of it, in a dialect.
    pub(super) own: Option<Own>,
    /// A plugin's code that is no code of the contract, where a code of `core` represents it.
    pub(super) foreign: Option<String>,
}

/// An envelope of a dialect with a code of the server's contract.
#[derive(Debug)]
pub(super) struct Own {
    fault: Box<Fault>,
    envelope: OwnEnvelope,
}

impl Own {
    fn read(dialect: Dialect, doc: Value<'_>, fault: &Fault) -> Option<Self> {
        let envelope = own::keep(dialect, doc)?;
        Some(Self { fault: Box::new(fault.clone()), envelope })
    }

    /// Takes over what the server states of a code that no registry describes.
    pub(super) fn describe(&self, raised: &mut Fault) {
        if raised.entry().class == Class::Unknown && raised.entry() == self.fault.entry() {
            (raised.class, raised.http) = (self.fault.class, self.fault.http);
        }
    }

    /// Lets a trusted server speak for itself: the fault is what it stated, with what only we know.
    pub(super) fn replace(&self, raised: &mut Fault, stated: Stated) {
        let mut fault = Fault::clone(&self.fault);
        let stated = stated.and(Stated::of_fault(&fault));
        fault.effect = if self.envelope.has_effect { fault.effect } else { raised.effect };
        if !self.envelope.has_next_actions() {
            fault.next_actions = std::mem::take(&mut raised.next_actions);
        }
        for text in [&mut fault.message, &mut fault.hint] {
            if text::misleads(text) {
                *text = text::strip(text);
            }
        }
        let ours = &raised.context;
        fault.context.tool = ours.tool.clone().or(fault.context.tool);
        fault.context.fill_absent(ours);
        (fault.origin, fault.basis) = (raised.origin, raised.basis);
        fault.elapsed_ms = raised.elapsed_ms;
        fault.server_text = None;
        fault.private = std::mem::take(&mut raised.private);
        fault.private.stack = fault.stack.take().or(fault.private.stack.take());
        fault.private.own = Some(self.envelope.clone());
        stated.limit(&mut fault);
        *raised = fault;
    }
}

/// Reads an object that may be an envelope: in a dialect that we know, else with a code of the contract.
pub(super) fn read(envelope: Value<'_>, registry: &Registry) -> Option<Known> {
    if envelope.kind() != Kind::Object {
        return None;
    }
    in_a_dialect(envelope, registry).or_else(|| own_code(envelope, registry))
}

/// Reads an envelope whose code is one of the server's own contract, in whichever dialect has its form.
pub(super) fn in_contract(document: Value<'_>, registry: &Registry) -> Option<Known> {
    Dialect::detected().into_iter().find_map(|dialect| {
        let row = dialect.row_in(document, registry).filter(|it| is_servers(it, registry))?;
        let fault = dialect.filled(document, row)?;
        let (waits, stated) = (fault.retry.after_ms, Stated::of_fault(&fault));
        let own = Own::read(dialect, document, &fault);
        let words = Words::of_fault(fault);
        Some(Known { waits, stated, own, ..taken(dialect.rule(), row, words) })
    })
}

/// Whether a row is one of the server itself. Those of `core` are every server's, so that they prove nothing about this one.
fn is_servers(row: &Entry, registry: &Registry) -> bool {
    !is_core(registry) || row.registry != registry.name
}

fn is_core(registry: &Registry) -> bool {
    registry.name == shipped::core().name
}

/// Reads the envelope of the open proposal, from the member that it has for it.
pub(super) fn tool_failure(envelope: Value<'_>, registry: &Registry) -> Option<Known> {
    in_contract(envelope, registry).or_else(|| {
        let dialect = Dialect::ToolFailure;
        let fault = dialect.read_value(envelope, &Lookup::shipped()).ok()?;
        Some(in_core(dialect.rule(), dialect, &fault))
    })
}

/// Reads an envelope whose dialect leaves no doubt.
pub(super) fn in_a_dialect(document: Value<'_>, registry: &Registry) -> Option<Known> {
    if document.kind() != Kind::Object {
        return None;
    }
    if let Some(known) = in_contract(document, registry) {
        return Some(known);
    }
    let lookup = Lookup::shipped();
    let dialect = match document.get("v").and_then(Value::as_u64) {
        Some(1) => Dialect::Native,
        _ => Dialect::detect(document, &lookup).ok()?,
    };
    // Any server can write a `code`; without the rest it is not an envelope.
    let is_bare = dialect == Dialect::Native && document.get("v").is_none();
    if is_bare || dialect == Dialect::ToolFailure {
        return None;
    }
    let id = dialect.rule();
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
        // A contract of a server with plugins leaves the codes of theirs open.
        None if !is_core(registry) && plugin::is_unregistered(fault.entry()) => {
            let own = Own::read(dialect, document, &fault);
            let code = fault.code().to_owned();
            Known { code, own, foreign: None, ..in_core(id, dialect, &fault) }
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

/// A number of the contract.
pub(super) fn numbered(number: i64, registry: &Registry) -> Option<Known> {
    if is_core(registry) || number <= 0 {
        return None;
    }
    let row = registry.own().find(|it| it.number.map(i64::from) == Some(number))?;
    Some(taken("contract.number", row, Words::default()))
}

fn named<'r>(code: &str, registry: &'r Registry) -> Option<&'r Arc<Entry>> {
    let is_spelled = |it: &&Arc<Entry>| {
        it.alias.iter().any(|it| it.spellings.iter().any(|it| !code.is_empty() && it == code))
    };
    let row = registry.get(code).or_else(|| registry.own().find(is_spelled));
    row.filter(|it| is_servers(it, registry))
}

fn taken(id: &'static str, row: &Arc<Entry>, words: Words) -> Known {
    let (code, stated) = (row.code.to_string(), Stated::default());
    let (retry, effect, waits, own, foreign) = (None, None, None, None, None);
    Known { id, code, retry, effect, waits, stated, words, own, foreign }
}

/// The code of `core` that represents a dialect's own: the one it is an alias of, else one of its class.
fn in_core(id: &'static str, dialect: Dialect, fault: &Fault) -> Known {
    let row = fault.entry();
    let spelling = dialect.spelling(row);
    let is_it = |it: &&Arc<Entry>| it.spelling(dialect.name()) == Some(&*spelling);
    let core = shipped::core().codes.values().find(is_it);
    let is_unregistered = plugin::is_unregistered(row);
    let class = if is_unregistered { fault.class } else { row.class };
    let code = core.map_or_else(|| of_class(class).to_owned(), |it| it.code.to_string());
    Known {
        id,
        code,
        retry: Some(fault.retry.kind),
        effect: Some(row.effect),
        waits: fault.retry.after_ms,
        stated: Stated::of_fault(fault),
        words: Words::default(),
        own: None,
        foreign: is_unregistered.then(|| fault.code().to_owned()),
    }
}

const fn of_class(class: Class) -> &'static str {
    match class {
        Class::PermissionDenied => codes::INSUFFICIENT_PERMISSIONS.name(),
        class => prose::of_class(class).name(),
    }
}
