//! A ledger with failures, written by the ledger itself.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use redress::{Fault, codes, redact::Redactor};
use redress_ledger::{
    Calls, Checked, ClientInfo, Ledger, Options, Record, RequestInfo, Tally, Time,
};

/// 2026-01-19T15:00:00Z.
pub(super) const START: u64 = 1_768_834_800_000;

/// A ledger in a directory of its own, with a clock that the test sets.
pub(super) struct Fixture {
    pub(super) dir: tempfile::TempDir,
    clock: Arc<AtomicU64>,
    ledger: Option<Ledger>,
}

/// What differs between the failures of a test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) code: &'a str,
    pub(super) said: &'a str,
    pub(super) client: &'a str,
    pub(super) run: &'a str,
    pub(super) arguments: &'a str,
    /// The hint, if it is not the one of the code.
    pub(super) hint: Option<&'a str>,
    /// The number of its call in its run, if the ledger tells of successes.
    pub(super) call: Option<u64>,
}

impl Default for Failure<'_> {
    fn default() -> Self {
        Self {
            server: "files",
            tool: "read_file",
            code: "FILE_NOT_FOUND",
            said: "ENOENT: no such file",
            client: "inspector",
            run: "run-1",
            arguments: "00000000000000000000000000000001",
            hint: None,
            call: None,
        }
    }
}

impl Fixture {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(AtomicU64::new(START));
        let ledger = open(&dir.path().join("ledger"), &dir.path().join("key"), &clock);
        Self { dir, clock, ledger: Some(ledger) }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("ledger")
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.load(Ordering::SeqCst)
    }

    pub(super) fn set_clock(&self, millis: u64) {
        self.clock.store(millis, Ordering::SeqCst);
    }

    pub(super) fn chain(&self) -> String {
        self.ledger.as_ref().unwrap().chain().to_owned()
    }

    pub(super) fn fail(&self, failure: Failure<'_>) -> u64 {
        let mut fault: Fault = match failure.code {
            "TIMEOUT" => codes::TIMEOUT.raise([("limit_ms", "100")]),
            "UNKNOWN_TOOL_FAILURE" => codes::UNKNOWN_TOOL_FAILURE.raise([] as [(&str, &str); 0]),
            _ => codes::FILE_NOT_FOUND.raise([("path", "a")]),
        };
        fault.context.server = Some(failure.server.to_owned());
        fault.context.tool = Some(failure.tool.to_owned());
        fault.server_text = Some(failure.said.to_owned());
        if let Some(hint) = failure.hint {
            fault.hint = hint.to_owned();
        }
        let request = RequestInfo {
            client: Some(ClientInfo { name: failure.client.into(), version: "1".into() }),
            run: Some(failure.run.into()),
            arguments_hmac: Some(failure.arguments.into()),
            call: failure.call,
            basis: Some("inferred".into()),
            flagged: Some(true),
            ..RequestInfo::default()
        };
        let record = Record::fault(&fault, &Redactor::default()).with_request(&request);
        self.append(record)
    }

    pub(super) fn append(&self, record: Record) -> u64 {
        self.ledger.as_ref().unwrap().append_wait(record).unwrap().seq
    }

    pub(super) fn tally(&self, tool: &str, ok: u64, fault: u64) {
        let mut calls =
            Calls { server: "files".into(), tool: tool.into(), ok, fault, ..Calls::default() };
        (0..ok + fault).for_each(|_| calls.took(7));
        let tally =
            Tally { minute: Tally::minute_of(Time::from_millis(self.now())), calls: vec![calls] };
        tally.records().for_each(|it| {
            self.append(it);
        });
    }

    pub(super) fn succeed(&self, tool: &str, run: &str, call: u64) {
        let object = format!(r#"{{"server":"files","tool":"{tool}"}}"#);
        let request =
            RequestInfo { run: Some(run.into()), call: Some(call), ..RequestInfo::default() };
        self.append(Record::call(&object, &Redactor::default()).with_request(&request));
    }

    pub(super) fn check(&self, seq: u64) {
        let checked = Checked {
            chain: self.chain(),
            seq,
            by: "operator".to_owned(),
            note: Some("looked at it".to_owned()),
        };
        self.append(checked.record(&Redactor::default()));
    }

    pub(super) fn close(&mut self) {
        if let Some(ledger) = self.ledger.take() {
            ledger.close().unwrap();
        }
    }
}

fn open(dir: &Path, key: &Path, clock: &Arc<AtomicU64>) -> Ledger {
    let clock = Arc::clone(clock);
    let time = Arc::new(move || Time::from_millis(clock.load(Ordering::SeqCst)));
    Ledger::open(Options::new(dir, key, time)).unwrap()
}
