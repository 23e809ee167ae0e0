//! A refusal of a remote server: its body as far as it comes, and whether it is the request that is refused or the session.

use std::time::Duration;

use hyper::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
};
use redress_proxy::{
    session::{FailureScope, HttpFailure},
    upstream_id::UpstreamId,
};
use redress_transport::{
    http::{HttpResponse, header_text},
    sse::Events,
};
use tokio::time::timeout;

use super::{
    QueuedMessage, Remote, authorize,
    body::{self, Content},
    mirrored_headers::SESSION,
    post::{drain, new_post},
    session_loss::{SessionLoss, session_loss},
};
use crate::frame::behind_mark;

/// The most that is read of a refusal which is no message.
const MOST_BYTES: usize = 64 << 10;

/// How long the rest of a refusal may take: its status says most.
const PATIENCE: Duration = Duration::from_secs(3);

/// The number of a method that a server does not know.
const NO_METHOD: &[u8] = b"-32601";

/// The body of a failing response, as far as it came.
#[derive(Debug)]
pub(super) struct FailureBody {
    pub(super) body: Bytes,
    is_whole: bool,
}

impl FailureBody {
    async fn read(reply: &mut HttpResponse, longest: usize) -> Self {
        let is_stream = Content::of(&reply.headers) == Content::Events;
        let mut all = Vec::new();
        let read = async {
            while all.len() < if is_stream || may_be_message(&all) { longest } else { MOST_BYTES } {
                match reply.next().await {
                    Ok(Some(bytes)) => all.extend_from_slice(&bytes),
                    Ok(None) => return true,
                    Err(_) => return false,
                }
            }
            false
        };
        let is_whole = timeout(PATIENCE, read).await.unwrap_or(false);
        let body = if is_stream { array_of_events(&all, longest) } else { all };
        Self { body: body.into(), is_whole }
    }

    /// Whether what did not come may be the answer to the request.
    pub(super) fn is_cut(&self) -> bool {
        !self.is_whole && may_be_message(&self.body)
    }
}

/// Whether a body may become one of the protocol.
fn may_be_message(start: &[u8]) -> bool {
    let start = behind_mark(start).unwrap_or(start).trim_ascii_start();
    matches!(start.first(), None | Some(b'{' | b'['))
}

/// The messages of a stream, as one array.
fn array_of_events(mut stream: &[u8], longest: usize) -> Vec<u8> {
    let mut events = Events::new(longest);
    let mut all = vec![b'['];
    while let Ok(Some(event)) = events.next(&mut stream) {
        if !event.data.trim_ascii().is_empty() {
            all.extend_from_slice(if all.len() > 1 { b"," } else { b"" });
            all.extend_from_slice(event.data);
        }
    }
    all.push(b']');
    all
}

/// Passes on a response whose status is a failure.
pub(super) async fn read_refusal(
    remote: &Remote,
    reply: &mut HttpResponse,
    session: Option<&HeaderValue>,
    message: &QueuedMessage,
) {
    let status = reply.status;
    let refusal = FailureBody::read(reply, remote.longest).await;
    let Some(id) = message.id else { return };
    let is_lost = match session {
        Some(session) => is_session_lost(remote, session, (status, &refusal), (id, message)).await,
        None => false,
    };
    if is_lost && remote.state().session.as_ref() == session {
        // It is kept until another one is opened, so that the next request in it learns of the loss, too.
        remote.events.on_session_lost(id);
    }
    let headers = &reply.headers;
    let challenges = headers.get_all(header::WWW_AUTHENTICATE).iter();
    let challenges: Vec<_> = challenges.filter_map(|it| it.to_str().ok()).collect();
    let challenges = challenges.join("\n");
    let refused = HttpFailure::Status {
        status: status.as_u16(),
        retry_after: header_text(headers, &header::RETRY_AFTER),
        www_authenticate: Some(&*challenges).filter(|it| !it.is_empty()),
        location: header_text(headers, &header::LOCATION),
        body: &body::message(&refusal.body, remote.client),
        about: match refusal.is_cut() {
            _ if is_lost => FailureScope::Session,
            true => FailureScope::Unread,
            false => FailureScope::Request,
        },
    };
    remote.events.on_failure(id, &refused);
}

/// Whether the server has lost the session that a request named. If the response leaves that open, the server is asked.
async fn is_session_lost(
    remote: &Remote,
    session: &HeaderValue,
    (status, refusal): (StatusCode, &FailureBody),
    (id, message): (UpstreamId, &QueuedMessage),
) -> bool {
    match session_loss(status, refusal, id) {
        SessionLoss::No => false,
        SessionLoss::Yes => true,
        SessionLoss::Unclear => !is_session_known(remote, session, id, message).await,
    }
}

/// Whether the server takes a request in that session which changes nothing.
async fn is_session_known(
    remote: &Remote,
    session: &HeaderValue,
    id: UpstreamId,
    message: &QueuedMessage,
) -> bool {
    let digits = id.digits();
    let parts: [&[u8]; 3] = [br#"{"jsonrpc":"2.0","id":"ping-"#, &digits, br#"","method":"ping"}"#];
    let mut request = new_post(remote, parts.concat().into());
    request.headers_mut().insert(SESSION, session.clone());
    authorize(&mut request, message.authorization.as_ref());
    match timeout(PATIENCE, remote.address.ask(request)).await {
        Ok(Ok(mut reply)) => {
            let is_refused =
                matches!(reply.status, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST);
            let refusal = FailureBody::read(&mut reply, MOST_BYTES).await;
            drain(remote, reply).await;
            // A server that refuses the method knows the session.
            !is_refused || memchr::memmem::find(&refusal.body, NO_METHOD).is_some()
        }
        _ => true,
    }
}
