//! What a client on a pipe writes, line by line, into the session of its connection, as fast as it reads the answers.

use std::{
    fs::File,
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use redress_proxy::{
    outgoing::{ReplyToken, Sender},
    session::{Actions, Expected},
};

use super::{ActingThread, ClientEnd, Connection, DriverEvent, FIRST, PIECE, threads::read};
use crate::{
    frame::Batch,
    lines::{Line, Lines},
    threads::spawn,
};

/// How often the reader looks whether the next piece may follow.
pub(crate) const GLANCE: Duration = Duration::from_millis(5);

/// Reads and writes the streams of a client on a pipe, on threads of their own.
pub(crate) fn attend_client(connection: &Arc<Connection>, mut input: File) -> io::Result<()> {
    let written = Arc::clone(connection);
    spawn("redress-writer", move || {
        if let ClientEnd::Pipe(pipe) = &written.client
            && pipe.output.pump().is_err()
        {
            written.notify(DriverEvent::ClientGone);
        }
    })?;
    let connection = Arc::clone(connection);
    spawn("redress-client", move || {
        let lines = Lines::new(connection.runtime.server.settings.max_message);
        let actions = Actions::new(connection.now());
        let mut client = ClientReader { connection: Arc::clone(&connection), lines, actions };
        while let Some(bytes) = read(&mut input, client.lines.room()) {
            client.lines.filled(bytes);
            if !client.take_all(Lines::next_line) {
                return connection.notify(DriverEvent::ClientGone);
            }
        }
        client.take_all(Lines::rest);
        connection.notify(DriverEvent::ClientEnded);
    })
}

/// Cuts the input of a client into lines, and gives them to its session.
struct ClientReader {
    connection: Arc<Connection>,
    lines: Lines,
    actions: Actions,
}

type Next = for<'l> fn(&'l mut Lines) -> Option<Line<'l>>;

impl ClientReader {
    /// Takes all lines. Gives whether the client is still there.
    fn take_all(&mut self, next: Next) -> bool {
        let mut most = FIRST;
        loop {
            let taken = self.take(next, most);
            if taken.is_none() || !wait_for_room(&self.connection) {
                return false;
            }
            if taken < Some(most) {
                return true;
            }
            most = PIECE;
        }
    }

    /// Takes at most so many lines. Gives how many there were; `None` if the client is gone.
    fn take(&mut self, next: Next, most: usize) -> Option<usize> {
        let Self { connection, lines, actions } = self;
        actions.now = connection.now();
        let admits = connection.runtime.recorder.admit();
        let mut state = connection.lock();
        if connection.is_deaf() {
            return None;
        }
        state.keep_deadlines(actions);
        state.session.admit_calls(admits);
        let from = Sender::default();
        let mut taken = 0;
        while taken < most
            && let Some(line) = next(lines)
        {
            taken += 1;
            let session = &mut state.session;
            match line {
                Line::Whole(line) => {
                    if let Expected::Members { are_taken } =
                        session.client_line(line, from, actions)
                    {
                        connection.apply(state, actions, ActingThread::Client);
                        if !take_batch(connection, line, are_taken, from) {
                            return None;
                        }
                        actions.now = connection.now();
                        state = connection.lock();
                    }
                }
                Line::LongHead(head) => session.client_long(head, from, actions),
                Line::LongTail(tail, bytes) => session.client_long_end(tail, bytes, from, actions),
            }
        }
        connection.apply(state, actions, ActingThread::Client);
        Some(taken)
    }
}

/// What came of one piece of an array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceOutcome {
    /// How many of its messages will be answered.
    pub(crate) answers: usize,
    /// There are no more messages.
    pub(crate) is_last: bool,
}

/// Takes the next messages of an array.
pub(crate) fn take_piece(
    connection: &Arc<Connection>,
    batch: &mut Batch<'_>,
    are_taken: bool,
    from: Sender,
) -> PieceOutcome {
    let (mut messages, mut answers) = (0, 0);
    connection.client_says(|session, actions| {
        for message in batch.take(PIECE) {
            messages += 1;
            let expected = session.client_member(message, are_taken, from, actions);
            answers += usize::from(expected == Expected::Answer);
        }
    });
    PieceOutcome { answers, is_last: messages < PIECE }
}

/// Takes an array of messages. Gives whether the client is still there.
fn take_batch(connection: &Arc<Connection>, line: &[u8], are_taken: bool, from: Sender) -> bool {
    let mut batch = Batch::of(line);
    loop {
        let piece = take_piece(connection, &mut batch, are_taken, from);
        if !wait_for_room(connection) {
            return false;
        }
        if piece.is_last {
            return true;
        }
    }
}

/// Waits until the next piece may follow. Gives whether the client is still there: one that has closed its side and reads nothing for
/// so long that all its answers are late is not.
fn wait_for_room(connection: &Connection) -> bool {
    let mut until = None;
    while connection.is_full(ReplyToken::default()) {
        if connection.client.pipe().is_some_and(|it| it.is_full() && it.has_said_all()) {
            let deadline = connection.runtime.server.settings.deadline;
            let until = *until.get_or_insert_with(|| Instant::now() + deadline);
            if Instant::now() >= until {
                return false;
            }
        }
        thread::park_timeout(GLANCE);
    }
    true
}
