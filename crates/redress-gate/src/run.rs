//! `run`: one client on given streams, one server. Threads read and write the streams; the driver is the one of `serve`.

use std::{fs::File, io, sync::Arc, time::Duration};

use redress_ledger::{Clock, Ledger};
use redress_proxy::{
    memory::Account,
    server::Server,
    session::{ClientKind, Session},
};
use redress_transport::pipe::widen;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::{Handle, Signals},
};
use tokio::runtime::{Builder, Runtime};

use crate::{
    connection::{
        ClientEnd, ClientPipe, Connection, Driver, DriverEvent, Early, FailureRecorder,
        OnLedgerFailure, ServerRuntime, Target, attach, attend_client,
    },
    log::StderrLog,
    threads::spawn,
};

/// How often a signal is looked for while the ledger is opened.
const GLANCE: Duration = Duration::from_millis(50);

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
pub enum RunEnd {
    /// The client or a signal ended it.
    Fine,
    /// The server's command could not be started; each request was answered so.
    NeverStarted,
}

/// Why a run did not begin, or should not have.
#[derive(Debug)]
pub enum RunError<E> {
    /// The ledger could not be opened: each request was answered so, or, for a governed server, none was read.
    Unrecorded(E),
    /// The streams, a thread or a signal.
    System(io::Error),
}

impl<E> From<io::Error> for RunError<E> {
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
) -> Result<RunEnd, RunError<E>> {
    // Before there is a process that a signal could leave behind.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let early = Early::start(&run.target);
    let opened = loop {
        if let Some(opened) = ledger(GLANCE) {
            break opened;
        }
        if signals.pending().next().is_some() {
            return Ok(RunEnd::Fine);
        }
    };
    let error = match opened {
        Ok(ledger) => return Ok(gate(run, ledger, (early, signals), streams)?),
        Err(error) if run.server.is_governed() => return Err(RunError::Unrecorded(error)),
        Err(error) => error,
    };
    run.server.lose_ledger();
    let goes_on = run.on_ledger_failure == OnLedgerFailure::Open;
    let ended = gate(run, None, (early, signals), streams)?;
    if goes_on { Ok(ended) } else { Err(RunError::Unrecorded(error)) }
}

fn gate(
    run: Run,
    ledger: Option<Ledger>,
    (early, signals): (Early, Signals),
    streams: Streams,
) -> io::Result<RunEnd> {
    widen(&streams.input);
    widen(&streams.output);
    let client = ClientEnd::Pipe(ClientPipe::new(streams.input.try_clone()?, streams.output)?);
    let runtime = Arc::new(server_runtime(run, ledger, streams.log)?);
    runtime.recorder.recover();
    let upstream = runtime.target.kind();
    let session = Session::new(Arc::clone(&runtime.server), ClientKind::Pipe, upstream);
    // One client and one server wait for each other: their messages are bounded without a budget.
    let driver = Driver::new(runtime, session, client, Account::default());
    let connection = Arc::clone(driver.connection());
    let signals = notify_of_signals(&connection, signals)?;
    let tokio = tokio(&connection.runtime.target)?;
    let at_hand = tokio.enter();
    attach(&connection, early);
    attend_client(&connection, streams.input)?;
    drop(at_hand);
    tokio.block_on(driver.drive());
    signals.close();
    // What still blocks a thread of the runtime must not keep the process.
    tokio.shutdown_background();
    Ok(if connection.has_ever_started() { RunEnd::Fine } else { RunEnd::NeverStarted })
}

/// The runtime of the driver. A server behind a URL needs a thread of it; the pipes of a process have threads of their own.
fn tokio(target: &Target) -> io::Result<Runtime> {
    match target {
        Target::Program(_) | Target::Inside(_) => {
            Builder::new_current_thread().enable_time().build()
        }
        Target::Url(_) => Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("redress-remote")
            .enable_all()
            .build(),
    }
}

fn server_runtime(run: Run, ledger: Option<Ledger>, log: File) -> io::Result<ServerRuntime> {
    let (ledger, on_failure) = (ledger.map(Arc::new), run.on_ledger_failure);
    Ok(ServerRuntime {
        target: run.target,
        recorder: FailureRecorder::new(Arc::clone(&run.server), ledger, on_failure),
        server: run.server,
        clock: run.clock,
        log: Arc::new(StderrLog::new(log)?),
        name: None,
    })
}

/// Tells the driver of signals, those included that came before.
fn notify_of_signals(connection: &Arc<Connection>, mut signals: Signals) -> io::Result<Handle> {
    let handle = signals.handle();
    let connection = Arc::clone(connection);
    spawn("redress-signals", move || {
        for _ in signals.forever() {
            connection.notify(DriverEvent::Signal);
        }
    })?;
    Ok(handle)
}
