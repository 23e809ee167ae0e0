//! Rows of the matrix: processes that end, hang, or will not end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, Via, assert_fault, assert_works, bad_server, both_ways, fault, pause};

/// A client whose calls of some tools may take so many milliseconds. Other calls may take as long as they do on a busy machine.
fn with_deadline(via: Via, ms: u32, tools: &[&str]) -> Client {
    let tools = tools.iter().map(|it| format!("[server.bad.tool.{it}]\ndeadline_ms = {ms}\n"));
    let config = format!(
        "[server.bad]\ncommand = ['{}']\n{}",
        bad_server().display(),
        tools.collect::<String>()
    );
    let mut client = Client::with_config(via, &config, "bad", &[], &[]);
    client.initialize();
    client
}

both_ways! {
    an_exit_with_a_code,
    an_end_by_signal,
    an_exit_at_start,
    an_exit_during_initialize,
    an_exit_in_the_middle_of_a_large_answer,
    output_that_is_closed_by_a_process_that_lives_on,
    input_that_is_closed_by_a_process_that_lives_on,
    a_grandchild_is_not_left_behind,
    a_flood_on_stderr,
    never_an_answer,
    an_answer_after_the_deadline_is_dropped_and_recorded,
    half_an_answer_does_not_spoil_the_next_one,
    a_server_that_stops_reading_is_ended,
    a_command_that_does_not_exist,
}

fn an_exit_with_a_code(via: Via) {
    let mut client = Client::open(via, &[]);
    let slow = client.begin("sleep", &json!({"ms": 60_000}));
    let ping = client.ask("prompts/get", &json!({}));
    client.answer(&ping);
    let start = client.stopwatch();
    let answer = client.call("exit", &json!({"code": 3}));
    assert_fault(&answer, "UPSTREAM_CRASHED", "after_delay", "unknown", "server");
    assert_eq!(fault(&answer)["details"]["exit_code"], 3);
    let tail = fault(&answer)["details"]["upstream"]["stderr_tail"].as_str().unwrap();
    assert!(tail.contains("FATAL: the database is gone"), "{tail}");
    assert!(
        answer["result"]["content"][0]["text"].as_str().unwrap().contains("the database is gone")
    );
    let answer = client.answer(&slow);
    assert_eq!(fault(&answer)["code"], "UPSTREAM_CRASHED", "everybody who waits is told");
    assert!(start.elapsed() < Duration::from_secs(5), "at once");
    assert_works(&mut client);
    assert_eq!(client.end().0, 0);
}

fn an_end_by_signal(via: Via) {
    let mut client = Client::open(via, &[]);
    for signal in ["ABRT", "KILL"] {
        let answer = client.call("kill", &json!({"signal": signal}));
        assert_fault(&answer, "UPSTREAM_CRASHED", "after_delay", "unknown", "server");
        assert_eq!(fault(&answer)["details"]["signal"], format!("SIG{signal}"));
        assert_works(&mut client);
    }
    client.end();
}

fn an_exit_at_start(via: Via) {
    let mut client = Client::start(via, &[], &["--exit-at-start"]);
    let answer = client.initialize();
    assert_eq!(fault(&answer)["code"], "UPSTREAM_CRASHED");
    assert!(answer["error"]["code"].is_i64());
    assert_eq!(fault(&answer)["details"]["exit_code"], 9);
    assert_eq!(fault(&answer)["server_text"], "cannot read the configuration");
    assert_eq!(client.end().0, 0);
}

fn an_exit_during_initialize(via: Via) {
    let mut client = Client::start(via, &[], &["--exit-on-initialize"]);
    let answer = client.initialize();
    assert_eq!(
        (fault(&answer)["code"].as_str(), fault(&answer)["details"]["exit_code"].as_i64()),
        (Some("UPSTREAM_CRASHED"), Some(4))
    );
    client.end();
}

fn an_exit_in_the_middle_of_a_large_answer(via: Via) {
    let mut client = Client::open(via, &[]);
    let answer = client.call("cut", &json!({}));
    assert_fault(&answer, "UPSTREAM_CRASHED", "after_delay", "unknown", "server");
    assert_eq!(fault(&answer)["details"]["exit_code"], 7);
    assert_works(&mut client);
    client.end();
}

#[test]
fn a_crash_loop_is_parked() {
    let mut client = Client::start(Via::Run, &[], &["--exit-on-initialize"]);
    let mut codes = Vec::new();
    let parked = loop {
        let answer = client.initialize();
        let code = fault(&answer)["code"].as_str().unwrap().to_owned();
        if code != "UPSTREAM_CRASHED" {
            break answer;
        }
        codes.push(code);
        assert!(codes.len() < 10);
    };
    assert_eq!(codes.len(), 5);
    assert_fault(&parked, "UPSTREAM_PARKED", "after_delay", "none", "gate");
    assert!(fault(&parked)["retry"]["after_ms"].as_u64().unwrap() > 10_000);
    client.end();
}

fn output_that_is_closed_by_a_process_that_lives_on(via: Via) {
    let mut client = Client::open(via, &[]);
    let answer = client.call("close", &json!({}));
    assert_fault(&answer, "UPSTREAM_UNAVAILABLE", "after_delay", "unknown", "server");
    assert_ended_for(fault(&answer), "closed its output");
    assert_works(&mut client);
    client.end();
}

