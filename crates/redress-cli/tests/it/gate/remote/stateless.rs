//! Requests of revision 2026-07-28, each of which stands for itself: their headers, their end, their failures.

use serde_json::{Value, json};

use super::{
    super::{
        client::{Client, Via, assert_fault},
        http::{Sent, post},
    },
    assert_nothing_leaks,
    server::{Act, Server},
    until,
};

const VERSION: &str = "2026-07-28";

fn params(more: Value) -> Value {
    let mut params = more;
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {}});
    params
}

fn call(region: &str) -> Value {
    params(json!({"name": "call", "arguments": {"region": region}}))
}

/// Posts a request as a client of this revision does.
fn posted(client: &Client, method: &str, params: &Value, headers: &[(&str, &str)]) -> Sent {
    let http = client.http();
    let message = json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": params});
    let own = [("Mcp-Protocol-Version", VERSION), ("Mcp-Method", method)];
    let all: Vec<_> = own.iter().chain(headers).copied().collect();
    post(&http.address, &http.path, &all, message.to_string().as_bytes())
}

#[test]
fn what_a_pipe_says_stands_in_the_headers_too() {
    let server = Server::new();
    let mut client = Client::far_unopened(Via::Run, &server.url(), &[], &[]);
    client.request("tools/list", &params(json!({})));
    let answer = client.request("tools/call", &call("h\u{e9}"));
    assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
    let asked = server.asked_for("tools/call").remove(0);
    for (name, value) in [
        ("mcp-protocol-version", VERSION),
        ("mcp-method", "tools/call"),
        ("mcp-name", "call"),
        ("mcp-param-region", "=?base64?aMOp?="),
    ] {
        assert_eq!(asked.header(name), Some(value), "{}", asked.head);
    }
    assert!(asked.header("mcp-session-id").is_none());
    client.end();
    assert!(server.asked_for("DELETE").is_empty() && server.asked_for("GET").is_empty());
}

#[test]
fn what_a_client_says_in_headers_passes_as_it_is() {
    let server = Server::new();
    let client = Client::far_unopened(Via::Serve, &server.url(), &[], &[]);
    let headers = [("Mcp-Name", "call"), ("Mcp-Param-Region", "eu"), ("X-Anything", "1")];
    let answer = posted(&client, "tools/call", &call("eu"), &headers).head();
    assert_eq!(answer.status, 200);
    let asked = server.asked_for("tools/call").remove(0);
    assert_eq!(asked.header("mcp-param-region"), Some("eu"));
    assert_eq!(asked.header("mcp-name"), Some("call"));
    assert!(asked.header("x-anything").is_none());
    client.end();
}

#[test]
fn a_failed_call_is_a_result_and_a_failed_request_has_a_status() {
    let server = Server::new();
    let client = Client::far_unopened(Via::Serve, &server.url(), &[], &[]);
    server.will(Act::http("503 Service Unavailable", "", "no"));
    let answer = posted(&client, "tools/call", &call("eu"), &[("Mcp-Name", "call")]).head();
    assert_eq!(answer.status, 200);
    let answer = answer.json();
    assert_nothing_leaks(&answer);
    assert_fault(&answer, "UPSTREAM_UNAVAILABLE", "after_delay", "unknown", "server");
    server.will(Act::http("401 Unauthorized", "www-authenticate: Bearer\r\n", "no"));
    let answer = posted(&client, "tools/call", &call("eu"), &[("Mcp-Name", "call")]).head();
    assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")));
    let json = "content-type: application/json\r\n";
    let body = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32020,"message":"Header mismatch"}}"#;
    server.will(Act::http("400 Bad Request", json, body));
    let answer = posted(&client, "tools/call", &call("eu"), &[("Mcp-Name", "call")]).head();
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["error"]["code"], -32020, "the protocol needs this one");
    client.end();
}

#[test]
fn a_client_that_leaves_withdraws_its_request() {
    let server = Server::new();
    let client = Client::far_unopened(Via::Serve, &server.url(), &[], &[]);
    server.will(Act::hang());
    let sent = posted(&client, "tools/call", &call("eu"), &[("Mcp-Name", "call")]);
    until(|| !server.asked_for("tools/call").is_empty());
    assert_eq!(server.left(), 0);
    sent.leave();
    until(|| server.left() == 1);
    assert!(server.asked_for("notifications/cancelled").is_empty(), "closing says it");
    client.end();
}
