//! `Inlet`: bytes on their way into a process's input, written by tasks that must not wait.

use std::{
    collections::VecDeque,
    io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{net::unix::pipe, sync::Notify};

use crate::{
    memory::Reservation,
    outbox::{LARGEST_SPARE, hand_over},
};

/// Bytes on their way into a pipe.
#[derive(Debug)]
pub(crate) struct Inlet {
    state: Mutex<State>,
    /// For the courier: the pipe took not all, or is closed.
    changed: Notify,
}

/// Nobody reads what is written.
#[derive(Debug)]
pub(crate) struct Broken;

#[derive(Debug)]
struct State {
    /// The pipe; gone once it is closed or broken.
    pipe: Option<Arc<pipe::Sender>>,
    waiting: Vec<u8>,
    /// How much of it is written.
    written: usize,
    /// What is reserved for it, each with the place in it up to which it is for.
    held: VecDeque<(usize, Reservation)>,
    /// Since when the pipe has taken nothing.
    stuck: Option<Instant>,
    /// Nobody reads there any more, although nobody closed it here.
    is_broken: bool,
}

impl Inlet {
    /// The input of a process.
    pub(crate) fn new(input: OwnedFd) -> io::Result<Self> {
        let pipe = Some(Arc::new(pipe::Sender::from_owned_fd(input)?));
        let state = State {
            pipe,
            waiting: Vec::new(),
            written: 0,
            held: VecDeque::new(),
            stuck: None,
            is_broken: false,
        };
        Ok(Self { state: Mutex::new(state), changed: Notify::new() })
    }

    /// Takes bytes over with what is reserved for them, in the order of these calls.
    pub(crate) fn push(&self, bytes: &mut Vec<u8>, held: &mut Vec<Reservation>) {
        let mut state = self.lock();
        if state.pipe.is_none() {
            bytes.clear();
            held.clear();
        } else {
            hand_over(bytes, &mut state.waiting);
            let end = state.waiting.len();
            state.held.extend(held.drain(..).map(|it| (end, it)));
        }
    }

    /// Writes what the pipe takes at once; the courier writes the rest. An error says that nobody reads there.
    pub(crate) fn flush(&self, now: Instant) -> Result<(), Broken> {
        let mut state = self.lock();
        // While the courier has something to write, it is his turn.
        if state.stuck.is_none() && !state.write(now) {
            self.changed.notify_one();
        }
        state.end()
    }

    /// Writes what did not fit, until the pipe is closed or breaks: the work of a task of its own.
    pub(crate) async fn courier(&self) -> Result<(), Broken> {
        loop {
            let changed = self.changed.notified();
            let (pipe, is_stuck) = {
                let state = self.lock();
                (state.pipe.clone(), state.stuck.is_some())
            };
            let Some(pipe) = pipe else { return self.lock().end() };
            if !is_stuck {
                drop(pipe);
                changed.await;
                continue;
            }
            tokio::select! {
                _ = pipe.writable() => (),
                () = changed => (),
            }
            self.lock().write(Instant::now());
        }
    }

    /// How many bytes wait.
    pub(crate) fn waiting(&self) -> usize {
        let state = self.lock();
        state.waiting.len() - state.written
    }

    /// Closes the pipe: its reader sees the end.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.pipe = None;
        state.waiting = Vec::new();
        state.written = 0;
        state.held.clear();
        drop(state);
        self.changed.notify_one();
    }

    /// For how long the reader has not taken what is there.
    pub(crate) fn stuck_for(&self, now: Instant) -> Duration {
        self.lock().stuck.map_or(Duration::ZERO, |it| now.saturating_duration_since(it))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn end(&self) -> Result<(), Broken> {
        if self.is_broken { Err(Broken) } else { Ok(()) }
    }

    /// Writes what the pipe takes. Gives whether nothing is left to be done.
    fn write(&mut self, now: Instant) -> bool {
        let Some(pipe) = self.pipe.clone() else { return false };
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
                    self.pipe = None;
                    self.is_broken = true;
                    break;
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
        self.pipe.is_some()
    }

    /// Gives back what is reserved for bytes that are written. They stay in the buffer until all are: where that would be more than
    /// those that wait, they are thrown away.
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
    use std::{io::Read as _, sync::Arc, time::Instant};

    use super::Inlet;
    use crate::{caller::Caller, memory::MemoryBudget};

    #[tokio::test]
    async fn what_waits_for_a_process_is_reserved_until_it_is_written() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let inlet = Arc::new(Inlet::new(write).unwrap());
        let courier = Arc::clone(&inlet);
        tokio::spawn(async move { courier.courier().await });
        let budget = MemoryBudget::new(32 << 20);
        let account = budget.account(Caller::ONLY);
        for _ in 0..8 {
            let mut held = vec![account.reserve(1 << 20).unwrap()];
            inlet.push(&mut vec![b'a'; 1 << 20], &mut held);
        }
        drop(inlet.flush(Instant::now()));
        let read_some = tokio::task::spawn_blocking(move || {
            let mut reader = std::fs::File::from(read);
            reader.read_exact(&mut vec![0; 5 << 20]).unwrap();
            reader
        });
        let _reader = read_some.await.unwrap();
        while inlet.waiting() > 3 << 20 {
            tokio::task::yield_now().await;
        }
        assert!(budget.used() <= 4 << 20, "{}", budget.used());
        assert!(budget.used() >= inlet.waiting(), "{} {}", budget.used(), inlet.waiting());
        inlet.close();
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn a_pipe_that_nobody_reads_is_broken_and_one_that_is_closed_here_is_not() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let inlet = Inlet::new(write).unwrap();
        drop(read);
        inlet.push(&mut b"one\n".to_vec(), &mut Vec::new());
        // What the pipe does not take at once is the courier's to write.
        drop(inlet.flush(Instant::now()));
        assert!(inlet.courier().await.is_err());
        assert!(inlet.flush(Instant::now()).is_err(), "whoever writes next hears of it, too");
        let (_read, write) = rustix::pipe::pipe().unwrap();
        let inlet = Inlet::new(write).unwrap();
        inlet.close();
        assert!(inlet.courier().await.is_ok());
    }
}
