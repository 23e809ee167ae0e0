//! Texts that tell of failures, and texts that only talk of them.

use redress_registry::shipped;
use serde_json::{Value, json};

use super::{answered, general, judge};

/// The lines of a word list, their columns apart.
fn word_list(text: &str) -> impl Iterator<Item = (&str, &str, Value, String)> {
    text.lines().filter(|it| !it.starts_with('#')).map(|line| {
        let mut columns = line.splitn(4, '\t');
        let mut next = || columns.next().unwrap();
        let (expected, tool, arguments) = (next(), next(), next());
        let said = next().replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
        (expected, tool, serde_json::from_str(arguments).unwrap(), said)
    })
}

#[test]
fn known_words_have_known_codes() {
    let class = |code: &str| shipped::core().get(code).map(|it| general(it.class));
    let mut wrong = Vec::new();
    for (expected, tool, arguments, text) in word_list(include_str!("../../words/flagged.txt")) {
        let got = answered(tool, &arguments, &text, true);
        let code = got["code"].as_str().unwrap_or_default();
        // Words alone name a class.
        let is_class = |it: &str| got["tier"] == "prose" && class(it) == class(code);
        if !expected.split(' ').any(|it| it == code || is_class(it)) {
            wrong.push(format!("{expected}\t{text}: {code} by {}", got["rule"]));
        }
        let is_proof = got["tier"] == "protocol" || got["tier"] == "format";
        assert!(is_proof || got["effect"] != "none", "{text}");
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_failure_below_a_heading_is_possible_and_never_certain() {
    let judged = |tool: &str, texts: &[&str]| {
        let content: Vec<_> = texts.iter().map(|it| json!({"type": "text", "text": it})).collect();
        let raw = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": content}}).to_string();
        let params = json!({"name": tool, "arguments": {"name": "x"}});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        judge(&json!({"id": "x", "request": request, "raw": raw}).to_string())
    };
    let refused = "Error: connect ECONNREFUSED 127.0.0.1:9";
    let object = r#"{"success":false,"error":"connect ECONNREFUSED 127.0.0.1:9"}"#;
    for texts in [
        &["## Deployment\n", refused][..],
        &["**Result**", object],
        &["Output:", refused],
        &["Error:", "the connection was refused: ECONNREFUSED"],
    ] {
        let got = judged("deploy", texts);
        assert_eq!(got["code"], "UPSTREAM_UNAVAILABLE", "{texts:?} {got}");
        assert_eq!((&got["silent"], &got["certain"]), (&json!(true), &json!(false)), "{got}");
    }
    for (tool, texts) in [
        ("read_notes", &["# Notes", refused][..]),
        ("deploy", &["notes.md:", refused]),
        ("deploy", &["3 hosts:", refused]),
        ("deploy", &["All hosts were updated.", refused]),
        ("deploy", &["## Deployment", "All hosts were updated."]),
        ("deploy", &["## Deployment", refused, "The others are fine."]),
    ] {
        let got = judged(tool, texts);
        assert_eq!(got["failure"], false, "{tool} {texts:?} {got}");
    }
}

#[test]
fn an_error_in_lower_case_is_possible_and_never_certain() {
    let judged = |tool, text| answered(tool, &json!({"name": "x"}), text, false);
    for text in ["error: connection to the database refused", "fatal: not a git repository"] {
        let got = judged("deploy", text);
        assert_eq!((&got["failure"], &got["certain"]), (&json!(true), &json!(false)), "{got}");
    }
    for (tool, text) in [
        ("read_log", "error: connection to the database refused"),
        ("search_log", "error: connection to the database refused"),
        ("validate", "error: the third line is too long"),
        ("deploy", "error: 0, warnings: 3"),
        ("deploy", "errors are fine here"),
        ("deploy", "error: failed"),
    ] {
        let got = judged(tool, text);
        assert_eq!(got["failure"], false, "{tool} {text} {got}");
    }
}

#[test]
fn content_that_talks_of_errors_stays_a_success() {
    let mut wrong = Vec::new();
    for (expected, tool, arguments, text) in word_list(include_str!("../../words/unflagged.txt")) {
        let got = answered(tool, &arguments, &text, false);
        if got["failure"] != (expected == "failure") {
            wrong.push(format!("{expected}\t{tool}\t{text}: {} {}", got["code"], got["rule"]));
        }
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}
