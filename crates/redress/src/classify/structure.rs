//! Whether a payload is an object that says by its structure that the call failed.

use super::{
    facts::{Fact, Facts},
    request::Argument,
};
use crate::json::{Doc, Kind, Limits, Value};

/// A payload that only reports a failure is small.
const LIMITS: Limits = Limits { bytes: 8 << 10, nesting: 16 };
/// Flags that are false when a call failed.
const FLAGS: [&str; 4] = ["success", "ok", "succeeded", "successful"];
/// Members that hold the failure.
const ERRORS: [&str; 6] = ["error", "errors", "err", "exception", "errormessage", "errormessages"];
/// Members that hold words about it.
const WORDS: [&str; 8] =
    ["message", "msg", "detail", "details", "reason", "description", "errordescription", "stderr"];
/// What a member `status` says when the call failed.
const STATUSES: [&str; 6] =
    ["error", "err", "ratelimited", "notfound", "unauthorized", "forbidden"];
/// What it says when the call failed, or when something that was asked about did.
const DOUBTFUL_STATUSES: [&str; 10] = [
    "failed",
    "failure",
    "fail",
    "denied",
    "invalid",
    "timeout",
    "unavailable",
    "blocked",
    "rejected",
    "exception",
];
/// Members that hold a number which is zero when the call did not fail.
const RETURNS: [&str; 4] = ["code", "errcode", "errno", "errorcode"];
/// Members that hold how a process ended.
const EXITS: [&str; 4] = ["exitcode", "returncode", "exitstatus", "retcode"];
/// Members that tell where, when or about what, and are no content.
const MARGIN: [&str; 26] = [
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
    "documentationurl",
    "iserror",
    "title",
    "path",
    "help",
    "stderr",
];

/// Whether the text of a result is a payload that can be a failure; most are not.
pub(crate) fn may_fail(text: &str) -> bool {
    let Ok(doc) = Doc::parse(text.trim().as_bytes(), LIMITS) else { return false };
    let root = doc.root();
    root.kind() == Kind::String || grade(root, &[]).failing > 0 || has_error_inside(root)
}

/// Adds what the text of a result says as a payload.
pub(crate) fn look(facts: &mut Facts, text: &str, arguments: &[Argument<'_>]) {
    let Ok(doc) = Doc::parse(text.trim().as_bytes(), LIMITS) else { return };
    let root = doc.root();
    if let Some(page) = root.as_str() {
        facts.set(Fact::Page, is_page(&page));
        return;
    }
    let grade = grade(root, arguments);
    // A thing that is told about can have an error of its own among its members.
    let is_thing = grade.content >= 2 && !root.members().any(|(key, value)| flags(key, value));
    facts.set(Fact::Fails, grade.failing >= 2 && !is_thing);
    let is_bare = grade.failing == 2 && grade.content == 0 && !grade.doubtful;
    let is_sure = grade.failing >= 3 || is_bare;
    facts.set(Fact::FailsSurely, is_sure && root.members().any(|(key, value)| tells(key, value)));
    facts.set(Fact::ErrorInside, grade.failing < 2 && has_error_inside(root));
}

/// Whether a member is there only to tell failures from successes: a flag, a code, an error object. A sentence or a
/// colour under `error` can be data.
fn tells(key: Value<'_>, value: Value<'_>) -> bool {
    match value.kind() {
        _ if flags(key, value) => true,
        Kind::String => is_one(key, &ERRORS) && value.as_str().is_some_and(|it| is_code(&it)),
        Kind::Object => is_one(key, &ERRORS) && value.get("message").is_some(),
        _ => false,
    }
}

/// Whether a member says of the whole that it failed.
fn flags(key: Value<'_>, value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Bool if is_one(key, &FLAGS) => value.as_bool() == Some(false),
        Kind::Bool => is_one(key, &["iserror"]) && value.as_bool() == Some(true),
        Kind::String => is_one(key, &["status"]) && is_text_of(value, &STATUSES),
        _ => false,
    }
}

/// Whether a text is a code: `not_found`, `RATE_LIMITED`, `ENOENT`.
fn is_code(text: &str) -> bool {
    let word = text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let shouted = text.len() >= 3 && text.bytes().all(|it| it.is_ascii_uppercase() || it == b'_');
    word && text.starts_with(|it: char| it.is_ascii_alphabetic()) && (shouted || text.contains('_'))
}

