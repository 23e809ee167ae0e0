//! The error objects of the Gmail and Obsidian servers, case by case as their contract tests have them.

use redress::{Dialect, Fault, Lookup, codes, dialect::Stamp};
use redress_registry::{Retry, shipped};
use redress_wire::{json::Doc, json::Limits};
use serde_json::{Value, json};

use crate::arbitrary::raw;

const LOOKUP: Lookup = Lookup::shipped();

fn of(code: &str) -> Fault {
    Fault::of(shipped::get("mailvault").unwrap().get(code).unwrap())
}

fn written(fault: &Fault) -> Value {
    serde_json::from_str(&Dialect::Mailvault.write(fault, Stamp::default())).unwrap()
}

#[test]
fn mailvault_has_eight_codes_in_lower_case() {
    let codes = shipped::get("mailvault").unwrap().own();
    let mut spellings: Vec<_> = codes.map(|it| Dialect::Mailvault.spelling(it)).collect();
    spellings.sort_unstable();
    assert_eq!(
        spellings,
        [
            "auth_required",
            "internal_error",
            "mcp_unavailable",
            "not_found",
            "parse_error",
            "permission_denied",
            "rate_limited",
            "send_failed",
        ]
    );
}

#[test]
fn mailvault_missing_token_names_the_command_to_sign_in() {
    let it = written(&of("AUTH_REQUIRED"));
    assert_eq!(it["error"], "auth_required");
    assert!(it["message"].as_str().unwrap().contains("python3 scripts/gmail_auth.py"));
}

#[test]
fn mailvault_rate_limit_says_how_long_to_wait() {
    let it = written(&of("RATE_LIMITED"));
    assert_eq!(
        (&it["error"], &it["details"]),
        (&"rate_limited".into(), &json!({"retry_after": 60}))
    );
    let mut fault = Fault::of(codes::RATE_LIMITED.entry());
    fault.retry = Retry::after(1_500);
    assert_eq!(written(&fault)["details"], json!({"retry_after": 2}), "never too short");
    let text = br#"{"error":"rate_limited","message":"m","details":{"retry_after":7}}"#;
    assert_eq!(Dialect::Mailvault.read(text, &LOOKUP).unwrap().retry, Retry::after(7_000));
}

#[test]
fn mailvault_failed_send_keeps_its_message() {
    let mut fault = of("SEND_FAILED");
    fault.message = "Gmail API error: 500 Backend Error".to_owned();
    assert_eq!(
        written(&fault),
        json!({"error": "send_failed", "message": "Gmail API error: 500 Backend Error", "details": null})
    );
}

#[test]
fn mailvault_missing_note_is_not_found_with_its_path() {
    let mut fault = of("NOT_FOUND");
    fault.message = "Note not found: ñ/中文.md".to_owned();
    fault.details = Some(raw(r#"{"path":"ñ/中文.md"}"#));
    let text = Dialect::Mailvault.write(&fault, Stamp::default());
    assert_eq!(
        text,
        r#"{"error":"not_found","message":"Note not found: ñ/中文.md","details":{"path":"ñ/中文.md"}}"#
    );
    assert_eq!(Dialect::Mailvault.read(text.as_bytes(), &LOOKUP).unwrap(), fault);
}

#[test]
fn mailvault_path_outside_the_vault_is_permission_denied() {
    assert_eq!(written(&of("PERMISSION_DENIED"))["error"], "permission_denied");
    let traversal = Fault::of(codes::PATH_TRAVERSAL_BLOCKED.entry());
    assert_eq!(written(&traversal)["error"], "permission_denied");
}

#[test]
fn mailvault_anything_else_is_internal_error_with_its_message() {
    let mut fault = of("INTERNAL_ERROR");
    fault.message = "boom".to_owned();
    assert_eq!(
        (&written(&fault)["error"], &written(&fault)["message"]),
        (&"internal_error".into(), &"boom".into())
    );
}

#[test]
fn mailvault_details_may_be_missing_when_read() {
    let text = br#"{"error":"not_found","message":"Email 17 not found"}"#;
    let fault = Dialect::Mailvault.read(text, &LOOKUP).unwrap();
    assert_eq!((fault.details.clone(), fault.extra.len()), (None, 0));
    assert_eq!(written(&fault)["details"], Value::Null);
}

#[test]
fn mailvault_success_with_a_null_error_is_no_failure() {
    for text in [r#"{"error":null,"items":[]}"#, r#"{"items":[]}"#, "{}", r#"{"error":"boom"}"#] {
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
        assert!(Dialect::detect(doc.root(), &LOOKUP).is_err(), "{text}");
    }
}
