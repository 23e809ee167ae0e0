//! A remote server that does what it is told, and what is heard of it.

mod forms;
mod server;
mod sessions;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use redress_proxy::{
    memory::Account,
    outgoing::{MessageQueue, ReplyToken, ToUpstream},
    session::{ClientKind, HttpFailure},
    upstream_id::UpstreamId,
};
use tokio::runtime::{Builder, Runtime};

use self::server::{Act, Server, json, pause, status, stream};
use super::{MessageSource, Remote, RemoteAddress, UpstreamEvents};

/// Notes what is heard, and who still waits.
#[derive(Debug, Default)]
struct RecordingEvents {
    heard: Mutex<Vec<String>>,
    owed: Mutex<Vec<UpstreamId>>,
    /// Nothing more is taken for now.
    is_full: AtomicBool,
}

impl UpstreamEvents for Arc<RecordingEvents> {
    fn on_message(&self, line: &[u8], source: MessageSource) -> bool {
        let line = String::from_utf8_lossy(line).into_owned();
        let mut owed = self.owed.lock().expect("unpoisoned");
        owed.retain(|it| !line.contains(std::str::from_utf8(&it.digits()).expect("digits")));
        self.heard.lock().expect("unpoisoned").push(line);
        source.about.is_some_and(|it| owed.contains(&it))
    }

    fn on_stream(&self, _about: UpstreamId, _is_primed: bool) {}

    fn on_failure(&self, id: UpstreamId, how: &HttpFailure<'_>) {
        self.owed.lock().expect("unpoisoned").retain(|it| *it != id);
        let told = match how {
            HttpFailure::Status { status, retry_after, body, .. } => {
                format!("status {status} {retry_after:?} {}", String::from_utf8_lossy(body))
            }
            HttpFailure::Unreachable { phase, sent, .. } => {
                format!("unreachable {phase:?} sent={sent}")
            }
            HttpFailure::TooLarge { bytes } => format!("too large {bytes:?}"),
            HttpFailure::OutOfMemory => "out of memory".to_owned(),
            HttpFailure::Cut { detail } => format!("cut {detail}"),
            HttpFailure::Malformed { detail } => format!("malformed {detail}"),
        };
        self.heard.lock().expect("unpoisoned").push(told);
    }

    fn on_session_lost(&self, _id: UpstreamId) {
        self.heard.lock().expect("unpoisoned").push("expired".to_owned());
    }

    fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    fn on_wait(&self, _id: UpstreamId) {}

    fn on_resume(&self, id: UpstreamId) -> bool {
        self.is_owed(id)
    }

    fn is_owed(&self, id: UpstreamId) -> bool {
        self.owed.lock().expect("unpoisoned").contains(&id)
    }
}

/// A remote server with its events, on a runtime of its own.
struct Rig {
    runtime: Runtime,
    remote: Arc<Remote>,
    events: Arc<RecordingEvents>,
    asked: usize,
}

impl Rig {
    fn new(url: &str) -> Self {
        Self::before(RemoteAddress::new(url, [], false).expect("an address"))
    }

    fn before(address: RemoteAddress) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let events = Arc::<RecordingEvents>::default();
        let address = Arc::new(address);
        let handle = runtime.handle().clone();
        let sink = Box::new(Arc::clone(&events));
        let remote =
            Remote::new(address, ClientKind::Pipe, (10_000, Account::default()), handle, sink);
        Self { runtime, remote, events, asked: 0 }
    }

    fn push(&self, to: ToUpstream, line: &str) {
        let mut mail = MessageQueue::default();
        mail.add_parts(to, &[line.as_bytes(), b"\n"]);
        self.remote.push(&mail, &mut Vec::new());
    }

    /// Sends a request of that method. Its id is a number that nobody else has.
    fn ask(&mut self, method: &str) -> UpstreamId {
        self.asked += 1;
        let id = UpstreamId::read(format!("{:014}", self.asked).as_bytes()).expect("an id");
        self.events.owed.lock().expect("unpoisoned").push(id);
        let line = format!(r#"{{"jsonrpc":"2.0","id":"{:014}","method":"{method}"}}"#, self.asked);
        self.push(ToUpstream::Request(id, ReplyToken::default()), &line);
        id
    }

    /// Waits until so much was heard.
    fn hears(&self, count: usize) -> Vec<String> {
        for _ in 0..500 {
            let heard = self.events.heard.lock().expect("unpoisoned").clone();
            if heard.len() >= count {
                return heard;
            }
            pause(10);
        }
        panic!("heard only {:?}", self.events.heard.lock());
    }

    /// Sends a request and waits for what is heard of it.
    fn call(&mut self, method: &str) -> String {
        let before = self.events.heard.lock().expect("unpoisoned").len();
        self.ask(method);
        self.hears(before + 1).pop().expect("something was heard")
    }
}

