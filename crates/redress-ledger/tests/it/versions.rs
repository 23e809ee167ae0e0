//! Ledgers that earlier versions wrote: they stay readable for ever, byte by byte.

use std::{collections::BTreeSet, fs, path::PathBuf};

use redress_ledger::{Evidence, Kind, PublicKey, Query, Reader, tail, verify};

/// One directory for each version of the format, never to be edited.
fn versions() -> Vec<PathBuf> {
    let all = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/versions");
    crate::fixture::subdirectories(&all)
}

#[test]
fn every_past_version_can_be_read_and_verified() {
    assert_eq!(versions().len(), 1);
    for version in versions() {
        let ledger = version.join("ledger");
        let entries: Vec<_> = Reader::open(&ledger).unwrap().map(|it| it.unwrap()).collect();
        let kinds: BTreeSet<_> = entries.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, BTreeSet::from(Kind::ALL), "each kind is there");

        let public = fs::read_to_string(version.join("ledger.pub")).unwrap();
        let keys = vec![PublicKey::parse(&public).unwrap()];
        let report = verify(&ledger, &Evidence { keys, ..Evidence::default() }).unwrap();
        assert!(report.is_sound(), "{report:#?}");

        let query = Query { tool: Some("read_file".to_owned()), ..Query::default() };
        let newest = tail(&[&ledger], 1, &query, &mut |it| panic!("{it}"));
        assert_eq!(newest[0].kind, Kind::Retry);
    }
}
