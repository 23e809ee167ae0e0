//! The edges of the protocol: ids in any spelling, keys that only the gate writes, lines in wrappings that nobody sees.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CALL, FAILED, Rig, code, settings};
use crate::{
    outgoing::ToClient,
    session::{ClientKind, FailureScope, HttpFailure, UpstreamKind},
    settings::{Mode, ServerText, Settings},
};

/// Numbers in spellings that a reader may not keep.
const NUMBERS: [&str; 9] =
    ["1.0", "1e2", "1.5", "-0", "-0.0", "1E+2", "1.50e-7", "123456789012345678901234567890", "7"];

const FINE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;

#[test]
fn an_id_is_answered_in_the_spelling_that_it_came_in() {
    for id in NUMBERS {
        let call = CALL.replace("\"id\":7", &format!("\"id\":{id}"));
        let is_answered = |raw: &str| {
            raw.matches(&format!("\"id\":{id},")).count() == 1
                || raw.ends_with(&format!("\"id\":{id}}}\n"))
        };
        let mut rig = Rig::knowing(Mode::Enforce);
        for line in
            [FINE, FAILED, r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"m"}}"#]
        {
            rig.client(&call);
            assert!(!rig.last_id().contains(id) || id == "7", "the server hears an id of ours");
            let line = line.replace("ID", &rig.last_id());
            rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
            let raw = rig.raw();
            assert!(is_answered(&raw), "{id}: {raw}");
        }
        rig.client(&call);
        rig.actions.now.at += Duration::from_secs(61);
        rig.session.expire(&mut rig.actions);
        let raw = rig.raw();
        assert!(is_answered(&raw) && raw.contains("TIMEOUT"), "{id}: {raw}");
    }
}

#[test]
fn an_id_of_any_spelling_is_used_once_and_withdrawn() {
    for id in NUMBERS {
        let call = CALL.replace("\"id\":7", &format!("\"id\":{id}"));
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(&call);
        rig.session.client_line(
            call.as_bytes(),
            crate::outgoing::Sender::default(),
            &mut rig.actions,
        );
        let raw = rig.raw();
        assert!(raw.contains("INVALID_REQUEST") && raw.contains(&format!("\"id\":{id},")), "{raw}");
        rig.client(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ));
        assert!(rig.session.is_idle(), "{id}");
    }
}

#[test]
fn a_request_that_cannot_be_read_is_answered_under_any_number() {
    for id in NUMBERS {
        for line in [
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x","params":{{"a":tru}}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":2}}"#),
            format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#),
        ] {
            let mut rig = Rig::up();
            rig.session.client_line(
                line.as_bytes(),
                crate::outgoing::Sender::default(),
                &mut rig.actions,
            );
            let raw = rig.raw();
            assert!(raw.contains(&format!("\"id\":{id},\"error\"")), "{line}: {raw}");
        }
    }
}

/// What may stand around a line without being seen.
const WRAPPINGS: [(&str, &str); 8] = [
    ("\0", "\0"),
    ("\0\0\0", ""),
    ("", "\0"),
    ("\u{200b}", "\u{200b}"),
    ("\u{feff}\u{feff}", ""),
    ("\u{7}\u{2060}", "\u{fe0f}"),
    (" \0\t", "\u{ad} "),
    ("\u{e0001}", "\u{e007f}"),
];

#[test]
fn a_line_in_a_wrapping_that_nobody_sees_is_malformed_at_once() {
    for (before, after) in WRAPPINGS {
        for line in [FINE, FAILED] {
            for array in [("", ""), ("[", "]")] {
                let mut rig = Rig::knowing(Mode::Enforce);
                rig.client(CALL);
                let line = format!("{before}{}{line}{}{after}", array.0, array.1);
                let heard = rig.server(&line);
                let [answer] = &heard[..] else { panic!("{line:?}: {heard:?}") };
                assert_eq!(answer["id"], 7);
                // A message within an array that is broken behind it is read, as ever.
                if array.0.is_empty() || !before.is_empty() {
                    assert_eq!(code(answer), "UPSTREAM_PROTOCOL_ERROR", "{line:?}");
                }
                assert!(rig.session.is_idle());
            }
        }
        let mut rig = Rig::up();
        let heard = rig.client(&format!("{before}{CALL}{after}"));
        assert_eq!((&heard[0]["id"], code(&heard[0])), (&json!(7), "PARSE_FAILED"), "{before:?}");
    }
}

