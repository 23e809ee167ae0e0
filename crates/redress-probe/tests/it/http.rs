//! Servers over HTTP: one of each era, and those that are none.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use redress_probe::{ServerAddress, Unprobed};
use serde_json::{Value, json};

use crate::odd::{at, run};

/// What a request is answered with: the status, the type and the body.
type Answer = (u16, &'static str, String);

/// A server that answers each request by a function of its headers and its message.
fn serve(answer: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> ServerAddress {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || one(&stream, &*answer));
        }
    });
    ServerAddress::Url { url, headers: vec![("Authorization".into(), "Bearer let-me-in".into())] }
}

fn one(stream: &TcpStream, answer: &(impl Fn(&str, &Value) -> Answer + ?Sized)) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap_or_default();
        if line.trim().is_empty() {
            break;
        }
        let line = line.to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap_or_default();
    let message = serde_json::from_slice(&body).unwrap_or_default();
    let (status, kind, body) = answer(&head, &message);
    let length = body.len();
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nmcp-session-id: s1\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}").unwrap_or_default();
}

fn sse(message: &Value) -> String {
    let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
    format!(": hello\n\ndata: {note}\n\nevent: message\ndata: {message}\n\n")
}

fn error(message: &Value, code: i64, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}})
}

fn result(message: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
}

fn tools() -> Value {
    let schema =
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    json!({"tools": [{"name": "read", "inputSchema": schema, "annotations": {"readOnlyHint": true}}]})
}

fn called(message: &Value) -> Value {
    if message["params"]["name"] != "read" {
        return error(message, -32_602, "Unknown tool");
    }
    let is_fine = message["params"]["arguments"]["id"].is_string();
    let text =
        if is_fine { "done" } else { "INVALID_INPUT_TYPE: id must be a text. Do not retry." };
    result(message, &json!({"content": [{"type": "text", "text": text}], "isError": !is_fine}))
}

#[test]
fn a_session_is_opened_named_and_left_and_events_are_read() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heads = Arc::clone(&seen);
    let place = serve(move |head, message| {
        heads.lock().unwrap().push(format!("{head} {}", message["method"]));
        if head.starts_with("delete") {
            return (200, "text/plain", String::new());
        }
        let answer = match message["method"].as_str() {
            Some("initialize") => result(
                message,
                &json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "2"}}),
            ),
            Some("tools/list") => result(message, &tools()),
            Some("tools/call") if message["params"].is_object() => called(message),
            Some("ping") => result(message, &json!({})),
            Some(it) if it.starts_with("notifications/") => {
                return (202, "text/plain", String::new());
            }
            _ if message.is_null() => return (400, "text/plain", "what?".into()),
            Some("tools/call") => error(message, -32_602, "no"),
            _ if message["id"].is_null() => return (400, "text/plain", String::new()),
            Some("server/discover" | "redress/none") => error(message, -32_601, "no such method"),
            _ => error(message, -32_600, "no"),
        };
        (200, "text/event-stream", sse(&answer))
    });
    let probed = run(&at(place)).unwrap();
    assert_eq!((&*probed.server.name, &*probed.server.revision), ("web", "2025-06-18"));
    let found: Vec<_> = probed.run.findings.iter().map(|it| (&*it.rule, &it.hits[0])).collect();
    assert!(found.iter().all(|it| it.0 == "PR204"), "{found:#?}");
    assert!(probed.run.tools[0].cases.played > 5);
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|it| it.contains("authorization: bearer let-me-in")), "{seen:?}");
    let call = seen.iter().find(|it| it.ends_with("\"tools/call\"")).unwrap();
    assert!(
        call.contains("mcp-session-id: s1") && call.contains("mcp-protocol-version: 2025-06-18")
    );
    assert!(seen.iter().any(|it| it.starts_with("delete") && it.contains("mcp-session-id: s1")));
}

#[test]
fn a_server_without_sessions_gets_everything_in_each_request() {
    let bad = Arc::new(Mutex::new(Vec::new()));
    let problems = Arc::clone(&bad);
    let place = serve(move |head, message| {
        let method = message["method"].as_str().unwrap_or_default();
        let meta = &message["params"]["_meta"];
        let is_named = meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28";
        if is_named && !head.contains(&format!("mcp-method: {}", method.to_lowercase())) {
            problems.lock().unwrap().push(head.to_owned());
        }
        if meta["io.modelcontextprotocol/protocolVersion"] == "1900-01-01"
            && !head.contains("mcp-protocol-version: 1900-01-01")
        {
            problems.lock().unwrap().push(head.to_owned());
        }
        let answer = match method {
            _ if message["id"].is_null() => {
                return (400, "application/json", error(message, -32_700, "no").to_string());
            }
            _ if !message["params"].is_object() || message["jsonrpc"] != "2.0" => {
                error(message, -32_600, "no")
            }
            "" => error(message, -32_600, "no"),
            _ if meta.is_null() => error(message, -32_602, "no _meta"),
            _ if !is_named => error(message, -32_022, "no such revision"),
            "server/discover" => result(
                message,
                &json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "3"}}}),
            ),
            "tools/list" => result(message, &tools()),
            "tools/call" => called(message),
            _ => error(message, -32_601, "no such method"),
        };
        (200, "application/json", answer.to_string())
    });
    let probed = run(&at(place)).unwrap();
    assert_eq!((&*probed.server.name, &*probed.server.revision), ("new", "2026-07-28"));
    assert_eq!(probed.run.findings, [], "{:#?}", probed.run.findings);
    assert_eq!(*bad.lock().unwrap(), [""; 0]);
    assert!(probed.run.exchanges.iter().any(|it| it.case == "server/no-meta"));
}

#[test]
fn what_is_no_mcp_server_is_told_as_what_it_is() {
    let page = serve(|_, _| (200, "text/html", "<h1>Hello</h1>".into()));
    let told = run(&at(page)).unwrap_err();
    assert!(matches!(&told, Unprobed::NotMcp(why) if why.contains("Hello")), "{told:?}");
    let closed = serve(|_, _| (401, "application/json", "{}".into()));
    assert!(matches!(run(&at(closed)), Err(Unprobed::Unauthorized(401))));
}
