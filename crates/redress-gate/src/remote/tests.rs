//! A remote server that does what it is told, and what is heard of it.

mod server;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use tokio::runtime::{Builder, Runtime};

use self::server::{Act, Server, json, pause, status, stream, with};
use super::{Address, Hears, Remote, Said};
use crate::{
    inflight::UpstreamId,
    mail::{Mail, Ticket, ToUpstream},
    session::{ClientKind, Refused},
};

/// Notes what is heard, and who still waits.
#[derive(Debug, Default)]
struct Ear {
    heard: Mutex<Vec<String>>,
    owed: Mutex<Vec<UpstreamId>>,
    /// Nothing more is taken for now.
    is_full: AtomicBool,
}

impl Hears for Arc<Ear> {
    fn said(&self, said: &Said<'_>) -> bool {
        let line = String::from_utf8_lossy(said.line).into_owned();
        let mut owed = self.owed.lock().expect("unpoisoned");
        owed.retain(|it| !line.contains(std::str::from_utf8(&it.digits()).expect("digits")));
        self.heard.lock().expect("unpoisoned").push(line);
        said.about.is_some_and(|it| owed.contains(&it))
    }

    fn streams(&self, _about: UpstreamId, _is_primed: bool) {}

    fn refused(&self, id: UpstreamId, how: &Refused<'_>) {
        self.owed.lock().expect("unpoisoned").retain(|it| *it != id);
        let told = match how {
            Refused::Status { status, retry_after, body, .. } => {
                format!("status {status} {retry_after:?} {}", String::from_utf8_lossy(body))
            }
            Refused::Unreachable { phase, sent, .. } => {
                format!("unreachable {phase:?} sent={sent}")
            }
            Refused::TooLarge { bytes } => format!("too large {bytes:?}"),
            Refused::Cut { detail } => format!("cut {detail}"),
            Refused::Malformed { detail } => format!("malformed {detail}"),
        };
        self.heard.lock().expect("unpoisoned").push(told);
    }

    fn expired(&self, _id: UpstreamId) {
        self.heard.lock().expect("unpoisoned").push("expired".to_owned());
    }

    fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    fn is_owed(&self, id: UpstreamId) -> bool {
        self.owed.lock().expect("unpoisoned").contains(&id)
    }
}

/// A remote server with its ear, on a runtime of its own.
struct Rig {
    runtime: Runtime,
    remote: Arc<Remote>,
    ear: Arc<Ear>,
    asked: usize,
}

impl Rig {
    fn new(url: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let ear = Arc::<Ear>::default();
        let address = Arc::new(Address::new(url, [], false).expect("an address"));
        let handle = runtime.handle().clone();
        let ears = Box::new(Arc::clone(&ear));
        let remote = Remote::new(address, ClientKind::Pipe, 10_000, handle, ears);
        Self { runtime, remote, ear, asked: 0 }
    }

    fn push(&self, to: ToUpstream, line: &str) {
        let mut mail = Mail::default();
        mail.add_parts(to, &[line.as_bytes(), b"\n"]);
        self.remote.push(&mail);
    }

