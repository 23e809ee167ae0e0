//! A gate that is killed takes its servers along, also those that ignore the end of their input.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    client::{Via, both_ways, hello, pause},
    http::{listening, post},
};

both_ways! {
    a_server_that_ignores_its_input_ends_with_a_killed_gate,
    a_server_behind_another_program_ends_with_a_killed_gate,
    a_confined_server_ends_with_a_killed_gate,
}

/// Says who it is, and hears nothing any more.
const DEAF: &str = "trap '' HUP INT PIPE TERM; echo $$ > root/pid; while :; do sleep 60; done";

/// Starts another program, as `npx` does, that is in no group of its.
const WRAPPED: &str = "setsid sh -c \"$1\" & wait";

/// Kills a gate before this server, and waits until the process that wrote its number is gone.
fn kill_before(via: Via, config: &str, command: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
    match via {
        Via::Run => gate.arg("run").stderr(Stdio::null()),
        Via::Serve => {
            gate.args(["serve", "--no-token", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped())
        }
    };
    fs::create_dir(dir.path().join("root")).unwrap();
    gate.args(["--name", "deaf"]).current_dir(dir.path());
    gate.env("XDG_CONFIG_HOME", dir.path().join("config"));
    gate.env("XDG_STATE_HOME", dir.path().join("state"));
    if config.is_empty() {
        gate.arg("--no-ledger").arg("--").args(command);
    } else {
        let command = json!(command).to_string();
        let text =
            format!("{config}[ledger]\ndir = 'ledger'\n[server.deaf]\ncommand = {command}\n");
        fs::write(dir.path().join("redress.toml"), text).unwrap();
        gate.args(["--config", "redress.toml"]);
    }
    let mut gate = gate.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello()});
    let _asked = (via == Via::Serve).then(|| {
        let address = listening(gate.stderr.take().unwrap());
        let (address, path) = address.split_once('/').unwrap();
        post(address, &format!("/{path}"), &[], hello.to_string().as_bytes())
    });
    let pid = until("the server runs", || number(dir.path()));
    assert!(state(pid).is_some());
    gate.kill().unwrap();
    gate.wait().unwrap();
    until("the server is gone", || state(pid).is_none().then_some(()));
}

/// The number that the server wrote.
fn number(dir: &Path) -> Option<u32> {
    fs::read_to_string(dir.join("root/pid")).ok()?.trim().parse().ok()
}

/// The state of a process that lives.
fn state(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let state = stat.rsplit_once(") ")?.1.split(' ').next()?.to_owned();
    (state != "Z").then_some(state)
}

fn until<T>(what: &str, holds: impl Fn() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(it) = holds() {
            return it;
        }
        assert!(Instant::now() < end, "never: {what}");
        pause();
    }
}

fn a_server_that_ignores_its_input_ends_with_a_killed_gate(via: Via) {
    // Whatever it has made of its environment.
    let bare = format!("exec env -i sh -c {}", json!(DEAF).to_string().replace('$', "\\$"));
    for script in [DEAF, &bare] {
        kill_before(via, "", &["sh", "-c", script]);
    }
}

fn a_server_behind_another_program_ends_with_a_killed_gate(via: Via) {
    kill_before(via, "", &["sh", "-c", WRAPPED, "sh", DEAF]);
}

fn a_confined_server_ends_with_a_killed_gate(via: Via) {
    let confined = "[governance]\nenabled = false\nconfine = 'state'\n";
    kill_before(via, confined, &["sh", "-c", DEAF]);
}
