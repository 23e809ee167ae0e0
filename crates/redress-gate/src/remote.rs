//! `Remote`: a server behind a URL as an upstream. Each message is a POST; answers come as JSON or as a stream of events.

mod address;
mod body;
mod event_streams;
mod handshake;
mod mirrored_headers;
mod post;
mod refusal;
mod session_loss;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http_body_util::Full;
use hyper::{
    body::Bytes,
    http::{HeaderMap, HeaderValue, Method, header},
};
use redress_proxy::{
    header_params::HeaderParams,
    memory::{Account, Reservation},
    outgoing::{MessageQueue, ReplyToken, ToUpstream},
    session::{ClientKind, HttpFailure, MessageSource},
    upstream_id::UpstreamId,
};
use redress_transport::http::HttpRequest;
use redress_wire::json::Scratch;
use rustc_hash::FxHashMap;
use tokio::{runtime::Handle, sync::mpsc, task::AbortHandle};

pub use self::address::RemoteAddress;
use self::{
    handshake::{Handshake, HandshakeStep},
    mirrored_headers::{MessageKind, MessageSummary, SESSION, VERSION},
};

/// The most notifications that wait for a server which does not take them.
const MOST_NOTICES: usize = 1_024;

/// How long a server may take to hear that its session is over.
const FAREWELL: Duration = Duration::from_secs(2);

/// Receives what a remote server says. No method may block.
pub(crate) trait UpstreamEvents: Send + Sync + 'static {
    /// A message arrived. Gives whether the request that it came for still waits for its answer.
    fn on_message(&self, line: &[u8], source: MessageSource) -> bool;

    /// The answer to a request is a stream of events, which may be primed: its first event has only an id.
    fn on_stream(&self, about: UpstreamId, is_primed: bool);

    /// The POST of a request failed.
    fn on_failure(&self, id: UpstreamId, how: &HttpFailure<'_>);

    /// The server has forgotten the session that a request named.
    fn on_session_lost(&self, id: UpstreamId);

    /// Whether the client has too much to read already.
    fn is_full(&self) -> bool;

    /// A request waits for the handshake: the server has nothing of it yet.
    fn on_wait(&self, id: UpstreamId);

    /// The wait is over. Gives whether the request still waits for its answer.
    fn on_resume(&self, id: UpstreamId) -> bool;

    /// Whether a request still waits for its answer.
    fn is_owed(&self, id: UpstreamId) -> bool;
}

/// The headers of a client over HTTP that are passed on to the server.
#[derive(Debug)]
struct ClientHeaders {
    authorization: Option<HeaderValue>,
    mirrored: HeaderMap,
}

impl ClientHeaders {
    fn of(headers: &HeaderMap, forwards_authorization: bool) -> Self {
        let authorization = headers.get(header::AUTHORIZATION).filter(|_| forwards_authorization);
        let mirrored = headers.iter().filter(|it| mirrored_headers::is_mirrored(it.0));
        Self {
            authorization: authorization.cloned(),
            mirrored: mirrored.map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }
}

/// A server behind a URL, as one session sees it.
pub(crate) struct Remote {
    address: Arc<RemoteAddress>,
    events: Box<dyn UpstreamEvents>,
    runtime: Handle,
    client: ClientKind,
    longest: usize,
    /// Where the bytes of answers are reserved while they are read.
    account: Account,
    state: Mutex<State>,
    handshake: Handshake,
    notices: mpsc::Sender<QueuedMessage>,
}

/// What is known of the session.
#[derive(Debug, Default)]
struct State {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
    mirrors: HeaderParams,
    /// Requests in progress; ending one closes its connection.
    posts: FxHashMap<UpstreamId, Post>,
    posted: u64,
    /// A task aborts those whose answers no client waits for.
    is_watched: bool,
    scratch: Scratch,
    /// The headers of clients that wait for an answer: a call may be made again.
    client_headers: FxHashMap<ReplyToken, Arc<ClientHeaders>>,
    /// The `Authorization` that a client sent last, for what belongs to no request.
    authorization: Option<HeaderValue>,
    /// The tasks that send notifications and listen.
    tasks: Vec<AbortHandle>,
    stream: Option<AbortHandle>,
    /// A client wants to hear what the server says unasked, in each of its sessions.
    is_listening: bool,
    is_closed: bool,
}

impl State {
    /// Takes a POST out, unless the request was sent again since.
    fn take_post(&mut self, id: UpstreamId, number: u64) -> Option<Post> {
        let is_same = self.posts.get(&id).is_some_and(|it| it.number == number);
        if is_same { self.posts.remove(&id) } else { None }
    }
}

#[derive(Debug)]
struct Post {
    /// Tells it from an earlier POST of the same request.
    number: u64,
    task: AbortHandle,
    /// Closing its connection withdraws it.
    is_stateless: bool,
    /// The `Authorization` that it was sent with.
    authorization: Option<HeaderValue>,
}

/// One message on its way.
#[derive(Debug)]
struct QueuedMessage {
    id: Option<UpstreamId>,
    body: Bytes,
    summary: MessageSummary,
    extra: Option<Arc<ClientHeaders>>,
    /// That of the client that sent it; for what belongs to no request, the one that was sent last.
    authorization: Option<HeaderValue>,
    /// Its step of the handshake, if it opens the session.
    step: Option<HandshakeStep>,
    /// The bytes that are reserved for it.
    _held: Vec<Reservation>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("client", &self.client).finish_non_exhaustive()
    }
}

