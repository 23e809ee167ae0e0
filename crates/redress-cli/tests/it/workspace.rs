//! The built-in server behind the gate: `redress serve` and `redress run` without a command.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    gate::http::{listening, post},
    redress::{made_token, shell},
};

/// A gate before the files of a directory.
struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Served {
    fn start(dir: &Path, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--root"]).arg(dir.join("root"));
        command.args(options).current_dir(dir).env("HOME", dir).stderr(Stdio::piped());
        command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        let mut child = command.spawn().unwrap();
        let url = listening(child.stderr.take().unwrap());
        let (address, path) = url.split_once('/').unwrap();
        assert_eq!(path, "mcp");
        let token = made_token(&dir.join(".local/state"));
        Self { child, address: address.to_owned(), token }
    }

    /// Makes a call that stands for itself.
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let bearer = format!("Bearer {}", self.token);
        let headers = [
            ("Authorization", &*bearer),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
        ];
        let answer = post(&self.address, "/mcp", &headers, message.to_string().as_bytes()).head();
        answer.json()["result"].clone()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn dir() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("root/src")).unwrap();
    fs::write(dir.path().join("root/src/main.rs"), "fn main() {}\n").unwrap();
    dir
}

#[test]
fn serve_without_a_command_serves_the_files_of_a_directory() {
    let dir = dir();
    let served = Served::start(dir.path(), &[]);
    let read = served.call("read_file", &json!({"path": "src/main.rs"}));
    assert_eq!(read["structuredContent"]["content"], "fn main() {}\n", "{read}");
    let failed = served.call("read_file", &json!({"path": "src/mian.rs"}));
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        text,
        "FILE_NOT_FOUND: No file at \"src/mian.rs\".\nRetry: only with other arguments (path). Nothing was changed.\n\
         Fix: Check the path, or list the directory first. Did you mean src/main.rs?\nNext: list_directory {\"path\":\"src\"}"
    );
    let out = served.call("read_file", &json!({"path": "../secret"}));
    assert_eq!(out["_meta"]["dev.redress/fault"]["code"], "PATH_TRAVERSAL_BLOCKED");
    // Both are in the ledger of this gate, which the server itself can show.
    let records = served.call("read_ledger", &json!({}));
    let codes: Vec<_> = records["structuredContent"]["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["fault"]["code"].clone())
        .collect();
    assert_eq!(codes, ["FILE_NOT_FOUND", "PATH_TRAVERSAL_BLOCKED"], "{records}");
}

#[test]
fn a_dialect_and_a_deadline_hold_for_the_files_too() {
    let dir = dir();
    let served = Served::start(dir.path(), &["--dialect", "atlas-gate", "--no-ledger"]);
    let failed = served.call("write_file", &json!({"path": "no/dir", "content": ""}));
    let text: Value = serde_json::from_str(failed["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text["error_code"], "PATH_NOT_FOUND", "{failed}");
    assert_eq!(served.call("read_ledger", &json!({}))["isError"], json!(true), "there is none");
}

#[test]
fn a_file_can_name_a_directory_beside_other_servers() {
    let dir = dir();
    fs::write(dir.path().join("redress.toml"), "[server.files]\nworkspace = 'root'\n").unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stat","arguments":{"path":"src"}}}"#;
    let ran = shell(
        &format!(
            "printf '%s\\n' '{hello}' '{call}' | redress run --no-ledger --config redress.toml"
        ),
        dir.path(),
    );
    assert_eq!(ran.exit, 0, "{}", ran.err);
    assert!(ran.out.contains(r#""kind":"directory""#), "{}{}", ran.out, ran.err);
    let ran = shell("redress serve --root nowhere", dir.path());
    assert!(ran.exit == 2 && ran.err.contains("FILE_NOT_FOUND"), "{}", ran.err);
    let ran = shell("redress serve --listen 0.0.0.0:0", dir.path());
    assert!(ran.exit == 2 && ran.err.contains("clients need a token"), "{}", ran.err);
}
