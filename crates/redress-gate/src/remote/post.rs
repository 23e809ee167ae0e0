//! One message on its way to a remote server, and what comes back for it.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use hyper::{
    body::Bytes,
    http::{HeaderValue, Method, StatusCode, header, uri::PathAndQuery},
};
use redress_proxy::{
    session::{FailureScope, HttpFailure, MessageSource, Phase},
    upstream_id::UpstreamId,
};
use redress_transport::http::{
    HttpRequest, HttpResponse, Received, RequestFailure, RequestPhase, header_text,
};
use redress_wire::json::{Doc, Value};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

use super::{
    QueuedMessage, Remote, authorize,
    body::{self, BodyFailure, Content},
    event_streams::{StreamPosition, pass_events, resume},
    mirrored_headers::{MessageKind, SESSION, VERSION},
    refusal::read_refusal,
};
use crate::frame::{limits, messages};

/// How often a server may say that it is to be asked elsewhere.
const MOST_MOVES: usize = 3;

/// How often it is checked whether answers are still wanted.
const LOOK: Duration = Duration::from_secs(2);

/// How long a server may take for a notification.
const NOTICE: Duration = Duration::from_secs(30);

pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Sends notifications one after the other.
pub(super) async fn notices(remote: Weak<Remote>, mut queue: mpsc::Receiver<QueuedMessage>) {
    while let Some(message) = queue.recv().await {
        let Some(remote) = remote.upgrade() else { return };
        notice(remote, message).await;
    }
}

/// Sends a message that gets no answer.
pub(super) async fn notice(remote: Arc<Remote>, message: QueuedMessage) {
    if await_handshake(&remote, &message).await {
        // No client waits for it, so that a failure is not reported.
        let is_late = timeout(NOTICE, deliver(&remote, &message)).await.is_err();
        if is_late && message.summary.kind == MessageKind::Initialized {
            remote.listen_again();
        }
    }
}

/// Aborts requests whose answers no client waits for, as long as any are in progress.
pub(super) async fn watch(remote: Weak<Remote>) {
    loop {
        sleep(LOOK).await;
        if !remote.upgrade().is_some_and(|it| abort_unwanted(&it)) {
            return;
        }
    }
}

/// Sends a request and passes on what comes back.
pub(super) async fn request(
    remote: Arc<Remote>,
    id: UpstreamId,
    number: u64,
    message: QueuedMessage,
) {
    if await_handshake(&remote, &message).await {
        deliver(&remote, &message).await;
    }
    remote.state().take_post(id, number);
}

async fn deliver(remote: &Arc<Remote>, message: &QueuedMessage) {
    let reply = send_to_current_path(remote, message).await;
    if let (MessageKind::Initialized, Some(step)) = (message.summary.kind, &message.step) {
        // The head of the answer says enough: its body may be a stream that never ends.
        step.end();
        remote.listen_again();
    }
    match reply {
        Ok((reply, session)) => read_response(remote, reply, session.as_ref(), message).await,
        Err(failure) => {
            if let Some(id) = message.id {
                report_failure(remote, id, &failure);
            }
        }
    }
}

/// Waits until the messages before it that open the session have arrived. Gives whether the message is still wanted then.
async fn await_handshake(remote: &Remote, message: &QueuedMessage) -> bool {
    let kind = message.summary.kind;
    if remote.handshake.lets_pass(kind) {
        return true;
    }
    message.id.into_iter().for_each(|it| remote.events.on_wait(it));
    remote.handshake.wait(kind).await;
    message.id.map_or_else(|| !remote.state().is_closed, |it| remote.events.on_resume(it))
}

/// Aborts requests whose answers no client waits for. Gives whether any request is still in progress.
fn abort_unwanted(remote: &Remote) -> bool {
    let posts: Vec<_> = remote.state().posts.iter().map(|it| (*it.0, it.1.number)).collect();
    // Without the lock of the state: a thread that holds the session may wait for it.
    let unwanted: Vec<_> = posts.into_iter().filter(|it| !remote.events.is_owed(it.0)).collect();
    let mut state = remote.state();
    for (id, number) in unwanted {
        if let Some(post) = state.take_post(id, number) {
            post.task.abort();
        }
    }
    state.is_watched = !state.posts.is_empty();
    state.is_watched
}

