//! What a telling name of a document hides: its value, and whatever is below it or beside it.

use std::borrow::Cow;

use super::{
    names::{Strength, strength},
    score::{Link, has_value, is_wordlike, is_worth_hiding},
};
use redress_wire::json::Value;

/// How a name hides what is at a place of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    strength: Strength,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the value of the name, or a part of that.
    Value,
    /// It says something of the value.
    Said,
    /// It is a measure of the value.
    Measure,
}

/// Keys of what schemas and validators say of a value, and of measures of it.
#[rustfmt::skip]
const DESCRIPTIONS: &[(Place, &[&str])] = &[
    (Place::Said, &[
        "type", "types", "kind", "format", "title", "description", "message", "messages", "msg", "reason", "code",
        "rule", "error", "errors", "_errors", "issues", "path", "loc", "location", "in", "field", "expected",
        "required", "scheme", "status", "scope", "scopes", "text",
    ]),
    (Place::Measure, &[
        "min", "max", "minimum", "maximum", "minlength", "maxlength", "length", "len", "size", "count", "limit",
        "total", "remaining", "expires", "expires_in", "ttl",
    ]),
];

/// Keys of a text that names what is beside it.
#[rustfmt::skip]
const NAME_KEYS: &[&str] = &["name", "key", "header", "variable", "field", "param", "parameter", "k"];

/// Keys of what is beside a name that is a text itself.
pub(super) const VALUE_KEYS: &[&str] = &["value", "val", "default", "content", "plaintext"];

/// Keys of where a validator found something, and of what it found there.
const PLACE_KEYS: &[&str] = &["loc", "path"];
const INPUT_KEYS: &[&str] = &["input", "received", "value"];

/// The members of a key in JSON that are not public.
const KEY_PARTS: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];

fn is_one_of(key: &str, keys: &[&str]) -> bool {
    keys.iter().any(|it| it.eq_ignore_ascii_case(key))
}

impl Hidden {
    /// What a name hides.
    pub fn by(name: &str) -> Option<Self> {
        strength(name).map(|strength| Self { strength, place: Place::Value })
    }

    /// What is hidden of a member of an object that is there.
    #[must_use]
    pub fn under(self, key: &str) -> Self {
        let own = Self::by(key).filter(|it| it.strength > Strength::Mention);
        let place = DESCRIPTIONS.iter().find(|it| is_one_of(key, it.1)).map(|it| it.0);
        own.unwrap_or(Self { place: place.unwrap_or(self.place), ..self })
    }

    /// Whether a text there is hidden.
    pub fn hides_text(self, text: &str) -> bool {
        let is_number = || text.len() > 3 && text.bytes().all(|it| it.is_ascii_digit());
        match self.place {
            Place::Value => is_worth_hiding(text, self.strength, Link::Assigned),
            Place::Said | Place::Measure => {
                self.strength > Strength::Mention && (has_value(text) || is_number())
            }
        }
    }

    /// Whether a number there is hidden.
    pub fn hides_number(self) -> bool {
        self.strength >= Strength::Secret && self.place != Place::Measure
    }
}

/// The members of an object with their keys, and how a text beside them hides them.
pub fn members(
    object: Value<'_>,
) -> impl Iterator<Item = (Cow<'_, str>, Value<'_>, Option<Hidden>)> {
    let has_key = |keys: &'static [&str]| {
        object
            .members()
            .filter(move |it| it.0.as_str().is_some_and(|it| is_one_of(&it, keys)))
            .map(|it| it.1)
    };
    let named = has_key(NAME_KEYS)
        .filter_map(Value::as_str)
        .filter(|it| is_name(it))
        .find_map(|it| Hidden::by(&it));
    let located = has_key(PLACE_KEYS).find_map(|it| Hidden::by(&it.elements().last()?.as_str()?));
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

/// Whether a text can be the name of a header or a variable.
fn is_name(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-.".contains(&it))
}
