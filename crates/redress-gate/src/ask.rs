//! Asking a server for its tools before any client does: it is started once, greeted, asked for every page, and ended.

use std::{
    fmt,
    io::{self, BufRead as _, BufReader, Write as _},
    process::ChildStdin,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use redress_wire::json::{Doc, Limits, Value, write_str};
use rustix::process::Signal;

use crate::{
    connection::Target,
    process::{Pipes, Process, RunningServer},
    threads::spawn,
};

/// The most pages, and the most tools.
const MOST_PAGES: u32 = 64;
const MOST_TOOLS: usize = 10_000;

/// The longest line that is read.
const LONGEST: u64 = 8 << 20;

/// How long it may take to end by itself after the last question.
const GRACE: Duration = Duration::from_millis(500);

const GREETING: &str = concat!(
    r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"redress","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}}"#
);

/// What a request of the revision without sessions carries.
const STATELESS: &str = concat!(
    r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"redress","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}}"#
);

/// Why a server could not be asked.
#[derive(Debug)]
pub enum AskError {
    /// It cannot be started, or written to.
    System(io::Error),
    /// It ended.
    Ended,
    /// It took too long.
    Late,
    /// Its answer is no list of tools.
    NoList,
    /// It runs elsewhere.
    Remote,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => error.fmt(f),
            Self::Ended => f.write_str("it ended before it had answered"),
            Self::Late => f.write_str("it did not answer in time"),
            Self::NoList => f.write_str("its answer to tools/list has no list of tools"),
            Self::Remote => f.write_str("it is behind a URL"),
        }
    }
}

impl std::error::Error for AskError {}

/// Every tool of a server, as it describes it. The server is started for it, and ended afterwards.
///
/// # Errors
/// Why it could not be asked within that time.
pub fn ask_for_tools(target: &Target, within: Duration) -> Result<Vec<String>, AskError> {
    let started = target.start().ok_or(AskError::Remote)?;
    let (process, body, pipes) = started.map_err(AskError::System)?;
    let mut asked = ToolQuery::attend(Arc::new(process), body, pipes, Instant::now() + within)?;
    let tools = asked.tools();
    asked.end();
    tools
}

/// A server that is asked.
struct ToolQuery {
    process: Arc<Process>,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    over: Receiver<()>,
    until: Instant,
    ids: u32,
}

impl ToolQuery {
    fn attend(
        process: Arc<Process>,
        body: RunningServer,
        pipes: Pipes,
        until: Instant,
    ) -> Result<Self, AskError> {
        let (say, lines) = mpsc::channel();
        let (end, over) = mpsc::channel();
        let (reads, logs, waits) =
            (Arc::clone(&process), Arc::clone(&process), Arc::clone(&process));
        let Pipes { input, output, mut log } = pipes;
        let started = spawn("redress-ask", move || {
            let mut output = BufReader::new(output);
            while let Some(line) = next_line(&mut output) {
                // The receiver is gone once there is an answer.
                say.send(line).unwrap_or_default();
            }
            reads.output_is_over();
        })
        .and_then(|()| {
            spawn("redress-ask-log", move || {
                // What it has to say is heard when it is started for a client.
                io::copy(&mut log, &mut io::sink()).unwrap_or_default();
                logs.log_is_over();
            })
        })
        .and_then(|()| {
            spawn("redress-ask-end", move || {
                // What others write to its pipes is of no use.
                waits.wait(body, || waits.nothing_is_read());
                end.send(()).unwrap_or_default();
            })
        });
        started.map_err(AskError::System)?;
        Ok(Self { process, input: Some(input), lines, over, until, ids: 0 })
    }

    fn tools(&mut self) -> Result<Vec<String>, AskError> {
        let is_greeted = self.ask("initialize", GREETING, |it| it.get("result").is_some())?;
        if is_greeted {
            self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        }
        let meta = if is_greeted { "" } else { STATELESS };
        let (mut tools, mut cursor) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let page = self.ask("tools/list", &params(meta, cursor.as_deref()), page)?;
            let (page, next) = page.ok_or(AskError::NoList)?;
            tools.extend(page);
            if next.is_none() || next == cursor || tools.len() >= MOST_TOOLS {
                break;
            }
            cursor = next;
        }
        tools.truncate(MOST_TOOLS);
        Ok(tools)
    }

    /// Asks something and gives what `read` makes of the answer.
    fn ask<T>(
        &mut self,
        method: &str,
        params: &str,
        read: impl Fn(Value<'_>) -> T,
    ) -> Result<T, AskError> {
        self.ids += 1;
        let id = u64::from(self.ids);
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ))?;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|it| match it {
                RecvTimeoutError::Timeout => AskError::Late,
                RecvTimeoutError::Disconnected => AskError::Ended,
            })?;
            // What is no message is no answer either.
            let Ok(doc) = Doc::parse(line.as_bytes(), Limits::DOCUMENT) else { continue };
            let message = doc.root();
            match (message.get("method"), message.get("id")) {
                (None, Some(its)) if its.as_u64() == Some(id) => return Ok(read(message)),
                (Some(_), Some(its)) => self.refuse(its.raw())?,
                _ => (),
            }
        }
    }

    /// The server wants something that only its client can give.
    fn refuse(&mut self, id: &str) -> Result<(), AskError> {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
        ))
    }

    fn send(&mut self, line: &str) -> Result<(), AskError> {
        let Some(input) = &mut self.input else { return Err(AskError::Ended) };
        let sent = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
        sent.map_err(|it| match it.kind() {
            io::ErrorKind::BrokenPipe => AskError::Ended,
            _ => AskError::System(it),
        })
    }

    /// Ends it: by closing its input, then less politely.
    fn end(mut self) {
        drop(self.input.take());
        for signal in [Signal::TERM, Signal::KILL] {
            if self.over.recv_timeout(GRACE).is_ok() {
                return;
            }
            self.process.signal(signal);
        }
        self.over.recv_timeout(GRACE).unwrap_or_default();
    }
}

/// The next line; nothing more once one is too long, or no text.
fn next_line(output: &mut impl io::BufRead) -> Option<String> {
    let mut line = String::new();
    let read = io::Read::take(output, LONGEST).read_line(&mut line).ok()?;
    (read > 0 && line.ends_with('\n')).then_some(line)
}

fn params(meta: &str, cursor: Option<&str>) -> String {
    let mut params = String::from("{");
    if let Some(cursor) = cursor {
        params.push_str("\"cursor\":");
        write_str(&mut params, cursor);
    }
    if !meta.is_empty() {
        params.push_str(if cursor.is_some() { "," } else { "" });
        params.push_str(meta);
    }
    params.push('}');
    params
}

/// A page of tools, and where the next one begins.
fn page(answer: Value<'_>) -> Option<(Vec<String>, Option<String>)> {
    let result = answer.get("result")?;
    let tools = result.get("tools").filter(|it| it.kind() == redress_wire::json::Kind::Array)?;
    let next = result.get("nextCursor").and_then(Value::as_str);
    let tools = tools.elements().map(|it| it.raw().to_owned()).collect();
    Some((tools, next.map(std::borrow::Cow::into_owned)))
}
