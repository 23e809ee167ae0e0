//! `Exchange`: one request in flight. Finishing it consumes it, so it is answered exactly once.

use std::{borrow::Cow, ops::Range, sync::Arc, time::Instant};

use redress::ErrorStats;
use redress_govern::{CallContext, CheckedWrite};

use crate::{
    frame::{Edit, Frame, Named, rewrite, span},
    http_head::HttpHead,
    limits::CallSlot,
    memory::Reservation,
    outgoing::Sender,
    trace_id::TraceId,
};

/// A longer request is not kept for the judgement of its failure; its id, method and tool are.
const LONGEST_KEPT: usize = 64 << 10;

/// A larger buffer is not kept for the next request.
const LARGEST_SPARE: usize = 4 << 10;

/// Where a request says which revision of the protocol it follows, since 2026-07-28.
const REVISION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// One request in flight.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Exchange {
    /// Who asked.
    pub(crate) from: Sender,
    /// What was asked.
    pub(crate) request: Request,
    /// When it came.
    pub(crate) started: Instant,
    /// When it fails because no answer came. A subscription has no such time.
    pub(crate) deadline: Option<Instant>,
    /// How much the upstream had written to stderr when it came.
    pub(crate) stderr: u64,
    /// How many of its lines had been of no use.
    pub(crate) useless: u64,
    /// How many messages without an answer the upstream was sent before it.
    pub(crate) notes: u64,
    /// Whether the upstream has it, so that it may have had an effect.
    pub(crate) sent: bool,
    /// The client's id, as a key.
    pub(crate) key: u64,
    /// The number of requests that were opened before it, itself included.
    pub(crate) opened: u64,
    /// Whether no other request was in progress at the same time, so that what was logged is about it.
    pub(crate) is_alone: bool,
    /// How often it was sent before.
    pub(crate) repeats: u32,
    /// What the first time ended with, as an object.
    pub(crate) first: Option<Box<str>>,
    /// Whether it may have had an effect when it was sent before.
    pub(crate) is_in_doubt: bool,
    /// Whether it counts among the calls in progress.
    pub(crate) is_admitted: bool,
    /// How far the client knows it to be.
    pub(crate) progress: f64,
    /// In which session of the upstream it was sent, counted.
    pub(crate) epoch: u32,
    /// Whether it was sent before, in a session that was over.
    pub(crate) is_again: bool,
    /// What its governor knows of it.
    pub(crate) governed: Option<Arc<CallContext>>,
    /// The write that it is, if that is checked.
    pub(crate) write: Option<Box<HeldWrite>>,
    /// Its place among the calls of all callers.
    pub(crate) place: Option<CallSlot>,
    /// The bytes that are reserved for its answer.
    pub(crate) memory: Option<Reservation>,
}

/// A write with checks, and its answer while that is held back.
#[derive(Debug)]
pub(crate) struct HeldWrite {
    pub(crate) write: Box<CheckedWrite>,
    /// The answer of the server, until the write is checked.
    pub(crate) answer: Option<HeldAnswer>,
}

/// An answer that is held back.
#[derive(Debug)]
pub(crate) struct HeldAnswer {
    pub(crate) line: Vec<u8>,
    /// The HTTP head that came with it.
    pub(crate) http: Option<HttpHead>,
    /// Whether it was judged to be a failure, for sure or only perhaps.
    pub(crate) is_failure: bool,
}

impl Exchange {
    /// A request that the upstream has not got yet.
    pub(crate) const fn new(
        request: Request,
        from: Sender,
        started: Instant,
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            from,
            request,
            started,
            deadline,
            stderr: 0,
            useless: 0,
            notes: 0,
            sent: false,
            key: 0,
            opened: 0,
            is_alone: true,
            repeats: 0,
            first: None,
            is_in_doubt: false,
            is_admitted: false,
            progress: f64::NEG_INFINITY,
            epoch: 0,
            is_again: false,
            governed: None,
            write: None,
            place: None,
            memory: None,
        }
    }

    /// The trace that it belongs to.
    pub(crate) fn trace(&self) -> Option<TraceId> {
        self.request.trace.or(self.from.trace)
    }

    /// Whether the upstream is at it. One whose answer is held back is not.
    pub(crate) fn is_at_upstream(&self) -> bool {
        self.sent && self.write.as_ref().is_none_or(|it| it.answer.is_none())
    }

    /// Whether it is a write that failed and was put back.
    pub(crate) fn is_put_back(&self) -> bool {
        self.write.as_ref().is_some_and(|it| it.write.put_back.is_some())
    }

    /// Whether it is a write that the upstream may have made and whose end is still open.
    pub(crate) fn is_write_in_doubt(&self) -> bool {
        self.is_at_upstream() && self.write.as_ref().is_some_and(|it| it.write.put_back.is_none())
    }
}

