//! What can be asked of a ledger.

use std::fs;

use redress::codes;
use redress_ledger::{Format, Ledger, Query, Reader, Record, Redactor, Stats, Time, export, tail};

use crate::fixture::{Place, START, record};

fn fault(ledger: &Ledger, tool: &str, session: &str) {
    let mut fault = codes::FILE_NOT_FOUND.raise([("path", "=a,b")]);
    fault.context.tool = Some(tool.to_owned());
    fault.context.session_id = Some(session.to_owned());
    fault.context.server = Some("files".to_owned());
    ledger.append_wait(Record::fault(&fault, &Redactor::default())).unwrap();
}

/// Two chains with faults and other records, one a second.
fn filled() -> Place {
    let place = Place::new();
    let (one, two) = (place.open(), place.open());
    for number in 0..10 {
        place.pass(1_000);
        fault(&one, "read", &format!("s{number}"));
        let timeout = codes::TIMEOUT.raise([("limit_ms", "5")]);
        two.append_wait(Record::fault(&timeout, &Redactor::default())).unwrap();
    }
    let call = r#"{"tool":"write","session_id":"s3","token":"secret-value"}"#;
    two.append_wait(Record::call(call, &Redactor::default())).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    place
}

fn count(place: &Place, query: &Query) -> usize {
    Reader::open(&place.dir).unwrap().filter(|it| query.matches(it.as_ref().unwrap())).count()
}

#[test]
fn records_are_found_by_what_is_known_of_them() {
    let place = filled();
    let some = |text: &str| Some(text.to_owned());
    let any = Query::default();
    assert_eq!(count(&place, &any), place.entries().len());
    assert_eq!(count(&place, &Query { code: some("FILE_NOT_FOUND"), ..any.clone() }), 10);
    assert_eq!(count(&place, &Query { code: some("TIMEOUT"), ..any.clone() }), 10);
    assert_eq!(count(&place, &Query { class: some("not_found"), ..any.clone() }), 10);
    assert_eq!(count(&place, &Query { tool: some("read"), ..any.clone() }), 10);
    assert_eq!(count(&place, &Query { server: some("files"), ..any.clone() }), 10);
    assert_eq!(count(&place, &Query { session: some("s3"), ..any.clone() }), 2);
    assert_eq!(
        count(&place, &Query { session: some("s3"), tool: some("write"), ..any.clone() }),
        1
    );
    let from = Some(Time::from_millis(START + 9_000));
    let to = Some(Time::from_millis(START + 10_000));
    assert_eq!(count(&place, &Query { from, to, ..any.clone() }), 2);
    assert_eq!(count(&place, &Query { code: some("NO_SUCH"), ..any }), 0);
}

#[test]
fn the_tail_is_the_end_of_the_merged_order() {
    let place = filled();
    let all = place.entries();
    for most in [0, 1, 5, 17, 1_000] {
        let newest = tail(&[&place.dir], most, &Query::default(), &mut |it| panic!("{it}"));
        assert_eq!(newest, all[all.len() - most.min(all.len())..], "{most}");
    }
    let query = Query { session: Some("s0".to_owned()), ..Query::default() };
    assert_eq!(tail(&[&place.dir], 5, &query, &mut |it| panic!("{it}")).len(), 1);
}

#[test]
fn however_many_chains_were_written_at_once_few_files_are_open() {
    let place = Place::new();
    let ledger = place.open();
    for number in 0..5 {
        ledger.append_wait(record(&format!("{number}"))).unwrap();
    }
    ledger.close().unwrap();
    let chain = place.chains()[0].clone();
    // Of the same process, as their names say; so they are read side by side.
    for number in 1..300 {
        let name = format!("20260119T153210000Z-1-{number:012x}");
        crate::fixture::copy(&chain, &place.dir.join(name));
    }
    let lines = fs::read_to_string(chain.join("00000001.jsonl")).unwrap().lines().count();
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    let (mut read, mut most) = (0, 0);
    for entry in Reader::open(&place.dir).unwrap() {
        entry.unwrap();
        read += 1;
        most = most.max(open());
    }
    assert_eq!(read, 300 * lines);
    assert!(most < before + 200, "{most}");
}

#[test]
fn the_tail_of_many_segments_is_right() {
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 1_500;
    let ledger = Ledger::open(options).unwrap();
    for number in 0..60 {
        place.pass(10);
        ledger.append_wait(record(&format!("{number}"))).unwrap();
    }
    let all = place.entries();
    let newest = tail(&[&place.dir], 25, &Query::default(), &mut |it| panic!("{it}"));
    assert_eq!(newest, all[all.len() - 25..]);
}

