//! What comes after now is seen: in a chain that is written, in new segments, in new chains, in new ledgers.

use std::fs;

use redress_ledger::{Follow, Kind, Ledger, ReadError};

use crate::fixture::{Place, record, segments};

/// The names of the records that came since.
fn names(follow: &mut Follow, place: &Place) -> Vec<String> {
    let mut names = Vec::new();
    for entry in follow.poll(&[&place.dir]).into_iter().map(Result::unwrap) {
        if entry.kind == Kind::Session {
            let name = entry.with(|it| it.get("id").unwrap().as_str().unwrap().into_owned());
            names.push(name.unwrap());
        }
    }
    names
}

#[test]
fn only_what_comes_later_is_seen_and_each_record_once() {
    let place = Place::new();
    let one = place.open();
    one.append_wait(record("before")).unwrap();
    let mut follow = Follow::default();
    follow.skip(&[&place.dir]);
    assert_eq!(names(&mut follow, &place), [""; 0]);
    one.append_wait(record("a")).unwrap();
    place.pass(1);
    let two = place.open();
    two.append_wait(record("b")).unwrap();
    assert_eq!(names(&mut follow, &place), ["a", "b"]);
    assert_eq!(names(&mut follow, &place), [""; 0]);
    one.close().unwrap();
    two.append_wait(record("c")).unwrap();
    assert_eq!(names(&mut follow, &place), ["c"]);
    two.close().unwrap();
}

#[test]
fn a_rotation_loses_and_repeats_nothing() {
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 2_000;
    let ledger = Ledger::open(options).unwrap();
    let mut follow = Follow::default();
    let mut seen = Vec::new();
    for number in 0..60 {
        ledger.append_wait(record(&number.to_string())).unwrap();
        if number % 7 == 0 {
            seen.extend(names(&mut follow, &place));
        }
    }
    seen.extend(names(&mut follow, &place));
    let expected: Vec<String> = (0..60).map(|it| it.to_string()).collect();
    assert_eq!(seen, expected);
    assert!(segments(&place.chains()[0]).len() > 3);
    ledger.close().unwrap();
}

#[test]
fn an_unfinished_line_waits_and_a_bad_one_has_its_place() {
    let place = Place::new();
    let ledger = place.open();
    ledger.append_wait(record("a")).unwrap();
    let mut follow = Follow::default();
    follow.skip(&[&place.dir]);
    let file = segments(&place.chains()[0])[0].clone();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}{{\"seq\":")).unwrap();
    assert!(follow.poll(&[&place.dir]).is_empty());
    fs::write(&file, format!("{text}{{\"seq\":3}}\n")).unwrap();
    let found = follow.poll(&[&place.dir]);
    let [Err(ReadError::Line { line: 4, .. })] = found[..] else { panic!("{found:?}") };
    // The torn line is cut, as recovery does it, and a record stands there then.
    fs::write(&file, &text).unwrap();
    ledger.append_wait(record("b")).unwrap();
    assert_eq!(names(&mut follow, &place), ["b"]);
}
