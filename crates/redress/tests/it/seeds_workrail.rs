//! The envelope of WorkRail, case by case as its own tests have them.

use redress::{Dialect, Fault, Lookup, dialect::Stamp};
use redress_registry::{Retry, RetryKind, nearest::nearest, shipped};
use serde_json::{Value, json};

use crate::arbitrary::raw;

const LOOKUP: Lookup = Lookup::shipped();

fn of(code: &str) -> Fault {
    Fault::of(shipped::get("workrail").unwrap().get(code).unwrap())
}

fn text(fault: &Fault) -> String {
    Dialect::Workrail.write(fault, Stamp::default())
}

fn written(fault: &Fault) -> Value {
    serde_json::from_str(&text(fault)).unwrap()
}

fn verbatim(document: &str) {
    let fault = Dialect::Workrail.read(document.as_bytes(), &LOOKUP).unwrap();
    assert_eq!(text(&fault), document);
}

#[test]
fn workrail_examples_of_the_seed_are_canonical() {
    verbatim(
        r#"{"code":"VALIDATION_ERROR","message":"Invalid input","retry":{"kind":"not_retryable"},"suggestion":"Check your input format","details":{"validationIssues":[{"path":"stateToken","message":"Required"}]}}"#,
    );
    verbatim(
        r#"{"code":"SESSION_NOT_HEALTHY","message":"Session corruption detected (head): STORE_INVARIANT_VIOLATION","retry":{"kind":"not_retryable"},"suggestion":"Export a salvage/read-only view, then recreate the run.","details":{"health":{"kind":"corrupt_head","reason":{"code":"STORE_INVARIANT_VIOLATION","message":"Event log index mismatch"}}}}"#,
    );
    verbatim(
        r#"{"code":"TOKEN_SESSION_LOCKED","message":"Session is locked by another process","retry":{"kind":"retryable_after_ms","afterMs":2000},"suggestion":"Retry in a few seconds..."}"#,
    );
}

#[test]
fn workrail_not_retryable_error_has_code_message_and_retry() {
    let mut fault = of("NOT_FOUND");
    fault.message = "gone".to_owned();
    let it = written(&fault);
    assert_eq!((&it["code"], &it["message"]), (&"NOT_FOUND".into(), &"gone".into()));
    assert_eq!(it["retry"], json!({"kind": "not_retryable"}));
    assert!(it.get("details").is_none() && it.get("type").is_none());
}

#[test]
fn workrail_details_pass_through_whatever_they_are() {
    for details in ["null", "[1,2]", r#""text""#, "7", "true", r#"{"a":null}"#] {
        let mut fault = of("INTERNAL_ERROR");
        fault.details = Some(raw(details));
        assert_eq!(written(&fault)["details"].to_string(), details);
        assert!(text(&fault).contains(details));
    }
}

#[test]
fn workrail_immediate_retry_has_no_delay() {
    let mut fault = of("TIMEOUT");
    fault.retry = Retry::of(RetryKind::Now);
    assert_eq!(written(&fault)["retry"], json!({"kind": "retryable_immediate"}));
}

#[test]
fn workrail_delayed_retry_has_exactly_its_delay() {
    let mut fault = of("TOKEN_SESSION_LOCKED");
    fault.retry = Retry::after(5000);
    assert_eq!(written(&fault)["retry"], json!({"kind": "retryable_after_ms", "afterMs": 5000}));
}

#[test]
fn workrail_an_empty_suggestion_is_left_out() {
    let mut fault = of("TIMEOUT");
    fault.hint = String::new();
    assert!(written(&fault).get("suggestion").is_none());
}

#[test]
fn workrail_messages_give_no_retry_advice() {
    for row in shipped::get("workrail").unwrap().own() {
        let message = row.message.to_lowercase();
        let is_advice = (message.contains("retry") || message.contains("wait"))
            && message.contains(|it: char| it.is_ascii_digit());
        assert!(!is_advice, "{}: {message}", row.code);
    }
}

