//! Documents that are not in canonical form: what their row adds, what is kept, and that nothing becomes retryable by mistake.

use redress::{
    Dialect, Lookup,
    dialect::{Loss, LossKind, Stamp},
};
use redress_registry::{Retry, RetryKind};

use crate::arbitrary::raw;

const LOOKUP: Lookup = Lookup::shipped();
const NOW: Stamp<'static> = Stamp { now: "2026-01-19T15:32:10.123Z" };

fn translated(from: Dialect, to: Dialect, text: &str) -> String {
    to.write(&from.read(text.as_bytes(), &LOOKUP).unwrap(), NOW)
}

fn carried(from: Dialect, to: Dialect, text: &str) -> String {
    to.carry(&from.read(text.as_bytes(), &LOOKUP).unwrap(), NOW, &LOOKUP).text
}

#[test]
fn a_minimal_document_takes_message_and_next_calls_from_its_row() {
    let native = |text: &str| translated(Dialect::Native, Dialect::Native, text);
    let running = native(r#"{"code":"NOT_RUNNING"}"#);
    assert!(running.contains(r#""next_actions":[{"tool":"electron_launch"}]"#), "{running}");
    let told = native(r#"{"code":"FILE_NOT_FOUND","details":{ "more":1.0,"path":"a.txt" }}"#);
    assert!(told.contains(r#""message":"No file at \"a.txt\".""#), "{told}");
    assert!(told.contains(r#""details":{"more":1.0,"path":"a.txt"}"#), "{told}");
    let wrong = native(r#"{"code":"FILE_NOT_FOUND","details":{"path":7}}"#);
    assert!(wrong.contains(r#""message":"File not found.""#), "{wrong}");
    let own = native(r#"{"code":"NOT_RUNNING","message":"m","next_actions":[]}"#);
    assert!(own.contains(r#""message":"m""#) && !own.contains("next_actions"), "{own}");
    let canonical = native(r#"{"v":1,"code":"NOT_RUNNING"}"#);
    assert!(!canonical.contains("next_actions"), "a version means that all is said: {canonical}");
}

#[test]
fn what_is_not_understood_never_makes_a_fault_retryable() {
    let timeout = |retry: &str| format!(r#"{{"code":"TIMEOUT","message":"m",{retry}}}"#);
    let stagewright = r#"{"ok":false,"error":"m","code":"OPERATION_TIMEOUT","retryable":"yes"}"#;
    for (dialect, text, kept) in [
        (Dialect::Native, timeout(r#""retry":{"kind":"later"}"#), "/retry/kind"),
        (Dialect::Native, timeout(r#""retry":"now""#), "/retry"),
        (Dialect::Native, timeout(r#""retryable":1"#), "/retryable"),
        (Dialect::Native, timeout(r#""retryable":false,"retry":{"kind":"now"}"#), "/retry/kind"),
        (
            Dialect::Native,
            timeout(r#""retry":{"kind":"after_delay","after_ms":-1}"#),
            "/retry/after_ms",
        ),
        (Dialect::Workrail, timeout(r#""retry":{"kind":"sometimes"}"#), "/retry/kind"),
        (Dialect::Workrail, timeout(r#""retry":7"#), "/retry"),
        (
            Dialect::Workrail,
            timeout(r#""retry":{"kind":"retryable_after_ms","afterMs":-5}"#),
            "/retry/afterMs",
        ),
        (
            Dialect::Workrail,
            timeout(r#""retry":{"kind":"retryable","afterMs":1180591620717411303424}"#),
            "/retry/afterMs",
        ),
        (
            Dialect::Rpc,
            r#"{"error":{"code":1001,"message":"m","data":{"retryable":"yes"}}}"#.to_owned(),
            "/error/data/retryable",
        ),
        (Dialect::Stagewright, stagewright.to_owned(), "/retryable"),
        (
            Dialect::ToolFailure,
            r#"{"class":"reliability","code":"timeout","retryable":"yes","correlationId":"1"}"#
                .to_owned(),
            "/retryable",
        ),
    ] {
        let fault = dialect.read(text.as_bytes(), &LOOKUP).unwrap();
        assert_eq!(fault.retry, Retry::of(RetryKind::Never), "{text}");
        assert!(fault.extra.iter().any(|(at, _)| at == kept), "{text}: {:?}", fault.extra);
        let losses = dialect.losses(&fault, NOW, &LOOKUP);
        assert!(losses.iter().any(|it| it.path == "/extra"), "strict reports it: {text}");
    }
}

#[test]
fn a_delay_with_a_fraction_is_rounded_up() {
    let text = r#"{"code":"TIMEOUT","message":"m","retry":{"kind":"retryable_after_ms","afterMs":1500.25}}"#;
    let fault = Dialect::Workrail.read(text.as_bytes(), &LOOKUP).unwrap();
    assert_eq!(fault.retry, Retry::after(1501));
    assert_eq!(fault.extra, [("/retry/afterMs".to_owned(), raw("1500.25"))]);
}

#[test]
fn strict_names_what_stands_for_nothing() {
    let text = r#"{"error":"not_found","message":"m"}"#;
    let written = translated(Dialect::Mailvault, Dialect::Mailvault, text);
    let found = Dialect::Mailvault.stand_ins(text.as_bytes(), &written);
    let invented = |path: &str| Loss { path: path.to_owned(), kind: LossKind::Invented };
    assert_eq!(found, [invented("/details")]);
    assert_eq!(Dialect::Mailvault.stand_ins(written.as_bytes(), &written), []);
    let failure = br#"{"class":"capability","code":"not_found"}"#;
    let fault = Dialect::ToolFailure.read(failure, &LOOKUP).unwrap();
    let losses = Dialect::ToolFailure.losses(&fault, NOW, &LOOKUP);
    assert_eq!(losses, [invented("/context/request_id")]);
}

#[test]
fn rpc_details_that_are_no_string_come_back_as_they_were() {
    let text = r#"{"jsonrpc":"2.0","id":7,"error":{"code":1005,"message":"m","data":{"domain":"common","symbol":"E_INPUT_TOO_LARGE","details":{"max":1.0},"retryable":false}}}"#;
    assert_eq!(translated(Dialect::Rpc, Dialect::Rpc, text), text);
    for there in Dialect::ALL {
        let carried_there = carried(Dialect::Rpc, there, text);
        assert_eq!(carried(there, Dialect::Rpc, &carried_there), text, "{carried_there}");
    }
}
