//! What is said to clients that do not fetch it: it counts, and costs bounded memory.

use serde_json::json;

use super::{call, open, session};
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
fn a_failure_that_nobody_fetches_counts_before_anything_succeeds() {
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
