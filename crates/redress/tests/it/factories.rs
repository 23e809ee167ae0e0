//! Making faults from whatever was thrown, with the defaults of the ATLAS-GATE contract.

use std::{fmt, sync::Arc};

use redress::{
    codes,
    emit::bound,
    fault::{
        Cause, Context, Ctx, Policy, Redact, StackPolicy, Thrown, from_unknown,
        invariant_violation, startup_failure, tool_failure,
    },
};
use redress_registry::shipped;
use redress_wire::json::RawJson;

#[derive(Debug)]
struct Plain;

impl Redact for Plain {
    fn redact(&self, text: &str) -> String {
        text.replace("hunter2", "[REDACTED]")
    }
}

const POLICY: Policy<'_> = Policy { stack: StackPolicy::Hidden, redact: &Plain };

fn somewhere() -> Context {
    Context {
        tool: Some("read_file".to_owned()),
        session_id: Some("s-1".to_owned()),
        workspace_root: Some("/w".to_owned()),
        role: Some("WINDSURF".to_owned()),
        ..Context::default()
    }
}

fn ctx() -> Ctx {
    Ctx { context: somewhere(), ..Ctx::default() }
}

fn error(message: &str, code: Option<&str>) -> Thrown {
    let link = Cause::Error { message: message.to_owned(), code: None, name: "Error".to_owned() };
    let (code, stack) = (code.map(str::to_owned), Some("at a\nat b\nat c".to_owned()));
    Thrown::Error { links: vec![link], code, invariant_id: Some("INV_X".to_owned()), stack }
}

fn shown_cause(thrown: Thrown) -> Option<String> {
    let mut fault = from_unknown(thrown, ctx(), shipped::core());
    fault.expose(&POLICY);
    fault.cause.map(|it| it.to_string())
}

#[test]
fn atlas_raw_error_is_internal_error_with_context_and_cause() {
    let fault = from_unknown(error("Something went wrong", None), ctx(), shipped::core());
    assert_eq!((fault.code(), fault.message.as_str()), ("INTERNAL_ERROR", "Something went wrong"));
    assert_eq!(fault.context.session_id, somewhere().session_id);
    assert_eq!(fault.private.causes.len(), 1);
}

#[test]
fn atlas_thrown_string_keeps_given_code_and_is_the_cause() {
    let code = Some(Arc::clone(codes::FILE_READ_FAILED.entry()));
    let fault =
        from_unknown(Thrown::Text("boom".to_owned()), Ctx { code, ..ctx() }, shipped::core());
    assert_eq!((fault.code(), fault.message.as_str()), ("FILE_READ_FAILED", "boom"));
    assert_eq!(fault.private.causes, [Cause::Text("boom".to_owned())]);
}

