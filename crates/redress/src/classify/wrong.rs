//! The arguments that a validator calls wrong, where its own form names them: zod, pydantic, jsonschema, ajv, serde, Go, C#.
//!
//! The text is a server's. Only names in a validator's form are read, never prose, and only as places in the arguments.

use super::{
    expected, extract,
    facts::Facts,
    raise::Named,
    ran,
    request::{Argument, is_bad_json},
};
use crate::{
    codes,
    fault::Violation,
    json::{Kind, Value},
};

/// The most wrong arguments that are named.
const MOST: usize = 8;
const DEEPEST: usize = 6;
const LONGEST_STEP: usize = 64;
/// A longer text is no message of a validator.
const LONGEST_TEXT: usize = 16 << 10;

const MISSING: &str = "missing";
const UNKNOWN: &str = "unknown";
const WRONG_TYPE: &str = "wrong_type";
const MALFORMED: &str = "malformed";
const NOT_ALLOWED: &str = "not_allowed";

/// The rules about validators, by the start of their ids.
const VALIDATORS: [&str; 8] =
    ["zod.", "pydantic.", "jsonschema.", "ajv.", "serde.", "go.", "csharp.", "python."];

/// The rule about a text among the arguments that is no JSON.
const NO_JSON: &str = "argument.json";

