//! Bad input: what is wrong with a ledger is said on the page; and how much a page loads.

use std::fs;

use super::{
    ledger::{Failure, Fixture, START},
    pages::{PAGES, Rig},
};

/// The first segment of the chain of a ledger.
fn segment(fixture: &Fixture) -> std::path::PathBuf {
    fixture.path().join(fixture.chain()).join("00000001.jsonl")
}

#[test]
fn a_clock_that_went_back_is_said() {
    let fixture = Fixture::new();
    fixture.fail(Failure::default());
    fixture.set_clock(START - 3_600_000);
    fixture.fail(Failure { tool: "earlier", ..Failure::default() });
    let rig = Rig::new(fixture);
    let (_, page) = rig.get("/console/ledger");
    assert!(page.contains("The clock went back 1 times"), "{page}");
    let (_, page) = rig.get("/console/failures");
    assert!(page.contains("earlier") && page.contains("read_file"), "{page}");
}

#[test]
fn a_ledger_that_is_written_is_read_beside_its_writer() {
    let fixture = Fixture::new();
    fixture.fail(Failure::default());
    let lock = fixture.path().join(fixture.chain()).join("lock");
    assert!(lock.exists(), "its process holds it");
    let index = crate::Index::of(&[fixture.path()]);
    assert_eq!((index.rows.len(), index.problems().len()), (1, 0));
}

#[test]
fn a_file_of_another_format_is_named_and_the_rest_is_shown() {
    let fixture = Fixture::new();
    fixture.fail(Failure::default());
    let (strange, mut other) = (segment(&fixture), Fixture::new());
    let text = fs::read_to_string(&strange).unwrap();
    other.close();
    let chain = other.path().join("20260119T150000000Z-1-000000000001");
    fs::create_dir(&chain).unwrap();
    fs::write(chain.join("00000001.jsonl"), text.replace("redress-ledger/1", "redress-ledger/9"))
        .unwrap();
    let index = crate::Index::of(&[other.path(), fixture.path()]);
    assert_eq!(index.rows.len(), 1, "those of the ledger that can be read");
    assert!(index.problems().iter().any(|it| it.contains("redress-ledger/9")), "{index:?}");
}

#[test]
fn a_full_page_and_all_that_it_loads_is_small() {
    let fixture = Fixture::new();
    let tools: Vec<String> = (0..60).map(|it| format!("a_tool_with_a_long_name_{it}")).collect();
    for (at, tool) in tools.iter().enumerate() {
        let letter = char::from(b'a' + u8::try_from(at % 26).unwrap());
        let said = format!("{} is not there. ", letter.to_string().repeat(12)).repeat(9);
        let run = format!("run-{at}");
        for call in 1..=3 {
            let code = if at % 2 == 0 { "UNKNOWN_TOOL_FAILURE" } else { "TIMEOUT" };
            let failure = Failure { tool, said: &said, run: &run, code, ..Failure::default() };
            fixture.fail(Failure { call: Some(call), ..failure });
        }
        fixture.succeed(tool, &run, 4);
        fixture.tally(tool, 9, 3);
    }
    let rig = Rig::new(fixture);
    let size = |place: &str| {
        let (status, text) = rig.get(&format!("/console/{place}"));
        assert_eq!(status, 200, "{place}");
        text.len()
    };
    let files = size("style.css") + size("script.js");
    for place in PAGES.into_iter().chain(["time", "recovery?by=wording"]) {
        let sent = size(place) + files;
        assert!(sent < 60_000, "{place}: {sent} bytes");
    }
}
