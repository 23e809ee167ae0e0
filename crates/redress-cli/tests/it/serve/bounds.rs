//! What clients may take of the gate in sum: memory, sessions and calls in progress.

use std::{
    fs,
    io::{self, Write as _},
    net::TcpStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{ask, assert_refused, call, many::begin, say};
use crate::gate::{
    client::{Client, Via, bad_server, envelope, fault, pause},
    http::{Answer, Http, connect, post},
};

/// The most memory that the gate may take, in KiB: 300 MB.
const MOST_KIB: u64 = 300_000_000 / 1024;

/// How many connections send bodies that do not end.
const ATTACKERS: usize = 100;

/// How many connections do not read their answers.
const READERS: usize = 60;

/// How long something may take that happens by itself.
const PATIENCE: Duration = Duration::from_secs(120);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

const TOKENS: [(&str, &str); 2] =
    [("TOKEN_A", "the-token-of-caller-a"), ("TOKEN_B", "the-token-of-caller-b")];
const A: (&str, &str) = ("Authorization", "Bearer the-token-of-caller-a");
const B: (&str, &str) = ("Authorization", "Bearer the-token-of-caller-b");

/// Longer than anything here takes on a busy machine: what is bounded is memory, not time.
const DEADLINE_MS: u64 = 3_600_000;

/// A gate before the bad server, with sections of a file and settings of the server.
fn gate(sections: &str, settings: &str, env: &[(&str, &str)]) -> (Client, Http) {
    let server = bad_server().display().to_string();
    let config = format!(
        "{sections}\n[server.bad]\ncommand = [{server:?}]\ndeadline_ms = {DEADLINE_MS}\n{settings}\n"
    );
    let client = Client::with_config(Via::Serve, &config, "bad", &[], env);
    let http = client.http();
    (client, http)
}

/// The same for two callers with a token each.
fn gate_for_two(settings: &str) -> (Client, Http) {
    gate("[auth]\ntokens = ['${TOKEN_A}', '${TOKEN_B}']", settings, &TOKENS)
}

/// Looks again and again until something is there.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what}");
        pause();
    }
}

/// A call of a tool that another client makes.
fn called(http: &Http, session: &str, tool: &str, arguments: &Value) -> Value {
    let headers = [("Mcp-Session-Id", session)];
    message(say(http, &headers, &call(&json!(2), tool, arguments))).expect("a message")
}

/// The message in an answer, which is a stream of events for a client that has waited for long.
fn message(mut answer: Answer) -> Option<Value> {
    let is_stream = answer.header("content-type") == Some("text/event-stream");
    let text = if is_stream { answer.event() } else { answer.piece() };
    text.and_then(|it| serde_json::from_str(&it).ok())
}

/// Whether the rest of a request is taken. The gate may have answered before its end, and closed the connection.
fn is_sent(stream: &mut TcpStream, mut bytes: usize) -> bool {
    let piece = vec![b' '; 64 << 10];
    while bytes > 0 {
        let now = bytes.min(piece.len());
        match stream.write_all(&piece[..now]) {
            Ok(()) => bytes -= now,
            Err(_) => return false,
        }
    }
    true
}

/// Sends a request that says that its body has so many bytes, and sends only some of them. Gives the connection if all were taken.
fn unfinished(http: &Http, session: &str, length: usize, sent: usize) -> Option<TcpStream> {
    let mut stream = connect(&http.address);
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: {session}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
        http.path
    );
    stream.write_all(head.as_bytes()).unwrap();
    is_sent(&mut stream, sent).then_some(stream)
}

/// What a connection was answered, if it was refused.
fn refusal(stream: TcpStream) -> Option<Value> {
    stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    // What is still being read is answered by nothing.
    if !stream.peek(&mut [0]).is_ok_and(|it| it == 1) {
        return None;
    }
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let answer = Answer::read(stream)?;
    // On a busy machine a body may come too slowly.
    if answer.status == 408 {
        return None;
    }
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    Some(answer.json())
}

