//! Requests of 2026-07-28, each of which stands alone.

use serde_json::{Value, json};

use super::{ask, assert_refused, call, many::begin, say};
use crate::gate::{
    client::{Client, Via, bad_server, pause},
    http::{Answer, Http, post},
};

const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");

fn message(id: u64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn start() -> (Client, Http) {
    let client = Client::start(Via::Serve, &[], &[]);
    let http = client.http();
    (client, http)
}

#[test]
fn a_request_without_a_session_is_answered() {
    let (client, http) = start();
    let list = message(1, "tools/list", json!({}));
    let answer = say(&http, &[VERSION, ("Mcp-Method", "tools/list")], &list);
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    assert!(answer.json()["result"]["tools"].is_array());
    let unknown = message(2, "server/discover", json!({}));
    let answer = say(&http, &[VERSION, ("Mcp-Method", "server/discover")], &unknown);
    assert_eq!(answer.status, 404, "clients fall back to another version by this");
    assert_eq!(answer.json()["error"]["code"], -32601);
    for method in ["GET", "DELETE"] {
        assert_refused(ask(&http, method, &[VERSION]), 405, 1006, "UNSUPPORTED");
    }
    client.end();
}

#[test]
fn a_process_that_clients_share_has_sessions_or_none() {
    let server = bad_server().display().to_string();
    let config = format!("[server.bad]\ncommand = [{server:?}]\nsharing = \"shared\"\n");
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let pid = |answer: Answer| answer.json()["result"]["content"][0]["text"].clone();
    let alone = message(1, "tools/call", json!({"name": "pid", "arguments": {}}));
    let headers = [VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "pid")];
    let in_session = |id: &str| {
        let call = call(&json!(2), "pid", &json!({}));
        pid(say(&http, &[("Mcp-Session-Id", id)], &call))
    };
    let first = pid(say(&http, &headers, &alone));
    let (one, other) = (in_session(&begin(&http)), in_session(&begin(&http)));
    assert!(first.is_string() && one.is_string(), "{first} {one}");
    assert_eq!(one, other);
    assert_ne!(one, first, "it has been spoken to in a revision without sessions");
    assert_eq!(pid(say(&http, &headers, &alone)), first);
    client.end();
}

#[test]
fn headers_that_do_not_fit_the_body_are_refused() {
    let (client, http) = start();
    let list = message(1, "tools/list", json!({}));
    let named = message(1, "tools/call", json!({"name": "pid", "arguments": {}}));
    let call = ("Mcp-Method", "tools/call");
    for (headers, body) in [
        ([VERSION].as_slice(), &list),
        (&[("Mcp-Method", "tools/list")], &list),
        (&[VERSION, ("Mcp-Method", "TOOLS/LIST")], &list),
        (&[("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/list")], &list),
        (&[VERSION, call], &named),
        (&[VERSION, call, ("Mcp-Name", "other")], &named),
        (&[VERSION, call, ("Mcp-Name", "=?base64?!?=")], &named),
    ] {
        let refused = assert_refused(say(&http, headers, body), 400, -32020, "INVALID_REQUEST");
        assert_eq!(refused["id"], 1);
    }
    let fine = [VERSION, call, ("mcp-name", "  =?base64?cGlk?=  ")];
    assert_eq!(say(&http, &fine, &named).status, 200);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let headers = [VERSION, ("Mcp-Method", "tools/list")];
    assert_refused(say(&http, &headers, bare), 400, -32602, "MISSING_REQUIRED_FIELD");
    let opening = message(1, "initialize", json!({}));
    let headers = [VERSION, ("Mcp-Method", "initialize")];
    assert_refused(say(&http, &headers, &opening), 404, -32601, "METHOD_NOT_FOUND");
    client.end();
}

#[test]
fn whoever_leaves_has_withdrawn_his_request() {
    let (client, http) = start();
    let never = message(1, "tools/call", json!({"name": "never", "arguments": {}}));
    let headers = [VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "never")];
    let waiting = post(&http.address, &http.path, &headers, never.as_bytes());
    (0..40).for_each(|_| pause());
    waiting.leave();
    while client.recorded().is_empty() {
        pause();
    }
    let (_, recorded) = client.end();
    assert_eq!(recorded[0]["code"], "CANCELLED", "{recorded:?}");
}

#[test]
fn the_same_id_at_the_same_time_is_no_trouble() {
    let (client, http) = start();
    let headers = [VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "sleep")];
    let waiting: Vec<_> = (0..20)
        .map(|at| {
            let call =
                message(1, "tools/call", json!({"name": "sleep", "arguments": {"ms": 10 * at}}));
            post(&http.address, &http.path, &headers, call.as_bytes())
        })
        .collect();
    for sent in waiting {
        assert_eq!(sent.head().json()["result"]["content"][0]["text"], "slept");
    }
    client.end();
}

#[test]
fn a_message_that_is_none_is_refused_under_its_id() {
    let (client, http) = start();
    for broken in [
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"a":"\ud800"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"a":}}"#,
    ] {
        let answer = say(&http, &[VERSION, ("Mcp-Method", "tools/list")], broken);
        assert_eq!((answer.status, &answer.json()["id"]), (400, &json!(5)), "{broken}");
    }
    client.end();
}
