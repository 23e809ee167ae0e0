//! `POST`: one message of a client, and its answer.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use hyper::{
    HeaderMap, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE},
};
use redress::codes;
use redress_proxy::{
    caller::{Caller, Peer},
    memory::OutOfMemory,
    outgoing::Sender,
    session::Expected,
};
use redress_wire::json::{Doc, Value};
use sha2::{Digest as _, Sha256};

use super::{
    access::Principal,
    batch::{self, BatchResponse},
    body::{self, Body, BodyError, StreamReader},
    content_negotiation,
    get::{
        SESSION, ended_session, events, find_session, no_session_named, shutting_down,
        unknown_session,
    },
    pending_request::{OnDisconnect, PendingRequest, ReplyMode, ReplyOptions},
    refusal::RefusedRequest,
    session_manager::{HttpSession, SessionError, SessionManager},
    stateless, version,
};
use crate::{
    connection::Connection,
    frame::{Frame, NotAFrame, Shape, behind_mark, id_beside, limits},
    replies::{Reply, WholeAnswer},
};

/// The sender of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requester {
    pub(super) principal: Principal,
    /// The account that its limits count for.
    pub(super) caller: Caller,
    pub(super) peer: Peer,
}

impl Requester {
    fn options(self, on_disconnect: OnDisconnect, mode: ReplyMode) -> ReplyOptions {
        let Self { principal, caller, peer } = self;
        ReplyOptions {
            on_disconnect,
            mode,
            is_primed: false,
            token: principal.token(),
            caller,
            peer,
        }
    }
}

/// Passes a message on, and waits for its answer if it is a request.
pub(super) async fn post(
    manager: &Arc<SessionManager>,
    who: Requester,
    request: Request<Incoming>,
) -> Result<Response<Body>, RefusedRequest> {
    check_content_type(request.headers())?;
    check_accept(request.headers())?;
    let (parts, body) = request.into_parts();
    let most = manager.runtime.server.settings.max_message;
    let account = manager.memory.account(who.caller);
    let body = body::read(body, most, &account).await.map_err(|it| unread(it, most))?;
    let line = body.slice_ref(behind_mark(&body).unwrap_or(&body).trim_ascii());
    if line.is_empty() {
        let message = "The request has no message in it.";
        return Err(RefusedRequest::new(StatusCode::BAD_REQUEST, codes::PARSE_FAILED, message));
    }
    let headers = &parts.headers;
    if headers.contains_key(SESSION) && !version::is_stateless(headers) {
        let (id, session) = find_session(manager, who.principal, headers)
            .map_err(|it| it.to(id_of(&line, most).as_deref()))?;
        version::check(headers).map_err(|it| it.to(id_of(&line, most).as_deref()))?;
        if session.connection.lock().session.is_over() {
            // A client that learnt it in the middle of a stream has not seen the status.
            manager.end(id);
            return Err(unknown_session().to(id_of(&line, most).as_deref()));
        }
        let is_primed = session.is_primed.get().copied();
        let is_primed = is_primed.unwrap_or_else(|| version::knows_primed_streams(headers));
        let options =
            ReplyOptions { is_primed, ..who.options(OnDisconnect::Keep, ReplyMode::Negotiated) };
        session.is_called.store(true, Ordering::Relaxed);
        let response =
            exchange(&session.connection, session.client, options, headers, &line).await?;
        if session.connection.lock().session.is_over() {
            // The server has forgotten it: its client opens another, which is to find a place.
            manager.end(id);
        }
        return Ok(response);
    }
    match message_kind(manager, headers, &line)? {
        MessageKind::Initialize(id) => initialize(manager, who, headers, (&line, &id)).await,
        MessageKind::Stateless => {
            let closing = || shutting_down().to(id_of(&line, most).as_deref());
            let connection = manager.common().ok_or_else(closing)?;
            let options = who.options(OnDisconnect::Cancel, ReplyMode::Negotiated);
            exchange(&connection, principal(headers), options, headers, &line).await
        }
    }
}

/// What a message without a session is.
enum MessageKind {
    /// It opens one.
    Initialize(Box<str>),
    /// It needs none.
    Stateless,
}