fn a_grandchild_is_not_left_behind(via: Via) {
    let mut client = Client::open(via, &[]);
    let answer = client.call("orphan", &json!({}));
    assert_eq!(fault(&answer)["details"]["exit_code"], 5);
    assert!(fault(&answer)["elapsed_ms"].as_u64().unwrap() < 5_000);
    assert_works(&mut client);
    client.end();
}

fn a_flood_on_stderr(via: Via) {
    let mut client = Client::open(via, &[]);
    let before = client.peak_kib();
    let answer = client.call("flood", &json!({"kib": 64 << 10}));
    assert_eq!(answer["result"]["content"][0]["text"], "flooded");
    let grown = client.peak_kib() - before;
    assert!(grown < 16 << 10, "{grown} KiB more");
    client.end();
}

fn never_an_answer(via: Via) {
    let mut client = with_deadline(via, 300, &["never"]);
    let start = client.stopwatch();
    let answer = client.call("never", &json!({}));
    assert_fault(&answer, "TIMEOUT", "after_delay", "unknown", "server");
    assert!(fault(&answer)["elapsed_ms"].as_u64().unwrap() >= 300);
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_works(&mut client);
    client.end();
}

fn an_answer_after_the_deadline_is_dropped_and_recorded(via: Via) {
    for tool in ["sleep", "half"] {
        let mut client = with_deadline(via, 400, &[tool]);
        let answer = client.call(tool, &json!({"ms": 900}));
        assert_fault(&answer, "TIMEOUT", "after_delay", "unknown", "server");
        let until = Instant::now() + Duration::from_secs(60);
        let is_late = |it: &Value| it["details"]["reason"] == "the request was answered before";
        while !client.recorded().iter().any(is_late) {
            assert!(Instant::now() < until);
            pause();
        }
        assert_works(&mut client);
        client.end();
    }
}

fn half_an_answer_does_not_spoil_the_next_one(via: Via) {
    let mut client = with_deadline(via, 400, &["stump"]);
    // So that the gate asks nothing itself in between.
    client.request("tools/list", &json!({}));
    let answer = client.call("stump", &json!({}));
    assert_fault(&answer, "TIMEOUT", "after_delay", "unknown", "server");
    let answer = client.call("pid", &json!({}));
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    client.end();
}

fn a_server_that_stops_reading_is_ended(via: Via) {
    let mut client = Client::start(via, &["--deadline", "700"], &[]);
    // On a busy machine the server may start later than that.
    while client.initialize().get("result").is_none() {}
    let answer = client.call("deaf", &json!({}));
    assert_eq!(fault(&answer)["code"], "TIMEOUT");
    let large = "a".repeat(400_000);
    let ids: Vec<String> =
        (0..4).map(|_| client.begin("say", &json!({"lines": [&large]}))).collect();
    for id in ids {
        let code = fault(&client.answer(&id))["code"].as_str().unwrap().to_owned();
        assert!(["TIMEOUT", "UPSTREAM_UNAVAILABLE"].contains(&&*code), "{code}");
    }
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = client.call("pid", &json!({}));
        if answer["result"].get("isError").is_none() {
            break;
        }
        assert!(Instant::now() < until, "{answer}");
    }
    let (_, recorded) = client.end();
    let ended = recorded.iter().find(|it| it["code"] == "UPSTREAM_UNAVAILABLE");
    assert_ended_for(
        ended.unwrap_or_else(|| panic!("{recorded:?}")),
        "did not read what it was sent",
    );
}

/// A fault says that the gate ended the process, and not that it crashed.
fn assert_ended_for(fault: &Value, why: &str) {
    let message = format!("The server {why}, so the gate ended its process.");
    assert_eq!(fault["message"], message, "{fault}");
    assert_eq!(fault["details"]["upstream"]["ended_for"], why, "{fault}");
    assert!(!fault.to_string().contains("SIGKILL"), "{fault}");
}

fn input_that_is_closed_by_a_process_that_lives_on(via: Via) {
    let mut client = with_deadline(via, 400, &["close_input"]);
    assert_eq!(fault(&client.call("close_input", &json!({})))["code"], "TIMEOUT");
    let until = Instant::now() + Duration::from_secs(60);
    while client.call("pid", &json!({}))["result"].get("isError").is_some() {
        assert!(Instant::now() < until);
    }
    let (_, recorded) = client.end();
    let ended = recorded.iter().find(|it| it["code"] == "UPSTREAM_UNAVAILABLE");
    assert_ended_for(ended.unwrap_or_else(|| panic!("{recorded:?}")), "closed its input");
}

fn a_command_that_does_not_exist(via: Via) {
    // Before one command alone, `serve` would not even start.
    let config = "[server.gone]\ncommand = ['/nonexistent/server']\n";
    let mut client = match via {
        Via::Run => Client::before(via, &[], &["/nonexistent/server"]),
        Via::Serve => Client::with_config(via, config, "gone", &[], &[]),
    };
    for _ in 0..3 {
        let answer = client.initialize();
        assert_fault(&answer, "NOT_INSTALLED", "after_human", "none", "gate");
        assert_eq!(fault(&answer)["details"]["dependency"], "/nonexistent/server");
    }
    if via == Via::Serve {
        // Nobody has a session, and the next one may be opened when the command is there.
        assert_eq!(client.end().0, 0);
        return;
    }
    let answer = client.call("x", &json!({}));
    assert_fault(&answer, "NOT_INSTALLED", "after_human", "none", "gate");
    assert_eq!(client.end().0, 3);
}
