//! Refusals that come in a flood: the ledger counts them, and its commands know the counts.

use std::{process::Command, time::Instant};

use serde_json::{Value, json};

use super::{assert_refused, call, many::begin, say};
use crate::gate::{
    client::{Client, Via, bad_server, envelope, fault},
    http::Http,
};

/// How many refusals are a flood.
const FLOOD: u64 = 600;

/// How many records of their own a kind gets at once.
const AT_ONCE: u64 = 16;

/// The objects of the records of a kind.
fn objects(records: &[Value], kind: &str) -> Vec<Value> {
    let of_kind = records.iter().filter(|it| it["kind"] == kind);
    of_kind.map(|it| it[kind].clone()).collect()
}

/// How often a code was recorded, and how often it was counted.
fn told(records: &[Value], code: &str) -> (u64, u64) {
    let recorded = objects(records, "fault").iter().filter(|it| it["code"] == code).count();
    let refusals = objects(records, "refusals");
    let lines = refusals.iter().flat_map(|it| it["counts"].as_array().unwrap());
    let counted = lines.filter(|it| it["code"] == code).map(|it| it["count"].as_u64().unwrap());
    (u64::try_from(recorded).unwrap(), counted.sum())
}

/// Asserts that every refusal of a flood is recorded or counted, and that few have records of their own. One more has one each second, however
/// long the flood took.
fn assert_counted(records: &[Value], code: &str, started: Instant) {
    let seconds = started.elapsed().as_secs() + 2;
    let (recorded, counted) = told(records, code);
    assert_eq!(recorded + counted, FLOOD, "{code}");
    assert!((1..=AT_ONCE + seconds).contains(&recorded), "{recorded} records in {seconds} s");
    let refusals = u64::try_from(objects(records, "refusals").len()).unwrap();
    assert!((1..=seconds).contains(&refusals), "{refusals} records of counts in {seconds} s");
}

fn verified(ledger: &std::path::Path, args: &[&str]) -> String {
    let mut redress = Command::new(env!("CARGO_BIN_EXE_redress"));
    redress.arg("ledger").args(args).arg(ledger);
    let output = redress.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{args:?}: {text} {:?}", String::from_utf8(output.stderr));
    text
}

#[test]
fn a_flood_of_refusals_before_a_session_is_counted() {
    let client = Client::start(Via::Serve, &[], &[]);
    let http = client.http();
    let started = Instant::now();
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    for number in 0..FLOOD {
        let body = assert_refused(say(&http, &[], ping), 400, -32600, "INVALID_REQUEST");
        let receipt = &fault(&body)["ledger"];
        assert!(number > 0 || receipt.is_object(), "the first has a record: {body}");
    }
    let ledger = client.ledger();
    let (mut client, started) = (client, started);
    client.close();
    assert_eq!(client.wait(), 0);
    let records = client.records();
    assert_counted(&records, "INVALID_REQUEST", started);

    let stats: Value =
        serde_json::from_str(&verified(&ledger, &["stats", "--format", "json"])).unwrap();
    let (_, counted) = told(&records, "INVALID_REQUEST");
    assert_eq!(
        (&stats["counted"], &stats["by_code"]["INVALID_REQUEST"]),
        (&counted.into(), &FLOOD.into())
    );
    assert!(verified(&ledger, &["verify"]).contains("sound"));
    let found = verified(
        &ledger,
        &["query", "--kind", "refusals", "--code", "INVALID_REQUEST", "--format", "text"],
    );
    assert!(found.contains("INVALID_REQUEST of") && found.contains("(local)"), "{found}");
    assert_eq!(verified(&ledger, &["query", "--kind", "refusals", "--code", "OVERLOADED"]), "");
    let table = verified(&ledger, &["export", "--format", "csv", "--kind", "refusals"]);
    assert!(table.contains(",INVALID_REQUEST,"), "{table}");
}

#[test]
fn a_flood_of_wrong_hosts_is_counted() {
    let server = bad_server().display().to_string();
    let config =
        format!("[auth]\ntokens = ['${{GATE_TOKEN}}']\n[server.bad]\ncommand = [{server:?}]\n");
    let env = [("GATE_TOKEN", "a-token-that-is-long-enough-to-be-one")];
    let mut client = Client::with_config(Via::Serve, &config, "bad", &[], &env);
    let http = client.http();
    let started = Instant::now();
    for number in 0..FLOOD {
        let wrong = format!("Bearer wrong-{number}");
        // A wrong token alone is slowed down, and counted by its own records.
        let headers = [("Host", "evil.example"), ("Authorization", &*wrong)];
        assert_refused(say(&http, &headers, "{}"), 403, 4200, "UNAUTHORIZED_ACTION");
    }
    client.close();
    assert_eq!(client.wait(), 0);
    let records = client.records();
    assert_counted(&records, "UNAUTHORIZED_ACTION", started);
    assert!(!format!("{records:?}").contains("wrong-"), "no token is recorded");
}

#[test]
fn a_flood_of_refusals_in_a_session_is_counted() {
    let client = Client::start(Via::Serve, &[], &[]);
    let http = client.http();
    let session = begin(&http);
    let started = Instant::now();
    for _ in 0..FLOOD {
        let answer =
            say(&http, &[("Mcp-Session-Id", &*session)], r#"{"jsonrpc":"2.0","id":1,"method":7}"#);
        assert_refused(answer, 400, -32600, "INVALID_REQUEST");
    }
    let mut client = client;
    client.close();
    assert_eq!(client.wait(), 0);
    assert_counted(&client.records(), "INVALID_REQUEST", started);
}

#[test]
fn failures_of_a_server_over_its_quota_are_counted() {
    const CALLS: u64 = 1_500;
    let server = bad_server().display().to_string();
    let config = format!(
        "[ledger]\nfault_bytes_per_hour = 65536\n[loop]\nenabled = false\n[server.bad]\ncommand = [{server:?}]\n"
    );
    let mut client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http: Http = client.http();
    let session = begin(&http);
    for id in 0..CALLS {
        let message = call(&json!(id), "no_such_tool", &json!({}));
        let answer = say(&http, &[("Mcp-Session-Id", &*session)], &message).json();
        assert!(envelope(&answer).is_some(), "it is told all the same: {answer}");
    }
    client.close();
    assert_eq!(client.wait(), 0);
    let records = client.records();
    let faults = objects(&records, "fault");
    let code = faults[0]["code"].as_str().unwrap();
    let (recorded, counted) = told(&records, code);
    assert_eq!(recorded + counted, CALLS);
    assert!(counted > 0 && recorded > 100, "{recorded} {counted}");
    let bytes: usize = records.iter().map(|it| it.to_string().len()).sum();
    assert!(bytes < 1 << 20, "{bytes}: eight hours' worth are 512 KiB");
}
