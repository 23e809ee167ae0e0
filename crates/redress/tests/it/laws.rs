//! The laws of translation, over any fault and any canonical document.

use std::collections::BTreeSet;

use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest},
    sample::{Index, select},
};
use redress::{
    Dialect, Fault, Lookup,
    dialect::{Loss, LossKind, Stamp},
    fault::{Context, fields},
};

use crate::arbitrary::{document, fault, json};

const NOW: Stamp<'static> = Stamp { now: "2026-01-19T15:32:10.123Z" };
const LOOKUP: Lookup = Lookup::shipped();

fn dialect() -> impl Strategy<Value = Dialect> {
    select(&Dialect::ALL[..])
}

fn read(dialect: Dialect, text: &str) -> Fault {
    dialect.read(text.as_bytes(), &LOOKUP).map_err(|it| format!("{it}: {text}")).unwrap()
}

fn carry(dialect: Dialect, fault: &Fault) -> String {
    dialect.carry(fault, NOW, &LOOKUP).text
}

proptest! {
    #[test]
    fn a_canonical_document_is_written_as_it_was_read(
        (dialect, text) in dialect().prop_flat_map(|it| (Just(it), document(it))),
    ) {
        let fault = read(dialect, &text);
        prop_assert_eq!(&dialect.write(&fault, NOW), &text);
        prop_assert_eq!(&carry(dialect, &fault), &text, "no residue where nothing is lost");
        prop_assert_eq!(&fault.extra, &[], "everything was understood");
    }

    #[test]
    fn a_fault_with_its_residue_is_read_as_it_was_written(dialect in dialect(), fault in fault()) {
        let text = carry(dialect, &fault);
        prop_assert_eq!(read(dialect, &text), fault, "{}", text);
    }

    #[test]
    fn every_pair_of_dialects_returns_the_same_bytes(
        (from, text) in dialect().prop_flat_map(|it| (Just(it), document(it))),
        through in vec(dialect(), 1..4),
    ) {
        let mut fault = read(from, &text);
        for dialect in through {
            fault = read(dialect, &carry(dialect, &fault));
        }
        prop_assert_eq!(carry(from, &fault), text);
    }

    #[test]
    fn strict_reports_exactly_what_differs(dialect in dialect(), fault in fault()) {
        let reported: Vec<_> =
            dialect.losses(&fault, NOW, &LOOKUP).into_iter().map(|it| it.path).collect();
        let back = read(dialect, &dialect.write(&fault, NOW));
        for field in fields::all() {
            let differs = !(field.same)(&fault, &back);
            let path = field.path;
            let is_reported = reported.iter().any(|it| {
                it == path || (field.key == fields::CONTEXT && it.starts_with("/context/"))
            });
            prop_assert_eq!(differs, is_reported, "{}", path);
        }
        let same_row = fault.entry() == back.entry();
        prop_assert_eq!(!same_row, reported.iter().any(|it| it == "/code" || it == "/contract"));
    }

    #[test]
    fn a_dialect_loses_nothing_that_it_says_it_keeps(dialect in dialect(), fault in fault()) {
        for loss in dialect.carry(&fault, NOW, &LOOKUP).losses {
            prop_assert!(dialect.keeps().admits(&loss), "{} hides {loss:?}", dialect.name());
        }
    }

    #[test]
    fn any_bytes_give_a_fault_or_a_refusal(
        dialect in dialect(),
        bytes in prop_oneof![vec(any::<u8>(), 0..200), json().prop_map(String::into_bytes)],
    ) {
        drop(dialect.read(&bytes, &LOOKUP));
        drop(Dialect::read_any(&bytes, &LOOKUP));
    }

    #[test]
    fn a_damaged_document_gives_a_fault_or_a_refusal(
        (dialect, text) in dialect().prop_flat_map(|it| (Just(it), document(it))),
        cut in any::<Index>(),
        put in "[\"{}\\[\\],:0-9a-z_\\\\ ]{0,6}",
    ) {
        let mut bytes = text.into_bytes();
        let at = cut.index(bytes.len());
        bytes.splice(at..(at + put.len()).min(bytes.len()), put.bytes());
        if let Ok(fault) = dialect.read(&bytes, &LOOKUP) {
            prop_assert_eq!(read(dialect, &carry(dialect, &fault)), fault);
        }
        drop(Dialect::read_any(&bytes, &LOOKUP));
    }

    #[test]
    fn what_a_document_says_beyond_its_dialect_is_kept(
        (dialect, text) in dialect().prop_flat_map(|it| (Just(it), document(it))),
        value in json(),
    ) {
        let rest = text.strip_prefix('{').unwrap();
        let fault = read(dialect, &format!("{{\"foreign~/key\":{value},{rest}"));
        let kept: Vec<_> = fault.extra.iter().map(|(at, it)| (at.as_str(), it.as_str())).collect();
        prop_assert!(kept.contains(&("/foreign~0~1key", value.as_str())));
        let there = Dialect::Mailvault;
        prop_assert_eq!(read(there, &carry(there, &fault)), fault);
    }
}

#[test]
fn a_dialect_loses_everything_that_it_does_not_say_it_keeps() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let faults: Vec<Fault> =
        (0..2_000).map(|_| fault().new_tree(&mut runner).unwrap().current()).collect();
    for dialect in Dialect::ALL {
        let losses = faults.iter().flat_map(|it| dialect.carry(it, NOW, &LOOKUP).losses);
        let measured: BTreeSet<_> = losses.map(|it| (it.kind, it.path)).collect();
        let admitted: BTreeSet<_> = [LossKind::Lost, LossKind::Weakened, LossKind::Invented]
            .into_iter()
            .flat_map(|kind| paths().into_iter().map(move |path| Loss { path, kind }))
            .filter(|it| dialect.keeps().admits(it))
            .map(|it| (it.kind, it.path))
            .collect();
        assert_eq!(measured, admitted, "{}", dialect.name());
    }
}

/// Everything that can be lost at all.
fn paths() -> Vec<String> {
    let context = Context::NAMES.iter().map(|it| format!("/context/{it}"));
    let fields = fields::all().filter(|it| it.key != fields::CONTEXT).map(|it| it.path.to_owned());
    fields.chain(context).chain(["/code".to_owned(), "/contract".to_owned()]).collect()
}
