//! Sessions of a remote server: opened, lost, and opened again.

use hyper::{HeaderMap, header};

use super::{
    RemoteAddress, ReplyToken, Rig, ToUpstream,
    server::{Act, Server, json, pause, status, with},
};

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
fn a_lost_session_is_told_before_each_request_that_found_it() {
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
fn a_session_that_could_not_reopen_is_still_known_as_lost() {
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
fn whoever_answers_a_request_by_its_id_has_not_lost_its_session() {
    let answers = [
        (404, r#""result":{"content":[]}"#, false),
        (404, r#""error":{"code":-32002,"message":"Resource not found"}"#, false),
        (
            404,
            r#""error":{"code":-32603,"message":"Session not found: the tab was closed"}"#,
            false,
        ),
        (
            400,
            r#""error":{"code":-32603,"message":"Session not found: the tab was closed"}"#,
            false,
        ),
        (
            400,
            r#""result":{"content":[{"type":"text","text":"browser session not found"}]}"#,
            false,
        ),
        (404, r#""error":{"code":-32001,"message":"Session not found"}"#, true),
        (404, r#""error":{"code":-32001,"message":"Order not found"}"#, false),
    ];
    for (given, body, is_lost) in answers {
        let server = Server::new(move |number, request| match number {
            0 => with("mcp-session-id: s1", &request.answer()),
            _ if request.method() == "ping" => json(&request.answer()),
            _ => {
                let body = format!(r#"{{"jsonrpc":"2.0","id":"{}",{body}}}"#, request.id());
                status(&format!("{given} No"), &body)
            }
        });
        let mut rig = Rig::new(&server.url());
        rig.call("initialize");
        rig.ask("tools/call");
        let heard = rig.hears(2 + usize::from(is_lost));
        assert_eq!(heard.iter().any(|it| it == "expired"), is_lost, "{given} {body}");
    }
}

#[test]
fn a_server_that_may_have_lost_the_session_is_asked() {
    for body in [
        r#""error":{"code":-32000,"message":"Session not found"}"#,
        r#""error":{"code":-32600,"message":"Session not found"}"#,
        r#""error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}"#,
    ] {
        for (given, knows, pings) in [
            (404, false, true),
            (400, false, true),
            (404, true, true),
            (400, true, true),
            (404, true, false),
        ] {
            let server = Server::new(move |number, request| match number {
                0 => with("mcp-session-id: s1", &request.answer()),
                _ if request.method() == "ping" && !pings => {
                    status("404 No", r#"{"error":{"code":-32601,"message":"Method not found"}}"#)
                }
                _ if request.method() == "ping" && knows => json(&request.answer()),
                _ => {
                    let body = format!(r#"{{"jsonrpc":"2.0","id":"{}",{body}}}"#, request.id());
                    status(&format!("{given} No"), &body)
                }
            });
            let mut rig = Rig::new(&server.url());
            rig.call("initialize");
            rig.ask("tools/call");
            let heard = rig.hears(2 + usize::from(!knows));
            assert_eq!(heard.iter().any(|it| it == "expired"), !knows, "{given} {body}");
            let asked = server.asked();
            assert!(asked[2].head.contains("mcp-session-id: s1"), "{}", asked[2].head);
            assert_eq!(asked.len(), 3);
        }
    }
}

#[test]
fn an_answer_below_a_404_is_found_however_it_comes() {
    type Answer = fn(&str) -> Act;
    let answers: [Answer; 3] = [
        |id| {
            let text = "x".repeat(9_000);
            let error = format!(r#"{{"code":-32603,"message":"{text}"}}"#);
            status("404 No", &format!(r#"{{"jsonrpc":"2.0","id":"{id}","error":{error}}}"#))
        },
        |id| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{{}}}}"#);
            Act::Slow(status("404 No", &body).bytes())
        },
        |id| {
            let event =
                format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{{}}}}\n\n");
            let head = "HTTP/1.1 404 No\r\ncontent-type: text/event-stream\r\n";
            let length = event.len();
            Act::Keep(format!("{head}content-length: {length}\r\n\r\n{event}").into())
        },
    ];
    for answer in answers {
        let server = Server::new(move |number, request| match number {
            0 => with("mcp-session-id: s1", &request.answer()),
            _ => answer(request.id()),
        });
        let mut rig = Rig::new(&server.url());
        rig.call("initialize");
        let told = rig.call("tools/call");
        assert!(told.starts_with("status 404") && told.contains("jsonrpc"), "{told}");
        assert_eq!(server.asked().len(), 2, "nothing is asked again");
    }
}

#[test]
fn nobody_speaks_with_the_credentials_of_another_one() {
    let server = Server::new(|_, request| match request.method() {
        "slow" => {
            pause(300);
            json(&request.answer())
        }
        _ => json(&request.answer()),
    });
    let mut rig = Rig::before(RemoteAddress::new(&server.url(), [], true).expect("an address"));
    let of = |who: &'static str| {
        HeaderMap::from_iter([(header::AUTHORIZATION, who.parse().expect("a value"))])
    };
    rig.remote.attach(ReplyToken::default(), &of("Bearer AAA"));
    rig.call("ping");
    let id = rig.ask("slow");
    rig.remote.detach(ReplyToken::default());
    rig.remote.attach(ReplyToken(9), &of("Bearer BBB"));
    pause(100);
    rig.push(ToUpstream::Cancel(id), r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
    rig.call("again");
    let heads = || server.asked().into_iter().map(|it| it.head).collect::<Vec<_>>();
    for _ in 0..100 {
        if heads().len() == 4 {
            break;
        }
        pause(10);
    }
    assert_eq!(heads().len(), 4);
    assert!(!heads().iter().any(|it| it.contains("BBB")), "{:?}", heads());
    assert_eq!(heads().iter().filter(|it| it.contains("AAA")).count(), 3);
    rig.remote.attach(ReplyToken(8), &of("Bearer CCC"));
    rig.remote.attach(ReplyToken(9), &of("Bearer BBB"));
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
    rig.push(ToUpstream::Of(ReplyToken(8)), notice);
    for _ in 0..100 {
        if heads().len() == 5 {
            break;
        }
        pause(10);
    }
    assert!(heads()[4].contains("CCC"), "{:?}", heads());
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

#[test]
fn nothing_overtakes_the_messages_that_open_the_session() {
    let server = Server::new(|_, request| match request.method() {
        "initialize" => {
            pause(200);
            with("mcp-session-id: s1", &request.answer())
        }
        "notifications/initialized" => {
            pause(100);
            status("202 Accepted", "")
        }
        "GET" => status("405 Method Not Allowed", ""),
        _ => json(&request.answer()),
    });
    let mut rig = Rig::new(&server.url());
    rig.ask("initialize");
    rig.push(ToUpstream::Other, INITIALIZED);
    rig.push(ToUpstream::Other, r#"{"jsonrpc":"2.0","method":"notifications/a"}"#);
    rig.ask("tools/call");
    rig.ask("tools/list");
    rig.hears(3);
    server.waits_for(6);
    let asked = server.asked();
    assert_eq!(asked[0].method(), "initialize");
    assert_eq!(asked[1].method(), "notifications/initialized");
    assert!(asked[1..].iter().all(|it| it.head.contains("mcp-session-id: s1")), "{asked:?}");
}

#[test]
fn a_request_withdrawn_before_the_session_opens_is_not_sent() {
    let server = Server::new(|_, request| {
        pause(200);
        json(&request.answer())
    });
    let mut rig = Rig::new(&server.url());
    rig.ask("initialize");
    let id = rig.ask("tools/call");
    rig.events.owed.lock().expect("unpoisoned").retain(|it| *it != id);
    rig.hears(1);
    assert!(rig.call("ping").contains("result"));
    let methods: Vec<_> = server.asked().iter().map(|it| it.method().to_owned()).collect();
    assert_eq!(methods, ["initialize", "ping"]);
}

#[test]
fn an_opening_that_is_withdrawn_holds_nobody_up() {
    let server = Server::new(|_, request| match request.method() {
        "initialize" => Act::Hang,
        _ => json(&request.answer()),
    });
    let mut rig = Rig::new(&server.url());
    let id = rig.ask("initialize");
    rig.ask("ping");
    server.waits_for(1);
    rig.push(ToUpstream::Cancel(id), r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
    assert!(rig.hears(1)[0].contains("result"));
}

#[test]
fn a_session_is_open_once_the_head_of_the_last_answer_is_there() {
    let server = Server::new(|_, request| {
        match request.method() {
        "notifications/initialized" => Act::Keep(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                .to_vec(),
        ),
        "GET" => status("405 Method Not Allowed", ""),
        _ => json(&request.answer()),
    }
    });
    let mut rig = Rig::new(&server.url());
    rig.call("initialize");
    rig.push(ToUpstream::Other, INITIALIZED);
    assert!(rig.call("tools/call").contains("result"));
}
