//! Failures that tasks carry: judged and dressed where they stand.

use serde_json::{Value, json};

use super::{CALL, Rig};
use crate::{
    outgoing::ToClient,
    session::{ClientKind, UpstreamKind},
    settings::Mode,
};

const GET: &str = r#"{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t"}}"#;
const FAILED: &str = r#"{"content":[{"type":"text","text":"ENOENT: no such file or directory, open 'a.txt'"}],"isError":true,"_meta":{"a":1}}"#;

/// A session that has begun a task for a call of `read`.
fn begun(mode: Mode) -> Rig {
    let mut rig = Rig::knowing(mode);
    rig.client(CALL);
    rig.server(r#"{"jsonrpc":"2.0","id":ID,"result":{"task":{"taskId":"t","status":"working"}}}"#);
    rig.recorded.clear();
    rig
}

fn envelope<'v>(answer: &'v Value, place: &str) -> &'v Value {
    answer.pointer(&format!("{place}/dev.redress~1fault")).unwrap_or(&Value::Null)
}

#[test]
fn a_completed_task_whose_call_failed_is_dressed_inside() {
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"taskId":"t","status":"completed","result":{FAILED},"x":1}}}}"#
    );
    for mode in [Mode::Observe, Mode::Annotate, Mode::Enforce] {
        let mut rig = begun(mode);
        rig.client(GET);
        let answer = rig.server(&line).remove(0);
        assert_eq!((&answer["id"], &answer["result"]["x"]), (&3.into(), &1.into()));
        assert_eq!(answer["result"]["result"]["_meta"]["a"], 1);
        let fault = envelope(&answer, "/result/result/_meta");
        assert_eq!(fault["code"].is_null(), mode == Mode::Observe);
        let text = answer["result"]["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.starts_with("FILE_NOT_FOUND: "), mode == Mode::Enforce, "{text}");
        assert_eq!(rig.recorded[0]["code"], "FILE_NOT_FOUND");
        assert_eq!(rig.recorded[0]["context"]["tool"], "read", "the task's tool is known");
        assert_eq!(rig.recorded.len(), 1);
    }
}

#[test]
fn a_flag_that_is_no_boolean_is_no_success_of_a_task() {
    let mut rig = begun(Mode::Enforce);
    rig.client(&GET.replace("tasks/get", "tasks/result"));
    let line = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{FAILED}}}"#);
    let answer = rig.server(&line.replace("true", r#""true""#)).remove(0);
    assert_eq!(envelope(&answer, "/result/_meta")["code"], "UPSTREAM_PROTOCOL_ERROR");
}

#[test]
fn a_completed_task_of_a_failed_call_shows_no_secret() {
    let mut rig = begun(Mode::Enforce);
    rig.client(GET);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"taskId":"t","statusMessage":"with password=hunter2hunter2","status":"completed","result":{FAILED}}}}}"#
    );
    let answer = rig.server(&line).remove(0);
    assert_eq!(answer["result"]["statusMessage"], "with password=[redacted]");
    assert_eq!(envelope(&answer, "/result/result/_meta")["code"], "FILE_NOT_FOUND");
}

#[test]
fn a_failed_task_keeps_its_error() {
    let line = r#"{"jsonrpc":"2.0","id":ID,"result":{"taskId":"t","status":"failed","error":{"code":-32603,"message":"ENOENT: no such file or directory, open 'a.txt'"}}}"#;
    for mode in [Mode::Annotate, Mode::Enforce] {
        let mut rig = begun(mode);
        rig.client(GET);
        let answer = rig.server(line).remove(0);
        assert_eq!(answer["result"]["status"], "failed");
        assert_eq!(answer["result"]["error"]["code"], -32_603);
        assert_eq!(envelope(&answer, "/result/error/data")["code"], "FILE_NOT_FOUND");
    }
}

