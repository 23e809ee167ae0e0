//! The pipes of a process, read and written by tasks, which must not wait for a pipe or the disk.

use std::{io, os::fd::OwnedFd};

use redress::outcome::KillReason;
use redress_transport::pipe::PipeRemainder;
use tokio::{io::AsyncReadExt as _, net::unix::pipe, sync::oneshot};

use super::{
    FIRST, PIECE,
    child::{Child, Pumps},
    writer::PipeWriter,
};

/// How much of a log is read at once.
const LOG_PIECE: usize = 4 << 10;

/// The output and the log of a process, to be read by tasks.
pub(super) struct Tasks {
    output: StoppablePipe,
    log: StoppablePipe,
}

impl Pumps for Tasks {
    type Stop = Box<dyn FnOnce() + Send>;

    fn writer(input: OwnedFd) -> io::Result<PipeWriter> {
        PipeWriter::ready(input)
    }

    fn open(output: OwnedFd, log: OwnedFd) -> io::Result<(Self, Self::Stop)> {
        let (output, stop_output) = StoppablePipe::new(pipe::Receiver::from_owned_fd(output)?);
        let (log, stop_log) = StoppablePipe::new(pipe::Receiver::from_owned_fd(log)?);
        Ok((Self { output, log }, Box::new(move || drop((stop_output, stop_log)))))
    }

    fn begin(self, child: Child) -> io::Result<()> {
        let written = child.clone();
        tokio::spawn(async move { written.written(&written.input.pump_ready().await) });
        tokio::spawn(read_log(child.clone(), self.log));
        tokio::spawn(read_output(child, self.output));
        Ok(())
    }
}

/// A pipe that is read until it ends, or until it is interrupted: then what is left in it is read.
struct StoppablePipe {
    pipe: pipe::Receiver,
    stopped: oneshot::Receiver<()>,
    rest: Option<PipeRemainder>,
}

impl StoppablePipe {
    /// A pipe to read, and what interrupts the reader when it is dropped.
    fn new(pipe: pipe::Receiver) -> (Self, oneshot::Sender<()>) {
        let (reading, stopped) = oneshot::channel();
        (Self { pipe, stopped, rest: None }, reading)
    }

    /// Reads some bytes; none at the end, or if they cannot be read.
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
        self.rest.get_or_insert_with(|| PipeRemainder::of(&self.pipe)).read(&self.pipe, into)
    }
}

async fn read_output(child: Child, mut output: StoppablePipe) {
    let mut lines = child.reader();
    let (usual, mut memory) = (2 * lines.buffer_bytes(), child.connection.account.open());
    while let bytes @ 1.. = output.read(lines.room()).await {
        lines.filled(bytes);
        let large = lines.buffer_bytes().saturating_sub(usual);
        if memory.resize(large).is_err() {
            lines.give_up();
        }
        let mut most = FIRST;
        while lines.take(most).0 == most {
            if most == PIECE {
                // A server that writes without end leaves other tasks their turn, the timers among them.
                tokio::task::yield_now().await;
            }
            most = PIECE;
        }
    }
    lines.end();
    let process = child.process;
    process.output_is_over();
    if !child.connection.is_ending() {
        // The thread that waits for the process reports its end.
        drop(tokio::task::spawn_blocking(move || process.must_end(KillReason::ClosedOutput)));
    }
}

async fn read_log(child: Child, mut pipe: StoppablePipe) {
    let (mut log, mut piece) = (child.log(), vec![0; LOG_PIECE]);
    while let bytes @ 1.. = pipe.read(&mut piece).await {
        log.add(piece.get(..bytes).unwrap_or_default());
    }
    log.end();
}

#[cfg(test)]
mod tests {
    use std::{fs::File, sync::Arc};

    use redress::outcome::KillReason;
    use redress_ledger::Time;
    use redress_proxy::{
        caller::Caller,
        exposition::render,
        memory::MemoryBudget,
        server::Server,
        session::{ClientKind, Session, UpstreamKind},
    };
    use redress_transport::program::Program;
    use tokio::runtime::Builder;

    use crate::connection::tests::settings;
    use crate::{
        connection::{
            ClientEnd, Connection, FIRST, FailureRecorder, OnLedgerFailure, PIECE, ServerRuntime,
            Target, child::start,
        },
        log::StderrLog,
        replies::ReplyRouter,
    };

    /// How many lines the server has written that are no messages.
    fn lines(server: &Arc<Server>) -> usize {
        let page = render(std::slice::from_ref(server));
        let line = page.lines().find(|it| it.starts_with("redress_useless_lines_total{"));
        line.and_then(|it| it.rsplit(' ').next()?.parse().ok()).unwrap_or_default()
    }

    #[test]
    fn a_server_that_writes_without_end_leaves_others_their_turn() {
        let server = Arc::new(Server::new(settings(), std::time::Instant::now()));
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
            log: Arc::new(StderrLog::new(null).unwrap()),
            name: None,
        });
        let session = Session::new(Arc::clone(&server), ClientKind::Http, UpstreamKind::Pipe);
        let memory = MemoryBudget::endless();
        let account = memory.account(Caller::ONLY);
        let ends = (ClientEnd::Http(Arc::new(ReplyRouter::new(memory))), account);
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
