//! Emission: the one way from a fault to what a client hears and the ledger keeps.
//!
//! In this order: the private part is exposed as far as the policy goes, characters that mislead are removed, parts that name a secret are left out, the message
//! names the wrong arguments, secrets are redacted, lengths are bounded. What comes out is [`Emitted`]; records and answers are
//! written from it, and its texts never change again.

mod bounds;

use std::ops::Deref;

pub use bounds::bound;

use crate::{
    Fault,
    dialect::own,
    fault::{ForeignPart, NextAction, Policy, Redact, StackPolicy, document_without_frames},
    text,
};
use redress_wire::json::{Kind, RawJson, Value, changed, is_same};

/// What the boundary lets out.
#[derive(Debug, Clone, Copy)]
pub struct Emission<'e> {
    /// Takes secrets out, and says how much of a stack is shown.
    pub policy: Policy<'e>,
    /// Whether the words of a foreign server stay with the operator.
    pub hides_server_text: bool,
    /// The most bytes of details.
    pub details_bytes: usize,
}

/// A fault that may be sent. Only [`emit`] makes one.
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
    let clean = redacted(plain.as_deref().unwrap_or(said), redact);
    (clean != said).then_some(clean)
}

/// A document of a server's error that stays one, without secrets; `None` if it has none, however it is spelled.
pub fn clean_document(said: Value<'_>, redact: &dyn Redact) -> Option<RawJson> {
    let clean = redact.document(&RawJson::from(said));
    let is_clean = clean.with(|clean| is_same(said, clean)) == Some(true);
    (!is_clean).then_some(clean)
}

/// Makes a fault ready to be recorded and sent. Context and times are stamped before.
pub fn emit(mut fault: Fault, how: &Emission<'_>) -> Emitted {
    expose(&mut fault, how);
    normalise(&mut fault);
    leave_out(&mut fault, how.policy.redact);
    fault.name_arguments();
    redact(&mut fault, how);
    bound(&mut fault, how.details_bytes);
    if let Some(own) = fault.private.own.take() {
        let told = |doc: Value<'_>| may_be_told(doc, &how.policy);
        fault.private.own = own::is_unchanged(&own, &fault, told).then_some(own);
    }
    Emitted(Box::new(fault))
}

fn expose(fault: &mut Fault, how: &Emission<'_>) {
    if how.hides_server_text {
        fault.hide_server_text();
    }
    fault.expose(&how.policy);
    if how.policy.stack == StackPolicy::Hidden {
        fault.hide_frames();
    }
}

/// Removes control, bidi and invisible characters, behind which a secret would not be seen.
fn normalise(fault: &mut Fault) {
    fault.each_part(&mut |part| match part {
        ForeignPart::Text(text) => {
            if text::misleads(text) {
                *text = text::strip(text);
            }
        }
        ForeignPart::Said(text) => *text = text::strip(text),
        ForeignPart::Stack(lines) => *lines = text::strip_lines(lines),
        ForeignPart::Details(json) | ForeignPart::Json(json) => {
            if let Some(harmless) = normalised(json) {
                *json = harmless;
            }
        }
    });
}

/// Leaves out what is of no use without the secret that it names.
fn leave_out(fault: &mut Fault, redact: &dyn Redact) {
    fault.similar_refs.retain(|it| is_clean(it.json(), redact));
    fault.violations.retain(|it| is_clean(it.json(), redact));
    fault.next_actions.retain(|it| match it {
        NextAction::Call { tool, .. } => redact.redact(tool) == *tool,
        NextAction::Text(_) => true,
    });
}

fn redact(fault: &mut Fault, how: &Emission<'_>) {
    let redact = how.policy.redact;
    fault.each_part(&mut |part| match part {
        ForeignPart::Text(text) | ForeignPart::Said(text) | ForeignPart::Stack(text) => {
            *text = redacted(text, redact);
        }
        ForeignPart::Details(json) | ForeignPart::Json(json) => {
            *json = redacted_document(json, redact);
        }
    });
}

/// A text without secrets.
fn redacted(text: &str, redact: &dyn Redact) -> String {
    let clean = redact.redact(text);
    told_folded(&clean, redact).unwrap_or(clean)
}

/// A document without secrets.
fn redacted_document(json: &RawJson, redact: &dyn Redact) -> RawJson {
    let clean = redact.document(json);
    let told = clean.with(|it| changed(it, &|text, _| told_folded(text, redact)));
    told.flatten().unwrap_or(clean)
}

/// Readers fold the white space of a text, and a card does. A text that shows a secret then is sent folded, without it.
fn told_folded(text: &str, redact: &dyn Redact) -> Option<String> {
    let folded = Some(text::strip(text)).filter(|it| it != text)?;
    let told = redact.known(&folded);
    (told != folded).then_some(told)
}