fn message_kind(
    manager: &Arc<SessionManager>,
    headers: &HeaderMap,
    line: &[u8],
) -> Result<MessageKind, RefusedRequest> {
    let most = manager.runtime.server.settings.max_message;
    let doc = Doc::parse(line, limits(most)).map_err(|error| {
        let message = format!("The message could not be read as JSON: {error}");
        let id = id_beside(error, line);
        RefusedRequest::new(StatusCode::BAD_REQUEST, codes::PARSE_FAILED, message).to(id.as_deref())
    })?;
    let frame = match Frame::of(&doc) {
        Ok(frame) => frame,
        // Each request in it hears that under its own id.
        Err(NotAFrame::Batch) => return Ok(MessageKind::Stateless),
        Err(error) => {
            let refusal = RefusedRequest::bad(format!("The message is not valid: {error}."));
            return Err(refusal.to(error.id(&doc).as_deref()));
        }
    };
    let id = frame.id.map(Value::raw);
    let meta = frame.params.and_then(|it| it.get("_meta"));
    if version::is_stateless(headers)
        || meta.is_some_and(|it| it.get(stateless::META_VERSION).is_some())
    {
        stateless::check(headers, &frame)
            .and_then(|()| check_arguments(manager, headers, &frame))
            .map_err(|it| it.to(id))?;
        return Ok(MessageKind::Stateless);
    }
    match id {
        Some(id) if frame.shape == Shape::Request && frame.method == "initialize" => {
            Ok(MessageKind::Initialize(id.into()))
        }
        _ => Err(no_session_named().to(id)),
    }
}

/// Checks that arguments which headers repeat are the same there, as far as the list of tools is known.
fn check_arguments(
    manager: &Arc<SessionManager>,
    headers: &HeaderMap,
    frame: &Frame<'_>,
) -> Result<(), RefusedRequest> {
    let (Some((_, tool)), Some(connection)) = (frame.tool(), manager.common()) else {
        return Ok(());
    };
    let arguments = frame.params.and_then(|it| it.get("arguments"));
    let core = connection.lock();
    stateless::check_arguments(headers, core.session.mirrored(&tool, arguments))
}

/// The id of a request that goes no further.
fn id_of(line: &[u8], most: usize) -> Option<Box<str>> {
    let doc = Doc::parse(line, limits(most)).ok()?;
    let frame = Frame::of(&doc).ok()?;
    frame.id.filter(|_| frame.shape == Shape::Request).map(|it| it.raw().into())
}

/// The sender of a request without a session: equal credentials are one sender.
fn principal(headers: &HeaderMap) -> u64 {
    let credentials = headers.get(AUTHORIZATION).map(|it| Sha256::digest(it.as_bytes()));
    let start = credentials.as_ref().and_then(|it| it.first_chunk());
    Sender::OF_NO_SESSION | start.map_or(0, |it| u64::from_le_bytes(*it))
}

/// Opens a session.
async fn initialize(
    manager: &Arc<SessionManager>,
    who: Requester,
    headers: &HeaderMap,
    (line, id): (&Bytes, &str),
) -> Result<Response<Body>, RefusedRequest> {
    let opened = manager.open(who.principal, who.caller, Instant::now());
    let (name, session) = opened.map_err(|it| no_session(it, manager).to(Some(id)))?;
    let unsent = UnsentSession { manager, session: Some(name) };
    // A refusal ends the session, so that the whole answer is waited for.
    let options = who.options(OnDisconnect::Keep, ReplyMode::Whole);
    let mut response =
        exchange(&session.connection, session.client, options, headers, line).await?;
    // A server may log before it answers: then the answer comes at the end of a stream, and a session that was not opened by then is swept out.
    let is_refused = match response.body() {
        Body::Whole(bytes) => !is_opened(bytes, &session),
        Body::Events(_) => false,
    };
    if !is_refused && let Ok(name) = HeaderValue::from_str(&unsent.keep()) {
        response.headers_mut().insert(SESSION, name);
    }
    Ok(response)
}

/// A session whose id its client has not received yet. If the client never receives it, the session ends.
struct UnsentSession<'h> {
    manager: &'h SessionManager,
    session: Option<Box<str>>,
}

impl UnsentSession<'_> {
    /// Keeps the session, and gives its id.
    fn keep(mut self) -> Box<str> {
        self.session.take().unwrap_or_default()
    }
}

impl Drop for UnsentSession<'_> {
    fn drop(&mut self) {
        if let Some(session) = &self.session {
            self.manager.end(session);
        }
    }
}

/// Whether a session was opened; notes what its revision means for it.
fn is_opened(message: &[u8], session: &HttpSession) -> bool {
    let Ok(doc) = Doc::parse(message, limits(message.len())) else { return false };
    let Some(result) = Frame::of(&doc).ok().filter(|it| it.shape == Shape::Result) else {
        return false;
    };
    let version = result.payload.and_then(|it| it.get("protocolVersion")).and_then(Value::as_str);
    if let Some(version) = version {
        session.is_primed.get_or_init(|| version::has_primed_streams(&version));
    }
    true
}