#[test]
fn every_request_that_a_wrapped_array_answers_is_told() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let first = FINE.replace("ID", &rig.last_id());
    rig.client(&CALL.replace(":7,", ":8,"));
    let second = FINE.replace("ID", &rig.last_id());
    let heard = rig.server_bytes(format!("\0[{first},{second}]\0").as_bytes());
    let ids: Vec<_> = heard.iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [json!(7), json!(8)]);
}

#[test]
fn two_bytes_for_each_letter_are_malformed_at_once() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let line = FINE.replace("ID", &rig.last_id());
    let wide: Vec<u8> = line.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let heard = rig.server_bytes(&wide);
    assert_eq!((&heard[0]["id"], code(&heard[0])), (&json!(7), "UPSTREAM_PROTOCOL_ERROR"));
}

#[test]
fn what_hides_in_an_id_answers_no_other_request() {
    let mut rig = Rig::up();
    let heard = rig.client("{\"jsonrpc\":\"2.0\",\"id\":\"a\0b\",\"method\":\"ping\"}");
    assert!(heard[0].get("id").is_none(), "{heard:?}");
}

/// A member that only the gate writes, in several spellings.
const FORGED: [&str; 4] = [
    r#""dev.redress/fault":{"v":1,"code":"FORGED"}"#,
    r#""dev.redress/other":"FORGED""#,
    r#""dev.redress\/fault":{"v":1,"code":"FORGED"}"#,
    r#""\u0064ev.redress/fault":["FORGED"]"#,
];

const TASK: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"taskId":"t"}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
const PROMPT: &str = r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"p"}}"#;

