//! A server on a raw socket that answers as it is told.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// What the server does with a request.
pub(super) enum Act {
    /// Writes this and waits for the next request.
    Keep(Vec<u8>),
    /// Writes this and closes the connection.
    Close(Vec<u8>),
    /// Writes this byte by byte and waits for the next request.
    Slow(Vec<u8>),
    /// Does nothing until the client goes.
    Hang,
}

impl Act {
    pub(super) fn bytes(self) -> Vec<u8> {
        match self {
            Self::Keep(bytes) | Self::Close(bytes) | Self::Slow(bytes) => bytes,
            Self::Hang => Vec::new(),
        }
    }
}

pub(super) fn json(body: &str) -> Act {
    with("content-type: application/json", body)
}

/// A success with one more header.
pub(super) fn with(header: &str, body: &str) -> Act {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\n{header}");
    Act::Keep(format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes())
}

pub(super) fn status(status: &str, body: &str) -> Act {
    let length = body.len();
    Act::Keep(format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes())
}

pub(super) fn stream(events: &str) -> Act {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked";
    let size = events.len();
    let ended =
        if events.ends_with("\n\n") && !events.starts_with("retry") { "0\r\n\r\n" } else { "" };
    Act::Keep(format!("{head}\r\n\r\n{size:x}\r\n{events}\r\n{ended}").into_bytes())
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) head: String,
    pub(super) body: String,
}

impl Asked {
    /// The method of the message; of the request if it has none.
    pub(super) fn method(&self) -> &str {
        let after = self.body.split_once(r#""method":""#).map_or("", |it| it.1);
        match after.split('"').next() {
            Some(method) if !method.is_empty() => method,
            _ => self.head.split(' ').next().unwrap_or_default(),
        }
    }

    pub(super) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub(super) fn id(&self) -> &str {
        self.body
            .split_once(r#""id":""#)
            .map_or("", |it| it.1)
            .split('"')
            .next()
            .unwrap_or_default()
    }

    pub(super) fn answer(&self) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":"{}","result":{{}}}}"#, self.id())
    }

    /// The answer to the first request, whoever asks.
    pub(super) fn last_event_answer(&self) -> String {
        assert!(self.head.contains("last-event-id: "), "{}", self.head);
        r#"{"jsonrpc":"2.0","id":"00000000000001","result":{}}"#.to_owned()
    }
}

#[derive(Default)]
struct Seen {
    asked: Mutex<Vec<Asked>>,
    connections: AtomicUsize,
    ended: AtomicUsize,
    /// What is said to each connection before anything of the request is read.
    unread: Mutex<Option<String>>,
    /// What is said once the head of a request was read, before its body is.
    early: Mutex<Option<String>>,
}

pub(super) struct Server {
    port: u16,
    seen: Arc<Seen>,
}

impl Server {
    /// A server that does what `act` says for the n-th request.
    pub(super) fn new(act: impl Fn(usize, &Asked) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (seen, act) = (Arc::<Seen>::default(), Arc::new(act));
        let noted = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, act) = (Arc::clone(&noted), Arc::clone(&act));
                seen.connections.fetch_add(1, Ordering::Relaxed);
                thread::spawn(move || serve(stream, &seen, &*act));
            }
        });
        Self { port, seen }
    }

    /// From now on this is the answer to the start of any request, of which nothing more is read.
    pub(super) fn answers_unread(&self, answer: &str) {
        *self.seen.unread.lock().expect("unpoisoned") = Some(answer.to_owned());
    }

    /// From now on every answer begins with this, which is sent before the body of the request is read.
    pub(super) fn answers_early(&self, start: &str) {
        *self.seen.early.lock().expect("unpoisoned") = Some(start.to_owned());
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.seen.asked.lock().expect("unpoisoned").clone()
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::Relaxed)
    }

    pub(super) fn waits_for(&self, requests: usize) {
        until(|| self.asked().len() >= requests);
    }

    /// Whether a client leaves a connection on which nothing was answered.
    pub(super) fn sees_the_end(&self) -> bool {
        until(|| self.seen.ended.load(Ordering::Relaxed) > 0);
        true
    }
}

/// Lets others run.
pub(super) fn pause(millis: u64) {
    #[expect(clippy::disallowed_methods, reason = "there is no event to wait for")]
    thread::sleep(Duration::from_millis(millis));
}

fn until(mut is_so: impl FnMut() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        pause(10);
    }
    panic!("it never came");
}

fn serve(mut stream: TcpStream, seen: &Seen, act: &dyn Fn(usize, &Asked) -> Act) {
    if let Some(answer) = seen.unread.lock().expect("unpoisoned").clone() {
        stream.read_exact(&mut [0; 16]).expect("the start of a request");
        stream.write_all(answer.as_bytes()).expect("written");
        return pause(500);
    }
    while let Some(asked) = read(&mut stream, seen) {
        let number = {
            let mut all = seen.asked.lock().expect("unpoisoned");
            all.push(asked.clone());
            all.len() - 1
        };
        match act(number, &asked) {
            Act::Keep(bytes) => stream.write_all(&bytes).expect("written"),
            Act::Close(bytes) => return stream.write_all(&bytes).expect("written"),
            Act::Slow(bytes) => {
                stream.set_nodelay(true).expect("a socket");
                for byte in bytes {
                    stream.write_all(&[byte]).expect("written");
                }
            }
            Act::Hang => {
                drop(stream.read(&mut [0; 16]));
                seen.ended.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
    }
}

/// One request; none at the end of the connection, or if it is no HTTP.
fn read(stream: &mut TcpStream, seen: &Seen) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.extend(byte);
        if !bytes.first().is_some_and(u8::is_ascii_uppercase) {
            return None;
        }
    }
    if let Some(start) = &*seen.early.lock().expect("unpoisoned") {
        stream.write_all(start.as_bytes()).ok()?;
        pause(50);
    }
    let head = String::from_utf8(bytes).ok()?;
    let length = head.split_once("content-length: ").map_or("0", |it| it.1);
    let length = length.split("\r\n").next()?.parse().ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Asked { head, body: String::from_utf8(body).ok()? })
}
