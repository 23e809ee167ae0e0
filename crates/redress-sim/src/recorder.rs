//! `Recorder`: records failures, and tells of them once they are durable. It has the order of the gate's own recorder.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use redress::fault::Receipt;
use redress_ledger::{Ledger, LedgerError, Record};
use redress_proxy::{
    outgoing::ToClient, pending_fault::PendingFault, request_facts::ArgumentsRule, server::Server,
    session::Repeat, upstream_id::UpstreamId,
};

/// What a connection hears from the recorder.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) connection: u64,
    pub(crate) what: Tidings,
}

#[derive(Debug)]
pub(crate) enum Tidings {
    /// A failure is for its client.
    Reply { to: Option<ToClient>, line: Vec<u8>, standing: Recorded },
    /// A repeat may be made, or not.
    Repeat(UpstreamId, bool),
}

/// What the ledger knows of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// It has a record.
    Kept(Receipt),
    /// It is counted.
    Counted,
    /// It could not be recorded.
    Missed,
}

/// What the recorder does wrong: a planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecorderBug {
    /// A failure is told before its record is durable.
    TellsFirst,
    /// Each eighth failure is not recorded, and told.
    Miscounts,
}

/// Failures as the recorder has seen them, by server.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) kept: u64,
    pub(crate) counted: u64,
    pub(crate) missed: u64,
    /// Those of them that no request waits for.
    pub(crate) unaddressed: u64,
}

/// What callers of the ledger leave behind for the connections.
#[derive(Debug, Default, Clone)]
pub(crate) struct Mailbox(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    told: VecDeque<Told>,
    tallies: BTreeMap<String, Tally>,
    /// The records that were said to be durable.
    acknowledged: Vec<Receipt>,
    /// How many failures wait for their records.
    waiting: usize,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take(&self) -> Option<Told> {
        self.lock().told.pop_front()
    }

    pub(crate) fn acknowledged(&self) -> Vec<Receipt> {
        std::mem::take(&mut self.lock().acknowledged)
    }

    pub(crate) fn tally(&self, server: &str) -> Tally {
        self.lock().tallies.get(server).copied().unwrap_or_default()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting
    }

    fn kept(&self, kept: &Result<Receipt, LedgerError>) {
        let mut inner = self.lock();
        inner.acknowledged.extend(kept.as_ref().ok().cloned());
    }

    fn tell(&self, server: &str, told: Told) {
        let mut inner = self.lock();
        if let Tidings::Reply { standing, to, .. } = &told.what {
            inner.waiting = inner.waiting.saturating_sub(1);
            let tally = inner.tallies.entry(server.to_owned()).or_default();
            tally.unaddressed += u64::from(to.is_none());
            match standing {
                Recorded::Kept(_) => tally.kept += 1,
                Recorded::Counted => tally.counted += 1,
                Recorded::Missed => tally.missed += 1,
            }
        }
        inner.told.push_back(told);
    }
}

/// Records the failures of the servers of one process.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) ledger: Option<Arc<Ledger>>,
    /// Whether calls go on where nothing can be recorded.
    pub(crate) is_open: bool,
    pub(crate) mailbox: Mailbox,
    pub(crate) bug: Option<RecorderBug>,
    seen: u64,
}

impl Recorder {
    pub(crate) fn new(ledger: Option<Arc<Ledger>>, is_open: bool) -> Self {
        Self { ledger, is_open, mailbox: Mailbox::default(), bug: None, seen: 0 }
    }

    /// Whether failures of new calls can be recorded.
    pub(crate) fn admits(&self) -> bool {
        self.is_open || self.ledger.as_ref().is_some_and(|it| it.admit().is_ok())
    }

