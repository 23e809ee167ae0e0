//! Whoever changes a ledger is found, and the first record that is wrong is named.

use std::{fs, path::PathBuf, sync::LazyLock};

use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use redress::fault::Receipt;
use redress_ledger::{
    ChainState, Found, Ledger, Problem, RecordProblem, Report, mark_copies, parse_receipt, verify,
    verify_newest,
};
use tempfile::TempDir;

use crate::fixture::{Place, copy, record, rehash, relink, segments};

/// A closed ledger of several segments with its receipts.
static ORIGINAL: LazyLock<(Place, Vec<Receipt>)> = LazyLock::new(|| {
    let place = Place::new();
    let mut options = place.options();
    options.segment_bytes = 1_500;
    let ledger = Ledger::open(options).unwrap();
    let receipts = (0..24)
        .map(|number| {
            place.pass(1_000);
            ledger.append_wait(record(&format!("{number}"))).unwrap()
        })
        .collect();
    ledger.close().unwrap();
    (place, receipts)
});

/// The ledger's lines with their files, to be written changed.
struct Copy {
    _root: TempDir,
    dir: PathBuf,
    lines: Vec<(PathBuf, String)>,
}

impl Copy {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("ledger");
        copy(&ORIGINAL.0.dir, &dir);
        let chain = crate::fixture::subdirectories(&dir)[0].clone();
        let mut lines = Vec::new();
        for file in segments(&chain) {
            let text = fs::read_to_string(&file).unwrap();
            lines.extend(text.lines().map(|it| (file.clone(), it.to_owned())));
        }
        Self { _root: root, dir, lines }
    }

    fn write(&self) {
        for file in segments(&crate::fixture::subdirectories(&self.dir)[0]) {
            let lines = self.lines.iter().filter(|it| it.0 == file);
            let text: String = lines.map(|it| it.1.clone() + "\n").collect();
            fs::write(&file, text).unwrap();
        }
    }

    /// Verifies with the key, without the witnesses (they know the ledger by its path) and without receipts.
    fn verify(&self, receipts: &[Receipt]) -> Report {
        self.write();
        verify(&self.dir, &ORIGINAL.0.evidence(receipts)).unwrap()
    }

    /// The file and line where the record with that number stood, or stands.
    fn place(&self, at: usize) -> (PathBuf, u64) {
        let file = &self.lines[at].0;
        let before = self.lines[..at].iter().filter(|it| it.0 == *file).count();
        (file.clone(), u64::try_from(before).unwrap() + 1)
    }
}

fn count() -> usize {
    Copy::new().lines.len()
}

fn position() -> impl Strategy<Value = usize> {
    any::<proptest::sample::Index>().prop_map(|it| it.index(count()))
}

#[test]
fn an_untouched_copy_is_sound() {
    let copy = Copy::new();
    let report = copy.verify(&ORIGINAL.1);
    assert!(report.is_sound(), "{report:#?}");
    assert!(segments(&crate::fixture::subdirectories(&copy.dir)[0]).len() > 3);
    assert_eq!(report.chains[0].rewritable(), 0);
}

#[test]
fn a_large_ledger_has_its_newest_segments_checked() {
    let evidence = ORIGINAL.0.evidence(&[]);
    let copy = Copy::new();
    copy.write();
    let chain = crate::fixture::subdirectories(&copy.dir)[0].clone();
    let files = segments(&chain);
    let (all, nothing) = verify_newest(&copy.dir, &evidence, u64::MAX).unwrap();
    assert!(all.is_sound() && nothing.is_nothing(), "{all:#?}");
    let (some, unread) = verify_newest(&copy.dir, &evidence, 2_000).unwrap();
    assert!(some.is_sound(), "{some:#?}");
    assert!(unread.segments > 0 && unread.segments < files.len() - 1, "{unread:?}");
    assert!(some.chains[0].records < all.chains[0].records);

    let change = |file: &PathBuf, from: &str, to: &str| {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(file, text.replacen(from, to, 1)).unwrap();
        let (report, _) = verify_newest(&copy.dir, &evidence, 2_000).unwrap();
        fs::write(file, text).unwrap();
        report.first_problem().map(|it| it.file.clone())
    };
    let (first, last) = (&files[0], &files[files.len() - 1]);
    assert_eq!(
        change(last, "\"kind\":\"checkpoint\"", "\"kind\":\"checkqoint\""),
        Some(last.clone())
    );
    assert_eq!(change(first, "\"kind\"", "\"kinds\""), Some(first.clone()), "another length");
    assert_eq!(change(first, "\"kind\"", "\"kinb\""), None, "too old to be read at a start");
    fs::remove_file(&files[1]).unwrap();
    assert!(!verify_newest(&copy.dir, &evidence, 2_000).unwrap().0.is_sound(), "a missing segment");
}

