//! `HttpClient`: the one server that it asks, and the connections to it.

use std::{
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use hyper::http::{
    HeaderMap, HeaderName, HeaderValue, Uri,
    uri::{PathAndQuery, Scheme},
};
use tokio::{
    net::TcpStream,
    sync::OnceCell,
    time::{sleep_until, timeout},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

use super::{
    HttpRequest, HttpResponse, RequestFailure, RequestPhase,
    connection::{HttpConnection, SendError},
    header_text,
    stream::Stream,
};

/// How long opening a connection may take, and how long making it secure.
const CONNECT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept, unless the server says otherwise. Common servers close theirs after five seconds, and a request
/// that meets the closing is lost without anybody knowing whether it was read.
const IDLE: Duration = Duration::from_secs(4);

/// A server that keeps its connections longer is not trusted to do so for ever.
const LONGEST_IDLE: Duration = Duration::from_secs(60);

/// So much earlier than the server we close.
const MARGIN: Duration = Duration::from_secs(1);

/// The most connections that are kept for later.
const MOST_IDLE: usize = 1_024;

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// Asks one server: scheme, host and port never change.
pub struct HttpClient {
    is_tls: bool,
    host: String,
    port: u16,
    /// `Host`, as it is sent.
    authority: HeaderValue,
    /// Path and query: the given ones, or where the same server moved them to.
    path: Mutex<PathAndQuery>,
    tls: OnceCell<TlsConnector>,
    pool: Mutex<Pool>,
}

impl fmt::Debug for HttpClient {
    /// Says nothing: an address may hold a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Pool {
    idle: Vec<Idle>,
    /// A task closes what was idle for too long.
    is_swept: bool,
}

#[derive(Debug)]
struct Idle {
    connection: HttpConnection<Stream>,
    until: Instant,
}

/// Why a text is not the URL of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidUrl {
    /// It is not a URL.
    Malformed,
    /// Its scheme is not http or https.
    Scheme,
    /// It names no host.
    NoHost,
    /// It holds a user or a password.
    Credentials,
}

impl fmt::Display for InvalidUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "is not a URL",
            Self::Scheme => "must start with http:// or https://",
            Self::NoHost => "names no host",
            Self::Credentials => "must not hold a user or a password",
        })
    }
}

impl std::error::Error for InvalidUrl {}

