//! `Fault`: one occurrence of a failure. Everything that is sent about it is a projection of this value.

mod arguments;
pub mod codes;
mod details;
mod domain;
pub mod fields;
mod make;
mod outside;
mod own_envelope;
mod params;
mod parts;
mod private;

use std::sync::Arc;

pub(crate) use arguments::MISNAMED;
pub use details::{ATTEMPTS, GUESSED, UPSTREAM};
pub use domain::{DomainErrors, Overrides, UnknownSymbol, domain, fs_error, kg_error, mb_error};
pub use make::{Ctx, Thrown, from_unknown, invariant_violation, startup_failure, tool_failure};
pub(crate) use outside::ForeignPart;
pub use own_envelope::OwnEnvelope;
pub(crate) use params::MAX_SHOWN_CHARS;
pub use params::ParamValue;
pub use parts::{Basis, Context, NextAction, Origin, Receipt, Similar, Unsaid, Violation};
pub(crate) use private::document_without_frames;
pub use private::{Cause, Dropped, Policy, Private, Redact, StackPolicy};
use redress_registry::{Class, Effect, Entry, Retry, RetryKind, Severity};

use redress_wire::json::RawJson;

/// One occurrence of a failure: the row it belongs to, and what is special about this time.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    entry: Arc<Entry>,
    /// What happened.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// What a client does that does not know the code.
    pub class: Class,
    /// The HTTP status.
    pub http: u16,
    /// When to call again.
    pub retry: Retry,
    /// The earliest time of a repeat, in milliseconds since 1970.
    pub not_before: Option<u64>,
    /// Whether something may have changed.
    pub effect: Effect,
    /// Who failed.
    pub origin: Origin,
    /// By what evidence it is known; nothing where the one who failed says so itself.
    pub basis: Option<Basis>,
    /// Who owns the code.
    pub domain: Box<str>,
    /// The number in JSON-RPC.
    pub number: Option<i64>,
    /// How bad it is.
    pub severity: Severity,
    /// The calls to make next.
    pub next_actions: Vec<NextAction>,
    /// What was probably meant.
    pub similar_refs: Vec<Similar>,
    /// Which arguments are wrong, and why.
    pub violations: Vec<Violation>,
    /// What is known about this time, any JSON.
    pub details: Option<RawJson>,
    /// What the foreign server wrote: not to be trusted.
    pub server_text: Option<String>,
    /// Where it happened.
    pub context: Context,
    /// When it happened, ISO 8601 with milliseconds and `Z`. Stamped at the boundary.
    pub timestamp: Option<String>,
    /// How long the call took.
    pub elapsed_ms: Option<u64>,
    /// What the card costs the model.
    pub estimated_tokens: Option<u64>,
    /// Its place in the ledger.
    pub ledger: Option<Receipt>,
    /// The cause as a document showed it. See [`Fault::expose`] for our own.
    pub cause: Option<RawJson>,
    /// The stack as a document showed it.
    pub stack: Option<String>,
    /// The id of the JSON-RPC response it came in.
    pub rpc_id: Option<RawJson>,
    /// Members of a document that its dialect does not have, by JSON pointer.
    pub extra: Vec<(String, RawJson)>,
    /// What a document had a place for and left out; the row's values stand in for it.
    pub unsaid: Unsaid,
    /// What only the operator sees.
    pub private: Private,
}

impl Fault {
    /// The row as it is, with no parameters.
    pub fn of(entry: &Arc<Entry>) -> Self {
        Self {
            message: params::plain_message(entry),
            hint: entry.hint.clone(),
            class: entry.class,
            http: entry.http,
            retry: entry.retry,
            not_before: None,
            effect: entry.effect,
            origin: Origin::Tool,
            basis: None,
            domain: entry.domain.clone(),
            number: entry.number.map(i64::from),
            severity: entry.severity,
            next_actions: Vec::new(),
            similar_refs: Vec::new(),
            violations: Vec::new(),
            details: None,
            server_text: None,
            context: Context::default(),
            timestamp: None,
            elapsed_ms: None,
            estimated_tokens: None,
            ledger: None,
            cause: None,
            stack: None,
            rpc_id: None,
            extra: Vec::new(),
            unsaid: Unsaid::default(),
            private: Private::default(),
            entry: Arc::clone(entry),
        }
    }

