//! `Gate`: what the threads of a run share, and how what a session gives is carried turn.

use std::{
    ffi::OsString,
    fs::File,
    io,
    os::fd::AsFd as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use redress_ledger::{Clock, Ledger, Redactor};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::Signal,
};

use super::{OnLedgerFailure, Run, log::Log};
use crate::{
    inflight::UpstreamId,
    moment::Moment,
    outbox::Outbox,
    process::Process,
    server::Server,
    session::{ClientKind, Repeat, Session, Turn, UpstreamKind},
    told::Told,
};

/// What the threads tell the one that watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The server is to be started.
    Start,
    /// The next deadline may be sooner, or the last answer may be turn.
    Look,
    /// The client has closed its side.
    ClientEnded,
    /// The client does not read any more.
    ClientGone,
    /// The server's process has ended.
    Ended,
    /// A repeat is on record, or never will be.
    Recorded(UpstreamId, bool),
    /// Somebody wants us to end.
    Signal,
}

/// Who carries something out: nobody waits for the one that he must not wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The thread that reads from the client writes to the server.
    Client,
    /// The thread that reads from the server writes to the client.
    Server,
    /// Any other leaves the writing to the couriers.
    Other,
}

/// What the threads share.
pub(super) struct Gate {
    core: Mutex<Core>,
    pub(super) client: Arc<Outbox>,
    /// The client's stream, to see whether it is still there.
    output: File,
    events: mpsc::Sender<Event>,
    server: Arc<Server>,
    ledger: Option<Arc<Ledger>>,
    on_ledger_failure: OnLedgerFailure,
    redactor: Arc<Redactor>,
    clock: Clock,
    /// Answers that have left the session and have not reached the client's outbox.
    in_hand: AtomicUsize,
    is_draining: AtomicBool,
    is_ending: AtomicBool,
    pub(super) has_started: AtomicBool,
    pub(super) log: Log,
    pub(super) command: Vec<OsString>,
    pub(super) max_message: usize,
}

/// What is behind the lock.
pub(super) struct Core {
    pub(super) session: Session,
    pub(super) upstream: Option<Upstream>,
    /// Counts the processes, so that the threads of an old one have no say.
    pub(super) generation: u64,
}

/// The process that runs.
#[derive(Debug, Clone)]
pub(super) struct Upstream {
    pub(super) outbox: Arc<Outbox>,
    pub(super) process: Arc<Process>,
}

impl Core {
    /// Ends a process that has not read for so long that no request could be answered in time.
    pub(super) fn end_if_stuck(&self, now: Instant, deadline: Duration) {
        if let Some(upstream) = &self.upstream
            && upstream.outbox.stuck_for(now) >= deadline
        {
            upstream.process.signal(Signal::KILL);
        }
    }
}

impl Gate {
    pub(super) fn new(
        run: Run,
        output: File,
        log: File,
        events: mpsc::Sender<Event>,
    ) -> io::Result<Self> {
        let max_message = run.server.settings.max_message;
        let redactor = Arc::clone(&run.server.settings.redactor);
        let session = Session::new(Arc::clone(&run.server), ClientKind::Pipe, UpstreamKind::Pipe);
        Ok(Self {
            core: Mutex::new(Core { session, upstream: None, generation: 0 }),
            client: Arc::new(Outbox::new(output.try_clone()?)),
            output,
            events,
            server: run.server,
            ledger: run.ledger.map(Arc::new),
            on_ledger_failure: run.on_ledger_failure,
            redactor,
            clock: run.clock,
            in_hand: AtomicUsize::new(0),
            is_draining: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
            has_started: AtomicBool::new(false),
            log: Log::new(log)?,
            command: run.command,
            max_message,
        })
    }

