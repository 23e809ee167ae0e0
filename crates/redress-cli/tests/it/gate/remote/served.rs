//! Clients over HTTP before a server over HTTP: which status and which header passes, each way.

use serde_json::{Value, json};

use super::{
    super::{
        client::{Client, Via, fault},
        http::{Answer, post, request},
    },
    assert_nothing_leaks,
    server::{Act, Server},
    until,
};

const CALL: &[u8] =
    br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"call","arguments":{}}}"#;

/// Posts a call in the session of a client, with more headers.
fn posted(client: &Client, headers: &[(&str, &str)]) -> Answer {
    let http = client.http();
    let session = http.session.lock().unwrap().clone().unwrap();
    let own = ("Mcp-Session-Id", session.as_str());
    let all: Vec<_> = [own].into_iter().chain(headers.iter().copied()).collect();
    post(&http.address, &http.path, &all, CALL).head()
}

fn error(answer: Answer) -> Value {
    let answer = answer.json();
    assert_nothing_leaks(&answer);
    assert_eq!(answer["id"], 5, "{answer}");
    assert!(answer["error"]["code"].is_i64() && answer["error"]["message"].is_string(), "{answer}");
    answer
}

#[test]
fn who_must_log_in_is_told_so_as_the_server_says_it() {
    let server = Server::new();
    let client = Client::far(Via::Serve, &server, &[]);
    let challenge = "Bearer resource_metadata=\"https://login.example/.well-known\"";
    for (status, code) in
        [("401 Unauthorized", "AUTH_REQUIRED"), ("403 Forbidden", "INSUFFICIENT_PERMISSIONS")]
    {
        let headers = format!(
            "www-authenticate: {challenge}\r\nwww-authenticate: Basic realm=\"x\"\r\nset-cookie: a=b\r\nx-internal: 1\r\n"
        );
        server.will(Act::http(status, &headers, "no"));
        let answer = posted(&client, &[]);
        assert!(status.starts_with(&answer.status.to_string()), "{}", answer.status);
        let challenges = answer.headers.iter().filter(|it| it.0 == "www-authenticate");
        let challenges: Vec<_> = challenges.map(|it| &*it.1).collect();
        assert_eq!(challenges, [challenge, "Basic realm=\"x\""]);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.header("set-cookie").is_none() && answer.header("x-internal").is_none());
        let answer = error(answer);
        assert_eq!(fault(&answer)["code"], code, "{answer}");
        assert!(fault(&answer)["ledger"]["seq"].is_u64());
    }
    assert_eq!(posted(&client, &[]).status, 200);
    client.end();
}

#[test]
fn a_session_that_is_over_is_the_clients_to_open_again() {
    let server = Server::new();
    let client = Client::far(Via::Serve, &server, &[]);
    server.forget_session();
    let answer = posted(&client, &[]);
    assert_eq!(answer.status, 404);
    assert_eq!(fault(&error(answer))["code"], "SESSION_NOT_FOUND");
    assert_eq!(server.asked_for("initialize").len(), 1, "the gate opens none by itself");
    client.end();
}

#[test]
fn a_session_that_is_over_gives_its_place_back() {
    let server = Server::new();
    let config = format!("[server.far]\nurl = '{}'\nmax_sessions = 1\n", server.url());
    let mut client = Client::with_config(Via::Serve, &config, "far", &[], &[]);
    for _ in 0..3 {
        client.initialize();
        assert_eq!(posted(&client, &[]).status, 200);
        server.forget_session();
        assert_eq!(posted(&client, &[]).status, 404);
        client.http().session.lock().unwrap().take();
    }
    client.end();
}

#[test]
fn other_statuses_are_ours_to_tell() {
    let server = Server::new();
    let client = Client::far(Via::Serve, &server, &[]);
    for status in ["429 Too Many Requests", "500 Internal Server Error", "503 Service Unavailable"]
    {
        server.will(Act::http(status, "x-internal: 1\r\n", "no"));
        let answer = posted(&client, &[]);
        assert_eq!(answer.status, 200, "a failed call is a result");
        assert!(answer.header("x-internal").is_none());
        assert_eq!(answer.json()["result"]["isError"], true);
    }
    client.end();
}

/// What a server sees of a client's headers.
fn seen(forwards: bool) -> String {
    let server = Server::new();
    let config =
        format!("[server.far]\nurl = '{}'\nforward_authorization = {forwards}\n", server.url());
    let mut client = Client::with_config(Via::Serve, &config, "far", &[], &[]);
    client.initialize();
    let headers = [
        ("Authorization", "Bearer of-the-client"),
        ("Cookie", "a=b"),
        ("X-Forwarded-For", "10.0.0.1"),
        ("X-Anything", "1"),
        ("Mcp-Protocol-Version", "2025-06-18"),
        ("Te", "trailers"),
        ("Last-Event-Id", "9"),
    ];
    assert_eq!(posted(&client, &headers).status, 200);
    client.end();
    server.asked_for("tools/call").remove(0).head.to_lowercase()
}

