//! `Inside`: a server in this process. It reads and writes lines on pipes, so that to the gate it is like any other.

use std::{fmt, io, os::fd::OwnedFd, sync::Arc};

/// What a server in this process does: it reads lines from the first pipe and writes lines to the second, until the first ends.
type Speak = dyn Fn(OwnedFd, OwnedFd) + Send + Sync;

/// A server in this process. Each session has a thread on which it speaks.
#[derive(Clone)]
pub struct Inside(Arc<Speak>);

impl Inside {
    /// A server that speaks on two pipes: its input and its output.
    pub fn new(speak: impl Fn(OwnedFd, OwnedFd) + Send + Sync + 'static) -> Self {
        Self(Arc::new(speak))
    }

    /// Starts it on a thread of its own. `ended` is called once it has ended, however it did.
    pub(crate) fn start(
        &self,
        input: OwnedFd,
        output: OwnedFd,
        ended: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let speak = Arc::clone(&self.0);
        crate::threads::spawn("redress-inside", move || {
            let _at_the_end = AtTheEnd(Some(ended));
            speak(input, output);
        })
    }
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Inside").finish()
    }
}

/// Calls something when it is dropped, also by a panic.
struct AtTheEnd<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::{Read as _, Write as _},
    };

    use rustix::process::Signal;

    use super::Inside;
    use crate::process::Process;

    fn echo() -> Inside {
        Inside::new(|input, output| {
            std::io::copy(&mut File::from(input), &mut File::from(output)).unwrap();
        })
    }

    #[test]
    fn it_ends_when_its_input_does() {
        let (process, body, mut pipes) = Process::start_inside(&echo()).unwrap();
        pipes.input.write_all(b"one\n").unwrap();
        drop(pipes.input);
        let mut said = String::new();
        pipes.output.read_to_string(&mut said).unwrap();
        process.nothing_is_read();
        process.wait(body, || ());
        assert_eq!(said, "one\n");
    }

    #[test]
    fn it_is_over_when_it_is_killed_or_panics() {
        let (process, body, pipes) = Process::start_inside(&echo()).unwrap();
        process.signal(Signal::KILL);
        process.wait(body, || process.nothing_is_read());
        drop(pipes);
        let panics = Inside::new(|_, _| panic!("as was asked for"));
        let (process, body, mut pipes) = Process::start_inside(&panics).unwrap();
        assert_eq!(pipes.output.read(&mut [0]).unwrap(), 0);
        process.wait(body, || process.nothing_is_read());
    }
}
