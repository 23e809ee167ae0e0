//! `UpstreamReader`: what a process writes to its output, line by line, into the session of its connection.

use std::sync::Arc;

use redress_proxy::session::Actions;

use super::{ActingThread, Connection, FIRST, PIECE};
use crate::lines::{Line, Lines};

/// Cuts the output of a process into lines, and gives them to its session.
pub(super) struct UpstreamReader {
    connection: Arc<Connection>,
    generation: u64,
    lines: Lines,
    actions: Actions,
}

impl UpstreamReader {
    /// A reader for the upstream of that generation.
    pub(super) fn new(connection: &Arc<Connection>, generation: u64) -> Self {
        Self {
            connection: Arc::clone(connection),
            generation,
            lines: Lines::new(connection.runtime.server.settings.max_message),
            actions: Actions::new(connection.now()),
        }
    }

    /// Where the next bytes are read to.
    pub(super) fn room(&mut self) -> &mut [u8] {
        self.lines.room()
    }

    /// So many bytes were read there.
    pub(super) fn filled(&mut self, bytes: usize) {
        self.lines.filled(bytes);
    }

    /// How large the buffer is.
    pub(super) const fn buffer_bytes(&self) -> usize {
        self.lines.buffer_bytes()
    }

    /// Gives up the line that is being read: there is no memory for it.
    pub(super) const fn give_up(&mut self) {
        self.lines.give_up();
    }

    /// Takes all whole lines. Gives whether a commit must follow.
    pub(super) fn take_all(&mut self) -> bool {
        let (mut most, mut is_to_commit) = (FIRST, false);
        loop {
            let (taken, is_failure) = self.take(most);
            is_to_commit |= is_failure;
            if taken < most {
                return is_to_commit;
            }
            most = PIECE;
        }
    }

    /// Takes at most so many lines. Gives how many there were, and whether a commit must follow. Deadlines that have passed come first.
    pub(super) fn take(&mut self, most: usize) -> (usize, bool) {
        let Self { connection, generation, lines, actions } = self;
        actions.now = connection.now();
        let mut state = connection.lock();
        state.keep_deadlines(actions);
        let is_current = state.is_current(*generation);
        let session = &mut state.session;
        let mut taken = 0;
        while taken < most {
            let is_given_up = lines.is_given_up();
            let Some(line) = lines.next_line() else { break };
            taken += 1;
            match line {
                _ if !is_current => (),
                Line::Whole(line) => session.upstream_line(line, actions),
                Line::LongHead(head) if is_given_up => session.upstream_given_up(head, actions),
                Line::LongHead(head) => session.upstream_long(head, actions),
                Line::LongTail(tail, bytes) => session.upstream_long_end(tail, bytes, actions),
            }
        }
        (taken, connection.apply(state, actions, ActingThread::Server))
    }

    /// Takes what was written last, without a line break.
    pub(super) fn end(&mut self) {
        let Self { connection, generation, lines, actions } = self;
        actions.now = connection.now();
        let mut state = connection.lock();
        if let Some(Line::Whole(rest)) = lines.rest()
            && state.is_current(*generation)
        {
            state.session.upstream_rest(rest, actions);
        }
        connection.apply(state, actions, ActingThread::Server);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::Read as _,
        os::fd::OwnedFd,
        sync::Arc,
        thread::{self, JoinHandle},
        time::Duration,
    };

    use redress_ledger::Time;
    use redress_proxy::{
        caller::Caller,
        memory::MemoryBudget,
        outgoing::Sender,
        server::Server,
        session::{Actions, ClientKind, Session, UpstreamKind},
        settings::Settings,
    };

    use super::{Connection, FIRST, PIECE, UpstreamReader};
    use crate::connection::tests::settings;
    use crate::{
        connection::{
            ClientEnd, ClientPipe, FailureRecorder, LOOK, OnLedgerFailure, ServerRuntime, Target,
        },
        log::StderrLog,
    };

    const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;

    /// A connection without a driver, and what its client reads to the end.
    fn unwatched() -> (Arc<Connection>, JoinHandle<String>) {
        let deadline = Duration::from_millis(1);
        let server = Settings { deadline, ..settings() };
        let server = Arc::new(Server::new(server, std::time::Instant::now()));
        let (mut reader, writer) = std::io::pipe().unwrap();
        let null = || File::options().read(true).write(true).open("/dev/null").unwrap();
        let client = ClientPipe::new(null(), File::from(OwnedFd::from(writer))).unwrap();
        let on_failure = OnLedgerFailure::Open;
        let runtime = ServerRuntime {
            target: Target::Program(Box::default()),
            recorder: FailureRecorder { ledger: None, on_failure, server: Arc::clone(&server) },
            server: Arc::clone(&server),
            clock: Arc::new(|| Time::from_millis(0)),
            log: Arc::new(StderrLog::new(null()).unwrap()),
            name: None,
        };
        let session = Session::new(server, ClientKind::Pipe, UpstreamKind::Pipe);
        let account = MemoryBudget::endless().account(Caller::ONLY);
        let ends = (ClientEnd::Pipe(client), account);
        let connection = Connection::new(Arc::new(runtime), session, ends, Box::new(|_| ()));
        let read = thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        (Arc::new(connection), read)
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a deadline has to pass")]
    fn a_deadline_holds_while_a_server_writes_without_end() {
        let (connection, read) = unwatched();
        let mut actions = Actions::new(connection.now());
        let mut state = connection.lock();
        state.session.upstream_ready(Arc::default(), &mut actions);
        state.session.client_line(CALL, Sender::default(), &mut actions);
        drop(state);
        thread::sleep(LOOK);
        let mut lines = UpstreamReader::new(&connection, 0);
        let flood = format!("{NOTE}\n").repeat(10 * PIECE);
        for piece in flood.as_bytes().chunks(1 << 10) {
            lines.room()[..piece.len()].copy_from_slice(piece);
            lines.filled(piece.len());
        }
        // The messages of this upstream count no more, but the requests that wait for it are answered.
        lines.take_all();
        drop((lines, connection));
        let text = read.join().unwrap();
        assert!(text.contains(r#""id":7"#) && text.contains("TIMEOUT"), "{text}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a deadline has to pass")]
    fn an_answer_that_is_due_overtakes_the_flood_behind_it() {
        let (connection, read) = unwatched();
        let mut actions = Actions::new(connection.now());
        let mut state = connection.lock();
        state.session.upstream_ready(Arc::default(), &mut actions);
        state.session.client_line(CALL, Sender::default(), &mut actions);
        drop(state);
        let flood = 8 * PIECE;
        for at in 0..flood {
            if at == flood / 2 {
                thread::sleep(LOOK);
            }
            connection.act(super::ActingThread::Server, |session, actions| {
                session.upstream_line(NOTE.as_bytes(), actions);
            });
        }
        drop(connection);
        let read = read.join().unwrap();
        let answered = read.lines().position(|it| it.contains("TIMEOUT")).unwrap();
        let behind = read.lines().count() - answered;
        assert!(behind > flood / 2 - FIRST, "{behind} lines of {flood} came later");
    }
}
