//! The envelope that a trusted server wrote itself. Clients of the same dialect get it byte for byte.

use crate::{
    Dialect, Fault,
    dialect::Stamp,
    fault::{ATTEMPTS, OwnEnvelope},
};
use redress_wire::json::{Doc, Limits, Members, RawJson, Value};

/// Keeps the text of a document.
pub(crate) fn keep(dialect: Dialect, doc: Value<'_>) -> Option<OwnEnvelope> {
    let doc = match dialect {
        Dialect::Rpc => doc.get("error")?,
        _ => doc,
    };
    let kept = dialect.keeps();
    let has_place = |path: &str| {
        dialect == Dialect::Native || kept.whole.contains(&path) || kept.weakened.contains(&path)
    };
    Some(OwnEnvelope {
        dialect: dialect.name(),
        text: doc.raw().to_owned(),
        has_effect: has_place("/effect"),
        has_next_actions: has_place("/next_actions"),
    })
}

/// The text, for a client of the same dialect. Our own envelope is always written anew: it has our time and receipt.
pub(crate) fn text(own: &OwnEnvelope, dialect: Dialect) -> Option<&str> {
    (own.dialect == dialect.name() && dialect != Dialect::Native).then_some(&*own.text)
}

/// Whether the envelope may be sent, and says what the fault says now.
pub(crate) fn is_unchanged(
    own: &OwnEnvelope,
    fault: &Fault,
    may_be_told: impl FnOnce(Value<'_>) -> bool,
) -> bool {
    let Some(dialect) = Dialect::parse(own.dialect) else { return false };
    let document = match dialect {
        Dialect::Rpc => format!("{{\"error\":{}}}", own.text),
        _ => own.text.clone(),
    };
    let Ok(doc) = Doc::parse(document.as_bytes(), Limits::DOCUMENT) else { return false };
    if !may_be_told(doc.root()) {
        return false;
    }
    let Some(mut stated) = dialect.filled(doc.root(), fault.entry()) else { return false };
    // Who asked, when and for how long: the gate knows that better, and says so in its own envelope.
    stated.context.server.clone_from(&fault.context.server);
    stated.context.tool.clone_from(&fault.context.tool);
    stated.context.request_id.clone_from(&fault.context.request_id);
    stated.context.fill_absent(&fault.context);
    stated.timestamp.clone_from(&fault.timestamp);
    stated.elapsed_ms = fault.elapsed_ms;
    stated.rpc_id.clone_from(&fault.rpc_id);
    stated.extra.clear();
    let mut told = fault.clone();
    told.details = without_attempts(&stated, fault);
    let written = |fault: &Fault| dialect.write(fault, Stamp::default());
    written(&stated) == written(&told)
}

/// The details without the number of attempts, which the gate adds.
fn without_attempts(stated: &Fault, told: &Fault) -> Option<RawJson> {
    let has = |fault: &Fault| fault.details.as_ref()?.with(|it| it.get(ATTEMPTS).is_some());
    if has(told) != Some(true) || has(stated) == Some(true) {
        return told.details.clone();
    }
    let rest = told.details.as_ref()?.with(|it| {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        for (key, value) in it.members().filter(|(key, _)| !key.is_str(ATTEMPTS)) {
            members.raw(&key.as_str().unwrap_or_default(), value.raw());
        }
        members.close();
        RawJson::written(out)
    });
    rest.filter(|it| stated.details.is_some() || it.as_str() != "{}")
}
