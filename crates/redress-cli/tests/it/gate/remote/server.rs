//! A server behind a URL that misbehaves as it is told: on a raw socket, so that it can do what no HTTP library would.

use std::{
    collections::VecDeque,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use serde_json::{Value, json};

const CERTIFICATE: &str = include_str!("../../../../../../tests/certificates/first.pem");
const KEY: &str = include_str!("../../../../../../tests/certificates/first.key");

/// What the server does with a tool call.
#[derive(Debug, Clone)]
pub(super) struct Act {
    /// The head; the length of the body is added to it if that is to be known.
    head: String,
    /// The body; `ID` is the id of the request.
    body: String,
    is_counted: bool,
    /// No more than this is written.
    cut: Option<usize>,
    /// The time between two bytes.
    drip: Option<Duration>,
    then: Then,
}

/// What the server does after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Wait,
    Close,
    Reset,
    Hang,
}

impl Act {
    /// A whole answer.
    pub(super) fn http(status: &str, headers: &str, body: &str) -> Self {
        let head = format!("HTTP/1.1 {status}\r\n{headers}");
        let (is_counted, cut, drip) = (true, None, None);
        Self { head, body: body.to_owned(), is_counted, cut, drip, then: Then::Wait }
    }

    /// A stream of events that ends with the connection.
    pub(super) fn events(events: &str) -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
        let (head, body) = (head.to_owned(), events.to_owned());
        Self { head, body, is_counted: false, cut: None, drip: None, then: Then::Close }
    }

    /// Bytes, whatever they are.
    pub(super) fn raw(bytes: &str) -> Self {
        let (head, body) = (String::new(), bytes.to_owned());
        Self { head, body, is_counted: false, cut: None, drip: None, then: Then::Close }
    }

    /// Nothing, for ever.
    pub(super) fn hang() -> Self {
        Self { then: Then::Hang, ..Self::raw("") }
    }

    /// Only so many bytes, then the end.
    pub(super) fn cut(self, bytes: usize) -> Self {
        Self { cut: Some(bytes), then: Then::Close, ..self }
    }

    /// The end is a reset.
    pub(super) fn reset(self) -> Self {
        Self { then: Then::Reset, ..self }
    }

    /// One byte after the other, slowly.
    pub(super) fn drip(self, pause: Duration) -> Self {
        Self { drip: Some(pause), ..self }
    }

    /// Everything that is to be written.
    pub(super) fn bytes(&self, asked: &Asked) -> Vec<u8> {
        let body = self.body.replace("ID", &asked.message["id"].to_string());
        let mut bytes = self.head.clone().into_bytes();
        if self.is_counted {
            bytes.extend(format!("content-length: {}\r\n", body.len()).into_bytes());
        }
        if !self.head.is_empty() {
            bytes.extend(b"\r\n");
        }
        bytes.extend(body.into_bytes());
        bytes.truncate(self.cut.unwrap_or(usize::MAX));
        bytes
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) at: Instant,
    pub(super) head: String,
    pub(super) message: Value,
}

impl Asked {
    /// The method of the message; of the request if there is none.
    pub(super) fn method(&self) -> &str {
        let of_request = self.head.split(' ').next().unwrap_or_default();
        self.message["method"].as_str().unwrap_or(of_request)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|it| it.split_once(": "));
        lines.find(|it| it.0.eq_ignore_ascii_case(name)).map(|it| it.1)
    }
}

#[derive(Default)]
struct State {
    asked: Vec<Asked>,
    /// What is to be done with the next calls; after that each succeeds.
    calls: VecDeque<Act>,
    /// What is to be done with the next GETs; after that there is no such stream.
    gets: VecDeque<Act>,
    /// What is to be done with the next GETs that take a stream up again.
    resumptions: VecDeque<Act>,
    /// The session that it knows.
    session: u32,
    connections: usize,
    /// How many connections on which nothing was answered the client has left.
    left: usize,
}

/// The server.
pub(super) struct Server {
    port: u16,
    state: Arc<Mutex<State>>,
    /// Its certificate, if it has one.
    pub(super) certificate: Option<String>,
}

impl Server {
    pub(super) fn new() -> Self {
        Self::listening(None, None)
    }

    /// A server with a certificate that is its own authority.
    pub(super) fn secure() -> Self {
        let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
        let chain = vec![CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap()];
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        Self::listening(Some(Arc::new(config)), Some(CERTIFICATE.to_owned()))
    }