#[test]
fn atlas_causes_are_normalised() {
    let json = |text: &str| Thrown::Json(RawJson::parse(text.as_bytes()).unwrap());
    assert_eq!(shown_cause(json("null")), None);
    assert_eq!(shown_cause(json("42")).unwrap(), r#""42""#);
    assert_eq!(shown_cause(json("false")).unwrap(), r#""false""#);
    assert_eq!(shown_cause(Thrown::Text(String::new())).unwrap(), r#""""#);
    assert_eq!(
        shown_cause(json(r#"{"message":"m","code":7}"#)).unwrap(),
        r#"{"message":"m","code":7}"#
    );
    let original = shown_cause(error("original", None)).unwrap();
    assert_eq!(original, r#"{"message":"original","code":null,"name":"Error"}"#);
}

#[test]
fn an_empty_message_gets_the_default() {
    let fault = from_unknown(Thrown::Text(String::new()), ctx(), shipped::core());
    assert_eq!(fault.message, "An unexpected error occurred");
}

#[test]
fn a_fault_stays_itself_and_only_gets_absent_context() {
    let mut own = codes::TIMEOUT.raise([("timeout_ms", 5_u64)]);
    own.context.tool = Some("mine".to_owned());
    let fault = from_unknown(Thrown::Fault(Box::new(own)), ctx(), shipped::core());
    assert_eq!(fault.code(), "TIMEOUT");
    assert_eq!(fault.context.tool.as_deref(), Some("mine"));
    assert_eq!(fault.context.role.as_deref(), Some("WINDSURF"));
}

#[test]
fn a_legacy_error_keeps_its_code_and_invariant() {
    let thrown = error("[UNAUTHORIZED_ACTION] no", Some("UNAUTHORIZED_ACTION"));
    let fault = from_unknown(thrown, ctx(), shipped::core());
    assert_eq!((fault.code(), fault.message.as_str()), ("UNAUTHORIZED_ACTION", "no"));
    assert_eq!(fault.context.invariant_id.as_deref(), Some("INV_X"));
    let unknown = from_unknown(error("x", Some("EISDIR")), ctx(), shipped::core());
    assert_eq!(unknown.code(), "INTERNAL_ERROR");
}

#[test]
fn atlas_invariant_violation_has_its_name_and_hides_its_cause() {
    let given = Ctx { cause: Some(Thrown::Text("secret".to_owned())), ..ctx() };
    let fault = invariant_violation("MANDATORY_DIAGNOSTICS", given);
    assert_eq!(fault.code(), "INVARIANT_VIOLATION");
    assert_eq!(fault.message, "Invariant MANDATORY_DIAGNOSTICS was violated");
    assert_eq!(fault.context.invariant_id.as_deref(), Some("MANDATORY_DIAGNOSTICS"));
    assert_eq!(fault.private.causes, []);
}

#[test]
fn atlas_tool_failure_before_a_session_has_no_session() {
    let fault = tool_failure(codes::SESSION_NOT_INITIALIZED.entry(), Ctx::default());
    assert_eq!(fault.message, "Tool execution failed");
    assert_eq!(fault.context, Context::default());
}

#[test]
fn atlas_startup_failure_is_of_startup_and_keeps_its_cause() {
    let given = Ctx { cause: Some(Thrown::Text("no disk".to_owned())), ..ctx() };
    let fault = startup_failure(codes::BOOTSTRAP_FAILURE.entry(), given);
    assert_eq!(
        (fault.message.as_str(), fault.context.tool.as_deref()),
        ("Startup failed", Some("startup"))
    );
    assert_eq!((fault.context.role, fault.context.session_id), (None, None));
    assert_eq!(fault.private.causes.len(), 1);
}

#[test]
fn a_stack_is_shown_only_with_its_switch() {
    let switch = |debug, verbose| {
        let mut fault = from_unknown(error("x", None), ctx(), shipped::core());
        fault.expose(&Policy { stack: StackPolicy::from_switches(debug, verbose), redact: &Plain });
        fault.stack
    };
    assert_eq!(switch(None, None), None);
    assert_eq!(switch(Some("1"), None), None);
    assert_eq!(switch(Some("true"), None).unwrap(), "at a\nat b\nat c");
    assert_eq!(switch(None, Some("2")).unwrap(), "at a\nat b");
    assert_eq!(switch(None, Some("full")).unwrap(), "at a\nat b\nat c");
    assert_eq!(switch(None, Some("0")), None);
    assert_eq!(switch(None, Some("-1")), None);
}

#[derive(Debug)]
struct Deep(u32);

impl fmt::Display for Deep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {} hunter2 {}", self.0, "x".repeat(100_000))
    }
}

impl std::error::Error for Deep {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self)
    }
}

#[test]
fn a_monstrous_cause_is_bounded_and_redacted() {
    let mut fault = from_unknown(Thrown::error(&Deep(1)), ctx(), shipped::core());
    assert_eq!(fault.private.causes.len(), 8);
    bound(&mut fault, 2048);
    assert!(fault.message.chars().count() <= 200);
    fault.expose(&POLICY);
    let cause = fault.cause.unwrap();
    assert!(cause.as_str().len() < 2_000 && !cause.as_str().contains("hunter2"));
}

#[test]
fn a_panic_is_a_fault_too() {
    let payload = std::panic::catch_unwind(|| panic!("boom {}", 1)).unwrap_err();
    let fault = from_unknown(Thrown::panic(&*payload), ctx(), shipped::core());
    assert_eq!((fault.code(), fault.message.as_str()), ("INTERNAL_ERROR", "boom 1"));
}

#[test]
fn a_bad_parameter_is_dropped_and_named_never_fatal() {
    let wrong = codes::TIMEOUT.raise([("timeout_ms", "soon")]);
    assert_eq!(wrong.private.dropped.first().unwrap().part, "timeout_ms");
    let unknown = codes::FILE_NOT_FOUND.raise([("pth", "x")]);
    assert!(unknown.private.dropped.iter().any(|it| it.part == "pth"));
    assert_eq!(unknown.message, "File not found.");
}

#[derive(Debug)]
struct Mute;

impl fmt::Display for Mute {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl std::error::Error for Mute {}

#[test]
fn an_error_that_cannot_speak_is_a_fault_all_the_same() {
    let fault = from_unknown(Thrown::error(&Mute), ctx(), shipped::core());
    assert_eq!(fault.message, "An unexpected error occurred");
}

#[test]
fn a_wait_that_was_given_is_the_wait_that_is_told() {
    assert_eq!(
        codes::RATE_LIMITED.raise([("retry_after_ms", 60_000_u64)]).retry.after_ms,
        Some(60_000)
    );
}