/// The methods whose answers the gate reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// `initialize`
    Initialize,
    /// `tools/list`
    ToolsList,
    /// `tools/call`
    ToolsCall,
    /// `tasks/get`
    TaskState,
    /// `tasks/result`
    TaskResult,
    /// `subscriptions/listen`
    Listen,
    /// What a client wants to hear: `resources/subscribe`, `resources/unsubscribe`, `logging/setLevel`
    Interest,
    /// `sys/errorStats`
    ErrorStats,
    /// Any other.
    Other,
}

impl Method {
    fn of(name: &str) -> Self {
        match name {
            "tools/call" => Self::ToolsCall,
            "tools/list" => Self::ToolsList,
            "initialize" => Self::Initialize,
            "tasks/get" => Self::TaskState,
            "tasks/result" => Self::TaskResult,
            "subscriptions/listen" => Self::Listen,
            "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel" => Self::Interest,
            ErrorStats::METHOD => Self::ErrorStats,
            _ => Self::Other,
        }
    }
}

/// What a client asked, as far as it is needed for the answer.
#[derive(Debug)]
pub(crate) struct Request {
    /// The whole line, or only the parts below, one behind the other.
    text: String,
    /// How much of it is the line.
    line_bytes: u32,
    id: TextSpan,
    method_name: TextSpan,
    tool: Option<TextSpan>,
    /// The parameters, if the line is whole.
    params: Option<TextSpan>,
    /// The token under which the client wants to hear of progress.
    token: Option<TextSpan>,
    /// The cursor of the page of the tools that is asked for, if that is not the first one.
    cursor: Option<TextSpan>,
    /// The method.
    pub(crate) method: Method,
    /// The trace that its `_meta` names.
    trace: Option<TraceId>,
    /// Whether it says for itself which revision of the protocol it follows: it belongs to no session.
    pub(crate) is_sessionless: bool,
    /// Whether it comes back with a state that the server gave out, to go on from there.
    pub(crate) has_state: bool,
}

