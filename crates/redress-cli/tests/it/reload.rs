//! A file that changes while `redress serve` runs.

mod apply;
mod held;
mod socket;
mod taught;

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

use crate::{
    gate::{
        client::pause,
        http::{Answer, post},
        plugins::{ENVELOPE, PLUGIN},
    },
    redress::{Ran, shell},
};

/// How a gate of a file is started.
const SERVE: [&str; 6] =
    ["serve", "--no-token", "--config", "redress.toml", "--listen", "127.0.0.1:0"];

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
        gate.listens();
        gate
    }

    /// Waits until it listens.
    fn listens(&mut self) {
        let line = self.said("listening on http://");
        let (_, url) = line.split_once("http://").unwrap();
        url.split('/').next().unwrap().clone_into(&mut self.address);
    }

    fn spawn(config: &str, args: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("root")).unwrap();
        fs::write(dir.path().join("server.sh"), SERVER).unwrap();
        fs::write(dir.path().join("redress.toml"), config).unwrap();
        Self::spawn_in(dir, args)
    }

    /// Starts it where its files are already.
    fn spawn_in(dir: tempfile::TempDir, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        Self::of(command.args(SERVE).args(args), dir)
    }

    /// Starts it by a command.
    fn of(command: &mut Command, dir: tempfile::TempDir) -> Self {
        Self::launched(command.env("HOME", dir.path()).current_dir(dir.path()), dir)
    }

    /// Starts it by a command that knows where it is at home.
    fn launched(command: &mut Command, dir: tempfile::TempDir) -> Self {
        let command = command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
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
        let until = Instant::now() + Duration::from_secs(60);
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

    /// Sends SIGHUP.
    fn hang_up(&self) {
        let hup = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status();
        assert!(hup.unwrap().success());
    }

    /// Runs a line of the shell as the user of the gate.
    fn shell(&self, line: &str) -> Ran {
        shell(line, self.dir.path())
    }

    /// Has the file applied, also what lets more in, and waits until the gate has said so.
    fn apply(&self) -> String {
        let ran = self.shell("redress config apply redress.toml");
        assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
        self.said("the file was read again");
        ran.out
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
    gate.said("1 server, no longer served: a, same");
    assert_eq!(gate.ask("a", None, &initialize()).0, 404);
    assert_eq!(gate.ask("a", Some(&session), &ping).0, 200);
}

#[test]
fn an_invalid_file_changes_nothing_and_sighup_reads_at_once() {
    let gate = Gate::start(&server("a", "one"));
    gate.change(&server("a", "two").replace("command", "comand"));
    assert!(gate.said("CONFIG_INVALID").contains("redress.toml:1:1"));
    gate.said("what was valid before is still served");
    assert_eq!(gate.open("a").1, "one");
    gate.change(&(server("a", "three") + "[metrics]\naddress = '127.0.0.1:0'\n"));
    gate.hang_up();
    gate.said("new or changed: a");
    gate.said("counts after a restart: metrics.address (from nothing to \"127.0.0.1:0\")");
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
    let until = Instant::now() + Duration::from_secs(60);
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
fn a_change_that_does_not_hold_is_not_served() {
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

const TOKEN: &str = "the-token-of-the-editor";

/// A policy of two roles for one caller, before the built-in server.
fn policy(editor: &str, role: &str, rest: &str) -> String {
    format!(
        "[ledger]\ndir = 'ledger'\n[governance]\nlocks = ['POLICY_VIOLATION']\n[governance.roles.editor]\nallow = ['*']\n{editor}\n\
         [governance.roles.reader]\nallow = ['read_file', 'stat']\n\
         [auth.caller.ed]\nsha256 = '{}'\nrole = '{role}'\n[server.files]\nworkspace = 'root'\n{rest}\n",
        redress_govern::eval::sha256(TOKEN)
    )
}

/// A governed caller in a session of the protocol.
struct Editor<'g> {
    gate: &'g Gate,
    session: String,
}

impl<'g> Editor<'g> {
    fn begun(gate: &'g Gate) -> Self {
        let session = said(gate, None, &initialize()).header("mcp-session-id").unwrap().to_owned();
        let editor = Self { gate, session };
        let root = json!({"workspace_root": gate.dir.path().join("root")});
        assert_eq!(editor.code("begin_session", &root), "fine");
        editor
    }

    fn code(&self, tool: &str, arguments: &Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
        let answer = said(self.gate, Some(&self.session), &call).json();
        let fault = &answer["result"]["_meta"]["dev.redress/fault"];
        fault["code"].as_str().unwrap_or("fine").to_owned()
    }

    fn write(&self, content: &str) -> String {
        self.code("write_file", &json!({"path": "a.txt", "content": content}))
    }
}

fn said(gate: &Gate, session: Option<&str>, message: &Value) -> Answer {
    let bearer = format!("Bearer {TOKEN}");
    let mut headers = vec![("Authorization", bearer.as_str())];
    headers.extend(session.map(|it| ("Mcp-Session-Id", it)));
    post(&gate.address, "/files/mcp", &headers, message.to_string().as_bytes()).head()
}

#[test]
fn a_token_file_that_is_emptied_lets_nobody_in() {
    let gate = Gate::start(&server("files", "one"));
    let tokens = gate.dir.path().join("tokens");
    fs::write(&tokens, TOKEN).unwrap();
    gate.change(&format!("[auth]\ntoken_files = ['tokens']\n{}", server("files", "one")));
    gate.said("the file was read again");
    for (content, words) in [
        ("", "redress.toml:2:16: `auth.token_files` names a file without a token"),
        (" \n", "what was valid before is still served"),
    ] {
        assert_eq!(gate.ask("files", None, &initialize()).0, 401);
        assert_eq!(said(&gate, None, &initialize()).status, 200);
        fs::write(&tokens, content).unwrap();
        gate.said(words);
    }
    assert_eq!(gate.ask("files", None, &initialize()).0, 401);
    assert_eq!(said(&gate, None, &initialize()).status, 200, "the old tokens stay");
}

#[test]
fn a_changed_policy_holds_at_once_and_in_open_sessions_too() {
    let mut gate = Gate::spawn(&policy("", "editor", ""), &[]);
    gate.listens();
    let open = Editor::begun(&gate);
    assert_eq!(open.write("7"), "fine");
    for (config, code) in [
        (policy("deny = ['write_file']", "editor", ""), "UNAUTHORIZED_ACTION"),
        (policy("", "reader", ""), "ROLE_MISMATCH"),
        (policy("", "reader", "deadline_ms = 9000"), "ROLE_MISMATCH"),
        (policy("", "editor", "deadline_ms = 9000"), "fine"),
    ] {
        gate.change(&config);
        gate.said("the file was read again: 1 server, ");
        if code == "fine" {
            gate.said("would let more in, and waits for `redress config apply redress.toml`");
            assert_eq!(open.write("7"), "ROLE_MISMATCH", "it waits");
            gate.apply();
        }
        if !config.contains("'reader'\n[server.files]\nworkspace = 'root'\ndeadline") {
            gate.said("the policy changed; it holds for open sessions, too");
        }
        assert_eq!(open.write("7"), code, "an open session: {config}");
        assert_eq!(Editor::begun(&gate).write("7"), code, "a new session: {config}");
    }
    let rule = "[governance.write_rules.z]\nforbid_text = ['7']";
    gate.change(&policy("", "editor", &format!("deadline_ms = 9000\n{rule}")));
    gate.said("the policy changed");
    let new = Editor::begun(&gate);
    assert_eq!(open.write("7"), "POLICY_VIOLATION", "before the server as it was, too");
    assert_eq!(new.write("8"), "SESSION_LOCKED", "all that a caller does is one session");
    gate.change(
        &policy("", "editor", "deadline_ms = 9000").replace("locks", "enabled = false\nlocks"),
    );
    let waits = gate.said("would let more in, and waits for");
    assert!(waits.contains("or a restart: governance.enabled (from true to false), "), "{waits}");
    assert_eq!(new.write("8"), "SESSION_LOCKED");
}

/// Answers calls with an envelope of a plugin.
const SIGNING: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *notifications*) continue ;;
    *tools/call*) sed "s/ID/$id/" answer.json ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
  esac
