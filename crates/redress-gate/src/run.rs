//! `run`: one client on streams that are given, one server. A child needs only threads; a server behind a URL a runtime.

mod ending;
mod output;
mod start;
mod tap;
mod threads;

use std::{
    fs::File,
    io,
    sync::{Arc, mpsc},
    time::Duration,
};

use redress_ledger::{Clock, Ledger};
use signal_hook::iterator::Signals;
use tokio::runtime::{Builder, Runtime};

use self::start::Early;
pub(crate) use self::threads::spawn;
use crate::{
    connection::{Client, Connection, Event, FailureRecorder, Pipe, Role, ServerRuntime, Target},
    log::Log,
    memory::Account,
    process::widen,
    server::Server,
    session::{Actions, ClientKind, Session},
};

/// What is to be run, and how.
pub struct Run {
    /// The server.
    pub target: Target,
    /// How it is gated.
    pub server: Arc<Server>,
    /// What happens when failures cannot be recorded.
    pub on_ledger_failure: OnLedgerFailure,
    /// Tells the time.
    pub clock: Clock,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("target", &self.target).finish_non_exhaustive()
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

/// Why a run did not begin, or should not have.
#[derive(Debug)]
pub enum NotRun<E> {
    /// The ledger could not be opened, so that the client was told nothing else, or, of a governed server, nothing at all.
    Unrecorded(E),
    /// The streams, a thread or a signal.
    System(io::Error),
}

impl<E> From<io::Error> for NotRun<E> {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Gates one server until the client or a signal ends it. `ledger` gives within a time where failures are recorded, or
/// nothing if it is not open by then; the server starts meanwhile, but hears nothing before.
pub fn run<E>(
    run: Run,
    streams: Streams,
    mut ledger: impl FnMut(Duration) -> Option<Result<Option<Ledger>, E>>,
) -> Result<Ended, NotRun<E>> {
    // Before there is a process that a signal could leave behind.
    let mut signals = threads::catch_signals()?;
    let early = Early::start(&run.target);
    let opened = loop {
        if let Some(opened) = ledger(ending::GLANCE) {
            break opened;
        }
        if signals.pending().next().is_some() {
            return Ok(Ended::Fine);
        }
    };
    let error = match opened {
        Ok(ledger) => return Ok(gate(run, ledger, (early, signals), streams)?),
        Err(error) if run.server.is_governed() => return Err(NotRun::Unrecorded(error)),
        Err(error) => error,
    };
    run.server.lose_ledger();
    let goes_on = run.on_ledger_failure == OnLedgerFailure::Open;
    let ended = gate(run, None, (early, signals), streams)?;
    if goes_on { Ok(ended) } else { Err(NotRun::Unrecorded(error)) }
}

fn gate(
    run: Run,
    ledger: Option<Ledger>,
    (early, signals): (Early, Signals),
    streams: Streams,
) -> io::Result<Ended> {
    widen(&streams.input);
    widen(&streams.output);
    let (sender, events) = mpsc::channel();
    let client = Client::Pipe(Pipe::new(streams.input.try_clone()?, streams.output)?);
    let runtime = Arc::new(runtime(run, ledger, streams.log)?);
    runtime.recorder.recover();
    let session =
        Session::new(Arc::clone(&runtime.server), ClientKind::Pipe, runtime.target.kind());
    // Nobody listens any more only when everything ends.
    let tell = Box::new(move |event| sender.send(event).unwrap_or_default());
    // One client and one server wait for each other: what they say is bounded without a budget.
    let ends = (client, Account::default());
    let connection = Arc::new(Connection::new(runtime, session, ends, tell));
    let signals = threads::signals(&connection, signals)?;
    let tokio = remote_runtime(&connection.runtime.target)?;
    let at_hand = tokio.as_ref().map(Runtime::enter);
    start::start_with(&connection, early);
    threads::client(&connection, streams.input)?;
    let why = watch(&connection, &events);
    ending::end(&connection, &events, why);
    signals.close();
    drop(at_hand);
    // Nothing that matters is left; what blocks must not keep us.
    if let Some(tokio) = tokio {
        tokio.shutdown_background();
    }
    Ok(if connection.has_ever_started() { Ended::Fine } else { Ended::NeverStarted })
}

/// What a server behind a URL needs; a child needs none.
fn remote_runtime(target: &Target) -> io::Result<Option<Runtime>> {
    match target {
        Target::Program(_) | Target::Inside(_) => Ok(None),
        Target::Url(_) => {
            let name = "redress-remote";
            Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name(name)
                .enable_all()
                .build()
                .map(Some)
        }
    }
}

fn runtime(run: Run, ledger: Option<Ledger>, log: File) -> io::Result<ServerRuntime> {
    let (ledger, on_failure) = (ledger.map(Arc::new), run.on_ledger_failure);
    Ok(ServerRuntime {
        target: run.target,
        recorder: FailureRecorder { ledger, on_failure, server: Arc::clone(&run.server) },
        server: run.server,
        clock: run.clock,
        log: Arc::new(Log::new(log)?),
        name: None,
    })
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
fn watch(connection: &Arc<Connection>, events: &mpsc::Receiver<Event>) -> Why {
    let deadline = connection.runtime.server.settings.deadline;
    let most = connection.runtime.server.settings.shortest_deadline();
    let mut turn = Actions::new(connection.now());
    let mut is_draining = false;
    loop {
        // A request that comes after this has its deadline after the sleep, so that none needs to wake us.
        let now = connection.now();
        let next = connection.lock().session.next_deadline();
        let sleep = next.map_or(most, |it| it.saturating_duration_since(now.at).min(most));
        let sleep = if is_draining { sleep.min(ending::GLANCE) } else { sleep };
        let mut recorded = None;
        match events.recv_timeout(sleep) {
            Ok(Event::Recorded(id, is_recorded)) => recorded = Some((id, is_recorded)),
            Ok(Event::Start) => start::start(connection),
            Ok(Event::ClientEnded) => {
                is_draining = true;
                connection.drain();
            }
            Ok(Event::ClientGone) => return Why::ClientGone,
            Ok(Event::Signal) => return Why::Signal,
            Ok(Event::Look | Event::Ended) | Err(_) => (),
        }
        turn.now = connection.now();
        let mut core = connection.lock();
        if let Some((id, is_recorded)) = recorded {
            core.session.repeat_recorded(id, is_recorded, &mut turn);
        }
        core.expire(&mut turn);
        let is_idle = core.session.is_idle() && turn.faults.is_empty() && connection.has_told_all();
        if let Some(upstream) = &core.upstream {
            upstream.end_if_stuck(turn.now.at, deadline);
        }
        connection.apply(core, &mut turn, Role::Other);
        if is_draining && is_idle {
            return Why::Done;
        }
        if is_draining && connection.client.pipe().is_some_and(Pipe::is_gone) {
            return Why::ClientGone;
        }
    }
}
