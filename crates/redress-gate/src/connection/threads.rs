//! The pipes of a process, read and written by threads. While one reader waits for the disk, the other one reads on if there is need.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::OwnedFd,
    sync::{Arc, Mutex, PoisonError},
};

use redress::outcome::KillReason;

use super::{
    child::{Child, Pumps},
    interruptible_pipe::{InterruptiblePipe, interruptible},
    reading::UpstreamReader,
    writer::PipeWriter,
};
use crate::threads::spawn;

/// How much of a log is read at once.
const LOG_PIECE: usize = 16 << 10;

/// The output and the log of a process, to be read by threads.
pub(super) struct Threads {
    output: InterruptiblePipe,
    log: InterruptiblePipe,
}

impl Pumps for Threads {
    type Stop = Box<dyn FnOnce() + Send>;

    fn writer(input: OwnedFd) -> io::Result<PipeWriter> {
        Ok(PipeWriter::blocking(File::from(input)))
    }

    fn open(output: OwnedFd, log: OwnedFd) -> io::Result<(Self, Self::Stop)> {
        let (output, stop_output) = interruptible(output);
        let (log, stop_log) = interruptible(log);
        let stop = Box::new(move || {
            stop_output.interrupt();
            stop_log.interrupt();
        });
        Ok((Self { output, log }, stop))
    }

    fn begin(self, child: Child) -> io::Result<()> {
        let written = child.clone();
        spawn("redress-writer", move || written.written(&written.input.pump()))?;
        let (logging, mut log) = (child.clone(), self.log);
        spawn("redress-stderr", move || read_log(&logging, &mut log))?;
        let reader = Mutex::new(Output { pipe: self.output, lines: child.reader() });
        let readers = Arc::new((child, reader));
        // Without a ledger no reader waits for the disk.
        if readers.0.connection.runtime.recorder.is_active() {
            let second = Arc::clone(&readers);
            spawn("redress-server", move || read_output(&second.0, &second.1))?;
        }
        spawn("redress-server", move || read_output(&readers.0, &readers.1))
    }
}

/// The output of a process. The thread that reads holds its lock.
struct Output {
    pipe: InterruptiblePipe,
    lines: UpstreamReader,
}

/// Reads the output to its end, in turns with another thread. The one that finds the end sees to it that the process ends, too.
fn read_output(child: &Child, output: &Mutex<Output>) {
    let Child { connection, process, reading, .. } = child;
    let mut reads = reading.begin();
    while reads {
        let is_over = read_until_failure(output);
        if is_over {
            reading.end();
            process.output_is_over();
        } else {
            reading.leave();
            if connection.awaits_upstream() {
                reading.call();
            }
        }
        connection.commit();
        if is_over && !connection.is_ending() {
            return process.must_end(KillReason::ClosedOutput);
        }
        reads = reading.come_back();
    }
}

/// Reads until a record is to be committed, or the output has ended. Gives whether it has.
fn read_until_failure(output: &Mutex<Output>) -> bool {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    let Output { pipe, lines } = &mut *output;
    while let Some(bytes) = read(pipe, lines.room()) {
        lines.filled(bytes);
        if lines.take_all() {
            return false;
        }
    }
    lines.end();
    true
}

fn read_log(child: &Child, pipe: &mut InterruptiblePipe) {
    let (mut log, mut piece) = (child.log(), vec![0; LOG_PIECE]);
    while let Some(bytes) = read(pipe, &mut piece) {
        log.add(piece.get(..bytes).unwrap_or_default());
    }
    log.end();
}

/// Reads some bytes; `None` at the end, or if they cannot be read.
pub(crate) fn read(from: &mut impl Read, into: &mut [u8]) -> Option<usize> {
    loop {
        match from.read(into) {
            Ok(0) => return None,
            Ok(bytes) => return Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(_) => return None,
        }
    }
}
