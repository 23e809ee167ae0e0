//! The envelope and the factories of ATLAS-GATE, case by case as its own tests have them.

use std::sync::Arc;

use redress::recover::{Attempt, Budget, Decision, decide};
use redress::{
    Dialect, Fault, Lookup, codes,
    dialect::Stamp,
    fault::{
        Cause, Context, Ctx, Policy, Redact, StackPolicy, Thrown, from_unknown,
        invariant_violation, startup_failure, tool_failure,
    },
};
use redress_registry::{Entry, shipped};
use serde_json::Value;

use crate::arbitrary::raw;

const NOW: Stamp<'static> = Stamp { now: "2026-01-19T15:32:10.123Z" };

const KEYS: [&str; 11] = [
    "error_code",
    "human_message",
    "role",
    "session_id",
    "workspace_root",
    "tool_name",
    "invariant_id",
    "phase_id",
    "plan_hash",
    "cause",
    "timestamp",
];

#[derive(Debug)]
struct Open;

impl Redact for Open {
    fn redact(&self, text: &str) -> String {
        text.to_owned()
    }
}

fn ctx(code: Option<&Arc<Entry>>) -> Ctx {
    let some = |it: &str| Some(it.to_owned());
    let context = Context {
        tool: some("read_file"),
        session_id: some("550e8400-e29b-41d4-a716-446655440000"),
        workspace_root: some("/home/user/project"),
        role: some("WINDSURF"),
        ..Context::default()
    };
    Ctx { code: code.map(Arc::clone), context, ..Ctx::default() }
}

fn error(message: &str) -> Thrown {
    let link = Cause::Error { message: message.to_owned(), code: None, name: "Error".to_owned() };
    Thrown::Error {
        links: vec![link],
        code: None,
        invariant_id: None,
        stack: Some("at a".to_owned()),
    }
}

fn envelope_with(mut fault: Fault, stack: StackPolicy) -> Value {
    fault.expose(&Policy { stack, redact: &Open });
    serde_json::from_str(&Dialect::AtlasGate.write(&fault, NOW)).unwrap()
}

fn envelope(fault: Fault) -> Value {
    envelope_with(fault, StackPolicy::Hidden)
}

#[test]
fn atlas_raw_error_becomes_an_envelope_with_its_context() {
    let it = envelope(from_unknown(error("Something went wrong"), ctx(None), shipped::core()));
    assert_eq!(it["error_code"], "INTERNAL_ERROR");
    assert_eq!(it["human_message"], "Something went wrong");
    assert_eq!((&it["tool_name"], &it["role"]), (&"read_file".into(), &"WINDSURF".into()));
    assert_eq!(it["workspace_root"], "/home/user/project");
    assert_eq!(it["cause"]["message"], "Something went wrong");
    assert_eq!(it["timestamp"], NOW.now);
}

#[test]
fn atlas_thrown_string_keeps_code_and_cause() {
    let ctx = ctx(Some(codes::FILE_READ_FAILED.entry()));
    let it = envelope(from_unknown(Thrown::Text("disk on fire".to_owned()), ctx, shipped::core()));
    assert_eq!(
        (&it["error_code"], &it["cause"]),
        (&"FILE_READ_FAILED".into(), &"disk on fire".into())
    );
}

