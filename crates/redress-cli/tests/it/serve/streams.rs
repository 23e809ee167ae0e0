//! Answers that are streams of events: for clients that prefer them, and can come back for what they missed.

use serde_json::{Value, json};

use super::{ask, call, open, session};
use crate::gate::{
    client::{Client, Via, assert_works, fault, pause},
    http::{Answer, Http, request},
};

const EVENTS: (&str, &str) = ("Accept", "text/event-stream, application/json");
const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2025-11-25");
const ALONE: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
const NOTICE: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"one"}}"#;
const FINE: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#;

/// Posts a message as a client does that prefers events.
fn post(http: &Http, headers: &[(&str, &str)], message: &str) -> Answer {
    let json = ("Content-Type", "application/json");
    let headers: Vec<_> = [json, EVENTS].iter().chain(headers).copied().collect();
    request(&http.address, &format!("POST {}", http.path), &headers, message.as_bytes()).head()
}

fn field<'e>(event: &'e str, name: &str) -> Option<&'e str> {
    event.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "))
}

fn data(event: &str) -> Value {
    serde_json::from_str(field(event, "data").unwrap()).unwrap()
}

#[test]
fn a_client_that_prefers_events_gets_them_with_ids() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let headers = [("Mcp-Session-Id", &*id), VERSION];
    let mut answer = post(&http, &headers, &call(&json!(1), "pid", &json!({})));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    let first = answer.raw_event().unwrap();
    assert!(field(&first, "id").is_some() && field(&first, "retry").is_some(), "{first}");
    assert!(field(&first, "data").is_none_or(str::is_empty), "{first}");
    let last = answer.raw_event().unwrap();
    assert!(field(&last, "id").is_some(), "{last}");
    assert_eq!(data(&last)["id"], 1);
    assert!(answer.raw_event().is_none(), "the answer ends the stream");
    // What was agreed on counts, whatever a request says later.
    let older = [headers[0], ("MCP-Protocol-Version", "2025-03-26")];
    let mut answer = post(&http, &older, &call(&json!(2), "pid", &json!({})));
    assert!(field(&answer.raw_event().unwrap(), "retry").is_some());
    client.end();
}

#[test]
fn whoever_does_not_know_events_that_only_have_an_id_gets_none() {
    let client = Client::start(Via::Serve, &[], &[]);
    let http = client.http();
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let open = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let opened = post(&http, &[], &open.to_string());
    assert_eq!(opened.header("content-type"), Some("application/json"));
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    assert_eq!(opened.json()["result"]["protocolVersion"], "2025-06-18");
    let mut answer = post(&http, &[("Mcp-Session-Id", &id)], &call(&json!(2), "pid", &json!({})));
    let only = answer.raw_event().unwrap();
    assert_eq!((field(&only, "id"), &data(&only)["id"]), (None, &json!(2)));
    client.end();
}

#[test]
fn missed_events_of_an_answer_are_sent_on_resumption() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    let headers = [("Mcp-Session-Id", &*id), VERSION];
    let lines = json!({"lines": [NOTICE, FINE]});
    let mut answer = post(&http, &headers, &call(&json!(1), "say", &lines));
    let events: Vec<String> = std::iter::from_fn(|| answer.raw_event()).collect();
    let ids: Vec<_> = events.iter().map(|it| field(it, "id").unwrap()).collect();
    assert_eq!(ids.len(), 3, "{events:?}");
    // Once after the start, once after the notification.
    for (after, missed) in [(ids[0], &events[1..]), (ids[1], &events[2..])] {
        let back = [headers[0], VERSION, ("Accept", "text/event-stream"), ("Last-Event-ID", after)];
        let mut again = ask(&http, "GET", &back);
        for event in missed {
            assert_eq!(&again.raw_event().unwrap(), event);
        }
    }
    assert_works(&mut client);
    client.end();
}

#[test]
fn an_answer_after_a_broken_connection_is_sent_on_resumption() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let headers = [("Mcp-Session-Id", &*id), VERSION];
    let mut answer = post(&http, &headers, &call(&json!("left"), "sleep", &json!({"ms": 1000})));
    let first = answer.raw_event().unwrap();
    drop(answer);
    let after = field(&first, "id").unwrap();
    let back = [headers[0], VERSION, ("Accept", "text/event-stream"), ("Last-Event-ID", after)];
    let mut again = ask(&http, "GET", &back);
    let event = again.raw_event().unwrap();
    assert_eq!(data(&event)["id"], "left", "{event}");
    client.end();
}

#[test]
fn without_a_session_the_status_of_a_failure_stays_above_it() {
    let client = Client::start(Via::Serve, &[], &[]);
    let http = client.http();
    let message = |method: &str| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}}).to_string()
    };
    let headers = [ALONE, ("Mcp-Method", "tools/list")];
    let mut answer = post(&http, &headers, &message("tools/list"));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    let event = answer.raw_event().unwrap();
    assert!(data(&event)["result"]["tools"].is_array() && field(&event, "id").is_none(), "{event}");
    let headers = [ALONE, ("Mcp-Method", "server/discover")];
    let answer = post(&http, &headers, &message("server/discover"));
    assert_eq!((answer.status, answer.header("content-type")), (404, Some("application/json")));
    assert!(fault(&answer.json()).is_object());
    client.end();
}

#[test]
fn an_answer_that_nobody_read_is_heard_on_the_next_stream() {
    let (client, http) = open(&[]);
    let id = session(&http);
    // The client reads the head and nothing more, so that the rest of the answer stays with the gate.
    let large = "x".repeat(900 << 10);
    let lines: Vec<_> = (0..12).map(|_| NOTICE.replace("one", &large)).collect();
    let lines: Vec<_> = lines.into_iter().chain([FINE.to_owned()]).collect();
    let answer = post(
        &http,
        &[("Mcp-Session-Id", &id)],
        &call(&json!("unread"), "say", &json!({"lines": lines})),
    );
    (0..100).for_each(|_| pause());
    drop(answer);
    (0..20).for_each(|_| pause());
    let listen = [("Mcp-Session-Id", &*id), ("Accept", "text/event-stream")];
    let mut stream = ask(&http, "GET", &listen);
    let answer = std::iter::from_fn(|| stream.event())
        .map(|it| serde_json::from_str::<Value>(&it).unwrap())
        .find(|it| it["id"] == "unread");
    assert_eq!(answer.unwrap()["result"]["content"][0]["text"], "fine");
    client.end();
}
