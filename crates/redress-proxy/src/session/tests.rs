//! What a session promises, driven with bytes: no process, no clock.

mod admission;
mod answers;
mod edges;
mod explanations;
mod governed;
mod handshake;
mod http;
mod lifecycle;
mod loops;
mod malformed;
mod many;
mod masked;
mod requests;
mod retries;
mod routes;
mod secrets;
mod sharing;
mod startup;
mod statuses;
mod subscriptions;
mod tasks;

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use redress::Dialect;
use redress_ledger::{Redactor, Time};
use redress_registry::shipped;
use redress_wire::json::{Doc, Limits};
use serde_json::Value;

use super::{Actions, ClientKind, Exit, HttpFailure, MessageSource, Repeat, Session, UpstreamKind};
use crate::{
    breaker::BreakerRule,
    limits::LimitRule,
    loop_guard::LoopRule,
    moment::Moment,
    outgoing::{ReplyToken, Sender, ToClient},
    retry::RetryRule,
    server::Server,
    settings::{Mode, Settings},
    tail::Tail,
    upstream_id::UpstreamId,
};

const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{"path":"a.txt"}}}"#;
const OPEN: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}"#;
const OPENED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const TOOLS: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"read","annotations":{"readOnlyHint":true}},{"name":"write","outputSchema":{"type":"object"}},{"name":"delete"}]}}"#;
const FAILED: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ENOENT: no such file or directory, open 'a.txt'"}],"isError":true}}"#;

/// A session with a client and an upstream.
struct Rig {
    session: Session,
    actions: Actions,
    stderr: Arc<Tail>,
    start: Instant,
    /// What the upstream has received.
    sent: Vec<String>,
    /// What was recorded.
    recorded: Vec<Value>,
    /// Repeats that are to be recorded.
    repeats: Vec<Repeat>,
}

pub(crate) fn settings(mode: Mode) -> Settings {
    let redactor = Arc::new(Redactor::new(["hunter2hunter2"]));
    Settings {
        program: "files-server".to_owned(),
        mode,
        deadline: Duration::from_secs(60),
        max_message: 100_000,
        trust_annotations: true,
        // Where that is not what is tested, nothing is repeated, paused or limited.
        retry: RetryRule { attempts: 1, ..RetryRule::default() },
        breaker: BreakerRule { failures: 0, ..BreakerRule::default() },
        loop_guard: LoopRule { enabled: false, ..LoopRule::default() },
        limits: LimitRule { in_flight: 100_000, in_flight_per_session: 100_000, rate: None },
        ..Settings::new("files".to_owned(), Arc::clone(shipped::core()), redactor)
    }
}

impl Rig {
    /// A session whose upstream runs.
    fn up() -> Self {
        Self::with(Mode::Enforce)
    }

    fn with(mode: Mode) -> Self {
        let mut rig = Self::down(mode);
        rig.ready();
        rig
    }

    /// A session whose upstream is being started.
    fn down(mode: Mode) -> Self {
        Self::gated(settings(mode))
    }

    /// The same, gated in a way of its own.
    fn gated(settings: Settings) -> Self {
        let start = Instant::now();
        let actions =
            Actions::new(Moment { at: start, wall: Time::from_millis(1_768_836_730_123) });
        let server = Arc::new(Server::new(settings, start));
        let session = Session::new(server, ClientKind::Pipe, UpstreamKind::Pipe);
        Self::of(session, actions)
    }

    /// A session whose upstream runs, with ends of some kind.
    fn between(client: ClientKind, upstream: UpstreamKind) -> Self {
        let rig = Self::gated(settings(Mode::Enforce));
        let session = Session::new(Arc::clone(&rig.session.server), client, upstream);
        let mut rig = Self::of(session, rig.actions);
        rig.ready();
        rig
    }

    /// A session of many clients whose upstream runs.
    fn shared(upstream: UpstreamKind) -> Self {
        let rig = Self::gated(settings(Mode::Enforce));
        let session = Session::shared(Arc::clone(&rig.session.server), upstream);
        let mut rig = Self::of(session, rig.actions);
        rig.ready();
        rig
    }

    fn of(session: Session, actions: Actions) -> Self {
        let start = actions.now.at;
        let (sent, recorded) = (Vec::new(), Vec::new());
        Self {
            session,
            actions,
            stderr: Arc::default(),
            start,
            sent,
            recorded,
            repeats: Vec::new(),
        }
    }

