//! What a chain looks like from its first record to its last.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::Command,
    sync::{Arc, mpsc},
};

use redress_ledger::{ChainState, Kind, Ledger, LedgerError, OpenError, Recovery};
use sha2::{Digest as _, Sha256};

use crate::fixture::{Place, START, record, segments};

#[test]
fn records_are_chained_signed_and_readable_by_everybody() {
    let place = Place::new();
    let ledger = place.open();
    let receipt = ledger.append_wait(record("a")).unwrap();
    ledger.append_wait(record("b")).unwrap();
    ledger.close().unwrap();

    let kinds: Vec<_> = place.entries().iter().map(|it| it.kind).collect();
    let expected =
        [Kind::Genesis, Kind::Checkpoint, Kind::Session, Kind::Session, Kind::Checkpoint];
    assert_eq!(kinds, expected);
    assert_eq!(receipt.seq, 2);
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    assert_eq!(report.chains[0].state, ChainState::Closed);
    assert_eq!(report.chains[0].cuttable(), 0);

    // Without our code: the hash of each line, and the link to the one before.
    let chain = &place.chains()[0];
    let text = fs::read_to_string(&segments(chain)[0]).unwrap();
    let mut prev = "0".repeat(64);
    for (seq, line) in text.lines().enumerate() {
        let (body, _) = line.rsplit_once(",\"hash\"").unwrap();
        let hash = Sha256::digest(body.as_bytes());
        let hash = crate::fixture::hex(&hash);
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(json["hash"], hash.as_str());
        assert_eq!(json["prev"], prev.as_str());
        assert_eq!(json["seq"], seq);
        let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
        let kind = json["kind"].as_str().unwrap();
        assert_eq!(keys, ["seq", "time", "prev", "kind", kind, "hash"]);
        prev = hash;
    }
    assert!(text.starts_with(r#"{"seq":0,"time":"2026-01-19T15:32:10.000Z","prev":"000"#));
    let name = chain.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with(&format!("20260119T153210000Z-{}-", std::process::id())), "{name}");
    assert!(!chain.join("lock").exists());
}

#[test]
fn only_the_owner_can_read_a_ledger() {
    let place = Place::new();
    let ledger = place.open();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let chain = place.chains()[0].clone();
    assert_eq!((mode(&place.dir), mode(&chain)), (0o700, 0o700));
    assert_eq!(mode(&segments(&chain)[0]), 0o600);
    assert_eq!(mode(&place.key), 0o600);
    drop(ledger);
}

#[test]
fn a_key_beside_the_ledger_is_refused() {
    let mut place = Place::new();
    place.key = place.dir.join("inside/key");
    assert!(matches!(Ledger::open(place.options()), Err(OpenError::Key { .. })));
    assert!(!place.key.exists());
}

#[test]
fn two_ledgers_on_one_directory_never_wait_for_each_other() {
    let place = Place::new();
    let (one, two) = (place.open(), place.open());
    for number in 0..20 {
        place.pass(1);
        one.append_wait(record(&format!("one {number}"))).unwrap();
        two.append_wait(record(&format!("two {number}"))).unwrap();
    }
    assert_eq!(
        place.verify().chains.iter().map(|it| it.state).collect::<Vec<_>>(),
        [ChainState::Live; 2]
    );
    assert!(place.verify().is_sound());
    one.close().unwrap();
    two.close().unwrap();
    assert!(place.verify().is_sound());
    let entries = place.entries();
    assert_eq!(entries.iter().filter(|it| it.kind == Kind::Session).count(), 40);
    assert!(entries.is_sorted_by_key(|it| it.time));
    assert_eq!(entries[0].time.millis(), START);
}

#[test]
fn a_closed_ledger_refuses_and_tells() {
    let place = Place::new();
    let ledger = place.open();
    ledger.close().unwrap();
    ledger.close().unwrap();
    assert!(matches!(ledger.append_wait(record("late")), Err(LedgerError::Closed)));
    let (told, hear) = mpsc::channel();
    ledger.append(record("late"), move |it| told.send(it.is_err()).unwrap());
    assert!(hear.recv().unwrap());
}

#[test]
fn checkpoints_come_every_1000_records_and_every_10_seconds() {
    let place = Place::new();
    let ledger = Arc::new(place.open());
    let count = || place.entries().iter().filter(|it| it.kind == Kind::Checkpoint).count();
    for _ in 0..5 {
        ledger.append_wait(record("a")).unwrap();
    }
    assert_eq!(count(), 1);
    place.pass(9_999);
    ledger.append_wait(record("b")).unwrap();
    assert_eq!(count(), 1);
    place.pass(1);
    ledger.append_wait(record("c")).unwrap();
    assert_eq!(count(), 2);

    let (told, hear) = mpsc::channel();
    for _ in 0..2_100 {
        let told = told.clone();
        ledger.append(record("d"), move |it| told.send(it.is_ok()).unwrap());
    }
    drop(told);
    assert!(hear.iter().all(|ok| ok));
    ledger.append_wait(record("e")).unwrap();
    let signed: Vec<_> = place
        .entries()
        .into_iter()
        .filter(|it| it.kind == Kind::Checkpoint)
        .map(|it| it.seq)
        .collect();
    assert!(signed.len() >= 4, "{signed:?}");
    assert!(signed.windows(2).all(|pair| pair[1] - pair[0] <= 1_001), "{signed:?}");
    assert!(place.verify().is_sound());
}

#[test]
fn a_clock_set_back_delays_no_checkpoint_or_segment() {
    const DAY: u64 = 24 * 3_600_000;
    let place = Place::new();
    let ledger = place.open();
    let count = |kind| place.entries().iter().filter(|it| it.kind == kind).count();
    ledger.append_wait(record("a")).unwrap();
    place.pass_back(400 * DAY);
    ledger.append_wait(record("b")).unwrap();
    assert_eq!(count(Kind::Checkpoint), 1);
    place.pass(10_000);
    ledger.append_wait(record("c")).unwrap();
    assert_eq!((count(Kind::Checkpoint), count(Kind::Rotate)), (2, 0));
    place.pass(DAY);
    ledger.append_wait(record("d")).unwrap();
    assert_eq!(count(Kind::Rotate), 1);
    ledger.close().unwrap();
    assert!(place.verify().is_sound());
}

#[test]
fn a_long_or_old_segment_is_followed_by_one_with_its_head() {
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 4_000;
    let ledger = Ledger::open(options).unwrap();
    for number in 0..50 {
        ledger.append_wait(record(&format!("{number}"))).unwrap();
    }
    let by_size = segments(&place.chains()[0]).len();
    assert!(by_size > 3, "{by_size}");
    ledger.close().unwrap();
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    assert_eq!(place.entries().iter().filter(|it| it.kind == Kind::Session).count(), 50);
    for pair in segments(&place.chains()[0]).windows(2) {
        let last = fs::read_to_string(&pair[0]).unwrap();
        let first = fs::read_to_string(&pair[1]).unwrap();
        let last: serde_json::Value = serde_json::from_str(last.lines().last().unwrap()).unwrap();
        let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
        assert_eq!(first["kind"], "rotate");
        assert_eq!(first["prev"], last["hash"]);
    }

    place.pass(1);
    let ledger = place.open();
    place.pass(25 * 3_600_000);
    ledger.append_wait(record("next day")).unwrap();
    assert_eq!(segments(&place.chains()[1]).len(), 2);
    ledger.close().unwrap();
    assert!(place.verify().is_sound());
}

#[test]
fn a_panic_of_a_waiter_does_not_stop_the_ledger() {
    let place = Place::new();
    let ledger = place.open();
    ledger.append(record("a"), |_| panic!("a waiter fails"));
    ledger.append_wait(record("b")).unwrap();
    ledger.close().unwrap();
    assert!(place.verify().is_sound());
}

#[test]
fn a_record_with_a_newline_is_still_one_line() {
    let place = Place::new();
    let ledger = place.open();
    ledger.append_wait(record("a\\n{\\\"seq\\\":9}\\u0000")).unwrap();
    ledger.close().unwrap();
    assert!(place.verify().is_sound());
    assert_eq!(place.entries().len(), 4);
}

#[test]
fn what_is_not_closed_is_finished_by_the_next_one() {
    let place = Place::new();
    let killed = place.open();
    killed.append_wait(record("a")).unwrap();
    // A copy of a live ledger has the lock's file without the lock: the process is gone.
    let other = Place::new();
    crate::fixture::copy(&place.dir, &other.dir);
    crate::fixture::copy(place.key.parent().unwrap(), other.key.parent().unwrap());
    drop(killed);
    let next = other.open();
    let recovered = next.recovered().to_vec();
    assert!(matches!(&recovered[..], [Recovery::Repaired { cut_bytes: 0, .. }]), "{recovered:?}");
    next.close().unwrap();
    assert!(other.verify().is_sound());
    assert_eq!(other.entries().iter().filter(|it| it.kind == Kind::Recovered).count(), 1);
    assert!(other.open().recovered().is_empty());
}

#[test]
fn grep_and_jq_like_tools_see_whole_lines() {
    let place = Place::new();
    let ledger = place.open();
    ledger.append_wait(record("needle")).unwrap();
    let found = Command::new("grep").arg("-rch").arg("needle").arg(&place.dir).output().unwrap();
    assert!(String::from_utf8_lossy(&found.stdout).contains('1'));
    drop(ledger);
}
