//! `Tap`: the reading end of a pipe, at which a thread waits that can be told to stop while others still hold the writing end. It
//! reads then what is left in the pipe.
//!
//! Only a byte wakes a thread that reads a pipe, so that is how it is told. To wait for two things would take a system call more for
//! each message.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write as _},
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::fs::OpenOptionsExt as _,
    },
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::fs::OFlags;

use crate::rest::Rest;

/// What is read.
#[derive(Debug)]
pub(super) struct Tap {
    pipe: Arc<File>,
    is_shut: Arc<AtomicBool>,
    /// What is left, once it is shut.
    rest: Option<Rest>,
}

/// The byte by which a thread is woken. At the end of a message it says nothing.
const WAKING: &[u8] = b" ";

/// Stops whoever reads.
#[derive(Debug)]
pub(super) struct Valve {
    pipe: Weak<File>,
    is_shut: Arc<AtomicBool>,
}

/// A pipe to read from, and by what that is stopped.
pub(super) fn tap(pipe: impl Into<OwnedFd>) -> (Tap, Valve) {
    let (pipe, is_shut) = (Arc::new(File::from(pipe.into())), Arc::new(AtomicBool::new(false)));
    let valve = Valve { pipe: Arc::downgrade(&pipe), is_shut: Arc::clone(&is_shut) };
    (Tap { pipe, is_shut, rest: None }, valve)
}

impl Read for Tap {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let is_shut = || self.is_shut.load(Ordering::Acquire);
        let read = if is_shut() {
            let rest = self.rest.get_or_insert_with(|| Rest::of(&*self.pipe));
            rest.read(&*self.pipe, into)
        } else {
            (&*self.pipe).read(into)?
        };
        let is_woken = is_shut() && into.get(..read) == Some(WAKING);
        Ok(if is_woken { 0 } else { read })
    }
}

impl Valve {
    /// Whatever is written from now on is not read.
    pub(super) fn shut(&self) {
        self.is_shut.store(true, Ordering::Release);
        let Some(pipe) = self.pipe.upgrade() else { return };
        let writing_end = format!("/proc/self/fd/{}", pipe.as_raw_fd());
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        // If it is full, whoever reads is not waiting.
        let woken = OpenOptions::new().write(true).custom_flags(flags).open(writing_end);
        drop(woken.and_then(|mut it| it.write(WAKING)));
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        thread,
    };

    use super::tap;

    #[test]
    fn who_waits_at_a_pipe_that_others_hold_can_be_stopped() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let (mut tap, valve) = tap(reader);
        let mut piece = [0; 8];
        writer.write_all(b"one").unwrap();
        assert_eq!(tap.read(&mut piece).unwrap(), 3);
        let waiting = thread::spawn(move || tap.read(&mut piece).unwrap());
        thread::yield_now();
        valve.shut();
        assert_eq!(waiting.join().unwrap(), 0);
        assert!(writer.write_all(b"two").is_err(), "it is closed");
        valve.shut();
    }

    #[test]
    fn what_is_left_is_read_after_the_stop() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let (mut tap, valve) = tap(reader);
        writer.write_all(b"one\ntwo\n").unwrap();
        valve.shut();
        let mut said = String::new();
        tap.read_to_string(&mut said).unwrap();
        assert_eq!(said.trim_end_matches(' '), "one\ntwo\n");
    }

    #[test]
    fn who_comes_later_does_not_wait() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let (mut tap, valve) = tap(reader);
        valve.shut();
        assert_eq!(tap.read(&mut [0; 8]).unwrap(), 0);
    }
}
