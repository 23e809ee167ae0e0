//! What a process writes to its output, line by line, into the session of its connection.

use std::sync::Arc;

use super::{Connection, FIRST, PIECE, Role};
use crate::{
    lines::{Line, Lines},
    session::Actions,
};

impl Connection {
    /// Takes in the lines that are whole. Gives whether a commit must follow.
    pub(crate) fn upstream_lines(
        self: &Arc<Self>,
        lines: &mut Lines,
        turn: &mut Actions,
        generation: u64,
    ) -> bool {
        let (mut most, mut is_to_commit) = (FIRST, false);
        loop {
            let (taken, is_failure) = self.upstream_piece(lines, turn, generation, most);
            is_to_commit |= is_failure;
            if taken < most {
                return is_to_commit;
            }
            most = PIECE;
        }
    }

    /// Takes in as many lines. Gives how many there were, and whether a commit must follow. Deadlines that have passed come first.
    pub(crate) fn upstream_piece(
        self: &Arc<Self>,
        lines: &mut Lines,
        turn: &mut Actions,
        generation: u64,
        most: usize,
    ) -> (usize, bool) {
        turn.now = self.now();
        let mut core = self.lock();
        core.keep_deadlines(turn);
        let is_current = core.is_current(generation);
        let session = &mut core.session;
        let mut taken = 0;
        while taken < most {
            let is_given_up = lines.is_given_up();
            let Some(line) = lines.next_line() else { break };
            taken += 1;
            match line {
                _ if !is_current => (),
                Line::Whole(line) => session.upstream_line(line, turn),
                Line::LongHead(head) if is_given_up => session.upstream_given_up(head, turn),
                Line::LongHead(head) => session.upstream_long(head, turn),
                Line::LongTail(tail, bytes) => session.upstream_long_end(tail, bytes, turn),
            }
        }
        (taken, self.apply(core, turn, Role::Server))
    }

    /// Takes in what was written last, without a line break. Gives whether a commit must follow.
    pub(crate) fn upstream_rest(
        self: &Arc<Self>,
        lines: &mut Lines,
        turn: &mut Actions,
        generation: u64,
    ) -> bool {
        turn.now = self.now();
        let mut core = self.lock();
        if let Some(Line::Whole(rest)) = lines.rest()
            && core.is_current(generation)
        {
            core.session.upstream_rest(rest, turn);
        }
        self.apply(core, turn, Role::Server)
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

    use super::{Connection, FIRST, PIECE};
    use crate::{
        caller::Caller,
        connection::{Client, FailureRecorder, LOOK, Pipe, ServerRuntime, Target},
        lines::Lines,
        log::Log,
        memory::MemoryBudget,
        outgoing::Sender,
        run::OnLedgerFailure,
        server::Server,
        session::{Actions, ClientKind, Session, UpstreamKind, tests::settings},
        settings::{Mode, Settings},
    };

    const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;

    /// A connection without anybody who watches it, and what its client reads to the end.
    fn unwatched() -> (Arc<Connection>, JoinHandle<String>) {
        let deadline = Duration::from_millis(1);
        let server = Settings { deadline, ..settings(Mode::Enforce) };
        let server = Arc::new(Server::new(server, std::time::Instant::now()));
        let (mut reader, writer) = std::io::pipe().unwrap();
        let null = || File::options().read(true).write(true).open("/dev/null").unwrap();
        let client = Pipe::new(null(), File::from(OwnedFd::from(writer))).unwrap();
        let on_failure = OnLedgerFailure::Open;
        let runtime = ServerRuntime {
            target: Target::Program(Box::default()),
            recorder: FailureRecorder { ledger: None, on_failure, server: Arc::clone(&server) },
            server: Arc::clone(&server),
            clock: Arc::new(|| Time::from_millis(0)),
            log: Arc::new(Log::new(null()).unwrap()),
            name: None,
        };
        let session = Session::new(server, ClientKind::Pipe, UpstreamKind::Pipe);
        let account = MemoryBudget::endless().account(Caller::ONLY);
        let ends = (Client::Pipe(client), account);
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
        let mut turn = Actions::new(connection.now());
        let mut core = connection.lock();
        core.session.upstream_ready(Arc::default(), &mut turn);
        core.session.client_line(CALL, Sender::default(), &mut turn);
        drop(core);
        thread::sleep(LOOK);
        let mut lines = Lines::new(1 << 20);
        let flood = format!("{NOTE}\n").repeat(10 * PIECE);
        for piece in flood.as_bytes().chunks(1 << 10) {
            lines.room()[..piece.len()].copy_from_slice(piece);
            lines.filled(piece.len());
        }
        // Nobody reads this upstream's messages any more, but those who wait for it are pending.
        connection.upstream_lines(&mut lines, &mut turn, 0);
        drop(connection);
        let text = read.join().unwrap();
        assert!(text.contains(r#""id":7"#) && text.contains("TIMEOUT"), "{text}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a deadline has to pass")]
    fn an_answer_that_is_due_overtakes_the_flood_behind_it() {
        let (connection, read) = unwatched();
        let mut turn = Actions::new(connection.now());
        let mut core = connection.lock();
        core.session.upstream_ready(Arc::default(), &mut turn);
        core.session.client_line(CALL, Sender::default(), &mut turn);
        drop(core);
        let flood = 8 * PIECE;
        for at in 0..flood {
            if at == flood / 2 {
                thread::sleep(LOOK);
            }
            connection.turn(super::Role::Server, |session, turn| {
                session.upstream_line(NOTE.as_bytes(), turn);
            });
        }
        drop(connection);
        let read = read.join().unwrap();
        let answered = read.lines().position(|it| it.contains("TIMEOUT")).unwrap();
        let behind = read.lines().count() - answered;
        assert!(behind > flood / 2 - FIRST, "{behind} lines of {flood} came later");
    }
}
