//! `FailureRecorder`: where the failures of a server are recorded, and what happens when they cannot be.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redress::fault::Receipt;
use redress_govern::{CallContext, invariant::INV_RECORD_FIRST, session::HINT_OF_LOCK};
use redress_ledger::{By, Ledger, LedgerError, Record, RefusalKind};
use redress_proxy::{
    outgoing::ToClient,
    pending_fault::{PendingFault, ReplyHead},
    request_facts::ArgumentsRule,
    server::Server,
    session::Repeat,
    succeeded_call::SucceededCall,
};

use crate::replies::FailureReply;

/// How long writes may take to be put back when the gate ends; what takes longer is put back when one starts again.
const LAST_WRITES: Duration = Duration::from_millis(700);

/// What happens when a failure cannot be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnLedgerFailure {
    /// The client gets only that the failure could not be recorded, and new calls are refused.
    Closed,
    /// The client gets the failure all the same.
    Open,
}

/// Records the failures of one server.
#[derive(Clone)]
pub(crate) struct FailureRecorder {
    pub(crate) ledger: Option<Arc<Ledger>>,
    pub(crate) on_failure: OnLedgerFailure,
    pub(crate) server: Arc<Server>,
}

impl FailureRecorder {
    /// Records the failures of a server, and counts its calls, in a ledger if there is one.
    pub(crate) fn new(
        server: Arc<Server>,
        ledger: Option<Arc<Ledger>>,
        on_failure: OnLedgerFailure,
    ) -> Self {
        if let Some(ledger) = &ledger {
            server.count_calls_in(ledger.calls_of(&server.settings.server));
        }
        Self { ledger, on_failure, server }
    }

    /// Whether anything is recorded, or must be.
    pub(crate) fn is_active(&self) -> bool {
        self.ledger.is_some() || self.server.is_governed()
    }

    /// Whether failures of new calls can be recorded.
    pub(crate) fn admit(&self) -> bool {
        match &self.ledger {
            _ if self.on_failure == OnLedgerFailure::Open => true,
            Some(ledger) => ledger.admit().is_ok(),
            None => !self.server.has_lost_ledger(),
        }
    }

    /// Counts a failure that is not recorded because it cannot be: a later record tells of it.
    pub(crate) fn miss(&self) {
        if let Some(ledger) = &self.ledger {
            ledger.miss();
        }
        if self.ledger.is_some() || self.server.has_lost_ledger() {
            self.server.metrics.unrecorded();
        }
    }

    /// Records a failure, then gives what the client hears of it. Who is to commit it calls [`Self::commit`] afterwards;
    /// else the ledger's own thread does.
    pub(crate) fn record(
        &self,
        mut pending: PendingFault,
        is_to_commit: bool,
        then: impl FnOnce(FailureReply, By) + Send + 'static,
    ) {
        let Some(ledger) = &self.ledger else {
            return then(FailureReply::without_record(pending, &self.server), By::Other);
        };
        let (on_failure, server) = (self.on_failure, Arc::clone(&self.server));
        let locks = will_lock(&server, &pending);
        if locks {
            pending = pending.with_hint_before(HINT_OF_LOCK, &server.settings.emission());
        }
        let mut recording = None;
        if self.may_count(&pending) && !locks {
            recording = ledger.may_record(&pending.kind());
            if recording.is_none() {
                return self.count(ledger, pending, then);
            }
        }
        let digest = |canonical: &str| ledger.digest_of_arguments(canonical);
        let arguments = ArgumentsRule { digest: &digest, are_kept: ledger.keeps_arguments() };
        let mut record = pending.record(&self.server.settings, Some(arguments));
        let is_over = !server.may_record(record.line_bytes(), Instant::now());
        if is_over && !locks && !server.is_governed() {
            return self.count(ledger, pending, then);
        }
        if locks {
            record = record.that_locks();
        }
        let then = self.timed(move |kept: Result<Receipt, _>, by| {
            if locks {
                locked(&server, &pending, kept.as_ref().ok().map(|it| it.seq));
            }
            let reply = match kept {
                Ok(receipt) => FailureReply::of(pending, Some(receipt)),
                Err(_) if on_failure == OnLedgerFailure::Open => {
                    FailureReply::without_record(pending, &server)
                }
                Err(_) => FailureReply::unrecorded(pending),
            };
            then(reply, by);
            // Failures that are only counted may follow now.
            drop(recording);
        });
        if is_to_commit {
            ledger.enqueue(record, then);
        } else {
            ledger.append(record, move |kept| then(kept, By::Other));
        }
    }

