//! Writes before a governed gate: rules about what they say, checks of what they did, and what becomes of those that must not stay.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::gate::http::{listening, post};

/// A server of somebody else: it writes where it likes, and says what it likes.
const SCRIPT: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  fine='{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"saved"}]}}'
  case $line in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
    *'"save"'*) printf 'later: FIXME' > root/made.txt; echo "$fine";;
    *'"half"'*) printf half > root/made.txt; echo '{"jsonrpc":"2.0","id":'$id',"result":{"isError":true,"content":[{"type":"text","text":"disk full"}]}}';;
    *'"slow"'*) printf slow > root/made.txt; while [ ! -e answer ]; do sleep 0.01; done; echo "$fine";;
  esac
done
"#;

const CONTRACT: &str = r#"
format = "redress-registry/1"
extends = ["core"]
[registry]
name = "script"
version = "0.1.0"
[tool.save]
operation = "command"
paths = ["/where"]
[tool.half]
operation = "command"
paths = ["/where"]
[tool.slow]
operation = "command"
paths = ["/where"]
"#;

/// A workspace, and the policy before it.
struct Place(TempDir);

impl Place {
    fn new(policy: &str) -> Self {
        Self::with("workspace = 'root'", policy)
    }

    /// Before a server of somebody else.
    fn foreign(policy: &str) -> Self {
        let place = Self::with("command = ['sh', 'server.sh']\ncontract = 'contract.toml'", policy);
        fs::write(place.at("server.sh"), SCRIPT).unwrap();
        fs::write(place.at("contract.toml"), CONTRACT).unwrap();
        place
    }

