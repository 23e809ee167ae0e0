//! What a server says about a code of its contract in its own words. They count only if the server is trusted.

use crate::classify::formats::places::is_type;
use crate::{
    Fault,
    fault::{NextAction, Similar, Violation},
    outcome::Asked,
    text,
};
use redress_wire::json::{Kind, RawJson, Value};

/// A server's own words about a failure.
#[derive(Debug, Default)]
pub(in crate::classify) struct Words {
    message: String,
    hint: String,
    next: Vec<NextAction>,
    similar: Vec<Similar>,
    details: Option<RawJson>,
    violations: Vec<Violation>,
}

/// The most wrong arguments that are taken over.
const MOST_VIOLATIONS: usize = 8;

impl Words {
    /// Of an envelope in a dialect.
    pub(in crate::classify) fn of_fault(fault: Fault) -> Self {
        let Fault { message, hint, next_actions, similar_refs, details, violations, .. } = fault;
        Self {
            message: text::strip(&message),
            hint: text::strip(&hint),
            next: next_actions,
            similar: similar_refs,
            details,
            violations,
        }
    }

    /// Of an object that has a code and no dialect.
    pub(in crate::classify) fn of_object(object: Value<'_>) -> Self {
        let said = |key| {
            let places: [&[&str]; 2] = [&[key], &["error", key]];
            let found = places.iter().find_map(|it| object.path(it)?.as_str());
            found.map(|it| text::strip(&it)).unwrap_or_default()
        };
        let places: [&[&str]; 2] = [&["details"], &["error", "details"]];
        let details = places.iter().find_map(|it| object.path(it));
        let details = details.filter(|it| it.kind() == Kind::Object).map(RawJson::from);
        Self { message: said("message"), hint: said("hint"), details, ..Self::default() }
    }

    /// Of a text behind its code.
    pub(in crate::classify) fn of_text(text: &str) -> Self {
        Self { message: text::strip(text.trim()), ..Self::default() }
    }

    /// The values that it names.
    pub(in crate::classify) const fn details(&self) -> Option<&RawJson> {
        self.details.as_ref()
    }

    /// The arguments that it calls wrong. A server that is not trusted can only point at arguments that there are, and say which type
    /// they should have: it does not speak through names of its own.
    pub(in crate::classify) fn violations(&self, asked: &Asked<'_>) -> Vec<Violation> {
        let plain = |it: &Violation| {
            let named = || it.json().with(|it| named_violation(it, asked))?;
            if asked.trust { Some(it.clone()) } else { named() }
        };
        self.violations.iter().filter_map(plain).take(MOST_VIOLATIONS).collect()
    }

    /// Lets a fault speak in them. What the server wrote is then not quoted a second time.
    pub(in crate::classify) fn put_into(&self, fault: &mut Fault) {
        if !self.message.is_empty() {
            fault.message.clone_from(&self.message);
            fault.server_text = None;
        }
        if !self.hint.is_empty() {
            fault.hint.clone_from(&self.hint);
        }
        if !self.next.is_empty() {
            fault.next_actions.clone_from(&self.next);
        }
        if !self.similar.is_empty() {
            fault.similar_refs.clone_from(&self.similar);
        }
    }
}

/// A violation of an argument that there is, with a name as its reason.
fn named_violation(value: Value<'_>, asked: &Asked<'_>) -> Option<Violation> {
    let pointer = value.get("pointer")?.as_str()?;
    let reason = value.get("reason")?.as_str()?;
    let expected = value.get("expected").and_then(Value::as_str);
    let expected = expected.filter(|it| is_type(it));
    (is_argument(&pointer, asked) && is_name(&reason))
        .then(|| Violation::new(&pointer, &reason, expected.as_deref()))
}

/// Whether a pointer leads to a value of the call, or to an argument that the tool has.
fn is_argument(pointer: &str, asked: &Asked<'_>) -> bool {
    let Some(place) = pointer.strip_prefix('/') else { return false };
    let given = asked.request.and_then(|it| it.path(&["params", "arguments"]));
    let value = given.and_then(|it| place.split('/').try_fold(it, inner));
    value.is_some() || asked.parameters.iter().any(|it| it == place)
}

/// The value behind one step of a pointer.
fn inner<'d>(value: Value<'d>, step: &str) -> Option<Value<'d>> {
    match value.kind() {
        Kind::Array => value.elements().nth(step.parse().ok()?),
        _ => value.get(step),
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || b"_-.".contains(&it);
    (1..=32).contains(&text.len()) && text.bytes().all(is_part)
}
