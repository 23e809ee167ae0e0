//! Files that somebody removes while they are written: nothing is acknowledged that nobody can find.

use std::fs;

use redress_ledger::LedgerError;

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
