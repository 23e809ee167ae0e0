//! A small HTTP server for one page: the metrics. One request per connection, everything bounded.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Weak},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use hyper::{HeaderMap, header::HeaderName};
use tokio_rustls::rustls;

use super::render::{CONTENT_TYPE, render};
use crate::{
    serve::{Access, NoCaller, Pace, Throttle},
    server::Server,
    tls::Tls,
};

/// The longest request, in bytes.
const LONGEST: usize = 8 << 10;

/// How long one reader may take, for everything.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many may ask at a time. One more takes the place of whoever asks for the longest time: to say what is wanted takes a moment, and
/// to hold a place must not keep others out.
const MOST_GUESTS: usize = 8;

/// What the page shows, to whom, and how.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Who may read it.
    pub access: Access,
    /// The servers whose metrics it shows.
    pub servers: Vec<Arc<Server>>,
    /// The certificate of its listener; without one, that speaks plain HTTP.
    pub tls: Option<Tls>,
}

/// Serves the metrics of servers at `/metrics` from threads of its own, and gives the address. What the page shows is asked
/// each time.
pub fn listen(
    address: SocketAddr,
    shown: impl Fn() -> Page + Send + 'static,
) -> io::Result<SocketAddr> {
    if !address.ip().is_loopback() && shown().access.tokens.is_none() {
        let why = "other machines reach this address, so that they need a token";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    let serve = move || {
        let mut guests = Guests::default();
        let throttle = Arc::<Throttle>::default();
        for stream in listener.incoming().flatten() {
            let (page, throttle) = (shown(), Arc::clone(&throttle));
            // Whoever asks badly, or goes away, has only himself to tell.
            drop(guests.welcome(stream, move |it| drop(page.answer(it, &throttle))));
        }
    };
    thread::Builder::new().name("redress-metrics".to_owned()).spawn(serve)?;
    Ok(bound)
}

/// Those who ask, each on a thread of its own that closes the connection by its end; the first come first.
#[derive(Debug, Default)]
struct Guests(VecDeque<(Weak<TcpStream>, JoinHandle<()>)>);

impl Guests {
    fn welcome(
        &mut self,
        stream: TcpStream,
        serve: impl FnOnce(&TcpStream) + Send + 'static,
    ) -> io::Result<()> {
        self.0.retain(|(_, thread)| !thread.is_finished());
        if self.0.len() >= MOST_GUESTS
            && let Some((first, thread)) = self.0.pop_front()
        {
            // What it waits for fails at once now.
            let ended = first.upgrade().map(|it| it.shutdown(Shutdown::Both));
            drop(ended);
            thread.join().unwrap_or_default();
        }
        let stream = Arc::new(stream);
        let seen = Arc::downgrade(&stream);
        let thread = thread::Builder::new().name("redress-metrics".to_owned());
        self.0.push_back((seen, thread.spawn(move || serve(&stream))?));
        Ok(())
    }
}

impl Page {
    fn answer(&self, socket: &TcpStream, throttle: &Throttle) -> io::Result<()> {
        socket.set_write_timeout(Some(PATIENCE))?;
        let mut timed = Timed { socket, until: Instant::now() + PATIENCE };
        let Some(tls) = &self.tls else { return self.answer_on(&mut timed, socket, throttle) };
        let mut connection = tls.connection()?;
        self.answer_on(&mut rustls::Stream::new(&mut connection, &mut timed), socket, throttle)?;
        connection.send_close_notify();
        connection.complete_io(&mut timed).map(drop)
    }

    /// Answers on a stream that the socket carries.
    fn answer_on(
        &self,
        stream: &mut (impl Read + Write),
        socket: &TcpStream,
        throttle: &Throttle,
    ) -> io::Result<()> {
        let head = read_head(stream)?;
        let (status, kind, body) = match check(&head, &self.access) {
            Ok(()) => ("200 OK".to_owned(), CONTENT_TYPE, render(&self.servers)),
            Err(why) => {
                let status = self.refused(why, socket, throttle);
                (status.clone(), "text/plain; charset=utf-8", status + "\n")
            }
        };
        let text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(text.as_bytes())?;
        if !head.starts_with("HEAD ") {
            stream.write_all(body.as_bytes())?;
        }
        stream.flush()
    }

    /// The status of a refusal. A request without a valid token is counted, and one of too many is told so.
    fn refused(&self, why: Refused, socket: &TcpStream, throttle: &Throttle) -> String {
        let why = match why {
            Refused::For(status) => return status,
            Refused::NoCaller(why) => why,
        };
        if let Some(server) = self.servers.first() {
            server.metrics.happened(why.event());
        }
        // There are too few places here to let anyone wait.
        let pace = socket.peer_addr().map(|it| throttle.failed(it.ip(), Instant::now()).0);
        match pace {
            Ok(Pace::After(Duration::ZERO)) | Err(_) => "401 Unauthorized".to_owned(),
            Ok(_) => "429 Too Many Requests".to_owned(),
        }
    }
}

/// A socket from which nothing is read after a moment.
struct Timed<'s> {
    socket: &'s TcpStream,
    until: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.set_read_timeout(Some(left))?;
        (&mut &*self.socket).read(into)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&mut &*self.socket).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&mut &*self.socket).flush()
    }
}

