//! A full disk: what is in flight is still recorded, new calls are refused, and the gap is told when there is space again.

use std::{fs, path::Path, process::Command, thread, time::Duration};

use redress_ledger::{Kind, Ledger, LedgerError};

use crate::{
    fixture::{Place, record},
    process::{Plan, assert_kept, rounds, start, temporary_log},
    strace::strace,
};

#[test]
fn without_space_ahead_new_calls_are_refused_and_the_gap_is_told() {
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

/// A file system that can really be filled. It needs the right to mount, so only the long run does it.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new(size: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(dir.path())
            .output();
        let mount = mount.unwrap();
        assert!(mount.status.success(), "{}", String::from_utf8_lossy(&mount.stderr));
        Self(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0.path()).status().unwrap();
    }
}

#[test]
fn a_disk_that_is_really_full_takes_what_is_in_flight() {
    if rounds(0, 1) == 0 {
        return;
    }
    let disk = SmallDisk::new("4m");
    let mut place = Place::new();
    place.dir = disk.path().join("ledger");
    let mut options = place.options();
    options.reserve_bytes = 256 << 10;
    let ledger = Ledger::open(options).unwrap();
    ledger.append_wait(record("before")).unwrap();
    let filler = disk.path().join("filler");
    drop(fs::write(&filler, vec![1u8; 8 << 20]));
    assert!(
        fs::write(disk.path().join("more"), vec![1u8; 64 << 10]).is_err(),
        "the disk is not full"
    );

    let mut taken = 0;
    let mut refused = 0;
    let refusal = loop {
        match ledger.append_wait(record(&"x".repeat(4_000))) {
            Ok(_) => taken += 1,
            Err(error) => break error,
        }
        if ledger.admit().is_err() {
            ledger.miss();
            refused += 1;
        }
    };
    assert!(matches!(refusal, LedgerError::Full), "{refusal:?}");
    assert!(taken >= 60, "only {taken} records fitted into the reserve");
    assert!(refused > 0);
    assert!(ledger.admit().is_err());
    ledger.miss();
    assert!(place.verify().is_sound());

    fs::remove_file(&filler).unwrap();
    drop(fs::remove_file(disk.path().join("more")));
    place.pass(1_000);
    ledger.append_wait(record("after")).unwrap();
    assert!(ledger.admit().is_ok());
    ledger.close().unwrap();
    let entries = place.entries();
    let gap = entries.iter().find(|it| it.kind == Kind::Gap).unwrap();
    let count = gap.with(|it| it.get("count").unwrap().as_u64().unwrap()).unwrap();
    assert_eq!(count, refused + 2);
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
}

#[test]
fn room_for_one_more_file_is_enough_to_go_on() {
    if rounds(0, 1) == 0 {
        return;
    }
    let disk = SmallDisk::new("4m");
    let mut place = Place::new();
    place.dir = disk.path().join("ledger");
    let mut options = place.options();
    options.reserve_bytes = 1 << 20;
    let ledger = Ledger::open(options).unwrap();
    let filler = disk.path().join("filler");
    drop(fs::write(&filler, vec![1u8; 8 << 20]));
    while ledger.append_wait(record(&"x".repeat(4_000))).is_ok() {}

    // Nobody records anything any more: each call is refused, until one of them finds that there is room.
    fs::write(&filler, vec![1u8; 1 << 10]).unwrap();
    let is_open = (0..500).any(|_| {
        place.pass(1_000);
        thread::park_timeout(Duration::from_millis(10));
        ledger.admit().inspect_err(|_| ledger.miss()).is_ok()
    });
    assert!(is_open);
    ledger.append_wait(record("after")).unwrap();
    ledger.close().unwrap();
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
}
