//! Sessions: opened by `initialize`, named by every request, ended by `DELETE`; and streams of what belongs to no request.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ask, assert_refused, call, open, say, session};
use crate::gate::{
    client::{Client, Via, assert_works, fault, pause},
    http::{Http, Sent, post},
};

const NOTICE: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"DATA"}}"#;
const FINE: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#;

#[test]
fn a_request_names_a_session_that_is_open() {
    let (mut client, http) = open(&[]);
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    let body = assert_refused(say(&http, &[], ping), 400, -32600, "INVALID_REQUEST");
    assert_eq!(body["id"], 7);
    let unknown = [("Mcp-Session-Id", "0123456789abcdef0123456789abcdef")];
    assert_refused(say(&http, &unknown, ping), 404, 1004, "SESSION_NOT_FOUND");
    assert_refused(ask(&http, "GET", &unknown), 404, 1004, "SESSION_NOT_FOUND");
    assert_refused(ask(&http, "DELETE", &[]), 400, -32600, "INVALID_REQUEST");
    assert_works(&mut client);

    let id = session(&http);
    let own = [("Mcp-Session-Id", &*id)];
    assert_eq!(say(&http, &own, ping).status, 200);
    assert_eq!(ask(&http, "DELETE", &own).status, 204);
    assert_refused(say(&http, &own, ping), 404, 1004, "SESSION_NOT_FOUND");
    assert_eq!(client.end().0, 0);
}

#[test]
fn a_version_that_has_no_sessions_is_refused_in_one() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let headers = [("Mcp-Session-Id", &*id), ("MCP-Protocol-Version", version)];
        assert_eq!(say(&http, &headers, ping).status, 200, "{version}");
    }
    let headers = [("Mcp-Session-Id", &*id), ("MCP-Protocol-Version", "1999-01-01")];
    assert_refused(say(&http, &headers, ping), 400, -32600, "INVALID_REQUEST");
    client.end();
}

#[test]
fn messages_during_a_request_are_events_before_its_answer() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let lines = [NOTICE.replace("DATA", "one"), NOTICE.replace("DATA", "two"), FINE.to_owned()];
    let message = call(&json!(1), "say", &json!({"lines": lines}));
    let mut answer = say(&http, &[("Mcp-Session-Id", &id)], &message);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    let mut events = Vec::new();
    while let Some(event) = answer.event() {
        events.push(serde_json::from_str::<Value>(&event).unwrap());
    }
    let said: Vec<_> = events.iter().map(|it| it["params"]["data"].as_str()).collect();
    assert_eq!(said, [Some("one"), Some("two"), None]);
    assert_eq!(events[2]["result"]["content"][0]["text"], "fine");
    client.end();
}

#[test]
fn whoever_leaves_before_the_answer_finds_it_on_his_stream() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    let headers = [("Mcp-Session-Id", &*id)];
    let message = call(&json!("left"), "sleep", &json!({"ms": 1500}));
    let waiting = post(&http.address, &http.path, &headers, message.as_bytes());
    (0..60).for_each(|_| pause());
    waiting.leave();
    let mut stream = ask(&http, "GET", &[headers[0], ("Accept", "text/event-stream")]);
    assert_eq!((stream.status, stream.header("content-type")), (200, Some("text/event-stream")));
    let event: Value = serde_json::from_str(&stream.event().unwrap()).unwrap();
    assert_eq!(event["id"], "left");
    assert_eq!(event["result"]["content"][0]["text"], "slept");
    assert_works(&mut client);
    let (_, recorded) = client.end();
    assert!(recorded.is_empty(), "it was not withdrawn: {recorded:?}");
}

#[test]
fn a_stream_is_taken_up_where_it_broke_off() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let listen = [("Mcp-Session-Id", &*id), ("Accept", "text/event-stream")];
    let first = ask(&http, "GET", &listen);
    // With two requests in progress, nobody can tell to which of them something belongs.
    let slow = call(&json!("slow"), "sleep", &json!({"ms": 60_000}));
    let slow = post(&http.address, &http.path, &listen[..1], slow.as_bytes());
    (0..40).for_each(|_| pause());
    let lines: Vec<_> = ["a", "b", "c"].iter().map(|it| NOTICE.replace("DATA", it)).collect();
    let lines: Vec<_> = lines.into_iter().chain([FINE.to_owned()]).collect();
    say(&http, &listen[..1], &call(&json!(1), "say", &json!({"lines": lines}))).body();
    let mut text = String::new();
    let mut first = first;
    while text.matches("data: ").count() < 3 {
        text += &first.raw_event().unwrap();
    }
    drop(first);
    let ids: Vec<_> = text.lines().filter_map(|it| it.strip_prefix("id: ")).collect();
    assert_eq!(ids.len(), 3, "{text}");
    let again = [listen[0], listen[1], ("Last-Event-ID", ids[0])];
    let mut again = ask(&http, "GET", &again);
    let event = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    assert_eq!(event(again.event().unwrap())["params"]["data"], "b");
    assert_eq!(event(again.event().unwrap())["params"]["data"], "c");
    slow.leave();
    client.end();
}

