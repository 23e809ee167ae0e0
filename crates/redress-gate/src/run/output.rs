//! What the server writes, read by one thread at a time: while one waits for the disk, the other reads on.

use std::{
    io,
    process::ChildStdout,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::threads::{read, spawn};
use crate::{lines::Lines, link::Link, process::Process, session::Turn};

/// The server's output. Whoever holds its lock reads.
struct Output {
    pipe: ChildStdout,
    lines: Lines,
    is_over: bool,
}

/// Reads what the server writes.
pub(super) fn server(
    link: &Arc<Link>,
    pipe: ChildStdout,
    process: Arc<Process>,
    generation: u64,
) -> io::Result<()> {
    let lines = Lines::new(link.plan.server.settings.max_message);
    let output = Arc::new(Mutex::new(Output { pipe, lines, is_over: false }));
    // Without a ledger nobody waits for a disk.
    if link.plan.books.are_kept() {
        let (link, output, process) = (Arc::clone(link), Arc::clone(&output), Arc::clone(&process));
        spawn("redress-server", move || read_on(&link, &output, &process, generation))?;
    }
    let link = Arc::clone(link);
    spawn("redress-server", move || read_on(&link, &output, &process, generation))
}

/// Reads until the end; whoever finds it sees to it that the process ends, too.
fn read_on(link: &Arc<Link>, output: &Mutex<Output>, process: &Process, generation: u64) {
    let mut turn = Turn::new(link.now());
    let mut reading = lock(output);
    while !reading.is_over {
        let Output { pipe, lines, is_over } = &mut *reading;
        let is_to_commit = if let Some(bytes) = read(pipe, lines.room()) {
            lines.filled(bytes);
            link.upstream_lines(lines, &mut turn, generation)
        } else {
            *is_over = true;
            link.upstream_rest(lines, &mut turn, generation)
        };
        let is_over = *is_over;
        if is_to_commit || is_over {
            drop(reading);
            if is_over {
                process.output_is_over();
            }
            link.commit();
            if is_over && !link.is_ending() {
                return process.must_end();
            }
            reading = lock(output);
        }
    }
}

fn lock(output: &Mutex<Output>) -> MutexGuard<'_, Output> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}
