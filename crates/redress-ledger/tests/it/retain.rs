//! What is pruned, what is left of it, and that nothing else may be missing.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::SystemTime,
};

use redress_ledger::{Found, Kind, Ledger, Query, Reader, RecordProblem, tail, verify};

use crate::fixture::{Place, record, rewritten, segments};

const HOUR: u64 = 3_600_000;

fn open(place: &Place, change: impl FnOnce(&mut redress_ledger::Options)) -> Ledger {
    let mut options = place.options();
    options.segment_bytes = 2_000;
    // Nothing is too young to go, unless a test says otherwise.
    options.young_millis = 0;
    change(&mut options);
    Ledger::open(options).unwrap()
}

/// A ledger with one chain, of several segments, that was closed.
fn closed_chain() -> (Place, PathBuf) {
    let place = Place::new();
    let old = open(&place, |_| ());
    fill(&old, 30);
    old.close().unwrap();
    let chain = place.chains()[0].clone();
    (place, chain)
}

fn fill(ledger: &Ledger, records: usize) {
    for number in 0..records {
        ledger.append_wait(record(&format!("{number}"))).unwrap();
    }
}

fn bytes(place: &Place) -> u64 {
    place.chains().iter().map(|it| bytes_of(it)).sum()
}

fn bytes_of(chain: &Path) -> u64 {
    segments(chain).iter().map(|it| fs::metadata(it).unwrap().len()).sum()
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
    assert_eq!(report.first_problem().unwrap().what, RecordProblem::StartMissing);
}

#[test]
fn what_is_younger_than_a_week_is_not_removed_for_the_size() {
    let (place, chain) = closed_chain();
    let before = segments(&chain);
    let open_small = || {
        let mut options = place.options();
        (options.segment_bytes, options.keep_bytes) = (2_000, Some(4_000));
        Ledger::open(options).unwrap()
    };
    place.pass(7 * 24 * HOUR - 1);
    let flood = open_small();
    fill(&flood, 100);
    flood.close().unwrap();
    assert_eq!(segments(&chain), before, "new records drive out no young ones");
    assert!(place.entries().iter().all(|it| it.kind != Kind::Prune));

    place.pass(2);
    open_small().close().unwrap();
    assert!(!chain.exists(), "what is older goes");
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
}

#[test]
fn old_segments_and_whole_chains_go_when_their_time_has_come() {
    let place = Place::new();
    let old = open(&place, |_| ());
    fill(&old, 30);
    place.pass(48 * HOUR);
    fill(&old, 3);
    old.close().unwrap();
    let chain = place.chains()[0].clone();
    let count = segments(&chain).len();
    assert!(count > 3);
    place.pass(1);
    let next = open(&place, |it| it.keep_millis = Some(24 * HOUR));
    let left = segments(&chain).len();
    assert!(left > 0 && left < 3, "{left} of {count}");
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    next.close().unwrap();

    // Then the rest of it.
    place.pass(48 * HOUR);
    let last = open(&place, |it| it.keep_millis = Some(24 * HOUR));
    last.close().unwrap();
    assert!(!chain.exists());
    assert_eq!(place.chains().len(), 1);
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    assert!(report.missing.is_empty());
}

#[test]
fn a_file_is_as_old_as_its_records() {
    let (place, chain) = closed_chain();
    let before = segments(&chain);
    for file in &before {
        File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();
    }
    place.pass(HOUR);
    open(&place, |it| it.keep_millis = Some(24 * HOUR)).close().unwrap();
    assert_eq!(segments(&chain), before);
    assert!(place.entries().iter().all(|it| it.kind != Kind::Prune));
}

#[test]
fn what_this_key_has_not_closed_drives_nothing_out() {
    let (place, chain) = closed_chain();
    let before = segments(&chain);
    let (other, foreign) = closed_chain();
    for (name, is_open) in [
        ("20200101T000000000Z-1-000000000000.corrupt", false),
        ("20200101T000000000Z-2-000000000000", false),
        ("20200101T000000000Z-3-000000000000", true),
    ] {
        let fake = place.dir.join(name);
        fs::create_dir(&fake).unwrap();
        let file = File::create(fake.join("00000001.jsonl")).unwrap();
        file.write_all_at(&vec![b'x'; 200_000], 1 << 24).unwrap();
        if is_open {
            fs::write(fake.join("lock"), "").unwrap();
        }
    }
    let copied = place.dir.join(foreign.file_name().unwrap());
    crate::fixture::copy(&foreign, &copied);
    place.pass(1);
    open(&place, |it| it.keep_bytes = Some(bytes_of(&chain) + 10_000)).close().unwrap();
    assert_eq!(segments(&chain), before);
    assert_eq!(segments(&copied).len(), segments(&foreign).len());
    drop(other);
}

