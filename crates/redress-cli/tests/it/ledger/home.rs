//! A home of its own for a user, with gates before the bad server and their ledger in the usual place.

use std::{
    env,
    fs::{self, File},
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    gate::client::{bad_server, envelope, hello, left_behind, wait},
    redress::{Ran, run},
};

pub(super) struct Home(TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// One in which a gate told `failures` failures and ended well; with the receipts.
    pub(super) fn with_failures(failures: u64) -> (Self, Vec<String>) {
        let home = Self::new();
        let mut gate = home.gate(&[], &[]);
        let receipts = (0..failures).map(|_| receipt(&gate.fail()).unwrap()).collect();
        gate.end();
        (home, receipts)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// What gates wrote to standard error.
    pub(super) fn log(&self) -> PathBuf {
        self.path().join("gates.log")
    }

    /// The ledger of the bad server.
    pub(super) fn ledger(&self) -> PathBuf {
        self.path().join("state/redress/bad")
    }

    /// The only segment of the only chain.
    pub(super) fn segment(&self) -> PathBuf {
        let entries = fs::read_dir(self.ledger()).unwrap().map(|it| it.unwrap().path());
        // The log of epochs lies beside the chains.
        let chains: Vec<PathBuf> = entries.filter(|it| it.is_dir()).collect();
        assert_eq!(chains.len(), 1);
        chains[0].join("00000001.jsonl")
    }

    /// A command that lives here.
    pub(super) fn at_home(&self, mut command: Command) -> Command {
        command
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("XDG_TEST_MARK", self.path());
        command
    }

    /// `redress ledger` with arguments.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.arg("ledger").args(args);
        self.at_home(command)
    }

    /// Runs `redress ledger` with arguments.
    pub(super) fn run(&self, args: &[&str]) -> Ran {
        run(&mut self.command(args), b"")
    }

    /// What `redress ledger … --format json` prints, line by line.
    pub(super) fn json(&self, args: &[&str]) -> Vec<Value> {
        let ran = self.run(&[args, &["--format", "json"]].concat());
        assert!(ran.exit < 2, "{args:?}: {}", ran.err);
        ran.out.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    /// Asserts that everything is in order.
    pub(super) fn assert_sound(&self) {
        let ran = self.run(&["verify"]);
        assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
    }

    /// A gate with options, started by the words before it, with an open session.
    pub(super) fn gate(&self, before: &[&str], options: &[&str]) -> Gate {
        let mut gate = self.silent_gate(before, options);
        gate.open();
        gate
    }

    /// The same without a session.
    pub(super) fn silent_gate(&self, before: &[&str], options: &[&str]) -> Gate {
        let mut words = before.to_vec();
        words.extend([env!("CARGO_BIN_EXE_redress"), "run"]);
        if !options.contains(&"--name") {
            words.extend(["--name", "bad"]);
        }
        words.extend(options);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg("--").arg(bad_server());
        self.spawn(command)
    }

    /// A gate for the server of a file, with an open session.
    pub(super) fn gate_of(&self, config: &Path) -> Gate {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.args(["run", "--name", "bad", "--config"]).arg(config);
        let mut gate = self.spawn(command);
        gate.open();
        gate
    }

    fn spawn(&self, mut command: Command) -> Gate {
        let log = File::options().create(true).append(true).open(self.log()).unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = self.at_home(command).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Gate { child, input, output: BufReader::new(output), next: 1 }
    }

    pub(super) fn is_deserted(&self) -> bool {
        left_behind(self.path()).is_empty()
    }
}

/// A gate and its client.
pub(super) struct Gate {
    pub(super) child: Child,
    pub(super) input: Option<ChildStdin>,
    pub(super) output: BufReader<ChildStdout>,
    next: u64,
}

impl Gate {
    /// Opens the session.
    fn open(&mut self) {
        self.ask("initialize", &hello());
        self.hear().unwrap();
        // Or the gate would ask for it, and on a busy machine record that the answer came late.
        self.ask("tools/list", &json!({}));
        self.hear().unwrap();
    }

    /// Writes a request.
    pub(super) fn ask(&mut self, method: &str, params: &Value) {
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.next += 1;
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next answer; `None` at the end, and for a line that does not end.
    pub(super) fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        line.ends_with('\n').then(|| serde_json::from_str(&line).unwrap())
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        self.hear().expect("an answer")
    }

    /// A call that fails.
    pub(super) fn fail(&mut self) -> Value {
        self.call("read", &failing())
    }

    /// Lets it end.
    pub(super) fn end(mut self) {
        self.input = None;
        assert_eq!(wait(&mut self.child), 0);
    }
}

/// Arguments with which `read` and `say` fail.
pub(super) fn failing() -> Value {
    let line = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ENOENT: no such file or directory, open 'a.txt'"}],"isError":true}}"#;
    json!({ "path": "a.txt", "lines": [line] })
}

/// `SEQ:HASH` of an answer, as `--receipt` takes it.
pub(super) fn receipt(answer: &Value) -> Option<String> {
    let ledger = envelope(answer)?.get("ledger")?;
    Some(format!("{}:{}", ledger["seq"], ledger["hash"].as_str()?))
}

/// Longer runs are asked for with `REDRESS_FULL`.
pub(super) fn rounds(usual: usize, full: usize) -> usize {
    if env::var_os("REDRESS_FULL").is_some() { full } else { usual }
}
