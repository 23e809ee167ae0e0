//! To whom the messages of an upstream belong, and under which names.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CALL, Rig, code};
use crate::{
    inflight::questions::MOST as MOST_ASKED,
    outgoing::{ReplyToken, ToClient},
    session::{ClientKind, UpstreamKind},
};

const WATCHED: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"a\u0062"},"name":"read"}}"#;
const LISTEN: &str = r#"{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{}}"#;
const LONG: Duration = Duration::from_secs(1_000);

fn http() -> Rig {
    Rig::between(ClientKind::Http, UpstreamKind::Pipe)
}

#[test]
fn progress_goes_to_its_request_under_the_clients_token() {
    let mut rig = http();
    rig.says(0, WATCHED);
    let id = rig.last_id();
    assert!(rig.sent[0].contains(&format!(r#""progressToken":{id}"#)), "{}", rig.sent[0]);
    rig.says(0, CALL);
    let progress = |token: &str| {
        format!(
            r#"{{"method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
        )
    };
    rig.session.upstream_line(progress(&id).as_bytes(), &mut rig.actions);
    let raw =
        String::from_utf8_lossy(rig.actions.to_client.messages().next().unwrap().1).into_owned();
    assert!(raw.contains(r#""progressToken":"a\u0062","#), "{raw}");
    assert_eq!(rig.messages()[0].0, ToClient::During(ReplyToken(2)));
    for token in ["1", "\"ab\"", "12345678901234"] {
        rig.session.upstream_line(progress(token).as_bytes(), &mut rig.actions);
        assert_eq!(rig.messages(), [], "what nobody asked for is nobody's");
    }
    rig.server_bytes(format!(r#"{{"id":{id},"result":{{"content":[]}}}}"#).as_bytes());
    rig.session.upstream_line(progress(&id).as_bytes(), &mut rig.actions);
    assert_eq!(rig.messages(), [], "it is over");
}

#[test]
fn on_a_pipe_tokens_stay_as_they_are() {
    let mut rig = Rig::up();
    rig.client(WATCHED);
    assert!(rig.sent[0].contains(r#""progressToken":"a\u0062""#));
    let heard =
        rig.server(r#"{"method":"notifications/progress","params":{"progressToken":"ab"}}"#);
    assert_eq!(heard[0]["params"]["progressToken"], "ab");
}

#[test]
fn a_subscription_has_no_deadline_and_its_own_id() {
    for mut rig in [Rig::up(), http()] {
        rig.says(0, LISTEN);
        let id = rig.last_id();
        assert!(rig.session.is_idle(), "nobody waits for its end");
        assert!(rig.after(LONG).is_empty());
        let line = format!(
            r#"{{"method":"notifications/resources/updated","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"uri":"a"}}}}"#
        );
        rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
        let (to, heard) = rig.messages().remove(0);
        assert_eq!(to, ToClient::During(ReplyToken(9)));
        assert_eq!(heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "l");
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#
        );
        rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
        let (to, heard) = rig.messages().remove(0);
        assert_eq!(to, ToClient::Answer(ReplyToken(9), 200));
        let key = "io.modelcontextprotocol/subscriptionId";
        assert_eq!(heard, json!({"jsonrpc": "2.0", "id": "l", "result": {"_meta": {key: "l"}}}));
    }
}

#[test]
fn a_subscription_that_the_server_ends_is_over() {
    for (mut rig, answers) in [(Rig::up(), 0), (http(), 1)] {
        rig.says(0, LISTEN);
        let id = rig.last_id();
        let line =
            format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
        rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
        let heard = rig.messages();
        assert_eq!(heard[0].1["params"]["requestId"], "l");
        assert_eq!(heard.len(), 1 + answers, "over HTTP an answer ends it");
        rig.session.close(&mut rig.actions);
        assert_eq!(rig.messages(), []);
    }
}

#[test]
fn whoever_listens_is_told_when_the_gate_ends() {
    let mut rig = http();
    rig.says(0, LISTEN);
    rig.session.close(&mut rig.actions);
    assert_eq!(code(&rig.messages()[0].1), "SHUTTING_DOWN");
}

#[test]
fn what_says_nothing_of_a_request_belongs_to_the_only_one() {
    let mut rig = http();
    let log = br#"{"method":"notifications/message","params":{}}"#;
    let tell = |rig: &mut Rig| {
        rig.session.upstream_line(log, &mut rig.actions);
        rig.messages()[0].0
    };
    assert_eq!(tell(&mut rig), ToClient::Any);
    rig.says(0, LISTEN);
    rig.says(0, CALL);
    assert_eq!(tell(&mut rig), ToClient::During(ReplyToken(7)), "a subscription is not meant");
    rig.says(0, WATCHED);
    assert_eq!(tell(&mut rig), ToClient::Any);
    rig.session
        .upstream_line(br#"{"method":"notifications/prompts/list_changed"}"#, &mut rig.actions);
    assert_eq!(rig.messages()[0].0, ToClient::Any);
}

#[test]
fn requests_of_a_server_that_nobody_answers_stop_no_others() {
    let mut rig = http();
    let mut asked = Vec::new();
    for id in 0..=MOST_ASKED {
        let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        rig.session.upstream_line(ping.as_bytes(), &mut rig.actions);
        asked.extend(rig.messages().into_iter().map(|it| it.1["id"].clone()));
    }
    assert_eq!(asked.len(), MOST_ASKED + 1);
    let mut answer = |id: &Value| {
        let sent = rig.sent.len();
        rig.says(0, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        rig.sent.len() - sent
    };
    assert_eq!(answer(&asked[0]), 0, "it was the oldest");
    assert_eq!((answer(&asked[1]), answer(&asked[MOST_ASKED])), (1, 1));
}

#[test]
fn a_question_is_withdrawn_however_its_id_is_spelt() {
    let mut rig = Rig::up();
    let asked = rig.server_bytes(br#"{"jsonrpc":"2.0","id":"s\u0041","method":"roots/list"}"#);
    let withdrawn =
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sA"}}"#;
    let heard = rig.server_bytes(withdrawn);
    assert_eq!(heard[0]["params"]["requestId"], asked[0]["id"]);
    assert_eq!(rig.server_bytes(withdrawn), Vec::<Value>::new(), "it is withdrawn");
}

#[test]
fn a_request_that_no_client_hears_is_answered_all_the_same() {
    let mut rig = Rig::between(ClientKind::Http, UpstreamKind::Pipe);
    rig.session.upstream_line(
        br#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}"#,
        &mut rig.actions,
    );
    let (to, asked) = rig.messages().remove(0);
    let number = asked["id"].as_u64().unwrap();
    assert_eq!(to, ToClient::Question(number, None), "so that it is known without its words");
    rig.session.unheard(number, &mut rig.actions);
    rig.messages();
    let answer: Value = serde_json::from_str(rig.sent.last().unwrap()).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&"q".into(), &(-32_603).into()));
    rig.session.unheard(number, &mut rig.actions);
    rig.messages();
    assert_eq!(rig.sent.len(), 1, "and only once");
}
