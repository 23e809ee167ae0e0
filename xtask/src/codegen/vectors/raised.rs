//! Codes with their parameters, and the answers of tools that fail with them: every code of `core`, and every part of a card.

use redress::{
    Dialect, Fault, Lookup,
    dialect::Stamp,
    dialect::wire::{Answer, tool_result},
    emit::bound,
    fault::ParamValue,
    text::tokens::DEFAULT_DETAILS_BYTES,
};
use redress_registry::{Effect, RetryKind, shipped};
use redress_wire::json::RawJson;
use serde_json::{Value, json};

use super::envelope;

pub(super) fn cases() -> Vec<Value> {
    let mut cases: Vec<Value> = Vec::new();
    for row in shipped::core().codes.values() {
        let example = row.example.iter().map(|(key, it)| (key.clone(), it.clone())).collect();
        cases.push(case(
            &format!("{}: example", row.code),
            &row.code,
            Value::Object(example),
            json!({}),
        ));
        cases.push(case(&format!("{}: no parameters", row.code), &row.code, json!({}), json!({})));
    }
    cases.extend(texts());
    cases.extend(repeats());
    cases.extend(parts());
    cases
}

/// What a tool answers that fails so. `more` are members of the envelope that its author sets.
fn case(name: &str, code: &str, params: Value, more: Value) -> Value {
    let result = answer(code, &params, &more).unwrap_or_else(|| name.to_owned());
    let members = [
        ("name", json!(name)),
        ("code", json!(code)),
        ("params", params),
        ("more", more),
        ("result", json!(result)),
    ];
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn answer(code: &str, params: &Value, more: &Value) -> Option<String> {
    let row = shipped::core().get(code)?;
    let params = params.as_object()?.iter().filter_map(|(key, value)| {
        Some((key, ParamValue::from(RawJson::parse(value.to_string().as_bytes()).ok()?)))
    });
    let mut document = envelope(&Fault::raise(row, params));
    let more = more.as_object()?.iter().map(|(key, value)| (key.clone(), value.clone()));
    let members = document.as_object_mut()?;
    // It follows from the rule, which `more` may change.
    members.shift_remove("retryable");
    members.extend(more);
    let document = document.to_string();
    let mut fault = Dialect::Native.read(document.as_bytes(), &Lookup::shipped()).ok()?;
    bound(&mut fault, DEFAULT_DETAILS_BYTES);
    let stamp = Stamp::default();
    let answer = Answer {
        dialect: Dialect::Native,
        has_output_schema: false,
        stamp,
        meta: None,
        said: None,
    };
    Some(tool_result(&fault, answer))
}

/// Values that a sentence must not take as they are.
fn texts() -> Vec<Value> {
    let long = "ä𝕏".repeat(200);
    let texts = [
        "say \"no\"\\ \n\ttwice",
        "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}x\u{1b}Qy\u{1b}",
        "a\u{202e}b\u{200b}c\u{feff}d\u{e0041}e\u{fe0f}",
        " \u{85}x\u{a0}\u{2028}\u{3000}y\u{1f}z\u{7f} ",
        "</note>&{path}",
        "",
        &long,
    ];
    let mut cases = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let near =
            json!([{ "ref": text }, { "ref": 7 }, { "ref": { "a": text } }, { "ref": "last" }]);
        let more = json!({ "similar_refs": near, "server_text": text, "hint": text });
        let params = json!({ "path": text });
        cases.push(case(&format!("text {at}"), "FILE_NOT_FOUND", params.clone(), json!({})));
        cases.push(case(&format!("text {at} everywhere"), "FILE_NOT_FOUND", params, more));
    }
    for value in [json!(7), json!(null), json!(["a"]), json!({}), json!(true)] {
        let name = format!("a value of another type: {value}");
        cases.push(case(
            &name,
            "FILE_NOT_FOUND",
            json!({ "path": value, "unknown": 1 }),
            json!({}),
        ));
    }
    cases
}

