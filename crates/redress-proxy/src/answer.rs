//! What a server's answer is by protocol: a tool's result or not, an error that stays one, and where an envelope goes.

use std::ops::Range;

use redress::dialect::wire::{FAULT_KEY, error_stays};
use redress_wire::json::{Kind, Value};

use crate::frame::{members, span};

/// The members of a call's result that the protocol has.
const RESULT_KEYS: [&str; 7] =
    ["content", "isError", "structuredContent", "_meta", "resultType", "task", "toolResult"];

/// Those of an error.
const ERROR_KEYS: [&str; 3] = ["code", "message", "data"];

/// Those of a task's state that we read.
const STATE_KEYS: [&str; 5] = ["status", "statusMessage", "result", "error", "_meta"];

const RESULT_TWICE: &str = "a key of the result stands twice, or in another spelling";
const ERROR_TWICE: &str = "a key of the error stands twice, or in another spelling";
const STATE_TWICE: &str = "a key of the task stands twice, or in another spelling";

/// Why readers could differ about what a result says: the one takes the first of two members, the other the last.
pub(crate) fn ambiguous_result(result: Value<'_>) -> Option<&'static str> {
    members(result, RESULT_KEYS).err().map(|_| RESULT_TWICE)
}

/// The same of an error.
pub(crate) fn ambiguous_error(error: Value<'_>) -> Option<&'static str> {
    members(error, ERROR_KEYS).err().map(|_| ERROR_TWICE)
}

/// The same of a task's state, with what it has inside.
pub(crate) fn ambiguous_state(state: Value<'_>) -> Option<&'static str> {
    match members(state, STATE_KEYS) {
        Err(_) => Some(STATE_TWICE),
        Ok([_, _, result, error, _]) => {
            result.and_then(ambiguous_result).or_else(|| error.and_then(ambiguous_error))
        }
    }
}

/// What the result of a call looks like, before anybody reads its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallResult {
    /// It says that it failed.
    Failed,
    /// It does not say so.
    Unflagged,
    /// The call goes on as a task.
    Task,
    /// It is not the result of a call.
    Broken(&'static str),
}

impl CallResult {
    /// Looks at the result of a `tools/call`.
    pub(crate) fn of(result: Value<'_>) -> Self {
        if result.kind() != Kind::Object {
            return Self::Broken("the result is not an object");
        }
        let Ok([content, is_error, structured, _, kind, task, old]) = members(result, RESULT_KEYS)
        else {
            return Self::Broken(RESULT_TWICE);
        };
        match is_error.map(Value::as_bool) {
            Some(Some(true)) => return Self::Failed,
            Some(None) => return Self::Broken("isError is neither true nor false"),
            Some(Some(false)) | None => (),
        }
        if task.is_some() || kind.is_some_and(|it| it.is_str("task")) {
            return Self::Task;
        }
        // A wish for input and the results of the first revisions have no content.
        let has_none = kind.is_none_or(|it| it.is_str("complete"))
            && [content, structured, old].iter().all(Option::is_none);
        match content.map(Value::kind) {
            None if has_none => Self::Broken("the result has no content"),
            None | Some(Kind::Array) => Self::Unflagged,
            Some(_) => Self::Broken("the content is not a list"),
        }
    }
}

/// What an error object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorObject {
    /// As JSON-RPC has it.
    Valid {
        /// Its code.
        code: i32,
    },
    /// Its code or its message is not what JSON-RPC has.
    Broken(&'static str),
}

impl ErrorObject {
    /// Looks at the error of an answer.
    pub(crate) fn of(error: Value<'_>) -> Self {
        if error.kind() != Kind::Object {
            return Self::Broken("the error is not an object");
        }
        let Ok([code, message, _]) = members(error, ERROR_KEYS) else {
            return Self::Broken(ERROR_TWICE);
        };
        let code = code.and_then(Value::as_i64).and_then(|it| i32::try_from(it).ok());
        match (code, message.map(Value::kind)) {
            (Some(code), Some(Kind::String)) => Self::Valid { code },
            (None, _) => Self::Broken("the code of the error is not a whole number of 32 bits"),
            (_, _) => Self::Broken("the error has no message"),
        }
    }

    /// Whether it stays an error: the request itself was not one, or the protocol has a use for it.
    pub(crate) const fn stays(self, is_well_formed: bool, is_clients: bool) -> bool {
        match self {
            Self::Broken(_) => false,
            Self::Valid { code } => error_stays(code, is_well_formed, is_clients),
        }
    }
}

/// Where an envelope goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Insertion {
    /// The bytes that it replaces.
    pub(crate) at: Range<usize>,
    /// What goes before it.
    pub(crate) before: String,
    /// What goes after it.
    pub(crate) after: &'static str,
}

/// Where the envelope goes in a result.
pub(crate) fn place_in_result(result: Value<'_>) -> Option<Insertion> {
    let meta = result.get("_meta");
    place(result, "_meta", meta)
}

/// Where the envelope goes in an error. Data that is no object moves to `data.upstream`.
pub(crate) fn place_in_error(error: Value<'_>) -> Option<Insertion> {
    match error.get("data") {
        Some(data) if !matches!(data.kind(), Kind::Object | Kind::Null) => {
            let before = format!("{{\"upstream\":{},\"{FAULT_KEY}\":", data.raw());
            Some(Insertion { at: span(data), before, after: "}" })
        }
        data => place(error, "data", data),
    }
}

/// Where the envelope goes: last into the object `inner`, the member `key` of `outer`, which may be absent.
fn place(outer: Value<'_>, key: &str, inner: Option<Value<'_>>) -> Option<Insertion> {
    let key_of_fault = format!("\"{FAULT_KEY}\":");
    match inner {
        None if outer.kind() != Kind::Object => None,
        None => Some(at_the_end(outer, &format!("\"{key}\":{{{key_of_fault}"), "}")),
        Some(inner) if inner.kind() != Kind::Object => {
            Some(Insertion { at: span(inner), before: format!("{{{key_of_fault}"), after: "}" })
        }
        // Only the gate speaks under its key.
        Some(inner) => Some(match without_fault(inner) {
            Some((at, others)) => {
                let others = others.strip_suffix('}').unwrap_or(&others);
                let comma = if others.len() > 1 { "," } else { "" };
                Insertion { at, before: format!("{others}{comma}{key_of_fault}"), after: "}" }
            }
            None => at_the_end(inner, &key_of_fault, ""),
        }),
    }
}

/// An object that has a member with the gate's own key, however often: its place, and its other members.
fn without_fault(object: Value<'_>) -> Option<(Range<usize>, String)> {
    object.get(FAULT_KEY)?;
    let mut others = String::from("{");
    for (key, value) in object.members().filter(|it| !it.0.is_str(FAULT_KEY)) {
        others.push_str(if others.len() > 1 { "," } else { "" });
        others.push_str(key.raw());
        others.push(':');
        others.push_str(value.raw());
    }
    others.push('}');
    Some((span(object), others))
}

/// Behind the last member of an object.
fn at_the_end(object: Value<'_>, before: &str, after: &'static str) -> Insertion {
    let at = span(object).end.saturating_sub(1);
    let comma = if object.members().next().is_none() { "" } else { "," };
    Insertion { at: at..at, before: format!("{comma}{before}"), after }
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits, Value};

    use super::{CallResult, ErrorObject, Insertion, place_in_error, place_in_result};

    fn with<T>(text: &str, look: impl FnOnce(Value<'_>) -> T) -> T {
        look(Doc::parse(text.as_bytes(), Limits::DOCUMENT).expect("valid JSON").root())
    }

    #[test]
    fn results_are_told_apart() {
        for (text, expected) in [
            (r#"{"content":[],"isError":true}"#, CallResult::Failed),
            (r#"{"isError":true}"#, CallResult::Failed),
            (r#"{"content":[]}"#, CallResult::Unflagged),
            (r#"{"content":[],"isError":false,"x":1}"#, CallResult::Unflagged),
            (r#"{"structuredContent":{}}"#, CallResult::Unflagged),
            (r#"{"resultType":"input_required"}"#, CallResult::Unflagged),
            (r#"{"task":{"taskId":"1"}}"#, CallResult::Task),
            (r#"{"resultType":"task","taskId":"1"}"#, CallResult::Task),
        ] {
            assert_eq!(with(text, CallResult::of), expected, "{text}");
        }
        for text in [
            "{}",
            "3",
            r#"{"resultType":"complete"}"#,
            r#"{"content":"a"}"#,
            r#"{"isError":true,"isError":false}"#,
            r#"{"content":[],"isError":"true"}"#,
            r#"{"content":[],"isError":1}"#,
            r#"{"content":[],"isError":null}"#,
        ] {
            assert!(matches!(with(text, CallResult::of), CallResult::Broken(_)), "{text}");
        }
    }

    #[test]
    fn an_error_stays_by_its_code_the_request_and_the_list() {
        let stays = |code, formed, unlisted| ErrorObject::Valid { code }.stays(formed, unlisted);
        for code in [-32_700, -32_600, -32_020, -32_042, -32_099] {
            assert!(stays(code, true, false), "{code}");
        }
        for code in [-32_603, -32_000, -32_019, -32_100, 0, 1, 429] {
            assert!(!stays(code, true, true), "{code}");
            assert!(stays(code, false, false), "{code}");
        }
        for code in [-32_601, -32_602] {
            assert!(stays(code, true, true) && !stays(code, true, false), "{code}");
        }
    }

    #[test]
    fn errors_that_are_none_are_named() {
        for text in [
            "\"boom\"",
            r#"{"code":1.5,"message":"x"}"#,
            r#"{"code":3000000000,"message":"x"}"#,
            r#"{"code":1}"#,
            r#"{"code":1,"code":2,"message":"x"}"#,
        ] {
            assert!(matches!(with(text, ErrorObject::of), ErrorObject::Broken(_)), "{text}");
        }
        assert_eq!(
            with(r#"{"code":-1,"message":""}"#, ErrorObject::of),
            ErrorObject::Valid { code: -1 }
        );
    }

    #[test]
    fn an_envelope_finds_its_place() {
        fn put(text: &str, find: fn(Value<'_>) -> Option<Insertion>) -> Option<String> {
            let place = with(text, find)?;
            let (start, end) = (&text[..place.at.start], &text[place.at.end..]);
            Some(format!("{start}{}E{}{end}", place.before, place.after))
        }
        let result = |text| put(text, place_in_result);
        let error = |text| put(text, place_in_error);
        let k = "\"dev.redress/fault\":E";
        assert_eq!(result("{}"), Some(format!(r#"{{"_meta":{{{k}}}}}"#)));
        assert_eq!(result(r#"{"a":1}"#), Some(format!(r#"{{"a":1,"_meta":{{{k}}}}}"#)));
        assert_eq!(result(r#"{"_meta":{}}"#), Some(format!(r#"{{"_meta":{{{k}}}}}"#)));
        assert_eq!(result(r#"{"_meta":{"a":1}}"#), Some(format!(r#"{{"_meta":{{"a":1,{k}}}}}"#)));
        let forged = r#"{"_meta":{"dev.redress/fault":{"code":"OK"},"a":1}}"#;
        assert_eq!(result(forged), Some(format!(r#"{{"_meta":{{"a":1,{k}}}}}"#)));
        let twice = r#"{"_meta":{"dev.redress/fault":1,"dev.redress\/fault":{"a":{}}}}"#;
        assert_eq!(result(twice), Some(format!(r#"{{"_meta":{{{k}}}}}"#)));
        assert_eq!(result("3"), None);
        assert_eq!(error(r#"{"code":1}"#), Some(format!(r#"{{"code":1,"data":{{{k}}}}}"#)));
        assert_eq!(error(r#"{"data":null}"#), Some(format!(r#"{{"data":{{{k}}}}}"#)));
        assert_eq!(error(r#"{"data":[1]}"#), Some(format!(r#"{{"data":{{"upstream":[1],{k}}}}}"#)));
    }
}
