//! What is said to clients that do not fetch it: it counts, and costs bounded memory.

use serde_json::json;

use super::{ask, call, open, session};
use crate::gate::{
    client::pause,
    http::{Http, post, request},
};

/// How many messages nobody has heard, as the page of metrics says.
fn unheard(http: &Http) -> u64 {
    let page = request(&http.address, "GET /metrics", &[], b"").head().body();
    let line = page.lines().find(|it| it.starts_with("redress_unheard_messages_total{"));
    line.and_then(|it| it.rsplit(' ').next()).unwrap().parse().unwrap()
}

#[test]
fn an_unfetched_failure_counts_before_any_success() {
    let (client, http) = open(&["--mode", "observe"]);
    let id = session(&http);
    let failed = r#"{"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[{"type":"text","text":"LONG"}]}}"#;
    let lines = json!({"ms": 300, "lines": [failed.replace("LONG", &"x".repeat(700 << 10))]});
    let headers = [("Mcp-Session-Id", &*id)];
    let counts = (0..100).any(|number| {
        let message = call(&json!(number), "say", &lines);
        let sent = post(&http.address, &http.path, &headers, message.as_bytes());
        (0..20).for_each(|_| pause());
        sent.leave();
        unheard(&http) >= 3
    });
    assert!(counts, "{}", unheard(&http));
    client.end();
}

#[test]
fn what_a_reader_has_not_read_counts_when_it_leaves_for_good() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    let listen = [("Mcp-Session-Id", &*id), ("Accept", "text/event-stream")];
    let stream = ask(&http, "GET", &listen);
    let notice =
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"x":"LONG"}}"#;
    let notice = notice.replace("LONG", &"x".repeat(900 << 10));
    let fine = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    // Until the connection takes no more, and the rest stays with the gate.
    for _ in 0..6 {
        client.say(&[vec![&*notice; 6], vec![fine]].concat());
        (0..20).for_each(|_| pause());
    }
    let before = unheard(&http);
    drop(stream);
    let counts = (0..1_000).any(|_| {
        pause();
        unheard(&http) > before
    });
    assert!(counts, "{before}");
    client.end();
}
