//! The section of the fleet, and the values that only it has.

use super::{
    kind::ValueKind,
    reference::{PemFile, SecretFile},
    section::section,
    table::{ConfigTable, Given, Reading},
    value::{Shown, Value},
};

section! {
    /// The engine on which this gate meets others: NATS servers with JetStream. Its ledger is copied there, behind the sync of the local disk, so that no
    /// call waits for it; without the engine the gate goes on and catches up. See `docs/guides/fleet.md`. Only in programs that were built with the feature `fleet`.
    pub struct Fleet {
        /// The servers, with commas between them. Without it there is no fleet.
        url: Option<EngineUrl> = None, compared restart(|_| ()), example "\"tls://nats1.example:4222,tls://nats2.example:4222\"";
        /// A file whose first line says who this gate is there: `USER:PASSWORD`, or a token.
        credentials: Option<SecretFile> = None, compared restart(|_| ()), example "\"/run/secrets/fleet\"";
        /// The certificates that vouch for the servers, as PEM; by default those of the system.
        ca: Option<PemFile> = None, compared restart(|_| ()), example "\"/etc/redress/fleet-ca.pem\"";
        /// The certificate of this gate, as PEM, for servers that ask for one.
        cert: Option<PemFile> = None, compared restart(|_| ()), example "\"/etc/redress/gate.pem\"";
        /// The private key of that certificate, as PEM.
        key: Option<PemFile> = None, compared restart(|_| ()), example "\"/etc/redress/gate.key\"";
        /// The stream, and what the names of its subjects and buckets begin with.
        stream: FleetName = FleetName("redress".to_owned()), compared restart(|_| ()), example "\"redress\"";
        /// The name of this node, which no other has; by default that of the machine.
        node: Option<FleetName> = None, compared restart(|_| ()), example "\"gate-7\"";
        /// Whether a stream will do that can lose records which it has acknowledged.
        accept_weak: bool = false, compared restart(|_| ()), example "true";
        /// How many bytes of records that the engine lacks are kept although `ledger.keep_days` or `ledger.keep_bytes` would remove them. Of more, the oldest go, and the stream has a note of the gap.
        keep_bytes: u64 = 1 << 30, in 1 << 20..=1 << 50, compared restart(|_| ()), example "10737418240";
    }
    check check_fleet
}

fn check_fleet(fleet: &Fleet, table: &mut ConfigTable<'_, '_>) {
    if fleet.url.is_none() && (table.has("node") || table.has("credentials")) {
        table.refuse("", format!("`{}` needs a `url`.", table.path()));
    }
    if fleet.cert.is_some() != fleet.key.is_some() {
        let missing = if fleet.cert.is_some() { "cert" } else { "key" };
        table.refuse(missing, format!("`{}` needs a `cert` and a `key`.", table.path()));
    }
}

/// Where NATS servers are. It holds no password: that is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineUrl(pub String);

impl EngineUrl {
    /// What the text is, if each of its parts is the address of a server.
    pub(crate) fn parse(written: &str) -> Result<Self, &'static str> {
        let servers: Vec<&str> = written.split(',').map(str::trim).collect();
        for server in &servers {
            let rest = server.strip_prefix("nats://").or_else(|| server.strip_prefix("tls://"));
            let Some(rest) = rest else {
                return Err(
                    "must be nats://HOST:PORT or tls://HOST:PORT, with commas between several",
                );
            };
            if rest.contains('@') {
                return Err("must not hold a password: `credentials` names the file that does");
            }
            let (host, port) = match rest.rsplit_once(':') {
                Some((host, port)) if !port.ends_with(']') => (host, port),
                _ => (rest, "4222"),
            };
            let is_host = |it: u8| it.is_ascii_alphanumeric() || b"-._:[]".contains(&it);
            if host.is_empty() || !host.bytes().all(is_host) || port.parse::<u16>().is_err() {
                return Err(
                    "must be nats://HOST:PORT or tls://HOST:PORT, with commas between several",
                );
            }
        }
        Ok(Self(servers.join(",")))
    }
}

impl Value for EngineUrl {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        match Self::parse(given.text(reading)?) {
            Ok(url) => Some(url),
            Err(problem) => {
                given.refuse(reading, problem);
                None
            }
        }
    }

    fn kind() -> ValueKind {
        ValueKind::Text("addresses of NATS servers, nats:// or tls://")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.0)
    }
}

/// A name of a stream or a node: one token of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetName(pub String);

impl FleetName {
    const PROBLEM: &str = "must have 1 to 64 letters, digits, `-` or `_`, and not begin with `-`";

    /// What the text is, if it is a name.
    pub(crate) fn parse(written: &str) -> Result<Self, &'static str> {
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
        let fits = (1..=64).contains(&written.len()) && written.bytes().all(is_plain);
        if fits && !written.starts_with('-') {
            Ok(Self(written.to_owned()))
        } else {
            Err(Self::PROBLEM)
        }
    }
}

impl Value for FleetName {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        match Self::parse(given.text(reading)?) {
            Ok(name) => Some(name),
            Err(problem) => {
                given.refuse(reading, problem);
                None
            }
        }
    }

    fn kind() -> ValueKind {
        ValueKind::Text("letters, digits, `-` and `_`")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{EngineUrl, FleetName};

    #[test]
    fn addresses_are_those_of_nats_servers() {
        for good in ["nats://a:1", "tls://a.example:4222, nats://[::1]:4222", "nats://a"] {
            assert!(EngineUrl::parse(good).is_ok(), "{good}");
        }
        for bad in
            ["", "a:1", "http://a:1", "nats://", "nats://u:p@a:1", "nats://a:x", "nats://a:1,"]
        {
            assert!(EngineUrl::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_one_token() {
        assert!(FleetName::parse("gate-7").is_ok());
        for bad in ["", "a.b", "a b", "*", "-a"] {
            assert!(FleetName::parse(bad).is_err(), "{bad}");
        }
    }
}
