//! The envelopes of Electron Stagewright, case by case as its own tests have them.

use redress::{
    Dialect, Fault, Lookup,
    dialect::{
        Stamp,
        stagewright::{estimate, success},
    },
    fault::Similar,
};
use redress_registry::{Operation, shipped};
use redress_wire::json::{Doc, Limits};
use serde_json::Value;

use crate::arbitrary::raw;

fn of(code: &str) -> Fault {
    Fault::of(shipped::get("stagewright").unwrap().get(code).unwrap())
}

fn text(fault: &Fault) -> String {
    Dialect::Stagewright.write(fault, Stamp::default())
}

fn written(fault: &Fault) -> Value {
    serde_json::from_str(&text(fault)).unwrap()
}

fn keys(fault: &Fault) -> Vec<String> {
    written(fault).as_object().unwrap().keys().cloned().collect()
}

fn tokens(json: &str) -> u64 {
    let doc = Doc::parse(json.as_bytes(), Limits::DOCUMENT).unwrap();
    estimate(Some(doc.root()))
}

fn succeeded(data: &str, session: Option<&str>) -> String {
    let doc = Doc::parse(data.as_bytes(), Limits::DOCUMENT).unwrap();
    success(doc.root(), 42, session).unwrap()
}

#[test]
fn stagewright_every_code_has_a_status_and_a_hint() {
    for row in shipped::get("stagewright").unwrap().own() {
        assert!((400..=599).contains(&row.http), "{}", row.code);
        assert!(!row.hint.is_empty(), "{}", row.code);
    }
}

#[test]
fn stagewright_default_text_is_the_hint() {
    for row in shipped::get("stagewright").unwrap().own() {
        let it = written(&Fault::of(row));
        assert_eq!((&it["error"], &it["hint"]), (&it["hint"], &row.hint.as_str().into()));
        assert_eq!(it["http"], row.http);
        assert_eq!(it["retryable"], row.retry.retryable());
    }
}

#[test]
fn stagewright_expectation_failed_is_417_and_retryable() {
    let it = written(&of("EXPECTATION_FAILED"));
    assert_eq!((&it["http"], &it["retryable"]), (&417.into(), &true.into()));
}

#[test]
fn stagewright_ref_not_found_is_404_and_not_retryable() {
    let it = written(&of("REF_NOT_FOUND"));
    assert_eq!((&it["http"], &it["retryable"]), (&404.into(), &false.into()));
}

#[test]
fn stagewright_an_empty_text_is_no_code() {
    assert!(Lookup::shipped().spelled(Dialect::Stagewright, "").is_none());
}

#[test]
fn stagewright_message_leaves_the_hint_and_the_hint_the_message() {
    let mut fault = of("REF_NOT_FOUND");
    fault.message = "Ref 42 is gone.".to_owned();
    let it = written(&fault);
    assert_eq!(
        (&it["error"], &it["hint"]),
        (&"Ref 42 is gone.".into(), &"Call snapshot first.".into())
    );
    let mut fault = of("REF_NOT_FOUND");
    fault.hint = "Look again.".to_owned();
    let it = written(&fault);
    assert_eq!(
        (&it["error"], &it["hint"]),
        (&"Call snapshot first.".into(), &"Look again.".into())
    );
}

#[test]
fn stagewright_elapsed_and_session_are_in_meta() {
    let mut fault = of("NOT_RUNNING");
    assert_eq!(written(&fault)["_meta"]["elapsed_ms"], 0);
    assert!(written(&fault)["_meta"].get("session_id").is_none());
    fault.elapsed_ms = Some(42);
    fault.context.session_id = Some("s-1".to_owned());
    let it = written(&fault);
    assert_eq!(
        (&it["_meta"]["elapsed_ms"], &it["_meta"]["session_id"]),
        (&42.into(), &"s-1".into())
    );
}

