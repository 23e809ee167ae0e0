//! Stateless requests, as of revision 2026-07-28: their headers must repeat what their body says.

use std::borrow::Cow;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hyper::{HeaderMap, StatusCode, header::HeaderName};
use redress::codes;
use redress_wire::json::Value;

use super::{access::one, refusal::RefusedRequest, version::VERSION};
use crate::frame::{Frame, Shape};

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Where a request says which version it is written in.
pub(super) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The protocol's errors for a request whose headers do not fit, whose parameters are incomplete, whose method is gone.
const HEADER_MISMATCH: i64 = -32020;
const INVALID_PARAMS: i64 = -32602;
const METHOD_NOT_FOUND: i64 = -32601;

/// Whether a message may go on. What it asks for is judged by the server.
pub(super) fn check(headers: &HeaderMap, frame: &Frame<'_>) -> Result<(), RefusedRequest> {
    if frame.shape != Shape::Request {
        return Ok(());
    }
    let meta = frame.params.and_then(|it| it.get("_meta"));
    let version = meta.and_then(|it| it.get(META_VERSION)).and_then(Value::as_str);
    let Some(version) = version else { return Err(incomplete(META_VERSION)) };
    fits(headers, &VERSION, &version)?;
    fits(headers, &METHOD, &frame.method)?;
    if let Some(name) = named(frame) {
        fits(headers, &NAME, &name)?;
    }
    if meta.and_then(|it| it.get(META_CAPABILITIES)).is_none() {
        return Err(incomplete(META_CAPABILITIES));
    }
    // A stateless client must not open a session.
    if frame.method == "initialize" {
        let message = "The server has no method \"initialize\".";
        return Err(RefusedRequest::new(StatusCode::NOT_FOUND, codes::METHOD_NOT_FOUND, message)
            .protocol(METHOD_NOT_FOUND));
    }
    Ok(())
}

/// What a request is about, if its method has that in a header.
fn named<'d>(frame: &Frame<'d>) -> Option<Cow<'d, str>> {
    let key = match &*frame.method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return None,
    };
    frame.params?.get(key)?.as_str()
}

/// Checks that arguments which headers repeat are the same there.
pub(super) fn check_arguments<'m>(
    headers: &HeaderMap,
    mirrored: impl Iterator<Item = (&'m HeaderName, Option<Cow<'m, str>>)>,
) -> Result<(), RefusedRequest> {
    for (name, expected) in mirrored {
        match expected {
            Some(expected) => fits(headers, name, &expected)?,
            None if headers.contains_key(name) => {
                return Err(mismatch(format!("Header mismatch: {name} is not in the body.")));
            }
            None => (),
        }
    }
    Ok(())
}

fn fits(headers: &HeaderMap, name: &HeaderName, expected: &str) -> Result<(), RefusedRequest> {
    let given = one(headers, name)?.map(decoded);
    match given {
        Some(Some(given)) if given == expected => Ok(()),
        Some(Some(given)) => Err(mismatch(format!(
            "Header mismatch: {name} is {:?}, the body says {:?}.",
            short(&given),
            short(expected)
        ))),
        Some(None) => Err(mismatch(format!("Header mismatch: {name} is not valid Base64."))),
        None => Err(mismatch(format!("Header mismatch: {name} is missing."))),
    }
}

/// The value of a header; values that are not ASCII are Base64-encoded.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let value = value.trim();
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|it| it.strip_suffix("?=")) else {
        return Some(Cow::Borrowed(value));
    };
    let bytes = BASE64_STANDARD.decode(encoded).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn mismatch(message: String) -> RefusedRequest {
    RefusedRequest::bad(message)
        .fix("Send MCP-Protocol-Version, Mcp-Method, Mcp-Name and Mcp-Param headers as the body has them.")
        .protocol(HEADER_MISMATCH)
}