done
"#;

/// What a client that opens a session now is told of a plugin's failure.
fn told_of_plugin(gate: &Gate) -> Value {
    let (session, _) = gate.open("a");
    let call =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "replay"}});
    let (status, _, body) = gate.ask("a", Some(&session), &call);
    assert_eq!(status, 200, "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    body["result"]["_meta"]["dev.redress/fault"].clone()
}

#[test]
fn seed_003_40_plugins_are_reread_and_an_invalid_one_is_ignored() {
    let config = |plugins: &str| {
        format!(
            "[server.a]\ncommand = ['sh', 'signing.sh']\ntrust = false\nplugins = [{plugins}]\n"
        )
    };
    let gate = Gate::start(&config(""));
    let put = |name: &str, text: &str| {
        let new = gate.dir.path().join("new-plugin");
        fs::write(&new, text).unwrap();
        fs::rename(&new, gate.dir.path().join(name)).unwrap();
    };
    let text = json!(ENVELOPE);
    put("signing.sh", SIGNING);
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":{text}}}],"isError":true}}}}"#
    );
    put("answer.json", &(answer + "\n"));
    put("signing.toml", PLUGIN);
    assert_eq!(told_of_plugin(&gate)["code"], "CONFLICT");

    gate.change(&config("'signing.toml'"));
    gate.said("new or changed: a");
    assert_eq!(told_of_plugin(&gate)["message"], "The build was not notarized.");

    put("signing.toml", &PLUGIN.replace("was not notarized", "is not notarized"));
    gate.said("new or changed: a");
    assert_eq!(told_of_plugin(&gate)["message"], "The build is not notarized.");

    put("signing.toml", &PLUGIN.replace("class = \"failed_precondition\"", "class = \"bad\""));
    let said = gate.said("CONFIG_INVALID");
    assert!(said.contains("redress.toml:4:12") && said.contains("signing.toml:15:9"), "{said}");
    gate.said("what was valid before is still served");
    assert_eq!(told_of_plugin(&gate)["message"], "The build is not notarized.");

    gate.change(&config(""));
    gate.said("new or changed: a");
    assert_eq!(told_of_plugin(&gate)["code"], "CONFLICT");
}
