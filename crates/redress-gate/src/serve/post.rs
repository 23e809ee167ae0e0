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
use redress::{
    codes,
    json::{Doc, Value},
};
use sha2::{Digest as _, Sha256};

use super::{
    access::Principal,
    alone,
    batch::{self, Heard},
    body::{self, Body, Listener, Unread},
    desk::{Answer, Reply},
    get::{
        SESSION, ended_session, events, member, no_session_named, shutting_down, unknown_session,
    },
    house::{House, Member, NoSession},
    kinds,
    refusal::Refusal,
    version,
    waiter::{Form, Manner, OnLeave, Waiter},
};
use crate::{
    caller::{Caller, Peer},
    frame::{Frame, NotAFrame, Shape, behind_mark, id_beside, limits},
    link::Link,
    memory::OutOfMemory,
    outgoing::Sender,
    session::Expected,
};

/// Who makes a request, and from where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guest {
    pub(super) principal: Principal,
    /// For whom it counts.
    pub(super) caller: Caller,
    pub(super) peer: Peer,
}

impl Guest {
    fn manner(self, on_leave: OnLeave, form: Form) -> Manner {
        let Self { principal, caller, peer } = self;
        Manner { on_leave, form, is_primed: false, token: principal.token(), caller, peer }
    }
}

/// Takes a message in, and waits for its answer if it is a request.
pub(super) async fn post(
    house: &Arc<House>,
    who: Guest,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refusal> {
    check_content_type(request.headers())?;
    check_accept(request.headers())?;
    let (parts, body) = request.into_parts();
    let most = house.plan.server.settings.max_message;
    let account = house.memory.account(who.caller);
    let body = body::read(body, most, &account).await.map_err(|it| unread(it, most))?;
    let line = body.slice_ref(behind_mark(&body).unwrap_or(&body).trim_ascii());
    if line.is_empty() {
        let message = "The request has no message in it.";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, codes::PARSE_FAILED, message));
    }
    let headers = &parts.headers;
    if headers.contains_key(SESSION) && !version::is_alone(headers) {
        let (session, member) = member(house, who.principal, headers)
            .map_err(|it| it.to(id_of(&line, most).as_deref()))?;
        version::check(headers).map_err(|it| it.to(id_of(&line, most).as_deref()))?;
        if member.link.lock().session.is_over() {
            // Whoever heard so in the middle of a stream has not seen the status.
            house.end(session);
            return Err(unknown_session().to(id_of(&line, most).as_deref()));
        }
        let is_primed = member.is_primed.get().copied();
        let is_primed = is_primed.unwrap_or_else(|| version::knows_primed_streams(headers));
        let manner = Manner { is_primed, ..who.manner(OnLeave::Keep, Form::Liked) };
        member.is_called.store(true, Ordering::Relaxed);
        let response = exchange(&member.link, member.client, manner, headers, &line).await?;
        if member.link.lock().session.is_over() {
            // The server has forgotten it: its client opens another, which is to find a place.
            house.end(session);
        }
        return Ok(response);
    }
    match opening(house, headers, &line)? {
        Opening::Initialize(id) => initialize(house, who, headers, (&line, &id)).await,
        Opening::Alone => {
            let closing = || shutting_down().to(id_of(&line, most).as_deref());
            let link = house.common().ok_or_else(closing)?;
            let manner = who.manner(OnLeave::Cancel, Form::Liked);
            exchange(&link, principal(headers), manner, headers, &line).await
        }
    }
}

/// What a message without a session is.
enum Opening {
    /// It opens one.
    Initialize(Box<str>),
    /// It needs none.
    Alone,
}

