//! A change is judged by what it says, what it does, and why.

use redress_govern::writes::{Rule, Statement, WriteRequest, judge};

fn rules() -> Vec<Rule> {
    [
        Statement {
            id: "no-unwrap",
            paths: vec!["**/*.rs"],
            forbid_code: vec!["unwrap()", "panic!("],
            ..Statement::default()
        },
        Statement { id: "no-nocheck", forbid_text: vec!["@ts-nocheck"], ..Statement::default() },
        Statement {
            id: "no-exit",
            paths: vec!["*.ts", "*.py"],
            forbid_code: vec!["process.exit", "sys.exit"],
            ..Statement::default()
        },
        Statement { id: "why", paths: vec!["src/**"], intent_chars: 20, ..Statement::default() },
    ]
    .iter()
    .map(|it| Rule::new(it).expect("a rule"))
    .collect()
}

fn verdict(path: &str, content: &str) -> Option<(String, String)> {
    let intent = Some("Keep the answers in a cache for a minute.");
    let fault = judge(&rules(), WriteRequest { path, content: Some(content), intent }).err()?;
    let details = fault.details.as_ref().map(|it| it.as_str().to_owned());
    Some((fault.code().to_owned(), details.unwrap_or_default()))
}

#[test]
fn forbidden_code_is_found_at_its_line_and_never_in_prose() {
    let (code, details) = verdict("src/a.rs", "fn a() {\n    b().unwrap()\n}\n").expect("refused");
    assert_eq!(code, "RUST_POLICY_VIOLATION");
    assert!(details.contains("\"line\":2") && details.contains("no-unwrap"), "{details}");
    assert!(verdict("src/a.rs", "fn a() { panic!(\"x\") }").is_some());
    for raw in ["fn a() { b().r#unwrap() }", "m!(b().r#unwrap())", "fn a() { r#panic!(1) }"] {
        assert!(verdict("src/a.rs", raw).is_some(), "{raw}");
    }
    assert_eq!(verdict("src/a.rs", "const A: &str = r#\"unwrap()\"#;"), None);
    assert_eq!(verdict("src/a.rs", "// unwrap() here\nconst A: &str = \"unwrap()\";"), None);
    assert_eq!(verdict("src/a.rs", "fn a() { b().unwrap_or(1); }"), None);
}

#[test]
fn other_languages_are_read_as_what_they_are() {
    let (code, details) = verdict("a.ts", "const a = 1;\nprocess.exit(a)").expect("refused");
    assert_eq!(code, "POLICY_VIOLATION");
    assert!(details.contains("\"line\":2"), "{details}");
    assert!(verdict("a.ts", "const a = `${process.exit(1)}`").is_some());
    assert!(verdict("a.py", "import sys\nsys.exit(1)").is_some());
    assert_eq!(verdict("a.ts", "const a = 'process.exit'"), None);
    assert_eq!(verdict("a.md", "process.exit"), None);
}

#[test]
fn a_forbidden_text_counts_wherever_it_stands() {
    assert!(verdict("web/a.ts", "// @ts-nocheck\n").is_some());
}

#[test]
fn a_change_without_its_intent_is_refused() {
    let change = WriteRequest { path: "src/a.txt", content: Some("x"), intent: Some("because") };
    let fault = judge(&rules(), change).expect_err("refused");
    assert_eq!(fault.code(), "POLICY_VIOLATION");
    let card = redress::card(&fault);
    assert!(card.contains("The change of \"src/a.txt\" breaks the policy rule why: the"), "{card}");
    assert!(card.contains("(intent)"), "{card}");
    let elsewhere = WriteRequest { path: "docs/a.txt", ..change };
    assert!(judge(&rules(), elsewhere).is_ok());
}

#[test]
fn a_hint_says_what_to_change_and_finds_long_operators() {
    let rule = |hint| {
        Rule::new(&Statement {
            id: "no-leak",
            forbid_code: vec!["Box::leak", "#[allow("],
            hint,
            ..Statement::default()
        })
        .expect("a rule")
    };
    let told = |rule: Rule, content: &str| {
        let change = WriteRequest { path: "a.rs", content: Some(content), intent: None };
        judge(&[rule], change).expect_err("refused").hint
    };
    let leak = "fn a() {\n    Box::leak(b);\n}";
    assert_eq!(told(rule(None), leak), "Write line 2 without `Box::leak`, then repeat the call.");
    assert_eq!(told(rule(Some("Keep it in a struct.")), leak), "Keep it in a struct.");
    assert!(told(rule(None), "#[allow(dead_code)]\nfn a() {}").contains("line 1"));
    let change = WriteRequest { path: "src/a.rs", content: Some(leak), intent: None };
    let fault = judge(&[rule(Some("Keep it in a struct."))], change).expect_err("refused");
    let place = "Line 2 of \"src/a.rs\" has `Box::leak`, against the policy rule no-leak.";
    assert_eq!(fault.message, place, "whatever the hint is");
}