#[test]
fn a_file_with_holes_counts_for_what_it_takes() {
    let (place, chain) = closed_chain();
    let before = segments(&chain);
    let longer = before.last().unwrap();
    // Behind a hole stands the end of the chain, as it was signed.
    let text = fs::read_to_string(longer).unwrap();
    let last = text.trim_end().rsplit_once('\n').unwrap().1;
    let file = File::options().write(true).open(longer).unwrap();
    file.write_all_at(format!("\n{last}\n").as_bytes(), 1 << 30).unwrap();
    place.pass(1);
    open(&place, |it| it.keep_bytes = Some(1 << 20)).close().unwrap();
    assert_eq!(segments(&chain), before);
}

#[test]
fn a_segment_that_is_not_what_was_written_is_never_signed_away() {
    let changes: [fn(&str) -> String; 2] = [
        |text| text.replacen("\"id\":\"1\"", "\"id\":\"7\"", 1),
        |text| rewritten(text, |line| line.replacen("\"time\":\"2026", "\"time\":\"2016", 1)),
    ];
    for change in changes {
        let (place, chain) = closed_chain();
        let before = segments(&chain);
        let text = fs::read_to_string(&before[0]).unwrap();
        let changed = change(&text);
        assert!(changed != text && changed.len() == text.len());
        fs::write(&before[0], changed).unwrap();
        place.pass(1);
        open(&place, |it| {
            it.keep_millis = Some(24 * HOUR);
            it.keep_bytes = Some(1);
        })
        .close()
        .unwrap();
        assert_eq!(segments(&chain), before);
        assert!(place.entries_that_hash().iter().all(|it| it.kind != Kind::Prune));
        assert!(!place.verify().is_sound());
    }
}

#[test]
fn a_clock_that_was_set_back_leaves_no_hole_behind_a_pruning() {
    let place = Place::new();
    let old = open(&place, |_| ());
    place.pass(72 * HOUR);
    fill(&old, 10);
    place.pass_back(72 * HOUR);
    fill(&old, 10);
    old.close().unwrap();
    let chain = place.chains()[0].clone();
    place.pass(80 * HOUR);
    for keep in [4_000, 3_000, 2_000] {
        place.pass(1);
        open(&place, |it| {
            it.keep_millis = Some(24 * HOUR);
            it.keep_bytes = Some(keep);
        })
        .close()
        .unwrap();
        let report = place.verify();
        assert!(report.is_sound(), "{keep}, {:?}: {report:#?}", segments(&chain));
    }
}

#[test]
fn an_emptied_chain_stays_missed_when_others_are_pruned() {
    let (place, emptied) = closed_chain();
    place.pass(1);
    let other = open(&place, |_| ());
    fill(&other, 30);
    other.close().unwrap();
    for file in segments(&emptied) {
        fs::remove_file(file).unwrap();
    }
    place.pass(1);
    open(&place, |it| it.keep_bytes = Some(4_000)).close().unwrap();
    assert!(place.entries().iter().any(|it| it.kind == Kind::Prune));
    assert!(!place.verify().is_sound());
}

#[test]
fn the_rest_of_a_pruned_chain_is_missed_when_it_is_gone() {
    let (place, chain) = closed_chain();
    place.pass(1);
    open(&place, |it| it.keep_bytes = Some(6_000)).close().unwrap();
    let left = segments(&chain);
    assert_ne!(left[0].file_name().unwrap(), "00000001.jsonl");
    let number: u32 = left[0].file_stem().unwrap().to_str().unwrap().parse().unwrap();
    assert!(place.verify().is_sound());
    for file in left {
        fs::remove_file(file).unwrap();
    }
    let report = place.verify();
    assert_eq!(report.first_problem().unwrap().what, RecordProblem::SegmentMissing(number));

    // Nor does a later pruning hide it.
    place.pass(1);
    open(&place, |it| it.keep_bytes = Some(1)).close().unwrap();
    assert!(!place.verify().is_sound());
}

#[test]
fn who_reads_while_others_prune_is_not_alarmed() {
    let place = Place::new();
    let ledger = open(&place, |it| it.keep_bytes = Some(10_000));
    fill(&ledger, 30);
    let (writer, evidence) = (&ledger, place.evidence(&[]));
    thread::scope(|scope| {
        // A writer that does not wait could replace all that there is during one look.
        let (look, looks) = mpsc::sync_channel(0);
        scope.spawn(move || looks.iter().for_each(|()| fill(writer, 5)));
        for _ in 0..60 {
            look.send(()).unwrap();
            let report = verify(&place.dir, &evidence).unwrap();
            let read: Vec<_> = Reader::open(&place.dir).unwrap().collect();
            let newest = tail(&[&place.dir], 3, &Query::default(), &mut |it| panic!("{it}"));
            assert!(report.is_sound(), "{report:#?}");
            assert!(read.iter().all(Result::is_ok), "{read:?}");
            assert!(read.len() > 5 && newest.len() == 3, "{} {}", read.len(), newest.len());
        }
    });
    ledger.close().unwrap();
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
