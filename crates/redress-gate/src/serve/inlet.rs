//! `Inlet`: bytes on their way into a process's input, written by tasks that must not wait.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{net::unix::pipe, sync::Notify};

use crate::outbox::{LARGEST_SPARE, hand_over};

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
    /// Since when the pipe has taken nothing.
    stuck: Option<Instant>,
    /// Nobody reads there any more, although nobody closed it here.
    is_broken: bool,
}

impl Inlet {
    /// The input of a process.
    pub(crate) fn new(input: OwnedFd) -> io::Result<Self> {
        let pipe = Some(Arc::new(pipe::Sender::from_owned_fd(input)?));
        let state = State { pipe, waiting: Vec::new(), written: 0, stuck: None, is_broken: false };
        Ok(Self { state: Mutex::new(state), changed: Notify::new() })
    }

    /// Takes bytes over, in the order of these calls.
    pub(crate) fn push(&self, bytes: &mut Vec<u8>) {
        let mut state = self.lock();
        if state.pipe.is_none() {
            bytes.clear();
        } else {
            hand_over(bytes, &mut state.waiting);
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
        self.waiting.clear();
        if self.waiting.capacity() > LARGEST_SPARE {
            self.waiting = Vec::new();
        }
        self.pipe.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::Inlet;

    #[tokio::test]
    async fn a_pipe_that_nobody_reads_is_broken_and_one_that_is_closed_here_is_not() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let inlet = Inlet::new(write).unwrap();
        drop(read);
        inlet.push(&mut b"one\n".to_vec());
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