impl Remote {
    /// A server for one session. Nothing is opened before there is something to send.
    pub(crate) fn new(
        address: Arc<RemoteAddress>,
        client: ClientKind,
        (longest, account): (usize, Account),
        runtime: Handle,
        events: Box<dyn UpstreamEvents>,
    ) -> Arc<Self> {
        let (notices, queue) = mpsc::channel(MOST_NOTICES);
        let (state, handshake) = (Mutex::default(), Handshake::default());
        let this = Arc::new(Self {
            address,
            events,
            runtime,
            client,
            longest,
            account,
            state,
            handshake,
            notices,
        });
        let task = this.runtime.spawn(post::notices(Arc::downgrade(&this), queue));
        this.state().tasks.push(task.abort_handle());
        this
    }

    /// What a client over HTTP sends above the message that has this token; to be said before the message.
    pub(crate) fn attach(&self, reply_token: ReplyToken, headers: &HeaderMap) {
        let extra = ClientHeaders::of(headers, self.address.forwards_authorization());
        let mut state = self.state();
        state.authorization.clone_from(&extra.authorization);
        state.client_headers.insert(reply_token, Arc::new(extra));
    }

    /// Forgets what a client sent above a message; it waits no more.
    pub(crate) fn detach(&self, reply_token: ReplyToken) {
        self.state().client_headers.remove(&reply_token);
    }

    /// Takes messages over with what is reserved for them: of several, the last one keeps it. Never blocks.
    pub(crate) fn push(
        self: &Arc<Self>,
        mail: &MessageQueue<ToUpstream>,
        held: &mut Vec<Reservation>,
    ) {
        let mut letters = mail.messages().peekable();
        while let Some((to, line)) = letters.next() {
            let held = if letters.peek().is_none() { std::mem::take(held) } else { Vec::new() };
            self.send(to, line.trim_ascii_end(), held);
        }
    }

