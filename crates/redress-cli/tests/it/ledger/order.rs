//! The order that everything rests on, through the whole gate: the record is written, synced, and only then the client told.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use super::home::{Home, failing, receipt, strace};

/// A system call as strace wrote it, with the lines of the log where it began and ended.
struct Call {
    name: String,
    args: String,
    result: String,
    began: usize,
    ended: usize,
}

impl Call {
    /// The descriptor, with what it is open on.
    fn file(&self) -> &str {
        self.args.split(',').next().unwrap()
    }
}

/// Reads a log of `strace -f`, putting interrupted calls together.
fn calls(log: &str) -> Vec<Call> {
    let mut open: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut calls = Vec::new();
    for (at, line) in log.lines().enumerate() {
        let Some((pid, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(start) = rest.strip_suffix(" <unfinished ...>") {
            open.insert(pid, (at, start));
            continue;
        }
        let (began, whole) = match rest.strip_prefix("<... ") {
            None => (at, rest.to_owned()),
            Some(resumed) => {
                let Some((began, start)) = open.remove(pid) else { continue };
                let (_, tail) = resumed.split_once("resumed>").unwrap();
                (began, format!("{start}{tail}"))
            }
        };
        let Some((name, rest)) = whole.split_once('(') else { continue };
        let Some((args, result)) = rest.rsplit_once(" = ") else { continue };
        let args = args.trim_end().trim_end_matches(')').to_owned();
        let (name, result) = (name.to_owned(), result.to_owned());
        calls.push(Call { name, args, result, began, ended: at });
    }
    calls
}

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
    let is_write = |it: &&Call| it.name.starts_with("write");
    let to_client = calls.iter().filter(is_write).filter(|it| it.file().contains("<pipe:"));
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
    assert_eq!(proven.len(), heard.len());
    let syncs = calls.iter().filter(|it| it.name == "fdatasync").count();
    assert!(syncs < heard.len(), "failures that wait together share a sync: {syncs}");
}