/// Whether nothing in a document has to be taken out: no name and no value, for any reader.
fn may_be_told(doc: Value<'_>, policy: &Policy<'_>) -> bool {
    let whole = RawJson::from(doc);
    let shows_frames = policy.stack != StackPolicy::Hidden;
    !has_misleading(doc)
        && is_clean(&whole, policy.redact)
        && (shows_frames || document_without_frames(&whole).is_none())
}

/// Whether a document has no secrets, in its values or in its names.
fn is_clean(json: &RawJson, redact: &dyn Redact) -> bool {
    let clean = redacted_document(json, redact);
    json.with(|it| clean.with(|clean| is_same(it, clean))) == Some(Some(true))
}

/// A document with harmless texts; `None` if all of them are.
fn normalised(json: &RawJson) -> Option<RawJson> {
    let harmless = |text: &str, is_key| {
        let strip = if is_key { text::strip } else { text::strip_lines };
        text::misleads(text).then(|| strip(text))
    };
    json.with(|it| changed(it, &harmless))?
}

/// Whether a document has characters that mislead.
fn has_misleading(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Object => value.members().any(|(key, it)| has_misleading(key) || has_misleading(it)),
        Kind::Array => value.elements().any(has_misleading),
        Kind::String => value.as_str().is_some_and(|it| text::misleads(&it)),
        Kind::Number | Kind::Bool | Kind::Null => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Fault, codes,
        fault::{
            Cause, NextAction, Policy, Private, Receipt, Redact, Similar, StackPolicy, Violation,
        },
        text::tokens::DEFAULT_DETAILS_BYTES,
    };
    use redress_wire::json::RawJson;

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
        emit(fault, &Emission { policy, hides_server_text, details_bytes })
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
        fault.next_actions.push(NextAction::call("hunter2", [("a", "b")]));
        fault.domain = "hunter2".into();
        fault.timestamp = Some("hunter2".into());
        fault.rpc_id = Some(RawJson::string("hunter2"));
        fault.extra = vec![("/hunter2".into(), RawJson::string("hunter2"))];
        fault.ledger = Some(Receipt { seq: 1, hash: "hunter2".into() });
        for name in fault.context.members_mut() {
            *name = Some("hun\u{200b}ter2".into());
        }
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
    fn our_own_cause_is_always_shown_and_a_stack_by_policy_alone() {
        let hidden = emitted(leaky(), false);
        assert_eq!(hidden.cause, Some(RawJson::string("because of [REDACTED]")));
        assert_eq!(hidden.stack, None);
        let shown = emitted(leaky(), true);
        assert_eq!(shown.cause, Some(RawJson::string("because of [REDACTED]")));
        assert_eq!(shown.stack.as_deref(), Some("at [REDACTED]"));
        let mut foreign = leaky();
        foreign.private.upstream = Some(b"{}".to_vec());
        assert_eq!(emitted(foreign.clone(), true).cause, None, "it is the server's");
        foreign.cause = Some(RawJson::string("as a trusted server stated"));
        assert_eq!(emitted(foreign.clone(), false).cause, foreign.cause);
    }

    #[test]
    fn no_part_keeps_frames_unless_the_policy_shows_stacks() {
        const STACK: &str = "KeyError: 'x'\n    at f (/w/x.js:1:2)\n    at g (/w/x.js:3:4)";
        let mut fault = leaky();
        fault.message = STACK.into();
        fault.server_text = Some(STACK.into());
        let details = RawJson::string(STACK);
        fault.set_details(format!("{{\"upstream\":{{\"data\":[{details}]}}}}").as_bytes());
        fault.private.causes = vec![Cause::Text(STACK.into())];
        fault.private.stack = Some(STACK.into());
        let told = |shows| {
            let mut told = emitted(fault.clone(), shows).into_fault();
            told.private = Private::default();
            format!("{told:?}")
        };
        assert!(!told(false).contains("x.js"), "{}", told(false));
        assert_eq!(told(false).matches("KeyError: 'x'").count(), 4, "{}", told(false));
        assert_eq!(told(true).matches("x.js:1:2").count(), 5, "{}", told(true));
        assert!(told(true).contains("x.js:3:4"), "{}", told(true));
    }

    #[test]
    fn hidden_words_of_a_server_go_to_the_operator() {
        let mut fault = leaky();
        fault.set_details(br#"{"upstream":{"stderr_tail":"boom","status":503}}"#);
        let policy = Policy { stack: StackPolicy::Hidden, redact: &SECRET };
        let (hides_server_text, details_bytes) = (true, DEFAULT_DETAILS_BYTES);
        let how = Emission { policy, hides_server_text, details_bytes };
        let told = emit(fault, &how);
        assert_eq!(told.server_text, None);
        assert_eq!(told.details.as_ref().unwrap().as_str(), r#"{"upstream":{"status":503}}"#);
        assert!(!format!("{:?}", told.cause).contains("boom"), "the cause was there before");
        assert!(format!("{:?}", told.private).contains("boom"));
    }
}
