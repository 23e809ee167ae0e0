//! What the ledger of a server that is not governed says of calls that succeeded: how many there were, and which ended failures.

use std::{fs, process::Command};

use serde_json::{Value, json};

use super::client::{Client, Via, both_ways};

both_ways! {
    the_calls_of_a_minute_are_counted_in_every_mode,
    a_success_after_failures_of_its_tool_is_recorded,
    a_call_that_was_repeated_and_then_succeeded_is_counted_so,
}

const FAILED: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ENOENT: no such file or directory, open 'a'"}],"isError":true}}"#;
const AWAY: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"connect ECONNREFUSED 10.0.0.1:443"}],"isError":true}}"#;

/// Ends the gate, and gives the records of a kind.
fn records_after(client: &mut Client, kind: &str) -> Vec<Value> {
    client.close();
    assert_eq!(client.wait(), 0);
    client.records().into_iter().filter(|it| it["kind"] == kind).collect()
}

/// The calls by tool and outcome of all minutes.
fn counted(tallies: &[Value], tool: &str) -> [u64; 5] {
    let lines = tallies.iter().flat_map(|it| it["tally"]["calls"].as_array().unwrap());
    let mut sum = [0; 5];
    for line in lines.filter(|it| it["tool"] == tool) {
        assert_eq!(line["server"], "bad");
        let outcomes = ["ok", "fault", "refused", "cancelled", "repeated"];
        let counts = outcomes.map(|it| line[it].as_u64().unwrap());
        let timed: u64 = line["ms"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).sum();
        assert_eq!(timed, counts.iter().sum::<u64>(), "each call has a duration: {line}");
        sum.iter_mut().zip(counts).for_each(|(sum, it)| *sum += it);
    }
    sum
}

fn the_calls_of_a_minute_are_counted_in_every_mode(via: Via) {
    for mode in ["enforce", "annotate", "observe"] {
        let mut client = Client::open(via, &["--mode", mode]);
        client.request("tools/list", &json!({}));
        for tool in ["pid", "pid", "pid", "not_there", "nor_this"] {
            client.call(tool, &json!({}));
        }
        client.say(&[FAILED]);
        let tallies = records_after(&mut client, "tally");
        assert!((1..=2).contains(&tallies.len()), "one for each minute: {tallies:?}");
        assert_eq!(counted(&tallies, "pid"), [3, 0, 0, 0, 0], "{mode}");
        assert_eq!(counted(&tallies, "(others)"), [0, 2, 0, 0, 0], "{mode}: names not in the list");
        let ledger = client.ledger();
        let verify = Command::new(env!("CARGO_BIN_EXE_redress"))
            .args(["ledger", "verify"])
            .arg(&ledger)
            .env("XDG_CONFIG_HOME", ledger.with_file_name("config"))
            .output()
            .unwrap();
        assert!(verify.status.success(), "{}", String::from_utf8_lossy(&verify.stdout));
    }
}

fn a_success_after_failures_of_its_tool_is_recorded(via: Via) {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Client::open(via, &[]);
    let args = json!({"file": dir.path().join("calls"), "until": 3, "fail": FAILED});
    for tool in ["pid", "tally", "pid", "tally", "tally", "tally", "pid"] {
        client.call(tool, &args);
    }
    assert_eq!(fs::read(dir.path().join("calls")).unwrap().len(), 4);
    let calls = records_after(&mut client, "call");
    let faults: Vec<_> = client.records().into_iter().filter(|it| it["kind"] == "fault").collect();
    let numbers: Vec<_> = faults.iter().map(|it| it["request"]["call"].as_u64()).collect();
    assert_eq!(numbers, [Some(1), Some(3)]);
    assert_eq!(calls.len(), 1, "{calls:?}");
    let (call, request) = (&calls[0]["call"], &calls[0]["request"]);
    assert_eq!((&call["server"], &call["tool"]), (&"bad".into(), &"tally".into()));
    assert_eq!((&call["failures"], &request["call"]), (&2.into(), &4.into()));
    assert_eq!(request["session"], faults[0]["request"]["session"]);
    assert_eq!(request["client"]["name"], "t");
}

fn a_call_that_was_repeated_and_then_succeeded_is_counted_so(via: Via) {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Client::open(via, &[]);
    client.request("tools/list", &json!({}));
    let args = json!({"file": dir.path().join("calls"), "until": 2, "fail": AWAY});
    assert_eq!(client.call("tally_read", &args)["result"]["content"][0]["text"], "done");
    let tallies = records_after(&mut client, "tally");
    assert_eq!(counted(&tallies, "tally_read"), [0, 0, 0, 0, 1]);
}