fn opening(house: &Arc<House>, headers: &HeaderMap, line: &[u8]) -> Result<Opening, Refusal> {
    let most = house.plan.server.settings.max_message;
    let doc = Doc::parse(line, limits(most)).map_err(|error| {
        let message = format!("The message could not be read as JSON: {error}");
        let id = id_beside(error, line);
        Refusal::new(StatusCode::BAD_REQUEST, codes::PARSE_FAILED, message).to(id.as_deref())
    })?;
    let frame = match Frame::of(&doc) {
        Ok(frame) => frame,
        // Each request in it hears that under its own id.
        Err(NotAFrame::Batch) => return Ok(Opening::Alone),
        Err(error) => {
            let refusal = Refusal::bad(format!("The message is not valid: {error}."));
            return Err(refusal.to(error.id(&doc).as_deref()));
        }
    };
    let id = frame.id.map(Value::raw);
    let meta = frame.params.and_then(|it| it.get("_meta"));
    if version::is_alone(headers) || meta.is_some_and(|it| it.get(alone::META_VERSION).is_some()) {
        alone::check(headers, &frame)
            .and_then(|()| check_arguments(house, headers, &frame))
            .map_err(|it| it.to(id))?;
        return Ok(Opening::Alone);
    }
    match id {
        Some(id) if frame.shape == Shape::Request && frame.method == "initialize" => {
            Ok(Opening::Initialize(id.into()))
        }
        _ => Err(no_session_named().to(id)),
    }
}

/// Whether arguments that stand in headers, too, are the same there, as far as the list of tools was seen.
fn check_arguments(
    house: &Arc<House>,
    headers: &HeaderMap,
    frame: &Frame<'_>,
) -> Result<(), Refusal> {
    let (Some((_, tool)), Some(link)) = (frame.tool(), house.common()) else { return Ok(()) };
    let arguments = frame.params.and_then(|it| it.get("arguments"));
    let core = link.lock();
    alone::check_arguments(headers, core.session.mirrored(&tool, arguments))
}

/// The id of a request that goes no further.
fn id_of(line: &[u8], most: usize) -> Option<Box<str>> {
    let doc = Doc::parse(line, limits(most)).ok()?;
    let frame = Frame::of(&doc).ok()?;
    frame.id.filter(|_| frame.shape == Shape::Request).map(|it| it.raw().into())
}

/// Who makes a request that belongs to no session: all who bring the same credentials are one.
fn principal(headers: &HeaderMap) -> u64 {
    let credentials = headers.get(AUTHORIZATION).map(|it| Sha256::digest(it.as_bytes()));
    let start = credentials.as_ref().and_then(|it| it.first_chunk());
    Sender::OF_NO_SESSION | start.map_or(0, |it| u64::from_le_bytes(*it))
}

/// Opens a session.
async fn initialize(
    house: &Arc<House>,
    who: Guest,
    headers: &HeaderMap,
    (line, id): (&Bytes, &str),
) -> Result<Response<Body>, Refusal> {
    let opened = house.open(who.principal, who.caller, Instant::now());
    let (session, member) = opened.map_err(|it| no_session(it, house).to(Some(id)))?;
    let opened = Opened { house, session: Some(session) };
    // Whether it is refused decides whether there is a session: that must be seen.
    let manner = who.manner(OnLeave::Keep, Form::Whole);
    let mut response = exchange(&member.link, member.client, manner, headers, line).await?;
    // A server may log before it answers: then the answer comes at the end of a stream, and a session that was not opened by then is swept out.
    let is_refused = match response.body() {
        Body::Whole(bytes) => !is_opened(bytes, &member),
        Body::Events(_) => false,
    };
    if !is_refused && let Ok(session) = HeaderValue::from_str(&opened.keep()) {
        response.headers_mut().insert(SESSION, session);
    }
    Ok(response)
}

/// A session whose name nobody has heard yet: if its client never does, because it was refused or has left, the session ends.
struct Opened<'h> {
    house: &'h House,
    session: Option<Box<str>>,
}

impl Opened<'_> {
    /// The client hears its name.
    fn keep(mut self) -> Box<str> {
        self.session.take().unwrap_or_default()
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        if let Some(session) = &self.session {
            self.house.end(session);
        }
    }
}

/// Whether a session was opened; notes what its revision means for it.
fn is_opened(message: &[u8], member: &Member) -> bool {
    let Ok(doc) = Doc::parse(message, limits(message.len())) else { return false };
    let Some(result) = Frame::of(&doc).ok().filter(|it| it.shape == Shape::Result) else {
        return false;
    };
    let version = result.payload.and_then(|it| it.get("protocolVersion")).and_then(Value::as_str);
    if let Some(version) = version {
        member.is_primed.get_or_init(|| version::has_primed_streams(&version));
    }
    true
}