#[test]
fn what_the_state_of_a_failed_task_states_bounds_what_is_told() {
    let no = Value::from(r#"ECONNREFUSED: {"retryable":false,"effect":"done"}"#).to_string();
    for state in [
        format!(r#""statusMessage":{no}"#),
        format!(r#""error":{no}"#),
        format!(r#""statusMessage":"ECONNREFUSED","_meta":{{"a":{no}}}"#),
    ] {
        let mut rig = begun(Mode::Enforce);
        rig.client(GET);
        let state = format!(r#"{{"taskId":"t","status":"failed",{state}}}"#);
        let line = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{state}}}"#);
        let answer = rig.server(&line).remove(0);
        let told = envelope(&answer, "/result/_meta");
        assert_eq!((&told["retryable"], &told["effect"]), (&json!(false), &json!("done")));
    }
}

#[test]
fn a_failed_task_without_an_error_is_a_failure_by_its_words() {
    for (words, code, shown) in [
        (
            r#","statusMessage":"ENOENT: no such file or directory, open 'a.txt'""#,
            "FILE_NOT_FOUND",
            json!("ENOENT: no such file or directory, open 'a.txt'"),
        ),
        (
            r#","statusMessage":"connect with password=hunter2hunter2 failed: ECONNREFUSED""#,
            "UPSTREAM_UNAVAILABLE",
            json!("connect with password=[redacted] failed: ECONNREFUSED"),
        ),
        (
            r#","error":"cannot open a.txt with password=hunter2hunter2: ENOENT: no such file""#,
            "FILE_NOT_FOUND",
            Value::Null,
        ),
        (r#","error":null,"statusMessage":7"#, "UNKNOWN_TOOL_FAILURE", json!(7)),
        ("", "UNKNOWN_TOOL_FAILURE", Value::Null),
    ] {
        for mode in [Mode::Observe, Mode::Annotate, Mode::Enforce] {
            let mut rig = begun(mode);
            rig.client(GET);
            let state = format!(r#"{{"taskId":"t","status":"failed"{words},"_meta":{{"a":1}}}}"#);
            let answer =
                rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{state}}}"#)).remove(0);
            assert_eq!((&answer["id"], &answer["result"]["status"]), (&3.into(), &"failed".into()));
            assert_eq!(answer["result"]["_meta"]["a"], 1);
            let said: Value = serde_json::from_str(&state).unwrap();
            let shown = if mode == Mode::Enforce { &shown } else { &said["statusMessage"] };
            assert_eq!(&answer["result"]["statusMessage"], shown);
            let is_told = answer["result"].to_string().contains("hunter2");
            assert_eq!(is_told, mode != Mode::Enforce && words.contains("hunter2"));
            let told = envelope(&answer, "/result/_meta")["code"].clone();
            assert_eq!(told, if mode == Mode::Observe { Value::Null } else { code.into() });
            assert_eq!(rig.recorded.len(), 1, "{state}");
            assert_eq!(rig.recorded[0]["code"], code);
            assert_eq!(rig.recorded[0]["context"]["tool"], "read");
        }
    }
}

#[test]
fn what_is_no_failure_passes_as_it_is() {
    for state in [
        r#"{"taskId":"t","status":"working"}"#,
        r#"{"taskId":"t","status":"input_required","inputRequests":{}}"#,
        r#"{"taskId":"t","status":"completed","result":{"content":[]}}"#,
        r#"{"taskId":"t","status":"cancelled"}"#,
    ] {
        let mut rig = begun(Mode::Enforce);
        rig.client(GET);
        let line = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{state}}}"#);
        let answer = rig.server(&line).remove(0);
        assert_eq!(answer["result"], serde_json::from_str::<Value>(state).unwrap());
        assert_eq!(rig.recorded.len(), 0, "{state}");
    }
}

#[test]
fn the_result_of_a_task_is_the_result_of_its_call() {
    let mut rig = begun(Mode::Enforce);
    rig.client(&GET.replace("tasks/get", "tasks/result"));
    let answer = rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{FAILED}}}"#)).remove(0);
    assert_eq!(envelope(&answer, "/result/_meta")["code"], "FILE_NOT_FOUND");
    assert_eq!(envelope(&answer, "/result/_meta")["context"]["tool"], "read");
    assert_eq!((&answer["result"]["_meta"]["a"], &answer["id"]), (&1.into(), &3.into()));
    assert!(answer["result"]["structuredContent"].is_object(), "its tool has no schema");
}

