//! What clients of each dialect are told of failures that no envelope of the server names: codes, messages, details, cost.

use redress::Dialect;
use serde_json::{Value, json};

use super::client::{Client, Via, both_ways};

both_ways! {
    seed_000_04_a_message_names_the_argument_and_the_reason,
    seed_001_09_a_validators_failure_has_its_issues,
    seed_002_20_details_are_one_terse_text,
    seed_003_02_and_003_25_a_success_says_what_it_cost_if_asked,
    seed_003_19_a_late_call_has_the_contracts_hint_and_status,
    seed_003_23_003_24_a_general_code_has_its_status_and_retry,
    seed_004_09_the_wait_that_a_service_names_is_told,
}

/// What zod's users say of a number where a text belongs.
const ZOD: &str = r#"MCP error -32602: Invalid arguments for tool replay: [{"code":"invalid_type","expected":"string","received":"number","path":["path"],"message":"Expected string, received number"}]"#;

fn gate(via: Via, dialect: Dialect, settings: &str) -> Client {
    let settings = format!("dialect = '{}'\n{settings}", dialect.name());
    Client::with_settings(via, &settings, &["--deadline", "5000"])
}

/// The line of a result that failed with a text.
fn failed(text: &str) -> String {
    let text = Value::from(text);
    format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":{text}}}],"isError":true}}}}"#
    )
}

/// The envelope that a client gets when the server says this.
fn told(via: Via, dialect: Dialect, settings: &str, line: &str) -> Value {
    let mut client = gate(via, dialect, settings);
    let answer = client.call("replay", &json!({"line": line, "path": 5}));
    envelope(&answer, dialect)
}

fn envelope(answer: &Value, dialect: Dialect) -> Value {
    if dialect == Dialect::Rpc {
        return answer["error"].clone();
    }
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap_or_else(|it| panic!("{it}: {answer}"))
}

fn seed_000_04_a_message_names_the_argument_and_the_reason(via: Via) {
    for (dialect, key) in [
        (Dialect::AtlasGate, "human_message"),
        (Dialect::Workrail, "message"),
        (Dialect::Rpc, "message"),
        (Dialect::Stagewright, "error"),
        (Dialect::Mailvault, "message"),
    ] {
        let told = told(via, dialect, "", &failed(ZOD));
        assert_eq!(told[key], "path must be a string.", "{told}");
    }
    let mut client = gate(via, Dialect::Native, "");
    let answer = client.call("replay", &json!({"line": failed(ZOD), "path": 5}));
    let card = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(card.starts_with("INVALID_INPUT_TYPE: path must be a string.\n"), "{card}");
}

/// `serve` does not begin without the program; `run` tells whoever calls.
fn missing_program(dialect: &str) -> Value {
    let command = ["/nonexistent/redress-test-server"];
    let mut client = Client::before(Via::Run, &["--dialect", dialect], &command);
    client.call("read", &json!({}))
}

#[test]
fn seed_000_35_a_server_that_cannot_start_has_no_borrowed_code() {
    let told = envelope(&missing_program("atlas-gate"), Dialect::AtlasGate);
    assert_eq!(told["error_code"], "BOOTSTRAP_FAILURE", "{told}");
    assert!(told["human_message"].as_str().unwrap().ends_with("was not found."), "{told}");
}

#[test]
fn seed_004_15_a_server_that_is_away_is_unavailable() {
    let told = envelope(&missing_program("mailvault"), Dialect::Mailvault);
    assert_eq!(told["error"], "mcp_unavailable", "{told}");
}

#[test]
fn seed_004_14_a_bad_argument_is_no_corrupt_note() {
    let told = told(Via::Run, Dialect::Mailvault, "contract = 'mailvault'\n", &failed(ZOD));
    assert_eq!(told["error"], "internal_error", "{told}");
    assert_eq!(told["message"], "path must be a string.");
}

#[test]
fn seed_004_13_and_004_14_a_server_says_what_only_it_knows() {
    for envelope in [
        r#"{"error":"send_failed","message":"Gmail API error: 500 backend","details":null}"#,
        r#"{"error":"parse_error","message":"Corrupt frontmatter: line 3","details":{"path":"a.md"}}"#,
    ] {
        let told =
            told(Via::Run, Dialect::Mailvault, "contract = 'mailvault'\n", &failed(envelope));
        assert_eq!(told, serde_json::from_str::<Value>(envelope).unwrap());
    }
}

