//! However a "no" is spelt, and wherever in an answer it is written.

use serde_json::{Value, json};

use super::{Case, TOOLS, all_through};
use crate::gate::client::Via;

/// Spellings of a statement, and what they say.
const SPELLINGS: [(&str, &str); 21] = [
    (r#""retryable":false"#, r#"{"retryable":false}"#),
    (r#""Retryable":false"#, r#"{"retryable":false}"#),
    (r#""retr\u0079able":false"#, r#"{"retryable":false}"#),
    (r#""retry":null"#, r#"{"retryable":false}"#),
    (r#""retry":0"#, r#"{"retryable":false}"#),
    (r#""retry":["now"]"#, r#"{"retryable":false}"#),
    (r#""retry":{}"#, r#"{"retryable":false}"#),
    (r#""retry":{"kind":null}"#, r#"{"retryable":false}"#),
    (r#""retry":{"kind":0}"#, r#"{"retryable":false}"#),
    (r#""retry":{"kind":{}}"#, r#"{"retryable":false}"#),
    (r#""retry":{"Kind":"never"}"#, r#"{"retryable":false}"#),
    (r#""retry":{"kind":"now","kind":"never"}"#, r#"{"retryable":false}"#),
    (r#""retry":{"kind":"after_delay","after_ms":-1}"#, r#"{"retryable":false}"#),
    (r#""retry":{"kind":"after_delay","max":0.0}"#, r#"{"retry":{"kind":"now"}}"#),
    (r#""retry":{"kind":"after_delay","after_ms":"60000"}"#, r#"{"retry":{"kind":"now"}}"#),
    (r#""retry":{"kind":"now"},"retry_after":60"#, r#"{"retry":{"kind":"now"}}"#),
    (r#""retry":{"kind":"after_delay","not_before":4000000000000}"#, r#"{"retry":{"kind":"now"}}"#),
    (r#""effect":"done""#, r#"{"effect":"done"}"#),
    (r#""effect":"DONE""#, r#"{"effect":"done"}"#),
    (r#""effect":"Done ""#, r#"{"effect":"done"}"#),
    (r#""effect":"partial","effect":"none""#, r#"{"effect":"partial"}"#),
];

/// A failed result with a text.
fn text(text: &str) -> Value {
    json!({"result": {"content": [{"type": "text", "text": text}], "isError": true}})
}

/// A failed result with a member beside a text that says nothing of repeats.
fn beside(key: &str, value: Value) -> Value {
    let mut answer = text("rate limit exceeded, retry after 1 second");
    answer["result"][key] = value;
    answer
}

/// A JSON-RPC error.
fn error(message: &str, data: &Value) -> Value {
    json!({"error": {"code": -32603, "message": message, "data": data}})
}

/// An envelope at every place where a server can write it, as the members of an answer.
fn carried(envelope: &str) -> Vec<Value> {
    let words = "rate limit exceeded, retry after 1 second";
    let quoted = |it: &str| Value::from(it).to_string();
    let open = envelope.trim_end_matches('}');
    let middle = envelope.len() - 9;
    let split =
        [&envelope[..middle], &envelope[middle..]].map(|it| json!({"type": "text", "text": it}));
    let resource = json!({"type": "resource", "resource": {"uri": "a:b", "text": envelope}});
    vec![
        text(envelope),
        text(&format!("Error executing tool t: {envelope}")),
        text(&format!("{envelope}\nPlease see the log.")),
        text(&format!("```json\n{envelope}\n```")),
        text(&format!("\u{feff}{envelope}")),
        text(&format!("[{envelope}]")),
        text(&quoted(envelope)),
        text(&quoted(&quoted(envelope))),
        text(&format!("{open},\"x\":NaN}}")),
        text(&format!("{open},}}")),
        text(&format!("{open},\"x\":\"\\ud800\"}}")),
        text(&format!("{open},\"details\":{}{}}}", "[".repeat(70), "]".repeat(70))),
        json!({"result": {"content": split, "isError": true}}),
        json!({"result": {"content": [{"type": "text", "text": words}, resource], "isError": true}}),
        beside("contents", json!([{"uri": "a:b", "text": envelope}])),
        beside("structuredContent", json!({"result": envelope})),
        beside("_meta", json!({"note": envelope})),
        error(envelope, &Value::Null),
        error(words, &json!(envelope)),
        error(words, &json!([envelope])),
        error(words, &json!({"cause": {"inner": {"deeper": [{"body": envelope}]}}})),
    ]
}

#[test]
fn a_no_is_final_however_it_is_spelt_and_wherever_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut cases = Vec::new();
    for (spelling, statement) in SPELLINGS {
        let envelope = format!(
            r#"{{"v":1,"code":"RATE_LIMITED","message":"rate limit exceeded, retry after 1 second",{spelling}}}"#
        );
        for payload in carried(&envelope) {
            let mut line = json!({"jsonrpc": "2.0", "id": "ID"});
            line.as_object_mut().unwrap().extend(payload.as_object().unwrap().clone());
            let line = line.to_string().replace("\"ID\"", "ID");
            for tool in TOOLS {
                let calls = dir.path().join(cases.len().to_string());
                let statement = serde_json::from_str(statement).unwrap();
                cases.push(Case { tool, statement, line: line.clone(), calls });
            }
        }
    }
    assert!(all_through(Via::Run, "", "enforce", "core", &cases) >= 1_200);
}
