//! What pydantic or zod checked when it found something wrong: the arguments of the call, or what the tool made or got later.
//!
//! A model that an answer of another service does not fit says the same words as one that arguments do not fit, but then the call
//! was made, and no other arguments help.

use super::{extract, normal::normal};
use crate::json::{Kind, Value};

/// Stands before the name of the model that does not fit.
const HEADS: [&str; 2] = ["validation error for ", "validation errors for "];

/// Ends of the names of models that are made of arguments, in our spelling.
const OF_ARGUMENTS: [&str; 9] =
    ["arguments", "args", "params", "parameters", "input", "inputs", "request", "query", "body"];

/// What stands before zod's places if those are arguments without doubt.
const SAYS_ARGUMENTS: [&str; 3] =
    ["arguments for tool", "Input validation error", "Invalid arguments"];
/// What stands in a line of zod with a place at its end.
const ZOD: [&str; 4] = ["Required", "Invalid ", "xpected ", "\u{2192}"];

/// The most places that are looked at.
const MOST: usize = 16;

/// Whether nothing that it calls wrong is of the call.
pub(super) fn is_elsewhere(text: &str, arguments: Option<Value<'_>>) -> bool {
    let Some(arguments) = arguments.filter(|it| it.kind() == Kind::Object) else { return false };
    is_of_another_model(text, arguments) || is_of_an_answer(text, arguments)
}

/// Whether all places that zod names are inside of something that was not given. Of an argument that is missing, zod names the
/// argument and nothing inside of it; and arguments are never a list.
fn is_of_an_answer(text: &str, arguments: Value<'_>) -> bool {
    let is_outside = |steps: &Vec<String>| match steps.as_slice() {
        [first, _, ..] => {
            let name = normal(first);
            !names(arguments).any(|it| it == name)
                && !OF_ARGUMENTS.iter().any(|it| name.ends_with(it))
                && !is_within(first, arguments)
        }
        _ => false,
    };
    if SAYS_ARGUMENTS.iter().any(|it| text.contains(it)) {
        return false;
    }
    let mut found = zod_issues(text);
    if found.is_empty() {
        found = zod_lines(text);
    }
    !found.is_empty() && found.iter().all(is_outside)
}

/// Whether a step may lead into an argument: it is the place in a list, or the name stands deeper in them or in their texts.
fn is_within(step: &str, arguments: Value<'_>) -> bool {
    let is_list = |it: Value<'_>| {
        it.kind() == Kind::Array || it.as_str().is_some_and(|it| it.trim_start().starts_with('['))
    };
    if step.bytes().all(|it| it.is_ascii_digit()) {
        return arguments.members().any(|it| is_list(it.1));
    }
    memchr::memmem::find(arguments.raw().as_bytes(), step.as_bytes()).is_some()
}

/// The places in zod's issues as JSON.
fn zod_issues(text: &str) -> Vec<Vec<String>> {
    let Some(doc) = extract::payload(text) else { return Vec::new() };
    let root = doc.root();
    let list = ["issues", "errors", "error"].iter().find_map(|it| root.get(it)).unwrap_or(root);
    let coded = list.elements().take(MOST).filter(|it| it.get("code").is_some());
    let paths = coded.filter_map(|it| it.get("path")).filter(|it| it.kind() == Kind::Array);
    paths.map(|it| it.elements().map(plain).collect()).collect()
}

/// The places at the ends of zod's lines: `Required at "response.id"`.
fn zod_lines(text: &str) -> Vec<Vec<String>> {
    let parts = text.split([';', ',', '\n']).take(MOST).map(str::trim);
    let places = parts.filter(|it| ZOD.iter().any(|word| it.contains(word))).filter_map(|it| {
        let place = it.rsplit_once("at ")?.1.trim_matches('"');
        (!place.is_empty() && !place.contains(char::is_whitespace)).then_some(place)
    });
    let steps =
        |it: &str| it.split(['.', '[']).map(|it| it.trim_end_matches(']').to_owned()).collect();
    places.map(steps).collect()
}

/// Whether pydantic speaks of a model that is not made of the arguments.
fn is_of_another_model(text: &str, arguments: Value<'_>) -> bool {
    let Some((model, places)) = HEADS.iter().find_map(|it| text.split_once(it)).map(|it| {
        let (model, places) = it.1.split_once('\n').unwrap_or((it.1, ""));
        (model.trim(), places)
    }) else {
        return false;
    };
    let name = normal(model);
    if model.contains('[') || OF_ARGUMENTS.iter().any(|it| name.ends_with(it)) {
        return false;
    }
    let mut found = wrong_places(places).take(MOST).peekable();
    found.peek().is_some() && found.all(|it| !it.is_of(arguments))
}

/// One place that is wrong, and what stood there.
struct Place<'t> {
    steps: &'t str,
    is_missing: bool,
    /// The value as Python writes it; around a place that is missing.
    value: &'t str,
}

