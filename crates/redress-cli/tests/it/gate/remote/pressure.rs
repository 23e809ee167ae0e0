//! A server behind a URL that is away or wants a pause: what is sent to it again, and what is not sent at all.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    super::client::{Client, Via, assert_fault, both_ways, fault, pause},
    assert_fine, call,
    server::{Act, Server},
};

both_ways! {
    a_call_that_may_change_something_is_sent_exactly_once,
    a_call_that_reads_is_sent_again_if_the_server_is_away,
    annotations_of_a_stranger_do_not_count,
    what_the_server_did_not_take_is_sent_again_when_it_said,
    an_absent_server_is_not_asked_until_one_call_finds_it,
    a_server_that_refuses_is_there,
}

/// A gate before a server, with rules of its own.
fn gate(via: Via, server: &Server, rules: &str) -> Client {
    let config = format!("[server.far]\nurl = '{}'\n{rules}\n", server.url());
    let mut client = Client::with_config(via, &config, "far", &[], &[]);
    client.initialize();
    client.request("tools/list", &json!({}));
    client
}

fn status(status: &str, headers: &str) -> Act {
    Act::http(status, headers, "no")
}

fn calls(server: &Server) -> usize {
    server.asked_for("tools/call").len()
}

fn look(client: &mut Client) -> Value {
    client.call("look", &json!({}))
}

fn a_call_that_may_change_something_is_sent_exactly_once(via: Via) {
    for act in [
        status("500 Internal Server Error", ""),
        status("502 Bad Gateway", ""),
        status("503 Service Unavailable", "retry-after: 1\r\n"),
        status("504 Gateway Timeout", ""),
        status("200 OK", "content-type: application/json\r\n").cut(60),
        Act::raw("").reset(),
    ] {
        let server = Server::new();
        let mut client = gate(via, &server, "trust_annotations = true");
        server.will(act.clone());
        let answer = call(&mut client);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(
            (calls(&server), fault(&answer)["details"].get("attempts")),
            (1, None),
            "{act:?}"
        );
        client.end();
    }
}

fn a_call_that_reads_is_sent_again_if_the_server_is_away(via: Via) {
    for act in [status("503 Service Unavailable", "retry-after: 1\r\n"), Act::raw("").reset()] {
        let server = Server::new();
        let mut client = gate(via, &server, "trust_annotations = true");
        server.will(act);
        let answer = look(&mut client);
        assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
        assert_eq!(calls(&server), 2);
        client.end();
    }
}

fn annotations_of_a_stranger_do_not_count(via: Via) {
    let server = Server::new();
    let mut client = gate(via, &server, "");
    server.will(status("503 Service Unavailable", ""));
    assert_fault(&look(&mut client), "UPSTREAM_UNAVAILABLE", "after_delay", "unknown", "server");
    assert_eq!(calls(&server), 1);
    client.end();
}

fn what_the_server_did_not_take_is_sent_again_when_it_said(via: Via) {
    let server = Server::new();
    let mut client = gate(via, &server, "");
    server.will(status("429 Too Many Requests", "retry-after: 1\r\n"));
    assert_fine(&mut client);
    let asked = server.asked_for("tools/call");
    assert_eq!(asked.len(), 2);
    let waited = asked[1].at - asked[0].at;
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
    server.will(status("429 Too Many Requests", "retry-after: 60\r\n"));
    let answer = call(&mut client);
    assert_fault(&answer, "RATE_LIMITED", "after_delay", "none", "server");
    assert_eq!(fault(&answer)["retry"]["after_ms"], 60_000, "the client is told instead");
    client.end();
}

fn an_absent_server_is_not_asked_until_one_call_finds_it(via: Via) {
    while !is_left_alone(via) {}
}

/// Whether all of it was seen: on a busy machine the pause may be over before the last question came.
fn is_left_alone(via: Via) -> bool {
    let server = Server::new();
    let rules = "retry = { attempts = 1 }\nbreaker = { failures = 3, open_ms = 1000 }";
    let mut client = gate(via, &server, rules);
    for _ in 0..3 {
        server.will(status("503 Service Unavailable", ""));
        assert_fault(
            &call(&mut client),
            "UPSTREAM_UNAVAILABLE",
            "after_delay",
            "unknown",
            "server",
        );
    }
    let opened = Instant::now();
    let refused: Vec<Value> = (0..5).map(|_| call(&mut client)).collect();
    if opened.elapsed() >= Duration::from_millis(1000) {
        return false;
    }
    for answer in refused {
        assert_fault(&answer, "CIRCUIT_OPEN", "after_delay", "none", "gate");
    }
    assert_eq!(calls(&server), 3, "it was left alone");
    let until = Instant::now() + Duration::from_millis(1100);
    while Instant::now() < until {
        pause();
    }
    assert_fine(&mut client);
    assert_fine(&mut client);
    assert_eq!(calls(&server), 5);
    client.end();
    true
}

fn a_server_that_refuses_is_there(via: Via) {
    let server = Server::new();
    let rules = "retry = { attempts = 1 }\nbreaker = { failures = 2 }\nloop = { enabled = false }";
    let mut client = gate(via, &server, rules);
    for refusal in ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "429 Too Many Requests"]
    {
        for _ in 0..3 {
            server.will(status(refusal, ""));
            call(&mut client);
        }
    }
    assert_fine(&mut client);
    client.end();
}
