//! Upstreams over HTTP: their refusals are faults, and the client sees the status that it must see.

use std::time::Duration;

use redress::{Fault, codes, fault::Cause};
use serde_json::{Value, json};

use super::{CALL, OPEN, OPENED, Rig, card, code, fault};
use crate::{
    outgoing::{ReplyToken, ToClient, ToUpstream},
    session::{
        ClientKind, FailureScope, HttpFailure, MessageSource, Phase, UpstreamKind,
        http_failure::redirected,
    },
};

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#;
const MODERN_LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
const MODERN_CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;

fn http(client: ClientKind) -> Rig {
    Rig::between(client, UpstreamKind::Http)
}

fn status(status: u16, body: &[u8]) -> HttpFailure<'_> {
    let (retry_after, www_authenticate) = (None, None);
    HttpFailure::Status {
        status,
        retry_after,
        www_authenticate,
        location: None,
        body,
        about: if status == 404 { FailureScope::Session } else { FailureScope::Request },
    }
}

/// What many servers say of a session that they do not know.
const FORGOTTEN: HttpFailure<'_> = HttpFailure::Status {
    status: 400,
    retry_after: None,
    www_authenticate: None,
    location: None,
    body: br#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
    about: FailureScope::Session,
};

/// What comes of a refusal of the request.
fn refused(client: ClientKind, request: &str, how: &HttpFailure<'_>) -> (u16, Value) {
    let mut rig = http(client);
    rig.says(0, request);
    let heard = rig.refused(how);
    let [(ToClient::Answer(_, status), answer)] = &heard[..] else { panic!("{heard:?}") };
    assert_eq!(rig.recorded.len(), 1);
    (*status, answer.clone())
}

#[test]
fn every_status_has_its_code_and_says_whether_anything_was_done() {
    for (given, body, expected, effect) in [
        (401, "", "AUTH_REQUIRED", "none"),
        (403, "", "INSUFFICIENT_PERMISSIONS", "none"),
        (400, "", "UPSTREAM_PROTOCOL_ERROR", "none"),
        (404, "", "UPSTREAM_PROTOCOL_ERROR", "none"),
        (408, "", "TIMEOUT", "unknown"),
        (413, "", "INPUT_TOO_LARGE", "none"),
        (429, "", "RATE_LIMITED", "none"),
        (500, "<html>boom</html>", "INTERNAL_ERROR", "unknown"),
        (502, "", "UPSTREAM_UNAVAILABLE", "unknown"),
        (503, "", "UPSTREAM_UNAVAILABLE", "unknown"),
        (504, "", "TIMEOUT", "unknown"),
    ] {
        let (_, answer) = refused(ClientKind::Pipe, CALL, &status(given, body.as_bytes()));
        assert_eq!((given, code(&answer)), (given, expected));
        assert_eq!(fault(&answer)["effect"], effect, "{given}");
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&7.into(), &true.into()));
    }
}

#[test]
fn a_wrong_address_is_for_whoever_gave_it() {
    let (retry_after, www_authenticate, about) = (None, None, FailureScope::Request);
    let away = Some("https://user:pw@login.example.com/@me?token=abc");
    let moved = "The server sends its clients to another address, and the gate does not follow.";
    for (status, location, body, message) in [
        (404, None, &b"Not Found"[..], "There is no MCP server at this address."),
        (302, away, b"", moved),
    ] {
        let how =
            HttpFailure::Status { status, retry_after, www_authenticate, location, body, about };
        let (_, answer) = refused(ClientKind::Pipe, OPEN, &how);
        let fault = fault(&answer);
        assert_eq!(fault["message"], message);
        assert_eq!(fault["retry"]["kind"], "after_human", "{fault}");
        assert!(!answer.to_string().contains("login.example.com"), "{answer}");
        assert!(fault["hint"].as_str().unwrap().starts_with("Check the URL"), "{fault}");
    }
    let mut rig = http(ClientKind::Pipe);
    rig.says(0, OPEN);
    let heard = rig.said("<!DOCTYPE html><html><body>Welcome</body></html>", 200);
    let fault = fault(&heard[0].1);
    let message = "The address answered with a web page: there is no MCP server.";
    assert_eq!(
        (&fault["message"], &fault["retry"]["kind"]),
        (&message.into(), &"after_human".into())
    );
}

#[test]
fn where_a_redirect_leads_is_the_operators_to_know() {
    for (location, told) in [
        ("https://user:pw@login.example.com/@me?token=abc", "https://login.example.com/@me"),
        ("http://10.0.0.7:8080", "http://10.0.0.7:8080"),
        ("/mcp/#x", "/mcp/"),
    ] {
        let mut fault = Fault::of(codes::UPSTREAM_PROTOCOL_ERROR.entry());
        redirected(&mut fault, Some(location));
        let told = format!("redirected to {told}");
        assert!(matches!(&fault.private.causes[..], [Cause::Text(it)] if *it == told), "{told}");
    }
}

