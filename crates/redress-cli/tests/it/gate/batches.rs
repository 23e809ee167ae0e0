//! Rows of the matrix: several messages in one array, from either side.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::client::{Client, Via, assert_fault, assert_told, assert_works, both_ways, fault};

both_ways! {
    messages_of_a_server_in_one_array_are_taken_one_by_one,
    a_non_message_in_a_servers_array_costs_the_others_nothing,
    each_request_in_an_array_of_a_client_is_answered,
    what_is_no_message_in_an_array_of_a_client_is_refused_alone,
    a_request_can_be_withdrawn_in_the_array_that_makes_it,
    a_session_is_not_opened_in_an_array,
    an_array_without_requests_gets_no_answer,
    a_mark_before_an_array_is_no_part_of_it,
    each_request_is_refused_where_the_revision_has_no_arrays,
    each_request_is_refused_before_there_is_a_revision,
    more_requests_than_may_be_in_progress_are_all_answered,
    a_hundred_thousand_messages_need_bounded_memory,
}

const FINE: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#;
const NOTICE: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;

/// A client whose revision has arrays.
fn open(via: Via, options: &[&str]) -> Client {
    let mut client = Client::start(via, options, &[]);
    assert_eq!(client.initialize_in("2025-03-26")["result"]["protocolVersion"], "2025-03-26");
    client
}

fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

fn call(id: &str, tool: &str, arguments: &Value) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

fn messages_of_a_server_in_one_array_are_taken_one_by_one(via: Via) {
    for revision in ["2024-11-05", "2025-03-26", "2025-11-25"] {
        let mut client = Client::start(via, &[], &[]);
        client.initialize_in(revision);
        let answer = client.say(&[&format!(" [ {NOTICE} , {FINE} ] ")]);
        assert_eq!(text(&answer), "fine", "{answer}");
        assert_eq!(client.others[0]["params"]["data"], "x", "{:?}", client.others);
        // A failure in it is told as any other.
        let failed = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"boom"}}"#;
        assert_eq!(client.say(&[&format!("[{failed}]")])["result"]["isError"], true);
        assert_works(&mut client);
        client.end();
    }
}