/// Everything up to the empty line.
fn read_head(stream: &mut impl Read) -> io::Result<String> {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        if head.len() > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            bytes => head.extend_from_slice(piece.get(..bytes).unwrap_or_default()),
        }
    }
    String::from_utf8(head).map_err(|it| io::Error::new(io::ErrorKind::InvalidData, it))
}

/// Why a request is not answered.
#[derive(Debug, PartialEq, Eq)]
enum Refused {
    /// With this status.
    For(String),
    /// It has no valid token.
    NoCaller(NoCaller),
}

/// Whether a request may be answered.
fn check(head: &str, access: &Access) -> Result<(), Refused> {
    let refused = |status: &str| Err(Refused::For(status.to_owned()));
    let bad = || refused("400 Bad Request");
    let mut lines = head.split("\r\n");
    let mut request = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (request.next().unwrap_or_default(), request.next().unwrap_or_default());
    if !request.next().is_some_and(|it| it.starts_with("HTTP/1.")) {
        return bad();
    }
    let Some(headers) = headers(lines) else { return bad() };
    access.admits(&headers).map_err(|it| Refused::For(it.to_string()))?;
    access.caller(&headers).map_err(Refused::NoCaller)?;
    match (method, target.split('?').next()) {
        ("GET" | "HEAD", Some("/metrics")) => Ok(()),
        (_, Some("/metrics")) => refused("405 Method Not Allowed"),
        _ => refused("404 Not Found"),
    }
}

fn headers<'h>(lines: impl Iterator<Item = &'h str>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for line in lines.take_while(|it| !it.is_empty()) {
        let (name, value) = line.split_once(':')?;
        let name: HeaderName = name.parse().ok()?;
        headers.append(name, value.trim().parse().ok()?);
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::{SocketAddr, TcpStream},
        time::Instant,
    };

    use super::{MOST_GUESTS, PATIENCE, Page, Refused, check, listen};
    use crate::serve::{Access, NoCaller, Tokens};

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
    fn who_asks_only_by_halves_keeps_nobody_waiting() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = listen(any, Default::default).unwrap();
        let halves: Vec<_> = (0..5 * MOST_GUESTS)
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
    fn who_may_not_come_in_gets_nothing() {
        let open = Access::default();
        let closed = Access { tokens: Some(Tokens::new(["s3cret"])), ..Access::default() };
        let host = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n";
        for (access, head, status) in [
            (&open, format!("{host}Origin: http://evil.example\r\n\r\n"), "403"),
            (&open, format!("{host}Origin: http://localhost:9999\r\n\r\n"), "403"),
            (&open, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(), "403"),
            (&open, "GET /metrics HTTP/1.1\r\n\r\n".to_owned(), "403"),
            (&open, format!("{host}host: localhost\r\n\r\n"), "400"),
            (&open, format!("{host}no header\r\n\r\n"), "400"),
            (&open, "POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "405"),
            (&open, "GET /metrics\r\n\r\n".to_owned(), "400"),
            (&open, "\r\n\r\n".to_owned(), "400"),
        ] {
            let Err(Refused::For(told)) = check(&head, access) else { panic!("{head:?}") };
            assert!(told.starts_with(status), "{head:?}: {told}");
        }
        for (head, why) in [
            (format!("{host}\r\n"), NoCaller::Missing),
            (format!("{host}Authorization: Bearer other\r\n\r\n"), NoCaller::Wrong),
        ] {
            assert_eq!(check(&head, &closed), Err(Refused::NoCaller(why)), "{head:?}");
        }
        let right = format!("{host}Authorization: Bearer s3cret\r\n\r\n");
        assert_eq!(
            (check(&right, &closed), check(&format!("{host}\r\n"), &open)),
            (Ok(()), Ok(()))
        );
    }

    #[test]
    fn failed_tokens_are_counted_and_refused_when_they_are_many() {
        let tokens = Some(Tokens::new(["s3cret"]));
        let page = Page { access: Access { tokens, ..Access::default() }, ..Page::default() };
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
