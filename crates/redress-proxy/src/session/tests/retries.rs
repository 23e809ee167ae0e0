//! Calls that are made again: only those that do no harm, on record first, within their time.

use std::{sync::Arc, time::Duration};

use redress_registry::{Source, load};
use serde_json::{Value, json};

use super::{CALL, FAILED, Rig, TOOLS, card, code, fault, settings};
use crate::{
    retry::RetryRule,
    session::{ClientKind, Exit, FailureScope, HttpFailure, Session, UpstreamKind},
    settings::{Mode, Settings},
};

const SECOND: Duration = Duration::from_secs(1);
const AWAY: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"connect ECONNREFUSED 10.0.0.1:443"}],"isError":true}}"#;
const FINE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;

fn repeating(mode: Mode, attempts: u32) -> Settings {
    let retry = RetryRule { attempts, ..RetryRule::default() };
    Settings { retry, ..settings(mode) }
}

/// A session that makes calls again, with a server whose tools are known.
fn rig() -> Rig {
    let mut rig = Rig::gated(repeating(Mode::Enforce, 2));
    rig.ready();
    learn(&mut rig);
    rig
}

fn learn(rig: &mut Rig) {
    rig.client(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
    rig.server(TOOLS);
    rig.sent.clear();
}

/// The ledger has written what it was given.
fn record(rig: &mut Rig, is_recorded: bool) -> Vec<Value> {
    for repeat in std::mem::take(&mut rig.repeats) {
        rig.session.repeat_recorded(repeat.id, is_recorded, &mut rig.actions);
    }
    rig.heard()
}

fn crash() -> Exit {
    Exit { code: Some(3), ..Exit::default() }
}

#[test]
fn a_call_that_reads_is_made_again_and_nobody_notices() {
    let mut rig = rig();
    rig.client(CALL);
    assert!(rig.server(AWAY).is_empty());
    assert!(record(&mut rig, true).is_empty());
    assert!(rig.after(SECOND).is_empty());
    assert_eq!(rig.sent.len(), 1, "the pause is not over");
    assert!(rig.session.next_deadline().unwrap() < rig.start + 3 * SECOND);
    assert!(rig.after(2 * SECOND).is_empty());
    assert_eq!(rig.sent.len(), 2);
    let ids: Vec<Value> = rig.sent.iter().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_ne!(ids[0]["id"], ids[1]["id"], "under an id of its own");
    assert_eq!(ids[0]["params"], ids[1]["params"]);
    let heard = rig.server(FINE);
    assert_eq!((heard.len(), heard[0]["id"].as_i64()), (1, Some(7)));
    assert!(rig.recorded.is_empty() && rig.session.is_idle());
}

#[test]
fn the_last_failure_says_how_often_it_was_tried() {
    let mut rig = rig();
    rig.client(CALL);
    rig.server(AWAY);
    record(&mut rig, true);
    rig.after(3 * SECOND);
    let heard = rig.server(AWAY);
    assert_eq!(code(&heard[0]), "UPSTREAM_UNAVAILABLE");
    assert_eq!(fault(&heard[0])["details"]["attempts"], 2);
    let card = card(&heard[0]);
    assert!(card.contains(" The gate tried it 2 times.\n"), "{card}");
    assert!(rig.repeats.is_empty());
}

#[test]
fn a_limit_that_stays_after_the_repeat_is_told_with_it() {
    let mut rig = rig();
    let limited = AWAY.replace(
        "connect ECONNREFUSED 10.0.0.1:443",
        "Failed to fetch https://a.example/x - status code 429",
    );
    rig.client(CALL);
    assert!(rig.server(&limited).is_empty());
    record(&mut rig, true);
    rig.after(20 * SECOND);
    assert_eq!(rig.sent.len(), 2);
    let heard = rig.server(&limited);
    assert_eq!(code(&heard[0]), "RATE_LIMITED");
    let card = card(&heard[0]);
    assert!(card.contains(" The gate tried it 2 times."), "{card}");
}

#[test]
fn a_call_that_may_change_something_is_never_made_twice() {
    let mut rig = rig();
    for (id, tool) in [(10, "write"), (11, "delete")] {
        rig.client(
            &CALL.replace(":7,", &format!(":{id},")).replace("\"read\"", &format!("\"{tool}\"")),
        );
        let heard = rig.server(AWAY);
        assert_eq!((heard[0]["id"].as_i64(), code(&heard[0])), (Some(id), "UPSTREAM_UNAVAILABLE"));
        assert_eq!(fault(&heard[0])["details"].get("attempts"), None);
    }
    rig.client(&CALL.replace("read", "delete"));
    assert_eq!(code(&rig.gone(&crash())[0]), "UPSTREAM_CRASHED");
    assert!(rig.repeats.is_empty());
}

#[test]
fn an_operation_of_the_contract_that_reads_is_made_again() {
    for (operation, is_repeated) in [("query", true), ("command", false)] {
        let text = format!(
            "format = 'redress-registry/1'\nextends = ['core']\n[registry]\nname = 'looks'\n\
             version = '0.1.0'\n[tool.look]\noperation = '{operation}'\n"
        );
        let contract = load(&Source::new("errors.toml", &text), &|_, _| None).unwrap();
        let mut rig = Rig::gated(Settings {
            contract,
            trust_annotations: false,
            ..repeating(Mode::Enforce, 2)
        });
        rig.ready();
        learn(&mut rig);
        rig.client(&CALL.replace("\"read\"", "\"look\""));
        assert_eq!(rig.server(AWAY).is_empty(), is_repeated);
        assert_eq!(rig.repeats.len() == 1, is_repeated);
    }
}

#[test]
fn words_of_a_server_are_no_licence_to_repeat() {
    let said = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"429 Too Many Requests"}],"isError":true}}"#;
    let stated = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"v":1,"code":"RATE_LIMITED","message":"Too many calls were made in a short time.","retry":{"kind":"after_delay","after_ms":100}},"isError":true}}"#;
    let mut rig = rig();
    rig.client(&CALL.replace("read", "delete"));
    let heard = rig.server(said);
    assert_eq!((code(&heard[0]), &fault(&heard[0])["effect"]), ("RATE_LIMITED", &json!("unknown")));
    rig.client(&CALL.replace("read", "delete"));
    assert!(rig.server(stated).is_empty(), "the contract says that nothing was changed");
    assert_eq!(rig.repeats.len(), 1);
}

