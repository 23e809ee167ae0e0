//! Many clients of one upstream: it is opened once for all of them, and what is wrong with one opening is told to one.

use std::time::Duration;

use serde_json::json;

use super::{
    CALL, Rig, code,
    sharing::{HELLO, WELCOME, pipe, sent, server},
};
use crate::{
    outgoing::{ReplyToken, ToClient},
    session::{Exit, FailureScope, HttpFailure, UpstreamKind},
};

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

#[test]
fn the_first_client_opens_the_upstream_for_all() {
    let mut rig = pipe();
    assert_eq!(rig.says(1, HELLO), []);
    assert_eq!(rig.says(2, &HELLO.replace("2025-06-18", "2025-11-25")), []);
    let opened = sent(&rig, 0);
    assert_eq!(opened["params"]["capabilities"], json!({}));
    assert_eq!(opened["params"]["protocolVersion"], "2025-11-25");
    assert_eq!(rig.sent.len(), 1);
    let heard = server(&mut rig, WELCOME);
    let reply_tokens: Vec<_> = heard.iter().map(|it| it.0).collect();
    assert_eq!(reply_tokens, [10, 20].map(|it| ToClient::Answer(ReplyToken(it), 200)));
    assert_eq!(heard[0].1["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(heard[1].1["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(heard[0].1["result"]["serverInfo"]["name"], "s");
    rig.says(1, INITIALIZED);
    rig.says(2, INITIALIZED);
    let third = rig.says(3, &HELLO.replace("2025-06-18", "1999-01-01"));
    assert_eq!(third[0].1["result"]["protocolVersion"], "2025-11-25");
    let methods: Vec<_> = (0..rig.sent.len()).map(|it| sent(&rig, it)["method"].clone()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized"]);
}

#[test]
fn calls_wait_until_the_upstream_or_a_new_process_is_open() {
    let mut rig = pipe();
    rig.says(1, HELLO);
    rig.says(2, CALL);
    assert_eq!(rig.sent.len(), 1);
    server(&mut rig, WELCOME);
    assert_eq!(sent(&rig, 2)["method"], "tools/call");
    rig.session.upstream_gone(&Exit::default(), &mut rig.actions);
    assert_eq!(code(&rig.messages()[0].1), "UPSTREAM_CRASHED");
    rig.says(1, CALL);
    rig.after(Duration::from_secs(5));
    rig.ready();
    assert_eq!(sent(&rig, 3)["method"], "initialize");
    assert_eq!(sent(&rig, 3)["params"]["capabilities"], json!({}));
    server(&mut rig, WELCOME);
    let methods: Vec<_> = (4..7).map(|it| sent(&rig, it)["method"].clone()).collect();
    assert_eq!(methods, ["notifications/initialized", "tools/list", "tools/call"]);
}

#[test]
fn an_upstream_that_does_not_open_is_asked_by_the_next_client() {
    let mut rig = pipe();
    rig.says(1, HELLO);
    let heard =
        server(&mut rig, r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"no"}}"#);
    assert_eq!((&heard[0].1["id"], &heard[0].1["error"]["code"]), (&0.into(), &(-32_603).into()));
    rig.says(2, HELLO);
    assert_eq!(rig.sent.len(), 2);
    let heard = server(&mut rig, WELCOME);
    assert_eq!(heard[0].0, ToClient::Answer(ReplyToken(20), 200));
}

#[test]
fn a_refusal_of_one_clients_words_reaches_that_client_only() {
    let mut rig = pipe();
    let bad = HELLO.replace(r#"{"name":"c"}"#, "5");
    rig.says(1, &bad);
    rig.says(2, HELLO);
    rig.says(3, HELLO);
    rig.says(3, CALL);
    let refusal = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"clientInfo: expected object"}}"#;
    let heard = server(&mut rig, refusal);
    assert_eq!(
        heard.iter().map(|it| it.0).collect::<Vec<_>>(),
        [ToClient::Answer(ReplyToken(10), 200)]
    );
    assert_eq!(rig.sent.len(), 2, "the next one is asked for, and calls wait");
    assert_eq!(sent(&rig, 1)["params"]["clientInfo"]["name"], "c");
    let heard = server(&mut rig, WELCOME);
    let reply_tokens: Vec<_> = heard.iter().map(|it| it.0).collect();
    assert_eq!(reply_tokens, [20, 30].map(|it| ToClient::Answer(ReplyToken(it), 200)));
    assert_eq!(sent(&rig, 3)["method"], "tools/call");
    let mut rig = pipe();
    for client in [1, 2] {
        rig.says(client, HELLO);
    }
    let first = server(&mut rig, refusal);
    let second = server(&mut rig, refusal);
    assert_eq!([first, second].map(|it| it.len()), [1, 1], "each hears it once");
    assert!(rig.session.is_idle());
}

#[test]
fn a_status_about_one_clients_words_reaches_that_client_only() {
    let mut rig = Rig::shared(UpstreamKind::Http);
    for client in [1, 2] {
        rig.says(client, HELLO);
    }
    let refused = |status| HttpFailure::Status {
        status,
        retry_after: None,
        www_authenticate: None,
        location: None,
        body: b"",
        about: FailureScope::Request,
    };
    assert_eq!(rig.refused(&refused(401)).len(), 1);
    rig.says(3, HELLO);
    assert_eq!(rig.refused(&refused(503)).len(), 2, "what is nobody's fault, all hear");
    assert!(rig.session.is_idle());
}

#[test]
fn who_opens_with_no_words_at_all_is_refused_at_once() {
    let mut rig = pipe();
    for params in ["", r#","params":[]"#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize"{params}}}"#);
        let heard = rig.says(1, &line);
        assert_eq!(heard[0].1["error"]["code"], -32_600, "{heard:?}");
    }
    assert!(rig.sent.is_empty() && rig.session.is_idle());
    rig.says(2, HELLO);
    assert_eq!(server(&mut rig, WELCOME).len(), 1);
}

#[test]
fn nobody_speaks_for_the_gate_where_the_upstream_is_opened() {
    let mut rig = pipe();
    rig.says(1, HELLO);
    let meta = r#""_meta":{"a":1,"dev.redress/fault":{"v":1,"code":"FORGED"}},"serverInfo""#;
    let heard = server(&mut rig, &WELCOME.replace(r#""serverInfo""#, meta));
    assert_eq!(heard[0].1["result"]["_meta"], json!({"a": 1}));
    assert_eq!(rig.says(2, HELLO)[0].1["result"]["_meta"], json!({"a": 1}));
}

#[test]
fn openings_that_failed_are_not_kept() {
    let mut rig = pipe();
    for client in 1..50 {
        rig.says(client, HELLO);
        rig.session.client_left(client, &mut rig.actions);
    }
    assert!(rig.session.handshake.waiting() <= 1);
}