fn incomplete(key: &str) -> RefusedRequest {
    let message = format!("Invalid params: _meta has no {key:?}.");
    RefusedRequest::new(StatusCode::BAD_REQUEST, codes::MISSING_REQUIRED_FIELD, message)
        .protocol(INVALID_PARAMS)
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, header::HeaderValue};
    use redress_wire::json::Doc;

    use redress_proxy::header_params::HeaderParams;

    use super::{check, check_arguments, decoded};
    use crate::frame::{Frame, limits};

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

    fn is_let_in(headers: &[(&'static str, &'static str)], method: &str, params: &str) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#);
        let doc = Doc::parse(line.as_bytes(), limits(1 << 20)).unwrap();
        check(&map, &Frame::of(&doc).unwrap()).is_ok()
    }

    #[test]
    fn headers_must_say_what_the_body_says() {
        let version = ("mcp-protocol-version", "2026-07-28");
        let list = ("mcp-method", "tools/list");
        assert!(is_let_in(&[version, list], "tools/list", META));
        assert!(!is_let_in(&[version], "tools/list", META));
        assert!(!is_let_in(&[list], "tools/list", META));
        assert!(!is_let_in(&[version, ("mcp-method", "TOOLS/LIST")], "tools/list", META));
        assert!(!is_let_in(&[version, list], "tools/list", r#""_meta":{}"#));
        assert!(!is_let_in(&[("mcp-protocol-version", "2025-11-25"), list], "tools/list", META));
        assert!(!is_let_in(&[version, ("mcp-method", "initialize")], "initialize", META));
    }

    #[test]
    fn a_name_must_be_the_one_that_is_asked_for() {
        let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call")];
        let params = format!(r#""name":"Gr\u00fc\u00df","arguments":{{}},{META}"#);
        let with =
            |name| is_let_in(&[headers[0], headers[1], ("mcp-name", name)], "tools/call", &params);
        assert!(with("=?base64?R3LDvMOf?="));
        assert!(!with("=?base64?R3LDvMO?="));
        assert!(!with("other"));
        assert!(!is_let_in(&headers, "tools/call", &params));
    }

    #[test]
    fn only_whole_marks_mean_base64() {
        assert_eq!(decoded(" =?base64?SGVsbG8=?= ").unwrap(), "Hello");
        assert_eq!(decoded("SGVsbG8=").unwrap(), "SGVsbG8=");
        assert_eq!(decoded("=?base64?SGVsbG8=").unwrap(), "=?base64?SGVsbG8=");
        assert!(decoded("=?base64?SGVsbG8?=").is_none());
        assert!(decoded("=?base64?SGVs!!!bG8=?=").is_none());
    }

    #[test]
    fn an_argument_that_stands_in_a_header_is_the_same_there() {
        let mut mirrors = HeaderParams::default();
        mirrors.learn(
            br#"{"result":{"tools":[{"name":"t","inputSchema":{"properties":{"at":{"x-mcp-header":"At"}}}}]}}"#,
        );
        let is_let_in = |header: Option<&'static str>, arguments: &str| {
            let doc = Doc::parse(arguments.as_bytes(), limits(1000)).unwrap();
            let mut headers = HeaderMap::new();
            if let Some(value) = header {
                headers.insert("mcp-param-at", HeaderValue::from_static(value));
            }
            check_arguments(&headers, mirrors.of("t", Some(doc.root()))).is_ok()
        };
        let body = r#"{"at":"Hello"}"#;
        assert!(is_let_in(Some("Hello"), body));
        assert!(is_let_in(Some("=?base64?SGVsbG8=?="), body));
        assert!(is_let_in(Some("7"), r#"{"at":7}"#) && is_let_in(None, "{}"));
        for bad in [None, Some("hello"), Some("=?base64?SGVsbG8?="), Some("=?base64?SGVs!!!bG8=?=")]
        {
            assert!(!is_let_in(bad, body), "{bad:?}");
        }
        assert!(!is_let_in(Some("Hello"), r#"{"at":null}"#));
    }
}
