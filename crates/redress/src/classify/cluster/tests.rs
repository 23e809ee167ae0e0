//! What is masked, which failures are one group, and which rows come of them.

use proptest::prelude::{any, prop, proptest};
use redress_registry::taught::{Taught, Teachings, covers};

use super::{Cluster, Clusters, Dropped, Sample, Sighting, draft, mask};
use crate::classify::Tier;

fn seen<'s>(tool: &'s str, text: &'s str, code: &'s str) -> Sighting<'s> {
    Sighting {
        tool,
        text,
        rpc_code: None,
        given: &[],
        code,
        tier: Tier::Prose,
        is_silent: false,
        is_harmless: false,
        time: "2026-01-19T00:00:00Z",
    }
}

fn clusters(sightings: &[Sighting<'_>]) -> Vec<Cluster> {
    let mut all = Clusters::default();
    for it in sightings {
        all.add(it);
    }
    all.into_sorted()
}

fn rows(clusters: &[Cluster], successes: &[Sample]) -> Vec<Taught> {
    let codes: Vec<String> = clusters.iter().map(|it| it.code.clone()).collect();
    let (drafts, _) = draft(clusters, &codes, &Teachings::default(), successes);
    drafts.into_iter().map(|it| it.row).collect()
}

#[test]
fn values_are_masked_and_words_stay() {
    for (text, shown) in [
        ("No order 7", "No order <number>"),
        ("No order n-42 since 2026-01-19T15:32:10Z", "No order <id> since <time>"),
        ("ENOENT: no such file, open '/srv/a b.txt'", "ENOENT: no such file, open '<text>'"),
        ("Cannot read /srv/notes/a.txt: gone", "Cannot read <path>: gone"),
        ("cannot import name main.rs", "cannot import name <file>"),
        ("Can't do it, I don't know", "Can't do it, I don't know"),
        ("job 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed", "job <id> failed"),
        ("GET https://a.example/x?y=1 failed.", "GET <url> failed."),
        ("MCP error -32602: bad", "MCP error -32602: bad"),
        ("HTTP 404 after 31ms", "HTTP 404 after <number>"),
        ("sqlite3.OperationalError: no such table", "sqlite3.OperationalError: no such table"),
        ("{\"error\": \"no order 7\"}", "{\"error\": \"no order <number>\"}"),
        ("the token is [redacted]", "the token is <value>"),
        ("the file … is gone", "the file <…> is gone"),
        ("and/or input/output", "and/or input/output"),
        ("E0425 in line 3", "E0425 in line <number>"),
        ("kaputt: Wert „süß“ fehlt", "kaputt: Wert „süß“ fehlt"),
    ] {
        assert_eq!(mask(text, &[]).shown, shown);
    }
}

#[test]
fn what_the_call_gave_is_masked() {
    let masked = mask("No city called Bielefeld in Bielefelder", &["Bielefeld"]);
    assert_eq!(masked.shown, "No city called <value> in Bielefelder");
    assert_eq!(masked.glob, "No city called * in Bielefelder");
}

#[test]
fn alike_failures_are_one_group() {
    let texts = ["No order 7", "No order 8", "No order 911"];
    let mut all = Clusters::default();
    for (at, text) in texts.iter().enumerate() {
        let time = format!("2026-01-1{at}");
        all.add(&Sighting { time: &time, ..seen("get_order", text, "NOT_FOUND") });
    }
    all.add(&seen("get_order", "No customer 7", "NOT_FOUND"));
    let all = all.into_sorted();
    assert_eq!(all.len(), 2);
    let first = &all[0];
    assert_eq!((first.count, &*first.first, &*first.last), (3, "2026-01-10", "2026-01-12"));
    assert_eq!(first.examples, texts);
    let row = first.row("NOT_FOUND").unwrap();
    assert_eq!(row.text.as_deref(), Some("No order *"));
    assert_eq!(row.tool.as_deref(), Some("get_order"));
    assert_eq!(row.example.as_deref(), Some("No order 7"));
}

#[test]
fn a_row_is_for_any_tool_where_several_fail_so() {
    let all = clusters(&[seen("a", "No order 7", "X"), seen("b", "No order 8", "X")]);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].row("X").unwrap().tool, None);
    let silent = |tool| Sighting { is_silent: true, ..seen(tool, "No order 7", "X") };
    let all = clusters(&[silent("a"), silent("b")]);
    assert_eq!(all.len(), 2, "unflagged failures of two tools are two groups");
    assert!(all.iter().all(|it| it.row("X").unwrap().tool.is_some()));
}

#[test]
fn what_has_the_label_of_unflagged_failures_is_one_too() {
    let silent = |tool, text, code| Sighting { is_silent: true, ..seen(tool, text, code) };
    let found = |tool| {
        let one = silent(tool, "Sheet error: no sheet `a` here", "NOT_FOUND");
        let other = silent(tool, "Sheet error: the disk is full", "LIMIT_EXCEEDED");
        rows(&clusters(&[one, other]), &[])
    };
    let all = found("add_sheet");
    assert_eq!(all.len(), 3);
    let last = all.last().unwrap();
    assert_eq!(last.text.as_deref(), Some("Sheet error:*"));
    assert_eq!((&*last.code, last.silent), ("UNKNOWN_TOOL_FAILURE", true));
    assert_eq!(found("read_sheet").len(), 2, "what it reads can begin so");
    let success = [Sample { tool: "add_sheet".into(), text: "Sheet error: none".into() }];
    let one = silent("add_sheet", "Sheet error: no sheet `a` here", "NOT_FOUND");
    let other = silent("add_sheet", "Sheet error: the disk is full", "LIMIT_EXCEEDED");
    assert_eq!(rows(&clusters(&[one, other]), &success).len(), 2);
}

