//! `Remote`: a server behind a URL: each message is a POST on a connection of its own, and its answers become events.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http_body_util::Full;
use hyper::{
    Method,
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use redress_transport::{
    http::{
        BodyError, HttpClient, HttpRequest, HttpResponse, InvalidUrl, RequestFailure, RequestPhase,
        header_text,
    },
    sse::Events,
};
use tokio::{runtime::Runtime, time::timeout};

use super::wire::{Heard, LONGEST, Mirror, QUEUE, Trouble};

/// How long a server may take to hear that a session is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// The most of a refusal that is read.
const REFUSAL: usize = 64 << 10;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// A server behind a URL.
#[derive(Debug)]
pub(crate) struct Remote {
    runtime: Runtime,
    address: Arc<Address>,
    say: SyncSender<Heard>,
    pub(super) events: Receiver<Heard>,
    posts: u64,
    session: Option<HeaderValue>,
}

/// Where it is, and what is added to each request.
#[derive(Debug)]
struct Address {
    client: HttpClient,
    headers: HeaderMap,
    /// The session that the last answer named.
    offered: Mutex<Option<HeaderValue>>,
}

impl Remote {
    /// A server at a URL. Nothing is opened yet.
    pub(super) fn new(url: &str, headers: &[(String, String)]) -> Result<Self, String> {
        let address = Address::new(url, headers)?;
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime =
            runtime.worker_threads(1).enable_all().build().map_err(|it| it.to_string())?;
        let (say, events) = sync_channel(QUEUE);
        Ok(Self { runtime, address: Arc::new(address), say, events, posts: 0, session: None })
    }

    pub(super) fn send(&mut self, bytes: &[u8], mirror: &Mirror) -> u64 {
        self.posts += 1;
        let (post, say) = (self.posts, self.say.clone());
        let address = Arc::clone(&self.address);
        let headers = address.headers_for(mirror, self.session.as_ref());
        let body = Bytes::copy_from_slice(bytes);
        drop(self.runtime.spawn(async move {
            let told = match address.post(headers, body).await {
                Ok(response) => hear(post, response, &say).await,
                Err(why) => Heard::Lost { post, why },
            };
            tell(&say, told);
        }));
        post
    }

    pub(super) fn enter_session(&mut self) {
        self.session = self.address.offered.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Tells the server that the session is over.
impl Drop for Remote {
    fn drop(&mut self) {
        let (_, none) = sync_channel(0);
        drop(std::mem::replace(&mut self.events, none));
        let Some(session) = &self.session else { return };
        let headers = self.address.headers_for(&Mirror::default(), Some(session));
        let leave = self.address.request(Method::DELETE, headers, Bytes::new());
        // It is a courtesy: nothing depends on it.
        drop(self.runtime.block_on(async { timeout(FAREWELL, leave).await }));
    }
}

impl Address {
    fn new(url: &str, given: &[(String, String)]) -> Result<Self, String> {
        let client = HttpClient::new(url).map_err(|it| match it {
            InvalidUrl::Credentials => format!("it {it}; use --header"),
            _ => format!("it {it}"),
        })?;
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            let name: HeaderName = name.parse().map_err(|it| format!("header `{name}`: {it}"))?;
            let mut value: HeaderValue =
                value.parse().map_err(|it| format!("the value of header `{name}`: {it}"))?;
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self { client, headers, offered: Mutex::default() })
    }

    fn headers_for(&self, mirror: &Mirror, session: Option<&HeaderValue>) -> HeaderMap {
        let mut headers = self.headers.clone();
        headers.insert(header::HOST, self.client.authority().clone());
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            header::ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        let mirrored =
            [(REVISION, &mirror.revision), (METHOD, &mirror.method), (NAME, &mirror.name)];
        for (name, value) in mirrored {
            if let Some(value) = value.as_deref().and_then(spelled) {
                headers.insert(name, value);
            }
        }
        if let Some(session) = session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    /// Posts a message to where the server is, which may be another path of it.
    async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<HttpResponse, Trouble> {
        let response = self.request(Method::POST, headers.clone(), body.clone()).await?;
        let to = header_text(&response.headers, &header::LOCATION);
        let to = to.filter(|_| matches!(response.status.as_u16(), 307 | 308));
        let response = match to.and_then(|it| self.client.moved(it)) {
            Some(path) => {
                self.client.stays_at(path);
                self.request(Method::POST, headers, body).await?
            }
            None => response,
        };
        if let Some(session) = response.headers.get(SESSION) {
            *self.offered.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.clone());
        }
        Ok(response)
    }

    async fn request(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<HttpResponse, Trouble> {
        let mut request = HttpRequest::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.client.path().into();
        *request.headers_mut() = headers;
        self.client.ask(request).await.map_err(trouble)
    }
}

fn trouble(failure: RequestFailure) -> Trouble {
    let RequestFailure { phase, detail, .. } = failure;
    match phase {
        RequestPhase::Dns => Trouble::Name(detail),
        RequestPhase::Connect => Trouble::Connect(detail),
        RequestPhase::Tls => Trouble::Tls(detail),
        RequestPhase::Write | RequestPhase::Read => Trouble::Cut(detail),
    }
}

/// Reads an answer: messages become events at once, the rest is reported at the end.
async fn hear(post: u64, mut response: HttpResponse, say: &SyncSender<Heard>) -> Heard {
    let status = response.status.as_u16();
    let kind = header_text(&response.headers, &header::CONTENT_TYPE);
    let is_stream = kind.is_some_and(|it| it.starts_with("text/event-stream"));
    let (mut events, mut whole) = (Events::new(LONGEST), Vec::new());
    loop {
        let bytes = match response.next().await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break,
            Err(BodyError::Cut(why) | BodyError::Malformed(why)) => {
                return Heard::Lost { post, why: Trouble::Cut(why) };
            }
        };
        if !is_stream {
            whole.extend_from_slice(&bytes);
            if whole.len() > LONGEST {
                return Heard::TooLarge { post: Some(post), bytes: whole.len() };
            }
            continue;
        }
        let mut rest: &[u8] = &bytes;
        loop {
            match events.next(&mut rest) {
                Ok(Some(event)) if event.data.is_empty() => (),
                Ok(Some(event)) => {
                    let bytes = event.data.to_vec();
                    tell(say, Heard::Message { post: Some(post), status: Some(status), bytes });
                }
                Ok(None) => break,
                Err(_) => return Heard::TooLarge { post: Some(post), bytes: LONGEST + 1 },
            }
        }
    }
    let is_message = whole.trim_ascii().starts_with(b"{") || whole.trim_ascii().starts_with(b"[");
    if is_message {
        let bytes = std::mem::take(&mut whole);
        tell(say, Heard::Message { post: Some(post), status: Some(status), bytes });
    }
    whole.truncate(REFUSAL);
    Heard::Done { post, status, refusal: whole }
}

/// The runtime has one thread, which may wait: the listener is another one.
fn tell(say: &SyncSender<Heard>, heard: Heard) {
    // The listener is gone: the result is not wanted.
    say.send(heard).unwrap_or_default();
}

/// A value as a header spells it: what is not plain ASCII in base 64.
fn spelled(value: &str) -> Option<HeaderValue> {
    let is_plain = value.bytes().all(|it| (0x20..0x7f).contains(&it)) && value.trim() == value;
    let spelled = if is_plain && !value.is_empty() {
        value.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(value))
    };
    HeaderValue::from_str(&spelled).ok()
}
