//! `Child`: a server's process in a group of its own, its pipes on threads, and nothing of it left at the end.

use std::{
    ffi::OsString,
    io::{self, BufRead as _, BufReader, Read, Write as _},
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    process::{self, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::wire::{Heard, LONGEST, QUEUE};

/// How long what it wrote last may take to arrive after its end, or its end after its output closed.
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
    life: Arc<Life>,
}

/// What the threads of a process tell each other.
#[derive(Debug)]
struct Life {
    group: Pid,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_output_over: bool,
    is_log_over: bool,
    /// It ended, was reaped, and its number may belong to another one.
    is_reaped: bool,
    log: Vec<u8>,
}

impl Child {
    /// Starts a program.
    pub(super) fn start(command: &[OsString]) -> io::Result<Self> {
        let absent = || io::Error::new(io::ErrorKind::NotFound, "no command was given");
        let (program, args) = command.split_first().ok_or_else(absent)?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let ((Some(input), Some(output), Some(log)), Some(group)) = (pipes, pid) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let life = Arc::new(Life { group, state: Mutex::default(), changed: Condvar::new() });
        let (say, events) = sync_channel(QUEUE);
        let (give, lines) = channel();
        let of = || (Arc::clone(&life), say.clone());
        let ((reads, said), (logs, _), (waits, ended)) = (of(), of(), of());
        thread::spawn(move || write(input, &lines));
        thread::spawn(move || read(&reads, output, &said));
        thread::spawn(move || keep_tail(&logs, log));
        thread::spawn(move || wait(&waits, child, &ended));
        Ok(Self { input: Some(give), events, life })
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
        self.life.until(LINGER, |it| it.is_log_over || !it.log.is_empty());
        self.life.lock().log.clone()
    }
}

/// Ends the process and all of its group: politely, then not.
impl Drop for Child {
    fn drop(&mut self) {
        drop(self.input.take());
        let (_, none) = sync_channel(0);
        // Whoever waits to tell us something has nobody to tell it to.
        drop(std::mem::replace(&mut self.events, none));
        for signal in [Signal::TERM, Signal::KILL] {
            if self.life.until(GRACE, |it| it.is_reaped) {
                return;
            }
            self.life.signal(signal);
        }
        self.life.until(GRACE, |it| it.is_reaped);
    }
}

impl Life {
    fn signal(&self, signal: Signal) {
        let state = self.lock();
        if !state.is_reaped {
            // A group that is gone already is what we want.
            kill_process_group(self.group, signal).unwrap_or_default();
        }
        drop(state);
    }

    fn until(&self, time: Duration, holds: impl Fn(&State) -> bool) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), time, |it| !holds(it));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
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

fn read(life: &Life, output: ChildStdout, said: &SyncSender<Heard>) {
    let mut output = BufReader::with_capacity(64 << 10, output);
    while let Some(heard) = line(&mut output) {
        if said.send(heard).is_err() {
            break;
        }
    }
    life.set(|it| it.is_output_over = true);
    // What closed its output can say nothing more.
    if !life.until(LINGER, |it| it.is_reaped) {
        life.signal(Signal::KILL);
    }
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

fn keep_tail(life: &Life, mut log: impl Read) {
    let mut part = [0; 4 << 10];
    while let Ok(read @ 1..) = log.read(&mut part) {
        life.set(|it| {
            it.log.extend_from_slice(part.get(..read).unwrap_or_default());
            let gone = it.log.len().saturating_sub(TAIL);
            drop(it.log.drain(..gone));
        });
    }
    life.set(|it| it.is_log_over = true);
}

fn wait(life: &Life, mut child: process::Child, ended: &SyncSender<Heard>) {
    // The number of a process stays its own until it is reaped, so that nobody else's group is hit below.
    while waitid(WaitId::Pid(life.group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        .is_err_and(|it| it == rustix::io::Errno::INTR)
    {}
    life.until(LINGER, |it| it.is_output_over && it.is_log_over);
    life.signal(Signal::KILL);
    let status = child.wait();
    life.set(|it| it.is_reaped = true);
    let (code, signal) = status.map_or((None, None), |it| (it.code(), it.signal()));
    // Nobody is left to hear it when we ended it ourselves.
    ended.send(Heard::Exited { code, signal }).unwrap_or_default();
}