#[test]
fn stagewright_optional_keys_are_absent_and_come_last() {
    let head = ["ok", "error", "code", "hint", "retryable", "http", "_meta"];
    let mut fault = of("SELECTOR_NO_MATCH");
    assert_eq!(keys(&fault), head);
    fault.similar_refs = vec![Similar::new("e7")];
    fault.details = Some(raw(r#"{"selector":".go"}"#));
    assert_eq!(keys(&fault), [&head[..], &["similar_refs", "details"]].concat());
}

#[test]
fn stagewright_details_that_are_no_object_are_boxed() {
    let mut fault = of("INTERNAL_ERROR");
    fault.details = Some(raw("[1]"));
    assert_eq!(written(&fault)["details"], serde_json::json!({"value": [1]}));
    fault.details = None;
    fault.set_details(b"{not json");
    assert!(written(&fault).get("details").is_none(), "dropped, and the code stays");
    assert_eq!(written(&fault)["code"], "INTERNAL_ERROR");
}

#[test]
fn stagewright_tokens_are_a_quarter_of_the_utf16_units() {
    assert_eq!(estimate(None), 0);
    for (json, cost) in [
        ("null", 0),
        (r#""""#, 0),
        ("{}", 1),
        (r#""a""#, 1),
        (r#""abcd""#, 1),
        (r#""12345678""#, 2),
        (r#""éééé""#, 1),
        (r#""😀😀""#, 1),
    ] {
        assert_eq!(tokens(json), cost, "{json}");
    }
    assert_eq!(tokens(&format!("\"{}\"", "x".repeat(400))), 100);
}

#[test]
fn stagewright_tokens_are_measured_without_meta() {
    let mut fault = of("NOT_RUNNING");
    fault.message = "é😀".to_owned();
    fault.elapsed_ms = Some(123_456_789);
    let mut it = written(&fault);
    let meta = it.as_object_mut().unwrap().shift_remove("_meta").unwrap();
    let units = it.to_string().encode_utf16().count();
    assert_eq!(meta["estimated_tokens"], units.div_ceil(4));
}

#[test]
fn stagewright_success_spreads_its_data_and_stays_ok() {
    assert_eq!(
        succeeded(r#"{ "a": 1.0, "b": [ ] }"#, None),
        r#"{"a":1.0,"b":[],"ok":true,"_meta":{"estimated_tokens":7,"elapsed_ms":42}}"#
    );
    assert_eq!(
        succeeded(r#"{"ok":false,"a":1}"#, Some("s-1")),
        r#"{"ok":true,"a":1,"_meta":{"estimated_tokens":5,"elapsed_ms":42,"session_id":"s-1"}}"#
    );
    assert_eq!(
        succeeded("{}", None),
        r#"{"ok":true,"_meta":{"estimated_tokens":3,"elapsed_ms":42}}"#
    );
    let doc = Doc::parse(b"[]", Limits::DOCUMENT).unwrap();
    assert_eq!(success(doc.root(), 0, None), None);
}

#[test]
fn stagewright_has_seven_operation_types_and_no_other() {
    let names = ["command", "query", "eval", "screenshot", "logs", "window_info", "dialog"];
    assert!(names.iter().all(|it| Operation::parse(it).is_some()));
    assert_eq!(Operation::ALL.len(), names.len());
    assert!(["rm-rf", "", "Command"].iter().all(|it| Operation::parse(it).is_none()));
}

#[test]
fn stagewright_plugin_codes_are_written_with_their_namespace() {
    let it = written(&of("trace.NOT_RECORDING"));
    assert_eq!((&it["code"], &it["http"]), (&"trace.NOT_RECORDING".into(), &409.into()));
}

#[test]
fn seed_003_63_typing_without_effect_names_the_editor_tool() {
    let registry = shipped::get("stagewright").unwrap();
    let row = registry.get("TYPE_NO_EFFECT").unwrap();
    let tools: Vec<_> = row.next.iter().map(|it| it.tool.as_str()).collect();
    assert_eq!(tools, ["electron_type_into_editor"]);
}
