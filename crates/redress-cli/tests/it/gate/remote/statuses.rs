//! Rows of the matrix: every status, with a body of every kind.

use super::{
    super::client::{Client, Via, assert_fault, both_ways, fault},
    assert_fine, call,
    server::{Act, Server},
};

both_ways! {
    status_400,
    status_401,
    status_403,
    status_408,
    status_413,
    status_500,
    status_502,
    status_503,
    status_504,
    status_429_says_when,
    an_error_of_the_protocol_in_a_body_is_that_error,
    a_redirect_to_somewhere_else_is_not_followed,
}

const HTML: &str = "<html><head><title>Oops</title></head><body>nginx at http://127.0.0.1:8080/hidden-path</body></html>";

/// What a failure is: its code, retry, effect and origin.
type Expected = (&'static str, &'static str, &'static str, &'static str);

/// A status in all its spellings: the body changes nothing that a caller decides by.
fn check(via: Via, status: &str, expected: Expected) {
    check_bodies(via, status, [expected; 3]);
}

/// The same where what the server says in words counts, too: without a body, with a page, with a document.
fn check_bodies(via: Via, status: &str, expected: [Expected; 3]) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let json = "content-type: application/json\r\n";
    let acts = [
        Act::http(status, "", ""),
        Act::http(status, "content-type: text/html\r\n", HTML),
        Act::http(status, json, r#"{"detail":"no"}"#),
    ];
    for (act, (code, retry, effect, origin)) in acts.into_iter().zip(expected) {
        server.will(act);
        let answer = call(&mut client);
        assert_fault(&answer, code, retry, effect, origin);
        assert_fine(&mut client);
    }
    let (exit, recorded) = client.end();
    assert_eq!((exit, recorded.len()), (0, 3));
}

fn status_400(via: Via) {
    let nothing = ("UPSTREAM_PROTOCOL_ERROR", "after_human", "none", "server");
    let words = ("INVALID_INPUT_VALUE", "after_change", "none", "server");
    check_bodies(via, "400 Bad Request", [nothing, nothing, words]);
}

fn status_401(via: Via) {
    check(via, "401 Unauthorized", ("AUTH_REQUIRED", "after_human", "none", "server"));
}

fn status_403(via: Via) {
    check(via, "403 Forbidden", ("INSUFFICIENT_PERMISSIONS", "after_human", "none", "server"));
}

fn status_408(via: Via) {
    check(via, "408 Request Timeout", ("TIMEOUT", "after_delay", "unknown", "server"));
}

fn status_413(via: Via) {
    check(via, "413 Content Too Large", ("INPUT_TOO_LARGE", "after_change", "none", "server"));
}

fn status_500(via: Via) {
    check(via, "500 Internal Server Error", ("INTERNAL_ERROR", "after_delay", "unknown", "server"));
}

fn status_502(via: Via) {
    check(via, "502 Bad Gateway", ("UPSTREAM_UNAVAILABLE", "after_delay", "unknown", "server"));
}

fn status_503(via: Via) {
    check(
        via,
        "503 Service Unavailable",
        ("UPSTREAM_UNAVAILABLE", "after_delay", "unknown", "server"),
    );
}

fn status_504(via: Via) {
    check(via, "504 Gateway Timeout", ("TIMEOUT", "after_delay", "unknown", "server"));
}

fn status_429_says_when(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let day = 86_400_000;
    for (when, after_ms) in [("3", 3000), ("172800", day), ("Fri, 31 Dec 2100 23:59:59 GMT", day)] {
        let headers = format!("retry-after: {when}\r\n");
        server.will(Act::http("429 Too Many Requests", &headers, "slow down"));
        let answer = call(&mut client);
        assert_fault(&answer, "RATE_LIMITED", "after_delay", "none", "server");
        assert_eq!(fault(&answer)["retry"]["after_ms"], after_ms, "{when}");
    }
    assert_fine(&mut client);
    client.end();
}

fn an_error_of_the_protocol_in_a_body_is_that_error(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let json = "content-type: application/json\r\n";
    let body =
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"boom","data":{"n":1}}}"#;
    server.will(Act::http("500 Internal Server Error", json, body));
    let answer = call(&mut client);
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(fault(&answer)["details"]["upstream"]["code"], -32603);
    assert_fine(&mut client);
    client.end();
}

fn a_redirect_to_somewhere_else_is_not_followed(via: Via) {
    let (server, other) = (Server::new(), Server::new());
    let mut client = Client::far(via, &server, &[]);
    let to = format!("location: {}\r\n", other.url());
    server.will(Act::http("307 Temporary Redirect", &to, ""));
    let answer = call(&mut client);
    assert_fault(&answer, "UPSTREAM_PROTOCOL_ERROR", "never", "unknown", "server");
    assert_eq!(other.connections(), 0, "only the configured address is ever contacted");
    assert_fine(&mut client);
    client.end();
}
