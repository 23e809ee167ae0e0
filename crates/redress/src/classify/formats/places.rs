//! The arguments that a validator calls wrong. Only names in its own form are read, and only as places in the arguments.

use crate::{
    classify::request::{Request, is_among},
    fault::Violation,
};
use redress_wire::json::{Kind, Value};

pub(super) const MISSING: &str = "missing";
pub(super) const UNKNOWN: &str = "unknown";
pub(super) const WRONG_TYPE: &str = "wrong_type";
pub(super) const MALFORMED: &str = "malformed";
pub(super) const NOT_ALLOWED: &str = "not_allowed";

/// The most wrong arguments that are named.
pub(super) const MOST: usize = 8;
const DEEPEST: usize = 6;
const LONGEST_STEP: usize = 64;
/// Names under which servers keep the arguments of a call.
const CONTAINERS: [&str; 6] = ["params", "args", "arguments", "body", "input", "data"];

/// What is right before the name of a type.
const LEADS: [&str; 6] = [
    "expected ",
    "must be ",
    "is not of type '",
    "should be a valid ",
    "should be an ",
    "should be a ",
];
/// The types of JSON, and their names in the words of validators.
const TYPES: [(&str, &str); 7] = [
    ("string", " string str "),
    ("number", " number float double "),
    ("integer", " integer int "),
    ("boolean", " boolean bool "),
    ("object", " object dictionary map "),
    ("array", " array list sequence "),
    ("null", " null "),
];

/// Whether a word is the name of a type of JSON.
pub(in crate::classify) fn is_type(word: &str) -> bool {
    TYPES.iter().any(|it| it.0 == word)
}

/// The type that a text asks for. Only names of types are ever read from it.
fn type_in(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    LEADS.iter().find_map(|lead| {
        let rest = lower.get(lower.find(lead)? + lead.len()..)?;
        let rest = rest.strip_prefix("a ").or_else(|| rest.strip_prefix("an ")).unwrap_or(rest);
        let word = rest.split(|it: char| !it.is_ascii_alphanumeric()).next()?;
        TYPES.iter().find(|it| is_among(word, it.1)).map(|it| it.0)
    })
}

/// The wrong arguments of one call, as a validator names them.
pub(super) struct Places<'p> {
    request: &'p Request<'p>,
    /// What is wrong where the form does not say it.
    pub(super) reason: &'static str,
    pub(super) found: Vec<Violation>,
    /// A place that is none of this call: the validator checked something else.
    pub(super) is_elsewhere: bool,
}

impl<'p> Places<'p> {
    pub(super) const fn new(request: &'p Request<'p>, reason: &'static str) -> Self {
        Self { request, reason, found: Vec::new(), is_elsewhere: false }
    }

    /// Adds an argument, with the type that the text about it asks for.
    pub(super) fn add(&mut self, steps: &[&str], reason: &str, said: &str) {
        let is_plain = !steps.is_empty() && steps.len() <= DEEPEST && steps.iter().all(is_step);
        if !is_plain {
            return;
        }
        self.is_elsewhere |= !self.is_of_call(steps);
        let may_be = self.has(steps) || reason == MISSING && steps.first().is_some_and(is_name);
        let pointer: String = steps.iter().flat_map(|it| ["/", it]).collect();
        let is_known = self.found.iter().any(|it| it.pointer() == pointer);
        if may_be && !is_known && self.found.len() < MOST {
            let expected = type_in(said).filter(|_| reason == WRONG_TYPE);
            self.found.push(Violation::new(&pointer, reason, expected));
        }
    }

    /// Whether the first step of a place was given.
    pub(super) fn has(&self, steps: &[&str]) -> bool {
        let first = steps.first().copied().unwrap_or_default();
        self.request.given.is_some_and(|it| it.get(first).is_some())
    }

    /// The one argument that has this value.
    pub(super) fn owner(&self, is_it: impl Fn(Value<'p>) -> bool) -> Option<String> {
        let mut owners = self.request.given?.members().filter(|it| is_it(it.1));
        match (owners.next(), owners.next()) {
            (Some((key, _)), None) => key.as_str().map(Into::into),
            _ => None,
        }
    }

    /// Whether a place can be one of the arguments: at the top, inside of what was given, or inside of a text or list that was.
    fn is_of_call(&self, steps: &[&str]) -> bool {
        let first = steps.first().copied().unwrap_or_default();
        let is_number = first.bytes().all(|it| it.is_ascii_digit());
        let has_list = || {
            let mut members = self.request.given.into_iter().flat_map(Value::members);
            members.any(|it| it.1.kind() == Kind::Array)
        };
        steps.len() == 1 && !is_number
            || self.has(steps)
            || CONTAINERS.contains(&first)
            || is_number && has_list()
            || self.request.arguments.iter().any(|it| {
                let is_text = it.value.contains(first) && it.value.contains([':', '=', '{']);
                it.place.split('/').any(|it| it == first) || is_text && !is_number
            })
    }

    /// Whether every place is one of an argument that was given, so that it was the call that was checked.
    pub(super) fn is_given(&self) -> bool {
        let first = |it: &Violation| {
            let pointer = it.pointer();
            pointer.split('/').nth(1).is_some_and(|it| self.has(&[it]))
        };
        !self.found.is_empty() && !self.is_elsewhere && self.found.iter().all(first)
    }
}

/// `a[0].b` as steps.
pub(super) fn dotted(place: &str) -> Vec<&str> {
    place.split(['.', '[']).map(|it| it.strip_suffix(']').unwrap_or(it)).collect()
}

/// The quoted names that a text starts with: `s: 'a' and 'b'`, `: ["a", "b"]`, `(s) in object: 'a'`.
pub(super) fn quoted_names(text: &str) -> Vec<&str> {
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
pub(super) fn quoted_end(text: &str) -> Option<&str> {
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

fn is_name(step: &&str) -> bool {
    step.len() <= 32 && step.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
}

#[cfg(test)]
mod tests {
    use super::type_in;

    #[test]
    fn a_type_is_read_in_the_words_of_every_validator() {
        for (text, named) in [
            ("Invalid input: expected string, received number", Some("string")),
            ("Expected array, received object at \"items\"", Some("array")),
            ("data/path must be string", Some("string")),
            ("5 is not of type 'string'", Some("string")),
            ("  Input should be a valid integer [type=int_parsing]", Some("integer")),
            ("  Input should be a valid list [type=list_type]", Some("array")),
            ("invalid type: integer `5`, expected a string at line 1", Some("string")),
            ("expected you to obey", None),
            ("must be between 1 and 5", None),
            ("", None),
        ] {
            assert_eq!(type_in(text), named, "{text}");
        }
    }
}
