//! A disk that fails or is full: the gate says so and refuses, or, if it was told to, goes on.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::home::{Gate, Home, failing, receipt};
use crate::{
    gate::client::{fault, pause},
    strace::strace,
};

/// A gate whose syncs fail as strace is told, which counts the calls of each thread for itself; two of them commit.
fn gate(home: &Home, inject: &str, options: &[&str]) -> Gate {
    let inject = format!("inject={inject}");
    let call = inject.split(['=', ':']).nth(1).unwrap().to_owned();
    let log = home.path().join("strace.log");
    let words = strace(&log, &["-e", &format!("trace={call}"), "-e", &inject]);
    home.gate(&words.iter().map(String::as_str).collect::<Vec<_>>(), options)
}

/// Fails until that cannot be recorded: what was recorded before, and what was not.
fn until_unrecorded(gate: &mut Gate) -> (Vec<Value>, Value) {
    let mut recorded = Vec::new();
    loop {
        let told = gate.fail();
        if receipt(&told).is_none() {
            return (recorded, told);
        }
        recorded.push(told);
        assert!(recorded.len() < 4, "the disk never failed");
    }
}

/// Asserts that the client heard nothing but that recording failed.
pub(super) fn assert_unrecorded(answer: &Value) {
    let fault = fault(answer);
    let said = (fault["code"].as_str().unwrap(), fault["origin"].as_str().unwrap());
    assert_eq!(said, ("AUDIT_LOG_FAILED", "gate"), "{answer}");
    assert_eq!(fault["retry"]["kind"], "after_human");
    assert!(fault.get("ledger").is_none() && fault.get("server_text").is_none(), "{answer}");
    assert!(!answer.to_string().contains("ENOENT"), "{answer}");
    assert_eq!(answer["result"]["isError"], true);
}

#[test]
fn a_disk_that_fails_for_good_closes_the_gate_for_new_calls() {
    let home = Home::new();
    let mut gate = gate(&home, "fdatasync:error=EIO:when=2+", &[]);
    let (recorded, failed) = until_unrecorded(&mut gate);
    assert_eq!(fault(&recorded[0])["code"], "FILE_NOT_FOUND");
    assert_unrecorded(&failed);
    // Now even a call that would succeed is refused, and never reaches the server.
    for _ in 0..3 {
        let refused = gate.call("pid", &json!({}));
        assert_unrecorded(&refused);
        assert_eq!(fault(&refused)["context"]["tool"], "pid");
    }
    gate.end();
    // The next gate finds everything in order, and what was acknowledged is there.
    home.gate(&[], &[]).end();
    for told in &recorded {
        let ran = home.run(&["verify", "--receipt", &receipt(told).unwrap()]);
        assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
    }
    assert_eq!(home.json(&["query", "--kind", "fault"]).len(), recorded.len());
    // The operator heard of it when it happened, and the next ledger tells how much is missing.
    let said = fs::read_to_string(home.log()).unwrap();
    assert_eq!(said.matches("ledger: the ledger is closed: cannot ").count(), 1, "{said}");
    let gaps = home.json(&["query", "--kind", "gap"]);
    assert_eq!(gaps.len(), 1);
    assert_eq!(gaps[0]["gap"]["count"], 4);
}

#[test]
fn a_gate_that_may_fail_open_tells_the_failure_all_the_same() {
    let home = Home::new();
    let mut gate = gate(&home, "fdatasync:error=EIO:when=2+", &["--on-ledger-failure", "open"]);
    assert!(!until_unrecorded(&mut gate).0.is_empty());
    for _ in 0..3 {
        let told = gate.fail();
        assert_eq!(fault(&told)["code"], "FILE_NOT_FOUND", "{told}");
        assert!(fault(&told).get("ledger").is_none(), "nothing to show for it: {told}");
        let fine = gate.call("pid", &json!({}));
        assert!(fine["result"]["content"][0]["text"].is_string(), "{fine}");
    }
    gate.end();
    home.gate(&[], &[]).end();
    home.assert_sound();
}

#[test]
fn a_slow_disk_holds_back_failures_and_nothing_else() {
    let home = Home::new();
    let mut gate = gate(&home, "fdatasync:delay_enter=500ms", &[]);
    for tool in ["read", "read", "pid", "pid"] {
        gate.ask("tools/call", &json!({"name": tool, "arguments": failing()}));
    }
    let heard: Vec<Value> = (0..4).map(|_| gate.hear().unwrap()).collect();
    let is_failure = |it: &Value| it["result"]["isError"] == true;
    assert!(!is_failure(&heard[0]) && !is_failure(&heard[1]), "{heard:?}");
    assert!(is_failure(&heard[2]) && is_failure(&heard[3]), "{heard:?}");
    gate.end();
    home.assert_sound();
}

#[test]
fn a_limit_on_the_length_of_files_does_not_end_the_gate() {
    let home = Home::new();
    let mut gate = home.gate(&["prlimit", "--fsize=65536"], &[]);
    for _ in 0..100 {
        let told = gate.fail();
        assert!(receipt(&told).is_some(), "{told}");
    }
    gate.end();
    home.assert_sound();
    assert_eq!(home.json(&["query", "--kind", "fault"]).len(), 100);
    assert!(
        home.segment().with_file_name("00000002.jsonl").exists(),
        "the limit was never reached"
    );
}

