//! Repeats of a call that cannot succeed: the server gets few of them, and nothing else is held back.

use std::time::Duration;

use serde_json::Value;

use super::{CALL, Rig, card, code, fault, settings};
use crate::{
    loop_guard::LoopRule,
    metrics::CountedEvent,
    settings::{Mode, Settings},
};

/// A failure of a validator, which refused the arguments.
const REFUSED: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"MCP error -32602: Input validation error: Invalid arguments for tool read: [\n  {\n    \"code\": \"invalid_type\",\n    \"expected\": \"number\",\n    \"received\": \"string\",\n    \"path\": [\n      \"path\"\n    ],\n    \"message\": \"Expected number, received string\"\n  }\n]"}],"isError":true}}"#;

fn rig(mode: Mode) -> Rig {
    let mut rig = Rig::gated(Settings { loop_guard: LoopRule::default(), ..settings(mode) });
    rig.ready();
    rig
}

/// Makes a call, which the server answers in this way if it gets it. Gives the answer, and whether the server got it.
fn call(rig: &mut Rig, call: &str, answer: &str) -> (Value, bool) {
    let before = rig.sent.len();
    let mut heard = rig.client(call);
    let calls = rig.sent.iter().skip(before).filter(|it| it.contains("tools/call")).count();
    if calls == 1 {
        // The gate may ask for the list of tools before it.
        let id = rig.sent.iter().rev().find(|it| it.contains("tools/call")).unwrap();
        let id = serde_json::from_str::<Value>(id).unwrap()["id"].to_string();
        heard = rig.server_bytes(answer.replace("\"id\":ID", &format!("\"id\":{id}")).as_bytes());
        if heard.is_empty() {
            heard = rig.after(Duration::from_secs(1));
        }
    }
    let [heard] = &heard[..] else { panic!("{heard:?}") };
    (heard.clone(), calls == 1)
}

/// How many of so many calls reach the server.
fn reached(rig: &mut Rig, times: usize, answer: &str) -> usize {
    (0..times).filter(|_| call(rig, CALL, answer).1).count()
}

/// A result that is a failure with this text.
fn failed(text: &str) -> String {
    let text = Value::from(text);
    format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":{text}}}],"isError":true}}}}"#
    )
}

/// A result with an envelope of the server.
fn stated(code: &str, retry: &str) -> String {
    failed(&format!(
        r#"{{"v":1,"code":"{code}","message":"m","retry":{{"kind":"{retry}"}},"effect":"none"}}"#
    ))
}

#[test]
fn of_sixty_repeats_a_handful_reaches_the_server() {
    let mut rig = rig(Mode::Enforce);
    let mut times = Vec::new();
    for second in 0..60 {
        let (answer, is_sent) = call(&mut rig, CALL, REFUSED);
        if is_sent {
            times.push(second);
        } else {
            assert_eq!(code(&answer), "REPEATED_FAILURE");
        }
        rig.actions.now.at += Duration::from_secs(1);
    }
    assert!(times.len() <= 5 && times[..3] == [0, 1, 2], "{times:?}");
    let metrics = &rig.session.server.metrics;
    assert_eq!(metrics.event(CountedEvent::LoopTrial), times.len() as u64 - 3);
    assert_eq!(metrics.event(CountedEvent::LoopRefused), 60 - times.len() as u64);
    assert_eq!(rig.recorded.len(), 60, "each is on record");
}

#[test]
fn the_card_says_what_it_repeats_and_what_to_do() {
    let mut rig = rig(Mode::Enforce);
    assert_eq!(reached(&mut rig, 3, REFUSED), 3);
    let (answer, _) = call(&mut rig, CALL, REFUSED);
    let (card, fault) = (card(&answer), fault(&answer));
    assert!(
        card.starts_with("REPEATED_FAILURE: The same call failed 3 times with INVALID_"),
        "{card}"
    );
    assert!(card.contains("Do not make this call again as it is."), "{card}");
    assert!(card.contains("Expected path: number."), "{card}");
    assert!(card.contains("Nothing was changed"), "{card}");
    let told = (&fault["class"], &fault["retry"]["kind"], &fault["effect"]);
    assert_eq!(told, (&"failed_precondition".into(), &"after_change".into(), &"none".into()));
    let told = (&fault["origin"], &fault["basis"], &fault["details"]["repeats"]["basis"]);
    assert_eq!(told, (&"gate".into(), &"protocol".into(), &"inferred".into()));
}

