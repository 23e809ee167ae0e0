//! Whatever happens between many clients and one upstream, each request is answered once, to the one who made it.

use std::{collections::BTreeMap, time::Duration};

use proptest::prelude::{Just, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::Value;

use super::Rig;
use crate::{
    outgoing::{ReplyToken, Sender, ToClient, ToUpstream},
    session::{Exit, FailureScope, HttpFailure, MessageSource, Phase, UpstreamKind},
    upstream_id::UpstreamId,
};

/// What can happen.
#[derive(Debug, Clone)]
enum Step {
    /// A client asks: which one, under which id, what.
    OwnRequest(u64, u8, &'static str),
    /// A client withdraws a request.
    Cancel(u64, u8),
    /// A client leaves; another one gets its place.
    Leave(u64),
    /// The stream of a request is closed.
    Close(u64),
    /// The n-th message that the upstream received is answered.
    Answer(usize, &'static str),
    /// It is refused.
    Refuse(usize, u16),
    Unreachable(usize),
    Expire,
    /// The upstream says something about a message that it received.
    Say(usize, &'static str),
    Crash,
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let asked = prop_oneof![
        Just(r#""method":"tools/call","params":{"name":"read","_meta":{"progressToken":"T"}}"#),
        Just(
            r#""method":"tools/call","params":{"name":"read","_meta":{"progressToken":"T","io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#
        ),
        Just(
            r#""method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}}}"#
        ),
        Just(r#""method":"tasks/get","params":{"taskId":"T"}"#),
        Just(r#""method":"prompts/list""#),
    ];
    let answer = prop_oneof![
        Just(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#),
        Just(
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}],"isError":true}}"#
        ),
        Just(r#"{"jsonrpc":"2.0","id":ID,"result":{"task":{"taskId":"t"}}}"#),
        Just(r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":[]}}"#),
        Just(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"x"}}"#),
        Just(r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}"#),
        Just(r#"{"id":ID,"result":NaN}"#),
        Just("<html>"),
    ];
    let said = prop_oneof![
        Just(r#"{"method":"notifications/progress","params":{"progressToken":ID}}"#),
        Just(r#"{"method":"notifications/message","params":{"data":"ID"}}"#),
        Just(r#"{"method":"notifications/tools/list_changed"}"#),
        Just(r#"{"method":"notifications/cancelled","params":{"requestId":ID}}"#),
        Just(
            r#"{"method":"notifications/tasks","params":{"taskId":"t","status":"failed","error":{"code":1,"message":"x"}}}"#
        ),
        Just(r#"{"id":ID,"method":"sampling/createMessage"}"#),
    ];
    prop_oneof![
        6 => (1u64..4, 0u8..4, asked).prop_map(|(client, id, what)| Step::OwnRequest(client, id, what)),
        1 => (1u64..4, 0u8..4).prop_map(|(client, id)| Step::Cancel(client, id)),
        1 => (1u64..4).prop_map(Step::Leave),
        1 => (0u64..40).prop_map(Step::Close),
        5 => (0usize..30, answer).prop_map(|(at, text)| Step::Answer(at, text)),
        2 => (0usize..30, prop_oneof![Just(401u16), Just(404), Just(429), Just(500), Just(503)])
            .prop_map(|(at, status)| Step::Refuse(at, status)),
        1 => (0usize..30).prop_map(Step::Unreachable),
        1 => Just(Step::Expire),
        2 => (0usize..30, said).prop_map(|(at, text)| Step::Say(at, text)),
        1 => Just(Step::Crash),
        1 => (0u64..70_000).prop_map(Step::Wait),
    ]
}

/// Who waits for what: by token, the client, its id, and whether an answer is still owed.
#[derive(Debug, Default)]
struct Books {
    asked: BTreeMap<u64, (u64, String)>,
    entry: BTreeMap<u64, i32>,
    next: u64,
}

impl Books {
    /// Checks what clients hear.
    fn heard(&mut self, letters: &[(ToClient, Value)]) -> Result<(), String> {
        for (to, letter) in letters {
            let reply_token = match to {
                ToClient::Answer(ReplyToken(reply_token), _) => {
                    let entry = self.entry.entry(*reply_token).or_default();
                    *entry -= 1;
                    let (_, id) = &self.asked[reply_token];
                    if *entry != 0 || letter["id"].as_str() != Some(id) {
                        return Err(format!("{reply_token} entry {entry}: {letter}"));
                    }
                    *reply_token
                }
                ToClient::During(ReplyToken(reply_token))
                | ToClient::Question(_, Some(ReplyToken(reply_token))) => *reply_token,
                ToClient::Question(..) | ToClient::One(_) | ToClient::Any => {
                    let is_public = letter["method"] == "notifications/tools/list_changed"
                        || matches!(to, ToClient::One(_));
                    if is_public {
                        continue;
                    }
                    return Err(format!("for all: {letter}"));
                }
            };
            // Ids and tokens of a client have its number in them.
            let (client, _) = &self.asked[&reply_token];
            let text = letter.to_string();
            let others = (1..4).filter(|it| it != client);
            for other in others {
                if text.contains(&format!("client-{other}-")) {
                    return Err(format!("{reply_token} of {client}: {text}"));
                }
            }
        }
        Ok(())
    }
}

/// What the upstream received: the message, and how it was addressed.
type Received = Vec<(ToUpstream, Value)>;

fn receive(rig: &mut Rig, received: &mut Received) -> Result<(), String> {
    for (to, letter) in rig.actions.to_upstream.messages() {
        let message: Value = serde_json::from_slice(letter).map_err(|it| it.to_string())?;
        let (id, text) = (&message["id"], message.to_string());
        let is_clean = !text.contains("client-") || text.contains("tasks/get");
        if !is_clean {
            return Err(format!("the upstream sees a client's name: {text}"));
        }
        if let ToUpstream::Request(ours, _) | ToUpstream::Own(ours, _) = to
            && id.to_string().as_bytes() != ours.digits()
        {
            return Err(format!("another id: {text}"));
        }
        received.push((to, message));
    }
    Ok(())
}

fn named(received: &Received, at: usize) -> Option<(UpstreamId, String)> {
    match received.get(at)? {
        (ToUpstream::Request(id, _) | ToUpstream::Own(id, _), message) => {
            Some((*id, message["id"].to_string()))
        }
        _ => None,
    }
}

fn happens(rig: &mut Rig, books: &mut Books, received: &Received, step: &Step, link: UpstreamKind) {
    let (session, actions) = (&mut rig.session, &mut rig.actions);
    let say = |rig: &mut Rig, at: usize, text: &str| {
        let Some((id, digits)) = named(received, at) else { return };
        let line = text.replace("ID", &digits);
        match link {
            UpstreamKind::Pipe => rig.session.upstream_line(line.as_bytes(), &mut rig.actions),
            UpstreamKind::Http => {
                let source = MessageSource {
                    about: Some(id),
                    status: Some(200),
                    ..MessageSource::default()
                };
                rig.session.upstream_message(line.as_bytes(), source, &mut rig.actions);
            }
        }
    };
    match step.clone() {
        Step::OwnRequest(client, id, what) => {
            books.next += 1;
            let id = format!("client-{client}-{id}");
            let what = what.replace("\"T\"", &format!("\"client-{client}-t\""));
            let line = format!(r#"{{"jsonrpc":"2.0","id":"{id}",{what}}}"#);
            books.asked.insert(books.next, (client, id));
            books.entry.insert(books.next, 1);
            let from = Sender { client, reply_token: ReplyToken(books.next), ..Sender::default() };
            session.client_line(line.as_bytes(), from, actions);
        }
        Step::Cancel(client, id) => {
            let line = format!(
                r#"{{"method":"notifications/cancelled","params":{{"requestId":"client-{client}-{id}"}}}}"#
            );
            let waiting = |rig: &Rig| -> Vec<u64> {
                rig.session
                    .inflight
                    .all()
                    .filter_map(|(id, _)| rig.session.inflight.exchange(id))
                    .map(|it| it.from.reply_token.0)
                    .collect()
            };
            let before = waiting(rig);
            let from = Sender { client, reply_token: ReplyToken(0), ..Sender::default() };
            rig.session.client_line(line.as_bytes(), from, &mut rig.actions);
            let after = waiting(rig);
            for reply_token in before.iter().filter(|it| !after.contains(it)) {
                books.entry.insert(*reply_token, 0);
            }
        }
        Step::Leave(client) => {
            session.client_left(client, actions);
            let entry = books.entry.iter_mut();
            entry.filter(|it| books.asked[it.0].0 == client).for_each(|it| *it.1 = 0);
        }
        Step::Close(reply_token) if books.asked.contains_key(&reply_token) => {
            session.withdraw(ReplyToken(reply_token), actions);
            books.entry.insert(reply_token, 0);
        }
        Step::Answer(at, text) | Step::Say(at, text) => say(rig, at, text),
        Step::Refuse(at, status) if link == UpstreamKind::Http => {
            if let Some((id, _)) = named(received, at) {
                let (retry_after, www_authenticate) = (None, None);
                let is_of_session = matches!(status, 400 | 404);
                let about =
                    if is_of_session { FailureScope::Session } else { FailureScope::Request };
                let how = HttpFailure::Status {
                    status,
                    retry_after,
                    www_authenticate,
                    location: None,
                    body: b"x",
                    about,
                };
                session.upstream_refused(id, &how, actions);
            }
        }
        Step::Unreachable(at) if link == UpstreamKind::Http => {
            if let Some((id, _)) = named(received, at) {
                let how =
                    HttpFailure::Unreachable { phase: Phase::Connect, detail: "", sent: false };
                session.upstream_refused(id, &how, actions);
            }
        }
        Step::Expire if link == UpstreamKind::Http => {
            if let Some((id, _)) = named(received, 0) {
                session.upstream_expired(id, actions);
            }
        }
        Step::Crash if link == UpstreamKind::Pipe => {
            session.upstream_gone(&Exit::default(), actions);
        }
        Step::Refuse(..) | Step::Unreachable(_) | Step::Expire | Step::Crash | Step::Close(_) => (),
        Step::Wait(ms) => {
            actions.now.at += Duration::from_millis(ms);
            session.expire(actions);
        }
    }
}

proptest! {
    #[test]
    fn each_request_is_answered_once_to_the_one_who_made_it(
        steps in prop::collection::vec(step(), 0..80),
        is_http in prop::bool::ANY,
    ) {
        let link = if is_http { UpstreamKind::Http } else { UpstreamKind::Pipe };
        let (mut rig, mut books) = (Rig::shared(link), Books::default());
        let mut received = Vec::new();
        let check = |rig: &mut Rig, books: &mut Books, received: &mut Received| {
            receive(rig, received).and_then(|()| books.heard(&rig.messages()))
        };
        for step in steps {
            happens(&mut rig, &mut books, &received, &step, link);
            let checked = check(&mut rig, &mut books, &mut received);
            prop_assert!(checked.is_ok(), "{step:?}: {}", checked.unwrap_err());
            if std::mem::take(&mut rig.actions.start) {
                let stderr = std::sync::Arc::clone(&rig.stderr);
                rig.session.upstream_ready(stderr, &mut rig.actions);
                let checked = check(&mut rig, &mut books, &mut received);
                prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
            }
        }
        rig.session.close(&mut rig.actions);
        let checked = check(&mut rig, &mut books, &mut received);
        prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
        let unanswered: Vec<_> = books.entry.iter().filter(|it| *it.1 != 0).collect();
        prop_assert_eq!(unanswered, Vec::<(&u64, &i32)>::new());
        prop_assert!(rig.session.is_idle());
    }
}
