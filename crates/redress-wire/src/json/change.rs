//! A document with some of its texts changed.

use super::{Kind, Members, RawJson, Value, write_list, write_str};

/// Says what a text becomes, and whether it is a key; `None` if it stays.
type Change<'c> = dyn Fn(&str, bool) -> Option<String> + 'c;

/// A document with changed texts; `None` if all of them stay.
pub fn changed(value: Value<'_>, change: &Change<'_>) -> Option<RawJson> {
    let mut out = String::new();
    write(value, change, &mut out).then(|| RawJson::written(out))
}

/// Whether two documents have the same names and values in the same order, however their texts are spelled.
pub fn is_same(a: Value<'_>, b: Value<'_>) -> bool {
    match (a.kind(), b.kind()) {
        (Kind::Object, Kind::Object) => {
            let mut others = b.members();
            let is_next = |(key, value): (Value<'_>, Value<'_>)| {
                others.next().is_some_and(|it| is_same(key, it.0) && is_same(value, it.1))
            };
            a.members().all(is_next) && others.next().is_none()
        }
        (Kind::Array, Kind::Array) => {
            let mut others = b.elements();
            a.elements().all(|it| others.next().is_some_and(|other| is_same(it, other)))
                && others.next().is_none()
        }
        (Kind::String, Kind::String) => a.as_str() == b.as_str(),
        _ => a.raw() == b.raw(),
    }
}

/// Writes a value, and says whether it changed. Documents nest at most 64 deep.
fn write(value: Value<'_>, change: &Change<'_>, out: &mut String) -> bool {
    let mut is_changed = false;
    match value.kind() {
        Kind::Object => {
            let mut members = Members::open(out);
            for (key, it) in value.members() {
                let key = key.as_str().unwrap_or_default();
                let other = change(&key, true);
                is_changed |= other.is_some();
                is_changed |= write(it, change, members.key(other.as_deref().unwrap_or(&key)));
            }
            members.close();
        }
        Kind::Array => {
            write_list(out, value.elements(), |it, out| is_changed |= write(it, change, out));
        }
        Kind::String => {
            let text = value.as_str().unwrap_or_default();
            let other = change(&text, false);
            is_changed = other.is_some();
            write_str(out, other.as_deref().unwrap_or(&text));
        }
        Kind::Number | Kind::Bool | Kind::Null => out.push_str(value.raw()),
    }
    is_changed
}