#[test]
fn an_envelope_grounds_a_repeat_only_where_it_is_flagged() {
    for (flag, is_repeated) in [("", false), (r#","isError":true"#, true)] {
        let mut rig = rig();
        rig.client(&CALL.replace("\"read\"", "\"delete\""));
        let heard = rig.server(&format!(
            r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":"{{\"error\":\"rate_limited\",\"message\":\"Slow down\",\"details\":{{\"retry_after\":2}}}}"}}]{flag}}}}}"#
        ));
        assert_eq!((heard.is_empty(), rig.repeats.len() == 1), (is_repeated, is_repeated));
    }
}

#[test]
fn a_call_that_tells_of_work_is_not_made_again() {
    let rig = Rig::gated(repeating(Mode::Enforce, 2));
    let session =
        Session::new(Arc::clone(&rig.session.server), ClientKind::Pipe, UpstreamKind::Http);
    let mut rig = Rig::of(session, rig.actions);
    rig.ready();
    let mut effect_and_repeats = |id: &str, body: &[u8]| {
        rig.client(&CALL.replace("read", "pay").replace(":7,", id));
        let (retry_after, www_authenticate) = (Some("1"), None);
        let heard = rig.refused(&HttpFailure::Status {
            status: 429,
            retry_after,
            www_authenticate,
            location: None,
            body,
            about: FailureScope::Request,
        });
        let effect = heard.first().map(|it| fault(&it.1)["effect"].clone());
        (effect, std::mem::take(&mut rig.repeats).len())
    };
    assert_eq!(effect_and_repeats(":1,", b"slow down"), (None, 1));
    let told = effect_and_repeats(":2,", b"charged the card, then: slow down");
    assert_eq!(told, (Some(json!("unknown")), 0));
}

