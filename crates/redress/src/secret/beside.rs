//! What a text of a document hides beside it: `{"name": "password", "value": "…"}`, `["--password", "…"]`, `["x-api-key", "…"]`.

use std::borrow::Cow;

use super::{Hidden, is_wordlike};
use crate::json::Value;

/// Keys of a text that names what stands beside it.
const NAME_KEYS: &[&str] =
    &["name", "key", "header", "variable", "field", "param", "parameter", "k"];

/// Keys of what stands beside a name that is a text itself.
pub(super) const VALUE_KEYS: &[&str] = &["value", "val", "default", "content", "plaintext"];

/// The members of an object with their keys, and how a text beside them hides them.
pub fn members(
    object: Value<'_>,
) -> impl Iterator<Item = (Cow<'_, str>, Value<'_>, Option<Hidden>)> {
    let named = named(object);
    object.members().map(move |(key, value)| {
        let key = key.as_str().unwrap_or_default();
        let hidden = named.filter(|_| is_one_of(&key, VALUE_KEYS));
        (key, value, hidden)
    })
}

/// The elements of a list, and how the text before them hides them. A name may as well be one of several.
pub fn elements(list: Value<'_>) -> impl Iterator<Item = (Value<'_>, Option<Hidden>)> {
    let (mut after_flag, mut after_name) = (None, None);
    list.elements().map(move |value| {
        let text = value.as_str();
        let is_value = text.as_deref().is_some_and(|it| !is_wordlike(it));
        let hidden = after_flag.or_else(|| after_name.filter(|_| is_value));
        after_flag = text.as_deref().and_then(|it| Hidden::by(it.strip_prefix("--")?));
        after_name = text.as_deref().filter(|it| is_name(it)).and_then(Hidden::by);
        (value, hidden)
    })
}

/// What the name hides that is a text of this object.
fn named(object: Value<'_>) -> Option<Hidden> {
    let names = object
        .members()
        .filter(|(key, _)| key.as_str().is_some_and(|it| is_one_of(&it, NAME_KEYS)));
    names.filter_map(|it| it.1.as_str()).filter(|it| is_name(it)).find_map(|it| Hidden::by(&it))
}

fn is_one_of(key: &str, keys: &[&str]) -> bool {
    keys.iter().any(|it| it.eq_ignore_ascii_case(key))
}

/// Whether a text can be the name of a header or a variable.
fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.'))
}
