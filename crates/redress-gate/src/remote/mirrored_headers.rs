//! What of a message is in the headers, too: since revision 2026-07-28 a server reads there what is asked of it.

use std::sync::LazyLock;

use hyper::http::{HeaderMap, HeaderName, HeaderValue};
use memchr::memmem::Finder;
use redress_proxy::header_params::{HeaderParams, PARAM};
use redress_wire::json::{Doc, Scratch, Value};

use crate::frame::{Frame, Shape, limits};

pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Whether a header repeats what is in the message.
pub(super) fn is_mirrored(name: &HeaderName) -> bool {
    [VERSION, METHOD, NAME].contains(name) || name.as_str().starts_with(PARAM)
}

const INITIALIZE: &str = "initialize";
const TOOLS_LIST: &str = "tools/list";

/// The member of `_meta` that makes a request one of 2026-07-28 or later.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// What a request has in it that is more than a request; made once, because that costs as much as reading one.
static SPECIAL: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| [INITIALIZE, TOOLS_LIST, META_VERSION].map(Finder::new));

/// What a message is, as far as its way to the server goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// Opens a session.
    Initialize,
    /// The session is open.
    Initialized,
    /// Asks for the tools.
    ToolsList,
    /// Any other request.
    Request,
    /// Any other notification.
    Notice,
    /// An answer to the server.
    Answer,
}

/// A message at a glance.
#[derive(Debug)]
pub(super) struct MessageSummary {
    pub(super) kind: MessageKind,
    /// What is in the headers, for a message that carries its own revision.
    pub(super) mirrored: Option<HeaderMap>,
}

impl MessageSummary {
    /// Reads a message of ours.
    pub(super) fn of(line: &[u8], mirrors: &HeaderParams, scratch: &mut Scratch) -> Self {
        let unread = Self { kind: MessageKind::Notice, mirrored: None };
        let Ok(doc) = Doc::parse_with(line, limits(usize::MAX), std::mem::take(scratch)) else {
            return unread;
        };
        let summary = Frame::of(&doc).map_or(unread, |it| Self::of_frame(&it, mirrors));
        *scratch = doc.into_scratch();
        summary
    }

    /// The same of what is known to be a request: most need no second reading.
    pub(super) fn of_request(line: &[u8], mirrors: &HeaderParams, scratch: &mut Scratch) -> Self {
        // Without a backslash nothing is spelled in another way.
        let is_special = memchr::memchr(b'\\', line).is_some()
            || SPECIAL.iter().any(|it| it.find(line).is_some());
        if is_special {
            return Self::of(line, mirrors, scratch);
        }
        Self { kind: MessageKind::Request, mirrored: None }
    }

    fn of_frame(frame: &Frame<'_>, mirrors: &HeaderParams) -> Self {
        let kind = match (frame.shape, &*frame.method) {
            (Shape::Request, INITIALIZE) => MessageKind::Initialize,
            (Shape::Request, TOOLS_LIST) => MessageKind::ToolsList,
            (Shape::Request, _) => MessageKind::Request,
            (Shape::Notification, "notifications/initialized") => MessageKind::Initialized,
            (Shape::Notification, _) => MessageKind::Notice,
            (Shape::Result | Shape::Error, _) => MessageKind::Answer,
        };
        Self { kind, mirrored: mirrored(frame, mirrors) }
    }
}

fn mirrored(frame: &Frame<'_>, mirrors: &HeaderParams) -> Option<HeaderMap> {
    let params = frame.params?;
    let version = params.get("_meta")?.get(META_VERSION)?.as_str()?;
    let mut headers = HeaderMap::new();
    headers.insert(VERSION, encoded(&version)?);
    headers.insert(METHOD, encoded(&frame.method)?);
    let name = match &*frame.method {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        method if method.starts_with("tasks/") => params.get("taskId"),
        _ => None,
    };
    if let Some(name) = name.and_then(Value::as_str).and_then(|it| encoded(&it)) {
        headers.insert(NAME, name);
    }
    if let Some((_, tool)) = frame.tool() {
        for (name, text) in mirrors.of(&tool, params.get("arguments")) {
            if let Some(value) = text.and_then(|it| encoded(&it)) {
                headers.insert(name.clone(), value);
            }
        }
    }
    Some(headers)
}

/// A text as a header: as it is, or in base64 where a header cannot hold it or would be read as such.
fn encoded(text: &str) -> Option<HeaderValue> {
    let is_plain = text.bytes().all(|it| it == b'\t' || (b' '..=b'~').contains(&it))
        && text.trim_matches([' ', '\t']).len() == text.len()
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if is_plain {
        return HeaderValue::from_str(text).ok();
    }
    let mut wrapped = "=?base64?".to_owned();
    base64(text.as_bytes(), &mut wrapped);
    wrapped.push_str("?=");
    HeaderValue::from_str(&wrapped).ok()
}

