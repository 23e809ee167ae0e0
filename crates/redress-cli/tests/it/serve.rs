//! `redress serve` as a client over HTTP sees it: sessions, streams, statuses, and whoever misuses them.

mod access;
mod alone;
mod batches;
mod bounds;
mod environment;
pub(crate) mod home;
mod malformed;
mod many;
mod network;
mod refusals;
mod sessions;
mod streams;
mod throttle;
mod tls;
mod token;
mod unheard;

use serde_json::{Value, json};

use crate::gate::{
    client::{Client, Via, fault},
    http::{Answer, Http, post, request},
};

/// The message that opens a session.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// A gate before the bad server, with a session that is open.
fn open(options: &[&str]) -> (Client, Http) {
    let client = Client::open(Via::Serve, options);
    let http = client.http();
    (client, http)
}

/// The headers of a request that belongs to a session.
fn session(http: &Http) -> String {
    http.session.lock().unwrap().clone().unwrap()
}

/// A call of a tool, as a message.
fn call(id: &Value, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// Posts to the server of a client, with further headers.
fn say(http: &Http, headers: &[(&str, &str)], message: &str) -> Answer {
    post(&http.address, &http.path, headers, message.as_bytes()).head()
}

/// Makes a request without a body.
fn ask(http: &Http, method: &str, headers: &[(&str, &str)]) -> Answer {
    request(&http.address, &format!("{method} {}", http.path), headers, b"").head()
}

/// Asserts how a request is refused: the status, the number, and the code.
fn assert_refused(answer: Answer, status: u16, number: i64, code: &str) -> Value {
    assert_eq!(answer.status, status, "{:?}", answer.headers);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let body = answer.json();
    assert_eq!(body["error"]["code"], number, "{body}");
    assert_eq!(fault(&body)["code"], code, "{body}");
    body
}
