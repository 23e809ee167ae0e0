//! Who may come in.

use std::process::{Command, Stdio};

use serde_json::json;

use super::{INITIALIZE, ask, assert_refused, call, open, say, session};
use crate::gate::{
    client::{Client, Via, assert_works, bad_server, pause},
    http::{listening, request},
};

#[test]
fn a_page_elsewhere_cannot_reach_us_under_another_name() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    let message = call(&json!(1), "pid", &json!({}));
    for headers in [
        [("Host", "evil.example")].as_slice(),
        &[("Host", "localhost.evil.example:80")],
        &[("Host", "localhost"), ("Origin", "http://evil.example")],
        &[("Host", "localhost"), ("Origin", "null")],
        // Pages of this machine are other programs of it.
        &[("Host", "localhost"), ("Origin", "http://localhost:9999")],
        &[("Host", "localhost"), ("Origin", "https://localhost")],
        &[("Host", "localhost"), ("Origin", "http://[::1]:5")],
        &[("Host", "localhost"), ("Origin", "http://localhost")],
    ] {
        let headers: Vec<_> = headers.iter().copied().chain([("Mcp-Session-Id", &*id)]).collect();
        let body = assert_refused(say(&http, &headers, &message), 403, 4200, "UNAUTHORIZED_ACTION");
        assert!(body.get("id").is_none(), "{body}");
    }
    let local = [("Host", "localhost:1"), ("Mcp-Session-Id", &*id)];
    assert_eq!(say(&http, &local, &message).status, 200);
    assert_works(&mut client);
    let (_, recorded) = client.end();
    assert_eq!(recorded.len(), 8, "a flood of them is counted: {recorded:?}");
}

#[test]
fn a_token_is_needed_where_there_are_tokens() {
    let server = bad_server().display().to_string();
    let config =
        format!("[auth]\ntokens = [\"${{GATE_TOKEN}}\"]\n[server.bad]\ncommand = [{server:?}]\n");
    let env = [("GATE_TOKEN", "a-token-that-is-long-enough-to-be-one")];
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &env);
    let http = client.http();
    let invalid = r#"Bearer error="invalid_token""#;
    for (headers, challenge) in
        [([].as_slice(), "Bearer"), (&[("Authorization", "Bearer wrong")], invalid)]
    {
        let answer = say(&http, headers, "{}");
        assert_eq!(answer.header("www-authenticate"), Some(challenge));
        assert_refused(answer, 401, 4203, "AUTH_REQUIRED");
    }
    let bearer = [("Authorization", "Bearer a-token-that-is-long-enough-to-be-one")];
    assert_refused(say(&http, &bearer, "{}"), 400, -32600, "INVALID_REQUEST");
    client.end();
}

#[test]
fn a_page_that_is_let_in_can_use_a_browser_and_no_other_can() {
    let server = bad_server().display().to_string();
    let config = format!(
        "[listen]\nallowed_origins = ['https://app.example']\n[auth]\ntokens = [\"${{GATE_TOKEN}}\"]\n[server.bad]\ncommand = [{server:?}]\n"
    );
    let env = [("GATE_TOKEN", "a-token-that-is-long-enough-to-be-one")];
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &env);
    let http = client.http();
    let page = ("Origin", "https://app.example");
    let wants = ("Access-Control-Request-Method", "POST");
    let named = ("Access-Control-Request-Headers", "content-type,mcp-param-region,x-other");
    // Before a request, without a token.
    let answer = ask(&http, "OPTIONS", &[page, wants, named]);
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some(page.1));
    assert_eq!(answer.header("access-control-allow-methods"), Some("GET, POST, DELETE"));
    assert!(answer.header("access-control-max-age").is_some());
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for name in [
        "authorization",
        "content-type",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-param-region",
        "mcp-protocol-version",
        "mcp-session-id",
    ] {
        assert!(allowed.split(", ").any(|it| it == name), "{name} in {allowed}");
    }
    assert!(!allowed.contains("x-other") && !allowed.contains('*'), "{allowed}");
    // With the request, whatever comes of it.
    let bearer = ("Authorization", "Bearer a-token-that-is-long-enough-to-be-one");
    let opened = say(&http, &[page, bearer], INITIALIZE);
    assert!(opened.header("mcp-session-id").is_some());
    let refused = say(&http, &[page], INITIALIZE);
    assert!(refused.header("www-authenticate").is_some());
    for (answer, status) in [
        (opened, 200),
        (refused, 401),
        (ask(&http, "PUT", &[page, bearer]), 405),
        (request(&http.address, "GET /nowhere", &[page, bearer], b"").head(), 404),
    ] {
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("access-control-allow-origin"), Some(page.1));
        assert_eq!(answer.header("vary"), Some("origin"));
        let shown = answer.header("access-control-expose-headers").unwrap();
        assert_eq!(shown, "mcp-session-id, www-authenticate");
    }
    // Nobody else is told anything, and what is not asked by a browser needs its token.
    let other = ("Origin", "https://evil.example");
    let near = ("Origin", "http://localhost:9999");
    for (answer, status) in [
        (ask(&http, "OPTIONS", &[near, wants]), 403),
        (say(&http, &[near, bearer], INITIALIZE), 403),
        (ask(&http, "OPTIONS", &[other, wants]), 403),
        (ask(&http, "OPTIONS", &[("Host", "evil.example"), other, wants]), 403),
        (say(&http, &[other, bearer], INITIALIZE), 403),
        (ask(&http, "OPTIONS", &[wants]), 401),
        (say(&http, &[bearer], INITIALIZE), 200),
    ] {
        assert_eq!(answer.status, status);
        assert!(!answer.headers.iter().any(|it| it.0.starts_with("access-control-")));
    }
    assert_eq!(ask(&http, "OPTIONS", &[page]).status, 401);
    let elsewhere = [("Host", "evil.example"), page, wants];
    assert_eq!(ask(&http, "OPTIONS", &elsewhere).status, 403);
    client.end();
}