proptest! {
    #[test]
    fn a_changed_byte_is_found(at in position(), byte in any::<proptest::sample::Index>(), to in 1u8..255) {
        let mut copy = Copy::new();
        let (file, line) = copy.place(at);
        let text = &mut copy.lines[at].1;
        let byte = byte.index(text.len());
        let mut bytes = text.clone().into_bytes();
        bytes[byte] = bytes[byte].wrapping_add(to) & 0x7f;
        if bytes[byte] == b'\n' || bytes == text.as_bytes() {
            return Ok(());
        }
        *text = String::from_utf8(bytes).unwrap();
        let report = copy.verify(&[]);
        let problem = report.first_problem().unwrap();
        prop_assert_eq!((&problem.file, problem.line), (&file, line));
        prop_assert_eq!(problem.seq, u64::try_from(at).unwrap());
    }

    #[test]
    fn a_dropped_record_is_found(at in position()) {
        let mut copy = Copy::new();
        let last = at + 1 == copy.lines.len();
        let seq = u64::try_from(at).unwrap();
        copy.lines.remove(at);
        let report = copy.verify(&[]);
        let problem = report.first_problem().unwrap();
        prop_assert!(problem.seq == seq || at == 0 && problem.seq == 1, "{problem:?}");
        prop_assert!(!last || problem.what == RecordProblem::NotClosed);
    }

    #[test]
    fn a_record_moved_elsewhere_is_found(from in position(), to in position()) {
        let mut copy = Copy::new();
        if from == to {
            return Ok(());
        }
        let (from_text, to_text) = (copy.lines[from].1.clone(), copy.lines[to].1.clone());
        copy.lines[from].1 = to_text;
        copy.lines[to].1 = from_text;
        let first = copy.place(from.min(to));
        let report = copy.verify(&[]);
        let problem = report.first_problem().unwrap();
        prop_assert_eq!((problem.file.clone(), problem.line), first);
    }

    #[test]
    fn a_record_that_stands_twice_is_found(from in position(), to in position()) {
        let mut copy = Copy::new();
        let (file, text) = (copy.lines[to].0.clone(), copy.lines[from].1.clone());
        copy.lines.insert(to + 1, (file, text));
        // A copy right before the record itself takes its place, and the record is the one too many.
        let takes_place = from == to + 1 && copy.lines[to].0 == copy.lines[to + 2].0;
        let (file, line) = copy.place(if takes_place { to + 2 } else { to + 1 });
        let report = copy.verify(&[]);
        let problem = report.first_problem().unwrap();
        prop_assert_eq!((&problem.file, problem.line), (&file, line), "{:?}", problem);
    }

    #[test]
    fn an_invented_record_is_found(at in position(), id in "[a-z]{1,8}") {
        let mut copy = Copy::new();
        // As good as a forger can make it: the right number, the right link, the right hash.
        let (file, before) = copy.lines[at].clone();
        let before: serde_json::Value = serde_json::from_str(&before).unwrap();
        let (seq, prev) = (before["seq"].as_u64().unwrap() + 1, before["hash"].as_str().unwrap());
        let forged = format!(
            r#"{{"seq":{seq},"time":"2026-01-19T15:32:10.000Z","prev":"{prev}","kind":"session","session":{{"id":"{id}"}},"hash":""}}"#
        );
        copy.lines.insert(at + 1, (file, rehash(&forged)));
        let report = copy.verify(&[]);
        prop_assert!(!report.is_sound());
        let problem = report.first_problem().unwrap();
        prop_assert!(problem.seq >= seq && problem.seq <= seq + 1, "{problem:?} at {seq}");
    }

    #[test]
    fn a_rewritten_rest_is_found_by_its_signatures(at in position()) {
        let mut copy = Copy::new();
        let text = copy.lines[at].1.clone();
        copy.lines[at].1 = rehash(&text.replacen("2026", "2025", 1));
        for next in at + 1..copy.lines.len() {
            copy.lines[next].1 = relink(&copy.lines[next - 1].1, &copy.lines[next].1);
        }
        let report = copy.verify(&[]);
        // Where nothing was signed after a checkpoint, the log of epochs has its hash.
        let is_told = |it: &Problem| matches!(it.what, RecordProblem::Signature | RecordProblem::Rewritten);
        prop_assert!(report.first_problem().is_some_and(is_told), "{report:#?}");
    }

    #[test]
    fn a_cut_is_found_back_to_the_newest_receipt(keep in position()) {
        let mut copy = Copy::new();
        copy.lines.truncate(keep.max(1));
        let kept = u64::try_from(copy.lines.len()).unwrap();
        copy.write();
        for file in segments(&crate::fixture::subdirectories(&copy.dir)[0]) {
            if fs::metadata(&file).unwrap().len() == 0 {
                fs::remove_file(file).unwrap();
            }
        }
        let report = verify(&copy.dir, &ORIGINAL.0.evidence(&ORIGINAL.1)).unwrap();
        prop_assert!(!report.is_sound());
        for it in &report.receipts {
            prop_assert_eq!(matches!(it.found, Found::In(_)), it.receipt.seq < kept);
        }
    }
}

