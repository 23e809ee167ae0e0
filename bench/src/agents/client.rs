//! A client of one server on stdio: it starts it again when it is gone, and waits no longer than its patience.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{agent::Answer, world::World};
use crate::fallible::Fallible;

/// How often the world is read while an answer is awaited.
const POLL: Duration = Duration::from_millis(20);
/// How long a process may take for anything that is not meant to hang.
const STALL: Duration = Duration::from_mins(1);

/// The key of the gate's envelope.
const FAULT: &str = "dev.redress/fault";

/// What is started, and where.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) command: Vec<PathBuf>,
    pub(super) dir: PathBuf,
    /// The world of the lab, for a client that has to notice by itself that no answer comes.
    pub(super) world: Option<PathBuf>,
}

/// A client with the server that it has started.
#[derive(Debug)]
pub(super) struct Client {
    start: Start,
    link: Option<Link>,
    last_id: u64,
}

#[derive(Debug)]
struct Link {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Client {
    pub(super) const fn new(start: Start) -> Self {
        Self { start, link: None, last_id: 0 }
    }

    /// Calls a tool. What has no answer reads as clients of the official SDK put it.
    pub(super) fn call(&mut self, tool: &str, arguments: &str) -> Fallible<Answer> {
        if self.link.is_none() {
            self.open()?;
        }
        let arguments: Value = serde_json::from_str(arguments)?;
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        Ok(match answer {
            Reply::Message(message) => read(&message),
            Reply::Nothing => lost("MCP error -32001: Request timed out"),
            Reply::Closed => {
                self.link = None;
                lost("MCP error -32000: Connection closed")
            }
        })
    }

    fn open(&mut self) -> Fallible<()> {
        let (program, arguments) = self.start.command.split_first().ok_or("no command")?;
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(&self.start.dir)
            .env("MEMORY_FILE_PATH", self.start.dir.join("memory.jsonl"))
            .env("XDG_STATE_HOME", &self.start.dir)
            .env("XDG_CONFIG_HOME", &self.start.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|it| format!("{}: {it}", program.display()))?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        self.link = Some(Link { child, input, lines });
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "agent", "version": "1"}});
        let Reply::Message(_) = self.ask("initialize", &hello)? else {
            return Err(format!("{:?} does not start", self.start.command).into());
        };
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        self.ask("tools/list", &json!({}))?;
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Fallible<()> {
        let link = self.link.as_mut().ok_or("not open")?;
        // A server that is gone is noticed at its output.
        writeln!(link.input, "{message}").and_then(|()| link.input.flush()).unwrap_or_default();
        Ok(())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Fallible<Reply> {
        self.last_id += 1;
        let id = json!(self.last_id);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let lines = &self.link.as_ref().ok_or("not open")?.lines;
        let until = Instant::now() + STALL;
        loop {
            match lines.recv_timeout(POLL) {
                Ok(line) => {
                    let message: Value = serde_json::from_str(&line).unwrap_or_default();
                    if message.get("id") == Some(&id) && message.get("method").is_none() {
                        return Ok(Reply::Message(message));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Reply::Closed),
                Err(RecvTimeoutError::Timeout) if is_hanging(self.start.world.as_deref()) => {
                    return Ok(Reply::Nothing);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > until => {
                    return Err(format!("no answer to {method}").into());
                }
                Err(RecvTimeoutError::Timeout) => (),
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(|_| ()).unwrap_or_default();
    }
}

/// What came back.
enum Reply {
    Message(Value),
    /// The patience is over.
    Nothing,
    Closed,
}

fn is_hanging(world: Option<&Path>) -> bool {
    world.is_some_and(|it| World::load(it).is_ok_and(|it| it.is_hanging))
}

fn lost(text: &str) -> Answer {
    Answer { text: text.to_owned(), is_error: true, fault: None }
}

fn read(message: &Value) -> Answer {
    if let Some(error) = message.get("error") {
        let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
        let said = error.get("message").and_then(Value::as_str).unwrap_or_default();
        return Answer {
            text: format!("MCP error {code}: {said}"),
            is_error: true,
            fault: error.get("data").and_then(|it| it.get(FAULT)).cloned(),
        };
    }
    let blocks = message.pointer("/result/content").and_then(Value::as_array);
    let texts = blocks.into_iter().flatten().filter_map(|it| it.get("text")?.as_str());
    Answer {
        text: texts.collect::<Vec<_>>().join("\n"),
        is_error: message.pointer("/result/isError") == Some(&json!(true)),
        fault: message.pointer("/result/_meta").and_then(|it| it.get(FAULT)).cloned(),
    }
}
