//! A console that runs, and requests to it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use redress_ledger::{Ledger, Options, Time};
use serde_json::Value;
use tempfile::TempDir;

/// A home of its own.
pub(super) fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A ledger in the state directory of a home.
pub(super) fn ledger(home: &Path) -> Ledger {
    #[expect(clippy::disallowed_methods, reason = "the console compares with the real time")]
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let clock = move || Time::from_millis(u64::try_from(now().as_millis()).unwrap());
    let dir = home.join(".local/state/redress/files");
    std::fs::create_dir_all(home.join(".config/redress")).unwrap();
    let key = home.join(".config/redress/ledger.key");
    Ledger::open(Options::new(dir, key, Arc::new(clock))).unwrap()
}

/// The command in a home.
pub(super) fn command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
    command.env("HOME", home).env("USER", "operator").current_dir(home);
    command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
    command
}

/// A console that runs until it is dropped.
pub(super) struct Running {
    child: Child,
    pub(super) address: String,
    /// The path of the link that it printed.
    pub(super) link: String,
}

/// What was answered.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Running {
    pub(super) fn start(home: &Path, args: &[&str]) -> Self {
        Self::of(command(home).args(["console", "--listen", "127.0.0.1:0"]).args(args))
    }

    /// The same of any command that prints a link.
    pub(super) fn of(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.by_ref().find(|it| it.contains("/console/enter?")).expect("a link");
        thread::spawn(move || lines.for_each(drop));
        let link = line.split_once("http://").unwrap_or_else(|| panic!("{line:?}")).1;
        let link = link.split(' ').next().unwrap();
        let (address, path) = link.split_once('/').unwrap();
        Self { child, address: address.to_owned(), link: format!("/{path}") }
    }

    /// Opens the link, and gives the cookie.
    pub(super) fn sign_in(&self) -> String {
        let answer = self.get(&self.link, "");
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.head.lines().find_map(|it| it.strip_prefix("set-cookie: ")).unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(super) fn get(&self, path: &str, cookie: &str) -> Answer {
        let host = &self.address;
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    }

    pub(super) fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.get(9..12).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Asks until the JSON of a page is as it should be.
    pub(super) fn wait_for(&self, path: &str, cookie: &str, is: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let found: Value = serde_json::from_str(&self.get(path, cookie).body).unwrap();
            if is(&found) {
                return found;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{path}: {found}");
            thread::park_timeout(Duration::from_millis(50));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        drop(self.child.wait());
    }
}