/// Words with a quoted name, or several, right after them.
const BEFORE_NAMES: [(&str, &str); 13] = [
    ("must have required property", MISSING),
    ("should have required property", MISSING),
    ("missing field", MISSING),
    ("missing properties", MISSING),
    ("required positional argument", MISSING),
    ("required keyword-only argument", MISSING),
    ("for the required parameter", MISSING),
    ("required argument", MISSING),
    ("missing required parameter", MISSING),
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

/// The arguments that are wrong: the program that failed, the text that is no JSON, what a validator names.
pub(super) fn of(
    rule: &Named<'_>,
    facts: Facts,
    (arguments, given): (&[Argument<'_>], Option<Value<'_>>),
    text: &str,
) -> Vec<Violation> {
    let violation = |it: &Argument<'_>, reason| Violation::new(&it.place, reason, None);
    let is_format = rule.code == codes::INVALID_INPUT_FORMAT.name();
    let is_value = rule.code == codes::INVALID_INPUT_VALUE.name();
    if ran::is_about_it(facts, rule) {
        let reason = if is_format { MALFORMED } else { NOT_ALLOWED };
        let program = ran::programs(arguments, facts).next().filter(|_| is_format || is_value);
        return program.map(|it| violation(it, reason)).into_iter().collect();
    }
    if rule.id == NO_JSON {
        let texts = arguments.iter().filter(|it| is_bad_json(&it.key, &it.value));
        return texts.take(MOST).map(|it| violation(it, MALFORMED)).collect();
    }
    find(rule, given, text)
}

/// The arguments that the text of a failure names as wrong; none unless a validator's rule found it.
fn find(rule: &Named<'_>, arguments: Option<Value<'_>>, text: &str) -> Vec<Violation> {
    let reason = match rule.code {
        it if it == codes::MISSING_REQUIRED_FIELD.name() => MISSING,
        it if it == codes::INVALID_INPUT_TYPE.name() => WRONG_TYPE,
        it if it == codes::INVALID_INPUT_FORMAT.name() => MALFORMED,
        it if it == codes::INVALID_INPUT_VALUE.name() && rule.misnamed => UNKNOWN,
        it if it == codes::INVALID_INPUT_VALUE.name() => NOT_ALLOWED,
        _ => return Vec::new(),
    };
    if !VALIDATORS.iter().any(|it| rule.id.starts_with(it)) || text.len() > LONGEST_TEXT {
        return Vec::new();
    }
    let mut wrong = Wrong { arguments, reason, found: Vec::new() };
    wrong.issues(text);
    if wrong.found.is_empty() {
        wrong.words(text);
        wrong.places(text);
        wrong.values(text);
    }
    wrong.found
}

/// Whether every argument that is wrong is one that was not given.
pub(super) fn is_all_missing(wrong: &[Violation]) -> bool {
    !wrong.is_empty() && wrong.iter().all(|it| it.reason().as_deref() == Some(MISSING))
}

struct Wrong<'a> {
    arguments: Option<Value<'a>>,
    /// What is wrong with an argument whose form does not say it.
    reason: &'static str,
    found: Vec<Violation>,
}

impl Wrong<'_> {
    /// Adds an argument, with the type that the text about it asks for.
    fn add(&mut self, steps: &[&str], reason: &str, said: &str) {
        let is_plain = !steps.is_empty() && steps.len() <= DEEPEST && steps.iter().all(is_step);
        let first = steps.first().copied().unwrap_or_default();
        // What is not there can only be missing.
        let may_be = self.has(steps) || reason == MISSING && is_name(first);
        let pointer: String = steps.iter().flat_map(|it| ["/", it]).collect();
        let is_known = self.found.iter().any(|it| it.pointer() == pointer);
        if is_plain && may_be && !is_known && self.found.len() < MOST {
            let expected = expected::type_in(said).filter(|_| reason == WRONG_TYPE);
            self.found.push(Violation::new(&pointer, reason, expected));
        }
    }

    /// zod's issues as JSON: `[{"code":"invalid_type","path":["a",0,"b"],"message":"Required"}]`.
    fn issues(&mut self, text: &str) {
        let Some(doc) = extract::payload(text) else { return };
        let root = doc.root();
        let list = ["issues", "errors", "error"].iter().find_map(|it| root.get(it)).unwrap_or(root);
        for issue in list.elements().take(MOST) {
            let Some(path) = issue.get("path").filter(|it| it.kind() == Kind::Array) else {
                continue;
            };
            let text = |key| issue.get(key).and_then(Value::as_str).unwrap_or_default();
            let (code, message) = (text("code"), text("message"));
            let steps: Vec<_> = path
                .elements()
                .map(|it| it.as_str().map_or_else(|| it.raw().to_owned(), Into::into))
                .collect();
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            let is_missing = text("received") == "undefined"
                || message == "Required"
                || message.ends_with("received undefined")
                || tells_nothing(&message) && !self.has(&steps);
            if code == "unrecognized_keys" {
                for key in issue.get("keys").into_iter().flat_map(Value::elements) {
                    let name = key.as_str().unwrap_or_default();
                    self.add(&[steps.as_slice(), &[&*name]].concat(), UNKNOWN, "");
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
            let said = format!("expected {}; {message}", text("expected"));
            self.add(&steps, reason, &said);
        }
    }

    /// Whether the first step of a place was given.
    fn has(&self, steps: &[&str]) -> bool {
        let first = steps.first().copied().unwrap_or_default();
        self.arguments.is_some_and(|it| it.get(first).is_some())
    }

    /// Names in quotes beside words that a validator always writes there.
    fn words(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        for (words, reason) in BEFORE_NAMES {
            for (at, _) in lower.match_indices(words).take(MOST) {
                let base = ajv_place(text.get(..at).unwrap_or_default());
                let names = quoted_names(text.get(at + words.len()..).unwrap_or_default());
                for name in names.into_iter().take(MOST) {
                    let mut steps = base.clone();
                    steps.push(name);
                    self.add(&steps, reason, "");
                }
            }
        }
        for (words, reason) in AFTER_NAME {
            for (at, _) in lower.match_indices(words).take(MOST) {
                let before = text.get(..at).unwrap_or_default();
                // The message has no place: a name that was given is missing elsewhere.
                if let Some(name) = quoted_end(before)
                    && (reason != MISSING || self.arguments.is_none_or(|it| it.get(name).is_none()))
                {
                    self.add(&[name], reason, "");
                }
            }
        }
    }

    /// Places of their own: `Required at a[0].b`, `a: Required`, a line of pydantic, `data/a must be string`.
    fn places(&mut self, text: &str) {
        let mut lines = text.lines().peekable();
        let mut is_pydantic = false;
        while let Some(line) = lines.next() {
            is_pydantic |= line.contains("validation error");
            let next = lines.peek().copied().unwrap_or_default();
            if is_pydantic && next.starts_with("  ") && !line.starts_with(' ') {
                let reason = pydantic_reason(next).unwrap_or(self.reason);
                self.add(&line.trim_end().split('.').collect::<Vec<_>>(), reason, next);
                continue;
            }
            for part in line.split([';', ',']) {
                self.zod_place(part.trim());
            }
            for words in AFTER_PLACE {
                if let Some((before, _)) = line.split_once(words) {
                    self.add(&ajv_place(before), self.reason, line);
                }
            }
        }
    }

    /// `… at a[0].b`, with or without quotes, or `a: Required`, `a: Invalid input: …`.
    fn zod_place(&mut self, part: &str) {
        let is_zod = [
            "Required",
            "Invalid input",
            "Expected ",
            "expected ",
            "received ",
            "Too ",
            "Invalid ",
        ]
        .iter()
        .any(|it| part.contains(it))
            || part.starts_with('\u{2192}');
        if !is_zod {
            return;
        }
        let is_missing = part.contains("Required") || part.contains("received undefined");
        let reason = if is_missing { MISSING } else { self.reason };
        let at = part
            .rsplit_once("at ")
            .filter(|(before, _)| before.is_empty() || before.ends_with(' '));
        if let Some((before, place)) = at {
            let steps = dotted(place.trim_matches('"'));
            let is_missing = tells_nothing(before) && !self.has(&steps);
            self.add(&steps, if is_missing { MISSING } else { reason }, part);
        }
        for words in [": Required", ": Invalid input"] {
            if let Some((before, _)) = part.split_once(words) {
                let place = before.rsplit(": ").next().unwrap_or_default();
                self.add(&dotted(place), reason, part);
            }
        }
    }

    /// jsonschema names the value alone: the argument is the only one that has it.
    fn values(&mut self, text: &str) {
        let Some(arguments) = self.arguments.filter(|_| self.found.is_empty()) else { return };
        let line = text.lines().next().unwrap_or_default();
        let Some(at) = AFTER_VALUE.iter().filter_map(|it| line.find(it)).min() else { return };
        let before = line.get(..at).unwrap_or_default().trim_end();
        let is_it = |value: Value<'_>| match value.as_str() {
            Some(text) => quoted_end(before) == Some(&*text),
            None => before.strip_suffix(value.raw()).is_some_and(|it| {
                matches!(value.kind(), Kind::Number) && (it.is_empty() || it.ends_with(' '))
            }),
        };
        let mut owners = arguments.members().filter(|it| is_it(it.1));
        if let (Some((key, _)), None) = (owners.next(), owners.next()) {
            self.add(&[&key.as_str().unwrap_or_default()], self.reason, line);
        }
    }
}

/// Whether zod says of a place no more than it says of one where nothing stands: a number of nothing is none, and no
/// choice of a union is nothing.
fn tells_nothing(message: &str) -> bool {
    let message = message.trim_end();
    message.ends_with("received NaN")
        || message.ends_with("received nan")
        || message == "Invalid input"
        || message.ends_with(": Invalid input")
}

/// `a[0].b` as steps.
fn dotted(place: &str) -> Vec<&str> {
    place.split(['.', '[']).map(|it| it.strip_suffix(']').unwrap_or(it)).collect()
}

/// The place that ajv wrote at the end of these words: `data/a/0`, `/a`.
fn ajv_place(before: &str) -> Vec<&str> {
    let place = before.trim_end().rsplit(' ').next().unwrap_or_default();
    match place.strip_prefix("data").unwrap_or(place).strip_prefix('/') {
        Some(steps) => steps.split('/').collect(),
        None => Vec::new(),
    }
}

fn pydantic_reason(line: &str) -> Option<&'static str> {
    let kind = line.split_once("[type=")?.1.split([',', ']']).next()?;
    Some(match kind {
        "missing" | "missing_argument" => MISSING,
        "extra_forbidden" | "unexpected_keyword_argument" => UNKNOWN,
        _ if kind.ends_with("_type") || kind.ends_with("_parsing") => WRONG_TYPE,
        _ => return None,
    })
}

