//! Rows of the matrix: answers that are whole, and yet none.

use super::{
    super::client::{Client, Via, assert_fault, both_ways},
    assert_fine, call,
    server::{Act, Server},
};

both_ways! {
    a_page_instead_of_an_answer,
    nothing_instead_of_an_answer,
    an_acknowledgement_instead_of_an_answer,
    an_answer_to_another_request,
    an_answer_that_is_packed_though_nobody_asked_for_it,
    a_stream_that_ends_without_an_answer,
    an_answer_that_is_too_large_in_every_way_of_saying_so,
    bytes_that_are_no_http,
    a_body_with_a_length_that_comes_in_parts,
    a_message_of_many_lines_reaches_a_client_that_reads_lines,
    a_mark_before_a_message_is_no_part_of_it,
    an_event_that_is_no_message_is_passed_over,
    what_cannot_be_read_passes_where_failures_are_only_observed,
}

const BROKEN: (&str, &str, &str, &str) = ("UPSTREAM_PROTOCOL_ERROR", "never", "unknown", "server");

fn check(via: Via, act: Act, (code, retry, effect, origin): (&str, &str, &str, &str)) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &["--max-message", "20000"]);
    server.will(act);
    let answer = call(&mut client);
    assert_fault(&answer, code, retry, effect, origin);
    assert_fine(&mut client);
    client.end();
}

fn ok(headers: &str, body: &str) -> Act {
    Act::http("200 OK", &format!("{headers}\r\n"), body)
}

fn a_body_with_a_length_that_comes_in_parts(via: Via) {
    const ID_DIGITS: usize = 14;
    let answer = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    let length = answer.len() - "ID".len() + ID_DIGITS;
    let parts = format!("{length:x}\r\n{answer}\r\n0\r\n\r\n");
    for coding in ["chunked", "identity"] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\ntransfer-encoding: {coding}\r\n\r\n",
        );
        let body = if coding == "chunked" { &parts } else { answer };
        check(via, Act::raw(&format!("{head}{body}")), BROKEN);
    }
}

fn a_page_instead_of_an_answer(via: Via) {
    check(via, ok("content-type: text/html", "<html>Login</html>"), BROKEN);
}

fn nothing_instead_of_an_answer(via: Via) {
    check(via, ok("content-type: application/json", ""), BROKEN);
}

fn an_acknowledgement_instead_of_an_answer(via: Via) {
    check(via, Act::http("202 Accepted", "", ""), BROKEN);
}

fn an_answer_to_another_request(via: Via) {
    let body = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#;
    check(via, ok("content-type: application/json", body), BROKEN);
}

fn an_answer_that_is_packed_though_nobody_asked_for_it(via: Via) {
    check(via, ok("content-type: application/json\r\ncontent-encoding: gzip", "\u{1f}"), BROKEN);
}

fn a_stream_that_ends_without_an_answer(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    server.will(Act::events("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"));
    let answer = call(&mut client);
    assert_eq!(super::super::client::fault(&answer)["effect"], "unknown", "{answer}");
    assert_fine(&mut client);
    client.end();
}

fn an_answer_that_is_too_large_in_every_way_of_saying_so(via: Via) {
    let large = format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
        "x".repeat(30_000)
    );
    let expected = ("OUTPUT_TOO_LARGE", "after_change", "unknown", "gate");
    check(via, ok("content-type: application/json", &large), expected);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
    check(via, Act::raw(&format!("{head}{large}")), expected);
    check(via, Act::events(&format!("data: {large}\n\n")), expected);
}

fn bytes_that_are_no_http(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    for bytes in [
        "nonsense\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5x\r\nabcde\r\n0\r\n\r\n",
    ] {
        server.will(Act::raw(bytes));
        let answer = call(&mut client);
        assert_eq!(super::super::client::fault(&answer)["code"], BROKEN.0, "{answer}");
        assert_eq!(super::super::client::fault(&answer)["effect"], "unknown", "{answer}");
    }
    assert_fine(&mut client);
    client.end();
}

fn a_message_of_many_lines_reaches_a_client_that_reads_lines(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let body = "{\r\n  \"jsonrpc\": \"2.0\",\n  \"id\": ID,\n  \"result\": {\"content\": []}\n}\n";
    server.will(ok("content-type: application/json", body));
    assert!(call(&mut client)["result"]["content"].is_array());
    client.end();
}

fn a_mark_before_a_message_is_no_part_of_it(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let body = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[]}}";
    server.will(ok("content-type: application/json", body));
    assert!(call(&mut client)["result"]["content"].is_array());
    client.end();
}

fn what_cannot_be_read_passes_where_failures_are_only_observed(via: Via) {
    let body = r#"{"jsonrpc":"2.0","id":ID,"result":{},"result":{"content":[],"twice":true}}"#;
    for (mode, passes) in [("observe", true), ("annotate", false)] {
        let server = Server::new();
        let mut client = Client::far(via, &server, &["--mode", mode]);
        server.will(ok("content-type: application/json", body));
        let answer = call(&mut client);
        assert_eq!(answer["result"]["twice"] == true, passes, "{answer}");
        server.will(ok("content-type: text/html", "<html>\nLogin\n</html>"));
        assert_fault(&call(&mut client), BROKEN.0, BROKEN.1, BROKEN.2, BROKEN.3);
        let (_, recorded) = client.end();
        assert_eq!(recorded.len(), 2, "{recorded:?}");
    }
}

fn an_event_that_is_no_message_is_passed_over(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    let fine = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    server.will(Act::events(&format!("data: connected\n\ndata: {{}}\n\ndata: {fine}\n\n")));
    assert!(call(&mut client)["result"]["content"].is_array());
    server.will(Act::events(&format!("data: {}\n\n", fine.replace("[]", "["))));
    assert_fault(&call(&mut client), BROKEN.0, BROKEN.1, BROKEN.2, BROKEN.3);
    client.end();
}
