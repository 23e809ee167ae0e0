//! How far a mirror is, in a file beside its ledgers. Without it, or with another one, the mirror begins anew.

use std::{fs, path::Path};

use redress_ledger::Hash;
use serde_json::{Value, json};

use super::{ChainCopy, Mirror, StreamFinding, StreamGap};
use crate::{error::FleetError, message::Missing};

const FORMAT: &str = "redress-mirror/1";
const FILE: &str = "mirror.json";

/// Writes it whole.
pub(super) fn write(mirror: &Mirror) -> Result<(), FleetError> {
    let chains = mirror.chains.iter().map(|((node, chain), it)| {
        json!({
            "node": node, "chain": chain, "next": it.next, "head": it.head.to_string(),
            "segment": it.segment, "bytes": it.bytes,
        })
    });
    let findings = mirror.findings.iter().map(|it| {
        json!({
            "sequence": it.sequence, "node": it.node, "chain": it.chain, "seq": it.seq,
            "why": it.why,
        })
    });
    let gaps = mirror.gaps.iter().map(|it| {
        let Missing { first, last, head, why } = &it.missing;
        json!({
            "node": it.node, "chain": it.chain, "first": first, "last": last,
            "head": head.to_string(), "why": why,
        })
    });
    let state = json!({
        "format": FORMAT,
        "created": mirror.created,
        "sequence": mirror.sequence,
        "chains": chains.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
        "gaps": gaps.collect::<Vec<_>>(),
    });
    let (path, draft) = (mirror.dir.join(FILE), mirror.dir.join(format!("{FILE}.new")));
    fs::write(&draft, state.to_string()).map_err(FleetError::file(&draft))?;
    fs::rename(&draft, &path).map_err(FleetError::file(&path))
}

/// Reads it; `None` if there is none that can be used.
pub(super) fn read(dir: &Path) -> Option<Mirror> {
    let state = fs::read(dir.join(FILE)).ok()?;
    let state: Value = serde_json::from_slice(&state).ok()?;
    if state.get("format")?.as_str()? != FORMAT {
        return None;
    }
    let mut mirror = Mirror::empty(dir);
    state.get("created")?.as_str()?.clone_into(&mut mirror.created);
    mirror.sequence = state.get("sequence")?.as_u64()?;
    for it in state.get("chains")?.as_array()? {
        let copy = ChainCopy {
            next: number(it, "next")?,
            head: Hash::parse(it.get("head")?.as_str()?)?,
            segment: number(it, "segment")?.try_into().ok()?,
            bytes: number(it, "bytes")?,
            file: None,
        };
        mirror.chains.insert((text(it, "node")?, text(it, "chain")?), copy);
    }
    for it in state.get("findings")?.as_array()? {
        mirror.findings.push(StreamFinding {
            sequence: number(it, "sequence")?,
            node: text(it, "node")?,
            chain: text(it, "chain")?,
            seq: it.get("seq").and_then(Value::as_u64),
            why: text(it, "why")?,
        });
    }
    for it in state.get("gaps")?.as_array()? {
        let missing = Missing {
            first: number(it, "first")?,
            last: number(it, "last")?,
            head: Hash::parse(it.get("head")?.as_str()?)?,
            why: text(it, "why")?,
        };
        let (node, chain) = (text(it, "node")?, text(it, "chain")?);
        mirror.gaps.push(StreamGap { node, chain, missing });
    }
    Some(mirror)
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key)?.as_u64()
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}
