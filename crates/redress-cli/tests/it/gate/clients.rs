//! Rows of the matrix: clients that send anything.

use serde_json::json;

use super::client::{Client, Via, assert_fault, assert_works, both_ways, fault};

both_ways! {
    garbage_and_keys_in_another_spelling,
    requests_that_no_server_may_take,
    duplicate_ids,
    ids_of_any_spelling_come_back_as_they_were,
    a_request_that_is_withdrawn,
}

fn garbage_and_keys_in_another_spelling(via: Via) {
    let mut client = Client::open(via, &[]);
    for (line, number, code) in [
        ("garbage\n", -32700, "PARSE_FAILED"),
        ("{\"id\":1\n", -32700, "PARSE_FAILED"),
        ("[]\n", -32600, "INVALID_REQUEST"),
        ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}\n", -32600, "INVALID_REQUEST"),
    ] {
        client.write(line);
        let answer = client.other();
        assert_eq!(answer["error"]["code"], number, "{answer}");
        assert_fault(&answer, code, "after_change", "none", "gate");
    }
    client.write_request("76", "{\"id\":76,\"method\":\n");
    assert_eq!(client.answer("76")["error"]["code"], -32700, "cut, but it says who asks");
    client.write_request("77", "{\"jsonrpc\":\"2.0\",\"id\":77,\"Method\":\"ping\"}\n");
    assert_eq!(client.answer("77")["error"]["code"], -32600);
    client.write_bytes(b"\xff\xfe\n");
    assert_eq!(client.other()["error"]["code"], -32700);
    assert_works(&mut client);
    client.end();
}

fn requests_that_no_server_may_take(via: Via) {
    let mut client = Client::open(via, &[]);
    for (id, line) in [
        (
            "81",
            "{\"jsonrpc\":\"1.0\",\"id\":81,\"method\":\"tools/call\",\"params\":{\"name\":\"never\"}}\n",
        ),
        (
            "82",
            "{\"jsonrpc\":\"2.0\",\"id\":82,\"method\":\"tools/call\",\"params\":[\"never\"]}\n",
        ),
    ] {
        client.write_request(id, line);
        let answer = client.answer(id);
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert_fault(&answer, "INVALID_REQUEST", "after_change", "none", "gate");
    }
    assert_works(&mut client);
    client.end();
}

fn duplicate_ids(via: Via) {
    let mut client = Client::open(via, &[]);
    let call = |ms: u32| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{{\"name\":\"sleep\",\"arguments\":{{\"ms\":{ms}}}}}}}\n"
        )
    };
    client.write_request("\"x\"", &call(2500));
    client.in_order();
    client.write_request("\"x\"", &call(0));
    let refused = client.answer("\"x\"");
    assert_fault(&refused, "INVALID_REQUEST", "after_change", "none", "gate");
    assert_eq!(client.answer("\"x\"")["result"]["content"][0]["text"], "slept");
    client.end();
}

fn ids_of_any_spelling_come_back_as_they_were(via: Via) {
    let mut client = Client::open(via, &[]);
    for id in
        ["1152921504606846976", "-5", "\"\"", "\"a b\"", "340282366920938463463374607431768211456"]
    {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        client.write(&line);
        let answer = client.line();
        assert!(answer.contains(&format!("\"id\":{id}")), "{answer}");
    }
    client.end();
}

#[test]
fn a_line_of_a_gigabyte() {
    let mut client = Client::open(Via::Run, &[]);
    for id_last in [false, true] {
        let (before, after) = if id_last {
            (
                "{\"method\":\"tools/call\",\"params\":{\"x\":\"",
                "\"},\"jsonrpc\":\"2.0\",\"id\":4000}\n",
            )
        } else {
            (
                "{\"jsonrpc\":\"2.0\",\"id\":4000,\"method\":\"tools/call\",\"params\":{\"x\":\"",
                "\"}}\n",
            )
        };
        client.write_request("4000", before);
        let piece = vec![b'a'; 1 << 20];
        for _ in 0..1 << 10 {
            client.write_bytes(&piece);
        }
        client.write(after);
        let answer = client.answer("4000");
        assert_fault(&answer, "INPUT_TOO_LARGE", "after_change", "none", "gate");
        assert_works(&mut client);
    }
    assert!(client.peak_kib() < 64 << 10, "{} KiB", client.peak_kib());
    client.end();
}

fn a_request_that_is_withdrawn(via: Via) {
    let mut client = Client::open(via, &[]);
    let line = "{\"jsonrpc\":\"2.0\",\"id\":500,\"method\":\"tools/call\",\"params\":{\"name\":\"never\"}}\n";
    client.write(line);
    client.in_order();
    client.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":500}}\n");
    assert_works(&mut client);
    let (_, recorded) = client.end();
    assert!(recorded.is_empty(), "{recorded:?}");
}

#[test]
fn a_last_line_without_a_line_break_counts() {
    let mut client = Client::open(Via::Run, &[]);
    client.write_request("600", "{\"jsonrpc\":\"2.0\",\"id\":600,\"method\":\"ping\"}");
    client.close();
    assert!(client.answer("600")["result"].is_object());
    client.end();
}

#[test]
fn a_client_that_closes_its_side_gets_all_its_answers() {
    let mut client = Client::open(Via::Run, &[]);
    let slow = client.begin("sleep", &json!({"ms": 1500}));
    let failing = client.begin("exit", &json!({"code": 2}));
    client.close();
    assert!(fault(&client.answer(&failing))["code"].is_string());
    assert!(fault(&client.answer(&slow))["code"].is_string());
    assert_eq!(client.end().0, 0);
}
