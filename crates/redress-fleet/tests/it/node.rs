//! A node: a ledger that is written and shipped as a gate does it.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use redress_fleet::{Fleet, Progress, Settings, Source, Starting};
use redress_ledger::{Clock, Entry, Ledger, Options, Reader, Record, Redactor, Time};

use crate::cluster::PATIENCE;

pub(crate) struct Node {
    pub(crate) ledger: Option<Ledger>,
    fleet: Option<Fleet>,
    pub(crate) progress: Arc<Progress>,
    said: Arc<Mutex<Vec<String>>>,
}

pub(crate) fn clock() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "this is where time comes in")]
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Arc::new(move || Time::from_millis(u64::try_from(now().as_millis()).unwrap()))
}

pub(crate) fn ledger_of(dir: &Path, node: &str) -> PathBuf {
    dir.join(node).join("ledger")
}

impl Node {
    /// Opens the ledger of a node and begins to ship it.
    pub(crate) fn start(dir: &Path, node: &str, settings: Settings) -> Self {
        Self::start_with(dir, node, settings, |_, _| ())
    }

    pub(crate) fn start_with(
        dir: &Path,
        node: &str,
        settings: Settings,
        change: impl FnOnce(&mut Options, &Arc<Progress>),
    ) -> Self {
        let place = ledger_of(dir, node);
        let starting = Starting::default();
        let progress = starting.progress();
        let mut options = Options::new(&place, dir.join(node).join("key"), clock());
        options.on_commit = Some(starting.on_commit());
        change(&mut options, &progress);
        let ledger = Ledger::open(options).unwrap();
        let source = Source {
            node: node.to_owned(),
            ledger: place,
            own: Some(ledger.chain().into()),
            clock: clock(),
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let hear = Arc::clone(&said);
        let say = Arc::new(move |it: &str| {
            hear.lock().unwrap_or_else(PoisonError::into_inner).push(it.to_owned());
        });
        let fleet = starting.start(settings, source, say).unwrap();
        Self { ledger: Some(ledger), fleet: Some(fleet), progress, said }
    }

    /// Records so many failures; several are made durable together, as in a gate with many calls.
    pub(crate) fn fail(&self, from: u64, count: u64) {
        let ledger = self.ledger.as_ref().unwrap();
        let last = from + count - 1;
        for at in from..last {
            ledger.append(record(at), |kept| drop(kept.unwrap()));
        }
        ledger.append_wait(record(last)).unwrap();
    }

    /// Waits until the engine has everything that is durable.
    pub(crate) fn wait(&self) {
        let started = Instant::now();
        while self.progress.snapshot().lag_records > 0 {
            assert!(
                started.elapsed() < PATIENCE,
                "{:?}\n{:?}",
                self.progress.snapshot(),
                self.said()
            );
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until something was said.
    pub(crate) fn wait_for(&self, words: &str) -> String {
        let started = Instant::now();
        loop {
            if let Some(said) = self.said().into_iter().find(|it| it.contains(words)) {
                return said;
            }
            assert!(started.elapsed() < PATIENCE, "not said: {words}; but {:?}", self.said());
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// Ends as a gate does: the chain is closed, and what is left is shipped.
    pub(crate) fn stop(mut self) -> bool {
        self.ledger.take().unwrap().close().unwrap();
        self.fleet.take().unwrap().finish(PATIENCE)
    }

    /// Ends without a word to the engine.
    pub(crate) fn abandon(mut self) {
        drop(self.fleet.take());
    }
}

/// A node in a process of its own, which is killed while it records and ships.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(url: &str, dir: &Path, node: &str, records: u64) -> Self {
        let own = std::env::current_exe().unwrap();
        let program = own.ancestors().nth(2).unwrap().join("examples/fleet-node");
        let mut command = Command::new(program);
        command.args([url, dir.to_str().unwrap(), node, &records.to_string()]);
        Self(command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap())
    }

    /// Waits until it has recorded and shipped everything.
    pub(crate) fn end(mut self) {
        assert!(self.0.wait().unwrap().success());
    }

    /// Waits until so many bytes are in the ledger, then kills it as `kill -9` does.
    pub(crate) fn kill_at(mut self, ledger: &Path, bytes: u64) {
        let started = Instant::now();
        while size(ledger) < bytes {
            assert!(started.elapsed() < PATIENCE && self.0.try_wait().unwrap().is_none());
            std::thread::park_timeout(Duration::from_millis(1));
        }
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The bytes of all records of a ledger.
fn size(ledger: &Path) -> u64 {
    let chains = redress_ledger::Chain::all(ledger).unwrap_or_default();
    let files = chains.iter().flat_map(|it| std::fs::read_dir(&it.path).into_iter().flatten());
    files.flatten().filter_map(|it| Some(it.metadata().ok()?.len())).sum()
}

/// A failure with a number.
pub(crate) fn record(at: u64) -> Record {
    redress_ledger::Checked {
        chain: format!("20260119T153210123Z-{at}-9f2c41d07a3e"),
        seq: at,
        by: "x".repeat(300),
        note: None,
    }
    .record(&Redactor::default())
}

/// All records of a ledger, in the order of their chains.
pub(crate) fn entries(ledger: &Path) -> Vec<Entry> {
    let mut all: Vec<Entry> = Reader::open(ledger).unwrap().map(Result::unwrap).collect();
    all.sort_by(|one, other| (&one.chain, one.seq).cmp(&(&other.chain, other.seq)));
    all
}
