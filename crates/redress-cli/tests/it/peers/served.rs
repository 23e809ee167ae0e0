//! Servers over HTTP that end with the test.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::clients::{fixtures, gate};
use crate::redress::made_token;

/// A process that serves MCP over HTTP.
pub(crate) struct Served {
    child: Child,
    url: String,
    /// What a client brings, if that is needed.
    token: Option<String>,
}

impl Served {
    /// The fixture server.
    pub(crate) fn fixture() -> Self {
        Self::start(Command::new(fixtures("conformance-server")).arg("http"), "/mcp")
    }

    /// The gate before a server, which it serves at this path.
    pub(crate) fn gate(dir: &Path, server: &[String], path: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        let state = dir.join("state");
        command.args(gate("serve", dir)).args(["--listen", "127.0.0.1:0"]);
        let mut served = Self::start(command.args(server).env("XDG_STATE_HOME", &state), path);
        served.token = Some(made_token(&state));
        served
    }

    /// Its address.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Where a client finds it.
    pub(crate) fn target(&self) -> Vec<String> {
        ["http".into(), self.url.clone()].into_iter().chain(self.token.clone()).collect()
    }

    fn start(command: &mut Command, path: &str) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let log = BufReader::new(child.stderr.take().unwrap());
        let (found, origin) = mpsc::channel();
        // The log is read to its end: a server must not wait for a full pipe.
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                if let Some((_, it)) = line.split_once("listening on ") {
                    let parts: Vec<_> = it.trim().splitn(4, '/').take(3).collect();
                    drop(found.send(parts.join("/")));
                }
            }
        });
        let origin = origin.recv_timeout(Duration::from_secs(60)).expect("it listens");
        Self { child, url: format!("{origin}{path}"), token: None }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
