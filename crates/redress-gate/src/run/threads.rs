//! The threads of a run: each reads one stream, and does at once what follows from what it read.

use std::{
    fs::File,
    io::{self, Read},
    process::{ChildStderr, ChildStdout},
    sync::Arc,
    thread,
    time::Instant,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::{Handle, Signals},
};

use super::gate::{Event, Gate, Role};
use crate::{
    lines::{Line, Lines},
    mail::Sender,
    process::Process,
    session::Turn,
    tail::Tail,
};

/// A piece of a log.
const LOG_PIECE: usize = 16 << 10;

/// Starts a thread that nobody waits for.
pub(super) fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Reads what the client writes.
pub(super) fn client(gate: &Arc<Gate>, mut input: File) -> io::Result<()> {
    let client = Arc::clone(gate);
    spawn("redress-courier", move || {
        if client.client.courier(Instant::now).is_err() {
            client.tell(Event::ClientGone);
        }
    })?;
    let gate = Arc::clone(gate);
    spawn("redress-client", move || {
        let mut lines = Lines::new(gate.max_message);
        let mut turn = Turn::new(gate.now());
        while let Some(bytes) = read(&mut input, lines.room()) {
            lines.filled(bytes);
            client_lines(&gate, &mut lines, &mut turn, Lines::next);
        }
        client_lines(&gate, &mut lines, &mut turn, Lines::rest);
        gate.tell(Event::ClientEnded);
    })
}

fn client_lines(
    gate: &Arc<Gate>,
    lines: &mut Lines,
    turn: &mut Turn,
    next: for<'l> fn(&'l mut Lines) -> Option<Line<'l>>,
) {
    turn.now = gate.now();
    let admits = gate.admits();
    let mut core = gate.lock();
    let session = &mut core.session;
    session.admit_calls(admits);
    let from = Sender::default();
    while let Some(line) = next(lines) {
        match line {
            Line::Whole(line) => {
                session.client_line(line, from, turn);
            }
            Line::LongHead(head) => session.client_long(head, from, turn),
            Line::LongTail(tail, bytes) => session.client_long_end(tail, bytes, from, turn),
        }
    }
    gate.settle(core, turn, Role::Client);
}

/// Reads what the server writes.
pub(super) fn server(
    gate: &Arc<Gate>,
    mut output: ChildStdout,
    process: Arc<Process>,
    generation: u64,
) -> io::Result<()> {
    let gate = Arc::clone(gate);
    spawn("redress-server", move || {
        let mut lines = Lines::new(gate.max_message);
        let mut turn = Turn::new(gate.now());
        while let Some(bytes) = read(&mut output, lines.room()) {
            lines.filled(bytes);
            server_lines(&gate, &mut lines, &mut turn, generation);
        }
        server_rest(&gate, &mut lines, &mut turn, generation);
        process.output_is_over();
        if !gate.is_ending() {
            process.must_end();
        }
    })
}

fn server_lines(gate: &Arc<Gate>, lines: &mut Lines, turn: &mut Turn, generation: u64) {
    turn.now = gate.now();
    let mut core = gate.lock();
    let is_current = core.is_current(generation);
    let session = &mut core.session;
    while let Some(line) = lines.next() {
        match line {
            _ if !is_current => (),
            Line::Whole(line) => session.upstream_line(line, turn),
            Line::LongHead(head) => session.upstream_long(head, turn),
            Line::LongTail(tail, bytes) => session.upstream_long_end(tail, bytes, turn),
        }
    }
    gate.settle(core, turn, Role::Server);
}

fn server_rest(gate: &Arc<Gate>, lines: &mut Lines, turn: &mut Turn, generation: u64) {
    turn.now = gate.now();
    let mut core = gate.lock();
    if let Some(Line::Whole(rest)) = lines.rest()
        && core.is_current(generation)
    {
        core.session.upstream_rest(rest, turn);
    }
    gate.settle(core, turn, Role::Server);
}

/// Reads what the server logs.
pub(super) fn server_log(
    gate: &Arc<Gate>,
    mut log: ChildStderr,
    tail: Arc<Tail>,
    process: Arc<Process>,
) -> io::Result<()> {
    let gate = Arc::clone(gate);
    spawn("redress-stderr", move || {
        let mut piece = vec![0; LOG_PIECE];
        while let Some(bytes) = read(&mut log, &mut piece) {
            let written = piece.get(..bytes).unwrap_or_default();
            tail.add(written);
            gate.log.pass(written);
        }
        process.log_is_over();
    })
}

/// Waits for the signals that end us.
pub(super) fn signals(gate: &Arc<Gate>) -> io::Result<Handle> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let handle = signals.handle();
    let gate = Arc::clone(gate);
    spawn("redress-signals", move || {
        for _ in signals.forever() {
            gate.tell(Event::Signal);
        }
    })?;
    Ok(handle)
}

/// Reads some bytes; `None` at the end, whatever ended it.
fn read(from: &mut impl Read, into: &mut [u8]) -> Option<usize> {
    loop {
        match from.read(into) {
            Ok(0) => return None,
            Ok(bytes) => return Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(_) => return None,
        }
    }
}
