//! Clients that send what is no HTTP, no message, too much, or too slowly.

use std::{
    io::{Read as _, Write as _},
    net::Shutdown,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{assert_refused, call, open, say, session};
use crate::gate::{
    client::assert_works,
    http::{Answer, connect, request},
};

#[test]
fn other_content_is_refused_by_its_kind() {
    let (mut client, http) = open(&[]);
    let post = format!("POST {}", http.path);
    let json = ("Content-Type", "application/json");
    for (headers, status) in [
        ([("Content-Type", "text/plain")].as_slice(), 415),
        (&[], 415),
        (&[json, ("Accept", "application/json")], 406),
        (&[json, ("Accept", "text/html")], 406),
    ] {
        let answer = request(&http.address, &post, headers, b"{}").head();
        assert_refused(answer, status, -32600, "INVALID_REQUEST");
    }
    for accept in ["*/*", "application/*, text/*;q=0.5", "text/event-stream,application/json"] {
        let headers = [json, ("Accept", accept)];
        let answer = request(&http.address, &post, &headers, b"garbage").head();
        assert_refused(answer, 400, -32700, "PARSE_FAILED");
    }
    assert_works(&mut client);
    client.end();
}

#[test]
fn a_message_over_several_lines_is_one_message() {
    let (client, http) = open(&[]);
    let id = session(&http);
    let headers = [("Mcp-Session-Id", &*id)];
    let pretty = "{\r\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"a b\",\n  \"method\": \"ping\"\n}\n";
    let answer = say(&http, &headers, pretty);
    assert_eq!(answer.json()["id"], "a b");
    let broken = "{\"jsonrpc\":\"2.0\",\"id\":\"a\nb\",\"method\":\"ping\"}";
    assert_refused(say(&http, &headers, broken), 400, -32700, "PARSE_FAILED");
    client.end();
}

#[test]
fn a_request_without_a_message_is_refused() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    for body in ["", " \r\n\t "] {
        for headers in [[].as_slice(), &[("Mcp-Session-Id", &*id)]] {
            assert_refused(say(&http, headers, body), 400, -32700, "PARSE_FAILED");
        }
    }
    assert_works(&mut client);
    client.end();
}

#[test]
fn a_body_of_a_gigabyte() {
    let (mut client, http) = open(&[]);
    let head = |length: &str| {
        format!(
            "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{length}\r\n\r\n",
            http.path
        )
    };
    // Who says how much it will be is refused before he sends it.
    let mut stream = connect(&http.address);
    stream.write_all(head("Content-Length: 1073741824").as_bytes()).unwrap();
    assert_refused(Answer::read(stream).unwrap(), 413, 1005, "INPUT_TOO_LARGE");
    // Who does not is refused once it is too much.
    let mut stream = connect(&http.address);
    stream.write_all(head("Transfer-Encoding: chunked").as_bytes()).unwrap();
    let piece = [b"100000\r\n".as_slice(), &vec![b'a'; 1 << 20], b"\r\n"].concat();
    let sent = (0..1 << 10).take_while(|_| stream.write_all(&piece).is_ok()).count();
    assert!(sent < 200, "{sent} MiB were taken in");
    assert_works(&mut client);
    assert!(client.peak_kib() < 96 << 10, "{} KiB", client.peak_kib());
    client.end();
}

#[test]
fn requests_cannot_be_smuggled() {
    let (mut client, http) = open(&[]);
    let id = session(&http);
    let inner = call(&json!("smuggled"), "pid", &json!({}));
    let post = |more: &str| {
        format!(
            "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: {id}\r\n{more}\r\n",
            http.path
        )
    };
    let whole = format!("{}{inner}", post(&format!("Content-Length: {}\r\n", inner.len())));
    let ping = r#"{"jsonrpc":"2.0","id":"seen","method":"ping"}"#;
    let chunk = format!("{:x}\r\n{ping}\r\n0\r\n\r\n", ping.len());
    for (name, head) in [
        (
            "both lengths",
            format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", chunk.len()),
        ),
        ("two lengths", format!("Content-Length: {}\r\nContent-Length: 5\r\n", ping.len())),
        ("a list of lengths", format!("Content-Length: {}, 5\r\n", ping.len())),
        ("a signed length", format!("Content-Length: +{}\r\n", ping.len())),
        ("an unknown coding", "Transfer-Encoding: xchunked\r\n".to_owned()),
        ("chunked not last", "Transfer-Encoding: chunked, identity\r\n".to_owned()),
        ("another coding first", "Transfer-Encoding: gzip, chunked\r\n".to_owned()),
        ("two codings", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n".to_owned()),
        ("a space before the colon", format!("Content-Length : {}\r\n", ping.len())),
        ("a folded line", format!("Content-Length: {}\r\nX: a\r\n b\r\n", ping.len())),
        ("a bare line feed in a name", format!("X\n: a\r\nContent-Length: {}\r\n", ping.len())),
    ] {
        let body = if head.contains("chunked") { &*chunk } else { ping };
        let mut stream = connect(&http.address);
        stream.write_all(format!("{}{body}{whole}", post(&head)).as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut text = String::new();
        // The gate may close a connection that it cannot make sense of.
        stream.read_to_string(&mut text).unwrap_or_default();
        let answers = text.matches("HTTP/1.1 ").count();
        let is_refused = text.starts_with("HTTP/1.1 400") && answers == 1 || text.is_empty();
        // One that is understood is one message, and what follows the next one or nothing; never otherwise.
        let is_next = answers == 2 && text.contains("\"smuggled\"");
        let is_last = answers == 1 && text.contains("connection: close");
        let is_read = text.contains("\"seen\"") && (is_next || is_last);
        assert!(is_refused || is_read, "{name}: {text}");
    }
    assert_works(&mut client);
    client.end();
}

#[test]
fn bytes_that_are_no_http_end_the_connection() {
    let (mut client, http) = open(&[]);
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(),
        b"GET / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        b"\0\0\0\0\r\n\r\n",
    ] {
        let mut stream = connect(&http.address);
        stream.write_all(bytes).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap_or_default();
        assert!(text.is_empty() || text.starts_with(b"HTTP/1.1 4"), "{text:?}");
    }
    assert_works(&mut client);
    client.end();
}

#[test]
fn whoever_sends_a_byte_now_and_then_is_left() {
    let (mut client, http) = open(&[]);
    let start = Instant::now();
    let head = format!("POST {} HTTP/1.1\r\nHost: localhost\r\nX: ", http.path);
    let (mut in_head, mut silent) = (connect(&http.address), connect(&http.address));
    in_head.write_all(head.as_bytes()).unwrap();
    let mut in_body = connect(&http.address);
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{{",
        http.path
    );
    in_body.write_all(head.as_bytes()).unwrap();
    let mut is_over = false;
    while start.elapsed() < Duration::from_secs(40) && !is_over {
        in_head.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        is_over = in_head.write_all(b"a").is_err() || in_head.read(&mut [0; 64]).is_ok();
    }
    assert!(is_over, "a head that never ends");
    let mut text = String::new();
    silent.read_to_string(&mut text).unwrap_or_default();
    assert_refused(Answer::read(in_body).unwrap(), 408, 1001, "TIMEOUT");
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_works(&mut client);
    client.end();
}