#[test]
fn of_a_clients_headers_only_those_of_the_protocol_pass() {
    let head = seen(false);
    for name in ["authorization", "cookie", "x-forwarded-for", "x-anything", "te:", "last-event-id"]
    {
        assert!(!head.contains(name), "{name} in {head}");
    }
    assert!(head.contains("mcp-session-id: s1"), "the server's session, not the gate's: {head}");
    assert!(head.contains("mcp-protocol-version: 2025-06-18"), "{head}");
    assert!(seen(true).contains("authorization: bearer of-the-client"));
}

#[test]
fn what_the_server_says_unasked_reaches_a_client_that_listens() {
    let server = Server::new();
    let client = Client::far(Via::Serve, &server, &[]);
    assert!(server.asked_for("GET").is_empty(), "nobody listens yet");
    let said = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    server.will_on_get(Act::events(&format!("data: {said}\n\n")));
    let http = client.http();
    let session = http.session.lock().unwrap().clone().unwrap();
    let headers = [("Mcp-Session-Id", session.as_str()), ("Accept", "text/event-stream")];
    let mut stream = request(&http.address, &format!("GET {}", http.path), &headers, b"").head();
    assert_eq!(stream.status, 200);
    assert_eq!(serde_json::from_str::<Value>(&stream.event().unwrap()).unwrap(), said);
    drop(stream);
    client.end();
}

#[test]
fn unasked_messages_arrive_in_a_session_that_was_reopened() {
    let server = Server::new();
    let config = format!("[server.far]\nurl = '{}'\nsharing = 'shared'\n", server.url());
    let mut client = Client::with_config(Via::Serve, &config, "far", &[], &[]);
    client.initialize();
    server.will_on_get(Act::hang());
    let http = client.http();
    let session = http.session.lock().unwrap().clone().unwrap();
    let headers = [("Mcp-Session-Id", session.as_str()), ("Accept", "text/event-stream")];
    let mut stream = request(&http.address, &format!("GET {}", http.path), &headers, b"").head();
    until(|| server.asked_for("GET").len() == 1);
    server.forget_session();
    let said = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    server.will_on_get(Act::events(&format!("data: {said}\n\n")));
    assert_eq!(posted(&client, &[]).status, 200);
    assert_eq!(serde_json::from_str::<Value>(&stream.event().unwrap()).unwrap(), said);
    assert_eq!(server.asked_for("GET")[1].header("mcp-session-id"), Some("s2"));
    drop(stream);
    client.end();
}

#[test]
fn the_end_of_a_session_is_passed_on() {
    let server = Server::new();
    let client = Client::far(Via::Serve, &server, &[]);
    client.http().end();
    until(|| !server.asked_for("DELETE").is_empty());
    assert_eq!(server.asked_for("DELETE")[0].header("mcp-session-id"), Some("s1"));
    client.end();
}

#[test]
fn a_streamed_answer_can_be_resumed_by_its_client() {
    let server = Server::new();
    let client = Client::far(Via::Serve, &server, &[]);
    let result =
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"late"}]}}"#;
    server.will(
        Act::events(&format!("id: x\ndata:\n\ndata: {result}\n\n"))
            .drip(std::time::Duration::from_millis(5)),
    );
    let mut stream = posted(&client, &[("Mcp-Protocol-Version", "2025-11-25")]);
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let first = stream.piece().unwrap();
    let id = first
        .lines()
        .find_map(|it| it.strip_prefix("id: "))
        .expect("an id to come back with")
        .to_owned();
    assert!(first.contains("retry: ") && first.contains("\ndata: \n"), "{first:?}");
    drop(stream);
    let http = client.http();
    let session = http.session.lock().unwrap().clone().unwrap();
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("Accept", "text/event-stream"),
        ("Last-Event-Id", &*id),
    ];
    let mut stream = request(&http.address, &format!("GET {}", http.path), &headers, b"").head();
    assert!(stream.event().unwrap().contains("late"));
    client.end();
}

#[test]
fn headers_not_compared_with_the_message_do_not_pass() {
    let server = Server::new();
    let client = Client::far(Via::Serve, &server, &[]);
    let headers = [
        ("MCP-Protocol-Version", "2025-06-18"),
        ("Mcp-Method", "resources/read"),
        ("Mcp-Name", "other"),
        ("Mcp-Param-Region", "elsewhere"),
    ];
    assert_eq!(posted(&client, &headers).status, 200);
    let asked = server.asked_for("tools/call").pop().unwrap();
    for name in ["mcp-method", "mcp-name", "mcp-param-region"] {
        assert_eq!(asked.header(name), None, "{}", asked.head);
    }
    client.end();
}