#[test]
fn a_stated_effect_ends_the_repeats_after_any_attempt() {
    fn status(status: u16, body: &[u8]) -> HttpFailure<'_> {
        let (retry_after, www_authenticate, location) = (None, None, None);
        let about = FailureScope::Request;
        HttpFailure::Status { status, retry_after, www_authenticate, location, body, about }
    }
    let rig = Rig::gated(repeating(Mode::Enforce, 4));
    let session =
        Session::new(Arc::clone(&rig.session.server), ClientKind::Pipe, UpstreamKind::Http);
    let mut rig = Rig::of(session, rig.actions);
    rig.ready();
    learn(&mut rig);
    for (effect, id) in [("done", ":1,"), ("partial", ":2,")] {
        rig.client(&CALL.replace(":7,", id));
        assert!(rig.refused(&status(503, b"")).is_empty(), "it is made again");
        record(&mut rig, true);
        rig.after(3 * SECOND);
        let body = format!(r#"{{"detail":{{"effect":"{effect}"}}}}"#);
        let heard = rig.refused(&status(429, body.as_bytes()));
        assert_eq!(fault(&heard[0].1)["effect"], effect);
        assert!(rig.repeats.is_empty());
    }
}

#[test]
fn annotations_that_nobody_trusts_do_not_count() {
    let settings = Settings { trust_annotations: false, ..repeating(Mode::Enforce, 2) };
    let mut rig = Rig::gated(settings);
    rig.ready();
    learn(&mut rig);
    rig.client(CALL);
    assert_eq!(rig.server(AWAY).len(), 1);
}

#[test]
fn what_cannot_be_helped_is_told_at_once() {
    let mut rig = rig();
    rig.client(CALL);
    assert_eq!(code(&rig.server(FAILED)[0]), "FILE_NOT_FOUND");
}

#[test]
fn only_a_gate_that_enforces_makes_calls_again() {
    for mode in [Mode::Observe, Mode::Annotate] {
        let mut rig = Rig::gated(repeating(mode, 2));
        rig.ready();
        learn(&mut rig);
        rig.client(CALL);
        assert_eq!(rig.server(AWAY).len(), 1);
    }
}

#[test]
fn a_call_cut_by_a_crash_is_made_again_in_the_next_process() {
    let mut rig = rig();
    rig.client(CALL);
    assert!(rig.gone(&crash()).is_empty());
    record(&mut rig, true);
    assert!(!rig.actions.start, "not before the pause is over");
    assert!(rig.after(3 * SECOND).is_empty());
    assert!(rig.actions.start);
    assert!(rig.ready().is_empty());
    assert_eq!(rig.server(FINE)[0]["id"], 7);
}

#[test]
fn nothing_is_repeated_before_it_is_on_record() {
    let mut rig = rig();
    rig.client(CALL);
    rig.server(AWAY);
    rig.after(10 * SECOND);
    assert_eq!(rig.sent.len(), 1);
    record(&mut rig, true);
    assert_eq!(rig.sent.len(), 2, "at once, since the pause is over");
}

#[test]
fn what_cannot_be_recorded_is_not_repeated() {
    let mut rig = rig();
    rig.client(CALL);
    rig.server(AWAY);
    let heard = record(&mut rig, false);
    assert_eq!(code(&heard[0]), "AUDIT_LOG_FAILED");
    rig.after(10 * SECOND);
    assert_eq!(rig.sent.len(), 1);
    assert!(rig.session.is_idle());
}

