//! Files that somebody removes while they are written: nothing is acknowledged that nobody can find.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use redress_ledger::{Kind, Ledger, LedgerError};

use crate::fixture::{Place, record, segments};

#[test]
fn after_a_removed_segment_the_next_record_is_in_a_new_one() {
    let place = Place::new();
    let ledger = place.open();
    ledger.append_wait(record("before")).unwrap();
    let chain = place.chains().remove(0);
    let removed = segments(&chain).remove(0);
    fs::remove_file(&removed).unwrap();
    ledger.append_wait(record("after")).unwrap();
    let present = segments(&chain);
    assert!(present.len() == 1 && present[0] != removed, "{present:?}");
    assert!(fs::read_to_string(&present[0]).unwrap().contains(r#""id":"after""#));
    ledger.close().unwrap();
    assert!(!place.verify().is_sound(), "what was removed is missed");
}

#[test]
fn without_its_directory_the_ledger_refuses() {
    for whole in [true, false] {
        let place = Place::new();
        let ledger = place.open();
        ledger.append_wait(record("before")).unwrap();
        let removed = if whole { place.dir.clone() } else { place.chains().remove(0) };
        fs::remove_dir_all(&removed).unwrap();
        let refused = ledger.append_wait(record("after"));
        assert!(matches!(refused, Err(LedgerError::Failed(_))), "{refused:?}");
        assert!(ledger.admit().is_err());
        assert!(!removed.exists());
    }
}

#[test]
fn the_gap_of_a_closed_ledger_is_told_by_the_next_ledger() {
    let place = Place::new();
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let mut options = place.options();
    options.on_change = Some(Arc::new(move |it| heard.lock().unwrap().push(it)));
    let ledger = Ledger::open(options).unwrap();
    ledger.append_wait(record("before")).unwrap();
    let chain = place.chains().remove(0);
    fs::remove_dir_all(&chain).unwrap();
    ledger.append_wait(record("lost")).unwrap_err();
    place.pass(1_000);
    ledger.append_wait(record("lost")).unwrap_err();
    ledger.admit().unwrap_err();
    ledger.miss();
    let said = std::mem::take(&mut *said.lock().unwrap());
    assert!(matches!(&said[..], [Err(LedgerError::Failed(_))]), "{said:?}");

    // As long as it lives it may miss more; of what was removed nobody knows that it lives.
    ledger.close().unwrap_err();
    let gaps = || -> Vec<String> {
        let gaps = place.entries().into_iter().filter(|it| it.kind == Kind::Gap);
        gaps.map(|it| it.with(|it| it.raw().to_owned()).unwrap()).collect()
    };
    place.open().close().unwrap();
    let told =
        r#"{"count":3,"first":"2026-01-19T15:32:10.000Z","last":"2026-01-19T15:32:11.000Z"}"#;
    assert_eq!(gaps(), [told]);
    place.open().close().unwrap();
    assert_eq!(gaps(), [told], "once");
}