#[test]
fn a_wait_that_is_named_is_told() {
    let how = HttpFailure::Status {
        status: 429,
        retry_after: Some("7"),
        www_authenticate: None,
        location: None,
        body: b"slow down",
        about: FailureScope::Request,
    };
    let (_, answer) = refused(ClientKind::Pipe, CALL, &how);
    assert_eq!(fault(&answer)["retry"]["after_ms"], 7_000);
}

#[test]
fn what_is_out_of_reach_says_so_and_no_address() {
    for (phase, sent, effect) in [
        (Phase::Dns, false, "none"),
        (Phase::Connect, false, "none"),
        (Phase::Tls, false, "none"),
        (Phase::Write, true, "unknown"),
        (Phase::Read, true, "unknown"),
    ] {
        let detail = "tcp connect to https://10.1.2.3:8443/mcp (internal.example): refused";
        let how = HttpFailure::Unreachable { phase, detail, sent };
        let (_, answer) = refused(ClientKind::Http, CALL, &how);
        assert_eq!(code(&answer), "UPSTREAM_UNAVAILABLE");
        let fault = fault(&answer);
        assert_eq!((&fault["effect"], &fault["origin"]), (&effect.into(), &"gate".into()));
        assert_eq!(fault["retryable"], phase != Phase::Tls);
        let text = answer.to_string();
        assert!(!text.contains("10.1.2.3") && !text.contains("internal.example"), "{text}");
    }
}

#[test]
fn an_answer_that_breaks_off_may_have_had_an_effect() {
    let (_, answer) = refused(ClientKind::Http, CALL, &HttpFailure::Cut { detail: "reset" });
    assert_eq!(code(&answer), "UPSTREAM_UNAVAILABLE");
    assert_eq!(fault(&answer)["effect"], "unknown");
    let (_, answer) = refused(ClientKind::Http, CALL, &status(202, b""));
    assert_eq!(code(&answer), "UPSTREAM_PROTOCOL_ERROR");
}

#[test]
fn no_address_of_ours_is_quoted() {
    let body = b"Bad gateway: http://backend.internal:8080/mcp said no; upstream 10.0.0.7:99, localhost, [fe80::1], db-3.corp:5432 at 12:30";
    let (_, answer) = refused(ClientKind::Http, CALL, &status(502, body));
    assert!(card(&answer).contains("Bad gateway: [address] said no; upstream [address]"));
    for part in ["backend", "10.0.0.7", "localhost", "fe80", "db-3"] {
        assert!(!answer.to_string().contains(part), "{part}: {answer}");
    }
    assert!(answer.to_string().contains("12:30"));
    let body = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"cannot reach http://backend.internal:8080/v1","data":{"url":"http://backend.internal:8080/v1","hosts":["10.0.0.7"],"tries":3}}}"#;
    let (_, answer) = refused(ClientKind::Http, CALL, &status(502, body));
    let data = &fault(&answer)["details"]["upstream"]["data"];
    assert_eq!(*data, json!({"url": "[address]", "hosts": ["[address]"], "tries": 3}));
    for part in ["backend", "10.0.0.7"] {
        assert!(!answer.to_string().contains(part), "{part}: {answer}");
    }
}

#[test]
fn a_client_over_http_sees_the_status_that_concerns_it() {
    let www_authenticate = Some("Bearer resource_metadata=\"https://auth.example\"");
    for given in [401, 403, 405] {
        for request in [CALL, LIST, MODERN_CALL] {
            let mut rig = http(ClientKind::Http);
            rig.says(0, request);
            let (last, retry_after) = (rig.last(), None);
            let how = HttpFailure::Status {
                status: given,
                retry_after,
                www_authenticate,
                location: None,
                body: b"",
                about: FailureScope::Request,
            };
            rig.session.upstream_refused(last, &how, &mut rig.actions);
            let head = rig.actions.faults[0].head();
            assert_eq!((head.status, head.www_authenticate), (given, www_authenticate));
            let (_, answer) = rig.messages().remove(0);
            assert!(answer["error"]["code"].is_i64(), "{answer}");
            code(&answer);
        }
    }
    let (given, answer) = refused(ClientKind::Http, CALL, &status(404, b""));
    assert_eq!((given, answer["result"]["isError"].as_bool()), (200, Some(true)));
}