    fn send(self: &Arc<Self>, to: ToUpstream, line: &[u8], held: Vec<Reservation>) {
        let mut state = self.state();
        if state.is_closed {
            return;
        }
        let last = state.authorization.clone();
        // A client that has left has none any more, and that of another client must not be used.
        let own =
            |extra: Option<&Arc<ClientHeaders>>| extra.and_then(|it| it.authorization.clone());
        let (id, extra, authorization) = match to {
            ToUpstream::Request(id, reply_token) => {
                let extra = state.client_headers.get(&reply_token);
                (Some(id), extra.cloned(), own(extra))
            }
            ToUpstream::Own(id, Some(reply_token)) => {
                (Some(id), None, own(state.client_headers.get(&reply_token)))
            }
            ToUpstream::Own(id, None) => (Some(id), None, last),
            ToUpstream::Of(reply_token) => {
                (None, None, own(state.client_headers.get(&reply_token)))
            }
            ToUpstream::Cancel(id) => {
                let Some(post) = state.posts.remove(&id) else { return };
                post.task.abort();
                if post.is_stateless {
                    return;
                }
                (None, None, post.authorization)
            }
            ToUpstream::Other => (None, None, last),
        };
        let State { mirrors, scratch, .. } = &mut *state;
        let read = if id.is_some() { MessageSummary::of_request } else { MessageSummary::of };
        let summary = read(line, mirrors, scratch);
        if summary.kind == MessageKind::Initialize
            && let Some(stream) = state.stream.take()
        {
            // A session that is opened again is a new one.
            stream.abort();
        }
        let step = self.handshake.begin(summary.kind);
        let is_stateless = summary.mirrored.is_some();
        let kind = summary.kind;
        let post_authorization = authorization.clone();
        let body = Bytes::copy_from_slice(line);
        let message = QueuedMessage { id, body, summary, extra, authorization, step, _held: held };
        match id {
            Some(id) => {
                state.posted += 1;
                let number = state.posted;
                let work = post::request(Arc::clone(self), id, number, message);
                let task = self.runtime.spawn(work).abort_handle();
                let authorization = post_authorization;
                state.posts.insert(id, Post { number, task, is_stateless, authorization });
                if !std::mem::replace(&mut state.is_watched, true) {
                    drop(self.runtime.spawn(post::watch(Arc::downgrade(self))));
                }
            }
            // An answer must not wait for notifications that the server does not take, and what opens the session not for those that wait for it.
            None if matches!(kind, MessageKind::Answer | MessageKind::Initialized) => {
                drop(self.runtime.spawn(post::notice(Arc::clone(self), message)));
            }
            // A server that takes none of a thousand notifications does not miss the next one.
            None => drop(self.notices.try_send(message)),
        }
    }

    /// Opens the stream of what the server says unasked in a new session: always for a client on a pipe, and for clients over HTTP if
    /// one has asked for it.
    fn listen_again(self: &Arc<Self>) {
        if self.client == ClientKind::Pipe || self.state().is_listening {
            self.listen();
        }
    }

    /// Opens the stream of what the server says unasked, if it has one and it is not open.
    pub(crate) fn listen(self: &Arc<Self>) {
        let mut state = self.state();
        state.is_listening = true;
        if state.is_closed || state.stream.as_ref().is_some_and(|it| !it.is_finished()) {
            return;
        }
        let work = event_streams::keep_listening(Arc::downgrade(self), self.handshake.clone());
        state.stream = Some(self.runtime.spawn(work).abort_handle());
    }

    /// Ends everything that is in progress and, if there is one, the session.
    pub(crate) async fn close(&self) {
        let last = self.end_tasks();
        if let Some(session) = last {
            let mut request = self.request(Method::DELETE, Bytes::new());
            request.headers_mut().insert(SESSION, session);
            authorize(&mut request, self.state().authorization.as_ref());
            // The answer is not needed, and a server without DELETE is none the worse.
            drop(tokio::time::timeout(FAREWELL, self.address.ask(request)).await);
        }
    }

    /// Ends everything that is in progress. Gives the session, if there is one.
    pub(crate) fn end_tasks(&self) -> Option<HeaderValue> {
        let mut state = self.state();
        state.is_closed = true;
        let posts = std::mem::take(&mut state.posts);
        for post in posts.into_values() {
            post.task.abort();
        }
        let (tasks, stream) = (std::mem::take(&mut state.tasks), state.stream.take());
        for task in tasks.into_iter().chain(stream) {
            task.abort();
        }
        state.session.take()
    }

    /// A request of any kind within the session.
    fn request(&self, method: Method, body: Bytes) -> HttpRequest {
        let mut headers = self.address.headers();
        let state = self.state();
        if let Some(session) = &state.session {
            headers.insert(SESSION, session.clone());
        }
        if let Some(version) = &state.version {
            headers.insert(VERSION, version.clone());
        }
        drop(state);
        let mut request = HttpRequest::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.address.path().into();
        *request.headers_mut() = headers;
        request
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds the client's `Authorization`, if it has one.
fn authorize(request: &mut HttpRequest, authorization: Option<&HeaderValue>) {
    if let Some(authorization) = authorization {
        request.headers_mut().insert(header::AUTHORIZATION, authorization.clone());
    }
}

#[cfg(test)]
mod tests;
