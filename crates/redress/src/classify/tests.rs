//! Every row of the table against its own example.

use redress_registry::{Effect, shipped};
use serde_json::{Value, json};

use super::{
    Verdict, classify, line,
    table::{Row, Source, TABLE},
};
use crate::{
    json::{Doc, Limits},
    outcome::{Asked, Outcome, What},
};

/// Rows that the form of an input line cannot show.
const HAVE_THEIR_OWN_TEST: [&str; 3] = ["outcome.closed", "tool.unlisted", "tool.listed-not-found"];

#[test]
fn every_rule_names_its_own_example() {
    let wrong: Vec<String> =
        TABLE.rules.iter().filter_map(|row| differs(row, &row.id, &input(row))).collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_sign_finds_its_own_example() {
    let wrong: Vec<String> = TABLE
        .signs
        .iter()
        .filter_map(|row| {
            let input = if row.example.starts_with("{\"id\"") {
                row.example.clone()
            } else {
                result(&text(row), false)
            };
            differs(row, &format!("{}+", row.id), &input)
        })
        .collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_step_is_one_by_its_own_example() {
    for row in &TABLE.steps {
        let mut out = Vec::new();
        line(input(row).as_bytes(), shipped::core(), &mut out).unwrap();
        let verdict: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(verdict["effect"], "unknown", "{}: {verdict}", row.id);
    }
}

#[test]
fn a_closed_pipe_and_an_unlisted_tool_have_rows_too() {
    let known = ["read_file".to_owned()];
    let asked = Asked {
        method: Some("tools/call".into()),
        tool: Some("raed_file".into()),
        known_tools: Some(&known),
        ..Asked::default()
    };
    let rule = |what: What<'_>| match classify(&asked, &Outcome::of(what), shipped::core()) {
        Verdict::Failure(it) => it.rule,
        Verdict::Success => "success".into(),
    };
    assert_eq!(rule(What::Closed), "outcome.closed");
    let of_answer = |answer: &str| {
        let answer = Doc::parse(answer.as_bytes(), Limits::DOCUMENT).unwrap();
        rule(What::Answer(answer.root()))
    };
    for number in [-32601, -32602] {
        let error = json!({"code": number, "message": "boom"});
        let answer = json!({"jsonrpc": "2.0", "id": 1, "error": error}).to_string();
        assert_eq!(of_answer(&answer), "tool.unlisted");
    }
    let ran = result("3 of 5 rows were written, then the connection broke", true);
    let ran: Value = serde_json::from_str(&ran).unwrap();
    assert_ne!(of_answer(ran["raw"].as_str().unwrap()), "tool.unlisted");
}

#[test]
fn a_tool_that_its_server_lists_is_not_called_unknown() {
    let known = ["read_file".to_owned()];
    let asked = Asked {
        method: Some("tools/call".into()),
        tool: Some("read_file".into()),
        known_tools: Some(&known),
        ..Asked::default()
    };
    for message in ["Method not found", "tools/call", "boom"] {
        let answer =
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": message}})
                .to_string();
        let answer = Doc::parse(answer.as_bytes(), Limits::DOCUMENT).unwrap();
        let outcome = Outcome::of(What::Answer(answer.root()));
        let Verdict::Failure(failure) = classify(&asked, &outcome, shipped::core()) else {
            panic!()
        };
        assert_eq!(failure.fault.code(), "UNKNOWN_TOOL_FAILURE", "{message}");
        assert_eq!(failure.fault.effect, Effect::Unknown, "{message}");
    }
}

#[test]
fn what_may_stand_at_a_place_of_the_arguments_is_never_surely_a_failure() {
    let contents = [
        "MCP error -32602: Tool foo not found",
        "MCP error -32602: Tool foo not found\nMCP error -32603: boom",
        "Unknown tool: openfile",
        "Error executing tool openfile: boom",
        r#"{"error":"rate_limited","message":"slow down"}"#,
        r#"{"error":"not_found","message":"sample"}"#,
        r#"{"ok":false,"error":"quota exceeded"}"#,
        r#"{"success":false,"error":"boom","errorType":"X"}"#,
    ];
    for (tool, arguments) in [
        ("openfile", json!({"filename": "/srv/data/log.json"})),
        ("read_text_file", json!({"path": "/srv/data/client.log", "head": 3})),
        ("inspect", json!({"target": "https://example.com/errors.json"})),
        ("batch", json!({"paths": ["notes/a.txt"]})),
        ("read_file", json!({"id": "7"})),
    ] {
        for text in contents {
            let raw = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}});
            let params = json!({"name": tool, "arguments": arguments});
            let request =
                json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
            let input = json!({"id": "x", "request": request, "raw": raw.to_string()}).to_string();
            let mut out = Vec::new();
            line(input.as_bytes(), shipped::core(), &mut out).unwrap();
            let verdict: Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(verdict["certain"], false, "{tool}: {text}: {verdict}");
        }
    }
}

#[test]
fn ids_are_unique_and_codes_are_of_core() {
    let mut ids: Vec<&str> = TABLE
        .rules
        .iter()
        .chain(&TABLE.signs)
        .chain(&TABLE.steps)
        .map(|it| it.id.as_str())
        .collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|it| it[0] != it[1]));
    for row in &TABLE.rules {
        assert!(shipped::core().get(&row.code).is_some(), "{}: no code {}", row.id, row.code);
    }
}

fn differs(row: &Row, expected: &str, input: &str) -> Option<String> {
    let mut out = Vec::new();
    line(input.as_bytes(), shipped::core(), &mut out).unwrap();
    let verdict: Value = serde_json::from_slice(&out).unwrap();
    let got = verdict["rule"].as_str().unwrap_or("success");
    let fits = got.rsplit('+').next() == Some(expected)
        || expected.ends_with('+') && got.starts_with(expected);
    (!fits && !HAVE_THEIR_OWN_TEST.contains(&row.id.as_str()))
        .then(|| format!("{expected}: {got} for {}", row.example))
}

/// The example as it came over the wire: in the first way that the row takes.
fn input(row: &Row) -> String {
    let text = text(row);
    if row.example.starts_with("{\"id\"") {
        return row.example.clone();
    }
    let source = row.from.first().copied();
    if source == Some(Source::Http) {
        let status = row.http.first().copied().unwrap_or(400);
        return json!({"id": "x", "http": {"status": status, "headers": {}, "body": text}})
            .to_string();
    }
    if source == Some(Source::Silent) {
        return result(&text, false);
    }
    if !row.rpc.is_empty() || source == Some(Source::Rpc) {
        let code = row.rpc.first().copied().unwrap_or(-32603);
        let raw = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": text}});
        return json!({"id": "x", "raw": raw.to_string()}).to_string();
    }
    result(&text, true)
}

fn result(text: &str, is_error: bool) -> String {
    let result = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
    let raw = json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "work", "arguments": {"path": "a/b.txt"}}});
    json!({"id": "x", "request": request, "raw": raw.to_string()}).to_string()
}

fn text(row: &Row) -> String {
    row.example.replace("\\n", "\n").replace("\\t", "\t")
}
