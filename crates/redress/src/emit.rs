//! Emission: the one way from a fault to what a client hears and the ledger keeps.
//!
//! In this order: the private part is exposed as far as the policy goes, characters that mislead are removed, secrets are
//! redacted, lengths are bounded. What comes out is [`Emitted`]; records and answers are written from it, and its texts
//! never change again.

use std::ops::Deref;

use crate::{
    Fault,
    fault::{NextAction, Policy, Redact},
    json::{Kind, Members, RawJson, Value, write_list, write_str},
    text,
};

/// What the boundary lets out.
#[derive(Debug, Clone, Copy)]
pub struct Emission<'e> {
    /// Takes secrets out, and says how much of a stack is shown.
    pub policy: Policy<'e>,
    /// Whether the cause is shown.
    pub shows_cause: bool,
    /// Whether the words of a foreign server stay with the operator.
    pub hides_server_text: bool,
    /// The most bytes of details.
    pub details_bytes: usize,
}

/// A fault that may be told. Only [`emit`] makes one.
#[derive(Debug, Clone)]
pub struct Emitted(Box<Fault>);

impl Deref for Emitted {
    type Target = Fault;

    fn deref(&self) -> &Fault {
        &self.0
    }
}

impl Emitted {
    /// The fault, to be written, or to be changed and emitted again.
    pub fn into_fault(self) -> Fault {
        *self.0
    }
}

/// A text of a server's error that stays one, without what misleads and without secrets; `None` if that changes nothing.
pub fn clean_text(said: &str, redact: &dyn Redact) -> Option<String> {
    let plain = text::misleads(said).then(|| text::strip(said));
    let clean = redact.redact(plain.as_deref().unwrap_or(said));
    (clean != said).then_some(clean)
}

/// Makes a fault ready to be recorded and told. Context and times are stamped before.
pub fn emit(mut fault: Fault, how: &Emission<'_>) -> Emitted {
    expose(&mut fault, how);
    normalise(&mut fault);
    redact(&mut fault, how);
    fault.bound(how.details_bytes);
    Emitted(Box::new(fault))
}

fn expose(fault: &mut Fault, how: &Emission<'_>) {
    let cause = fault.cause.take();
    fault.expose(&how.policy);
    if !how.shows_cause {
        fault.cause = cause;
    }
    if how.hides_server_text {
        fault.hide_server_text();
    }
}

/// Removes control, bidi and invisible characters, behind which a secret would not be seen.
fn normalise(fault: &mut Fault) {
    for text in [&mut fault.message, &mut fault.hint] {
        if text::misleads(text) {
            *text = text::strip(text);
        }
    }
    fault.server_text = fault.server_text.take().map(|it| text::strip(&it));
    fault.details = fault.details.take().map(|it| normalised(&it).unwrap_or(it));
}

fn redact(fault: &mut Fault, how: &Emission<'_>) {
    let redact = how.policy.redact;
    fault.message = redact.redact(&fault.message);
    fault.hint = redact.redact(&fault.hint);
    fault.server_text = fault.server_text.take().map(|it| redact.said(&it));
    fault.details = fault.details.take().map(|it| redact.details(&it));
    fault.context.tool = fault.context.tool.take().map(|it| redact.known(&it));
    for next in &mut fault.next_actions {
        match next {
            NextAction::Call { args, .. } => *args = args.take().map(|it| redact.details(&it)),
            NextAction::Text(advice) => *advice = redact.redact(advice),
        }
    }
    // One that names a secret helps nobody without it.
    let is_clean = |json: &RawJson| redact.details(json).as_str() == json.as_str();
    fault.similar_refs.retain(|it| is_clean(it.json()));
    fault.violations.retain(|it| is_clean(it.json()));
}

/// A document with harmless texts; `None` if all of them are.
fn normalised(json: &RawJson) -> Option<RawJson> {
    json.with(|it| {
        has_misleading(it).then(|| {
            let mut out = String::new();
            write_normalised(it, &mut out);
            RawJson::written(out)
        })
    })?
}

fn has_misleading(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Object => value.members().any(|(key, it)| has_misleading(key) || has_misleading(it)),
        Kind::Array => value.elements().any(has_misleading),
        Kind::String => value.as_str().is_some_and(|it| text::misleads(&it)),
        Kind::Number | Kind::Bool | Kind::Null => false,
    }
}

