//! Many calls at once to a server behind a URL that fails in every way, and the end in the middle of it.

use std::{fs, time::Duration};

use serde_json::json;

use super::{
    super::client::{Client, Via, both_ways, fault},
    assert_fine,
    server::{Act, Server},
};

both_ways! {
    every_call_is_answered_once_whatever_happens_to_the_others,
    a_signal_answers_whoever_waits,
    nothing_is_left_open,
}

const RESULT: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;

/// What goes wrong, and what does not, in turn.
fn act(at: usize) -> Act {
    let json = "content-type: application/json\r\n";
    let whole = || Act::http("200 OK", json, RESULT);
    match at % 8 {
        0 => whole().cut(at),
        1 => whole().cut(60).reset(),
        2 => Act::http("503 Service Unavailable", "", "no"),
        3 => Act::events(&format!("data: {RESULT}\n\n")),
        4 => Act::events("data: {\n").cut(at + 40),
        5 => Act::hang(),
        6 => whole().drip(Duration::from_millis(1)),
        _ => whole(),
    }
}

fn every_call_is_answered_once_whatever_happens_to_the_others(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &["--deadline", "3000"]);
    (0..96).for_each(|at| server.will(act(at)));
    let ids: Vec<String> = (0..96).map(|_| client.begin("call", &json!({}))).collect();
    let answers: Vec<_> = ids.iter().map(|it| client.answer(it)).collect();
    let fine = answers.iter().filter(|it| it["result"]["isError"] != true).count();
    assert_eq!(fine, 36, "an event stream, a slow answer, and one that is fine");
    assert_fine(&mut client);
    let (_, recorded) = client.end();
    // What comes too late is noted, and concerns no request any more.
    let of_calls = recorded.iter().filter(|it| it["context"].get("request_id").is_some());
    assert_eq!(of_calls.count(), 60);
    assert_eq!(server.asked_for("tools/call").len(), 97, "nothing is sent twice");
}

fn a_signal_answers_whoever_waits(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    (0..20).for_each(|_| server.will(Act::hang()));
    let ids: Vec<String> = (0..20).map(|_| client.begin("call", &json!({}))).collect();
    super::until(|| server.asked_for("tools/call").len() == 20);
    let start = client.stopwatch();
    client.signal("-TERM");
    for id in &ids {
        assert_eq!(fault(&client.answer(id))["code"], "SHUTTING_DOWN");
    }
    assert_eq!(client.end().0, 0);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(server.asked_for("DELETE").len(), 1, "the server hears of the end");
}

fn nothing_is_left_open(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &["--deadline", "300"]);
    assert_fine(&mut client);
    let open =
        |client: &Client| fs::read_dir(format!("/proc/{}/fd", client.gate_pid())).unwrap().count();
    let before = open(&client);
    for at in 0..64 {
        server.will(act(at));
        client.call("call", &json!({}));
    }
    assert_fine(&mut client);
    // Connections that are kept for the next call are few, and go after some seconds.
    super::until(|| open(&client) <= before + 2);
    client.end();
}
