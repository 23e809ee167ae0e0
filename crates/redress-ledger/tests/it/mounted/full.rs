//! A disk that is really full.

use std::{fs, path::Path, process::Command, thread, time::Duration};

use redress_ledger::{Kind, Ledger, LedgerError};

use crate::fixture::{Place, record};

/// A file system that can really be filled.
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
#[ignore = "needs the right to mount: cargo xtask test --full"]
fn a_disk_that_is_really_full_takes_what_is_in_flight() {
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
#[ignore = "needs the right to mount: cargo xtask test --full"]
fn room_for_one_more_file_is_enough_to_go_on() {
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