fn a_non_message_in_a_servers_array_costs_the_others_nothing(via: Via) {
    let mut client = Client::open(via, &["--deadline", "3000"]);
    let many = "0,".repeat(200_000);
    for line in [
        format!(r#"[3, null, {{"x":1}}, [], {FINE}, "y"]"#),
        format!(r#"[{FINE}, {{"jsonrpc":"2.0","id":7,"result":{{}}}}]"#),
        format!("[{many}{FINE}]"),
    ] {
        let answer = client.say(&[&line]);
        assert_eq!(text(&answer), "fine", "{answer}");
    }
    assert_eq!(text(&client.say(&["[]", FINE])), "fine", "an empty one says nothing");
    assert_works(&mut client);
    let (_, recorded) = client.end();
    assert!(recorded.iter().all(|it| it["code"] == "UPSTREAM_PROTOCOL_ERROR"), "{recorded:?}");
    assert!((5..40).contains(&recorded.len()), "within reason: {}", recorded.len());
}

fn each_request_in_an_array_of_a_client_is_answered(via: Via) {
    for revision in ["2024-11-05", "2025-03-26"] {
        let mut client = Client::start(via, &[], &[]);
        client.initialize_in(revision);
        let slow = call("\"slow\"", "sleep", &json!({"ms": 300}));
        let noisy = call("73", "say", &json!({"lines": [NOTICE, FINE]}));
        let failed = call("74", "exit", &json!({"code": 3}));
        client.write_batch(
            &["71", "\"slow\"", "73"],
            &[&ping("71"), NOTICE, &slow, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#, &noisy],
        );
        assert_eq!(client.answer("71")["result"], json!({}));
        assert_eq!(text(&client.answer("\"slow\"")), "slept");
        assert_eq!(text(&client.answer("73")), "fine");
        client.write_batch(&["74"], &[&failed]);
        let answer = client.answer("74");
        assert_eq!(fault(&answer)["code"], "UPSTREAM_CRASHED");
        assert!(fault(&answer)["ledger"]["seq"].is_u64(), "{answer}");
        assert_works(&mut client);
        client.end();
    }
}

fn what_is_no_message_in_an_array_of_a_client_is_refused_alone(via: Via) {
    let mut client = open(via, &[]);
    client.write_batch(
        &["81", "82"],
        &["[]", r#"{"jsonrpc":"1.0","id":81,"method":"ping"}"#, "3", &ping("82")],
    );
    assert_eq!(client.answer("82")["result"], json!({}));
    assert_fault(&client.answer("81"), "INVALID_REQUEST", "after_change", "none", "gate");
    while client.others.len() < 2 {
        client.other();
    }
    for other in &client.others {
        assert_eq!((&other["error"]["code"], other.get("id")), (&json!(-32600), None), "{other}");
    }
    let twice = call("\"x\"", "sleep", &json!({"ms": 300}));
    client.write_batch(&["\"x\"", "\"x\""], &[&twice, &twice]);
    let [first, second] = [(); 2].map(|()| client.answer("\"x\""));
    assert_eq!((fault(&first)["code"].as_str(), text(&second)), (Some("INVALID_REQUEST"), "slept"));
    assert_works(&mut client);
    assert_eq!(client.end().1.len(), 4);
}

fn a_request_can_be_withdrawn_in_the_array_that_makes_it(via: Via) {
    let mut client = open(via, &[]);
    let withdrawn = |id: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        )
    };
    let slow = |id: &str| call(id, "sleep", &json!({"ms": 30_000}));
    client.write_batch(&["92"], &[&slow("91"), &withdrawn(91), &ping("92")]);
    assert_eq!(client.answer("92")["result"], json!({}));
    // Nothing is left to wait for.
    client.write_batch(&[], &[&slow("93"), &withdrawn(93)]);
    assert_works(&mut client);
    client.end();
}

fn a_session_is_not_opened_in_an_array(via: Via) {
    let mut client = open(via, &[]);
    let initialize = json!({"jsonrpc": "2.0", "id": 41, "method": "initialize", "params":
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    client.write_batch(&["41", "42"], &[&initialize.to_string(), &ping("42")]);
    let answer = client.answer("41");
    assert_eq!(answer["error"]["code"], -32600);
    assert_fault(&answer, "INVALID_REQUEST", "after_change", "none", "gate");
    assert_eq!(client.answer("42")["result"], json!({}));
    client.end();
}

fn an_array_without_requests_gets_no_answer(via: Via) {
    let mut client = open(via, &[]);
    client.write_batch(&[], &[NOTICE, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#]);
    assert_works(&mut client);
    assert_eq!(client.others, [] as [Value; 0]);
    client.end();
}

fn each_request_is_refused_where_the_revision_has_no_arrays(via: Via) {
    for revision in ["2025-06-18", "2025-11-25"] {
        let mut client = Client::start(via, &[], &[]);
        client.initialize_in(revision);
        let bad = r#"{"jsonrpc":"2.0","id":53,"Method":"x"}"#;
        client.write_batch(&["50"], &[NOTICE, &ping("50"), "3"]);
        client.write_batch(&["51", "\"52\"", "53"], &[&ping("51"), NOTICE, &ping("\"52\""), bad]);
        for id in ["50", "51", "\"52\"", "53"] {
            let answer = client.answer(id);
            assert_eq!(answer["error"]["code"], -32600, "{answer}");
            assert_fault(&answer, "INVALID_REQUEST", "after_change", "none", "gate");
            assert!(fault(&answer)["ledger"]["seq"].is_u64(), "{answer}");
        }
        assert_works(&mut client);
        assert_eq!(client.others, [] as [Value; 0]);
        assert_eq!(client.end().1.len(), 4, "a record for each");
    }
}

fn each_request_is_refused_before_there_is_a_revision(via: Via) {
    let mut client = Client::start(via, &[], &[]);
    client.write_batch(&["61", "62"], &[&ping("61"), &ping("62")]);
    for id in ["61", "62"] {
        assert_eq!(client.answer(id)["error"]["code"], -32600);
    }
    client.initialize_in("2025-03-26");
    assert_works(&mut client);
    client.end();
}

fn more_requests_than_may_be_in_progress_are_all_answered(via: Via) {
    let mut client = Client::configured(via, "[limits]\nsession_concurrency = 8");
    client.initialize_in("2025-03-26");
    let ids: Vec<String> = (1000..1600).map(|it| it.to_string()).collect();
    let calls: Vec<String> = ids.iter().map(|it| call(it, "sleep", &json!({"ms": 200}))).collect();
    client.write_batch(
        &ids.iter().map(|it| &**it).collect::<Vec<_>>(),
        &calls.iter().map(|it| &**it).collect::<Vec<_>>(),
    );
    let answers: Vec<Value> = ids.iter().map(|it| client.answer(it)).collect();
    let fine = answers.iter().filter(|it| text(it) == "slept").count();
    assert!((1..600).contains(&fine), "{fine}");
    // The first ones have records of their own, the others are counted.
    for (at, answer) in answers.iter().filter(|it| text(it) != "slept").enumerate() {
        let check = if at < 8 { assert_fault } else { assert_told };
        check(answer, "OVERLOADED", "after_delay", "none", "gate");
    }
    client.end();
}

fn a_hundred_thousand_messages_need_bounded_memory(via: Via) {
    for revision in ["2025-03-26", "2025-11-25"] {
        let mut client = Client::bare(via, &["--no-ledger"]);
        client.initialize_in(revision);
        let mut left: BTreeSet<u64> = (100_000..200_000).collect();
        let messages: Vec<String> = left.iter().map(|it| ping(&it.to_string())).collect();
        client.write(&format!("[{}]\n", messages.join(",")));
        while !left.is_empty() {
            let answer: Value = serde_json::from_str(&client.line()).unwrap();
            assert!(left.remove(&answer["id"].as_u64().unwrap()), "a second answer: {answer}");
        }
        assert_works(&mut client);
        assert!(client.own_peak_kib() < 26 << 10, "{} KiB", client.own_peak_kib());
        client.end();
    }
}

fn a_mark_before_an_array_is_no_part_of_it(via: Via) {
    for revision in ["2025-03-26", "2025-11-25"] {
        let mut client = Client::start(via, &[], &[]);
        client.initialize_in(revision);
        client.write_request("71", &format!("\u{feff}[{},{NOTICE}]\n", ping("71")));
        let answer = client.answer("71");
        assert_eq!(answer["error"].is_object(), revision == "2025-11-25", "{answer}");
        client.end();
    }
}
