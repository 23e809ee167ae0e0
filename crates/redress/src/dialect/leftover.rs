//! What a reader did not take from a document: whatever our own writer would not write again, so nothing is lost silently.

use super::{Dialect, Loss, LossKind, RESIDUE, Stamp};
use crate::fault::Fault;
use redress_wire::json::{Doc, Kind, Limits, RawJson, Value, pointer_step};

/// The members of `doc` that `fault`, which was read from it, does not hold, by JSON pointer.
pub(super) fn find(dialect: Dialect, doc: Value<'_>, fault: &Fault) -> Vec<(String, RawJson)> {
    let shape = dialect.shape();
    let residue = shape.residue(doc).map(Value::raw).unwrap_or_default();
    let mut again = String::with_capacity(doc.raw().len() + 64);
    shape.write(fault, Stamp::default(), residue, &mut again);
    let mut found = Vec::new();
    if again != doc.raw() {
        let unlimited = Limits { bytes: usize::MAX, nesting: usize::MAX };
        if let Ok(written) = Doc::parse(again.as_bytes(), unlimited) {
            compare(doc, written.root(), &mut String::new(), &mut found);
        }
    }
    found
}

/// The members of `written` that are null and that `doc` has not.
pub(super) fn stand_ins(doc: Value<'_>, written: Value<'_>) -> Vec<Loss> {
    let keys = written.members().filter(|(_, value)| value.is_null());
    let keys = keys.filter_map(|(key, _)| key.as_str()).filter(|it| doc.get(it).is_none());
    keys.map(|it| Loss { path: format!("/{}", pointer_step(&it)), kind: LossKind::Invented })
        .collect()
}

/// Notes every value of `read` that is not in `written`. The nesting of a document bounds the depth.
fn compare(
    read: Value<'_>,
    written: Value<'_>,
    pointer: &mut String,
    found: &mut Vec<(String, RawJson)>,
) {
    if read.raw() == written.raw() {
        return;
    }
    match (read.kind(), written.kind()) {
        (Kind::Object, Kind::Object) => {
            let mut known: Vec<_> =
                written.members().filter_map(|(key, value)| Some((key.as_str()?, value))).collect();
            known.sort_by(|(a, _), (b, _)| a.cmp(b));
            for (key, value) in read.members() {
                let key = key.as_str().unwrap_or_default();
                if key == RESIDUE {
                    continue;
                }
                let there = known.binary_search_by(|(it, _)| it.cmp(&key)).ok();
                let there = there.and_then(|at| known.get(at)).map(|(_, value)| *value);
                descend(value, there, &pointer_step(&key), pointer, found);
            }
        }
        (Kind::Array, Kind::Array) => {
            let mut known = written.elements();
            for (at, value) in read.elements().enumerate() {
                descend(value, known.next(), &at.to_string(), pointer, found);
            }
        }
        (Kind::String, Kind::String) if read.as_str() == written.as_str() => (),
        _ => found.push((pointer.clone(), read.into())),
    }
}

fn descend(
    read: Value<'_>,
    written: Option<Value<'_>>,
    step: &str,
    pointer: &mut String,
    found: &mut Vec<(String, RawJson)>,
) {
    let len = pointer.len();
    pointer.push('/');
    pointer.push_str(step);
    match written {
        Some(written) => compare(read, written, pointer, found),
        None => found.push((pointer.clone(), read.into())),
    }
    pointer.truncate(len);
}
