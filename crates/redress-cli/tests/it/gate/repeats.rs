//! Calls that are made again, with a server that counts them in a file: those that may change something never are.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::{Client, Via, assert_works, both_ways, fault};

both_ways! {
    a_call_that_may_change_something_arrives_exactly_once,
    a_reading_call_is_repeated_whatever_lost_its_answer,
    the_last_failure_says_how_often_it_was_tried,
    a_repeat_is_made_without_a_ledger_too,
    who_observes_or_annotates_repeats_nothing,
    a_call_awaiting_its_repeat_is_withdrawn_or_answered,
}

const AWAY: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"connect ECONNREFUSED 10.0.0.1:443"}],"isError":true}}"#;
const LIMITED: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"HTTP 429 Too Many Requests, retry after 1 s"}],"isError":true}}"#;
const INTERNAL: &str = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"503 Service Unavailable","data":{"retryable":true}}}"#;
const SILENT: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"error\":\"ECONNRESET\"}"}]}}"#;

/// A file in which calls are counted.
struct Tally(TempDir);

impl Tally {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("tally")
    }

    fn args(&self, until: u64, fail: &str) -> Value {
        json!({"file": self.path(), "until": until, "fail": fail})
    }

    fn calls(&self) -> usize {
        fs::read(self.path()).map_or(0, |it| it.len())
    }
}

/// A client that has seen the list of tools.
fn client(via: Via, options: &[&str]) -> Client {
    let mut client = Client::open(via, options);
    client.request("tools/list", &json!({}));
    client
}

fn retries(client: &Client) -> Vec<Value> {
    client.records().into_iter().filter(|it| it["kind"] == "retry").collect()
}

fn a_call_that_may_change_something_arrives_exactly_once(via: Via) {
    for fail in ["exit", "close", AWAY, LIMITED, INTERNAL, SILENT] {
        let (tally, mut client) = (Tally::new(), client(via, &[]));
        let answer = client.call("tally", &tally.args(9, fail));
        assert_eq!(fault(&answer)["retryable"], true, "{answer}");
        assert_works(&mut client);
        assert_eq!(tally.calls(), 1, "{fail}");
        assert!(retries(&client).is_empty());
        client.end();
    }
}

fn a_reading_call_is_repeated_whatever_lost_its_answer(via: Via) {
    for (tool, fail) in [
        ("tally_read", "exit"),
        ("tally_again", "exit"),
        ("tally_read", "close"),
        ("tally_read", AWAY),
    ] {
        let (tally, mut client) = (Tally::new(), client(via, &[]));
        let answer = client.call(tool, &tally.args(2, fail));
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{tool} {fail}: {answer}");
        assert_eq!(tally.calls(), 2);
        let retries = retries(&client);
        assert_eq!(retries.len(), 1, "{retries:?}");
        let retry = &retries[0]["retry"];
        assert_eq!((&retry["tool"], &retry["attempt"]), (&json!(tool), &json!(2)));
        assert_eq!(retry["why"], if tool == "tally_read" { "read_only" } else { "idempotent" });
        assert_works(&mut client);
        let (_, recorded) = client.end();
        assert!(recorded.is_empty(), "nobody failed in the end: {recorded:?}");
    }
}

fn the_last_failure_says_how_often_it_was_tried(via: Via) {
    let (tally, mut client) = (Tally::new(), client(via, &[]));
    let answer = client.call("tally_read", &tally.args(9, "exit"));
    assert_eq!(fault(&answer)["code"], "UPSTREAM_CRASHED");
    assert_eq!(fault(&answer)["details"]["attempts"], 2);
    let card = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(card.contains(" The gate tried it 2 times."), "{card}");
    assert_eq!(tally.calls(), 2);
    client.end();
}

fn a_repeat_is_made_without_a_ledger_too(via: Via) {
    let (tally, mut client) = (Tally::new(), Client::bare(via, &["--no-ledger"]));
    client.request("tools/list", &json!({}));
    let answer = client.call("tally_read", &tally.args(2, "exit"));
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    client.end();
}

fn who_observes_or_annotates_repeats_nothing(via: Via) {
    for mode in ["observe", "annotate"] {
        let (tally, mut client) = (Tally::new(), client(via, &["--mode", mode]));
        client.call("tally_read", &tally.args(2, AWAY));
        assert_eq!(tally.calls(), 1);
        client.end();
    }
}

fn a_call_awaiting_its_repeat_is_withdrawn_or_answered(via: Via) {
    let (tally, mut client) = (Tally::new(), client(via, &[]));
    let id = client.begin("tally_read", &tally.args(2, "exit"));
    while retries(&client).is_empty() {
        super::client::pause();
    }
    let pid = client.gate_pid().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let answer = client.answer(&id);
    assert_eq!(fault(&answer)["code"], "SHUTTING_DOWN", "{answer}");
    assert_eq!(tally.calls(), 1);
    client.end();
}
