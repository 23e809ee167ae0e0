//! A pruning stays told for as long as something depends on it, also when the chain goes that told of it.

use std::{fs, path::Path};

use redress::fault::Receipt;
use redress_ledger::{Evidence, Found, Kind, Ledger, verify};

use crate::fixture::{Place, record, segments};

const DAY: u64 = 86_400_000;

/// Writes a chain and closes it.
fn write(place: &Place, records: usize, keep_bytes: u64) -> Vec<Receipt> {
    let mut options = place.options();
    (options.segment_bytes, options.keep_bytes) = (2_000, Some(keep_bytes));
    options.young_millis = 0;
    let ledger = Ledger::open(options).unwrap();
    let append = |number| ledger.append_wait(record(&format!("{number}"))).unwrap();
    let receipts = (0..records).map(append).collect();
    ledger.close().unwrap();
    receipts
}

fn assert_sound(place: &Place, receipts: &[Receipt]) -> Vec<Found> {
    let evidence = Evidence { keys: Vec::new(), ..place.evidence(receipts) };
    let report = verify(&place.dir, &evidence).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    report.receipts.into_iter().map(|it| it.found).collect()
}

fn bytes(chain: &Path) -> u64 {
    segments(chain).iter().map(|it| fs::metadata(it).unwrap().len()).sum()
}

#[test]
fn a_start_stays_explained_when_the_chain_that_told_of_it_goes() {
    let place = Place::new();
    place.pass(1_500 * DAY);
    let receipts = write(&place, 100, 20_000);
    let ahead = place.chains()[0].clone();
    place.pass_back(1_500 * DAY);
    // Each prunes the one before, which is older than all that was written while the clock was ahead.
    for _ in 0..12 {
        place.pass(1_000);
        write(&place, 3, 20_000);
        assert_sound(&place, &receipts[..1]);
    }
    assert!(!ahead.join("00000001.jsonl").exists() && !segments(&ahead).is_empty());
    let total: u64 = place.chains().iter().map(|it| bytes(it)).sum();
    assert!(total < 26_000, "{total}");
    assert!(place.chains().len() < 8, "{:?}", place.chains());
}

#[test]
fn a_receipt_of_long_ago_is_still_that_of_a_pruned_record() {
    let place = Place::new();
    let receipts = write(&place, 100, 1 << 20);
    for _ in 0..10 {
        place.pass(DAY);
        write(&place, 3, 4_000);
        let found = assert_sound(&place, &receipts);
        assert!(found.iter().all(|it| *it == Found::PerhapsPruned), "{found:?}");
    }
    let prunings = place.entries().iter().filter(|it| it.kind == Kind::Prune).count();
    assert!(prunings < 12, "{prunings}");
}
