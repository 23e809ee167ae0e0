//! A real process that is killed while it writes: each file is what it was or what it becomes, and nothing else is left.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::Client;

/// How often a process is killed.
const KILLS: u32 = 20;
const LINES: usize = 1_000;

/// The server as a process.
struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(root: &Path) -> Self {
        Self::of(Command::new(program()).arg(root))
    }

    fn of(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, output };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        server.say(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
        server.hear().unwrap();
        server
    }

    fn say(&mut self, message: &Value) {
        self.child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(format!("{message}\n").as_bytes())
            .unwrap_or_default();
    }

    fn call(&mut self, id: usize, tool: &str, arguments: &Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}));
    }

    fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok().filter(|it| *it > 0)?;
        serde_json::from_str(&line).ok()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The example beside the tests, which cargo builds with them.
fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let own = std::env::current_exe().unwrap();
        own.parent().unwrap().with_file_name("examples").join("stdio")
    })
}

fn text(round: u32, file: &str) -> String {
    format!("{file} {round}\n").repeat(LINES)
}

/// Waits until a moment in the work of a process that needs so long for it: another one each time.
fn later(round: u32, whole: Duration) {
    let until = Instant::now() + whole * (round * 7 % KILLS) / KILLS;
    while Instant::now() < until {
        thread::yield_now();
    }
}

#[test]
fn a_killed_process_leaves_old_or_new_files_and_never_a_mix() {
    let client =
        Client::with(&[("a", &text(0, "a")), ("d/b", &text(0, "b")), ("alone", &text(0, "alone"))]);
    let root = &client.root;
    let (mut pair, mut alone) = (0, 0);
    let mut changed = [0; 2];
    let mut whole = None;
    for round in 1..=KILLS {
        let mut server = Server::start(root);
        let diff = |path: &str, file: &str| {
            let side = |mark: &str, round| format!("{mark}{file} {round}\n").repeat(LINES);
            format!(
                "--- a/{path}\n+++ b/{path}\n@@ -1,{LINES} +1,{LINES} @@\n{}{}",
                side("-", pair),
                side("+", round)
            )
        };
        let patch = diff("a", "a") + &diff("d/b", "b");
        server.call(1, "apply_patch", &json!({"patch": patch}));
        server.call(2, "write_file", &json!({"path": "alone", "content": text(round, "alone")}));
        match whole {
            // The first one is left to finish, so that we know how long that takes.
            None => {
                let began = Instant::now();
                assert!(server.hear().is_some() && server.hear().is_some());
                whole = Some(began.elapsed());
            }
            Some(whole) => later(round, whole),
        }
        server.kill();

        // The next process finishes or clears away what this one left.
        let mut next = Client::of(root);
        next.does("write_file", json!({"path": "touch", "content": ""}));
        next.does("write_file", json!({"path": "d/touch", "content": ""}));
        let now = |path: &str| fs::read_to_string(root.join(path)).unwrap();
        let is_new = now("a") == text(round, "a");
        changed[usize::from(is_new)] += 1;
        pair = if is_new { round } else { pair };
        assert!(now("a") == text(pair, "a"), "round {round}: a is a mix");
        assert!(now("d/b") == text(pair, "b"), "round {round}: a and d/b are not of one patch");
        alone = if now("alone") == text(round, "alone") { round } else { alone };
        assert!(now("alone") == text(alone, "alone"), "round {round}: alone is a mix");
        assert_eq!(next.names("."), ["a", "alone", "d", "touch"], "round {round}");
        assert_eq!(next.names("d"), ["b", "touch"], "round {round}");
    }
    assert!(changed.iter().all(|it| *it > 0), "kills came too early or too late: {changed:?}");
}

#[test]
fn what_was_answered_survives_the_kill() {
    let client = Client::with(&[("a", "old")]);
    for round in 0..5 {
        let mut server = Server::start(&client.root);
        let content = format!("new {round}");
        server.call(1, "write_file", &json!({"path": "a", "content": content}));
        assert_ne!(server.hear().unwrap()["result"]["isError"], json!(true));
        server.kill();
        assert_eq!(client.text("a"), content);
    }
}

#[test]
fn where_there_is_no_room_everything_stays_as_it_was() {
    let client = Client::with(&[("a", "old\n"), ("b", "old\n")]);
    // A limit of file sizes is what a test can set; the system answers to a full disk the same way, by another number.
    let script = format!("trap '' XFSZ; ulimit -f 64; exec {} \"$0\"", program().display());
    let mut server = Server::of(Command::new("sh").args(["-c", &script]).arg(&client.root));
    let large = "x".repeat(200 << 10);
    let edits = json!([{"path": "a", "search": "old", "replace": "new"}, {"path": "b", "search": "old", "replace": large}]);
    for (tool, ask) in [
        ("write_file", json!({"path": "a", "content": large})),
        ("apply_patch", json!({"edits": edits})),
    ] {
        server.call(1, tool, &ask);
        let fault = server.hear().unwrap()["result"]["_meta"]["dev.redress/fault"].clone();
        assert_eq!(
            (&fault["code"], &fault["effect"]),
            (&json!("LIMIT_EXCEEDED"), &json!("none")),
            "{fault}"
        );
        assert_eq!((client.text("a").as_str(), client.text("b").as_str()), ("old\n", "old\n"));
        assert_eq!(client.names("."), ["a", "b"]);
    }
    server.kill();
}
