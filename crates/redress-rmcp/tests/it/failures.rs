//! Each way in which a call fails, and what its caller gets.

use std::{sync::atomic::Ordering, time::Duration};

use redress_rmcp::Contract;
use serde_json::json;

use crate::odd::{Odd, call, client, failed, odd, refused, registry};

#[tokio::test]
async fn what_goes_well_passes_as_it_is() {
    let bare = call(&client(Odd::new()).await, "well", json!({})).await.unwrap();
    assert_eq!(call(&odd().await, "well", json!({})).await.unwrap(), bare);
}

#[tokio::test]
async fn a_fault_of_a_tool_is_told_whole() {
    let client = odd().await;
    let result = call(&client, "even", json!({"number": 3})).await.unwrap();
    let (card, envelope) = failed(&result);
    assert!(
        card.starts_with("ODD_NUMBER: The number 3 is odd.\nRetry: only with other arguments"),
        "{card}"
    );
    assert_eq!(envelope["code"], "ODD_NUMBER");
    assert_eq!(envelope["details"]["number"], 3);
    assert_eq!(envelope["origin"], "tool");
    assert_eq!(envelope["context"]["tool"], "even");
    assert!(envelope["context"]["session_id"].is_string() && envelope["timestamp"].is_string());
    assert_eq!(result.structured_content.as_ref(), Some(&envelope));
    assert!(!format!("{result:?}").contains("known to the operator"));
}

#[tokio::test]
async fn a_panic_is_answered_and_the_server_lives_on() {
    let client = odd().await;
    for _ in 0..3 {
        let result = call(&client, "panic", json!({})).await.unwrap();
        let (card, envelope) = failed(&result);
        assert!(card.starts_with("INTERNAL_ERROR: "), "{card}");
        assert_eq!(envelope["origin"], "server");
        let told = format!("{result:?}");
        assert!(!told.contains("secret") && !told.contains("odd.rs"), "{told}");
    }
    assert_eq!(call(&client, "well", json!({})).await.unwrap().is_error, Some(false));
}

#[tokio::test]
async fn an_error_of_the_protocol_becomes_a_result() {
    let result = call(&odd().await, "error", json!({})).await.unwrap();
    let (card, envelope) = failed(&result);
    assert_eq!(envelope["code"], "FILE_NOT_FOUND", "{card}");
    assert_eq!(envelope["details"]["upstream"]["code"], -32603);
    assert_eq!(envelope["details"]["upstream"]["data"]["part"], 1);
}

#[tokio::test]
async fn prose_is_named() {
    let result = call(&odd().await, "prose", json!({})).await.unwrap();
    let (card, envelope) = failed(&result);
    assert_eq!(envelope["code"], "RATE_LIMITED", "{card}");
    assert!(card.contains("Server said: \"429 Too Many Requests\""), "{card}");
}

#[tokio::test]
async fn an_unknown_tool_stays_an_error_with_the_names_that_are_near() {
    let error = call(&odd().await, "wel", json!({})).await.unwrap_err();
    let (code, envelope) = refused(&error);
    assert_eq!(code, -32602);
    assert_eq!(envelope["code"], "UNKNOWN_TOOL");
    assert_eq!(envelope["similar_refs"], json!([{"ref": "well"}]));
    assert_eq!(envelope["origin"], "client");
}

#[tokio::test]
async fn wrong_arguments_are_named_with_what_was_expected() {
    let client = odd().await;
    for (arguments, code, violation) in [
        (
            json!({}),
            "MISSING_REQUIRED_FIELD",
            json!({"pointer": "/number", "reason": "missing", "expected": "integer"}),
        ),
        (
            json!({"number": "3"}),
            "INVALID_INPUT_TYPE",
            json!({"pointer": "/number", "reason": "wrong_type", "expected": "integer"}),
        ),
        (
            json!({"number": -1}),
            "INVALID_INPUT_VALUE",
            json!({"pointer": "/number", "reason": "not_allowed", "expected": "at least 0"}),
        ),
    ] {
        let result = call(&client, "even", arguments).await.unwrap();
        let (card, envelope) = failed(&result);
        assert_eq!(envelope["code"], code, "{card}");
        assert_eq!(envelope["violations"], json!([violation]));
        assert!(card.contains("(number)"), "{card}");
        assert_eq!(envelope["effect"], "none");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_dropped() {
    let handler = Odd::new();
    let dropped = std::sync::Arc::clone(&handler.dropped);
    let contract =
        Contract::new(handler, registry()).tool_timeout("slow", Duration::from_millis(20));
    let client = client(contract).await;
    let result = call(&client, "slow", json!({})).await.unwrap();
    let (card, envelope) = failed(&result);
    assert_eq!(envelope["code"], "TIMEOUT", "{card}");
    assert_eq!(envelope["details"]["timeout_ms"], 20);
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_result_that_is_too_large_is_not_passed_on() {
    let contract = Contract::new(Odd::new(), registry()).max_result_bytes(11_999);
    let client = client(contract).await;
    let (card, envelope) = failed(&call(&client, "large", json!({})).await.unwrap());
    assert_eq!(envelope["code"], "OUTPUT_TOO_LARGE", "{card}");
    assert_eq!(envelope["details"]["limit_bytes"], 11_999);
    assert!(envelope["details"]["size_bytes"].as_u64() > Some(12_000));
    assert_eq!(call(&client, "well", json!({})).await.unwrap().is_error, Some(false));
}

#[tokio::test]
async fn a_reading_tool_with_a_too_large_result_did_nothing() {
    let client = client(Contract::new(Odd::new(), registry()).max_result_bytes(1)).await;
    for (tool, effect) in [("well", "none"), ("shape", "none"), ("large", "done")] {
        let (card, envelope) = failed(&call(&client, tool, json!({})).await.unwrap());
        assert_eq!(
            (&envelope["code"], &envelope["effect"]),
            (&json!("OUTPUT_TOO_LARGE"), &json!(effect)),
            "{card}"
        );
    }
}

#[tokio::test]
async fn a_result_that_does_not_fit_its_schema_is_not_passed_on() {
    let client = odd().await;
    let well = call(&client, "shape", json!({"answer": {"sides": 3}})).await.unwrap();
    assert_eq!(well.structured_content, Some(json!({"sides": 3})));
    for (arguments, pointer) in [
        (json!({}), "/structuredContent"),
        (json!({"answer": {"sides": "three"}}), "/structuredContent/sides"),
        (json!({"answer": {}}), "/structuredContent/sides"),
    ] {
        let result = call(&client, "shape", arguments).await.unwrap();
        let (card, envelope) = failed(&result);
        assert_eq!(envelope["code"], "OUTPUT_INVALID", "{card}");
        assert_eq!(envelope["details"]["pointer"], pointer);
        assert_eq!(result.structured_content, None, "it would not fit either");
    }
}

#[tokio::test]
async fn an_error_that_the_protocol_has_a_use_for_stays_one() {
    let client = odd().await;
    let mut call = rmcp::model::CallToolRequestParams::new("error");
    call.arguments = json!({"code": -32042}).as_object().cloned();
    let (code, envelope) = refused(&client.call_tool(call).await.unwrap_err());
    assert_eq!(code, -32042);
    assert!(envelope["code"].is_string());
}
