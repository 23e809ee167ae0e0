//! Whether a JSON document says by its members that the call failed.

use crate::classify::request::Request;
use redress_wire::json::{Kind, Value};

/// How much of a document says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// The whole of it.
    Whole,
    /// The whole of it is what an API answers with below a status of HTTP: the status as a number, and words.
    Response,
    /// A member, beside others or further in.
    Part,
}

/// Flags that are false when a call failed.
const FLAGS: &str = " success ok succeeded successful ";
/// Flags that are true then.
const ERROR_FLAGS: &str = " iserror haserror failed ";
/// Members that hold the failure.
const ERRORS: &str = " error errors err exception errormessage errormessages ";
/// Members that hold words about it.
const WORDS: &str =
    " message msg detail details reason description errordescription stderr data output ";
/// Members that say why something failed.
const REASONS: &str = " message msg reason error ";
/// Members that name the outcome.
const OUTCOMES: &str = " status result outcome ";
/// What they say when the call failed.
const FAILED: &str = " error err failed failure fail denied invalid timeout unavailable blocked rejected exception ratelimited \
    notfound unauthorized forbidden ";
/// Members that hold how a process ended, or a number that is zero when nothing failed.
const ENDS: &str = " exitcode returncode exitstatus retcode code errcode errno errorcode status statuscode httpstatus ";
/// Members that tell where, when or about what, and are no content.
const MARGIN: &str = " code errorcode errortype type name kind object status statuscode httpstatus hint suggestion suggestions \
    requestid timestamp stack stacktrace traceback tool retryable documentationurl iserror title path help stderr ";
const DEEPEST: usize = 3;
const MOST_ITEMS: usize = 64;

pub(super) fn mark(root: Value<'_>, request: &Request<'_>) -> Option<Mark> {
    let items = || root.elements().take(MOST_ITEMS);
    match root.kind() {
        Kind::Object => of_object(root, request)
            .or_else(|| every(root.members().map(|it| it.1), request))
            .or_else(|| deeper(root, request, 0)),
        Kind::Array if is_of_issues(root) => Some(Mark::Part),
        Kind::Array => every(items(), request),
        _ => None,
    }
}

/// A list or map whose every item failed.
fn every<'v>(items: impl Iterator<Item = Value<'v>>, request: &Request<'_>) -> Option<Mark> {
    let mut items = items.peekable();
    items.peek()?;
    let failed =
        |it: Value<'_>| it.kind() == Kind::Object && of_object(it, request) == Some(Mark::Whole);
    items.all(failed).then_some(Mark::Whole)
}

/// A member further in.
fn deeper(value: Value<'_>, request: &Request<'_>, depth: usize) -> Option<Mark> {
    let mut inner = value.members().map(|it| it.1).filter(|it| it.kind() == Kind::Object);
    let found = |it: Value<'_>| {
        of_object(it, request).is_some()
            || depth < DEEPEST && deeper(it, request, depth + 1).is_some()
    };
    inner.any(found).then_some(Mark::Part)
}

fn of_object(object: Value<'_>, request: &Request<'_>) -> Option<Mark> {
    let (mut flagged, mut error, mut named, mut content) = (false, None, false, 0);
    let (mut count, mut is_thing, mut is_response) = (0, false, false);
    let says_why = object.members().any(|(key, value)| {
        is_one(key, WORDS) && says_something(value) || is_one(key, ERRORS) && says_something(value)
    });
    for (key, value) in object.members() {
        count += 1;
        match value.kind() {
            Kind::Bool if is_one(key, FLAGS) => match value.as_bool() {
                Some(true) => return None,
                _ => flagged = true,
            },
            Kind::Bool if is_one(key, ERROR_FLAGS) => flagged |= value.as_bool() == Some(true),
            Kind::Bool => content += 1,
            _ if is_one(key, ERRORS) && says_something(value) => error = Some(value),
            Kind::String if is_one(key, OUTCOMES) && is_failed(value) => named = true,
            Kind::Number if says_why && is_one(key, ENDS) && is_bad_end(key, value) => {
                named = true;
                is_response |= key.is_str("status") || key.is_str("statusCode");
            }
            _ if key.is_str("id") => {
                (content, is_thing) = (content + 1, true);
            }
            _ if is_margin(key, value, request) => (),
            _ => content += 1,
        }
    }
    let tells = |(key, value): (Value<'_>, Value<'_>)| {
        value.kind() == Kind::String && is_one(key, REASONS) && says_something(value)
    };
    let is_fast_api = count == 1 && object.get("detail").is_some_and(says_something);
    match error {
        _ if flagged => Some(Mark::Whole),
        Some(_) if content == 0 => Some(Mark::Whole),
        // What has an id is a thing, and the failure is one of its past.
        _ if is_thing => None,
        Some(error) if error.kind() == Kind::String && content == 1 => Some(Mark::Part),
        _ if is_response && content == 0 => Some(Mark::Response),
        _ if named && content == 0 || is_fast_api => Some(Mark::Part),
        // A tool that changes something tells what became of that, and can show beside it what it did not change.
        _ if named && request.deeds.acts && object.members().any(tells) => Some(Mark::Part),
        _ => None,
    }
}

/// The issues of a validator: `[{"code":…,"path":[…],"message":…}]`.
pub(super) fn is_of_issues(root: Value<'_>) -> bool {
    let is_issue = |it: Value<'_>| {
        it.get("message").is_some() && it.get("path").is_some_and(|it| it.kind() == Kind::Array)
    };
    root.elements().next().is_some_and(is_issue)
}

fn says_something(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::String => value.as_str().is_some_and(|it| {
            !["", "none", "null", "ok"].contains(&&*it.trim().to_ascii_lowercase())
        }),
        Kind::Object => value.members().next().is_some(),
        Kind::Array => value.elements().next().is_some(),
        Kind::Bool => value.as_bool() == Some(true),
        Kind::Number | Kind::Null => false,
    }
}

fn is_failed(value: Value<'_>) -> bool {
    is_one(value, FAILED)
        || value.as_str().is_some_and(|it| {
            it.ends_with("_not_found") || it.parse::<u16>().is_ok_and(|it| (400..600).contains(&it))
        })
}

fn is_bad_end(key: Value<'_>, value: Value<'_>) -> bool {
    let number = value.as_i64().unwrap_or_default();
    if key
        .as_str()
        .is_some_and(|it| it.to_ascii_lowercase().contains("status") && !it.contains("exit"))
    {
        (400..600).contains(&number)
    } else {
        number != 0 && !(100..400).contains(&number)
    }
}

/// What is no content: margin notes, emptiness, and what the caller said.
fn is_margin(key: Value<'_>, value: Value<'_>, request: &Request<'_>) -> bool {
    let is_empty = match value.kind() {
        Kind::Null | Kind::Number => true,
        Kind::Bool => false,
        Kind::String => value.as_str().is_some_and(|it| {
            it.is_empty() || request.arguments.iter().any(|argument| argument.value == it)
        }),
        Kind::Array => value.elements().next().is_none(),
        Kind::Object => value.members().next().is_none(),
    };
    is_empty || is_one(key, MARGIN) || value.kind() == Kind::String && is_one(key, WORDS)
}

/// Whether a text is one of the words, whatever its case and with or without `_` and `-`.
fn is_one(text: Value<'_>, words: &str) -> bool {
    text.as_str().is_some_and(|it| {
        let plain =
            it.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase());
        let plain: String = plain.take(24).collect();
        !plain.is_empty() && words.split(' ').any(|word| word == plain)
    })
}