/// The quoted names that a text starts with: `s: 'a' and 'b'`, `: ["a", "b"]`, `(s) in object: 'a'`.
fn quoted_names(text: &str) -> Vec<&str> {
    const BETWEEN: [&str; 8] = ["(s)", "s", ":", " in object", " ", "[", ",", "and "];
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        while let Some(next) = BETWEEN.iter().find_map(|it| rest.strip_prefix(it)) {
            rest = next;
        }
        let Some(quote) = rest.chars().next().filter(|it| matches!(it, '\'' | '"' | '`')) else {
            return names;
        };
        let Some((name, after)) = rest.get(1..).and_then(|it| it.split_once(quote)) else {
            return names;
        };
        names.push(name);
        rest = after;
    }
}

/// The quoted name that a text ends with.
fn quoted_end(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let quote = text.chars().next_back().filter(|it| matches!(it, '\'' | '"' | '`'))?;
    let inner = text.strip_suffix(quote)?;
    inner.rfind(quote).and_then(|at| inner.get(at + 1..))
}

/// Whether a text is a name of an argument, or a place in a list.
fn is_step(step: &&str) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || b"_-$".contains(&it);
    (1..=LONGEST_STEP).contains(&step.len()) && step.bytes().all(is_part)
}

fn is_name(step: &str) -> bool {
    step.len() <= 32 && step.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
}

#[cfg(test)]
mod tests;
