//! `InProcessServer`: a server on a thread of this program. It reads and writes lines on pipes, as a process does.

use std::{fmt, io, os::fd::OwnedFd, sync::Arc, thread};

/// Reads lines from the first pipe and writes lines to the second until the first ends.
type Speak = dyn Fn(OwnedFd, OwnedFd) + Send + Sync;

/// A server in this program. Each session runs on a thread of its own.
#[derive(Clone)]
pub struct InProcessServer(Arc<Speak>);

impl InProcessServer {
    /// A server from a function that reads its input and writes its output.
    pub fn new(speak: impl Fn(OwnedFd, OwnedFd) + Send + Sync + 'static) -> Self {
        Self(Arc::new(speak))
    }

    /// Starts it on a thread of its own. `ended` is called at its end, also after a panic.
    pub(crate) fn start(
        &self,
        input: OwnedFd,
        output: OwnedFd,
        ended: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let speak = Arc::clone(&self.0);
        let thread = thread::Builder::new().name("redress-inside".to_owned());
        thread.spawn(move || {
            let _at_the_end = AtTheEnd(Some(ended));
            speak(input, output);
        })?;
        Ok(())
    }
}

impl fmt::Debug for InProcessServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InProcessServer").finish()
    }
}

/// Calls a function when it is dropped, also by a panic.
struct AtTheEnd<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call();
        }
    }
}
