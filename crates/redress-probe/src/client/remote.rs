//! `Remote`: a server behind a URL: each message is a POST on a connection of its own, and its answers become events.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    task::{Context, Poll},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response, Uri,
    body::{Bytes, Incoming},
    client::conn::http1,
    header::{self, HeaderMap, HeaderName, HeaderValue},
    http::uri::Scheme,
};
use hyper_util::rt::TokioIo;
use redress_transport::sse::Events;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    runtime::Runtime,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

use super::wire::{Heard, LONGEST, Mirror, QUEUE, Trouble};

const CONNECT: Duration = Duration::from_secs(10);

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

/// Where it is.
#[derive(Debug)]
struct Address {
    is_tls: bool,
    host: String,
    port: u16,
    authority: HeaderValue,
    /// The configured path, or where the server said that it moved to.
    path: Mutex<Uri>,
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
        let leave = self.address.request("DELETE", headers, Bytes::new());
        // It is a courtesy: nothing depends on it.
        drop(self.runtime.block_on(async { timeout(FAREWELL, leave).await }));
    }
}

impl Address {
    fn new(url: &str, given: &[(String, String)]) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|it| format!("it is not a URL: {it}"))?;
        let is_tls = match uri.scheme() {
            Some(it) if *it == Scheme::HTTPS => true,
            Some(it) if *it == Scheme::HTTP => false,
            _ => return Err("it must start with http:// or https://".into()),
        };
        let authority = uri.authority().ok_or("it names no host")?;
        if authority.as_str().contains('@') {
            return Err("it must not hold a user or a password; use --header".into());
        }
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            let name: HeaderName = name.parse().map_err(|it| format!("header `{name}`: {it}"))?;
            let mut value: HeaderValue =
                value.parse().map_err(|it| format!("the value of header `{name}`: {it}"))?;
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self {
            is_tls,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 }),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|it| it.to_string())?,
            path: Mutex::new(uri.path_and_query().cloned().map(Uri::from).unwrap_or_default()),
            headers,
            offered: Mutex::default(),
        })
    }

    fn headers_for(&self, mirror: &Mirror, session: Option<&HeaderValue>) -> HeaderMap {
        let mut headers = self.headers.clone();
        headers.insert(header::HOST, self.authority.clone());
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
    async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<Response<Incoming>, Trouble> {
        let response = self.request("POST", headers.clone(), body.clone()).await?;
        let response = match self.moved(&response) {
            Some(path) => {
                *self.path.lock().unwrap_or_else(PoisonError::into_inner) = path;
                self.request("POST", headers, body).await?
            }
            None => response,
        };
        if let Some(session) = response.headers().get(SESSION) {
            *self.offered.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.clone());
        }
        Ok(response)
    }

    async fn request(
        &self,
        method: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Trouble> {
        let cut = |it: &dyn std::error::Error| Trouble::Cut(chain(it));
        let stream = self.connect().await?;
        let opened = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = opened.map_err(|it| cut(&it))?;
        // Whoever waits for the answer hears of an error there.
        drop(tokio::spawn(connection));
        let path = self.path.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .body(Full::new(body))
            .map_err(|it| cut(&it))?;
        *request.headers_mut() = headers;
        sender.send_request(request).await.map_err(|it| cut(&it))
    }

    async fn connect(&self) -> Result<Stream, Trouble> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let found = found.map_err(|it| Trouble::Name(it.to_string()))?;
        let mut trouble = Trouble::Name("the name has no address".into());
        for address in found {
            match timeout(CONNECT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // Without it all works, a little slower.
                    stream.set_nodelay(true).unwrap_or_default();
                    return if self.is_tls {
                        self.secure(stream).await
                    } else {
                        Ok(Stream::Plain(stream))
                    };
                }
                Ok(Err(error)) => trouble = Trouble::Connect(error.to_string()),
                Err(_) => trouble = Trouble::Connect("the connection timed out".into()),
            }
        }
        Err(trouble)
    }

    async fn secure(&self, stream: TcpStream) -> Result<Stream, Trouble> {
        let failed = |it: &dyn std::error::Error| Trouble::Tls(chain(it));
        let name = ServerName::try_from(self.host.clone()).map_err(|it| failed(&it))?;
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|it| failed(&it))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = TlsConnector::from(Arc::new(config));
        match timeout(CONNECT, connector.connect(name, stream)).await {
            Ok(Ok(stream)) => Ok(Stream::Tls(Box::new(stream))),
            Ok(Err(error)) => Err(failed(&error)),
            Err(_) => Err(Trouble::Tls("the handshake timed out".into())),
        }
    }

    /// Another path of the same server, if the answer sends us there.
    fn moved(&self, response: &Response<Incoming>) -> Option<Uri> {
        if !matches!(response.status().as_u16(), 307 | 308) {
            return None;
        }
        let to: Uri = response.headers().get(header::LOCATION)?.to_str().ok()?.parse().ok()?;
        let is_same =
            to.authority().is_none_or(|it| it.as_str().as_bytes() == self.authority.as_bytes());
        to.path_and_query().filter(|_| is_same).cloned().map(Uri::from)
    }
}

/// Reads an answer: messages become events at once, the rest is told at the end.
async fn hear(post: u64, response: Response<Incoming>, say: &SyncSender<Heard>) -> Heard {
    let status = response.status().as_u16();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let is_stream = kind.is_some_and(|it| it.starts_with("text/event-stream"));
    let mut body = response.into_body();
    let (mut events, mut whole) = (Events::new(LONGEST), Vec::new());
    while let Some(frame) = body.frame().await {
        let bytes = match frame.map(hyper::body::Frame::into_data) {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => continue,
            Err(error) => return Heard::Lost { post, why: Trouble::Cut(chain(&error)) },
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

/// The runtime has one thread, which may wait: whoever listens is another one.
fn tell(say: &SyncSender<Heard>, heard: Heard) {
    // Nobody listens any more: nobody wants to know.
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

/// An error with all that caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut parts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if parts.last().is_none_or(|it| !it.ends_with(&said)) {
            parts.push(said);
        }
        cause = error.source();
    }
    parts.join(": ")
}

/// A connection, plain or not.
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
