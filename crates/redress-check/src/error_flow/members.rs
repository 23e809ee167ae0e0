//! `Members`: an object, a dictionary or a call with named arguments, and what its members make of it.

use super::{
    Answer, Boundary, Envelope, Flag, Handler, Handling, Leak, Plain, Registration, Said,
    said::is_code,
};
use crate::span::Span;

/// Something with members, while its members are being seen.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Members {
    pub(super) span: Span,
    /// Who is called with them; empty for an object.
    pub(super) callee: Box<str>,
    /// The function returns it.
    pub(super) is_returned: bool,
    /// Some members come from elsewhere.
    pub(super) is_open: bool,
    /// It is the result of a tool by its type.
    pub(super) is_result: bool,
    /// It is a part of a result that is returned without one: the list of texts in Python.
    pub(super) is_block: bool,
    keys: u32,
    /// A code is somewhere inside of it.
    has_code: bool,
    pub(super) is_error: Flag,
    ok: Flag,
    /// What it says of the failure is a text.
    error_is_text: bool,
    /// Its code is a word, not a number.
    code_is_word: bool,
    content_is_list: bool,
    said: Option<Said>,
    details: Option<(Box<str>, Span)>,
    /// An envelope that is in it.
    envelope: Option<(Span, Envelope)>,
    /// What it says of a tool.
    pub(super) tool: ToolParts,
    /// It is itself the details of something.
    pub(super) is_details: bool,
}

/// What members say of a tool.
#[derive(Debug, Default)]
pub(super) struct ToolParts {
    pub(super) name: Option<(Box<str>, Span)>,
    pub(super) handler: Option<(Handler, Option<Box<str>>)>,
}

/// The members that say something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Ok,
    Error,
    IsError,
    Content,
    Structured,
    Text,
    Code,
    Message,
    Hint,
    Retry,
    Details,
    Kind,
    Role,
    Data,
    Name,
    Description,
    InputSchema,
    OutputSchema,
    Handler,
}

impl Key {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ok" | "success" => Self::Ok,
            "error" | "err" | "errors" => Self::Error,
            "isError" | "is_error" => Self::IsError,
            "content" => Self::Content,
            "structuredContent" | "structured_content" => Self::Structured,
            "text" => Self::Text,
            "code" | "error_code" | "errorCode" | "symbol" => Self::Code,
            "message" | "human_message" | "error_message" | "errorMessage" | "msg" => Self::Message,
            "hint" | "suggestion" | "fix" | "remedy" | "recovery" | "next_actions" => Self::Hint,
            "retry" | "retryable" | "retry_after" | "retryAfter" | "retry_after_ms"
            | "retryAfterMs" | "isRetryable" | "is_retryable" => Self::Retry,
            "details" => Self::Details,
            "kind" | "type" | "_tag" | "tag" | "reason" => Self::Kind,
            "role" => Self::Role,
            "name" => Self::Name,
            "description" => Self::Description,
            "inputSchema" | "input_schema" | "parameters" | "schema" | "paramsSchema"
            | "parametersSchema" | "argsSchema" => Self::InputSchema,
            "outputSchema" | "output_schema" => Self::OutputSchema,
            "handler" | "execute" | "callback" | "cb" | "run" | "invoke" => Self::Handler,
            "data" | "result" | "value" | "status" => Self::Data,
            _ => return None,
        })
    }
}

/// The value of a member, as far as anybody asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Flag(Flag),
    /// A text, or what is always one.
    Text(Said),
    /// A word that names a code or can hold one.
    Word,
    Number,
    List,
    /// What JSON cannot hold.
    Unsafe(Box<str>),
    Unknown,
}

impl Members {
    pub(super) fn at(span: Span) -> Self {
        Self { span, ..Self::default() }
    }

    /// Adds a member.
    pub(super) fn add(&mut self, key: Option<Key>, value: Value, place: Span) {
        if self.is_details
            && let Value::Unsafe(what) = &value
        {
            self.details.get_or_insert((what.clone(), place.clone()));
        }
        let Some(key) = key else { return };
        self.keys |= 1 << key as u32;
        match (key, value) {
            (Key::Ok, Value::Flag(it)) => self.ok = it,
            (Key::IsError, Value::Flag(it)) => self.is_error = it,
            (Key::IsError, _) => self.is_error = Flag::Computed,
            (Key::Content, Value::List) => self.content_is_list = true,
            (Key::Error, Value::Text(_)) => self.error_is_text = true,
            (Key::Message, Value::Text(said)) => {
                self.error_is_text = true;
                self.say(said);
            }
            (Key::Text | Key::Hint, Value::Text(said)) => self.say(said),
            (Key::Code, Value::Number) => (),
            (Key::Code, Value::Text(said)) => {
                self.code_is_word = said.has_code;
                self.has_code |= said.has_code;
            }
            (Key::Code, _) => (self.code_is_word, self.has_code) = (true, true),
            (Key::Details, Value::Unsafe(what)) => self.details = Some((what, place)),
            _ => (),
        }
    }

    /// Adds a text of it.
    pub(super) fn say(&mut self, said: Said) {
        self.has_code |= said.has_code;
        match &mut self.said {
            None => self.said = Some(said),
            Some(before) => {
                before.has_fix = true;
                before.has_code |= said.has_code;
                before.is_opaque |= said.is_opaque;
                before.leak = before.leak.take().or(said.leak);
            }
        }
    }