#[test]
fn a_cut_is_found_back_to_the_newest_checkpoint() {
    let place = Place::new();
    let ledger = place.open();
    for _ in 0..5 {
        place.pass(5_000);
        ledger.append_wait(record("a")).unwrap();
    }
    let segment = segments(&place.chains()[0])[0].clone();
    let text = fs::read_to_string(&segment).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let newest = lines.iter().rposition(|it| it.contains("\"kind\":\"checkpoint\"")).unwrap();
    assert!(newest > 1 && newest + 1 < lines.len());
    for keep in 1..=lines.len() {
        fs::write(&segment, lines[..keep].join("\n") + "\n").unwrap();
        let report = place.verify();
        assert_eq!(
            report.is_sound(),
            keep > newest,
            "{keep} of {} lines: {report:#?}",
            lines.len()
        );
        if keep <= newest {
            let what = &report.first_problem().unwrap().what;
            assert_eq!(*what, RecordProblem::Cut { witnessed: u64::try_from(newest).unwrap() });
        } else {
            let exposed = u64::try_from(keep - newest - 1).unwrap();
            assert_eq!(report.chains[0].cuttable(), exposed);
        }
    }
    fs::write(&segment, &text).unwrap();
    ledger.close().unwrap();
}

#[test]
fn a_report_says_what_is_proven_and_what_is_exposed() {
    let place = Place::new();
    let ledger = place.open();
    let receipt = ledger.append_wait(record("a")).unwrap();
    let report = place.verify();
    let chain = &report.chains[0];
    assert_eq!((chain.state, chain.records), (ChainState::Live, 3));
    assert_eq!((chain.cuttable(), chain.rewritable()), (1, 1));
    assert_eq!(chain.keys, [ledger.public_key()]);
    let report = verify(&place.dir, &place.evidence(&[receipt])).unwrap();
    let chain = &report.chains[0];
    assert_eq!((chain.cuttable(), chain.rewritable()), (0, 0));
    assert_eq!(report.receipts[0].found, Found::In(chain.name.clone()));
    let unknown = parse_receipt("2:00000000000000000000000000000000").unwrap();
    let evidence = redress_ledger::Evidence { receipts: vec![unknown], ..Default::default() };
    let report = verify(&place.dir, &evidence).unwrap();
    assert_eq!(report.receipts[0].found, Found::Nowhere);
    assert!(!report.is_sound() && !report.keys_given && !report.witnessed);
    assert_eq!(report.chains[0].cuttable(), 3);
    let few = format!("1:{}", "0".repeat(31));
    let letter = format!("1:{}g", "0".repeat(31));
    let many = format!("1:{}", "0".repeat(65));
    for bad in ["", "1", "1:", "x:000000000000", "1:00000000", &few, &letter, &many] {
        assert_eq!(parse_receipt(bad), None);
    }
    ledger.close().unwrap();
}

