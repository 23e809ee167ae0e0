//! Rows of the matrix: how a run ends.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;

use super::client::{
    Client, Via, bad_server, both_ways, fault, gate, left_behind, pause, recorded, wait,
};
use crate::stopwatch::Stopwatch;

both_ways! {
    sigterm_under_load,
    a_server_that_ignores_the_end_is_ended,
    when_the_gate_is_killed_its_server_ends_with_its_input,
    without_a_ledger_nothing_is_recorded,
}

#[test]
fn what_a_server_logs_is_passed_on_without_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let logs =
        "echo connecting with password=hunter2hunter2 >&2; echo key correct-horse-battery >&2; cat";
    let mut gate = gate(Via::Run, dir.path(), &["--no-ledger"], &["sh", "-c", logs]);
    let mut gate = gate.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(gate.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut said = lines.by_ref().skip_while(|it| !it.starts_with("[server bad] connecting"));
    assert_eq!(said.next().unwrap(), "[server bad] connecting with password=[redacted]");
    assert_eq!(said.next().unwrap(), "[server bad] key [redacted]");
    drop(gate.stdin.take());
    assert!(!lines.any(|it| it.contains("hunter2") || it.contains("correct-horse")));
    assert!(gate.wait().unwrap().success());
}

fn sigterm_under_load(via: Via) {
    let mut client = Client::open(via, &[]);
    let ids: Vec<String> =
        (0..200).map(|at| client.begin("sleep", &json!({"ms": 20 * at}))).collect();
    client.answer(&ids[5]);
    let start = client.stopwatch();
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
fn a_client_at_the_end_of_the_gate_hears_of_no_broken_ledger() {
    for _ in 0..3 {
        let dir = tempfile::tempdir().unwrap();
        let ledger = dir.path().join("ledger");
        let ledger = ["--ledger", ledger.to_str().unwrap()];
        let server = bad_server().display().to_string();
        let mut gate = gate(Via::Run, dir.path(), &ledger, &[&server]);
        let mut gate = gate.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let (mut input, output) = (gate.stdin.take().unwrap(), gate.stdout.take().unwrap());
        let asks = std::thread::spawn(move || {
            // Until nobody reads any more.
            (0..1_000_000)
                .take_while(|id| writeln!(input, "{}", call(*id, "echo", &json!({}))).is_ok())
                .count()
        });
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        lines.by_ref().take(50).for_each(drop);
        Command::new("kill").args(["-TERM", &gate.id().to_string()]).status().unwrap();
        let told: Vec<String> = lines.filter(|it| it.contains("AUDIT_LOG_FAILED")).collect();
        assert_eq!(told, Vec::<String>::new());
        assert!(gate.wait().unwrap().success());
        assert!(asks.join().unwrap() > 50);
    }
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
    let start = Stopwatch::start(gate.id());
    drop((input, output));
    assert_eq!(wait(&mut gate), 0);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(recorded(dir.path()).last().unwrap()["code"], "CANCELLED");
    assert_eq!(left_behind(dir.path()), [] as [String; 0]);
}

/// A call of a tool of the bad server.
fn call(id: u32, tool: &str, arguments: &serde_json::Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

#[test]
fn whoever_has_said_all_is_answered_when_the_server_dies() {
    let input = format!("{}\n{}\n", call(1, "a", &json!({})), call(2, "b", &json!({})));
    for server in [
        "exit 3",
        "read x; exit 3",
        "read x; kill -9 $$",
        "read x; read y; exit 3",
        "read x; read y; sleep 0.05; exit 3",
        "read x; printf '{\"jsonrpc\":\"2.0\"'; exit 0",
        "exec 1>&-; sleep 0.1; exit 2",
    ] {
        for _ in 0..3 {
            let args = ["run", "--no-ledger", "--deadline", "15000", "--", "sh", "-c", server];
            let ran = crate::redress::redress(&args, input.as_bytes());
            assert_eq!((ran.exit, ran.out.lines().count()), (0, 2), "{server}: {}", ran.out);
        }
    }
}

#[test]
fn a_gate_that_waits_for_the_last_answer_sleeps() {
    let (dir, server) = (tempfile::tempdir().unwrap(), bad_server());
    let command = [server.to_str().unwrap()];
    let mut gate = gate(Via::Run, dir.path(), &["--no-ledger"], &command).spawn().unwrap();
    let mut input = gate.stdin.take().unwrap();
    writeln!(input, "{}", call(1, "sleep", &json!({"ms": 4_000}))).unwrap();
    drop(input);
    let used = |gate: &std::process::Child| -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", gate.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    (0..400).for_each(|_| pause());
    let before = used(&gate);
    (0..200).for_each(|_| pause());
    let hundredths = used(&gate) - before;
    assert!(hundredths < 30, "it was busy for {hundredths} hundredths of a second");
    assert_eq!(wait(&mut gate), 0);
}

#[test]
fn a_client_that_reads_late_still_hears_everything() {
    let (dir, server) = (tempfile::tempdir().unwrap(), bad_server());
    let command = [server.to_str().unwrap()];
    let mut gate = gate(Via::Run, dir.path(), &["--no-ledger"], &command).spawn().unwrap();
    let mut input = gate.stdin.take().unwrap();
    for id in 0..4 {
        writeln!(input, "{}", call(id, "large", &json!({"mib": 1}))).unwrap();
    }
    drop(input);
    (0..500).for_each(|_| pause());
    let lines = BufReader::new(gate.stdout.take().unwrap()).lines();
    assert_eq!(lines.map_while(Result::ok).filter(|it| it.len() > 1 << 20).count(), 4);
    assert_eq!(wait(&mut gate), 0);
}

fn a_server_that_ignores_the_end_is_ended(via: Via) {
    let mut client = Client::start(via, &[], &["--ignore-eof"]);
    client.initialize();
    let start = client.stopwatch();
    let (exit, _) = client.end();
    assert_eq!(exit, 0);
    assert!(start.elapsed() < Duration::from_secs(5));
}

fn when_the_gate_is_killed_its_server_ends_with_its_input(via: Via) {
    let mut client = Client::open(via, &[]);
    client.signal("-KILL");
    client.wait();
    let until = Instant::now() + Duration::from_secs(60);
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
fn a_ledger_that_cannot_open_is_an_environment_error() {
    let ran = crate::redress::redress(&["run", "--ledger", "/proc/nowhere", "--", "cat"], b"");
    assert_eq!(ran.exit, 3, "{}", ran.err);
    assert!(ran.err.contains("AUDIT_LOG_FAILED") && ran.out.is_empty(), "{}", ran.err);
}

#[test]
fn a_ledger_that_never_opens_keeps_nothing_from_ending() {
    let dir = tempfile::tempdir().unwrap();
    // The ledger waits until somebody reads its witness, which nobody does. (A key that is a pipe is refused at once.)
    let witness = dir.path().join("witness");
    assert!(Command::new("mkfifo").args(["-m", "600"]).arg(&witness).status().unwrap().success());
    let ledger = dir.path().join("ledger").to_str().unwrap().to_owned();
    let options = ["--ledger", &ledger, "--witness", witness.to_str().unwrap()];
    let mut gate = gate(Via::Run, dir.path(), &options, &["sleep", "60"]).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    // The gate takes signals before it starts the server.
    let is_server = |process: &String| {
        fs::read_to_string(format!("{process}/comm")).is_ok_and(|it| it.trim() == "sleep")
    };
    while !left_behind(dir.path()).iter().any(is_server) && Instant::now() < until {
        pause();
    }
    let id = gate.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(wait(&mut gate), 0);
    assert_eq!(left_behind(dir.path()), [""; 0]);
}
