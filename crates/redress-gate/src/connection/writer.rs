//! `PipeWriter`: the queue of bytes in front of a pipe, written in order by one writer at a time, with back-pressure.
//!
//! A pipe that blocks is written by threads: one that may wait writes what it has itself, so that no other thread wakes up for a
//! message; all others leave it to the thread that runs [`PipeWriter::pump`]. A pipe that does not block is written by tasks: each
//! writes what the pipe takes at once, and the task that runs [`PipeWriter::pump_ready`] writes the rest.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Write as _},
    os::fd::OwnedFd,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{net::unix::pipe, sync::Notify, time::sleep};

use redress_proxy::memory::Reservation;

/// A larger buffer is not kept for reuse.
const LARGEST_SPARE: usize = 1 << 20;

/// How often [`PipeWriter::drain`] looks whether everything is written.
const GLANCE: Duration = Duration::from_millis(1);

/// The queue of bytes in front of a pipe.
#[derive(Debug)]
pub(crate) struct PipeWriter {
    state: Mutex<State>,
    /// Wakes the thread that pumps, which must not be woken for nothing.
    called: Condvar,
    /// Wakes threads that wait until another one has written.
    written: Condvar,
    /// Wakes the task that pumps: the pipe did not take all, or is closed.
    changed: Notify,
}

/// The other end of the pipe is closed.
#[derive(Debug)]
pub(crate) struct Broken;

#[derive(Debug)]
enum OutputPipe {
    /// A write waits for the reader.
    Blocking(File),
    /// A write takes as much as fits.
    Ready(pipe::Sender),
}

#[derive(Debug)]
struct State {
    /// The pipe; gone once it is closed or broken.
    pipe: Option<Arc<OutputPipe>>,
    waiting: Vec<u8>,
    /// How many of the waiting bytes are written.
    written: usize,
    /// The memory reserved for waiting bytes, each with the end of its bytes.
    held: VecDeque<(usize, Reservation)>,
    /// An empty buffer for the next bytes.
    spare: Vec<u8>,
    /// Since when a write waits for the reader.
    stuck: Option<Instant>,
    /// The thread that pumps is to write what waits.
    is_called: bool,
    /// How many threads wait until another one has written. Waking none saves a system call.
    waiters: u32,
    is_broken: bool,
}

impl PipeWriter {
    /// A queue in front of a pipe that threads write.
    pub(crate) fn blocking(pipe: File) -> Self {
        Self::of(OutputPipe::Blocking(pipe))
    }

    /// A queue in front of a pipe that tasks write.
    pub(crate) fn ready(pipe: OwnedFd) -> io::Result<Self> {
        pipe::Sender::from_owned_fd(pipe).map(|it| Self::of(OutputPipe::Ready(it)))
    }

    fn of(pipe: OutputPipe) -> Self {
        let state = State {
            pipe: Some(Arc::new(pipe)),
            waiting: Vec::new(),
            written: 0,
            held: VecDeque::new(),
            spare: Vec::new(),
            stuck: None,
            is_called: false,
            waiters: 0,
            is_broken: false,
        };
        let (called, written) = (Condvar::new(), Condvar::new());
        Self { state: Mutex::new(state), called, written, changed: Notify::new() }
    }

