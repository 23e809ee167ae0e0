//! A governed gate, with real processes: sessions, roles, locks and reports, and whoever tries to get around them.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    gate::http::{Answer, listening, post},
    plans::approved,
};

/// A gate before the built-in server, with its client on pipes.
pub(crate) struct Gate {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Gate {
    pub(crate) fn start(dir: &Path, options: &[&str]) -> Self {
        Self::over(dir, &[&["--ledger", "ledger", "--root", "root"], options].concat())
    }

    /// The same with all options given.
    pub(crate) fn over(dir: &Path, options: &[&str]) -> Self {
        fs::create_dir_all(dir.join("root/docs/reports")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_redress"))
            .arg("run")
            .args(options)
            .env("XDG_CONFIG_HOME", dir.join("config"))
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut gate = Self { child, input, output, next: 1 };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        gate.request("initialize", &params);
        gate
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next;
        self.next += 1;
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{line}").unwrap();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the gate has ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    }

    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// The same, and what comes next.
    pub(crate) fn raw(&mut self, line: &str) -> String {
        self.send(line);
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer
    }

    /// Calls a tool; gives the code that it fails with, or `fine`, and its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> (String, Value) {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        let fault = &result["_meta"]["dev.redress/fault"];
        let code =
            fault["code"].as_str().or_else(|| result["structuredContent"]["error_code"].as_str());
        match code.filter(|_| result["isError"] == true) {
            Some(code) => (code.to_owned(), result),
            None => ("fine".to_owned(), result),
        }
    }

    pub(crate) fn code(&mut self, tool: &str, arguments: &Value) -> String {
        self.call(tool, arguments).0
    }

    pub(crate) fn status(&mut self) -> Value {
        self.call("session_status", &json!({})).1["structuredContent"].clone()
    }

    pub(crate) fn begin(&mut self, dir: &Path) -> String {
        self.code("begin_session", &json!({"workspace_root": dir.join("root")}))
    }

    /// As abrupt as it gets.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// What the preset wants to hear with every write.
const WHY: &str = "So that there is something to look at.";

/// What an attempt to leave the workspace is.
fn escape() -> Value {
    json!({"path": "../secret"})
}

#[test]
fn the_story_of_a_session_is_told_from_begin_to_report() {
    let dir = dir();
    approved(dir.path(), "all.md", "**");
    let mut gate = Gate::start(
        dir.path(),
        &["--preset", "atlas-gate", "--role", "WINDSURF", "--dialect", "native"],
    );
    let file = json!({"path": "a.txt", "content": "one", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "SESSION_NOT_INITIALIZED");
    for root in [json!("relative"), json!("/no/such/dir"), json!(7), json!("/etc"), Value::Null] {
        let (code, result) = gate.call("begin_session", &json!({"workspace_root": root}));
        assert_eq!(code, "SESSION_INITIALIZATION_FAILED", "{root}");
        let card = result["content"][0]["text"].as_str().unwrap();
        let fix = if root == "/etc" {
            "the one directory that this gate serves"
        } else {
            "Give the absolute path"
        };
        assert!(card.contains(fix), "{root}: {card}");
    }
    assert_eq!(gate.begin(dir.path()), "fine", "a failed beginning is no dead end");
    assert_eq!(gate.begin(dir.path()), "fine", "the same root is the same session");
    assert_eq!(gate.code("write_file", &file), "fine");
    assert_eq!(gate.code("read_file", &escape()), "PATH_TRAVERSAL_BLOCKED");
    let status = gate.status();
    assert_eq!(status["status"], "SESSION_LOCKED", "{status}");
    assert_eq!(status["locked_by"]["code"], "PATH_TRAVERSAL_BLOCKED");
    let seq = status["locked_by"]["ledger_seq"].as_u64().unwrap();
    for (tool, arguments) in [
        ("write_file", json!({"path": "b.txt", "content": "two"})),
        ("remove", json!({"path": "a.txt"})),
        ("apply_patch", json!({"patch": ""})),
        ("move", json!({"from": "a.txt", "to": "docs/reports/a.txt"})),
        ("write_file", json!({"path": "docs/reports/../../b.txt", "content": "two"})),
    ] {
        let (code, result) = gate.call(tool, &arguments);
        assert_eq!(code, "SESSION_LOCKED", "{tool} {arguments} {result}");
    }
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine", "reading goes on");
    let report = |seq: u64| json!({"ledger_seq": seq, "report": "The path left the workspace; it was a typo."});
    assert_eq!(gate.code("submit_failure_report", &report(seq + 1)), "INVALID_INPUT_VALUE");
    assert_eq!(
        gate.code("submit_failure_report", &json!({"ledger_seq": seq, "report": "ok"})),
        "INVALID_INPUT_VALUE"
    );
    for (arguments, code) in [
        (json!({"report": "no number"}), "MISSING_REQUIRED_FIELD"),
        (json!({"ledger_seq": seq}), "MISSING_REQUIRED_FIELD"),
        (json!({"ledger_seq": seq.to_string(), "report": "x"}), "INVALID_INPUT_TYPE"),
        (json!({"ledger_seq": seq, "report": 7}), "INVALID_INPUT_TYPE"),
    ] {
        assert_eq!(gate.code("submit_failure_report", &arguments), code, "{arguments}");
    }
    assert_eq!(gate.status()["status"], "SESSION_LOCKED");
    assert_eq!(gate.code("submit_failure_report", &report(seq)), "fine");
    let file = json!({"path": "b.txt", "content": "two", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "fine");
    let (_, records) = gate.call("read_ledger", &json!({}));
    let records = records["structuredContent"]["records"].as_array().unwrap().clone();
    let kinds: Vec<_> = records.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"session") && kinds.contains(&"fault"), "{kinds:?}");
    let fault = records.iter().find(|it| it["seq"] == seq).unwrap();
    assert_eq!(fault["fault"]["code"], "PATH_TRAVERSAL_BLOCKED");
    assert_eq!(fault["fault"]["context"]["role"], "WINDSURF");
    assert_eq!(fault["fault"]["context"]["session_id"], status["session_id"]);
    gate.kill();
}

#[test]
fn a_call_that_succeeded_is_on_record_without_its_arguments() {
    let dir = dir();
    let plan = approved(dir.path(), "all.md", "**");
    let mut gate = Gate::start(dir.path(), &["--preset", "atlas-gate", "--role", "WINDSURF"]);
    gate.begin(dir.path());
    let file = json!({"path": "a.txt", "content": "a-word-that-nobody-records", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "fine");
    assert_eq!(gate.code("read_file", &json!({"path": "gone.txt"})), "FILE_NOT_FOUND");
    let records = gate.call("read_ledger", &json!({"limit": 50})).1["structuredContent"]["records"]
        .as_array()
        .unwrap()
        .clone();
    let calls: Vec<_> = records.iter().filter(|it| it["kind"] == "call").collect();
    let tools: Vec<_> = calls.iter().map(|it| it["call"]["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["begin_session", "write_file"], "a failure is a fault: {records:?}");
    let call = &calls[1]["call"];
    let hash = redress_govern::eval::sha256(&file.to_string());
    assert_eq!(call["arguments_sha256"], hash, "{call}");
    assert_eq!(call["plan_hash"], plan, "{call}");
    assert_eq!((&call["role"], &call["server"]), (&json!("WINDSURF"), &json!("workspace")));
    assert_eq!(call["session_id"], gate.status()["session_id"]);
    assert!(call["elapsed_ms"].is_u64(), "{call}");
    drop(gate.input);
    gate.child.wait().unwrap();
    let ledger = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.arg("ledger").args(args).env("XDG_CONFIG_HOME", dir.path().join("config"));
        let output = command.current_dir(dir.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (exit, said) = ledger(&["query", "ledger", "--kind", "call", "--tool", "write_file"]);
    assert_eq!((exit, said.lines().count()), (Some(0), 1), "{said}");
    assert!(!said.contains("a-word-that-nobody-records"), "{said}");
    let (_, said) = ledger(&["tail", "ledger", "--kind", "call", "--format", "text"]);
    assert!(said.contains("call workspace/write_file by WINDSURF in "), "{said}");
    assert!(ledger(&["stats", "ledger"]).1.contains("4  call"), "calls are counted");
    assert_eq!(ledger(&["verify", "ledger"]).0, Some(0));
}

#[test]
fn a_report_that_is_written_as_a_file_unlocks() {
    let dir = dir();
    let mut gate = Gate::start(dir.path(), &["--governed"]);
    gate.begin(dir.path());
    gate.code("read_file", &escape());
    let seq = gate.status()["locked_by"]["ledger_seq"].as_u64().unwrap();
    let write = |text: &str| json!({"path": "docs/reports/fail.md", "content": text});
    fs::write(dir.path().join("root/docs/reports/old.md"), "old").unwrap();
    for (tool, arguments) in [
        ("write_file", write("I say a lot, but I do not say which.")),
        ("write_file", write(&seq.to_string())),
        ("write_file", write(&format!("It was 2026-11-{seq} when it failed."))),
        (
            "write_file",
            json!({"path": format!("docs/reports/record {seq} of this session.md"), "content": ""}),
        ),
        ("remove", json!({"path": "docs/reports/old.md"})),
        (
            "move",
            json!({"from": "docs/reports/old.md", "to": format!("docs/reports/record {seq} is told.md")}),
        ),
        (
            "apply_patch",
            json!({"patch": format!("*** Begin Patch\n*** Delete File: docs/reports/old.md\n*** Add File: docs/reports/fail.md\n+Record {seq}: it was a typo.\n*** End Patch")}),
        ),
    ] {
        let (code, result) = gate.call(tool, &arguments);
        assert_eq!(code, "SESSION_LOCKED", "{tool} {arguments}");
        let card = result["content"][0]["text"].as_str().unwrap();
        assert!(card.contains(&format!("Name record {seq} (PATH_TRAVERSAL_BLOCKED)")), "{card}");
        assert!(
            card.contains(&format!("submit_failure_report {{\"ledger_seq\":{seq}}}")),
            "{card}"
        );
    }
    assert!(!dir.path().join("root/docs/reports/fail.md").exists(), "nothing was written");
    let report = format!("Record {seq}: the path was a typo.");
    assert_eq!(gate.code("write_file", &write(&report)), "fine");
    assert_eq!(gate.status()["status"], "SESSION_INITIALIZED");
    let (_, records) = gate.call("read_ledger", &json!({}));
    let records = records["structuredContent"]["records"].as_array().unwrap().clone();
    let told = records.iter().find(|it| it["session"]["event"] == "reported").unwrap();
    assert_eq!(told["session"]["path"], "docs/reports/fail.md", "{told}");
    gate.kill();
}

#[test]
fn a_gate_that_starts_again_knows_its_sessions_and_locks() {
    let dir = dir();
    let mut gate = Gate::start(dir.path(), &["--governed"]);
    gate.begin(dir.path());
    gate.code("read_file", &escape());
    let before = gate.status();
    gate.kill();
    let mut gate = Gate::start(dir.path(), &["--governed"]);
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "SESSION_NOT_INITIALIZED");
    assert_eq!(gate.begin(dir.path()), "fine");
    let after = gate.status();
    assert_eq!(after, before, "the same session, and the same lock");
    let seq = &after["locked_by"]["ledger_seq"];
    let report = json!({"ledger_seq": seq, "report": "It was a typo, and is corrected now."});
    assert_eq!(gate.code("submit_failure_report", &report), "fine");
    // The answer does not wait for the disk; the next failure does, and comes behind it.
    assert_eq!(gate.code("read_file", &json!({"path": "gone.txt"})), "FILE_NOT_FOUND");
    gate.kill();
    let mut gate = Gate::start(dir.path(), &["--governed"]);
    gate.begin(dir.path());
    assert_eq!(gate.status()["status"], "SESSION_INITIALIZED", "a report is not forgotten either");
    gate.kill();
}

#[test]
fn a_workspace_that_was_swapped_is_a_violation_with_its_invariant() {
    let dir = dir();
    approved(dir.path(), "all.md", "**");
    let mut gate = Gate::start(dir.path(), &["--preset", "atlas-gate", "--role", "WINDSURF"]);
    gate.begin(dir.path());
    let file = json!({"path": "a.txt", "content": "one", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "fine");
    fs::rename(dir.path().join("root"), dir.path().join("old")).unwrap();
    fs::create_dir(dir.path().join("root")).unwrap();
    let (code, result) = gate.call("write_file", &file);
    assert_eq!(code, "INVARIANT_VIOLATION");
    let envelope: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(envelope["invariant_id"], "INV_ROOT_UNCHANGED", "{envelope}");
    assert_eq!(envelope["role"], "WINDSURF");
    gate.kill();
}

#[test]
fn a_role_is_told_apart_from_what_nobody_may() {
    let dir = dir();
    let mut gate = Gate::start(dir.path(), &["--preset", "atlas-gate", "--role", "ANTIGRAVITY"]);
    gate.begin(dir.path());
    let file = json!({"path": "a.txt", "content": "one"});
    let (code, result) = gate.call("write_file", &file);
    assert_eq!(code, "ROLE_MISMATCH");
    let envelope: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(envelope["error_code"], "ROLE_MISMATCH", "{envelope}");
    assert_eq!(envelope["role"], "ANTIGRAVITY");
    assert_eq!(envelope["tool_name"], "write_file");
    let seq = gate.status()["locked_by"]["ledger_seq"].clone();
    let report = json!({"ledger_seq": seq, "report": "I asked for what only WINDSURF may do."});
    assert_eq!(gate.code("submit_failure_report", &report), "fine", "every role can report");
    gate.kill();
}

#[test]
fn a_tool_that_is_not_served_is_unknown_to_every_role() {
    let dir = dir();
    fs::write(
        dir.path().join("redress.toml"),
        "[governance]\nenabled = true\nrole = 'reader'\n[governance.roles.reader]\nallow = ['read_*']\n\
         [ledger]\ndir = 'ledger'\n[server.files]\nworkspace = 'root'\n",
    )
    .unwrap();
    let mut gate = Gate::over(dir.path(), &["--config", "redress.toml"]);
    gate.begin(dir.path());
    let (code, result) = gate.call("read_fiel", &json!({}));
    assert_eq!(code, "UNKNOWN_TOOL", "{result}");
    let near = &result["_meta"]["dev.redress/fault"]["similar_refs"];
    assert!(near.to_string().contains("read_file"), "{near}");
    assert_eq!(gate.code("write_fiel", &json!({})), "UNKNOWN_TOOL");
    assert_eq!(gate.status()["status"], "SESSION_INITIALIZED", "a typo locks nothing");
    assert_eq!(
        gate.code("write_file", &json!({"path": "a", "content": ""})),
        "INSUFFICIENT_PERMISSIONS"
    );
    gate.kill();
}

#[test]
fn the_list_has_what_is_served_and_nothing_else() {
    let dir = dir();
    let mut gate = Gate::start(dir.path(), &["--governed", "--contract", "core"]);
    let names = |gate: &mut Gate| -> Vec<String> {
        let tools = gate.request("tools/list", &json!({}))["tools"].as_array().unwrap().clone();
        tools.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let governed = names(&mut gate);
    assert!(governed.contains(&"begin_session".to_owned()), "{governed:?}");
    assert!(governed.contains(&"write_file".to_owned()), "{governed:?}");
    assert_eq!(governed.iter().filter(|it| *it == "read_ledger").count(), 1, "{governed:?}");
    gate.kill();
    let mut gate = Gate::start(dir.path(), &[]);
    assert!(!names(&mut gate).contains(&"begin_session".to_owned()), "only where it governs");
    gate.kill();
}

#[test]
fn arguments_that_mean_two_things_are_refused() {
    let dir = dir();
    let mut gate = Gate::start(dir.path(), &["--governed"]);
    gate.begin(dir.path());
    let line = r#"{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{"name":"read_file","arguments":{"path":"a","path":"../b"}}}"#;
    let answer = gate.raw(line);
    assert!(answer.contains("INVALID_INPUT_FORMAT"), "{answer}");
    for (path, code) in [
        (json!("/etc/hosts"), "OUTSIDE_WORKSPACE"),
        (json!({"a": 1}), "INVALID_INPUT_TYPE"),
        (json!(""), "INVALID_PATH"),
    ] {
        assert_eq!(gate.code("read_file", &json!({"path": path})), code, "{path}");
    }
    gate.kill();
}

#[test]
fn a_governed_gate_does_not_start_where_it_could_not_govern() {
    let dir = dir();
    for (args, words) in [
        (["serve", "--governed"].as_slice(), "[auth]"),
        (&["run", "--governed", "--no-ledger"], "ledger"),
        (&["run", "--preset", "atlas-gate", "--role", "OWNER"], "ANTIGRAVITY, WINDSURF"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_redress"))
            .args(args)
            .env("HOME", dir.path())
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

/// Over HTTP: what a caller with a token says, in a session of its own.
pub(crate) fn say(
    url: &str,
    token: &str,
    session: Option<&str>,
    method: &str,
    params: &Value,
) -> Answer {
    let (address, path) = url.split_once('/').unwrap();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("Authorization", bearer.as_str())];
    headers.extend(session.map(|it| ("Mcp-Session-Id", it)));
    post(address, &format!("/{path}"), &headers, message.to_string().as_bytes()).head()
}

/// Opens a session of the protocol.
pub(crate) fn open(url: &str, token: &str) -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let answer = say(url, token, None, "initialize", &params);
    answer.header("mcp-session-id").unwrap().to_owned()
}

pub(crate) fn called(
    url: &str,
    (token, session): (&str, &str),
    tool: &str,
    arguments: &Value,
) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = say(url, token, Some(session), "tools/call", &params).json();
    let code = answer["result"]["_meta"]["dev.redress/fault"]["code"].as_str();
    code.unwrap_or("fine").to_owned()
}

#[test]
fn callers_over_http_are_told_apart_by_their_tokens() {
    let dir = dir();
    let root = dir.path().join("root");
    fs::create_dir_all(&root).unwrap();
    let (writer, reader) = ("the-token-of-the-writer", "the-token-of-the-reader");
    let hash = |it: &str| redress_govern::eval::sha256(it);
    let config = format!(
        "[governance]\nenabled = true\n[governance.roles.writer]\nallow = ['*']\n\
         [governance.roles.reader]\nallow = ['read_*']\n\
         [auth.caller.one]\nsha256 = '{}'\nrole = 'writer'\n[auth.caller.two]\nsha256 = '{}'\nrole = 'reader'\n\
         [ledger]\ndir = 'ledger'\n[server.files]\nworkspace = 'root'\n",
        hash(writer),
        hash(reader)
    );
    fs::write(dir.path().join("redress.toml"), config).unwrap();
    let start = || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_redress"))
            .args(["serve", "--listen", "127.0.0.1:0", "--config", "redress.toml"])
            .env("XDG_CONFIG_HOME", dir.path().join("config"))
            .current_dir(dir.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let url = listening(child.stderr.take().unwrap());
        (child, url)
    };
    let (mut child, url) = start();
    assert_eq!(say(&url, "some-other-token-altogether", None, "ping", &json!({})).status, 401);
    let (one, two) = (open(&url, writer), open(&url, reader));
    let (one, two) = ((writer, one.as_str()), (reader, two.as_str()));
    let (begin, file) =
        (json!({"workspace_root": root}), json!({"path": "a.txt", "content": "one"}));
    assert_eq!(called(&url, one, "begin_session", &begin), "fine");
    assert_eq!(
        called(&url, two, "read_file", &file),
        "SESSION_NOT_INITIALIZED",
        "another's session"
    );
    assert_eq!(called(&url, two, "begin_session", &begin), "fine");
    assert_eq!(called(&url, two, "write_file", &file), "ROLE_MISMATCH");
    assert_eq!(called(&url, two, "write_file", &file), "SESSION_LOCKED");
    assert_eq!(called(&url, one, "write_file", &file), "fine", "another's lock");
    let again = open(&url, reader);
    assert_eq!(called(&url, (reader, &again), "write_file", &file), "SESSION_LOCKED", "no way out");
    child.kill().unwrap();
    child.wait().unwrap();
    let (mut child, url) = start();
    let (one, two) = (open(&url, writer), open(&url, reader));
    assert_eq!(called(&url, (writer, &one), "write_file", &file), "fine", "its session went on");
    assert_eq!(called(&url, (reader, &two), "write_file", &file), "SESSION_LOCKED");
    child.kill().unwrap();
    child.wait().unwrap();
}
