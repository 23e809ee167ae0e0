//! Validators of JSON Schema (jsonschema, ajv, jsonschema-go) and deserialisers (serde, encoding/json): names in quotes beside
//! fixed words, places such as `data/a/0`, and values.

use super::places::{MISSING, MOST, Places, UNKNOWN, quoted_end, quoted_names};
use redress_wire::json::{Kind, Value};

/// Words with a quoted name, or several, right after them.
const BEFORE_NAMES: [(&str, &str); 12] = [
    ("must have required property", MISSING),
    ("should have required property", MISSING),
    ("missing field", MISSING),
    ("missing properties", MISSING),
    ("required positional argument", MISSING),
    ("required keyword-only argument", MISSING),
    ("for the required parameter", MISSING),
    ("required argument", MISSING),
    ("unexpected keyword argument", UNKNOWN),
    ("unexpected additional properties", UNKNOWN),
    ("unknown field", UNKNOWN),
    ("unrecognized key", UNKNOWN),
];
/// Words with a quoted name right before them.
const AFTER_NAME: [(&str, &str); 2] =
    [("is a required property", MISSING), ("was unexpected)", UNKNOWN)];
/// Words with the value of an argument right before them.
const AFTER_VALUE: [&str; 6] = [
    "is not of type",
    "is not one of [",
    "is not a '",
    "does not match '",
    "is less than the minimum of",
    "is greater than the maximum of",
];
/// Words that ajv puts after a place.
const AFTER_PLACE: [&str; 3] = [" must be ", " must match ", " must not have "];

pub(super) fn places(places: &mut Places<'_>, text: &str) {
    names(places, text);
    for line in text.lines() {
        for (before, _) in AFTER_PLACE.iter().filter_map(|it| line.split_once(it)) {
            places.add(&pointer(before), places.reason, line);
        }
    }
    if places.found.is_empty() && !places.is_elsewhere {
        value(places, text.lines().next().unwrap_or_default());
    }
}

/// Names in quotes beside words that validators always write there.
pub(super) fn names(places: &mut Places<'_>, text: &str) {
    let lower = text.to_ascii_lowercase();
    for (words, reason) in BEFORE_NAMES {
        for (at, _) in lower.match_indices(words).take(MOST) {
            let base = pointer(text.get(..at).unwrap_or_default());
            let names = quoted_names(text.get(at + words.len()..).unwrap_or_default());
            for name in names.into_iter().take(MOST) {
                places.add(&[base.as_slice(), &[name]].concat(), reason, "");
            }
        }
    }
    for (words, reason) in AFTER_NAME {
        for (at, _) in lower.match_indices(words).take(MOST) {
            // The message has no place: a name that was given is missing elsewhere.
            if let Some(name) = quoted_end(text.get(..at).unwrap_or_default())
                && (reason != MISSING || !places.has(&[name]))
            {
                places.add(&[name], reason, "");
            }
        }
    }
}

/// jsonschema names the value alone: the argument is the only one that has it.
fn value(places: &mut Places<'_>, line: &str) {
    let Some(at) = AFTER_VALUE.iter().filter_map(|it| line.find(it)).min() else { return };
    let before = line.get(..at).unwrap_or_default().trim_end();
    let owner = places.owner(|value: Value<'_>| match value.as_str() {
        Some(text) => quoted_end(before) == Some(&*text),
        None => before
            .strip_suffix(value.raw())
            .is_some_and(|it| value.kind() == Kind::Number && (it.is_empty() || it.ends_with(' '))),
    });
    if let Some(owner) = owner {
        places.add(&[&owner], places.reason, line);
    }
}

/// The place that ajv wrote at the end of these words: `data/a/0`, `/a`.
fn pointer(before: &str) -> Vec<&str> {
    let place = before.trim_end().rsplit(' ').next().unwrap_or_default();
    match place.strip_prefix("data").unwrap_or(place).strip_prefix('/') {
        Some(steps) => steps.split('/').collect(),
        None => Vec::new(),
    }
}
