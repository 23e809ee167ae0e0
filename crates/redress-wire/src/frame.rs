//! `Frame`: a JSON-RPC message split into the parts that we route on; the rest stays raw bytes.

mod batch;
pub mod lines;
mod malformed;
pub mod peek;

use std::{borrow::Cow, fmt, ops::Range};

pub use batch::{Batch, is_broken_batch, messages};
pub use malformed::id_beside;

use crate::{
    is_method,
    json::{Doc, JsonError, Kind, Limits, Value},
};

/// How deep a message may nest: as deep as the readers of most clients go.
const NESTING: usize = 128;

/// The parameters that we read, whatever the method: others must not read another value than we do. Those of a call go first.
const PARAMS: [&str; 12] = [
    "name",
    "arguments",
    "_meta",
    "cursor",
    "requestState",
    "uri",
    "task",
    "taskId",
    "requestId",
    "progressToken",
    "protocolVersion",
    "capabilities",
];

/// What we read of `_meta`.
const META: [&str; 4] = [
    "progressToken",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/subscriptionId",
];

/// The byte order mark that some programs put before the first text that they write.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// What is behind a mark; there is one at most.
pub fn behind_mark(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(MARK).filter(|it| !it.starts_with(MARK))
}

/// What we take as one message.
pub const fn limits(bytes: usize) -> Limits {
    Limits { bytes, nesting: NESTING }
}

/// One message, its parts still inside the document.
#[derive(Debug, Clone)]
pub struct Frame<'d> {
    /// What kind of message it is.
    pub shape: Shape,
    /// The id, a string or a number.
    pub id: Option<Value<'d>>,
    /// The method of a request or notification.
    pub method: Cow<'d, str>,
    /// Where the method's name starts.
    pub method_at: Option<usize>,
    /// Whether it says that it follows another version of JSON-RPC than ours.
    pub is_other_version: bool,
    /// The parameters of a request or notification.
    pub params: Option<Value<'d>>,
    /// What of them says which request it is.
    pub named: Named<'d>,
    /// The result or the error of an answer.
    pub payload: Option<Value<'d>>,
    /// The whole message.
    pub root: Value<'d>,
}

/// The parameters that a request is kept by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Named<'d> {
    /// `name`
    pub name: Option<Value<'d>>,
    /// `_meta`
    pub meta: Option<Value<'d>>,
    /// `cursor`
    pub cursor: Option<Value<'d>>,
    /// `requestState`
    pub state: Option<Value<'d>>,
}

/// What kind of message a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// It wants an answer.
    Request,
    /// It wants none.
    Notification,
    /// It is a result.
    Result,
    /// It is an error.
    Error,
}

/// Why valid JSON is not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAFrame {
    /// Several at once: revisions since 2025-06-18 have no batches.
    Batch,
    /// Not an object.
    NotAnObject,
    /// The same key twice, or in two spellings.
    DuplicateKey,
    /// The id is neither a string nor a number.
    BadId,
    /// The method is no string.
    BadMethod,
    /// It follows another version of JSON-RPC.
    BadVersion,
    /// The parameters of a method of the protocol are no object.
    BadParams,
    /// Both a result and an error.
    Both,
    /// Both a method and a result or an error.
    MethodAndAnswer,
    /// Neither method nor result nor error.
    Nothing,
}

impl fmt::Display for NotAFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Batch => "several messages stand in one array",
            Self::NotAnObject => "a message is an object",
            Self::DuplicateKey => "a key stands twice, or in another spelling",
            Self::BadId => "an id is a string or a number",
            Self::BadMethod => "a method is a string",
            Self::BadVersion => "the version of JSON-RPC is \"2.0\"",
            Self::BadParams => "the parameters of a method are an object",
            Self::Both => "an answer has a result or an error, not both",
            Self::MethodAndAnswer => "a message has a method, or a result or an error, not both",
            Self::Nothing => "there is neither method nor result nor error",
        })
    }
}

