//! Many clients of one upstream: nobody sees what is another one's.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CALL, Rig, code};
use crate::{
    outgoing::{ReplyToken, ToClient, ToUpstream},
    session::{Exit, UpstreamKind, tasks::MOST},
};

pub(super) const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"c"}}}"#;
pub(super) const WELCOME: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}}"#;
pub(super) const FINE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;

pub(super) fn pipe() -> Rig {
    Rig::shared(UpstreamKind::Pipe)
}

pub(super) fn sent(rig: &Rig, at: usize) -> Value {
    serde_json::from_str(&rig.sent[at]).unwrap()
}

pub(super) fn server(rig: &mut Rig, line: &str) -> Vec<(ToClient, Value)> {
    let line = line.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    rig.messages()
}

#[test]
fn the_same_id_and_token_of_two_clients_are_kept_apart() {
    let mut rig = pipe();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{"progressToken":1}}}"#;
    rig.says(1, call);
    rig.says(2, call);
    let (one, two) = (sent(&rig, 0), sent(&rig, 1));
    assert_ne!(one["id"], two["id"]);
    assert_eq!(two["params"]["_meta"]["progressToken"], two["id"]);
    let progress =
        json!({"method": "notifications/progress", "params": {"progressToken": two["id"]}});
    let heard = server(&mut rig, &progress.to_string());
    assert_eq!(
        (heard[0].0, &heard[0].1["params"]["progressToken"]),
        (ToClient::During(ReplyToken(21)), &1.into())
    );
    let cancel = r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#;
    rig.says(1, cancel);
    assert_eq!(sent(&rig, 2)["params"]["requestId"], one["id"]);
    assert_eq!(rig.says(3, cancel), []);
    assert_eq!(rig.sent.len(), 3, "who has no such request withdraws none");
    let answer = json!({"jsonrpc": "2.0", "id": two["id"], "result": {"content": []}});
    assert_eq!(server(&mut rig, &answer.to_string())[0].0, ToClient::Answer(ReplyToken(21), 200));
}

#[test]
fn requests_without_a_session_may_have_the_same_id() {
    let mut rig = pipe();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    for reply_token in [5, 6] {
        let from = crate::outgoing::Sender {
            reply_token: ReplyToken(reply_token),
            ..crate::outgoing::Sender::default()
        };
        rig.session.client_line(call.as_bytes(), from, &mut rig.actions);
        assert_eq!(rig.messages(), []);
        assert_eq!(
            rig.sent.len(),
            usize::try_from(reply_token - 4).unwrap(),
            "it needs no opening"
        );
    }
    assert_eq!(server(&mut rig, FINE)[0].0, ToClient::Answer(ReplyToken(6), 200));
}

