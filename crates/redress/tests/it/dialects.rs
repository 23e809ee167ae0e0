//! Reading and writing, case by case: detection, refusals, minimal documents, residue, contracts, plugins.

use std::sync::Arc;

use redress::{
    Dialect, Fault, Lookup, codes,
    dialect::{LossKind, Refusal, Stamp, Why},
    fault::{NextAction, Similar},
};
use redress_registry::{
    Class, Registry, Retry, RetryKind, Source,
    plugin::{self, PluginCode, Plugins},
    read, resolve, shipped,
};
use redress_wire::json::{Doc, Kind, Limits};

use crate::arbitrary::raw;

const LOOKUP: Lookup = Lookup::shipped();
const NOW: Stamp<'static> = Stamp { now: "2026-01-19T15:32:10.123Z" };

fn detect(text: &str) -> Option<&'static str> {
    let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
    Dialect::detect(doc.root(), &LOOKUP).ok().map(Dialect::name)
}

fn refused(dialect: Dialect, text: &str) -> Refusal {
    dialect.read(text.as_bytes(), &LOOKUP).unwrap_err()
}

fn translated(from: Dialect, to: Dialect, text: &str) -> String {
    to.write(&from.read(text.as_bytes(), &LOOKUP).unwrap(), NOW)
}

fn carried(from: Dialect, to: Dialect, text: &str) -> String {
    to.carry(&from.read(text.as_bytes(), &LOOKUP).unwrap(), NOW, &LOOKUP).text
}

