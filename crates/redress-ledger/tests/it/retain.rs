//! What is pruned, what is left of it, and that nothing else may be missing.

use std::{
    fs::{self, File},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use redress_ledger::{Found, Kind, Ledger, What, verify};

use crate::fixture::{Place, record, segments};

fn open(place: &Place, change: impl FnOnce(&mut redress_ledger::Options)) -> Ledger {
    let mut options = place.options();
    options.segment_bytes = 2_000;
    change(&mut options);
    Ledger::open(options).unwrap()
}

/// A ledger with one chain, of several segments, that was closed.
fn closed_chain() -> (Place, PathBuf) {
    let place = Place::new();
    let old = open(&place, |_| ());
    for number in 0..30 {
        old.append_wait(record(&format!("{number}"))).unwrap();
    }
    old.close().unwrap();
    let chain = place.chains()[0].clone();
    (place, chain)
}

fn bytes(place: &Place) -> u64 {
    let all = place.chains().into_iter().flat_map(|it| segments(&it));
    all.map(|it| fs::metadata(it).unwrap().len()).sum()
}

#[test]
fn a_ledger_stays_within_its_size_and_tells_what_it_removed() {
    let place = Place::new();
    let ledger = open(&place, |it| it.keep_bytes = Some(10_000));
    let mut receipts = Vec::new();
    for number in 0..100 {
        place.pass(1);
        receipts.push(ledger.append_wait(record(&format!("{number}"))).unwrap());
    }
    ledger.close().unwrap();
    assert!(bytes(&place) < 16_000, "{}", bytes(&place));
    let report = verify(&place.dir, &place.evidence(&receipts)).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    assert_eq!(report.receipts[0].found, Found::PerhapsPruned);
    assert!(matches!(report.receipts[99].found, Found::In(_)));
    let entries = place.entries();
    assert!(entries[0].seq > 0);
    let pruned = entries.iter().filter(|it| it.kind == Kind::Prune).count();
    assert!(pruned > 0);
    let first = segments(&place.chains()[0])[0].clone();
    assert_ne!(first.file_name().unwrap(), "00000001.jsonl");

    // A segment more than was told of is missed.
    fs::remove_file(&first).unwrap();
    let report = place.verify();
    assert_eq!(report.first_problem().unwrap().what, What::StartMissing);
}

#[test]
fn old_segments_and_whole_chains_go_when_their_time_has_come() {
    let (place, chain) = closed_chain();
    let count = segments(&chain).len();
    assert!(count > 3);
    // Two days before the ledger's present, except for the last.
    let start = SystemTime::UNIX_EPOCH + Duration::from_millis(crate::fixture::START);
    for file in &segments(&chain)[..count - 1] {
        File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_modified(start - Duration::from_hours(48))
            .unwrap();
    }
    place.pass(1);
    let next = open(&place, |it| it.keep_millis = Some(24 * 3_600_000));
    assert_eq!(segments(&chain).len(), 1);
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    next.close().unwrap();

    // Then the rest of it.
    for chain in place.chains() {
        for file in segments(&chain) {
            File::options()
                .write(true)
                .open(file)
                .unwrap()
                .set_modified(start - Duration::from_hours(48))
                .unwrap();
        }
    }
    place.pass(1);
    let last = open(&place, |it| it.keep_millis = Some(24 * 3_600_000));
    last.close().unwrap();
    assert!(!chain.exists());
    assert_eq!(place.chains().len(), 1);
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    assert!(report.missing.is_empty());
}

#[test]
fn a_pruning_that_was_interrupted_is_still_explained() {
    let (place, chain) = closed_chain();
    let kept = Place::new();
    crate::fixture::copy(&chain, &kept.dir);
    place.pass(1);
    let next = open(&place, |it| it.keep_bytes = Some(1));
    next.close().unwrap();
    assert!(!chain.exists());
    // As if the process had ended after each removal.
    for from in 0..segments(&kept.dir).len() {
        fs::create_dir_all(&chain).unwrap();
        for file in segments(&kept.dir).into_iter().skip(from) {
            fs::copy(&file, chain.join(file.file_name().unwrap())).unwrap();
        }
        let report = place.verify();
        assert!(report.is_sound(), "{from}: {report:#?}");
        fs::remove_dir_all(&chain).unwrap();
    }
    fs::create_dir(&chain).unwrap();
    assert!(place.verify().is_sound());
}