#[test]
fn the_upstream_can_ask_none_of_them() {
    let mut rig = pipe();
    rig.says(1, CALL);
    assert_eq!(
        server(
            &mut rig,
            r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}"#
        ),
        []
    );
    let answer = sent(&rig, 1);
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&"q".into(), &(-32_601).into()));
    assert_eq!(server(&mut rig, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#), []);
    assert_eq!(sent(&rig, 2), json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
}

#[test]
fn messages_for_all_reach_all_and_those_of_one_no_other() {
    let mut rig = pipe();
    rig.says(1, CALL);
    rig.says(2, CALL);
    let heard = server(&mut rig, r#"{"method":"notifications/tools/list_changed"}"#);
    assert_eq!(heard[0].0, ToClient::Any);
    let log = r#"{"method":"notifications/message","params":{"data":"secret of client 1"}}"#;
    assert_eq!(server(&mut rig, log), [], "nobody knows whose it is");
    server(&mut rig, FINE);
    assert_eq!(server(&mut rig, log), [], "it may be about the call that was answered");
    let mut rig = pipe();
    rig.says(1, CALL);
    assert_eq!(
        server(&mut rig, log)[0].0,
        ToClient::During(ReplyToken(17)),
        "nobody else has asked"
    );
}

#[test]
fn a_client_that_leaves_takes_only_its_own_requests_along() {
    let mut rig = pipe();
    rig.says(1, HELLO);
    server(&mut rig, WELCOME);
    rig.says(1, CALL);
    let (one, id) = (rig.last(), rig.last_id());
    rig.says(2, CALL);
    rig.session.client_left(1, &mut rig.actions);
    let to: Vec<_> = rig.actions.to_upstream.messages().map(|it| it.0).collect();
    assert_eq!(to, [ToUpstream::Cancel(one)]);
    assert_eq!(rig.messages(), []);
    assert_eq!(rig.recorded[0]["code"], "CANCELLED");
    let late = FINE.replace("ID", &id);
    assert_eq!(server(&mut rig, &late), []);
    assert!(!rig.session.is_idle(), "the other one waits");
}

#[test]
fn a_task_is_shown_to_nobody_else() {
    let mut rig = pipe();
    rig.says(1, CALL);
    let created = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task","taskId":"t-1","status":"working"}}"#;
    assert_eq!(server(&mut rig, created)[0].0, ToClient::Answer(ReplyToken(17), 200));
    let get = r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t-1"}}"#;
    for method in ["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"] {
        let heard = rig.says(2, &get.replace("tasks/get", method));
        assert_eq!(code(&heard[0].1), "NOT_FOUND");
        assert!(heard[0].1["error"]["code"].is_i64());
    }
    assert_eq!(code(&rig.says(1, &get.replace("t-1", "t-2"))[0].1), "NOT_FOUND");
    assert_eq!(
        code(&rig.says(1, r#"{"jsonrpc":"2.0","id":1,"method":"tasks/list"}"#)[0].1),
        "METHOD_NOT_FOUND"
    );
    assert_eq!(rig.sent.len(), 1);
    assert_eq!(rig.says(1, get), []);
    assert_eq!(rig.sent.len(), 2);
    let state = r#"{"method":"notifications/tasks","params":{"taskId":"t-1","status":"working"}}"#;
    assert_eq!(server(&mut rig, state)[0].0, ToClient::One(1));
    assert_eq!(server(&mut rig, &state.replace("t-1", "t-2")), []);
}

#[test]
fn a_task_cannot_be_named_in_a_way_that_only_the_server_reads() {
    let mut rig = pipe();
    let created = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task","taskId":"TASK"}}"#;
    for (client, task) in [(1, "1"), (2, "2")] {
        rig.says(client, CALL);
        server(&mut rig, &created.replace("TASK", task));
    }
    let sent = rig.sent.len();
    for (params, why) in [
        (r#"{"taskId":"2","taskId":"1"}"#, "INVALID_REQUEST"),
        (r#"{"taskId":"2","TaskId":"1"}"#, "INVALID_REQUEST"),
        (r#"{"taskId":1}"#, "NOT_FOUND"),
        (r#"{"taskId":["1"]}"#, "NOT_FOUND"),
        ("{}", "NOT_FOUND"),
    ] {
        let get = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{params}}}"#);
        assert_eq!(code(&rig.says(2, &get)[0].1), why, "{params}");
    }
    assert_eq!(rig.sent.len(), sent);
}

#[test]
fn a_task_of_which_nothing_is_known_is_nobodys() {
    let mut rig = pipe();
    let created = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task","taskId":"t-1"}}"#;
    rig.says(1, CALL);
    server(&mut rig, created);
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let get = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{{{meta},"taskId":"t-1"}}}}"#
    );
    let count = rig.sent.len();
    assert_eq!(rig.says(2, &get.replace("t-1", "t-0")), []);
    assert_eq!(rig.sent.len(), count + 1, "it may be older than the gate");
    rig.session.upstream_gone(&Exit::default(), &mut rig.actions);
    rig.after(Duration::from_secs(5));
    rig.ready();
    assert_eq!(code(&rig.says(2, &get).pop().unwrap().1), "NOT_FOUND");
}

#[test]
fn who_begins_many_tasks_has_only_its_own_forgotten() {
    let mut rig = pipe();
    let created = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task","taskId":"TASK"}}"#;
    let begin = |rig: &mut Rig, client, task: &str| {
        rig.says(client, CALL);
        server(rig, &created.replace("TASK", task));
    };
    begin(&mut rig, 1, "first");
    for number in 0..MOST + 4 {
        begin(&mut rig, 2, &number.to_string());
    }
    let get = r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"TASK"}}"#;
    assert_eq!(code(&rig.says(2, &get.replace("TASK", "first"))[0].1), "NOT_FOUND");
    assert_eq!(rig.says(1, &get.replace("TASK", "first")), []);
    assert_eq!(code(&rig.says(2, &get.replace("TASK", "0"))[0].1), "NOT_FOUND");
    assert_eq!(rig.says(2, &get.replace("TASK", "9")), []);
}

#[test]
fn a_new_process_may_give_the_id_of_a_task_to_another_client() {
    let mut rig = pipe();
    let created = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task","taskId":"1"}}"#;
    rig.says(1, CALL);
    server(&mut rig, created);
    rig.session.upstream_gone(&Exit::default(), &mut rig.actions);
    let get = r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"1"}}"#;
    assert_eq!(code(&rig.says(1, get).pop().unwrap().1), "NOT_FOUND");
    rig.says(2, CALL);
    rig.after(Duration::from_secs(5));
    rig.ready();
    server(&mut rig, created);
    assert_eq!(code(&rig.says(1, get).pop().unwrap().1), "NOT_FOUND");
    assert_eq!(rig.says(2, get), []);
}