#[test]
fn the_spelling_of_the_arguments_does_not_matter() {
    let of = |arguments: &str| CALL.replace(r#"{"path":"a.txt"}"#, arguments);
    let mut rig = rig(Mode::Enforce);
    for arguments in
        [r#"{"path":"a","n":{"x":1,"y":[]}}"#, r#"{ "n":{"y":[ ],"x":1}, "path":"\u0061" }"#]
    {
        call(&mut rig, &of(arguments), REFUSED);
        call(&mut rig, &of(arguments), REFUSED);
    }
    assert!(!call(&mut rig, &of(r#"{"n":{"x":1,"y":[]},"path":"a"}"#), REFUSED).1);
    assert!(call(&mut rig, &of(r#"{"n":{"x":1,"y":[]},"path":"b"}"#), REFUSED).1);
    let other = of(r#"{"n":{"x":1,"y":[]},"path":"a"}"#).replace("\"read\"", "\"write\"");
    assert!(call(&mut rig, &other, REFUSED).1);
}

#[test]
fn a_success_in_between_lets_the_next_calls_through() {
    let mut rig = rig(Mode::Enforce);
    let edit = CALL.replace("\"read\"", "\"write\"");
    for _ in 0..5 {
        assert_eq!(reached(&mut rig, 2, REFUSED), 2);
        call(&mut rig, &edit, r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#);
    }
    assert_eq!(reached(&mut rig, 9, REFUSED), 3);
    call(&mut rig, &edit, r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#);
    assert_eq!(reached(&mut rig, 9, REFUSED), 3);
}

#[test]
fn what_a_repeat_may_mend_is_never_held_back() {
    for answer in [
        failed("It did not work out this time"),
        failed("The order was not found"),
        failed("ENOENT: no such file or directory, open 'a.txt'"),
        stated("UNKNOWN_TOOL_FAILURE", "never"),
        stated("CONFLICT", "after_state"),
        stated("AUTH_REQUIRED", "after_human"),
        stated("RATE_LIMITED", "after_delay"),
        stated("UPSTREAM_UNAVAILABLE", "now"),
        failed("1 test failed: left 3, right 4\nexit code 1"),
    ] {
        let mut rig = rig(Mode::Enforce);
        assert_eq!(reached(&mut rig, 9, &answer), 9, "{answer}");
    }
    let unknown = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"read"}}"#;
    for answer in [
        stated("INVALID_INPUT_VALUE", "after_change"),
        stated("UNSUPPORTED", "never"),
        unknown.to_owned(),
    ] {
        let mut rig = rig(Mode::Enforce);
        assert_eq!(reached(&mut rig, 9, &answer), 3, "{answer}");
    }
}

#[test]
fn another_text_is_another_failure() {
    let mut rig = rig(Mode::Enforce);
    for number in 0..9 {
        let answer = REFUSED.replace("Expected", &format!("({number}) Expected"));
        assert!(call(&mut rig, CALL, &answer).1);
    }
}

#[test]
fn a_gate_that_observes_only_counts() {
    let mut rig = rig(Mode::Observe);
    assert_eq!(reached(&mut rig, 9, REFUSED), 9);
    let metrics = &rig.session.server.metrics;
    assert_eq!(metrics.event(CountedEvent::LoopObserved), 6);
    assert_eq!(metrics.event(CountedEvent::LoopRefused), 0);
}

#[test]
fn a_guard_that_is_off_holds_nothing_back() {
    let mut rig = Rig::up();
    assert_eq!(reached(&mut rig, 9, REFUSED), 9);
}
