//! A client of the gate that keeps count: what it asked, what it heard, and what is left behind.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::http::{Http, listening};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

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

/// The server that fails in every way.
pub(crate) fn bad_server() -> PathBuf {
    let path =
        Path::new(env!("CARGO_BIN_EXE_redress")).with_file_name("examples").join("bad_server");
    if !path.exists() {
        let args = ["build", "--quiet", "-p", "redress-cli", "--example", "bad_server"];
        assert!(Command::new(env!("CARGO")).args(args).status().unwrap().success());
    }
    path
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

    /// A gate with options, before a command.
    pub(crate) fn before(via: Via, options: &[&str], command: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ledger = dir.path().join("ledger").to_str().unwrap().to_owned();
        let options: Vec<&str> = ["--ledger", &*ledger].iter().chain(options).copied().collect();
        Self::spawn(via, dir, &options, command)
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
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.request("initialize", &params);
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

    /// Everything that is in the ledger.
    pub(super) fn records(&self) -> Vec<Value> {
        records(self.dir.path())
    }

    /// The faults that are in the ledger.
    pub(crate) fn recorded(&self) -> Vec<Value> {
        recorded(self.dir.path())
    }

    /// The next line, as it is and uncounted.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("something to hear")
    }

    pub(crate) fn gate_pid(&self) -> u32 {
        self.gate.id()
    }

    /// The most memory that the gate has had, in KiB.
    pub(crate) fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.gate.id())).unwrap();
        let line = status.lines().find(|it| it.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
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

/// The command of a gate that keeps its files in a directory.
pub(crate) fn gate(via: Via, dir: &Path, options: &[&str], command: &[&str]) -> Command {
    let mut gate = self::command(via);
    gate.args(["--name", "bad"]).args(options).arg("--").args(command);
    with_files(dir, &mut gate);
    gate
}

/// A gate of which nothing is said yet but how a client reaches it.
fn command(via: Via) -> Command {
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
    match via {
        Via::Run => gate.arg("run").stderr(Stdio::null()),
        Via::Serve => gate.args(["serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped()),
    };
    gate
}

/// The same for any command.
fn with_files<'g>(dir: &Path, gate: &'g mut Command) -> &'g mut Command {
    gate.env("XDG_CONFIG_HOME", dir.join("config"))
        .env("REDRESS_TEST_MARK", dir)
        .env("BAD_API_TOKEN", "correct-horse-battery")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
}

fn read_lines(output: impl std::io::Read, sender: &mpsc::Sender<String>) {
    for line in BufReader::with_capacity(1 << 20, output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8(line).expect("the gate writes UTF-8");
        if sender.send(line).is_err() {
            return;
        }
    }
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
fn records(dir: &Path) -> Vec<Value> {
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
    let mark = format!("REDRESS_TEST_MARK={}\0", dir.display());
    let is_ours = |process: &Path| {
        let environ = fs::read(process.join("environ")).unwrap_or_default();
        environ.windows(mark.len()).any(|it| it == mark.as_bytes())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|it| it.path());
    processes.filter(|it| is_ours(it)).map(|it| it.display().to_string()).collect()
}

/// The envelope of an answer, wherever it stands.
pub(crate) fn envelope(answer: &Value) -> Option<&Value> {
    let fault = answer.pointer("/result/_meta/dev.redress~1fault");
    fault.or_else(|| answer.pointer("/error/data/dev.redress~1fault"))
}

/// The envelope of an answer that is a failure.
pub(crate) fn fault(answer: &Value) -> &Value {
    envelope(answer).unwrap_or_else(|| panic!("no envelope: {answer}"))
}

/// Asserts the four things that a caller decides by.
pub(crate) fn assert_fault(answer: &Value, code: &str, retry: &str, effect: &str, origin: &str) {
    let fault = fault(answer);
    let of = |key: &str| fault[key].as_str().unwrap_or_default();
    let seen = (
        of("code"),
        fault["retry"]["kind"].as_str().unwrap_or_default(),
        of("effect"),
        of("origin"),
    );
    assert_eq!(seen, (code, retry, effect, origin), "{answer}");
    assert!(fault["ledger"]["seq"].is_u64(), "no receipt: {answer}");
    if answer.get("result").is_some() {
        assert_eq!(answer["result"]["isError"], true);
        let card = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(card.starts_with(&format!("{code}: ")), "{card}");
    }
}

/// Asserts that a call succeeds.
pub(crate) fn assert_works(client: &mut Client) {
    let answer = client.say(&[
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#,
    ]);
    assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
}

/// Lets others run.
pub(crate) fn pause() {
    #[expect(clippy::disallowed_methods, reason = "there is no event to wait for")]
    thread::sleep(Duration::from_millis(5));
}