/// Gives a message to a connection, and waits for the answer if there will be one.
async fn exchange(
    connection: &Arc<Connection>,
    client: u64,
    options: ReplyOptions,
    headers: &HeaderMap,
    line: &Bytes,
) -> Result<Response<Body>, RefusedRequest> {
    if connection.is_clogged() {
        let message = "The server is not reading its input; too much is already queued.";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let refusal = RefusedRequest::new(status, codes::OVERLOADED, message);
        return Err(refusal.to(id_of(line, line.len()).as_deref()));
    }
    let account =
        connection.client.replies().map(|it| it.account(options.caller)).unwrap_or_default();
    let queued = connection.reserve_way(&account, line.len());
    let queued = queued.map_err(|it| out_of_memory(it).to(id_of(line, line.len()).as_deref()))?;
    let Some(mut pending) = PendingRequest::new(connection, client, options, headers) else {
        return Err(shutting_down().to(id_of(line, line.len()).as_deref()));
    };
    let from = pending.from();
    let gone = || ended_session().to(id_of(line, line.len()).as_deref());
    let (expected, queued) = connection.client_says(|session, actions| {
        actions.queued.extend(queued);
        let expected = session.client_line(line, from, actions);
        // What is on its way in pieces keeps its bytes until the last one.
        let is_array = matches!(expected, Expected::Members { .. });
        (expected, if is_array { std::mem::take(&mut actions.queued) } else { Vec::new() })
    });
    match expected {
        Expected::Answer => pending.begin(),
        Expected::Nothing => {
            pending.none_expected();
            return Ok(accepted());
        }
        Expected::Members { are_taken } => {
            return match batch::exchange(connection, pending, line.clone(), (are_taken, queued))
                .await
            {
                BatchResponse::Answers(response) => Ok(response),
                BatchResponse::Nothing => Ok(accepted()),
                BatchResponse::Ended => Err(gone()),
            };
        }
    }
    match pending.reply().await {
        Some(Reply::Answer(answer)) => {
            pending.done();
            Ok(json(answer))
        }
        Some(Reply::Stream(stream)) => Ok(events(stream, StreamReader::Request(pending))),
        // The connection has ended, and with it the session.
        None => {
            pending.done();
            Err(gone())
        }
    }
}

fn no_session(why: SessionError, manager: &SessionManager) -> RefusedRequest {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    match why {
        SessionError::TooMany => {
            let most = manager.most_sessions;
            let message = format!("{most} sessions are open, which is the most there may be.");
            RefusedRequest::new(status, codes::OVERLOADED, message)
                .fix("End a session that is not needed any more, or wait until one that nobody uses is ended.")
        }
        SessionError::Closing => shutting_down(),
    }
}

fn unread(why: BodyError, most: usize) -> RefusedRequest {
    match why {
        BodyError::TooLarge => {
            let message = format!("The message is larger than {most} bytes.");
            RefusedRequest::new(StatusCode::PAYLOAD_TOO_LARGE, codes::INPUT_TOO_LARGE, message)
        }
        BodyError::OutOfMemory => out_of_memory(OutOfMemory),
        BodyError::TooSlow => {
            let message = "The message came too slowly.";
            RefusedRequest::new(StatusCode::REQUEST_TIMEOUT, codes::TIMEOUT, message)
        }
        BodyError::Cut => RefusedRequest::bad("The request body was truncated."),
    }
    .closing()
}

/// A message for which there is no memory.
fn out_of_memory(_: OutOfMemory) -> RefusedRequest {
    let message = "The gate holds as many bytes for its clients as it may.";
    RefusedRequest::overloaded(message)
        .fix("Read the answers that wait, then send the message again, or a smaller one.")
}

fn check_content_type(headers: &HeaderMap) -> Result<(), RefusedRequest> {
    let value = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "The content type must be application/json.";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(RefusedRequest::new(status, codes::INVALID_REQUEST, message).closing())
}

fn check_accept(headers: &HeaderMap) -> Result<(), RefusedRequest> {
    if content_negotiation::accepts(
        headers,
        &[content_negotiation::JSON, content_negotiation::EVENTS],
    ) {
        return Ok(());
    }
    let message = "The client must accept both application/json and text/event-stream.";
    Err(RefusedRequest::new(StatusCode::NOT_ACCEPTABLE, codes::INVALID_REQUEST, message).closing())
}

fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::Whole(Bytes::new()));
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

fn json(answer: WholeAnswer) -> Response<Body> {
    let mut response = Response::new(Body::Whole(answer.message.into_bytes()));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for challenge in answer.challenge.iter().flat_map(|it| it.lines()) {
        if let Ok(challenge) = HeaderValue::from_str(challenge) {
            headers.append(WWW_AUTHENTICATE, challenge);
        }
    }
    response
}
