//! `InterruptiblePipe`: the reading end of a pipe, whose reader can be interrupted while other processes still hold the writing end. It reads then
//! what is left in the pipe.
//!
//! Only a byte wakes a thread that reads a pipe, so that a byte interrupts it. Waiting for two events would take a system call more for
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

use redress_transport::pipe::PipeRemainder;
use rustix::fs::OFlags;

/// The reading end.
#[derive(Debug)]
pub(super) struct InterruptiblePipe {
    pipe: Arc<File>,
    is_interrupted: Arc<AtomicBool>,
    /// What is left, once it is interrupted.
    rest: Option<PipeRemainder>,
}

/// The byte that wakes the reader. At the end of a message it has no meaning.
const WAKING: &[u8] = b" ";

/// Interrupts the reader.
#[derive(Debug)]
pub(super) struct Interrupter {
    pipe: Weak<File>,
    is_interrupted: Arc<AtomicBool>,
}

/// A pipe to read, and what interrupts its reader.
pub(super) fn interruptible(pipe: impl Into<OwnedFd>) -> (InterruptiblePipe, Interrupter) {
    let (pipe, is_interrupted) =
        (Arc::new(File::from(pipe.into())), Arc::new(AtomicBool::new(false)));
    let interrupter =
        Interrupter { pipe: Arc::downgrade(&pipe), is_interrupted: Arc::clone(&is_interrupted) };
    (InterruptiblePipe { pipe, is_interrupted, rest: None }, interrupter)
}

impl Read for InterruptiblePipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let is_interrupted = || self.is_interrupted.load(Ordering::Acquire);
        let read = if is_interrupted() {
            let rest = self.rest.get_or_insert_with(|| PipeRemainder::of(&*self.pipe));
            rest.read(&*self.pipe, into)
        } else {
            (&*self.pipe).read(into)?
        };
        let is_woken = is_interrupted() && into.get(..read) == Some(WAKING);
        Ok(if is_woken { 0 } else { read })
    }
}

impl Interrupter {
    /// What is written from now on is not read.
    pub(super) fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::Release);
        let Some(pipe) = self.pipe.upgrade() else { return };
        let writing_end = format!("/proc/self/fd/{}", pipe.as_raw_fd());
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        // If the pipe is full, the reader does not wait.
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

    use super::interruptible;

    #[test]
    fn a_reader_of_a_pipe_that_others_hold_can_be_interrupted() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let (mut ours, interrupter) = interruptible(reader);
        let mut piece = [0; 8];
        writer.write_all(b"one").unwrap();
        assert_eq!(ours.read(&mut piece).unwrap(), 3);
        let waiting = thread::spawn(move || ours.read(&mut piece).unwrap());
        thread::yield_now();
        interrupter.interrupt();
        assert_eq!(waiting.join().unwrap(), 0);
        assert!(writer.write_all(b"two").is_err(), "it is closed");
        interrupter.interrupt();
    }

    #[test]
    fn what_is_left_is_read_after_the_interrupt() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let (mut ours, interrupter) = interruptible(reader);
        writer.write_all(b"one\ntwo\n").unwrap();
        interrupter.interrupt();
        let mut said = String::new();
        ours.read_to_string(&mut said).unwrap();
        assert_eq!(said.trim_end_matches(' '), "one\ntwo\n");
    }

    #[test]
    fn a_reader_that_comes_after_the_interrupt_does_not_wait() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let (mut ours, interrupter) = interruptible(reader);
        interrupter.interrupt();
        assert_eq!(ours.read(&mut [0; 8]).unwrap(), 0);
    }
}