#[test]
fn unfinished_bodies_leave_memory_and_others_alone() {
    let (client, http) = gate("", "", &[]);
    let session = begin(&http);
    // Most of each body comes, and never its end.
    let attack = |_: usize| unfinished(&http, &session, 15 << 20, (15 << 20) - 1);
    let held: Vec<TcpStream> = thread::scope(|scope| {
        let starts = (0..4).map(|of| {
            scope.spawn(move || (of..ATTACKERS).step_by(4).filter_map(attack).collect::<Vec<_>>())
        });
        let threads: Vec<_> = starts.collect();
        // Others are served meanwhile.
        for _ in 0..20 {
            let answer = called(&http, &session, "pid", &json!({}));
            assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
        }
        threads.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let peak = client.peak_kib();
    assert!(peak <= MOST_KIB, "{peak} KiB");
    // Also a message that is not small, while the attack goes on.
    let text = "x".repeat(100 << 10);
    let answer = called(&http, &session, "pid", &json!({"text": text}));
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    let is_answered = |it: &TcpStream| {
        it.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        it.peek(&mut [0]).is_ok()
    };
    // Those that are refused have sent all but a byte, for which the gate waits a while.
    until("few are refused", || {
        (held.iter().filter(|it| is_answered(it)).count() > ATTACKERS / 4).then_some(())
    });
    let refused: Vec<Value> = held.into_iter().filter_map(refusal).collect();
    for body in &refused {
        assert_eq!(fault(body)["code"], "OVERLOADED", "{body}");
    }
    // What was held is given back: a large message is taken now.
    let large = "x".repeat(14 << 20);
    until("a large message is refused for ever", || {
        let answer = called(&http, &session, "pid", &json!({"text": large}));
        envelope(&answer).is_none().then_some(())
    });
    drop(writeln!(
        io::stderr(),
        "peak {peak} KiB, {} of {ATTACKERS} heard that they were refused",
        refused.len()
    ));
    client.end();
}

#[test]
fn answers_that_nobody_reads_are_bounded_in_sum() {
    let (client, http) = gate("", "sharing = \"shared\"", &[]);
    let session = begin(&http);
    let headers = [("Mcp-Session-Id", &*session)];
    // Other ids than that of `called`: on a slow machine a response starts as a stream, before its answer is there.
    let waiting: Vec<TcpStream> = (100..100 + READERS)
        .map(|id| {
            let message = call(&json!(id), "large", &json!({"mib": 8}));
            post(&http.address, &http.path, &headers, message.as_bytes()).into_stream()
        })
        .collect();
    // Each has the start of its answer, and reads none of it.
    for stream in &waiting {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(stream.peek(&mut [0]).unwrap(), 1);
    }
    let peak = client.peak_kib();
    assert!(peak <= MOST_KIB, "{peak} KiB");
    let answer = called(&http, &session, "pid", &json!({}));
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    let mut refused = 0;
    for stream in waiting {
        let answer = Answer::read(stream).unwrap();
        assert_eq!(answer.status, 200);
        // An answer that was not read for too long is cut.
        let Some(body) = message(answer) else { continue };
        if let Some(fault) = envelope(&body) {
            assert_eq!(
                (&fault["code"], &fault["effect"]),
                (&json!("OVERLOADED"), &json!("unknown"))
            );
            refused += 1;
        }
    }
    assert!(refused > 0);
    drop(writeln!(io::stderr(), "peak {peak} KiB, {refused} of {READERS} answers dropped"));
    until("no memory is given back", || {
        let answer = called(&http, &session, "large", &json!({"mib": 8}));
        envelope(&answer).is_none().then_some(())
    });
    client.end();
}

/// A server whose sessions open, and that then does as a script says; `$1` is a folder.
fn script(folder: &Path, then: &str) -> String {
    let opened = r#"read l; id=$(printf %s "$l" | sed 's/.*"id":\([0-9]*\).*/\1/'); printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}\n' "$id""#;
    let script = format!("{opened}; {then}");
    format!("[server.bad]\ncommand = ['sh', '-c', {script:?}, 'sh', '{}']\n", folder.display())
}

#[test]
fn unfinished_lines_of_servers_are_bounded_in_sum() {
    const SERVERS: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let write = "head -c 15000000 /dev/zero; touch $1/$$; exec sleep 600";
    let config = script(folder.path(), write);
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    for _ in 0..SERVERS {
        begin(&http);
    }
    until("the servers have not written all", || {
        (fs::read_dir(folder.path()).unwrap().count() == SERVERS).then_some(())
    });
    let peak = client.peak_kib();
    assert!(peak <= MOST_KIB, "{peak} KiB");
    drop(writeln!(io::stderr(), "peak {peak} KiB with {SERVERS} unfinished lines"));
    client.end();
}

#[test]
fn what_waits_for_servers_is_bounded_in_sum() {
    const SERVERS: usize = 30;
    let folder = tempfile::tempdir().unwrap();
    let config = script(folder.path(), "exec sleep 600");
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let sessions: Vec<String> = (0..SERVERS).map(|_| begin(&http)).collect();
    let text = "x".repeat(10 << 20);
    let notice =
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"text": text}});
    let notice = notice.to_string();
    let mut refused = 0;
    for session in &sessions {
        for _ in 0..3 {
            let answer = say(&http, &[("Mcp-Session-Id", session)], &notice);
            if answer.status == 503 {
                refused += 1;
                assert_refused(answer, 503, 4903, "OVERLOADED");
            } else {
                assert_eq!(answer.status, 202);
            }
        }
    }
    let peak = client.peak_kib();
    assert!(peak <= MOST_KIB, "{peak} KiB");
    assert!(refused > 0);
    drop(writeln!(io::stderr(), "peak {peak} KiB, {refused} of {} refused", 3 * SERVERS));
    // With its session goes what waits for its server.
    for session in &sessions {
        assert_eq!(ask(&http, "DELETE", &[("Mcp-Session-Id", session)]).status, 204);
    }
    let other = begin(&http);
    until("no memory is given back", || {
        let answer = say(&http, &[("Mcp-Session-Id", &other)], &notice);
        (answer.status == 202).then_some(())
    });
    client.end();
}