#[test]
fn a_chain_that_is_gone_is_missed() {
    let place = Place::new();
    for _ in 0..2 {
        let ledger = place.open();
        ledger.append_wait(record("a")).unwrap();
        place.pass(1);
        ledger.close().unwrap();
    }
    let gone = place.chains()[0].clone();
    fs::remove_dir_all(&gone).unwrap();
    let report = place.verify();
    assert!(!report.is_sound());
    let missing: Vec<_> = report.missing.iter().map(|it| it.chain.as_str()).collect();
    assert_eq!(missing, [gone.file_name().unwrap().to_str().unwrap()]);
}

#[test]
fn a_ledger_that_is_gone_is_missed() {
    let mut place = Place::new();
    place.dir = place.dir.join("a\nb");
    place.open().close().unwrap();
    assert_eq!(
        redress_ledger::witnessed_ledgers(&place.key).unwrap(),
        [&*place.dir.canonicalize().unwrap()]
    );
    fs::remove_dir_all(&place.dir).unwrap();
    let report = place.verify();
    assert!(!report.is_sound() && report.chains.is_empty());
    assert_eq!(report.missing.len(), 1);
    let nothing = verify(&place.dir, &redress_ledger::Evidence::default());
    assert!(nothing.is_err(), "nobody ever said that it was there");
}