    fn with(server: &str, policy: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.at("root/docs/reports")).unwrap();
        let config = format!(
            "[ledger]\ndir = 'ledger'\n[governance]\nenabled = true\nlocks = []\n{policy}\n[server.files]\n{server}\n"
        );
        fs::write(place.at("redress.toml"), config).unwrap();
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at("root").join(path)).unwrap_or_else(|_| "nothing".to_owned())
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.args([name, "--config", "redress.toml"]);
        command.env("XDG_CONFIG_HOME", self.at("config")).current_dir(self.0.path());
        command
    }

    fn gate(&self) -> Gate {
        let mut command = self.command("run");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut gate = Gate { child, input, output, next: 1, heard: BTreeMap::new() };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let id = gate.send("initialize", &params);
        gate.hear(id);
        gate.call(
            "begin_session",
            &json!({"workspace_root": self.at("root").canonicalize().unwrap()}),
        );
        gate
    }

    /// Waits until something holds.
    fn until(&self, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < Duration::from_secs(20), "it never came");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// The codes of all failures in the ledger.
    fn recorded(&self) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_redress"))
            .args(["ledger", "query", "ledger"])
            .current_dir(self.0.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

struct Gate {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    heard: BTreeMap<u64, Value>,
}

impl Gate {
    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        writeln!(self.input, "{line}").unwrap();
        self.next
    }

    fn ask(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The answer to a request; others that come before it are kept.
    fn hear(&mut self, id: u64) -> Value {
        while !self.heard.contains_key(&id) {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the gate has ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if let Some(id) = answer["id"].as_u64() {
                assert!(self.heard.insert(id, answer).is_none(), "answered twice: {line}");
            }
        }
        self.heard[&id]["result"].clone()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.ask(tool, arguments);
        self.hear(id)
    }

    /// Calls a tool; gives the code that it fails with, or `fine`.
    fn code(&mut self, tool: &str, arguments: &Value) -> String {
        code(&self.call(tool, arguments)).to_owned()
    }

    fn end(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }
}

fn code(result: &Value) -> &str {
    match result["_meta"]["dev.redress/fault"]["code"].as_str() {
        Some(code) => code,
        None if result["isError"] == true => "unknown",
        None => "fine",
    }
}

fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

const RULES: &str = "[governance.write_rules.no-unwrap]\npaths = ['**/*.rs']\nforbid_code = ['.unwrap()']\n\
                     [governance.write_rules.finished]\nforbid_text = ['FIXME']\n\
                     [governance.write_rules.why]\npaths = ['lib/**']\nintent_chars = 21\n";

#[test]
fn what_breaks_a_rule_is_never_written() {
    let place = Place::new(RULES);
    let mut gate = place.gate();
    let bad = "fn a() {\n    b().unwrap();\n}\n";
    let refused = gate.call("write_file", &write("a.rs", bad));
    let fault = &refused["_meta"]["dev.redress/fault"];
    assert_eq!(code(&refused), "RUST_POLICY_VIOLATION");
    assert_eq!(
        (&fault["effect"], &fault["details"]["line"]),
        (&json!("none"), &json!(2)),
        "{fault}"
    );
    assert_eq!(fault["hint"], "Write line 2 without `.unwrap()`, then repeat the call.");
    assert_eq!(gate.code("write_file", &write("a.rs", "fn a() {} // unwrap()")), "fine");
    assert_eq!(gate.code("write_file", &write("b.md", "FIXME")), "POLICY_VIOLATION");
    assert_eq!(gate.code("write_file", &write("lib/a.md", "x")), "POLICY_VIOLATION", "no intent");
    let why = json!({"path": "lib/a.md", "content": "x", "create_parents": true, "intent": "So that there is a library."});
    assert_eq!(gate.code("write_file", &why), "fine", "the server does not get it");
    let listed = gate.send("tools/list", &json!({}));
    let tools = gate.hear(listed)["tools"].as_array().unwrap().clone();
    let takes = |name: &str| {
        &tools.iter().find(|it| it["name"] == name).unwrap()["inputSchema"]["properties"]["intent"]
    };
    assert!(takes("apply_patch").is_object() && takes("read_file").is_null());
    // What the gate cannot read before is judged when it is written, and put back.
    let base64 = json!({"path": "a.rs", "content": "Zm4gYSgpIHsgYi51bndyYXAoKTsgfQ==", "encoding": "base64"});
    assert_eq!(gate.code("write_file", &base64), "RUST_POLICY_VIOLATION");
    let edit = json!({"edits": [{"path": "a.rs", "search": "{}", "replace": "{ b.unwrap() }"}]});
    assert_eq!(gate.code("apply_patch", &edit), "RUST_POLICY_VIOLATION");
    let patch = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-fn a() {} // unwrap()\n\\ No newline at end of file\n+fn a() { b.unwrap() }\n\
                 --- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+fn c() {}\n";
    let refused = gate.call("apply_patch", &json!({"patch": patch}));
    assert_eq!(code(&refused), "RUST_POLICY_VIOLATION", "{refused}");
    assert_eq!(
        (place.text("a.rs").as_str(), place.text("new.rs").as_str()),
        ("fn a() {} // unwrap()", "nothing")
    );
    let outside = "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(gate.code("apply_patch", &json!({"patch": outside})), "PATH_TRAVERSAL_BLOCKED");
    assert_eq!(gate.code("apply_patch", &json!({"patch": "x"})), "PATCH_INVALID");
    gate.end();
    assert!(place.recorded().contains("no-unwrap"));
}

const CHECK: &str =
    "[governance.preflight.no-bad]\ncommand = ['sh', '-c', 'echo looking; ! grep -rq BAD .']\n";

#[test]
fn a_check_reads_no_key_and_writes_nowhere_but_in_the_workspace() {
    let place = Place::new(
        "[governance.preflight.evil]\ncommand = ['sh', '-c', 'echo ran > ran; cat ../config/redress/ledger.key > key || \
         echo x > ../ledger/x || echo x > ../outside || exit 7']\n",
    );
    let probe = redress_gate::Confinement { writable: Vec::new(), secret: None };
    if !probe.is_held().unwrap() {
        assert!(std::env::var_os("CI").is_none(), "this kernel has no Landlock");
        return;
    }
    let mut gate = place.gate();
    let failed = gate.call("write_file", &write("a.txt", "x"));
    assert_eq!(code(&failed), "PREFLIGHT_FAILED", "{failed}");
    assert!(failed.to_string().contains("exit code 7"), "{failed}");
    assert_eq!((place.text("ran").as_str(), place.text("key").as_str()), ("ran\n", ""));
    assert!(place.at("config/redress/ledger.key").exists() && !place.at("outside").exists());
    gate.end();
}

#[test]
fn a_write_that_fails_its_check_is_undone_whatever_it_did() {
    let place = Place::new(CHECK);
    let mut gate = place.gate();
    fs::write(place.at("root/a.txt"), "one\n").unwrap();
    fs::write(place.at("root/b.txt"), "BAD\n").unwrap();
    fs::create_dir_all(place.at("root/lib/deep")).unwrap();
    let failed = gate.call("write_file", &write("c.txt", "BAD"));
    let fault = &failed["_meta"]["dev.redress/fault"];
    assert_eq!((code(&failed), &fault["effect"]), ("PREFLIGHT_FAILED", &json!("none")), "{failed}");
    assert_eq!(fault["details"]["check"], "no-bad", "{fault}");
    let card = failed["content"][0]["text"].as_str().unwrap();
    assert!(
        card.contains("The check no-bad failed with exit code 1, so the change was undone."),
        "{card}"
    );
    assert!(card.contains("looking"), "{card}");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b/deep/new\n@@ -0,0 +1 @@\n+x\n";
    for (tool, arguments) in [
        ("write_file", write("a.txt", "two\n")),
        ("write_file", json!({"path": "x/y/z", "content": "new", "create_parents": true})),
        ("apply_patch", json!({"patch": patch})),
        ("move", json!({"from": "a.txt", "to": "d.txt"})),
        ("move", json!({"from": "lib", "to": "src"})),
        ("remove", json!({"path": "a.txt"})),
        ("remove", json!({"path": "lib", "recursive": true})),
    ] {
        assert_eq!(gate.code(tool, &arguments), "PREFLIGHT_FAILED", "{tool} {arguments}");
        assert_eq!(place.text("a.txt"), "one\n", "{tool} {arguments}");
        let mut names: Vec<_> =
            fs::read_dir(place.at("root")).unwrap().map(|it| it.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.txt", "b.txt", "docs", "lib"], "{tool} {arguments}");
        assert!(place.at("root/lib/deep").is_dir(), "{tool} {arguments}");
    }
    assert_eq!(
        gate.code("write_file", &write("docs/reports/a.md", "It failed.")),
        "fine",
        "a report is no change"
    );
    assert_eq!(gate.code("remove", &json!({"path": "b.txt"})), "fine", "this one passes");
    assert_eq!(gate.code("write_file", &write("a.txt", "two\n")), "fine");
    assert_eq!(place.text("a.txt"), "two\n");
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine");
    gate.end();
    let left = fs::read_dir(place.at("ledger/writes")).unwrap().map(|it| it.unwrap().path());
    assert!(
        left.into_iter().all(|it| it.extension().is_some_and(|it| it == "lock")),
        "nothing is kept"
    );
}

/// A check that waits until it is let go on.
const WAITING: &str = "[governance.preflight.slow]\n\
    command = ['sh', '-c', 'echo $$ > pid; : > begun; while [ ! -e ../go ]; do sleep 0.01; done']\n";

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).join("status").exists()
}

