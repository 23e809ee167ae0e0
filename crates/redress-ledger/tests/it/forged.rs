//! Who can write a ledger, but has not its key, cannot say that something was pruned.

use std::{
    fs,
    path::{Path, PathBuf},
};

use redress::fault::Receipt;
use redress_ledger::{
    Evidence, Found, Kind, Ledger, ReceiptReport, RecordProblem, parse_receipt, verify,
};

use crate::{
    fixture::{Place, copy, record, segments},
    forge::Forger,
};

const FORGED: &str = "20260119T160000000Z-99-aaaaaaaaaaaa";

/// A ledger with two chains of several segments, and the receipts of the first.
fn two_chains() -> (Place, PathBuf, Vec<Receipt>) {
    let place = Place::new();
    let receipts = write(&place, &place.key, None);
    place.pass(1);
    write(&place, &place.key, None);
    let chain = place.chains()[0].clone();
    (place, chain, receipts)
}

/// Writes a chain and closes it.
fn write(place: &Place, key: &Path, keep_bytes: Option<u64>) -> Vec<Receipt> {
    let mut options = place.options();
    key.clone_into(&mut options.key);
    (options.segment_bytes, options.keep_bytes) = (2_000, keep_bytes);
    options.young_millis = 0;
    let ledger = Ledger::open(options).unwrap();
    let append = |number| ledger.append_wait(record(&format!("{number}"))).unwrap();
    let receipts = (0..30).map(append).collect();
    ledger.close().unwrap();
    receipts
}

/// As a user verifies who has the key, and says no more.
fn by_owner(place: &Place, receipts: &[Receipt]) -> Evidence {
    Evidence { keys: Vec::new(), ..place.evidence(receipts) }
}

fn name(chain: &Path) -> &str {
    chain.file_name().unwrap().to_str().unwrap()
}

/// The number of the record behind a segment, and the hash of its last one.
fn end_of(segment: &Path) -> (u64, String) {
    let text = fs::read_to_string(segment).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    (last["seq"].as_u64().unwrap() + 1, last["hash"].as_str().unwrap().to_owned())
}

/// A chain of a stranger that says that a segment, and all before it, was pruned.
fn forge_pruning(place: &Place, chain: &Path, number: u32, (next, head): (u64, &str)) -> Forger {
    let forger = Forger::new(FORGED).genesis();
    let forger = forger.prune(name(chain), number, next, head).checkpoint();
    forger.save(&place.dir, 1);
    forger
}

#[test]
fn a_stranger_cannot_sign_a_chain_away() {
    let (place, chain, receipts) = two_chains();
    let files = segments(&chain);
    let (next, head) = end_of(files.last().unwrap());
    let number = u32::try_from(files.len()).unwrap();
    let stranger = forge_pruning(&place, &chain, number, (next, &head)).public();
    assert!(verify(&place.dir, &by_owner(&place, &receipts)).unwrap().is_sound(), "of no effect");

    for file in &files {
        fs::remove_file(file).unwrap();
    }
    let report = verify(&place.dir, &by_owner(&place, &[])).unwrap();
    let what = &report.first_problem().unwrap().what;
    assert_eq!(
        *what,
        RecordProblem::PrunedByStranger(Box::new(stranger)),
        "the directory is there"
    );
    fs::remove_dir(&chain).unwrap();
    let report = verify(&place.dir, &by_owner(&place, &receipts)).unwrap();
    assert!(!report.is_sound());
    let missing: Vec<_> = report.missing.iter().map(|it| (&*it.chain, it.pruned_by)).collect();
    assert_eq!(missing, [(name(&chain), Some(stranger))]);
    for it in &report.receipts {
        assert_eq!(it.found, Found::PrunedByStranger(Box::new(stranger)), "{it:?}");
    }

    // Nor to somebody who has nothing but a receipt.
    let evidence = Evidence { receipts, ..Evidence::default() };
    let report = verify(&place.dir, &evidence).unwrap();
    assert!(!report.is_sound() && report.receipts.iter().all(ReceiptReport::is_lost));
}

#[test]
fn a_stranger_cannot_sign_the_start_of_a_chain_away() {
    let (place, chain, receipts) = two_chains();
    let files = segments(&chain);
    let (next, head) = end_of(&files[1]);
    let stranger = forge_pruning(&place, &chain, 2, (next, &head)).public();
    for file in &files[..2] {
        fs::remove_file(file).unwrap();
    }
    let first = receipts[0].clone();
    for evidence in [by_owner(&place, &[first]), Evidence::default()] {
        let report = verify(&place.dir, &evidence).unwrap();
        let problem = report.first_problem().unwrap();
        assert_eq!((&problem.file, problem.line, problem.seq), (&files[2], 1, next));
        assert_eq!(problem.what, RecordProblem::PrunedByStranger(Box::new(stranger)));
        assert!(report.receipts.iter().all(ReceiptReport::is_lost));
    }

    // A signature behind the chain's own does not make it the stranger's.
    let last = files.last().unwrap();
    let (next, head) = end_of(last);
    let behind = Forger::new(name(&chain)).behind(next, &head).checkpoint();
    let text = fs::read_to_string(last).unwrap();
    fs::write(last, text + behind.lines()).unwrap();
    for evidence in [by_owner(&place, &[]), Evidence::default()] {
        let report = verify(&place.dir, &evidence).unwrap();
        let what = &report.first_problem().unwrap().what;
        assert_eq!(*what, RecordProblem::PrunedByStranger(Box::new(stranger)));
    }
}