#[test]
fn a_document_is_detected_by_its_form_and_its_code() {
    for (text, dialect) in [
        (r#"{"v":1,"code":"TIMEOUT"}"#, Some("native")),
        (r#"{"code":"NOT_RUNNING"}"#, Some("native")),
        (r#"{"error_code":"FILE_NOT_FOUND","human_message":"x"}"#, Some("atlas-gate")),
        (r#"{"code":"TIMEOUT","message":"x","retry":{"kind":"not_retryable"}}"#, Some("workrail")),
        (r#"{"code":"TIMEOUT","message":"x","retry":{"kind":"never"}}"#, Some("native")),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}"#, Some("rpc")),
        (r#"{"error":{"code":1005,"message":"x"}}"#, Some("rpc")),
        (r#"{"ok":false,"error":"x","code":"NOT_RUNNING"}"#, Some("stagewright")),
        (r#"{"error":"not_found","message":"x"}"#, Some("mailvault")),
        (
            r#"{"class":"governance","code":"auth_required","correlationId":""}"#,
            Some("tool-failure"),
        ),
        (r#"{"error":"boom"}"#, None),
        (r#"{"error":null,"message":"fine"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, None),
        (r#"{"ok":true,"code":"NOT_RUNNING"}"#, Some("native")),
        (r#"{"ok":false,"error":"x"}"#, None),
        (r#"{"code":404}"#, None),
        ("[]", None),
        ("3", None),
    ] {
        assert_eq!(detect(text), dialect, "{text}");
    }
}

#[test]
fn a_minimal_document_is_filled_from_the_registry() {
    assert_eq!(
        translated(Dialect::Native, Dialect::Stagewright, r#"{"code":"NOT_RUNNING"}"#),
        r#"{"ok":false,"error":"Call launch first.","code":"NOT_RUNNING","hint":"Call launch first.","retryable":false,"http":409,"_meta":{"estimated_tokens":39,"elapsed_ms":0},"next_actions":["electron_launch()"]}"#
    );
    let mailvault = Lookup::with([Arc::clone(shipped::get("mailvault").unwrap())]);
    let minimal = |code: &str| {
        let text = format!("{{\"code\":{code:?}}}");
        Dialect::Mailvault.write(&Dialect::Native.read(text.as_bytes(), &mailvault).unwrap(), NOW)
    };
    assert_eq!(
        minimal("AUTH_REQUIRED"),
        r#"{"error":"auth_required","message":"Gmail OAuth token missing or expired. Run 'python3 scripts/gmail_auth.py' to authenticate.","details":null}"#
    );
    assert_eq!(
        minimal("RATE_LIMITED"),
        r#"{"error":"rate_limited","message":"Gmail API rate limit hit","details":{"retry_after":60}}"#
    );
    let fault = Dialect::Native.read(br#"{"code":"FILE_NOT_FOUND"}"#, &LOOKUP).unwrap();
    assert_eq!(fault.message, "File not found.", "the message needs a path, so the title stands");
}

#[test]
fn the_contract_that_is_given_goes_first() {
    let text = br#"{"code":"TIMEOUT"}"#;
    let row =
        |lookup: &Lookup| Dialect::Native.read(text, lookup).unwrap().entry().registry.to_string();
    assert_eq!(row(&LOOKUP), "core");
    assert_eq!(row(&Lookup::with([Arc::clone(shipped::get("workrail").unwrap())])), "workrail");
}

#[test]
fn an_unregistered_code_is_refused_with_what_was_meant() {
    let refusal =
        refused(Dialect::AtlasGate, r#"{"error_code":"FILE_NOT_FUOND","human_message":""}"#);
    assert_eq!(refusal.did_you_mean.as_deref(), Some("FILE_NOT_FOUND"));
    assert_eq!(refusal.pointer, "/error_code");
    assert_eq!(
        refusal.to_string(),
        r#"/error_code names "FILE_NOT_FUOND", which no registry has. Did you mean FILE_NOT_FOUND?"#
    );
    assert_eq!(refused(Dialect::Workrail, r#"{"code":"FILE_NOT_FOUND"}"#).pointer, "/code");
    assert_eq!(refused(Dialect::Mailvault, r#"{"error":"boom"}"#).pointer, "/error");
    let unknown = r#"{"error":{"code":7,"message":"","data":{"symbol":"E_FS_PATH_ESCAP"}}}"#;
    assert_eq!(refused(Dialect::Rpc, unknown).did_you_mean.as_deref(), Some("E_FS_PATH_ESCAPE"));
    assert_eq!(
        refused(Dialect::Rpc, r#"{"error":{"code":-32001,"message":""}}"#).pointer,
        "/error/code"
    );
}

#[test]
fn a_refusal_is_a_fault_of_core_too() {
    let refusal = refused(Dialect::Native, r#"{"code":"TIMEOUTT"}"#);
    let fault = refusal.fault();
    assert_eq!(fault.code(), "INVALID_INPUT_FORMAT");
    assert_eq!(fault.message, r#"/code names "TIMEOUTT", which no registry has."#);
    assert_eq!(fault.similar_refs.first().map(Similar::name).as_deref(), Some("TIMEOUT"));
    let broken = refused(Dialect::Native, r#"{"code":"#).fault();
    assert_eq!(broken.code(), "PARSE_FAILED");
    assert!(broken.details.unwrap().as_str().starts_with(r#"{"offset":8"#));
}

#[test]
fn what_a_dialect_cannot_do_without_is_refused_by_name() {
    let cases = [
        (Dialect::Native, "{}", "/code", Why::Missing),
        (Dialect::Native, r#"{"code":1}"#, "/code", Why::Type(Kind::String)),
        (Dialect::Native, r#"{"v":2,"code":"TIMEOUT"}"#, "/v", Why::Version),
        (Dialect::AtlasGate, r#"{"error_code":"INTERNAL_ERROR"}"#, "/human_message", Why::Missing),
        (
            Dialect::Workrail,
            r#"{"code":"TIMEOUT","message":[]}"#,
            "/message",
            Why::Type(Kind::String),
        ),
        (
            Dialect::Rpc,
            r#"{"error":{"code":1.5,"message":"x"}}"#,
            "/error/code",
            Why::Type(Kind::Number),
        ),
        (Dialect::Rpc, r#"{"error":{"code":1005}}"#, "/error/message", Why::Missing),
        (Dialect::Stagewright, r#"{"ok":false,"code":"NOT_RUNNING"}"#, "/error", Why::Missing),
        (Dialect::Mailvault, r#"{"error":"not_found"}"#, "/message", Why::Missing),
        (Dialect::Mailvault, "[1]", "", Why::Type(Kind::Object)),
    ];
    for (dialect, text, pointer, why) in cases {
        let refusal = refused(dialect, text);
        assert_eq!((refusal.pointer.as_str(), refusal.why), (pointer, why), "{text}");
    }
}

#[test]
fn a_key_twice_is_refused_in_every_object_of_the_envelope() {
    for (dialect, text, pointer) in [
        (Dialect::Native, r#"{"code":"TIMEOUT","code":"NOT_FOUND"}"#, ""),
        (
            Dialect::Native,
            r#"{"code":"TIMEOUT","retry":{"kind":"now","\u006bind":"never"}}"#,
            "/retry",
        ),
        (Dialect::Rpc, r#"{"error":{"code":1,"code":2,"message":""}}"#, "/error"),
        (
            Dialect::Rpc,
            r#"{"error":{"code":1001,"message":"","data":{"x":1,"x":2}}}"#,
            "/error/data",
        ),
        (
            Dialect::Stagewright,
            r#"{"ok":false,"error":"","code":"NOT_RUNNING","_meta":{"a":1,"a":1}}"#,
            "/_meta",
        ),
    ] {
        let refusal = refused(dialect, text);
        assert_eq!((refusal.pointer.as_str(), refusal.why), (pointer, Why::Duplicate), "{text}");
    }
}

#[test]
fn monsters_are_refused_at_their_place() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let nested = format!(r#"{{"code":"TIMEOUT","details":{deep}}}"#);
    for bytes in [
        nested.into_bytes(),
        vec![b'['; 64 << 20],
        b"{\"code\":\"TIMEOUT\0\"}".to_vec(),
        b"{\"code\":\"\\ud800\"}".to_vec(),
        b"{\"code\":\"\xff\"}".to_vec(),
        Vec::new(),
    ] {
        for dialect in Dialect::ALL {
            let refusal = dialect.read(&bytes, &LOOKUP).unwrap_err();
            assert!(matches!(refusal.why, Why::Json(_)), "{refusal}");
        }
    }
}

#[test]
fn details_at_the_limit_of_nesting_survive_as_residue() {
    let deep = format!("{}1{}", "[".repeat(63), "]".repeat(63));
    let text = format!(
        r#"{{"code":"TIMEOUT","message":"m","retry":{{"kind":"retryable_immediate"}},"details":{deep}}}"#
    );
    let mut fault = Dialect::Workrail.read(text.as_bytes(), &LOOKUP).unwrap();
    for dialect in Dialect::ALL {
        let text = dialect.carry(&fault, NOW, &LOOKUP).text;
        fault = dialect.read(text.as_bytes(), &LOOKUP).unwrap();
    }
    assert_eq!(Dialect::Workrail.carry(&fault, NOW, &LOOKUP).text, text);
    let deeper = format!(r#"{{"code":"TIMEOUT","message":"m","details":[{deep}]}}"#);
    assert!(matches!(refused(Dialect::Workrail, &deeper).why, Why::Json(_)));
}

#[test]
fn odd_numbers_survive_in_details_and_cause() {
    let odd = r#"{"a":1.0,"b":1e2,"c":1180591620717411303424,"d":-0}"#;
    let text = format!(
        r#"{{"error_code":"INTERNAL_ERROR","human_message":"m","role":null,"session_id":null,"workspace_root":null,"tool_name":"t","invariant_id":null,"phase_id":null,"plan_hash":null,"cause":{odd},"timestamp":"t"}}"#
    );
    assert_eq!(translated(Dialect::AtlasGate, Dialect::AtlasGate, &text), text);
    let there = carried(Dialect::AtlasGate, Dialect::Mailvault, &text);
    assert!(there.contains(odd), "{there}");
    assert_eq!(carried(Dialect::Mailvault, Dialect::AtlasGate, &there), text);
}

#[test]
fn residue_is_the_last_member_and_holds_only_what_is_lost() {
    let text = r#"{"error_code":"FILE_NOT_FOUND","human_message":"No file.","role":"WINDSURF","session_id":null,"workspace_root":null,"tool_name":"read_file","invariant_id":null,"phase_id":null,"plan_hash":null,"cause":null,"timestamp":"2026-01-19T15:32:10.123Z"}"#;
    let workrail = carried(Dialect::AtlasGate, Dialect::Workrail, text);
    assert_eq!(
        workrail,
        r#"{"code":"NOT_FOUND","message":"No file.","retry":{"kind":"not_retryable"},"suggestion":"Check the path, or list the directory first.","_x":{"code":"FILE_NOT_FOUND","context":{"tool":"read_file","role":"WINDSURF"},"timestamp":"2026-01-19T15:32:10.123Z"}}"#
    );
    let rpc = carried(Dialect::Workrail, Dialect::Rpc, &workrail);
    assert!(rpc.ends_with(r#""timestamp":"2026-01-19T15:32:10.123Z"}}}}"#), "{rpc}");
    let mut back = rpc;
    for (from, to) in [
        (Dialect::Rpc, Dialect::Stagewright),
        (Dialect::Stagewright, Dialect::Mailvault),
        (Dialect::Mailvault, Dialect::AtlasGate),
    ] {
        back = carried(from, to, &back);
    }
    assert_eq!(back, text);
}

#[test]
fn what_a_writer_invents_is_named_and_taken_back() {
    let native = r#"{"v":1,"code":"TIMEOUT","message":"m","hint":"h","class":"deadline_exceeded","http":504,"retryable":true,"retry":{"kind":"now"},"effect":"unknown","origin":"tool"}"#;
    let atlas = carried(Dialect::Native, Dialect::AtlasGate, native);
    assert!(atlas.contains(r#""tool_name":"unknown""#) && atlas.contains(NOW.now), "{atlas}");
    assert!(atlas.ends_with(r#""invented":["/context/tool","/timestamp"]}}"#), "{atlas}");
    assert_eq!(carried(Dialect::AtlasGate, Dialect::Native, &atlas), native);
}

#[test]
fn strict_names_what_is_lost_weakened_and_invented() {
    let mut fault = codes::FILE_NOT_FOUND.raise([("path", "a.rs")]);
    fault.context.role = Some("WINDSURF".to_owned());
    fault.retry = Retry { kind: RetryKind::AfterHuman, after_ms: None, max: None };
    let losses = Dialect::Rpc.losses(&fault, NOW, &LOOKUP);
    let kind = |path: &str| losses.iter().find(|it| it.path == path).map(|it| it.kind);
    assert_eq!(kind("/code"), Some(LossKind::Weakened));
    assert_eq!(kind("/details"), Some(LossKind::Weakened));
    assert_eq!(kind("/retry"), Some(LossKind::Weakened));
    assert_eq!(kind("/context/role"), Some(LossKind::Lost));
    assert_eq!(kind("/message"), None);
    let invented = Dialect::Stagewright.losses(&fault, NOW, &LOOKUP);
    assert!(invented.iter().any(|it| it.path == "/elapsed_ms" && it.kind == LossKind::Invented));
    let mut whole = Fault::of(fault.entry());
    whole.message = "m".to_owned();
    assert_eq!(Dialect::Native.losses(&whole, NOW, &LOOKUP), []);
}

#[test]
fn a_residue_of_a_foreign_hand_does_no_harm() {
    let text = r#"{"error":"not_found","message":"m","details":null,"_x":{"http":"x","what":1,"invented":["/nothing",2],"context":{"role":1}}}"#;
    let fault = Dialect::Mailvault.read(text.as_bytes(), &LOOKUP).unwrap();
    let kept: Vec<_> = fault.extra.iter().map(|(at, _)| at.as_str()).collect();
    assert_eq!(kept, ["/_x/http", "/_x/what", "/_x/invented", "/_x/context"]);
    let no_object = r#"{"error":"not_found","message":"m","details":null,"_x":[1]}"#;
    assert!(Dialect::Mailvault.read(no_object.as_bytes(), &LOOKUP).is_ok());
    let unknown = r#"{"error":"not_found","message":"m","_x":{"code":"NOPE"}}"#;
    assert_eq!(refused(Dialect::Mailvault, unknown).pointer, "/_x/code");
}

#[test]
fn calls_and_sentences_are_told_apart() {
    let text = r#"{"ok":false,"error":"e","code":"REF_NOT_FOUND","hint":"h","retryable":false,"http":404,"next_actions":["electron_snapshot()","electron_find({ role: \"button\" })","electron_click({\"ref\":42})","a b()"]}"#;
    let fault = Dialect::Stagewright.read(text.as_bytes(), &LOOKUP).unwrap();
    assert_eq!(
        fault.next_actions,
        [
            NextAction::Call { tool: "electron_snapshot".to_owned(), args: None },
            NextAction::Text("electron_find({ role: \"button\" })".to_owned()),
            NextAction::Call {
                tool: "electron_click".to_owned(),
                args: Some(raw(r#"{"ref":42}"#))
            },
            NextAction::Text("a b()".to_owned()),
        ]
    );
}

#[test]
fn a_contract_of_ones_own_is_written_and_read() {
    let lookup = Lookup::with([notes()]);
    let note = lookup.row(None, "NOTE_NOT_FOUND").unwrap();
    let fault = Fault::raise(&note, [("id", "n-42")]);
    assert_eq!(
        Dialect::Rpc.write(&fault, NOW),
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":5000,"message":"There is no note \"n-42\".","data":{"domain":"notes","symbol":"E_NOTE_NOT_FOUND","details":"{\"id\":\"n-42\"}","retryable":false}}}"#
    );
    for dialect in Dialect::ALL {
        let text = dialect.carry(&fault, NOW, &lookup).text;
        assert_eq!(dialect.read(text.as_bytes(), &lookup), Ok(fault.clone()), "{text}");
    }
    let gone = Dialect::Native.read(br#"{"code":"NOTE_GONE"}"#, &lookup).unwrap_err();
    assert_eq!(gone.did_you_mean.as_deref(), Some("NOTE_NOT_FOUND"), "where the tombstone leads");
    let workrail = Dialect::Workrail.write(&fault, NOW);
    assert!(workrail.starts_with(r#"{"code":"NOT_FOUND""#), "by its class: {workrail}");
}

fn notes() -> Arc<Registry> {
    let text = r#"
format = "redress-registry/1"
[registry]
name = "notes"
version = "1.0.0"
[domain.notes]
title = "Notes"
[code.NOTE_NOT_FOUND]
number = 5000
domain = "notes"
class = "not_found"
retry = "after_change"
title = "Note not found"
message = "There is no note {id}."
hint = "List the notes, then use an id from the list."
since = "1.0.0"
params.id = { type = "string", doc = "The id.", untrusted = true }
[retired.NOTE_GONE]
since = "1.0.0"
why = "Told nothing new."
to = "NOTE_NOT_FOUND"
"#;
    let draft = read(&Source::new("notes", text)).unwrap();
    Arc::new(resolve(&draft, &|_| None).unwrap())
}

#[test]
fn stagewright_writes_and_reads_the_codes_of_plugins() {
    let plugins = Arc::new(Plugins::default());
    let lookup = Lookup::shipped().and_plugins(Arc::clone(&plugins));
    let text = br#"{"ok":false,"error":"Wait.","code":"beta.NOT_READY","hint":"Wait.","retryable":false,"http":503,"_meta":{"estimated_tokens":24,"elapsed_ms":0}}"#;
    let code = PluginCode::new("NOT_READY", Class::Unavailable, "Wait.");
    let registration = plugins.register("beta", &[code]).unwrap();
    let fault = Dialect::Stagewright.read(text, &lookup).unwrap();
    assert_eq!(Dialect::Stagewright.write(&fault, NOW).as_bytes(), text);
    for dialect in Dialect::ALL {
        let text = dialect.carry(&fault, NOW, &lookup).text;
        assert_eq!(dialect.read(text.as_bytes(), &lookup), Ok(fault.clone()), "{text}");
    }
    plugins.unregister(registration);
    let fault = Dialect::Stagewright.read(text, &lookup).unwrap();
    assert!(plugin::is_unregistered(fault.entry()));
}

#[test]
fn seed_003_42_an_unregistered_plugin_code_is_as_stated() {
    let envelope = |code: &str, retryable: bool, http: u16| {
        format!(
            r#"{{"ok":false,"error":"Apple refused it","code":"{code}","hint":"Sign it first.","retryable":{retryable},"http":{http},"_meta":{{"estimated_tokens":40,"elapsed_ms":12}},"details":{{"id":"b1"}}}}"#
        )
    };
    for (retryable, http, class) in [
        (false, 409, Class::FailedPrecondition),
        (true, 503, Class::Unavailable),
        (true, 408, Class::DeadlineExceeded),
        (false, 422, Class::InvalidArgument),
        (false, 500, Class::Unknown),
    ] {
        let text = envelope("signing.NOTARIZATION_FAILED", retryable, http);
        let (dialect, fault) = Dialect::read_any(text.as_bytes(), &LOOKUP).unwrap();
        assert_eq!(dialect, Dialect::Stagewright);
        assert_eq!(fault.code(), "signing.NOTARIZATION_FAILED");
        assert_eq!((fault.class, fault.http, fault.retryable()), (class, http, retryable));
        assert_eq!((&*fault.message, &*fault.hint), ("Apple refused it", "Sign it first."));
        let again: serde_json::Value = serde_json::from_str(&dialect.write(&fault, NOW)).unwrap();
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&again["code"], &again["http"]), (&read["code"], &read["http"]));
        assert_eq!(
            (&again["retryable"], &again["details"]),
            (&read["retryable"], &read["details"])
        );
        for dialect in Dialect::ALL {
            let carried = dialect.carry(&fault, NOW, &LOOKUP).text;
            let back = dialect.read(carried.as_bytes(), &LOOKUP);
            assert_eq!(back.as_ref(), Ok(&fault), "{carried}");
        }
    }
    for code in ["NO_SUCH_CODE", "Signing.FAILED", "core.FAILED", "signing.failed", "signing."] {
        assert!(
            Dialect::read_any(envelope(code, true, 409).as_bytes(), &LOOKUP).is_err(),
            "{code}"
        );
    }
    let bare = br#"{"code":"signing.NOTARIZATION_FAILED"}"#;
    assert!(Dialect::read_any(bare, &LOOKUP).is_err(), "any object can have a code");
}

#[test]
fn seed_000_35_no_dialect_borrows_a_code_with_another_meaning() {
    for (dialect, code, spelling) in [
        (Dialect::AtlasGate, codes::UNKNOWN_TOOL, "UNKNOWN_TOOL_FAILURE"),
        (Dialect::AtlasGate, codes::NOT_FOUND, "UNKNOWN_TOOL_FAILURE"),
        (Dialect::AtlasGate, codes::NOT_INSTALLED, "UNKNOWN_TOOL_FAILURE"),
        (Dialect::AtlasGate, codes::CONFLICT, "UNKNOWN_TOOL_FAILURE"),
        (Dialect::AtlasGate, codes::AUTH_REQUIRED, "UNKNOWN_TOOL_FAILURE"),
        (Dialect::AtlasGate, codes::ALREADY_EXISTS, "UNKNOWN_TOOL_FAILURE"),
        (Dialect::AtlasGate, codes::OUTPUT_INVALID, "INTERNAL_ERROR"),
        (Dialect::AtlasGate, codes::FILE_NOT_FOUND, "FILE_NOT_FOUND"),
        (Dialect::Stagewright, codes::UNKNOWN_TOOL, "INTERNAL_ERROR"),
        (Dialect::Stagewright, codes::AUTH_REQUIRED, "INTERNAL_ERROR"),
        (Dialect::Stagewright, codes::UPSTREAM_CRASHED, "INTERNAL_ERROR"),
        (Dialect::Stagewright, codes::INVALID_INPUT_TYPE, "BAD_ARGUMENT"),
        (Dialect::Workrail, codes::RATE_LIMITED, "INTERNAL_ERROR"),
        (Dialect::Workrail, codes::UNAUTHORIZED_ACTION, "INTERNAL_ERROR"),
        (Dialect::Workrail, codes::CONFLICT, "PRECONDITION_FAILED"),
        (Dialect::Mailvault, codes::INVALID_INPUT_VALUE, "internal_error"),
        (Dialect::Mailvault, codes::RATE_LIMITED, "rate_limited"),
        (Dialect::Mailvault, codes::TIMEOUT, "mcp_unavailable"),
    ] {
        assert_eq!(dialect.spelling(code.entry()), spelling, "{} {}", dialect.name(), code.name());
    }
}

#[test]
fn seed_003_24_status_and_retry_are_those_of_the_named_row() {
    let lookup = Lookup::shipped();
    let all = lookup.rows().map(Fault::of);
    for fault in all {
        let text = Dialect::Stagewright.write(&fault, NOW);
        let told: serde_json::Value = serde_json::from_str(&text).unwrap();
        let named = lookup.spelled(Dialect::Stagewright, told["code"].as_str().unwrap()).unwrap();
        assert_eq!(told["http"], named.http, "{text}");
        let may = named.retry.retryable() && fault.retryable();
        assert_eq!(told["retryable"], may, "{text}");
    }
    let mut strict = codes::TIMEOUT.raise([] as [(&str, &str); 0]);
    strict.set_retryable(false);
    let text = Dialect::Stagewright.write(&strict, NOW);
    assert!(text.contains(r#""retryable":false"#), "no more than the server stated: {text}");
}

#[test]
fn a_repeatable_code_is_not_used_where_repeats_are_forbidden() {
    let lookup = Lookup::shipped();
    for row in lookup.rows().filter(|it| it.retry.retryable()) {
        let mut fault = Fault::of(row);
        fault.set_retryable(false);
        for dialect in [Dialect::Mailvault, Dialect::AtlasGate] {
            let text = dialect.write(&fault, NOW);
            let read = dialect.read(text.as_bytes(), &lookup).unwrap();
            assert!(!read.retryable(), "{text}");
            let back = dialect.carry(&fault, NOW, &lookup).text;
            let back = dialect.read(back.as_bytes(), &lookup).unwrap();
            assert_eq!((back.code(), back.retry), (fault.code(), fault.retry), "{text}");
        }
    }
}

#[test]
fn a_version_marks_our_own_envelope_whatever_else_stands_there() {
    let lookup = Lookup::shipped();
    let document = br#"{"v":1,"code":"TIMEOUT","message":"real","error":"not_found"}"#;
    let (dialect, fault) = Dialect::read_any(document, &lookup).unwrap();
    assert_eq!((dialect, fault.code()), (Dialect::Native, "TIMEOUT"));
}

#[test]
fn what_was_written_for_a_value_of_the_residue_is_no_leftover() {
    // The code, the status and the tokens of the document are those of the class that only the residue has.
    let text = r#"{"ok":false,"error":"","code":"BAD_ARGUMENT","hint":"Try another way, or tell the user that the call failed.","retryable":false,"http":400,"_meta":{"estimated_tokens":59,"elapsed_ms":0},"_x":{"code":"RPC_SERVER_FAILURE","class":"out_of_range","http":500,"invented":["/elapsed_ms"]}}"#;
    let fault = Dialect::Stagewright.read(text.as_bytes(), &LOOKUP).unwrap();
    assert_eq!(
        (fault.code(), fault.class, fault.http),
        ("RPC_SERVER_FAILURE", Class::OutOfRange, 500)
    );
    assert_eq!(fault.extra, []);
    assert_eq!(Dialect::Stagewright.carry(&fault, NOW, &LOOKUP).text, text);
    // What neither explains is kept, as ever.
    let more = text.replace(r#""http":400"#, r#""http":418"#);
    let fault = Dialect::Stagewright.read(more.as_bytes(), &LOOKUP).unwrap();
    let kept: Vec<_> = fault.extra.iter().map(|(at, it)| (at.as_str(), it.as_str())).collect();
    assert_eq!(kept, [("/http", "418")]);
}