    /// A session that knows the server's tools.
    fn knowing(mode: Mode) -> Self {
        let mut rig = Self::with(mode);
        rig.client(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
        rig.server(TOOLS);
        rig
    }

    fn ready(&mut self) -> Vec<Value> {
        self.stderr = Arc::default();
        self.session.upstream_ready(Arc::clone(&self.stderr), &mut self.actions);
        self.heard()
    }

    fn client(&mut self, line: &str) -> Vec<Value> {
        self.session.client_line(line.as_bytes(), Sender::default(), &mut self.actions);
        self.heard()
    }

    /// The upstream writes a line; `ID` is the id that it was asked under last.
    fn server(&mut self, line: &str) -> Vec<Value> {
        let line = line.replace("ID", &self.last_id());
        self.server_bytes(line.as_bytes())
    }

    fn server_bytes(&mut self, line: &[u8]) -> Vec<Value> {
        self.session.upstream_line(line, &mut self.actions);
        self.heard()
    }

    fn gone(&mut self, exit: &Exit) -> Vec<Value> {
        self.session.upstream_gone(exit, &mut self.actions);
        self.heard()
    }

    fn failed(&mut self, kind: io::ErrorKind) -> Vec<Value> {
        self.session.upstream_failed(&io::Error::from(kind), &mut self.actions);
        self.heard()
    }

    /// Lets time pass.
    fn after(&mut self, time: Duration) -> Vec<Value> {
        self.actions.now.at += time;
        self.session.expire(&mut self.actions);
        self.heard()
    }

    /// The bytes that the client gets, as they are.
    fn raw(&mut self) -> String {
        for pending in std::mem::take(&mut self.actions.faults) {
            let envelope =
                Dialect::Native.write(&pending.fault(), redress::dialect::Stamp::default());
            self.recorded.push(serde_json::from_str(&envelope).unwrap());
            pending.render(None, self.actions.to_client.as_stream());
        }
        self.repeats.append(&mut self.actions.repeats);
        let sent = std::mem::take(self.actions.to_upstream.as_stream());
        self.sent.extend(String::from_utf8_lossy(&sent).lines().map(str::to_owned));
        String::from_utf8_lossy(&std::mem::take(self.actions.to_client.as_stream())).into_owned()
    }

    /// One of many clients says something; its token is `10 * client + id` where that is a number.
    fn says(&mut self, client: u64, line: &str) -> Vec<(ToClient, Value)> {
        let id = serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap_or(9);
        let from =
            Sender { client, reply_token: ReplyToken(10 * client + id), ..Sender::default() };
        self.session.client_line(line.as_bytes(), from, &mut self.actions);
        self.messages()
    }

    /// The upstream says something over HTTP, about the request that it was sent last.
    fn said(&mut self, line: &str, status: u16) -> Vec<(ToClient, Value)> {
        let (id, about) = (self.last_id(), self.last());
        let line = line.replace("ID", &id);
        let source =
            MessageSource { about: Some(about), status: Some(status), ..MessageSource::default() };
        self.session.upstream_message(line.as_bytes(), source, &mut self.actions);
        self.messages()
    }

    fn refused(&mut self, how: &HttpFailure<'_>) -> Vec<(ToClient, Value)> {
        let last = self.last();
        self.session.upstream_refused(last, how, &mut self.actions);
        self.messages()
    }

    /// The id of the last request that the upstream received.
    fn last(&self) -> UpstreamId {
        let id = self.last_id();
        UpstreamId::of(Doc::parse(id.as_bytes(), Limits::DOCUMENT).unwrap().root()).unwrap()
    }

    /// What clients get, each with its address; what is recorded first comes last.
    fn messages(&mut self) -> Vec<(ToClient, Value)> {
        let mut all: Vec<(ToClient, Vec<u8>)> =
            self.actions.to_client.messages().map(|(to, letter)| (to, letter.to_vec())).collect();
        self.actions.to_client.clear();
        for pending in std::mem::take(&mut self.actions.faults) {
            let envelope =
                Dialect::Native.write(&pending.fault(), redress::dialect::Stamp::default());
            self.recorded.push(serde_json::from_str(&envelope).unwrap());
            let mut letter = Vec::new();
            if let Some(to) = pending.address() {
                assert!(
                    matches!(to, ToClient::Answer(_, it) if it == pending.head().status)
                        || pending.reply_token().is_none()
                );
                pending.render(None, &mut letter);
                all.push((to, letter));
            }
        }
        self.raw();
        all.into_iter().map(|(to, it)| (to, serde_json::from_slice(&it).unwrap())).collect()
    }

    fn heard(&mut self) -> Vec<Value> {
        let text = self.raw();
        text.lines().map(|it| serde_json::from_str(it).expect("a line of JSON")).collect()
    }

    /// The id of the last request that the upstream received.
    fn last_id(&self) -> String {
        let ids = self.sent.iter().rev().filter_map(|it| {
            let message: Value = serde_json::from_str(it).ok()?;
            Some(message.get("id")?.to_string())
        });
        ids.into_iter().next().unwrap_or_default()
    }
}

/// The envelope of an answer.
fn fault(answer: &Value) -> &Value {
    let fault = answer.pointer("/result/_meta/dev.redress~1fault");
    fault.or_else(|| answer.pointer("/error/data/dev.redress~1fault")).expect("an envelope")
}

fn code(answer: &Value) -> &str {
    fault(answer)["code"].as_str().unwrap()
}

/// The first line of the card.
fn card(answer: &Value) -> &str {
    answer.pointer("/result/content/0/text").and_then(Value::as_str).expect("a card")
}
