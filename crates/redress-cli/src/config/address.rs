//! Where listeners wait and servers are: addresses, URLs, hosts, origins.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use redress_ledger::Redactor;

use super::{
    kind::ValueKind,
    secret::{HIDDEN, Piece, pieces},
    table::{Given, Reading},
    value::{Shown, Value},
};

/// Where a listener waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(pub SocketAddr);

impl Address {
    /// A port of this machine that no other reaches.
    pub(crate) const fn loopback(port: u16) -> Self {
        Self(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
    }

    /// Reads `host:port`.
    pub(crate) fn parse(written: &str) -> Option<Self> {
        match written.strip_prefix("localhost:") {
            Some(port) => Some(Self::loopback(port.parse().ok()?)),
            None => written.parse().ok().map(Self),
        }
    }

    /// Whether only this machine reaches it.
    pub const fn is_loopback(self) -> bool {
        self.0.ip().to_canonical().is_loopback()
    }
}

impl Value for Address {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let address = Self::parse(given.text(reading)?);
        if address.is_none() {
            given.refuse(reading, "must be an IP address and a port, such as 127.0.0.1:8080");
        }
        address
    }

    fn kind() -> ValueKind {
        ValueKind::Text("IP address and port")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.0.to_string())
    }
}

/// The address of a server: `http` or `https`, with a host. Of its path and query it shows no more than words.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    text: String,
    shown: String,
    /// What its variables stand for.
    values: Vec<String>,
}

impl Url {
    /// The whole of it, for the one who needs it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What of it is secret: the values of variables, and what is made like a credential.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str).chain(Redactor::secrets_of_url(&self.text))
    }

    fn of(pieces: &[Piece<'_>]) -> Result<Self, &'static str> {
        let mut url = Self { text: String::new(), shown: String::new(), values: Vec::new() };
        for piece in pieces {
            match piece {
                Piece::Plain(plain) => {
                    url.show(plain);
                    url.text += plain;
                }
                Piece::Variable { name, value } => {
                    // A query is not shown.
                    if !url.shown.ends_with(QUERY) {
                        url.shown.extend(["${", name, "}"]);
                    }
                    url.text += value;
                    url.values.push(value.clone());
                }
            }
        }
        check(&url.text)?;
        Ok(url)
    }

    /// Adds what may be shown of a part.
    fn show(&mut self, plain: &str) {
        if self.shown.ends_with(QUERY) {
            return;
        }
        let (place, query) = plain.split_once('?').map_or((plain, false), |it| (it.0, true));
        let host = if self.text.is_empty() { place.split_once("://") } else { None };
        let path =
            host.map_or(place, |(_, rest)| rest.split_at(rest.find('/').unwrap_or(rest.len())).1);
        self.shown += place.strip_suffix(path).unwrap_or_default();
        for (at, part) in path.split('/').enumerate() {
            self.shown += if at > 0 { "/" } else { "" };
            self.shown += if Redactor::is_secret_part(part) { HIDDEN } else { part };
        }
        self.shown += if query { QUERY } else { "" };
    }
}

/// What replaces a query.
const QUERY: &str = "?…";

/// Whether a text is the address of a server.
fn check(written: &str) -> Result<(), &'static str> {
    let (scheme, rest) = written.split_once("://").ok_or(URL)?;
    if !["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it)) {
        return Err("must start with http:// or https://");
    }
    if written.contains(|it: char| !it.is_ascii_graphic()) {
        return Err("must be written in ASCII, without spaces; `%20` stands for one");
    }
    if rest.contains('#') {
        return Err("must not have a part behind `#`");
    }
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("must not hold a user or a password; use `headers`");
    }
    if is_host_and_port(authority) { Ok(()) } else { Err(URL) }
}

const URL: &str = "must be a URL with a host, such as https://host/mcp";

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Value for Url {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let pieces = pieces(given.text(reading)?, &|it| reading.environment.variable(it));
        let url = pieces.and_then(|it| Self::of(&it).map_err(str::to_owned));
        url.map_err(|it| given.refuse(reading, &it)).ok()
    }

    fn kind() -> ValueKind {
        ValueKind::Text("`http` or `https` URL, `${VAR}` for a variable of the environment")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.shown)
    }
}

/// A host, with or without a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host(pub String);

impl Value for Host {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let host = given.text(reading)?.to_ascii_lowercase();
        if !is_host_and_port(&host) {
            given.refuse(reading, "must be a host, such as gate.example or gate.example:8080");
            return None;
        }
        Some(Self(host))
    }

    fn kind() -> ValueKind {
        ValueKind::Text("host, with or without a port")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.0)
    }
}

/// Where a web page comes from: scheme, host, port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(pub String);

impl Value for Origin {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let origin = given.text(reading)?.to_ascii_lowercase();
        let host = origin.split_once("://").filter(|it| ["http", "https"].contains(&it.0));
        if !host.is_some_and(|(_, host)| is_host_and_port(host)) {
            given.refuse(reading, "must be an origin, such as https://app.example");
            return None;
        }
        Some(Self(origin))
    }

    fn kind() -> ValueKind {
        ValueKind::Text("origin: scheme and host, with or without a port")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.0)
    }
}

fn is_host_and_port(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let is_host = match host.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._".contains(&it))
        }
    };
    is_host && port.is_none_or(|it| it.parse::<u16>().is_ok_and(|it| it > 0))
}
