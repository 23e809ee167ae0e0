//! Failures that are counted: when their counts are told, in which order, and by what they are found.

use std::{
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use redress_ledger::{Format, Kind, Ledger, Query, Reader, RefusalKind, Stats, export};
use serde_json::Value;

use crate::fixture::{Place, record};

/// How long something may take that happens by itself.
const PATIENCE: Duration = Duration::from_secs(60);

fn kind(code: &str, server: Option<&str>) -> RefusalKind {
    let server = server.map(str::to_owned);
    RefusalKind { code: code.to_owned(), class: "resource_exhausted", server, from: "local" }
}

/// Counts a failure, and gives where it is heard that it may be told.
fn count(ledger: &Ledger, code: &str) -> mpsc::Receiver<bool> {
    let (told, hear) = mpsc::channel();
    ledger.count(kind(code, Some("files")), move |it| told.send(it.is_ok()).unwrap_or_default());
    hear
}

/// The objects of the records of counts.
fn refusals(place: &Place) -> Vec<Value> {
    let entries = place.entries().into_iter().filter(|it| it.kind == Kind::Refusals);
    entries.map(|it| serde_json::from_str::<Value>(&it.text).unwrap()["refusals"].take()).collect()
}

/// How many failures the records count.
fn counted(place: &Place) -> u64 {
    refusals(place).iter().map(|it| it["count"].as_u64().unwrap()).sum()
}

#[test]
fn counts_are_told_at_most_once_a_second_and_none_is_lost() {
    let place = Place::new();
    let ledger = place.open();
    for second in 1..=3 {
        for _ in 0..1_000 {
            assert!(count(&ledger, "OVERLOADED").recv_timeout(PATIENCE).unwrap());
        }
        // By the clock of the test no time has passed; by that of the system a second may have.
        assert!(counted(&place) > (second - 1) * 1_000);
        place.pass(1_000);
    }
    ledger.close().unwrap();
    assert_eq!(counted(&place), 3_000);
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    for told in refusals(&place) {
        assert_eq!(told["counts"][0]["code"], "OVERLOADED");
        assert_eq!(told["counts"][0]["server"], "files");
        assert_eq!(told["counts"][0]["from"], "local");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "nothing says that a file has grown")]
fn counts_are_told_although_no_failure_follows() {
    let place = Place::new();
    let ledger = place.open();
    for _ in 0..5 {
        count(&ledger, "OVERLOADED").recv_timeout(PATIENCE).unwrap();
    }
    let until = Instant::now() + PATIENCE;
    while counted(&place) < 5 {
        assert!(Instant::now() < until, "{:?}", refusals(&place));
        thread::sleep(Duration::from_millis(20));
    }
    assert!(refusals(&place).len() <= 2);
    ledger.close().unwrap();
}

#[test]
fn a_counted_failure_is_told_after_the_record_before_it() {
    let place = Place::new();
    let ledger = place.open();
    let overloaded = kind("OVERLOADED", Some("files"));
    let (told, hear) = mpsc::channel();
    let mut recorded = 0;
    // The last of those that get records of their own is not durable yet.
    let mut last = None;
    while let Some(recording) = ledger.may_record(&overloaded) {
        recorded += 1;
        last = Some(recording);
    }
    assert_eq!(recorded, 16);
    for _ in 0..3 {
        let told = told.clone();
        ledger.count(overloaded.clone(), move |it| told.send(it.is_ok()).unwrap());
    }
    // The first starts a record of counts, for which the others wait.
    for _ in 0..3 {
        assert!(hear.recv_timeout(PATIENCE).unwrap());
    }
    assert!(counted(&place) >= 1, "the record is durable before anybody is told");

    drop(last);
    ledger.close().unwrap();
    assert_eq!(counted(&place), 3);
}

#[test]
fn counts_that_cannot_be_recorded_are_a_gap() {
    let place = Place::new();
    let ledger = place.open();
    ledger.close().unwrap();
    for _ in 0..5 {
        assert!(!count(&ledger, "OVERLOADED").recv_timeout(PATIENCE).unwrap_or(false));
        place.pass(1_000);
    }
    assert_eq!(ledger.gap().unwrap().count, 5);
}

#[test]
fn counts_are_found_by_code_and_server_and_add_to_the_numbers() {
    let place = Place::new();
    let ledger = place.open();
    ledger.append_wait(record("a")).unwrap();
    let kinds = [("OVERLOADED", Some("files")), ("OVERLOADED", None), ("NOT_FOUND", Some("git"))];
    for (code, server) in kinds {
        ledger.count(kind(code, server), drop);
    }
    ledger.close().unwrap();
    let matches = |code: Option<&str>, server: Option<&str>| {
        let query = Query {
            code: code.map(str::to_owned),
            server: server.map(str::to_owned),
            ..Query::default()
        };
        place.entries().iter().filter(|it| query.matches(it)).count()
    };
    let told = refusals(&place).len();
    assert!(told <= 2);
    assert!(matches(Some("OVERLOADED"), None) >= 1);
    assert!(matches(Some("OVERLOADED"), Some("files")) >= 1);
    assert_eq!(matches(Some("OVERLOADED"), Some("git")), 0, "no line has both");
    assert_eq!(matches(Some("TIMEOUT"), None), 0);
    let query = Query { kind: Some(Kind::Refusals), ..Query::default() };
    assert_eq!(place.entries().iter().filter(|it| query.matches(it)).count(), told);

    let stats = Stats::of(Reader::open(&place.dir).unwrap());
    assert_eq!((stats.counted, stats.by_code["OVERLOADED"], stats.by_server["git"]), (3, 2, 1));
    assert_eq!(stats.by_class["resource_exhausted"], 3);
    let mut table = Vec::new();
    export(Reader::open(&place.dir).unwrap(), Format::Csv, &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    assert!(table.contains("1 OVERLOADED"), "{table}");
}