#[test]
fn a_server_that_answers_early_is_sent_the_rest() {
    let server = Server::new(|_, asked| {
        let answer = asked.answer();
        Act::Keep(format!("{:x}\r\n{answer}\r\n0\r\n\r\n", answer.len()).into())
    });
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    server.answers_early(head);
    let mut rig = Rig::new(&server.url());
    let long = "x".repeat(16 << 20);
    for count in 1..=2 {
        rig.ask(&long);
        assert!(rig.hears(count)[count - 1].contains(r#""result":{}"#));
    }
    assert!(server.asked().iter().all(|it| it.body.contains(&long)));
    assert_eq!(server.connections(), 1, "it is used again");
}

#[test]
fn one_connection_serves_one_request_after_the_other() {
    let server = Server::new(|_, request| json(&request.answer()));
    let mut rig = Rig::new(&server.url());
    for _ in 0..5 {
        assert!(rig.call("ping").contains(r#""result""#));
    }
    assert_eq!((server.asked().len(), server.connections()), (5, 1));
    let first = server.asked().remove(0);
    for header in ["accept: application/json, text/event-stream", "content-type: application/json"]
    {
        assert!(first.head.contains(header), "{}", first.head);
    }
    assert!(!first.head.contains("accept-encoding") && !first.head.contains("mcp-session-id"));
}

#[test]
fn a_connection_closed_while_idle_is_no_failure() {
    let server = Server::new(|_, request| Act::Close(json(&request.answer()).bytes()));
    let mut rig = Rig::new(&server.url());
    for _ in 0..5 {
        assert!(rig.call("ping").contains(r#""result""#));
        pause(20);
    }
    assert_eq!((server.asked().len(), server.connections()), (5, 5));
}

#[test]
fn a_request_that_may_have_arrived_is_never_sent_again() {
    let server = Server::new(|number, request| match number {
        0 => json(&request.answer()),
        _ => Act::Close(Vec::new()),
    });
    let mut rig = Rig::new(&server.url());
    assert!(rig.call("ping").contains(r#""result""#));
    assert_eq!(rig.call("tools/call"), "unreachable Read sent=true");
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_stream_that_breaks_off_is_taken_up_again_where_it_was() {
    let server = Server::new(|_, request| match request.method() {
        "GET" => stream(&format!("id: 2\ndata: {}\n\n", request.last_event_answer())),
        _ => Act::Close(
            stream("retry: 1\nid: x\ndata: {\"method\":\"notifications/a\"}\n\ndata: {").bytes(),
        ),
    });
    let mut rig = Rig::new(&server.url());
    rig.ask("tools/call");
    let heard = rig.hears(2);
    assert_eq!(heard[0], r#"{"method":"notifications/a"}"#);
    assert!(heard[1].contains("00000000000001"), "{heard:?}");
    assert!(server.asked()[1].head.contains("last-event-id: x"), "{}", server.asked()[1].head);
}

#[test]
fn a_stream_is_taken_up_again_after_a_temporary_refusal() {
    let server = Server::new(|number, request| match number {
        0 => Act::Close(stream("retry: 1\nid: x\ndata:\n\n").bytes()),
        1..=4 => status("503 Service Unavailable", ""),
        5 => status("429 Too Many Requests\r\nretry-after: 1", ""),
        _ => stream(&format!("data: {}\n\n", request.last_event_answer())),
    });
    let mut rig = Rig::new(&server.url());
    assert!(rig.call("tools/call").contains(r#""result""#), "{:?}", rig.hears(1));
    assert_eq!(server.asked().len(), 7);
}

#[test]
fn a_client_that_does_not_read_is_told_nothing_more() {
    let server = Server::new(|_, _| stream(&"data: {\"method\":\"a\"}\n\n".repeat(9)));
    let mut rig = Rig::new(&server.url());
    rig.events.is_full.store(true, Ordering::Relaxed);
    rig.ask("tools/call");
    rig.hears(1);
    pause(50);
    assert_eq!(rig.hears(1).len(), 1);
    rig.events.is_full.store(false, Ordering::Relaxed);
    assert_eq!(rig.hears(10).len(), 10, "and the end, which is a failure");
}

#[test]
fn a_stream_that_breaks_off_for_good_is_a_failure() {
    let server = Server::new(|_, _| Act::Close(stream("data: {\"method\":\"a\"}\n\n").bytes()));
    let mut rig = Rig::new(&server.url());
    rig.ask("tools/call");
    assert!(rig.hears(2)[1].starts_with("cut "), "{:?}", rig.hears(2));
}

#[test]
fn a_server_may_move_within_itself_and_nowhere_else() {
    let server = Server::new(|number, request| match number {
        0 => Act::Keep(
            b"HTTP/1.1 307 Temporary Redirect\r\nlocation: /mcp/\r\ncontent-length: 0\r\n\r\n"
                .to_vec(),
        ),
        1 | 2 => json(&request.answer()),
        _ => Act::Keep(
            b"HTTP/1.1 307 x\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
                .to_vec(),
        ),
    });
    let mut rig = Rig::new(&server.url());
    assert!(rig.call("ping").contains("result"));
    assert!(rig.call("ping").contains("result"));
    let paths: Vec<_> = server.asked().iter().map(|it| it.path().to_owned()).collect();
    assert_eq!(paths, ["/mcp", "/mcp/", "/mcp/"]);
    assert_eq!(rig.call("ping"), "status 307 None ");
}

#[test]
fn what_is_withdrawn_is_closed() {
    let server = Server::new(|_, _| Act::Hang);
    let mut rig = Rig::new(&server.url());
    let id = rig.ask("tools/call");
    server.waits_for(1);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"00000000000001"}}"#;
    rig.push(ToUpstream::Cancel(id), cancel);
    server.waits_for(2);
    assert_eq!(server.asked()[1].method(), "notifications/cancelled");
    assert!(server.sees_the_end(), "the connection stayed open");
}

#[test]
fn nobody_there_is_told_by_how_far_we_came() {
    let mut rig = Rig::new("http://127.0.0.1:1/mcp");
    assert_eq!(rig.call("ping"), "unreachable Connect sent=false");
    let mut rig = Rig::new("http://x.invalid/mcp");
    assert_eq!(rig.call("ping"), "unreachable Dns sent=false");
    let server = Server::new(|_, request| json(&request.answer()));
    let mut rig = Rig::new(&server.url().replace("http:", "https:"));
    assert_eq!(rig.call("ping"), "unreachable Tls sent=false");
}