    /// Records a failure; its client hears of it afterwards.
    pub(crate) fn record(
        &mut self,
        (server, connection): (&Arc<Server>, u64),
        mut pending: PendingFault,
        (is_to_commit, now): (bool, Instant),
    ) {
        self.mailbox.lock().waiting += 1;
        self.seen += 1;
        let (mailbox, name) = (self.mailbox.clone(), server.settings.server.clone());
        let is_open = self.is_open;
        let reply = move |pending: PendingFault, standing: Recorded| {
            let to = pending.address();
            let mut line = Vec::new();
            match &standing {
                Recorded::Kept(receipt) => pending.render(Some(receipt.clone()), &mut line),
                Recorded::Missed if !is_open => pending.render_unrecorded(&mut line),
                Recorded::Counted | Recorded::Missed => pending.render(None, &mut line),
            }
            let what = Tidings::Reply { to, line, standing };
            mailbox.tell(&name, Told { connection, what });
        };
        let Some(ledger) = self.ledger.clone() else { return reply(pending, Recorded::Missed) };
        if !pending.is_to_be_recorded() {
            ledger.miss();
            return reply(pending, Recorded::Missed);
        }
        match self.bug {
            Some(RecorderBug::TellsFirst) if self.seen.is_multiple_of(8) => {
                let record = pending.record(&server.settings, None);
                let kept = Receipt { seq: self.seen, hash: "-".repeat(32) };
                reply(pending, Recorded::Kept(kept));
                return ledger.append(record, drop);
            }
            Some(RecorderBug::Miscounts) if self.seen.is_multiple_of(8) => {
                return reply(pending, Recorded::Counted);
            }
            _ => (),
        }
        let mut recording = None;
        if pending.is_refusal {
            recording = ledger.may_record(&pending.kind());
            if recording.is_none() {
                return Self::count(server, &ledger, pending, reply);
            }
        }
        let digest = |canonical: &str| ledger.digest_of_arguments(canonical);
        let rule = ArgumentsRule { digest: &digest, are_kept: ledger.keeps_arguments() };
        let record = pending.record(&server.settings, Some(rule));
        if !server.may_record(record.line_bytes(), now) {
            return Self::count(server, &ledger, pending, reply);
        }
        let mailbox = self.mailbox.clone();
        let then = move |kept: Result<Receipt, LedgerError>| {
            mailbox.kept(&kept);
            reply(pending, kept.map_or(Recorded::Missed, Recorded::Kept));
            drop(recording);
        };
        if is_to_commit {
            ledger.enqueue(record, move |kept, _| then(kept));
        } else {
            ledger.append(record, then);
        }
    }

    fn count(
        server: &Server,
        ledger: &Ledger,
        mut pending: PendingFault,
        reply: impl FnOnce(PendingFault, Recorded) + Send + 'static,
    ) {
        pending.forget_request();
        server.metrics.counted();
        ledger.count(pending.kind(), move |counted| {
            reply(pending, if counted.is_ok() { Recorded::Counted } else { Recorded::Missed });
        });
    }

    /// Records a repeat, then says whether it may be made.
    pub(crate) fn record_repeat(&self, server: &Arc<Server>, connection: u64, repeat: &Repeat) {
        let (mailbox, id) = (self.mailbox.clone(), repeat.id);
        let (name, is_open) = (server.settings.server.clone(), self.is_open);
        let record = repeat.record(&server.settings.redactor);
        self.append(record, move |kept| {
            mailbox.kept(&kept);
            let what = Tidings::Repeat(id, kept.is_ok() || is_open);
            mailbox.tell(&name, Told { connection, what });
        });
    }

    fn append(
        &self,
        record: Record,
        then: impl FnOnce(Result<Receipt, LedgerError>) + Send + 'static,
    ) {
        match &self.ledger {
            Some(ledger) => ledger.append(record, then),
            None => then(Err(LedgerError::Closed)),
        }
    }

    /// Makes durable what waits.
    pub(crate) fn commit(&self) {
        let Some(ledger) = &self.ledger else { return };
        while ledger.commit() {}
        while ledger.take_turn() {}
    }
}
