//! Who follows a ledger sees what other processes record, as they record it.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use serde_json::Value;

use super::home::{Home, receipt};

#[test]
fn records_of_other_processes_are_seen_as_they_come() {
    let (home, receipts) = Home::with_failures(3);
    let mut tail = home
        .command(&["tail", "-f", "-n", "2", "--kind", "fault", "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines();
    let mut next = || {
        let record: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        format!("{}:{}", record["seq"], &record["hash"].as_str().unwrap()[..32])
    };
    assert_eq!([next(), next()], receipts[1..]);
    let mut first = home.gate(&[], &[]);
    for _ in 0..2 {
        let told = receipt(&first.fail()).unwrap();
        assert_eq!(next(), told);
    }
    let mut second = home.gate(&[], &["--name", "other"]);
    for gate in [&mut second, &mut first] {
        let told = receipt(&gate.fail()).unwrap();
        assert_eq!(next(), told);
    }
    first.end();
    second.end();
    tail.kill().unwrap();
    tail.wait().unwrap();
}

#[test]
fn who_reads_no_more_ends_it() {
    let (home, _) = Home::with_failures(1);
    let mut tail =
        home.command(&["tail", "-f", "--format", "json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    drop(lines);
    let mut gate = home.gate(&[], &[]);
    gate.fail();
    assert_eq!(crate::gate::client::wait(&mut tail), 0);
    gate.end();
}
