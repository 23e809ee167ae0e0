//! The order that everything rests on, through the whole gate: the record is written, synced, and only then the client told.

use std::{
    fs,
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use serde_json::{Value, json};

use super::home::{Home, failing, receipt};
use crate::{
    gate::{
        client::{bad_server, hello, wait},
        http::{Http, listening},
    },
    redress::SERVE,
    strace::{Call, calls, strace},
};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The numbers behind a mark, in the order in which they stand in a text.
fn numbers(text: &str, mark: &str) -> Vec<u64> {
    let digits = |it: &str| it.bytes().take_while(u8::is_ascii_digit).count();
    text.split(mark).skip(1).map(|it| it[..digits(it)].parse().unwrap()).collect()
}

#[test]
fn every_failure_is_told_after_a_sync_that_covers_its_record() {
    let home = Home::new();
    let log = home.path().join("strace.log");
    let words = strace(&log, &["-y", "-s", "4000000", "-e", "trace=write,writev,fdatasync"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut gate = home.gate(&words, &[]);
    let mut heard: Vec<Value> = (0..20).map(|_| gate.fail()).collect();
    for _ in 0..60 {
        gate.ask("tools/call", &json!({"name": "read", "arguments": failing()}));
    }
    heard.extend((0..60).map(|_| gate.hear().unwrap()));
    heard.push(gate.call("exit", &json!({"code": 1})));
    gate.end();
    assert!(heard.iter().all(|it| receipt(it).is_some()));
    home.assert_sound();

    let calls = calls(&fs::read_to_string(&log).unwrap());
    assert_proven(&calls, "<pipe:", heard.len());
    let syncs = calls.iter().filter(|it| it.name == "fdatasync").count();
    assert!(syncs < heard.len(), "failures that wait together share a sync: {syncs}");
}

/// Asserts that so many failures were told on streams of some kind, each after a sync that covers its record.
fn assert_proven(calls: &[Call], stream: &str, failures: usize) {
    let is_write = |it: &&Call| it.name.starts_with("write");
    let is_told =
        |it: &&Call| (is_write(it) || it.name.starts_with("send")) && it.file().contains(stream);
    let to_client = calls.iter().filter(is_told);
    let mut proven = Vec::new();
    for told in to_client {
        for seq in numbers(&told.args, r#"\"ledger\":{\"seq\":"#) {
            let mark = format!(r#"{{\"seq\":{seq},"#);
            let record = calls.iter().filter(is_write).find(|it| {
                it.file().contains(".jsonl>")
                    && it.args.contains(&mark)
                    && it.result.parse::<u64>().is_ok()
            });
            let record = record.unwrap_or_else(|| panic!("record {seq} was never written"));
            let is_its_sync = |it: &&Call| {
                it.name == "fdatasync" && it.file() == record.file() && it.began > record.ended
            };
            let sync = calls.iter().find(is_its_sync);
            let sync = sync.unwrap_or_else(|| panic!("record {seq} was never synced"));
            assert_eq!(sync.result, "0");
            assert!(sync.ended < told.began, "failure {seq} was told before it was durable");
            proven.push(seq);
        }
    }
    // Each stands in an answer once in `_meta` and once in `structuredContent`.
    proven.sort_unstable();
    proven.dedup();
    assert_eq!(proven.len(), failures);
}

#[test]
fn over_http_every_failure_is_told_after_its_record_is_synced() {
    let home = Home::new();
    let log = home.path().join("strace.log");
    let traced = "trace=write,writev,sendto,sendmsg,fdatasync";
    let words = strace(&log, &["-y", "-s", "100000", "-e", traced]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(env!("CARGO_BIN_EXE_redress"));
    command.args(SERVE).args(["--name", "bad", "--"]).arg(bad_server());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut gate = home.at_home(command).spawn().unwrap();
    let at = listening(gate.stderr.take().unwrap());
    let (sender, heard) = mpsc::channel();
    let http = Http::new(&at, sender);
    let say = |id: usize, method: &str, params: &Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        http.write(message.to_string().as_bytes());
    };
    let hear = || serde_json::from_str::<Value>(&heard.recv_timeout(PATIENCE).unwrap()).unwrap();
    say(1, "initialize", &hello());
    hear();
    say(2, "tools/list", &json!({}));
    hear();
    let call = json!({"name": "read", "arguments": failing()});
    let mut told = Vec::new();
    for id in 10..20 {
        say(id, "tools/call", &call);
        told.push(hear());
    }
    // All at once.
    (20..60).for_each(|id| say(id, "tools/call", &call));
    told.extend((20..60).map(|_| hear()));
    say(60, "tools/call", &json!({"name": "exit", "arguments": {"code": 1}}));
    told.push(hear());
    assert!(told.iter().all(|it| receipt(it).is_some()));
    // The gate is the child of strace, which ends with it.
    let children = format!("/proc/{0}/task/{0}/children", gate.id());
    let traced = fs::read_to_string(children).unwrap();
    Command::new("kill").arg(traced.trim()).status().unwrap();
    assert_eq!(wait(&mut gate), 0);
    home.assert_sound();
    assert_proven(&calls(&fs::read_to_string(&log).unwrap()), "<socket:", told.len());
}
