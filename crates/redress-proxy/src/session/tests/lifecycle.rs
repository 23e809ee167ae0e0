//! Deadlines, and processes that end: whoever waits is told at once, and what comes next works.

use std::{io, time::Duration};

use proptest::prelude::{Just, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{CALL, FAILED, OPEN, OPENED, Rig, TOOLS, card, code, fault};
use crate::{
    session::{Exit, upstream::State},
    settings::Mode,
};

const SECOND: Duration = Duration::from_secs(1);

fn crash() -> Exit {
    Exit { code: Some(3), ..Exit::default() }
}

#[test]
fn a_deadline_is_told_and_the_request_withdrawn() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let id = rig.last_id();
    assert_eq!(rig.session.next_deadline(), Some(rig.start + SECOND * 60));
    assert!(rig.after(SECOND * 59).is_empty());
    let heard = rig.after(SECOND);
    assert_eq!((heard[0]["id"].as_i64(), code(&heard[0])), (Some(7), "TIMEOUT"));
    assert_eq!(fault(&heard[0])["effect"], "unknown");
    assert_eq!(fault(&heard[0])["details"]["timeout_ms"], 60_000);
    let cancel: serde_json::Value = serde_json::from_str(rig.sent.last().unwrap()).unwrap();
    assert_eq!(cancel["params"]["requestId"].to_string(), id);
    assert!(rig.server_bytes(format!(r#"{{"id":{id},"result":{{}}}}"#).as_bytes()).is_empty());
    assert_eq!(rig.recorded.len(), 2, "the late answer is recorded");
    assert_eq!(rig.session.next_deadline(), None);
}

#[test]
fn initialize_is_never_cancelled() {
    let mut rig = Rig::up();
    rig.client(OPEN);
    let heard = rig.after(SECOND * 60);
    assert_eq!(heard[0]["error"]["code"], 1001, "another method fails with an error");
    assert_eq!(code(&heard[0]), "TIMEOUT");
    assert!(fault(&heard[0])["hint"].as_str().unwrap().starts_with("Check that this starts"));
    assert_eq!(rig.sent.len(), 1);
}

#[test]
fn the_end_of_a_process_is_told_with_all_that_is_known() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    rig.client(&CALL.replace(":7,", ":8,").replace("read", "write"));
    rig.client(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
    rig.stderr.add(b"starting\npassword=hunter2hunter2\n\x1b[31mFATAL\x1b[0m: heap exhausted\n");
    let heard = rig.gone(&Exit { signal: Some("SIGSEGV".to_owned()), ..Exit::default() });
    let ids: Vec<_> = heard.iter().map(|it| it["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [7, 8, 9]);
    for answer in &heard {
        assert_eq!(code(answer), "UPSTREAM_CRASHED");
        assert_eq!(fault(answer)["details"]["signal"], "SIGSEGV");
        let tail = fault(answer)["details"]["upstream"]["stderr_tail"].as_str().unwrap();
        assert!(tail.ends_with("FATAL: heap exhausted") && !tail.contains("hunter2"), "{tail}");
    }
    assert!(
        card(&heard[0]).ends_with(r#"Server said: "FATAL: heap exhausted""#),
        "{}",
        card(&heard[0])
    );
    assert_eq!(fault(&heard[0])["effect"], "none", "the tool is read-only");
    assert_eq!(fault(&heard[1])["effect"], "unknown");
    assert!(heard[2].get("error").is_some());
}

#[test]
fn the_next_request_restarts_the_server_and_its_session() {
    let mut rig = Rig::up();
    rig.client(OPEN);
    rig.server(r#"{"jsonrpc":"2.0","id":ID,"result":{"capabilities":{}}}"#);
    rig.client(OPENED);
    rig.gone(&crash());
    assert!(!rig.actions.start, "nobody needs it");
    assert_eq!(rig.recorded.last().unwrap()["code"], "UPSTREAM_CRASHED");
    rig.sent.clear();
    assert!(rig.client(CALL).is_empty());
    assert!(std::mem::take(&mut rig.actions.start));
    assert!(rig.sent.is_empty());
    rig.ready();
    assert_eq!(rig.sent[..], [OPEN.replace(":0,", &format!(":{},", rig.last_id()))]);
    let heard = rig.server(r#"{"jsonrpc":"2.0","id":ID,"result":{"capabilities":{}}}"#);
    assert!(heard.is_empty(), "the client is not greeted twice");
    assert_eq!(rig.sent[1], OPENED);
    assert_eq!(rig.sent[2], CALL.replace(":7,", &format!(":{},", rig.last_id())));
    assert_eq!(rig.server(r#"{"id":ID,"result":{"content":[]}}"#)[0]["id"], 7);
}

#[test]
fn a_new_process_that_does_not_greet_is_ended() {
    let mut rig = Rig::up();
    rig.client(OPEN);
    rig.server(r#"{"id":ID,"result":{"capabilities":{}}}"#);
    rig.gone(&crash());
    rig.client(CALL);
    rig.ready();
    assert!(rig.after(SECOND * 9).is_empty() && !rig.actions.kill);
    rig.after(SECOND);
    assert!(std::mem::take(&mut rig.actions.kill));
    let heard = rig.gone(&Exit { signal: Some("SIGKILL".to_owned()), ..Exit::default() });
    assert_eq!(code(&heard[0]), "UPSTREAM_CRASHED");
    assert_eq!(fault(&heard[0])["effect"], "none", "it never got the request");
}

#[test]
fn a_new_process_that_refuses_the_session_is_ended() {
    let mut rig = Rig::up();
    rig.client(OPEN);
    rig.server(r#"{"id":ID,"result":{"capabilities":{}}}"#);
    rig.gone(&crash());
    rig.client(CALL);
    rig.ready();
    let heard = rig.server(r#"{"id":ID,"error":{"code":-32602,"message":"no"}}"#);
    assert_eq!(code(&heard[0]), "UPSTREAM_UNAVAILABLE");
    assert!(rig.actions.kill);
}

#[test]
fn a_request_before_the_server_runs_is_kept_but_not_for_ever() {
    let mut rig = Rig::down(Mode::Enforce);
    rig.client(CALL);
    rig.client(&CALL.replace(":7,", ":8,"));
    rig.client(r#"{"method":"notifications/cancelled","params":{"requestId":8}}"#);
    let heard = rig.after(SECOND * 60);
    assert_eq!((code(&heard[0]), fault(&heard[0])["effect"].as_str()), ("TIMEOUT", Some("none")));
    rig.ready();
    assert!(rig.sent.is_empty(), "what was told to have failed is not done after all");
}

#[test]
fn a_command_that_cannot_be_started_is_told_to_each_request() {
    let mut rig = Rig::down(Mode::Enforce);
    rig.client(CALL);
    let heard = rig.failed(io::ErrorKind::NotFound);
    assert_eq!(code(&heard[0]), "NOT_INSTALLED");
    assert_eq!(fault(&heard[0])["details"]["dependency"], "files-server");
    assert_eq!(fault(&heard[0])["effect"], "none");
    rig.client(CALL);
    assert!(rig.actions.start, "it may be there by now");
    let heard = rig.failed(io::ErrorKind::OutOfMemory);
    assert_eq!(code(&heard[0]), "UPSTREAM_UNAVAILABLE");
}

#[test]
fn a_server_that_keeps_crashing_is_parked() {
    let mut rig = Rig::up();
    let mut starts = 1;
    loop {
        rig.client(CALL);
        let heard = rig.gone(&crash());
        assert_eq!(code(&heard[0]), "UPSTREAM_CRASHED");
        let heard = rig.client(CALL);
        if let Some(answer) = heard.first() {
            assert_eq!(code(answer), "UPSTREAM_PARKED");
            assert_eq!(fault(answer)["retry"]["kind"], "after_delay");
            let wait = fault(answer)["retry"]["after_ms"].as_u64().unwrap();
            assert!((20_000..40_000).contains(&wait), "{wait}");
            assert_eq!(fault(answer)["details"]["crashes"], 5);
            assert_eq!(fault(answer)["effect"], "none");
            break;
        }
        if let State::StartAt(then) = rig.session.upstream.state {
            rig.after(then - rig.actions.now.at);
        }
        assert!(std::mem::take(&mut rig.actions.start));
        rig.ready();
        starts += 1;
        assert!(starts < 10);
        rig.server(r#"{"id":ID,"result":{"content":[]}}"#);
    }
    assert_eq!(starts, 5);
    assert!(rig.after(SECOND * 60).is_empty());
    assert!(rig.client(CALL).is_empty() && rig.actions.start, "it gets another chance");
}

#[test]
fn requests_of_a_process_that_ended_are_withdrawn() {
    let mut rig = Rig::up();
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    let asked = rig.server(ask)[0]["id"].clone();
    let heard = rig.gone(&crash());
    assert_eq!(
        (heard[0]["method"].as_str(), &heard[0]["params"]["requestId"]),
        (Some("notifications/cancelled"), &asked)
    );
    rig.ready();
    let count = rig.sent.len();
    assert_ne!(rig.server(ask)[0]["id"], asked, "another process asks something else");
    rig.client(&format!(r#"{{"jsonrpc":"2.0","id":{asked},"result":{{"roots":[]}}}}"#));
    assert_eq!(rig.sent.len(), count, "the answer was for the process that ended");
    rig.client(CALL);
    rig.ready();
    let count = rig.sent.len();
    rig.client(r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#);
    assert_eq!(rig.sent.len(), count, "the new process never asked");
}

#[test]
fn a_failure_looks_the_same_after_a_restart() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let before = rig.server(FAILED).remove(0)["result"]["structuredContent"]["code"].clone();
    assert_eq!(before, "FILE_NOT_FOUND");
    rig.gone(&crash());
    rig.client(CALL);
    rig.ready();
    let heard = rig.server(FAILED);
    assert_eq!(heard[0]["result"]["structuredContent"]["code"], before, "{heard:?}");
    assert_eq!(fault(&heard[0])["effect"], "none", "the tool is still read-only");

    rig.client(&CALL.replace("\"read\"", "\"new\""));
    assert!(rig.server(FAILED).is_empty(), "a tool that the old process did not have is asked for");
    rig.server(r#"{"id":ID,"result":{"tools":[{"name":"new"}]}}"#);
    rig.client(CALL);
    let heard = rig.server(FAILED);
    assert!(heard[0]["result"].get("structuredContent").is_none(), "the new list counts alone");
}

#[test]
fn a_failure_that_waits_for_the_list_ends_with_the_process() {
    let mut rig = Rig::up();
    rig.client(CALL);
    assert!(rig.server(FAILED).is_empty());
    let heard = rig.gone(&crash());
    assert_eq!(code(&heard[0]), "FILE_NOT_FOUND");
    assert!(rig.session.is_idle());
}

#[test]
fn at_the_end_everybody_is_told_and_nobody_is_let_in() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    rig.session.close(&mut rig.actions);
    assert_eq!(code(&rig.heard()[0]), "SHUTTING_DOWN");
    let heard = rig.client(CALL);
    assert_eq!(
        (code(&heard[0]), fault(&heard[0])["effect"].as_str()),
        ("SHUTTING_DOWN", Some("none"))
    );
    assert!(rig.gone(&crash()).is_empty());
}

#[test]
fn requests_of_a_client_that_is_gone_are_withdrawn_on_record() {
    let mut rig = Rig::up();
    rig.client(CALL);
    rig.session.client_gone(&mut rig.actions);
    assert!(rig.heard().is_empty());
    assert!(rig.sent.last().unwrap().contains("notifications/cancelled"));
    assert_eq!(rig.recorded[0]["code"], "CANCELLED");
}

/// What can happen to a session.
#[derive(Debug, Clone)]
enum Step {
    OwnRequest(u8),
    Cancel(u8),
    Client(String),
    /// Answer the n-th request that the upstream has seen, with that text.
    Answer(usize, &'static str),
    Server(String),
    Crash,
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let answer = prop_oneof![
        Just(r#"{"id":ID,"result":{"content":[]}}"#),
        Just(FAILED),
        Just(TOOLS),
        Just(r#"{"id":ID,"error":{"code":-32603,"message":"x"}}"#),
        Just(r#"{"id":ID,"result":NaN}"#),
        Just(r#"{"id":ID"#),
    ];
    prop_oneof![
        4 => (0u8..9).prop_map(Step::OwnRequest),
        1 => (0u8..9).prop_map(Step::Cancel),
        1 => "[\\[\\]{}:,\"0-9a-z]{0,24}".prop_map(Step::Client),
        4 => (0usize..20, answer).prop_map(|(at, text)| Step::Answer(at, text)),
        1 => "[\\[\\]{}:,\"0-9a-z]{0,24}".prop_map(Step::Server),
        1 => Just(Step::Crash),
        1 => (0u64..70_000).prop_map(Step::Wait),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_each_request_is_answered_once(steps in prop::collection::vec(step(), 0..60)) {
        let mut rig = Rig::up();
        let mut entry = [0i32; 9];
        let count = |heard: Vec<serde_json::Value>, entry: &mut [i32; 9]| {
            for answer in heard.iter().filter(|it| it.get("method").is_none()) {
                if let Some(id) = answer.get("id").and_then(serde_json::Value::as_u64) {
                    entry[usize::try_from(id).unwrap()] -= 1;
                }
            }
        };
        for step in steps {
            let heard = match step {
                Step::OwnRequest(id) => {
                    entry[usize::from(id)] += 1;
                    rig.client(&CALL.replace(":7,", &format!(":{id},")))
                }
                Step::Cancel(id) => {
                    let was_idle = rig.session.inflight.answers();
                    let heard = rig.client(&format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#));
                    entry[usize::from(id)] -= i32::try_from(was_idle - rig.session.inflight.answers()).unwrap();
                    heard
                }
                Step::Client(text) => rig.client(&text),
                Step::Answer(at, text) => {
                    let id = rig.sent.get(at).and_then(|it| serde_json::from_str::<serde_json::Value>(it).ok());
                    let id = id.and_then(|it| it.get("id").map(ToString::to_string)).unwrap_or_default();
                    rig.server_bytes(text.replace("ID", &id).as_bytes())
                }
                Step::Server(text) => rig.server_bytes(text.as_bytes()),
                Step::Crash => rig.gone(&crash()),
                Step::Wait(ms) => rig.after(Duration::from_millis(ms)),
            };
            count(heard, &mut entry);
            if std::mem::take(&mut rig.actions.start) {
                let heard = rig.ready();
                count(heard, &mut entry);
            }
            prop_assert!(entry.iter().all(|it| *it >= 0), "answered twice: {:?}", entry);
        }
        rig.session.close(&mut rig.actions);
        count(rig.heard(), &mut entry);
        prop_assert_eq!(entry, [0; 9]);
        prop_assert!(rig.session.is_idle());
    }
}

#[test]
fn a_tools_traits_are_learnt_for_the_next_silent_failure() {
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    // Nobody has listed the tools; the list has changed, as some servers say whenever they start.
    for is_listed in [false, true] {
        let mut rig = if is_listed { Rig::knowing(Mode::Enforce) } else { Rig::up() };
        rig.server(changed);
        rig.after(SECOND);
        if !is_listed {
            rig.client(CALL);
            assert_eq!(fault(&rig.after(SECOND * 60)[0])["effect"], "unknown");
        }
        rig.sent.clear();
        rig.client(CALL);
        assert!(rig.sent[0].contains("tools/list") && rig.sent[1].contains("tools/call"));
        let asked: serde_json::Value = serde_json::from_str(&rig.sent[0]).unwrap();
        rig.server_bytes(TOOLS.replace("ID", &asked["id"].to_string()).as_bytes());
        let heard = rig.after(SECOND * 60);
        assert_eq!((code(&heard[0]), &fault(&heard[0])["effect"]), ("TIMEOUT", &"none".into()));
        assert!(rig.session.upstream.silent.is_some(), "a list is no answer to a call");
        rig.sent.clear();
        rig.client(CALL);
        assert_eq!(rig.sent.len(), 1, "once is enough");
    }
}

#[test]
fn only_what_was_written_since_the_call_explains_its_end() {
    let said = |before: &[u8], since: &[u8]| {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.stderr.add(before);
        rig.client(CALL);
        rig.stderr.add(since);
        let heard = rig.gone(&crash());
        let tail = fault(&heard[0])["details"]["upstream"]["stderr_tail"].as_str();
        assert!(tail.is_some_and(|it| it.starts_with("Starting")), "{tail:?}");
        card(&heard[0]).split_once("Server said: ").map(|it| it.1.to_owned())
    };
    assert_eq!(said(b"Starting default (STDIO) server...\n", b""), None);
    let node = b"throw err;\nError: Cannot find module 'x'\n    at Module.load (x.js:1:1)\n\nNode.js v22.1.0\n";
    assert_eq!(said(b"Starting\n", node).as_deref(), Some("\"Error: Cannot find module 'x'\""));
    assert_eq!(said(b"Starting\n", b"working\nbye\n").as_deref(), Some("\"bye\""));
}

#[test]
fn a_server_that_dies_at_its_start_says_why_without_effect() {
    let mut rig = Rig::down(Mode::Enforce);
    rig.client(OPEN);
    rig.stderr.add(b"Error: API_KEY is not set\n");
    rig.session.upstream_ready(std::sync::Arc::clone(&rig.stderr), &mut rig.actions);
    let heard = rig.gone(&crash());
    let error = &heard[0]["error"];
    assert_eq!(
        error["message"],
        "The server process ended before it answered. Server said: \"Error: API_KEY is not set\""
    );
    assert_eq!(fault(&heard[0])["effect"], "none");
    assert!(!fault(&heard[0])["hint"].as_str().unwrap().contains("took effect"), "{error}");
}
