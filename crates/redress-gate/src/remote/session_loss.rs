//! Whether a refusal means that the server has lost the session, or is about the request alone.

use hyper::http::StatusCode;
use redress::{
    classify::{Verdict, classify},
    codes,
    outcome::{Asked, HttpAnswer, HttpAsked, Outcome, What},
};
use redress_proxy::upstream_id::UpstreamId;
use redress_registry::shipped;
use redress_wire::json::{Doc, Value};

use super::refusal::FailureBody;
use crate::frame::{Frame, Shape, limits, messages};

/// The number that SDKs have for a session that they do not know.
const NO_SESSION: i64 = -32_001;

/// What a refusal says of the session that a request named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionLoss {
    No,
    Yes,
    /// Its words fit, and it may as well be the answer to the request.
    Unclear,
}

/// Whether a server refuses the session that a request named. The protocol wants 404 for it; many answer 400, and only their words
/// tell it from a bad request. A server that answers the request by its id has handled it, unless number and words say otherwise.
pub(super) fn session_loss(
    status: StatusCode,
    refusal: &FailureBody,
    id: UpstreamId,
) -> SessionLoss {
    let is_not_found = match status {
        StatusCode::NOT_FOUND => true,
        StatusCode::BAD_REQUEST => false,
        _ => return SessionLoss::No,
    };
    match under(id, refusal) {
        AnswerById::Result => SessionLoss::No,
        AnswerById::Nothing if is_not_found => SessionLoss::Yes,
        AnswerById::Unread if is_not_found => SessionLoss::Unclear,
        _ if !speaks_of_session(&refusal.body) => SessionLoss::No,
        AnswerById::Nothing | AnswerById::Error(Some(NO_SESSION)) => SessionLoss::Yes,
        AnswerById::Error(_) | AnswerById::Unread => SessionLoss::Unclear,
    }
}

/// What a body says under the id of the request that it is for.
enum AnswerById {
    Nothing,
    /// It ends before that is known.
    Unread,
    Result,
    /// With its number, if it has one.
    Error(Option<i64>),
}

fn under(id: UpstreamId, refusal: &FailureBody) -> AnswerById {
    for line in messages(&refusal.body) {
        let Ok(doc) = Doc::parse(line, limits(line.len())) else { continue };
        let Ok(frame) = Frame::of(&doc) else { continue };
        if frame.id.and_then(UpstreamId::of) == Some(id) {
            let number = |it: Value<'_>| it.get("code").and_then(Value::as_i64);
            match frame.shape {
                Shape::Result => return AnswerById::Result,
                Shape::Error => return AnswerById::Error(frame.payload.and_then(number)),
                Shape::Request | Shape::Notification => (),
            }
        }
    }
    if refusal.is_cut() { AnswerById::Unread } else { AnswerById::Nothing }
}

/// Whether it does so by its words, under a status that says nothing.
fn speaks_of_session(body: &[u8]) -> bool {
    let http = Some(HttpAsked { post: true, session: true });
    let status = StatusCode::BAD_REQUEST.as_u16();
    let answer = HttpAnswer { status, retry_after: None, body: body.into() };
    let outcome = Outcome::of(What::Http(answer));
    let judged = classify(&Asked { http, ..Asked::default() }, &outcome, shipped::core());
    let codes = [codes::SESSION_NOT_FOUND, codes::SESSION_NOT_INITIALIZED];
    matches!(judged, Verdict::Failure(it) if codes.iter().any(|code| it.fault.code() == code.name()))
}