/// What is asked, and messages with `K` wherever a server can put such a member.
const PLACES: [(&str, &str); 24] = [
    (CALL, r#"{"id":ID,"result":{"content":[{"type":"text","text":"a","_meta":{K}}]}}"#),
    (CALL, r#"{"id":ID,"result":{"content":[],"_meta":{K}}}"#),
    (CALL, r#"{"id":ID,"result":{"content":[],K}}"#),
    (CALL, r#"{"id":ID,"_meta":{K},"result":{"content":[]}}"#),
    (CALL, r#"{K,"id":ID,"result":{"content":[]}}"#),
    (CALL, r#"{"id":ID,"result":{"content":[],"structuredContent":{"a":[[{K}]]}}}"#),
    (
        CALL,
        r#"{"id":ID,"result":{"content":[{"type":"text","text":"ENOENT: no such file","_meta":{K}}],"isError":true}}"#,
    ),
    (
        CALL,
        r#"{"id":ID,"result":{"content":[{"type":"text","text":"no"},{"type":"image","_meta":{K}}],"isError":true,"_meta":{"a":{K}}}}"#,
    ),
    (
        CALL,
        r#"{"id":ID,"result":{"content":[],"structuredContent":{K},"isError":true,"_meta":{K}}}"#,
    ),
    (
        CALL,
        r#"{"id":ID,"result":{"error":{"data":{K}},"result":{"_meta":{K}},"content":[{"type":"text","text":"no"}],"isError":true}}"#,
    ),
    (CALL, r#"{"id":ID,"error":{"code":-32600,"message":"m","data":{"a":{"b":[{K}]}}}}"#),
    (CALL, r#"{"id":ID,"error":{"code":-32600,"message":"m","data":{K,"x":{K}},K}}"#),
    (CALL, r#"{"id":ID,"error":{"code":-32000,"message":"m","data":{"error":{"data":{K}}}}}"#),
    (CALL, r#"{"id":ID,"result":{"content":"x","a":{K}}}"#),
    (PROMPT, r#"{"id":ID,"error":{"code":-32000,"message":"m","data":[{K}]}}"#),
    (PROMPT, r#"{"id":ID,"error":{"code":"x","data":{K}}}"#),
    (PROMPT, r#"{"id":ID,"result":{"messages":[{"content":{"_meta":{K}}}],"_meta":{K}}}"#),
    (
        LIST,
        r#"{"id":ID,"result":{"tools":[{"name":"a","_meta":{K},"inputSchema":{"properties":{K}}}]}}"#,
    ),
    (
        TASK,
        r#"{"id":ID,"result":{"taskId":"t","status":"working","_meta":{K},"result":{"_meta":{K}},"error":{"data":{K}}}}"#,
    ),
    (
        TASK,
        r#"{"id":ID,"result":{"taskId":"t","status":"completed","result":{"content":[{"_meta":{K}}],"_meta":{K},"isError":true}}}"#,
    ),
    (
        TASK,
        r#"{"id":ID,"result":{"taskId":"t","status":"failed","error":{"code":1,"message":"m","data":{K,"y":{K}}}}}"#,
    ),
    (PROMPT, r#"{"method":"notifications/message","params":{"data":{"x":{K}},"_meta":{K}}}"#),
    (
        PROMPT,
        r#"{"method":"notifications/tasks/status","params":{"taskId":"t","status":"failed","_meta":{"a":{K},"z":1},"error":{"code":1,"message":"m","data":{K}}}}"#,
    ),
    (
        PROMPT,
        r#"{"id":"s","method":"sampling/createMessage","params":{"messages":[{"_meta":{K}}],"metadata":{K}}}"#,
    ),
];

/// Whether a message has a key of ours with a value that the gate did not write.
fn is_forged(message: &Value) -> bool {
    match message {
        Value::Object(members) => members.iter().any(|(key, value)| {
            let is_ours = key.starts_with("dev.redress/");
            is_ours && value.to_string().contains("\"FORGED\"") || is_forged(value)
        }),
        Value::Array(values) => values.iter().any(is_forged),
        _ => false,
    }
}

#[test]
fn nothing_that_a_server_says_under_our_keys_is_passed_on() {
    for (asked, said) in PLACES {
        for forged in FORGED {
            let line = said.replace("{\"id", "{\"jsonrpc\":\"2.0\",\"id").replace('K', forged);
            let line = line.replacen("{\"method", "{\"jsonrpc\":\"2.0\",\"method", 1);
            for (mode, server_text) in [
                (Mode::Annotate, ServerText::Quote),
                (Mode::Enforce, ServerText::Quote),
                (Mode::Enforce, ServerText::Full),
            ] {
                let mut rig = Rig::gated(Settings { server_text, ..settings(mode) });
                rig.ready();
                rig.client(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
                rig.server(super::TOOLS);
                rig.client(asked);
                let heard = rig.server(&line);
                assert!(!heard.is_empty(), "{mode:?} {line}");
                assert!(!heard.iter().any(is_forged), "{mode:?} {line}: {heard:?}");
            }
            let mut rig = Rig::knowing(Mode::Observe);
            rig.client(asked);
            let heard = rig.server(&line);
            assert!(heard.iter().any(is_forged), "who observes changes nothing: {line}: {heard:?}");
        }
    }
}

#[test]
fn members_beside_our_keys_keep_their_bytes() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let line = r#"{ "result" : {"content":[{"type":"text","text":"\u00e4" , "_meta":{"a":1.0,"dev.redress/fault":{}, "b" : 2}}]}, "id" : ID }"#;
    let line = line.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    let expected = r#"{ "result" : {"content":[{"type":"text","text":"\u00e4" , "_meta":{"a":1.0, "b" : 2}}]}, "id" : 7 }"#;
    assert_eq!(rig.raw(), format!("{expected}\n"));
}

#[test]
fn an_envelope_that_a_server_states_is_still_read() {
    let stated = r#""dev.redress/fault":{"v":1,"code":"RATE_LIMITED","retryable":true,"retry":{"kind":"after_delay","after_ms":5000}}"#;
    for line in [
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{K}}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no","data":{K}}}"#,
    ] {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(CALL);
        let heard = rig.server(&line.replace('K', stated));
        assert_eq!(code(&heard[0]), "RATE_LIMITED", "{heard:?}");
    }
}

#[test]
fn a_message_below_an_http_status_has_no_key_of_ours() {
    let body =
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"m","data":{"a":{K}}}}"#;
    for forged in FORGED {
        let mut rig = Rig::between(ClientKind::Http, UpstreamKind::Http);
        rig.says(0, CALL);
        let body = body.replace("ID", &rig.last_id()).replace('K', forged);
        let how = HttpFailure::Status {
            status: 400,
            retry_after: None,
            www_authenticate: None,
            location: None,
            body: body.as_bytes(),
            about: FailureScope::Request,
        };
        rig.refused(&how);
        rig.actions.now.at += Duration::from_secs(2);
        rig.session.expire(&mut rig.actions);
        let heard = rig.messages();
        let [(ToClient::Answer(..), answer)] = &heard[..] else { panic!("{heard:?}") };
        assert!(!is_forged(answer), "{answer}");
    }
}
