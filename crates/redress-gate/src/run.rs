//! `run`: one client on streams that are given, one server as a child. Blocking threads, no runtime.

mod ending;
mod gate;
mod log;
mod start;
mod threads;

use std::{
    ffi::OsString,
    fs::File,
    io,
    sync::{Arc, mpsc},
    time::Duration,
};

use redress_ledger::{Clock, Ledger};

use self::gate::{Event, Gate, Role};
use crate::{process::widen, server::Server, session::Turn};

/// What is to be run, and how.
pub struct Run {
    /// The server's program and its arguments.
    pub command: Vec<OsString>,
    /// How it is gated.
    pub server: Arc<Server>,
    /// Where failures are recorded.
    pub ledger: Option<Ledger>,
    /// What happens when they cannot be.
    pub on_ledger_failure: OnLedgerFailure,
    /// Tells the time.
    pub clock: Clock,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("command", &self.command).finish_non_exhaustive()
    }
}

/// What happens when a failure cannot be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnLedgerFailure {
    /// The client hears that it could not be recorded, and nothing else; new calls are refused.
    Closed,
    /// The client hears of the failure all the same.
    Open,
}

/// The client's streams.
#[derive(Debug)]
pub struct Streams {
    /// What the client writes.
    pub input: File,
    /// What the client reads.
    pub output: File,
    /// Where the server's log goes.
    pub log: File,
}

/// How a run ended that ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client or a signal ended it.
    Fine,
    /// The server's command could not be started, which the client was told.
    NeverStarted,
}

/// Gates one server until the client or a signal ends it.
pub fn run(run: Run, streams: Streams) -> io::Result<Ended> {
    widen(&streams.input);
    widen(&streams.output);
    let (sender, events) = mpsc::channel();
    let deadline = run.server.settings.deadline;
    let gate = Arc::new(Gate::new(run, streams.output, streams.log, sender)?);
    let signals = threads::signals(&gate)?;
    gate.start();
    threads::client(&gate, streams.input)?;
    let why = serve(&gate, &events, deadline);
    ending::end(&gate, &events, why);
    signals.close();
    Ok(if gate.has_ever_started() { Ended::Fine } else { Ended::NeverStarted })
}

/// Why the gate ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The client has closed its side, and heard everything that it waits for.
    Done,
    /// The client is gone.
    ClientGone,
    /// Somebody wants us to end.
    Signal,
}

/// Starts, restarts and watches, until there is a reason to end.
fn serve(gate: &Arc<Gate>, events: &mpsc::Receiver<Event>, deadline: Duration) -> Why {
    let mut turn = Turn::new(gate.now());
    let mut is_draining = false;
    loop {
        // A request that comes after this has its deadline after the sleep, so that none needs to wake us.
        let now = gate.now();
        let next = gate.lock().session.next_deadline();
        let sleep = next.map_or(deadline, |it| it.saturating_duration_since(now.at).min(deadline));
        let sleep = if is_draining { sleep.min(ending::GLANCE) } else { sleep };
        let mut recorded = None;
        match events.recv_timeout(sleep) {
            Ok(Event::Recorded(id, is_recorded)) => recorded = Some((id, is_recorded)),
            Ok(Event::Start) => gate.start(),
            Ok(Event::ClientEnded) => {
                is_draining = true;
                gate.drain();
            }
            Ok(Event::ClientGone) => return Why::ClientGone,
            Ok(Event::Signal) => return Why::Signal,
            Ok(Event::Look | Event::Ended) | Err(_) => (),
        }
        turn.now = gate.now();
        let mut core = gate.lock();
        if let Some((id, is_recorded)) = recorded {
            core.session.repeat_recorded(id, is_recorded, &mut turn);
        }
        core.session.expire(&mut turn);
        let is_idle = core.session.is_idle() && turn.told.is_empty() && gate.has_told_all();
        core.end_if_stuck(turn.now.at, deadline);
        gate.settle(core, &mut turn, Role::Other);
        if is_draining && is_idle {
            return Why::Done;
        }
        if is_draining && gate.is_client_gone() {
            return Why::ClientGone;
        }
    }
}
