//! What a server says about a code of its contract in its own words. They count only if the server is trusted.

use crate::{
    Fault,
    fault::{NextAction, Similar},
    json::{Kind, RawJson, Value},
    text,
};

/// A server's own words about a failure.
#[derive(Debug, Default)]
pub(super) struct Words {
    message: String,
    hint: String,
    next: Vec<NextAction>,
    similar: Vec<Similar>,
    details: Option<RawJson>,
}

impl Words {
    /// Of an envelope in a dialect.
    pub(super) fn of_fault(fault: Fault) -> Self {
        let Fault { message, hint, next_actions, similar_refs, details, .. } = fault;
        Self {
            message: text::strip(&message),
            hint: text::strip(&hint),
            next: next_actions,
            similar: similar_refs,
            details,
        }
    }

    /// Of an object that has a code and no dialect.
    pub(super) fn of_object(object: Value<'_>) -> Self {
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
    pub(super) fn of_text(text: &str) -> Self {
        Self { message: text::strip(text.trim()), ..Self::default() }
    }

    /// The values that it names.
    pub(super) const fn details(&self) -> Option<&RawJson> {
        self.details.as_ref()
    }

    /// Lets a fault speak in them. What the server wrote is then not quoted a second time.
    pub(super) fn put_into(&self, fault: &mut Fault) {
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
