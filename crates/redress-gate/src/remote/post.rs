//! One message on its way to a remote server, and what comes back for it.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use hyper::{
    body::Bytes,
    http::{HeaderValue, Method, StatusCode, header, uri::PathAndQuery},
};
use redress::json::{Doc, Value};
use redress_transport::http::{
    HttpRequest, HttpResponse, Received, RequestFailure, RequestPhase, header_text,
};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

use super::{
    Message, Remote, authorize,
    body::{self, Content, NoBody},
    listen::Place,
    mirror::{Kind, SESSION, VERSION},
};
use crate::{
    frame::{limits, messages},
    session::{FailureScope, HttpFailure, MessageSource, Phase},
    upstream_id::UpstreamId,
};

/// How often a server may say that it is to be asked elsewhere.
const MOST_MOVES: usize = 3;

/// How often somebody looks whether an answer is still wanted.
const LOOK: Duration = Duration::from_secs(2);

/// How long a server may take for a notification.
const NOTICE: Duration = Duration::from_secs(30);

pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Sends notifications one after the other.
pub(super) async fn notices(remote: Weak<Remote>, mut queue: mpsc::Receiver<Message>) {
    while let Some(message) = queue.recv().await {
        let Some(remote) = remote.upgrade() else { return };
        notice(remote, message).await;
    }
}

/// Sends a message that gets no answer.
pub(super) async fn notice(remote: Arc<Remote>, message: Message) {
    if remote.may_go(&message).await {
        // Nobody waits for it, and nobody can be told.
        let is_late = timeout(NOTICE, deliver(&remote, &message)).await.is_err();
        if is_late && message.brief.kind == Kind::Initialized {
            remote.listen_again();
        }
    }
}

/// Ends requests whose answers nobody wants any more, as long as there are any in progress.
pub(super) async fn watch(remote: Weak<Remote>) {
    loop {
        sleep(LOOK).await;
        if !remote.upgrade().is_some_and(|it| it.end_unwanted()) {
            return;
        }
    }
}

/// Sends a request and passes on what comes back.
pub(super) async fn request(remote: Arc<Remote>, id: UpstreamId, number: u64, message: Message) {
    if remote.may_go(&message).await {
        deliver(&remote, &message).await;
    }
    remote.state().take_post(id, number);
}

async fn deliver(remote: &Arc<Remote>, message: &Message) {
    let reply = remote.ask_at_the_right_place(message).await;
    if let (Kind::Initialized, Some(step)) = (message.brief.kind, &message.step) {
        // The head of the answer says enough: its body may be a stream that never ends.
        step.end();
        remote.listen_again();
    }
    match reply {
        Ok((reply, session)) => remote.hear(reply, session.as_ref(), message).await,
        Err(failure) => {
            if let Some(id) = message.id {
                remote.unanswered(id, &failure);
            }
        }
    }
}

impl Remote {
    /// Waits until nothing that opens the session is overtaken. Gives whether the message is still wanted then.
    async fn may_go(&self, message: &Message) -> bool {
        let kind = message.brief.kind;
        if self.opening.lets_pass(kind) {
            return true;
        }
        message.id.into_iter().for_each(|it| self.ear.waits(it));
        self.opening.wait(kind).await;
        message.id.map_or_else(|| !self.state().is_closed, |it| self.ear.goes_on(it))
    }

    /// Gives whether any request is still in progress.
    fn end_unwanted(&self) -> bool {
        let posts: Vec<_> = self.state().posts.iter().map(|it| (*it.0, it.1.number)).collect();
        // Without our lock: whoever has that of the session may wait for ours.
        let unwanted: Vec<_> = posts.into_iter().filter(|it| !self.ear.is_owed(it.0)).collect();
        let mut state = self.state();
        for (id, number) in unwanted {
            if let Some(post) = state.take_post(id, number) {
                post.task.abort();
            }
        }
        state.is_watched = !state.posts.is_empty();
        state.is_watched
    }

    /// Sends a message to where the server is, which may be another path of it.
    /// Gives the session that the message named, too.
    async fn ask_at_the_right_place(
        &self,
        message: &Message,
    ) -> Result<(HttpResponse, Option<HeaderValue>), RequestFailure> {
        let (mut moves, mut place) = (0, None::<PathAndQuery>);
        loop {
            let mut request = self.message(message);
            if let Some(place) = &place {
                *request.uri_mut() = place.clone().into();
            }
            let session = request.headers().get(SESSION).cloned();
            let reply = self.address.ask(request).await?;
            let to = moved_to(&reply).filter(|_| moves < MOST_MOVES);
            let Some(next) = to.and_then(|it| self.address.moved(it)) else {
                // A page to log in at, say, is no place to stay at.
                if let Some(place) = place.filter(|_| is_message(&reply)) {
                    self.address.stays_at(place);
                }
                return Ok((reply, session));
            };
            place = Some(next);
            moves += 1;
            Box::pin(self.leave(reply)).await;
        }
    }

    /// A POST within the session.
    pub(super) fn post(&self, body: Bytes) -> HttpRequest {
        let mut request = self.request(Method::POST, body);
        request.headers_mut().insert(header::ACCEPT, BOTH);
        request.headers_mut().insert(header::CONTENT_TYPE, JSON);
        request
    }

