//! What is kept beside the key is used, or it is told that it cannot be.

use std::{fs, os::unix::fs::symlink, path::PathBuf, process::Command};

use redress_ledger::{RecordProblem, verify, witnessed_ledgers};

use crate::fixture::{Place, record, segments};

/// A ledger with one closed chain, and where its witness is.
fn witnessed() -> (Place, PathBuf) {
    let place = Place::new();
    let ledger = place.open();
    ledger.append_wait(record("a")).unwrap();
    ledger.close().unwrap();
    let name = place.chains()[0].file_name().unwrap().to_owned();
    let witness = place.key.with_extension("heads").join(name);
    assert!(witness.is_file());
    (place, witness)
}

fn assert_unproven(place: &Place, witness: &PathBuf) -> RecordProblem {
    let report = place.verify();
    assert!(!report.is_sound());
    let problem = report.first_problem().unwrap();
    assert_eq!((&problem.file, problem.line), (witness, 0));
    assert!(problem.is_unreadable() && !problem.to_string().contains(":0"), "{problem}");
    problem.what.clone()
}

#[test]
fn a_witness_that_cannot_be_read_is_named() {
    for is_gone in [false, true] {
        let (place, witness) = witnessed();
        fs::remove_file(&witness).unwrap();
        // Also whoever may read everything cannot read this.
        symlink(&witness, &witness).unwrap();
        if is_gone {
            fs::remove_dir_all(&place.chains()[0]).unwrap();
        }
        assert!(matches!(assert_unproven(&place, &witness), RecordProblem::Unreadable(_)));
        assert_eq!(witnessed_ledgers(&place.key).unwrap_err().0, witness);
    }
    let (place, witness) = witnessed();
    let heads = witness.parent().unwrap().to_owned();
    fs::remove_dir_all(&heads).unwrap();
    fs::write(&heads, "no directory").unwrap();
    assert!(matches!(assert_unproven(&place, &heads), RecordProblem::Unreadable(_)));
    assert_eq!(witnessed_ledgers(&place.key).unwrap_err().0, heads);
}

#[test]
fn a_witness_that_is_none_is_told() {
    let garbage: [fn(&PathBuf); 5] = [
        |it| fs::write(it, b"\xff\0x").unwrap(),
        |it| fs::write(it, "/no/line\n").unwrap(),
        |it| {
            let text = fs::read_to_string(it).unwrap();
            fs::write(it, text.replacen("\"seq\":3", "\"seq\":2", 1)).unwrap();
        },
        |it| {
            fs::remove_file(it).unwrap();
            fs::create_dir(it).unwrap();
        },
        |it| {
            fs::remove_file(it).unwrap();
            assert!(Command::new("mkfifo").arg(it).status().unwrap().success());
        },
    ];
    for make in garbage {
        let (place, witness) = witnessed();
        make(&witness);
        assert_eq!(assert_unproven(&place, &witness), RecordProblem::Witness);
        fs::remove_dir_all(&place.chains()[0]).unwrap();
        assert_eq!(assert_unproven(&place, &witness), RecordProblem::Witness);
        assert!(witnessed_ledgers(&place.key).is_ok());
    }
}

#[test]
fn a_lost_witness_is_missed_only_with_its_chain() {
    for left in ["", "\0\0\0\0"] {
        let (place, witness) = witnessed();
        fs::write(&witness, left).unwrap();
        let report = place.verify();
        assert!(report.is_sound(), "{report:#?}");
        // Without the witness the log of epochs holds the end of a closed chain.
        assert_eq!((report.chains[0].held_to, report.chains[0].cuttable()), (Some(3), 0));
        fs::remove_dir_all(&place.chains()[0]).unwrap();
        assert_eq!(assert_unproven(&place, &witness), RecordProblem::Witness);
    }
}

#[test]
fn a_damaged_witness_is_reported_of_its_ledger_alone() {
    let (mut place, witness) = witnessed();
    fs::write(&witness, "garbage").unwrap();
    let other = place.dir.with_file_name("other");
    let damaged = std::mem::replace(&mut place.dir, other);
    place.open().close().unwrap();
    assert!(place.verify().is_sound());
    place.dir = damaged;
    assert_eq!(assert_unproven(&place, &witness), RecordProblem::Witness);
}

#[test]
fn a_changed_byte_of_a_witness_is_found_wherever_it_is() {
    let (place, witness) = witnessed();
    let whole = fs::read(&witness).unwrap();
    fs::remove_dir_all(&place.chains()[0]).unwrap();
    for at in 0..whole.len() - 1 {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&witness, changed).unwrap();
        let report = place.verify();
        assert!(report.witnesses.iter().any(|it| it.file == witness), "byte {at}: {report:#?}");
    }
}

#[test]
fn a_witness_of_an_older_version_is_still_one() {
    let (place, witness) = witnessed();
    let text = fs::read_to_string(&witness).unwrap();
    let (old, check) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(check.starts_with("check "));
    fs::write(&witness, format!("{old}\n")).unwrap();
    assert!(place.verify().is_sound());
    fs::remove_dir_all(&place.chains()[0]).unwrap();
    let report = place.verify();
    assert_eq!((report.missing.len(), report.witnesses.len()), (1, 0), "{report:#?}");
}

#[test]
fn what_is_no_witness_of_a_chain_is_not_taken_for_one() {
    let (place, witness) = witnessed();
    fs::write(witness.with_file_name("README"), "notes").unwrap();
    fs::create_dir(witness.with_file_name("backup")).unwrap();
    fs::write(witness.with_file_name(".20260119T153210123Z-1-aa"), "").unwrap();
    assert!(place.verify().is_sound());
}

#[test]
fn a_damaged_chain_is_not_cut_below_its_witness() {
    let (place, _) = witnessed();
    let segment = segments(&place.chains()[0])[0].clone();
    let text = fs::read_to_string(&segment).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let changed = text.replacen("\"id\":\"a\"", "\"id\":\"b\"", 1);
    for damaged in [changed, lines[..2].join("\n") + "\n"] {
        fs::write(&segment, damaged).unwrap();
        let report = verify(&place.dir, &place.evidence(&[])).unwrap();
        let chain = &report.chains[0];
        assert!(chain.problem.is_some() && chain.records == 2, "{chain:#?}");
        assert_eq!((chain.held_to, chain.cuttable()), (Some(3), 0));
    }
}