#[test]
fn seed_004_27_details_of_a_named_contract_stay_where_they_are() {
    let envelope =
        r#"{"error":"not_found","message":"Note not found: a.md","details":{"path":"a.md"}}"#;
    let settings = "contract = 'mailvault'\n";
    let seen = told(Via::Run, Dialect::Mailvault, settings, &failed(envelope));
    assert_eq!(seen["details"], json!({"path": "a.md"}));
    let quoted = told(
        Via::Run,
        Dialect::Mailvault,
        "contract = 'mailvault'\ntrust = false\n",
        &failed(envelope),
    );
    assert_eq!(quoted["error"], "not_found");
    assert_ne!(quoted["message"], "Note not found: a.md");
}

fn seed_001_09_a_validators_failure_has_its_issues(via: Via) {
    let told = told(via, Dialect::Workrail, "contract = 'workrail'\n", &failed(ZOD));
    assert_eq!(told["code"], "VALIDATION_ERROR", "{told}");
    let issues = json!([{"path": "path", "message": "Must be a string"}]);
    assert_eq!(told["details"]["validationIssues"], issues, "{told}");
}

fn seed_002_20_details_are_one_terse_text(via: Via) {
    let words = "Navigation failed: net::ERR_NAME_NOT_RESOLVED";
    let seen = told(via, Dialect::Rpc, "", &failed(words));
    let details = seen["data"]["details"].as_str().unwrap_or_else(|| panic!("{seen}"));
    assert!(details.contains("net::ERR_NAME_NOT_RESOLVED"), "{seen}");
    assert!(!details.contains('{'), "{seen}");
    let own = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":2100,"message":"Navigation failed","data":{"domain":"playwright","symbol":"E_PW_NAV","details":"net::ERR_NAME_NOT_RESOLVED","retryable":false}}}"#;
    let seen = told(via, Dialect::Rpc, "trust = false\n", own);
    assert_eq!(seen["data"]["details"], "net::ERR_NAME_NOT_RESOLVED", "{seen}");
    assert_eq!(seen["data"]["retryable"], false, "seed 002-22: {seen}");
}

/// A result in a spelling of its own.
const FINE: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{ "content":[{"type":"text","text":"fine"}], "x":1.0}}"#;

fn seed_003_02_and_003_25_a_success_says_what_it_cost_if_asked(via: Via) {
    for dialect in [Dialect::Native, Dialect::Stagewright] {
        let mut client = gate(via, dialect, "emit.meter = true\n");
        let answer = client.call("replay", &json!({"line": FINE}));
        let result = &answer["result"];
        assert_eq!(result["content"][0]["text"], "fine", "{answer}");
        assert!(result["_meta"]["estimated_tokens"].as_u64().unwrap() > 10, "{answer}");
        assert!(result["_meta"]["elapsed_ms"].as_u64().is_some(), "{answer}");
    }
    let mut client = gate(via, Dialect::Stagewright, "");
    let params = json!({"name": "replay", "arguments": {"line": FINE}});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    client.write(&format!("{call}\n"));
    assert_eq!(client.line().trim_end(), FINE.replace("ID", "7"), "seed 003-25: byte for byte");
}

fn seed_003_19_a_late_call_has_the_contracts_hint_and_status(via: Via) {
    let settings = "dialect = 'stagewright'\ncontract = 'stagewright'\n";
    let mut client = Client::with_settings(via, settings, &["--deadline", "300"]);
    let answer = client.call("never", &json!({}));
    let told = envelope(&answer, Dialect::Stagewright);
    let row = redress_registry::shipped::get("stagewright").unwrap().get("OPERATION_TIMEOUT");
    let row = row.unwrap();
    assert_eq!(told["code"], "OPERATION_TIMEOUT", "{told}");
    assert_eq!((&told["hint"], &told["http"]), (&json!(row.hint), &json!(408)), "{told}");
}

fn seed_003_23_003_24_a_general_code_has_its_status_and_retry(via: Via) {
    let line = failed("Rate limit exceeded, retry after 30 seconds");
    let told = told(via, Dialect::Stagewright, "contract = 'stagewright'\n", &line);
    assert_eq!(told["code"], "INTERNAL_ERROR", "{told}");
    assert_eq!((&told["http"], &told["retryable"]), (&json!(500), &json!(false)), "{told}");
    assert_eq!(told["error"], "Too many calls were made in a short time.");
}

fn seed_004_09_the_wait_that_a_service_names_is_told(via: Via) {
    let line = failed("Rate limit exceeded, retry after 30 seconds");
    let told = told(via, Dialect::Mailvault, "contract = 'mailvault'\n", &line);
    assert_eq!(told["error"], "rate_limited", "{told}");
    assert_eq!(told["details"]["retry_after"], 30, "{told}");
}
