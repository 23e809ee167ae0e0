//! A ledger in a temporary directory, with a clock that the test holds.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use redress::fault::Receipt;
use redress_ledger::{
    Entry, Evidence, Ledger, Options, Reader, Record, Redactor, Report, Time, verify,
};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// 2026-01-19T15:32:10.000Z
pub(crate) const START: u64 = 1_768_836_730_000;

pub(crate) struct Place {
    _root: TempDir,
    pub(crate) dir: PathBuf,
    pub(crate) key: PathBuf,
    now: Arc<AtomicU64>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let (dir, key) = (root.path().join("ledger"), root.path().join("config/ledger.key"));
        Self { _root: root, dir, key, now: Arc::new(AtomicU64::new(START)) }
    }

    pub(crate) fn options(&self) -> Options {
        let now = Arc::clone(&self.now);
        let clock = Arc::new(move || Time::from_millis(now.load(Ordering::SeqCst)));
        Options::new(&self.dir, &self.key, clock)
    }

    pub(crate) fn open(&self) -> Ledger {
        Ledger::open(self.options()).unwrap()
    }

    /// Moves the clock.
    pub(crate) fn pass(&self, millis: u64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }

    /// Sets the clock back.
    pub(crate) fn pass_back(&self, millis: u64) {
        self.now.fetch_sub(millis, Ordering::SeqCst);
    }

    /// Everything that can be checked against.
    pub(crate) fn evidence(&self, receipts: &[Receipt]) -> Evidence {
        let public = fs::read_to_string(self.key.with_extension("pub")).unwrap();
        Evidence {
            keys: vec![redress_ledger::PublicKey::parse(&public).unwrap()],
            receipts: receipts.to_vec(),
            key_file: Some(self.key.clone()),
            logs: Vec::new(),
            witnesses: Vec::new(),
        }
    }

    pub(crate) fn verify(&self) -> Report {
        verify(&self.dir, &self.evidence(&[])).unwrap()
    }

    /// Every record, in the order of time.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        Reader::open(&self.dir).unwrap().map(|it| it.unwrap()).collect()
    }

    /// The same, without what is no record.
    pub(crate) fn entries_that_hash(&self) -> Vec<Entry> {
        Reader::open(&self.dir).unwrap().flatten().collect()
    }

    /// The directories of the chains, oldest first.
    pub(crate) fn chains(&self) -> Vec<PathBuf> {
        subdirectories(&self.dir)
    }
}

pub(crate) fn subdirectories(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path()).collect();
    found.retain(|it| it.is_dir());
    found.sort();
    found
}

/// The segments of a chain, in order.
pub(crate) fn segments(chain: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(chain).unwrap().map(|it| it.unwrap().path()).collect();
    found.retain(|it| it.extension().is_some_and(|it| it == "jsonl"));
    found.sort();
    found
}

/// A record that can be told from others.
pub(crate) fn record(name: &str) -> Record {
    Record::session(&format!(r#"{{"id":"{name}"}}"#), &Redactor::default())
}

/// A line with the same body and a hash that fits it.
pub(crate) fn rehash(line: &str) -> String {
    let (body, _) = line.rsplit_once(",\"hash\"").unwrap();
    let hash = hex(&Sha256::digest(body.as_bytes()));
    format!("{body},\"hash\":\"{hash}\"}}")
}

/// A line that continues the one before it.
pub(crate) fn relink(before: &str, line: &str) -> String {
    let before: serde_json::Value = serde_json::from_str(before).unwrap();
    let (start, rest) = line.split_once("\"prev\":\"").unwrap();
    rehash(&format!("{start}\"prev\":\"{}{}", before["hash"].as_str().unwrap(), &rest[64..]))
}

/// Lines that were changed, with hashes and links as good as somebody without the key can make them.
pub(crate) fn rewritten(text: &str, change: impl Fn(&str) -> String) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().map(change) {
        lines.push(match lines.last() {
            None => rehash(&line),
            Some(before) => relink(before, &line),
        });
    }
    lines.join("\n") + "\n"
}

/// Copies a ledger, so that it can be damaged.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, it| text + &format!("{it:02x}"))
}