/// Why bytes are not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// Not JSON that we take.
    Json(JsonError),
    /// JSON, but no message.
    Frame(NotAFrame),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Frame(error) => error.fmt(f),
        }
    }
}

impl<'d> Frame<'d> {
    /// The frame of a document.
    pub fn of(doc: &'d Doc<'d>) -> Result<Self, NotAFrame> {
        let root = doc.root();
        match root.kind() {
            Kind::Object => (),
            Kind::Array => return Err(NotAFrame::Batch),
            _ => return Err(NotAFrame::NotAnObject),
        }
        let [version, id, method, params, result, error] =
            members(root, ["jsonrpc", "id", "method", "params", "result", "error"])?;
        // Some servers write `"error": null` beside a result, `"result": null` beside an error, or an `"id": null` that they could not read.
        let error = error.filter(|it| !it.is_null() || result.is_none());
        let result = result.filter(|it| !it.is_null() || error.is_none());
        let id = match id {
            Some(id) if is_id(id) => Some(id),
            Some(id) if id.is_null() && method.is_none() => None,
            Some(_) => return Err(NotAFrame::BadId),
            None => None,
        };
        let is_answer = [result, error].into_iter().flatten().any(|it| !it.is_null());
        let shape = match (method, result, error) {
            // Some peers write every member of a message, and `null` for those that it does not have.
            (Some(_), ..) if is_answer => return Err(NotAFrame::MethodAndAnswer),
            (Some(_), ..) if id.is_some() => Shape::Request,
            (Some(_), ..) => Shape::Notification,
            (None, Some(_), None) => Shape::Result,
            (None, None, Some(_)) => Shape::Error,
            (None, Some(_), Some(_)) => return Err(NotAFrame::Both),
            (None, None, None) => return Err(NotAFrame::Nothing),
        };
        let name = match method {
            Some(method) => method.as_str().ok_or(NotAFrame::BadMethod)?,
            None => Cow::Borrowed(""),
        };
        let mut named = Named::default();
        if let Some(params) = params {
            let [name, _, meta, cursor, state, ..] = members(params, PARAMS)?;
            named = Named { name, meta, cursor, state };
            if let Some(meta) = meta {
                members(meta, META)?;
            }
        }
        let method_at = method.map(|it| it.offset() + 1);
        let is_other_version = version.is_some_and(|it| !it.is_str("2.0"));
        let (method, payload) = (name, result.or(error));
        Ok(Self { shape, id, method, method_at, is_other_version, params, named, payload, root })
    }

    /// Refuses what no server can answer. A request that none may take would be answered at its deadline: servers that are
    /// written with the official SDKs drop it without a word.
    pub fn answerable(self) -> Result<Self, NotAFrame> {
        if self.shape != Shape::Request {
            return Ok(self);
        }
        if self.is_other_version {
            return Err(NotAFrame::BadVersion);
        }
        match self.params {
            Some(params) if !are_params(params) && is_method(&self.method) => {
                Err(NotAFrame::BadParams)
            }
            _ => Ok(self),
        }
    }

    /// The tool that a `tools/call` names: the value and its text.
    pub fn tool(&self) -> Option<(Value<'d>, Cow<'d, str>)> {
        if self.method != "tools/call" {
            return None;
        }
        let name = self.named.name?;
        Some((name, name.as_str()?))
    }
}

/// The known members of a protocol object, each at most once and in one spelling. One pass, without copies.
pub fn members<'d, const N: usize>(
    object: Value<'d>,
    keys: [&str; N],
) -> Result<[Option<Value<'d>>; N], NotAFrame> {
    let mut found = [None; N];
    for (key, value) in object.members() {
        let name = key.as_str().unwrap_or_default();
        let name = &*name;
        match keys.iter().zip(&mut found).find(|(it, _)| **it == name) {
            Some((_, slot)) if slot.is_some() => return Err(NotAFrame::DuplicateKey),
            Some((_, slot)) => *slot = Some(value),
            None if keys.iter().any(|it| is_respelled(it, name)) => {
                return Err(NotAFrame::DuplicateKey);
            }
            None => (),
        }
    }
    Ok(found)
}

