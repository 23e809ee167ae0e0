//! A session with a server behind a URL: what is sent, in which order, and what is heard unasked.

use serde_json::json;

use super::{
    super::client::{Client, Via, both_ways},
    assert_fine,
    server::{Act, Server},
    until,
};

both_ways! {
    every_message_has_its_headers_and_one_connection_is_enough,
    what_is_said_during_a_request_comes_before_its_answer,
    a_request_that_is_withdrawn_is_withdrawn_there,
}

fn every_message_has_its_headers_and_one_connection_is_enough(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    for _ in 0..20 {
        assert_fine(&mut client);
    }
    client.end();
    let asked = server.asked();
    let (first, rest) = asked.split_first().unwrap();
    assert_eq!(first.method(), "initialize");
    assert!(first.header("mcp-session-id").is_none());
    assert_eq!(rest[0].method(), "notifications/initialized", "nothing overtakes it");
    for it in rest {
        assert_eq!(it.header("mcp-session-id"), Some("s1"), "{}", it.head);
        assert_eq!(it.header("mcp-protocol-version"), Some("2025-11-25"), "{}", it.head);
    }
    for it in &asked {
        assert_eq!(it.header("x-key"), Some("correct-horse-battery"), "{}", it.head);
        assert!(it.header("accept-encoding").is_none() && it.header("authorization").is_none());
    }
    assert_eq!(asked.last().unwrap().method(), "DELETE", "the session is ended");
    assert!(server.connections() <= 3, "{}", server.connections());
}

#[test]
fn a_session_that_the_server_forgot_is_reopened_without_loss() {
    let server = Server::new();
    let mut client = Client::far(Via::Run, &server, &[]);
    assert_fine(&mut client);
    server.forget_session();
    assert_fine(&mut client);
    assert_fine(&mut client);
    let (_, recorded) = client.end();
    assert_eq!(server.asked_for("initialize").len(), 2);
    assert_eq!(server.asked_for("notifications/initialized").len(), 2);
    assert_eq!(recorded.len(), 0);
    let last = server.asked_for("DELETE").pop().unwrap();
    assert_eq!(last.header("mcp-session-id"), Some("s2"));
}

#[test]
fn what_the_server_says_unasked_is_heard() {
    let server = Server::new();
    let said = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hello"}}"#;
    server.will_on_get(Act::events(&format!("retry: 10\nid: 1\ndata: {said}\n\n")));
    let asks = r#"{"jsonrpc":"2.0","id":"q1","method":"roots/list"}"#;
    server.will_on_get(Act::events(&format!("data: {asks}\n\n")));
    let mut client = Client::far(Via::Run, &server, &[]);
    assert_eq!(client.other()["params"]["data"], "hello");
    assert_eq!(client.other()["method"], "roots/list");
    let id = client.others.last().unwrap()["id"].clone();
    client.write(&format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": {"roots": []}})));
    until(|| server.asked().iter().any(|it| it.message["result"]["roots"].is_array()));
    let gets = server.asked_for("GET");
    assert_eq!(gets[1].header("last-event-id"), Some("1"));
    assert_fine(&mut client);
    client.end();
}

fn what_is_said_during_a_request_comes_before_its_answer(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
    let result = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    server.will(Act::events(&format!("data: {progress}\n\ndata: {result}\n\n")));
    let id = client.begin("call", &json!({}));
    assert_eq!(client.other()["params"]["data"], 1);
    assert!(client.answer(&id)["result"].is_object());
    client.end();
}

fn a_request_that_is_withdrawn_is_withdrawn_there(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    server.will(Act::hang());
    client.write("{\"jsonrpc\":\"2.0\",\"id\":\"w\",\"method\":\"tools/call\",\"params\":{\"name\":\"call\"}}\n");
    until(|| !server.asked_for("tools/call").is_empty());
    client.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"w\"}}\n");
    until(|| !server.asked_for("notifications/cancelled").is_empty());
    let (call, cancel) =
        (&server.asked_for("tools/call")[0], &server.asked_for("notifications/cancelled")[0]);
    assert_eq!(cancel.message["params"]["requestId"], call.message["id"]);
    assert!(cancel.at >= call.at);
    assert_fine(&mut client);
    client.end();
}
