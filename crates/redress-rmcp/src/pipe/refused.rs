//! What a line of a client is: a message, nothing that anybody waits for, or a request that is refused with its fault.

use redress::outcome::Malformed;
use redress::{
    Fault,
    dialect::wire,
    fault::{Context, Origin, Violation},
};
use redress_wire::{
    frame::{Frame, NotAFrame, Shape, Unreadable, id_beside, limits, lines::Line, peek},
    json::{Doc, Kind, Scratch, Value, pointer_step},
};
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId},
};

use super::call::{call, request_id};
use crate::{contract::Books, judge::invalid_request, tell::tell};

/// The longest line that is read; servers of rmcp alone take no longer ones.
pub(super) const MOST: usize = 16 << 20;

/// rmcp and others write it before the first message.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines. It remembers what was said about a line whose end has not come yet.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    scratch: Scratch,
    /// The line that is being thrown away was answered, or is no request.
    is_long_done: bool,
    /// It is a notification, unless an id comes at its end.
    is_long_notification: bool,
}

/// A request that goes no further.
#[derive(Debug)]
pub(super) struct Refused {
    fault: Box<Fault>,
    /// Its id, as it was written.
    id: Option<Box<str>>,
    tool: Option<String>,
}

impl LineReader {
    /// The message of a line; `None` if its answer is not awaited.
    pub(super) fn read(
        &mut self,
        line: &Line<'_>,
    ) -> Result<Option<ClientJsonRpcMessage>, Refused> {
        match line {
            Line::Whole(line) => self.whole(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)),
            Line::LongHead(head) => {
                let id = peek::id_in_head(head);
                self.is_long_done = id.is_some() || peek::is_answer(head);
                self.is_long_notification = is_notification(head);
                id.map_or(Ok(None), |id| Err(Refused::too_long(Some(id), None)))
            }
            Line::LongTail(..) if self.is_long_done => Ok(None),
            Line::LongTail(tail, bytes) => match peek::id_in_tail(tail) {
                None if self.is_long_notification => Ok(None),
                id => Err(Refused::too_long(id, Some(*bytes))),
            },
        }
    }

    fn whole(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refused> {
        match Doc::parse_with(line, limits(MOST), std::mem::take(&mut self.scratch)) {
            Ok(doc) => {
                let message = match call(&doc) {
                    Some(call) => Ok(Some(call)),
                    None => other(line, &doc),
                };
                self.scratch = doc.into_scratch();
                message
            }
            Err(_) if line.trim_ascii().is_empty() => Ok(None),
            Err(_) if peek::is_answer(line) => {
                let id = answered_id(line).and_then(|it| serde_json::from_str(&it).ok());
                Ok(id.map(unread_answer))
            }
            Err(error) => {
                let why = Malformed::Unreadable(Unreadable::Json(error));
                Err(Refused::new(why, id_beside(error, line)))
            }
        }
    }
}

/// What is no plain call is read by rmcp. If it cannot, we say why.
fn other(line: &[u8], doc: &Doc<'_>) -> Result<Option<ClientJsonRpcMessage>, Refused> {
    let frame = Frame::of(doc);
    if !matches!(frame, Err(NotAFrame::DuplicateKey))
        && let Ok(message) = serde_json::from_slice(line)
    {
        return Ok(Some(message));
    }
    let frame = match frame.and_then(Frame::answerable) {
        Ok(frame) => frame,
        Err(why) => {
            let why_none = Malformed::Unreadable(Unreadable::Frame(why));
            return Err(Refused::new(why_none, why.id(doc)));
        }
    };
    let Some(id) = frame.id else { return Ok(None) };
    match frame.shape {
        Shape::Request => (),
        Shape::Result | Shape::Error => return Ok(request_id(id).map(unread_answer)),
        Shape::Notification => return Ok(None),
    }
    Err(Refused {
        fault: Box::new(unread(&frame, id)),
        id: Some(id.raw().into()),
        tool: frame.tool().map(|(_, name)| name.into_owned()),
    })
}

/// Whether the start of a message names a method of notifications, before anything that has members itself.
fn is_notification(head: &[u8]) -> bool {
    const KEY: &[u8] = b"\"method\"";
    let Some(at) = head.windows(KEY.len()).position(|it| it == KEY) else { return false };
    let (before, after) = head.split_at(at);
    let value = after.get(KEY.len()..).unwrap_or_default().trim_ascii_start();
    let method = value.strip_prefix(b":").unwrap_or_default().trim_ascii_start();
    before.iter().filter(|it| matches!(it, b'{' | b'[')).count() == 1
        && method.starts_with(b"\"notifications/")
}