    /// Whether a failure may be counted: it is a refusal of the gate itself.
    fn may_count(&self, pending: &PendingFault) -> bool {
        pending.is_refusal && !self.server.is_governed()
    }

    /// Counts a failure in the place of a record, then gives what the client hears of it.
    fn count(
        &self,
        ledger: &Ledger,
        mut pending: PendingFault,
        then: impl FnOnce(FailureReply, By) + Send + 'static,
    ) {
        pending.forget_request();
        let on_failure = self.on_failure;
        self.server.metrics.counted();
        ledger.count(pending.kind(), move |counted| {
            let is_told = counted.is_ok() || on_failure == OnLedgerFailure::Open;
            let reply = if is_told {
                FailureReply::of(pending, None)
            } else {
                FailureReply::unrecorded(pending)
            };
            then(reply, By::Other);
        });
    }

    /// Records a refusal before any session, or counts it, then gives its place in the ledger, if it has one.
    pub(crate) fn refuse(
        &self,
        kind: RefusalKind,
        record: impl FnOnce() -> Record,
        then: impl FnOnce(Result<Option<Receipt>, LedgerError>) + Send + 'static,
    ) {
        let Some(ledger) = &self.ledger else {
            self.miss();
            return then(Ok(None));
        };
        if let Some(recording) = ledger.may_record(&kind) {
            let record = record();
            if self.server.may_record(record.line_bytes(), Instant::now()) {
                return self.append(record, move |kept| {
                    then(kept);
                    drop(recording);
                });
            }
        }
        self.server.metrics.counted();
        ledger.count(kind, move |counted| then(counted.map(|()| None)));
    }

    /// Makes durable what waits, on this thread. Gives whether it did anything, and is to be called until it does not.
    pub(crate) fn commit(&self) -> bool {
        self.ledger.as_ref().is_some_and(|it| it.commit())
    }

    /// Records a repeat, then says whether it may be made.
    pub(crate) fn record_repeat(&self, repeat: &Repeat, then: impl FnOnce(bool) + Send + 'static) {
        let is_open = self.on_failure == OnLedgerFailure::Open;
        let record = repeat.record(&self.server.settings.redactor);
        self.append(record, move |kept| then(kept.is_ok() || is_open));
    }

    /// Records what changed a session of a governed server. No client waits for it: what is lost is a session that begins anew, or a lock
    /// that holds.
    pub(crate) fn record_session(&self, object: &str) {
        self.append(Record::session(object, &self.server.settings.redactor), drop);
    }

    /// Records a call that succeeded, after its answer was given out: of the last ones before a power failure there may be no record.
    pub(crate) fn record_call(&self, call: SucceededCall) {
        let Some(ledger) = &self.ledger else { return };
        let server = Arc::clone(&self.server);
        ledger.append_later(move || call.record(&server.settings));
    }

    /// Records how many calls the minutes had that are over.
    pub(crate) fn tell_calls(&self) {
        if let Some(ledger) = &self.ledger {
            ledger.tell_calls();
        }
    }

    /// Appends a record; without a ledger there is nothing to wait for.
    pub(crate) fn append(
        &self,
        record: Record,
        then: impl FnOnce(Result<Option<Receipt>, LedgerError>) + Send + 'static,
    ) {
        let Some(ledger) = &self.ledger else {
            self.miss();
            return then(Ok(None));
        };
        let then = self.timed(move |kept: Result<_, _>, _| then(kept.map(Some)));
        ledger.append(record, move |kept| then(kept, By::Other));
    }

