//! zod, in TypeScript: issues as JSON, `Required at a[0].b`, `a: Required`.

use super::{
    places::{MALFORMED, MISSING, MOST, NOT_ALLOWED, Places, UNKNOWN, WRONG_TYPE, dotted},
    schema,
};
use crate::classify::extract;
use redress_wire::json::{Kind, Value};

pub(super) fn places(places: &mut Places<'_>, text: &str) {
    issues(places, text);
    if places.found.is_empty() && !places.is_elsewhere {
        text.lines().flat_map(|it| it.split([';', ','])).for_each(|it| place(places, it.trim()));
        schema::names(places, text);
    }
}

/// `[{"code":"invalid_type","path":["a",0,"b"],"message":"Required"}]`.
fn issues(places: &mut Places<'_>, text: &str) {
    let Some(doc) = extract::payload(text) else { return };
    let root = doc.root();
    let list = ["issues", "errors", "error"].iter().find_map(|it| root.get(it)).unwrap_or(root);
    for issue in list.elements().take(MOST) {
        let Some(path) = issue.get("path").filter(|it| it.kind() == Kind::Array) else { continue };
        let text = |key| issue.get(key).and_then(Value::as_str).unwrap_or_default();
        let (code, message) = (text("code"), text("message"));
        let steps: Vec<_> = path
            .elements()
            .map(|it| it.as_str().map_or_else(|| it.raw().to_owned(), Into::into))
            .collect();
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        // A list at the root is an answer, and never the arguments of a tool.
        places.is_elsewhere |= steps.is_empty() && text("expected") == "array";
        let is_missing = text("received") == "undefined"
            || message == "Required"
            || message.ends_with("received undefined")
            || tells_nothing(&message) && !places.has(&steps);
        if code == "unrecognized_keys" {
            for key in issue.get("keys").into_iter().flat_map(Value::elements) {
                let name = key.as_str().unwrap_or_default();
                places.add(&[steps.as_slice(), &[&*name]].concat(), UNKNOWN, "");
            }
            continue;
        }
        let reason = match &*code {
            "" => continue,
            _ if is_missing => MISSING,
            "invalid_type" => WRONG_TYPE,
            "invalid_string" | "invalid_format" | "invalid_date" => MALFORMED,
            _ => NOT_ALLOWED,
        };
        places.add(&steps, reason, &format!("expected {}; {message}", text("expected")));
    }
}

/// `… at a[0].b`, with or without quotes, or `a: Required`, `a: Invalid input: …`.
fn place(places: &mut Places<'_>, part: &str) {
    const SIGNS: [&str; 7] =
        ["Required", "Invalid input", "Expected ", "expected ", "received ", "Too ", "Invalid "];
    if !SIGNS.iter().any(|it| part.contains(it)) && !part.starts_with('\u{2192}') {
        return;
    }
    let is_missing = part.contains("Required") || part.contains("received undefined");
    let reason = if is_missing { MISSING } else { places.reason };
    let at = part.rsplit_once("at ");
    if let Some((before, place)) = at.filter(|it| it.0.is_empty() || it.0.ends_with(' ')) {
        let steps = dotted(place.trim_matches('"'));
        let is_missing = tells_nothing(before) && !places.has(&steps);
        places.add(&steps, if is_missing { MISSING } else { reason }, part);
    }
    for words in [": Required", ": Invalid input"] {
        if let Some((before, _)) = part.split_once(words) {
            places.add(&dotted(before.rsplit(": ").next().unwrap_or_default()), reason, part);
        }
    }
}

/// Whether zod says of a place no more than it says of one where nothing is: a number of nothing is none, and no
/// choice of a union is nothing.
fn tells_nothing(message: &str) -> bool {
    let message = message.trim_end();
    message.ends_with("received NaN")
        || message.ends_with("received nan")
        || message == "Invalid input"
        || message.ends_with(": Invalid input")
}