/// The id before or after what is answered.
fn answered_id(line: &[u8]) -> Option<Box<str>> {
    let is_key = |it: &[u8]| it.starts_with(b"\"result\"") || it.starts_with(b"\"error\"");
    let at = (0..line.len()).find(|at| line.get(*at..).is_some_and(is_key))?;
    line.get(..at).and_then(peek::id_in_head).or_else(|| peek::id_in_tail(line))
}

/// What the server hears instead of an answer that cannot be read, so that it does not wait for another.
fn unread_answer(id: RequestId) -> ClientJsonRpcMessage {
    let error = ErrorData::parse_error("The client's answer cannot be read.", None);
    ClientJsonRpcMessage::error(error, Some(id))
}

/// The fault of a request that is one, but not for rmcp.
fn unread(frame: &Frame<'_>, id: Value<'_>) -> Fault {
    if id.kind() == Kind::Number && id.as_i64().is_none() {
        let why = if id.is_whole() { "too large a number" } else { "not a whole number" };
        return invalid_request("/id", why);
    }
    if frame.root.get("jsonrpc").is_none() {
        return invalid_request("/jsonrpc", "missing");
    }
    if frame.params.is_some_and(|it| !matches!(it.kind(), Kind::Object | Kind::Null)) {
        return invalid_request("/params", "not an object");
    }
    if frame.named.meta.is_some_and(|it| it.kind() != Kind::Object) {
        return invalid_request("/params/_meta", "not an object");
    }
    if let Some(pointer) = out_of_range(frame.root) {
        return invalid_request(&pointer, "too large a number");
    }
    match serde_json::from_str::<serde_json::Value>(frame.root.raw()) {
        Err(error) => invalid_request("", &error.to_string()),
        Ok(_) => invalid_request("", "not what the method takes"),
    }
}

/// Where a number is that no type has room for.
fn out_of_range(value: Value<'_>) -> Option<String> {
    let below =
        |step: &str, value| out_of_range(value).map(|it| format!("/{}{it}", pointer_step(step)));
    match value.kind() {
        Kind::Number => value.raw().parse::<f64>().is_ok_and(f64::is_infinite).then(String::new),
        Kind::Object => {
            value.members().find_map(|(key, value)| below(&key.as_str().unwrap_or_default(), value))
        }
        Kind::Array => {
            value.elements().enumerate().find_map(|(at, value)| below(&at.to_string(), value))
        }
        _ => None,
    }
}

/// An id without the quotes and escapes of a string.
fn plain(id: &str) -> String {
    serde_json::from_str(id).unwrap_or_else(|_| id.to_owned())
}

impl Refused {
    fn new(why: Malformed, id: Option<Box<str>>) -> Self {
        let (code, params) = why.told();
        let mut fault = Fault::raise(code.entry(), params);
        fault.origin = Origin::Client;
        if let Malformed::Unreadable(Unreadable::Frame(error)) = why
            && let Some(pointer) = error.pointer()
        {
            fault.violations = vec![Violation::new(pointer, &error.to_string(), None)];
        }
        Self { fault: Box::new(fault), id, tool: None }
    }

    /// A request whose id another one has that is not answered yet.
    pub(super) fn twice(message: &ClientJsonRpcMessage) -> Self {
        let JsonRpcMessage::Request(it) = message else {
            return Self::new(Malformed::IdInUse, None);
        };
        let id = serde_json::to_string(&it.id).ok().map(String::into_boxed_str);
        let tool = match &it.request {
            ClientRequest::CallToolRequest(it) => Some(it.params.name.clone().into_owned()),
            _ => None,
        };
        Self { tool, ..Self::new(Malformed::IdInUse, id) }
    }

    fn too_long(id: Option<Box<str>>, bytes: Option<u64>) -> Self {
        Self::new(Malformed::TooLong { bytes, most: MOST }, id)
    }

    /// The answer, once it is recorded.
    pub(super) async fn told(mut self, (settings, state, session): &Books) -> String {
        self.fault.context.fill_absent(&Context {
            tool: self.tool,
            request_id: self.id.as_deref().map(plain),
            session_id: Some(session.to_string()),
            ..Context::default()
        });
        let told = tell(*self.fault, settings, state).await;
        wire::rpc_error(&told.fault, self.id.as_deref())
    }
}
