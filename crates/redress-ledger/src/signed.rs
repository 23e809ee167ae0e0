//! What a signed record says, and whose signature is under it.

use redress_wire::json::{Doc, Value};

use crate::{
    LINE_LIMITS,
    hash::Hash,
    record::{Head, Kind, RecordLine},
    sign::{PublicKey, Statement},
};

/// A segment that a record says was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pruned {
    pub chain: String,
    pub segment: u32,
    /// The number of the record behind it, and the hash of its last one.
    pub next_seq: u64,
    pub head: Hash,
    /// Who signed that.
    pub by: PublicKey,
}

impl Pruned {
    /// The end of the chain before what is left of it.
    pub(crate) const fn end(&self) -> Head {
        Head { next: self.next_seq, hash: self.head }
    }
}

/// Who signed that checkpoint of a chain; `None` if the signature is not over the records before it.
pub(crate) fn signer_of_checkpoint(
    line: &RecordLine<'_>,
    object: Value<'_>,
    chain: &str,
) -> Option<PublicKey> {
    let count = object.get("count")?.as_u64().filter(|it| *it == line.seq)?;
    object.get("head").filter(|it| it.is_str(&line.prev.to_string()))?;
    signer(object, &Statement::Checkpoint { chain, count, head: line.prev })
}

/// The same of a line by itself, which may be no checkpoint at all.
pub(crate) fn signer_of_line(line: &RecordLine<'_>, chain: &str) -> Option<PublicKey> {
    let doc = Doc::parse(line.text.as_bytes(), LINE_LIMITS).ok()?;
    let object =
        doc.root().get(Kind::Checkpoint.name()).filter(|_| line.kind == Kind::Checkpoint)?;
    signer_of_checkpoint(line, object, chain)
}

/// Whether a checkpoint is the last record of a chain that was closed or repaired.
pub(crate) fn is_closing(line: &RecordLine<'_>) -> bool {
    let ends = |why: &str| line.text.contains(why);
    line.kind == Kind::Checkpoint && (ends("\"why\":\"stop\"") || ends("\"why\":\"recovered\""))
}

/// What was removed; `None` if that is not signed.
pub(crate) fn pruned(object: Value<'_>) -> Option<Pruned> {
    let number = |key| object.get(key).and_then(Value::as_u64);
    let chain = object.get("chain")?.as_str()?;
    let (segment, next_seq) = (number("segment")?.try_into().ok()?, number("next_seq")?);
    let head = Hash::parse(&object.get("head")?.as_str()?)?;
    let by = signer(object, &Statement::Prune { chain: &chain, segment, next_seq, head })?;
    Some(Pruned { chain: chain.into_owned(), segment, next_seq, head, by })
}

/// The key that a record names, if it signed the statement.
fn signer(object: Value<'_>, statement: &Statement<'_>) -> Option<PublicKey> {
    let text = |key| object.get(key).and_then(Value::as_str);
    let key = PublicKey::parse(&text("key")?)?;
    key.has_signed(statement, &text("sig")?).then_some(key)
}