/// Whether readers that fold case would take `name` for `key`.
pub fn is_respelled(key: &str, name: &str) -> bool {
    let fold = |it: char| match it {
        'ſ' => 's',
        '\u{212a}' => 'k',
        it => it.to_ascii_lowercase(),
    };
    name.len() >= key.len()
        && name.len() <= key.len() * 3
        && name.chars().map(fold).eq(key.chars().map(fold))
}

/// Whether parameters are an object, or what languages without empty objects write for an empty one.
fn are_params(params: Value<'_>) -> bool {
    match params.kind() {
        Kind::Object | Kind::Null => true,
        Kind::Array => params.elements().next().is_none(),
        _ => false,
    }
}

/// Whether a value is an id. A number is one in any spelling: it is answered under the same bytes.
fn is_id(id: Value<'_>) -> bool {
    matches!(id.kind(), Kind::String | Kind::Number)
}

/// Where a value is in the bytes of its message.
pub fn span(value: Value<'_>) -> Range<usize> {
    value.offset()..value.offset() + value.raw().len()
}

/// Appends a line with the bytes at `span` replaced, and ends it.
pub fn splice(line: &[u8], span: Range<usize>, with: &[u8], out: &mut Vec<u8>) {
    out.reserve(line.len() + with.len() + 1);
    out.extend_from_slice(line.get(..span.start).unwrap_or_default());
    out.extend_from_slice(with);
    out.extend_from_slice(line.get(span.end..).unwrap_or_default());
    out.push(b'\n');
}

/// Bytes of a line that others take the place of.
#[derive(Debug, Clone)]
pub struct Edit<'a> {
    /// Where they stand.
    pub at: Range<usize>,
    /// What is there then.
    pub with: &'a [u8],
}