#[test]
fn the_tail_is_right_where_the_clock_was_set_back() {
    const HOUR: u64 = 3_600_000;
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 1_500;
    let write = |ledger: &Ledger| {
        for number in 0..20 {
            place.pass(10);
            ledger.append_wait(record(&format!("{number}"))).unwrap();
        }
    };
    let ledger = Ledger::open(options).unwrap();
    place.pass(3 * HOUR);
    write(&ledger);
    place.pass_back(3 * HOUR);
    write(&ledger);
    ledger.close().unwrap();
    place.pass(2 * HOUR);
    let ledger = place.open();
    write(&ledger);
    ledger.close().unwrap();
    let mut all = place.entries();
    all.sort_by_key(|it| (it.time, it.seq));
    for most in 1..all.len() {
        let newest = tail(&[&place.dir], most, &Query::default(), &mut |it| panic!("{it}"));
        assert_eq!(newest, all[all.len() - most..], "{most}");
    }
}

#[test]
fn numbers_add_up() {
    let place = filled();
    let stats = Stats::of(Reader::open(&place.dir).unwrap());
    assert_eq!(stats.records, u64::try_from(place.entries().len()).unwrap());
    assert_eq!(stats.by_code["FILE_NOT_FOUND"], 10);
    assert_eq!(stats.by_kind["fault"], 20);
    assert_eq!(stats.by_tool["read"], 10);
    assert_eq!(stats.damaged, 0);
    let json: serde_json::Value = serde_json::from_str(&stats.json()).unwrap();
    assert_eq!(json["by_class"]["not_found"], 10);
    assert_eq!(json["first"], "2026-01-19T15:32:10.000Z");
}

#[test]
fn exports_are_the_lines_themselves_or_a_table() {
    let place = filled();
    let write = |format| {
        let mut out = Vec::new();
        assert_eq!(export(Reader::open(&place.dir).unwrap(), format, &mut out).unwrap(), 0);
        String::from_utf8(out).unwrap()
    };
    let lines: Vec<_> = place.entries().into_iter().map(|it| it.text + "\n").collect();
    assert_eq!(write(Format::JsonLines), lines.concat());
    let table = write(Format::Csv);
    assert_eq!(table.lines().count(), lines.len() + 1);
    assert!(table.starts_with("time,chain,seq,kind,hash,code,class,"));
    assert!(!table.contains("secret-value"));
}

#[test]
fn a_newer_format_is_refused_by_its_name() {
    use redress_ledger::{ReadError, RecordProblem};
    let place = Place::new();
    place.open().close().unwrap();
    let file = crate::fixture::segments(&place.chains()[0])[0].clone();
    let text = fs::read_to_string(&file).unwrap();
    let first = text.lines().next().unwrap().replace("redress-ledger/1", "redress-ledger/2");
    let (body, _) = first.rsplit_once(",\"hash\"").unwrap();
    let hash = crate::fixture::hex(&<sha2::Sha256 as sha2::Digest>::digest(body.as_bytes()));
    fs::write(&file, format!("{body},\"hash\":\"{hash}\"}}\n")).unwrap();
    let read: Vec<_> = Reader::open(&place.dir).unwrap().collect();
    assert!(
        matches!(&read[..], [Err(ReadError::Format { format, .. })] if format == "redress-ledger/2")
    );
    let report = place.verify();
    assert_eq!(
        report.first_problem().unwrap().what,
        RecordProblem::Format("redress-ledger/2".to_owned())
    );
}

#[test]
fn segments_that_are_too_old_are_not_read() {
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 1_500;
    let ledger = Ledger::open(options).unwrap();
    for number in 0..40 {
        place.pass(600_000);
        ledger.append_wait(record(&number.to_string())).unwrap();
    }
    ledger.close().unwrap();
    let from = Time::from_millis(START + 36 * 600_000);
    let query = Query { from: Some(from), ..Query::default() };
    let wanted = |reader: Reader| -> Vec<_> {
        reader.flatten().filter(|it| query.matches(it)).map(|it| it.text).collect()
    };
    let all = wanted(Reader::open(&place.dir).unwrap());
    assert!(all.len() >= 5);
    assert_eq!(wanted(Reader::open(&place.dir).unwrap().since(from)), all);
    let read = Reader::open(&place.dir).unwrap().since(from).count();
    assert!(read < place.entries().len() / 2, "{read}");
    assert_eq!(
        Reader::open(&place.dir).unwrap().since(Time::default()).count(),
        place.entries().len()
    );
}
