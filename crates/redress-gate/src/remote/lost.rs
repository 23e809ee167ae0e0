//! Whether a refusal means that the server has lost the session, or is about the request alone.

use hyper::http::StatusCode;
use redress::{
    classify::{Verdict, classify},
    json::{Doc, Value},
    outcome::{Asked, HttpAnswer, HttpAsked, Outcome, What},
};
use redress_registry::shipped;

use crate::{
    frame::{Frame, Shape, limits, messages},
    inflight::UpstreamId,
};

/// The number that SDKs have for a session that they do not know.
const NO_SESSION: i64 = -32_001;

/// Whether a server refuses the session that a request named. The protocol wants 404 for it; many answer 400, and only their
/// words tell it from a bad request. Who answers the request by its id has dealt with it, unless number and words say otherwise.
pub(super) fn is_of_session(status: StatusCode, body: &[u8], id: UpstreamId) -> bool {
    match (status, number_under(id, body)) {
        (StatusCode::NOT_FOUND, Named::Nothing) => true,
        (StatusCode::BAD_REQUEST, Named::Nothing)
        | (StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST, Named::Error(Some(NO_SESSION))) => {
            speaks_of_session(body)
        }
        _ => false,
    }
}

/// What a body says under the id of the request that it is for.
enum Named {
    Nothing,
    Result,
    /// With its number, if it has one.
    Error(Option<i64>),
}

fn number_under(id: UpstreamId, body: &[u8]) -> Named {
    for line in messages(body) {
        let Ok(doc) = Doc::parse(line, limits(body.len())) else { continue };
        let Ok(frame) = Frame::of(&doc) else { continue };
        if frame.id.and_then(UpstreamId::of) == Some(id) {
            let number = |it: Value<'_>| it.get("code").and_then(Value::as_i64);
            match frame.shape {
                Shape::Result => return Named::Result,
                Shape::Error => return Named::Error(frame.payload.and_then(number)),
                Shape::Request | Shape::Notification => (),
            }
        }
    }
    Named::Nothing
}

/// Whether it does so by its words, under a status that says nothing.
fn speaks_of_session(body: &[u8]) -> bool {
    let http = Some(HttpAsked { post: true, session: true });
    let status = StatusCode::BAD_REQUEST.as_u16();
    let answer = HttpAnswer { status, retry_after: None, body: body.into() };
    let outcome = Outcome::of(What::Http(answer));
    let judged = classify(&Asked { http, ..Asked::default() }, &outcome, shipped::core());
    matches!(judged, Verdict::Failure(it) if it.rule.starts_with("session."))
}
