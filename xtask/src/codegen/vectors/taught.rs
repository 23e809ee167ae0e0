//! Answers that the taught rows of a contract name, and answers like them that no row names.

use std::sync::Arc;

use redress::{
    Lookup,
    fault::Basis,
    outcome::Asked,
    recover::{Reading, read},
};
use redress_registry::{
    Effect, Registry, shipped,
    taught::{Taught, Teachings},
};
use serde_json::{Value, json};

/// What the answer flags: nothing, its result, or a JSON-RPC error.
const ANSWERS: &[(&str, &str, &str)] = &[
    (
        "a glob",
        "get_order",
        r#"{"content":[{"type":"text","text":"Kaputt 7 today"}],"isError":true}"#,
    ),
    (
        "a glob of another tool",
        "add",
        r#"{"content":[{"type":"text","text":"Kaputt 7 today"}],"isError":true}"#,
    ),
    (
        "a glob without a flag",
        "get_order",
        r#"{"content":[{"type":"text","text":"Kaputt 7 today"}]}"#,
    ),
    (
        "a silent row without a flag",
        "add",
        r#"{"content":[{"type":"text","text":"Order refused: 7\n"}]}"#,
    ),
    (
        "a silent row with a flag",
        "add",
        r#"{"content":[{"type":"text","text":"Order refused: 7"}],"isError":true}"#,
    ),
    ("a longer text", "add", r#"{"content":[{"type":"text","text":"The Order refused: 7"}]}"#),
    (
        "texts of several blocks",
        "add",
        r#"{"content":[{"type":"text","text":"Order refused: 7"},{"type":"text","text":"and more"}]}"#,
    ),
    (
        "a question mark is one character",
        "add",
        r#"{"content":[{"type":"text","text":"ö\ud83d\ude00ps"}],"isError":true}"#,
    ),
    (
        "a question mark is not two",
        "add",
        r#"{"content":[{"type":"text","text":"öö\ud83d\ude00ps"}],"isError":true}"#,
    ),
    (
        "a value in the text",
        "add",
        r#"{"content":[{"type":"text","text":"{\"order\":{\"state\":\"lost\"}}"}]}"#,
    ),
    (
        "a value in the structure",
        "add",
        r#"{"content":[],"structuredContent":{"order":{"state":"lost"}}}"#,
    ),
    (
        "another value",
        "add",
        r#"{"content":[{"type":"text","text":"{\"order\":{\"state\":\"paid\"}}"}]}"#,
    ),
    ("a truth is no number", "add", r#"{"content":[{"type":"text","text":"{\"done\":1}"}]}"#),
    (
        "a value in a list",
        "add",
        r#"{"content":[{"type":"text","text":"{\"all\":[{\"a/b\":3}]}"}]}"#,
    ),
    (
        "a number of the protocol",
        "add",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"Kaputt"}}"#,
    ),
    (
        "another number",
        "add",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32051,"message":"Kaputt"}}"#,
    ),
    (
        "the message of an error",
        "get_order",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32051,"message":"Kaputt 7 today"}}"#,
    ),
    (
        "the first row wins",
        "get_order",
        r#"{"content":[{"type":"text","text":"Kaputt and Kaputt"}],"isError":true}"#,
    ),
    (
        "an envelope says more than a row",
        "get_order",
        r#"{"content":[{"type":"text","text":"Kaputt 7 today"}],"structuredContent":{"v":1,"code":"TIMEOUT","message":"x","class":"deadline_exceeded"},"isError":true}"#,
    ),
    ("a success", "get_order", r#"{"content":[{"type":"text","text":"Order 7: three parts"}]}"#),
];

pub(super) fn cases() -> Vec<Value> {
    let rows = rows();
    let listed: Vec<Value> = rows.iter().map(written).collect();
    let core = shipped::core();
    let matches = match Teachings::new(rows, |it| core.get(it).is_some()) {
        Ok(matches) => matches,
        Err(refused) => return vec![json!(format!("{refused:?}"))],
    };
    let registry =
        Registry { name: "taught".into(), matches: Arc::new(matches), ..Registry::clone(core) };
    let lookup = Lookup::with([Arc::new(registry)]);
    let case = |(name, tool, answer): &(&str, &str, &str)| {
        let asked = Asked {
            method: Some("tools/call".into()),
            tool: Some((*tool).into()),
            ..Asked::default()
        };
        let fault = match read(answer.as_bytes(), &asked, &lookup) {
            Reading::Fine => None,
            Reading::Fault(fault, _) | Reading::Unrecognised(fault) => Some(fault),
        };
        let code = fault.as_ref().map(|it| it.code().to_owned());
        // What no row names, each language judges by itself.
        let taught = fault.filter(|it| it.basis == Some(Basis::Taught));
        let effect = taught.map(|it| it.effect.name());
        json!({"name": name, "matches": listed, "tool": tool, "answer": answer, "code": code, "effect": effect})
    };
    ANSWERS.iter().map(case).collect()
}

/// Rows with each condition that every language reads.
fn rows() -> Vec<Taught> {
    let row = |code: &str, example: &str| Taught {
        code: code.to_owned(),
        example: Some(example.to_owned()),
        ..Taught::default()
    };
    let of_text = |text: &str, code: &str, example: &str| Taught {
        text: Some(text.to_owned()),
        ..row(code, example)
    };
    let of_json = |pointer: &str, value: Value, example: &str| Taught {
        json: [(pointer.to_owned(), value)].into(),
        silent: true,
        ..row("CONFLICT", example)
    };
    let tool = Some("get_*".to_owned());
    vec![
        Taught {
            tool: tool.clone(),
            effect: Some(Effect::Unknown),
            ..of_text("Kaputt * today", "NOT_FOUND", "Kaputt 1 today")
        },
        Taught { tool, ..of_text("Kaputt*Kaputt", "RATE_LIMITED", "Kaputt Kaputt") },
        Taught { silent: true, ..of_text("Order refused: *", "OVERLOADED", "Order refused: 1") },
        of_text("ö?ps", "TIMEOUT", "öops"),
        of_json("/order/state", json!("lost"), r#"{"order":{"state":"lost"}}"#),
        of_json("/done", json!(true), r#"{"done":true}"#),
        of_json("/all/0/a~1b", json!(3), r#"{"all":[{"a/b":3}]}"#),
        Taught { rpc_code: Some(-32050), ..row("UPSTREAM_PARKED", "Kaputt") },
    ]
}

/// A row as an exported package has it.
fn written(row: &Taught) -> Value {
    let mut written = json!({"code": row.code});
    let mut put = |key: &str, value: Option<Value>| {
        if let (Some(members), Some(value)) = (written.as_object_mut(), value) {
            members.insert(key.to_owned(), value);
        }
    };
    put("tool", row.tool.clone().map(Value::from));
    put("text", row.text.clone().map(Value::from));
    put("json", (!row.json.is_empty()).then(|| json!(row.json)));
    put("rpc_code", row.rpc_code.map(Value::from));
    put("effect", row.effect.map(|it| Value::from(it.name())));
    put("silent", row.silent.then_some(Value::Bool(true)));
    written
}
