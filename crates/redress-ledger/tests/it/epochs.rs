//! Somebody who has every file of the user, at a later time, and wants to change what was closed before.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use redress_ledger::{
    EpochProblem, Evidence, Found, Ledger, OpenError, PublicKey, RecordProblem, Report,
    parse_receipt, verify,
};
use serde_json::Value;

use crate::{
    fixture::{Place, copy, record, rewritten, segments},
    forge::Forger,
    process::{Plan, assert_kept, start},
};

/// A ledger with two closed chains, and all that the user's files hold.
fn two_closed() -> Place {
    let place = Place::new();
    for name in ["a", "b"] {
        let ledger = place.open();
        ledger.append_wait(record(name)).unwrap();
        ledger.close().unwrap();
        place.pass(1);
    }
    place
}

fn first_key(place: &Place) -> PublicKey {
    PublicKey::parse(&fs::read_to_string(place.key.with_extension("pub")).unwrap()).unwrap()
}

/// As somebody verifies who has the first key and a copy of the ledger.
fn by_first_key(place: &Place) -> Evidence {
    Evidence { keys: vec![first_key(place)], ..Evidence::default() }
}

/// What a verification says: with the first key alone, as the user, and with both.
fn all_ways(place: &Place) -> [Report; 3] {
    let own = Evidence { key_file: Some(place.key.clone()), ..Evidence::default() };
    [by_first_key(place), own, place.evidence(&[])].map(|it| verify(&place.dir, &it).unwrap())
}

#[track_caller]
fn assert_found(place: &Place, what: &str) {
    for (way, report) in all_ways(place).iter().enumerate() {
        assert!(!report.is_sound(), "{what}, verified in way {way}: {report:#?}");
    }
}

/// The secret that the thief finds: that of the epoch to come.
fn stolen(place: &Place) -> (u64, String) {
    let text = fs::read_to_string(&place.key).unwrap();
    let words: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
    let ["redress-key/2", number, _first, secret] = words[..] else { panic!("{text}") };
    (number.parse().unwrap(), secret.to_owned())
}

/// The log beside the key, and its copy in the ledger.
fn logs(place: &Place) -> [PathBuf; 2] {
    let beside = fs::read_dir(place.key.with_extension("epochs")).unwrap();
    let beside: Vec<_> = beside.map(|it| it.unwrap().path()).collect();
    let name = beside[0].file_name().unwrap().to_str().unwrap().to_owned();
    [beside[0].clone(), place.dir.join(format!("epochs-{name}"))]
}

fn write_logs(place: &Place, text: &str) {
    for log in logs(place) {
        fs::write(log, text).unwrap();
    }
}

