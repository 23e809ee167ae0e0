//! The filter's form: one JSON line with a request and what came of it in, one JSON line with the verdict out.

use std::{borrow::Cow, fmt};

use redress_registry::Registry;

use super::{Verdict, classify};
use crate::{
    Dialect, Fault,
    dialect::Stamp,
    fault::fields,
    outcome::{Asked, HttpAnswer, HttpAsked, Outcome, ToolTraits, Unreadable, What},
};
use redress_wire::json::{Doc, JsonError, Kind, Limits, Members, Value, write_str};

/// Why an input line cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineError {
    /// It is not JSON that we take.
    Json(JsonError),
    /// It is not an object.
    NotObject,
    /// It has none of `raw`, `http`, `crash` and `hang`.
    NoOutcome,
    /// A member has the wrong type.
    WrongType(&'static str),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::NotObject => f.write_str("the line is not an object"),
            Self::NoOutcome => f.write_str("the line has none of raw, http, crash and hang"),
            Self::WrongType(key) => write!(f, "the member {key} has the wrong type"),
        }
    }
}

impl std::error::Error for LineError {}

/// Judges one line and appends its verdict, with a line break, to `out`.
pub fn line(input: &[u8], registry: &Registry, out: &mut Vec<u8>) -> Result<(), LineError> {
    let doc = Doc::parse(input, Limits::DOCUMENT).map_err(LineError::Json)?;
    let root = doc.root();
    if root.kind() != Kind::Object {
        return Err(LineError::NotObject);
    }
    let raw =
        root.get("raw").map(|it| it.as_str().ok_or(LineError::WrongType("raw"))).transpose()?;
    let body = raw.as_ref().map(|it| Doc::parse(it.as_bytes(), Limits::DOCUMENT));
    let what = match &body {
        Some(Ok(answer)) => What::Answer(answer.root()),
        Some(Err(_)) => {
            What::Malformed(Cow::Borrowed(raw.as_deref().unwrap_or_default().as_bytes()))
        }
        None => what(root)?,
    };
    let outcome = Outcome {
        what,
        stderr_tail: root.get("stderr_tail").and_then(Value::as_str),
        elapsed_ms: root.get("elapsed_ms").and_then(Value::as_u64),
    };
    let text = request_text(root);
    let sent = text.as_ref().map(|it| Doc::parse(it.as_bytes(), Limits::DOCUMENT));
    let verdict = classify(&asked(root, sent.as_ref()), &outcome, registry);
    write(root.get("id"), &verdict, out);
    Ok(())
}

/// An outcome other than a line of the server.
fn what(root: Value<'_>) -> Result<What<'_>, LineError> {
    let object = |key: &'static str| match root.get(key) {
        Some(it) if it.kind() == Kind::Object => Ok(Some(it)),
        Some(it) if !it.is_null() => Err(LineError::WrongType(key)),
        _ => Ok(None),
    };
    if let Some(http) = object("http")? {
        let status =
            http.get("status").and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok());
        return Ok(What::Http(HttpAnswer {
            status: status.ok_or(LineError::WrongType("http.status"))?,
            retry_after: header(http, "retry-after").and_then(Value::as_str),
            body: match http.get("body").and_then(Value::as_str) {
                Some(Cow::Borrowed(it)) => Cow::Borrowed(it.as_bytes()),
                Some(Cow::Owned(it)) => Cow::Owned(it.into_bytes()),
                None => Cow::Borrowed(&[]),
            },
        }));
    }
    if let Some(crash) = object("crash")? {
        return Ok(What::Exited {
            code: crash.get("exit_code").and_then(Value::as_i64),
            signal: crash.get("signal").and_then(Value::as_str),
        });
    }
    let hang = object("hang")?.ok_or(LineError::NoOutcome)?;
    Ok(What::Deadline {
        waited_ms: hang.get("waited_ms").and_then(Value::as_u64).unwrap_or_default(),
    })
}

