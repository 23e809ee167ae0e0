//! What each of many clients wants to hear: the resources that it follows, and how much is logged.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use super::{
    CALL, Rig, code,
    sharing::{FINE, HELLO, WELCOME, pipe, sent, server},
};
use crate::{
    outgoing::{ReplyToken, ToClient},
    session::Exit,
};

const UPDATED: &str = r#"{"method":"notifications/resources/updated","params":{"uri":"URI"}}"#;

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// A session that is open, with clients of which each follows a resource.
fn following(followed: &[(u64, &str)]) -> Rig {
    let mut rig = pipe();
    rig.says(1, HELLO);
    server(&mut rig, WELCOME);
    for (client, uri) in followed {
        rig.says(*client, &request("resources/subscribe", &json!({"uri": uri})));
        server(&mut rig, r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#);
    }
    rig
}

fn hearers(rig: &mut Rig, uri: &str) -> Vec<ToClient> {
    server(rig, &UPDATED.replace("URI", uri)).into_iter().map(|it| it.0).collect()
}

#[test]
fn only_those_who_follow_a_resource_hear_that_it_changed() {
    let mut rig = following(&[(1, "file:///a"), (2, "file:///b"), (3, "file:///a"), (4, "db:")]);
    assert_eq!(hearers(&mut rig, "file:///a"), [ToClient::One(1), ToClient::One(3)]);
    assert_eq!(hearers(&mut rig, "file:///b"), [ToClient::One(2)]);
    assert_eq!(hearers(&mut rig, "file:///b/part"), [ToClient::One(2)], "a part of it");
    assert_eq!(hearers(&mut rig, "file:///bb"), [], "another one");
    assert_eq!(hearers(&mut rig, "file:///c"), []);
    // The upstream refuses: nothing is followed.
    rig.says(5, &request("resources/subscribe", &json!({"uri": "file:///e"})));
    server(&mut rig, r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no"}}"#);
    assert_eq!(hearers(&mut rig, "file:///e"), []);
}

#[test]
fn a_long_name_with_many_parts_costs_little() {
    let mut rig = following(&[(1, "file:///a"), (2, "file:///b")]);
    let began = clock_gettime(ClockId::ThreadCPUTime);
    assert_eq!(hearers(&mut rig, &"/".repeat(1 << 20)), []);
    let spent = clock_gettime(ClockId::ThreadCPUTime) - began;
    assert!(spent.tv_sec < 5, "each part is looked up by itself");
}

#[test]
fn the_upstream_stops_when_the_last_client_unsubscribes() {
    let mut rig = following(&[(1, "u"), (2, "u"), (3, "u")]);
    let stop = request("resources/unsubscribe", &json!({"uri": "u"}));
    let count = rig.sent.len();
    let heard = rig.says(1, &stop);
    assert_eq!(heard[0].0, ToClient::Answer(ReplyToken(11), 200));
    assert_eq!(heard[0].1, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    rig.says(4, &stop);
    assert_eq!(rig.sent.len(), count, "others still follow it");
    assert_eq!(hearers(&mut rig, "u"), [ToClient::One(2), ToClient::One(3)]);
    rig.session.client_left(2, &mut rig.actions);
    rig.messages();
    assert_eq!(rig.sent.len(), count);
    rig.session.client_left(3, &mut rig.actions);
    rig.messages();
    let last = sent(&rig, count);
    assert_eq!(
        (&last["method"], &last["params"]["uri"]),
        (&json!("resources/unsubscribe"), &json!("u"))
    );
    assert_eq!(server(&mut rig, r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#), []);
    let mut rig = following(&[(1, "u")]);
    let count = rig.sent.len();
    assert_eq!(rig.says(1, &stop), []);
    assert_eq!(sent(&rig, count)["method"], "resources/unsubscribe");
    server(&mut rig, r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#);
    assert_eq!(hearers(&mut rig, "u"), []);
}

#[test]
fn a_new_process_is_asked_for_what_clients_follow() {
    let mut rig = following(&[(1, "u")]);
    rig.session.upstream_gone(&Exit::default(), &mut rig.actions);
    rig.messages();
    let count = rig.sent.len();
    rig.says(2, CALL);
    rig.after(Duration::from_secs(5));
    rig.ready();
    server(&mut rig, WELCOME);
    let methods: Vec<_> =
        (count..rig.sent.len()).map(|it| sent(&rig, it)["method"].clone()).collect();
    let expected = ["initialize", "notifications/initialized", "resources/subscribe", "tools/call"];
    assert_eq!(methods, expected);
}

#[test]
fn a_client_cannot_follow_without_end() {
    let mut rig = following(&[]);
    for nth in 0..1_000 {
        let uri = format!("u:{nth}");
        rig.says(1, &request("resources/subscribe", &json!({"uri": uri})));
        server(&mut rig, r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#);
    }
    let more = request("resources/subscribe", &json!({"uri": "u:more"}));
    assert_eq!(code(&rig.says(1, &more)[0].1), "OVERLOADED");
    assert_eq!(rig.says(2, &more), []);
}

#[test]
fn the_upstream_logs_the_most_and_each_client_hears_its_level() {
    let mut rig = following(&[]);
    let ask = |rig: &mut Rig, client: u64, level: &str| {
        let count = rig.sent.len();
        let heard = rig.says(client, &request("logging/setLevel", &json!({"level": level})));
        let passed = rig.sent.get(count).map(|it| serde_json::from_str::<Value>(it).unwrap());
        if heard.is_empty() {
            server(rig, r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#);
        }
        passed.map(|it| it["params"]["level"].as_str().unwrap().to_owned())
    };
    assert_eq!(ask(&mut rig, 1, "warning").as_deref(), Some("warning"));
    assert_eq!(ask(&mut rig, 2, "debug").as_deref(), Some("debug"));
    assert_eq!(ask(&mut rig, 3, "error"), None, "it logs more than enough");
    assert_eq!(ask(&mut rig, 2, "alert").as_deref(), Some("warning"), "the most is another's");
    assert_eq!(ask(&mut rig, 2, "debug").as_deref(), Some("debug"));
    let log = |rig: &mut Rig, client: u64, level: &str| {
        rig.says(client, CALL);
        let line = r#"{"method":"notifications/message","params":{"level":"LEVEL"}}"#;
        let heard = rig.said(&line.replace("LEVEL", level), 200).len();
        server(rig, FINE);
        heard
    };
    for (client, level, heard) in [
        (1, "info", 0),
        (1, "warning", 1),
        (2, "debug", 1),
        (3, "warning", 0),
        (3, "error", 1),
        (4, "debug", 0),
        (4, "info", 1),
        (4, "what", 1),
    ] {
        assert_eq!(log(&mut rig, client, level), heard, "{client} {level}");
    }
    let count = rig.sent.len();
    rig.session.client_left(2, &mut rig.actions);
    rig.messages();
    assert_eq!(sent(&rig, count)["params"]["level"], "warning");
}