fn base64(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            (bits << 8) | u32::from(three.get(at).copied().unwrap_or_default())
        });
        for at in 0..4 {
            let digit = usize::try_from((bits >> (18 - 6 * at)) & 63).ok();
            let digit = digit.and_then(|it| DIGITS.get(it)).copied().map_or('=', char::from);
            out.push(if at > three.len() { '=' } else { digit });
        }
    }
}

#[cfg(test)]
mod tests {
    use redress_wire::json::Scratch;

    use redress_proxy::header_params::HeaderParams;

    use super::{MessageKind, MessageSummary, base64, encoded};

    fn headers(line: &str, mirrors: &HeaderParams) -> Vec<String> {
        let headers = MessageSummary::of(line.as_bytes(), mirrors, &mut Scratch::default())
            .mirrored
            .unwrap_or_default();
        let show = |it: (&hyper::http::HeaderName, &hyper::http::HeaderValue)| {
            format!("{}: {}", it.0, it.1.to_str().expect("ASCII"))
        };
        let mut shown: Vec<_> = headers.iter().map(show).collect();
        shown.sort();
        shown
    }

    fn modern(method: &str, params: &str) -> String {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{meta}{params}}}}}"#)
    }

    #[test]
    fn a_message_is_known_at_a_glance() {
        for (line, kind) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, MessageKind::Initialize),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, MessageKind::Initialized),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, MessageKind::ToolsList),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, MessageKind::Request),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, MessageKind::Answer),
            (r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#, MessageKind::Notice),
            ("no message", MessageKind::Notice),
        ] {
            let summary = MessageSummary::of(
                line.as_bytes(),
                &HeaderParams::default(),
                &mut Scratch::default(),
            );
            assert!(summary.kind == kind && summary.mirrored.is_none(), "{line}");
        }
    }

    #[test]
    fn a_request_that_is_read_once_is_known_as_well() {
        let plain = |method: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        for line in [
            plain("initialize"),
            plain("tools/list"),
            plain("tools\\/list"),
            plain("tools/call"),
            modern("tools/call", r#","name":"echo""#),
            modern("tools/call", "").replace("protocolVersion", "protocol\\u0056ersion"),
        ] {
            let [all, glance] = [MessageSummary::of, MessageSummary::of_request]
                .map(|it| it(line.as_bytes(), &HeaderParams::default(), &mut Scratch::default()));
            assert_eq!((glance.kind, glance.mirrored), (all.kind, all.mirrored), "{line}");
        }
    }

    #[test]
    fn a_request_of_the_stateless_revision_is_mirrored() {
        let none = HeaderParams::default();
        let all = |method: &str, params: &str| headers(&modern(method, params), &none);
        let with = |method: &str, name: &str| {
            let method = format!("mcp-method: {method}");
            vec![method, format!("mcp-name: {name}"), "mcp-protocol-version: 2026-07-28".to_owned()]
        };
        assert_eq!(all("tools/call", r#","name":"echo""#), with("tools/call", "echo"));
        assert_eq!(all("prompts/get", r#","name":"p""#), with("prompts/get", "p"));
        assert_eq!(all("resources/read", r#","uri":"a:b""#), with("resources/read", "a:b"));
        assert_eq!(all("tasks/get", r#","taskId":"7""#), with("tasks/get", "7"));
        assert_eq!(all("server/discover", r#","name":"x""#).len(), 2);
        assert_eq!(
            all("tools/call", r#","name":"h\u00e9""#),
            with("tools/call", "=?base64?aMOp?=")
        );
    }

    #[test]
    fn annotated_arguments_are_mirrored_once_the_tools_are_known() {
        let mut mirrors = HeaderParams::default();
        mirrors.learn(
            br#"{"id":1,"result":{"tools":[{"name":"q","inputSchema":{"type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"},"deep":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
            "bad":{"type":"string","x-mcp-header":"a b"},"list":{"items":{"x-mcp-header":"L"}},"gone":{"x-mcp-header":"Gone"},
            "null":{"x-mcp-header":"Null"}}}}]}}"#,
        );
        let call = r#","name":"q","arguments":{"region":"eu ","deep":{"n":42},"bad":"x","list":["y"],"null":null}"#;
        let shown = headers(&modern("tools/call", call), &mirrors);
        let params: Vec<_> = shown.iter().filter(|it| it.starts_with("mcp-param-")).collect();
        assert_eq!(params, ["mcp-param-n: 42", "mcp-param-region: =?base64?ZXUg?="]);
        mirrors.learn(br#"{"id":1,"result":{"tools":[{"name":"q","inputSchema":{}}]}}"#);
        assert_eq!(headers(&modern("tools/call", call), &mirrors).len(), 3);
    }

    #[test]
    fn a_value_that_no_header_can_hold_is_wrapped() {
        for (text, value) in [
            ("us-west1", "us-west1"),
            ("a b\tc", "a b\tc"),
            ("", ""),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("Hello, \u{4e16}\u{754c}", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
        ] {
            assert_eq!(encoded(text).expect("a header"), value, "{text:?}");
        }
        let mut out = String::new();
        base64(&[0xff, 0xfe, 0xfd, 0xfc], &mut out);
        assert_eq!(out, "//79/A==");
    }
}
