//! What is sent for a case, and what comes of it.

use std::sync::{Arc, atomic::AtomicBool};

use serde_json::{Map, Value, json};

use super::PING;
use crate::{
    client::{Client, Outgoing, Received, Reply, greet_with},
    options::ProbeOptions,
    plan::{Action, Case},
};

/// What came of a case.
#[derive(Debug)]
pub(super) struct CaseResult {
    /// The bytes that were sent, and what came of them.
    pub(super) exchanges: Vec<(Vec<u8>, Reply)>,
    /// Whether the server answered afterwards; none, if that was not asked.
    pub(super) lives: Option<bool>,
}

/// The tool that a case calls, be it one of the server's or none.
pub(super) fn tool_of(case: &Case) -> Option<&str> {
    match &case.action {
        Action::Call { tool, .. } => Some(tool),
        Action::Request { method, params } | Action::Concurrent { method, params, .. } => {
            params.get("name").filter(|_| method == "tools/call").and_then(Value::as_str)
        }
        _ => None,
    }
}

/// Sends what a case asks for, once.
pub(super) fn send(
    case: &Case,
    client: &mut Client,
    options: &ProbeOptions,
    stop: &Arc<AtomicBool>,
) -> CaseResult {
    let era = &client.era.clone();
    let owed = |client: &mut Client, messages: Vec<Outgoing>| {
        let replies = client.ask(&messages, options.deadline);
        let is_answered = replies.iter().all(|it| matches!(it.what, Received::Answer { .. }));
        // Over HTTP the next request is another connection, and shows the same.
        let is_asked = !client.is_remote() || !is_answered;
        let lives = is_asked.then(|| client.is_alive(PING));
        let exchanges = messages.into_iter().map(|it| it.bytes).zip(replies).collect();
        CaseResult { exchanges, lives }
    };
    match &case.action {
        Action::Call { tool, arguments } => {
            let mut params = Map::new();
            params.insert("name".into(), tool.as_str().into());
            params.extend(arguments.iter().map(|it| ("arguments".to_owned(), it.clone())));
            let message = client.request("tools/call", params.into());
            owed(client, vec![message])
        }
        Action::Request { method, params } => {
            let message = client.request(method, params.clone());
            owed(client, vec![message])
        }
        Action::Odd(members) => {
            let id = client.next_id();
            let mut message = members.clone();
            if let Some(members) = message.as_object_mut() {
                members.insert("id".into(), id.clone());
            }
            unowed(client, vec![Outgoing::odd(era, id, &message).unowed()], options)
        }
        Action::Concurrent { method, params, times } => {
            let messages = (0..*times).map(|_| client.request(method, params.clone())).collect();
            owed(client, messages)
        }
        Action::Broken(bytes) => {
            unowed(client, vec![Outgoing::broken(era, bytes.clone())], options)
        }
        Action::Notification { method, params } => {
            let message = Outgoing::notification(era, method, params.clone()).unowed();
            unowed(client, vec![message], options)
        }
        Action::Cancelled { method, params } => {
            let message = client.request(method, params.clone());
            let cancel = json!({"requestId": message.id, "reason": "redress probe"});
            let cancel = Outgoing::notification(era, "notifications/cancelled", cancel);
            unowed(client, vec![message.unowed(), cancel.unowed()], options)
        }
        Action::SameId { method, params } => {
            let message = client.request(method, params.clone()).unowed();
            unowed(client, vec![message.clone(), message], options)
        }
        Action::Greeting(revision) => {
            match greet_with(&options.place, revision, (options.deadline, stop)) {
                Ok((message, reply)) => {
                    CaseResult { exchanges: vec![(message.bytes, reply)], lives: None }
                }
                Err(_) => CaseResult { exchanges: Vec::new(), lives: None },
            }
        }
    }
}

/// Messages that need no answer, and a ping behind them, so that we know when nothing more comes.
fn unowed(client: &mut Client, mut messages: Vec<Outgoing>, options: &ProbeOptions) -> CaseResult {
    messages.push(client.ping());
    let mut replies = client.ask(&messages, options.deadline);
    let ping = replies.pop();
    let lives = ping.as_ref().map(|it| matches!(it.what, Received::Answer { .. }));
    let exchanges = messages.into_iter().map(|it| it.bytes).zip(replies).collect();
    CaseResult { exchanges, lives }
}
