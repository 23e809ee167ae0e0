//! A status above an error that names its request.

use std::time::Duration;

use serde_json::Value;

use super::{CALL, Rig, code, fault};
use crate::{
    outgoing::ToClient,
    session::{ClientKind, FailureScope, HttpFailure, UpstreamKind},
};

fn under<'a>(status: u16, retry_after: Option<&'a str>, body: &'a [u8]) -> HttpFailure<'a> {
    let (www_authenticate, location, about) = (None, None, FailureScope::Request);
    HttpFailure::Status { status, retry_after, www_authenticate, location, body, about }
}

/// A refusal whose body is an error under the id of the request.
fn refused_by_name(given: u16, number: i32, message: &str) -> Value {
    let mut rig = Rig::between(ClientKind::Pipe, UpstreamKind::Http);
    rig.says(0, CALL);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{number},"message":"{message}"}}}}"#,
        rig.last_id()
    );
    let mut heard = rig.refused(&under(given, Some("60"), body.as_bytes()));
    // Whether a failure has its tool's schema to heed is asked first.
    heard.extend(rig.after(Duration::from_secs(2)).into_iter().map(|it| (ToClient::Any, it)));
    assert_eq!(heard.len(), 1, "{given}: {heard:?}");
    heard.remove(0).1
}

#[test]
fn a_status_counts_also_above_an_error_that_names_the_request() {
    for (given, message, expected, after_ms, effect) in [
        (429, "boom", "RATE_LIMITED", Some(60_000), "none"),
        (429, "Try again later", "RATE_LIMITED", Some(60_000), "none"),
        (503, "boom", "UPSTREAM_UNAVAILABLE", Some(60_000), "unknown"),
        (502, "Invalid response", "UPSTREAM_UNAVAILABLE", Some(60_000), "unknown"),
        (413, "m", "INPUT_TOO_LARGE", None, "none"),
        (500, "Not found in cache", "NOT_FOUND", None, "unknown"),
        (500, "m", "INTERNAL_ERROR", Some(60_000), "unknown"),
    ] {
        let answer = refused_by_name(given, -32_000, message);
        assert_eq!((given, code(&answer)), (given, expected));
        let fault = fault(&answer);
        assert_eq!(fault["effect"], effect, "{given}: {fault}");
        assert_eq!(fault["retry"].get("after_ms").and_then(Value::as_u64), after_ms, "{given}");
        assert_eq!(fault["details"]["upstream"]["status"], given);
        assert_eq!(fault["details"]["upstream"]["code"], -32_000);
    }
    let stays = refused_by_name(429, -32_600, "slow down");
    assert_eq!(stays["error"]["code"], -32_600, "an error that stays one does so: {stays}");
    assert_eq!(code(&stays), "RATE_LIMITED");
}

#[test]
fn an_answer_with_the_id_of_a_request_counts_at_any_status() {
    let result = |text: &str, is_error: bool| {
        format!(
            r#""result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":{is_error}}}"#
        )
    };
    let error = |code: i32| format!(r#""error":{{"code":{code},"message":"the tab is gone"}}"#);
    for (given, body, effect) in [
        (404, result("bought", false), "unknown"),
        (404, result("clicked, then: browser session not found", true), "unknown"),
        (400, result("clicked, then: browser session not found", true), "unknown"),
        (400, result("bought", false), "unknown"),
        (404, error(-32_603), "unknown"),
        (400, error(-32_000), "unknown"),
        (423, error(-32_000), "unknown"),
        (403, result("bought", false), "unknown"),
        (405, result("bought", false), "unknown"),
    ] {
        let mut rig = Rig::between(ClientKind::Pipe, UpstreamKind::Http);
        rig.says(0, CALL);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, rig.last_id());
        let mut heard = rig.refused(&under(given, None, body.as_bytes()));
        heard.extend(rig.after(Duration::from_secs(2)).into_iter().map(|it| (ToClient::Any, it)));
        assert_eq!(heard.len(), 1, "{given} {body}: {heard:?}");
        let fault = fault(&heard[0].1);
        assert_eq!(fault["effect"], effect, "{given} {body}: {fault}");
        assert_eq!(fault["details"]["upstream"]["status"], given, "{fault}");
        assert_eq!(fault["retryable"], false, "{given} {body}: {fault}");
    }
}

#[test]
fn a_refusal_that_was_cut_may_have_been_an_answer() {
    for (given, effect) in
        [(404, "unknown"), (400, "unknown"), (409, "unknown"), (422, "unknown"), (403, "none")]
    {
        let mut rig = Rig::between(ClientKind::Pipe, UpstreamKind::Http);
        rig.says(0, CALL);
        let (retry_after, www_authenticate, location) = (None, None, None);
        let (status, body, about) = (given, &b"{\"jsonrpc\":"[..], FailureScope::Unread);
        let how =
            HttpFailure::Status { status, retry_after, www_authenticate, location, body, about };
        let mut heard = rig.refused(&how);
        heard.extend(rig.after(Duration::from_secs(2)).into_iter().map(|it| (ToClient::Any, it)));
        assert_eq!(heard.len(), 1, "{given}: {heard:?}");
        assert_eq!(fault(&heard[0].1)["effect"], effect, "{given}: {heard:?}");
        assert_eq!(rig.sent.len(), 1, "it is not sent again");
    }
}
