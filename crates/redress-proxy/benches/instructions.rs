//! Plays one scenario N times through a session without I/O: `cargo xtask perf` counts the instructions of it.
#![expect(clippy::print_stdout, reason = "a benchmark tells what it can measure")]
#![expect(clippy::expect_used, reason = "a scenario that does not play as meant is no figure")]

use std::{
    env,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use redress::redact;
use redress_govern::eval::{Language, inspect};
use redress_ledger::{Redactor, Time};
use redress_proxy::{
    moment::Moment,
    outgoing::Sender,
    server::Server,
    session::{Actions, ClientKind, Session, UpstreamKind},
    settings::Settings,
    tail::Tail,
};
use redress_registry::shipped;
use redress_wire::json::{Doc, Limits};

/// A scenario: its name, how often a long run plays it, and what plays it that often.
struct Scenario {
    name: &'static str,
    times: usize,
    play: fn(usize),
}

const SCENARIOS: [Scenario; 10] = [
    Scenario { name: "success", times: 2000, play: |times| calls(times, Answer::Text(64)) },
    Scenario {
        name: "success-text-256k",
        times: 20,
        play: |times| calls(times, Answer::Text(256 << 10)),
    },
    Scenario {
        name: "success-dense-256k",
        times: 20,
        play: |times| calls(times, Answer::Dense(256 << 10)),
    },
    Scenario { name: "failure-repeated", times: 400, play: |times| calls(times, Answer::Failure) },
    Scenario { name: "failure-new", times: 200, play: |times| calls(times, Answer::NewFailure) },
    Scenario { name: "rpc-error", times: 200, play: |times| calls(times, Answer::RpcError) },
    Scenario { name: "notification", times: 2000, play: notifications },
    Scenario { name: "redact-4k", times: 100, play: redactions },
    Scenario { name: "eval-10k", times: 20, play: inspections },
    Scenario { name: "json-256k", times: 20, play: parses },
];

fn main() {
    let mut args = env::args().skip(1).filter(|it| !it.starts_with("--"));
    match (args.next(), args.next()) {
        (Some(name), Some(times)) => {
            let known = SCENARIOS.iter().find(|it| it.name == name);
            let times = times.parse().expect("a number of times");
            (known.expect("a scenario of the list").play)(times);
        }
        _ => SCENARIOS.iter().for_each(|it| println!("{} {}", it.name, it.times)),
    }
}

/// What the server answers.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Text(usize),
    Dense(usize),
    Failure,
    NewFailure,
    RpcError,
}

impl Answer {
    /// The line before and after the id of the request.
    fn parts(self, nth: usize) -> (String, String) {
        let head = r#"{"jsonrpc":"2.0","id":"#.to_owned();
        let tail = match self {
            Self::Text(bytes) => format!(
                r#","result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
                r#"a line of a log with \"quotes\" and\n"#.repeat(bytes.div_ceil(36))
            ),
            Self::Dense(bytes) => format!(
                r#","result":{{"content":[],"structuredContent":{{"rows":[{}[]]}}}}}}"#,
                r#"[1,true,"a",null,2.5],"#.repeat(bytes / 22)
            ),
            Self::Failure => failed("a.txt"),
            Self::NewFailure => failed(&format!("file-{nth}.txt")),
            Self::RpcError => format!(
                r#","error":{{"code":-32603,"message":"connection to host {nth} refused"}}}}"#
            ),
        };
        (head, tail)
    }
}

fn failed(path: &str) -> String {
    format!(
        r#","result":{{"content":[{{"type":"text","text":"ENOENT: no such file or directory, open '{path}'"}}],"isError":true}}}}"#
    )
}

/// A pipe on both sides, and a clock that moves a second with each call, so that no limit of rate is met.
struct Driver {
    session: Session,
    actions: Actions,
    start: Instant,
    seconds: u64,
}