/// A line with the place, and a line below it with what is wrong: `  … [type=missing, input_value={}, input_type=dict]`.
fn wrong_places(text: &str) -> impl Iterator<Item = Place<'_>> {
    let lines = text.lines();
    lines.clone().zip(lines.skip(1)).filter_map(|(steps, what)| {
        let (_, facts) = what.strip_prefix("  ")?.rsplit_once("[type=")?;
        let (kind, rest) = facts.split_once(", ")?;
        let value = rest.strip_prefix("input_value=")?;
        let value = value.rsplit_once(", input_type=").map_or(value, |it| it.0);
        let is_missing = kind.starts_with("missing");
        (!steps.starts_with(' ')).then_some(Place { steps: steps.trim_end(), is_missing, value })
    })
}

impl Place<'_> {
    /// Whether it is, or may be, one of the arguments: it is named so, or has the value of one. Servers spell names in their own way.
    fn is_of(&self, arguments: Value<'_>) -> bool {
        let first = self.steps.split('.').next().unwrap_or_default();
        if names(arguments).any(|it| it == normal(first)) {
            return true;
        }
        if self.is_missing {
            return self.is_beside(arguments);
        }
        let value = unquoted(self.value);
        !value.is_empty() && arguments.members().any(|it| plain(it.1) == value)
    }

    /// Whether what a place is missing from is made of arguments: nothing of nothing, or at least one of them.
    fn is_beside(&self, arguments: Value<'_>) -> bool {
        let Some(inside) = self.value.strip_prefix('{') else { return true };
        let inside = inside.trim_end_matches('}');
        if inside.is_empty() {
            return names(arguments).next().is_none();
        }
        let keys = inside.split("': ").filter_map(|it| Some(it.rsplit_once('\'')?.1));
        let mut keys = keys.map(normal);
        keys.any(|key| names(arguments).any(|it| it == key))
    }
}

/// The names of arguments, in our spelling.
fn names(arguments: Value<'_>) -> impl Iterator<Item = String> {
    arguments.members().filter_map(|it| it.0.as_str()).map(|it| normal(&it))
}

/// A value as a text.
fn plain(value: Value<'_>) -> String {
    value.as_str().map_or_else(|| value.raw().to_owned(), Into::into)
}

fn unquoted(value: &str) -> &str {
    value.trim_matches(['\'', '"'])
}

#[cfg(test)]
mod tests {
    use super::is_elsewhere;
    use crate::json::{Doc, Limits};

    fn judge(arguments: &str, text: &str) -> bool {
        let doc = Doc::parse(arguments.as_bytes(), Limits::DOCUMENT).unwrap();
        is_elsewhere(text, Some(doc.root()))
    }

    #[test]
    fn what_the_caller_gave_is_told_from_what_the_tool_got() {
        let missing = |model: &str, place: &str, around: &str| {
            format!(
                "1 validation error for {model}\n{place}\n  Field required [type=missing, input_value={around}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.11/v/missing"
            )
        };
        let typed = |model: &str, place: &str, value: &str| {
            format!(
                "Error executing tool x: 1 validation error for {model}\n{place}\n  Input should be a valid integer [type=int_type, input_value={value}, input_type=str]"
            )
        };
        for (arguments, text) in [
            (r#"{"title":"x"}"#, missing("Issue", "id", "{'number': 7, 'state': 'open'}")),
            (r#"{"city":"Paris"}"#, missing("WeatherResponse", "temperature", "{'temp': 3}")),
            (r#"{"id":3}"#, missing("Settings", "api_key", "{}")),
            (r#"{"org":"x"}"#, typed("Repo", "stars", "None")),
            (r#"{"org":"x"}"#, typed("Page", "items.0.stars", "'many'")),
        ] {
            assert!(judge(arguments, &text), "{arguments} {text}");
        }
        for (arguments, text) in [
            (r#"{"title":"x"}"#, missing("call[create_issue]", "body", "{'title': 'x'}")),
            (r#"{"title":"x"}"#, missing("create_issueArguments", "body", "{'title': 'x'}")),
            (r#"{"title":"x"}"#, missing("CreateIssue", "body", "{'title': 'x'}")),
            (r#"{"filter":{}}"#, missing("Search", "filter.name", "{}")),
            ("{}", missing("GitStatus", "repo_path", "{}")),
            (r#"{"maxCount":"a"}"#, typed("GitLog", "max_count", "'a'")),
            (r#"{"count":"a"}"#, typed("GitLog", "limit", "'a'")),
            (r#"{"org":"x"}"#, "1 validation error for Repo".to_owned()),
            (r#"{"org":"x"}"#, "1 validation error for Repo\nstars\n  is odd".to_owned()),
            (r#"{"org":"x"}"#, String::new()),
        ] {
            assert!(!judge(arguments, &text), "{arguments} {text}");
        }
    }
}