    /// A code can be in it, out of sight.
    pub(super) fn is_coded(&mut self) {
        self.has_code = true;
    }

    /// Takes over what something inside of it says.
    pub(super) fn learn(&mut self, inner: &Self) {
        self.has_code |= inner.has_code || inner.has(Key::Code);
        if let Some(said) = &inner.said
            && self.said.is_none()
        {
            let mut said = said.clone();
            // A leak of the inner thing is not reported again.
            said.leak = said.leak.filter(|_| inner.leak(false).is_none());
            self.said = Some(said);
        }
        self.envelope = self.envelope.take().or_else(|| inner.written());
        if inner.is_details && self.details.is_none() {
            self.details.clone_from(&inner.details);
        }
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.keys & (1 << key as u32) != 0
    }

    /// What it is, each with its place.
    pub(super) fn amounts_to(&self) -> Vec<(Span, Handling)> {
        let mut found = Vec::new();
        let is_result = self.is_result
            || self.is_block
            || (self.has(Key::Content) && self.content_is_list && !self.has(Key::Role));
        if is_result {
            found.push((self.span.clone(), Handling::Result(self.answer())));
        } else if self.is_plain_failure() {
            found.push((self.span.clone(), Handling::Plain(Plain::Object)));
        }
        let is_answer = if is_result { self.is_error != Flag::Absent } else { self.is_returned };
        if let Some((place, envelope)) = self.written().filter(|_| is_answer) {
            found.push((place, Handling::Envelope(Envelope { is_result, ..envelope })));
        }
        if let Some((what, place)) = &self.details
            && !self.is_details
            && (self.has(Key::Message)
                || self.has(Key::Hint)
                || self.has(Key::Code)
                || makes_errors(&self.callee))
        {
            found.push((place.clone(), Handling::Unsafe(what.clone())));
        }
        if let Some((leak, place)) = self.leak(is_result) {
            found.push((place, Handling::Leak(leak)));
        }
        found
    }

    /// The tool that it describes, if it describes one.
    pub(super) fn tool(&mut self) -> Option<Boundary> {
        let described =
            self.has(Key::Name) && self.has(Key::Description) && self.has(Key::InputSchema);
        let called = self.callee.is_empty()
            || &*self.callee == "addTool"
            || &*self.callee == "Tool"
            || is_maker(&self.callee);
        let (name, span) = self.tool.name.take().filter(|_| described && called)?;
        let (handler, wrapper) = self.tool.handler.take().unwrap_or((Handler::Unknown, None));
        let is_row = self.has(Key::Handler);
        Some(Boundary {
            registration: match is_row {
                true if &*self.callee == "addTool" => Registration::Given,
                true => Registration::Row,
                false => Registration::Listed,
            },
            name,
            span,
            has_output_schema: self.has(Key::OutputSchema),
            handler,
            wrapper,
        })
    }

    fn answer(&self) -> Answer {
        Answer {
            is_error: self.is_error,
            is_structured: self.has(Key::Structured),
            is_open: self.is_open,
            has_code: self.has_code,
            said: self.said.clone(),
        }
    }

    /// The envelope that it is, or that is in it. What a call is given is not yet all of it.
    fn written(&self) -> Option<(Span, Envelope)> {
        let is_whole = matches!(&*self.callee, "" | "stringify" | "dumps");
        if is_whole && self.has(Key::Code) && self.code_is_word && self.has(Key::Message) {
            let has_retry = self.has(Key::Retry) || self.is_open;
            return Some((self.span.clone(), Envelope { has_retry, is_result: false }));
        }
        self.envelope.clone()
    }

    fn is_plain_failure(&self) -> bool {
        let is_failure = self.ok == Flag::False || self.has(Key::Error);
        let is_coded = self.has_code || self.has(Key::Code) || self.has(Key::Kind);
        self.is_returned
            && is_failure
            && self.error_is_text
            && !is_coded
            && !self.is_open
            && self.callee.is_empty()
    }

    /// What is too much in a text; things that are no errors are not asked.
    fn leak(&self, is_result: bool) -> Option<(Leak, Span)> {
        let is_error = if is_result {
            self.is_error == Flag::True
        } else {
            let is_whole = self.has(Key::Message) && (self.has(Key::Code) || self.has(Key::Hint));
            // The options of a factory: its message is another argument.
            is_whole || (self.has(Key::Hint) && is_factory(&self.callee))
        };
        self.said.as_ref().filter(|_| is_error)?.leak.clone()
    }
}

/// Whether a function of this name makes tools: `defineTool`, `createTool`.
fn is_maker(callee: &str) -> bool {
    callee.ends_with("Tool") || callee.ends_with("_tool")
}

/// Whether a function of this name makes an error: `toolError`, `errNotRetryable`.
fn is_factory(callee: &str) -> bool {
    makes_errors(callee) || callee.starts_with("err")
}

/// Whether a function of this name makes errors.
pub(super) fn makes_errors(callee: &str) -> bool {
    let last = callee.rsplit(['.', ':']).next().unwrap_or(callee);
    let lower = last.to_ascii_lowercase();
    (lower.contains("error")
        || lower.contains("fault")
        || lower.contains("failure")
        || lower.starts_with("fail"))
        && !is_code(last)
        && !["iserror", "onerror", "haserror", "is_error", "console.error", "asserterror"]
            .contains(&lower.as_str())
}