#[test]
fn garbage_beside_the_chains_stops_no_reader() {
    let copy = Copy::new();
    copy.write();
    let chain = crate::fixture::subdirectories(&copy.dir)[0].clone();
    fs::write(copy.dir.join("20260119T153210123Z-1-aa"), "a file with the name of a chain")
        .unwrap();
    fs::create_dir_all(copy.dir.join("20260119T153210124Z-1-aa/00000001.jsonl")).unwrap();
    fs::write(copy.dir.join("notes.txt"), [0xff; 10]).unwrap();
    fs::create_dir(copy.dir.join("20269919T153210124Z-1-aa")).unwrap();
    let pipe = chain.join("00009999.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let report = verify(&copy.dir, &ORIGINAL.0.evidence(&[])).unwrap();
    let bad: Vec<_> = report.chains.iter().filter(|it| it.problem.is_some()).collect();
    assert_eq!(bad.len(), 1, "{report:#?}");
    assert_eq!(bad[0].problem.as_ref().unwrap().what, RecordProblem::SegmentMissing(1));
    let read = redress_ledger::Reader::open(&copy.dir).unwrap();
    assert!(read.flatten().count() > 10);
    assert_eq!(redress_ledger::ledgers(&copy.dir).unwrap(), [&*copy.dir]);
    let above = copy.dir.parent().unwrap();
    assert_eq!(redress_ledger::ledgers(above).unwrap(), [&*copy.dir]);
}

#[test]
fn a_chain_in_the_wrong_place_hides_no_ledger() {
    let copy = Copy::new();
    copy.write();
    let above = copy.dir.parent().unwrap();
    let chain = crate::fixture::subdirectories(&copy.dir)[0].clone();
    crate::fixture::copy(&chain, &above.join(chain.file_name().unwrap()));
    assert_eq!(redress_ledger::ledgers(above).unwrap(), [above, &*copy.dir]);
}

#[test]
fn a_segment_that_has_no_line_yet_is_no_damage() {
    let place = Place::new();
    let ledger = place.open();
    ledger.append_wait(record("a")).unwrap();
    let next = place.chains()[0].join("00000002.jsonl");
    for start in ["", "{\"seq\":3,\"time\":\"20"] {
        fs::write(&next, start).unwrap();
        let report = place.verify();
        assert!(report.is_sound(), "{report:#?}");
        assert_eq!(report.chains[0].unfinished_bytes, u64::try_from(start.len()).unwrap());
        assert_eq!(place.entries().len(), 3);
    }
    fs::write(&next, "{\"seq\":3}\n").unwrap();
    assert_eq!(place.verify().first_problem().unwrap().file, next, "a line that is no record");
    fs::remove_file(&next).unwrap();
    ledger.close().unwrap();
    fs::write(&next, "").unwrap();
    assert!(!place.verify().is_sound(), "a closed chain gets no more segments");
}

#[test]
fn an_emptied_chain_is_found_without_a_witness() {
    let place = Place::new();
    let ledger = place.open();
    fs::write(&segments(&place.chains()[0])[0], "").unwrap();
    let report = verify(&place.dir, &redress_ledger::Evidence::default()).unwrap();
    assert!(!report.is_sound());
    drop(ledger);
}

#[test]
fn a_chain_that_stands_there_twice_is_told() {
    let copy = Copy::new();
    copy.write();
    let chain = crate::fixture::subdirectories(&copy.dir)[0].clone();
    let twin = chain.with_extension("corrupt");
    crate::fixture::copy(&chain, &twin);
    let evidence = ORIGINAL.0.evidence(&[]);
    let report = verify(&copy.dir, &evidence).unwrap();
    let problem = report.first_problem().unwrap();
    assert_eq!((&problem.file, &problem.what), (&twin, &RecordProblem::Copy { of: chain }));

    let elsewhere = Copy::new();
    elsewhere.write();
    fs::remove_dir_all(&twin).unwrap();
    let mut both = [&copy, &elsewhere].map(|it| verify(&it.dir, &evidence).unwrap());
    assert!(both.iter().all(Report::is_sound));
    mark_copies(&mut both);
    assert_eq!(both.iter().filter(|it| it.is_sound()).count(), 1);

    // The one that was witnessed is not taken for the copy, wherever it stands.
    let place = &ORIGINAL.0;
    let first = tempfile::tempdir_in(place.dir.parent().unwrap()).unwrap();
    let chain = place.chains()[0].clone();
    crate::fixture::copy(&chain, &first.path().join(chain.file_name().unwrap()));
    let mut both = [first.path(), &place.dir].map(|it| verify(it, &evidence).unwrap());
    mark_copies(&mut both);
    assert!(!both[0].is_sound() && both[1].is_sound());
}

#[test]
fn a_missing_segment_is_named() {
    let copy = Copy::new();
    copy.write();
    let files = segments(&crate::fixture::subdirectories(&copy.dir)[0]);
    fs::remove_file(&files[1]).unwrap();
    let report = verify(&copy.dir, &ORIGINAL.0.evidence(&[])).unwrap();
    assert_eq!(report.first_problem().unwrap().what, RecordProblem::SegmentMissing(2));
}

#[test]
fn a_checkpoint_that_says_nothing_is_no_signature() {
    let mut copy = Copy::new();
    let last = copy.lines.last_mut().unwrap();
    let (start, rest) = last.1.split_once("\"count\":").unwrap();
    let (_, rest) = rest.split_once(',').unwrap();
    last.1 = rehash(&format!("{start}{rest}"));
    let report = copy.verify(&[]);
    assert_eq!(report.first_problem().unwrap().what, RecordProblem::Signature);
}

#[test]
fn a_key_of_somebody_else_is_refused() {
    let other = Place::new();
    drop(other.open());
    let report = verify(&ORIGINAL.0.dir, &other.evidence(&[])).unwrap();
    let what = &report.first_problem().unwrap().what;
    assert!(matches!(what, RecordProblem::OtherKey(_)), "{what}");
}
