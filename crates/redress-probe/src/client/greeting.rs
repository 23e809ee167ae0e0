//! Greeting a server: the newest revision first, and which of the others it speaks if it does not speak that one.

use std::{
    fmt, io,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::{
    Client, Outgoing, Received, Reply,
    wire::{Mirror, ServerAddress, Trouble},
};
use crate::report::{ServerInfo, Text};

/// The revision without sessions.
pub(crate) const STATELESS: &str = "2026-07-28";

/// Those that begin with `initialize`, the newest first.
const SESSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PREFIX: &str = "io.modelcontextprotocol/";

/// How long a server of an older revision may take to say that it does not know the newest.
const FIRST_WORD: Duration = Duration::from_secs(3);

/// How long a server may take to start.
const START: Duration = Duration::from_secs(30);

/// The revision that is spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Era(String);

/// Before anything was agreed on.
impl Default for Era {
    fn default() -> Self {
        Self(SESSIONS.first().map(|it| (*it).to_owned()).unwrap_or_default())
    }
}

impl Era {
    pub(crate) fn stateless() -> Self {
        Self(STATELESS.to_owned())
    }

    pub(crate) fn revision(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_stateless(&self) -> bool {
        self.0 == STATELESS
    }

    /// Whether wrong arguments are the tool's failure, not the protocol's.
    pub(crate) fn tells_tools_of_bad_input(&self) -> bool {
        self.0.as_str() >= "2025-11-25"
    }

    /// Whether several messages may come in one.
    pub(crate) fn has_batches(&self) -> bool {
        self.0 == "2025-03-26"
    }

    /// Parameters with what the revision wants in each request.
    pub(super) fn dressed(&self, mut params: Value) -> Value {
        if self.is_stateless()
            && let Some(members) = params.as_object_mut()
        {
            let meta = members.entry("_meta").or_insert_with(|| json!({}));
            if let Some(meta) = meta.as_object_mut() {
                let mut put = |key: &str, value: Value| {
                    meta.entry(format!("{PREFIX}{key}")).or_insert(value);
                };
                put("protocolVersion", json!(self.0));
                put("clientCapabilities", json!({}));
                put("clientInfo", client_info());
            }
        }
        params
    }

    pub(super) fn mirror(&self, method: &str, name: Option<String>) -> Mirror {
        let is_stateless = self.is_stateless();
        Mirror {
            revision: Some(self.0.clone()).filter(|_| method != "initialize"),
            method: is_stateless.then(|| method.to_owned()),
            name: name.filter(|_| is_stateless),
        }
    }
}

fn client_info() -> Value {
    json!({"name": "redress-probe", "version": env!("CARGO_PKG_VERSION")})
}

/// Why a server could not be probed.
#[derive(Debug)]
pub enum Unprobed {
    /// Its command cannot be started.
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// The process ended before it had said anything.
    Died {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// The end of its log.
        log: Text,
    },
    /// It said nothing.
    Silent {
        /// What it was asked.
        asked: &'static str,
        /// How long we waited.
        waited: Duration,
    },
    /// It cannot be reached.
    Unreachable(Trouble),
    /// It wants to know who asks.
    Unauthorized(u16),
    /// It answered, and not as an MCP server does.
    NotMcp(String),
    /// The URL, or a header, cannot be used.
    NotAnAddress(String),
    /// `--only` names no case.
    NoSuchCase(Vec<String>),
    /// The user stopped it before it began.
    Interrupted,
}

impl fmt::Display for Unprobed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { program, error } => write!(f, "{program}: {error}"),
            Self::Died { code: Some(code), .. } => write!(f, "it ended with exit code {code}"),
            Self::Died { signal: Some(signal), .. } => write!(f, "signal {signal} ended it"),
            Self::Died { .. } => write!(f, "it ended"),
            Self::Silent { asked, waited } => {
                write!(f, "no answer to {asked} within {} ms", waited.as_millis())
            }
            Self::Unreachable(trouble) => trouble.fmt(f),
            Self::Unauthorized(status) => write!(f, "it answered with status {status}"),
            Self::NotMcp(why) | Self::NotAnAddress(why) => f.write_str(why),
            Self::NoSuchCase(names) => write!(f, "no case is called {}", names.join(", ")),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Unprobed {}

/// A server that was greeted.
#[derive(Debug)]
pub(crate) struct Greeted {
    pub(crate) client: Client,
    pub(crate) server: ServerInfo,
}

/// Opens a connection and agrees on a revision: on the one that was agreed on before, if there is one.
pub(crate) fn greet(
    place: &ServerAddress,
    known: Option<&Era>,
    stop: &Arc<AtomicBool>,
) -> Result<Greeted, Unprobed> {
    if known.is_none_or(Era::is_stateless) {
        let mut client = Client::open(place, stop)?;
        match discover(&mut client, known.is_some()) {
            Ok(Some(server)) => return Ok(Greeted { client, server }),
            Err(unprobed) if known.is_some() => return Err(unprobed),
            // What is over or confused by a question it does not know is asked anew.
            Ok(None) if client.exit().is_none() => {
                return initialize(client).or_else(|it| greet_again(place, it, stop));
            }
            Err(unprobed @ (Unprobed::Unreachable(_) | Unprobed::Unauthorized(_))) => {
                return Err(unprobed);
            }
            Ok(None) | Err(_) => (),
        }
    }
    initialize(Client::open(place, stop)?)
}

/// A server that starts slowly takes the first question after all, and then no other greeting: it gets more time.
fn greet_again(
    place: &ServerAddress,
    refused: Unprobed,
    stop: &Arc<AtomicBool>,
) -> Result<Greeted, Unprobed> {
    if !matches!(refused, Unprobed::NotMcp(_)) {
        return Err(refused);
    }
    let mut client = Client::open(place, stop)?;
    match discover(&mut client, true) {
        Ok(Some(server)) => Ok(Greeted { client, server }),
        _ => Err(refused),
    }
}

/// None, if the server knows nothing of this revision.
fn discover(client: &mut Client, is_known: bool) -> Result<Option<ServerInfo>, Unprobed> {
    client.era = Era::stateless();
    let message = client.request("server/discover", json!({}));
    let limit = if is_known { START } else { FIRST_WORD };
    let reply = client.ask_one(&message, limit);
    match result(reply, "server/discover") {
        Ok(found) => {
            let versions = found.get("supportedVersions").and_then(Value::as_array);
            let speaks = versions.is_some_and(|it| it.iter().any(|it| it == STATELESS));
            let info = found.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
            Ok(speaks.then(|| server(info.or(found.get("serverInfo")), &found, STATELESS)))
        }
        Err(Unprobed::Died { .. } | Unprobed::NotMcp(_) | Unprobed::Silent { .. }) => Ok(None),
        Err(unprobed) => Err(unprobed),
    }
}

fn initialize(mut client: Client) -> Result<Greeted, Unprobed> {
    client.era = Era::default();
    let message = introduction(&mut client, Era::default().revision());
    let result = result(client.ask_one(&message, START), "initialize")?;
    let Some(revision) = result.get("protocolVersion").and_then(Value::as_str) else {
        return Err(Unprobed::NotMcp("the answer to initialize names no protocolVersion".into()));
    };
    if !SESSIONS.contains(&revision) {
        let shown = Text::of(revision.as_bytes()).text;
        return Err(Unprobed::NotMcp(format!(
            "it speaks the revision `{shown}`, which nobody knows"
        )));
    }
    client.era = Era(revision.to_owned());
    client.wire.enter_session();
    let server = server(result.get("serverInfo"), &result, revision);
    let ready = Outgoing::notification(&client.era, "notifications/initialized", json!({}));
    client.ask_one(&ready, FIRST_WORD);
    Ok(Greeted { client, server })
}

/// A greeting that offers a revision.
fn introduction(client: &mut Client, revision: &str) -> Outgoing {
    let era = Era(revision.to_owned());
    let params =
        json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client_info()});
    let id = client.next_id();
    Outgoing::request(&era, id, "initialize", params)
}

