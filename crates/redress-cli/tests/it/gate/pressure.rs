//! A server that is away, and clients that ask too much: what is refused, how soon, and that it passes.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::Child,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::client::{
    Client, Via, assert_fault, assert_works, bad_server, both_ways, envelope, fault, gate, pause,
    wait as end,
};
use crate::stopwatch::Stopwatch;

both_ways! {
    a_server_that_is_out_of_reach_is_left_alone_for_a_while,
    a_server_that_hangs_is_replaced_after_the_pause,
    a_tool_that_always_fails_keeps_no_other_from_the_server,
    too_many_calls_at_once_are_told_to_wait,
    calls_that_come_too_fast_are_told_when_to_come_again,
    ten_times_too_much_costs_those_nothing_who_are_served,
    repeats_can_be_turned_off,
}

/// Lets time pass.
fn wait(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        pause();
    }
}

fn code(answer: &Value) -> &str {
    fault(answer)["code"].as_str().unwrap()
}

/// How many lines that are no messages a client writes; each is answered at length.
const USELESS: usize = 60_000;

/// A gate whose client has written much and read nothing, once it has stopped to take more in.
fn clogged(dir: &std::path::Path, lines: &[u8]) -> Child {
    let (options, server) = (["--no-ledger", "--deadline", "1500"], bad_server());
    let mut gate = gate(Via::Run, dir, &options, &[server.to_str().unwrap()]).spawn().unwrap();
    let mut input = gate.stdin.take().unwrap();
    input.write_all(lines).unwrap();
    gate.stdin = Some(input);
    let (mut peak, mut since) = (0, Instant::now());
    while since.elapsed() < Duration::from_millis(400) {
        pause();
        let now = peak_kib(&gate);
        if now > peak {
            (peak, since) = (now, Instant::now());
        }
    }
    gate
}

fn peak_kib(gate: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", gate.id())).unwrap();
    let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn who_does_not_read_its_answers_is_not_read_from() {
    let dir = tempfile::tempdir().unwrap();
    let mut quiet = clogged(dir.path(), b"\n");
    let mut gate = clogged(dir.path(), "{bad\n".repeat(USELESS).as_bytes());
    let grown = peak_kib(&gate) - peak_kib(&quiet);
    assert!(grown < 32 << 10, "{grown} KiB more");
    drop((gate.stdin.take(), quiet.stdin.take()));
    let answers = BufReader::new(gate.stdout.take().unwrap()).lines().count();
    assert_eq!(answers, USELESS);
    assert_eq!((end(&mut gate), end(&mut quiet)), (0, 0));
}

#[test]
fn who_reads_nothing_and_says_no_more_is_gone_in_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut gate = clogged(dir.path(), "{bad\n".repeat(USELESS).as_bytes());
    let closed = Stopwatch::start(gate.id());
    drop(gate.stdin.take());
    end(&mut gate);
    assert!(closed.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_signal_ends_a_gate_whose_client_reads_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut gate = clogged(dir.path(), "{bad\n".repeat(USELESS).as_bytes());
    let told = Stopwatch::start(gate.id());
    let id = gate.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    end(&mut gate);
    assert!(told.elapsed() < Duration::from_secs(5));
}

fn a_server_that_is_out_of_reach_is_left_alone_for_a_while(via: Via) {
    let mut client = Client::configured(via, "[breaker]\nfailures = 2\nopen_ms = 1500");
    let answer = loop {
        for _ in 0..2 {
            assert_eq!(code(&client.call("exit", &json!({"code": 1}))), "UPSTREAM_CRASHED");
        }
        let (opened, asked) = (Instant::now(), client.stopwatch());
        let answer = client.call("pid", &json!({}));
        // On a busy machine the pause may be over before the question came.
        if opened.elapsed() < Duration::from_millis(1500) || envelope(&answer).is_some() {
            assert!(asked.elapsed() < Duration::from_secs(1), "it is told at once");
            break answer;
        }
    };
    assert_fault(&answer, "CIRCUIT_OPEN", "after_delay", "none", "gate");
    let after = fault(&answer)["retry"]["after_ms"].as_u64().unwrap();
    assert!((1..=1500).contains(&after), "{after}");
    wait(Duration::from_millis(after + 20));
    assert_works(&mut client);
    assert_works(&mut client);
    client.end();
}

fn a_server_that_hangs_is_replaced_after_the_pause(via: Via) {
    let server = bad_server().display().to_string();
    let config = format!(
        "[server.bad]\ncommand = [{server:?}]\ndeadline_ms = 2000\nbreaker = {{ failures = 2, open_ms = 3000 }}\nretry = {{ attempts = 1 }}\n"
    );
    let mut client = Client::with_config(via, &config, "bad", &[], &[]);
    client.initialize();
    let pid = |client: &mut Client| {
        client.call("pid", &json!({}))["result"]["content"][0]["text"].clone()
    };
    let first = pid(&mut client);
    for _ in 0..2 {
        assert_eq!(code(&client.call("never", &json!({}))), "TIMEOUT");
    }
    let refused = client.call("pid", &json!({}));
    assert_eq!(code(&refused), "CIRCUIT_OPEN");
    let after = fault(&refused)["retry"]["after_ms"].as_u64().unwrap();
    wait(Duration::from_millis(after + 20));
    let second = pid(&mut client);
    assert!(second.is_string() && second != first, "{first} {second}");
    assert_works(&mut client);
    client.end();
}

fn a_tool_that_always_fails_keeps_no_other_from_the_server(via: Via) {
    let mut client = Client::configured(via, "[breaker]\nfailures = 2");
    let failed = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"503 Service Unavailable"}],"isError":true}}"#;
    for _ in 0..20 {
        assert_eq!(client.say(&[failed])["result"]["isError"], true);
    }
    assert_works(&mut client);
    client.end();
}

