//! The gate's program as a test starts it, and what it leaves: its exit code, its records, its processes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{PATIENCE, Via};
use crate::redress::SERVE;

/// The server that fails in every way.
pub(crate) fn bad_server() -> PathBuf {
    let path =
        Path::new(env!("CARGO_BIN_EXE_redress")).with_file_name("examples").join("bad_server");
    if !path.exists() {
        let args = ["build", "--quiet", "--locked", "-p", "redress-cli", "--example", "bad_server"];
        assert!(Command::new(env!("CARGO")).args(args).status().unwrap().success());
    }
    path
}

/// The command of a gate that keeps its files in a directory.
pub(crate) fn gate(via: Via, dir: &Path, options: &[&str], command: &[&str]) -> Command {
    let mut gate = self::command(via);
    gate.args(["--name", "bad"]).args(options).arg("--").args(command);
    with_files(dir, &mut gate);
    gate
}

/// A gate of which nothing is said yet but how a client reaches it.
pub(super) fn command(via: Via) -> Command {
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
    match via {
        Via::Run => gate.arg("run").stderr(Stdio::null()),
        Via::Serve => gate.args(SERVE).stderr(Stdio::piped()),
    };
    gate
}

/// The same for any command.
pub(super) fn with_files<'g>(dir: &Path, gate: &'g mut Command) -> &'g mut Command {
    gate.env("XDG_CONFIG_HOME", dir.join("config"))
        .env("XDG_TEST_MARK", dir)
        .env("BAD_API_TOKEN", "correct-horse-battery")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
}

/// The exit code of a gate, within reasonable time.
pub(crate) fn wait(gate: &mut Child) -> i32 {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = gate.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        assert!(Instant::now() < until, "the gate does not end");
        pause();
    }
}

/// Everything that is in the ledger in a directory.
pub(super) fn records(dir: &Path) -> Vec<Value> {
    let mut records = Vec::new();
    for chain in fs::read_dir(dir.join("ledger")).into_iter().flatten().flatten() {
        for file in fs::read_dir(chain.path()).into_iter().flatten().flatten() {
            if file.path().extension().is_some_and(|it| it == "jsonl") {
                let text = fs::read_to_string(file.path()).unwrap();
                records.extend(text.lines().filter_map(|it| serde_json::from_str(it).ok()));
            }
        }
    }
    records
}

/// The faults that are in the ledger in a directory.
pub(crate) fn recorded(dir: &Path) -> Vec<Value> {
    records(dir).into_iter().filter_map(|it| it.get("fault").cloned()).collect()
}

/// Processes that carry the mark of a directory.
pub(crate) fn left_behind(dir: &Path) -> Vec<String> {
    let mark = format!("XDG_TEST_MARK={}\0", dir.display());
    let is_ours = |process: &Path| {
        let environ = fs::read(process.join("environ")).unwrap_or_default();
        environ.windows(mark.len()).any(|it| it == mark.as_bytes())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|it| it.path());
    processes.filter(|it| is_ours(it)).map(|it| it.display().to_string()).collect()
}

/// Lets others run.
pub(crate) fn pause() {
    #[expect(clippy::disallowed_methods, reason = "there is no event to wait for")]
    thread::sleep(Duration::from_millis(5));
}