#[test]
fn atlas_thrown_object_keeps_code_and_cause() {
    let ctx = ctx(Some(codes::FILE_READ_FAILED.entry()));
    let thrown = Thrown::Json(raw(r#"{"message":"m","code":"E1"}"#));
    let it = envelope(from_unknown(thrown, ctx, shipped::core()));
    assert_eq!(it["error_code"], "FILE_READ_FAILED");
    assert_eq!(it["cause"]["code"], "E1");
}

#[test]
fn atlas_invariant_violation_keeps_its_id() {
    let it = envelope(invariant_violation("MANDATORY_DIAGNOSTICS", ctx(None)));
    assert_eq!(it["error_code"], "INVARIANT_VIOLATION");
    assert_eq!(it["invariant_id"], "MANDATORY_DIAGNOSTICS");
    assert_eq!((&it["tool_name"], &it["cause"]), (&"read_file".into(), &Value::Null));
}

#[test]
fn atlas_failure_before_a_session_has_nulls() {
    let it = envelope(tool_failure(codes::SESSION_NOT_INITIALIZED.entry(), Ctx::default()));
    for key in ["session_id", "workspace_root", "role"] {
        assert_eq!(it[key], Value::Null, "{key}");
    }
}

#[test]
fn atlas_phase_and_plan_are_kept() {
    let mut given = ctx(None);
    given.context.phase_id = Some("PHASE_5A".to_owned());
    given.context.plan_hash = Some("abc123def456".to_owned());
    let it = envelope(tool_failure(codes::PLAN_NOT_APPROVED.entry(), given));
    assert_eq!((&it["phase_id"], &it["plan_hash"]), (&"PHASE_5A".into(), &"abc123def456".into()));
}

#[test]
fn atlas_envelope_survives_json() {
    let fault = tool_failure(codes::INVALID_PATH.entry(), ctx(None));
    let text = Dialect::AtlasGate.write(&fault, NOW);
    let back = Dialect::AtlasGate.read(text.as_bytes(), &Lookup::shipped()).unwrap();
    assert_eq!(Dialect::AtlasGate.write(&back, NOW), text);
}

#[test]
fn atlas_all_eleven_fields_are_always_there_in_order() {
    for fault in [
        Fault::of(codes::INTERNAL_ERROR.entry()),
        from_unknown(error("x"), ctx(None), shipped::core()),
        startup_failure(codes::BOOTSTRAP_FAILURE.entry(), Ctx::default()),
    ] {
        let it = envelope(fault);
        assert!(it.as_object().unwrap().keys().eq(KEYS));
    }
}

#[test]
fn atlas_stack_trace_needs_the_switch_to_be_exactly_true() {
    let shown = |switch| {
        let fault = from_unknown(error("x"), ctx(None), shipped::core());
        let it = envelope_with(fault, StackPolicy::from_switches(switch, None));
        it.get("stack_trace").is_some()
    };
    assert!(shown(Some("true")));
    assert!(!shown(Some("1")) && !shown(None));
}

#[test]
fn atlas_minimal_fault_has_nulls_and_tool_unknown() {
    let it = envelope(Fault::of(codes::UNKNOWN_TOOL_FAILURE.entry()));
    assert_eq!(it["tool_name"], "unknown");
    let nulls = it.as_object().unwrap().values().filter(|it| it.is_null()).count();
    assert_eq!(nulls, 7);
}

#[test]
fn atlas_startup_failure_is_of_startup_with_nulls_and_cause() {
    let given = Ctx { cause: Some(error("no disk")), ..ctx(None) };
    let it = envelope(startup_failure(codes::BOOTSTRAP_FAILURE.entry(), given));
    assert_eq!((&it["tool_name"], &it["role"]), (&"startup".into(), &Value::Null));
    assert_eq!(it["cause"]["message"], "no disk");
}

#[test]
fn atlas_cause_null_string_and_error_are_normalised() {
    let cause =
        |thrown| envelope(from_unknown(thrown, ctx(None), shipped::core()))["cause"].clone();
    assert_eq!(cause(Thrown::Json(raw("null"))), Value::Null);
    assert_eq!(cause(Thrown::Text("same".to_owned())), "same");
    assert_eq!(cause(error("original"))["message"], "original");
}

#[test]
fn atlas_unregistered_code_is_refused() {
    for code in ["EISDIR", "", "file_not_found", "AUDIT_APPEND_FAILED"] {
        let text = format!("{{\"error_code\":{code:?},\"human_message\":\"m\"}}");
        let refusal = Dialect::AtlasGate.read(text.as_bytes(), &Lookup::shipped()).unwrap_err();
        assert_eq!(refusal.pointer, "/error_code", "{code}");
    }
}

#[test]
fn seed_000_52_a_session_not_started_leads_to_begin_session() {
    let envelope = Dialect::AtlasGate
        .write(&codes::SESSION_NOT_INITIALIZED.raise([] as [(&str, &str); 0]), NOW);
    let fault = Dialect::AtlasGate.read(envelope.as_bytes(), &Lookup::shipped()).unwrap();
    let decided = decide(
        &fault,
        &Attempt::default(),
        &redress::recover::Policy::default(),
        &mut Budget::default(),
    );
    let next = codes::SESSION_NOT_INITIALIZED.raise([] as [(&str, &str); 0]).next_actions;
    assert!(format!("{next:?}").contains("begin_session"));
    assert_eq!(decided.decision, Decision::CallFirst { next });
}