#[test]
fn others_are_answered_while_a_write_is_checked_and_the_next_one_waits() {
    let place = Place::new(WAITING);
    let mut gate = place.gate();
    let first = gate.ask("write_file", &write("a.txt", "one"));
    place.until(|it| it.at("root/begun").exists());
    let second = gate.ask("write_file", &write("b.txt", "two"));
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine");
    let ping = gate.send("ping", &json!({}));
    gate.hear(ping);
    assert_eq!(gate.code("session_status", &json!({})), "fine");
    assert_eq!(place.text("b.txt"), "nothing", "one at a time");
    assert!(!gate.heard.contains_key(&first) && !gate.heard.contains_key(&second));
    let third = gate.ask("write_file", &write("c.txt", "three"));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": third}});
    writeln!(gate.input, "{cancel}").unwrap();
    fs::write(place.at("go"), "").unwrap();
    assert_eq!(code(&gate.hear(first)), "fine");
    assert_eq!(code(&gate.hear(second)), "fine");
    assert_eq!(gate.code("write_file", &write("d.txt", "four")), "fine");
    let texts = ["a.txt", "b.txt", "c.txt"].map(|it| place.text(it));
    assert_eq!(texts, ["one", "two", "nothing"], "what was cancelled before its turn is not made");
    gate.end();
}

