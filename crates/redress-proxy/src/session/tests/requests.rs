//! The client's side: what it may send, what it is refused, what it withdraws.

use std::time::Duration;

use super::{CALL, Rig, code, fault};
use crate::{inflight::MOST, outgoing::Sender, settings::Mode};

#[test]
fn what_is_no_message_is_refused_with_its_reason() {
    let mut rig = Rig::up();
    for (line, number, name) in [
        ("garbage", -32700, "PARSE_FAILED"),
        ("{\"id\":1", -32700, "PARSE_FAILED"),
        ("[]", -32600, "INVALID_REQUEST"),
        (r#"[1,{"jsonrpc":"2.0","method":"x"},[]]"#, -32600, "INVALID_REQUEST"),
        ("3", -32600, "INVALID_REQUEST"),
        (r#"{"id":[1],"method":"ping"}"#, -32600, "INVALID_REQUEST"),
    ] {
        let heard = rig.client(line);
        let [answer] = &heard[..] else { panic!("{line}: {heard:?}") };
        assert_eq!(answer["error"]["code"], number, "{line}");
        assert_eq!(code(answer), name, "{line}");
        assert!(answer.get("id").is_none(), "{line}");
        assert_eq!(fault(answer)["origin"], "gate");
    }
    for line in ["", "  \r"] {
        assert!(rig.client(line).is_empty());
    }
    assert!(rig.sent.is_empty());
}

#[test]
fn a_malformed_line_is_recorded_in_its_session() {
    let mut rig = Rig::up();
    for line in ["garbage", "[]", r#"{"id":[1],"method":"ping"}"#] {
        for (client, has_session) in [(3, true), (Sender::OF_NO_SESSION | 3, false)] {
            let from = Sender { client, ..Sender::default() };
            rig.session.client_line(line.as_bytes(), from, &mut rig.actions);
            let pending = rig.actions.faults.pop().unwrap();
            let session = has_session.then(|| rig.session.server.session_name(client));
            assert_eq!(pending.stamp.session, session, "{line}");
        }
    }
}

#[test]
fn a_refusal_names_the_request_if_it_can() {
    let mut rig = Rig::up();
    let heard = rig.client(r#"{"id":5,"method":"x","Params":{}}"#);
    assert_eq!((heard[0]["id"].as_i64(), code(&heard[0])), (Some(5), "INVALID_REQUEST"));
    let heard = rig.client(r#"{"id":6,"method":"x","par"#);
    assert_eq!((heard[0]["id"].as_i64(), code(&heard[0])), (Some(6), "PARSE_FAILED"));
}

#[test]
fn a_request_that_no_server_may_take_is_refused_at_once() {
    let mut rig = Rig::up();
    for (line, pointer) in [
        (r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, "/jsonrpc"),
        (r#"{"jsonrpc":2.0,"id":5,"method":"x/own"}"#, "/jsonrpc"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":["echo"]}"#, "/params"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":"p"}"#, "/params"),
    ] {
        let heard = rig.client(line);
        let [answer] = &heard[..] else { panic!("{line}: {heard:?}") };
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&5.into(), &(-32600).into()));
        assert_eq!((code(answer), &fault(answer)["effect"]), ("INVALID_REQUEST", &"none".into()));
        assert_eq!(fault(answer)["details"]["pointer"], pointer, "{line}");
    }
    assert!(rig.sent.is_empty());
}

#[test]
fn what_some_server_may_take_passes() {
    for line in [
        r#"{"id":5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"x/own","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"1.0","method":"notifications/x","params":[1]}"#,
    ] {
        let mut rig = Rig::up();
        assert!(rig.client(line).is_empty(), "{line}");
        assert_eq!(rig.sent.len(), 1, "{line}");
    }
}

#[test]
fn an_id_in_flight_cannot_be_used_again() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let heard = rig.client(CALL);
    assert_eq!(heard[0]["error"]["code"], -32600);
    assert_eq!(rig.sent.len(), 1);
    let heard = rig.client(&CALL.replace(":7,", ":\"7\","));
    assert!(heard.is_empty(), "a string is another id than a number");
    assert_eq!(rig.sent.len(), 2);
}

#[test]
fn an_id_can_be_used_again_once_it_is_answered() {
    let mut rig = Rig::up();
    for _ in 0..3 {
        rig.client(CALL);
        assert_eq!(rig.server(r#"{"id":ID,"result":{"content":[]}}"#)[0]["id"], 7);
    }
}

#[test]
fn a_cancelled_request_is_withdrawn_under_our_id() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let id = rig.last_id();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"x"}}"#;
    assert!(rig.client(cancel).is_empty());
    assert_eq!(rig.sent.last().unwrap(), &cancel.replace(":7,", &format!(":{id},")));
    assert!(rig.server(r#"{"id":ID,"result":{"content":[]}}"#).is_empty());
    assert!(rig.recorded.is_empty(), "a late answer to it is no failure");
    assert!(rig.session.is_idle());
    let count = rig.sent.len();
    rig.client(cancel);
    assert_eq!(rig.sent.len(), count, "what is over cannot be cancelled");
    assert!(rig.after(Duration::from_secs(61)).is_empty());
}

#[test]
fn requests_of_the_upstream_pass_and_are_answered_once() {
    let mut rig = Rig::up();
    let ask = r#"{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{}}"#;
    let ours = rig.server(ask)[0]["id"].to_string();
    let answer = r#"{"jsonrpc":"2.0","id":"s1","result":{ "role":"user"}}"#;
    rig.client(answer);
    assert_eq!(rig.sent.len(), 0, "the client was asked under another id");
    rig.client(&answer.replace("\"s1\"", &ours));
    assert_eq!(rig.sent, [answer]);
    rig.client(&answer.replace("\"s1\"", &ours));
    assert_eq!(rig.sent.len(), 1, "nobody waits for a second answer");
    let ours = rig.server(ask)[0]["id"].clone();
    let withdrawn =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s1"}}"#;
    assert_eq!(rig.server(withdrawn)[0]["params"]["requestId"], ours);
    assert!(rig.server(withdrawn).is_empty(), "it was withdrawn before");
}

#[test]
fn progress_and_other_notifications_pass_both_ways() {
    let mut rig = Rig::up();
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#;
    assert_eq!(rig.server(progress).len(), 1);
    rig.client(progress);
    assert_eq!(rig.sent, [progress]);
}

#[test]
fn what_was_withdrawn_makes_room_for_what_is_asked() {
    let mut rig = Rig::up();
    for id in 0..MOST + 10 {
        assert!(rig.client(&CALL.replace(":7,", &format!(":{id},"))).is_empty(), "{id}");
        rig.client(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ));
    }
}

#[test]
fn there_is_a_limit_to_what_is_in_progress() {
    let mut rig = Rig::up();
    for id in 0..MOST {
        assert!(rig.client(&CALL.replace(":7,", &format!(":{id},"))).is_empty());
    }
    let heard = rig.client(&CALL.replace(":7,", ":\"more\","));
    assert_eq!(code(&heard[0]), "OVERLOADED");
    assert_eq!(fault(&heard[0])["effect"], "none");
}

#[test]
fn a_line_that_is_too_long_is_refused_in_bounded_memory() {
    let mut rig = Rig::up();
    rig.session.client_long(
        br#"{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":"aaaa"#,
        Sender::default(),
        &mut rig.actions,
    );
    let heard = rig.heard();
    assert_eq!((heard[0]["id"].as_i64(), code(&heard[0])), (Some(3), "INPUT_TOO_LARGE"));
    rig.session.client_long_end(br#"aaaa"}}"#, 1 << 30, Sender::default(), &mut rig.actions);
    assert!(rig.heard().is_empty());
    rig.session.client_long(
        br#"{"method":"x","params":{"a":"aaaa"#,
        Sender::default(),
        &mut rig.actions,
    );
    assert!(rig.heard().is_empty());
    rig.session.client_long_end(
        br#"aaaa"},"jsonrpc":"2.0","id":"z"}"#,
        1 << 30,
        Sender::default(),
        &mut rig.actions,
    );
    let heard = rig.heard();
    assert_eq!((heard[0]["id"].as_str(), code(&heard[0])), (Some("z"), "INPUT_TOO_LARGE"));
    assert_eq!(fault(&heard[0])["details"]["size_bytes"], 1 << 30);
}

#[test]
fn a_large_request_is_judged_without_its_arguments() {
    let mut rig = Rig::knowing(Mode::Enforce);
    let large = CALL.replace("a.txt", &"a".repeat(80_000));
    rig.client(&large);
    assert_eq!(rig.sent.last().unwrap().len(), large.len() + 13);
    let heard = rig.server(super::FAILED);
    assert_eq!(heard[0]["id"], 7);
    assert_eq!(fault(&heard[0])["context"]["tool"], "read");
}

#[test]
fn while_failures_cannot_be_recorded_requests_are_refused() {
    let mut rig = Rig::up();
    rig.session.admit_calls(false);
    rig.session.client_line(CALL.as_bytes(), Sender::default(), &mut rig.actions);
    assert!(!rig.actions.faults[0].is_to_be_recorded());
    let heard = rig.heard();
    assert_eq!(code(&heard[0]), "AUDIT_LOG_FAILED");
    assert!(rig.sent.is_empty());
    rig.session.admit_calls(true);
    assert!(rig.client(CALL).is_empty());
    assert_eq!(rig.sent.len(), 1);
}
