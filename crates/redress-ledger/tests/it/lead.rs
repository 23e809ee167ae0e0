//! Callers that commit on their own threads, beside the ledger's own.

use std::{
    sync::{Arc, Mutex, mpsc},
    thread::{self, ThreadId},
};

use redress_ledger::{By, Ledger, LedgerError};

use crate::fixture::{Place, record};

/// Commits until there is nothing left to do for this thread.
fn commit(ledger: &Ledger) -> usize {
    std::iter::from_fn(|| ledger.commit().then_some(())).count()
}

#[test]
fn a_commit_makes_all_durable_and_answers_on_its_thread() {
    let place = Place::new();
    let ledger = place.open();
    assert!(!ledger.commit(), "nothing waits");
    let heard = Arc::new(Mutex::new(Vec::<(ThreadId, By, u64)>::new()));
    for name in ["a", "b", "c"] {
        let heard = Arc::clone(&heard);
        ledger.enqueue(record(name), move |it, by| {
            heard.lock().unwrap().push((thread::current().id(), by, it.unwrap().seq));
        });
    }
    assert!(heard.lock().unwrap().is_empty(), "nobody has committed them");
    assert_eq!(commit(&ledger), 1, "they share one turn");
    let here = thread::current().id();
    assert_eq!(*heard.lock().unwrap(), [2, 3, 4].map(|seq| (here, By::Commit, seq)));
    ledger.append_wait(record("d")).unwrap();
    ledger.close().unwrap();
    assert!(place.verify().is_sound());
}

#[test]
fn every_committed_record_is_told_once_and_none_waits() {
    let place = Place::new();
    let ledger = place.open();
    let (told, hear) = mpsc::channel();
    thread::scope(|scope| {
        for number in 0..4u32 {
            let (ledger, told) = (&ledger, told.clone());
            scope.spawn(move || {
                for each in 0..50 {
                    let (told, name) = (told.clone(), format!("{number}-{each}"));
                    if number % 2 == 0 {
                        ledger.enqueue(record(&name), move |it, _| told.send(it).unwrap());
                        commit(ledger);
                    } else {
                        ledger.append(record(&name), move |it| told.send(it).unwrap());
                    }
                }
            });
        }
    });
    drop(told);
    let mut seqs: Vec<u64> = hear.iter().map(|it| it.unwrap().seq).collect();
    seqs.sort_unstable();
    seqs.dedup();
    assert_eq!(seqs.len(), 200);
    ledger.close().unwrap();
    assert!(place.verify().is_sound());
}

#[test]
fn who_waits_for_others_that_do_not_come_commits_alone() {
    let place = Place::new();
    let ledger = place.open();
    let (told, hear) = mpsc::channel();
    for names in [&["a", "b", "c"][..], &["d"], &["e"]] {
        for name in names {
            let told = told.clone();
            ledger.enqueue(record(name), move |it, _| told.send(it.unwrap().seq).unwrap());
        }
        assert_eq!(commit(&ledger), 1, "{names:?}");
    }
    drop(told);
    assert_eq!(hear.iter().collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
    ledger.close().unwrap();
    assert!(place.verify().is_sound());
}

#[test]
fn what_nobody_has_committed_is_committed_by_closing() {
    let place = Place::new();
    let ledger = place.open();
    let (told, hear) = mpsc::channel();
    let late = told.clone();
    ledger.enqueue(record("a"), move |it, by| told.send((it.is_ok(), by)).unwrap());
    ledger.close().unwrap();
    assert_eq!(hear.recv().unwrap(), (true, By::Other));
    ledger.enqueue(record("late"), move |it, by| {
        late.send((matches!(it, Err(LedgerError::Closed)), by)).unwrap();
    });
    assert_eq!(hear.recv().unwrap(), (true, By::Other));
    assert!(!ledger.commit());
}

#[test]
fn a_caller_that_panics_when_it_hears_does_not_end_the_ledger() {
    let place = Place::new();
    let ledger = place.open();
    ledger.enqueue(record("a"), |_, _| panic!("a caller's own mistake"));
    assert!(ledger.commit());
    ledger.append_wait(record("b")).unwrap();
    ledger.close().unwrap();
}