    /// An occurrence with its parameters: they fill the message and become `details`.
    pub fn raise<K, V>(entry: &Arc<Entry>, params: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<str>,
        V: Into<ParamValue>,
    {
        params::raise(entry, params.into_iter().map(|(key, value)| (key, value.into())))
    }

    /// The row raised with its own example.
    pub fn example(entry: &Arc<Entry>) -> Self {
        let params = entry.example.iter().filter_map(|(key, value)| {
            let json = RawJson::parse(value.to_string().as_bytes()).ok()?;
            Some((key, ParamValue::from(json)))
        });
        Self::raise(entry, params)
    }

    /// The permanent name of the failure.
    pub fn code(&self) -> &str {
        &self.entry.code
    }

    /// The row of the code.
    pub const fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// The same occurrence under another row.
    pub(crate) fn under(&self, entry: &Arc<Entry>) -> Self {
        Self { entry: Arc::clone(entry), class: entry.class, ..self.clone() }
    }

    /// Whether a program may send the same call again by itself, if it had no effect.
    pub const fn retryable(&self) -> bool {
        self.retry.retryable()
    }

    /// Where the arguments stand that are to be changed, as JSON pointers into the arguments: those of the violations, else the
    /// parameter that was looked up and not found. The name of a tool is none of its arguments.
    pub fn wrong_arguments(&self) -> Vec<String> {
        let mut pointers: Vec<String> = Vec::new();
        for pointer in self.violations.iter().map(Violation::pointer) {
            if !pointer.is_empty() && !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
        }
        let has = |name: &str| self.details.as_ref()?.with(|it| it.get(name).is_some());
        if pointers.is_empty()
            && !self.wants_another_tool()
            && let Some(name) = self.entry.similar.as_deref()
            && has(name) == Some(true)
        {
            pointers.push(format!("/{name}"));
        }
        pointers
    }

    /// Whether it is the tool that is wrong, and not what it was called with.
    pub(crate) fn wants_another_tool(&self) -> bool {
        self.code() == codes::UNKNOWN_TOOL.name()
    }

    /// Adds to the message why that is, as the end of its sentence.
    pub fn because(&mut self, why: &str) {
        let message = self.message.trim_end_matches('.');
        self.message = format!("{message}: {}.", why.trim_end_matches('.'));
    }

    /// Nothing was changed, whatever the row fears, unless the server stated otherwise. Its advice to look for an effect goes, too.
    pub fn nothing_changed(&mut self) {
        self.effect = self.private.least_effect.unwrap_or(Effect::None);
        if self.effect == Effect::None && self.hint == self.entry.hint {
            self.hint = without_check(&self.hint);
        }
    }

    /// Whether the hint is the row's, with its advice to look for an effect or without.
    pub fn has_row_hint(&self) -> bool {
        self.hint == self.entry.hint || self.hint == without_check(&self.entry.hint)
    }

    /// The call may have changed something, whatever the row says.
    pub fn may_have_changed_something(&mut self) {
        self.effect = self.private.least_effect.unwrap_or(Effect::Unknown).max(Effect::Unknown);
    }

    /// Takes a retry rule that is only yes or no; a rule that says the same already stays.
    pub fn set_retryable(&mut self, retryable: bool) {
        if retryable != self.retryable() {
            self.retry = Retry::of(if retryable { RetryKind::Now } else { RetryKind::Never });
        }
    }

    /// Takes the row's message, with the details as its parameters.
    pub(crate) fn set_row_message(&mut self) {
        self.message = params::message_of(self);
    }

    /// Takes the row's next calls, with the details as their parameters.
    pub(crate) fn set_row_next_actions(&mut self) {
        self.next_actions = self.row_next_actions();
    }

    /// The row's next calls, with the details as their parameters.
    pub(crate) fn row_next_actions(&self) -> Vec<NextAction> {
        params::next_actions_of(self)
    }

    /// Takes JSON as details. What is not JSON is dropped and named, so that the fault is sent all the same.
    pub fn set_details(&mut self, json: &[u8]) {
        match RawJson::parse(json) {
            Ok(details) => self.details = Some(details),
            Err(error) => self.private.drop_part("details", &error.to_string()),
        }
    }

    /// Whether the hint was given, and is not merely the row's for a document that had none.
    pub fn says_hint(&self) -> bool {
        !self.unsaid.hint || self.hint != self.entry.hint
    }

    /// Whether the retry rule was given, and is not merely the row's for a document that had none.
    pub fn says_retry(&self) -> bool {
        !self.unsaid.retry || self.retry != self.entry.retry
    }
}

/// How rows whose calls may have had an effect advise to look for it.
const CHECK: &str = "check whether the call took effect";

/// A hint without the clause that advises to look for an effect.
fn without_check(hint: &str) -> String {
    let clauses = hint.split_inclusive(", ");
    let mut kept: String =
        clauses.filter(|it| !it.to_ascii_lowercase().starts_with(CHECK)).collect();
    if kept.len() == hint.len() || !hint.to_ascii_lowercase().starts_with(CHECK) {
        return kept;
    }
    let begins = ["and ", "or ", "then "].iter().find_map(|it| kept.strip_prefix(it));
    kept = begins.unwrap_or(&kept).to_owned();
    if let Some(first) = kept.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    kept
}

#[cfg(test)]
mod tests {
    use redress_registry::{Effect, shipped};

    use super::{CHECK, Fault};

    #[test]
    fn where_nothing_was_changed_nobody_is_told_to_look() {
        let mut hints = Vec::new();
        for row in shipped::core().codes.values() {
            let mut fault = Fault::of(row);
            fault.nothing_changed();
            assert!(!fault.hint.to_lowercase().contains("took effect"), "{}", fault.hint);
            if row.hint.to_lowercase().contains(CHECK) {
                assert_ne!(row.effect, Effect::None, "{}", row.code);
                hints.push(fault.hint);
            } else {
                assert_eq!(fault.hint, row.hint);
            }
        }
        assert!(hints.contains(&"Tell the operator what you called.".to_owned()), "{hints:?}");
        assert!(hints.contains(&"Wait a moment, then repeat it.".to_owned()), "{hints:?}");
        assert!(hints.contains(&"Ask for less at once.".to_owned()), "{hints:?}");
        assert!(hints.iter().all(|it| it.starts_with(char::is_uppercase)), "{hints:?}");
    }
}
