//! `Engine`: where the NATS servers of a fleet are, and a connection to them.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError,
    jetstream::{self, context::GetStreamErrorKind},
};

use crate::{
    error::{FleetError, Weakness},
    names::Names,
    settings,
};

/// How long one server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(3);

/// How long the engine may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// The codes with which the engine says that JetStream is not there.
const NO_JETSTREAM: [u64; 3] = [10_039, 10_076, 10_035];

/// Where the servers of the engine are, and how a client is known there.
#[derive(Clone, Default)]
pub struct Engine {
    /// One or more servers, with commas between them.
    pub url: String,
    /// Who this client is.
    pub credentials: Credentials,
    /// The certificates that vouch for the servers, as a PEM file; by default those of the system.
    pub ca: Option<PathBuf>,
    /// The certificate and the key of this client, as PEM files.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// How a client is known.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Credentials {
    /// By nothing but its certificate or address.
    #[default]
    None,
    /// By a token.
    Token(String),
    /// By a name and a password.
    User(String, String),
}

impl Credentials {
    /// What the first line of a file says: `USER:PASSWORD`, or a token.
    ///
    /// # Errors
    /// The line is empty, or the file is one of `nsc` (a JWT with its seed), which is not supported.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let input =
            |problem: &str| FleetError::Input { place: "credentials", problem: problem.to_owned() };
        if text.contains("-----BEGIN NATS USER JWT-----") {
            return Err(input(
                "is a file with a JWT, which this version cannot use: it needs a line USER:PASSWORD, a token, or a client certificate",
            ));
        }
        let line = text.lines().map(str::trim).find(|it| !it.is_empty());
        match line.map(|it| it.split_once(':').ok_or(it)) {
            None => Err(input("is empty")),
            Some(Ok((user, password))) => Ok(Self::User(user.to_owned(), password.to_owned())),
            Some(Err(token)) => Ok(Self::Token(token.to_owned())),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token(…)",
            Self::User(..) => "User(…)",
        })
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("url", &self.shown()).finish_non_exhaustive()
    }
}

impl Engine {
    /// The servers without what could be a password.
    pub fn shown(&self) -> String {
        let plain = |it: &str| match it.split_once("://") {
            Some((scheme, rest)) => {
                format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |it| it.1))
            }
            None => it.rsplit_once('@').map_or(it, |it| it.1).to_owned(),
        };
        self.url.split(',').map(|it| plain(it.trim())).collect::<Vec<_>>().join(",")
    }

    /// The servers.
    ///
    /// # Errors
    /// One is no address of a NATS server.
    pub fn servers(&self) -> Result<Vec<ServerAddr>, FleetError> {
        let input = |problem| FleetError::Input { place: "url", problem };
        let servers = self.url.split(',').map(str::trim).filter(|it| !it.is_empty()).map(|it| {
            let scheme = it.split_once("://").map(|it| it.0);
            if !matches!(scheme, None | Some("nats" | "tls")) {
                return Err(input("must be nats://HOST:PORT or tls://HOST:PORT".to_owned()));
            }
            it.parse::<ServerAddr>().map_err(|error| input(format!("is no address: {error}")))
        });
        let servers = servers.collect::<Result<Vec<_>, _>>()?;
        if servers.is_empty() {
            return Err(input("names no server".to_owned()));
        }
        Ok(servers)
    }

    /// Connects.
    ///
    /// # Errors
    /// No server takes the connection, or what does is not usable.
    pub async fn connect(&self, name: &str, names: &Names) -> Result<Connection, FleetError> {
        let servers = self.servers()?;
        let heard = Arc::new(Heard::default());
        let hear = Arc::clone(&heard);
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT)
            .request_timeout(Some(ANSWER))
            .reconnect_delay_callback(|attempts| {
                let doubled = 50_u64 << attempts.min(6);
                Duration::from_millis(doubled.min(2000))
            })
            .event_callback(move |event| {
                hear.take(&event);
                async {}
            });
        options = match &self.credentials {
            Credentials::None => options,
            Credentials::Token(token) => options.token(token.clone()),
            Credentials::User(user, password) => {
                options.user_and_password(user.clone(), password.clone())
            }
        };
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone());
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        let client = match tokio::time::timeout(2 * CONNECT, options.connect(servers)).await {
            Ok(connected) => connected.map_err(|it| self.refusal(&it))?,
            Err(_elapsed) => {
                let why = "nothing answered in time".to_owned();
                return Err(FleetError::Unreachable { url: self.shown(), why });
            }
        };
        settings::check_version(&client.server_info().version)?;
        let context = jetstream::ContextBuilder::new().timeout(ANSWER).build(client.clone());
        Ok(Connection { client, context, names: names.clone(), heard })
    }

    /// Why a connection was not made.
    fn refusal(&self, error: &ConnectError) -> FleetError {
        let url = self.shown();
        // The source tells more than the kind, and is in its text.
        let why = error.to_string();
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                FleetError::Unauthorized { url }
            }
            ConnectErrorKind::ServerParse => FleetError::Input { place: "url", problem: why },
            ConnectErrorKind::Io
                if why.contains("INFO") || why.contains("invalid server operation") =>
            {
                FleetError::NotAnEngine { url, why }
            }
            _ => FleetError::Unreachable { url, why },
        }
    }
}