#[test]
fn what_begins_alike_is_one_row() {
    let text = |it: &str| format!("Validation failed for the input: {it} is wrong");
    let texts: Vec<String> = ["size", "colour", "shape"].map(text).into();
    let mut seen: Vec<_> = texts.iter().map(|it| seen("make", it, "INVALID_INPUT_VALUE")).collect();
    let found = rows(&clusters(&seen), &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text.as_deref(), Some("Validation failed for the input:*"));
    // Another code with the same start keeps its own rows.
    let other = text("disk");
    seen.push(Sighting { text: &other, code: "OVERLOADED", ..seen[0] });
    assert_eq!(rows(&clusters(&seen), &[]).len(), 4);
}

#[test]
fn no_row_takes_a_success() {
    let silent = Sighting { is_silent: true, ..seen("get", "No order 7", "NOT_FOUND") };
    let all = clusters(&[silent]);
    let success = |tool: &str| Sample { tool: tool.to_owned(), text: "No order today".to_owned() };
    assert_eq!(rows(&all, &[success("other")]).len(), 1);
    let codes = ["NOT_FOUND".to_owned()];
    let (drafts, dropped) = draft(&all, &codes, &Teachings::default(), &[success("get")]);
    assert_eq!(drafts, []);
    assert_eq!(dropped.into_iter().collect::<Vec<_>>(), [(0, Dropped::Success)]);
}

#[test]
fn the_row_that_says_most_comes_first() {
    let all = clusters(&[
        seen("a", "Failed: order 7", "CONFLICT"),
        seen("a", "Failed: order 7 of 9 is closed", "NOT_FOUND"),
    ]);
    let found = rows(&all, &[]);
    let texts: Vec<_> = found.iter().filter_map(|it| it.text.as_deref()).collect();
    assert_eq!(texts, ["Failed: order * of * is closed", "Failed: order *"]);
}

#[test]
fn a_text_of_nothing_but_values_gets_no_row() {
    for text in ["7", "'a'", "****", "", "\u{202e}", "?e?", "/srv/a.txt"] {
        let all = clusters(&[seen("a", text, "X")]);
        assert_eq!(all[0].row("X"), None, "{text:?}");
    }
}

#[test]
fn a_failure_without_words_is_named_by_its_number() {
    let all = clusters(&[Sighting { rpc_code: Some(-32050), ..seen("a", "", "X") }]);
    let row = all[0].row("X").unwrap();
    assert_eq!((row.rpc_code, row.text), (Some(-32050), None));
}

#[test]
fn stars_and_hidden_characters_of_a_text_match_only_themselves() {
    let text = "* any *\u{202e} [[match]]\ncode = \"X\" \u{7} end ?";
    let all = clusters(&[seen("a", text, "X")]);
    let row = all[0].row("X").unwrap();
    let (glob, example) = (row.text.unwrap(), row.example.unwrap());
    assert!(!glob.chars().chain(example.chars()).any(char::is_control), "{glob:?} {example:?}");
    assert!(covers(&glob, text) && covers(&glob, &example), "{glob:?} {example:?}");
    assert!(!covers(&glob, "many any things"), "{glob:?}");
}

#[test]
fn the_name_of_a_tool_cannot_be_a_glob() {
    for tool in ["*", "a?", "a\nb", "[[match]]", &"x".repeat(500)] {
        let silent = Sighting { is_silent: true, ..seen(tool, "It is broken", "X") };
        assert_eq!(clusters(&[silent])[0].row("X"), None, "{tool}");
        let flagged = clusters(&[seen(tool, "It is broken", "X")]);
        assert_eq!(flagged[0].row("X").unwrap().tool, None, "{tool}");
    }
}

#[test]
fn the_number_of_groups_is_bounded() {
    let mut all = Clusters::default();
    for at in 0..1_100 {
        let words: String = format!("{at}").bytes().map(|it| char::from(it + 49)).collect();
        all.add(&seen("a", &format!("broken {words} thing"), "X"));
    }
    assert_eq!(all.left_out(), 100);
    assert_eq!(all.into_sorted().len(), 1_000);
}

proptest! {
    #[test]
    fn a_mask_covers_its_own_text(text in any::<String>(), given in any::<String>()) {
        let masked = mask(&text, &[&given]);
        assert!(covers(&masked.glob, &text), "{masked:?}");
        assert!(masked.glob.chars().count() <= 401);
    }

    #[test]
    fn texts_of_words_and_marks_give_rows_that_lint_clean(
        texts in prop::collection::vec("[a-z0-9'\"/.:*?\\[\\]{}=\\n\u{202e} -]{0,60}", 1..12),
    ) {
        let seen: Vec<_> = texts.iter().map(|it| seen("t", it, "X")).collect();
        let found = rows(&clusters(&seen), &[]);
        Teachings::new(found, |_| true).unwrap();
    }
}