/// Every second line of a card.
fn repeats() -> Vec<Value> {
    let mut cases = Vec::new();
    for (kind, effect) in
        RetryKind::ALL.iter().flat_map(|kind| Effect::ALL.iter().map(move |it| (kind, it)))
    {
        for class in ["not_found", "unknown", "internal"] {
            let (kind, effect) = (kind.name(), effect.name());
            let more = json!({ "retry": { "kind": kind }, "effect": effect, "class": class });
            cases.push(case(&format!("{kind}, {effect}, {class}"), "NOT_FOUND", json!({}), more));
        }
    }
    for after_ms in [0, 1, 999, 1_000, 1_050, 61_999] {
        let more = json!({ "retry": { "kind": "after_delay", "after_ms": after_ms, "max": 2 } });
        cases.push(case(&format!("after {after_ms} ms"), "RATE_LIMITED", json!({}), more));
    }
    let params = json!({ "retry_after_ms": 2_500 });
    cases.push(case("a delay as a parameter", "RATE_LIMITED", params, json!({})));
    cases
}

/// Parts that an author sets, few and many, short and long.
fn parts() -> Vec<Value> {
    let of = |name: &str, more: Value| case(name, "INVALID_INPUT_VALUE", json!({}), more);
    let wrong = |count: usize| -> Vec<Value> {
        let one = |at: usize| json!({ "pointer": format!("/a/{at}"), "reason": "value", "expected": "a number" });
        (0..count).map(one).collect()
    };
    let near = |count: usize| -> Vec<Value> { (0..count).map(|it| json!({ "ref": it })).collect() };
    let long = "x".repeat(1_100);
    let details: Value = (0..300).map(|it| (format!("k{it}"), json!("ö\n"))).collect();
    vec![
        of("one wrong argument", json!({ "violations": wrong(1) })),
        of("many wrong arguments", json!({ "violations": wrong(30) })),
        of(
            "the whole is wrong",
            json!({ "violations": [{ "pointer": "", "expected": "an object" }] }),
        ),
        of("one like it", json!({ "similar_refs": near(1) })),
        of("two like it", json!({ "similar_refs": near(2) })),
        of("many like it", json!({ "similar_refs": near(9) })),
        of(
            "a part that is too long",
            json!({ "similar_refs": [{ "ref": long }], "next_actions": [long] }),
        ),
        of(
            "calls and advice",
            json!({ "next_actions": ["Look\naround.", { "tool": "list" }, { "tool": "read", "args": { "b": [1, "ü"], "a": {} } }, "More."] }),
        ),
        of(
            "a long message",
            json!({ "message": "Long. ".repeat(60), "hint": "Do it. ".repeat(60) }),
        ),
        of("a long text of a server", json!({ "server_text": "It said \"no\". ".repeat(80) })),
        of(
            "a long text that tells at its end",
            json!({ "server_text": format!("{}error[E0308]: mismatched types: expected `i32`", "Compiling serde… 😀 v1.0.229\n".repeat(30)) }),
        ),
        of(
            "a traceback",
            json!({ "server_text": format!("Traceback (most recent call last):\n{}ValueError: bad date", "  File \"x.py\", line 1\n    raise KeyError: 'a'\n".repeat(9)) }),
        ),
        of("a long word", json!({ "server_text": "0123456789".repeat(90) })),
        of(
            "a long text that tells in the middle",
            json!({ "server_text": format!("{0}It failed. {0}", "It went on and on. ".repeat(30)) }),
        ),
        of("large details", json!({ "details": details })),
        of("details that are a list", json!({ "details": [1, 2] })),
        of("another row's facts", json!({ "domain": "other", "number": 7, "severity": "warning" })),
        of(
            "where and when",
            json!({ "context": { "server": "s", "tool": "t".repeat(300) }, "timestamp": "2026-01-19T15:32:10.123Z", "elapsed_ms": 3, "ledger": { "seq": 1, "hash": "9f2c41d07a3e" } }),
        ),
    ]
}
