//! Rows of the matrix: how a run ends.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    time::{Duration, Instant},
};

use serde_json::json;

use super::client::{
    Client, Via, bad_server, both_ways, fault, gate, left_behind, pause, recorded, wait,
};

both_ways! {
    sigterm_under_load,
    a_server_that_ignores_the_end_is_ended,
    when_the_gate_is_killed_its_server_ends_with_its_input,
    without_a_ledger_nothing_is_recorded,
}

fn sigterm_under_load(via: Via) {
    let mut client = Client::open(via, &[]);
    let ids: Vec<String> =
        (0..200).map(|at| client.begin("sleep", &json!({"ms": 20 * at}))).collect();
    client.answer(&ids[5]);
    let start = Instant::now();
    client.signal("-TERM");
    let answers: Vec<_> = ids.iter().skip(6).map(|it| client.answer(it)).collect();
    let told = answers.iter().filter(|it| it["result"]["isError"] == true);
    assert!(told.clone().count() > 50);
    for answer in told {
        assert_eq!(fault(answer)["code"], "SHUTTING_DOWN");
    }
    let (exit, recorded) = client.end();
    assert_eq!(exit, 0);
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(recorded.iter().filter(|it| it["code"] == "SHUTTING_DOWN").count() > 50);
}

#[test]
fn a_client_that_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, server) = (dir.path().join("ledger"), bad_server());
    let options = ["--ledger", ledger.to_str().unwrap()];
    let mut gate =
        gate(Via::Run, dir.path(), &options, &[server.to_str().unwrap()]).spawn().unwrap();
    let mut input = gate.stdin.take().unwrap();
    let call = |id: u32, tool: &str| {
        let params = json!({"name": tool, "arguments": {"ms": 60_000}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    writeln!(input, "{}\n{}", call(1, "sleep"), call(2, "pid")).unwrap();
    let mut output = BufReader::new(gate.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.contains("\"id\":2"), "{line}");
    let start = Instant::now();
    drop((input, output));
    assert_eq!(wait(&mut gate), 0);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(recorded(dir.path()).last().unwrap()["code"], "CANCELLED");
    assert_eq!(left_behind(dir.path()), [] as [String; 0]);
}

fn a_server_that_ignores_the_end_is_ended(via: Via) {
    let mut client = Client::start(via, &[], &["--ignore-eof"]);
    client.initialize();
    let start = Instant::now();
    let (exit, _) = client.end();
    assert_eq!(exit, 0);
    assert!(start.elapsed() < Duration::from_secs(5));
}

fn when_the_gate_is_killed_its_server_ends_with_its_input(via: Via) {
    let mut client = Client::open(via, &[]);
    client.signal("-KILL");
    client.wait();
    let until = Instant::now() + Duration::from_secs(10);
    while !client.left_behind().is_empty() {
        assert!(Instant::now() < until, "{:?}", client.left_behind());
        pause();
    }
}

fn without_a_ledger_nothing_is_recorded(via: Via) {
    let mut client = Client::bare(via, &["--no-ledger"]);
    let answer = client.call("exit", &json!({"code": 1}));
    assert!(fault(&answer).get("ledger").is_none());
    let (_, recorded) = client.end();
    assert!(recorded.is_empty());
}

#[test]
fn a_ledger_that_cannot_be_opened_is_an_error_of_the_environment() {
    let ran = crate::redress::redress(&["run", "--ledger", "/proc/nowhere", "--", "cat"], b"");
    assert_eq!(ran.exit, 3, "{}", ran.err);
    assert!(ran.err.contains("AUDIT_LOG_FAILED") && ran.out.is_empty(), "{}", ran.err);
}