/// Opens sessions until there is no place for another one.
fn open_all(http: &Http, who: (&str, &str), tries: usize) -> Vec<String> {
    let mut open = Vec::new();
    for _ in 0..tries {
        let answer = say(http, &[who], INITIALIZE);
        match answer.header("mcp-session-id") {
            Some(id) => open.push(id.to_owned()),
            None => assert_refused(answer, 503, 4903, "OVERLOADED").as_object().map_or((), drop),
        }
    }
    open
}

#[test]
fn one_caller_does_not_lock_another_out_of_sessions() {
    let (client, http) = gate_for_two("sharing = \"shared\"");
    let of_a = open_all(&http, A, 64);
    assert_eq!(of_a.len(), 48, "the last quarter is for others");
    let of_b = open_all(&http, B, 20);
    assert_eq!(of_b.len(), 16);
    let headers = [B, ("Mcp-Session-Id", &*of_b[0])];
    let answer = say(&http, &headers, &call(&json!(2), "pid", &json!({}))).json();
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    client.end();
}

#[test]
fn one_caller_does_not_take_the_last_calls() {
    let (client, http) =
        gate_for_two("sharing = \"shared\"\nlimits = { concurrency = 8, session_concurrency = 4 }");
    let of_a = open_all(&http, A, 4);
    let mut waiting = Vec::new();
    for id in 0..8 {
        let headers = [A, ("Mcp-Session-Id", &*of_a[id % 4])];
        let message = call(&json!(id), "sleep", &json!({"ms": 600_000}));
        waiting.push(post(&http.address, &http.path, &headers, message.as_bytes()).into_stream());
        (0..20).for_each(|_| pause());
    }
    let mut refused = 0;
    for stream in &waiting {
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        refused += usize::from(stream.peek(&mut [0]).is_ok_and(|it| it == 1));
    }
    assert_eq!(refused, 2, "the last quarter is for others");
    let of_b = open_all(&http, B, 1);
    let headers = [B, ("Mcp-Session-Id", &*of_b[0])];
    let answer = say(&http, &headers, &call(&json!(2), "pid", &json!({}))).json();
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    for session in &of_a {
        assert_eq!(ask(&http, "DELETE", &[A, ("Mcp-Session-Id", session)]).status, 204);
    }
    drop(waiting);
    client.end();
}

#[test]
fn a_session_without_a_message_gives_its_place_away() {
    let limits = "[limits]\nsession_first_call_ms = 1000";
    let (client, http) = gate(limits, "max_sessions = 4", &[]);
    let used = begin(&http);
    called(&http, &used, "pid", &json!({}));
    (0..3).for_each(|_| drop(begin(&http)));
    // There is no place at first, or a second has passed.
    let first = say(&http, &[], INITIALIZE);
    assert!(matches!(first.status, 200 | 503));
    until("sessions without a message stay", || {
        (say(&http, &[], INITIALIZE).status == 200).then_some(())
    });
    let answer = called(&http, &used, "pid", &json!({}));
    assert!(answer["result"]["content"][0]["text"].is_string(), "the one that is used stays");
    client.end();
}