#[test]
fn clients_without_a_session_get_a_status_by_class() {
    for (request, given, expected) in [
        (LIST, 503, 200),
        (MODERN_LIST, 503, 503),
        (MODERN_LIST, 500, 500),
        (MODERN_LIST, 429, 429),
        (MODERN_LIST, 400, 400),
        (MODERN_LIST, 404, 404),
        (MODERN_CALL, 503, 200),
    ] {
        let (got, answer) = refused(ClientKind::Http, request, &status(given, b"x"));
        assert_eq!(got, expected, "{request} {given} {answer}");
    }
}

#[test]
fn an_error_in_the_body_of_a_refusal_is_judged_as_that_error() {
    let body = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"Method not found"}}"#;
    let mut rig = http(ClientKind::Http);
    rig.says(0, MODERN_LIST);
    let body = body.replace("ID", &rig.last_id());
    let (to, answer) = rig.refused(&status(404, body.as_bytes())).remove(0);
    assert_eq!(to, ToClient::Answer(ReplyToken(1), 404));
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&(-32_601).into(), &1.into()));
    assert_eq!(code(&answer), "METHOD_NOT_FOUND");
}

#[test]
fn words_of_an_upstream_over_http_keep_status_and_place() {
    let mut rig = http(ClientKind::Http);
    rig.says(0, CALL);
    let reply_token = ReplyToken(7);
    let heard = rig.said(r#"{"method":"notifications/message","params":{"data":"x"}}"#, 200);
    assert_eq!(heard[0].0, ToClient::During(reply_token));
    let heard = rig.said(r#"{"id":5,"method":"sampling/createMessage","params":{}}"#, 200);
    assert!(matches!(heard[0].0, ToClient::Question(_, Some(it)) if it == reply_token));
    let heard = rig.said(r#"{"method":"notifications/tools/list_changed"}"#, 200);
    assert_eq!(heard[0].0, ToClient::Any);
    let heard = rig.said(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#, 203);
    assert_eq!(heard[0].0, ToClient::Answer(reply_token, 203));
    let (line, actions) = (br#"{"method":"notifications/message"}"#, &mut rig.actions);
    rig.session.upstream_message(line, MessageSource::default(), actions);
    assert_eq!(rig.messages()[0].0, ToClient::Any);
}

#[test]
fn an_answer_that_is_none_fails_the_request_that_it_is_for() {
    for line in ["<html>", "[]", r#"{"jsonrpc":"2.0","result":{"content":[]}}"#] {
        let mut rig = http(ClientKind::Http);
        rig.says(0, CALL);
        let (to, answer) = rig.said(line, 200).remove(0);
        assert_eq!(to, ToClient::Answer(ReplyToken(7), 200));
        assert_eq!(code(&answer), "UPSTREAM_PROTOCOL_ERROR", "{line}");
    }
    let mut rig = http(ClientKind::Http);
    rig.says(0, CALL);
    let line = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"ENOENT: no such file or directory, open 'a.txt'"}}"#;
    assert_eq!(code(&rig.said(line, 200)[0].1), "FILE_NOT_FOUND");
}

#[test]
fn a_session_that_is_over_is_404_to_a_client_over_http() {
    let mut rig = http(ClientKind::Http);
    rig.says(0, OPEN);
    rig.said(r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#, 200);
    rig.says(0, CALL);
    rig.session.upstream_expired(rig.last(), &mut rig.actions);
    let (to, answer) = rig.refused(&FORGOTTEN).remove(0);
    assert_eq!(to, ToClient::Answer(ReplyToken(7), 404));
    assert_eq!(code(&answer), "SESSION_NOT_FOUND");
}

#[test]
fn a_tool_of_a_governed_server_is_no_next_step_elsewhere() {
    let mut rig = http(ClientKind::Pipe);
    rig.says(0, CALL);
    let (_, answer) = rig.refused(&status(400, b"Bad Request: Server not initialized")).remove(0);
    assert_eq!(code(&answer), "SESSION_NOT_INITIALIZED");
    assert!(!answer.to_string().contains("begin_session"), "{answer}");
}

#[test]
fn an_expired_session_is_opened_again_and_nothing_is_lost() {
    for how in [status(404, b""), FORGOTTEN] {
        is_opened_again(&how);
    }
}

fn is_opened_again(how: &HttpFailure<'_>) {
    let mut rig = http(ClientKind::Pipe);
    rig.says(0, OPEN);
    rig.said(r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#, 200);
    rig.says(0, OPENED);
    rig.says(0, CALL);
    let id = rig.last();
    rig.session.upstream_expired(id, &mut rig.actions);
    rig.session.upstream_refused(id, how, &mut rig.actions);
    assert_eq!(rig.messages(), []);
    assert!(rig.sent.last().unwrap().contains("initialize"), "{:?}", rig.sent);
    let greeting = rig.last_id();
    let line = format!(r#"{{"jsonrpc":"2.0","id":{greeting},"result":{{}}}}"#);
    rig.session.upstream_message(line.as_bytes(), MessageSource::default(), &mut rig.actions);
    let to: Vec<_> = rig.actions.to_upstream.messages().map(|it| it.0).collect();
    assert_eq!(to, [ToUpstream::Other, ToUpstream::Request(id, ReplyToken(7))]);
    assert_eq!(rig.messages(), []);
    assert!(rig.sent.last().unwrap().contains("tools/call"));
    let greeted = rig.sent.len();
    rig.session.upstream_expired(rig.last(), &mut rig.actions);
    let (_, answer) = rig.refused(how).remove(0);
    assert_eq!(code(&answer), "UPSTREAM_UNAVAILABLE", "a second time is enough");
    assert_eq!(fault(&answer)["effect"], "unknown", "it may be how it says that the call failed");
    assert_eq!(rig.sent.len(), greeted, "and who forgets every session is not greeted for ever");
}

#[test]
fn what_a_server_forbids_is_not_sent_again_in_another_session() {
    for body in [&br#"{"retryable":false}"#[..], br#"no: {"effect":"done"}"#] {
        let mut rig = http(ClientKind::Pipe);
        rig.says(0, OPEN);
        rig.said(r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#, 200);
        rig.says(0, CALL);
        let id = rig.last();
        rig.session.upstream_expired(id, &mut rig.actions);
        rig.session.upstream_refused(id, &status(404, body), &mut rig.actions);
        assert_eq!(rig.messages().len(), 1, "it is told");
        assert!(rig.sent.last().unwrap().contains("initialize"), "the session is opened again");
        assert_eq!(rig.sent.iter().filter(|it| it.contains("tools/call")).count(), 1);
    }
}

#[test]
fn a_client_over_http_opens_its_sessions_itself() {
    let mut rig = http(ClientKind::Http);
    rig.says(0, OPEN);
    rig.said(r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#, 200);
    rig.says(0, CALL);
    rig.session.upstream_expired(rig.last(), &mut rig.actions);
    let (to, answer) = rig.refused(&status(404, b"")).remove(0);
    assert_eq!(to, ToClient::Answer(ReplyToken(7), 404));
    assert_eq!(code(&answer), "SESSION_NOT_FOUND");
    assert!(answer.get("error").is_some());
    assert_eq!(rig.sent.len(), 2, "nothing is sent again");
}

#[test]
fn a_session_that_cannot_reopen_is_told_to_all_who_wait() {
    let mut rig = http(ClientKind::Pipe);
    rig.says(0, OPEN);
    rig.said(r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#, 200);
    rig.says(0, CALL);
    let id = rig.last();
    rig.session.upstream_expired(rig.last(), &mut rig.actions);
    rig.session.upstream_refused(id, &status(404, b""), &mut rig.actions);
    rig.messages();
    let heard = rig.refused(&status(500, b""));
    assert_eq!(code(&heard[0].1), "UPSTREAM_UNAVAILABLE");
    rig.says(0, CALL);
    assert!(rig.sent.last().unwrap().contains("tools/call"), "the next one is sent all the same");
    assert!(!rig.actions.kill);
}

#[test]
fn a_stream_that_its_client_closed_withdraws_the_request() {
    let mut rig = http(ClientKind::Http);
    rig.says(0, MODERN_CALL);
    let id = rig.last();
    rig.session.withdraw(ReplyToken(1), &mut rig.actions);
    let to: Vec<_> = rig.actions.to_upstream.messages().map(|it| it.0).collect();
    assert_eq!(to, [ToUpstream::Cancel(id)]);
    assert_eq!(rig.messages(), []);
    assert_eq!(rig.recorded[0]["code"], "CANCELLED");
    assert!(rig.session.is_idle());
    assert_eq!(rig.said(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#, 200), []);
}

#[test]
fn a_call_that_waits_on_its_way_has_done_nothing() {
    for (is_sent, effect) in [(false, "none"), (true, "unknown")] {
        let mut rig = http(ClientKind::Pipe);
        rig.says(0, CALL);
        let id = rig.last();
        assert!(rig.session.note_sent(id, false) && rig.session.note_sent(id, is_sent));
        let heard = rig.after(Duration::from_secs(61));
        assert_eq!((code(&heard[0]), &fault(&heard[0])["effect"]), ("TIMEOUT", &effect.into()));
        assert!(!rig.session.note_sent(id, true), "nobody waits for it");
    }
}