#[test]
fn a_repeat_is_recorded_with_its_reason() {
    let mut rig = rig();
    rig.client(CALL);
    rig.server(AWAY);
    let record = format!("{:?}", rig.repeats[0].record(&settings(Mode::Enforce).redactor));
    for part in
        ["Retry", "UPSTREAM_UNAVAILABLE", "read_only", r#"\"attempt\":2"#, r#"\"tool\":\"read\""#]
    {
        assert!(record.contains(part), "{part} in {record}");
    }
}

#[test]
fn a_call_that_waits_can_be_withdrawn() {
    let mut rig = rig();
    rig.client(CALL);
    rig.server(AWAY);
    record(&mut rig, true);
    rig.client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#);
    assert!(rig.after(10 * SECOND).is_empty());
    assert_eq!(rig.sent.len(), 1, "the server hears nothing of it");
    assert!(rig.session.is_idle());
}

#[test]
fn whoever_waits_when_the_gate_ends_is_told() {
    let mut rig = rig();
    rig.client(CALL);
    rig.server(AWAY);
    record(&mut rig, true);
    rig.session.close(&mut rig.actions);
    assert_eq!(code(&rig.heard()[0]), "SHUTTING_DOWN");
    assert!(rig.after(10 * SECOND).is_empty());
    assert_eq!(rig.sent.len(), 1);
}

#[test]
fn no_repeat_is_made_that_would_come_too_late() {
    let mut rig = Rig::gated(Settings { deadline: SECOND, ..repeating(Mode::Enforce, 2) });
    rig.ready();
    learn(&mut rig);
    rig.client(CALL);
    assert_eq!(code(&rig.server(AWAY)[0]), "UPSTREAM_UNAVAILABLE");
}

#[test]
fn repeats_of_a_server_that_always_fails_run_out() {
    let mut rig = rig();
    let mut repeats = 0;
    for id in 100..200 {
        rig.client(&CALL.replace(":7,", &format!(":{id},")));
        rig.server(AWAY);
        repeats += rig.repeats.len();
        record(&mut rig, true);
        rig.after(3 * SECOND);
        rig.server(AWAY);
    }
    assert!((18..=22).contains(&repeats), "{repeats}");
}

#[test]
fn lists_are_asked_for_again_and_an_opening_is_not() {
    let mut rig = rig();
    rig.client(r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#);
    rig.client(r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel"}"#);
    let heard = rig.gone(&crash());
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0]["id"], 2);
    assert_eq!(rig.repeats.len(), 1);
}

#[test]
fn what_the_first_time_ended_with_is_told_with_the_last() {
    let mut rig = rig();
    rig.client(CALL);
    assert!(rig.gone(&Exit { signal: Some("SIGKILL".to_owned()), ..Exit::default() }).is_empty());
    record(&mut rig, true);
    rig.after(3 * SECOND);
    rig.ready();
    let heard = rig.after(60 * SECOND);
    let details = &fault(&heard[0])["details"];
    assert_eq!((code(&heard[0]), &details["attempts"]), ("TIMEOUT", &json!(2)));
    assert_eq!(details["first"], json!({"code": "UPSTREAM_CRASHED", "signal": "SIGKILL"}));
}

#[test]
fn what_is_learnt_of_a_tool_in_the_pause_counts() {
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let writes = TOOLS.replace("\"readOnlyHint\":true", "\"readOnlyHint\":false");
    for listed in [None, Some(&writes)] {
        let mut rig = rig();
        rig.client(CALL);
        rig.server(AWAY);
        record(&mut rig, true);
        rig.server_bytes(changed.as_bytes());
        if let Some(listed) = listed {
            rig.client(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
            rig.server(listed);
        }
        rig.sent.clear();
        let heard = rig.after(3 * SECOND);
        assert_eq!((heard[0]["id"].as_i64(), code(&heard[0])), (Some(7), "UPSTREAM_UNAVAILABLE"));
        assert_eq!(fault(&heard[0])["effect"], "unknown");
        let calls = rig.sent.iter().filter(|it| it.contains("tools/call")).count();
        assert_eq!((calls, rig.session.is_idle()), (0, true), "it may change something");
    }
}

#[test]
fn progress_never_goes_back_when_a_call_is_made_again() {
    let call = CALL.replace(r#""params":{"#, r#""params":{"_meta":{"progressToken":"p"},"#);
    let progress = |it: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"p","progress":{it}}}}}"#
        )
    };
    let mut rig = rig();
    rig.client(&call);
    let told = |rig: &mut Rig, it| !rig.server_bytes(progress(it).as_bytes()).is_empty();
    assert!(told(&mut rig, 1) && told(&mut rig, 2));
    rig.server(AWAY);
    record(&mut rig, true);
    rig.after(3 * SECOND);
    assert!(!told(&mut rig, 1) && !told(&mut rig, 2), "the client knows that already");
    assert!(told(&mut rig, 3));
    assert_eq!(rig.server(FINE).len(), 1);
}