    fn listening(tls: Option<Arc<ServerConfig>>, certificate: Option<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State { session: 1, ..State::default() }));
        let kept = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, tls) = (Arc::clone(&kept), tls.clone());
                state.lock().unwrap().connections += 1;
                thread::spawn(move || match tls {
                    Some(config) => {
                        let connection = ServerConnection::new(config).unwrap();
                        let socket = stream.try_clone().unwrap();
                        serve(StreamOwned::new(connection, stream), &socket, &state);
                    }
                    None => serve(stream.try_clone().unwrap(), &stream, &state),
                });
            }
        });
        Self { port, state, certificate }
    }

    /// Where it is.
    pub(super) fn url(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        format!("{scheme}://localhost:{}/hidden-path/mcp", self.port)
    }

    /// What it does with the next call that has nothing to do yet.
    pub(super) fn will(&self, act: Act) {
        self.state.lock().unwrap().calls.push_back(act);
    }

    /// What it does with the next GET that has nothing to do yet.
    pub(super) fn will_on_get(&self, act: Act) {
        self.state.lock().unwrap().gets.push_back(act);
    }

    /// What it does with the next GET that takes a stream up again.
    pub(super) fn will_on_resumption(&self, act: Act) {
        self.state.lock().unwrap().resumptions.push_back(act);
    }

    /// From now on it knows nothing of the session that is open.
    pub(super) fn forget_session(&self) {
        self.state.lock().unwrap().session += 1;
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// What it was asked by a method.
    pub(super) fn asked_for(&self, method: &str) -> Vec<Asked> {
        self.asked().into_iter().filter(|it| it.method() == method).collect()
    }

    /// How many connections on which nothing was answered the client has left.
    pub(super) fn left(&self) -> usize {
        self.state.lock().unwrap().left
    }

    pub(super) fn connections(&self) -> usize {
        self.state.lock().unwrap().connections
    }
}

fn serve(mut stream: impl Read + Write, socket: &TcpStream, state: &Mutex<State>) {
    while let Some(asked) = read(&mut stream) {
        let act = {
            let mut state = state.lock().unwrap();
            state.asked.push(asked.clone());
            act(&asked, &mut state)
        };
        let bytes = act.bytes(&asked);
        let is_written = match act.drip {
            Some(pause) => bytes.iter().all(|it| {
                wait(pause);
                stream.write_all(&[*it]).and_then(|()| stream.flush()).is_ok()
            }),
            None => stream.write_all(&bytes).and_then(|()| stream.flush()).is_ok(),
        };
        match act.then {
            Then::Wait if is_written => (),
            Then::Reset => {
                // What was written is to arrive first.
                wait(Duration::from_millis(20));
                let at_once = Some(Duration::ZERO);
                rustix::net::sockopt::set_socket_linger(socket, at_once).unwrap();
                return;
            }
            Then::Hang => {
                while stream.read(&mut [0; 64]).is_ok_and(|it| it > 0) {}
                state.lock().unwrap().left += 1;
                return;
            }
            Then::Wait | Then::Close => return,
        }
    }
}

fn wait(time: Duration) {
    #[expect(clippy::disallowed_methods, reason = "being slow is the point")]
    thread::sleep(time);
}

/// What the server does: what it was told for a call, what any server does for the rest.
fn act(asked: &Asked, state: &mut State) -> Act {
    let session = format!("s{}", state.session);
    let is_known = asked.header("mcp-session-id").is_none_or(|it| it == session);
    let accepted = || Act::http("202 Accepted", "", "");
    let result = |headers: &str, result: &Value| {
        let headers = format!("content-type: application/json\r\n{headers}");
        Act::http("200 OK", &headers, &format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#))
    };
    match asked.method() {
        "initialize" => {
            let info = json!({"name": "far", "version": "1"});
            let tools = json!({"tools": {}});
            let told =
                json!({"protocolVersion": "2025-11-25", "capabilities": tools, "serverInfo": info});
            result(&format!("mcp-session-id: {session}\r\n"), &told)
        }
        _ if !is_known => {
            Act::http("404 Not Found", "content-type: text/plain\r\n", "no such session")
        }
        "GET" if asked.header("last-event-id").is_some() && !state.resumptions.is_empty() => {
            state.resumptions.pop_front().unwrap()
        }
        "GET" => {
            state.gets.pop_front().unwrap_or_else(|| Act::http("405 Method Not Allowed", "", ""))
        }
        "DELETE" => Act::http("200 OK", "", ""),
        "tools/list" => {
            let tools = json!([{"name": "call", "inputSchema": {"type": "object", "properties":
                {"region": {"type": "string", "x-mcp-header": "Region"}}}},
                {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]);
            result("", &json!({"tools": tools}))
        }
        "tools/call" => {
            let fine = json!({"content": [{"type": "text", "text": "fine"}]});
            state.calls.pop_front().unwrap_or_else(|| result("", &fine))
        }
        method if method.starts_with("notifications/") => accepted(),
        _ if asked.message.get("method").is_none() => accepted(),
        _ => result("", &json!({})),
    }
}

/// One request; none at the end of the connection, or if it is no HTTP.
fn read(stream: &mut impl Read) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.extend(byte);
        if !bytes[0].is_ascii_uppercase() {
            return None;
        }
    }
    let head = String::from_utf8(bytes).ok()?;
    let mut asked = Asked { at: Instant::now(), head, message: Value::Null };
    let length = asked.header("content-length").map_or(Ok(0), str::parse).ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    asked.message = serde_json::from_slice(&body).unwrap_or_default();
    Some(asked)
}
