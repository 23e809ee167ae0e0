//! The listener of the metrics page: one request per connection, everything bounded.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr, TcpListener},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use hyper::{
    Method, Request, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use redress_proxy::{
    exposition::{self, render},
    server::Server,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    runtime::Builder,
    task::{AbortHandle, JoinSet},
    time::{sleep, timeout},
};

use crate::{
    serve::{Access, Pace, Throttle, TokenError, WriteTimeout},
    tls::Tls,
};

/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 8 << 10;

/// How long a TLS handshake, the head of a request, or a write that makes no progress may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many connections there may be. One more ends the oldest: a request takes a moment, and an idle connection must not keep others out.
const MOST_CONNECTIONS: usize = 8;

/// How long the listener waits when the system cannot accept a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// What the page shows, and who may read it.
#[derive(Debug, Clone, Default)]
pub struct MetricsPage {
    /// Who may read it.
    pub access: Access,
    /// The servers whose metrics it shows.
    pub servers: Vec<Arc<Server>>,
    /// The certificate of its listener; without one, that speaks plain HTTP.
    pub tls: Option<Tls>,
}

/// Serves the metrics of servers at `/metrics` from a thread of its own, and gives the address. `shown` is called for each connection.
pub fn listen(
    address: SocketAddr,
    shown: impl Fn() -> MetricsPage + Send + 'static,
) -> io::Result<SocketAddr> {
    if !address.ip().is_loopback() && shown().access.tokens.is_none() {
        let why = "other machines reach this address, so that they need a token";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(async { tokio::net::TcpListener::from_std(listener) })?;
    let serve = move || match runtime.block_on(accept(&listener, shown)) {};
    thread::Builder::new().name("redress-metrics".to_owned()).spawn(serve)?;
    Ok(bound)
}

/// Accepts connections for ever.
async fn accept(listener: &tokio::net::TcpListener, shown: impl Fn() -> MetricsPage) -> Infallible {
    let throttle = Arc::<Throttle>::default();
    let (mut tasks, mut open) = (JoinSet::new(), VecDeque::<AbortHandle>::new());
    loop {
        let Ok((stream, from)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        while tasks.try_join_next().is_some() {}
        open.retain(|it| !it.is_finished());
        if open.len() >= MOST_CONNECTIONS
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        let (page, throttle) = (shown(), Arc::clone(&throttle));
        open.push_back(tasks.spawn(page.serve(stream, from.ip(), throttle)));
    }
}

impl MetricsPage {
    /// Serves one connection.
    async fn serve(self, stream: TcpStream, from: IpAddr, throttle: Arc<Throttle>) {
        match self.tls.as_ref().map(Tls::acceptor) {
            None => self.serve_on(stream, from, &throttle).await,
            Some(tls) => {
                // A peer that speaks no TLS, or does not trust us, notices by the end of the connection.
                if let Ok(Ok(stream)) = timeout(PATIENCE, tls.accept(stream)).await {
                    self.serve_on(stream, from, &throttle).await;
                }
            }
        }
    }

    async fn serve_on(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        from: IpAddr,
        throttle: &Throttle,
    ) {
        let service = service_fn(async |request: Request<hyper::body::Incoming>| {
            Ok::<_, Infallible>(self.answer(&request, from, throttle))
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(LONGEST_HEAD)
            .keep_alive(false)
            .serve_connection(TokioIo::new(WriteTimeout::new(stream, PATIENCE)), service);
        // A connection that ends early concerns its client alone.
        drop(connection.await);
    }

    /// Answers a request.
    fn answer<B>(
        &self,
        request: &Request<B>,
        from: IpAddr,
        throttle: &Throttle,
    ) -> Response<String> {
        let (status, kind, body) = match check(request, &self.access) {
            Ok(()) => (StatusCode::OK, exposition::CONTENT_TYPE, render(&self.servers)),
            Err(why) => {
                let status = self.refused(why, from, throttle);
                (status, "text/plain; charset=utf-8", format!("{status}\n"))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }

    /// The status of a refusal. Requests without a valid token are counted, and refused as too many when they are.
    fn refused(&self, why: PageRefusal, from: IpAddr, throttle: &Throttle) -> StatusCode {
        let why = match why {
            PageRefusal::For(status) => return status,
            PageRefusal::TokenError(why) => why,
        };
        if let Some(server) = self.servers.first() {
            server.metrics.happened(why.event());
        }
        // There are too few connections here to let a client wait.
        match throttle.failed(from, Instant::now()).0 {
            Pace::After(Duration::ZERO) => StatusCode::UNAUTHORIZED,
            Pace::After(_) | Pace::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
        }
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageRefusal {
    /// With this status.
    For(StatusCode),
    /// It has no valid token.
    TokenError(TokenError),
}

/// Whether a request may be answered.
fn check<B>(request: &Request<B>, access: &Access) -> Result<(), PageRefusal> {
    access.admits(request.uri(), request.headers()).map_err(PageRefusal::For)?;
    access.caller(request.headers()).map_err(PageRefusal::TokenError)?;
    match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") => Ok(()),
        (_, "/metrics") => Err(PageRefusal::For(StatusCode::METHOD_NOT_ALLOWED)),
        _ => Err(PageRefusal::For(StatusCode::NOT_FOUND)),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::{SocketAddr, TcpStream},
        time::Instant,
    };

    use hyper::{Request, http::request::Builder};

    use super::{
        LONGEST_HEAD, MOST_CONNECTIONS, MetricsPage, PATIENCE, PageRefusal, check, listen,
    };
    use crate::serve::{Access, TokenError, Tokens};

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn the_page_is_served_and_nothing_else() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = listen(any, Default::default).unwrap();
        let page = ask(address, &format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n"));
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("# EOF\n"), "{page}");
        let head = ask(address, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
        let other = ask(address, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(other.starts_with("HTTP/1.1 404"), "{other}");
    }

    #[test]
    fn unfinished_requests_keep_no_other_one_waiting() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = listen(any, Default::default).unwrap();
        let halves: Vec<_> = (0..5 * MOST_CONNECTIONS)
            .map(|_| {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.write_all(b"GET /met").unwrap();
                stream
            })
            .collect();
        let asked = Instant::now();
        let page = ask(address, &format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n"));
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(asked.elapsed() < PATIENCE, "{:?}", asked.elapsed());
        drop(halves);
    }

    #[test]
    fn a_request_that_is_not_allowed_gets_no_metrics() {
        let open = Access::default();
        let closed = Access { tokens: Some(Tokens::new(["s3cret"])), ..Access::default() };
        let request = |method: &str, headers: &[(&str, &str)]| {
            let request = Request::builder().method(method).uri("/metrics");
            let add =
                |request: Builder, (name, value): &(&str, &str)| request.header(*name, *value);
            headers.iter().fold(request, add).body(()).unwrap()
        };
        let host = ("host", "localhost");
        for (access, method, headers, status) in [
            (&open, "GET", vec![host, ("origin", "http://evil.example")], 403),
            (&open, "GET", vec![host, ("origin", "http://localhost:9999")], 403),
            (&open, "GET", vec![("host", "evil.example")], 403),
            (&open, "GET", vec![], 403),
            (&open, "GET", vec![host, host], 400),
            (&open, "POST", vec![host], 405),
        ] {
            let Err(PageRefusal::For(told)) = check(&request(method, &headers), access) else {
                panic!("{headers:?}")
            };
            assert_eq!(told, status, "{headers:?}");
        }
        for (headers, why) in [
            (vec![host], TokenError::Missing),
            (vec![host, ("authorization", "Bearer other")], TokenError::Wrong),
        ] {
            let refused = check(&request("GET", &headers), &closed);
            assert_eq!(refused, Err(PageRefusal::TokenError(why)), "{headers:?}");
        }
        let right = request("GET", &[host, ("authorization", "Bearer s3cret")]);
        assert_eq!(
            (check(&right, &closed), check(&request("GET", &[host]), &open)),
            (Ok(()), Ok(()))
        );
    }

    #[test]
    fn malformed_requests_are_refused() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = listen(any, Default::default).unwrap();
        let host = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n";
        let long = format!("{host}x: {}\r\n\r\n", "y".repeat(2 * LONGEST_HEAD));
        for (head, status) in [
            (format!("{host}no header\r\n\r\n"), "400"),
            ("GET /metrics\r\n\r\n".to_owned(), "400"),
            ("\0\r\n\r\n".to_owned(), "400"),
            (
                "GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
                "403",
            ),
            (long, "431"),
        ] {
            let answer = ask(address, &head);
            assert_eq!(answer.get(9..12), Some(status), "{answer:?}");
        }
    }

    #[test]
    fn a_connection_is_closed_after_its_answer() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = listen(any, Default::default).unwrap();
        let one = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let answers = ask(address, &one.repeat(2));
        assert_eq!(answers.matches("HTTP/1.1 200").count(), 1, "{answers}");
    }

    #[test]
    fn failed_tokens_are_counted_and_refused_when_they_are_many() {
        let tokens = Some(Tokens::new(["s3cret"]));
        let page = MetricsPage {
            access: Access { tokens, ..Access::default() },
            ..MetricsPage::default()
        };
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = listen(any, move || page.clone()).unwrap();
        let asked = |token: &str| {
            let head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer";
            ask(address, &format!("{head} {token}\r\n\r\n"))[9..12].to_owned()
        };
        let statuses: Vec<_> = (0..20).map(|_| asked("wrong")).collect();
        assert_eq!(statuses[..5], ["401"; 5]);
        assert!(statuses.contains(&"429".to_owned()), "{statuses:?}");
        assert_eq!(asked("s3cret"), "200", "the right one is never refused");
    }

    #[test]
    fn other_machines_need_a_token() {
        let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
        assert!(listen(everywhere, Default::default).is_err());
    }
}
