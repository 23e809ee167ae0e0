//! Counts, lists and charts agree, whatever the filter.

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

use super::ledger::{Failure, Fixture, START};
use crate::{
    address::Pairs,
    filter::Filter,
    index::Index,
    query::{self, By},
};

fn filter(query: &str) -> Filter {
    Filter::read(&Pairs::parse(query)).unwrap()
}

fn index(fixture: &Fixture) -> Index {
    Index::of(&[fixture.path()])
}

#[test]
fn failures_are_counted_by_server_tool_and_code() {
    let mut fixture = Fixture::new();
    for _ in 0..3 {
        fixture.fail(Failure::default());
    }
    fixture.set_clock(START + 90_000);
    fixture.fail(Failure { tool: "write_file", code: "TIMEOUT", ..Failure::default() });
    fixture.tally("write_file", 7, 1);
    fixture.close();
    let index = index(&fixture);
    let now = fixture.now();
    let all = query::summary(&index, &Filter::default(), By::ALL, now);
    assert_eq!((all.total, all.lines.len()), (4, 2));
    let first = &all.lines[0];
    assert_eq!(index.symbols.text(first.code), "FILE_NOT_FOUND");
    assert_eq!((first.count, first.first, first.last), (3, START, START));
    assert_eq!(first.calls, None, "its calls were not counted");
    assert_eq!(all.lines[1].share(), Some(1.0 / 8.0));
    assert_eq!(all.outcomes.unwrap().all(), 8);
    assert_eq!(query::summary(&index, &filter("tool=write_file"), By::ALL, now).total, 1);
    assert_eq!(query::summary(&index, &filter("from=2026-01-19T15:01"), By::ALL, now).total, 1);
    assert_eq!(query::summary(&index, &filter("to=2026-01-19T15:01"), By::ALL, now).total, 3);
    assert_eq!(query::summary(&index, &filter("text=enoent"), By::ALL, now).total, 4);
    assert_eq!(query::summary(&index, &filter("text=other"), By::ALL, now).total, 0);
    assert_eq!(query::summary(&index, &filter("client=inspector"), By::CODE, now).lines.len(), 2);
    assert_eq!(query::summary(&index, &filter("run=run-2"), By::ALL, now).total, 0);
    assert!(index.progress.is_complete && index.problems.is_empty(), "{:?}", index.problems);
}

#[test]
fn a_checked_failure_is_known_by_its_place() {
    let mut fixture = Fixture::new();
    let seq = fixture.fail(Failure { code: "TIMEOUT", ..Failure::default() });
    fixture.check(seq);
    let chain = fixture.chain();
    fixture.close();
    let index = index(&fixture);
    let mark = &index.checked[&(chain.as_str().into(), seq)];
    assert_eq!((&*mark.by, mark.note.as_deref()), ("operator", Some("looked at it")));
}

#[test]
fn a_failure_from_before_calls_were_counted_is_no_share() {
    let mut fixture = Fixture::new();
    fixture.fail(Failure::default());
    fixture.set_clock(START + 60_000);
    fixture.fail(Failure::default());
    fixture.tally("read_file", 3, 1);
    fixture.close();
    let index = index(&fixture);
    let all = query::summary(&index, &Filter::default(), By::ALL, fixture.now());
    assert_eq!((all.lines[0].count, all.lines[0].share()), (2, Some(0.25)));
}

/// Failures as a test draws them: which server, tool, code and run, and how long after the one before.
fn drawn() -> impl Strategy<Value = Vec<(u8, u8, u8, u8, u32)>> {
    let one = (0_u8..2, 0_u8..3, 0_u8..3, 0_u8..3, 0_u32..200_000);
    prop::collection::vec(one, 1..30)
}

fn written(drawn: &[(u8, u8, u8, u8, u32)]) -> Fixture {
    let mut fixture = Fixture::new();
    let code = ["FILE_NOT_FOUND", "TIMEOUT", "UNKNOWN_TOOL_FAILURE"];
    for (server, tool, of, run, after) in drawn {
        fixture.set_clock(fixture.now() + u64::from(*after));
        fixture.fail(Failure {
            server: ["files", "mail"][usize::from(*server)],
            tool: ["read", "write", "list"][usize::from(*tool)],
            code: code[usize::from(*of)],
            run: ["a", "b", "c"][usize::from(*run)],
            ..Failure::default()
        });
    }
    fixture.close();
    fixture
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    #[test]
    fn counts_are_sums_of_their_groups(all in drawn(), from in 0_u64..30, rows in any::<bool>()) {
        let fixture = written(&all);
        let index = index(&fixture);
        let now = fixture.now();
        let mut query = format!("from=2026-01-19T15:{from:02}&server=files");
        if rows {
            // The same failures, one by one.
            query.push_str("&text=enoent");
        }
        let filter = filter(&query);
        let start = START + from * 60_000;
        let mut time = START;
        let mut expected = 0;
        for (server, .., after) in &all {
            time += u64::from(*after);
            expected += u64::from(*server == 0 && time >= start);
        }
        for by in [By::ALL, By::SERVER, By::TOOL, By::CODE, By::default()] {
            let summary = query::summary(&index, &filter, by, now);
            prop_assert_eq!(summary.total, expected);
            prop_assert_eq!(summary.lines.iter().map(|it| it.count).sum::<u64>(), expected);
            prop_assert_eq!(summary.series.iter().sum::<u64>(), expected);
            for line in &summary.lines {
                prop_assert_eq!(line.series.iter().sum::<u64>(), line.count);
                prop_assert!(line.first <= line.last);
            }
        }
        prop_assert_eq!(query::failures(&index, &filter, now).len() as u64, expected);
    }
}
