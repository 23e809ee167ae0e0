//! The order that everything rests on: write, a sync that returned 0, and only then the acknowledgement.

use std::fs;

use crate::{
    fixture::Place,
    process::{Plan, assert_kept, start, temporary_log},
    strace::{calls, strace},
};

#[test]
fn every_acknowledgement_follows_a_sync_that_covers_its_record() {
    let place = Place::new();
    let (_keep, log) = temporary_log("order");
    let options = ["-s", "4000000", "-e", "trace=write,fdatasync,fsync,openat,writev"];
    let plan =
        Plan { threads: 8, each: 25, segment_bytes: 20_000, reserve_bytes: 1 << 20, haste: 1 };
    let running = start(&place, &plan, &strace(&log, &options)).finish();
    assert!(running.closed, "{:?}", running.errors);
    assert_eq!(running.acks.len(), 200);
    assert_kept(&place, &running.acks);

    let calls = calls(&fs::read_to_string(&log).unwrap());
    let mut proven = 0;
    for ack in calls.iter().filter(|it| it.name == "writev" && it.args.contains("\"ack ")) {
        let (_, rest) = ack.args.split_once("\"ack ").unwrap();
        let seq = rest.split(' ').next().unwrap();
        let mark = format!("{{\\\"seq\\\":{seq},");
        let write = calls
            .iter()
            .find(|it| {
                it.name == "write" && it.args.contains(&mark) && it.result.parse::<u64>().is_ok()
            })
            .unwrap_or_else(|| panic!("no write of record {seq}"));
        let sync = calls
            .iter()
            .find(|it| it.name == "fdatasync" && it.args == write.file() && it.began > write.ended)
            .unwrap_or_else(|| panic!("no sync after the write of record {seq}"));
        assert_eq!(sync.result, "0");
        assert!(sync.ended < ack.began, "record {seq} was told before it was durable");
        proven += 1;
    }
    assert_eq!(proven, 200);
    let syncs = calls.iter().filter(|it| it.name == "fdatasync").count();
    assert!(syncs * 2 < 200, "200 records took {syncs} syncs: they do not share them");
}

#[test]
fn a_new_segment_and_its_directory_are_synced_before_it_is_used() {
    let place = Place::new();
    let (_keep, log) = temporary_log("segments");
    let options = ["-y", "-s", "64", "-e", "trace=write,fdatasync,fsync,openat"];
    let plan =
        Plan { threads: 1, each: 30, segment_bytes: 2_000, reserve_bytes: 1 << 20, haste: 1 };
    let running = start(&place, &plan, &strace(&log, &options)).finish();
    assert!(running.closed, "{:?}", running.errors);
    let calls = calls(&fs::read_to_string(&log).unwrap());
    let mut checked = 0;
    for (at, call) in calls.iter().enumerate() {
        let is_new =
            call.name == "openat" && call.args.contains(".jsonl") && call.args.contains("O_EXCL");
        if !is_new {
            continue;
        }
        let (_, path) = call.result.split_once('<').unwrap();
        let path = path.trim_end_matches('>');
        let (chain, _) = path.rsplit_once('/').unwrap();
        let after = &calls[at + 1..];
        let position = |name: &str, what: &str| {
            after.iter().position(|it| it.name == name && it.args.contains(&format!("<{what}>")))
        };
        let (file, directory, write) = (
            position("fsync", path).unwrap(),
            position("fsync", chain).unwrap(),
            position("write", path).unwrap(),
        );
        assert!(file < write && directory < write, "{path}");
        checked += 1;
    }
    assert!(checked > 5, "{checked}");
}
