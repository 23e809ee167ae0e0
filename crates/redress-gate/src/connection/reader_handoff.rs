//! `ReaderHandoff`: which of two threads reads a server's output, so that one reads on while the other waits for the disk.
//!
//! Waking a thread takes time, for which a failure that is being recorded would wait. So a reader that leaves wakes the other one only
//! if the server owes an answer; and a thread that sends the server a request wakes it if the output is not read.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Hands the output of a server from one reading thread to the other.
#[derive(Debug, Default)]
pub(crate) struct ReaderHandoff {
    state: Mutex<State>,
    called: Condvar,
    /// Whether no thread reads: a copy of the state, so that a call takes no lock.
    is_unread: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    reader: ReaderState,
    is_called: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum ReaderState {
    /// No thread has begun.
    #[default]
    Idle,
    /// A thread reads.
    Reading,
    /// The thread that read waits for the disk, and comes back.
    Committing,
    /// Reading is nothing more to read.
    Ended,
}

impl ReaderHandoff {
    /// Waits until this thread is to read. Gives `false` when the output has ended.
    pub(crate) fn begin(&self) -> bool {
        let state = self.lock();
        let is_not_needed = |it: &mut State| match it.reader {
            ReaderState::Idle | ReaderState::Ended => false,
            ReaderState::Reading => true,
            ReaderState::Committing => !it.is_called,
        };
        let waited = self.called.wait_while(state, is_not_needed);
        self.take(waited.unwrap_or_else(PoisonError::into_inner))
    }

    /// Comes back from the disk, to read on. If the other thread reads meanwhile, this waits as [`Self::begin`] does.
    pub(crate) fn come_back(&self) -> bool {
        let state = self.lock();
        if state.reader == ReaderState::Committing {
            self.take(state)
        } else {
            drop(state);
            self.begin()
        }
    }

    /// Leaves to wait for the disk. The caller looks afterwards whether the other thread is needed.
    pub(crate) fn leave(&self) {
        self.lock().reader = ReaderState::Committing;
        self.is_unread.store(true, Ordering::Release);
    }

    /// Wakes a thread to read, if none does.
    pub(crate) fn call(&self) {
        if self.is_unread.load(Ordering::Acquire) {
            self.lock().is_called = true;
            self.called.notify_one();
        }
    }

    /// Reading is nothing more to read.
    pub(crate) fn end(&self) {
        self.lock().reader = ReaderState::Ended;
        self.called.notify_all();
    }

    fn take(&self, mut state: MutexGuard<'_, State>) -> bool {
        if state.reader == ReaderState::Ended {
            return false;
        }
        *state = State { reader: ReaderState::Reading, is_called: false };
        self.is_unread.store(false, Ordering::Release);
        true
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::ReaderHandoff;

    #[test]
    fn a_reader_comes_back_to_an_output_that_is_not_read() {
        let handoff = ReaderHandoff::default();
        assert!(handoff.begin());
        handoff.leave();
        assert!(handoff.come_back());
        handoff.end();
        assert!(!handoff.come_back());
        assert!(!handoff.begin());
    }

    #[test]
    fn a_called_reader_reads_until_the_other_one_is_called() {
        let handoff = Arc::new(ReaderHandoff::default());
        assert!(handoff.begin());
        let other = {
            let handoff = Arc::clone(&handoff);
            thread::spawn(move || {
                let reads_on = handoff.begin();
                handoff.leave();
                handoff.call();
                reads_on
            })
        };
        handoff.leave();
        handoff.call();
        assert!(other.join().unwrap());
        assert!(handoff.come_back());
        handoff.end();
    }

    #[test]
    fn a_call_while_somebody_reads_wakes_nobody() {
        let handoff = Arc::new(ReaderHandoff::default());
        assert!(handoff.begin());
        handoff.call();
        let other = {
            let handoff = Arc::clone(&handoff);
            thread::spawn(move || handoff.begin())
        };
        handoff.leave();
        assert!(handoff.come_back(), "the call was not for later");
        handoff.end();
        assert!(!other.join().unwrap());
    }
}
