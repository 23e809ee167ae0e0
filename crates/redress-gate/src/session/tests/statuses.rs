//! A status above an error that names its request.

use std::time::Duration;

use serde_json::Value;

use super::{CALL, Rig, code, fault};
use crate::{
    mail::ToClient,
    session::{ClientKind, Refused, UpstreamKind},
};

/// A refusal whose body is an error under the id of the request.
fn refused_by_name(given: u16, number: i32, message: &str) -> Value {
    let mut rig = Rig::between(ClientKind::Pipe, UpstreamKind::Http);
    rig.says(0, CALL);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{number},"message":"{message}"}}}}"#,
        rig.last_id()
    );
    let how = Refused::Status {
        status: given,
        retry_after: Some("60"),
        www_authenticate: None,
        location: None,
        body: body.as_bytes(),
        is_of_session: false,
    };
    let mut heard = rig.refused(&how);
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
