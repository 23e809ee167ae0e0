//! `Child`: a server's process, its pipes on threads, and nothing of it left at the end.

use std::{
    io::{self, BufRead as _, BufReader, Read, Write as _},
    process::{ChildStdin, ChildStdout},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::Duration,
};

use redress_transport::{
    process::{Pipes, Process, RunningServer},
    program::Program,
};
use rustix::process::Signal;

use super::wire::{Heard, LONGEST, QUEUE};

/// How long the end of its log may take to arrive after its end.
const LINGER: Duration = Duration::from_millis(250);

/// How long it may take to end after its input closed, and again after it was asked to.
const GRACE: Duration = Duration::from_millis(500);

/// The most of its log that is kept.
const TAIL: usize = 8 << 10;

/// A server's process.
#[derive(Debug)]
pub(crate) struct Child {
    input: Option<Sender<Vec<u8>>>,
    pub(super) events: Receiver<Heard>,
    process: Arc<Process<()>>,
    log: Arc<Log>,
}

/// The end of what a process wrote to standard error.
#[derive(Debug, Default)]
struct Log {
    state: Mutex<LogState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct LogState {
    tail: Vec<u8>,
    is_over: bool,
}

impl Child {
    /// Starts a program.
    pub(super) fn start(program: &Program) -> io::Result<Self> {
        let (process, running, pipes) = Process::start(program)?;
        let Pipes { input, output, log: its_log } = pipes;
        let (process, log) = (Arc::new(process), Arc::<Log>::default());
        let (say, events) = sync_channel(QUEUE);
        let (give, lines) = channel();
        let of = || (Arc::clone(&process), say.clone());
        let ((reads, said), (logs, _), (waits, ended)) = (of(), of(), of());
        let keeps = Arc::clone(&log);
        thread::spawn(move || write(input, &lines));
        thread::spawn(move || read(&reads, output, &said));
        thread::spawn(move || {
            keeps.read(its_log);
            logs.log_is_over();
        });
        thread::spawn(move || wait(&waits, running, &ended));
        Ok(Self { input: Some(give), events, process, log })
    }

    /// Sends a line. A process that does not read it is noticed by its silence.
    pub(super) fn send(&self, bytes: &[u8]) {
        let line = [bytes, b"\n"].concat();
        if let Some(input) = &self.input {
            // A thread that is gone has met a closed pipe, which the end of the process explains.
            input.send(line).unwrap_or_default();
        }
    }

    pub(super) fn log_tail(&self) -> Vec<u8> {
        self.log.tail()
    }
}

/// Ends the process and all of its group: politely, then not.
impl Drop for Child {
    fn drop(&mut self) {
        drop(self.input.take());
        let (_, none) = sync_channel(0);
        // A thread that waits to send us something has no receiver.
        drop(std::mem::replace(&mut self.events, none));
        for signal in [Signal::TERM, Signal::KILL] {
            if self.process.is_gone_within(GRACE) {
                return;
            }
            self.process.signal(signal);
        }
        self.process.is_gone_within(GRACE);
    }
}

impl Log {
    fn read(&self, mut log: impl Read) {
        let mut part = [0; 4 << 10];
        while let Ok(read @ 1..) = log.read(&mut part) {
            self.set(|it| {
                it.tail.extend_from_slice(part.get(..read).unwrap_or_default());
                let gone = it.tail.len().saturating_sub(TAIL);
                drop(it.tail.drain(..gone));
            });
        }
        self.set(|it| it.is_over = true);
    }

    /// What was written last, once there is something.
    fn tail(&self) -> Vec<u8> {
        let is_empty = |it: &mut LogState| !it.is_over && it.tail.is_empty();
        let waited = self.changed.wait_timeout_while(self.lock(), LINGER, is_empty);
        waited.unwrap_or_else(PoisonError::into_inner).0.tail.clone()
    }

    fn set(&self, change: impl FnOnce(&mut LogState)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(mut input: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read(process: &Process<()>, output: ChildStdout, said: &SyncSender<Heard>) {
    let mut output = BufReader::with_capacity(64 << 10, output);
    while let Some(heard) = line(&mut output) {
        if said.send(heard).is_err() {
            break;
        }
    }
    process.output_is_over();
    // What closed its output can say nothing more.
    process.must_end(());
}

/// The next line that is not empty. Of one that is too long nothing is kept but its length.
fn line(output: &mut BufReader<ChildStdout>) -> Option<Heard> {
    let mut bytes = Vec::new();
    let mut length = 0_usize;
    loop {
        let part = output.fill_buf().ok()?;
        if part.is_empty() {
            let rest = (!bytes.is_empty()).then_some(bytes);
            return rest.map(|bytes| Heard::Message { post: None, status: None, bytes });
        }
        let end = part.iter().position(|it| *it == b'\n');
        let taken = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
        length = length.saturating_add(taken.len());
        if length <= LONGEST {
            bytes.extend_from_slice(taken);
        }
        let used = taken.len() + usize::from(end.is_some());
        output.consume(used);
        if end.is_none() {
            continue;
        }
        if length > LONGEST {
            return Some(Heard::TooLarge { post: None, bytes: length });
        }
        if !bytes.trim_ascii().is_empty() {
            return Some(Heard::Message { post: None, status: None, bytes });
        }
        (bytes, length) = (Vec::new(), 0);
    }
}

fn wait(process: &Process<()>, running: RunningServer, ended: &SyncSender<Heard>) {
    // What others write to its pipes afterwards is of no use.
    let exit = process.wait(running, || process.nothing_is_read());
    // The receiver is gone when we ended it ourselves.
    ended.send(Heard::Exited { code: exit.code, signal: exit.signal }).unwrap_or_default();
}
