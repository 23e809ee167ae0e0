//! What the reader takes, what it refuses, and where it says so.

use serde_json::json;

use super::{MAX_FILE_BYTES, read};
use crate::{Class, Problem, RetryKind, Source, draft::Draft};

fn full(body: &str) -> Source {
    Source::new("errors.toml", &format!("format = \"redress-registry/1\"\n{body}"))
}

fn taken(body: &str) -> Draft {
    read(&full(body)).unwrap()
}

fn refused(body: &str) -> Vec<String> {
    shown(&read(&full(body)).unwrap_err())
}

fn shown(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(Problem::to_string).collect()
}

const NOTES: &str = r#"
extends = ["core"]
[registry]
name = "notes"
version = "0.1.0"
docs_base = "https://notes.example/"
extends = ["more"]

[plugin]
namespace = "notes"
core = ">=0.1"

[domain.notes]
title = "Notes"
range = [5000, 5_099]

[defaults]
severity = "warning"
since = "0.1.0"

[code.ZEBRA]
class = "not_found"
retry = { kind = "after_delay", after_ms = 2000, max = 3 }
next = [{ tool = "list", args = { at = 1979-05-27, deep = [1.5, { x = true }] } }]
params.id = { type = "string", enum = ["a", "b"], max_chars = 0x50 }
params.at = { type = "integer", required = false }
example = { id = "a", at = 5 }
alias = { rpc = "E_ZEBRA", mailvault = ["zebra", "old_zebra"] }
deprecated = { since = "0.2.0", to = "APE" }

[code.APE]
retry = "never"
params.x.type = "object"

[retired.GONE]
number = 5001

[tool.read_note]
may = ["ZEBRA"]
operation = "query"

[[allow]]
rule = "CK107"
"#;

#[test]
fn every_key_of_the_format_is_taken_in_file_order() {
    let draft = taken(NOTES);
    let names: Vec<_> = draft.codes.iter().map(|it| it.value.name.value.as_str()).collect();
    assert_eq!(names, ["ZEBRA", "APE"]);
    let extends: Vec<_> = draft.extends.iter().map(|it| it.value.as_str()).collect();
    assert_eq!(extends, ["core", "more"]);
    assert_eq!(draft.domains[0].value.range.as_ref().unwrap().value, (5000, 5099));

    let zebra = draft.code("ZEBRA").unwrap();
    assert_eq!(zebra.class.as_ref().unwrap().value, Class::NotFound);
    let retry = zebra.retry.as_ref().unwrap().value;
    assert_eq!(
        (retry.kind, retry.after_ms, retry.max),
        (RetryKind::AfterDelay, Some(2000), Some(3))
    );
    let args = &zebra.next[0].value.args.as_ref().unwrap().value;
    assert_eq!(json!(args), json!({"at": "1979-05-27", "deep": [1.5, {"x": true}]}));
    assert_eq!(zebra.params[0].value.name.value, "id");
    assert_eq!(zebra.params[0].value.max_chars.as_ref().unwrap().value, 80);
    assert_eq!(zebra.params[1].value.name.value, "at");
    assert_eq!(zebra.alias[1].1[1].value, "old_zebra");
    assert_eq!(zebra.deprecated.as_ref().unwrap().value.to.as_ref().unwrap().value, "APE");
}

#[test]
fn a_value_stands_where_it_was_written() {
    let draft = taken("[code.ABC]\nhint = \"Try é again.\"\nclass   = \"internal\"\n");
    let code = draft.code("ABC").unwrap();
    let place = |at: usize| draft.source.place(at).to_string();
    assert_eq!(place(code.name.span.start), "errors.toml:2:7");
    assert_eq!(place(code.class.as_ref().unwrap().span.start), "errors.toml:4:11");
}

#[test]
fn nothing_is_missing_that_the_lint_can_judge() {
    assert!(taken("").codes.is_empty());
    assert!(taken("[code.ABC]\n[[allow]]\n[domain.x]\n").code("ABC").unwrap().hint.is_none());
}

#[test]
fn the_format_must_be_known_and_first() {
    let at = |text: &str| shown(&read(&Source::new("f", text)).unwrap_err());
    let first = "The first key must be `format = \"redress-registry/1\"`.";
    assert_eq!(at(""), [format!("f:1:1: {first}")]);
    assert_eq!(at("\n[package]\nname = 1\n"), [format!("f:2:2: {first}")]);
    assert_eq!(at("extends = []\nformat = \"redress-registry/1\""), [format!("f:1:1: {first}")]);
    assert_eq!(
        at("format = \"redress-registry/2\"\nbogus = 1"),
        ["f:1:10: The format `redress-registry/2` is not known; it must be `redress-registry/1`."]
    );
    assert_eq!(at("format = 1"), ["f:1:10: `format` must be a string, not an integer."]);
}