fn name(chain: &Path) -> String {
    chain.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Removes the witness of a chain.
fn forget(place: &Place, chain: &Path) {
    fs::remove_file(place.key.with_extension("heads").join(name(chain))).unwrap();
}

/// A chain with another record, all of it signed with the stolen key.
fn signed_anew(chain: &str, secret: &str) -> Forger {
    let forger = Forger::with_secret(chain, secret).genesis().checkpoint_at("open");
    forger.record("session", &serde_json::json!({"id": "forged"})).checkpoint()
}

/// The record of an epoch that says so, as good as the thief can make it.
fn claim(place: &Place, forger: &Forger, event: &str) {
    let text = fs::read_to_string(&logs(place)[0]).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let (prev, ledger) =
        (last["hash"].as_str().unwrap(), last["epoch"]["ledger"].as_str().unwrap());
    let line = forger.epoch((stolen(place).0, prev), event, ledger, forger.end());
    write_logs(place, &(text + &line));
}

#[test]
fn attack_c2_a_closed_chain_cannot_be_signed_anew() {
    for event in [None, Some("begin"), Some("recovered"), Some("close")] {
        for is_locked in [false, true] {
            let place = two_closed();
            let chain = place.chains()[0].clone();
            let forger = signed_anew(&name(&chain), &stolen(&place).1);
            forger.save(&place.dir, 1);
            forget(&place, &chain);
            if is_locked {
                fs::write(chain.join("lock"), "").unwrap();
            }
            if let Some(event) = event {
                claim(&place, &forger, event);
            }
            assert_found(&place, &format!("{event:?}, with a lock: {is_locked}"));
        }
    }
}

#[test]
fn attack_c2_a_closed_chain_cannot_be_cut_as_if_after_a_crash() {
    for is_claimed in [false, true] {
        let place = two_closed();
        let chain = place.chains()[0].clone();
        let segment = segments(&chain)[0].clone();
        let text = fs::read_to_string(&segment).unwrap();
        // The first checkpoint is genuine and stays.
        let kept: Vec<&str> = text.lines().take(2).collect();
        let last: Value = serde_json::from_str(kept[1]).unwrap();
        let forger = Forger::with_secret(&name(&chain), &stolen(&place).1);
        let forger = forger.behind(2, last["hash"].as_str().unwrap());
        let forger = forger.record("session", &serde_json::json!({"id": "forged"}));
        let forger = forger.record("recovered", &serde_json::json!({"cut_bytes": 0, "cuts": []}));
        let forger = forger.checkpoint_at("recovered");
        fs::write(&segment, kept.join("\n") + "\n" + forger.lines()).unwrap();
        forget(&place, &chain);
        if is_claimed {
            claim(&place, &forger, "recovered");
        }
        assert_found(&place, "a repair that never was");
    }
}

#[test]
fn attack_c2_a_closed_chain_cannot_be_removed() {
    let place = two_closed();
    let chain = place.chains()[0].clone();
    fs::remove_dir_all(&chain).unwrap();
    forget(&place, &chain);
    assert_found(&place, "a chain is gone");
    let missing = all_ways(&place).map(|it| it.missing[0].chain.clone());
    assert_eq!(missing, [(); 3].map(|()| name(&chain)));
}

#[test]
fn an_old_chain_cannot_be_signed_anew_with_a_later_key() {
    let place = Place::new();
    let old = "20260119T100000000Z-1-aaaaaaaaaaaa";
    let forger = Forger::new(old).genesis().checkpoint_at("open");
    let forger = forger.record("session", &serde_json::json!({"id": "old"})).checkpoint();
    forger.save(&place.dir, 1);
    fs::create_dir_all(place.key.parent().unwrap()).unwrap();
    fs::write(&place.key, "07".repeat(32) + "\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(&place.key, mode).unwrap();

    place.open().close().unwrap();
    assert_eq!(first_key(&place), forger.public(), "the public key stays what it was");
    assert!(!fs::read_to_string(&place.key).unwrap().contains(&"07".repeat(32)));
    for report in all_ways(&place) {
        assert!(report.is_sound(), "{report:#?}");
    }
    signed_anew(old, &stolen(&place).1).save(&place.dir, 1);
    assert_found(&place, "signed with a later key");
    fs::write(place.dir.join(old).join("lock"), "").unwrap();
    assert_found(&place, "signed with a later key, as if unfinished");
}

#[test]
fn a_missing_reordered_doubled_or_changed_epoch_is_found() {
    let place = two_closed();
    let text = fs::read_to_string(&logs(&place)[0]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "each chain began and was closed");
    let say = |lines: &[&str]| lines.join("\n") + "\n";
    let cases = [
        ("missing", say(&[lines[0], lines[2], lines[3]]), EpochProblem::Missing, 2),
        ("the first is missing", say(&lines[1..]), EpochProblem::Missing, 1),
        ("reordered", say(&[lines[0], lines[2], lines[1], lines[3]]), EpochProblem::Missing, 2),
        ("doubled", say(&[lines[0], lines[1], lines[1], lines[2]]), EpochProblem::OutOfOrder, 3),
        ("changed", text.replacen("close", "begin", 1), EpochProblem::Changed, 2),
        (
            "rehashed",
            rewritten(&text, |it| it.replacen("\"close\"", "\"prune\"", 1)),
            EpochProblem::Changed,
            2,
        ),
    ];
    for (what, damaged, wrong, line) in cases {
        write_logs(&place, &damaged);
        assert_found(&place, what);
        let report = verify(&place.dir, &by_first_key(&place)).unwrap();
        let problem = &report.epochs[0];
        assert_eq!((&problem.what, problem.line), (&RecordProblem::Epoch(wrong), line), "{what}");
    }
    write_logs(&place, &text);
    for report in all_ways(&place) {
        assert!(report.is_sound(), "{report:#?}");
    }
}

#[test]
fn an_epoch_that_was_used_twice_is_found() {
    let place = two_closed();
    // The key of the next epoch was copied, and used elsewhere.
    let twin = Place::new();
    copy(place.key.parent().unwrap(), twin.key.parent().unwrap());
    place.open().close().unwrap();
    twin.open().close().unwrap();
    fs::copy(&logs(&twin)[0], logs(&place)[1].with_extension("twin.jsonl")).unwrap();
    let report = verify(&place.dir, &by_first_key(&place)).unwrap();
    assert_eq!(
        report.epochs.first().map(|it| it.what.clone()),
        Some(RecordProblem::Epoch(EpochProblem::Doubled))
    );
    assert!(!report.is_sound());
}

#[test]
fn the_log_cannot_be_cut_behind_the_back_of_the_key() {
    let place = two_closed();
    let [beside, copied] = logs(&place);
    let text = fs::read_to_string(&beside).unwrap();
    let cut: String = text.lines().take(2).map(|it| it.to_owned() + "\n").collect();
    fs::write(&beside, &cut).unwrap();
    fs::write(&copied, &cut).unwrap();
    assert_found(&place, "the second chain is not told of");
    let Err(OpenError::Key { path, .. }) = Ledger::open(place.options()) else {
        panic!("the key goes on where the log does not end")
    };
    assert_eq!(path, beside);

    // What the ledger still has is brought back.
    fs::write(&copied, &text).unwrap();
    fs::remove_file(&beside).unwrap();
    place.open().close().unwrap();
    assert!(fs::read_to_string(&beside).unwrap().starts_with(&text));
    for report in all_ways(&place) {
        assert!(report.is_sound(), "{report:#?}");
    }
}

#[test]
fn a_record_that_a_crash_kept_out_of_the_log_is_added() {
    let place = two_closed();
    for torn in [0, 7] {
        for log in logs(&place) {
            let text = fs::read_to_string(&log).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let (last, rest) = lines.split_last().unwrap();
            fs::write(&log, rest.join("\n") + "\n" + &last[..torn]).unwrap();
        }
        let own = Evidence { key_file: Some(place.key.clone()), ..Evidence::default() };
        assert!(verify(&place.dir, &own).unwrap().is_sound(), "the key has it");
        place.pass(1);
        place.open().close().unwrap();
        for report in all_ways(&place) {
            assert!(report.is_sound(), "{report:#?}");
        }
    }
}

#[test]
fn a_chain_that_a_crash_left_without_its_name_gets_it() {
    let place = two_closed();
    let chain = place.chains()[1].clone();
    let draft = chain.with_file_name(format!(".new-{}", name(&chain)));
    fs::write(chain.join("lock"), "").unwrap();
    fs::rename(&chain, &draft).unwrap();
    let report = verify(&place.dir, &by_first_key(&place)).unwrap();
    assert!(report.is_sound(), "a chain that is being made is not missing: {report:#?}");
    place.pass(120_000);
    place.open().close().unwrap();
    assert!(chain.is_dir() && !draft.exists() && !chain.join("lock").exists());
    for report in all_ways(&place) {
        assert!(report.is_sound(), "{report:#?}");
    }
}

#[test]
fn processes_that_start_at_once_take_turns() {
    for count in [2, 10] {
        let place = Place::new();
        let plan =
            Plan { threads: 1, each: 5, segment_bytes: 1_500, reserve_bytes: 1 << 16, haste: 1 };
        let started: Vec<_> = (0..count).map(|_| start(&place, &plan, &[])).collect();
        let ended: Vec<_> = started.into_iter().map(crate::process::Running::finish).collect();
        let acks: Vec<_> = ended.iter().flat_map(|it| it.acks.clone()).collect();
        assert!(ended.iter().all(|it| it.closed), "{:?}", ended[0].errors);
        assert_kept(&place, &acks);
        for report in all_ways(&place) {
            assert!(report.is_sound() && report.chains.len() == count, "{report:#?}");
        }
        let log = fs::read_to_string(&logs(&place)[0]).unwrap();
        let mut events: BTreeMap<String, usize> = BTreeMap::new();
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            *events.entry(line["epoch"]["event"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        assert_eq!((events["begin"], events["close"]), (count, count), "{events:?}");
    }
}

#[test]
fn an_ended_segment_cannot_be_signed_with_the_next_key() {
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 1_000;
    let ledger = Ledger::open(options).unwrap();
    for number in 0..8 {
        ledger.append_wait(record(&format!("{number}"))).unwrap();
    }
    ledger.close().unwrap();
    let report = place.verify();
    assert!(report.is_sound() && report.chains[0].keys.len() > 1, "{report:#?}");
    let log = fs::read_to_string(&logs(&place)[0]).unwrap();
    assert!(log.contains("\"event\":\"rotate\""), "{log}");
}

#[test]
fn without_a_place_for_the_key_the_ledger_says_so() {
    let place = Place::new();
    fs::write(place.key.parent().unwrap(), "a file").unwrap();
    let error = Ledger::open(place.options()).unwrap_err().to_string();
    assert!(error.contains("config"), "{error}");
    // A directory in which nothing can be made, for root either.
    let mut options = place.options();
    options.key = PathBuf::from("/proc/self/redress/ledger.key");
    let error = Ledger::open(options).unwrap_err().to_string();
    assert!(error.starts_with("cannot create /proc/self/redress: "), "{error}");
}

#[test]
fn attack_c1_a_receipt_of_twelve_digits_proves_nothing() {
    let place = Place::new();
    let ledger = place.open();
    let receipt = ledger.append_wait(record("a")).unwrap();
    assert_eq!(receipt.hash.len(), 32);
    let short = parse_receipt(&format!("{}:{}", receipt.seq, &receipt.hash[..12])).unwrap();
    let report = verify(&place.dir, &place.evidence(&[short])).unwrap();
    let chain = report.chains[0].name.clone();
    assert_eq!(report.receipts[0].found, Found::Similar(chain.clone()));
    assert_eq!(report.chains[0].cuttable(), 1, "it holds nothing");
    let report = verify(&place.dir, &place.evidence(&[receipt])).unwrap();
    assert_eq!(report.receipts[0].found, Found::In(chain));
    let other = parse_receipt("2:000000000000").unwrap();
    let report = verify(&place.dir, &place.evidence(&[other])).unwrap();
    assert_eq!(report.receipts[0].found, Found::Nowhere);
    assert!(!report.is_sound(), "that it does not fit proves a change");
    ledger.close().unwrap();
}

#[test]
fn a_witness_file_shows_what_was_cut_with_all_else() {
    let place = two_closed();
    let before = Place::new();
    copy(place.dir.parent().unwrap(), before.dir.parent().unwrap());
    let witness = place.dir.with_file_name("elsewhere.jsonl");
    let mut options = place.options();
    options.witness = Some(witness.clone());
    let ledger = Ledger::open(options).unwrap();
    ledger.append_wait(record("c")).unwrap();
    ledger.close().unwrap();
    let evidence = || Evidence { witnesses: vec![witness.clone()], ..by_first_key(&place) };
    let report = verify(&place.dir, &evidence()).unwrap();
    assert!(report.is_sound(), "{report:#?}");

    // Everything is as it was before: nothing but the witness knows better.
    let chain = place.chains()[2].clone();
    for dir in [&place.dir, &place.key.parent().unwrap().to_owned()] {
        fs::remove_dir_all(dir).unwrap();
    }
    copy(&before.dir, &place.dir);
    copy(before.key.parent().unwrap(), place.key.parent().unwrap());
    assert!(verify(&place.dir, &by_first_key(&place)).unwrap().is_sound());
    let report = verify(&place.dir, &evidence()).unwrap();
    let missing: Vec<_> = report.missing.iter().map(|it| it.chain.clone()).collect();
    assert_eq!(missing, [name(&chain)], "{report:#?}");

    fs::write(&witness, "no checkpoint\n").unwrap();
    let report = verify(&place.dir, &evidence()).unwrap();
    assert_eq!(report.first_problem().map(|it| it.what.clone()), Some(RecordProblem::Witness));
}