    /// What is called back, with its time in the metrics.
    fn timed(
        &self,
        then: impl FnOnce(Result<Receipt, LedgerError>, By) + Send + 'static,
    ) -> impl FnOnce(Result<Receipt, LedgerError>, By) + Send + 'static {
        let (server, since) = (Arc::clone(&self.server), Instant::now());
        server.metrics.recording();
        move |kept, by| {
            server.metrics.recorded(since.elapsed(), kept.is_ok());
            then(kept, by);
        }
    }

    /// Puts back what earlier gates left half written, and records it; the sessions concerned have to report it.
    pub(crate) fn recover(&self) {
        let Some(governor) = self.server.governor() else { return };
        for fault in governor.recover_writes() {
            let mut record = Record::fault(&fault, &self.server.settings.redactor);
            let id = fault.context.session_id.clone();
            let id = id.filter(|it| governor.will_lock(it, fault.code()));
            if id.is_some() {
                record = record.that_locks();
            }
            let governor = Arc::clone(&governor);
            self.append(record, move |kept| {
                if let Some(id) = id {
                    governor.locked(&id, fault.code(), kept.ok().flatten().map(|it| it.seq));
                }
            });
        }
    }

    /// Waits for writes that are on their way, but not for long, and makes everything durable.
    pub(crate) fn end(&self) {
        if let Some(governor) = self.server.governor() {
            governor.finish_writes(LAST_WRITES);
        }
        self.close();
    }

    /// Makes everything durable.
    fn close(&self) {
        if let Some(ledger) = &self.ledger {
            // Each failure that could not be recorded was answered as such.
            drop(ledger.close());
        }
    }
}

impl FailureReply {
    /// A failure, with its place in the ledger.
    pub(crate) fn of(mut pending: PendingFault, receipt: Option<Receipt>) -> Self {
        let mut reply = Self::addressed(&pending, pending.head());
        reply.memory = pending.memory.take();
        pending.render(receipt, &mut reply.line);
        reply
    }

    /// The same where there is no such place, which is never so in a governed gate.
    fn without_record(pending: PendingFault, server: &Server) -> Self {
        if !server.is_governed() {
            return Self::of(pending, None);
        }
        let found = "there is no ledger, or it may fail without consequences";
        let how = server.settings.emission();
        Self::of(pending.instead(*INV_RECORD_FIRST.violated(found), &how), None)
    }

    /// The same when the failure could not be recorded.
    fn unrecorded(pending: PendingFault) -> Self {
        let mut reply = Self::addressed(&pending, pending.unrecorded_head());
        pending.render_unrecorded(&mut reply.line);
        reply
    }

    fn addressed(pending: &PendingFault, head: ReplyHead<'_>) -> Self {
        let to = match pending.address() {
            Some(ToClient::Answer(reply_token, _)) => ToClient::Answer(reply_token, head.status),
            to => to.unwrap_or(ToClient::Any),
        };
        let challenge = head.www_authenticate.map(Into::into);
        Self { to, challenge, line: Vec::new(), memory: None }
    }
}

/// Whether a failure that is about to be recorded locks its session; if so, [`locked`] follows.
fn will_lock(server: &Server, pending: &PendingFault) -> bool {
    let id = pending.governed().and_then(CallContext::lockable);
    server.governor().zip(id).is_some_and(|(it, id)| it.will_lock(id, pending.code()))
}