    /// Takes bytes over with the memory reserved for them, in the order of these calls. Never blocks.
    pub(crate) fn push(&self, bytes: &mut Vec<u8>, held: &mut Vec<Reservation>) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        if state.pipe.is_none() {
            bytes.clear();
            held.clear();
            return;
        }
        if state.waiting.is_empty() {
            std::mem::swap(&mut state.waiting, bytes);
            bytes.clear();
        } else {
            state.waiting.append(bytes);
        }
        let end = state.waiting.len();
        state.held.extend(held.drain(..).map(|it| (end, it)));
    }

    /// Writes what waits, or has it written. A pipe that blocks is waited for only by a caller that may.
    pub(crate) fn flush(&self, may_wait: bool, now: Instant) -> Result<(), Broken> {
        let mut state = self.lock();
        match state.pipe.as_deref() {
            None => (),
            Some(OutputPipe::Ready(_)) => {
                // While the pipe is full, the task that pumps waits for it.
                let is_done = state.stuck.is_some() || state.write_ready(now);
                if !is_done {
                    self.changed.notify_one();
                }
            }
            Some(OutputPipe::Blocking(_)) if may_wait => loop {
                while state.stuck.is_some() {
                    state = self.until_written(state);
                }
                if state.waiting.is_empty() {
                    break;
                }
                state = self.write_blocking(state, now);
            },
            Some(OutputPipe::Blocking(_)) => {
                let is_called = state.waiting.is_empty() || state.is_called;
                if !is_called {
                    state.is_called = true;
                    self.called.notify_one();
                }
            }
        }
        state.end()
    }

    /// Writes what other threads leave, until the pipe is closed or breaks: the work of a thread of its own.
    pub(crate) fn pump(&self) -> Result<(), Broken> {
        let mut state = self.lock();
        while state.pipe.is_some() {
            if !state.is_called || state.waiting.is_empty() {
                state.is_called = false;
                state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else if state.stuck.is_some() {
                state = self.until_written(state);
            } else {
                state.is_called = false;
                state = self.write_blocking(state, Instant::now());
            }
        }
        state.end()
    }

    /// Writes what did not fit, until the pipe is closed or breaks: the work of a task of its own.
    pub(crate) async fn pump_ready(&self) -> Result<(), Broken> {
        loop {
            let changed = self.changed.notified();
            let (pipe, is_stuck) = {
                let state = self.lock();
                (state.pipe.clone(), state.stuck.is_some())
            };
            let Some(pipe) = pipe else { return self.lock().end() };
            match &*pipe {
                OutputPipe::Ready(ready) if is_stuck => {
                    tokio::select! {
                        _ = ready.writable() => (),
                        () = changed => (),
                    }
                    self.lock().write_ready(Instant::now());
                }
                OutputPipe::Ready(_) | OutputPipe::Blocking(_) => {
                    // A pipe that is closed meanwhile must not be kept open here.
                    drop(pipe);
                    changed.await;
                }
            }
        }
    }

    /// How many bytes wait.
    pub(crate) fn waiting(&self) -> usize {
        let state = self.lock();
        state.waiting.len() - state.written
    }

    /// Whether everything is written, or nothing ever will be.
    pub(crate) fn is_drained(&self) -> bool {
        let state = self.lock();
        state.pipe.is_none() || state.stuck.is_none() && state.waiting.is_empty()
    }

    /// Whether everything was written within a time.
    pub(crate) async fn drain(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.is_drained() {
            if Instant::now() >= until {
                return false;
            }
            sleep(GLANCE).await;
        }
        true
    }

    /// Closes the pipe: its reader sees the end once a write that is in progress is over.
    pub(crate) fn close(&self) {
        self.lock().give_up();
        self.called.notify_all();
        self.written.notify_all();
        self.changed.notify_one();
    }

    /// How long the reader has not taken what is being written.
    pub(crate) fn stuck_for(&self, now: Instant) -> Duration {
        self.lock().stuck.map_or(Duration::ZERO, |it| now.saturating_duration_since(it))
    }

    /// Writes all that waits to a pipe that blocks, without the lock.
    fn write_blocking<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        now: Instant,
    ) -> MutexGuard<'s, State> {
        let pipe = state.pipe.clone();
        let Some(OutputPipe::Blocking(file)) = pipe.as_deref() else { return state };
        let spare = std::mem::take(&mut state.spare);
        let mut bytes = std::mem::replace(&mut state.waiting, spare);
        let held = std::mem::take(&mut state.held);
        state.stuck = Some(now);
        drop(state);
        let mut file: &File = file;
        let written = file.write_all(&bytes);
        drop(held);
        let mut state = self.lock();
        state.stuck = None;
        bytes.clear();
        if bytes.capacity() <= LARGEST_SPARE {
            state.spare = bytes;
        }
        if written.is_err() {
            state.is_broken = true;
            state.give_up();
            self.called.notify_all();
        }
        if state.waiters > 0 {
            self.written.notify_all();
        }
        state
    }

    /// Waits until the thread that writes has written.
    fn until_written<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiters += 1;
        let mut state = self.written.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiters -= 1;
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn end(&self) -> Result<(), Broken> {
        if self.is_broken { Err(Broken) } else { Ok(()) }
    }

    /// Forgets the pipe and what waits for it.
    fn give_up(&mut self) {
        self.pipe = None;
        self.waiting = Vec::new();
        self.written = 0;
        self.held.clear();
    }

    /// Writes what a pipe takes that does not block. Gives whether there is nothing left to do.
    fn write_ready(&mut self, now: Instant) -> bool {
        let Some(pipe) = self.pipe.clone() else { return false };
        let OutputPipe::Ready(pipe) = &*pipe else { return true };
        while let Some(rest) = self.waiting.get(self.written..).filter(|it| !it.is_empty()) {
            match pipe.try_write(rest) {
                Ok(bytes) => {
                    self.written += bytes;
                    self.stuck = None;
                    self.give_back();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.stuck.get_or_insert(now);
                    return false;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(_) => {
                    self.is_broken = true;
                    self.stuck = None;
                    self.give_up();
                    return false;
                }
            }
        }
        self.stuck = None;
        self.written = 0;
        self.held.clear();
        self.waiting.clear();
        if self.waiting.capacity() > LARGEST_SPARE {
            self.waiting = Vec::new();
        }
        true
    }

    /// Gives back the memory of bytes that are written. They stay in the buffer until all are written, unless they are the
    /// larger half of a large buffer.
    fn give_back(&mut self) {
        let is_small = self.waiting.len() <= LARGEST_SPARE;
        if is_small || self.written < self.waiting.len() / 2 {
            return;
        }
        self.waiting.drain(..self.written);
        self.waiting.shrink_to_fit();
        while self.held.front().is_some_and(|it| it.0 <= self.written) {
            self.held.pop_front();
        }
        for (end, _) in &mut self.held {
            *end -= self.written;
        }
        self.written = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::Read as _,
        os::fd::OwnedFd,
        sync::Arc,
        thread,
        time::{Duration, Instant},
    };

    use redress_proxy::{caller::Caller, memory::MemoryBudget};

    use super::PipeWriter;

    fn pipe() -> (std::io::PipeReader, Arc<PipeWriter>) {
        let (reader, writer) = std::io::pipe().unwrap();
        (reader, Arc::new(PipeWriter::blocking(File::from(OwnedFd::from(writer)))))
    }

    #[tokio::test]
    async fn bytes_come_out_in_the_order_they_were_pushed() {
        let (mut reader, writer) = pipe();
        let pump = Arc::clone(&writer);
        let pump = thread::spawn(move || pump.pump());
        for number in 0..1_000u32 {
            writer.push(&mut format!("{number}\n").into_bytes(), &mut Vec::new());
            writer.flush(number % 3 != 0, Instant::now()).unwrap();
        }
        writer.flush(true, Instant::now()).unwrap();
        assert!(writer.drain(Duration::from_secs(5)).await);
        writer.close();
        pump.join().unwrap().unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let expected: Vec<String> = (0..1_000).map(|it| it.to_string()).collect();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[tokio::test]
    async fn a_reader_that_is_slow_or_gone_is_noticed() {
        let (reader, writer) = pipe();
        let pump = Arc::clone(&writer);
        let pump = thread::spawn(move || pump.pump());
        writer.push(&mut vec![b'a'; 1 << 20], &mut Vec::new());
        writer.flush(false, Instant::now()).unwrap();
        assert!(!writer.drain(Duration::from_millis(50)).await);
        assert!(writer.stuck_for(Instant::now()) > Duration::from_millis(20));
        drop(reader);
        assert!(pump.join().unwrap().is_err());
        assert!(writer.drain(Duration::ZERO).await, "nothing waits for a reader that is gone");
    }

    #[tokio::test]
    async fn what_waits_for_a_process_is_reserved_until_it_is_written() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let writer = Arc::new(PipeWriter::ready(write).unwrap());
        let pump = Arc::clone(&writer);
        tokio::spawn(async move { pump.pump_ready().await });
        let budget = MemoryBudget::new(32 << 20);
        let account = budget.account(Caller::ONLY);
        for _ in 0..8 {
            let mut held = vec![account.reserve(1 << 20).unwrap()];
            writer.push(&mut vec![b'a'; 1 << 20], &mut held);
        }
        drop(writer.flush(false, Instant::now()));
        let read_some = tokio::task::spawn_blocking(move || {
            let mut reader = File::from(read);
            reader.read_exact(&mut vec![0; 5 << 20]).unwrap();
            reader
        });
        let _reader = read_some.await.unwrap();
        while writer.waiting() > 3 << 20 {
            tokio::task::yield_now().await;
        }
        assert!(budget.used() <= 4 << 20, "{}", budget.used());
        assert!(budget.used() >= writer.waiting(), "{} {}", budget.used(), writer.waiting());
        writer.close();
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn a_pipe_without_a_reader_is_broken_one_closed_here_is_not() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let writer = PipeWriter::ready(write).unwrap();
        drop(read);
        writer.push(&mut b"one\n".to_vec(), &mut Vec::new());
        // The pump writes what the pipe does not take at once.
        drop(writer.flush(false, Instant::now()));
        assert!(writer.pump_ready().await.is_err());
        assert!(writer.flush(false, Instant::now()).is_err(), "the next flush says so, too");
        let (_read, write) = rustix::pipe::pipe().unwrap();
        let writer = PipeWriter::ready(write).unwrap();
        writer.close();
        assert!(writer.pump_ready().await.is_ok());
    }
}