impl Request {
    /// Keeps a request in `text`, which is emptied first.
    pub(crate) fn keep(frame: &Frame<'_>, mut text: String) -> Self {
        text.clear();
        let line = frame.root.source();
        let is_whole = line.len() <= LONGEST_KEPT;
        if is_whole {
            text.push_str(line);
        }
        let line_bytes = TextSpan::of(0..text.len()).end;
        let mut part = |plain: &Cow<'_, str>, at: Option<usize>| match (plain, at) {
            (Cow::Borrowed(it), Some(at)) if is_whole => TextSpan::of(at..at + it.len()),
            (it, _) => append(&mut text, it),
        };
        let method_name = part(&frame.method, frame.method_at);
        let tool = frame.tool();
        let tool = tool.map(|(value, name)| part(&name, Some(value.offset() + 1)));
        let method = Method::of(&frame.method);
        let Named { meta, cursor, state, .. } = frame.named;
        let cursor = cursor.filter(|it| method == Method::ToolsList && !it.is_null());
        let cursor = cursor.map(|it| match it.as_str() {
            Some(text) => part(&text, Some(it.offset() + 1)),
            None => part(&Cow::Borrowed(it.raw()), Some(it.offset())),
        });
        let id = match frame.id {
            Some(id) if is_whole => TextSpan::of(span(id)),
            Some(id) => append(&mut text, id.raw()),
            None => TextSpan::default(),
        };
        let params = frame.params.filter(|_| is_whole).map(|it| TextSpan::of(span(it)));
        let token = meta.and_then(|it| it.get("progressToken")).map(|token| {
            if is_whole { TextSpan::of(span(token)) } else { append(&mut text, token.raw()) }
        });
        let trace = meta.and_then(|it| it.get("traceparent"));
        let trace = trace.and_then(|it| TraceId::read(&it.as_str()?));
        let is_sessionless = meta.is_some_and(|it| it.get(REVISION_KEY).is_some());
        Self {
            text,
            line_bytes,
            id,
            method_name,
            tool,
            params,
            token,
            cursor,
            method,
            trace,
            is_sessionless,
            has_state: state.is_some(),
        }
    }

    /// Appends the request under another id and token, if it was short enough to keep.
    pub(crate) fn write_under(&self, ours: &[u8], is_token_ours: bool, out: &mut Vec<u8>) -> bool {
        let Some(line) = self.line() else { return false };
        let id = Edit { at: self.id.range(), with: ours };
        match self.token {
            Some(token) if is_token_ours => {
                rewrite(line, &mut [id, Edit { at: token.range(), with: ours }], out);
            }
            _ => rewrite(line, &mut [id], out),
        }
        true
    }

    /// The token for progress in the client's own spelling.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.map(|it| self.part(it))
    }

    /// The cursor of the page of the tools that is asked for; `None` for the first one.
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.map(|it| self.part(it))
    }

    /// The id in the client's own spelling.
    pub(crate) fn id(&self) -> &str {
        self.part(self.id)
    }

    /// The name of the method.
    pub(crate) fn method_name(&self) -> &str {
        self.part(self.method_name)
    }

    /// The tool that is called.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.tool.map(|it| self.part(it))
    }

    /// The parameters, if the request was short enough to keep.
    pub(crate) fn params(&self) -> Option<&str> {
        self.params.map(|it| self.part(it))
    }

    /// The whole request, if it was short enough to keep.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        let line = self.text.as_bytes().get(..usize::try_from(self.line_bytes).ok()?);
        line.filter(|it| !it.is_empty())
    }

    /// Gives the buffer back.
    pub(crate) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Whether its buffer is small enough to be kept for another one.
    pub(crate) const fn is_small(&self) -> bool {
        self.text.capacity() <= LARGEST_SPARE
    }

    fn part(&self, part: TextSpan) -> &str {
        self.text.get(part.range()).unwrap_or_default()
    }
}

fn append(text: &mut String, part: &str) -> TextSpan {
    let start = text.len();
    text.push_str(part);
    TextSpan::of(start..text.len())
}

/// A place in the text of a request; no message is so long that it needs more.
#[derive(Debug, Clone, Copy, Default)]
struct TextSpan {
    start: u32,
    end: u32,
}

impl TextSpan {
    fn of(range: Range<usize>) -> Self {
        let place = |it| u32::try_from(it).unwrap_or(u32::MAX);
        Self { start: place(range.start), end: place(range.end) }
    }

    fn range(self) -> Range<usize> {
        let place = |it| usize::try_from(it).unwrap_or(usize::MAX);
        place(self.start)..place(self.end)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Instant;

    use redress_wire::{
        frame::{Frame, limits},
        json::Doc,
    };

    use super::{Exchange, Method, Request};
    use crate::outgoing::Sender;

    /// What a client asks with a line.
    pub(crate) fn asked_by(client: u64, line: &str) -> Exchange {
        let doc = Doc::parse(line.as_bytes(), limits(line.len())).unwrap();
        let request = Request::keep(&Frame::of(&doc).unwrap(), String::new());
        let from = Sender { client, ..Sender::default() };
        Exchange::new(request, from, Instant::now(), None)
    }

    #[test]
    fn a_request_is_kept_in_its_own_spelling() {
        let line = r#"{"jsonrpc":"2.0","id":"a\u0062","method":"tools/call","params":{"name":"r\u0065ad","_meta":{"progressToken":1.0}}}"#;
        let Exchange { request, sent, deadline, .. } = asked_by(3, line);
        assert_eq!((request.id(), request.token()), (r#""a\u0062""#, Some("1.0")));
        assert_eq!((request.method, request.tool()), (Method::ToolsCall, Some("read")));
        assert_eq!(request.line(), Some(line.as_bytes()));
        assert!(!sent && deadline.is_none(), "the upstream has not got it");
        let mut out = Vec::new();
        assert!(request.write_under(b"7", true, &mut out));
        let ours = line.replace(r#""a\u0062""#, "7").replace("1.0", "7");
        assert_eq!(String::from_utf8(out).unwrap(), ours + "\n");
    }
}