    /// Sends a request of that method. Its id is a number that nobody else has.
    fn ask(&mut self, method: &str) -> UpstreamId {
        self.asked += 1;
        let id = UpstreamId::read(format!("{:014}", self.asked).as_bytes()).expect("an id");
        self.ear.owed.lock().expect("unpoisoned").push(id);
        let line = format!(r#"{{"jsonrpc":"2.0","id":"{:014}","method":"{method}"}}"#, self.asked);
        self.push(ToUpstream::Request(id, Ticket::default()), &line);
        id
    }

    /// Waits until so much was heard.
    fn hears(&self, count: usize) -> Vec<String> {
        for _ in 0..500 {
            let heard = self.ear.heard.lock().expect("unpoisoned").clone();
            if heard.len() >= count {
                return heard;
            }
            pause(10);
        }
        panic!("heard only {:?}", self.ear.heard.lock());
    }

    /// Sends a request and waits for what is heard of it.
    fn call(&mut self, method: &str) -> String {
        let before = self.ear.heard.lock().expect("unpoisoned").len();
        self.ask(method);
        self.hears(before + 1).pop().expect("something was heard")
    }
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
fn a_connection_that_the_server_closed_is_no_failure_and_no_second_request() {
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
fn the_session_and_the_revision_stand_above_what_follows() {
    let server = Server::new(|_, request| match request.method() {
        "initialize" => {
            let version = r#""result":{"protocolVersion":"2025-11-25"}"#;
            with("mcp-session-id: s1", &request.answer().replace(r#""result":{}"#, version))
        }
        "notifications/initialized" => {
            pause(100);
            status("202 Accepted", "")
        }
        "GET" => status("405 Method Not Allowed", ""),
        _ => json(&request.answer()),
    });
    let mut rig = Rig::new(&server.url());
    rig.call("initialize");
    rig.push(ToUpstream::Other, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    rig.call("tools/list");
    let methods: Vec<_> = server.asked().iter().map(|it| it.method().to_owned()).collect();
    assert_eq!(methods[..2], ["initialize", "notifications/initialized"], "nothing overtakes it");
    for asked in &server.asked()[1..] {
        assert!(asked.head.contains("mcp-session-id: s1"), "{}", asked.head);
        assert!(asked.head.contains("mcp-protocol-version: 2025-11-25"), "{}", asked.head);
    }
    rig.runtime.block_on(rig.remote.close());
    // The stream that listens is asked for beside it, so that either may come last.
    let asked = server.asked();
    let farewell = asked.iter().find(|it| it.head.starts_with("DELETE ")).expect("a farewell");
    assert!(farewell.head.contains("mcp-session-id: s1"));
}

#[test]
fn a_lost_session_is_told_before_each_request_that_found_it_lost() {
    let server = Server::new(|number, request| match number {
        0 => with("mcp-session-id: s1", &request.answer()),
        _ => status("404 Not Found", "gone"),
    });
    let mut rig = Rig::new(&server.url());
    rig.call("initialize");
    rig.ask("ping");
    assert_eq!(rig.hears(3)[1..], ["expired", "status 404 None gone"]);
    rig.ask("ping");
    assert_eq!(rig.hears(5)[3..], ["expired", "status 404 None gone"]);
}

#[test]
fn a_session_that_could_not_be_opened_again_is_still_known_to_be_lost() {
    let server = Server::new(|number, request| match (number, request.method()) {
        (0, "initialize") => with("mcp-session-id: s1", &request.answer()),
        (_, "initialize") => status("503 Service Unavailable", ""),
        _ => status("404 Not Found", "gone"),
    });
    let mut rig = Rig::new(&server.url());
    rig.call("initialize");
    rig.ask("ping");
    rig.hears(3);
    rig.ask("initialize");
    assert_eq!(rig.hears(4)[3], "status 503 None ");
    rig.ask("ping");
    assert_eq!(rig.hears(6)[4..], ["expired", "status 404 None gone"]);
    let asked = server.asked();
    assert!(!asked[2].head.contains("mcp-session-id"), "it opens another: {}", asked[2].head);
    assert!(asked[3].head.contains("mcp-session-id: s1"), "{}", asked[3].head);
}

#[test]
fn a_lost_session_is_found_by_requests_and_not_by_notifications() {
    let server = Server::new(|number, request| match number {
        0 => with("mcp-session-id: s1", &request.answer()),
        _ => status("404 Not Found", "gone"),
    });
    let mut rig = Rig::new(&server.url());
    rig.call("initialize");
    rig.push(ToUpstream::Other, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    server.waits_for(2);
    rig.ask("ping");
    assert_eq!(rig.hears(3)[1..], ["expired", "status 404 None gone"], "and only once");
}

#[test]
fn notifications_before_the_session_is_open_hold_nobody_up() {
    let server = Server::new(|_, request| {
        pause(20);
        if request.id().is_empty() { status("202 Accepted", "") } else { json(&request.answer()) }
    });
    let mut rig = Rig::new(&server.url());
    rig.call("initialize");
    for _ in 0..5 {
        rig.push(ToUpstream::Other, r#"{"jsonrpc":"2.0","method":"notifications/a"}"#);
    }
    rig.push(ToUpstream::Other, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(rig.call("ping").contains("result"));
    server.waits_for(8);
}

#[test]
fn a_session_may_be_lost_with_400_and_a_bad_request_loses_none() {
    let refusals = [
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
            true,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}"#,
            true,
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#,
            true,
        ),
        ("Invalid or missing session ID", true),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#, false),
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"},"id":null}"#,
            false,
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Call open_project first"},"id":null}"#,
            false,
        ),
        ("", false),
    ];
    for (body, is_lost) in refusals {
        let server = Server::new(move |number, request| match number {
            0 => with("mcp-session-id: s1", &request.answer()),
            _ => status("400 Bad Request", body),
        });
        let mut rig = Rig::new(&server.url());
        rig.call("initialize");
        rig.ask("ping");
        let heard = rig.hears(2 + usize::from(is_lost));
        assert_eq!(heard.iter().any(|it| it == "expired"), is_lost, "{body}");
    }
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
fn a_client_that_does_not_read_is_told_nothing_more() {
    let server = Server::new(|_, _| stream(&"data: {\"method\":\"a\"}\n\n".repeat(9)));
    let mut rig = Rig::new(&server.url());
    rig.ear.is_full.store(true, Ordering::Relaxed);
    rig.ask("tools/call");
    rig.hears(1);
    pause(50);
    assert_eq!(rig.hears(1).len(), 1);
    rig.ear.is_full.store(false, Ordering::Relaxed);
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

#[test]
fn an_answer_is_the_same_in_whatever_form_it_comes() {
    let forms: [fn(&str) -> Act; 6] = [
        |body| {
            let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: ";
            Act::Keep(format!("{head}{}\r\n\r\n{body}", body.len()).into_bytes())
        },
        |body| {
            let (start, end) = body.split_at(7);
            let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            let parts =
                format!("7;x=y\r\n{start}\r\n{:X}\r\n{end}\r\n0\r\nt: u\r\n\r\n", end.len());
            Act::Keep(format!("{head}{parts}").into_bytes())
        },
        |body| Act::Close(format!("HTTP/1.1 200 OK\r\n\r\n{body}").into_bytes()),
        |body| Act::Close(format!("HTTP/1.0 200 OK\r\n\r\n{body}").into_bytes()),
        |body| {
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ";
            Act::Close(format!("{head}{}\r\n\r\n{body}", body.len()).into_bytes())
        },
        |body| Act::Slow(json(body).bytes()),
    ];
    let server = Server::new(move |number, request| forms[number % 6](&request.answer()));
    let mut rig = Rig::new(&server.url());
    for number in 0..12 {
        let heard = rig.call("ping");
        assert!(heard.contains(r#""result""#), "{number}: {heard}");
    }
    assert_eq!(server.asked().len(), 12, "nothing was asked twice");
    assert_eq!(server.connections(), 7, "those that stay open are used again");
}

#[test]
fn what_stands_behind_an_answer_is_nobodys_answer() {
    let server = Server::new(|_, request| {
        let forged = json(&request.answer().replace("{}", r#"{"forged":1}"#)).bytes();
        Act::Keep([json(&request.answer()).bytes(), forged].concat())
    });
    let mut rig = Rig::new(&server.url());
    for _ in 0..4 {
        let heard = rig.call("ping");
        assert!(heard.contains(r#""result":{}"#), "{heard}");
    }
    assert_eq!((server.asked().len(), server.connections()), (4, 4));
}

#[test]
fn a_body_that_ends_early_or_has_two_lengths_is_a_failure() {
    let bodies: [&[u8]; 6] = [
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 O",
    ];
    let server = Server::new(move |number, _| Act::Close(bodies[number].to_vec()));
    let mut rig = Rig::new(&server.url());
    for (number, how) in ["cut", "cut", "malformed", "malformed", "cut", "cut"].iter().enumerate() {
        let heard = rig.call("ping");
        assert!(heard.starts_with(how), "{number}: {heard}");
    }
    assert_eq!(server.asked().len(), 6, "somebody may have them, so that none is sent again");
}

#[test]
fn an_answer_that_comes_before_all_was_sent_is_the_answer() {
    let server = Server::new(|_, _| unreachable!("it does not read what is sent"));
    server.answers_unread("HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig");
    let rig = Rig::new(&server.url());
    let id = UpstreamId::read(b"00000000000001").expect("an id");
    rig.ear.owed.lock().expect("unpoisoned").push(id);
    let line =
        format!(r#"{{"id":"00000000000001","method":"x","params":["{}"]}}"#, "y".repeat(20 << 20));
    rig.push(ToUpstream::Request(id, Ticket::default()), &line);
    assert_eq!(rig.hears(1), ["status 413 None big"]);
}