/// Locks the session of a failure that is in the record with that number, or could not be recorded.
fn locked(server: &Server, pending: &PendingFault, seq: Option<u64>) {
    let id = pending.governed().and_then(CallContext::lockable);
    if let Some((governor, id)) = server.governor().zip(id) {
        governor.locked(id, pending.code(), seq);
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Instant};

    use redress::Dialect;
    use redress_govern::{
        Checks, Governor, Manifest, Plans, Policy, Protected, role::Roles, session::SessionRules,
    };
    use redress_ledger::{Ledger, Options, Time};
    use redress_proxy::{
        exposition::render,
        moment::Moment,
        outgoing::Sender,
        session::{Actions, ClientKind, Session, UpstreamKind},
    };
    use redress_registry::shipped;

    use super::FailureRecorder;
    use crate::{CheckLauncher, OnLedgerFailure, Server, connection::tests::settings};

    const CALL: &[u8] =
        br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{}}}"#;

    fn governed() -> Arc<Server> {
        let governor = Governor::new(Policy {
            is_built_in: false,
            server: "files".to_owned(),
            roles: Roles::default(),
            rules: SessionRules::new(&["*"], "docs/reports").unwrap(),
            manifest: Manifest::new(shipped::core(), &[]).unwrap(),
            extras: Vec::new(),
            writes: Checks::default(),
            launcher: Arc::new(CheckLauncher::default()),
            plans: Plans::new("docs/plans".to_owned(), Vec::new(), PathBuf::new()),
            guarded: Protected::default(),
            role: None,
            callers: BTreeMap::new(),
            root: None,
            dialect: Dialect::Native,
            ledger: PathBuf::new(),
            say: |_| (),
        });
        let server = Server::new(settings(), Instant::now());
        Arc::new(server.governed_by(Arc::new(governor)))
    }

    fn recorder(on_failure: OnLedgerFailure, ledger: Option<Arc<Ledger>>) -> FailureRecorder {
        let server = Arc::new(Server::new(settings(), Instant::now()));
        FailureRecorder { ledger, on_failure, server }
    }

    fn unrecorded(recorder: &FailureRecorder) -> Option<String> {
        let page = render(std::slice::from_ref(&recorder.server));
        let line = page.lines().find(|it| it.starts_with("redress_ledger_failures_total"));
        line.and_then(|it| it.rsplit(' ').next()).map(str::to_owned)
    }

    #[test]
    fn a_refusal_because_nothing_can_be_recorded_counts() {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| Time::from_millis(0));
        let options = Options::new(dir.path().join("ledger"), dir.path().join("key"), clock);
        let ledger = Arc::new(Ledger::open(options).unwrap());
        let recorder = recorder(OnLedgerFailure::Closed, Some(ledger));
        recorder.miss();
        assert_eq!(unrecorded(&recorder).as_deref(), Some("1"));
    }

    #[test]
    fn without_its_ledger_calls_go_on_only_if_they_may() {
        for (on_failure, goes_on) in
            [(OnLedgerFailure::Open, true), (OnLedgerFailure::Closed, false)]
        {
            let recorder = recorder(on_failure, None);
            recorder.miss();
            assert!(recorder.admit(), "nobody asked for a ledger");
            assert_eq!(unrecorded(&recorder).as_deref(), Some("0"));
            recorder.server.lose_ledger();
            recorder.miss();
            assert_eq!(recorder.admit(), goes_on);
            assert_eq!(unrecorded(&recorder).as_deref(), Some("1"));
        }
    }

    #[test]
    fn a_governed_gate_tells_no_failure_without_a_record() {
        let server = Arc::new(Server::new(settings(), Instant::now()));
        let mut session = Session::new(server, ClientKind::Pipe, UpstreamKind::Pipe);
        let now = Moment { at: Instant::now(), wall: Time::from_millis(0) };
        let mut actions = Actions::new(now);
        session.client_line(CALL, Sender::default(), &mut actions);
        session.close(&mut actions);
        let pending = actions.faults.pop().unwrap();
        let on_failure = OnLedgerFailure::Closed;
        let recorder = FailureRecorder { ledger: None, on_failure, server: governed() };
        assert!(recorder.is_active(), "its failures must be recorded");
        let (sender, heard) = std::sync::mpsc::channel();
        recorder.record(pending, false, move |reply, _| sender.send(reply.line).unwrap());
        let answer: serde_json::Value = serde_json::from_slice(&heard.recv().unwrap()).unwrap();
        let result = &answer["result"];
        let card = result["content"][0]["text"].as_str().unwrap();
        assert!(card.starts_with("INVARIANT_VIOLATION: "), "{answer}");
        let context = &result["_meta"]["dev.redress/fault"]["context"];
        assert_eq!(context["invariant_id"], "INV_RECORD_FIRST");
        assert_eq!(context["tool"], "read");
    }
}
