//! Servers over HTTP that end with the test.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::clients::{DEADLINE, fixtures};

/// A process that serves MCP over HTTP.
pub(crate) struct Served {
    child: Child,
    url: String,
}

impl Served {
    /// The fixture server.
    pub(crate) fn fixture() -> Self {
        Self::start(Command::new(fixtures("conformance-server")).arg("http"))
    }

    /// The gate before a server on stdio.
    pub(crate) fn gate(ledger: &Path, server: &[String]) -> Self {
        let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
        gate.args(["serve", "--listen", "127.0.0.1:0", "--deadline", DEADLINE, "--ledger"]);
        Self::start(gate.arg(ledger).arg("--").args(server.iter().skip(1)))
    }

    /// Where a client finds it.
    pub(crate) fn target(&self) -> Vec<String> {
        ["http".into(), self.url.clone()].into()
    }

    fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let log = BufReader::new(child.stderr.take().unwrap());
        let (found, origin) = mpsc::channel();
        // The log is read to its end: a server must not wait for a full pipe.
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                match line.split_once("listening on ") {
                    Some((_, it)) => {
                        let parts: Vec<_> = it.trim().splitn(4, '/').take(3).collect();
                        drop(found.send(parts.join("/")));
                    }
                    None => eprintln!("{line}"),
                }
            }
        });
        let origin = origin.recv_timeout(Duration::from_secs(20)).expect("it listens");
        Self { child, url: format!("{origin}/mcp") }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
