//! `Schema`: a JSON Schema as a server wrote it, which may be anything, read with bounds on everything.

use serde_json::{Map, Value};

/// How many schemas are joined to one at most: references, `allOf`, the first branch of a choice.
const MOST_PARTS: usize = 24;

/// The most properties of an object that are looked at.
pub(super) const MOST_PROPERTIES: usize = 24;

/// The most schemas that are visited in the search for circles.
const MOST_VISITS: usize = 10_000;

/// A schema within a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema<'a> {
    root: &'a Value,
    at: &'a Value,
}

impl<'a> Schema<'a> {
    /// A whole document.
    pub(super) const fn of(root: &'a Value) -> Self {
        Self { root, at: root }
    }

    /// All that holds here: the schema itself, what it refers to, what it takes in, the first branch of its choices.
    fn parts(self) -> Vec<&'a Value> {
        let mut parts: Vec<&'a Value> = Vec::new();
        let mut open = vec![self.at];
        while let Some(at) = open.pop() {
            if parts.len() >= MOST_PARTS {
                break;
            }
            if parts.iter().any(|it| std::ptr::eq(*it, at)) {
                continue;
            }
            parts.push(at);
            open.extend(self.referred(at));
            let list = |key: &str| at.get(key).and_then(Value::as_array).into_iter().flatten();
            let branch = |key| list(key).find(|it| it.get("type").is_none_or(|it| it != "null"));
            open.extend(branch("oneOf").or_else(|| branch("anyOf")));
            open.extend(list("allOf").take(MOST_PARTS));
        }
        parts
    }

    /// What a reference within the document points to.
    fn referred(self, at: &'a Value) -> Option<&'a Value> {
        let to = at.get("$ref").or_else(|| at.get("$dynamicRef"))?.as_str()?;
        self.root.pointer(to.strip_prefix('#')?)
    }

    /// A keyword, from the first part that has it.
    pub(super) fn get(self, key: &str) -> Option<&'a Value> {
        self.parts().into_iter().find_map(|it| it.get(key))
    }

    /// A keyword that is a text.
    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    /// A keyword that counts.
    pub(super) fn count(self, key: &str) -> Option<usize> {
        self.get(key)?.as_u64().and_then(|it| usize::try_from(it).ok())
    }

    /// The types that it allows; none, if it does not say.
    pub(super) fn types(self) -> Vec<&'a str> {
        match self.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).take(7).collect(),
            _ if self.get("properties").is_some() => vec!["object"],
            _ => Vec::new(),
        }
    }

    /// The type that a value is made of.
    pub(super) fn kind(self) -> Option<&'a str> {
        let types = self.types();
        types.iter().copied().find(|it| *it != "null").or_else(|| types.first().copied())
    }

    /// The properties of an object, in order.
    pub(super) fn properties(self) -> Vec<(&'a str, Self)> {
        let mut found: Vec<(&str, Self)> = Vec::new();
        let of = |it: &'a Value| it.get("properties").and_then(Value::as_object);
        for (name, at) in self.parts().into_iter().filter_map(of).flat_map(Map::iter) {
            if found.len() < MOST_PROPERTIES && found.iter().all(|(known, _)| known != name) {
                found.push((name, Self { root: self.root, at }));
            }
        }
        found
    }

    /// The names of properties that must be there, and that it describes.
    pub(super) fn required(self) -> Vec<&'a str> {
        let of = |it: &'a Value| it.get("required").and_then(Value::as_array);
        let names = self.parts().into_iter().filter_map(of).flatten().filter_map(Value::as_str);
        let mut names: Vec<&str> = names.take(MOST_PROPERTIES).collect();
        let mut seen = Vec::new();
        names.retain(|it| {
            !seen.contains(it) && {
                seen.push(*it);
                true
            }
        });
        names
    }

    /// What the elements of a list are.
    pub(super) fn items(self) -> Option<Self> {
        let at = self.get("items").filter(|it| it.is_object())?;
        Some(Self { root: self.root, at })
    }

    /// Whether no other properties than those described may be there.
    pub(super) fn is_closed(self) -> bool {
        self.get("additionalProperties") == Some(&Value::Bool(false))
    }

    /// Whether checking a value may never end: schemas that refer to each other in a circle without looking deeper into the value.
    pub(super) fn is_endless(self) -> bool {
        let mut visits = 0;
        let mut every = vec![self.root];
        while let Some(at) = every.pop() {
            visits += 1;
            if visits > MOST_VISITS || self.is_in_circle(at, &mut visits) {
                return true;
            }
            match at {
                Value::Object(members) => every.extend(members.values()),
                Value::Array(items) => every.extend(items),
                _ => (),
            }
        }
        false
    }

    /// Whether what holds at the same place of a value leads back here.
    fn is_in_circle(self, start: &'a Value, visits: &mut usize) -> bool {
        if start.get("$ref").is_none() && start.get("$dynamicRef").is_none() {
            return false;
        }
        let mut seen: Vec<&Value> = Vec::new();
        let mut open: Vec<&Value> = self.beside(start);
        while let Some(at) = open.pop() {
            *visits += 1;
            if std::ptr::eq(at, start) || *visits > MOST_VISITS {
                return true;
            }
            if seen.iter().any(|it| std::ptr::eq(*it, at)) {
                continue;
            }
            seen.push(at);
            open.extend(self.beside(at));
        }
        false
    }

    /// The schemas that are applied to the same value.
    fn beside(self, at: &'a Value) -> Vec<&'a Value> {
        let mut found: Vec<&Value> = self.referred(at).into_iter().collect();
        for key in ["allOf", "anyOf", "oneOf"] {
            found.extend(at.get(key).and_then(Value::as_array).into_iter().flatten());
        }
        found.extend(["not", "if", "then", "else"].iter().filter_map(|key| at.get(key)));
        let depending = at.get("dependentSchemas").and_then(Value::as_object);
        found.extend(depending.into_iter().flat_map(Map::values));
        found
    }
}
