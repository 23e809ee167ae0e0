//! Processes that serve MCP over HTTP while a suite runs, and end with it.

use std::{
    fs,
    io::{self, BufRead as _, BufReader},
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::peers::target;

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(20);

/// The line that says where it does.
const LISTENING: &str = "listening on ";

/// One server process.
pub(crate) struct Serving {
    child: Child,
    url: String,
}

impl Serving {
    /// The fixture itself.
    pub(crate) fn fixture() -> Result<Self, String> {
        Self::start(
            Command::new(binary("conformance-server")?).arg("http").env("PORT", "0"),
            "/mcp",
        )
    }

    /// The fixture with our contract around its handler.
    pub(crate) fn contract() -> Result<Self, String> {
        Self::start(
            Command::new(binary("conformance-server")?).arg("contract").env("PORT", "0"),
            "/mcp",
        )
    }

    /// The gate, with the fixture as its child.
    pub(crate) fn gate_before_command() -> Result<Self, String> {
        let server = binary("conformance-server")?;
        Self::gate(&format!("command = ['{}', 'stdio']", server.display()))
    }

    /// The gate, with a server that it reaches over HTTP.
    pub(crate) fn gate_before_url(url: &str) -> Result<Self, String> {
        Self::gate(&format!("url = \"{url}\""))
    }

    /// The gate before a server, without a token, which the suites do not bring. They call it as a page of its own origin would, which is
    /// therefore listed.
    fn gate(server: &str) -> Result<Self, String> {
        let config = target()?.join("conformance/redress.toml");
        let port = free_port().map_err(|error| format!("no port is free: {error}"))?;
        let text = format!(
            "[listen]\naddress = \"127.0.0.1:{port}\"\nallowed_origins = [\"http://127.0.0.1:{port}\"]\n\
             [server.fixture]\n{server}\n"
        );
        fs::write(&config, text).map_err(|error| format!("{}: {error}", config.display()))?;
        let mut gate = Command::new(binary("redress")?);
        gate.args(["serve", "--no-token", "--ledger"]).arg(target()?.join("conformance/ledger"));
        Self::start(gate.arg("--config").arg(&config), "/fixture/mcp")
    }

    /// Where clients find it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    fn start(command: &mut Command, path: &str) -> Result<Self, String> {
        let shown = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{shown} did not start: {error}"))?;
        let (found, address) = mpsc::channel();
        if let Some(log) = child.stderr.take() {
            // The log is read to its end: a server must not wait for a full pipe.
            thread::spawn(move || {
                for line in BufReader::new(log).lines().map_while(Result::ok) {
                    match line.split_once(LISTENING) {
                        Some((_, address)) => drop(found.send(origin(address))),
                        None => eprintln!("  | {line}"),
                    }
                }
            });
        }
        let mut serving = Self { child, url: String::new() };
        let address = address
            .recv_timeout(START)
            .map_err(|_late| format!("{shown} never said `{LISTENING}…`"))?;
        serving.url = format!("{address}{path}");
        Ok(serving)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An address without its path.
fn origin(address: &str) -> String {
    address.trim().splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}

/// A port on which nothing listens.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn binary(name: &str) -> Result<PathBuf, String> {
    Ok(target()?.join("debug").join(name))
}
