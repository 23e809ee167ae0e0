//! Whoever alters a ledger is found by the command, and the first bad record is named.

use std::{fs, path::Path};

use sha2::{Digest as _, Sha256};

use super::home::Home;
use crate::redress::run;

/// What `verify` says of a ledger after a change: the line and number of the first bad record, and what is wrong.
fn found(home: &Home, receipts: &[String]) -> (u64, u64, String) {
    let mut args = vec!["verify"];
    args.extend(receipts.iter().flat_map(|it| ["--receipt", it]));
    let report = home.json(&args).remove(0);
    assert_eq!(report["sound"], false, "{report}");
    let first = &report["first_problem"];
    assert_eq!(first["file"], home.segment().to_str().unwrap(), "{report}");
    let (line, seq) = (first["line"].as_u64().unwrap(), first["seq"].as_u64().unwrap());
    let what = first["what"].as_str().unwrap().to_owned();
    let ran = home.run(&args);
    assert_eq!(ran.exit, 1, "{}", ran.err);
    let said =
        format!("the first bad record: {}:{line} (record {seq}): {what}", home.segment().display());
    assert!(ran.out.contains(&said), "{}", ran.out);
    (line, seq, what)
}

/// A record with the right number, link and hash, as a forger would make it.
fn forged(before: &str) -> String {
    let before: serde_json::Value = serde_json::from_str(before).unwrap();
    let (seq, prev) = (before["seq"].as_u64().unwrap() + 1, before["hash"].as_str().unwrap());
    let body = format!(
        r#"{{"seq":{seq},"time":"2026-01-19T15:32:10.000Z","prev":"{prev}","kind":"session","session":{{"id":"x"}}"#
    );
    let hash = Sha256::digest(body.as_bytes());
    let hash = hash.iter().fold(String::new(), |text, it| text + &format!("{it:02x}"));
    format!("{body},\"hash\":\"{hash}\"}}")
}

/// What somebody does to the lines of a ledger.
type Change = fn(&mut Vec<String>);