#[test]
fn every_unknown_key_is_named_with_the_nearest_known_one() {
    let problems = refused(
        "[code.ABC]\nhnit = \"x\"\ncolour = 1\nparams.a = { typ = \"string\" }\n\
         alias = { jsonrpc = \"X\", mailvalt = \"x\" }\n[domains.x]\n[tool.t]\nread-only = true\n",
    );
    assert_eq!(
        problems,
        [
            "errors.toml:3:1: `hnit` is not a key of [code.ABC]. Did you mean `hint`?",
            "errors.toml:4:1: `colour` is not a key of [code.ABC].",
            "errors.toml:5:14: `typ` is not a key of [params.a]. Did you mean `type`?",
            "errors.toml:6:11: `jsonrpc` is not a key of [alias].",
            "errors.toml:6:26: `mailvalt` is not a key of [alias]. Did you mean `mailvault`?",
            "errors.toml:7:2: `domains` is not a key of the file. Did you mean `domain`?",
            "errors.toml:9:1: `read-only` is not a key of [tool.t]. Did you mean `read_only`?",
        ]
    );
}

#[test]
fn every_wrong_type_and_value_is_named() {
    let problems = refused(
        "[code]\nABC = 1\n[code.DEF]\nnumber = 1.5\nhttp = 99999999999999999999\nclass = \"notfound\"\n\
         retry = { kind = \"later\", after_ms = -1 }\neffect = true\nnext = {}\nexample = { a = nan, b = 1e999 }\n\
         severity = \"err\"\n[code.GHI]\nretry = { max = 9999999999 }\n[domain.x]\nrange = [1]\n[domain.y]\nrange = [\"1\", 2]\n\
         [tool.t]\nmay = [1, \"A\"]\n[allow]\n",
    );
    assert_eq!(
        problems,
        [
            "errors.toml:3:7: `code.ABC` must be a table, not an integer.",
            "errors.toml:5:10: `number` must be an integer, not a float.",
            "errors.toml:6:8: `http` is beyond 64 bits.",
            "errors.toml:7:9: `notfound` is not a class. Did you mean `not_found`?",
            "errors.toml:8:18: `later` is not a kind of retry.",
            "errors.toml:8:38: `after_ms` is out of range.",
            "errors.toml:9:10: `effect` must be a string, not a boolean.",
            "errors.toml:10:8: `next` must be a list, not a table.",
            "errors.toml:11:17: `example` holds a number that JSON cannot hold.",
            "errors.toml:11:26: `example` holds a number that JSON cannot hold.",
            "errors.toml:12:12: `err` is not a severity. Did you mean `error`?",
            "errors.toml:14:9: `retry` has no `kind`.",
            "errors.toml:14:17: `max` is out of range.",
            "errors.toml:16:9: `range` must be a pair `[first, last]`, not an array.",
            "errors.toml:18:10: `range` must be an integer, not a string.",
            "errors.toml:20:8: `may` must be a string, not an integer.",
            "errors.toml:21:1: `allow` must be a list, not a table.",
        ]
    );
}

#[test]
fn every_slip_of_syntax_is_named_and_nothing_else() {
    let problems = refused("[code.ABC]\nhint = \ntitle = \"x\nbogus = 1\n[code.ABC]\n");
    assert_eq!(problems.len(), 3, "{problems:#?}");
    assert!(problems[0].starts_with("errors.toml:3:"), "{problems:#?}");
    assert!(problems.iter().all(|it| it.contains("This is not TOML")), "{problems:#?}");
}

#[test]
fn bytes_that_are_not_utf8_are_refused_at_the_first() {
    let problem = Source::from_bytes("f", b"a\nb\xc3\xa9\xff").unwrap_err();
    assert_eq!(problem.to_string(), "f:2:3: This byte is not UTF-8.");
}

#[test]
fn a_huge_file_is_refused_unread() {
    let huge = full(&"#".repeat(MAX_FILE_BYTES));
    assert_eq!(
        shown(&read(&huge).unwrap_err()),
        ["errors.toml:1:1: The file is larger than 4194304 bytes."]
    );
}

#[test]
fn garbage_lists_a_hundred_problems_and_counts_the_rest() {
    let problems = refused(&"x y\n".repeat(1_000));
    assert_eq!(problems.len(), 101);
    assert!(problems[100].contains("more problems are not listed"), "{}", problems[100]);
}

#[test]
fn nesting_beyond_reason_is_refused() {
    let deep = |levels: usize| format!("[code.ABC]\nexample = {{ a = {} }}", nested(levels));
    assert!(read(&full(&deep(20))).is_ok());
    assert_eq!(
        refused(&deep(40)),
        ["errors.toml:3:49: `example` is nested deeper than 32 levels."]
    );
    for levels in [81, 1_000, 100_000] {
        assert_eq!(refused(&deep(levels)).len(), 1);
    }
    let dotted = format!("[code.ABC]\nexample.{} = 1", "a.".repeat(100_000) + "a");
    assert_eq!(refused(&dotted).len(), 1);
    let path = "a.".repeat(78) + "a";
    let both = (0..79).fold("1".to_owned(), |inner, _| format!("{{ {path} = {inner} }}"));
    assert_eq!(refused(&format!("[code.ABC]\nexample = {both}")).len(), 1);
    let wide = "a = [1.5, { b.c = 1.5 }, [\"[.[.\"]] # [[[[....\n".repeat(200);
    assert!(refused(&wide).iter().all(|it| !it.contains("nested")));
}

fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

#[test]
fn a_key_cannot_speak_to_the_terminal() {
    let problems = refused(&format!("\"\\u001b[31m\\u202e{}\" = 1", "x".repeat(100)));
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("`\\u{1b}[31m\\u{202e}x"), "{}", problems[0]);
    assert!(problems[0].contains("x…` is not a key of the file"), "{}", problems[0]);
}
