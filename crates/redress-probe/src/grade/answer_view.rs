//! `AnswerView`: one answer and its context, as the rules look at it.

use std::sync::Arc;

use redress::{
    Lookup,
    classify::{Leak, Verdict, classify},
    outcome::{Asked, Outcome, What as Did},
    recover::{Reading, read},
};
use redress_registry::{Class, Registry, name, shipped};
use redress_wire::json::{Doc, Limits};
use serde_json::Value;

use crate::{
    client::{Era, Received, Reply},
    plan::{Case, Expect, ListedTool},
};

/// Longer answers are not searched for words.
const MOST_SEARCHED: usize = 256 << 10;

/// An answer with the case, the tool and the request that it belongs to.
#[derive(Debug)]
pub(crate) struct AnswerView<'a> {
    pub(crate) case: &'a Case,
    pub(crate) era: &'a Era,
    pub(crate) tool: Option<&'a ListedTool>,
    pub(crate) reply: &'a Reply,
    pub(crate) answer: &'a ParsedAnswer,
    /// What came of the same request the first time.
    pub(crate) before: Option<&'a str>,
    /// Whether the server answered afterwards; none, if that was not asked.
    pub(crate) lives: Option<bool>,
    /// How the process ended, if it ended after its answer.
    pub(crate) exit: Option<&'a Received>,
    pub(crate) contract: Option<&'a Arc<Registry>>,
    /// What was sent, as text.
    pub(crate) sent: &'a str,
}

impl AnswerView<'_> {
    /// Whether it is an unflagged failure. What must fail and begins like a failure is one; elsewhere content can say anything.
    pub(crate) fn is_silent(&self) -> bool {
        let must_fail = matches!(self.case.expect, Expect::Refusal | Expect::Failure);
        let is_unflagged = self.answer.kind == AnswerKind::Success && self.tool.is_some();
        self.answer.is_silent || must_fail && is_unflagged && opens_as_failure(&self.answer.text())
    }

    /// Whether the caller said it itself.
    pub(super) fn was_sent(&self, text: &str) -> bool {
        let escaped = serde_json::to_string(text).unwrap_or_default();
        self.sent.contains(text) || self.sent.contains(escaped.trim_matches('"'))
    }
}

/// The kind of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// None came.
    None,
    /// It is no message of the protocol; why.
    Broken(String),
    /// A result that is not flagged as a failure.
    Success,
    /// A result that is flagged as a failure.
    ToolError,
    /// A JSON-RPC error.
    Error(i64),
}

/// An answer that was parsed.
#[derive(Debug)]
pub(crate) struct ParsedAnswer {
    pub(crate) kind: AnswerKind,
    /// The whole message.
    pub(crate) message: Value,
    /// All of it in small letters, for words that may stand anywhere.
    pub(crate) lower: String,
    /// All texts in it in small letters, without the names of members.
    pub(crate) said: String,
    /// The code that a program can read.
    pub(crate) code: Option<String>,
    /// Whether it says if repeating helps.
    pub(crate) says_retry: bool,
    /// It is not flagged, and a failure.
    pub(crate) is_silent: bool,
    pub(crate) leaks: Vec<Leak>,
}

impl ParsedAnswer {
    /// Reads what came of a request. Total: any bytes are something.
    pub(crate) fn read(request: &[u8], reply: &Reply, tool: Option<&str>, lookup: &Lookup) -> Self {
        let (bytes, kind) = match &reply.what {
            Received::Answer { bytes, .. } => (bytes.as_slice(), None),
            Received::Malformed { bytes, .. } => {
                (bytes.as_slice(), Some(AnswerKind::Broken("It is no message of JSON-RPC.".into())))
            }
            _ => (&[][..], Some(AnswerKind::None)),
        };
        let message: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let kind = kind.unwrap_or_else(|| kind_of(&message, tool.is_some()));
        let mut answer = Self {
            kind,
            message,
            lower: String::new(),
            said: String::new(),
            code: None,
            says_retry: false,
            is_silent: false,
            leaks: Vec::new(),
        };
        if bytes.len() <= MOST_SEARCHED {
            answer.lower = String::from_utf8_lossy(bytes).to_lowercase();
            let parts = ["result", "error"].iter().filter_map(|it| answer.message.get(it));
            answer.said = texts(parts.collect()).to_lowercase();
        }
        answer.judge(request, bytes, tool, lookup);
        answer
    }

