//! TLS of the listeners, with a real client; and tokens that would cross a network without it.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    net::TcpStream,
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};

use super::{
    INITIALIZE,
    home::{Gate, Home},
};
use crate::gate::{client::pause, http::post};

const TOKEN: &str = "the-token-of-a-client";

/// A certificate for `localhost`, with its key.
struct Pair {
    cert: &'static str,
    key: &'static str,
}

/// The pair of the listener.
const FIRST: Pair = Pair {
    cert: include_str!("../../../../../tests/certificates/first.pem"),
    key: include_str!("../../../../../tests/certificates/first.key"),
};

/// A pair that the listener has not, or not yet.
const SECOND: Pair = Pair {
    cert: include_str!("../../../../../tests/certificates/second.pem"),
    key: include_str!("../../../../../tests/certificates/second.key"),
};

impl Pair {
    fn put(&self, home: &Home) {
        home.write("gate.key", self.key);
        home.write("gate.pem", self.cert);
    }

    /// A connection of a client that trusts nothing but this certificate.
    fn connect(&self, address: &str) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.cert.as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let mut client = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut socket = TcpStream::connect(address)?;
        socket.set_read_timeout(Some(Duration::from_secs(90)))?;
        while client.is_handshaking() {
            client.complete_io(&mut socket)?;
        }
        Ok(StreamOwned::new(client, socket))
    }
}

