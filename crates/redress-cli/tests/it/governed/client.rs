//! A governed gate with its client on pipes.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use super::place::Place;
use crate::gate::client::hello;

pub(super) struct Gate {
    pub(super) child: Child,
    pub(super) input: ChildStdin,
    pub(super) output: BufReader<ChildStdout>,
    root: PathBuf,
    last: u64,
    heard: BTreeMap<u64, Value>,
}

impl Gate {
    /// Before the built-in server.
    pub(super) fn start(place: &Place, options: &[&str]) -> Self {
        Self::over(place, &[&["--ledger", "ledger", "--root", "root"], options].concat())
    }

    /// With the policy of its place, and with a session that has begun.
    pub(super) fn begun(place: &Place) -> Self {
        let mut gate = Self::over(place, &["--config", "redress.toml"]);
        assert_eq!(gate.begin(), "fine");
        gate
    }

    /// With all options given.
    pub(super) fn over(place: &Place, options: &[&str]) -> Self {
        let mut child = place
            .redress(&[&["run"], options].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (root, heard) = (place.at("root"), BTreeMap::new());
        let mut gate = Self { child, input, output, root, last: 0, heard };
        gate.request("initialize", &hello());
        gate
    }

    /// Writes a line as it is.
    pub(super) fn write(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// The same, and what comes next.
    pub(super) fn raw(&mut self, line: &str) -> String {
        self.write(line);
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&line.to_string());
        id
    }

    /// Calls a tool, and does not wait.
    pub(super) fn ask(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(super) fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id});
        let line = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.write(&line.to_string());
    }

    /// The result of a request; answers to others that come before it are kept.
    pub(super) fn hear(&mut self, id: u64) -> Value {
        while !self.has_heard(id) {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the gate has ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if let Some(id) = answer["id"].as_u64() {
                assert!(self.heard.insert(id, answer).is_none(), "answered twice: {line}");
            }
        }
        self.heard[&id]["result"].clone()
    }

    pub(super) fn has_heard(&self, id: u64) -> bool {
        self.heard.contains_key(&id)
    }

    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.hear(id)
    }

    /// Calls a tool; gives the code that it fails with, or `fine`, and its result.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> (String, Value) {
        let id = self.ask(tool, arguments);
        let result = self.hear(id);
        (code(&result).to_owned(), result)
    }

    pub(super) fn code(&mut self, tool: &str, arguments: &Value) -> String {
        self.call(tool, arguments).0
    }

    pub(super) fn status(&mut self) -> Value {
        self.call("session_status", &json!({})).1["structuredContent"].clone()
    }

    /// Begins a session in the workspace.
    pub(super) fn begin(&mut self) -> String {
        let root = json!({"workspace_root": self.root});
        self.code("begin_session", &root)
    }

    /// The tools that are listed.
    pub(super) fn tools(&mut self) -> Vec<Value> {
        self.request("tools/list", &json!({}))["tools"].as_array().unwrap().clone()
    }

    /// The client goes, and then the gate.
    pub(super) fn end(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }

    /// As abrupt as it gets.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The code that a call failed with, in the native dialect or in that of the preset, or `fine`.
pub(super) fn code(result: &Value) -> &str {
    let stated = result["_meta"]["dev.redress/fault"]["code"].as_str();
    match stated.or_else(|| result["structuredContent"]["error_code"].as_str()) {
        Some(code) => code,
        None if result["isError"] == true || result.is_null() => "unknown",
        None => "fine",
    }
}