#[test]
fn progress_of_a_task_goes_on_after_its_call_was_answered() {
    let mut rig = pipe();
    rig.says(4, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{"progressToken":"p"}}}"#);
    let id = rig.last_id();
    server(&mut rig, r#"{"jsonrpc":"2.0","id":ID,"result":{"task":{"taskId":"t-1"}}}"#);
    let line =
        format!(r#"{{"method":"notifications/progress","params":{{"progressToken":{id}}}}}"#);
    let heard = server(&mut rig, &line);
    assert_eq!(
        (heard[0].0, &heard[0].1["params"]["progressToken"]),
        (ToClient::One(4), &"p".into())
    );
}

#[test]
fn stray_output_is_told_only_where_one_client_can_be_meant() {
    let ends: [fn(&mut Rig); 2] = [
        |rig| {
            rig.stderr.add(b"lost the file of the second\n");
            let exit = Exit { code: Some(3), ..Exit::default() };
            rig.session.upstream_gone(&exit, &mut rig.actions);
        },
        |rig| {
            rig.actions.now.at += Duration::from_secs(61);
            rig.session.expire(&mut rig.actions);
        },
    ];
    for (is_alone, end) in [true, false].into_iter().flat_map(|it| ends.map(|end| (it, end))) {
        let mut rig = pipe();
        rig.says(1, HELLO);
        server(&mut rig, WELCOME);
        if !is_alone {
            rig.says(2, HELLO);
            rig.says(2, &CALL.replace(":7,", ":3,"));
        }
        rig.says(1, CALL);
        rig.session.upstream_line(b"debug: balance of the second is 4712", &mut rig.actions);
        end(&mut rig);
        let heard = rig.messages();
        let first = heard.iter().find(|it| it.1["id"] == 7).unwrap();
        assert_eq!(first.1.to_string().contains("of the second"), is_alone, "{first:?}");
    }
}

#[test]
fn the_list_of_all_tasks_is_not_offered_to_any_one() {
    let mut rig = pipe();
    rig.says(1, HELLO);
    let tasks = r#""capabilities":{"tasks":{"list":{},"cancel":{}},"tools":{}}"#;
    let heard = server(&mut rig, &WELCOME.replace(r#""capabilities":{"tools":{}}"#, tasks));
    assert_eq!(heard[0].1["result"]["capabilities"], json!({"tasks": {"cancel": {}}, "tools": {}}));
    assert_eq!(heard[0].1["result"]["protocolVersion"], "2025-06-18");
}