/// What a request hears on a connection of its own.
fn asked(connection: &mut (impl io::Read + io::Write), head: &str, body: &str) -> String {
    let length = body.len();
    let request = format!(
        "{head}\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

fn initialized(connection: &mut (impl io::Read + io::Write)) -> String {
    asked(connection, "POST /bad/mcp HTTP/1.1", INITIALIZE)
}

const CONFIG: &str = "[listen]\ntls = { cert = 'gate.pem', key = 'gate.key' }\n[auth]\ntoken_files = ['tokens']\nSERVER";

fn home() -> (Home, Pair) {
    let (home, pair) = (Home::new(), FIRST);
    pair.put(&home);
    home.write("tokens", TOKEN);
    (home, pair)
}

#[test]
fn a_client_that_trusts_the_certificate_is_served_over_tls() {
    let (home, pair) = home();
    let gate = home.configured(CONFIG, &[]);
    assert!(gate.said.contains("listening on https://127.0.0.1:"), "{}", gate.said);
    let url = gate.told("for your client: ")["mcpServers"]["bad"]["url"].clone();
    assert_eq!(url, format!("https://{}/bad/mcp", gate.address));
    for _ in 0..2 {
        let answer = initialized(&mut pair.connect(&gate.address).unwrap());
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("serverInfo"), "{answer}");
    }
    let page = asked(&mut pair.connect(&gate.address).unwrap(), "GET /metrics HTTP/1.1", "");
    assert!(page.contains("redress_calls_total"), "{page}");
    gate.end();
}

#[test]
fn without_tls_or_with_another_certificate_nothing_is_heard() {
    let (home, pair) = home();
    let gate = home.configured(CONFIG, &[]);
    let refused = SECOND.connect(&gate.address).unwrap_err();
    assert!(refused.to_string().contains("certificate"), "{refused}");
    assert!(post(&gate.address, &gate.path, &[], INITIALIZE.as_bytes()).answer().is_none());
    let mut silent = TcpStream::connect(&gate.address).unwrap();
    silent.write_all(&[22, 3, 1]).unwrap();
    let answer = initialized(&mut pair.connect(&gate.address).unwrap());
    assert!(answer.starts_with("HTTP/1.1 200"), "others go on: {answer}");
    gate.end();
}

#[test]
fn a_changed_certificate_is_used_from_the_next_connection_on() {
    let (home, old) = home();
    let gate = home.configured(CONFIG, &[]);
    let mut open = old.connect(&gate.address).unwrap();
    // A key that is not the certificate's changes nothing.
    let new = SECOND;
    home.write("gate.key", new.key);
    hang_up(&gate);
    drop(old.connect(&gate.address).unwrap());
    new.put(&home);
    let until = Instant::now() + Duration::from_secs(60);
    while new.connect(&gate.address).is_err() {
        assert!(Instant::now() < until, "the new certificate is not used");
        pause();
    }
    assert!(old.connect(&gate.address).is_err());
    assert!(initialized(&mut open).starts_with("HTTP/1.1 200"), "an open connection goes on");
    gate.end();
}

fn hang_up(gate: &Gate) {
    let pid = gate.pid().to_string();
    assert!(std::process::Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
}

#[test]
fn the_page_of_metrics_has_the_same_certificate() {
    let (home, pair) = home();
    let config = format!("[metrics]\naddress = '127.0.0.1:0'\n{CONFIG}");
    let gate = home.configured(&config, &[]);
    let line =
        gate.said.lines().find_map(|it| it.strip_prefix("redress: metrics on https://")).unwrap();
    let address = line.strip_suffix("/metrics").unwrap();
    let page = asked(&mut pair.connect(address).unwrap(), "GET /metrics HTTP/1.1", "");
    assert!(page.starts_with("HTTP/1.1 200") && page.ends_with("# EOF\n"), "{page}");
    assert!(SECOND.connect(address).is_err());
    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut heard = Vec::new();
    drop(plain.read_to_end(&mut heard));
    assert!(!heard.starts_with(b"HTTP"), "{heard:?}");
    gate.end();
}

#[test]
fn files_without_certificate_or_key_are_reported_in_place() {
    let (home, _) = home();
    let other = SECOND;
    home.write("other.key", other.key);
    home.write("no.pem", "-----BEGIN CERTIFICATE-----\n***\n-----END CERTIFICATE-----\n");
    for (tls, problem) in [
        (
            "cert = 'gone.pem', key = 'gate.key'",
            "2:16: `listen.tls.cert` names a file that cannot be read",
        ),
        (
            "cert = 'gate.pem', key = 'gone.key'",
            "2:34: `listen.tls.key` names a file that cannot be read",
        ),
        (
            "cert = 'no.pem', key = 'gate.key'",
            "2:9: `listen.tls.cert` names a file that is not valid PEM",
        ),
        (
            "cert = 'tokens', key = 'gate.key'",
            "2:9: `listen.tls.cert` names a file that has no certificate",
        ),
        (
            "cert = 'gate.pem', key = 'tokens'",
            "2:28: `listen.tls.key` names a file that has no private key",
        ),
        (
            "cert = 'gate.pem', key = 'other.key'",
            "2:28: `listen.tls.key` names a file that is not the key of the certificate",
        ),
        ("cert = 'gate.pem'", "`listen.tls` needs a `cert` and a `key`"),
        ("", "`listen.tls` needs a `cert` and a `key`"),
    ] {
        home.configure(&CONFIG.replace("cert = 'gate.pem', key = 'gate.key'", tls));
        for command in [["config", "check", "redress.toml"], ["serve", "--config", "redress.toml"]]
        {
            let ran = home.refused(&command);
            assert_eq!(ran.exit, 2, "{tls}: {}", ran.err);
            assert!(ran.err.contains("CONFIG_INVALID: redress.toml:2:"), "{tls}: {}", ran.err);
            assert!(ran.err.contains(problem), "{tls}: {}", ran.err);
        }
    }
    let secret: String =
        fs::read_to_string(home.at("other.key")).unwrap().lines().nth(1).unwrap().into();
    home.configure(&CONFIG.replace("gate.pem", "other.key"));
    let ran = home.refused(&["config", "check", "redress.toml"]);
    assert!(ran.exit == 2 && !ran.err.contains(&secret), "{}", ran.err);
    home.configure(CONFIG);
    let shown = home.refused(&["config", "check", "redress.toml"]);
    assert!(
        shown.out.contains("[listen.tls]\ncert = \"gate.pem\"\nkey = \"gate.key\"\n"),
        "{}",
        shown.out
    );
}

#[test]
fn tokens_cross_a_network_only_if_that_is_allowed() {
    let (home, pair) = home();
    let config =
        |listen: &str| format!("[listen]\n{listen}\n[auth]\ntoken_files = ['tokens']\nSERVER");
    for (listen, args, place) in [
        ("address = '0.0.0.0:0'", &[][..], "redress.toml:1:2: "),
        ("address = '[::]:0'", &[], "redress.toml:1:2: "),
        ("max_connections = 10", &["--listen", "0.0.0.0:0"], "--listen: "),
        ("max_connections = 10", &["--metrics", "0.0.0.0:0"], "--metrics: "),
    ] {
        home.configure(&config(listen));
        let ran = home.refused(&[&["serve", "--config", "redress.toml"], args].concat());
        assert_eq!(ran.exit, 2, "{listen} {args:?}: {}", ran.err);
        let start = format!("CONFIG_INVALID: {place}Tokens would reach");
        assert!(ran.err.starts_with(&start), "{listen} {args:?}: {}", ran.err);
        for way_out in ["`[listen] tls`", "`[listen] insecure = true`"] {
            assert!(ran.err.contains(way_out), "{listen} {args:?}: {}", ran.err);
        }
    }
    let run = ["run", "--config", "redress.toml", "--metrics", "0.0.0.0:0"];
    let ran = home.refused(&run);
    assert!(ran.exit == 2 && ran.err.contains("--metrics: Tokens would reach"), "{}", ran.err);
    // Loopback is no network.
    home.configured(&config("address = '127.1.2.3:0'"), &["--listen", "127.0.0.2:0"]).end();
    let gate = home.configured(&config("insecure = true"), &["--listen", "0.0.0.0:0"]);
    let port = gate.address.rsplit_once(':').unwrap().1.to_owned();
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("Host", "localhost"), ("Authorization", &*bearer)];
    let answer = post(&format!("127.0.0.1:{port}"), &gate.path, &headers, INITIALIZE.as_bytes());
    assert_eq!(answer.head().status, 200);
    gate.end();
    let gate = home.configured(CONFIG, &["--listen", "0.0.0.0:0"]);
    let port = gate.address.rsplit_once(':').unwrap().1.to_owned();
    let answer = initialized(&mut pair.connect(&format!("127.0.0.1:{port}")).unwrap());
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    gate.end();
}

#[test]
fn the_made_token_is_for_this_machine_alone() {
    let home = Home::new();
    for config in [
        "[listen]\naddress = '0.0.0.0:0'\nSERVER",
        "[listen]\naddress = '0.0.0.0:0'\ninsecure = true\nSERVER",
    ] {
        home.configure(config);
        let ran = home.refused(&["serve", "--config", "redress.toml"]);
        assert_eq!(ran.exit, 2, "{}", ran.err);
        assert!(ran.err.contains("there must be a token in [auth]"), "{}", ran.err);
    }
    for options in [&[][..], &["--no-token"]] {
        let args = [&["serve", "--listen", "0.0.0.0:0"], options, &["--", "cat"]].concat();
        let ran = home.refused(&args);
        assert!(ran.exit == 2 && ran.err.contains("clients need a token"), "{}", ran.err);
    }
    assert!(!home.token_file().exists());
}