/// What the engine said besides its answers.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The last thing that it did not allow.
    denied: Mutex<Option<String>>,
}

impl Heard {
    fn take(&self, event: &Event) {
        let denied = match event {
            Event::ServerError(ServerError::AuthorizationViolation) => {
                "the credentials were revoked or have expired".to_owned()
            }
            Event::ServerError(ServerError::Other(text))
                if text.to_ascii_lowercase().contains("permissions violation")
                    || text.to_ascii_lowercase().contains("authentication") =>
            {
                text.clone()
            }
            Event::Connected => {
                *self.denied.lock().unwrap_or_else(PoisonError::into_inner) = None;
                return;
            }
            _ => return,
        };
        *self.denied.lock().unwrap_or_else(PoisonError::into_inner) = Some(denied);
    }
}

/// A connection to the engine. It connects again by itself.
#[derive(Debug, Clone)]
pub struct Connection {
    pub(crate) client: Client,
    pub(crate) context: jetstream::Context,
    pub(crate) names: Names,
    heard: Arc<Heard>,
}

impl Connection {
    /// What the engine did not allow since the connection was made, if anything.
    pub(crate) fn denied(&self) -> Option<FleetError> {
        let denied = self.heard.denied.lock().unwrap_or_else(PoisonError::into_inner);
        denied.clone().map(|why| FleetError::Denied { why })
    }

    /// Why an operation failed: what was not allowed tells more than that nothing answered.
    pub(crate) fn failed(&self, doing: &'static str, why: impl fmt::Display) -> FleetError {
        self.denied().unwrap_or_else(|| FleetError::engine(doing, why))
    }

    /// The version of the server that answers.
    pub fn version(&self) -> String {
        self.client.server_info().version
    }

    /// The stream, if it is ours.
    ///
    /// # Errors
    /// There is none, or it has another purpose.
    pub async fn stream(&self) -> Result<(jetstream::stream::Stream, Vec<Weakness>), FleetError> {
        let name = self.names.stream();
        let found = self.context.get_stream(name).await.map_err(|error| match error.kind() {
            GetStreamErrorKind::JetStream(said) if said.error_code().0 == 10_059 => {
                FleetError::Absent { name: name.to_owned() }
            }
            GetStreamErrorKind::JetStream(said) if NO_JETSTREAM.contains(&said.error_code().0) => {
                FleetError::NoJetStream { why: said.to_string() }
            }
            _ if self.denied().is_some() => self.failed("say what the stream is", &error),
            _ if !self.client.server_info().jetstream => {
                FleetError::NoJetStream { why: error.to_string() }
            }
            _ => self.failed("say what the stream is", &error),
        })?;
        let weak = settings::assess(&self.names, found.cached_info(), &self.version())?;
        Ok((found, weak))
    }

    /// The stream, if it cannot lose what it has acknowledged, or if that is accepted.
    ///
    /// # Errors
    /// There is none, it has another purpose, or it is weak.
    pub async fn sound_stream(
        &self,
        accept_weak: bool,
    ) -> Result<jetstream::stream::Stream, FleetError> {
        let (stream, weaknesses) = self.stream().await?;
        if weaknesses.is_empty() || accept_weak {
            return Ok(stream);
        }
        Err(FleetError::Weak { name: self.names.stream().to_owned(), weaknesses })
    }

    /// The largest message, with its headers.
    pub(crate) fn most_bytes(&self) -> usize {
        self.client.server_info().max_payload
    }
}

#[cfg(test)]
mod tests {
    use super::{Credentials, Engine};

    #[test]
    fn credentials_are_a_user_or_a_token_and_are_never_shown() {
        let user = Credentials::parse("\n gate:p:w \n").unwrap();
        assert_eq!(user, Credentials::User("gate".to_owned(), "p:w".to_owned()));
        assert_eq!(Credentials::parse("t0ken").unwrap(), Credentials::Token("t0ken".to_owned()));
        assert!(Credentials::parse(" \n").is_err());
        assert!(Credentials::parse("-----BEGIN NATS USER JWT-----\nx").is_err());
        assert_eq!(format!("{user:?}"), "User(…)");
    }

    #[test]
    fn servers_are_addresses_and_show_no_password() {
        let engine = |url: &str| Engine { url: url.to_owned(), ..Engine::default() };
        assert_eq!(engine("nats://a:1, tls://b:2").servers().unwrap().len(), 2);
        for bad in ["", ",", "http://a:1", "nats://:x", "ws://a"] {
            assert!(engine(bad).servers().is_err(), "{bad}");
        }
        assert_eq!(engine("nats://u:p@a:1,b:2").shown(), "nats://a:1,b:2");
    }
}
