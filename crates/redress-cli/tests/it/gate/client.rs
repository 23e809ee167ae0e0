//! A client of the gate that keeps count: what it asked, what it heard, and what is left behind.

mod answer;
mod program;

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::http::{Http, listening};
use crate::stopwatch::Stopwatch;

use self::program::{command, records, with_files};
pub(crate) use self::{
    answer::{assert_fault, assert_told, assert_works, envelope, fault},
    program::{bad_server, gate, left_behind, pause, recorded, wait},
};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a client reaches the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Via {
    /// `redress run`, on pipes.
    Run,
    /// `redress serve`, over HTTP.
    Serve,
}

/// Every test once on pipes and once over HTTP.
macro_rules! both_ways {
    ($($name:ident,)*) => {
        mod run {
            $(#[test] fn $name() { super::$name(crate::gate::client::Via::Run); })*
        }
        mod serve {
            $(#[test] fn $name() { super::$name(crate::gate::client::Via::Serve); })*
        }
    };
}
pub(super) use both_ways;

/// What a client writes to.
enum Way {
    Pipe(Option<ChildStdin>),
    Http(Http),
}

/// A client with a gate and a server of its own.
pub(crate) struct Client {
    gate: Child,
    way: Way,
    lines: Receiver<String>,
    heard: BTreeMap<String, Vec<Value>>,
    /// Answers that name no request, and everything that is no answer.
    pub(super) others: Vec<Value>,
    asked: BTreeMap<String, usize>,
    /// How many answers to an id the test has seen.
    seen: BTreeMap<String, usize>,
    next: u64,
    /// What was read from the ledger so far, by sequence number.
    ledger: BTreeMap<u64, Value>,
    dir: TempDir,
}

impl Drop for Client {
    /// Leaves no gate behind when a test ends without ending it.
    fn drop(&mut self) {
        if self.gate.try_wait().is_ok_and(|it| it.is_none()) {
            drop(self.gate.kill());
            drop(self.gate.wait());
        }
    }
}

impl Client {
    /// A gate with options, before the bad server with flags.
    pub(crate) fn start(via: Via, options: &[&str], flags: &[&str]) -> Self {
        let server = bad_server();
        let command: Vec<&str> =
            [server.to_str().unwrap()].into_iter().chain(flags.iter().copied()).collect();
        Self::before(via, options, &command)
    }

    /// The same, with a session that is open.
    pub(crate) fn open(via: Via, options: &[&str]) -> Self {
        let mut client = Self::start(via, options, &[]);
        client.initialize();
        client
    }

    /// The same, without a ledger unless the options name one.
    pub(crate) fn bare(via: Via, options: &[&str]) -> Self {
        let server = bad_server();
        let mut client =
            Self::spawn(via, tempfile::tempdir().unwrap(), options, &[server.to_str().unwrap()]);
        client.initialize();
        client
    }

    /// The same with a configuration file that has these sections, and a session that is open.
    pub(crate) fn configured(via: Via, sections: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("redress.toml");
        let command = bad_server();
        let text = format!(
            "{sections}\n[ledger]\ndir = 'ledger'\n[server.bad]\ncommand = ['{}']\n",
            command.display()
        );
        fs::write(&file, text).unwrap();
        let mut client = Self::spawn(via, dir, &["--config", file.to_str().unwrap()], &[]);
        client.initialize();
        client
    }

    /// A gate with options and without a ledger, before the bad server with these settings, and a session that is open.
    pub(crate) fn with_settings(via: Via, settings: &str, options: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("redress.toml");
        let text = format!("[server.bad]\ncommand = ['{}']\n{settings}", bad_server().display());
        fs::write(&file, text).unwrap();
        let config = ["--no-ledger", "--config", file.to_str().unwrap()];
        let options: Vec<&str> = config.iter().chain(options).copied().collect();
        let mut client = Self::spawn(via, dir, &options, &[]);
        client.initialize();
        client
    }

    /// A gate with options, before a command.
    pub(crate) fn before(via: Via, options: &[&str], command: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ledger = dir.path().join("ledger").to_str().unwrap().to_owned();
        let options: Vec<&str> = ["--ledger", &*ledger].iter().chain(options).copied().collect();
        Self::spawn(via, dir, &options, command)
    }

    /// A gate whose process has a child that was there before the gate, and a session that is open.
    pub(crate) fn beside_another(via: Via) -> Self {
        let (dir, server) = (tempfile::tempdir().unwrap(), bad_server());
        let ledger = dir.path().join("ledger");
        let options = ["--ledger", ledger.to_str().unwrap()];
        let gate = gate(via, dir.path(), &options, &[server.to_str().unwrap()]);
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 600 >/dev/null 2>&1 & exec \"$@\"", "sh"]);
        shell.arg(gate.get_program()).args(gate.get_args());
        shell.stderr(if via == Via::Serve { Stdio::piped() } else { Stdio::null() });
        let mut client = Self::of(via, dir, &mut shell);
        client.initialize();
        client
    }

    /// A gate with a configuration, before one of its servers.
    pub(crate) fn with_config(
        via: Via,
        config: &str,
        name: &str,
        options: &[&str],
        env: &[(&str, &str)],
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("redress.toml");
        fs::write(&file, config).unwrap();
        let mut gate = command(via);
        gate.args(["--name", name, "--config"]).arg(file);
        gate.arg("--ledger").arg(dir.path().join("ledger")).args(options);
        gate.envs(env.iter().copied());
        Self::of(via, dir, &mut gate)
    }

    fn spawn(via: Via, dir: TempDir, options: &[&str], command: &[&str]) -> Self {
        let mut gate = gate(via, dir.path(), options, command);
        Self::of(via, dir, &mut gate)
    }

    fn of(via: Via, dir: TempDir, gate: &mut Command) -> Self {
        let mut gate = with_files(dir.path(), gate).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let way = match via {
            Via::Serve => Way::Http(Http::new(&listening(gate.stderr.take().unwrap()), sender)),
            Via::Run => {
                let output = gate.stdout.take().unwrap();
                thread::spawn(move || read_lines(output, &sender));
                Way::Pipe(gate.stdin.take())
            }
        };
        let (heard, asked, seen) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self {
            gate,
            way,
            lines,
            heard,
            others: Vec::new(),
            asked,
            seen,
            next: 1,
            ledger: BTreeMap::new(),
            dir,
        }
    }

    pub(crate) fn initialize(&mut self) -> Value {
        self.initialize_in("2025-11-25")
    }

    /// The same in a revision.
    pub(crate) fn initialize_in(&mut self, revision: &str) -> Value {
        let mut hello = hello();
        hello["protocolVersion"] = revision.into();
        let answer = self.request("initialize", &hello);
        self.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        answer
    }

    /// Asks, and waits for the answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&id)
    }

    /// Calls a tool, and waits for the answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls the tool that writes these lines.
    pub(crate) fn say(&mut self, lines: &[&str]) -> Value {
        self.call("say", &json!({"lines": lines}))
    }

    /// Calls a tool, and does not wait.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> String {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Asks, and does not wait; gives the id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> String {
        let id = self.next.to_string();
        self.next += 1;
        let line =
            json!({"jsonrpc": "2.0", "id": self.next - 1, "method": method, "params": params});
        self.write_request(&id, &format!("{line}\n"));
        id
    }

    /// Writes a request that is written already.
    pub(crate) fn write_request(&mut self, id: &str, line: &str) {
        *self.asked.entry(id.to_owned()).or_default() += 1;
        self.write(line);
    }

    /// Writes an array of messages, of which these ids are to be answered.
    pub(crate) fn write_batch(&mut self, ids: &[&str], messages: &[&str]) {
        for id in ids {
            *self.asked.entry((*id).to_owned()).or_default() += 1;
        }
        self.write(&format!("[{}]\n", messages.join(", ")));
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) {
        match &mut self.way {
            Way::Pipe(input) => input.as_mut().unwrap().write_all(bytes).unwrap(),
            Way::Http(http) => http.write(bytes),
        }
    }

    /// The client's end over HTTP.
    pub(crate) fn http(&self) -> Http {
        match &self.way {
            Way::Http(http) => http.clone(),
            Way::Pipe(_) => panic!("a client on pipes"),
        }
    }

    /// Lets what was written before arrive before what is written next: each message has a connection of its own.
    pub(crate) fn in_order(&self) {
        if matches!(self.way, Way::Http(_)) {
            (0..40).for_each(|_| pause());
        }
    }

    /// The next answer to an id.
    pub(crate) fn answer(&mut self, id: &str) -> Value {
        self.answer_within(id, PATIENCE).unwrap_or_else(|| panic!("no answer to {id}"))
    }

    pub(crate) fn answer_within(&mut self, id: &str, time: Duration) -> Option<Value> {
        let until = Instant::now() + time;
        let seen = self.seen.get(id).copied().unwrap_or_default();
        while self.heard.get(id).map_or(0, Vec::len) == seen {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => self.take(&line),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
        self.seen.insert(id.to_owned(), seen + 1);
        self.heard.get(id)?.get(seen).cloned()
    }

    /// The next message that is no answer to a request.
    pub(crate) fn other(&mut self) -> Value {
        let seen = self.others.len();
        while self.others.len() == seen {
            let line = self.lines.recv_timeout(PATIENCE).expect("something to hear");
            self.take(&line);
        }
        self.others.last().unwrap().clone()
    }

    /// Takes in what was heard; whatever it is, its failure is in the ledger already.
    fn take(&mut self, line: &str) {
        let message: Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line:.200}"));
        if let Some(fault) = envelope(&message)
            && let Some(receipt) = fault.get("ledger")
        {
            let (seq, hash) = (receipt["seq"].as_u64().unwrap(), receipt["hash"].as_str().unwrap());
            if !self.ledger.contains_key(&seq) {
                let records = records(self.dir.path()).into_iter();
                self.ledger = records.map(|it| (it["seq"].as_u64().unwrap(), it)).collect();
            }
            let record = self.ledger.get(&seq);
            let record = record.unwrap_or_else(|| panic!("told before it was recorded: {line}"));
            assert!(record["hash"].as_str().unwrap().starts_with(hash));
            assert_eq!(record["fault"]["code"], fault["code"]);
        }
        assert!(!line.contains("correct-horse-battery"), "a secret: {line}");
        let is_answer = message.get("method").is_none();
        match message.get("id").filter(|_| is_answer) {
            Some(id) => self.heard.entry(id.to_string()).or_default().push(message),
            None => self.others.push(message),
        }
    }

    /// Where the ledger is.
    pub(crate) fn ledger(&self) -> std::path::PathBuf {
        self.dir.path().join("ledger")
    }

    /// Everything that is in the ledger.
    pub(crate) fn records(&self) -> Vec<Value> {
        records(self.dir.path())
    }

    /// The faults that are in the ledger.
    pub(crate) fn recorded(&self) -> Vec<Value> {
        recorded(self.dir.path())
    }

    /// The next line, as it is and uncounted.
    pub(crate) fn line(&self) -> String {
        let soon = self.lines.recv_timeout(Duration::from_secs(1)).ok();
        soon.unwrap_or_else(|| {
            let watch = self.stopwatch();
            loop {
                match self.lines.recv_timeout(Duration::from_secs(1)) {
                    Ok(line) => return line,
                    Err(_) => assert!(watch.elapsed() < PATIENCE, "something to hear"),
                }
            }
        })
    }

    /// Measures what the gate and its servers take.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start(self.gate.id())
    }

    pub(crate) fn gate_pid(&self) -> u32 {
        self.gate.id()
    }

    /// The most memory that the gate has had, in KiB.
    pub(crate) fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.gate.id())).unwrap();
        kib(&status, "VmHWM:")
    }

    /// The same without the pages of its program file: how many of them are in memory depends on the build and on the system.
    pub(crate) fn own_peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.gate.id())).unwrap();
        kib(&status, "VmHWM:").saturating_sub(kib(&status, "RssFile:"))
    }

    /// The client closes its side. Over HTTP it has none, and a signal ends the gate.
    pub(crate) fn close(&mut self) {
        match &mut self.way {
            Way::Pipe(input) => *input = None,
            Way::Http(http) => {
                http.end();
                self.signal("-TERM");
            }
        }
    }

    /// Sends a signal to the gate.
    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.gate.id().to_string();
        // It may have ended already.
        Command::new("kill").args([signal, &pid]).stderr(Stdio::null()).status().unwrap();
    }

    /// Waits for the end of the gate and checks what must hold for every run: each request was answered once,
    /// everything is in order in the ledger, no process is left.
    pub(crate) fn end(mut self) -> (i32, Vec<Value>) {
        self.close();
        let exit = self.wait();
        // Over HTTP the test itself may hold the other end; whoever hears something has heard it by now.
        let patience = match self.way {
            Way::Pipe(_) => PATIENCE,
            Way::Http(_) => Duration::from_millis(300),
        };
        while let Ok(line) = self.lines.recv_timeout(patience) {
            self.take(&line);
        }
        for (id, count) in &self.asked {
            assert_eq!(
                self.heard.get(id).map_or(0, Vec::len),
                *count,
                "answers to {id}: {:?}",
                self.heard
            );
        }
        for id in self.heard.keys() {
            assert!(self.asked.contains_key(id), "an answer to {id}, which nobody asked");
        }
        assert_eq!(self.left_behind(), [] as [String; 0]);
        (exit, self.recorded())
    }

    /// The exit code, within reasonable time.
    pub(crate) fn wait(&mut self) -> i32 {
        wait(&mut self.gate)
    }

    /// Processes that are left behind.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        left_behind(self.dir.path())
    }
}

/// What a client says of itself first.
pub(crate) fn hello() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
}

fn read_lines(output: impl std::io::Read, sender: &mpsc::Sender<String>) {
    for line in BufReader::with_capacity(1 << 20, output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8(line).expect("the gate writes UTF-8");
        if sender.send(line).is_err() {
            return;
        }
    }
}

/// A number of the status of a process, in KiB.
fn kib(status: &str, name: &str) -> u64 {
    let line = status.lines().find(|it| it.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