/// A header of a recorded HTTP message, whatever the case of its name.
fn header<'a>(message: Value<'a>, name: &str) -> Option<Value<'a>> {
    let headers = message.get("headers")?;
    headers
        .members()
        .find(|(key, _)| key.as_str().is_some_and(|it| it.eq_ignore_ascii_case(name)))
        .map(|it| it.1)
}

/// The text of a request that is recorded as text: what was sent as it stood, or an HTTP body.
fn request_text(root: Value<'_>) -> Option<Cow<'_, str>> {
    let request = root.get("request")?;
    request.get("raw").or_else(|| request.get("body")).and_then(Value::as_str)
}

fn asked<'a>(root: Value<'a>, sent: Option<&'a Result<Doc<'a>, JsonError>>) -> Asked<'a> {
    let recorded = root.get("request").filter(|it| it.kind() == Kind::Object);
    let http = recorded.and_then(|it| it.get("http_method"));
    let request = match (http, sent) {
        (_, Some(Ok(doc))) => Some(doc.root()),
        (_, Some(Err(_))) => None,
        (Some(_), None) => recorded.and_then(|it| it.get("body")),
        (None, None) => recorded,
    };
    let request = request.filter(|it| !it.is_null());
    let unreadable = match (request, sent) {
        (_, Some(Err(_))) => Some(Unreadable::NotJson),
        (Some(it), _) if it.kind() == Kind::Array => Some(Unreadable::Batch),
        _ => None,
    };
    let request = request.filter(|it| it.kind() == Kind::Object);
    let method = request.and_then(|it| it.get("method")).and_then(Value::as_str);
    let method =
        method.or_else(|| root.get("method").and_then(Value::as_str).filter(|it| it != "raw"));
    let called = request.and_then(|it| it.path(&["params", "name"])).and_then(Value::as_str);
    let tool = root.path(&["tool", "name"]).and_then(Value::as_str).or(called);
    let tool = tool.filter(|_| method.as_deref() == Some("tools/call"));
    let hint =
        |key| root.path(&["tool", "annotations", key]).and_then(Value::as_bool) == Some(true);
    Asked {
        request,
        unreadable,
        method,
        tool,
        traits: ToolTraits {
            read_only: hint("readOnlyHint"),
            idempotent: hint("idempotentHint"),
            trusted: root.path(&["tool", "annotations"]).is_some(),
        },
        known_tools: None,
        parameters: &[],
        http: http.map(|it| HttpAsked {
            post: it.is_str("POST"),
            session: recorded.and_then(|it| header(it, "mcp-session-id")).is_some(),
        }),
        trust: false,
    }
}

fn write(id: Option<Value<'_>>, verdict: &Verdict, out: &mut Vec<u8>) {
    let mut text = String::with_capacity(256);
    let mut members = Members::open(&mut text);
    members.raw("id", id.map_or("null", Value::raw));
    match verdict {
        Verdict::Success => {
            members.bool("failure", false).bool("silent", false).bool("certain", false);
            for key in ["code", "class", "retry", "effect", "origin", "rule", "tier"] {
                members.raw(key, "null");
            }
            members.raw("leaks", "[]");
        }
        Verdict::Failure(failure) => {
            let fault = &failure.fault;
            members
                .bool("failure", true)
                .bool("silent", failure.silent)
                .bool("certain", failure.certain);
            members.str("code", fault.code()).str("class", fault.class.name());
            write_retry(members.key("retry"), fault);
            members.str("effect", fault.effect.name()).str("origin", fault.origin.name());
            members.str("rule", &failure.rule).str("tier", failure.tier.name());
            let leaks = members.key("leaks");
            leaks.push('[');
            for (at, leak) in failure.leaks.iter().enumerate() {
                leaks.push_str(if at == 0 { "" } else { "," });
                write_str(leaks, leak.name());
            }
            leaks.push(']');
            Dialect::Native.write_into(fault, Stamp::default(), members.key("fault"));
        }
    }
    members.close();
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

fn write_retry(out: &mut String, fault: &Fault) {
    if let Some(field) = fields::get("retry") {
        (field.write)(fault, out);
    }
}