    pub(super) fn now(&self) -> Moment {
        Moment { at: Instant::now(), wall: (self.clock)() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tell(&self, event: Event) {
        // Nobody listens any more only when everything ends.
        self.events.send(event).unwrap_or_default();
    }

    /// Carries out what a session gave.
    pub(super) fn settle(
        self: &Arc<Self>,
        core: MutexGuard<'_, Core>,
        turn: &mut Turn,
        role: Role,
    ) {
        let upstream = self.hand_over(&core, turn);
        self.in_hand.fetch_add(1 + turn.told.len(), Ordering::AcqRel);
        drop(core);
        self.record(turn);
        turn.repeats.drain(..).for_each(|it| self.record_repeat(&it));
        let is_heard = !turn.to_client.is_empty();
        self.client.push(turn.to_client.as_stream());
        self.handed_over();
        if let Some(Upstream { outbox, process }) = upstream {
            match role {
                // What cannot be written to is of no use.
                Role::Client if outbox.flush(turn.now.at).is_err() => process.signal(Signal::KILL),
                Role::Client => (),
                Role::Server | Role::Other => outbox.call_courier(),
            }
        }
        match role {
            _ if !is_heard => (),
            Role::Server if self.client.flush(turn.now.at).is_err() => self.tell(Event::ClientGone),
            Role::Server => (),
            Role::Client | Role::Other => self.client.call_courier(),
        }
    }

    /// One more answer has reached the client's outbox.
    fn handed_over(&self) {
        self.in_hand.fetch_sub(1, Ordering::AcqRel);
        if self.is_draining.load(Ordering::Acquire) {
            self.tell(Event::Look);
        }
    }

    /// Whether the client has been told everything, or will be by the courier.
    pub(super) fn has_told_all(&self) -> bool {
        self.in_hand.load(Ordering::Acquire) == 0
    }

    /// What must happen in the order of the session, under its lock.
    fn hand_over(&self, core: &Core, turn: &mut Turn) -> Option<Upstream> {
        if std::mem::take(&mut turn.start) {
            self.tell(Event::Start);
        }
        if std::mem::take(&mut turn.is_sooner) {
            self.tell(Event::Look);
        }
        let upstream = core.upstream.as_ref();
        if std::mem::take(&mut turn.kill)
            && let Some(upstream) = upstream
        {
            upstream.process.signal(Signal::KILL);
        }
        let upstream = upstream.filter(|_| !turn.to_upstream.is_empty());
        if let Some(upstream) = upstream {
            upstream.outbox.push(turn.to_upstream.as_stream());
        }
        turn.to_upstream.clear();
        upstream.cloned()
    }

    /// Records failures; the client hears of each once its record is durable.
    fn record(self: &Arc<Self>, turn: &mut Turn) {
        for told in turn.told.drain(..) {
            match &self.ledger {
                Some(ledger) if told.is_to_be_recorded() => self.record_one(ledger, told),
                _ => {
                    told.render(None, turn.to_client.as_stream());
                    self.in_hand.fetch_sub(1, Ordering::AcqRel);
                }
            }
        }
    }

    fn record_one(self: &Arc<Self>, ledger: &Ledger, told: Told) {
        let (gate, since) = (Arc::clone(self), Instant::now());
        self.server.metrics.recording();
        ledger.append(told.record(&self.redactor), move |kept| {
            gate.server.metrics.recorded(since.elapsed(), kept.is_ok());
            let mut bytes = Vec::new();
            match kept {
                Ok(receipt) => told.render(Some(receipt), &mut bytes),
                Err(_) if gate.on_ledger_failure == OnLedgerFailure::Open => {
                    told.render(None, &mut bytes);
                }
                Err(_) => told.render_unrecorded(&mut bytes),
            }
            gate.client.push(&mut bytes);
            gate.client.call_courier();
            gate.handed_over();
        });
    }

    /// Records a repeat; it is made once that is durable.
    fn record_repeat(self: &Arc<Self>, repeat: &Repeat) {
        let (gate, id, since) = (Arc::clone(self), repeat.id, Instant::now());
        let Some(ledger) = &self.ledger else { return self.tell(Event::Recorded(id, true)) };
        self.server.metrics.recording();
        ledger.append(repeat.record(&self.redactor), move |kept| {
            gate.server.metrics.recorded(since.elapsed(), kept.is_ok());
            let goes_on = kept.is_ok() || gate.on_ledger_failure == OnLedgerFailure::Open;
            gate.tell(Event::Recorded(id, goes_on));
        });
    }

    /// Whether failures of new calls can be recorded.
    pub(super) fn admits(&self) -> bool {
        match &self.ledger {
            Some(ledger) if self.on_ledger_failure == OnLedgerFailure::Closed => {
                ledger.admit().is_ok()
            }
            _ => true,
        }
    }

    /// From now on every answer may be the last one.
    pub(super) fn drain(&self) {
        self.is_draining.store(true, Ordering::Release);
    }

    /// From now on the process is ended by whoever ends us.
    pub(super) fn begin_to_end(&self) {
        self.is_ending.store(true, Ordering::Release);
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Acquire)
    }

    pub(super) fn has_ever_started(&self) -> bool {
        self.has_started.load(Ordering::Acquire)
    }

    /// Whether nobody can read what we write to the client.
    pub(super) fn is_client_gone(&self) -> bool {
        let mut fds = [PollFd::from_borrowed_fd(self.output.as_fd(), PollFlags::empty())];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let polled = poll(&mut fds, Some(&at_once));
        let [fd] = fds;
        polled.is_ok() && fd.revents().intersects(PollFlags::ERR | PollFlags::HUP)
    }

    /// Makes everything durable and tells whom it concerns.
    pub(super) fn finish(&self, time: Duration) {
        if let Some(ledger) = &self.ledger {
            // What could not be recorded was told as such; there is nobody else to tell.
            drop(ledger.close());
        }
        self.client.call_courier();
        self.client.drain(time);
    }
}