fn too_many_calls_at_once_are_told_to_wait(via: Via) {
    let mut client = Client::configured(via, "[limits]\nsession_concurrency = 4");
    let slow: Vec<_> = (0..4).map(|_| client.begin("sleep", &json!({"ms": 2000}))).collect();
    client.in_order();
    let answer = client.call("pid", &json!({}));
    assert_fault(&answer, "OVERLOADED", "after_delay", "none", "gate");
    assert_eq!(fault(&answer)["details"]["limit"], 4);
    for id in slow {
        assert_eq!(client.answer(&id)["result"]["content"][0]["text"], "slept");
    }
    assert_works(&mut client);
    client.end();
}

fn calls_that_come_too_fast_are_told_when_to_come_again(via: Via) {
    let mut client = Client::configured(via, "[limits]\nrate_per_second = 2\nburst = 3");
    let ids: Vec<_> = (0..6).map(|_| client.begin("pid", &json!({}))).collect();
    let answers: Vec<_> = ids.iter().map(|it| client.answer(it)).collect();
    let refused: Vec<_> = answers.iter().filter(|it| it["result"]["isError"] == true).collect();
    assert!((2..=4).contains(&refused.len()), "{answers:?}");
    assert_fault(refused[0], "RATE_LIMITED", "after_delay", "none", "gate");
    let after = fault(refused[0])["retry"]["after_ms"].as_u64().unwrap();
    assert!((1..=500).contains(&after), "{after}");
    wait(Duration::from_millis(1500));
    assert_works(&mut client);
    client.end();
}

fn ten_times_too_much_costs_those_nothing_who_are_served(via: Via) {
    const SERVED: usize = 32;
    let mut client = Client::configured(via, &format!("[limits]\nsession_concurrency = {SERVED}"));
    let (mut served, mut refused) = (0, 0);
    let before = client.peak_kib();
    for _ in 0..10 {
        let ids: Vec<_> =
            (0..10 * SERVED).map(|_| client.begin("sleep", &json!({"ms": 100}))).collect();
        for id in ids {
            let answer = client.answer(&id);
            if answer["result"]["isError"] == true {
                assert_eq!(code(&answer), "OVERLOADED");
                refused += 1;
            } else {
                served += 1;
            }
        }
    }
    assert!(served >= 10 * SERVED, "as many as there is room for, each time: {served}");
    assert_eq!(served + refused, 100 * SERVED);
    let grown = client.peak_kib() - before;
    assert!(grown < 16 << 10, "{grown} KiB more");
    assert_works(&mut client);
    client.end();
}

fn repeats_can_be_turned_off(via: Via) {
    let mut client = Client::configured(via, "[retry]\nattempts = 1");
    client.request("tools/list", &json!({}));
    let file = tempfile::NamedTempFile::new().unwrap();
    let answer =
        client.call("tally_read", &json!({"file": file.path(), "until": 2, "fail": "exit"}));
    assert_eq!(code(&answer), "UPSTREAM_CRASHED");
    client.end();
}
