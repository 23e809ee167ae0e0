//! Several messages in one POST, and the forms of their answers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ask, call, open, say, session};
use crate::gate::{
    client::{Client, Via, assert_works, bad_server, fault, pause},
    http::{Answer, Http, post},
};

fn ping(id: u32) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string()
}

fn begin(http: &Http, revision: &str) -> String {
    let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let open = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let answer = say(http, &[], &open.to_string());
    answer.header("mcp-session-id").unwrap().to_owned()
}

fn events(mut answer: Answer) -> Vec<Value> {
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    std::iter::from_fn(|| answer.event()).map(|it| serde_json::from_str(&it).unwrap()).collect()
}

#[test]
fn the_answers_to_an_array_are_the_events_of_one_stream() {
    let client = Client::start(Via::Serve, &[], &[]);
    let http = client.http();
    let id = begin(&http, "2025-03-26");
    let headers = [("Mcp-Session-Id", &*id)];
    let slow = call(&json!(2), "sleep", &json!({"ms": 300}));
    let heard = events(say(&http, &headers, &format!("[{},{slow},{}]", ping(1), ping(3))));
    let ids: Vec<_> = heard.iter().map(|it| it["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [1, 3, 2]);
    assert_eq!(events(say(&http, &headers, &format!("[{}]", ping(1)))).len(), 1);
    let notice =
        r#"[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":1,"result":{}}]"#;
    let accepted = say(&http, &headers, notice);
    assert_eq!((accepted.status, accepted.body()), (202, String::new()));
    client.end();
}

#[test]
fn a_refused_array_has_the_status_of_a_single_refusal() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    let in_session = [("Mcp-Session-Id", &*id)];
    let alone = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "ping")];
    for headers in [&in_session[..], &alone[..], &[]] {
        let answer = say(&http, headers, &format!("[{},{}]", ping(1), ping(2)));
        assert_eq!(answer.status, 400);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let body = answer.json();
        let ids: Vec<_> = body.as_array().unwrap().iter().map(|it| &it["id"]).collect();
        assert_eq!(ids, [1, 2]);
        assert!(body.as_array().unwrap().iter().all(|it| fault(it)["code"] == "INVALID_REQUEST"));
        let single = say(&http, headers, &format!("[{}]", ping(1)));
        assert_eq!(single.status, 400);
        assert_eq!(single.json()["id"], 1);
        let empty = say(&http, headers, "[]");
        assert_eq!((empty.status, &empty.json()["error"]["code"]), (400, &json!(-32600)));
    }
    assert_works(&mut client);
    client.end();
}

#[test]
fn clients_that_share_a_server_have_each_their_own_revision() {
    let server = bad_server().display().to_string();
    let config = format!("[server.bad]\ncommand = [{server:?}]\nsharing = \"shared\"\n");
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let (old, new) = (begin(&http, "2025-03-26"), begin(&http, "2025-11-25"));
    let array = format!("[{},{}]", ping(1), ping(2));
    assert_eq!(events(say(&http, &[("Mcp-Session-Id", &old)], &array)).len(), 2);
    assert_eq!(say(&http, &[("Mcp-Session-Id", &new)], &array).status, 400);
    client.end();
}

#[test]
fn answers_to_an_array_wait_for_the_next_client() {
    let client = Client::start(Via::Serve, &[], &[]);
    let http = client.http();
    let id = begin(&http, "2025-03-26");
    let headers = [("Mcp-Session-Id", &*id)];
    let slow = |it: u32| call(&json!(it), "sleep", &json!({"ms": 800}));
    let array = format!("[{},{}]", slow(1), slow(2));
    let sent = post(&http.address, &http.path, &headers, array.as_bytes());
    client.in_order();
    sent.leave();
    let mut answer = ask(&http, "GET", &[headers[0], ("Accept", "text/event-stream")]);
    let mut ids: Vec<_> = [(); 2]
        .map(|()| serde_json::from_str::<Value>(&answer.event().unwrap()).unwrap()["id"].clone())
        .into();
    ids.sort_by_key(Value::as_u64);
    assert_eq!(ids, [1, 2]);
    client.end();
}

/// An array that keeps a gate busy for long, whose sender does not wait for an answer.
fn long_array(http: &Http, headers: &[(&str, &str)]) {
    let array = format!("[{}]", vec![r#"{"id":1,"method":"a"}"#; 200_000].join(","));
    let sent = post(&http.address, &http.path, headers, array.as_bytes());
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(500) {
        pause();
    }
    sent.leave();
}

#[test]
fn an_array_whose_sender_left_holds_up_nobody() {
    let server = bad_server().display().to_string();
    let config = format!("[server.bad]\ncommand = [{server:?}]\nsharing = \"shared\"\n");
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let (old, other) = (begin(&http, "2025-03-26"), begin(&http, "2025-11-25"));
    long_array(&http, &[("Mcp-Session-Id", &old)]);
    long_array(&http, &[("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "ping")]);
    for _ in 0..10 {
        let asked = client.stopwatch();
        assert_eq!(say(&http, &[("Mcp-Session-Id", &other)], &ping(1)).status, 200);
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    }
    let told = client.stopwatch();
    client.signal("-TERM");
    assert_eq!(client.end().0, 0);
    assert!(told.elapsed() < Duration::from_secs(6), "{:?}", told.elapsed());
}