impl HttpClient {
    /// A client of the server at a URL. Nothing is opened yet.
    pub fn new(url: &str) -> Result<Self, InvalidUrl> {
        let uri: Uri = url.parse().or(Err(InvalidUrl::Malformed))?;
        let is_tls = match uri.scheme() {
            Some(it) if *it == Scheme::HTTPS => true,
            Some(it) if *it == Scheme::HTTP => false,
            _ => return Err(InvalidUrl::Scheme),
        };
        let authority = uri.authority().ok_or(InvalidUrl::NoHost)?;
        if authority.as_str().contains('@') {
            return Err(InvalidUrl::Credentials);
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let path = uri.path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        Ok(Self {
            is_tls,
            host,
            port,
            authority: HeaderValue::from_str(authority.as_str()).or(Err(InvalidUrl::NoHost))?,
            path: Mutex::new(path),
            tls: OnceCell::new(),
            pool: Mutex::default(),
        })
    }

    /// The value of `Host`.
    pub const fn authority(&self) -> &HeaderValue {
        &self.authority
    }

    /// Path and query of the server.
    pub fn path(&self) -> PathAndQuery {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The path that the value of a `Location` leads to, if it is one of the same server.
    pub fn moved(&self, to: &str) -> Option<PathAndQuery> {
        let uri = to.parse::<Uri>().ok()?;
        let is_same = match (uri.scheme(), uri.authority()) {
            (None, None) => to.starts_with('/') && !to.starts_with("//"),
            (Some(scheme), Some(authority)) => {
                let port = authority.port_u16().unwrap_or(if self.is_tls { 443 } else { 80 });
                (*scheme == Scheme::HTTPS) == self.is_tls
                    && authority.host().trim_matches(['[', ']']) == self.host
                    && port == self.port
                    && !authority.as_str().contains('@')
            }
            _ => false,
        };
        uri.path_and_query().filter(|_| is_same).cloned()
    }

    /// Asks at another path of the server from now on.
    pub fn stays_at(&self, path: PathAndQuery) {
        *self.path.lock().unwrap_or_else(PoisonError::into_inner) = path;
    }

    /// Sends a request on a connection that is open, or on a new one. If the server had closed the connection before anything of the
    /// request was written, the next one is taken; nothing else is sent twice.
    pub async fn ask(&self, mut request: HttpRequest) -> Result<HttpResponse, RequestFailure> {
        loop {
            let open = self.take();
            let is_new = open.is_none();
            let connection = match open {
                Some(connection) => connection,
                // Rare and large: it should not make every request's task larger.
                None => Box::pin(self.connect()).await?,
            };
            match connection.send(request).await {
                Ok(response) => return Ok(response),
                Err(SendError::Failed(failure)) => return Err(failure),
                Err(SendError::Stale(_)) if is_new => {
                    let error = io::Error::from(io::ErrorKind::ConnectionReset);
                    return Err(RequestFailure::unsent(RequestPhase::Write, &error));
                }
                Err(SendError::Stale(unsent)) => request = *unsent,
            }
        }
    }

    /// Keeps the connection of a response that was read to its end for the next request.
    pub fn keep(self: &Arc<Self>, response: HttpResponse) {
        let wait = idle_time(&response.headers);
        let Some(connection) = response.into_connection() else { return };
        let mut pool = self.pool();
        if wait.is_zero() || pool.idle.len() >= MOST_IDLE {
            return;
        }
        pool.idle.push(Idle { connection, until: Instant::now() + wait });
        if !std::mem::replace(&mut pool.is_swept, true) {
            let client = Arc::clone(self);
            drop(tokio::spawn(async move {
                while let Some(then) = client.sweep() {
                    sleep_until(then.into()).await;
                }
            }));
        }
    }

    /// Closes connections that were idle for too long. Gives when the next one is; none if none is left.
    fn sweep(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut pool = self.pool();
        pool.idle.retain(|it| it.until > now);
        let next = pool.idle.iter().map(|it| it.until).min();
        pool.is_swept = next.is_some();
        next
    }

    /// The connection that was used last, of those that were not idle for too long.
    fn take(&self) -> Option<HttpConnection<Stream>> {
        let mut pool = self.pool();
        let now = Instant::now();
        loop {
            let Idle { connection, until } = pool.idle.pop()?;
            if until > now {
                return Some(connection);
            }
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self) -> Result<HttpConnection<Stream>, RequestFailure> {
        let stream = self.tcp().await?;
        let stream = if self.is_tls { self.secure(stream).await? } else { Stream::Plain(stream) };
        let opened = HttpConnection::new(stream).await;
        opened.map_err(|it| RequestFailure::unsent(RequestPhase::Connect, &it))
    }

    async fn tcp(&self) -> Result<TcpStream, RequestFailure> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let addresses = found.map_err(|it| RequestFailure::unsent(RequestPhase::Dns, &it))?;
        let mut error = io::Error::from(io::ErrorKind::NotFound);
        let mut phase = RequestPhase::Dns;
        for address in addresses {
            phase = RequestPhase::Connect;
            match within(CONNECT, TcpStream::connect(address)).await {
                Ok(stream) => {
                    // A message is written at once; waiting for more would only delay it.
                    stream.set_nodelay(true).map_err(|it| RequestFailure::unsent(phase, &it))?;
                    return Ok(stream);
                }
                Err(it) => error = it,
            }
        }
        Err(RequestFailure::unsent(phase, &error))
    }

    async fn secure(&self, stream: TcpStream) -> Result<Stream, RequestFailure> {
        let failed = |it: io::Error| RequestFailure::unsent(RequestPhase::Tls, &it);
        let name = ServerName::try_from(self.host.clone()).map_err(io::Error::other);
        let name = name.map_err(failed)?;
        let tls = self.tls.get_or_try_init(connector).await.map_err(failed)?;
        let stream = within(CONNECT, tls.connect(name, stream)).await.map_err(failed)?;
        Ok(Stream::Tls(Box::new(stream)))
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(limit, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// What is needed for TLS; reading the system's certificates takes a while.
async fn connector() -> io::Result<TlsConnector> {
    let read = tokio::task::spawn_blocking(|| {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        roots
    });
    let roots = read.await.map_err(io::Error::other)?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// How long a connection is kept after this response.
fn idle_time(headers: &HeaderMap) -> Duration {
    let told = header_text(headers, &KEEP_ALIVE).and_then(|it| {
        let timeout = it.split(',').find_map(|it| it.trim().strip_prefix("timeout="))?;
        timeout.trim().parse().ok().map(Duration::from_secs)
    });
    told.map_or(IDLE, |it| it.saturating_sub(MARGIN).min(LONGEST_IDLE))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hyper::http::{HeaderMap, HeaderValue};

    use super::{HttpClient, IDLE, InvalidUrl, KEEP_ALIVE, LONGEST_IDLE, idle_time};

    fn client(url: &str) -> Result<HttpClient, InvalidUrl> {
        HttpClient::new(url)
    }

    #[test]
    fn an_address_is_a_host_a_port_and_a_path() {
        for (url, expected) in [
            ("http://a.test", ("a.test", 80, false, "a.test", "/")),
            ("https://a.test/mcp?x=1", ("a.test", 443, true, "a.test", "/mcp?x=1")),
            ("http://127.0.0.1:8080/mcp", ("127.0.0.1", 8080, false, "127.0.0.1:8080", "/mcp")),
            ("https://[::1]:9/m", ("::1", 9, true, "[::1]:9", "/m")),
        ] {
            let client = client(url).expect(url);
            let path = client.path();
            let authority = client.authority.to_str().expect("ASCII");
            assert_eq!(
                (&*client.host, client.port, client.is_tls, authority, &*path.to_string()),
                expected,
                "{url}"
            );
        }
        for url in ["", "a.test", "ftp://a.test/", "http://", "http://me:pw@a.test/", "http://a b/"]
        {
            assert!(client(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_server_can_move_its_path_and_nothing_else() {
        let client = client("http://a.test:81/mcp").expect("an address");
        for other in [
            "https://a.test:81/mcp/",
            "http://b.test:81/mcp/",
            "http://a.test/mcp/",
            "//b.test/mcp",
            "http://x@a.test:81/",
            "mcp/",
            "",
        ] {
            assert_eq!(client.moved(other), None, "{other}");
        }
        assert_eq!(client.moved("/mcp/").expect("the same server"), "/mcp/");
        let moved = client.moved("http://a.test:81/x?y=1").expect("the same server");
        assert_eq!(moved, "/x?y=1");
        assert_eq!(client.path(), "/mcp");
        client.stays_at(moved);
        assert_eq!(client.path(), "/x?y=1");
    }

    #[test]
    fn a_connection_is_closed_before_the_server_does_it() {
        let kept = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(KEEP_ALIVE, HeaderValue::from_static(text));
            idle_time(&headers)
        };
        assert_eq!(idle_time(&HeaderMap::new()), IDLE);
        assert_eq!(kept("timeout=5, max=9"), Duration::from_secs(4));
        assert_eq!(kept("timeout=0"), Duration::ZERO);
        assert_eq!(kept("timeout=99999"), LONGEST_IDLE);
        assert_eq!(kept("max=9"), IDLE);
    }
}
