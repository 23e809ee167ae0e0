//! A server's process behind an HTTP server: its streams are read and written by tasks.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use tokio::{io::AsyncReadExt as _, net::unix::pipe, sync::oneshot};

use super::inlet::Inlet;
use crate::{
    connection::{Connection, FIRST, Input, PIECE, Role, Upstream},
    lines::Lines,
    log::Named,
    process::{Pipes, Process},
    rest::Rest,
    run::spawn,
    session::{Actions, KillReason},
    tail::Tail,
};

/// A piece of a log.
const LOG_PIECE: usize = 4 << 10;

/// Starts the server; whoever waits for it is told if that fails.
pub(super) async fn start(connection: &Arc<Connection>) {
    if let Err(error) = try_to_start(connection).await {
        connection.not_started(&error);
    }
}

async fn try_to_start(connection: &Arc<Connection>) -> io::Result<()> {
    let runtime = Arc::clone(&connection.runtime);
    let started = tokio::task::spawn_blocking(move || {
        runtime.target.start().unwrap_or_else(|| Err(io::ErrorKind::Unsupported.into()))
    });
    let (process, child, pipes) = started.await.map_err(io::Error::other)??;
    connection.has_started.store(true, Ordering::Release);
    let process = Arc::new(process);
    let Pipes { input, output, log } = pipes;
    let inlet = Arc::new(Inlet::new(input.into())?);
    let output = pipe::Receiver::from_owned_fd(output.into())?;
    let log = pipe::Receiver::from_owned_fd(log.into())?;
    let tail = Arc::new(Tail::default());

    let mut turn = Actions::new(connection.now());
    let mut core = connection.lock();
    let input = Input::Inlet(Arc::clone(&inlet));
    let generation = core.connect(Upstream::Child { input, process: Arc::clone(&process) });
    core.session.upstream_ready(Arc::clone(&tail), &mut turn);
    connection.apply(core, &mut turn, Role::Other);

    let (waiting, waited) = (Arc::clone(connection), Arc::clone(&process));
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
            written.end(KillReason::ClosedInput);
        }
    });
    tokio::spawn(read_log(Arc::clone(connection), log, tail, Arc::clone(&process)));
    tokio::spawn(read_output(Arc::clone(connection), output, process, generation));
    Ok(())
}

/// A pipe that is read until it ends, or somebody stops that: then what is left in it is read.
struct Source {
    pipe: pipe::Receiver,
    stopped: oneshot::Receiver<()>,
    rest: Option<Rest>,
}

/// While it is there, a source is read.
type Reading = oneshot::Sender<()>;

impl Source {
    fn new(pipe: pipe::Receiver) -> (Self, Reading) {
        let (reading, stopped) = oneshot::channel();
        (Self { pipe, stopped, rest: None }, reading)
    }

    /// Reads some bytes; nothing at the end, whatever ended it.
    async fn read(&mut self, into: &mut [u8]) -> usize {
        if self.rest.is_none() {
            tokio::select! {
                // Also if there is always something to read.
                biased;
                _ = &mut self.stopped => (),
                read = self.pipe.read(into) => return read.unwrap_or_default(),
            }
        }
        // Not by way of the runtime, which may not know yet that there is something.
        self.rest.get_or_insert_with(|| Rest::of(&self.pipe)).read(&self.pipe, into)
    }
}

async fn read_output(
    connection: Arc<Connection>,
    mut output: Source,
    process: Arc<Process>,
    generation: u64,
) {
    let mut lines = Lines::new(connection.runtime.server.settings.max_message);
    let mut turn = Actions::new(connection.now());
    let (usual, mut memory) = (2 * lines.buffer_bytes(), connection.account.open());
    while let bytes @ 1.. = output.read(lines.room()).await {
        lines.filled(bytes);
        let large = lines.buffer_bytes().saturating_sub(usual);
        if memory.resize(large).is_err() {
            lines.give_up();
        }
        let mut most = FIRST;
        while connection.upstream_piece(&mut lines, &mut turn, generation, most).0 == most {
            if most == PIECE {
                // Who writes without end leaves others their turn, the clock among them.
                tokio::task::yield_now().await;
            }
            most = PIECE;
        }
    }
    connection.upstream_rest(&mut lines, &mut turn, generation);
    process.output_is_over();
    if !connection.is_ending() {
        // Nobody waits for it: its end is told by the thread that waits for the process.
        drop(tokio::task::spawn_blocking(move || process.must_end()));
    }
}

async fn read_log(
    connection: Arc<Connection>,
    mut log: Source,
    tail: Arc<Tail>,
    process: Arc<Process>,
) {
    let (runtime, mut piece) = (&connection.runtime, vec![0; LOG_PIECE]);
    let redactor = &runtime.server.settings.redactor;
    let mut named = Named::new(&runtime.log, &runtime.server.settings.server, redactor);
    while let bytes @ 1.. = log.read(&mut piece).await {
        let written = piece.get(..bytes).unwrap_or_default();
        tail.add(written);
        named.add(written);
    }
    named.end();
    process.log_is_over();
}

#[cfg(test)]
mod tests {
    use std::{fs::File, sync::Arc};

    use redress_ledger::Time;
    use tokio::runtime::Builder;

    use super::start;
    use crate::{
        caller::Caller,
        connection::{Client, Connection, FIRST, FailureRecorder, PIECE, ServerRuntime, Target},
        exposition::render,
        log::Log,
        memory::MemoryBudget,
        process::Program,
        replies::ReplyRouter,
        run::OnLedgerFailure,
        server::Server,
        session::{ClientKind, KillReason, Session, UpstreamKind, tests::settings},
        settings::Mode,
    };

    /// How many lines the server has written that are no messages.
    fn lines(server: &Arc<Server>) -> usize {
        let page = render(std::slice::from_ref(server));
        let line = page.lines().find(|it| it.starts_with("redress_useless_lines_total{"));
        line.and_then(|it| it.rsplit(' ').next()?.parse().ok()).unwrap_or_default()
    }

    #[test]
    fn a_server_that_writes_without_end_leaves_others_their_turn() {
        let server = Arc::new(Server::new(settings(Mode::Enforce), std::time::Instant::now()));
        let on_failure = OnLedgerFailure::Open;
        let null = File::options().read(true).write(true).open("/dev/null").unwrap();
        let runtime = Arc::new(ServerRuntime {
            target: Target::Program(Box::new(Program {
                command: vec!["yes".into()],
                ..Program::default()
            })),
            recorder: FailureRecorder { ledger: None, on_failure, server: Arc::clone(&server) },
            server: Arc::clone(&server),
            clock: Arc::new(|| Time::from_millis(0)),
            log: Arc::new(Log::new(null).unwrap()),
            name: None,
        });
        let session = Session::new(Arc::clone(&server), ClientKind::Http, UpstreamKind::Pipe);
        let memory = MemoryBudget::endless();
        let account = memory.account(Caller::ONLY);
        let ends = (Client::Http(Arc::new(ReplyRouter::new(memory))), account);
        let connection = Arc::new(Connection::new(runtime, session, ends, Box::new(|_| ())));
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            start(&connection).await;
            let (mut before, mut most) = (lines(&server), 0);
            while before < 1_000 * PIECE {
                tokio::task::yield_now().await;
                let now = lines(&server);
                most = most.max(now - before);
                before = now;
            }
            // Each turn of its reader is short, however much there is to read.
            assert!(most <= FIRST + 2 * PIECE, "{most} lines in one turn");
        });
        let upstream = connection.lock().upstream.take();
        upstream.expect("it runs").kill(KillReason::Silence);
    }
}
