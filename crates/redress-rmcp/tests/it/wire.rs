//! What is on the wire, for requests that no client of rmcp sends.

use std::time::Duration;

use redress::Dialect;
use redress_rmcp::{Contract, ErrorStats};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::{
    odd::{Odd, registry},
    raw::{Raw, fault},
};

#[tokio::test]
async fn what_is_no_message_is_answered_under_the_id_of_its_request() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    for (line, id, code, pointer) in [
        (r#""id":7,"method":"tools/call","params":[]"#, json!(7), "INVALID_REQUEST", "/params"),
        (
            r#""id":"a","method":"tools/call","params":"x""#,
            json!("a"),
            "INVALID_REQUEST",
            "/params",
        ),
        (
            r#""id":7,"method":"tools/call","params":{"name":"well","_meta":5}"#,
            json!(7),
            "INVALID_REQUEST",
            "/params/_meta",
        ),
        (
            r#""id":7,"method":"tools/call","params":{"name":"well","arguments":{"a~b":[1,1e400]}}"#,
            json!(7),
            "INVALID_REQUEST",
            "/params/arguments/a~0b/1",
        ),
        (
            r#""id":12.5,"method":"tools/call","params":{"name":"well"}"#,
            json!(12.5),
            "INVALID_REQUEST",
            "/id",
        ),
        (
            r#""id":9223372036854775808,"method":"ping""#,
            json!(9_223_372_036_854_775_808_u64),
            "INVALID_REQUEST",
            "/id",
        ),
        (
            &format!(
                r#""id":7,"method":"tools/call","params":{{"name":"well","arguments":{{"a":{deep}}}}}"#
            ),
            json!(7),
            "PARSE_FAILED",
            "",
        ),
        (r#""id":7,"method":"tools/call","params":{"name":tru}"#, json!(7), "PARSE_FAILED", ""),
        (r#""id":7,"method":8"#, json!(7), "INVALID_REQUEST", "/method"),
        (r#""id":7,"method":"ping","Method":"tools/list""#, json!(7), "INVALID_REQUEST", ""),
        (
            r#""id":7,"method":"tools/call","params":{"name":"well","NAME":"panic"}"#,
            json!(7),
            "INVALID_REQUEST",
            "",
        ),
        (r#""id":7,"method":"ping","#, json!(7), "PARSE_FAILED", ""),
    ] {
        let answer = raw.answer(&format!(r#"{{"jsonrpc":"2.0",{line}}}"#)).await;
        assert_eq!(answer["id"], id, "{line}: {answer}");
        assert_eq!(fault(&answer)["code"], code, "{line}: {answer}");
        assert_eq!(fault(&answer)["effect"], "none", "{line}: {answer}");
        assert_eq!(
            fault(&answer)["details"]["pointer"].as_str().unwrap_or_default(),
            pointer,
            "{line}: {answer}"
        );
    }
    let cut = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na"#;
    assert_eq!(raw.answer(cut).await["id"], 7);
    for line in ["what?", "[]", "7", r#"{"id""#] {
        let answer = raw.answer(line).await;
        assert!(fault(&answer)["code"].is_string(), "{line}: {answer}");
        assert_eq!(answer["id"], Value::Null, "{line}: {answer}");
    }
    assert!(raw.ask("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn what_rmcp_refuses_before_any_handler_has_its_envelope() {
    let mut raw = Raw::silent(Contract::new(Odd::new(), registry()));
    let answer = raw.ask("tools/list", json!({})).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32602)), "{answer}");
    assert_eq!(fault(&answer)["code"], "INVALID_REQUEST", "{answer}");
    assert_eq!(fault(&answer)["effect"], "none", "{answer}");
    assert!(fault(&answer)["hint"].as_str().unwrap().contains("`initialize` first"), "{answer}");
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let answer = raw.ask("tasks/get", json!({"taskId": "x"})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert_eq!(fault(&answer)["code"], "METHOD_NOT_FOUND", "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_not_read_for_ever() {
    let ping = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
    let floods = ["what?\n".repeat(100_000), (0..100_000).map(ping).collect::<String>()];
    for lines in floods {
        let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
        let mut written = 0;
        let flood = async {
            for piece in lines.as_bytes().chunks(1 << 10) {
                raw.to.write_all(piece).await.unwrap();
                written += piece.len();
            }
        };
        let is_held = tokio::time::timeout(Duration::from_secs(2), flood).await.is_err();
        assert!(is_held, "answers pile up for a client that reads none of them");
        // What was heard is answered as soon as it reads.
        for _ in 0..1_000 {
            raw.lines.next_line().await.unwrap().unwrap();
        }
        assert!(written < 3 << 20, "{written}");
    }
}

#[tokio::test]
async fn nobody_is_told_about_lines_that_nobody_waits_for() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    for line in [
        "",
        " \r",
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#,
        r#"{"jsonrpc":"2.0","method":"$/setTrace","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":tru}"#,
    ] {
        raw.to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    assert!(raw.ask("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_and_forgotten() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let long = "a".repeat(17 << 20);
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{long}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"{long}"}},"id":7}}"#),
    ] {
        let answer = raw.answer(&line).await;
        assert_eq!(answer["id"], 7);
        assert_eq!(fault(&answer)["code"], "INPUT_TOO_LARGE", "{answer}");
    }
    let note = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"#;
    raw.put(&format!("{note}\"{long}\"}}}}")).await;
    assert!(raw.ask("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn what_stands_before_the_end_is_answered() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let bad = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#;
    let good = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"well"}}"#;
    // The last line does not even end.
    raw.to.write_all(format!("{bad}\n{good}").as_bytes()).await.unwrap();
    raw.to.shutdown().await.unwrap();
    let mut ids = Vec::new();
    while let Some(line) = raw.lines.next_line().await.unwrap() {
        ids.push(serde_json::from_str::<Value>(&line).unwrap()["id"].as_u64());
    }
    ids.sort_unstable();
    assert_eq!(ids, [Some(1), Some(2)]);
}

#[tokio::test]
async fn a_malformed_call_stays_an_error_that_says_what_is_wrong() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    for (params, pointer) in [
        (json!({}), "/params/name"),
        (json!({"name": 7}), "/params/name"),
        (json!({"name": "well", "arguments": [1]}), "/params/arguments"),
        (json!({"name": "well", "requestState": 1}), "/params/requestState"),
        (json!({"name": "well", "inputResponses": [1]}), "/params/inputResponses"),
    ] {
        let answer = raw.ask("tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let envelope = &answer["error"]["data"]["dev.redress/fault"];
        assert_eq!(envelope["code"], "INVALID_REQUEST");
        assert_eq!(envelope["violations"][0]["pointer"], pointer);
    }
}

#[tokio::test]
async fn an_unknown_method_keeps_its_number() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let answer = raw.ask("no/such", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert_eq!(answer["error"]["data"]["dev.redress/fault"]["code"], "METHOD_NOT_FOUND");
}

#[tokio::test]
async fn a_panic_of_any_method_is_answered() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let answer = raw.ask("prompts/get", json!({"name": "none"})).await;
    assert_eq!(answer["error"]["data"]["dev.redress/fault"]["code"], "INTERNAL_ERROR", "{answer}");
    assert!(!answer.to_string().contains("secret"), "{answer}");
    assert_eq!(fault(&answer)["effect"], "none", "{answer}");
    assert!(raw.ask("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn failures_are_counted_for_whoever_asks() {
    let mut raw =
        Raw::new(Contract::new(Odd::new(), registry()).error_stats(ErrorStats::default())).await;
    raw.ask("tools/call", json!({"name": "panic"})).await;
    raw.ask("tools/call", json!({"name": "nothing"})).await;
    raw.ask("tools/call", json!({"name": "even", "arguments": {"number": 3}})).await;
    raw.ask("tools/call", json!({"name": "well"})).await;
    let answer = raw.ask("sys/errorStats", json!({})).await;
    assert_eq!(answer["result"]["total"], 3, "{answer}");
    assert_eq!(answer["result"]["bySymbol"]["E_INTERNAL_ERROR"], 1, "{answer}");
    let mut off = Raw::new(Contract::new(Odd::new(), registry())).await;
    assert_eq!(off.ask("sys/errorStats", json!({})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn a_failure_is_written_in_the_dialect_that_was_chosen() {
    let contract = |dialect| Contract::new(Odd::new(), registry()).dialect(dialect);
    let call = json!({"name": "panic"});
    let mut raw = Raw::new(contract(Dialect::Rpc)).await;
    let answer = raw.ask("tools/call", call.clone()).await;
    assert_eq!(answer["error"]["data"]["symbol"], "E_INTERNAL_ERROR", "{answer}");
    let mut raw = Raw::new(contract(Dialect::AtlasGate)).await;
    let answer = raw.ask("tools/call", call).await;
    assert_eq!(answer["result"]["structuredContent"]["error_code"], "INTERNAL_ERROR", "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["tool_name"], "panic", "{answer}");
    assert!(answer["result"]["_meta"]["dev.redress/fault"].is_object());
}

#[tokio::test]
async fn a_client_of_the_newest_revision_hears_the_same() {
    let mut raw = Raw::silent(Contract::new(Odd::new(), registry()));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = raw.ask("server/discover", json!({"_meta": meta})).await;
    assert!(found["result"]["supportedVersions"].is_array(), "{found}");
    let answer = raw.ask("tools/call", json!({"name": "panic", "_meta": meta})).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["code"], "INTERNAL_ERROR", "{answer}");
    let answer = raw.ask("tools/call", json!({"name": 7, "_meta": meta})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = raw.ask("tools/call", json!({"name": "well"})).await;
    assert_eq!(fault(&answer)["code"], "INVALID_REQUEST", "{answer}");
}
