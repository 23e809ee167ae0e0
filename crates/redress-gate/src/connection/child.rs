//! The process of a connection: it is started, and its three pipes are read and written. Behind a client on a pipe, threads do that,
//! so that no message waits for a wake-up; behind clients over HTTP, tasks; there may be thousands.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
};

use redress::outcome::KillReason;
use redress_proxy::{session::Actions, tail::Tail};
use rustix::process::Signal;

use super::{
    ActingThread, ClientEnd, Connection, Target, Upstream, connect,
    reader_handoff::ReaderHandoff,
    reading::UpstreamReader,
    tasks::Tasks,
    threads::Threads,
    writer::{Broken, PipeWriter},
};
use crate::{
    log::ServerLog,
    process::{Pipes, Process, Started, exit},
    threads::spawn,
};

/// A process that was started before it has a connection. If it never gets one, it is ended.
pub(crate) struct Early(Option<io::Result<Started>>);

impl Early {
    /// Starts the server, unless it runs by itself.
    pub(crate) fn start(target: &Target) -> Self {
        Self(target.start())
    }
}

impl Drop for Early {
    fn drop(&mut self) {
        if let Some(Ok((process, body, pipes))) = self.0.take() {
            drop(pipes);
            process.signal(Signal::KILL);
            process.nothing_is_read();
            process.wait(body, || ());
        }
    }
}

/// Starts the server of a connection; if that fails, waiting requests are answered.
pub(super) async fn start(connection: &Arc<Connection>) {
    let runtime = Arc::clone(&connection.runtime);
    let started = match &connection.client {
        ClientEnd::Pipe(_) => Ok(Early::start(&runtime.target)),
        ClientEnd::Http(_) => {
            tokio::task::spawn_blocking(move || Early::start(&runtime.target)).await
        }
    };
    match started {
        Ok(started) => attach(connection, started),
        Err(error) => connection.not_started(&io::Error::other(error)),
    }
}

/// Makes a started server the upstream of a connection. A server behind a URL needs a runtime at hand.
pub(crate) fn attach(connection: &Arc<Connection>, mut started: Early) {
    let attached = match started.0.take() {
        None => {
            connect(connection);
            Ok(())
        }
        Some(started) => started.and_then(|it| match &connection.client {
            ClientEnd::Pipe(_) => attach_child::<Threads>(connection, it),
            ClientEnd::Http(_) => attach_child::<Tasks>(connection, it),
        }),
    };
    if let Err(error) = attached {
        connection.not_started(&error);
    }
}

/// How the pipes of a process are read and written.
pub(super) trait Pumps: Sized {
    /// Stops the readers: they read what is left in the pipes, and nothing that comes later.
    type Stop: FnOnce() + Send + 'static;

    /// The queue in front of the process's input.
    fn writer(input: OwnedFd) -> io::Result<PipeWriter>;

    /// Opens the process's output and log.
    fn open(output: OwnedFd, log: OwnedFd) -> io::Result<(Self, Self::Stop)>;

    /// Reads and writes all three from now on.
    fn begin(self, child: Child) -> io::Result<()>;
}

fn attach_child<P: Pumps>(
    connection: &Arc<Connection>,
    (process, body, Pipes { input, output, log }): Started,
) -> io::Result<()> {
    connection.has_started.store(true, Ordering::Release);
    let process = Arc::new(process);
    let input = Arc::new(P::writer(input.into())?);
    let (pumps, stop) = P::open(output.into(), log.into())?;
    let (reading, tail) = (Arc::<ReaderHandoff>::default(), Arc::<Tail>::default());
    let upstream = Upstream::Child {
        input: Arc::clone(&input),
        process: Arc::clone(&process),
        reading: Arc::clone(&reading),
    };

    let mut actions = Actions::new(connection.now());
    let mut state = connection.lock();
    let generation = state.connect(upstream);
    state.session.upstream_ready(Arc::clone(&tail), &mut actions);
    connection.apply(state, &mut actions, ActingThread::Other);

    let connection = Arc::clone(connection);
    let child = Child { connection, process, input, reading, tail, generation };
    let waiting = child.clone();
    spawn("redress-wait", move || {
        let exit = exit(waiting.process.wait(body, stop));
        waiting.connection.upstream_ended(generation, &exit);
    })?;
    pumps.begin(child)
}

/// A process at the upstream end of a connection, as the threads or tasks of its pipes share it.
#[derive(Clone)]
pub(super) struct Child {
    pub(super) connection: Arc<Connection>,
    pub(super) process: Arc<Process>,
    pub(super) input: Arc<PipeWriter>,
    pub(super) reading: Arc<ReaderHandoff>,
    /// The end of its log.
    tail: Arc<Tail>,
    generation: u64,
}

impl Child {
    /// A reader of the output.
    pub(super) fn reader(&self) -> UpstreamReader {
        UpstreamReader::new(&self.connection, self.generation)
    }

    /// A process that cannot be written to is of no use.
    pub(super) fn written(&self, written: &Result<(), Broken>) {
        if written.is_err() {
            self.process.end(KillReason::ClosedInput);
        }
    }

    /// The reader of the log.
    pub(super) fn log(&self) -> ChildLog<'_> {
        let runtime = &self.connection.runtime;
        let settings = &runtime.server.settings;
        let lines = ServerLog::new(&runtime.log, &settings.server, &settings.redactor);
        ChildLog { child: self, lines }
    }
}

/// The log of a process: its end is kept, and its lines are passed on.
pub(super) struct ChildLog<'c> {
    child: &'c Child,
    lines: ServerLog<'c>,
}

impl ChildLog<'_> {
    /// Takes a piece of the log.
    pub(super) fn add(&mut self, piece: &[u8]) {
        self.child.tail.add(piece);
        self.lines.add(piece);
    }

    /// The log has ended.
    pub(super) fn end(mut self) {
        self.lines.end();
        self.child.process.log_is_over();
    }
}