#[test]
fn workrail_has_exactly_seven_token_codes_in_order() {
    let codes = shipped::get("workrail").unwrap().own().map(|it| &*it.code);
    let tokens: Vec<_> = codes.filter(|it| it.starts_with("TOKEN_")).collect();
    assert_eq!(
        tokens,
        [
            "TOKEN_INVALID_FORMAT",
            "TOKEN_UNSUPPORTED_VERSION",
            "TOKEN_BAD_SIGNATURE",
            "TOKEN_SCOPE_MISMATCH",
            "TOKEN_UNKNOWN_NODE",
            "TOKEN_WORKFLOW_HASH_MISMATCH",
            "TOKEN_SESSION_LOCKED",
        ]
    );
}

#[test]
fn workrail_budget_error_carries_measured_size_limit_and_method() {
    verbatim(
        r#"{"code":"VALIDATION_ERROR","message":"Context too large","retry":{"kind":"not_retryable"},"details":{"measuredBytes":300000,"maxBytes":262144,"method":"jcs"}}"#,
    );
}

#[test]
fn workrail_lock_delay_is_whole_positive_and_short() {
    let row = shipped::get("workrail").unwrap().get("TOKEN_SESSION_LOCKED").unwrap();
    let after_ms = row.retry.after_ms.unwrap();
    assert!(after_ms > 0 && after_ms < 60_000);
    let text = br#"{"code":"TOKEN_SESSION_LOCKED","message":"busy","retry":{"kind":"retryable_after_ms","afterMs":750}}"#;
    let fault = Dialect::Workrail.read(text, &LOOKUP).unwrap();
    assert_eq!(fault.retry, Retry::after(750));
}

#[test]
fn workrail_store_errors_that_say_retryable_are_understood() {
    let read = |retry: &str| {
        let text = format!(r#"{{"code":"INTERNAL_ERROR","message":"busy","retry":{retry}}}"#);
        Dialect::Workrail.read(text.as_bytes(), &LOOKUP).unwrap()
    };
    let delayed = read(r#"{"kind":"retryable","afterMs":250}"#);
    assert_eq!(delayed.retry, Retry::after(250));
    assert_eq!(
        read(r#"{"kind":"retryable","suggestedDelayMs":0}"#).retry,
        Retry::of(RetryKind::Now)
    );
    let kept: Vec<_> = delayed.extra.iter().map(|(at, _)| at.as_str()).collect();
    assert_eq!(kept, ["/retry/kind"], "the word itself is kept");
}

#[test]
fn workrail_unhealthy_session_is_final_and_says_what_to_do() {
    let it = written(&of("SESSION_NOT_HEALTHY"));
    assert_eq!(it["retry"], json!({"kind": "not_retryable"}));
    assert!(!it["suggestion"].as_str().unwrap().is_empty());
}

#[test]
fn workrail_document_has_no_newline_and_details_iff_given() {
    let mut fault = of("TIMEOUT");
    fault.message = "two\nlines".to_owned();
    assert!(!text(&fault).contains('\n'));
    assert!(written(&fault).get("details").is_none());
    fault.details = Some(raw("{}"));
    assert!(written(&fault).get("details").is_some());
}

#[test]
fn workrail_bad_details_become_the_internal_error_of_the_seed() {
    let mut fault = of("NOT_FOUND");
    fault.message = "gone".to_owned();
    fault.set_details(br#"{"a":"#);
    assert_eq!(
        text(&fault),
        r#"{"code":"INTERNAL_ERROR","message":"Error details validation failed","retry":{"kind":"not_retryable"},"details":{"originalError":"gone","validationErrors":["the document ends too early (byte 5)"]}}"#
    );
    let native = Dialect::Native.write(&fault, Stamp::default());
    assert!(native.contains(r#""code":"NOT_FOUND""#), "elsewhere the code stays: {native}");
}

#[test]
fn workrail_misspelt_parameters_are_near_to_the_right_ones() {
    let known = ["workflowId", "context", "state"];
    assert_eq!(nearest("workflow_id", known), Some("workflowId"));
    assert_eq!(nearest("contxt", known), Some("context"));
    assert_eq!(nearest("xyz", known), None);
}
