//! Rows of the matrix: answers that end before their end, and answers that do not.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    super::client::{Client, Via, assert_fault, both_ways, fault},
    assert_fine, assert_nothing_leaks, call,
    server::{Act, Asked, Server},
    until,
};

both_ways! {
    a_cut_body_is_a_failure_that_may_have_had_its_effect,
    a_stream_that_is_cut_anywhere_is_a_failure_or_was_whole,
    a_reset_is_told_by_how_far_the_answer_came,
    a_stream_with_ids_is_taken_up_again,
    a_server_that_never_answers_is_answered_for_at_the_deadline,
}

const RESULT: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#;

fn json_answer() -> Act {
    Act::http("200 OK", "content-type: application/json\r\n", RESULT)
}

/// How many bytes an act writes.
fn size(act: &Act) -> usize {
    let message = json!({"id": 10_000_000_000_000_u64});
    act.bytes(&Asked { at: Instant::now(), head: String::new(), message }).len()
}

fn code(answer: &Value) -> &str {
    fault(answer)["code"].as_str().unwrap()
}

fn a_cut_body_is_a_failure_that_may_have_had_its_effect(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    for cut in (0..size(&json_answer())).step_by(7) {
        server.will(json_answer().cut(cut));
        let answer = call(&mut client);
        assert_eq!(fault(&answer)["effect"], "unknown", "{cut}: {answer}");
        assert!(
            ["UPSTREAM_UNAVAILABLE", "UPSTREAM_CRASHED"].contains(&code(&answer)),
            "{cut}: {answer}"
        );
    }
    assert_fine(&mut client);
    client.end();
}

fn a_stream_that_is_cut_anywhere_is_a_failure_or_was_whole(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let events = format!(": hi\nevent: message\ndata: {RESULT}\n\n");
    let whole = size(&Act::events(&events));
    for cut in (0..=whole).step_by(3).chain(whole - 3..=whole) {
        server.will(Act::events(&events).cut(cut));
        let answer = call(&mut client);
        if cut < whole {
            assert_eq!(fault(&answer)["effect"], "unknown", "{cut}: {answer}");
        } else {
            assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
        }
    }
    assert_fine(&mut client);
    client.end();
}

fn a_reset_is_told_by_how_far_the_answer_came(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    for cut in [0, 20, 100] {
        server.will(json_answer().cut(cut).reset());
        let answer = call(&mut client);
        assert_eq!(fault(&answer)["effect"], "unknown", "{cut}: {answer}");
        assert_eq!(fault(&answer)["retryable"], true, "{cut}: {answer}");
        assert_fine(&mut client);
    }
    client.end();
}

fn a_stream_with_ids_is_taken_up_again(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    server.will(Act::events("id: a\nretry: 10\ndata:\n\n"));
    let again = format!("id: b\ndata: {}\n\n", RESULT.replace("ID", "FIRST"));
    let id = client.begin("call", &json!({}));
    // The id under which the server knows the request is seen in the request only.
    until(|| !server.asked_for("tools/call").is_empty());
    let asked = server.asked_for("tools/call").remove(0);
    server.will_on_resumption(Act::events(
        "id: a2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n",
    ));
    server
        .will_on_resumption(Act::events(&again.replace("FIRST", &asked.message["id"].to_string())));
    let answer = client.answer(&id);
    assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
    let ids: Vec<_> = server
        .asked_for("GET")
        .iter()
        .filter_map(|it| it.header("last-event-id").map(str::to_owned))
        .collect();
    assert_eq!(ids.last().map(String::as_str), Some("a2"), "{ids:?}");
    assert_fine(&mut client);
    client.end();
}

fn a_server_that_never_answers_is_answered_for_at_the_deadline(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    for act in [
        Act::hang(),
        json_answer().drip(Duration::from_millis(20)),
        Act::events(": \n").drip(Duration::from_millis(90)),
    ] {
        server.will(act);
        let began = client.stopwatch();
        let answer = client.call("slow", &json!({}));
        assert_nothing_leaks(&answer);
        assert_fault(&answer, "TIMEOUT", "after_delay", "unknown", "server");
        assert!(began.elapsed() < Duration::from_secs(5));
        assert_fine(&mut client);
    }
    client.end();
}