    fn judge(&mut self, request: &[u8], bytes: &[u8], tool: Option<&str>, lookup: &Lookup) {
        if matches!(self.kind, AnswerKind::None | AnswerKind::Broken(_)) {
            return;
        }
        let asked = Doc::parse(request, Limits::DOCUMENT);
        let asked = Asked {
            request: asked.as_ref().ok().map(Doc::root),
            method: Some("tools/call".into()),
            tool: tool.map(Into::into),
            ..Asked::default()
        };
        if let Ok(doc) = Doc::parse(bytes, Limits::DOCUMENT)
            && let Verdict::Failure(failure) =
                classify(&asked, &Outcome::of(Did::Answer(doc.root())), shipped::core())
        {
            self.is_silent = failure.silent && self.kind == AnswerKind::Success && tool.is_some();
            self.leaks = failure.leaks;
        }
        let stated = match read(bytes, &asked, lookup) {
            Reading::Fault(fault, _) => Some((fault.code().to_owned(), fault.says_retry())),
            _ => None,
        };
        let says_retry = stated.as_ref().is_some_and(|it| it.1);
        let words = ["retry", "retries", "try again", "retryable"];
        self.says_retry = says_retry || words.iter().any(|it| self.lower.contains(it));
        self.code = stated.map(|it| it.0).or_else(|| self.own_code());
    }

    /// A code of the server's own, where a program finds one.
    fn own_code(&self) -> Option<String> {
        let envelope = self.envelope();
        let keys = ["code", "error_code", "errorCode", "symbol", "error"];
        let member = |it: &Value| {
            keys.iter()
                .find_map(|key| it.get(key)?.as_str().filter(|it| is_code(it)).map(str::to_owned))
        };
        envelope.as_ref().and_then(member).or_else(|| {
            let text = self.text();
            let first = text.lines().next().unwrap_or_default();
            let (head, _) = first.split_once(':')?;
            let head = head.trim().trim_matches(['[', ']']);
            name::is_full_code(head).then(|| head.to_owned())
        })
    }

    /// The object that says what failed, wherever it is.
    pub(crate) fn envelope(&self) -> Option<Value> {
        const KEY: &str = "dev.redress~1fault";
        let at = |pointer: &str| self.message.pointer(pointer).filter(|it| it.is_object()).cloned();
        at(&format!("/result/_meta/{KEY}"))
            .or_else(|| at(&format!("/error/data/{KEY}")))
            .or_else(|| at("/result/structuredContent/error"))
            .or_else(|| at("/result/structuredContent"))
            .or_else(|| {
                let text: Value = serde_json::from_str(self.text().trim()).ok()?;
                let inner = text.get("error").filter(|it| it.is_object()).cloned();
                inner.or_else(|| text.is_object().then_some(text))
            })
            .or_else(|| at("/error/data"))
    }

    /// What the answer says to its reader.
    pub(crate) fn text(&self) -> String {
        let blocks = self.message.pointer("/result/content").and_then(Value::as_array);
        let texts = blocks.into_iter().flatten().filter_map(|it| it.get("text")?.as_str());
        let said = self.message.pointer("/error/message").and_then(Value::as_str);
        said.into_iter().chain(texts).collect::<Vec<_>>().join("\n")
    }

    /// Whether it says that no server was there to look at the request, which can change from call to call.
    pub(crate) fn is_about_absence(&self) -> bool {
        let row = self.code.as_deref().and_then(|it| shipped::core().get(it));
        row.is_some_and(|it| {
            matches!(
                it.class,
                Class::Unavailable | Class::DeadlineExceeded | Class::ResourceExhausted
            )
        })
    }

    /// What a second answer to the same request is compared with.
    pub(crate) fn signature(&self) -> Option<String> {
        match (&self.kind, &self.code) {
            _ if self.is_about_absence() => None,
            (AnswerKind::None | AnswerKind::Broken(_), _) => None,
            (AnswerKind::Error(number), None) => Some(number.to_string()),
            (_, Some(code)) => Some(code.clone()),
            (AnswerKind::Success, None) => Some("success".into()),
            (AnswerKind::ToolError, None) => Some("isError".into()),
        }
    }

    /// Whether it says that something failed.
    pub(crate) const fn is_failure(&self) -> bool {
        matches!(self.kind, AnswerKind::ToolError | AnswerKind::Error(_))
    }
}

/// Every text within values, one a line.
fn texts(mut open: Vec<&Value>) -> String {
    let mut said = String::new();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => said.extend([text.as_str(), "\n"]),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => (),
        }
    }
    said
}

/// How the text of a failure begins.
fn opens_as_failure(text: &str) -> bool {
    const OPENINGS: [&str; 13] = [
        "error",
        "invalid",
        "failed",
        "failure",
        "missing",
        "validation",
        "cannot",
        "could not",
        "unable",
        "exception",
        "traceback",
        "bad request",
        "input validation",
    ];
    let start: String =
        text.trim_start_matches(|it: char| !it.is_alphanumeric()).chars().take(24).collect();
    let start = start.to_lowercase();
    OPENINGS.iter().any(|it| start.starts_with(it))
}

