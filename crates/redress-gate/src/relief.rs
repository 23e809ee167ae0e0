//! `Relief`: who reads a server's output while another thread waits for the disk.
//!
//! To wake a thread takes time, for which a failure that is being recorded would wait. So whoever leaves calls nobody unless
//! the server owes an answer; and whoever asks the server for one calls, if the output is left alone.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Whose turn it is to read.
#[derive(Debug, Default)]
pub(crate) struct Relief {
    state: Mutex<State>,
    called: Condvar,
    /// A copy of what the lock guards, so that a call takes no lock.
    is_alone: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    reader: Reader,
    is_called: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Reader {
    /// Nobody has begun.
    #[default]
    Absent,
    /// Somebody reads.
    There,
    /// Whoever read waits for the disk, and comes back.
    Away,
    /// There is nothing more to read.
    Over,
}

impl Relief {
    /// Begins to read, or waits until somebody is called. Gives `false` when there is nothing more to read.
    pub(crate) fn begin(&self) -> bool {
        let state = self.lock();
        let is_not_needed = |it: &mut State| match it.reader {
            Reader::Absent | Reader::Over => false,
            Reader::There => true,
            Reader::Away => !it.is_called,
        };
        let waited = self.called.wait_while(state, is_not_needed);
        self.take(waited.unwrap_or_else(PoisonError::into_inner))
    }

    /// Comes back to read on. Who was relieved waits until the other one leaves and somebody is called.
    pub(crate) fn come_back(&self) -> bool {
        let state = self.lock();
        if state.reader == Reader::Away {
            self.take(state)
        } else {
            drop(state);
            self.begin()
        }
    }

    /// Leaves to wait for the disk. Whoever does this looks afterwards whether somebody is to be called.
    pub(crate) fn leave(&self) {
        self.lock().reader = Reader::Away;
        self.is_alone.store(true, Ordering::Release);
    }

    /// Something is to be read: somebody reads on if nobody does.
    pub(crate) fn call(&self) {
        if self.is_alone.load(Ordering::Acquire) {
            self.lock().is_called = true;
            self.called.notify_one();
        }
    }

    /// There is nothing more to read.
    pub(crate) fn end(&self) {
        self.lock().reader = Reader::Over;
        self.called.notify_all();
    }

    fn take(&self, mut state: MutexGuard<'_, State>) -> bool {
        if state.reader == Reader::Over {
            return false;
        }
        *state = State { reader: Reader::There, is_called: false };
        self.is_alone.store(false, Ordering::Release);
        true
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::Relief;

    #[test]
    fn who_leaves_comes_back_to_what_nobody_reads() {
        let relief = Relief::default();
        assert!(relief.begin());
        relief.leave();
        assert!(relief.come_back());
        relief.end();
        assert!(!relief.come_back());
        assert!(!relief.begin());
    }

    #[test]
    fn who_is_called_reads_on_until_the_other_is_called() {
        let relief = Arc::new(Relief::default());
        assert!(relief.begin());
        let other = {
            let relief = Arc::clone(&relief);
            thread::spawn(move || {
                let reads_on = relief.begin();
                relief.leave();
                relief.call();
                reads_on
            })
        };
        relief.leave();
        relief.call();
        assert!(other.join().unwrap());
        assert!(relief.come_back());
        relief.end();
    }

    #[test]
    fn a_call_while_somebody_reads_wakes_nobody() {
        let relief = Arc::new(Relief::default());
        assert!(relief.begin());
        relief.call();
        let other = {
            let relief = Arc::clone(&relief);
            thread::spawn(move || relief.begin())
        };
        relief.leave();
        assert!(relief.come_back(), "the call was not for later");
        relief.end();
        assert!(!other.join().unwrap());
    }
}