impl Driver {
    fn new() -> Self {
        let start = Instant::now();
        let mut settings = Settings::new(
            "files".to_owned(),
            Arc::clone(shipped::core()),
            Arc::new(Redactor::default()),
        );
        // Every call reaches the server: a scenario is one way through the pipeline.
        settings.loop_guard.enabled = false;
        let server = Arc::new(Server::new(settings, start).seeded(1));
        let mut session = Session::new(server, ClientKind::Pipe, UpstreamKind::Pipe);
        let mut actions = Actions::new(Moment { at: start, wall: Time::from_millis(0) });
        session.upstream_ready(Arc::new(Tail::default()), &mut actions);
        let mut driver = Self { session, actions, start, seconds: 0 };
        driver.learn_tools();
        driver
    }

    /// Moves the clock to the next second.
    fn tick(&mut self) {
        self.seconds += 1;
        let at = self.start + Duration::from_secs(self.seconds);
        self.actions.now = Moment { at, wall: Time::from_millis(self.seconds * 1000) };
    }

    /// A list of tools passes, as at the start of every session.
    fn learn_tools(&mut self) {
        self.request(br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        let id = self.id_of_request();
        let list = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"read","inputSchema":{{"type":"object","properties":{{"path":{{"type":"string"}}}}}}}}]}}}}"#
        );
        self.answer(list.as_bytes());
    }

    fn request(&mut self, line: &[u8]) {
        self.session.client_line(line, Sender::default(), &mut self.actions);
    }

    /// The id under which the upstream got the last request.
    fn id_of_request(&mut self) -> String {
        let sent = self.actions.to_upstream.messages().last().expect("the request is sent").1;
        let text = std::str::from_utf8(sent).expect("a request is text");
        let id = text.split_once("\"id\":").expect("a request has an id").1;
        let id = id.chars().take_while(char::is_ascii_digit).collect();
        self.actions.to_upstream.clear();
        id
    }

    /// Gives the answer to the session, renders what failed, and empties the queue to the client.
    fn answer(&mut self, line: &[u8]) {
        self.session.upstream_line(line, &mut self.actions);
        let mut rendered = Vec::new();
        for pending in self.actions.faults.drain(..) {
            pending.render(None, &mut rendered);
        }
        let passed = self.actions.to_client.messages().count();
        assert!(passed > 0 || !rendered.is_empty(), "each request is answered");
        black_box(rendered);
        self.actions.to_client.clear();
    }
}

fn calls(times: usize, answer: Answer) {
    let mut driver = Driver::new();
    let lines: Vec<_> = (0..times).map(|nth| answer.parts(nth)).collect();
    let mut line = String::new();
    for (nth, (head, tail)) in lines.iter().enumerate() {
        driver.tick();
        let path = if matches!(answer, Answer::NewFailure) {
            format!("file-{nth}.txt")
        } else {
            "a.txt".to_owned()
        };
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{nth},"method":"tools/call","params":{{"name":"read","arguments":{{"path":"{path}"}}}}}}"#
        );
        driver.request(call.as_bytes());
        line.clear();
        line.push_str(head);
        line.push_str(&driver.id_of_request());
        line.push_str(tail);
        driver.answer(line.as_bytes());
    }
}

/// Log messages of the server, which pass.
fn notifications(times: usize) {
    let mut driver = Driver::new();
    let line = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half of it is done"}}"#;
    for _ in 0..times {
        driver.answer(line);
    }
}

fn redactions(times: usize) {
    let text = "2026-01-19 15:32:10 INFO worker 12 wrote 4096 bytes to /srv/data/file-7.bin, user=anna, took 12 ms\n".repeat(41);
    for _ in 0..times {
        black_box(redact::clean(black_box(&text)));
    }
}

fn inspections(times: usize) {
    const SCRIPT: &str = include_str!("../../../fuzz/corpus/eval/script.js");
    let code = SCRIPT.repeat(10_000 / SCRIPT.len());
    for _ in 0..times {
        assert_eq!(inspect(Language::JavaScript, black_box(&code), &mut || false), Ok(()));
    }
}

fn parses(times: usize) {
    let (head, tail) = Answer::Dense(256 << 10).parts(0);
    let line = format!("{head}7{tail}");
    for _ in 0..times {
        assert!(Doc::parse(black_box(line.as_bytes()), Limits::DOCUMENT).is_ok());
    }
}
