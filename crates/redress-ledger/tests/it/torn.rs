//! Torn tails and corruption: what is cut, what is put aside, what is said.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::PathBuf,
    process::Command,
};

use redress_ledger::{Evidence, Kind, Ledger, ReadError, Reader, RecordProblem, Recovery, verify};

use crate::fixture::{Place, copy, record, segments};

/// A ledger whose process is gone, with its only segment.
fn dead(records: usize) -> (Place, PathBuf) {
    let place = Place::new();
    let live = Place::new();
    let ledger = live.open();
    for number in 0..records {
        ledger.append_wait(record(&format!("{number}"))).unwrap();
    }
    copy_dead(&live, &place);
    drop(ledger);
    let segment = segments(&place.chains()[0])[0].clone();
    (place, segment)
}

/// A copy has the lock's file without the lock, and no witnesses, since those know a ledger by its path.
fn copy_dead(live: &Place, place: &Place) {
    copy(&live.dir, &place.dir);
    copy(live.key.parent().unwrap(), place.key.parent().unwrap());
}

#[test]
fn a_tail_torn_at_any_byte_is_cut_and_the_cut_is_recorded() {
    let (place, segment) = dead(3);
    let whole = fs::read(&segment).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|it| *it.1 == b'\n').map(|it| it.0 + 1).collect();
    let pristine = Place::new();
    copy_dead(&place, &pristine);
    // The chain got its name when its first checkpoint was durable, and the log of epochs tells of that: a crash leaves no less.
    for length in ends[1]..=whole.len() {
        fs::remove_dir_all(&place.dir).unwrap();
        fs::remove_dir_all(place.key.parent().unwrap()).unwrap();
        copy_dead(&pristine, &place);
        fs::remove_dir_all(place.key.with_extension("heads")).unwrap();
        fs::write(&segment, &whole[..length]).unwrap();
        let kept = ends.iter().filter(|it| **it <= length).count();
        let torn = length - ends[kept - 1];

        // Before the repair, the torn line is not given out as a record.
        assert_eq!(place.entries().len(), kept, "cut at {length}");
        let ledger = place.open();
        let recovered = ledger.recovered();
        let cut_bytes = u64::try_from(torn).unwrap();
        assert!(
            matches!(recovered, [Recovery::Repaired { cut_bytes: it, .. }] if *it == cut_bytes),
            "cut at {length}: {recovered:?}"
        );
        drop(ledger);
        let report = place.verify();
        assert!(report.is_sound(), "cut at {length}: {report:#?}");
        let entries = place.entries();
        let told = entries.iter().find(|it| it.kind == Kind::Recovered).unwrap();
        let said = told.with(|it| (it.get("cut_bytes").unwrap().as_u64(), it.raw().to_owned()));
        let (bytes, said) = said.unwrap();
        assert_eq!(bytes, Some(cut_bytes));
        assert_eq!(said.contains("sha256"), torn > 0, "{said}");
    }
}

#[test]
fn a_tail_of_zeros_or_garbage_is_torn() {
    // What was written together and not synced may be lost in parts.
    let lost =
        [&[0u8; 4096][..], b"\":\"x\"},\"hash\":\"00\"}\n", &[0; 100], b"\n{\"seq\":"].concat();
    let long = vec![0xff; 3 << 20];
    for garbage in
        [&[0u8; 4096][..], b"{\"seq\":\n\n\nxx\n", &[0xff; 10], b"\n", b"{}\n7\n", &lost, &long]
    {
        let (place, segment) = dead(2);
        OpenOptions::new().append(true).open(&segment).unwrap().write_all(garbage).unwrap();
        let cut = u64::try_from(garbage.len()).unwrap();
        let report = verify(&place.dir, &Evidence::default()).unwrap();
        assert!(report.is_sound(), "{report:#?}");
        assert_eq!(report.chains[0].unfinished_bytes, cut);
        let ledger = place.open();
        assert!(
            matches!(ledger.recovered(), [Recovery::Repaired { cut_bytes, .. }] if *cut_bytes == cut)
        );
        drop(ledger);
        assert!(place.verify().is_sound());
    }
}

#[test]
fn a_whole_record_that_was_changed_is_no_torn_tail() {
    for changed in [1, 2, 4] {
        let (place, segment) = dead(4);
        let text = fs::read_to_string(&segment).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let first = lines.len() - changed;
        let change = |line: &str| line.replace("\"id\":\"", "\"id\":\"0");
        let altered = lines[first..].iter().map(|it| change(it));
        let all: Vec<_> = lines[..first].iter().map(ToString::to_string).chain(altered).collect();
        let damaged = all.join("\n") + "\n";
        fs::write(&segment, &damaged).unwrap();
        let report = verify(&place.dir, &Evidence::default()).unwrap();
        let line = u64::try_from(first + 1).unwrap();
        assert_eq!(report.first_problem().unwrap().line, line);

        let ledger = place.open();
        let [Recovery::Quarantined { moved_to, line: named, .. }] = ledger.recovered() else {
            panic!("{changed}: {:?}", ledger.recovered());
        };
        assert_eq!(*named, line);
        assert_eq!(fs::read_to_string(moved_to.join("00000001.jsonl")).unwrap(), damaged);
        ledger.close().unwrap();
        assert!(!place.verify().is_sound());
    }
}