/// Sends a message to the path that the server redirects to. Gives the session that the message named, too.
async fn send_to_current_path(
    remote: &Remote,
    message: &QueuedMessage,
) -> Result<(HttpResponse, Option<HeaderValue>), RequestFailure> {
    let (mut moves, mut place) = (0, None::<PathAndQuery>);
    loop {
        let mut request = post_of(remote, message);
        if let Some(place) = &place {
            *request.uri_mut() = place.clone().into();
        }
        let session = request.headers().get(SESSION).cloned();
        let reply = remote.address.ask(request).await?;
        let to = moved_to(&reply).filter(|_| moves < MOST_MOVES);
        let Some(next) = to.and_then(|it| remote.address.moved(it)) else {
            // A login page, say, is not the server's new path.
            if let Some(place) = place.filter(|_| is_message(&reply)) {
                remote.address.stays_at(place);
            }
            return Ok((reply, session));
        };
        place = Some(next);
        moves += 1;
        Box::pin(drain(remote, reply)).await;
    }
}

/// A POST within the session.
pub(super) fn new_post(remote: &Remote, body: Bytes) -> HttpRequest {
    let mut request = remote.request(Method::POST, body);
    request.headers_mut().insert(header::ACCEPT, BOTH);
    request.headers_mut().insert(header::CONTENT_TYPE, JSON);
    request
}

/// The POST of a message.
fn post_of(remote: &Remote, message: &QueuedMessage) -> HttpRequest {
    let mut request = new_post(remote, message.body.clone());
    let headers = request.headers_mut();
    if message.summary.kind == MessageKind::Initialize {
        // It opens another session. The old one is kept until then, so that a request in it learns that it is lost.
        headers.remove(SESSION);
        headers.remove(VERSION);
    }
    let extra = message.extra.as_deref();
    match &message.summary.mirrored {
        Some(own) => {
            // The headers of a client were compared with the body already.
            for (name, value) in extra.map_or(own, |it| &it.mirrored) {
                headers.insert(name.clone(), value.clone());
            }
            headers.remove(SESSION);
        }
        // In a session they were not compared: only the revision passes.
        None => {
            if let Some(version) = extra.and_then(|it| it.mirrored.get(VERSION)) {
                headers.insert(VERSION, version.clone());
            }
        }
    }
    authorize(&mut request, message.authorization.as_ref());
    request
}

/// Passes on what a response says. Rare or long work is boxed, so that it does not enlarge the task of every request.
async fn read_response(
    remote: &Remote,
    mut reply: HttpResponse,
    session: Option<&HeaderValue>,
    message: &QueuedMessage,
) {
    let status = reply.status;
    if !status.is_success() {
        Box::pin(read_refusal(remote, &mut reply, session, message)).await;
        return Box::pin(drain(remote, reply)).await;
    }
    if message.summary.kind == MessageKind::Initialize {
        let session = reply.headers.get(SESSION);
        remote.state().session = session.cloned();
    }
    match Content::of(&reply.headers) {
        Content::Events => Box::pin(read_events(remote, reply, message)).await,
        Content::Packed => drop(message.id.map(|it| report_empty(remote, it, status))),
        Content::Whole => read_whole(remote, reply, message).await,
    }
}

async fn read_events(remote: &Remote, mut reply: HttpResponse, message: &QueuedMessage) {
    let mut place = StreamPosition::default();
    let heard = pass_events(remote, &mut reply, Some(message), &mut place).await;
    match (heard, message.id) {
        (Ok(true), _) | (_, None) => drain(remote, reply).await,
        (Ok(false), Some(id)) => resume(remote, id, message, place, None).await,
        (Err(BodyFailure::Cut(why)), Some(id)) => {
            resume(remote, id, message, place, Some(why)).await;
        }
        (Err(BodyFailure::TooLong(bytes)), Some(id)) => report_too_long(remote, id, bytes),
        (Err(BodyFailure::OutOfMemory), Some(id)) => {
            remote.events.on_failure(id, &HttpFailure::OutOfMemory);
        }
        (Err(BodyFailure::Malformed(what)), Some(id)) => report_malformed(remote, id, &what),
    }
}

