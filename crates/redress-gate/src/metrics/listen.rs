//! A small HTTP server for one page: the metrics. One thread, one request per connection, everything bounded.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::render::{CONTENT_TYPE, render};
use crate::server::Server;

/// The longest request, in bytes.
const LONGEST: usize = 8 << 10;

/// How long one reader may take, for everything.
const PATIENCE: Duration = Duration::from_secs(2);

/// The names under which the page may be asked for, so that no web page can ask for it under a name of its own.
#[derive(Debug, Clone, Default)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// These, beside the names of the machine itself. A name is compared without its port.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().map(|it| without_port(&it).to_ascii_lowercase()).collect())
    }

    fn allow(&self, host: &str) -> bool {
        let name = without_port(host.trim()).to_ascii_lowercase();
        let is_own = name == "localhost" || name == "[::1]" || is_loopback_v4(&name);
        is_own || self.0.contains(&name)
    }
}

fn is_loopback_v4(name: &str) -> bool {
    name.parse::<std::net::Ipv4Addr>().is_ok_and(|it| it.is_loopback())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if port.bytes().all(|it| it.is_ascii_digit()) && !name.ends_with(':') =>
        {
            name
        }
        _ => host,
    }
}

/// Serves the metrics of servers at `/metrics` from a thread of its own, and gives the address.
///
/// An address that other machines can reach needs names under which they may ask.
pub fn listen(
    address: SocketAddr,
    hosts: Hosts,
    servers: Vec<Arc<Server>>,
) -> io::Result<SocketAddr> {
    if !address.ip().is_loopback() && hosts.0.is_empty() {
        let why = "an address that is not loopback needs the names under which it may be asked";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    let serve = move || {
        for stream in listener.incoming().flatten() {
            // Whoever asks badly, or goes away, has only himself to tell.
            drop(answer(stream, &hosts, &servers));
        }
    };
    thread::Builder::new().name("redress-metrics".to_owned()).spawn(serve)?;
    Ok(bound)
}

fn answer(mut stream: TcpStream, hosts: &Hosts, servers: &[Arc<Server>]) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(&mut stream, until)?;
    let (status, kind, body) = match check(&head, hosts) {
        Ok(()) => ("200 OK", CONTENT_TYPE, render(servers)),
        Err(status) => (status, "text/plain; charset=utf-8", format!("{status}\n")),
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

/// Everything up to the empty line.
fn read_head(stream: &mut TcpStream, until: Instant) -> io::Result<String> {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() > LONGEST {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            bytes => head.extend_from_slice(piece.get(..bytes).unwrap_or_default()),
        }
    }
    String::from_utf8(head).map_err(|it| io::Error::new(io::ErrorKind::InvalidData, it))
}

/// Whether a request may be answered.
fn check(head: &str, hosts: &Hosts) -> Result<(), &'static str> {
    let mut lines = head.split("\r\n");
    let mut request = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (request.next().unwrap_or_default(), request.next().unwrap_or_default());
    if !request.next().is_some_and(|it| it.starts_with("HTTP/1.")) {
        return Err("400 Bad Request");
    }
    let headers: Vec<_> = lines.filter_map(|it| it.split_once(':')).collect();
    let all = |name: &str| {
        let of_name = headers.iter().filter(|it| it.0.eq_ignore_ascii_case(name));
        of_name.map(|it| it.1.trim()).collect::<Vec<_>>()
    };
    match all("host").as_slice() {
        [host] if hosts.allow(host) => (),
        [_] => return Err("421 Misdirected Request"),
        _ => return Err("400 Bad Request"),
    }
    if !all("origin").is_empty() {
        return Err("403 Forbidden");
    }
    if method != "GET" && method != "HEAD" {
        return Err("405 Method Not Allowed");
    }
    match target.split('?').next() {
        Some("/metrics") => Ok(()),
        _ => Err("404 Not Found"),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::{SocketAddr, TcpStream},
    };

    use super::{Hosts, check, listen};

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
        let address = listen(any, Hosts::default(), Vec::new()).unwrap();
        let page = ask(address, &format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n"));
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("# EOF\n"), "{page}");
        let head = ask(address, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
        let other = ask(address, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(other.starts_with("HTTP/1.1 404"), "{other}");
    }

    #[test]
    fn a_name_that_was_not_given_is_refused() {
        let asked = |hosts: &Hosts, host: &str| {
            check(&format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n"), hosts).is_ok()
        };
        let own = Hosts::default();
        for host in ["localhost", "LOCALHOST:9", "127.0.0.1:8080", "127.8.0.1", "[::1]", "[::1]:80"]
        {
            assert!(asked(&own, host), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.", "", "::1", "[::2]"] {
            assert!(!asked(&own, host), "{host}");
        }
        let given = Hosts::new(["gate.internal:9100".to_owned()]);
        assert!(asked(&given, "Gate.internal") && asked(&given, "gate.internal:9100"));
    }

    #[test]
    fn a_web_page_gets_nothing() {
        let hosts = Hosts::default();
        for (head, status) in [
            ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n", "403"),
            ("GET /metrics HTTP/1.1\r\n\r\n", "400"),
            ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nhost: evil\r\n\r\n", "400"),
            ("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
            ("GET /metrics\r\n\r\n", "400"),
            ("\r\n\r\n", "400"),
        ] {
            assert!(check(head, &hosts).unwrap_err().starts_with(status), "{head:?}");
        }
    }

    #[test]
    fn other_machines_need_a_name_to_ask_under() {
        let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
        assert!(listen(everywhere, Hosts::default(), Vec::new()).is_err());
    }
}