#[test]
fn there_is_a_most_of_sessions_and_room_again_when_one_ends() {
    let server = crate::gate::client::bad_server().display().to_string();
    let config = format!("[server.bad]\ncommand = [{server:?}]\nmax_sessions = 2\n");
    let mut client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    client.initialize();
    let http = client.http();
    assert_eq!(http.path, "/bad/mcp");
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let second = say(&http, &[], initialize);
    let id = second.header("mcp-session-id").unwrap().to_owned();
    let refused = say(&http, &[], initialize);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_refused(refused, 503, 4903, "OVERLOADED");
    assert_eq!(ask(&http, "DELETE", &[("Mcp-Session-Id", &id)]).status, 204);
    assert_eq!(say(&http, &[], initialize).status, 200);
    client.end();
}

#[test]
fn whoever_leaves_while_a_session_opens_leaves_none_behind() {
    let slow = r#"read l; sleep 1; id=$(printf %s "$l" | sed 's/.*"id":\([0-9]*\).*/\1/'); printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}\n' "$id"; cat"#;
    let config = format!("[server.slow]\ncommand = ['sh', '-c', {slow:?}]\nmax_sessions = 1\n");
    let client = Client::with_config(Via::Serve, &config, "slow", &[], &[]);
    let http = client.http();
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let leaving = post(&http.address, &http.path, &[], initialize.as_bytes());
    (0..30).for_each(|_| pause());
    drop(leaving);
    let is_open = (0..500).any(|_| {
        pause();
        say(&http, &[], initialize).status == 200
    });
    assert!(is_open, "the session that nobody knows still counts");
    client.end();
}

#[test]
fn a_session_that_its_server_did_not_open_gives_its_place_back() {
    let refuses = r#"while read l; do id=$(printf %s "$l" | sed 's/.*"id":\([0-9]*\).*/\1/'); printf '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"starting"}}\n{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no licence"}}\n' "$id"; done"#;
    let config =
        format!("[server.closed]\ncommand = ['sh', '-c', {refuses:?}]\nmax_sessions = 1\n");
    let client = Client::with_config(Via::Serve, &config, "closed", &[], &[]);
    let http = client.http();
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    for _ in 0..3 {
        let is_asked = (0..500).any(|_| {
            pause();
            let answer = say(&http, &[], initialize);
            answer.status == 200 && answer.body().contains("no licence")
        });
        assert!(is_asked, "a session that was never open still counts");
    }
    client.end();
}

/// A call that the server never answers, once it has arrived there.
fn unanswered(http: &Http, headers: &[(&str, &str)]) -> Sent {
    let message = call(&json!(9), "never", &json!({}));
    let waiting = post(&http.address, &http.path, headers, message.as_bytes());
    (0..40).for_each(|_| pause());
    waiting
}

#[test]
fn a_request_that_is_withdrawn_ends_without_an_answer() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let headers = [("Mcp-Session-Id", &*id)];
    let waiting = unanswered(&http, &headers);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#;
    let start = client.stopwatch();
    assert_eq!(say(&http, &headers, cancel).status, 202);
    let answer = waiting.head();
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.body(), "");
    assert!(start.elapsed() < Duration::from_secs(5));
    client.end();
}

#[test]
fn the_end_of_a_session_answers_whoever_waits_in_it() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let headers = [("Mcp-Session-Id", &*id)];
    let waiting = unanswered(&http, &headers);
    assert_eq!(ask(&http, "DELETE", &headers).status, 204);
    let answer = waiting.head();
    assert_eq!(answer.status, 200);
    assert_eq!(fault(&answer.json())["code"], "SHUTTING_DOWN");
    client.end();
}
