//! Runs the built command.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::counts::counted;

/// The command `serve` on a port that is free, for tests in which every client is let in.
pub(crate) const SERVE: [&str; 4] = ["serve", "--no-token", "--listen", "127.0.0.1:0"];

/// The token that `redress serve` made for the user whose state directory this is.
pub(crate) fn made_token(state: &Path) -> String {
    let file = state.join("redress/serve-token");
    let text = fs::read_to_string(&file).unwrap_or_else(|it| panic!("{}: {it}", file.display()));
    text.trim_end().to_owned()
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) exit: i32,
}

/// Says, past the harness and to the test run, that a test cannot be run on this machine. Where all are to be run, that is a failure.
pub(crate) fn not_run(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let mut terminal = std::io::stderr();
    writeln!(terminal, "not run: {name}: {why}").unwrap();
    counted(1, "not run");
}

/// Runs `redress` with arguments and input.
pub(crate) fn redress(args: &[&str], input: &[u8]) -> Ran {
    run(Command::new(env!("CARGO_BIN_EXE_redress")).args(args), input)
}

/// Runs a shell line in a directory, which is also its home, with the built command first in the path.
pub(crate) fn shell(line: &str, dir: &Path) -> Ran {
    let bin = Path::new(env!("CARGO_BIN_EXE_redress")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("PATH", path).env("HOME", dir).current_dir(dir);
    run(command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME"), b"")
}

pub(crate) fn run(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let Output { status, stdout, stderr } = std::thread::scope(|scope| {
        // The child may end before it has read everything, which is its right.
        scope.spawn(move || stdin.write_all(input).unwrap_or_default());
        child.wait_with_output().unwrap()
    });
    Ran {
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
        exit: status.code().unwrap_or(-1),
    }
}