/// Writes a value. Documents nest at most 64 deep.
fn write_normalised(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Object => {
            let mut members = Members::open(out);
            for (key, it) in value.members() {
                let key = text::strip(&key.as_str().unwrap_or_default());
                write_normalised(it, members.key(&key));
            }
            members.close();
        }
        Kind::Array => {
            let all: Vec<_> = value.elements().collect();
            write_list(out, &all, |it, out| write_normalised(*it, out));
        }
        Kind::String => {
            let said = value.as_str().unwrap_or_default();
            let clean = text::misleads(&said).then(|| text::strip_lines(&said));
            write_str(out, clean.as_deref().unwrap_or(&said));
        }
        Kind::Number | Kind::Bool | Kind::Null => out.push_str(value.raw()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Fault, codes,
        fault::{Cause, NextAction, Policy, Private, Redact, Similar, StackPolicy, Violation},
        json::RawJson,
        tokens::DEFAULT_DETAILS_BYTES,
    };

    use super::{Emission, Emitted, emit};

    #[derive(Debug)]
    struct Hides(&'static str);

    impl Redact for Hides {
        fn redact(&self, text: &str) -> String {
            text.replace(self.0, "[REDACTED]")
        }
    }

    const SECRET: Hides = Hides("hunter2");

    fn emitted(fault: Fault, shows: bool) -> Emitted {
        let stack = if shows { StackPolicy::Full } else { StackPolicy::Hidden };
        let policy = Policy { stack, redact: &SECRET };
        let (hides_server_text, details_bytes) = (false, DEFAULT_DETAILS_BYTES);
        emit(fault, &Emission { policy, shows_cause: shows, hides_server_text, details_bytes })
    }

    fn leaky() -> Fault {
        let mut fault = codes::FILE_NOT_FOUND.raise([("path", "a")]);
        fault.message = "No file for hun\u{200b}ter2.".into();
        fault.hint = "Ask without hunter2.".into();
        fault.server_text = Some("key h\u{202e}unter2".into());
        fault.set_details("{\"a\":[\"hunt\\u001b[1mer2\"]}".as_bytes());
        fault.next_actions = vec![
            NextAction::call("read", [("path", "hunter2")]),
            NextAction::Text("Use hunter2".into()),
        ];
        fault.similar_refs = vec![Similar::new("hunter2"), Similar::new("b")];
        fault.violations = vec![Violation::new("/hunter2", "wrong", None)];
        fault.private.push_cause(Cause::Text("because of hunter2".into()));
        fault.private.stack = Some("at hunter2".into());
        fault
    }

    #[test]
    fn no_part_of_a_fault_keeps_a_secret() {
        for shows in [false, true] {
            let mut fault = emitted(leaky(), shows).into_fault();
            fault.private = Private::default();
            let text = format!("{fault:?}");
            assert!(!text.contains("hunter2") && text.contains("[REDACTED]"), "{text}");
        }
    }

    #[test]
    fn emitting_again_changes_nothing() {
        let once = emitted(leaky(), true);
        let again = emitted(once.clone().into_fault(), true);
        assert_eq!(*once, *again);
    }

    #[test]
    fn cause_and_stack_are_shown_by_policy_alone() {
        let hidden = emitted(leaky(), false);
        assert_eq!((&hidden.cause, &hidden.stack), (&None, &None));
        let shown = emitted(leaky(), true);
        assert_eq!(shown.cause, Some(RawJson::string("because of [REDACTED]")));
        assert_eq!(shown.stack.as_deref(), Some("at [REDACTED]"));
    }

    #[test]
    fn hidden_words_of_a_server_go_to_the_operator() {
        let mut fault = leaky();
        fault.set_details(br#"{"upstream":{"stderr_tail":"boom","status":503}}"#);
        let policy = Policy { stack: StackPolicy::Hidden, redact: &SECRET };
        let (hides_server_text, details_bytes) = (true, DEFAULT_DETAILS_BYTES);
        let how = Emission { policy, shows_cause: true, hides_server_text, details_bytes };
        let told = emit(fault, &how);
        assert_eq!(told.server_text, None);
        assert_eq!(told.details.as_ref().unwrap().as_str(), r#"{"upstream":{"status":503}}"#);
        assert!(!format!("{:?}", told.cause).contains("boom"), "the cause was there before");
        assert!(format!("{:?}", told.private).contains("boom"));
    }
}