    /// The POST of a message.
    fn message(&self, message: &Message) -> HttpRequest {
        let mut request = self.post(message.body.clone());
        let headers = request.headers_mut();
        if message.brief.kind == Kind::Initialize {
            // It opens another session. The one before is known until then: whoever names it next is to hear of its end.
            headers.remove(SESSION);
            headers.remove(VERSION);
        }
        let extra = message.extra.as_deref();
        match &message.brief.mirrored {
            Some(own) => {
                // A client that has them in its own headers was held to the body.
                for (name, value) in extra.map_or(own, |it| &it.mirrored).iter() {
                    headers.insert(name.clone(), value.clone());
                }
                headers.remove(SESSION);
            }
            // In a session nobody has compared them: only the revision passes.
            None => {
                if let Some(version) = extra.and_then(|it| it.mirrored.get(VERSION)) {
                    headers.insert(VERSION, version.clone());
                }
            }
        }
        authorize(&mut request, message.authorization.as_ref());
        request
    }

    /// Passes on what an answer says. What is rare or lasts is boxed: it should not make every request's task larger.
    async fn hear(
        &self,
        mut reply: HttpResponse,
        session: Option<&HeaderValue>,
        message: &Message,
    ) {
        let status = reply.status;
        if !status.is_success() {
            Box::pin(self.turned_away(&mut reply, session, message)).await;
            return Box::pin(self.leave(reply)).await;
        }
        if message.brief.kind == Kind::Initialize {
            let session = reply.headers.get(SESSION);
            self.state().session = session.cloned();
        }
        match Content::of(&reply.headers) {
            Content::Events => Box::pin(self.hear_events(reply, message)).await,
            Content::Packed => drop(message.id.map(|it| self.no_message(it, status))),
            Content::Whole => self.hear_whole(reply, message).await,
        }
    }

    async fn hear_events(&self, mut reply: HttpResponse, message: &Message) {
        let mut place = Place::default();
        let heard = self.events(&mut reply, Some(message), &mut place).await;
        match (heard, message.id) {
            (Ok(true), _) | (_, None) => self.leave(reply).await,
            (Ok(false), Some(id)) => self.resume(id, message, place, None).await,
            (Err(NoBody::Cut(why)), Some(id)) => {
                self.resume(id, message, place, Some(why)).await;
            }
            (Err(NoBody::TooLong(bytes)), Some(id)) => self.too_long(id, bytes),
            (Err(NoBody::OutOfMemory), Some(id)) => self.ear.refused(id, &HttpFailure::OutOfMemory),
            (Err(NoBody::Malformed(what)), Some(id)) => self.malformed(id, &what),
        }
    }

    async fn hear_whole(&self, mut reply: HttpResponse, message: &Message) {
        let status = reply.status;
        let Some(id) = message.id else { return Box::pin(self.leave(reply)).await };
        let mut memory = self.account.open();
        match body::whole(&mut reply, self.longest, &mut memory).await {
            Ok(bytes) => {
                // Before anybody hears the answer: the next request may come from another thread.
                self.address.keep(reply);
                // It may be empty, or the answer to another request.
                if bytes.trim_ascii().is_empty()
                    || self.tell(&bytes, Some(message), (status, false))
                {
                    self.no_message(id, status);
                }
            }
            Err(NoBody::TooLong(bytes)) => self.too_long(id, bytes),
            Err(NoBody::OutOfMemory) => self.ear.refused(id, &HttpFailure::OutOfMemory),
            Err(NoBody::Malformed(what)) => self.malformed(id, &what),
            Err(NoBody::Cut(why)) => self.ear.refused(id, &HttpFailure::Cut { detail: &why }),
        }
    }

    /// Passes one message on. Gives whether the request that it came for still waits.
    pub(super) fn tell(
        &self,
        bytes: &[u8],
        about: Option<&Message>,
        (status, is_event): (StatusCode, bool),
    ) -> bool {
        let line = body::message(bytes, self.client);
        let step = about.and_then(|it| it.step.as_ref());
        match about.map(|it| (it.brief.kind, it.brief.mirrored.is_some())) {
            Some((Kind::Initialize, _)) => messages(&line).for_each(|it| self.learn_version(it)),
            Some((Kind::ToolsList, true)) => {
                messages(&line).for_each(|it| self.state().mirrors.learn(it));
            }
            _ => (),
        }
        let about = about.and_then(|it| it.id);
        let status = Some(status.as_u16());
        let still_waits = self
            .ear
            .said(&line, MessageSource { about, status, is_event, ..MessageSource::default() });
        if let Some(step) = step.filter(|_| !still_waits) {
            step.end();
        }
        still_waits
    }

    /// The revision that was agreed on stands above all that follows.
    fn learn_version(&self, line: &[u8]) {
        let Ok(doc) = Doc::parse(line, limits(usize::MAX)) else { return };
        let version = doc.root().path(&["result", "protocolVersion"]).and_then(Value::as_str);
        if let Some(version) = version.and_then(|it| HeaderValue::from_str(&it).ok()) {
            self.state().version = Some(version);
        }
    }

    /// A success that has no answer in it.
    fn no_message(&self, id: UpstreamId, status: StatusCode) {
        let (retry_after, www_authenticate, location) = (None, None, None);
        let (status, body, about) = (status.as_u16(), &b""[..], FailureScope::Request);
        let refused =
            HttpFailure::Status { status, retry_after, www_authenticate, location, body, about };
        self.ear.refused(id, &refused);
    }

    pub(super) fn too_long(&self, id: UpstreamId, bytes: Option<u64>) {
        self.ear.refused(id, &HttpFailure::TooLarge { bytes });
    }

    pub(super) fn malformed(&self, id: UpstreamId, detail: &str) {
        self.ear.refused(id, &HttpFailure::Malformed { detail });
    }

    pub(super) fn unanswered(&self, id: UpstreamId, failure: &RequestFailure) {
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
        self.ear.refused(id, &refused);
    }

    /// Leaves an answer of which nothing more is needed.
    pub(super) async fn leave(&self, mut reply: HttpResponse) {
        if body::drain(&mut reply).await {
            self.address.keep(reply);
        }
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
