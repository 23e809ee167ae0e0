//! What a text of a document hides beside it: `{"name": "password", "value": "…"}`, `["--password", "…"]`, `["x-api-key", "…"]`.

use std::borrow::Cow;

use super::{Hidden, is_wordlike};
use crate::json::Value;

/// Keys of a text that names what stands beside it.
const NAME_KEYS: &[&str] =
    &["name", "key", "header", "variable", "field", "param", "parameter", "k"];

/// Keys of what stands beside a name that is a text itself.
pub(super) const VALUE_KEYS: &[&str] = &["value", "val", "default", "content", "plaintext"];

/// Keys of where a validator found something, and of what it found there.
const PLACE_KEYS: &[&str] = &["loc", "path"];
const INPUT_KEYS: &[&str] = &["input", "received", "value"];

/// The members of a key in JSON that are not public.
const KEY_PARTS: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];

/// The members of an object with their keys, and how a text beside them hides them.
pub fn members(
    object: Value<'_>,
) -> impl Iterator<Item = (Cow<'_, str>, Value<'_>, Option<Hidden>)> {
    let (named, located) = (named(object), located(object));
    let is_key = object.get("kty").is_some_and(|it| it.as_str().is_some());
    object.members().map(move |(key, value)| {
        let key = key.as_str().unwrap_or_default();
        let by_name = named.filter(|_| is_one_of(&key, VALUE_KEYS));
        let by_place = located.filter(|_| is_one_of(&key, INPUT_KEYS));
        let of_key = || Hidden::by("private_key").filter(|_| is_key && KEY_PARTS.contains(&&*key));
        let hidden = by_name.or(by_place).or_else(of_key);
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

/// What the last name hides of the place that this object is about: `{"loc": ["body", "password"], …}`.
fn located(object: Value<'_>) -> Option<Hidden> {
    let mut places = object
        .members()
        .filter(|(key, _)| key.as_str().is_some_and(|it| is_one_of(&it, PLACE_KEYS)));
    places.find_map(|it| Hidden::by(&it.1.elements().last()?.as_str()?))
}

fn is_one_of(key: &str, keys: &[&str]) -> bool {
    keys.iter().any(|it| it.eq_ignore_ascii_case(key))
}

/// Whether a text can be the name of a header or a variable.
fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.'))
}
