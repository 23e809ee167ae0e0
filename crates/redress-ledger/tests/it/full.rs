//! A full disk: what is in flight is still recorded, new calls are refused, and the gap is told when there is space again.

use std::fs;

use redress_ledger::{Kind, Ledger, LedgerError};

use crate::{
    fixture::{Place, record},
    process::{Plan, assert_kept, start, temporary_log},
    strace::strace,
};

#[test]
fn without_space_new_calls_are_refused_and_the_gap_is_recorded() {
    let place = Place::new();
    let (_keep, log) = temporary_log("full");
    let options = ["-e", "trace=fallocate", "-e", "inject=fallocate:error=ENOSPC:when=2..9"];
    let plan =
        Plan { threads: 1, each: 200, segment_bytes: 1 << 20, reserve_bytes: 4096, haste: 1_000 };
    let running = start(&place, &plan, &strace(&log, &options)).finish();
    assert!(fs::read_to_string(&log).unwrap().contains("INJECTED"));
    // Everything that was in flight is on record.
    assert_eq!(running.acks.len(), 200, "{:?}", running.errors);
    assert!(running.refusals > 0 && running.refusals < 200, "{}", running.refusals);
    assert_kept(&place, &running.acks);
    let told: u64 = place
        .entries()
        .iter()
        .filter(|it| it.kind == Kind::Gap)
        .map(|it| it.with(|it| it.get("count").unwrap().as_u64().unwrap()).unwrap())
        .sum();
    assert_eq!(told, u64::try_from(running.refusals).unwrap());
    assert!(place.verify().is_sound());
}

#[test]
fn writes_without_space_close_and_open_again_with_a_gap() {
    let place = Place::new();
    let (_keep, log) = temporary_log("enospc");
    let options = ["-e", "trace=write", "-e", "inject=write:error=ENOSPC:when=20..27"];
    let plan =
        Plan { threads: 1, each: 300, segment_bytes: 1 << 20, reserve_bytes: 4096, haste: 300 };
    let running = start(&place, &plan, &strace(&log, &options)).finish();
    assert!(running.closed, "{:?}", running.errors);
    assert!(!running.errors.is_empty() && running.acks.len() > 100, "{}", running.acks.len());
    assert_eq!(running.acks.len() + running.errors.len(), 300);
    assert_kept(&place, &running.acks);
    let gaps = place.entries().into_iter().filter(|it| it.kind == Kind::Gap);
    let told: u64 =
        gaps.map(|it| it.with(|it| it.get("count").unwrap().as_u64().unwrap()).unwrap()).sum();
    let missed = running.errors.len() + running.refusals;
    assert_eq!(told, u64::try_from(missed).unwrap());
    assert!(place.verify().is_sound());
}

#[test]
fn a_gap_of_an_earlier_ledger_is_told_by_the_next() {
    let place = Place::new();
    let first = place.open();
    first.close().unwrap();
    assert!(matches!(first.append_wait(record("late")), Err(LedgerError::Closed)));
    let gap = first.gap().unwrap();
    assert_eq!(gap.count, 1);
    let mut options = place.options();
    options.gap = Some(gap);
    Ledger::open(options).unwrap().close().unwrap();
    assert_eq!(place.entries().iter().filter(|it| it.kind == Kind::Gap).count(), 1);
}
