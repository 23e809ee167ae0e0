//! A server's process behind an HTTP server: its streams are read and written by tasks.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use tokio::{io::AsyncReadExt as _, net::unix::pipe, sync::oneshot};

use super::inlet::Inlet;
use crate::{
    lines::Lines,
    link::{Input, Link, Role, Upstream},
    log::Named,
    process::{Pipes, Process},
    run::spawn,
    session::{EndedFor, Turn},
    tail::Tail,
};

/// A piece of a log.
const LOG_PIECE: usize = 4 << 10;

/// Starts the server; whoever waits for it is told if that fails.
pub(super) async fn start(link: &Arc<Link>) {
    if let Err(error) = try_to_start(link).await {
        link.not_started(&error);
    }
}

async fn try_to_start(link: &Arc<Link>) -> io::Result<()> {
    let plan = Arc::clone(&link.plan);
    let started = tokio::task::spawn_blocking(move || {
        plan.target.start().unwrap_or_else(|| Err(io::ErrorKind::Unsupported.into()))
    });
    let (process, child, pipes) = started.await.map_err(io::Error::other)??;
    link.has_started.store(true, Ordering::Release);
    let process = Arc::new(process);
    let Pipes { input, output, log } = pipes;
    let inlet = Arc::new(Inlet::new(input.into())?);
    let output = pipe::Receiver::from_owned_fd(output.into())?;
    let log = pipe::Receiver::from_owned_fd(log.into())?;
    let tail = Arc::new(Tail::default());

    let mut turn = Turn::new(link.now());
    let mut core = link.lock();
    let input = Input::Inlet(Arc::clone(&inlet));
    let generation = core.connect(Upstream::Child { input, process: Arc::clone(&process) });
    core.session.upstream_ready(Arc::clone(&tail), &mut turn);
    link.settle(core, &mut turn, Role::Other);

    let (waiting, waited) = (Arc::clone(link), Arc::clone(&process));
    let (log, stop_log) = Source::new(log);
    let (output, stop_output) = Source::new(output);
    spawn("redress-wait", move || {
        let exit = waited.wait(child, || drop((stop_log, stop_output)));
        waiting.upstream_ended(generation, &exit);
    })?;
    let written = Arc::clone(&process);
    tokio::spawn(async move {
        // What cannot be written to is of no use.
        if inlet.courier().await.is_err() {
            written.end(EndedFor::ClosedInput);
        }
    });
    tokio::spawn(read_log(Arc::clone(link), log, tail, Arc::clone(&process)));
    tokio::spawn(read_output(Arc::clone(link), output, process, generation));
    Ok(())
}

/// A pipe that is read until it ends, or somebody stops that.
struct Source {
    pipe: pipe::Receiver,
    stopped: oneshot::Receiver<()>,
}

/// While it is there, a source is read.
type Reading = oneshot::Sender<()>;

impl Source {
    fn new(pipe: pipe::Receiver) -> (Self, Reading) {
        let (reading, stopped) = oneshot::channel();
        (Self { pipe, stopped }, reading)
    }

    /// Reads some bytes; nothing at the end, whatever ended it.
    async fn read(&mut self, into: &mut [u8]) -> usize {
        tokio::select! {
            // Also if there is always something to read.
            biased;
            _ = &mut self.stopped => 0,
            read = self.pipe.read(into) => read.unwrap_or_default(),
        }
    }
}

async fn read_output(link: Arc<Link>, mut output: Source, process: Arc<Process>, generation: u64) {
    let mut lines = Lines::new(link.plan.server.settings.max_message);
    let mut turn = Turn::new(link.now());
    while let bytes @ 1.. = output.read(lines.room()).await {
        lines.filled(bytes);
        link.upstream_lines(&mut lines, &mut turn, generation);
    }
    link.upstream_rest(&mut lines, &mut turn, generation);
    process.output_is_over();
    if !link.is_ending() {
        // Nobody waits for it: its end is told by the thread that waits for the process.
        drop(tokio::task::spawn_blocking(move || process.must_end()));
    }
}

async fn read_log(link: Arc<Link>, mut log: Source, tail: Arc<Tail>, process: Arc<Process>) {
    let (plan, mut piece) = (&link.plan, vec![0; LOG_PIECE]);
    let redactor = &plan.server.settings.redactor;
    let mut named = Named::new(&plan.log, plan.name.as_deref(), redactor);
    while let bytes @ 1.. = log.read(&mut piece).await {
        let written = piece.get(..bytes).unwrap_or_default();
        tail.add(written);
        named.add(written);
    }
    named.end();
    process.log_is_over();
}
