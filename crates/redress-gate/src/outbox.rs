//! `Outbox`: bytes on their way into a pipe. Whoever has some hands them over in order; one at a time writes.

use std::{
    fs::File,
    io::{self, Write as _},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A larger buffer is not kept.
pub(crate) const LARGEST_SPARE: usize = 1 << 20;

/// Bytes on their way into a pipe.
#[derive(Debug)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    /// For the courier, who waits all the time and must not be woken for nothing.
    called: Condvar,
    /// For those who wait until another one has written.
    written: Condvar,
}

#[derive(Debug)]
struct State {
    /// The pipe; gone once it is closed or broken.
    pipe: Option<Arc<File>>,
    waiting: Vec<u8>,
    /// An empty buffer for the next ones.
    spare: Vec<u8>,
    /// Since when somebody writes.
    writing: Option<Instant>,
    /// The courier is to write what waits.
    is_called: bool,
    /// How many wait until another one has written; to wake nobody costs a system call, too.
    waiters: u32,
}

impl Outbox {
    pub(crate) fn new(pipe: File) -> Self {
        let state = State {
            pipe: Some(Arc::new(pipe)),
            waiting: Vec::new(),
            spare: Vec::new(),
            writing: None,
            is_called: false,
            waiters: 0,
        };
        Self { state: Mutex::new(state), called: Condvar::new(), written: Condvar::new() }
    }

    /// Takes bytes over, in the order of these calls. Never blocks.
    pub(crate) fn push(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        if state.pipe.is_none() {
            bytes.clear();
        } else {
            hand_over(bytes, &mut state.waiting);
        }
    }

    /// Writes what waits, or waits until another one has. Blocks as long as the reader does not read.
    pub(crate) fn flush(&self, now: Instant) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            while state.writing.is_some() {
                state = self.until_written(state);
            }
            if state.waiting.is_empty() {
                return Ok(());
            }
            state = self.write(state, now)?;
        }
    }

    /// Has the courier write what waits.
    pub(crate) fn call_courier(&self) {
        let mut state = self.lock();
        if !state.waiting.is_empty() && !std::mem::replace(&mut state.is_called, true) {
            self.called.notify_one();
        }
    }

    /// Writes whenever it is called, until the pipe is closed or breaks: the work of a thread of its own.
    pub(crate) fn courier(&self, now: impl Fn() -> Instant) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            if state.pipe.is_none() {
                return Ok(());
            }
            if state.is_called && state.writing.is_none() && !state.waiting.is_empty() {
                state.is_called = false;
                state = self.write(state, now())?;
            } else if state.is_called && state.writing.is_some() {
                state = self.until_written(state);
            } else {
                state.is_called = false;
                state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// How many bytes wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Whether everything was written within a time.
    pub(crate) fn drain(&self, time: Duration) -> bool {
        let mut state = self.lock();
        state.waiters += 1;
        let is_busy =
            |it: &mut State| it.pipe.is_some() && (it.writing.is_some() || !it.waiting.is_empty());
        let waited = self.written.wait_timeout_while(state, time, is_busy);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiters -= 1;
        !timeout.timed_out()
    }

    /// Closes the pipe: its reader sees the end once nobody writes any more.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.pipe = None;
        state.waiting = Vec::new();
        self.called.notify_all();
        self.written.notify_all();
    }

    /// For how long the reader has not taken what is being written.
    pub(crate) fn stuck_for(&self, now: Instant) -> Duration {
        self.lock().writing.map_or(Duration::ZERO, |it| now.saturating_duration_since(it))
    }

    fn write<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        now: Instant,
    ) -> io::Result<MutexGuard<'s, State>> {
        let Some(pipe) = state.pipe.clone() else {
            state.waiting.clear();
            return Ok(state);
        };
        let spare = std::mem::take(&mut state.spare);
        let mut bytes = std::mem::replace(&mut state.waiting, spare);
        state.writing = Some(now);
        drop(state);
        let written = (&*pipe).write_all(&bytes);
        let mut state = self.lock();
        state.writing = None;
        bytes.clear();
        if bytes.capacity() <= LARGEST_SPARE {
            state.spare = bytes;
        }
        if written.is_err() {
            state.pipe = None;
            state.waiting = Vec::new();
            self.called.notify_all();
        }
        if state.waiters > 0 {
            self.written.notify_all();
        }
        written.map(|()| state)
    }

    /// Waits until the one who writes has written.
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

/// Puts bytes behind those that wait, without a copy if none do.
pub(crate) fn hand_over(bytes: &mut Vec<u8>, waiting: &mut Vec<u8>) {
    if waiting.is_empty() {
        std::mem::swap(waiting, bytes);
        bytes.clear();
    } else {
        waiting.append(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::Read as _,
        sync::Arc,
        thread,
        time::{Duration, Instant},
    };

    use super::Outbox;

    fn pipe() -> (std::io::PipeReader, Arc<Outbox>) {
        let (reader, writer) = std::io::pipe().unwrap();
        (reader, Arc::new(Outbox::new(File::from(std::os::fd::OwnedFd::from(writer)))))
    }

    #[test]
    fn bytes_come_out_in_the_order_they_were_handed_over() {
        let (mut reader, outbox) = pipe();
        let courier = Arc::clone(&outbox);
        let courier = thread::spawn(move || courier.courier(Instant::now));
        for number in 0..1_000u32 {
            outbox.push(&mut format!("{number}\n").into_bytes());
            if number % 3 == 0 {
                outbox.call_courier();
            } else {
                outbox.flush(Instant::now()).unwrap();
            }
        }
        outbox.flush(Instant::now()).unwrap();
        assert!(outbox.drain(Duration::from_secs(5)));
        outbox.close();
        courier.join().unwrap().unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let expected: Vec<String> = (0..1_000).map(|it| it.to_string()).collect();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_reader_that_does_not_read_is_noticed_and_one_that_is_gone_too() {
        let (reader, outbox) = pipe();
        let courier = Arc::clone(&outbox);
        let courier = thread::spawn(move || courier.courier(Instant::now));
        outbox.push(&mut vec![b'a'; 1 << 20]);
        outbox.call_courier();
        assert!(!outbox.drain(Duration::from_millis(50)));
        assert!(outbox.stuck_for(Instant::now()) > Duration::from_millis(20));
        drop(reader);
        assert!(courier.join().unwrap().is_err());
        assert!(outbox.drain(Duration::ZERO), "nothing waits for a reader that is gone");
    }
}