#[test]
fn every_tampering_is_found_with_its_first_bad_record() {
    let (home, receipts) = Home::with_failures(6);
    let file = home.segment();
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    home.assert_sound();
    // The number of the last record: how many there are depends on how many minutes the calls took.
    let last = lines.len() as u64 - 1;
    let cut = &*format!("cut: the checkpoint {last}");
    let cases: [(Change, u64, u64, &str); 8] = [
        (|it| it[3] = it[3].replacen("a.txt", "b.txt", 1), 4, 3, "changed"),
        (|it| drop(it.remove(3)), 4, 3, "dropped: record 4"),
        (|it| it.swap(3, 4), 4, 3, "dropped: record 4"),
        (|it| it.insert(4, it[3].clone()), 5, 4, "duplicated or reordered: record 3"),
        (|it| it.insert(4, forged(&it[3])), 6, 5, "duplicated or reordered: record 4"),
        (|it| it.insert(4, "{}".to_owned()), 5, 4, "changed"),
        (|it| it.truncate(it.len() - 2), last, last - 1, cut),
        (|it| it.truncate(1), 2, 1, cut),
    ];
    for (change, line, seq, what) in cases {
        let mut changed = lines.clone();
        change(&mut changed);
        fs::write(&file, changed.join("\n") + "\n").unwrap();
        let (bad_line, bad_seq, bad) = found(&home, &[]);
        assert_eq!((bad_line, bad_seq), (line, seq), "{bad}");
        assert!(bad.starts_with(what), "{bad}");
    }
    // A last line that is cut in the middle, in a chain that was closed.
    fs::write(&file, &text[..text.len() - 10]).unwrap();
    assert_eq!(found(&home, &[]).0, last + 1);

    fs::write(&file, &text).unwrap();
    home.assert_sound();
    let ran = home.run(&["verify", "--receipt", &receipts[2]]);
    assert!(ran.exit == 0 && ran.out.contains("proven, in chain"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_the_witness_does_not_hold_a_receipt_does() {
    let (home, receipts) = Home::with_failures(4);
    let file = home.segment();
    let text = fs::read_to_string(&file).unwrap();
    // Somebody who reaches all that is kept of the chain as well, but was not seen with the receipt.
    fs::remove_dir_all(home.path().join("config/redress/ledger.heads")).unwrap();
    let report = home.json(&["verify"]).remove(0);
    assert_eq!(report["ledgers"][0]["chains"][0]["cuttable"], 0, "the epochs hold it: {report}");
    fs::remove_dir_all(home.path().join("config/redress")).unwrap();
    for entry in fs::read_dir(home.ledger()).unwrap().map(|it| it.unwrap().path()) {
        if entry.is_file() {
            fs::remove_file(entry).unwrap();
        }
    }
    let report = home.json(&["verify"]).remove(0);
    let chain = &report["ledgers"][0]["chains"][0];
    assert_eq!(chain["cuttable"], chain["records"], "{report}");
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&file, lines[..3].join("\n") + "\n").unwrap();
    fs::write(file.with_file_name("lock"), "").unwrap();
    home.assert_sound();
    let ran = home.run(&["verify", "--receipt", &receipts[0], "--receipt", &receipts[3]]);
    assert_eq!(ran.exit, 1);
    assert!(ran.out.contains(&format!("receipt {}: proven", receipts[0])), "{}", ran.out);
    assert!(ran.out.contains(&format!("receipt {}: WRONG", receipts[3])), "{}", ran.out);
    assert!(ran.out.contains("NOT SOUND"), "{}", ran.out);
}

#[test]
fn a_chain_or_a_ledger_that_is_gone_is_missed() {
    let (home, _) = Home::with_failures(1);
    fs::remove_dir_all(home.segment().parent().unwrap()).unwrap();
    for args in [&["verify"][..], &["verify", "--name", "bad"]] {
        let ran = home.run(args);
        assert!(ran.exit == 1 && ran.out.contains("it is gone"), "{}{}", ran.out, ran.err);
    }
    fs::remove_dir_all(home.path().join("state")).unwrap();
    let ledger = home.ledger();
    for args in [&["verify"][..], &["verify", ledger.to_str().unwrap()]] {
        let ran = home.run(args);
        assert!(ran.exit == 1 && ran.out.contains("it is gone"), "{}{}", ran.out, ran.err);
    }
    // However its path is written.
    let through = home.path().join("config/../state/redress/bad");
    for (place, path) in [
        (home.path().to_owned(), Path::new("state/redress/bad")),
        (home.path().to_owned(), Path::new("./state/redress/")),
        (home.path().join("config"), Path::new("../state/redress/bad")),
        (home.path().to_owned(), &through),
    ] {
        let mut command = home.command(&["verify", path.to_str().unwrap()]);
        let ran = run(command.current_dir(place), b"");
        assert!(ran.exit == 1 && ran.out.contains("it is gone"), "{path:?}: {}", ran.err);
    }
    let ran = home.run(&["query"]);
    assert!(ran.exit == 2 && ran.err.starts_with("NOT_FOUND"), "{}", ran.err);
}

#[test]
fn a_signature_of_another_key_is_refused() {
    let (home, _) = Home::with_failures(1);
    let (other, _) = Home::with_failures(1);
    let own = home.path().join("config/redress/ledger.pub");
    let foreign = other.path().join("config/redress/ledger.pub");
    let ran = home.run(&["verify", "--key", own.to_str().unwrap()]);
    assert!(ran.exit == 0 && ran.out.contains("by the given key"), "{}", ran.out);
    let digits = fs::read_to_string(&foreign).unwrap();
    for key in [foreign.to_str().unwrap(), digits.trim()] {
        let ran = home.run(&["verify", "--key", key]);
        assert!(ran.exit == 1 && ran.out.contains("which is none of those given"), "{}", ran.out);
    }
    let elsewhere = other.run(&["verify", home.ledger().to_str().unwrap()]);
    assert!(elsewhere.out.contains("which is not this user's key"), "{}", elsewhere.out);
}

#[test]
fn the_private_key_is_not_taken_for_the_public_one() {
    let (home, _) = Home::with_failures(1);
    let private = home.path().join("config/redress/ledger.key");
    let public = private.with_extension("pub");
    let ran = home.run(&["verify", "--key", private.to_str().unwrap()]);
    assert!(ran.exit == 2 && ran.out.is_empty(), "{}", ran.out);
    assert!(ran.err.contains("is the private key."), "{}", ran.err);
    assert!(ran.err.contains(&format!("--key {}", public.display())), "{}", ran.err);
    let other = home.segment();
    let ran = home.run(&["verify", "--key", other.to_str().unwrap()]);
    assert!(ran.exit == 2 && ran.err.contains("is no public key."), "{}", ran.err);
}
