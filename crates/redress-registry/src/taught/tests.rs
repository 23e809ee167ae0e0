//! Rows that fit, and rows that are refused.

use serde_json::{Value, json};

use super::{MOST_ROWS, Sample, Taught, Teachings, covers};

fn row(code: &str, text: &str, example: &str) -> Taught {
    let (text, example) = (Some(text.to_owned()), Some(example.to_owned()));
    Taught { code: code.to_owned(), text, example, ..Taught::default() }
}

fn refusals(rows: Vec<Taught>) -> Vec<String> {
    let refused = Teachings::new(rows, |it| it != "NOPE").unwrap_err();
    refused.into_iter().map(|it| format!("{}: {}", it.row, it.message)).collect()
}

fn sample<'s>(tool: &'s str, text: &'s str, has: &'s dyn Fn(&str, &Value) -> bool) -> Sample<'s> {
    Sample { tool, text, rpc_code: None, status: None, has }
}

#[test]
fn a_glob_covers_the_whole_text() {
    for (pattern, text, is_covered) in [
        ("a*c", "abc", true),
        ("a*c", "ac\n", true),
        ("a?c", "ac", false),
        ("*b*", "abc", true),
        ("a*b*c", "aXbYbZc", true),
        ("abc", "abcd", false),
        ("", "", true),
    ] {
        assert_eq!(covers(pattern, text), is_covered, "{pattern} {text}");
    }
}

#[test]
fn the_first_row_that_fits_wins_and_captures_values() {
    let pattern = Taught {
        pattern: Some(r"No note (?P<name>\w+)".to_owned()),
        tool: Some("get_*".to_owned()),
        ..row("NOTE_GONE", "*", "No note a1 here")
    };
    let pattern = Taught { text: None, ..pattern };
    let json = Taught {
        text: None,
        json: [("/ok".to_owned(), json!(false))].into(),
        silent: true,
        example: Some(r#"{"ok":false}"#.to_owned()),
        ..row("FAILED", "", "")
    };
    let rows = vec![pattern, json, row("OTHER", "Quota of * used up", "Quota of May used up")];
    let taught = Teachings::new(rows, |_| true).unwrap();
    let no = |_: &str, _: &Value| false;
    let fit = taught.find(&sample("get_note", "x: No note a1", &no), false).unwrap();
    assert_eq!((fit.number, &*fit.row.code), (1, "NOTE_GONE"));
    assert_eq!(fit.captures, [("name".to_owned(), "a1".to_owned())]);
    assert!(taught.find(&sample("put_note", "No note a1", &no), false).is_none());
    let yes = |pointer: &str, value: &Value| pointer == "/ok" && *value == json!(false);
    assert_eq!(taught.find(&sample("x", "{}", &yes), true).unwrap().number, 2);
    let other = sample("x", "Quota of June used up", &no);
    assert_eq!(taught.find(&other, false).unwrap().number, 3);
    assert!(taught.find(&other, true).is_none(), "it flags nothing");
}

#[test]
fn what_cannot_be_taken_is_refused_with_its_reason() {
    assert_eq!(
        refusals(vec![row("NOPE", "a", "a")]),
        ["0: `NOPE` is not a code of this registry."]
    );
    assert_eq!(refusals(vec![row("A", "a", "b")]), ["0: The example does not match its own row."]);
    let twice = vec![row("A", "a*", "ab"), row("B", "ab", "ab")];
    assert_eq!(refusals(twice), ["1: Row 1 takes this example before its own row does."]);
    let bare = Taught { text: None, ..row("A", "", "a") };
    let expected = "0: The row has none of `text`, `pattern`, `json`, `rpc_code` and `status`.";
    assert_eq!(refusals(vec![bare]), [expected]);
    assert_eq!(refusals(vec![row("A", "*", "a")]), ["0: `text` matches every text."]);
    let pattern =
        |it: &str| Taught { text: None, pattern: Some(it.to_owned()), ..row("A", "", "a") };
    let bomb = r"(((a{100}){100}){100}){100}";
    assert_eq!(refusals(vec![pattern(bomb)]), ["0: `pattern` is too large when compiled."]);
    assert!(refusals(vec![pattern("a(")])[0].contains("is not a regular expression"));
    assert_eq!(refusals(vec![pattern("a*")]), ["0: `pattern` matches every text."]);
    let many = vec![row("A", "a", "a"); MOST_ROWS + 1];
    assert_eq!(refusals(many), ["1000: There are 1001 rows; at most 1000 are taken."]);
}

#[test]
fn a_thousand_rows_are_asked_as_one() {
    let rows = (0..MOST_ROWS).map(|it| row("A", &format!("row {it} *"), &format!("row {it} x")));
    let taught = Teachings::new(rows.collect(), |_| true).unwrap();
    let no = |_: &str, _: &Value| false;
    let fit = taught.find(&sample("x", "row 999 is full", &no), false).unwrap();
    assert_eq!(fit.number, 1000);
    let row = |it| row("A", &format!("* failed: {it} of *"), &format!("x failed: {it} of y"));
    let taught = Teachings::new((0..MOST_ROWS).map(row).collect(), |_| true).unwrap();
    let fit = taught.find(&sample("x", "It failed: 998 of 1", &no), false).unwrap();
    assert_eq!(fit.number, 999, "rows that begin alike");
}
