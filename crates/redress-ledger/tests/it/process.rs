//! A writer in a process of its own, which tells what it was told is durable.

use std::{
    env,
    io::{self, BufRead as _, BufReader, IoSlice},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::Arc,
    thread,
    time::Instant,
};

use redress_ledger::{Ledger, Options, Time};

use crate::fixture::{Place, record};

const SWITCH: &str = "REDRESS_LEDGER_WRITER";

/// What the process does. Sent through the environment.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) threads: usize,
    pub(crate) each: usize,
    pub(crate) segment_bytes: u64,
    pub(crate) reserve_bytes: u64,
    /// How many milliseconds of the ledger's clock pass in one.
    pub(crate) haste: u64,
}

/// Not a test: the body of the writer process.
#[test]
#[ignore = "started by other tests, as a process"]
fn writer() {
    let plan = env::var_os(SWITCH).and_then(|it| it.into_string().ok());
    let plan = plan.expect("it is started by other tests, which say what to write");
    let parts: Vec<&str> = plan.split('\n').collect();
    let [dir, key, threads, each, segment_bytes, reserve_bytes, haste] = parts[..] else {
        panic!("{parts:?}")
    };
    let haste: u64 = haste.parse().unwrap();
    let start = Instant::now();
    let clock = Arc::new(move || {
        let passed = u64::try_from(start.elapsed().as_millis()).unwrap();
        Time::from_millis(crate::fixture::START + passed * haste)
    });
    let mut options = Options::new(dir, key, clock);
    options.segment_bytes = segment_bytes.parse().unwrap();
    options.reserve_bytes = reserve_bytes.parse().unwrap();
    let ledger = match Ledger::open(options) {
        Ok(ledger) => Arc::new(ledger),
        Err(error) => return say(&format!("\nunopened {error}\n")),
    };
    say(&format!("\nopen {}\n", ledger.chain()));
    let each: usize = each.parse().unwrap();
    let work = (0..threads.parse().unwrap()).map(|number: usize| {
        let ledger = Arc::clone(&ledger);
        thread::spawn(move || {
            for turn in 0..each {
                let name = format!("{number}.{turn}");
                if let Err(error) = ledger.admit() {
                    ledger.miss();
                    say(&format!("refused {error}\n"));
                }
                match ledger.append_wait(record(&name)) {
                    Ok(it) => say(&format!("ack {} {} {name}\n", it.seq, it.hash)),
                    Err(error) => say(&format!("err {error}\n")),
                }
            }
        })
    });
    for thread in work.collect::<Vec<_>>() {
        thread.join().unwrap();
    }
    match ledger.close() {
        Ok(()) => say("closed\n"),
        Err(error) => say(&format!("unclosed {error}\n")),
    }
}

/// One line, by a call that cannot be mistaken for the `write` of a file. If nobody listens any more, the process ends.
fn say(line: &str) {
    rustix::io::writev(io::stdout(), &[IoSlice::new(line.as_bytes())]).unwrap();
}

/// A record that a process was told is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ack {
    pub(crate) chain: String,
    pub(crate) seq: u64,
    pub(crate) hash: String,
    pub(crate) name: String,
}

/// A running writer.
pub(crate) struct Running {
    child: Child,
    heard: BufReader<ChildStdout>,
    pub(crate) chain: String,
    pub(crate) acks: Vec<Ack>,
    pub(crate) errors: Vec<String>,
    pub(crate) refusals: usize,
    pub(crate) closed: bool,
}

/// Starts a writer, with the given words before its command.
pub(crate) fn start(place: &Place, plan: &Plan, before: &[String]) -> Running {
    let exe = env::current_exe().unwrap();
    let words: Vec<String> =
        ["--ignored", "--exact", "process::writer", "--nocapture"].map(str::to_owned).to_vec();
    let mut command = match before.split_first() {
        None => Command::new(&exe),
        Some((program, rest)) => {
            let mut command = Command::new(program);
            command.args(rest).arg(&exe);
            command
        }
    };
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let numbers =
        [plan.threads as u64, plan.each as u64, plan.segment_bytes, plan.reserve_bytes, plan.haste];
    let mut value = vec![text(&place.dir), text(&place.key)];
    value.extend(numbers.map(|it| it.to_string()));
    command
        .args(words)
        .env(
            SWITCH,
            value.join(
                "
",
            ),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let heard = BufReader::new(child.stdout.take().unwrap());
    Running {
        child,
        heard,
        chain: String::new(),
        acks: Vec::new(),
        errors: Vec::new(),
        refusals: 0,
        closed: false,
    }
}

impl Running {
    /// Hears one more line; `false` when the process has nothing more to say.
    pub(crate) fn hear(&mut self) -> bool {
        let mut line = String::new();
        if !matches!(self.heard.read_line(&mut line), Ok(1..)) || !line.ends_with('\n') {
            return false;
        }
        let words: Vec<&str> = line.trim_end().splitn(4, ' ').collect();
        match words[..] {
            ["open", chain] => self.chain = chain.to_owned(),
            ["ack", seq, hash, name] => self.acks.push(Ack {
                chain: self.chain.clone(),
                seq: seq.parse().unwrap(),
                hash: hash.to_owned(),
                name: name.to_owned(),
            }),
            ["closed"] => self.closed = true,
            ["refused", ..] => self.refusals += 1,
            ["err" | "unopened" | "unclosed", ..] => self.errors.push(line.trim_end().to_owned()),
            // What the test harness says.
            _ => (),
        }
        true
    }

    /// Hears everything to the end of the process.
    pub(crate) fn finish(mut self) -> Self {
        while self.hear() {}
        self.child.wait().unwrap();
        self
    }

    /// Stops listening, which ends the process even if it is not our child but strace's.
    pub(crate) fn abandon(self) {
        let Self { mut child, heard, .. } = self;
        drop(heard);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Kills the process and hears what it had said before.
    pub(crate) fn kill(mut self) -> Self {
        self.child.kill().unwrap();
        self.finish()
    }
}

/// Asserts that every acknowledged record is there, unchanged, and that nothing else is given out as one.
pub(crate) fn assert_kept(place: &Place, acks: &[Ack]) {
    if acks.is_empty() && !place.dir.exists() {
        return;
    }
    let entries: std::collections::BTreeMap<_, _> =
        place.entries().into_iter().map(|it| ((it.chain.to_string(), it.seq), it)).collect();
    for ack in acks {
        let entry = entries.get(&(ack.chain.clone(), ack.seq));
        let entry = entry.unwrap_or_else(|| panic!("{ack:?} is lost"));
        assert!(entry.hash.to_string().starts_with(&ack.hash), "{ack:?} is another record");
        assert!(
            entry.text.contains(&format!("\"id\":\"{}\"", ack.name)),
            "{ack:?}: {}",
            entry.text
        );
    }
}

/// Longer runs are asked for with `REDRESS_FULL`.
pub(crate) fn rounds(usual: usize, full: usize) -> usize {
    if env::var_os("REDRESS_FULL").is_some() { full } else { usual }
}

pub(crate) fn temporary_log(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    (dir, path)
}