#[test]
fn a_failed_task_is_recorded_before_the_client_hears() {
    let line = format!(
        r#"{{"method":"notifications/tasks","params":{{"taskId":"t","status":"completed","result":{FAILED}}}}}"#
    );
    for mode in [Mode::Observe, Mode::Annotate, Mode::Enforce] {
        let mut rig = begun(mode);
        rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
        assert!(rig.actions.to_client.is_empty());
        assert_eq!(rig.actions.faults[0].address(), Some(ToClient::Any));
        let (_, heard) = rig.messages().remove(0);
        assert_eq!(heard["method"], "notifications/tasks");
        assert_eq!(heard["params"]["result"]["_meta"]["a"], 1);
        let fault = envelope(&heard, "/params/result/_meta");
        assert_eq!(fault["code"].is_null(), mode == Mode::Observe);
        assert_eq!(rig.recorded[0]["code"], "FILE_NOT_FOUND");
        assert_eq!(rig.recorded[0]["context"]["tool"], "read");
    }
}

#[test]
fn a_status_that_a_server_tells_of_is_recorded_too() {
    let mut rig = begun(Mode::Enforce);
    let line = r#"{"method":"notifications/tasks/status","params":{"taskId":"t","status":"failed","statusMessage":"ENOENT: no such file or directory, open 'a.txt'"}}"#;
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    let (_, heard) = rig.messages().remove(0);
    assert_eq!(heard["method"], "notifications/tasks/status");
    assert_eq!(envelope(&heard, "/params/_meta")["code"], "FILE_NOT_FOUND");
    assert_eq!(rig.recorded[0]["code"], "FILE_NOT_FOUND");
}

#[test]
fn what_a_failed_result_has_beside_its_text_is_not_lost() {
    let image = "A".repeat(2_000);
    let line = json!({"jsonrpc": "2.0", "id": "ID", "result": {
        "content": [
            {"type": "text", "text": "ENOENT: no such file or directory, open 'a.txt'"},
            {"type": "resource_link", "uri": "file:///log", "name": "log"},
            {"type": "image", "data": image, "mimeType": "image/png"},
        ],
        "structuredContent": {"errno": 2},
        "isError": true,
        "_meta": {"vendor/trace": "t-9", "dev.redress/fault": {"code": "FORGED"}},
    }});
    let line = line.to_string().replace("\"ID\"", "ID");
    let mut rig = Rig::between(ClientKind::Pipe, UpstreamKind::Pipe);
    for _ in 0..3 {
        rig.client(CALL);
        if rig.sent.iter().any(|it| it.contains("tools/list")) {
            rig.after(std::time::Duration::from_secs(2));
        }
        rig.server(&line);
        let answer = rig.after(std::time::Duration::from_secs(2)).pop();
        let Some(answer) = answer else { continue };
        assert_eq!(answer["result"]["_meta"]["vendor/trace"], "t-9");
        let fault = envelope(&answer, "/result/_meta");
        assert_eq!(fault["code"], "FILE_NOT_FOUND");
        let upstream = &fault["details"]["upstream"];
        assert_eq!(upstream["structuredContent"]["errno"], 2);
        assert_eq!(upstream["content"][0]["uri"], "file:///log");
        assert_eq!(upstream["content"][1]["type"], "image");
        assert!(upstream["content"][1]["bytes"].as_u64().unwrap() > 2_000);
    }
    assert!(!rig.recorded.is_empty());
}