async fn read_whole(remote: &Remote, mut reply: HttpResponse, message: &QueuedMessage) {
    let status = reply.status;
    let Some(id) = message.id else { return Box::pin(drain(remote, reply)).await };
    let mut memory = remote.account.open();
    match body::whole(&mut reply, remote.longest, &mut memory).await {
        Ok(bytes) => {
            // Before the answer is passed on: the next request may come from another thread.
            remote.address.keep(reply);
            // It may be empty, or the answer to another request.
            if bytes.trim_ascii().is_empty()
                || pass_on(remote, &bytes, Some(message), (status, false))
            {
                report_empty(remote, id, status);
            }
        }
        Err(BodyFailure::TooLong(bytes)) => report_too_long(remote, id, bytes),
        Err(BodyFailure::OutOfMemory) => remote.events.on_failure(id, &HttpFailure::OutOfMemory),
        Err(BodyFailure::Malformed(what)) => report_malformed(remote, id, &what),
        Err(BodyFailure::Cut(why)) => {
            remote.events.on_failure(id, &HttpFailure::Cut { detail: &why });
        }
    }
}

/// Passes one message on. Gives whether the request that it came for still waits.
pub(super) fn pass_on(
    remote: &Remote,
    bytes: &[u8],
    about: Option<&QueuedMessage>,
    (status, is_event): (StatusCode, bool),
) -> bool {
    let line = body::message(bytes, remote.client);
    let step = about.and_then(|it| it.step.as_ref());
    match about.map(|it| (it.summary.kind, it.summary.mirrored.is_some())) {
        Some((MessageKind::Initialize, _)) => {
            messages(&line).for_each(|it| learn_version(remote, it));
        }
        Some((MessageKind::ToolsList, true)) => {
            messages(&line).for_each(|it| remote.state().mirrors.learn(it));
        }
        _ => (),
    }
    let about = about.and_then(|it| it.id);
    let status = Some(status.as_u16());
    let still_waits = remote
        .events
        .on_message(&line, MessageSource { about, status, is_event, ..MessageSource::default() });
    if let Some(step) = step.filter(|_| !still_waits) {
        step.end();
    }
    still_waits
}

/// Notes the agreed revision, which is a header of all that follows.
fn learn_version(remote: &Remote, line: &[u8]) {
    let Ok(doc) = Doc::parse(line, limits(usize::MAX)) else { return };
    let version = doc.root().path(&["result", "protocolVersion"]).and_then(Value::as_str);
    if let Some(version) = version.and_then(|it| HeaderValue::from_str(&it).ok()) {
        remote.state().version = Some(version);
    }
}

/// Reports a success without an answer in it.
fn report_empty(remote: &Remote, id: UpstreamId, status: StatusCode) {
    let (retry_after, www_authenticate, location) = (None, None, None);
    let (status, body, about) = (status.as_u16(), &b""[..], FailureScope::Request);
    let refused =
        HttpFailure::Status { status, retry_after, www_authenticate, location, body, about };
    remote.events.on_failure(id, &refused);
}

pub(super) fn report_too_long(remote: &Remote, id: UpstreamId, bytes: Option<u64>) {
    remote.events.on_failure(id, &HttpFailure::TooLarge { bytes });
}

pub(super) fn report_malformed(remote: &Remote, id: UpstreamId, detail: &str) {
    remote.events.on_failure(id, &HttpFailure::Malformed { detail });
}

fn report_failure(remote: &Remote, id: UpstreamId, failure: &RequestFailure) {
    let RequestFailure { phase, detail, sent, received } = failure;
    let phase = match phase {
        RequestPhase::Dns => Phase::Dns,
        RequestPhase::Connect => Phase::Connect,
        RequestPhase::Tls => Phase::Tls,
        RequestPhase::Write => Phase::Write,
        RequestPhase::Read => Phase::Read,
    };
    let refused = match received {
        Received::Nothing => HttpFailure::Unreachable { phase, detail, sent: *sent },
        Received::Part => HttpFailure::Cut { detail },
        Received::Malformed => HttpFailure::Malformed { detail },
    };
    remote.events.on_failure(id, &refused);
}

/// Reads the rest of a response that is not needed, so that its connection can be used again.
pub(super) async fn drain(remote: &Remote, mut reply: HttpResponse) {
    if body::drain(&mut reply).await {
        remote.address.keep(reply);
    }
}

/// Where the server says that the same request is to be sent.
fn moved_to(reply: &HttpResponse) -> Option<&str> {
    let is_moved =
        matches!(reply.status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    header_text(&reply.headers, &header::LOCATION).filter(|_| is_moved)
}

/// Whether the answer can be one of the protocol.
fn is_message(reply: &HttpResponse) -> bool {
    let kind = header_text(&reply.headers, &header::CONTENT_TYPE);
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let is_ours =
        ["application/json", "text/event-stream"].iter().any(|it| kind.eq_ignore_ascii_case(it));
    reply.status.is_success() && (is_ours || reply.status == StatusCode::ACCEPTED)
}
