//! A client over HTTP that reads and writes sockets itself: what a library would not send or would hide can be seen.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::ChildStderr,
    sync::{Arc, Mutex, mpsc::Sender},
    thread,
    time::Duration,
};

/// How long a socket may be silent on a busy machine.
const SILENCE: Duration = Duration::from_secs(90);

/// One client, with its session once it is open.
#[derive(Clone)]
pub(crate) struct Http {
    /// `host:port`
    pub(crate) address: String,
    /// The path of the server.
    pub(crate) path: String,
    pub(crate) session: Arc<Mutex<Option<String>>>,
    /// Where every message goes that is heard.
    heard: Sender<String>,
}

/// The head of an answer, with the rest still to be read.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    rest: BufReader<TcpStream>,
}

/// Where a gate says that it listens, as `host:port/path`; the rest of what it says is thrown away.
pub(crate) fn listening(stderr: ChildStderr) -> String {
    let mut lines = BufReader::new(stderr).lines();
    let address = loop {
        let line = lines.next().expect("the gate listens").unwrap();
        if let Some((_, url)) = line.split_once("listening on http://") {
            break url.to_owned();
        }
    };
    thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    address
}

impl Http {
    pub(crate) fn new(url: &str, heard: Sender<String>) -> Self {
        let (address, path) = url.split_once('/').unwrap_or_default();
        let path = format!("/{path}");
        Self { address: address.to_owned(), path, session: Arc::default(), heard }
    }

    /// Sends a message; what is said to it is heard later. The one that opens a session is waited for.
    pub(crate) fn write(&self, message: &[u8]) {
        let message = message.trim_ascii();
        let is_request = message.windows(4).any(|it| it == b"\"id\"");
        let answer = self.send(message);
        if message.windows(12).any(|it| it == b"\"initialize\"") {
            let answer = answer.head();
            if let Some(id) = answer.header("mcp-session-id") {
                *self.session.lock().unwrap() = Some(id.to_owned());
            }
            answer.hear(&self.heard);
        } else if is_request {
            let heard = self.heard.clone();
            thread::spawn(move || answer.head().hear(&heard));
        } else {
            answer.head().hear(&self.heard);
        }
    }

    fn send(&self, message: &[u8]) -> Sent {
        let session = self.session.lock().unwrap().clone();
        let session = session.map(|it| ("Mcp-Session-Id", it));
        let headers: Vec<(&str, &str)> = session.iter().map(|(name, it)| (*name, &**it)).collect();
        post(&self.address, &self.path, &headers, message)
    }

    /// Ends the session.
    pub(crate) fn end(&self) {
        let Some(id) = self.session.lock().unwrap().take() else { return };
        // The gate may have ended, or be about to.
        if TcpStream::connect(&self.address).is_ok() {
            let headers = [("Mcp-Session-Id", &*id)];
            let delete = format!("DELETE {}", self.path);
            Answer::read(request(&self.address, &delete, &headers, b"").0);
        }
    }
}

/// A request that was sent.
pub(crate) struct Sent(TcpStream);

/// Posts a message as every client does.
pub(crate) fn post(address: &str, path: &str, headers: &[(&str, &str)], message: &[u8]) -> Sent {
    let usual =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let all: Vec<_> = usual.iter().chain(headers).copied().collect();
    request(address, &format!("POST {path}"), &all, message)
}

/// Sends any request.
pub(crate) fn request(address: &str, what: &str, headers: &[(&str, &str)], body: &[u8]) -> Sent {
    let is_named = headers.iter().any(|it| it.0.eq_ignore_ascii_case("host"));
    let host = (!is_named).then_some(("Host", address));
    let length = body.len().to_string();
    let last = [("Connection", "close"), ("Content-Length", &*length)];
    let mut head = format!("{what} HTTP/1.1\r\n");
    for (name, value) in host.iter().chain(headers).chain(&last) {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    let mut stream = connect(address);
    stream.write_all(head.as_bytes()).unwrap();
    // Who refuses a body early need not read it.
    stream.write_all(body).unwrap_or_default();
    Sent(stream)
}

pub(crate) fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    stream
}

impl Sent {
    /// Reads the head of the answer.
    pub(crate) fn head(self) -> Answer {
        Answer::read(self.0).expect("an answer")
    }

    /// Reads the head of the answer, if there is one.
    pub(crate) fn answer(self) -> Option<Answer> {
        Answer::read(self.0)
    }

    /// The connection.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.0
    }

    /// Closes the connection without waiting.
    pub(crate) fn leave(self) {
        drop(self);
    }
}

impl Answer {
    /// The next answer on a connection, if there is one.
    pub(crate) fn read(stream: TcpStream) -> Option<Self> {
        let mut rest = BufReader::new(stream);
        let mut line = String::new();
        rest.read_line(&mut line).ok()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            rest.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        Some(Self { status, headers, rest })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|it| it.0 == name).map(|it| &*it.1)
    }

    /// The whole body.
    pub(crate) fn body(mut self) -> String {
        let mut body = String::new();
        while let Some(piece) = self.piece() {
            body += &piece;
        }
        body
    }

    /// The body as JSON.
    pub(crate) fn json(self) -> serde_json::Value {
        let body = self.body();
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("no JSON: {body}"))
    }

    /// The next event's data.
    pub(crate) fn event(&mut self) -> Option<String> {
        loop {
            let piece = self.piece()?;
            // The gate writes each event in one piece.
            // An event without data only gives the stream a place to go on from.
            let data = piece.lines().find_map(|it| it.strip_prefix("data: "));
            if let Some(data) = data.filter(|it| !it.is_empty()) {
                return Some(data.to_owned());
            }
        }
    }

    /// The next event, as it is written.
    pub(crate) fn raw_event(&mut self) -> Option<String> {
        self.piece()
    }

    /// Says everything that is heard, line by line.
    fn hear(mut self, heard: &Sender<String>) {
        if self.header("content-type") == Some("text/event-stream") {
            while let Some(event) = self.event() {
                heard.send(event).unwrap_or_default();
            }
            return;
        }
        let body = self.body();
        match serde_json::from_str(&body) {
            Ok(serde_json::Value::Array(messages)) => {
                for message in messages {
                    heard.send(message.to_string()).unwrap_or_default();
                }
            }
            _ if body.is_empty() => (),
            _ => heard.send(body).unwrap_or_default(),
        }
    }

    /// The next piece of the body.
    pub(crate) fn piece(&mut self) -> Option<String> {
        let is_chunked = self.header("transfer-encoding") == Some("chunked");
        let mut bytes = Vec::new();
        if is_chunked {
            let mut line = String::new();
            self.rest.read_line(&mut line).ok()?;
            let size = usize::from_str_radix(line.trim(), 16).ok()?;
            bytes.resize(size + 2, 0);
            self.rest.read_exact(&mut bytes).ok()?;
            bytes.truncate(size);
        } else {
            let size = self.header("content-length")?.parse().ok()?;
            (&mut self.rest).take(size).read_to_end(&mut bytes).ok()?;
            self.headers.retain(|it| it.0 != "content-length");
        }
        let text = String::from_utf8(bytes).expect("the gate writes UTF-8");
        Some(text).filter(|it| !it.is_empty())
    }
}