#[test]
fn a_chain_that_a_stranger_made_and_pruned_excuses_no_receipt() {
    let (place, chain, receipts) = two_chains();
    let other = "20260119T160000001Z-99-aaaaaaaaaaaa";
    let longer = Forger::new(other).behind(1_000_000, &"5".repeat(64)).rotate(2).checkpoint();
    longer.save(&place.dir, 2);
    let forger = Forger::new(FORGED).genesis();
    forger.prune(other, 1, 1_000_000, &"5".repeat(64)).checkpoint().save(&place.dir, 1);
    let evidence = by_owner(&place, &receipts);
    let report = verify(&place.dir, &evidence).unwrap();
    assert!(report.is_sound(), "a chain of somebody else that was pruned: {report:#?}");
    fs::remove_dir_all(&chain).unwrap();
    let report = verify(&place.dir, &evidence).unwrap();
    assert!(!report.is_sound() && report.receipts.iter().all(ReceiptReport::is_lost));
}

#[test]
fn the_owners_pruning_is_believed_with_the_key_at_the_witness() {
    let (place, chain, receipts) = two_chains();
    place.pass(1);
    write(&place, &place.key, Some(12_000));
    assert!(!chain.exists());
    let report = verify(&place.dir, &by_owner(&place, &receipts)).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    assert!(report.receipts.iter().all(|it| it.found == Found::PerhapsPruned));

    // The public half can be made again from the private one.
    fs::remove_file(place.key.with_extension("pub")).unwrap();
    let evidence = Evidence { receipts, key_file: Some(place.key.clone()), ..Evidence::default() };
    assert!(verify(&place.dir, &evidence).unwrap().is_sound());
}

#[test]
fn a_moved_pruned_ledger_is_sound_and_its_receipts_need_a_key() {
    let (place, _, receipts) = two_chains();
    place.pass(1);
    write(&place, &place.key, Some(12_000));
    let mut elsewhere = Place::new();
    // A user who has a key, and chains in another ledger.
    let other = elsewhere.dir.with_file_name("other");
    let dir = std::mem::replace(&mut elsewhere.dir, other);
    elsewhere.open().close().unwrap();
    elsewhere.dir = dir;
    copy(&place.dir, &elsewhere.dir);

    let cuts = elsewhere.chains().iter().filter(|it| !it.join("00000001.jsonl").exists()).count();
    assert!(cuts > 0, "the start of a chain was pruned");
    for evidence in [Evidence::default(), by_owner(&elsewhere, &[])] {
        let report = verify(&elsewhere.dir, &evidence).unwrap();
        assert!(report.is_sound(), "who pruned it signed the rest of it: {report:#?}");
        let evidence = Evidence { receipts: receipts.clone(), ..evidence };
        let report = verify(&elsewhere.dir, &evidence).unwrap();
        let found = &report.receipts[0].found;
        assert!(!report.is_sound() && matches!(found, Found::PrunedByStranger(_)), "{found:?}");
    }
    let evidence = Evidence { key_file: None, ..place.evidence(&receipts) };
    let report = verify(&elsewhere.dir, &evidence).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    assert_eq!(report.receipts[0].found, Found::PerhapsPruned);
}

#[test]
fn users_of_one_ledger_are_not_alarmed_by_others_prunings() {
    let place = Place::new();
    let other = place.key.with_file_name("other").join("ledger.key");
    for round in 0..6 {
        write(&place, if round % 2 == 0 { &place.key } else { &other }, Some(12_000));
        place.pass(1);
    }
    let cuts = place.chains().iter().filter(|it| !it.join("00000001.jsonl").exists()).count();
    assert!(cuts >= 2, "each pruned its own");
    for key_file in [Some(place.key.clone()), Some(other), None] {
        let report = verify(&place.dir, &Evidence { key_file, ..Evidence::default() }).unwrap();
        assert!(report.is_sound(), "{report:#?}");
    }
}

#[test]
fn a_pruning_with_a_replaced_key_is_still_believed() {
    let (place, _, receipts) = two_chains();
    place.pass(1);
    write(&place, &place.key, Some(12_000));
    fs::remove_file(&place.key).unwrap();
    place.pass(1);
    place.open().close().unwrap();
    let report = verify(&place.dir, &by_owner(&place, &receipts)).unwrap();
    assert!(report.is_sound(), "{report:#?}");
    assert_eq!(report.receipts[0].found, Found::PerhapsPruned);
}

#[test]
fn a_receipt_is_excused_only_by_a_pruning_that_may_have_held_it() {
    let (place, _, _) = two_chains();
    place.pass(1);
    write(&place, &place.key, Some(12_000));
    let entries = place.entries();
    let prunings = entries.iter().filter(|it| it.kind == Kind::Prune).map(|it| {
        let line: serde_json::Value = serde_json::from_str(&it.text).unwrap();
        let (next, head) = (&line["prune"]["next_seq"], &line["prune"]["head"]);
        (next.as_u64().unwrap(), head.as_str().unwrap().to_owned())
    });
    let (longest, head) = prunings.max().unwrap();
    let found = |seq: u64, hash: &str| {
        let receipt = parse_receipt(&format!("{seq}:{hash:0<32}")).unwrap();
        verify(&place.dir, &by_owner(&place, &[receipt])).unwrap().receipts.remove(0).found
    };
    assert_eq!(found(longest - 2, "00000000"), Found::PerhapsPruned);
    assert_eq!(found(longest - 1, &head[..32]), Found::PerhapsPruned, "the last one is known");
    assert_eq!(found(longest - 1, "00000000"), Found::Nowhere);
    assert_eq!(found(longest, "00000000"), Found::Nowhere);
    assert_eq!(found(u64::MAX, "00000000"), Found::Nowhere);
}
