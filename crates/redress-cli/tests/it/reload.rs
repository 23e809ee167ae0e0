//! A file that changes while `redress serve` runs.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::gate::{client::pause, http::post};

/// Answers with the first argument; `tools/call` only after a while.
const SERVER: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in *notifications*) continue ;; *tools/call*) sleep 3 ;; esac
  printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"%s","version":"1"}}}\n' "$id" "$1"
done
"#;

struct Gate {
    child: Child,
    address: String,
    log: Receiver<String>,
    dir: tempfile::TempDir,
}

impl Gate {
    fn start(config: &str) -> Self {
        let mut gate = Self::spawn(config, &["--no-ledger"]);
        let line = gate.said("listening on http://");
        let (_, url) = line.split_once("http://").unwrap();
        url.split('/').next().unwrap().clone_into(&mut gate.address);
        gate
    }

    fn spawn(config: &str, args: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("server.sh"), SERVER).unwrap();
        fs::write(dir.path().join("redress.toml"), config).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_redress"))
            .args(["serve", "--config", "redress.toml", "--listen", "127.0.0.1:0"])
            .args(args)
            .env("HOME", dir.path())
            .current_dir(dir.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = child.stderr.take().unwrap();
        let (sender, log) = mpsc::channel();
        thread::spawn(move || {
            BufReader::new(stderr)
                .lines()
                .map_while(Result::ok)
                .for_each(|it| sender.send(it).unwrap_or_default());
        });
        Self { child, address: String::new(), log, dir }
    }

    /// Waits for a line of the log that holds some words.
    fn said(&self, words: &str) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        let mut all = String::new();
        while let Ok(line) = self.log.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            if line.contains(words) {
                return line;
            }
            all += &(line + "\n");
        }
        panic!("the gate never said {words:?}: {all}");
    }

    fn change(&self, config: &str) {
        let (new, file) = (self.dir.path().join("new"), self.file());
        fs::write(&new, config).unwrap();
        fs::rename(&new, file).unwrap();
    }

    fn file(&self) -> std::path::PathBuf {
        self.dir.path().join("redress.toml")
    }

    fn ask(
        &self,
        server: &str,
        session: Option<&str>,
        message: &Value,
    ) -> (u16, Option<String>, String) {
        ask(&self.address, server, session, message)
    }

    /// Opens a session, and gives its id and the name that the server has.
    fn open(&self, server: &str) -> (String, String) {
        let (status, session, body) = self.ask(server, None, &initialize());
        assert_eq!(status, 200, "{body}");
        (session.unwrap(), name(&body))
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

fn ask(
    address: &str,
    server: &str,
    session: Option<&str>,
    message: &Value,
) -> (u16, Option<String>, String) {
    let session: Vec<_> = session.iter().map(|it| ("Mcp-Session-Id", *it)).collect();
    let answer =
        post(address, &format!("/{server}/mcp"), &session, message.to_string().as_bytes()).head();
    let session = answer.header("mcp-session-id").map(str::to_owned);
    (answer.status, session, answer.body())
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
}

fn name(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_else(|it| panic!("{it}: {body}"));
    body["result"]["serverInfo"]["name"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned()
}

fn server(name: &str, says: &str) -> String {
    format!("[server.{name}]\ncommand = ['sh', 'server.sh', '{says}']\n")
}

#[test]
fn a_changed_file_is_served_and_no_session_or_call_is_dropped() {
    let gate = Gate::start(&(server("a", "one") + &server("same", "same")));
    let (session, says) = gate.open("a");
    assert_eq!(says, "one");
    let (same, _) = gate.open("same");
    let (address, of_a) = (gate.address.clone(), session.clone());
    let call = thread::spawn(move || {
        let call =
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x"}});
        ask(&address, "a", Some(&of_a), &call)
    });
    gate.change(&(server("a", "two") + &server("same", "same") + &server("new", "new")));
    let said = gate.said("the file was read again");
    assert!(said.ends_with("3 servers, new or changed: a, new"), "{said}");
    assert_eq!(gate.open("a").1, "two");
    assert_eq!(gate.open("new").1, "new");
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    for (server, session, says) in [("a", &session, "one"), ("same", &same, "same")] {
        let (status, _, body) = gate.ask(server, Some(session), &ping);
        assert_eq!((status, &*name(&body)), (200, says), "an open session goes on");
    }
    let (status, _, body) = call.join().unwrap();
    assert_eq!((status, &*name(&body)), (200, "one"), "a call goes on");
    gate.change(&server("new", "new"));
    gate.said("1 servers, none changed");
    assert_eq!(gate.ask("a", None, &initialize()).0, 404);
    assert_eq!(gate.ask("a", Some(&session), &ping).0, 200);
}

#[test]
fn a_file_that_is_not_valid_changes_nothing_and_sighup_reads_at_once() {
    let gate = Gate::start(&server("a", "one"));
    gate.change(&server("a", "two").replace("command", "comand"));
    assert!(gate.said("CONFIG_INVALID").contains("redress.toml:1:1"));
    gate.said("what was valid before is still served");
    assert_eq!(gate.open("a").1, "one");
    gate.change(&(server("a", "three") + "[metrics]\naddress = '127.0.0.1:0'\n"));
    let hup = Command::new("kill").args(["-HUP", &gate.child.id().to_string()]).status().unwrap();
    assert!(hup.success());
    gate.said("[metrics] changed, which counts after a restart");
    gate.said("new or changed: a");
    assert_eq!(gate.open("a").1, "three");
    fs::remove_file(gate.file()).unwrap();
    gate.said("FILE_NOT_FOUND");
    assert_eq!(gate.open("a").1, "three");
}

#[test]
fn processes_of_an_old_file_end_when_nobody_uses_them() {
    let gate = Gate::start(&server("a", "one"));
    let (session, _) = gate.open("a");
    gate.change(&server("a", "two"));
    gate.said("new or changed: a");
    let processes = || running(gate.dir.path());
    assert_eq!(processes(), 1, "that of the session that is open");
    let session = [("Mcp-Session-Id", session.as_str())];
    let gone = crate::gate::http::request(&gate.address, "DELETE /a/mcp", &session, b"").head();
    assert_eq!(gone.status, 204);
    let until = Instant::now() + Duration::from_secs(30);
    while processes() > 0 {
        assert!(Instant::now() < until, "the process of the old file is still there");
        pause();
    }
}

/// How many shells run in a directory.
fn running(dir: &Path) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_ours = |path: &Path| {
        fs::read_link(path.join("cwd")).is_ok_and(|it| it == dir)
            && fs::read(path.join("cmdline")).is_ok_and(|it| it.starts_with(b"sh\0"))
    };
    processes.filter(|it| is_ours(&it.path())).count()
}

#[test]
fn a_change_that_does_not_hold_is_not_served_and_nothing_else_is_said() {
    let config = format!(
        "[governance.roles.reader]\nallow = ['*']\n[auth.caller.a]\nsha256 = '{}'\nrole = 'reader'\n\
         [ledger]\ndir = 'ledger'\n[server.files]\nworkspace = '.'\n",
        "0".repeat(64)
    );
    let gate = Gate::spawn(&config, &[]);
    let client = gate.said("for your client: ");
    assert!(client.contains(r#""headers":{"Authorization":"Bearer TOKEN"}"#), "{client}");
    gate.said("listening on http://");
    gate.change(&config.replace("role = 'reader'\n", ""));
    let said = gate.said("SELF_AUDIT_FAILURE");
    assert!(said.ends_with("checks failed, so the change is not served."), "{said}");
    gate.said("Put each of these right, then save the file again.");
    gate.said("what was valid before is still served");
}
