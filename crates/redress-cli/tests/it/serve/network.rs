//! A bad network between clients and the gate: whoever is answered is answered rightly, and the gate goes on.

use serde_json::json;

use super::{call, open, session};
use crate::gate::{
    client::assert_works,
    http::{Answer, post},
    middleman::Middleman,
};

#[test]
fn clients_on_a_bad_network_hear_what_is_theirs_or_nothing() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    let middleman = Middleman::before(&http.address);
    let address = format!("127.0.0.1:{}", middleman.port);
    let headers = [("Mcp-Session-Id", &*id), ("Host", "localhost")];
    let line = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"MINE"}]}}"#;
    let ask = |number: u64| {
        let mine = format!("{number}:{}", "x".repeat(500));
        let lines = json!({"lines": [line.replace("MINE", &mine)]});
        let sent = post(
            &address,
            &http.path,
            &headers,
            call(&json!(number + 1000), "say", &lines).as_bytes(),
        );
        sent.answer().map(|it| (it, mine))
    };
    middleman.split();
    for number in 0..20 {
        let (answer, mine) = ask(number).unwrap();
        let answer = answer.json();
        assert_eq!(answer["id"], number + 1000);
        assert_eq!(answer["result"]["content"][0]["text"], mine);
    }
    middleman.cut();
    let mut heard = 0;
    for number in 100..180 {
        let Some((answer, mine)) = ask(number) else { continue };
        let Some(body) = whole(answer) else { continue };
        heard += 1;
        let is_refused = body.contains("PARSE_FAILED") || body.contains("INVALID_REQUEST");
        assert!(
            body.contains(&mine) && body.contains(&(number + 1000).to_string()) || is_refused,
            "{body}"
        );
    }
    assert!(heard < 80, "some were cut");
    assert_works(&mut client);
    client.end();
}

/// The body, if all of it came.
fn whole(mut answer: Answer) -> Option<String> {
    let length: usize = answer.header("content-length")?.parse().ok()?;
    answer.piece().filter(|it| it.len() == length)
}
