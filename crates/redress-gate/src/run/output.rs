//! What the server writes, read by one thread at a time: while one waits for the disk, the other reads on if there is need.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    tap::Tap,
    threads::{read, spawn},
};
use crate::{connection::Connection, lines::Lines, process::Process, session::Actions};

/// The server's output. Whose turn it is to read holds its lock.
struct Output {
    pipe: Tap,
    lines: Lines,
}

/// Reads what the server writes.
pub(super) fn server(
    connection: &Arc<Connection>,
    pipe: Tap,
    process: Arc<Process>,
    generation: u64,
) -> io::Result<()> {
    let lines = Lines::new(connection.runtime.server.settings.max_message);
    let output = Arc::new(Mutex::new(Output { pipe, lines }));
    // Without a ledger nobody waits for a disk.
    if connection.runtime.recorder.are_kept() {
        let (connection, output, process) =
            (Arc::clone(connection), Arc::clone(&output), Arc::clone(&process));
        spawn("redress-server", move || read_on(&connection, &output, &process, generation))?;
    }
    let connection = Arc::clone(connection);
    spawn("redress-server", move || read_on(&connection, &output, &process, generation))
}

/// Reads until the end; whoever finds it sees to it that the process ends, too.
fn read_on(
    connection: &Arc<Connection>,
    output: &Mutex<Output>,
    process: &Process,
    generation: u64,
) {
    let relief = &process.relief;
    let mut turn = Actions::new(connection.now());
    let mut is_there = relief.begin();
    while is_there {
        let is_over = read_until_failure(connection, output, &mut turn, generation);
        if is_over {
            relief.end();
            process.output_is_over();
        } else {
            relief.leave();
            if connection.awaits_upstream() {
                relief.call();
            }
        }
        connection.commit();
        if is_over && !connection.is_ending() {
            return process.must_end();
        }
        is_there = relief.come_back();
    }
}

/// Reads until something is to be committed, or the output is over. Gives whether it is.
fn read_until_failure(
    connection: &Arc<Connection>,
    output: &Mutex<Output>,
    turn: &mut Actions,
    generation: u64,
) -> bool {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    let Output { pipe, lines } = &mut *output;
    while let Some(bytes) = read(pipe, lines.room()) {
        lines.filled(bytes);
        if connection.upstream_lines(lines, turn, generation) {
            return false;
        }
    }
    connection.upstream_rest(lines, turn, generation);
    true
}
