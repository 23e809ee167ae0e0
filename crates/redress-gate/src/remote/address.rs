//! `Address`: the one address that a remote server has, and the connections to it.

use std::{
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use hyper::http::{
    HeaderName, HeaderValue, Uri, header,
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
    connection::{Connection, Failure, NotSent, Reply},
    fields::Fields,
    head::KEEP_ALIVE,
    mirror::{SESSION, VERSION},
    request::Request,
    stream::Stream,
};
use crate::session::Phase;

/// Nobody who wants a connection lets us wait longer.
const CONNECT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept, unless the server says otherwise. Common servers close theirs after five seconds, and a request
/// that meets the closing is lost without anybody knowing whether it was read.
const IDLE: Duration = Duration::from_secs(4);

/// A server that keeps its connections longer is not trusted to do so for ever.
const LONGEST_IDLE: Duration = Duration::from_secs(60);

/// So much earlier than the server we close.
const MARGIN: Duration = Duration::from_secs(1);

/// How many headers a message usually has beside the configured ones.
const USUAL_FIELDS: usize = 6;

/// The most connections that are kept for later.
const MOST_IDLE: usize = 1_024;

/// The address of a remote server, and the connections to it.
pub struct Address {
    is_tls: bool,
    host: String,
    port: u16,
    /// `Host`, as it is sent.
    authority: HeaderValue,
    /// Path and query: the configured ones, or where the same server moved them to.
    path: Mutex<PathAndQuery>,
    /// What the configuration adds to each request.
    fields: Fields,
    forwards_authorization: bool,
    tls: OnceCell<TlsConnector>,
    pool: Mutex<Pool>,
}

impl fmt::Debug for Address {
    /// Says nothing: addresses and headers are nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").finish_non_exhaustive()
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
    connection: Connection,
    until: Instant,
}

/// Why an address is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnAddress(&'static str);

impl fmt::Display for NotAnAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotAnAddress {}

impl Address {
    /// Whether the gate writes a header itself, so that nobody else can.
    pub fn writes(header: &str) -> bool {
        header.parse().is_ok_and(|it| is_ours(&it))
    }

    /// A server at an address, with what is added to each request. Nothing is opened yet.
    pub fn new(
        url: &str,
        headers: impl IntoIterator<Item = (String, String)>,
        forwards_authorization: bool,
    ) -> Result<Self, NotAnAddress> {
        let uri: Uri = url.parse().or(Err(NotAnAddress("the address is not a URL")))?;
        let is_tls = match uri.scheme() {
            Some(it) if *it == Scheme::HTTPS => true,
            Some(it) if *it == Scheme::HTTP => false,
            _ => return Err(NotAnAddress("the address must start with http:// or https://")),
        };
        let authority = uri.authority().ok_or(NotAnAddress("the address names no host"))?;
        if authority.as_str().contains('@') {
            return Err(NotAnAddress("the address must not hold a user or a password"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let path = uri.path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        Ok(Self {
            is_tls,
            host,
            port,
            authority: HeaderValue::from_str(authority.as_str())
                .or(Err(NotAnAddress("the address names no host")))?,
            path: Mutex::new(path),
            fields: fields_of(headers)?,
            forwards_authorization,
            tls: OnceCell::new(),
            pool: Mutex::default(),
        })
    }

    /// Whether a client's own `Authorization` goes to the server.
    pub(super) const fn forwards_authorization(&self) -> bool {
        self.forwards_authorization
    }

    /// What every request starts with.
    pub(super) fn fields(&self) -> Fields {
        let mut fields = Fields::with_capacity(self.fields.len() + USUAL_FIELDS);
        fields.append(header::HOST, self.authority.clone());
        fields.extend(self.fields.iter().cloned());
        fields
    }

    pub(super) fn path(&self) -> PathAndQuery {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The server says that it is to be asked elsewhere. Gives the path if that is still the same server.
    pub(super) fn moved(&self, to: &str) -> Option<PathAndQuery> {
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

    /// The server has answered there, so that the next message goes there at once.
    pub(super) fn stays_at(&self, path: PathAndQuery) {
        *self.path.lock().unwrap_or_else(PoisonError::into_inner) = path;
    }

    /// Sends a request on a connection that is open, or on a new one. A connection that the server had closed already is
    /// no answer: then nothing has left, and the next one is taken.
    pub(super) async fn ask(&self, request: &Request) -> Result<Reply, Failure> {
        loop {
            let open = self.take();
            let is_new = open.is_none();
            let connection = match open {
                Some(connection) => connection,
                // Rare and large: it should not make every request's task larger.
                None => Box::pin(self.connect()).await?,
            };
            match connection.send(request).await {
                Ok(reply) => return Ok(reply),
                Err(NotSent::Failed(failure)) => return Err(failure),
                Err(NotSent::Stale) if is_new => {
                    let error = io::Error::from(io::ErrorKind::ConnectionReset);
                    return Err(Failure::unsent(Phase::Write, &error));
                }
                Err(NotSent::Stale) => (),
            }
        }
    }

    /// Keeps the connection of an answer that was read to its end.
    pub(super) fn keep(self: &Arc<Self>, reply: Reply) {
        let wait = idle_time(&reply.head.fields);
        let Some(connection) = reply.into_connection() else { return };
        let mut pool = self.pool();
        if wait.is_zero() || pool.idle.len() >= MOST_IDLE {
            return;
        }
        pool.idle.push(Idle { connection, until: Instant::now() + wait });
        if !std::mem::replace(&mut pool.is_swept, true) {
            let address = Arc::clone(self);
            drop(tokio::spawn(async move {
                while let Some(then) = address.sweep() {
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
    fn take(&self) -> Option<Connection> {
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

    async fn connect(&self) -> Result<Connection, Failure> {
        let stream = self.tcp().await?;
        let stream = if self.is_tls { self.secure(stream).await? } else { Stream::Plain(stream) };
        Ok(Connection::new(stream))
    }

    async fn tcp(&self) -> Result<TcpStream, Failure> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let addresses = found.map_err(|it| Failure::unsent(Phase::Dns, &it))?;
        let mut error = io::Error::from(io::ErrorKind::NotFound);
        let mut phase = Phase::Dns;
        for address in addresses {
            phase = Phase::Connect;
            match within(CONNECT, TcpStream::connect(address)).await {
                Ok(stream) => {
                    // A message is written at once; waiting for more would only delay it.
                    stream.set_nodelay(true).map_err(|it| Failure::unsent(phase, &it))?;
                    return Ok(stream);
                }
                Err(it) => error = it,
            }
        }
        Err(Failure::unsent(phase, &error))
    }

    async fn secure(&self, stream: TcpStream) -> Result<Stream, Failure> {
        let failed = |it: io::Error| Failure::unsent(Phase::Tls, &it);
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

/// How long a connection is kept after this answer.
fn idle_time(fields: &Fields) -> Duration {
    let told = fields.text(&KEEP_ALIVE).and_then(|it| {
        let timeout = it.split(',').find_map(|it| it.trim().strip_prefix("timeout="))?;
        timeout.trim().parse().ok().map(Duration::from_secs)
    });
    told.map_or(IDLE, |it| it.saturating_sub(MARGIN).min(LONGEST_IDLE))
}

/// Configured headers, but for those that are ours to write.
fn fields_of(given: impl IntoIterator<Item = (String, String)>) -> Result<Fields, NotAnAddress> {
    let mut fields = Fields::default();
    for (name, value) in given {
        let name: HeaderName =
            name.parse().or(Err(NotAnAddress("a header has a name that no header can have")))?;
        let mut value: HeaderValue =
            value.parse().or(Err(NotAnAddress("a header has a value that no header can have")))?;
        value.set_sensitive(true);
        if !is_ours(&name) {
            fields.append(name, value);
        }
    }
    Ok(fields)
}

/// Whether a header says how a message travels or which session it is of, and is therefore no one else's.
fn is_ours(name: &HeaderName) -> bool {
    let of_transport = [
        header::HOST,
        header::CONTENT_LENGTH,
        header::CONTENT_TYPE,
        header::TRANSFER_ENCODING,
        header::CONNECTION,
        header::UPGRADE,
        header::TE,
        header::TRAILER,
        header::EXPECT,
        header::ACCEPT,
        header::ACCEPT_ENCODING,
    ];
    let of_session = [KEEP_ALIVE, SESSION, VERSION];
    of_transport.contains(name) || of_session.contains(name)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hyper::http::{HeaderName, HeaderValue, header};

    use super::{Address, Fields, IDLE, KEEP_ALIVE, LONGEST_IDLE, SESSION, idle_time};

    fn address(url: &str) -> Result<Address, String> {
        Address::new(url, [], false).map_err(|it| it.to_string())
    }

    #[test]
    fn an_address_is_a_host_a_port_and_a_path() {
        for (url, expected) in [
            ("http://a.test", ("a.test", 80, false, "a.test", "/")),
            ("https://a.test/mcp?x=1", ("a.test", 443, true, "a.test", "/mcp?x=1")),
            ("http://127.0.0.1:8080/mcp", ("127.0.0.1", 8080, false, "127.0.0.1:8080", "/mcp")),
            ("https://[::1]:9/m", ("::1", 9, true, "[::1]:9", "/m")),
        ] {
            let address = address(url).expect(url);
            let path = address.path();
            let authority = address.authority.to_str().expect("ASCII");
            assert_eq!(
                (&*address.host, address.port, address.is_tls, authority, &*path.to_string()),
                expected,
                "{url}"
            );
        }
        for url in ["", "a.test", "ftp://a.test/", "http://", "http://me:pw@a.test/", "http://a b/"]
        {
            assert!(address(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_server_can_move_its_path_and_nothing_else() {
        let address = address("http://a.test:81/mcp").expect("an address");
        for other in [
            "https://a.test:81/mcp/",
            "http://b.test:81/mcp/",
            "http://a.test/mcp/",
            "//b.test/mcp",
            "http://x@a.test:81/",
            "mcp/",
            "",
        ] {
            assert_eq!(address.moved(other), None, "{other}");
        }
        assert_eq!(address.moved("/mcp/").expect("the same server"), "/mcp/");
        let moved = address.moved("http://a.test:81/x?y=1").expect("the same server");
        assert_eq!(moved, "/x?y=1");
        assert_eq!(address.path(), "/mcp");
        address.stays_at(moved);
        assert_eq!(address.path(), "/x?y=1");
    }

    #[test]
    fn a_connection_is_closed_before_the_server_does_it() {
        let kept = |text: &'static str| {
            let mut fields = Fields::default();
            fields.insert(KEEP_ALIVE, HeaderValue::from_static(text));
            idle_time(&fields)
        };
        assert_eq!(idle_time(&Fields::default()), IDLE);
        assert_eq!(kept("timeout=5, max=9"), Duration::from_secs(4));
        assert_eq!(kept("timeout=0"), Duration::ZERO);
        assert_eq!(kept("timeout=99999"), LONGEST_IDLE);
        assert_eq!(kept("max=9"), IDLE);
    }

    #[test]
    fn a_configured_header_cannot_say_how_a_message_travels() {
        let given =
            [("Host", "evil"), ("content-length", "3"), ("Mcp-Session-Id", "s"), ("X-Key", "k")];
        let given = given.map(|it| (it.0.to_owned(), it.1.to_owned()));
        let fields = Address::new("http://a.test/", given, false).expect("an address").fields();
        assert_eq!(fields.texts(&header::HOST).collect::<Vec<_>>(), ["a.test"]);
        assert_eq!(fields.text(&header::CONTENT_LENGTH), None);
        assert_eq!(fields.text(&SESSION), None);
        assert!(Address::writes("HOST") && !Address::writes("X-Key"));
        assert_eq!(fields.text(&HeaderName::from_static("x-key")), Some("k"));
        let bad = [("X".to_owned(), "a\nb".to_owned())];
        assert!(Address::new("http://a.test/", bad, false).is_err());
    }
}