/// How much of an object says that the call failed, and how much of it is content.
#[derive(Default)]
struct Grade {
    failing: u32,
    content: u32,
    /// It may report the failure of something else.
    doubtful: bool,
}

fn grade(root: Value<'_>, arguments: &[Argument<'_>]) -> Grade {
    let mut grade = Grade::default();
    let has_words = root.members().any(|(key, value)| {
        is_one(key, &WORDS) && says_something(value)
            || is_one(key, &ERRORS) && says_something(value)
            || is_text_of_data(key, value)
    });
    for (key, value) in root.members() {
        let failing = failing(key, value, has_words);
        grade.failing += failing;
        grade.doubtful |=
            failing > 0 && is_one(key, &["status"]) && is_text_of(value, &DOUBTFUL_STATUSES);
        if failing == 0 && !is_margin(key, value, arguments) {
            grade.content += 1;
        }
        if is_one(key, &FLAGS) && value.as_bool() == Some(true) {
            return Grade::default();
        }
    }
    // FastAPI's form of an error: `{"detail": …}` and nothing else.
    let mut members = root.members();
    if let (Some((key, value)), None) = (members.next(), members.next())
        && key.is_str("detail")
        && says_something(value)
    {
        grade.failing = 2;
    }
    // A status and words are a report of a failure only where nothing else is reported.
    if grade.failing == 1 && has_words && grade.content == 0 {
        grade.failing = 2;
    }
    grade
}

/// How strongly one member says that the call failed.
fn failing(key: Value<'_>, value: Value<'_>, has_words: bool) -> u32 {
    match value.kind() {
        Kind::Bool if is_one(key, &FLAGS) => 2 * u32::from(value.as_bool() == Some(false)),
        Kind::Bool if is_one(key, &["iserror"]) => 3 * u32::from(value.as_bool() == Some(true)),
        Kind::Array if is_one(key, &ERRORS) => u32::from(says_something(value)),
        _ if is_one(key, &ERRORS) && says_something(value) => 2,
        Kind::Number
            if has_words && is_one(key, &["status", "statuscode", "httpstatus", "code"]) =>
        {
            u32::from(value.as_i64().is_some_and(|it| (400..600).contains(&it)))
        }
        Kind::Number if has_words && is_one(key, &RETURNS) => {
            u32::from(value.as_i64().is_some_and(|it| it != 0 && !(100..400).contains(&it)))
        }
        Kind::Number if has_words && is_one(key, &EXITS) => u32::from(value.raw() != "0"),
        Kind::String if has_words && is_one(key, &["status"]) => u32::from(is_failed(value)),
        Kind::String if has_words && is_one(key, &["object", "type"]) => {
            u32::from(value.is_str("error"))
        }
        _ => 0,
    }
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

fn is_failed(value: Value<'_>) -> bool {
    is_text_of(value, &STATUSES)
        || is_text_of(value, &DOUBTFUL_STATUSES)
        || value.as_str().is_some_and(|it| {
            it.starts_with("needs_")
                || it.starts_with("missing_")
                || it.ends_with("_not_found")
                || it.parse::<u16>().is_ok_and(|it| (400..600).contains(&it))
        })
}

/// What is no content: margin notes, emptiness, and what the caller said.
fn is_margin(key: Value<'_>, value: Value<'_>, arguments: &[Argument<'_>]) -> bool {
    let is_empty = match value.kind() {
        Kind::Null | Kind::Number => true,
        Kind::Bool => false,
        Kind::String => value.as_str().is_some_and(|it| {
            it.is_empty() || arguments.iter().any(|argument| argument.value == it)
        }),
        Kind::Array => value.elements().next().is_none(),
        Kind::Object => value.members().next().is_none(),
    };
    is_empty || is_one(key, &MARGIN) || is_one(key, &WORDS) || is_text_of_data(key, value)
}

/// Whether a key is one of the words, whatever its case and with or without `_` and `-`.
fn is_one(key: Value<'_>, words: &[&str]) -> bool {
    key.as_str().is_some_and(|key| words.iter().any(|it| is_spelt(&key, it)))
}

fn is_text_of(value: Value<'_>, words: &[&str]) -> bool {
    value.kind() == Kind::String && is_one(value, words)
}

fn is_spelt(text: &str, word: &str) -> bool {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase());
    letters.eq(word.bytes())
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

/// `data` that is only a text: the body of an answer that was not JSON.
fn is_text_of_data(key: Value<'_>, value: Value<'_>) -> bool {
    value.kind() == Kind::String && key.is_str("data")
}