/// Codes are words, not prose.
fn is_code(text: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/');
    (2..=64).contains(&text.len()) && text.chars().all(is_part)
}

/// What a message is, by the protocol alone.
fn kind_of(message: &Value, is_call: bool) -> AnswerKind {
    let broken = |why: &str| AnswerKind::Broken(why.to_owned());
    // The answer to several messages at once is a list.
    let message = message.as_array().and_then(|it| it.first()).unwrap_or(message);
    if message.get("jsonrpc").is_none_or(|it| it != "2.0") {
        return broken("It does not say `\"jsonrpc\": \"2.0\"`.");
    }
    let error = message.get("error").filter(|it| !it.is_null());
    match (message.get("result"), error) {
        (Some(_), Some(_)) => broken("It has a result and an error."),
        (None, None) => broken("It has neither a result nor an error."),
        (None, Some(error)) => match error.get("code").and_then(Value::as_i64) {
            None => broken("The code of its error is no whole number."),
            Some(_) if error.get("message").is_none_or(|it| !it.is_string()) => {
                broken("Its error has no message.")
            }
            Some(code) => AnswerKind::Error(code),
        },
        (Some(result), None) => result_kind(result, is_call),
    }
}

fn result_kind(result: &Value, is_call: bool) -> AnswerKind {
    let broken = |why: &str| AnswerKind::Broken(why.to_owned());
    if !result.is_object() {
        return broken("Its result is no object.");
    }
    let is_complete = result.get("resultType").is_none_or(|it| it == "complete");
    if !is_call && result.get("isError") == Some(&Value::Bool(true)) {
        return AnswerKind::ToolError;
    }
    if !is_call || !is_complete {
        return AnswerKind::Success;
    }
    let is_block = |it: &Value| it.get("type").is_some_and(Value::is_string);
    match result.get("content") {
        None => return broken("Its result has no content."),
        Some(Value::Array(blocks)) if blocks.iter().all(is_block) => (),
        Some(_) => return broken("The content of its result is no list of typed blocks."),
    }
    match result.get("isError") {
        None | Some(Value::Bool(false)) => AnswerKind::Success,
        Some(Value::Bool(true)) => AnswerKind::ToolError,
        Some(_) => broken("`isError` is neither true nor false."),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::{any, proptest};
    use redress::Lookup;

    use super::{AnswerKind, ParsedAnswer};
    use crate::client::{Received, Reply};

    fn parsed(bytes: &[u8]) -> ParsedAnswer {
        let reply =
            Reply::of(Received::Answer { status: None, bytes: bytes.to_vec() }, Duration::ZERO);
        ParsedAnswer::read(b"{}", &reply, Some("t"), &Lookup::shipped())
    }

    #[test]
    fn an_answer_is_what_the_protocol_calls_it() {
        let kind = |text: &str| parsed(text.as_bytes()).kind;
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"x"}}"#),
            AnswerKind::Error(-5)
        );
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#),
            AnswerKind::Success
        );
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}"#),
            AnswerKind::ToolError
        );
        for broken in [
            "",
            "[]",
            "{}",
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
        ] {
            assert!(matches!(kind(broken), AnswerKind::Broken(_)), "{broken}");
        }
    }

    #[test]
    fn a_code_is_found_wherever_a_program_would_look() {
        let code = |result: &str| {
            parsed(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#).as_bytes()).code
        };
        let text = |it: &str| {
            format!(
                r#"{{"isError":true,"content":[{{"type":"text","text":{}}}]}}"#,
                serde_json::json!(it)
            )
        };
        assert_eq!(code(&text("NOTE_GONE: no note 7")).as_deref(), Some("NOTE_GONE"));
        assert_eq!(code(&text(r#"{"error":{"code":"note_gone"}}"#)).as_deref(), Some("note_gone"));
        assert_eq!(code(&text("It is gone")), None);
        let structured = r#"{"isError":true,"content":[],"structuredContent":{"errorCode":"E17"}}"#;
        assert_eq!(code(structured).as_deref(), Some("E17"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_something(bytes in any::<Vec<u8>>()) {
            drop(parsed(&bytes));
        }

        #[test]
        fn any_text_in_an_answer_is_something(text in any::<String>(), flag in any::<bool>()) {
            let result = serde_json::json!({"content": [{"type": "text", "text": text}], "isError": flag});
            let answer = serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": result});
            drop(parsed(answer.to_string().as_bytes()));
        }
    }
}