/// Appends a line with several parts replaced, which do not overlap, and ends it.
pub fn rewrite(line: &[u8], edits: &mut [Edit<'_>], out: &mut Vec<u8>) {
    edits.sort_unstable_by_key(|it| it.at.start);
    let mut done = 0;
    for edit in edits {
        out.extend_from_slice(line.get(done..edit.at.start).unwrap_or_default());
        out.extend_from_slice(edit.with);
        done = edit.at.end;
    }
    out.extend_from_slice(line.get(done..).unwrap_or_default());
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use crate::json::Doc;

    use super::{Edit, Frame, NotAFrame, Shape, limits, rewrite, span, splice};

    fn with<T>(text: &str, look: impl FnOnce(Result<Frame<'_>, NotAFrame>) -> T) -> T {
        let doc = Doc::parse(text.as_bytes(), limits(1_000)).expect("valid JSON");
        look(Frame::of(&doc))
    }

    #[test]
    fn every_shape_is_told_apart() {
        for (text, shape) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Shape::Request),
            (r#"{"jsonrpc":"2.0","method":"x"}"#, Shape::Notification),
            (r#"{"id":"a","result":{}}"#, Shape::Result),
            (r#"{"id":"a","result":{},"error":null}"#, Shape::Result),
            (r#"{"id":null,"error":{"code":1}}"#, Shape::Error),
            (r#"{"id":"a","result":null,"error":{"code":1}}"#, Shape::Error),
            (r#"{"id":"a","result":null,"error":null}"#, Shape::Result),
            (r#"{"id":1.0,"method":"x"}"#, Shape::Request),
            (r#"{"id":1e2,"method":"x"}"#, Shape::Request),
            (r#"{"id":-1.5E-3,"result":{}}"#, Shape::Result),
        ] {
            assert_eq!(with(text, |it| it.unwrap().shape), shape, "{text}");
        }
    }

    #[test]
    fn what_is_no_message_is_named() {
        for (text, why) in [
            ("[]", NotAFrame::Batch),
            ("3", NotAFrame::NotAnObject),
            (r#"{"id":1,"id":2,"method":"x"}"#, NotAFrame::DuplicateKey),
            (r#"{"id":1,"Method":"x"}"#, NotAFrame::DuplicateKey),
            (r#"{"id":1,"method":"x","paramſ":{}}"#, NotAFrame::DuplicateKey),
            (r#"{"id":[1],"method":"x"}"#, NotAFrame::BadId),
            (r#"{"id":null,"method":"x"}"#, NotAFrame::BadId),
            (r#"{"id":{},"result":1}"#, NotAFrame::BadId),
            (r#"{"id":1,"method":2}"#, NotAFrame::BadMethod),
            (r#"{"id":1,"result":1,"error":{}}"#, NotAFrame::Both),
            (r#"{"id":1,"method":"x","result":{}}"#, NotAFrame::MethodAndAnswer),
            (r#"{"method":"x","error":{"code":1}}"#, NotAFrame::MethodAndAnswer),
            (r#"{"id":1}"#, NotAFrame::Nothing),
        ] {
            assert_eq!(with(text, |it| it.map(|it| it.shape)).err(), Some(why), "{text}");
        }
    }

    #[test]
    fn a_parameter_that_others_may_read_differently_is_refused() {
        for params in [
            r#"{"name":"echo","name":"env"}"#,
            r#"{"name":"echo","n\u0061me":"env"}"#,
            r#"{"name":"echo","NAME":"env"}"#,
            r#"{"Name":"env"}"#,
            r#"{"taskId":"t-2","taskId":"t-1"}"#,
            r#"{"taskId":"t-2","tasKid":"t-1"}"#,
            r#"{"requestId":1,"requestId":2}"#,
            r#"{"_meta":{},"_meta":{"progressToken":1}}"#,
            r#"{"_meta":{"progressToken":1,"progressToken":2}}"#,
            r#"{"_meta":{"IO.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
        ] {
            for id in ["", r#""id":1,"#] {
                let text = format!(r#"{{{id}"method":"x","params":{params}}}"#);
                let why = with(&text, |it| it.map(|it| it.shape)).err();
                assert_eq!(why, Some(NotAFrame::DuplicateKey), "{text}");
            }
        }
    }

    #[test]
    fn what_we_do_not_read_may_stand_as_it_likes() {
        for params in [
            "null",
            "[1,1]",
            r#"{"x":1,"x":2,"X":3,"names":1,"Names":2}"#,
            r#"{"arguments":{"name":1,"name":2,"NAME":3}}"#,
            r#"{"_meta":{"x":1,"x":2,"name":1,"Name":2}}"#,
            r#"{"_meta":null}"#,
        ] {
            let text = format!(r#"{{"id":1,"method":"x","params":{params}}}"#);
            assert_eq!(with(&text, |it| it.map(|it| it.shape)), Ok(Shape::Request), "{text}");
        }
        let nulls = r#"{"id":1,"method":"x","result":null,"error":null}"#;
        assert_eq!(with(nulls, |it| it.map(|it| it.shape)), Ok(Shape::Request));
    }

    #[test]
    fn only_the_id_is_replaced() {
        let text = r#"{ "result": {"id": 7},  "id":1152921504606846976 }"#;
        let spliced = with(text, |it| {
            let mut out = Vec::new();
            splice(text.as_bytes(), span(it.unwrap().id.unwrap()), b"\"a\"", &mut out);
            out
        });
        assert_eq!(spliced, b"{ \"result\": {\"id\": 7},  \"id\":\"a\" }\n");
    }

    #[test]
    fn several_parts_are_replaced_in_whatever_order_they_are_named() {
        let mut edits = [Edit { at: 4..5, with: b"xyz" }, Edit { at: 0..1, with: b"" }];
        let mut out = Vec::new();
        rewrite(b"abcdef", &mut edits, &mut out);
        assert_eq!(out, b"bcdxyzf\n");
    }
}
