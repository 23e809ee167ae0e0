//! Whether a payload is an object that says by its structure that the call failed.

use super::{
    extract::folded,
    facts::{Fact, Facts},
    request::Argument,
};
use crate::json::{Doc, Kind, Limits, Value};

/// A payload that only reports a failure is small.
const LIMITS: Limits = Limits { bytes: 8 << 10, nesting: 16 };
/// Flags that are false when a call failed.
const FLAGS: [&str; 4] = ["success", "ok", "succeeded", "successful"];
/// Members that hold the failure.
const ERRORS: [&str; 5] = ["error", "errors", "err", "exception", "errormessage"];
/// Members that hold words about it.
const WORDS: [&str; 7] =
    ["message", "msg", "detail", "details", "reason", "description", "errordescription"];
/// What a member `status` says when a call failed.
const STATUSES: [&str; 16] = [
    "error",
    "failed",
    "failure",
    "fail",
    "err",
    "ratelimited",
    "notfound",
    "unauthorized",
    "forbidden",
    "denied",
    "invalid",
    "timeout",
    "unavailable",
    "blocked",
    "rejected",
    "exception",
];
/// Members that tell where, when or about what, and are no content.
const MARGIN: [&str; 30] = [
    "code",
    "errorcode",
    "errortype",
    "type",
    "name",
    "kind",
    "object",
    "status",
    "statuscode",
    "httpstatus",
    "hint",
    "suggestion",
    "suggestions",
    "requestid",
    "timestamp",
    "stack",
    "stacktrace",
    "traceback",
    "tool",
    "retryable",
    "retryafter",
    "retryafterseconds",
    "documentationurl",
    "data",
    "result",
    "iserror",
    "title",
    "path",
    "help",
    "context",
];

/// Adds what the text of a result says as a payload.
pub(crate) fn look(facts: &mut Facts, text: &str, arguments: &[Argument<'_>]) {
    let text = text.trim();
    if !text.starts_with(['{', '"']) {
        return;
    }
    let Ok(doc) = Doc::parse(text.as_bytes(), LIMITS) else { return };
    let root = doc.root();
    if let Some(page) = root.as_str() {
        facts.set(Fact::Page, is_page(&page));
        return;
    }
    let grade = grade(root, arguments);
    facts.set(Fact::Fails, grade.failing >= 2);
    facts.set(Fact::FailsSurely, grade.failing >= 3 || grade.failing == 2 && grade.content == 0);
    facts.set(Fact::ErrorInside, grade.failing < 2 && has_error_inside(root));
}

/// How much of an object says that the call failed, and how much of it is content.
#[derive(Default)]
struct Grade {
    failing: u32,
    content: u32,
}

fn grade(root: Value<'_>, arguments: &[Argument<'_>]) -> Grade {
    let mut grade = Grade::default();
    let has_words = root.members().any(|(key, value)| {
        let key = folded(&key.as_str().unwrap_or_default());
        let is_words = WORDS.contains(&key.as_str()) || ERRORS.contains(&key.as_str());
        is_words && says_something(value) || key == "data" && value.kind() == Kind::String
    });
    for (key, value) in root.members() {
        let key = folded(&key.as_str().unwrap_or_default());
        let key = key.as_str();
        let failing = match value.kind() {
            Kind::Bool if FLAGS.contains(&key) && value.as_bool() == Some(false) => 2,
            Kind::Bool if key == "iserror" && value.as_bool() == Some(true) => 2,
            _ if ERRORS.contains(&key) && says_something(value) => 2,
            Kind::Number if has_words && is_status(key, value) => 1,
            Kind::String if has_words && key == "status" => u32::from(is_failed(value)),
            Kind::String if has_words && matches!(key, "object" | "type") => {
                u32::from(value.is_str("error"))
            }
            _ => 0,
        };
        grade.failing += failing;
        if failing == 0 && !is_margin(key, value, arguments) {
            grade.content += 1;
        }
        if FLAGS.contains(&key) && value.as_bool() == Some(true) {
            return Grade::default();
        }
    }
    // A status and words are a report of a failure only where nothing else is reported.
    if grade.failing == 1 && has_words && grade.content == 0 {
        grade.failing = 2;
    }
    grade
}

fn says_something(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::String => value.as_str().is_some_and(|it| !it.trim().is_empty()),
        Kind::Object => value.members().next().is_some(),
        Kind::Array => value.elements().next().is_some(),
        Kind::Bool => value.as_bool() == Some(true),
        Kind::Number | Kind::Null => false,
    }
}

fn is_status(key: &str, value: Value<'_>) -> bool {
    matches!(key, "status" | "statuscode" | "httpstatus" | "code")
        && value.as_i64().is_some_and(|it| (400..600).contains(&it))
}

fn is_failed(value: Value<'_>) -> bool {
    let text = folded(&value.as_str().unwrap_or_default());
    STATUSES.contains(&text.as_str()) || text.starts_with("needs") || text.starts_with("missing")
}

/// What is no content: margin notes, emptiness, and what the caller said.
fn is_margin(key: &str, value: Value<'_>, arguments: &[Argument<'_>]) -> bool {
    let is_empty = match value.kind() {
        Kind::Null | Kind::Bool | Kind::Number => true,
        Kind::String => value.as_str().is_some_and(|it| {
            it.is_empty() || arguments.iter().any(|argument| argument.value == it)
        }),
        Kind::Array => value.elements().next().is_none(),
        Kind::Object => value.members().next().is_none(),
    };
    is_empty || MARGIN.contains(&key) || WORDS.contains(&key)
}

/// A title, text or message inside that starts as an error of a library does, where nothing else has content.
fn has_error_inside(root: Value<'_>) -> bool {
    let is_error = |value: Value<'_>| {
        ["title", "message", "text", "content"].iter().any(|key| {
            value.get(key).and_then(Value::as_str).is_some_and(|it| starts_as_error(&it))
        })
    };
    let lists = root.members().map(|(_, value)| value).filter(|it| it.kind() == Kind::Array);
    is_error(root) || lists.flat_map(Value::elements).next().is_some_and(is_error)
}

/// `Error searching docs: …`
fn starts_as_error(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("Error ") else { return false };
    let verb = rest.split(' ').next().unwrap_or_default();
    verb.ends_with("ing") && rest.contains(": ")
}

fn is_page(text: &str) -> bool {
    let start = text.trim_start().get(..14).unwrap_or_default().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}