#[test]
fn a_session_is_of_use_only_to_whoever_opened_it() {
    let server = bad_server().display().to_string();
    let config = format!(
        "[auth]\ntokens = [\"${{ONE}}\", \"${{TWO}}\"]\n[server.bad]\ncommand = [{server:?}]\n"
    );
    let env = [("ONE", "the-token-of-the-first-client"), ("TWO", "the-token-of-the-second-client")];
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &env);
    let http = client.http();
    let one = ("Authorization", "Bearer the-token-of-the-first-client");
    let two = ("Authorization", "Bearer the-token-of-the-second-client");
    let opened = say(&http, &[one], INITIALIZE);
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    let session = ("Mcp-Session-Id", &*id);
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    assert_refused(say(&http, &[two, session], ping), 404, 1004, "SESSION_NOT_FOUND");
    for method in ["GET", "DELETE"] {
        assert_refused(ask(&http, method, &[two, session]), 404, 1004, "SESSION_NOT_FOUND");
    }
    assert_eq!(say(&http, &[one, session], ping).status, 200, "its owner still has it");
    client.end();
}

#[test]
fn other_machines_are_served_only_with_tokens() {
    let ran = crate::redress::redress(&["serve", "--listen", "0.0.0.0:0", "--", "cat"], b"");
    assert_eq!(ran.exit, 2, "{}", ran.err);
    assert!(ran.err.contains("token"), "{}", ran.err);
}

#[test]
fn a_path_without_a_server_says_where_there_is_one() {
    let (client, http) = open(&[]);
    let answer = request(&http.address, "POST /wrong", &[], b"{}").head();
    let body = assert_refused(answer, 404, 4300, "NOT_FOUND");
    assert!(body.to_string().contains("Use one of: /mcp."), "{body}");
    for path in ["//mcp", "/mcp/", "//healthz"] {
        let answer = request(&http.address, &format!("POST {path}"), &[], b"{}").head();
        assert_refused(answer, 404, 4300, "NOT_FOUND");
    }
    assert_eq!(request(&http.address, "GET /healthz", &[], b"").head().body(), "ok\n");
    let metrics = request(&http.address, "GET /metrics", &[], b"").head().body();
    assert!(metrics.contains("redress_"), "{metrics}");
    let answer = ask(&http, "PUT", &[]);
    assert_eq!(answer.header("allow"), Some("GET, POST, DELETE"));
    assert_refused(answer, 405, 1006, "UNSUPPORTED");
    client.end();
}

#[test]
fn the_only_server_of_a_file_needs_no_name() {
    let server = bad_server().display().to_string();
    let config = format!("[server.bad]\ncommand = [{server:?}]\n");
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let headers =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let opened = request(&http.address, "POST /mcp", &headers, INITIALIZE.as_bytes()).head();
    assert_eq!(opened.status, 200);
    // It is the same server, under either name.
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    assert_eq!(say(&http, &[("Mcp-Session-Id", &id)], ping).status, 200);
    client.end();
}

#[test]
fn a_host_in_the_target_counts_as_the_header_does() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let headers = [
        ("Host", "localhost"),
        ("Content-Type", "application/json"),
        ("Mcp-Session-Id", id.as_str()),
    ];
    let message = call(&json!(1), "pid", &json!({}));
    let ask = |host: &str| {
        let target = format!("POST http://{host}{}", http.path);
        request(&http.address, &target, &headers, message.as_bytes()).head()
    };
    assert_refused(ask("evil.example"), 403, 4200, "UNAUTHORIZED_ACTION");
    assert_eq!(ask("localhost:80").status, 200);
    client.end();
}

#[test]
fn localhost_is_an_address_and_no_other_name_is() {
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"))
        .args(["serve", "--no-token", "--no-ledger", "--listen", "localhost:0", "--", "cat"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let at = listening(gate.stderr.take().unwrap());
    assert!(at.starts_with("127.0.0.1:"), "{at}");
    gate.kill().unwrap();
    gate.wait().unwrap();
    for bad in ["gate.example:80", "localhost", "localhost:99999", "localhost.evil:80"] {
        let ran = crate::redress::redress(&["serve", "--listen", bad, "--", "cat"], b"");
        assert_eq!(ran.exit, 2, "{bad}: {}", ran.err);
    }
}

#[test]
fn metrics_for_other_machines_say_what_they_need() {
    for command in ["run", "serve"] {
        let args = [command, "--no-ledger", "--metrics", "0.0.0.0:0", "--", "cat"];
        let ran = crate::redress::redress(&args, b"");
        assert_eq!(ran.exit, 2, "{}", ran.err);
        assert!(ran.err.contains("--metrics") && ran.err.contains("[auth]"), "{}", ran.err);
    }
}

#[test]
fn a_hang_up_without_a_file_ends_nothing() {
    let (mut client, _) = open(&[]);
    client.signal("-HUP");
    (0..20).for_each(|_| pause());
    assert_works(&mut client);
    assert_eq!(client.end().0, 0);
}