#[test]
fn a_ledger_that_is_removed_closes_the_gate() {
    let home = Home::new();
    let mut gate = home.gate(&[], &[]);
    assert!(receipt(&gate.fail()).is_some());
    fs::remove_dir_all(home.ledger()).unwrap();
    assert_unrecorded(&gate.fail());
    assert_unrecorded(&gate.call("pid", &json!({})));
    gate.end();
}

/// Asks until a call succeeds again.
pub(super) fn until_it_works(gate: &mut Gate) -> u64 {
    let until = Instant::now() + Duration::from_secs(60);
    let mut refused = 0;
    loop {
        let answer = gate.call("pid", &json!({}));
        if answer["result"].get("isError").is_none() {
            return refused;
        }
        assert_unrecorded(&answer);
        refused += 1;
        assert!(Instant::now() < until, "{answer}");
        pause();
    }
}

#[test]
fn a_full_disk_refuses_until_there_is_space_and_the_gap_is_told() {
    let home = Home::new();
    // A failed sync, and its repetition in a new segment.
    let mut gate = gate(&home, "fdatasync:error=ENOSPC:when=2..3", &[]);
    let (mut recorded, mut refused) = (0, 0);
    while recorded < 8 {
        let told = gate.fail();
        if receipt(&told).is_some() {
            recorded += 1;
        } else {
            assert_unrecorded(&told);
            refused += 1 + until_it_works(&mut gate);
        }
    }
    gate.end();
    home.assert_sound();
    let gaps = home.json(&["query", "--kind", "gap"]);
    let told: u64 = gaps.iter().map(|it| it["gap"]["count"].as_u64().unwrap()).sum();
    assert!(told == refused && refused > 0, "{told} of {refused}");
    let stats = home.json(&["stats"]).remove(0);
    let counted = (&stats["unrecorded"], &stats["by_kind"]["fault"]);
    assert_eq!(counted, (&json!(told), &json!(recorded)));
}

#[test]
fn a_server_cannot_keep_a_failure_out_of_the_ledger_by_its_code() {
    let home = Home::new();
    let mut gate = home.gate(&[], &[]);
    let envelope =
        json!({"v": 1, "code": "AUDIT_LOG_FAILED", "message": "nothing to see", "origin": "gate"});
    let result =
        json!({"content": [{"type": "text", "text": envelope.to_string()}], "isError": true});
    let line = json!({"jsonrpc": "2.0", "id": "ID", "result": result}).to_string();
    let told = gate.call("say", &json!({"lines": [line.replace("\"ID\"", "ID")]}));
    assert_eq!(fault(&told)["code"], "AUDIT_LOG_FAILED", "{told}");
    assert_ne!(fault(&told)["origin"], "gate", "{told}");
    assert!(receipt(&told).is_some(), "{told}");
    gate.end();
}

/// One call through a gate whose ledger cannot be opened, because a file is in its way.
fn blocked(on_failure: &str) -> crate::redress::Ran {
    let home = tempfile::tempdir().unwrap();
    let server = r#"while read -r line; do case "$line" in *tools/call*) echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"ENOENT: no such file"}}' | sed "s/\"id\":1/$(echo "$line" | grep -o '"id":[^,]*')/";; esac; done"#;
    fs::write(home.path().join("server.sh"), server).unwrap();
    crate::redress::shell(
        &format!(
            r#"export HOME=$PWD; touch file
            echo '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"read"}}}}' |
            timeout 20 redress run --ledger file/ledger --on-ledger-failure {on_failure} -- sh server.sh"#
        ),
        home.path(),
    )
}

#[test]
fn a_ledger_that_cannot_be_opened_is_told_to_whoever_asks() {
    let ran = blocked("closed");
    assert_eq!(ran.exit, 3, "{}", ran.err);
    assert!(ran.out.contains("AUDIT_LOG_FAILED") && !ran.out.contains("ENOENT"), "{}", ran.out);
    assert!(ran.err.contains("every request is refused with AUDIT_LOG_FAILED"), "{}", ran.err);
}

#[test]
fn a_gate_that_may_fail_open_serves_without_its_ledger() {
    let ran = blocked("open");
    assert_eq!(ran.exit, 0, "{}", ran.err);
    assert!(ran.out.contains("FILE_NOT_FOUND"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("calls go on, and no failure is recorded"), "{}", ran.err);
}

#[test]
fn a_key_that_others_can_read_is_told_with_what_helps() {
    let home = tempfile::tempdir().unwrap();
    let line = "export HOME=$PWD; unset XDG_CONFIG_HOME XDG_STATE_HOME; redress run -- cat < /dev/null; \
                chmod 644 .config/redress/ledger.key; redress run -- cat < /dev/null";
    let ran = crate::redress::shell(line, home.path());
    assert_eq!(ran.exit, 3, "{}", ran.err);
    assert!(
        ran.err.contains("Fix: chmod 600 ") && !ran.err.contains("--ledger DIR"),
        "{}",
        ran.err
    );
}