#[test]
fn a_check_that_takes_too_long_is_ended_and_told_once() {
    let policy = format!("{WAITING}timeout_ms = 300\n");
    let place = Place::new(&policy);
    let mut gate = place.gate();
    let failed = gate.call("write_file", &write("a.txt", "one"));
    assert_eq!(code(&failed), "PREFLIGHT_FAILED", "{failed}");
    assert_eq!(failed["_meta"]["dev.redress/fault"]["details"]["reason"], "did not end in time");
    assert_eq!(place.text("a.txt"), "nothing");
    assert!(!is_alive(&fs::read_to_string(place.at("root/pid")).unwrap()), "it is gone");
    gate.end();
    // The same by the deadline of the call.
    let place = Place::with("workspace = 'root'\ndeadline_ms = 700", WAITING);
    let mut gate = place.gate();
    let failed = gate.call("write_file", &write("a.txt", "one"));
    assert_eq!(
        (code(&failed), &failed["_meta"]["dev.redress/fault"]["effect"]),
        ("PREFLIGHT_FAILED", &json!("none")),
        "{failed}"
    );
    assert_eq!(place.text("a.txt"), "nothing");
    gate.end();
}

#[test]
fn nothing_unchecked_is_left_when_the_gate_ends() {
    for how in ["TERM", "gone", "cancel", "KILL"] {
        let place = Place::new(WAITING);
        let mut gate = place.gate();
        fs::write(place.at("root/a.txt"), "old").unwrap();
        let id = gate.ask("write_file", &write("a.txt", "new"));
        place.until(|it| it.at("root/begun").exists());
        assert_eq!(place.text("a.txt"), "new");
        let pid = fs::read_to_string(place.at("root/pid")).unwrap();
        match how {
            "gone" => {
                drop(gate.output);
                writeln!(gate.input, r#"{{"jsonrpc":"2.0","id":"p","method":"ping"}}"#).unwrap();
            }
            "cancel" => {
                let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
                writeln!(gate.input, "{cancel}").unwrap();
                place.until(|it| it.text("a.txt") == "old");
                drop(gate.input);
            }
            _ => {
                let signal = format!("-{how}");
                Command::new("kill")
                    .args([&signal, &gate.child.id().to_string()])
                    .status()
                    .unwrap();
            }
        }
        gate.child.wait().unwrap();
        if how == "KILL" {
            assert_eq!(place.text("a.txt"), "new", "nobody is there to undo it");
            fs::write(place.at("go"), "").unwrap();
            let mut gate = place.gate();
            assert_eq!(place.text("a.txt"), "old", "but the next gate does");
            assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine");
            gate.end();
            assert!(place.recorded().contains("PREFLIGHT_FAILED"), "and it is on record");
        } else {
            assert_eq!(place.text("a.txt"), "old", "{how}");
            assert!(!is_alive(&pid), "{how}");
        }
    }
}

#[test]
fn a_change_of_somebody_else_is_never_undone() {
    let place = Place::new(
        &WAITING.replace("../go ]; do sleep 0.01; done", "../go ]; do sleep 0.01; done; exit 1"),
    );
    let mut gate = place.gate();
    fs::write(place.at("root/a.txt"), "old").unwrap();
    let id = gate.ask("write_file", &write("a.txt", "new"));
    place.until(|it| it.at("root/begun").exists());
    fs::write(place.at("root/a.txt"), "by a person").unwrap();
    fs::write(place.at("go"), "").unwrap();
    let failed = gate.hear(id);
    let fault = &failed["_meta"]["dev.redress/fault"];
    assert_eq!(
        (code(&failed), &fault["effect"]),
        ("PREFLIGHT_FAILED", &json!("partial")),
        "{failed}"
    );
    assert_eq!(fault["details"]["not_restored"], json!(["a.txt"]), "{fault}");
    assert_eq!(place.text("a.txt"), "by a person");
    gate.end();
}

#[test]
fn any_server_is_checked_and_what_failed_or_was_given_up_is_undone() {
    let place = Place::foreign("[governance.write_rules.finished]\nforbid_text = ['FIXME']\n");
    fs::write(place.at("root/made.txt"), "old").unwrap();
    let mut gate = place.gate();
    let made = json!({"where": "root/made.txt"});
    assert_eq!(gate.code("save", &made), "POLICY_VIOLATION");
    assert_eq!(place.text("made.txt"), "old");
    assert_ne!(gate.code("half", &made), "fine");
    place.until(|it| it.text("made.txt") == "old");
    let id = gate.ask("slow", &made);
    place.until(|it| it.text("made.txt") == "slow");
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    writeln!(gate.input, "{cancel}").unwrap();
    let ping = gate.send("tools/call", &json!({"name": "session_status", "arguments": {}}));
    gate.hear(ping);
    fs::write(place.at("answer"), "").unwrap();
    place.until(|it| it.text("made.txt") == "old");
    assert_eq!(gate.code("slow", &made), "fine");
    assert_eq!(place.text("made.txt"), "slow");
    gate.end();
    assert!(place.recorded().contains("undone") || place.text("made.txt") == "slow");
}

#[test]
fn writes_over_http_are_checked_as_well() {
    let token = "the-token-of-the-writer";
    let caller =
        format!("{CHECK}[auth.caller.one]\nsha256 = '{}'\n", redress_govern::eval::sha256(token));
    let place = Place::new(&caller);
    let mut command = place.command("serve");
    let mut child =
        command.args(["--listen", "127.0.0.1:0"]).stderr(Stdio::piped()).spawn().unwrap();
    let url = listening(child.stderr.take().unwrap());
    let (address, path) = url.split_once('/').unwrap();
    let bearer = format!("Bearer {token}");
    let say = |session: Option<&str>, method: &str, params: &Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut headers = vec![("Authorization", bearer.as_str())];
        headers.extend(session.map(|it| ("Mcp-Session-Id", it)));
        post(address, &format!("/{path}"), &headers, message.to_string().as_bytes()).head()
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let session = say(None, "initialize", &params).header("mcp-session-id").unwrap().to_owned();
    let call = |tool: &str, arguments: &Value| {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = say(Some(&session), "tools/call", &params).json();
        code(&answer["result"]).to_owned()
    };
    assert_eq!(
        call("begin_session", &json!({"workspace_root": place.at("root").canonicalize().unwrap()})),
        "fine"
    );
    assert_eq!(call("write_file", &write("a.txt", "BAD")), "PREFLIGHT_FAILED");
    assert_eq!(place.text("a.txt"), "nothing");
    assert_eq!(call("write_file", &write("a.txt", "good")), "fine");
    assert_eq!(place.text("a.txt"), "good");
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    child.wait().unwrap();
}
