//! The threads of a run: each reads one stream, and does at once what follows from what it read.

use std::{
    fs::File,
    io::{self, Read},
    sync::Arc,
    thread,
    time::Instant,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::{Handle, Signals},
};

use super::tap::Tap;
use crate::{
    connection::{Connection, Event, FIRST, PIECE, Role},
    lines::{Line, Lines},
    log::Named,
    outgoing::Sender,
    process::Process,
    session::{Actions, Expected},
    tail::Tail,
};

/// A piece of a log.
const LOG_PIECE: usize = 16 << 10;

/// Starts a thread that nobody waits for.
pub(crate) fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Reads what the client writes.
pub(super) fn client(connection: &Arc<Connection>, mut input: File) -> io::Result<()> {
    let told = Arc::clone(connection);
    spawn("redress-courier", move || {
        if let Some(pipe) = told.client.pipe()
            && pipe.outbox.courier(Instant::now).is_err()
        {
            told.tell(Event::ClientGone);
        }
    })?;
    let connection = Arc::clone(connection);
    spawn("redress-client", move || {
        let mut lines = Lines::new(connection.runtime.server.settings.max_message);
        let mut turn = Actions::new(connection.now());
        while let Some(bytes) = read(&mut input, lines.room()) {
            lines.filled(bytes);
            if !client_lines(&connection, &mut lines, &mut turn, Lines::next_line) {
                return connection.tell(Event::ClientGone);
            }
        }
        client_lines(&connection, &mut lines, &mut turn, Lines::rest);
        connection.tell(Event::ClientEnded);
    })
}

type Next = for<'l> fn(&'l mut Lines) -> Option<Line<'l>>;

/// Takes in all lines, as fast as the client reads the answers. Gives whether it is still there.
fn client_lines(
    connection: &Arc<Connection>,
    lines: &mut Lines,
    turn: &mut Actions,
    next: Next,
) -> bool {
    let mut most = FIRST;
    loop {
        let taken = client_piece(connection, lines, turn, (next, most));
        if taken.is_none() || !connection.wait_for_room() {
            return false;
        }
        if taken < Some(most) {
            return true;
        }
        most = PIECE;
    }
}

/// Takes in the next lines. Gives how many there were; `None` if the client is gone.
fn client_piece(
    connection: &Arc<Connection>,
    lines: &mut Lines,
    turn: &mut Actions,
    (next, most): (Next, usize),
) -> Option<usize> {
    turn.now = connection.now();
    let admits = connection.runtime.recorder.admit();
    let mut core = connection.lock();
    if connection.is_deaf() {
        return None;
    }
    core.keep_deadlines(turn);
    core.session.admit_calls(admits);
    let from = Sender::default();
    let mut taken = 0;
    while taken < most
        && let Some(line) = next(lines)
    {
        taken += 1;
        let session = &mut core.session;
        match line {
            Line::Whole(line) => {
                if let Expected::Members { are_taken } = session.client_line(line, from, turn) {
                    connection.apply(core, turn, Role::Client);
                    if !connection.client_batch(line, are_taken, from) {
                        return None;
                    }
                    turn.now = connection.now();
                    core = connection.lock();
                }
            }
            Line::LongHead(head) => session.client_long(head, from, turn),
            Line::LongTail(tail, bytes) => session.client_long_end(tail, bytes, from, turn),
        }
    }
    connection.apply(core, turn, Role::Client);
    Some(taken)
}

/// Reads what the server logs.
pub(super) fn server_log(
    connection: &Arc<Connection>,
    mut log: Tap,
    tail: Arc<Tail>,
    process: Arc<Process>,
) -> io::Result<()> {
    let connection = Arc::clone(connection);
    spawn("redress-stderr", move || {
        let (runtime, mut piece) = (&connection.runtime, vec![0; LOG_PIECE]);
        let mut named = Named::new(
            &runtime.log,
            &runtime.server.settings.server,
            &runtime.server.settings.redactor,
        );
        while let Some(bytes) = read(&mut log, &mut piece) {
            let written = piece.get(..bytes).unwrap_or_default();
            tail.add(written);
            named.add(written);
        }
        named.end();
        process.log_is_over();
    })
}

/// The signals that end us, from now on; they are kept until somebody waits for them.
pub(super) fn catch_signals() -> io::Result<Signals> {
    Signals::new([SIGTERM, SIGINT, SIGHUP])
}

/// Waits for the signals that end us.
pub(super) fn signals(connection: &Arc<Connection>, mut signals: Signals) -> io::Result<Handle> {
    let handle = signals.handle();
    let connection = Arc::clone(connection);
    spawn("redress-signals", move || {
        for _ in signals.forever() {
            connection.tell(Event::Signal);
        }
    })?;
    Ok(handle)
}

/// Reads some bytes; `None` at the end, whatever ended it.
pub(super) fn read(from: &mut impl Read, into: &mut [u8]) -> Option<usize> {
    loop {
        match from.read(into) {
            Ok(0) => return None,
            Ok(bytes) => return Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(_) => return None,
        }
    }
}