/// What a server says to a greeting that offers a revision, on a connection of its own.
pub(crate) fn greet_with(
    place: &ServerAddress,
    revision: &str,
    (limit, stop): (Duration, &Arc<AtomicBool>),
) -> Result<(Outgoing, Reply), Unprobed> {
    let mut client = Client::open(place, stop)?;
    let message = introduction(&mut client, revision);
    let reply = client.ask_one(&message, limit);
    client.wire.enter_session();
    Ok((message, reply))
}

fn server(info: Option<&Value>, result: &Value, revision: &str) -> ServerInfo {
    let text = |key: &str| {
        let said = info.and_then(|it| it.get(key)).and_then(Value::as_str).unwrap_or_default();
        redress::text::cut(said, 200).into_owned()
    };
    let capabilities = result.get("capabilities").and_then(Value::as_object);
    let names = capabilities.into_iter().flat_map(Map::keys).take(32);
    let capabilities = names.map(|it| redress::text::cut(it, 60).into_owned()).collect();
    ServerInfo {
        name: text("name"),
        version: text("version"),
        revision: revision.to_owned(),
        capabilities,
    }
}

/// The result of a request that must succeed.
pub(super) fn result(reply: Reply, asked: &'static str) -> Result<Value, Unprobed> {
    let bytes = match reply.what {
        Received::Answer { status: Some(status @ (401 | 403)), .. }
        | Received::Malformed { status: Some(status @ (401 | 403)), .. } => {
            return Err(Unprobed::Unauthorized(status));
        }
        Received::Answer { bytes, .. } => bytes,
        Received::Malformed { status, bytes } => {
            let shown = shown(&bytes);
            let status = status.map(|it| format!(" with status {it}")).unwrap_or_default();
            return Err(Unprobed::NotMcp(format!("it answered {asked}{status}: {shown}")));
        }
        Received::TooLarge(bytes) => {
            return Err(Unprobed::NotMcp(format!(
                "its answer to {asked} has more than {bytes} bytes"
            )));
        }
        Received::Silence(waited) => return Err(Unprobed::Silent { asked, waited }),
        Received::Nothing => return Err(Unprobed::NotMcp(format!("it did not answer {asked}"))),
        Received::Closed(trouble) => return Err(Unprobed::Unreachable(trouble)),
        Received::Exited { code, signal, log } => {
            return Err(Unprobed::Died { code, signal, log: Text::of(&log) });
        }
    };
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match answer.get("result") {
        Some(result) if result.is_object() => Ok(result.clone()),
        _ => Err(Unprobed::NotMcp(format!("it answered {asked}: {}", shown(&bytes)))),
    }
}

/// Foreign bytes in a sentence: short and harmless.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..2_000).unwrap_or(bytes)).into_owned();
    redress::text::cut(&redress::text::strip(&text), 300).into_owned()
}