/// Gives a message to a link, and waits for the answer if there will be one.
async fn exchange(
    link: &Arc<Link>,
    client: u64,
    manner: Manner,
    headers: &HeaderMap,
    line: &Bytes,
) -> Result<Response<Body>, Refusal> {
    if link.is_clogged() {
        let message = "The server does not take in what it was sent before.";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let refusal = Refusal::new(status, codes::OVERLOADED, message);
        return Err(refusal.to(id_of(line, line.len()).as_deref()));
    }
    let account = link.client.desk().map(|it| it.account(manner.caller)).unwrap_or_default();
    let queued = link.reserve_way(&account, line.len());
    let queued = queued.map_err(|it| out_of_memory(it).to(id_of(line, line.len()).as_deref()))?;
    let Some(mut waiter) = Waiter::new(link, client, manner, headers) else {
        return Err(shutting_down().to(id_of(line, line.len()).as_deref()));
    };
    let from = waiter.from();
    let gone = || ended_session().to(id_of(line, line.len()).as_deref());
    let (expected, queued) = link.client_says(|session, turn| {
        turn.queued.extend(queued);
        let expected = session.client_line(line, from, turn);
        // What is on its way in pieces keeps its bytes until the last one.
        let is_array = matches!(expected, Expected::Members { .. });
        (expected, if is_array { std::mem::take(&mut turn.queued) } else { Vec::new() })
    });
    match expected {
        Expected::Answer => waiter.begin(),
        Expected::Nothing => {
            waiter.none_expected();
            return Ok(accepted());
        }
        Expected::Members { are_taken } => {
            return match batch::exchange(link, waiter, line.clone(), (are_taken, queued)).await {
                Heard::Answers(response) => Ok(response),
                Heard::Nothing => Ok(accepted()),
                Heard::Ended => Err(gone()),
            };
        }
    }
    match waiter.reply().await {
        Some(Reply::Answer(answer)) => {
            waiter.done();
            Ok(json(answer))
        }
        Some(Reply::Stream(stream)) => Ok(events(stream, Listener::Waiter(waiter))),
        // The link has ended, and with it the session.
        None => {
            waiter.done();
            Err(gone())
        }
    }
}

fn no_session(why: NoSession, house: &House) -> Refusal {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    match why {
        NoSession::TooMany => {
            let most = house.most_sessions;
            let message = format!("{most} sessions are open, which is the most there may be.");
            Refusal::new(status, codes::OVERLOADED, message)
                .fix("End a session that is not needed any more, or wait until one that nobody uses is ended.")
        }
        NoSession::Closing => shutting_down(),
    }
}

fn unread(why: Unread, most: usize) -> Refusal {
    match why {
        Unread::TooLarge => {
            let message = format!("The message is larger than {most} bytes.");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, codes::INPUT_TOO_LARGE, message)
        }
        Unread::OutOfMemory => out_of_memory(OutOfMemory),
        Unread::TooSlow => {
            let message = "The message came too slowly.";
            Refusal::new(StatusCode::REQUEST_TIMEOUT, codes::TIMEOUT, message)
        }
        Unread::Cut => Refusal::bad("The message ended before its end."),
    }
    .closing()
}

/// A message for which there is no memory.
fn out_of_memory(_: OutOfMemory) -> Refusal {
    let message = "The gate holds as many bytes for its clients as it may.";
    Refusal::overloaded(message)
        .fix("Read the answers that wait, then send the message again, or a smaller one.")
}

fn check_content_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let value = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "The content type must be application/json.";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Refusal::new(status, codes::INVALID_REQUEST, message).closing())
}

fn check_accept(headers: &HeaderMap) -> Result<(), Refusal> {
    if kinds::accepts(headers, &[kinds::JSON, kinds::EVENTS]) {
        return Ok(());
    }
    let message = "The client must accept both application/json and text/event-stream.";
    Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, codes::INVALID_REQUEST, message).closing())
}

fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::Whole(Bytes::new()));
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

fn json(answer: Answer) -> Response<Body> {
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
