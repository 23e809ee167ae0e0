//! Ledgers that earlier versions wrote: they stay readable for ever, byte by byte.

use std::{collections::BTreeSet, fs, path::PathBuf};

use redress_ledger::{Evidence, Kind, PublicKey, Query, Reader, Stats, tail, verify};

/// One directory for each version of the format, never to be edited.
fn versions() -> Vec<PathBuf> {
    let all = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/versions");
    crate::fixture::subdirectories(&all)
}

#[test]
fn every_past_version_can_be_read_and_verified() {
    assert_eq!(versions().len(), 3);
    for version in versions().into_iter().filter(|it| it.ends_with("1")) {
        let ledger = version.join("ledger");
        let entries: Vec<_> = Reader::open(&ledger).unwrap().map(|it| it.unwrap()).collect();
        let kinds: BTreeSet<_> = entries.iter().map(|it| it.kind).collect();
        let later = [Kind::Refusals, Kind::Tally, Kind::Checked];
        let known = Kind::ALL.into_iter().filter(|it| !later.contains(it)).collect();
        assert_eq!(kinds, known, "each kind of that time is there");

        let public = fs::read_to_string(version.join("ledger.pub")).unwrap();
        let keys = vec![PublicKey::parse(&public).unwrap()];
        let report = verify(&ledger, &Evidence { keys, ..Evidence::default() }).unwrap();
        assert!(report.is_sound(), "{report:#?}");

        let query = Query { tool: Some("read_file".to_owned()), ..Query::default() };
        let newest = tail(&[&ledger], 1, &query, &mut |it| panic!("{it}"));
        assert_eq!(newest[0].kind, Kind::Retry);
    }
}

#[test]
fn a_ledger_with_counted_refusals_is_read_and_verified() {
    let version = versions().into_iter().find(|it| it.ends_with("3")).unwrap();
    let ledger = version.join("ledger");
    let public = fs::read_to_string(version.join("ledger.pub")).unwrap();
    let keys = vec![PublicKey::parse(&public).unwrap()];
    let report = verify(&ledger, &Evidence { keys, ..Evidence::default() }).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    let stats = Stats::of(Reader::open(&ledger).unwrap());
    assert_eq!((stats.damaged, stats.counted, stats.by_kind["refusals"]), (0, 7, 2));
    assert_eq!(stats.by_code["OVERLOADED"], 5);
}

#[test]
fn a_ledger_with_epochs_is_verified_with_the_first_key_alone() {
    let version = versions().into_iter().find(|it| it.ends_with("2")).unwrap();
    let ledger = version.join("ledger");
    let public = fs::read_to_string(version.join("ledger.pub")).unwrap();
    let keys = vec![PublicKey::parse(&public).unwrap()];
    let evidence = Evidence { keys, ..Evidence::default() };
    let report = verify(&ledger, &evidence).unwrap();
    assert!(report.is_sound() && report.chains.len() == 5, "{report:#?}");
    let log = fs::read_dir(&ledger).unwrap().map(|it| it.unwrap().path()).find(|it| it.is_file());
    let log = fs::read_to_string(log.unwrap()).unwrap();
    for event in ["begin", "rotate", "recovered", "close"] {
        assert!(log.contains(&format!("\"event\":\"{event}\"")), "{event}");
    }
    // Without its log only chains of the first epoch can be known.
    let copied = tempfile::tempdir().unwrap();
    crate::fixture::copy(&ledger, copied.path());
    for entry in fs::read_dir(copied.path()).unwrap().map(|it| it.unwrap().path()) {
        if entry.is_file() {
            fs::remove_file(entry).unwrap();
        }
    }
    assert!(!verify(copied.path(), &evidence).unwrap().is_sound());
}