#[test]
fn a_lock_that_is_no_file_holds_nobody_up() {
    let (place, segment) = dead(2);
    let lock = segment.with_file_name("lock");
    fs::remove_file(&lock).unwrap();
    assert!(Command::new("mkfifo").arg(&lock).status().unwrap().success());
    let report = verify(&place.dir, &Evidence::default()).unwrap();
    assert_eq!(report.first_problem().unwrap().what, RecordProblem::Lock);
    assert!(matches!(place.open().recovered(), [Recovery::Left { .. }]));
}

#[test]
fn a_bad_line_with_a_good_one_after_it_is_put_aside_and_named() {
    let (place, segment) = dead(4);
    let text = fs::read_to_string(&segment).unwrap();
    let damaged = text.replacen("\"id\":\"1\"", "\"id\":\"7\"", 1);
    assert_ne!(text, damaged);
    fs::write(&segment, &damaged).unwrap();

    let ledger = place.open();
    let [Recovery::Quarantined { moved_to, file, line, .. }] = ledger.recovered() else {
        panic!("{:?}", ledger.recovered());
    };
    assert_eq!((file.as_str(), *line), ("00000001.jsonl", 4));
    assert!(moved_to.to_str().unwrap().ends_with(".corrupt"));
    // Not a byte of it was changed.
    assert_eq!(fs::read_to_string(moved_to.join("00000001.jsonl")).unwrap(), damaged);
    ledger.append_wait(record("goes on")).unwrap();
    ledger.close().unwrap();

    // The new chain says where, and what is sound can still be read.
    let (good, bad): (Vec<_>, Vec<_>) = Reader::open(&place.dir).unwrap().partition(Result::is_ok);
    let good: Vec<_> = good.into_iter().map(Result::unwrap).collect();
    let told = good.iter().find(|it| it.kind == Kind::Recovered).unwrap();
    assert!(told.text.contains(".corrupt") && told.text.contains("\"line\":4"), "{}", told.text);
    assert_eq!(good.iter().filter(|it| it.kind == Kind::Session).count(), 4);
    assert!(matches!(&bad[..], [Err(ReadError::Line { line: 4, .. })]), "{bad:?}");
    assert!(!place.verify().is_sound());
    assert!(place.open().recovered().is_empty());
}

#[test]
fn a_dropped_line_in_the_middle_is_corruption() {
    let (place, segment) = dead(4);
    let text = fs::read_to_string(&segment).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines.remove(3);
    fs::write(&segment, lines.join("\n") + "\n").unwrap();
    assert!(matches!(place.open().recovered(), [Recovery::Quarantined { line: 4, .. }]));
}

#[test]
fn a_chain_that_is_shorter_than_its_witness_is_corruption() {
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 1 << 30;
    let ledger = Ledger::open(options).unwrap();
    ledger.append_wait(record("a")).unwrap();
    place.pass(10_000);
    ledger.append_wait(record("b")).unwrap();
    let chain = place.chains()[0].clone();
    let segment = segments(&chain)[0].clone();
    let text = fs::read_to_string(&segment).unwrap();
    ledger.close().unwrap();
    // The state before the second checkpoint, as somebody leaves it who cuts the file.
    let lines: Vec<_> = text.lines().take(3).collect();
    fs::write(&segment, lines.join("\n") + "\n").unwrap();
    fs::write(chain.join("lock"), "").unwrap();
    let next = place.open();
    assert!(matches!(next.recovered(), [Recovery::Quarantined { .. }]), "{:?}", next.recovered());
}

#[test]
fn a_segment_without_a_sound_line_gives_way_to_the_one_before() {
    let place = Place::new();
    let live = Place::new();
    let mut options = live.options();
    options.segment_bytes = 1_500;
    let ledger = Ledger::open(options).unwrap();
    for number in 0..3 {
        ledger.append_wait(record(&format!("{number}"))).unwrap();
    }
    copy_dead(&live, &place);
    drop(ledger);
    let chain = place.chains()[0].clone();
    let before = segments(&chain);
    let empty = chain.join(format!("{:08}.jsonl", before.len() + 1));
    fs::write(&empty, "{\"seq\":99").unwrap();
    let next = place.open();
    assert!(
        matches!(next.recovered(), [Recovery::Repaired { cut_bytes: 9, .. }]),
        "{:?}",
        next.recovered()
    );
    drop(next);
    assert!(!empty.exists());
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
}
