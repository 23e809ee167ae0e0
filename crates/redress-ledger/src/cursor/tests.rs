//! Cursors over chains: rotations, damage, and what pruning leaves.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{Chain, ChainCursor, Next};
use crate::{Hold, Kind, Ledger, Options, Reader, Record, Time};

struct Place {
    dir: tempfile::TempDir,
    now: Arc<AtomicU64>,
}

impl Place {
    fn new() -> Self {
        let now = Arc::new(AtomicU64::new(1_000_000_000_000));
        Self { dir: tempfile::tempdir().unwrap(), now }
    }

    fn ledger(&self) -> PathBuf {
        self.dir.path().join("ledger")
    }

    fn options(&self) -> Options {
        let now = Arc::clone(&self.now);
        let clock = Arc::new(move || Time::from_millis(now.load(Ordering::Relaxed)));
        Options::new(self.ledger(), self.dir.path().join("key"), clock)
    }
}

fn record(at: u64) -> Record {
    Record::of_json(Kind::Retry, &format!("{{\"at\":{at},\"filler\":\"{}\"}}", "x".repeat(500)))
}

/// All lines that a cursor reads to the end, and what ended it.
fn read_all(cursor: &mut ChainCursor, until: u64) -> (Vec<String>, Next) {
    let mut lines = Vec::new();
    loop {
        match cursor.read(until, 4_000).unwrap() {
            Next::Portion(it) => {
                let text = String::from_utf8(it.lines).unwrap();
                assert_eq!(text.lines().count() as u64, it.last - it.first + 1);
                lines.extend(text.lines().map(str::to_owned));
            }
            other => return (lines, other),
        }
    }
}

fn written(ledger: &Path) -> Vec<String> {
    Reader::open(ledger).unwrap().map(|it| it.unwrap().text).collect()
}

#[test]
fn a_cursor_reads_every_line_once_through_rotations_and_goes_on_anywhere() {
    let place = Place::new();
    let heard = Arc::new(AtomicU64::new(0));
    let mut options = place.options();
    options.segment_bytes = 1 << 13;
    let hear = Arc::clone(&heard);
    options.on_commit = Some(Arc::new(move |next| hear.store(next, Ordering::Relaxed)));
    let ledger = Ledger::open(options).unwrap();
    let chain = Chain::all(&place.ledger()).unwrap().remove(0);
    assert!(!chain.is_closed);
    let mut cursor = ChainCursor::start(&chain);
    let mut read = Vec::new();
    for at in 0..100 {
        let receipt = ledger.append_wait(record(at)).unwrap();
        while heard.load(Ordering::Relaxed) <= receipt.seq {
            std::thread::yield_now();
        }
        let (lines, end) = read_all(&mut cursor, heard.load(Ordering::Relaxed));
        assert_eq!(end, Next::Nothing);
        read.extend(lines);
        assert_eq!(read.len() as u64, heard.load(Ordering::Relaxed));
    }
    // What is not said to be durable is not read.
    let mut shy = ChainCursor::start(&chain);
    assert_eq!(read_all(&mut shy, 7).0.len(), 7);
    ledger.close().unwrap();
    let all = written(&place.ledger());
    read.extend(read_all(&mut cursor, u64::MAX).0);
    assert_eq!(read, all);
    assert!(Chain::all(&place.ledger()).unwrap()[0].is_closed);
    for at in [0, 5, 17, 60, all.len() - 2, all.len() - 1] {
        let head = super::read_line(all[at].as_bytes(), &chain.path).unwrap();
        let mut cursor = ChainCursor::after(&chain, head.seq, head.hash);
        assert_eq!(read_all(&mut cursor, u64::MAX), (all[at + 1..].to_vec(), Next::Nothing));
        let mut other = ChainCursor::after(&chain, head.seq, head.prev);
        assert_eq!(read_all(&mut other, u64::MAX), (Vec::new(), Next::Diverged(head.seq)));
    }
    let last = super::read_line(all[all.len() - 1].as_bytes(), &chain.path).unwrap();
    let mut cut = ChainCursor::after(&chain, last.seq + 3, last.hash);
    assert_eq!(read_all(&mut cut, u64::MAX), (Vec::new(), Next::Diverged(last.seq + 3)));
}

#[test]
fn a_record_that_was_changed_stops_the_cursor() {
    let place = Place::new();
    let ledger = Ledger::open(place.options()).unwrap();
    for at in 0..20 {
        ledger.append_wait(record(at)).unwrap();
    }
    ledger.close().unwrap();
    let chain = Chain::all(&place.ledger()).unwrap().remove(0);
    let file = chain.path.join("00000001.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"at\":9,", "\"at\":8,", 1)).unwrap();
    let (lines, end) = read_all(&mut ChainCursor::start(&chain), u64::MAX);
    assert!(matches!(end, Next::Damaged(_)), "{end:?}");
    assert!(lines.len() > 5 && lines.len() < 20);
}

#[test]
fn what_a_copy_lacks_is_not_pruned_until_there_is_too_much_of_it() {
    let place = Place::new();
    let lacking = Arc::new(Mutex::new(true));
    let open = |most_bytes| {
        let mut options = place.options();
        options.segment_bytes = 1 << 13;
        options.keep_millis = Some(1000);
        let lacking = Arc::clone(&lacking);
        let lacks = Arc::new(move |_: &str, _| *lacking.lock().unwrap());
        options.hold = Some(Hold { lacks, most_bytes });
        Ledger::open(options).unwrap()
    };
    let ledger = open(1 << 30);
    for at in 0..100 {
        ledger.append_wait(record(at)).unwrap();
    }
    ledger.close().unwrap();
    let before = written(&place.ledger()).len();
    place.now.fetch_add(1_000_000, Ordering::Relaxed);
    let first = Chain::all(&place.ledger()).unwrap().remove(0);
    // All of it is lacking: it stays.
    drop(open(1 << 30));
    assert!(written(&place.ledger()).len() > before);
    // More than may wait: the oldest segments go, and a cursor says what is missing.
    drop(open(30_000));
    let head = match ChainCursor::start(&first).read(u64::MAX, 1 << 20).unwrap() {
        Next::Skipped(it) => it,
        other => panic!("{other:?}"),
    };
    assert!(head.first == 0 && head.last > 20, "{head:?}");
    // The copy has caught up: everything goes that is old.
    *lacking.lock().unwrap() = false;
    drop(open(30_000));
    let chains = Chain::all(&place.ledger()).unwrap();
    assert!(chains.iter().all(|it| it.name != first.name), "{chains:?}");
}
