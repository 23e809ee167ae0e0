//! The bytes of every code in every dialect. After a wanted change: `INSTA_UPDATE=always cargo test -p redress golden`.

use std::{collections::BTreeSet, sync::Arc};

use redress::{Dialect, Fault, Lookup, dialect::Stamp, fault::ParamValue};
use redress_registry::{Entry, shipped};
use redress_wire::{json::Doc, json::Limits};

use crate::arbitrary::{ROWS, raw};

const NOW: Stamp<'static> = Stamp { now: "2026-01-19T15:32:10.123Z" };

/// The codes that a dialect was made for.
fn rows(dialect: Dialect) -> Vec<&'static Arc<Entry>> {
    let registry = match dialect {
        Dialect::Workrail => "workrail",
        Dialect::Rpc => "rpc-taxonomy",
        Dialect::Stagewright => "stagewright",
        Dialect::Mailvault => "mailvault",
        Dialect::Native | Dialect::AtlasGate | Dialect::ToolFailure => "core",
    };
    let is_named_so = |it: &&Arc<Entry>| dialect.spelling(it) == *it.code;
    let own = shipped::get(registry).unwrap().own();
    if dialect == Dialect::AtlasGate { own.filter(is_named_so).collect() } else { own.collect() }
}

/// The row's own example, in a call of the tool `read_file`.
pub(crate) fn example(row: &Arc<Entry>) -> Fault {
    let params = row
        .example
        .iter()
        .map(|(key, value)| (key.as_str(), ParamValue::from(raw(&value.to_string()))));
    let mut fault = Fault::raise(row, params);
    fault.context.tool = Some("read_file".to_owned());
    fault.context.session_id = Some("s-1".to_owned());
    fault.context.request_id = Some("42".to_owned());
    fault.elapsed_ms = Some(7);
    fault
}

fn lines(dialect: Dialect) -> String {
    rows(dialect).into_iter().map(|it| dialect.write(&example(it), NOW) + "\n").collect()
}

#[test]
fn every_code_has_its_bytes_in_its_own_dialect() {
    for dialect in Dialect::ALL {
        insta::assert_snapshot!(dialect.name(), lines(dialect));
    }
}

#[test]
fn a_seed_has_as_many_codes_as_it_says() {
    let count = |it| rows(it).len();
    assert_eq!(count(Dialect::AtlasGate), 35);
    assert_eq!(count(Dialect::Workrail), 13);
    assert_eq!(count(Dialect::Rpc), 4 + 7 + 20);
    assert_eq!(count(Dialect::Stagewright), 35 + 44);
    assert_eq!(count(Dialect::Mailvault), 8);
}

#[test]
fn every_golden_document_is_of_exactly_one_dialect() {
    let lookup = Lookup::shipped();
    for dialect in Dialect::ALL {
        for row in ROWS.iter() {
            let text = dialect.write(&example(row), NOW);
            let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
            assert_eq!(Dialect::detect(doc.root(), &lookup), Ok(dialect), "{text}");
        }
    }
}

#[test]
fn every_row_has_a_word_in_the_closed_set_of_every_dialect() {
    for dialect in [Dialect::AtlasGate, Dialect::Workrail, Dialect::Mailvault] {
        let closed: BTreeSet<_> =
            rows(dialect).into_iter().map(|it| dialect.spelling(it)).collect();
        for row in ROWS.iter() {
            let spelling = dialect.spelling(row);
            assert!(closed.contains(&spelling), "{} {} {spelling}", dialect.name(), row.code);
        }
    }
}

#[test]
fn every_example_survives_the_ring() {
    let lookup = Lookup::shipped();
    let ring = [
        Dialect::Workrail,
        Dialect::Rpc,
        Dialect::Stagewright,
        Dialect::Mailvault,
        Dialect::ToolFailure,
        Dialect::Native,
    ];
    for row in rows(Dialect::AtlasGate) {
        let first = Dialect::AtlasGate.write(&example(row), NOW);
        let mut fault = Dialect::AtlasGate.read(first.as_bytes(), &lookup).unwrap();
        for dialect in ring {
            let text = dialect.carry(&fault, NOW, &lookup).text;
            fault = dialect.read(text.as_bytes(), &lookup).unwrap();
        }
        assert_eq!(Dialect::AtlasGate.carry(&fault, NOW, &lookup).text, first);
    }
}
